// Hard stops that no force can hold.
#pragma once

#include "compiler/lowering/lowering.h"

namespace luztar {

/// Adds an assertion for each hard stop between motions that are all prescribed or fixed: its gap
/// must not become negative, as nothing there could give way.
void watch_prescribed_stops(Lowering& l);

}  // namespace luztar
