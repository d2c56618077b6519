#pragma once

#include "compiler/reduction/reduction.h"

namespace luztar {

/// Frictions of massless bodies that vary with speed: along lines up to a speed V0, and are
/// constant beyond, or fall exponentially. Where one falls by more than the damping rises no slip
/// lasts without inertia: from rest it jumps beyond that, and at its end comes to rest. Without
/// damping an exponential one falls so at all speeds.
///   when:   kinetic = T_0 - N sum_i f_i nas(|w|, V_i) in the slip velocity w, V0 = max V_i; or
///           kinetic = T_K + (T_0 - T_K) exp(-|w|/V_s);  f_i, V_i and V_s over parameters, T_0, N
///           and T_K any that do not depend on w
///   post:   such a friction has `rest_speed` V0, or infinity, T_0 `at_rest`, and as its kinetic
///           bound what is beyond; `falls` and `least_fall`, which must be positive where its body
///           has no damping, or `decay`
///   errors: LT4007 when the friction depends on the speed of a massless body in another way
///   ref:    P3 (Stribeck, piecewise linear) in the limit M -> 0      cost: O(parts)
[[nodiscard]] Mechanism falling_friction(Mechanism mechanism, const ReductionContext& context);

}  // namespace luztar
