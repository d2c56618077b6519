// Laws of forces that determine nothing.
#pragma once

#include "compiler/lowering/lowering.h"

namespace luztar {

/// Every law of forces must hold in the motion that was found. One that does not is one too many,
/// or a constraint for which the model has no force: evaluated at random states, while everything
/// slips forwards.
void check_flows(Lowering& l);

}  // namespace luztar
