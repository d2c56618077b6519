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

/// nas(|ratio * slip|, V0)
struct SaturatedSpeed {
  Expr node, ratio;
};

/// ratio = w/slip, when that depends on parameters alone.
std::optional<Expr> ratio_to(const ReductionContext& context, const IdentityTest& identity, Expr w,
                             Expr slip) {
  ExprPool& pool = context.pool;
  const auto is_velocity = [](Symbol s) { return s.kind == SymbolKind::kVelocity; };
  AffineForm own, whole;
  if (!affine_form(pool, w, is_velocity, own) || !affine_form(pool, slip, is_velocity, whole)) {
    return std::nullopt;
  }
  if (own.coefficients.empty() || whole.coefficients.empty()) return std::nullopt;
  const Expr ratio = pool.div(own.coefficients[0].second, whole.coefficients[0].second);
  if (!identity.equal(w, pool.mul(ratio, slip))) return std::nullopt;
  return ratio;
}

/// The saturations of the slip velocity in e.
std::vector<SaturatedSpeed> saturated_speeds(const ReductionContext& context,
                                             const IdentityTest& identity, Expr e, Expr slip) {
  const ExprPool& pool = context.pool;
  std::vector<SaturatedSpeed> found;
  const Expr roots[] = {e};
  for (const Expr node : topological_order(pool, roots)) {
    if (pool[node].op != Op::kNas || !is_parametric(pool, pool.arg(node, 1))) continue;
    const Expr speed = pool.arg(node, 0);
    if (pool[speed].op != Op::kAbs) continue;
    const auto ratio = ratio_to(context, identity, pool.arg(speed, 0), slip);
    if (ratio) found.push_back({node, context.pool.call(Op::kAbs, {*ratio})});
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

/// True when the friction falls along one line, or not at all, which it is written by then.
bool take_line(const ReductionContext& context, const IdentityTest& identity,
               const std::vector<char>& massless, ForceTerm& friction) {
  ExprPool& pool = context.pool;
  const Expr slip = to_expr(pool, friction.argument, true);
  const std::vector<SaturatedSpeed> speeds =
      saturated_speeds(context, identity, friction.kinetic, slip);
  if (speeds.size() != 1) return false;
  const auto [speed, ratio] = speeds.front();
  const Expr limit = pool.arg(speed, 1);
  const Expr at_rest = replaced(pool, friction.kinetic, speed, pool.zero());
  const Expr beyond = replaced(pool, friction.kinetic, speed, limit);
  for (const Expr e : {at_rest, beyond}) {
    if (!is_parametric(pool, e) || own_speed(context, massless, friction, e)) return false;
  }
  const Expr fall = pool.div(pool.sub(at_rest, beyond), limit);
  const Expr line = pool.sub(at_rest, pool.mul(fall, speed));
  const double falls = value_of(context, fall);
  if (!identity.equal(friction.kinetic, line) || !(falls >= 0)) return false;
  friction.kinetic = beyond;
  if (falls == 0) return true;
  friction.rest_speed = pool.div(limit, ratio);
  friction.fall = pool.mul(fall, ratio);
  return true;
}

void report(const ReductionContext& context, const IdentityTest& identity,
            const Mechanism& mechanism, const ForceTerm& friction, CoordinateId q) {
  const Expr slip = to_expr(context.pool, friction.argument, true);
  const bool several = saturated_speeds(context, identity, friction.kinetic, slip).size() > 1;
  part_error(context.diagnostics, context.flat, Code::kUnreducible, friction.part, friction.span,
             "the friction '" + friction.name + "' depends on the speed of '" +
                 mechanism.coordinates[q].name + "', which has no inertia")
      .with_note(
          "without inertia that speed follows from the friction itself, and jumps where it falls")
      .with_note(several
                     ? "several frictions that fall with speed act on it together: give the body "
                       "a small inertia, or write one friction for all of them"
                     : "give the body a small inertia; or let the friction fall along one line and "
                       "be constant beyond, as a StribeckFriction does");
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
      report(context, identity, mechanism, term, own ? *own : *holds);
      continue;
    }
    if (!term.rest_speed.valid()) continue;
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
