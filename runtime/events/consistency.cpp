// Whether a mode fits what follows from it.
#include <algorithm>
#include <cmath>

#include "runtime/events/events.h"

namespace luztar {

// Two modes follow from each other.
bool EventEngine::is_cycle() const {
  const std::size_t rounds = decided_states_.size();
  return rounds >= 3 && decided_states_[rounds - 1] == decided_states_[rounds - 3];
}

// These differ in whether forces that are at their bounds stay there: what tells is rounding, as a
// coefficient that leads away would do so in both. True in the one in which they stay, where no
// margin at zero is watched.
bool EventEngine::is_tie() const {
  const std::vector<FrictionState>& now = decided_states_.back();
  const std::vector<FrictionState>& other = decided_states_[decided_states_.size() - 2];
  for (std::size_t i = 0; i < now.size(); ++i) {
    FrictionState loose = other[i];
    loose.at_bound = now[i].at_bound;
    if (loose != now[i] || (now[i] != other[i] && now[i].at_bound == 0)) return false;
  }
  return true;
}

// The sign of the first coefficient that is more than the error of an event, from that of order
// `zeros` on; 0 for none.
int EventEngine::sign_that_tells(std::uint32_t row, std::uint32_t zeros) {
  for (std::int64_t k = zeros; k <= J_.highest(); ++k) {
    const double value = J_.at(k, row);
    if (std::fabs(value) > kJump * J_.size(k, row)) return value > 0 ? 1 : -1;
  }
  return 0;
}

// What the friction does in the present mode is not against what follows from that.
bool EventEngine::fits(std::uint32_t i) {
  const Friction& f = system_.frictions[i];
  const FrictionState& state = modes_.friction(i);
  if (state.at_bound != 0) return true;
  if (state.free) return f.stop != kNoIndex || sign_that_tells(f.kinetic_row, 0) <= 0;
  if (f.stop != kNoIndex) {
    return sign_that_tells(state.contact > 0 ? f.reserve_row : f.reserve_row + 1, 0) >= 0;
  }
  if (state.direction != 0) return state.direction * sign_that_tells(f.slip_row, zeros_[i]) >= 0;
  const auto [below, above] = zeros_of_reserves(i);
  return sign_that_tells(f.reserve_row, below) >= 0 &&
         sign_that_tells(f.reserve_row + 1, above) >= 0;
}

bool EventEngine::fits() {
  for (std::uint32_t i = 0; i < system_.frictions.size(); ++i) {
    if (!fits(i)) return false;
  }
  return true;
}

// In series the mode and its decision follow forces by formulas of their own, with the rounding of
// gears of almost equal ratios: a force that goes beyond its bound says that they disagree.
bool EventEngine::holds_within_bounds() {
  constexpr double kBeyond = 1e-6;
  constexpr double kDust = 1e-12;  // of the bound, in the time so far: terms that are rounding, too
  const auto exceeds = [&](std::uint32_t row, std::uint32_t zeros, double most) {
    const std::int64_t last = std::min<std::int64_t>(zeros, J_.highest());
    for (std::int64_t k = 0; k <= last; ++k) {
      // Zeros may have terms that are rounding themselves, and constants that cancel are no terms.
      const double size = std::max(J_.size(k, row), J_.size(last, row));
      const double own = k == 0 ? kBeyond * most : kDust * most / std::pow(std::fabs(instant_), k);
      if (J_.at(k, row) < -std::max(kBeyond * size, std::isfinite(own) ? own : 0)) return true;
    }
    return false;
  };
  const auto check = [&](std::uint32_t first, std::uint32_t count) {
    for (std::uint32_t i = first; i < first + count; ++i) {
      const Friction& f = system_.frictions[i];
      const FrictionState& state = modes_.friction(i);
      if (f.stop != kNoIndex || state.direction != 0 || state.free || state.at_bound != 0) continue;
      const auto [below, above] = zeros_of_reserves(i);
      const double most = std::fabs(J_[f.reserve_row] + J_[f.reserve_row + 1]) / 2;
      if (exceeds(f.reserve_row, below, most) || exceeds(f.reserve_row + 1, above, most)) {
        unsettled_ = {f.name};
        return false;
      }
    }
    return true;
  };
  for (const FrictionIsland& island : system_.islands) {
    if (island.bound && !check(island.first, island.count)) return false;
  }
  for (const SettleIsland& island : system_.settle_islands) {
    if (island.bound && !check(island.first_friction, island.frictions)) return false;
  }
  return true;
}

}  // namespace luztar
