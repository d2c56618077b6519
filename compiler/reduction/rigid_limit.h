#pragma once

#include "compiler/reduction/reduction.h"

namespace luztar {

/// Springs of infinite stiffness without freeplay make two positions one.
///   when:   k = inf and half_freeplay = 0
///   ref:    P1 simplification 3, P4 (41)-(42)      cost: O(parts)
[[nodiscard]] Mechanism rigid_limit(Mechanism mechanism, const ReductionContext& context);

}  // namespace luztar
