// Frictions whose size depends on the motion.
#pragma once

#include "compiler/lowering/lowering.h"

namespace luztar {

/// Asserts of every dry friction as written that its sizes, kinetic and static, are not negative
/// during the run: it would drive. Those that cannot be, by their form, need no assertion.
///   pre: the flows are solved
void watch_friction_bounds(Lowering& l);

}  // namespace luztar
