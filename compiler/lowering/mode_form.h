// The explicit system inside one mode.
#pragma once

#include "compiler/lowering/lowering.h"

namespace luztar {

/// Edges that the motion depends on become switches; results and assertions follow them.
void write_in_modes(Lowering& l);

}  // namespace luztar
