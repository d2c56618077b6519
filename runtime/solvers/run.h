// What every solver reports about a run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/events/mode_history.h"

namespace luztar {

enum class StopReason : std::uint8_t {
  kDone,
  kNotFinite,      // a state became infinite or not a number
  kAssertion,      // an assertion of the model failed
  kEventStorm,     // events without end in one instant, or no consistent mode
  kNoEquilibrium,  // massless points are loaded with more than their frictions can hold
  kWeakAtRest,     // the static size of a friction is below the kinetic one
  kBlocked,        // prescribed motions close in on hard stops
};

struct EnergyReport {
  double stored_before = 0, stored = 0;  // [J], at the start and at the end
  double supplied = 0;                   // [J]
  std::vector<double> dissipated;        // [J], by System::dissipators
  double impacts = 0;                    // [J] lost at hard stops
  double turnover = 0;                   // [J]: what the residual has to be measured against

  [[nodiscard]] double total_dissipated() const;
  /// stored - stored_before + dissipated + impacts - supplied; zero but for the solver's error
  [[nodiscard]] double residual() const;
};

struct RunReport {
  StopReason reason = StopReason::kDone;
  double time = 0;                    // [s] reached
  std::size_t index = 0;              // of the state or assertion when the run stopped early
  std::vector<double> states, modes;  // of kNotFinite and kAssertion: at `time`, with mode slots
  /// Of kNotFinite: values are finite, but the motion has no Taylor series.
  bool no_series = false;
  /// Of kNotFinite, where an output is what has no value, and no state: which one, at `time`.
  std::optional<std::size_t> output;
  std::uint64_t steps = 0;
  /// Its rate of decay, and neither events nor the motion, has limited most steps of Taylor.
  std::optional<std::size_t> stiff_state;
  std::uint64_t events = 0;  // instants at which the mode changed
  std::vector<std::uint64_t>
      changes;  // by friction: number of stick-slip changes and reversals, or impacts
  std::vector<char> indeterminate;     // by friction: its force was not unique at times
  std::optional<EnergyReport> energy;  // where it was asked for
  std::vector<std::string> storm;      // what the events of a storm watch, or the part to blame
  std::vector<VisitedModes> visited;   // of a storm: what changed in the modes visited last
};

}  // namespace luztar
