// Switches that results alone depend on. They never hold up the motion: its mode, and the margins
// of it, stay as they are, and what rounding makes of a margin that is zero all along is no event.
#include <algorithm>
#include <cmath>
#include <utility>

#include "runtime/events/events.h"
#include "runtime/events/switch_value.h"

namespace luztar {

bool EventEngine::is_of_results(std::span<const FiredMargin> fired) const {
  return !fired.empty() && std::all_of(fired.begin(), fired.end(), [this](const FiredMargin& f) {
    return f.margin >= motion_margins_;
  });
}

void EventEngine::resolve_results(double t, std::span<const double> x,
                                  std::span<const FiredMargin> fired) {
  if (t != instant_) {
    std::fill(zeros_.begin(), zeros_.end(), 0);
    forget_zeros();
  }
  std::fill(row_zeros_.begin(), row_zeros_.end(), 0);
  for (const FiredMargin& f : fired) row_zeros_[margins_[f.margin].row] = f.at_zero ? 1 : 0;
  follow_results(t, x);
}

// Each round gives its value to one switch at least that watches no other: none depends on itself.
void EventEngine::follow_results(double t, std::span<const double> x) {
  if (system_.result_switches == 0) return;
  for (bool changed = true; changed;) {
    evaluate(t, x);
    find_zeros_of_results();
    for (auto i = static_cast<std::uint32_t>(motion_switches_); i < system_.switches.size(); ++i) {
      modes_.set_value(i, value_after(system_.switches[i], J_, row_zeros_));
    }
    changed = modes_.apply();
  }
  row_before_.clear();
  list_results();
}

void EventEngine::keep_rows_of_results() {
  if (system_.result_switches == 0) return;
  const std::uint32_t first = system_.switches[motion_switches_].row;
  row_before_.assign(J_.order(0) + first, J_.order(0) + rows_of(system_.switches.back()).second);
}

// A value within its rounding is zero, and the distance to the next integer likewise. What jumps
// with another switch in this instant is no longer where it was.
void EventEngine::find_zeros_of_results() {
  const std::uint32_t first = system_.switches[motion_switches_].row;
  if (row_before_.empty()) keep_rows_of_results();
  for (std::size_t i = motion_switches_; i < system_.switches.size(); ++i) {
    const Switch& s = system_.switches[i];
    for (auto [row, end] = rows_of(s); row < end; ++row) {
      const double jump = std::fabs(J_[row] - row_before_[row - first]);
      const bool jumps = jump != 0 && jump > kJump * J_.size(0, row);
      if (jumps || (row_zeros_[row] != 0 && s.kind != SwitchKind::kZone && is_off_edge(s))) {
        row_zeros_[row] = 0;
      }
      if (is_at_edge(s, row, J_)) row_zeros_[row] = 1;
    }
  }
}

// What is zero in all orders stays so: nothing to watch.
void EventEngine::list_results() {
  margins_.resize(motion_margins_);
  for (auto i = static_cast<std::uint32_t>(motion_switches_); i < system_.switches.size(); ++i) {
    list_switch(i);
  }
  const auto first = margins_.begin() + static_cast<std::ptrdiff_t>(motion_margins_);
  const auto constant = [this](const Margin& margin) {
    return std::cmp_greater(margin.zeros, J_.highest());
  };
  margins_.erase(std::remove_if(first, margins_.end(), constant), margins_.end());
  any_zeros_ =
      !leaving_.empty() || std::any_of(margins_.begin(), margins_.end(),
                                       [](const Margin& margin) { return margin.zeros != 0; });
}

}  // namespace luztar
