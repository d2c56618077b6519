#pragma once

#include "compiler/reduction/reduction.h"

namespace luztar {

/// Loads that are springs of one side store energy: max(x, 0) or min(x, 0), or x in one branch of
/// an `if` on its sign and 0 in the other, acting along the deflection that x is proportional to.
/// So does a constant force on what a spring of its part acts on.
///   post: these have an energy, of which their force is the derivative
///   cost: linear in the terms, but for springs of one part
[[nodiscard]] Table<ForceTermId, ForceTerm> stored_loads(Table<ForceTermId, ForceTerm> terms,
                                                         const ReductionContext& context);

}  // namespace luztar
