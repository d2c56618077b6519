// CVODE of SUNDIALS between events: a solver to check the Taylor solver by, and for stiff models.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/results/trajectory.h"
#include "runtime/solvers/run.h"
#include "runtime/system.h"

namespace luztar {

enum class CvodeMethod : std::uint8_t {
  kBdf,    // stiff: orders 1 to 5, Newton iteration
  kAdams,  // not stiff: orders 1 to 12, fixed-point iteration
};

struct CvodeOptions {
  double start = 0, stop = 1;  // [s]
  double interval = 0.01;      // [s] between rows
  double tolerance = 1e-9;     // of a step, relative to the greatest value of each state so far
  bool event_rows = true;      // two rows at each event, before and after
  CvodeMethod method = CvodeMethod::kBdf;
  bool energy = false;  // rows end with the columns of EnergyAudit
};

/// CVODE cannot keep to a smaller tolerance than this: rounding.
inline constexpr double kLeastCvodeTolerance = 1e-13;

/// Simulates with the linear multistep formulas of CVODE (Hindmarsh et al. 2005). In a step, which
/// is not above 1/1000 of the run, the mode is fixed; events are sign changes of the margins
/// between its ends, and where a margin by its values and rates there is below zero in between:
/// what a cubic does not show goes unseen. The first step after an event is a short one along the
/// Taylor polynomials, which takes the margins off zero.
///
/// Rows and early stops as in `simulate_taylor`; a run that CVODE gives up stops as not finite.
///   parameters: System::parameter_count values; tolerance in [kLeastCvodeTolerance, 1)
[[nodiscard]] RunReport simulate_cvode(const System& system, std::span<const double> parameters,
                                       const CvodeOptions& options, RowSink& sink);

}  // namespace luztar
