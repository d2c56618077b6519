// Extrapolation Euler with a numerical zero (P3 sec. 4), for reproducing the papers and for
// comparison.
#pragma once

#include <span>

#include "runtime/results/trajectory.h"
#include "runtime/solvers/run.h"
#include "runtime/system.h"

namespace luztar {

struct EulerOptions {
  double start = 0, stop = 1;  // [s]
  double interval = 0.01;      // [s] between rows
  double step = 1e-5;          // h [s]
  double zero = 1e-6;  // delta: a slip velocity as small as this counts as zero [rad/s, m/s]
};

/// Simulates with constant steps, x(t+h) = x(t) + h f(t, x, mode); first order in h.
///
/// The mode of a friction is decided at every step by the variable-structure form (R9): it is stuck
/// while |demand| <= T_S, where demand is the force that keeps the slip at zero. Three points
/// differ from P3, which holds |slip| <= delta for the whole condition:
///  * A friction reaches zero slip when the slip enters the band |w| <= delta or has changed its
///  sign within a step.
///    If |demand| <= T_S there, the residual slip is taken out exactly in the mass metric (x_i +=
///    -w*reaction_i) and it sticks. Without that, Euler jumps over the band and chatters around
///    zero with an amplitude of h*T/M.
///  * It breaks away in the direction of the demand as soon as |demand| > T_S, and T_K applies from
///  then on. With
///    luz(F, T_S) used all over the band, a friction with T_S > T_K would leave it late by a time
///    that goes with the square root of delta.
///  * After breakaway the band does not count until the slip has left it once.
///
/// Rows: at each instant of the grid, with the state on the polygon between the two Euler points
/// around it. Stops early, with the rows so far, when a state is not finite or an assertion fails
/// (checked at every step; the failing instant is the last row).
///   parameters: System::parameter_count values
[[nodiscard]] RunReport simulate_euler(const System& system, std::span<const double> parameters,
                                       const EulerOptions& options, RowSink& sink);

}  // namespace luztar
