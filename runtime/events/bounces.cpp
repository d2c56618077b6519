// Bounces at hard stops, and what ends them: gaps that are zero but for rounding.
#include <algorithm>
#include <cmath>

#include "runtime/events/events.h"
#include "runtime/numbers.h"

namespace luztar {
namespace {

/// Of the terms that a gap is made of.
constexpr double kRoundingOfGap = 64 * kEpsilon;

}  // namespace

// A light body bounces on its stop until a force presses it on, for a time that tends to zero; then
// the gap is zero. Without a force it tends to zero at best, and so it does without a loss, of the
// stop or of a damping. In the mode before: one that ends with the force has one until then.
void EventEngine::note_settled(double t, std::span<const double> x) {
  bool evaluated = false;
  for (const Stop& stop : system_.stops) {
    const std::uint32_t i = stop.friction;
    const FrictionState& state = modes_.friction(i);
    if (settled_[i] != 0 || state.free || state.contact == 0) continue;
    if (modes_.constants()[stop.restitution] == 1 && !creeps(system_.frictions[i])) continue;
    if (!evaluated) evaluate(t, x);
    evaluated = true;
    settled_[i] = is_zero_in_mode(system_.frictions[i].reserve_row) ? 0 : 1;
  }
}

bool EventEngine::is_zero_in_mode(std::uint32_t row) {
  constexpr double kRounding = 1e-12;
  for (std::int64_t k = 0; k <= J_.highest(); ++k) {
    if (std::fabs(J_.at(k, row)) > kRounding * J_.size(k, row)) return false;
  }
  return true;
}

// Of a stop: the side on which its gap is zero but for rounding. A body between two that close in
// on it hits them in turn, in no time; points touch by what their balance rounds.
std::int8_t EventEngine::side_that_touches(std::uint32_t i) {
  constexpr double kRoundingOfBalance = 1e-11;
  const Friction& f = system_.frictions[i];
  const double rounding = modes_.is_contact_of_points(i) ? kRoundingOfBalance : kRoundingOfGap;
  const std::uint32_t row = system_.stops[f.stop].gap_row;
  if (is_rounding_of_gap(f, J_[row], rounding)) return -1;
  return is_rounding_of_gap(f, J_[row + 1], rounding) ? 1 : 0;
}

bool EventEngine::has_no_play(const Friction& stop) {
  const std::uint32_t row = system_.stops[stop.stop].gap_row;
  return is_rounding_of_gap(stop, J_[row] + J_[row + 1], kRoundingOfGap);
}

bool EventEngine::is_rounding_of_gap(const Friction& stop, double height, double rounding) {
  const std::uint32_t row = system_.stops[stop.stop].gap_row;
  return height <= rounding * (J_.size(0, row) + J_.size(0, row + 1));
}

// A body that is pressed onto its stop bounces infinitely often in a finite time, 2u/(a(1 - e))
// after a rebound with speed u under the acceleration a. When that time is below a billionth of a
// second, or one bounce takes no longer than rounding of the time tells, they end here, and the
// contact closes. So it does when they no longer become smaller, as their height is rounding of the
// gap; where it loses nothing, and its bounces are next to nothing, as others have come to rest;
// and where there is no gap.
bool EventEngine::end_bounces(double t, std::span<double> x) {
  if (std::find(bounced_.begin(), bounced_.end(), 1) == bounced_.end()) return true;
  std::fill(rests_.begin(), rests_.end(), 0);
  evaluate(t, x);
  bool closed = false;
  for (std::size_t k = 0; k < system_.islands.size(); ++k) {
    const FrictionIsland& island = system_.islands[k];
    bool any = false;
    for (std::uint32_t i = island.first; i < island.first + island.count; ++i) {
      any = end_bounce(i, t) || any;
    }
    if (!any) continue;
    find_resting(island, x);
    rest_together(t, k, x);
    evaluate(t, x);
    turn_slips(island, x);
    closed = true;
  }
  for (std::size_t k = 0; k < system_.settle_islands.size(); ++k) {
    const SettleIsland& island = system_.settle_islands[k];
    bool any = false;
    for (std::uint32_t j = 0; j < island.frictions; ++j) {
      any = end_bounce(island.first_friction + j, t) || any;
    }
    if (!any) continue;
    note_holding(island);
    rest_on_points(t, k, x);
    evaluate(t, x);
    closed = true;
  }
  return !closed || settle(t, x);
}

// The last impacts of the bounces, which end here, turn slips: of a light body those of a rebound.
void EventEngine::turn_slips(const FrictionIsland& island, std::span<const double> x) {
  for (std::uint32_t i = island.first; i < island.first + island.count; ++i) {
    const Friction& f = system_.frictions[i];
    const FrictionState& state = modes_.friction(i);
    if (f.stop != kNoIndex || modes_.is_massless(i) || state.direction == 0) continue;
    const double slip = f.slip_state != kNoIndex ? x[f.slip_state] : J_[f.slip_row];
    const std::int8_t now = direction_of(slip);
    if (hints_[i].at_rest || now == 0 || now == state.direction) continue;
    hints_[i].direction = now;
    modes_.set_friction(i, {now, 0, false, 0});
  }
}

bool EventEngine::end_bounce(std::uint32_t i, double t) {
  constexpr double kShortest = 1e-9;       // [s]
  constexpr double kInstant = 1e-13;       // of the time
  constexpr double kLeastElastic = 1e-11;  // of the gap
  if (bounced_[i] == 0) return false;
  const Friction& f = system_.frictions[i];
  const double e = modes_.constants()[system_.stops[f.stop].restitution];
  const double u = -hit_[i] * J_[f.slip_row];
  const double a = hit_[i] * J_.at(1, f.slip_row);
  // The law takes the share e. Without it others alone make them smaller, until these rest.
  const bool rises = e == 1 || u >= 0.5 * (1 + e) * rebound_[i];
  const double least = e == 1 ? kLeastElastic : kRoundingOfGap;
  rebound_[i] = u;
  // One of massless bodies that is closed all the same: the rebound is rounding of their speeds.
  if (!has_no_play(f) && modes_.friction(i).free) {
    if (!(a > 0)) return false;
    const bool short_enough = 2 * u < std::max(kShortest * (1 - e), kInstant * std::fabs(t)) * a;
    if (!short_enough && !(rises && is_rounding_of_gap(f, u * u / (2 * a), least))) return false;
  }
  bounced_[i] = 0;
  close_contact(i, hit_[i]);
  return true;
}

}  // namespace luztar
