#pragma once

#include "compiler/reduction/reduction.h"

namespace luztar {

/// A friction of a massless body that grows with the speed w of its slip is a dry one beside a
/// damper: (T + c|w|) sgn(w) = T sgn(w) + c w. What holds it is its static bound at rest.
///   when:   kinetic = T + c|w| + sum_i c_i luz(|w|, V_i), or c_i max(|w| - V_i, 0); c, c_i and V_i
///   over
///           parameters, c + sum c_i >= 0; T may vary with w in ways that later passes take
///   post:   the friction has the mode of one with the kinetic bound T - sum c_i min(|w|, V_i), and
///   the
///           force of that and of a damper c + sum c_i
///   errors: -
///   ref:    P3 (Stribeck's and viscous friction); R5 for what acts on one slip      cost: O(parts)
[[nodiscard]] Mechanism viscous_friction(Mechanism mechanism, const ReductionContext& context);

}  // namespace luztar
