#include "compiler/reduction/absent_forces.h"

#include <cmath>

#include "compiler/mechanics/part_names.h"
#include "compiler/reduction/nodes.h"

namespace luztar {

Mechanism absent_forces(Mechanism mechanism, const ReductionContext& context) {
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
    term.status = TermStatus::kReplaced;
    term.value = context.pool.zero();
    if (term.origin == TermKind::kFriction) term.mode = context.pool.zero();
  }
  return mechanism;
}

}  // namespace luztar
