// Margins of the present mode.
#include <algorithm>
#include <cmath>

#include "runtime/events/capacity.h"
#include "runtime/events/events.h"
#include "runtime/events/switch_value.h"
#include "runtime/numbers.h"

namespace luztar {

// Leading zeros of a row that is at zero: known to be, or by its value. The switch follows from the
// coefficient after these.
std::uint32_t EventEngine::zeros_of(std::uint32_t row) {
  return row_zeros_[row] == 0 && J_[row] != 0 ? 0 : leading_zeros(row, J_, row_zeros_);
}

// Of the margin sign * row of a zone. Where the coefficient that tells seems to be rounding in this
// zone, and the one after it leads beyond the edge, the zone on both sides of which it tells has
// been decided by it all the same: see leaves_zone.
std::uint32_t EventEngine::zeros_in_zone(std::uint32_t row, double sign) {
  const std::uint32_t zeros = zeros_of(row);
  if (zeros > J_.highest() || sign * J_.at(zeros, row) >= 0) return zeros;
  for (std::uint32_t k = row_zeros_[row]; k < zeros; ++k) {
    if (sign * J_.at(k, row) > 0) return k;
  }
  return zeros;
}

void EventEngine::list_switch(std::uint32_t index) {
  const Switch& s = system_.switches[index];
  if (held_switches_[index] != 0) return;
  const std::int32_t v = modes_.value(index);
  const auto add = [&](std::uint32_t row, double sign, double offset, std::int32_t next) {
    if (row_tends_[row] != 0) return;
    const std::uint32_t zeros = is_zone(index) ? zeros_in_zone(row, sign) : zeros_of(row);
    margins_.push_back({MarginKind::kSwitch, row, sign, offset, index, next, zeros});
  };
  switch (s.kind) {
    case SwitchKind::kZone:
      if (index < motion_switches_ && has_no_play(s)) break;
      if (v <= 0) add(s.row, v == 0 ? 1 : -1, 0, v == 0 ? -1 : 0);
      if (v >= 0) add(s.row + 1, v == 0 ? -1 : 1, 0, v == 0 ? 1 : 0);
      break;
    case SwitchKind::kSide:
      if (v != 0) add(s.row, v, 0, -v);
      break;
    case SwitchKind::kPositive:
    case SwitchKind::kNotNegative:
      add(s.row, v == 1 ? 1 : -1, 0, 1 - v);
      break;
    case SwitchKind::kRoot:
      break;  // ends steps, not the mode
    case SwitchKind::kFloor:
      add(s.row, 1, -v, v - 1);
      add(s.row, -1, v + 1.0, v + 1);
      // At one of the two, if any.
      (J_[s.row] - v < 0.5 ? margins_.back() : margins_[margins_.size() - 2]).zeros = 0;
      break;
  }
}

// Of one that touched a bound and is held again the reserve of that side begins with zeros. Without
// capacity at this instant, whatever the error of a step makes of it, that of the other side does,
// too, up to where the force has a sign.
std::array<std::uint32_t, 2> EventEngine::zeros_of_reserves(std::uint32_t i) {
  std::array<std::uint32_t, 2> zeros{};
  if (zeros_[i] == 0) return zeros;
  const Friction& f = system_.frictions[i];
  const std::uint32_t below = f.reserve_row, above = below + 1;
  const auto difference = [&](std::int64_t k) { return J_.at(k, above) - J_.at(k, below); };
  const bool at_both = capacity_at(J_, f) == 0;
  std::uint32_t k = at_both ? 1 : 0;
  while (k < zeros_[i] && std::fabs(difference(k)) <= kRoundingOfRow * J_.size(k, below)) ++k;
  const std::size_t touched = difference(k) > 0 ? 0 : 1;
  // One that has slid at T_K, and sticks, is away from its bound: that is T_S from here on.
  const double most = static_force(J_, f, 0);
  const bool sticks = J_[touched == 0 ? below : above] > kReachesBound * most;
  zeros[touched] = sticks ? 0 : zeros_[i];
  if (at_both || J_[touched == 0 ? above : below] == 0) zeros[1 - touched] = k;
  return zeros;
}

void EventEngine::list_stop(std::uint32_t i) {
  const Friction& f = system_.frictions[i];
  const FrictionState& state = modes_.friction(i);
  if (!state.free) {
    if (state.at_bound != 0) return;
    const std::uint32_t row = state.contact > 0 ? f.reserve_row : f.reserve_row + 1;
    margins_.push_back({MarginKind::kReserve, row, 1, 0, i, state.contact, zeros_[i]});
    return;
  }
  // A body that has just left its stop is at it: how many derivatives vanish, too? What it does
  // after another event in the same instant is known from the first.
  if (hit_[i] != 0) {
    touching_[i] = hit_[i];
    gap_zeros_[i] = std::max<std::uint32_t>(1, zeros_[i]);
  }
  const std::uint32_t row = system_.stops[f.stop].gap_row;
  for (const std::int8_t side : {std::int8_t{-1}, std::int8_t{1}}) {
    const std::uint32_t zeros = touching_[i] == side ? gap_zeros_[i] : 0;
    margins_.push_back({MarginKind::kGap, side < 0 ? row : row + 1, 1, 0, i, side, zeros});
  }
}

// Where springs of a settle island touch, or let go.
void EventEngine::list_edges(std::size_t k) {
  const SettleIsland& island = system_.settle_islands[k];
  const SettleState& state = modes_.settled(k);
  for (std::uint32_t j = 0; j < island.springs; ++j) {
    const std::uint32_t i = island.first_spring + j;
    const SettleSpring& spring = system_.settle_springs[i];
    if (spring.edge_row == kNoIndex || state.riding[j] != 0) continue;
    const std::int8_t zone = state.zone[j];
    for (const std::int8_t side : {std::int8_t{-1}, std::int8_t{1}}) {
      if (zone == -side || (spring.one_sided && side < 0)) continue;
      const std::uint32_t row = spring.edge_row + (side > 0 ? 1 : 0);  // x + b or x - b
      const double sign = zone == 0 ? -side : side;
      margins_.push_back(
          {MarginKind::kEdge, row, sign, 0, i, side, edge_left_[i] == side ? edge_zeros_[i] : 0});
    }
  }
}

// Of one that rounding keeps at its bound, or only a later order of what is to come, there is
// nothing to watch.
void EventEngine::list_pulls() {
  pulls_ = modes_.pulls();
  for (Pull& pull : pulls_) {
    const double value = pull.coefficient(0, [this](std::int64_t k) { return J_.order(k); });
    pull.size = size_of(pull);
    pull.slack = std::max(kRoundingOfPull * pull.size, -2 * value);
  }
  std::erase_if(pulls_, [](const Pull& pull) {
    const bool nothing_acts = pull.order > 0 && pull.size == 0;
    return nothing_acts || !(pull.slack <= kMostRoundingOfPull * pull.size);
  });
}

// Of a pull that begins with zeros that of its first coefficient, taken in 1 s.
double EventEngine::size_of(const Pull& pull) {
  for (std::int64_t k = pull.order; k <= J_.highest(); ++k) {
    double size = 0;
    for (const Pull::Term& term : pull.terms) {
      size += std::fabs(term.weight * (k == 0 ? J_[term.row] : J_.size(k, term.row)));
    }
    if (size > 0 || k == 0) return size;
  }
  return 0;
}

bool EventEngine::lets_go(double t, std::span<const double> x) {
  const auto varies = [](const Pull& pull) { return pull.varies; };
  if (std::none_of(pulls_.begin(), pulls_.end(), varies)) return false;
  evaluate(t, x);
  const std::size_t before = pulls_.size();
  list_pulls();
  return pulls_.size() < before;
}

// Of a slip to where its friction's fall bends. It may begin there.
void EventEngine::list_bend(std::uint32_t i, std::uint32_t row, double speed, std::int8_t side) {
  const double sign = -side * modes_.friction(i).direction;
  Margin margin{MarginKind::kFall, row, sign, side * speed, i, side, 0};
  std::int64_t k = 0;
  const auto value = [&] { return sign * J_.at(k, row) + (k == 0 ? margin.offset : 0.0); };
  while (k <= J_.highest() && std::fabs(value()) <= kRoundingOfRow * J_.size(k, row)) ++k;
  if (k <= J_.highest() && value() > 0) margin.zeros = static_cast<std::uint32_t>(k);
  margins_.push_back(margin);
}

// Of a slip that has been decided to begin with so many zeros, those that are none: one of the
// wrong sign, greater than what rounding and errors of events leave of the terms that it is the sum
// of, ends the mode at once; not so if it takes the slip no farther than errors may.
std::uint32_t EventEngine::true_zeros(std::uint32_t row, double sign, std::uint32_t zeros) {
  constexpr double kMayBeRounding = 1e-13, kIsNone = 1e-8;
  const auto highest = static_cast<std::uint32_t>(J_.highest());
  const double next = zeros <= highest ? std::fabs(J_.at(zeros, row)) : 0;
  for (std::uint32_t k = 0; k < std::min(zeros, highest + 1); ++k) {
    const double against = -sign * J_.at(k, row);
    if (!(against > kMayBeRounding * next)) continue;
    const double size = std::max(J_.size(k, row), k == 0 ? peaks_[row] : 0.0);
    const double way = std::pow(against / next, k / static_cast<double>(zeros - k)) * against;
    if (against > kIsNone * size && !(way <= kIsNone * peaks_[row])) return k;
  }
  return zeros;
}

void EventEngine::list_slip(std::uint32_t i, std::uint32_t row) {
  const double sign = modes_.friction(i).direction;
  const auto [begin, end] = modes_.fall_range(i, J_);
  if (end < kInfinity) list_bend(i, row, end, 1);
  if (modes_.decays_alone(i)) {  // the slip has no series where it ends
    margins_.push_back({MarginKind::kFall, system_.frictions[i].ahead_row, 1, 0, i, -1,
                        begin > 0 ? 0 : zeros_[i]});
  } else if (begin > 0) {
    list_bend(i, row, begin, -1);
  } else {
    const double offset = -modes_.rest_speed(i);
    const std::uint32_t zeros = offset < 0 ? 0 : true_zeros(row, sign, zeros_[i]);
    const Friction& f = system_.frictions[i];
    const bool may_touch = offset == 0 && static_force(J_, f, 0) > J_[f.kinetic_row];
    margins_.push_back({MarginKind::kSlip, row, sign, offset, i, 0, zeros, may_touch});
  }
}

// Its capacity is zero as such, until a switch gives it one: which way it slips changes nothing.
bool EventEngine::never_resists(std::uint32_t i) {
  const Friction& f = system_.frictions[i];
  if (!modes_.is_massless(i)) return false;
  for (std::int64_t k = 0; k <= J_.highest(); ++k) {
    for (const std::uint32_t row : {f.kinetic_row, f.reserve_row, f.reserve_row + 1}) {
      if (J_.at(k, row) != 0) return false;
    }
  }
  return true;
}

// A slip that only tends to rest has no sign: it is what rounding and errors of steps leave, until
// what drives it turns back. It may go far beyond these before a mode ends that it contradicts.
void EventEngine::list_tending(std::uint32_t i, std::uint32_t row) {
  if (holds_all_the_same_) return;
  const double most = kErrorOfSteps * std::max(peaks_[row], J_.size(0, row));
  const double sign = modes_.friction(i).direction;
  if (most > 0 && sign * J_[row] > -most) {
    margins_.push_back({MarginKind::kHeld, row, sign, most, i, 0, 0});
  }
}

// Frictions of which one holds by itself hold beside others where a prescribed motion is at rest. A
// mode that has been taken for such an instant, and is not, ends as soon as that shows.
void EventEngine::list_held(DrivenFrictions& driven) {
  const std::uint32_t end = driven.first + driven.count;
  for (std::uint32_t i = driven.first; i < end; ++i) {
    const Friction& f = system_.frictions[i];
    driven.speed = std::max({driven.speed, peaks_[f.slip_row], J_.size(0, f.slip_row)});
    if (f.slip_state != kNoIndex) driven.speed = std::max(driven.speed, peaks_[f.slip_state]);
  }
  if (driven.speed == 0) return;
  const double most = kHeldSlip * driven.speed;
  for (std::uint32_t i = driven.first; i < end; ++i) {
    const Friction& f = system_.frictions[i];
    const FrictionState& state = modes_.friction(i);
    if (f.stop != kNoIndex || state.direction != 0 || state.free) continue;
    for (const double sign : {-1.0, 1.0}) {
      margins_.push_back({MarginKind::kHeld, f.slip_row, sign, most, i, 0, 0});
    }
  }
}

void EventEngine::list_margins() {
  margins_.clear();
  for (std::uint32_t i = 0; i < motion_switches_; ++i) list_switch(i);
  for (std::size_t k = 0; k < system_.settle_islands.size(); ++k) list_edges(k);
  for (std::uint32_t i = 0; i < system_.frictions.size(); ++i) {
    const Friction& f = system_.frictions[i];
    const FrictionState& state = modes_.friction(i);
    idle_[i] = 0;
    if (f.stop != kNoIndex) {
      list_stop(i);
    } else if (state.direction != 0) {
      idle_[i] = never_resists(i) ? 1 : 0;
      if (idle_[i] != 0) continue;
      const std::uint32_t row = f.slip_state != kNoIndex ? f.slip_state : f.slip_row;
      if (state.at_bound != 0) {
        list_tending(i, row);
      } else {
        list_slip(i, row);
      }
    } else if (!state.free && state.at_bound == 0) {
      const auto [below, above] = zeros_of_reserves(i);
      margins_.push_back({MarginKind::kReserve, f.reserve_row, 1, 0, i, -1, below});
      margins_.push_back({MarginKind::kReserve, f.reserve_row + 1, 1, 0, i, 1, above});
    }
  }
  if (!holds_all_the_same_) {
    for (DrivenFrictions& driven : driven_) list_held(driven);
  }
  repeated_.put_off(system_, J_, margins_);
  list_pulls();
  motion_margins_ = margins_.size();
  any_zeros_ = std::any_of(margins_.begin(), margins_.end(),
                           [](const Margin& margin) { return margin.zeros != 0; });
  note_edges();
}

}  // namespace luztar
