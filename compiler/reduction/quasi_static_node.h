#pragma once

#include "compiler/reduction/reduction.h"

namespace luztar {

/// A massless node held by linear springs and one freeplay spring follows from the balance of
/// forces.
///   when:   a massless node without friction and damping, whose neighbours have inertia or creep;
///           the freeplay spring may soften if the linear ones outweigh it
///   errors: -
///   ref:    R6, P4 (40)-(45)      cost: O(parts)
[[nodiscard]] Mechanism quasi_static_node(Mechanism mechanism, const ReductionContext& context);

}  // namespace luztar
