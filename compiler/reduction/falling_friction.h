#pragma once

#include "compiler/reduction/reduction.h"

namespace luztar {

/// Frictions of massless bodies that fall along a line to a speed V0 and are constant beyond. On
/// the line no slip lasts without inertia: from rest it jumps beyond V0, and at V0 it comes to
/// rest.
///   when:   kinetic = T_0 - (T_0 - T_K) nas(|w|, V0)/V0 in the slip velocity w, T_0 > T_K
///   post:   such a friction has `rest_speed` V0, and T_K as its kinetic bound
///   errors: LT4007 when the friction depends on the speed of a massless body in another way
///   ref:    P3 (Stribeck, piecewise linear) in the limit M -> 0      cost: O(parts)
[[nodiscard]] Mechanism falling_friction(Mechanism mechanism, const ReductionContext& context);

}  // namespace luztar
