#include "compiler/reduction/viscous_friction.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/mechanics/parameter_point.h"
#include "compiler/reduction/nodes.h"
#include "compiler/reduction/slip_laws.h"
#include "compiler/symbolic/operations.h"

namespace luztar {
namespace {

/// coefficient * |w| and what is left of the size of a friction.
struct ViscousPart {
  std::vector<Expr> coefficient, rest;
};

/// |e| by |slip|, where e is a size |w|.
std::optional<Expr> size_of(const ReductionContext& context, const IdentityTest& identity, Expr e,
                            Expr slip) {
  ExprPool& pool = context.pool;
  if (pool[e].op != Op::kAbs) return std::nullopt;
  const auto ratio = ratio_to(context, identity, pool.arg(e, 0), slip);
  if (!ratio) return std::nullopt;
  return pool.call(Op::kAbs, {*ratio});
}

ViscousPart viscous_part(const ReductionContext& context, const IdentityTest& identity,
                         Expr kinetic, Expr slip) {
  ExprPool& pool = context.pool;
  ViscousPart part;
  std::vector<std::pair<Expr, Expr>> work{{pool.one(), kinetic}};
  while (!work.empty()) {
    const auto [factor, e] = work.back();
    work.pop_back();
    const auto args = pool.args(e);
    const std::vector<Expr> parts(args.begin(), args.end());
    if (pool[e].op == Op::kAdd) {
      for (const Expr term : parts) work.emplace_back(factor, term);
      continue;
    }
    std::vector<Expr> constant{factor}, varying;
    if (pool[e].op == Op::kMul) {
      for (const Expr f : parts) (is_parametric(pool, f) ? constant : varying).push_back(f);
    }
    if (varying.size() == 1) {
      work.emplace_back(pool.mul(std::move(constant)), varying.front());
    } else if (const auto size = size_of(context, identity, e, slip)) {
      part.coefficient.push_back(pool.mul(factor, *size));
    } else {
      part.rest.push_back(pool.mul(factor, e));
    }
  }
  return part;
}

/// e where the slip is zero.
Expr at_rest(const ReductionContext& context, const IdentityTest& identity, Expr e, Expr slip) {
  ExprPool& pool = context.pool;
  Expr result = e;
  const Expr roots[] = {e};
  for (const Expr node : topological_order(pool, roots)) {
    if (!size_of(context, identity, node, slip)) continue;
    result = replaced(pool, result, node, pool.zero());
  }
  return result;
}

void split(Mechanism& mechanism, const ReductionContext& context, ForceTermId id, Expr coefficient,
           Expr rest) {
  ForceTerm dry = mechanism.terms[id];
  ForceTerm damper = dry;
  dry.kinetic = rest;
  damper.kind = damper.origin = TermKind::kDamper;
  damper.coefficient = coefficient;
  std::vector<Expr> forces;
  const auto add = [&](ForceTerm part) {
    const ForceTermId added = mechanism.terms.push_back(std::move(part));
    forces.push_back(context.pool.symbol(SymbolKind::kForce, added.value));
    return added;
  };
  const ForceTermId whole = add(std::move(dry));
  std::string entry = "'" + damper.name + "' is a dry friction";
  if (value_of(context, coefficient) != 0) {
    entry += " beside a damper of " + text_of(context, mechanism, coefficient);
    add(std::move(damper));
  }
  ForceTerm& written = mechanism.terms[id];
  written.status = TermStatus::kReplaced;
  written.value = context.pool.add(std::move(forces));
  written.merged_into = whole;
  written.merged_ratio = context.pool.one();
  context.log.push_back(
      {"viscous friction", "(T + c|w|) sgn w = c w + T sgn w", "no inertia where it acts", entry});
}

}  // namespace

Mechanism viscous_friction(Mechanism mechanism, const ReductionContext& context) {
  ExprPool& pool = context.pool;
  const IdentityTest identity(pool, context.flat);
  const std::vector<char> massless = massless_coordinates(context, mechanism);
  for (const ForceTermId id : mechanism.terms.ids()) {
    ForceTerm& term = mechanism.terms[id];
    if (term.status != TermStatus::kActive || term.kind != TermKind::kFriction) continue;
    const Expr slip = to_expr(pool, term.argument, true);
    if (own_speed(context, massless, term, term.static_bound)) {
      term.static_bound = at_rest(context, identity, term.static_bound, slip);
    }
    if (!own_speed(context, massless, term, term.kinetic)) continue;
    const Expr kinetic = by_saturations(mechanism, context, identity, term.kinetic);
    ViscousPart part = viscous_part(context, identity, kinetic, slip);
    if (part.coefficient.empty()) continue;
    const Expr coefficient = pool.add(std::move(part.coefficient));
    if (!(value_of(context, coefficient) >= 0)) continue;
    split(mechanism, context, id, coefficient, pool.add(std::move(part.rest)));
  }
  return mechanism;
}

}  // namespace luztar
