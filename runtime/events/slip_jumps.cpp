// Slips where the speed of a prescribed motion jumps, which forces with bounds do not follow.
#include <algorithm>
#include <cmath>

#include "runtime/events/capacity.h"
#include "runtime/events/events.h"

namespace luztar {

// The greatest velocity that is part of a slip.
double EventEngine::velocity_scale(const Friction& f, std::span<const double> x) {
  double scale = 0;
  for (const ResponseEntry& entry : f.response) scale = std::max(scale, std::fabs(x[entry.state]));
  return scale;
}

// As J has it, and as it was before this instant.
bool EventEngine::slip_jumps(std::uint32_t i, std::span<const double> x) {
  const Friction& f = system_.frictions[i];
  const double slip = J_[f.slip_row];
  const double scale = std::max(std::fabs(slip), velocity_scale(f, x));
  const double jump = std::fabs(slip - slip_before_jump_[i]);
  return jump > std::max(kJump * scale, instant_of_slip(f)) && !is_rounding_of_slip(f, jump);
}

// What holds a damped massless body moves as prescribed, and its speed has jumped in this instant.
bool EventEngine::drive_jumps(std::uint32_t i) {
  const Friction& f = system_.frictions[i];
  if (f.drive_row == kNoIndex || modes_.friction(i).free) return false;
  const double jump = std::fabs(J_[f.drive_row] - drive_before_jump_[i]);
  return jump > std::max(kJump * J_.size(0, f.drive_row), J_.rounding_of_instant(0, f.drive_row));
}

// Slip velocities against a prescribed motion jump with its speed.
void EventEngine::follow_jumps(std::span<double> x) {
  if (slip_before_jump_.empty()) return;
  for (std::uint32_t i = 0; i < system_.frictions.size(); ++i) {
    const Friction& f = system_.frictions[i];
    if (drive_jumps(i)) {  // a little inertia would keep a massless body its speed
      const double jump = J_[f.drive_row] - drive_before_jump_[i];
      if (modes_.friction(i).direction == 0) hints_[i].slid = direction_of(jump);
      hints_[i].ended = false;
    }
    if (f.slip_state == kNoIndex || !f.driven || !slip_jumps(i, x)) continue;
    const double slip = J_[f.slip_row];
    const double instant = instant_of_slip(f);
    x[f.slip_state] = slip;
    const bool at_rest = std::fabs(slip) <= instant || is_rounding_of_slip(f, slip);
    hints_[i] = {at_rest, 0, direction_of(slip)};
    if (hints_[i].at_rest) {
      come_to_rest(i, x);
    } else if (!modes_.friction(i).free) {
      modes_.set_friction(i, {direction_of(slip), 0, false, 0});
    }
  }
}

// What holds a massless point to a prescribed motion slides where its speed jumps, and holds with
// no more than T_K from then on: a little inertia would keep the point its speed.
void EventEngine::slide_at_jumps(double t, std::span<const double> x) {
  constexpr double kRounding = 1e-9;
  if (slip_before_jump_.empty()) return;
  bool evaluated = false;
  for (const SettleIsland& island : system_.settle_islands) {
    if (!is_driven(system_, island.first_friction, island.frictions)) continue;
    if (!evaluated) evaluate(t, x);
    evaluated = true;
    for (std::uint32_t k = 0; k < island.frictions; ++k) {
      const std::uint32_t i = island.first_friction + k;
      const Friction& f = system_.frictions[i];
      const FrictionState& state = modes_.friction(i);
      if (!f.driven || f.stop != kNoIndex || state.direction != 0 || state.free) continue;
      const double most = static_force(J_, f, 0);
      if (most - J_[f.kinetic_row] <= kRounding * most) continue;
      const double jump = J_.at(1, f.free_row) - travel_before_jump_[i];
      const double size = std::max(J_.size(1, f.free_row), std::fabs(travel_before_jump_[i]));
      if (std::fabs(jump) > std::max(kJump * size, J_.rounding_of_instant(1, f.free_row))) {
        hints_[i].slid = direction_of(jump);
      }
    }
  }
}

// A prescribed motion whose speed jumps has taken what frictions held to no slip away from it:
// their forces have bounds, so the velocities stay. See slide_at_jumps.
void EventEngine::end_holds_at_jumps(double t, const SettleIsland& island,
                                     std::span<const double> x) {
  if (slip_before_jump_.empty()) return;
  if (!is_driven(system_, island.first_friction, island.frictions)) return;
  evaluate(t, x);
  for (std::uint32_t k = 0; k < island.frictions; ++k) {
    const std::uint32_t i = island.first_friction + k;
    const bool slides = modes_.friction(i).direction == 0 && hints_[i].slid != 0;
    if (system_.frictions[i].stop == kNoIndex && (slides || slip_jumps(i, x))) {
      hints_[i].ended = false;
    }
  }
}

}  // namespace luztar
