// Zones of springs at their edges: what leads the argument away, tends there, or jumps.
#include <algorithm>
#include <array>
#include <cmath>

#include "runtime/events/events.h"
#include "runtime/events/switch_value.h"
#include "runtime/numbers.h"

namespace luztar {

// An edge that is crossed for certain, and alone: the law of a zone is continuous there, so all
// that changes is the zone. Where something is held at its bound, or is zero throughout the mode,
// the coefficients beyond the edge may say otherwise. So may those of what an event a rounding
// before has set, and switches that watch the law.
bool EventEngine::is_mere_edge(double t, std::span<const FiredMargin> fired) const {
  if (fired.size() != 1 || !fired.front().crosses() || any_tends_) return false;
  if (std::fabs(t - instant_) <= Coefficients::kRoundingOfInstant * std::fabs(t)) return false;
  const Margin& margin = margins_[fired.front().margin];
  if (margin.kind != MarginKind::kSwitch || !is_zone(margin.index)) return false;
  const Switch& zone = system_.switches[margin.index];
  return zone.edge_slot == kNoIndex && !zone.is_watched && system_.settle_islands.empty() &&
         !some_undecided() && !any_base_is_zero();
}

// The base of a power that is zero in this mode may be none beyond its edge.
bool EventEngine::any_base_is_zero() const {
  return std::any_of(base_switches_.begin(), base_switches_.end(),
                     [&](std::uint32_t i) { return modes_.edge(i) != Edge::kAway; });
}

// The other edge is watched from inside only, where it is the neighbour of this one.
void EventEngine::pass_edge(double t, const FiredMargin& fired) {
  begin_instant(t);
  margins_.resize(motion_margins_);  // those of results are listed anew
  forget_zeros();
  Margin& edge = margins_[fired.margin];
  const bool upper = edge.row != system_.switches[edge.index].row;
  modes_.set_value(edge.index, edge.next);
  modes_.apply();
  const bool enters = edge.next == 0;
  edge.sign = -edge.sign;
  edge.next = enters ? (upper ? 1 : -1) : 0;
  edge.zeros = row_zeros_[edge.row] = 1;
  any_zeros_ = true;
  const auto other = margins_.begin() + fired.margin + (upper ? 0 : 1);
  if (enters) {
    const std::uint32_t row = upper ? edge.row - 1 : edge.row + 1;
    margins_.insert(other, {MarginKind::kSwitch, row, -edge.sign, 0, edge.index, -edge.next, 0});
  } else {
    margins_.erase(upper ? other - 1 : other);
  }
  motion_margins_ = margins_.size();
}

// Throughout the mode: it is linear, and on either side of its edges the same. Both are one place,
// next to which rounding would take it from side to side.
bool EventEngine::has_no_play(const Switch& zone) {
  if (zone.edge_slot != kNoIndex) return false;
  std::int64_t k = 0;
  while (k <= J_.highest() && J_.at(k, zone.row) == J_.at(k, zone.row + 1)) ++k;
  return k > J_.highest();
}

// A margin whose coefficients are all zero but for rounding tends to the edge of its zone and is
// never there: it is analytic in a mode. The errors of the steps, which rates of decay carry into
// all of its derivatives, would take it across again and again. So the zone keeps its side, and
// the margin is not watched, until another event gives it a coefficient.
void EventEngine::find_tending(double t, std::span<const double> x,
                               std::span<const FiredMargin> fired) {
  std::vector<std::uint32_t>& rows = tending_;
  rows.clear();
  for (const Switch& s : system_.switches) {
    if (s.kind != SwitchKind::kZone) continue;
    for (const std::uint32_t row : {s.row, s.row + 1}) {
      if (row_tends_[row] != 0) rows.push_back(row);
    }
  }
  for (const FiredMargin& f : fired) {
    const Margin& margin = margins_[f.margin];
    if (margin.kind != MarginKind::kSwitch || !is_zone(margin.index) || f.crosses()) continue;
    if (margin.index >= motion_switches_) continue;
    rows.push_back(margin.row);
  }
  any_tends_ = false;
  if (rows.empty()) return;
  evaluate(t, x);
  for (const std::uint32_t row : rows) {
    row_tends_[row] = coefficient_that_tells(row) > J_.highest() ? 1 : 0;
    any_tends_ = any_tends_ || row_tends_[row] != 0;
    if (row_tends_[row] != 0) tending_size_[row] = J_.size(0, row);
  }
}

// What drives it may take it away from there, with no margin that tells.
bool EventEngine::tends_away(double t, std::span<const double> x) {
  if (!any_tends_) return false;
  evaluate(t, x);
  return std::any_of(tending_.begin(), tending_.end(), [&](std::uint32_t row) {
    return row_tends_[row] != 0 && std::fabs(J_[row]) > kErrorOfSteps * tending_size_[row];
  });
}

// The first coefficient of a row that is more than the errors of steps; none: beyond J_.highest().
// These are a part c exp(-L t) with a great rate of decay L, against which the terms of the first
// coefficients are great, too: then that part is read off the highest coefficients, where it is all
// that there is, k c_k = -L c_(k-1) all the way down, and one tells that is something else, and
// much more: what decays slowly beside it is of its size, or less, from some time on.
std::int64_t EventEngine::coefficient_that_tells(std::uint32_t row) {
  constexpr double kStandsOut = 10, kPure = 1e-2;
  constexpr double kRounding = 4 * kEpsilon;
  const auto value = [&](std::int64_t k) { return std::fabs(J_.at(k, row)); };
  const std::int64_t highest = J_.highest();
  std::int64_t k = 0;
  while (k <= highest && value(k) <= kErrorOfSteps * J_.size(k, row)) ++k;
  if (k <= highest || highest < 4) return k;
  const auto rate = [&](std::int64_t n) {
    return value(n - 1) > 0 ? static_cast<double>(n) * value(n) / value(n - 1) : 0.0;
  };
  const double decay = rate(highest);
  if (!(decay > 0) || !(std::fabs(rate(highest - 1) - decay) <= kPure * decay)) return k;
  std::array<double, kMostOrder + 1> part;
  part[static_cast<std::size_t>(highest)] = J_.at(highest, row);
  for (k = highest; k > 0; --k) {
    const auto at = static_cast<std::size_t>(k);
    part[at - 1] = -static_cast<double>(k) * part[at] / decay;
  }
  for (k = 0; k + 2 < highest; ++k) {
    const double error = part[static_cast<std::size_t>(k)], left = std::fabs(J_.at(k, row) - error);
    if (left > kStandsOut * std::fabs(error) && left > kRounding * J_.size(k, row)) return k;
  }
  return highest + 1;
}

// What a switch watches may jump with another that changes in this instant, as the knots of
// table(mod(x, p), ..) do at the end of a period: then it is no longer at the edge that it has
// reached. The argument of a zone is away from it by a part of the play.
void EventEngine::forget_jumped_zeros() {
  for (std::uint32_t i = 0; i < motion_switches_; ++i) {
    const Switch& s = system_.switches[i];
    const double play = is_zone(i) ? std::fabs(J_[s.row] - J_[s.row + 1]) : 0;
    if (is_zone(i) ? play == 0 : before_jump_.empty()) continue;
    for (auto [row, end] = rows_of(s); row < end; ++row) {
      if (row_zeros_[row] == 0) continue;
      const double way = is_zone(i) ? J_[row] : J_[row] - before_jump_[row];
      const bool stays = std::fabs(way) <= kJump * std::max(play, J_.size(0, row));
      if (stays && (is_zone(i) || !is_off_edge(s))) continue;
      row_zeros_[row] = 0;
      inside_[i].clear();
    }
  }
}

// At the edge to which it tends a zone is left, or entered, by the first coefficient that is more
// than the errors of steps.
bool EventEngine::still_tends(const Switch& zone) {
  for (const std::uint32_t row : {zone.row, zone.row + 1}) {
    if (row_tends_[row] == 0) continue;
    const std::int64_t zeros = coefficient_that_tells(row);
    if (zeros > J_.highest()) return true;
    row_zeros_[row] = static_cast<std::uint32_t>(zeros);
    row_tends_[row] = 0;
  }
  return false;
}

// That of the edge between the present value of a switch and another.
std::uint32_t EventEngine::row_between(std::uint32_t index, std::int32_t value) const {
  const std::int32_t now = modes_.value(index);
  const bool upper = is_zone(index) && (now == 0 ? value : now) > 0;
  return system_.switches[index].row + (upper ? 1 : 0);
}

// The force of a spring is continuous at the edge of its play, so what leads the margin away from
// zero is the same on both sides. Coefficients with different signs on the two sides are rounding:
// the force has that of the margin as soon as there is one. False: the value stays after all.
bool EventEngine::leaves_zone(std::uint32_t i, std::int32_t value) {
  const std::int32_t now = modes_.value(i);
  const std::int32_t outer = now == 0 ? value : now;
  const std::uint32_t row = row_between(i, value);
  std::vector<double>& inside = inside_[i];
  if (now == 0) {
    inside.clear();
    row_zeros_[row] = leading_zeros(row, J_, row_zeros_);
    if (row_zeros_[row] == 0) return true;
    for (std::int64_t k = 0; k <= J_.highest(); ++k) inside.push_back(J_.at(k, row));
    return true;
  }
  if (value != 0 || inside.empty()) return true;
  std::size_t k = row_zeros_[row];
  while (k < inside.size() && !(inside[k] * J_.at(static_cast<std::int64_t>(k), row) > 0)) ++k;
  row_zeros_[row] = static_cast<std::uint32_t>(k);
  const bool outwards = k < inside.size() && outer * inside[k] > 0;
  inside.clear();
  return !outwards;
}

}  // namespace luztar
