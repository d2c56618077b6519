// The explicit system inside one mode.
#pragma once

#include "compiler/lowering/lowering.h"

namespace luztar {

/// Edges become switches: first those that the motion depends on, then those of results and
/// assertions alone.
void write_in_modes(Lowering& l);

}  // namespace luztar
