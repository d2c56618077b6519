// The rounds of decisions at one instant: switches, massless points and frictions in turn, until
// none changes any more.
#include <algorithm>
#include <cmath>
#include <vector>

#include "runtime/events/events.h"
#include "runtime/pwl/box_minimum.h"

namespace luztar {

// One that is held at its bound, or has no capacity, stays so as long as the coefficients of the
// mode say so: those beyond the edge of a zone may say otherwise. It has no margin that would tell.
// Nor has a sign of what is zero throughout a mode.
bool EventEngine::some_undecided() const {
  for (std::uint32_t i = 0; i < motion_switches_; ++i) {
    if (system_.switches[i].kind == SwitchKind::kSide && modes_.value(i) == 0) return true;
  }
  for (std::uint32_t i = 0; i < hints_.size(); ++i) {
    const FrictionState& state = modes_.friction(i);
    if (state.at_bound != 0 || lacks_capacity(i)) return true;
  }
  return false;
}

bool EventEngine::rests_on_rounding() const {
  if (is_provisional()) return true;
  for (std::size_t i = 0; i < hints_.size(); ++i) {
    if (modes_.is_undecided(i)) return true;
  }
  return false;
}

bool EventEngine::needs_decision(const FrictionIsland& island) const {
  // Forces within their bounds may leave a slip: between bodies with inertia where frictions are in
  // series, and against a prescribed motion where others hold, too.
  if (island.bound || !island.snapping.empty() || (island.count > 1 && is_driven(system_, island)))
    return true;
  for (std::uint32_t i = island.first; i < island.first + island.count; ++i) {
    if (hints_[i].at_bound != 0 || (hit_[i] != 0 && system_.frictions[i].creep)) return true;
    const FrictionState& state = modes_.friction(i);
    if (lacks_capacity(i)) return true;
    if (!hints_[i].at_rest) continue;
    const std::uint32_t row = system_.frictions[i].reserve_row;
    if (state.contact != 0) {
      if (state.at_bound != 0 || J_[state.contact > 0 ? row : row + 1] < 0) return true;
      continue;
    }
    if (state.direction != 0 || state.at_bound != 0 || state.free) return true;
    if (J_[row] < 0 || J_[row + 1] < 0) return true;
  }
  return false;
}

// T_S >= T_K of those at rest that give way, where the two have signals of their own: one that
// breaks away at T_S would be stopped by T_K at once.
bool EventEngine::static_bounds_suffice() {
  constexpr double kRounding = 1e-9;  // of different formulas for one size
  for (std::uint32_t i = 0; i < system_.frictions.size(); ++i) {
    const Friction& f = system_.frictions[i];
    if (modes_.friction(i).direction != 0 || f.stop != kNoIndex) continue;
    const double below = J_[f.reserve_row], above = J_[f.reserve_row + 1];
    if (hints_[i].at_bound == 0 && below >= 0 && above >= 0) continue;
    const double most = std::max((below + above) / 2, 0.0);
    const std::uint32_t kinetic_row = f.at_rest_row != kNoIndex ? f.at_rest_row : f.kinetic_row;
    const double excess = std::max(J_[kinetic_row], 0.0) - most;  // below zero: errors of steps
    if (excess <= kRounding * most) continue;
    if (excess <= kRounding * (J_.size(0, kinetic_row) + J_.size(0, f.reserve_row))) continue;
    const double instant =
        J_.rounding_of_instant(0, kinetic_row) + J_.rounding_of_instant(0, f.reserve_row);
    if (excess <= instant) continue;
    weak_at_rest_ = f.name;
    return false;
  }
  return true;
}

void EventEngine::note_round(int round) {
  if (round + static_cast<int>(ModeHistory::kKept) >= kRounds) history_.note(modes_);
}

// Equal bounds of frictions that fall, which forces come to together, may leave no order in which
// these give way: a share that is hardly more than what is at its bound anyway tells them apart.
bool EventEngine::settle(double t, std::span<double> x) {
  constexpr double kShare = 10 * kReachesBound;
  bool ends = true;
  if (!snaps_) return settle_rounds(t, x, ends);
  const std::vector<FrictionState> before = modes_.frictions();
  const std::vector<FrictionHint> hints = hints_;
  if (settle_rounds(t, x, ends)) return true;
  if (ends) return false;
  for (std::uint32_t i = 0; i < hints_.size(); ++i) modes_.set_friction(i, before[i]);
  modes_.apply();
  hints_ = hints;
  modes_.set_tie_break(kShare);
  const bool good = settle_rounds(t, x, ends);
  modes_.set_tie_break(0);
  return good;
}

// Frictions and switches in turn, until neither changes any more.
//   ends   false when they go on and on
bool EventEngine::settle_rounds(double t, std::span<double> x, bool& ends) {
  ends = true;
  std::fill(zeros_.begin(), zeros_.end(), 0);
  modes_.forget_decisions();
  decided_states_.clear();
  history_.clear();
  if (!leave_folds(t, x)) return false;
  for (int round = 0; round < kRounds; ++round) {
    if (!follow_switches(t, x)) return false;
    if (round == 0 && !static_bounds_suffice()) return false;
    if (!settle_points()) return false;
    // Points that jump push other bodies from then on, which may drive them in turn.
    const bool points_moved = modes_.apply();
    if (points_moved && !follow_switches(t, x)) return false;
    if (round == 0) follow_jumps(x);
    decided_.clear();
    const bool lacked = any_lacks_capacity();
    // So do damped massless bodies, whose speeds jump: what these have left by then breaks nothing.
    if (!decide_islands(round, true)) return false;
    const bool massless_moved = !decided_.empty() && modes_.apply();
    if (massless_moved && !follow_switches(t, x)) return false;
    if (!decide_islands(round, false)) return false;
    const bool waited = stop_waiting();
    if (!modes_.apply() && !points_moved && !massless_moved && !waited) {
      return holds_within_bounds();
    }
    if (round == 0 && !waited && !lacked && !any_lacks_capacity() && only_own_decision()) {
      return true;
    }
    decided_states_.push_back(modes_.frictions());
    if (is_cycle()) {
      if (!follow_switches(t, x)) return false;
      if (is_tie()) return holds_within_bounds();
      // Whichever fits: both are what rounding makes of one motion, and decided again after a step.
      contradicts_ = fits();
      if (contradicts_) return true;
    }
    note_round(round);
  }
  ends = false;
  return false;
}

// Where the slip of a body ends as its friction falls exponentially it has no series, nor has what
// follows it: where that body goes comes first. False as `decide`.
bool EventEngine::leave_folds(double t, std::span<double> x) {
  const auto ends = [&](const FrictionIsland& island) {
    for (std::uint32_t i = island.first; i < island.first + island.count; ++i) {
      if (hints_[i].fall != 0 && system_.frictions[i].decay != kNoIndex) return true;
    }
    return false;
  };
  if (std::none_of(system_.islands.begin(), system_.islands.end(), ends)) return true;
  if (!follow_switches(t, x)) return false;
  for (std::size_t i = 0; i < system_.islands.size(); ++i) {
    if (ends(system_.islands[i]) && !decide(i)) return false;
  }
  modes_.apply();
  return true;
}

// Those of damped massless bodies alone, or all others. False as `decide`.
bool EventEngine::decide_islands(int round, bool massless) {
  for (std::size_t i = 0; i < system_.islands.size(); ++i) {
    const FrictionIsland& island = system_.islands[i];
    const bool creeping = !island.bound && creeps(system_.frictions[island.first]);
    if (creeping != massless) continue;
    if (round == 0 ? !needs_decision(island) : modes_.stands(i, J_)) continue;
    if (!decide(i)) return false;
    decided_.push_back(i);
  }
  return true;
}

// False when prescribed motions close in on the contacts, or loads have no value.
bool EventEngine::decide(std::size_t island) {
  const FrictionIsland& range = system_.islands[island];
  for (std::uint32_t i = range.first; i < range.first + range.count; ++i) {
    if (std::isfinite(J_[system_.frictions[i].free_row])) continue;
    unsettled_ = {system_.frictions[i].name};
    return false;
  }
  try {
    modes_.decide(island, J_, hints_, zeros_);
  } catch (const UnboundedMinimum&) {
    name_blocked(range.first, range.count);
    return false;
  }
  leave_rest(range);
  return true;
}

// The signs of such slips have switches of their own.
bool EventEngine::any_lacks_capacity() const {
  for (std::uint32_t i = 0; i < system_.frictions.size(); ++i) {
    if (lacks_capacity(i)) return true;
  }
  return false;
}

// One friction alone has been decided, by itself: the values that all else follows from are still
// the same (see System::jets). Coefficients are not, but no switch is at an edge, or tends there,
// where these would tell.
bool EventEngine::only_own_decision() const {
  if (any_tends_ || decided_.size() != 1) return false;
  const std::size_t island = decided_.front();
  if (!modes_.decided_alone(island)) return false;
  if (system_.frictions[system_.islands[island].first].sets_relations) return false;
  if (!system_.settle_islands.empty()) return false;
  for (std::uint32_t i = 0; i < motion_switches_; ++i) {
    const Switch& s = system_.switches[i];
    if (s.kind == SwitchKind::kFloor || is_zero_now(s) || J_[s.row] == 0) return false;
    if (is_zone(i) && J_[s.row + 1] == 0) return false;
  }
  return true;
}

// Massless points go to their equilibrium for the values in J.
bool EventEngine::settle_points() {
  if (system_.settle_islands.empty()) return true;
  SettleHints hints;
  SettleZeros zeros;
  for (std::size_t k = 0; k < system_.settle_islands.size(); ++k) {
    const SettleIsland& island = system_.settle_islands[k];
    const std::uint32_t end = island.first_friction + island.frictions;
    const auto edge = edge_reached_.begin() + island.first_spring;
    hints.edge.assign(edge, edge + island.springs);
    hints.bound.clear();
    hints.slid.clear();
    hints.rests.clear();
    hints.contact.clear();
    for (std::uint32_t i = island.first_friction; i < end; ++i) {
      hints.bound.push_back(hints_[i].at_bound);
      hints.slid.push_back(hints_[i].slid);
      hints.rests.push_back(hints_[i].ended ? 1 : 0);
      const bool reached = modes_.is_contact_of_points(i) && hit_[i] != 0;
      hints.contact.push_back(reached ? hit_[i] : modes_.friction(i).contact);
    }
    if (!modes_.settle(k, J_, true, hints, zeros)) {
      unbalanced_ = name_of(system_, island, modes_.constants());
      return false;
    }
    std::copy(zeros.side.begin(), zeros.side.end(), edge_left_.begin() + island.first_spring);
    std::copy(zeros.edge.begin(), zeros.edge.end(), edge_zeros_.begin() + island.first_spring);
    // A later round finds it where it has jumped to, with the rates that are true there.
    for (std::uint32_t i = island.first_friction; i < end; ++i) {
      const std::size_t own = i - island.first_friction;
      hints_[i].slid = zeros.slid[own];
      if (modes_.is_contact_of_points(i)) {
        follow_contact(i, zeros.contact[own], zeros.friction[own]);
        continue;
      }
      if (system_.frictions[i].stop == kNoIndex) {
        zeros_[i] = zeros.friction[own];
        continue;
      }
      // The gap has one more than the slip.
      if (hints_[i].at_rest) zeros_[i] = modes_.friction(i).free ? zeros.friction[own] + 1 : 0;
      leave_stop(i);
    }
  }
  return true;
}

}  // namespace luztar
