#pragma once

#include "compiler/reduction/reduction.h"

namespace luztar {

/// Dry frictions with the same slip velocity (up to a constant factor) become one.
///   when:   the slip rows of two frictions are proportional
///   errors: -
///   ref:    R5, P2 sec. 2      cost: O(parts)
[[nodiscard]] Mechanism parallel_friction(Mechanism mechanism, const ReductionContext& context);

}  // namespace luztar
