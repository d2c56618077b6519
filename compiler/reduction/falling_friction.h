#pragma once

#include "compiler/reduction/reduction.h"

namespace luztar {

/// Frictions of massless bodies that fall along lines to a speed V0 and are constant beyond. On
/// the lines no slip lasts without inertia: from rest it jumps beyond V0, and at V0 it comes to
/// rest.
///   when:   kinetic = T_0 - N sum_i f_i nas(|w|, V_i) in the slip velocity w, which falls up to
///           V0 = max V_i; f_i and V_i over parameters, T_0 and N any that do not depend on w
///   post:   such a friction has `rest_speed` V0, T_0 `at_rest`, and as its kinetic bound what is
///           beyond
///   errors: LT4007 when the friction depends on the speed of a massless body in another way
///   ref:    P3 (Stribeck, piecewise linear) in the limit M -> 0      cost: O(parts)
[[nodiscard]] Mechanism falling_friction(Mechanism mechanism, const ReductionContext& context);

}  // namespace luztar
