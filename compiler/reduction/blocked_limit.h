#pragma once

#include "compiler/reduction/reduction.h"

namespace luztar {

/// Bodies of infinite inertia stand still (or move on with their start velocity).
///   when:   the inertia of a coordinate is infinite
///   ref:    P2 sec. 3 and 4 (1)-(2), P5 note 4      cost: O(parts)
[[nodiscard]] Mechanism blocked_limit(Mechanism mechanism, const ReductionContext& context);

}  // namespace luztar
