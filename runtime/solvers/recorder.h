// What every solver writes and reports: rows, assertions, why a run stopped.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runtime/events/modes.h"
#include "runtime/results/trajectory.h"
#include "runtime/solvers/energy_audit.h"
#include "runtime/solvers/output_grid.h"
#include "runtime/solvers/run.h"
#include "runtime/system.h"

namespace luztar {

class Recorder {
 public:
  /// All references outlive the recorder. start <= stop, interval > 0 [s]
  /// `energy`: rows end with the columns of EnergyAudit; ignored where System::energy is null.
  Recorder(const System& system, const Modes& modes, RowSink& sink, const OutputGrid& grid,
           bool energy = false);

  /// The run begins, in the mode of the start, which has made x of the initial states `before`.
  ///   impulse_work: of prescribed motions by the impulses of the instant [J]
  void begin(double t, std::span<const double> before, std::span<const double> x,
             double impulse_work);
  /// An event has changed the mode at (t, x).
  void note_event(double t, std::span<const double> x, double impulse_work);

  void put_row(double t, std::span<const double> x);
  /// Rows of the grid within a step that ends at `end`, except the last instant of all, which ends
  /// the run; and its energies.
  ///   remaining(t): time from t to the end of the step [s], negative beyond it
  ///   states(t, x): puts the states at t into x
  ///   open:         the instant at the end of the step does not belong to it
  template <class Remaining, class States>
  void put_grid_rows(double end, bool open, Remaining remaining, States states);
  /// Leaves out the rows of the grid up to t.
  void skip_rows(double t);

  /// False when an assertion fails at (t, x), or an output had no value; the report then names it.
  [[nodiscard]] bool assertions_hold(double t, std::span<const double> x);
  /// False when an output is infinite or not a number: the report then names it, and there is a
  /// row.
  [[nodiscard]] bool has_values(double t, std::span<const double> x);
  /// False when a state is infinite or not a number; the report then names it.
  [[nodiscard]] bool all_finite(std::span<const double> x);
  /// The run stops because this state grows without bound or has no rate.
  void stop_not_finite(std::span<const double> x, std::size_t state);

  RunReport report;

 private:
  void evaluate_outputs(double t, std::span<const double> x);
  void note_outputs(double t);
  void set_row(std::uint64_t row) {
    row_ = row;
    row_time_ = grid_.time(row);
  }

  const System& system_;
  const Modes& modes_;
  RowSink& sink_;
  OutputGrid grid_;
  std::uint64_t row_ = 0;  // next of the grid
  double row_time_;        // [s] of it
  std::vector<double> point_, outputs_, holds_;
  std::optional<EnergyAudit> audit_;
};

template <class Remaining, class States>
void Recorder::put_grid_rows(double end, bool open, Remaining remaining, States states) {
  for (; row_ + 1 < grid_.size(); set_row(row_ + 1)) {
    const double t = row_time_;
    const double rest = remaining(t);
    if (rest < 0 || (rest == 0 && open)) break;
    if (audit_) audit_->advance(t, states);
    states(t, point_);
    put_row(t, point_);
    if (report.reason == StopReason::kNotFinite) return;
  }
  if (audit_) audit_->advance(end, states);
}

}  // namespace luztar
