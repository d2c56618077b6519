#include "compiler/reduction/absent_forces.h"

#include <cmath>
#include <cstdint>
#include <set>

#include "compiler/mechanics/part_names.h"
#include "compiler/reduction/nodes.h"
#include "compiler/symbolic/operations.h"

namespace luztar {

namespace {

/// A capacity that is made of the force of an absent damper does not depend on the speed.
void leave_out(const ReductionContext& context, Mechanism& mechanism,
               const std::set<std::uint32_t>& parameters) {
  const SymbolMap absent = [&](Symbol s) {
    const bool is_absent = s.kind == SymbolKind::kParameter && parameters.contains(s.index);
    return is_absent ? context.pool.zero() : Expr{};
  };
  const auto is_speed = [](Symbol s) { return s.kind == SymbolKind::kVelocity; };
  for (ForceTerm& term : mechanism.terms) {
    if (term.status != TermStatus::kActive || term.kind != TermKind::kFriction) continue;
    for (Expr* bound : {&term.kinetic, &term.static_bound}) {
      if (depends_on(context.pool, *bound, is_speed)) {
        *bound = substitute(context.pool, *bound, absent);
      }
    }
  }
}

}  // namespace

Mechanism absent_forces(Mechanism mechanism, const ReductionContext& context) {
  std::set<std::uint32_t> dampings;  // of absent dampers
  for (ForceTerm& term : mechanism.terms) {
    if (term.status != TermStatus::kActive || term.kind == TermKind::kLoad) continue;
    bool absent = false, infinite = false;
    if (term.kind == TermKind::kFriction) {
      const double kinetic = value_of(context, term.kinetic);
      const double bound = value_of(context, term.static_bound);
      absent = kinetic == 0 && bound == 0;
      infinite = std::isinf(kinetic) || std::isinf(bound);
    } else {
      const double coefficient = value_of(context, term.coefficient);
      const bool has_play = term.kind == TermKind::kSpring || term.kind == TermKind::kStop;
      absent = coefficient == 0 || (has_play && std::isinf(value_of(context, term.half_freeplay)));
      infinite = term.kind == TermKind::kDamper && std::isinf(coefficient);
    }
    if (infinite) {
      part_error(context.diagnostics, context.flat, Code::kInfiniteFriction, term.part, term.span,
                 "the " + std::string(term.kind == TermKind::kDamper ? "damping" : "friction") +
                     " of '" + term.name + "' is infinite")
          .with_note("join the flanges by a spring with k = inf to make the connection rigid");
    }
    if (!absent) continue;
    if (term.kind == TermKind::kDamper && context.pool.is_symbol(term.coefficient)) {
      dampings.insert(context.pool[term.coefficient].symbol.index);
    }
    term.status = TermStatus::kReplaced;
    term.value = context.pool.zero();
    if (term.origin == TermKind::kFriction) term.mode = context.pool.zero();
  }
  if (!dampings.empty()) leave_out(context, mechanism, dampings);
  return mechanism;
}

}  // namespace luztar
