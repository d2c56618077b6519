// The modes that an instant without end of events goes through, for its diagnosis.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "runtime/events/modes.h"
#include "runtime/system.h"

namespace luztar {

/// What a switch, friction or spring was in a row of modes, in turn: "sticks", "slips forwards".
struct VisitedModes {
  std::string name;
  std::vector<std::string> modes;
};

class ModeHistory {
 public:
  /// As many modes as are kept.
  static constexpr std::size_t kKept = 6;

  void clear() { visited_.clear(); }
  void note(const Modes& modes);
  /// Those that were not the same in all modes kept.
  [[nodiscard]] std::vector<VisitedModes> changing(const System& system) const;

 private:
  struct Visit {
    std::vector<double> slots;
    std::vector<FrictionState> frictions;
  };
  std::vector<Visit> visited_;
};

}  // namespace luztar
