#pragma once

#include "compiler/reduction/reduction.h"

namespace luztar {

/// Two springs that meet at a massless, unloaded node become one, chain after chain.
///   when:   a massless node with exactly two springs and nothing else; a hard stop beside a spring
///           is one, with play and k = inf: the node has no momentum, there is no impact. Two hard
///           stops between bodies with inertia become one where both have e = 0, or both e = 1
///   errors: -
///   ref:    R6, P1 simplification 2, P4 (43)-(47)      cost: O(parts)
[[nodiscard]] Mechanism series_freeplay(Mechanism mechanism, const ReductionContext& context);

}  // namespace luztar
