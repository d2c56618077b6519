// The variables of a connector by their roles.
#pragma once

#include "compiler/semantics/elaboration.h"

namespace luztar {

/// Sorts the variables of a connector instance, also those in arrays, into potentials, flows and
/// signals; the first potential belongs to the first flow, and so on.
void sort_variables(Elaboration& elaboration, InstanceId connector);

}  // namespace luztar
