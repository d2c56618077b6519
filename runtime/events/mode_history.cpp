#include "runtime/events/mode_history.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace luztar {
namespace {

/// Of -1, 0 and 1.
std::string one_of(double value, const char* below, const char* zero, const char* above) {
  return value < 0 ? below : value > 0 ? above : zero;
}

std::string zone_text(double zone) {
  return one_of(zone, "below the lower edge", "within the edges", "above the upper edge");
}

std::string switch_text(SwitchKind kind, double value) {
  switch (kind) {
    case SwitchKind::kZone:
      return zone_text(value);
    case SwitchKind::kSide:
      return one_of(value, "negative", "zero", "positive");
    case SwitchKind::kPositive:
      return value != 0 ? "positive" : "not positive";
    case SwitchKind::kNotNegative:
      return value != 0 ? "not negative" : "negative";
    case SwitchKind::kFloor:
      return "from " + std::to_string(std::lround(value)) + " on";
    case SwitchKind::kRoot:
      break;  // always the same
  }
  return {};
}

std::string friction_text(bool is_stop, const FrictionState& state) {
  if (is_stop) {
    if (state.contact == 0) return "open";
    return one_of(state.contact, "closed below", "", "closed above") +
           (state.at_bound != 0 ? " without force" : "");
  }
  if (state.free) return "without capacity";
  if (state.direction != 0) return one_of(state.direction, "slips backwards", "", "slips forwards");
  return one_of(state.at_bound, "sticks at the lower bound", "sticks", "sticks at the upper bound");
}

}  // namespace

void ModeHistory::note(const Modes& modes) {
  if (visited_.size() == kKept) visited_.erase(visited_.begin());
  visited_.push_back({modes.slots(), modes.frictions()});
}

std::vector<VisitedModes> ModeHistory::changing(const System& system) const {
  std::vector<VisitedModes> result;
  const auto add = [&](const std::string& name, auto text) {
    VisitedModes one{name, {}};
    for (const Visit& visit : visited_) one.modes.push_back(text(visit));
    const bool same = std::adjacent_find(one.modes.begin(), one.modes.end(),
                                         std::not_equal_to<>{}) == one.modes.end();
    if (!same) result.push_back(std::move(one));
  };
  for (std::size_t i = 0; i < system.frictions.size(); ++i) {
    const Friction& f = system.frictions[i];
    add(f.name, [&](const Visit& v) { return friction_text(f.stop != kNoIndex, v.frictions[i]); });
  }
  for (const SettleSpring& spring : system.settle_springs) {
    if (spring.zone_slot == kNoIndex) continue;
    add(spring.name, [&](const Visit& v) { return zone_text(v.slots[spring.zone_slot]); });
  }
  for (const Switch& s : system.switches) {
    add(s.name, [&](const Visit& v) { return switch_text(s.kind, v.slots[s.slot]); });
  }
  return result;
}

}  // namespace luztar
