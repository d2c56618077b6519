#pragma once

#include "compiler/reduction/reduction.h"

namespace luztar {

/// A massless node between linear springs follows its neighbours: its position is a linear function
/// of theirs. Where the neighbours move by themselves it is defined by them, together with other
/// such nodes it hangs together with; otherwise it is put into the springs, so that those of its
/// neighbours that are massless can be taken by further rules.
///   when:   massless nodes with linear springs and nothing else; loads too where several hang
///           together
///   errors: -
///   ref:    P1 simplification 3 (R6 without freeplay)
///   cost:   O(parts) where massless neighbours form trees or small meshes
[[nodiscard]] Mechanism linear_node(Mechanism mechanism, const ReductionContext& context);

}  // namespace luztar
