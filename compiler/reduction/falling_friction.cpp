#include "compiler/reduction/falling_friction.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

#include "compiler/mechanics/part_names.h"
#include "compiler/reduction/nodes.h"
#include "compiler/symbolic/operations.h"

namespace luztar {
namespace {

/// The massless body whose speed the friction slips with and depends on, if any.
std::optional<CoordinateId> own_speed(const ReductionContext& context,
                                      const std::vector<char>& massless, const ForceTerm& friction,
                                      Expr e) {
  for (const auto& [q, c] : friction.argument.terms) {
    const CoordinateId own = q;
    const bool depends =
        massless[q.value] && depends_on(context.pool, e, [&](Symbol s) {
          return (s.kind == SymbolKind::kVelocity || s.kind == SymbolKind::kAcceleration) &&
                 s.index == own.value;
        });
    if (depends) return own;
  }
  return std::nullopt;
}

/// The saturations nas(|w|, V0) in e, w the slip velocity up to its sign.
std::vector<Expr> saturated_speeds(const ReductionContext& context, const IdentityTest& identity,
                                   Expr e, Expr slip) {
  const ExprPool& pool = context.pool;
  std::vector<Expr> found;
  const Expr roots[] = {e};
  for (const Expr node : topological_order(pool, roots)) {
    if (pool[node].op != Op::kNas || !is_parametric(pool, pool.arg(node, 1))) continue;
    const Expr speed = pool.arg(node, 0);
    if (pool[speed].op != Op::kAbs) continue;
    const Expr w = pool.arg(speed, 0);
    if (identity.equal(w, slip) || identity.equal(w, context.pool.neg(slip))) found.push_back(node);
  }
  return found;
}

Expr replaced(ExprPool& pool, Expr root, Expr what, Expr by) {
  std::unordered_map<Expr, Expr> done;
  const Expr roots[] = {root};
  for (const Expr e : topological_order(pool, roots)) {
    std::vector<Expr> args;
    for (const Expr a : pool.args(e)) args.push_back(done.at(a));
    done.emplace(e, e == what ? by : args.empty() ? e : pool.call(pool[e].op, args));
  }
  return done.at(root);
}

/// True when the friction falls along one line, which it is written by then.
bool take_line(const ReductionContext& context, const IdentityTest& identity,
               const std::vector<char>& massless, ForceTerm& friction) {
  ExprPool& pool = context.pool;
  const Expr slip = to_expr(pool, friction.argument, true);
  const std::vector<Expr> speeds = saturated_speeds(context, identity, friction.kinetic, slip);
  if (speeds.size() != 1) return false;
  const Expr limit = pool.arg(speeds.front(), 1);
  const Expr at_rest = replaced(pool, friction.kinetic, speeds.front(), pool.zero());
  const Expr beyond = replaced(pool, friction.kinetic, speeds.front(), limit);
  for (const Expr e : {at_rest, beyond}) {
    if (!is_parametric(pool, e) || own_speed(context, massless, friction, e)) return false;
  }
  const Expr fall = pool.div(pool.sub(at_rest, beyond), limit);
  const Expr line = pool.sub(at_rest, pool.mul(fall, speeds.front()));
  if (!identity.equal(friction.kinetic, line) || !(value_of(context, fall) > 0)) return false;
  friction.kinetic = beyond;
  friction.rest_speed = limit;
  friction.fall = fall;
  return true;
}

void report(const ReductionContext& context, const Mechanism& mechanism, const ForceTerm& friction,
            CoordinateId q) {
  part_error(context.diagnostics, context.flat, Code::kUnreducible, friction.part, friction.span,
             "the friction '" + friction.name + "' depends on the speed of '" +
                 mechanism.coordinates[q].name + "', which has no inertia")
      .with_note(
          "without inertia that speed follows from the friction itself, and jumps where it falls")
      .with_note(
          "give the body a small inertia; or let the friction fall along one line and be constant "
          "beyond, as a StribeckFriction does");
}

}  // namespace

Mechanism falling_friction(Mechanism mechanism, const ReductionContext& context) {
  const IdentityTest identity(context.pool, context.flat);
  const std::vector<char> massless = massless_coordinates(context, mechanism);
  for (ForceTerm& term : mechanism.terms) {
    if (term.status != TermStatus::kActive || term.kind != TermKind::kFriction) continue;
    const auto own = own_speed(context, massless, term, term.kinetic);
    const auto holds = own_speed(context, massless, term, term.static_bound);
    if (!own && !holds) continue;
    if (holds || !take_line(context, identity, massless, term)) {
      report(context, mechanism, term, own ? *own : *holds);
      continue;
    }
    mechanism.fixed.push_back(term.fall);
    context.log.push_back({"falling friction", "P3 in the limit M -> 0",
                           "no inertia at '" + mechanism.coordinates[*own].name + "'",
                           "'" + term.name + "' slips faster than " +
                               text_of(context, mechanism, term.rest_speed) + ", with " +
                               text_of(context, mechanism, term.kinetic) + ", or not at all"});
  }
  return mechanism;
}

}  // namespace luztar
