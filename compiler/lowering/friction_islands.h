// Frictions that hold each other: their islands, modes and states.
#pragma once

#include "compiler/lowering/lowering.h"

namespace luztar {

/// Islands of frictions that act on each other, with contiguous numbers and slots for their modes.
void number_islands(Lowering& l);
/// Frictions on points that kernel B settles come after all others.
void add_settle_islands(Lowering& l);
/// Slip velocities that have to be exactly zero while they are held.
void number_slip_states(Lowering& l);
/// The expressions of all frictions and islands.
void write_frictions(Lowering& l);

/// The row of the slip velocity: of a stop, the rate of its distance.
[[nodiscard]] LinearForm velocity_of(Lowering& l, const ForceTerm& term);

}  // namespace luztar
