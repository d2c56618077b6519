#pragma once

#include "compiler/reduction/reduction.h"

namespace luztar {

/// A massless node between linear springs follows its neighbours: its position is a linear function
/// of theirs.
///   when:   a massless node with linear springs and nothing else
///   errors: -
///   ref:    P1 simplification 3 (R6 without freeplay)      cost: O(parts)
[[nodiscard]] Mechanism linear_node(Mechanism mechanism, const ReductionContext& context);

}  // namespace luztar
