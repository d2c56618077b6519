#pragma once

#include "compiler/reduction/reduction.h"

namespace luztar {

/// A massless node with damping moves with the velocity that its friction and damping allow under
/// the load.
///   when:   a massless node with damping and at most one friction, without a higher static bound,
///           whose neighbours on dampers and frictions have inertia
///   ref:    R8, P1 simplification 1, P4 (39), P5 (44)      cost: O(parts)
[[nodiscard]] Mechanism massless_creep(Mechanism mechanism, const ReductionContext& context);

}  // namespace luztar
