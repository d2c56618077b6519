// Trajectories as comma-separated values (RFC 4180).
#pragma once

#include "runtime/results/blocks.h"
#include "runtime/results/trajectory.h"

namespace luztar {

/// First line the quoted column names, "time" first; then one line for each row. Numbers have a
/// decimal point and the fewest digits that read back to the same double; modes and zones are
/// integers; lines end in \n.
void write_csv(const Trajectory& trajectory, const BlockSink& sink);

}  // namespace luztar
