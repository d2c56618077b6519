// Loops of dry frictions, along which forces may change without a motion.
#pragma once

#include <vector>

#include "compiler/reduction/reduction.h"

namespace luztar {

/// By force term: 1 for an active friction whose slip depends linearly on those of others with
/// slips that are no multiples of it.
///   cost: of an elimination in the sparse slip rows, linear in the parts for chains and trees
[[nodiscard]] std::vector<char> frictions_in_loops(const Mechanism& mechanism,
                                                   const ReductionContext& context);

}  // namespace luztar
