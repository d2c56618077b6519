#pragma once

#include "compiler/reduction/reduction.h"

namespace luztar {

/// Drops springs, dampers and frictions of size zero.
///   when:   k = 0, d = 0, kinetic = static = 0
///   errors: LT4006 damping or friction of infinite size
///   ref:    -      cost: O(parts)
[[nodiscard]] Mechanism absent_forces(Mechanism mechanism, const ReductionContext& context);

}  // namespace luztar
