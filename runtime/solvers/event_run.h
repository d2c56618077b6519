// A run of a solver that stops at events: what does not depend on how it steps in between.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/events/events.h"
#include "runtime/events/modes.h"
#include "runtime/results/trajectory.h"
#include "runtime/solvers/expansion.h"
#include "runtime/solvers/output_grid.h"
#include "runtime/solvers/recorder.h"
#include "runtime/solvers/steps_along_rates.h"
#include "runtime/system.h"

namespace luztar {

struct EventRunSettings {
  std::int64_t order = 12;    // of the expansions that decide modes
  bool event_rows = true;     // two rows at each event, before and after
  double resolution = 1e-14;  // events this near, relative to the time, are in one instant
  bool energy = false;        // rows end with the columns of EnergyAudit
};

class EventRun {
 public:
  EventRun(const System& system, std::span<const double> parameters, const OutputGrid& grid,
           const EventRunSettings& settings, RowSink& sink);

  /// Decides the modes at the start. False when the run has to stop.
  [[nodiscard]] bool begin(double t);
  /// Something ends the mode with the present step.
  [[nodiscard]] bool has_event() const { return !fired.empty() || lets_go; }
  void clear_event() {
    fired.clear();
    lets_go = false;
  }
  /// The event at (t, x), with its rows. False when the run has to stop.
  [[nodiscard]] bool pass_event(double t);
  /// A step along rates has begun where no series told what a switch does.
  [[nodiscard]] bool lacked_series() { return along_rates.any() && events.lacks_series(); }
  /// Decides again what only rounding has decided so far. False when the run has to stop.
  [[nodiscard]] bool decide_again(double t);
  /// Rows of the grid within a step that ends at `end`, as in Recorder. Of an event in the instant
  /// of a row, the row has the values before, or is left to the two rows of the event.
  template <class Remaining, class States>
  void put_grid_rows(double end, Remaining remaining, States states);
  [[nodiscard]] bool assertions_hold(double t) { return recorder.assertions_hold(t, x); }
  /// Expands about (t, x) in the present mode.
  void expand(double t) {
    expansion.expand(t, x, modes.constants(), events.margins(), events.pulls());
  }
  void note_peaks() { expansion.note_peaks(x); }
  /// Stops because the states grow without bound, after `expand`.
  void report_growth();
  /// Stops because the run does not come on: by the last of many events, if there have been any.
  void report_stall();
  /// The last row, of the instant t, and the report.
  [[nodiscard]] RunReport finish(double t);

  const System& system;
  std::vector<double> x;
  Modes modes;
  Expansion expansion;
  EventEngine events;
  Recorder recorder;
  std::vector<FiredMargin> fired;  // what ends the mode with the present step: margins, or ...
  bool lets_go = false;            // ... a pull alone
  StepsAlongRates along_rates;

 private:
  void note_changes(bool count);
  bool report_no_mode(double t);
  [[nodiscard]] std::vector<std::string> names_of_event() const;

  EventRunSettings settings_;
  std::vector<std::int8_t> directions_;
  int storm_ = 0;                        // events in this instant
  int provisional_ = 0;                  // events in a row whose mode is (see EventEngine)
  ModeHistory history_;                  // of a storm
  double last_event_ = 0;                // [s]
  std::vector<std::string> near_event_;  // the last one that has been near another
  std::optional<double> event_row_;      // [s] of the last row after an event
};

template <class Remaining, class States>
void EventRun::put_grid_rows(double end, Remaining remaining, States states) {
  const double same = settings_.resolution * std::fabs(end);
  recorder.put_grid_rows(
      end, has_event() && settings_.event_rows,
      [&](double t) {
        const double rest = remaining(t);
        return std::fabs(rest) <= same ? 0 : rest;
      },
      states);
}

}  // namespace luztar
