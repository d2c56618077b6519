// Impacts, bounces and contacts at hard stops.
#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/events/events.h"
#include "runtime/events/impact.h"
#include "runtime/pwl/box_minimum.h"

namespace luztar {

void EventEngine::start_stop(std::uint32_t i) {
  const Friction& f = system_.frictions[i];
  const std::uint32_t row = system_.stops[f.stop].gap_row;
  const double below = J_[row], above = J_[row + 1], slip = J_[f.slip_row];
  const double touching = 1e-12 * std::max(std::fabs(below), std::fabs(above));
  std::int8_t side = 0;
  if (above <= touching) side = 1;
  if (below <= touching && !(side == 1 && slip > 0)) side = -1;
  hints_[i].at_rest = false;
  modes_.set_friction(i, {0, 0, true, 0});
  if (side == 0 || modes_.is_contact_of_points(i)) return;
  hit_[i] = side;
  if (slip != 0 || f.creep) return;
  close_contact(i, side);
}

// Newton's law at the contacts hit in this instant, with all contacts that are closed. Those of
// massless bodies close without. False when prescribed motions close in on the contacts.
bool EventEngine::impact(double t, std::span<double> x) {
  for (std::uint32_t i = 0; i < system_.frictions.size(); ++i) {
    if (hit_[i] != 0 && system_.frictions[i].creep) close_contact(i, hit_[i]);
  }
  bool any = false;
  const auto evaluate_once = [&] {
    if (!any) evaluate(t, x);
    any = true;
  };
  for (std::size_t k = 0; k < system_.islands.size(); ++k) {
    const FrictionIsland& island = system_.islands[k];
    if (!is_hit(island.first, island.count)) continue;
    evaluate_once();
    if (!strike(island.first, modes_.gram(k), x)) return false;
  }
  for (std::size_t k = 0; k < system_.settle_islands.size(); ++k) {
    const SettleIsland& island = system_.settle_islands[k];
    if (!is_hit(island.first_friction, island.frictions)) continue;
    evaluate_once();
    if (!strike(island.first_friction, Gram(modes_.settle_numbers(k).gram), x)) return false;
  }
  return true;
}

void EventEngine::close_contact(std::uint32_t i, std::int8_t side) {
  hints_[i].at_rest = true;
  modes_.set_friction(i, {0, 0, false, side});
  contact_before_[i] = side;
}

bool EventEngine::is_hit(std::uint32_t first, std::uint32_t count) const {
  for (std::uint32_t i = first; i < first + count; ++i) {
    if (modes_.is_contact_of_points(i)) continue;  // follows at once
    if (hit_[i] != 0 && modes_.friction(i).free) return true;
  }
  return false;
}

void EventEngine::name_blocked(std::uint32_t first, std::size_t count) {
  for (std::uint32_t i = first; i < first + count; ++i) {
    const Friction& f = system_.frictions[i];
    if (f.stop == kNoIndex || (hit_[i] == 0 && modes_.friction(i).free)) continue;
    blocked_.push_back(f.name);
  }
}

// gram: of the frictions and stops from `first` on.
bool EventEngine::strike(std::uint32_t first, const Gram& gram, std::span<double> x) {
  const Eigen::Index n = gram.size();
  std::vector<std::int8_t> contacts(static_cast<std::size_t>(n));
  Eigen::VectorXd slip(n), restitution = Eigen::VectorXd::Zero(n);
  for (std::uint32_t k = 0; k < contacts.size(); ++k) {
    const std::uint32_t i = first + k;
    const Friction& f = system_.frictions[i];
    const FrictionState& state = modes_.friction(i);
    slip[k] = f.slip_state != kNoIndex ? x[f.slip_state] : J_[f.slip_row];
    if (f.stop == kNoIndex || f.creep || modes_.is_contact_of_points(i)) continue;
    // What rounding makes of the slip of a closed contact is no approach.
    if (!state.free && is_rounding_of_slip(f, slip[k])) slip[k] = 0;
    contacts[k] = hit_[i] != 0 ? hit_[i] : state.contact;
    if (contacts[k] == 0) contacts[k] = side_that_touches(f);
    restitution[k] = modes_.constants()[system_.stops[f.stop].restitution];
  }
  ImpactResult result;
  try {
    result = solve_impact(gram, contacts, slip, restitution);
  } catch (const UnboundedMinimum&) {
    name_blocked(first, contacts.size());
    return false;
  }
  for (std::uint32_t k = 0; k < contacts.size(); ++k) {
    if (result.impulse[k] != 0) apply_impulse(first + k, result.impulse[k], x);
  }
  for (std::uint32_t k = 0; k < contacts.size(); ++k) {
    follow_impact(first + k, slip[k], contacts[k], result.after[k], x);
  }
  return true;
}

void EventEngine::apply_impulse(std::uint32_t i, double impulse, std::span<double> x) {
  for (const ResponseEntry& entry : system_.frictions[i].response) {
    x[entry.state] -= impulse * modes_.response(entry, J_);
  }
}

// `side`: of a contact that takes part, else 0.
void EventEngine::follow_impact(std::uint32_t i, double slip, std::int8_t side, double after,
                                std::span<double> x) {
  const Friction& f = system_.frictions[i];
  // Points follow at once, where bodies let them.
  if (modes_.settles(i) && (f.stop == kNoIndex || modes_.is_contact_of_points(i))) {
    if (after == slip) return;
    hints_[i].ended = after == 0;
    if (after == 0) hints_[i].slid = 0;
    return;
  }
  if (f.slip_state != kNoIndex) x[f.slip_state] = after;
  if (after == 0 && f.velocity_state != kNoIndex) x[f.velocity_state] = 0;
  if (f.stop == kNoIndex) {
    if (f.creep) return;  // follows at once
    if (after == slip || (after == 0) == hints_[i].at_rest) {
      if (after == 0 || direction_of(after) == modes_.friction(i).direction) return;
    }
    hints_[i].at_rest = after == 0;
    if (after != 0) modes_.set_friction(i, {direction_of(after), 0, false, 0});
    return;
  }
  if (side == 0) return;
  if (hit_[i] != 0 && modes_.friction(i).free && side * slip > 0) ++impacts_[i];
  hit_[i] = side;
  hints_[i].at_rest = after == 0;
  if (modes_.settles(i)) hints_[i].ended = after == 0;
  modes_.set_friction(i, {0, 0, after != 0, after == 0 ? side : std::int8_t{0}});
  contact_before_[i] = modes_.friction(i).contact;
  bounced_[i] = after != 0 ? 1 : 0;
}

// Of a stop: the side on which its gap is zero but for rounding. A body between two that close in
// on it hits them in turn, in no time.
std::int8_t EventEngine::side_that_touches(const Friction& stop) {
  const std::uint32_t row = system_.stops[stop.stop].gap_row;
  if (is_rounding_of_gap(stop, J_[row])) return -1;
  return is_rounding_of_gap(stop, J_[row + 1]) ? 1 : 0;
}

bool EventEngine::has_no_play(const Friction& stop) {
  const std::uint32_t row = system_.stops[stop.stop].gap_row;
  return is_rounding_of_gap(stop, J_[row] + J_[row + 1]);
}

bool EventEngine::is_rounding_of_gap(const Friction& stop, double height) {
  constexpr double kRoundings = 64 * std::numeric_limits<double>::epsilon();
  const std::uint32_t row = system_.stops[stop.stop].gap_row;
  return height <= kRoundings * (J_.size(0, row) + J_.size(0, row + 1));
}

// A body that is pressed onto its stop bounces infinitely often in a finite time, 2u/(a(1 - e))
// after a rebound with speed u under the acceleration a. When that time is below a billionth of a
// second the bounces end here, and the contact closes. So it does when they no longer become
// smaller, as their height is rounding of the gap, and where there is no gap.
bool EventEngine::end_bounces(double t, std::span<double> x) {
  if (std::find(bounced_.begin(), bounced_.end(), 1) == bounced_.end()) return true;
  std::fill(rests_.begin(), rests_.end(), 0);
  evaluate(t, x);
  bool closed = false;
  for (std::size_t k = 0; k < system_.islands.size(); ++k) {
    const FrictionIsland& island = system_.islands[k];
    bool any = false;
    for (std::uint32_t i = island.first; i < island.first + island.count; ++i) {
      any = end_bounce(i) || any;
    }
    if (!any) continue;
    find_resting(island, x);
    rest_together(k, x);
    closed = true;
  }
  for (std::size_t k = 0; k < system_.settle_islands.size(); ++k) {
    const SettleIsland& island = system_.settle_islands[k];
    bool any = false;
    for (std::uint32_t j = 0; j < island.frictions; ++j) {
      any = end_bounce(island.first_friction + j) || any;
    }
    if (!any) continue;
    rest_on_points(t, k, x);
    evaluate(t, x);
    closed = true;
  }
  return !closed || settle(t, x);
}

bool EventEngine::end_bounce(std::uint32_t i) {
  constexpr double kShortest = 1e-9;  // [s]
  if (bounced_[i] == 0) return false;
  const Friction& f = system_.frictions[i];
  const double e = modes_.constants()[system_.stops[f.stop].restitution];
  const double u = -hit_[i] * J_[f.slip_row];
  const double a = hit_[i] * J_.at(1, f.slip_row);
  // The law takes the share e. Without it dry friction alone makes them smaller.
  const bool rises = e == 1 || u >= 0.5 * (1 + e) * rebound_[i];
  rebound_[i] = u;
  if (!has_no_play(f)) {
    if (!(a > 0)) return false;
    const bool short_enough = 2 * u < kShortest * a * (1 - e);
    if (!short_enough && !(rises && is_rounding_of_gap(f, u * u / (2 * a)))) return false;
  }
  bounced_[i] = 0;
  if (modes_.settles(i)) hints_[i].ended = true;
  close_contact(i, hit_[i]);
  return true;
}

}  // namespace luztar
