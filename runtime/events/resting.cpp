// Slips that end in an instant, exactly.
#include <algorithm>
#include <cmath>

#include "runtime/events/events.h"
#include "runtime/events/series_map.h"

namespace luztar {
namespace {

/// What is left of a velocity is rounding of what it was.
constexpr double kCancelled = 1e-12;

/// Velocities of the friction's bodies that are rounding of what they were in J become zero.
void clear_cancelled(const Friction& f, const Coefficients& J, std::span<double> x) {
  for (const ResponseEntry& entry : f.response) {
    if (std::fabs(x[entry.state]) <= kCancelled * std::fabs(J[entry.state])) x[entry.state] = 0;
  }
}

}  // namespace

// Of one without capacity: its slip goes through zero in this instant, but for rounding.
bool EventEngine::passes_rest(std::uint32_t i, std::span<double> x) {
  const Friction& f = system_.frictions[i];
  const double slip = std::fabs(J_[f.slip_row]);
  const bool passes =
      slip <= kCancelled * velocity_scale(f, x) || slip <= J_.rounding_of_instant(0, f.slip_row);
  if (passes && f.slip_state != kNoIndex) x[f.slip_state] = 0;
  return passes;
}

// Of one without capacity: others are at rest that its slip is a combination of, and what rounding
// of forces has made of it since the start is left. True when that has been taken out of the state.
bool EventEngine::is_held_by_others(double t, std::uint32_t i, std::span<double> x) {
  constexpr double kTiny = 1e-12;      // [rad/s, m/s]: others have moved
  constexpr double kRounding = 1e-12;  // of the rate
  const Friction& f = system_.frictions[i];
  const double slip = std::fabs(x[f.state()]);
  if (slip > kTiny || is_driven(system_, system_.islands[modes_.island_of(i)])) return false;
  if (slip > kRounding * J_.size(0, f.free_row) * std::fabs(t)) return false;
  std::vector<char> rests(rests_.size(), 0);
  for (std::uint32_t k = 0; k < rests.size(); ++k) {
    const FrictionState& state = modes_.friction(k);
    rests[k] = state.direction == 0 && !state.free && state.at_bound == 0 ? 1 : 0;
  }
  if (!modes_.depends_on(i, rests)) return false;
  x[f.state()] = 0;
  return true;
}

// What rounding left of the slip velocity is taken out in the mass metric.
void EventEngine::come_to_rest(std::uint32_t index, std::span<double> x) {
  const Friction& friction = system_.frictions[index];
  if (friction.stop != kNoIndex || modes_.settles(index)) return;
  if (friction.creep) return;
  if (friction.velocity_state != kNoIndex) {
    x[friction.velocity_state] = 0;
    return;
  }
  apply_impulse(index, x[friction.slip_state] / modes_.compliance(index), x);
  x[friction.slip_state] = 0;
}

// What is left of the slips at rest in an island is to be taken out of its velocities.
void EventEngine::stop_island(std::size_t island) {
  if (std::find(stopped_.begin(), stopped_.end(), island) == stopped_.end()) {
    stopped_.push_back(island);
  }
}

// One that falls exponentially may by now do so by less than the damping rises.
bool EventEngine::ends_at_rest(const Margin& margin) const {
  if (margin.kind == MarginKind::kSlip) return true;
  return margin.kind == MarginKind::kFall && margin.next < 0 &&
         modes_.fall_range(margin.index, J_).begin == 0;
}

// A switch that watches a slip may find it at zero a rounding before the slip's own margin does, as
// of a capacity by its size: they end together.
std::span<const FiredMargin> EventEngine::add_ending_slips(double t, std::span<const double> x,
                                                           std::span<const FiredMargin> fired) {
  constexpr double kSmall = 1e-10;  // [rad/s, m/s]: worth a look
  const bool any_switch = std::any_of(fired.begin(), fired.end(), [&](const FiredMargin& f) {
    return margins_[f.margin].kind == MarginKind::kSwitch;
  });
  if (!any_switch) return fired;
  with_slips_.assign(fired.begin(), fired.end());
  bool evaluated = false;
  for (std::uint32_t m = 0; m < margins_.size(); ++m) {
    const Margin& margin = margins_[m];
    if (margin.kind != MarginKind::kSlip || margin.zeros != 0 || modes_.is_massless(margin.index)) {
      continue;
    }
    const Friction& f = system_.frictions[margin.index];
    if (std::fabs(x[f.state()]) > kSmall) continue;
    const auto is_same = [&](const FiredMargin& other) { return other.margin == m; };
    if (std::any_of(fired.begin(), fired.end(), is_same)) continue;
    if (!evaluated) evaluate(t, x);
    evaluated = true;
    const double rate = margin.sign * J_.at(1, f.slip_row);
    if (rate >= 0 || std::fabs(J_[f.slip_row]) > J_.rounding_of_instant(0, f.slip_row)) continue;
    with_slips_.push_back({m, true, rate});
  }
  return with_slips_;
}

// Slips that are combinations of those at rest end with them, although rounding sets their roots
// apart. What rounding left of the slips at rest is taken out of the velocities.
void EventEngine::stop_together(double t, std::span<double> x, std::span<const FiredMargin> fired) {
  std::fill(rests_.begin(), rests_.end(), 0);
  stopped_.clear();
  for (const FiredMargin& f : fired) {
    const Margin& margin = margins_[f.margin];
    if (!ends_at_rest(margin) || modes_.settles(margin.index)) continue;
    if (modes_.is_massless(margin.index)) rests_[margin.index] = 1;
    stop_island(modes_.island_of(margin.index));
  }
  // What the errors of steps have made of the slip of a closed contact is no speed to part with.
  // Those of massless bodies follow at once, unless they hold bodies with inertia.
  for (const Stop& stop : system_.stops) {
    if (modes_.settles(stop.friction) || modes_.friction(stop.friction).contact == 0) continue;
    const std::size_t island = modes_.island_of(stop.friction);
    if (modes_.is_massless(stop.friction) && !system_.islands[island].bound) continue;
    stop_island(island);
  }
  if (stopped_.empty()) return;
  bool evaluated = false;
  if (creeps_) {
    evaluate(t, x);
    evaluated = true;
    find_ended();
  }
  for (const std::size_t index : stopped_) {
    const FrictionIsland& island = system_.islands[index];
    const Friction& first = system_.frictions[island.first];
    if (island.count == 1 && first.velocity_state != kNoIndex && !first.creep) {
      x[first.velocity_state] = 0;
      continue;
    }
    if (!evaluated) evaluate(t, x);
    evaluated = true;
    find_resting(island, x);
    rest_together(t, index, x);
  }
}

// Slips of massless bodies that end in this instant: by an event, or with those of bodies that they
// have come to move with, as far as rounding can tell. What has no rate in any order only tends to
// rest. By the mode before; rests_ has those that an event ends.
void EventEngine::find_ended() {
  for (std::uint32_t i = 0; i < hints_.size(); ++i) {
    const FrictionState& state = modes_.friction(i);
    if (!system_.frictions[i].creep || hints_[i].slid == 0 || state.at_bound != 0) continue;
    const std::uint32_t row = system_.frictions[i].slip_row;
    const bool fires = rests_[i] != 0;
    const bool ends =
        is_rounding_of_slip(system_.frictions[i], J_[row]) || ends_with_others(i) || passes_zero(i);
    if (!fires && !ends) continue;
    const std::int64_t k = std::max<std::int64_t>(coefficient_that_tells(row), fires ? 0 : 1);
    if (k > J_.highest()) continue;
    hints_[i].ended = fires || state.direction * J_.at(k, row) < 0;
  }
}

// As the slip of a body that comes to rest on one which tends to rest: steps have left that some
// speed where it has none, against the slip that the friction's force makes. A straight way to zero
// tells it from what dies out (f f''/f'^2, Kantorovich).
bool EventEngine::passes_zero(std::uint32_t i) {
  constexpr double kErrors = 1e-8, kStraight = 1e-2;
  const Friction& f = system_.frictions[i];
  const double slip = J_[f.slip_row], rate = J_.at(1, f.slip_row),
               bend = J_.highest() > 1 ? 2 * J_.at(2, f.slip_row) : 0;
  const bool is_straight = slip * rate < 0 && std::fabs(slip * bend) <= kStraight * rate * rate;
  if (!is_straight) return false;  // most are not: the tables of an island cost its square
  return std::fabs(slip) <= kErrors * (modes_.slip_by_force(i) * std::fabs(J_[f.kinetic_row]));
}

// Steps have left their errors between slips that are one: what those at rest hold it to has ended.
bool EventEngine::ends_with_others(std::uint32_t i) {
  const std::uint32_t row = system_.frictions[i].slip_row;
  if (std::fabs(J_[row]) > kErrorOfSteps * J_.size(0, row)) return false;
  std::vector<char> rests(rests_.begin(), rests_.end());
  for (std::uint32_t k = 0; k < rests.size(); ++k) {
    const FrictionState& state = modes_.friction(k);
    const bool held = state.direction == 0 && !state.free && state.at_bound == 0;
    if (held || hints_[k].at_rest) rests[k] = 1;
  }
  return modes_.depends_on(i, rests);
}

// With one that is at rest against a prescribed motion, others slip at its speed.
bool EventEngine::slips_with_motion(const Friction& f, std::span<const double> x) {
  const double slip = std::fabs(J_[f.slip_row]);
  return slip > kJump * velocity_scale(f, x) && !is_rounding_of_slip(f, slip);
}

void EventEngine::find_resting(const FrictionIsland& island, std::span<const double> x,
                               bool closing) {
  const std::uint32_t end = island.first + island.count;
  const bool driven = is_driven(system_, island);
  for (std::uint32_t i = island.first; i < end; ++i) {
    const FrictionState& state = modes_.friction(i);
    // Of an open stop the others say it.
    const bool open = state.free && system_.frictions[i].stop != kNoIndex;
    if (open && !modes_.is_massless(i)) hints_[i].at_rest = false;
    bool sticks = state.direction == 0 && !state.free;
    // At its bound it may slide, as the motion has it.
    if (driven && state.at_bound != 0 && slips_with_motion(system_.frictions[i], x)) sticks = false;
    if (closing && (hit_[i] != 0 || pushed_[i] != 0) && modes_.is_massless(i)) sticks = false;
    if (modes_.is_massless(i) ? sticks : hints_[i].at_rest) rests_[i] = 1;
  }
  for (std::uint32_t i = island.first; i < end; ++i) {
    if (hints_[i].at_rest || modes_.is_massless(i)) continue;
    if (rests_[i] == 0 && !modes_.depends_on(i, rests_)) continue;
    if (driven && modes_.moves_beside(i, rests_, J_)) continue;
    hints_[i].at_rest = true;
    rests_[i] = 1;
  }
}

// Takes out slips of frictions, of those from `first` on, that rest, where massless bodies follow
// what is left. Dust of a velocity would be one that these follow: what those at rest determine of
// the velocities is what they make of zero, so exactly zero where nothing is driven.
//   take_out   does it to given states
template <class TakeOut>
void EventEngine::take_out_exactly(std::uint32_t first, std::uint32_t count, std::span<double> x,
                                   TakeOut take_out) const {
  constexpr double kDetermined = 1e-9;
  const bool driven = is_driven(system_, first, count);
  std::vector<double> zero(x.begin(), x.end()), probe = zero;
  std::vector<std::uint32_t> states;
  for (std::uint32_t i = first; i < first + count; ++i) {
    for (const ResponseEntry& entry : system_.frictions[i].response) {
      states.push_back(entry.state);
      zero[entry.state] = 0;
      probe[entry.state] = std::cos(entry.state + 1.0);  // any that have nothing in common
    }
  }
  take_out(x);
  take_out(zero);
  take_out(probe);
  for (const std::uint32_t s : states) {
    if (std::fabs(probe[s] - zero[s]) <= kDetermined) x[s] = driven ? zero[s] : 0;
  }
}

// Takes what rounding left of all slips at rest out of the velocities at once. One by one, each
// would give dust back to bodies that others hold: 1e-18 of a velocity has a rate where there
// should be none, and a force exactly at its bound goes where that rate takes it.
void EventEngine::rest_together(double t, std::size_t index, std::span<double> x) {
  const FrictionIsland& island = system_.islands[index];
  std::vector<Eigen::Index> resting;
  for (std::uint32_t k = 0; k < island.count; ++k) {
    const Friction& f = system_.frictions[island.first + k];
    if (!hints_[island.first + k].at_rest) continue;
    // One of massless bodies follows at once, unless it holds bodies with inertia.
    if (f.creep && (!island.bound || rests_[island.first + k] == 0)) continue;
    resting.push_back(k);
  }
  if (resting.empty()) return;
  const bool exactly = hold_together(t, index, resting, x);
  for (const Eigen::Index k : resting) {
    const Friction& f = system_.frictions[island.first + static_cast<std::uint32_t>(k)];
    if (!exactly) clear_cancelled(f, J_, x);
    if (f.state() != kNoIndex) x[f.state()] = 0;
  }
  if (exactly) evaluate(t, x);
}

// Slips that J has for x are what great velocities of massless bodies leave, where there are such.
// Returns whether it took them out exactly: then J is of other states.
bool EventEngine::hold_together(double t, std::size_t index,
                                const std::vector<Eigen::Index>& resting, std::span<double> x) {
  const FrictionIsland& island = system_.islands[index];
  const bool exactly = island.bound && !is_driven(system_, island);
  if (!exactly) {
    take_out_slips(index, resting, x);
    return false;
  }
  take_out_exactly(island.first, island.count, x, [&](std::span<double> y) {
    evaluate(t, y);
    take_out_slips(index, resting, y);
  });
  return true;
}

// As J has them: those of `resting` members of an island.
void EventEngine::take_out_slips(std::size_t index, const std::vector<Eigen::Index>& resting,
                                 std::span<double> x) {
  const auto friction = [&](Eigen::Index k) {
    return system_.islands[index].first + static_cast<std::uint32_t>(k);
  };
  const bool jumps = is_driven(system_, system_.islands[index]) && !slip_before_jump_.empty();
  Eigen::VectorXd slips(static_cast<Eigen::Index>(resting.size()));
  for (std::size_t r = 0; r < resting.size(); ++r) {
    const std::uint32_t i = friction(resting[r]);
    double& slip = slips[static_cast<Eigen::Index>(r)];
    slip = J_[system_.frictions[i].slip_row];
    // The velocity of a prescribed motion may jump in this instant, and massless bodies with it;
    // an impact may have ended what there was before.
    if (jumps && std::fabs(slip_before_jump_[i]) < std::fabs(slip)) slip = slip_before_jump_[i];
  }
  const Eigen::VectorXd impulse = modes_.rest_impulse(index, resting, slips);
  const Gram& gram = modes_.gram(index);
  Eigen::VectorXd impulses = Eigen::VectorXd::Zero(gram.size()), gain = impulses;
  impulses(resting) = impulse;
  gram.add_product(impulses, -1, gain);
  for (Eigen::Index k = 0; k < gram.size(); ++k) {
    const Friction& f = system_.frictions[friction(k)];
    if (impulses[k] != 0) apply_impulse(friction(k), impulses[k], x);
    if (f.slip_state != kNoIndex) x[f.slip_state] += gain[k];  // of those that slip on, too
  }
}

// Of frictions in series on massless points: those that hold at this instant, by the mode before
// and by the slips that have just ended. What is left of the slips that no point can follow is
// taken out of the velocities.
void EventEngine::rest_in_series(double t, std::span<double> x,
                                 std::span<const FiredMargin> fired) {
  for (std::size_t k = 0; k < system_.settle_islands.size(); ++k) {
    const SettleIsland& island = system_.settle_islands[k];
    if (!island.bound) continue;
    note_holding(island);
    end_holds_at_jumps(t, island, x);
    const auto end = island.first_friction + island.frictions;
    for (const FiredMargin& f : fired) {
      const Margin& margin = margins_[f.margin];
      const bool own = margin.index >= island.first_friction && margin.index < end;
      if (margin.kind == MarginKind::kSlip && own) hints_[margin.index].ended = true;
    }
    rest_on_points(t, k, x);
  }
}

// By the present mode.
void EventEngine::note_holding(const SettleIsland& island) {
  for (std::uint32_t j = 0; j < island.frictions; ++j) {
    const FrictionState& state = modes_.friction(island.first_friction + j);
    // At its bound it has no slip in any order, although it slides.
    hints_[island.first_friction + j].ended =
        !state.free && (state.direction == 0 || state.at_bound != 0);
  }
}

void EventEngine::rest_on_points(double t, std::size_t index, std::span<double> x) {
  const SettleIsland& island = system_.settle_islands[index];
  evaluate(t, x);
  std::vector<Eigen::Index> resting;
  find_resting_in_series(index, x, resting);
  if (resting.empty()) return;
  for (const Eigen::Index r : resting) {
    const std::size_t i = island.first_friction + static_cast<std::size_t>(r);
    if (modes_.friction(i).at_bound == 0) hints_[i].slid = 0;
  }
  hold_on_points(t, index, resting, x);
  // Of a drive that turns back in this instant the rounding of that is left.
  for (const Eigen::Index r : resting) {
    const Friction& f = system_.frictions[island.first_friction + static_cast<std::size_t>(r)];
    if (f.velocity_state != kNoIndex) x[f.velocity_state] = 0;
  }
}

// J is of other states afterwards.
void EventEngine::hold_on_points(double t, std::size_t index,
                                 const std::vector<Eigen::Index>& resting, std::span<double> x) {
  const SettleIsland& island = system_.settle_islands[index];
  take_out_exactly(island.first_friction, island.frictions, x,
                   [&](std::span<double> y) { take_out_slips(t, index, resting, y); });
}

// Those of frictions at rest that no point can follow.
void EventEngine::take_out_slips(double t, std::size_t index,
                                 const std::vector<Eigen::Index>& resting, std::span<double> x) {
  const SettleIsland& island = system_.settle_islands[index];
  evaluate(t, x);
  Eigen::VectorXd slips(static_cast<Eigen::Index>(resting.size()));
  for (std::size_t r = 0; r < resting.size(); ++r) {
    const std::size_t i = island.first_friction + static_cast<std::size_t>(resting[r]);
    slips[static_cast<Eigen::Index>(r)] = J_[system_.frictions[i].slip_row];
  }
  const Eigen::VectorXd impulse = series_impulse(modes_.settle_numbers(index), resting, slips);
  for (std::uint32_t i = 0; i < island.frictions; ++i) {
    if (impulse[i] != 0) apply_impulse(island.first_friction + i, impulse[i], x);
  }
}

// With those that have ended others do whose slip is a combination of theirs.
void EventEngine::find_resting_in_series(std::size_t index, std::span<const double> x,
                                         std::vector<Eigen::Index>& resting) {
  const SettleIsland& island = system_.settle_islands[index];
  for (std::uint32_t i = 0; i < island.frictions; ++i) {
    if (hints_[island.first_friction + i].ended) resting.push_back(i);
  }
  const bool driven = is_driven(system_, island.first_friction, island.frictions);
  for (std::uint32_t i = 0; i < island.frictions; ++i) {
    FrictionHint& hint = hints_[island.first_friction + i];
    const FrictionState& state = modes_.friction(island.first_friction + i);
    if (hint.ended || state.free) continue;
    if (!follows_resting(modes_.settle_numbers(index), resting, i)) continue;
    const Friction& f = system_.frictions[island.first_friction + i];
    if (driven && slips_with_motion(f, x) && modes_.moves_beside(index, i, resting, J_)) continue;
    hint.ended = true;
    resting.push_back(i);
  }
  std::sort(resting.begin(), resting.end());
}

// Of what a slip is the difference of, which may be zero itself where a motion turns back.
bool EventEngine::is_rounding_of_slip(const Friction& f, double slip) {
  constexpr double kRounding = 1e-12;
  return std::fabs(slip) <= kRounding * J_.size(0, f.slip_row);
}

// Where all that it is the difference of is zero in this instant: what that makes of the rates.
double EventEngine::instant_of_slip(const Friction& f) {
  if (J_.highest() == 0) return 0;
  double rate = J_.size(1, f.slip_row);
  for (const ResponseEntry& entry : f.response) {
    rate = std::max(rate, std::fabs(J_.at(1, entry.state)));
  }
  return J_.rounding_of_instant(rate);
}

// What broke away in this instant has a direction now: coefficients of higher order are those of
// the new mode from here on, and say nothing about the breakaway.
void EventEngine::leave_rest(const FrictionIsland& island) {
  for (std::uint32_t i = island.first; i < island.first + island.count; ++i) {
    const FrictionState& state = modes_.friction(i);
    if (system_.frictions[i].stop != kNoIndex) {
      leave_stop(i);
      continue;
    }
    hints_[i].fall = 0;
    if (modes_.has_turned(i)) hints_[i].ended = true;
    if (state.direction == 0) continue;
    hints_[i].at_rest = false;
    hints_[i].slides_on = hints_[i].ended;
  }
}

}  // namespace luztar
