// Start values that the mechanism has no state for.
#pragma once

#include "compiler/lowering/lowering.h"

namespace luztar {

/// LT5001: start values beyond a hard stop, or that contradict those of rigidly connected parts.
void check_starts(Lowering& l);

}  // namespace luztar
