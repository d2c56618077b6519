#include "compiler/mechanics/set_valued_errors.h"

#include <algorithm>
#include <string>

#include "compiler/mechanics/parameter_point.h"
#include "compiler/mechanics/part_names.h"
#include "compiler/symbolic/operations.h"

namespace luztar {

bool SetValuedErrors::has_varying_factor(Expr law) const {
  if (!law.valid() || pool_[law].op != Op::kMul) return false;
  const auto factors = pool_.args(law);
  const auto is_dry = [&](Expr f) { return pool_[f].op == Op::kDry; };
  return std::count_if(factors.begin(), factors.end(), is_dry) == 1 &&
         std::all_of(factors.begin(), factors.end(),
                     [&](Expr f) { return is_dry(f) || !is_set_valued(pool_, f); });
}

void SetValuedErrors::report(PartId part, Span span, Expr law) {
  if (has_varying_factor(law)) {
    errors_
        .error(Code::kSetValuedPlace, part, span,
               "a factor that varies stands before the dry friction of " + part_name(flat_, part))
        .with_note(
            "let it vary the friction itself: f*dryfriction(w, T, T) is dryfriction(w, f*T, "
            "f*T) as long as f is not negative");
    return;
  }
  if (law.valid() && (pool_[law].op == Op::kDry || pool_[law].op == Op::kStop)) {
    const bool stop = pool_[law].op == Op::kStop;
    if (stop &&
        !(is_parametric(pool_, pool_.arg(law, 1)) && is_parametric(pool_, pool_.arg(law, 2)))) {
      errors_
          .error(Code::kSetValuedPlace, part, span,
                 "the gap and the restitution of a hard stop follow from parameters alone")
          .with_note(
              "walls that move: let prescribed motions (Position) follow them, with a stop against "
              "each");
      return;
    }
    errors_
        .error(Code::kSetValuedPlace, part, span,
               stop
                   ? "the distance of this hard stop is more than a sum of positions and functions "
                     "of time"
                   : "the slip velocity of this dry friction is more than a sum of velocities and "
                     "functions of time")
        .with_note("against a signal: let a prescribed motion (" +
                   std::string(stop ? "Position" : "Speed") +
                   ") follow it, and connect the other side of the " +
                   (stop ? "stop" : "friction") + " to that");
    return;
  }
  errors_
      .error(Code::kSetValuedPlace, part, span,
             "dry friction and hard stops may only stand linearly in the law of a force or torque")
      .with_note(
          "at rest or in contact their value is whatever keeps the parts there, which only the "
          "balance of forces determines");
}

bool SetValuedErrors::has_known_bounds(Expr friction, PartId part, Span span) {
  for (const std::size_t bound : {1U, 2U}) {
    if (!is_set_valued(pool_, pool_.arg(friction, bound))) continue;
    errors_
        .error(Code::kSetValuedPlace, part, span,
               "how much this friction holds depends on the force of a friction or stop")
        .with_note(
            "at rest or in contact that is whatever keeps the parts there: let a "
            "Blocks.FirstOrder follow it");
    return false;
  }
  return true;
}

}  // namespace luztar
