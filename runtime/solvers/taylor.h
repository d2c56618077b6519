// Taylor series of variable order and step, with exact events: the default solver.
#pragma once

#include <span>

#include "runtime/results/trajectory.h"
#include "runtime/solvers/run.h"
#include "runtime/system.h"

namespace luztar {

struct TaylorOptions {
  double start = 0, stop = 1;  // [s]
  double interval = 0.01;      // [s] between rows
  double tolerance = 1e-9;     // of a step, relative to the greatest value of each state so far
  bool event_rows = true;      // two rows at each event, before and after
  bool energy = false;         // rows end with the columns of EnergyAudit
};

/// The order that goes farthest for its cost: with a radius of convergence r the step is
/// r*tolerance^(1/p) at the order p (Jorba & Zou 2005, sec. 3.1). Never a low one: near the start,
/// and right after events, low orders need many more steps. Nor a very high one: in long steps the
/// terms of an oscillation cancel to an error that exceeds any tolerance.
///
/// The highest of a run: steps that end at an event, or at the end, take a lower one where it does.
[[nodiscard]] std::int64_t taylor_order(const System& system, double tolerance);

/// Simulates with Taylor polynomials of the states (Jorba & Zou 2005): order and step follow from
/// the tolerance. In a step the mode is fixed; the step ends at the first root of a margin, found
/// with a certificate on its polynomial, or earlier.
///
/// Rows: at each instant of the grid, from the polynomials, and at events. Stops early, with the
/// rows so far, when a state grows without bound, an assertion fails or events pile up.
///   parameters: System::parameter_count values; tolerance in (0, 1)
[[nodiscard]] RunReport simulate_taylor(const System& system, std::span<const double> parameters,
                                        const TaylorOptions& options, RowSink& sink);

}  // namespace luztar
