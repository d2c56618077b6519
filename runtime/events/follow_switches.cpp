// Switches at an event: each takes the value that what it watches leads to.
#include <algorithm>
#include <cmath>
#include <utility>

#include "runtime/events/events.h"
#include "runtime/events/switch_value.h"

namespace luztar {

// A switch that an event a rounding before or after has set is where it leads, not where rounding
// puts its value. False when it is not at zero, or known to be, or when nothing leads it away.
//   row   of the edge
bool EventEngine::take_for_zero(const Switch& s, std::uint32_t row) {
  if (row_zeros_[row] != 0 || !is_at_edge(s, row, J_)) return false;
  row_zeros_[row] = 1;
  if (leading_zeros(row, J_, row_zeros_) <= J_.highest()) return true;
  row_zeros_[row] = 0;
  return false;
}

// Bodies that frictions hold have speeds of zero but for what the rounding of their forces adds up
// to: a relation of such a speed finds it at zero, and there is nothing to watch in the mode.
bool EventEngine::is_held_at_zero(const Switch& s, double t) {
  constexpr double kTiny = 1e-12, kRounding = 1e-12;  // [rad/s, m/s], of what forces might make
  if (!is_relation(s.kind) || std::fabs(J_[s.row]) > kTiny) return false;
  // What begins as a broken power has no coefficients, nor has what is without capacity there.
  if (!base_switches_.empty() || any_lacks_capacity()) return false;
  const double size = J_.size(1, s.row);  // of the forces that cancel
  if (size == 0 || std::fabs(J_[s.row]) > kRounding * size * std::fabs(t)) return false;
  const std::uint32_t known = std::exchange(row_zeros_[s.row], 1U);
  const bool stays = leading_zeros(s.row, J_, row_zeros_) > J_.highest();
  row_zeros_[s.row] = known;
  return stays;
}

// Where it is at zero the coefficient that tells is hardly more than the rounding of the forces
// that hold a body there, and another one for either value.
bool EventEngine::follows_rounding(const Switch& s) {
  constexpr double kLittle = 1e-9;
  if (!is_relation(s.kind)) return false;
  const auto k = static_cast<std::int64_t>(leading_zeros(s.row, J_, row_zeros_));
  if (k == 0 || k > J_.highest()) return false;
  return std::fabs(J_.at(k, s.row)) <= kLittle * J_.size(k, s.row);
}

void EventEngine::note_held_switch(std::uint32_t index, double t) {
  const Switch& s = system_.switches[index];
  const bool was_held = held_switches_[index] != 0, is_held = is_held_at_zero(s, t);
  held_switches_[index] = is_held ? 1 : 0;
  if (is_held) {
    row_zeros_[s.row] = static_cast<std::uint32_t>(J_.highest()) + 1;
  } else if (was_held && row_zeros_[s.row] > J_.highest()) {
    row_zeros_[s.row] = 0;
  }
}

// A relation that changes in the instant in which a slip ends may be one of a speed that ends with
// it: whether the friction holds is to be asked where that is zero, and the relation afterwards.
void EventEngine::wait_for_slips(std::span<const FiredMargin> fired) {
  const bool any_slip = std::any_of(fired.begin(), fired.end(), [&](const FiredMargin& f) {
    return margins_[f.margin].kind == MarginKind::kSlip;
  });
  if (!any_slip || !base_switches_.empty()) return;
  for (const FiredMargin& f : fired) {
    const Margin& margin = margins_[f.margin];
    if (margin.kind != MarginKind::kSwitch || row_tends_[margin.row] != 0) continue;
    const SwitchKind kind = system_.switches[margin.index].kind;
    if (!is_relation(kind)) continue;
    modes_.set_value(margin.index, kind == SwitchKind::kNotNegative ? 1 : 0);
    row_zeros_[margin.row] = std::max(row_zeros_[margin.row], 1U);
    waits_[margin.index] = 1;
  }
}

// True when there were some.
bool EventEngine::stop_waiting() {
  const bool any = std::find(waits_.begin(), waits_.end(), 1) != waits_.end();
  if (any) std::fill(waits_.begin(), waits_.end(), 0);
  return any;
}

bool EventEngine::is_zero_now(const Switch& s) const {
  return row_zeros_[s.row] != 0 || (s.kind == SwitchKind::kZone && row_zeros_[s.row + 1] != 0);
}

// The base of a power that is at its edge, or has stayed there so far, is exactly zero, whatever
// rounding makes of it, and so is the power: what leads away is anything else. True when something
// has changed.
bool EventEngine::mark_edges() {
  bool changed = false;
  for (const std::uint32_t i : base_switches_) {
    const Switch& s = system_.switches[i];
    if (s.kind != SwitchKind::kZone) {
      std::uint32_t& zeros = row_zeros_[s.row];
      const bool was_there = modes_.edge(i) != Edge::kAway;
      const double dust = was_there ? 4 * dust_[i] : 0;
      if (std::fabs(J_[s.row]) <= dust) zeros = std::max(zeros, 1U);
    }
    const Edge edge = is_zero_now(s) ? Edge::kStays : Edge::kAway;
    changed = changed || edge != modes_.edge(i);
    modes_.set_edge(i, edge);
  }
  return changed;
}

// A parabola x0 + x1 t + x2 t^2 that is not below zero has x1^2 <= 4 x0 x2: what has another rate
// without the power does not touch its edge, but is near.
void EventEngine::check_touches() {
  for (const std::uint32_t i : base_switches_) {
    const std::uint32_t row = system_.switches[i].row;
    if (row_zeros_[row] != 2) continue;
    const double rate = J_.at(1, row);
    if (rate * rate > 4 * std::fabs(J_[row] * J_.at(2, row))) row_zeros_[row] = 1;
  }
}

// Those that leave their edge are there in the first step alone.
void EventEngine::note_edges() {
  leaving_.clear();
  for (const std::uint32_t i : base_switches_) {
    const Switch& s = system_.switches[i];
    if (modes_.edge(i) == Edge::kAway) continue;
    dust_[i] = std::fabs(J_[s.row]);
    if (s.kind != SwitchKind::kZone && zeros_of(s.row) > J_.highest()) continue;
    modes_.set_edge(i, Edge::kAt);
    leaving_.push_back(i);
  }
  leaves_roots_ = !leaving_.empty();
  if (!leaves_roots_) return;
  modes_.apply();
  any_zeros_ = true;  // `forget_zeros` ends that, too
}

// What begins as a broken power of the time has no coefficient that would tell its sign: it is
// zero while the base is taken for zero.
bool EventEngine::lacks_series() {
  const auto lacks = [&](std::uint32_t row) {
    std::int64_t k = 0;
    while (k <= J_.highest() && J_.at(k, row) == 0) ++k;
    return k > 0 && (k > J_.highest() ? leaves_roots_ : !std::isfinite(J_.at(k, row)));
  };
  for (std::uint32_t i = 0; i < motion_switches_; ++i) {
    const auto [first, end] = rows_of(system_.switches[i]);
    for (std::uint32_t row = first; row < end; ++row) {
      if (lacks(row)) return true;
    }
  }
  return false;
}

// What a switch watches has jumped in this instant with another, to a value that tells: rates say
// nothing before all that jumps has done so. True when there were some.
bool EventEngine::follow_jumped_values() {
  if (before_jump_.empty()) return false;
  bool any = false;
  for (std::uint32_t i = 0; i < motion_switches_; ++i) {
    const Switch& s = system_.switches[i];
    const std::int32_t value = value_at(s, J_);
    if (value == modes_.value(i) || waits_[i] != 0 || !jumps_away(s)) continue;
    if (is_zone(i) && has_no_play(s)) continue;
    unsettled_.push_back(s.name);
    modes_.set_value(i, value);
    any = true;
  }
  return any;
}

// From where it was before this instant, and no edge of it is at zero.
bool EventEngine::jumps_away(const Switch& s) {
  bool jumps = false;
  for (auto [row, end] = rows_of(s); row < end; ++row) {
    if (row_zeros_[row] != 0 || is_at_edge(s, row, J_)) return false;
    jumps = jumps || std::fabs(J_[row] - before_jump_[row]) > kJump * J_.size(0, row);
  }
  return jumps;
}

// Evaluates, with the switches that follow from the values; one may change what another watches.
bool EventEngine::follow_switches(double t, std::span<const double> x) {
  constexpr int kPatience = 4;  // rounds, until what goes to and fro is asked why
  for (int round = 0; round < kRounds; ++round) {
    evaluate(t, x);
    if (before_jump_.empty()) keep_rows();
    forget_jumped_zeros();
    unsettled_.clear();
    if (mark_edges() && modes_.apply()) {
      evaluate(t, x);
      check_touches();
    }
    if (follow_jumped_values() && modes_.apply()) {
      note_round(round);
      continue;
    }
    for (std::uint32_t i = 0; i < motion_switches_; ++i) {
      if (is_zone(i) && has_no_play(system_.switches[i])) {
        if (modes_.value(i) == 0) modes_.set_value(i, 1);
        continue;
      }
      if (waits_[i] != 0 || (is_zone(i) && still_tends(system_.switches[i]))) continue;
      note_held_switch(i, t);
      std::int32_t value = value_after(system_.switches[i], J_, row_zeros_);
      if (value == modes_.value(i)) continue;
      const std::uint32_t edge = row_between(i, value);
      if (take_for_zero(system_.switches[i], edge)) {
        value = value_after(system_.switches[i], J_, row_zeros_);
        if (value == modes_.value(i)) continue;
      }
      if (is_zone(i) && !leaves_zone(i, value)) continue;
      if (round >= kPatience && follows_rounding(system_.switches[i])) {
        held_switches_[i] = 1;
        continue;
      }
      unsettled_.push_back(system_.switches[i].name);
      modes_.set_value(i, value);
    }
    mark_edges();
    if (!modes_.apply()) return true;
    note_round(round);
  }
  return false;
}

}  // namespace luztar
