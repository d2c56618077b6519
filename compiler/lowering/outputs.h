// Results: variables, modes and zones, energies, assertions.
#pragma once

#include "compiler/lowering/lowering.h"

namespace luztar {

/// Every variable of the flat model, modes of frictions and zones of freeplays.
void write_outputs(Lowering& l);
void write_assertions(Lowering& l);
void write_energy(Lowering& l);

}  // namespace luztar
