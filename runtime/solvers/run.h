// What every solver reports about a run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace luztar {

enum class StopReason : std::uint8_t {
  kDone,
  kNotFinite,   // a state became infinite or not a number
  kAssertion,   // an assertion of the model failed
  kEventStorm,  // events without end in one instant, or no consistent mode
};

struct RunReport {
  StopReason reason = StopReason::kDone;
  double time = 0;        // [s] reached
  std::size_t index = 0;  // of the state or assertion when the run stopped early
  std::uint64_t steps = 0;
  std::uint64_t events = 0;  // instants at which the mode changed
  std::vector<std::uint64_t>
      changes;  // by friction: number of stick-slip changes and reversals, or impacts
  std::vector<char> indeterminate;  // by friction: its force was not unique at times
  std::vector<std::string> storm;   // what the events of a storm watch
};

}  // namespace luztar
