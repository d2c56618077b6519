// What compiled Taylor coefficients may leave out. Includes LLVM headers: private to this folder.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/codegen/emitter.h"

namespace luztar {

/// What a step is for: the decision or the reserve of this friction alone; kNoIndex: others, too;
/// none: nothing.
using StepPurpose = std::optional<std::uint32_t>;

/// By step of the frame's chunk, which is all of a function with a short recurrence.
[[nodiscard]] std::vector<StepPurpose> purposes_of_steps(const Program& program,
                                                         const Frame& frame);

}  // namespace luztar
