#include "runtime/events/island_decision.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "runtime/events/capacity.h"

namespace luztar {
namespace {

/// Nothing but its value at an instant has a say in it: R9 applies.
bool is_alone(const FrictionIsland& island, const Friction& friction) {
  return island.count == 1 && !island.bound && island.varying_gram.empty() && !friction.creep &&
         friction.stop == kNoIndex;
}

}  // namespace

IslandDecision::IslandDecision(const System& system, const FrictionIsland& island)
    : friction_(system.frictions.data() + island.first),
      size_(static_cast<Index>(island.count)),
      varying_gram_(island.varying_gram),
      varying_drag_(island.varying_drag),
      members_(island.count),
      rested_(island.count),
      driven_(is_driven(system, island)),
      is_alone_(luztar::is_alone(island, *friction_)) {
  at_rest_.reserve(island.count);
  for (auto body = island.snapping.begin(); body != island.snapping.end(); ++body) {
    const bool is_first = body == island.snapping.begin() || (body - 1)->network != body->network;
    if (is_first) snapping_.emplace_back();
    snapping_.back().push_back(
        {body->row, {body->frictions.begin(), body->frictions.end()}, std::size_t{body->own}});
  }
}

IslandDecision::Values IslandDecision::values_of(const Friction& f, const Coefficients& J) {
  return {J[f.free_row], J[f.kinetic_row], (J[f.reserve_row] + J[f.reserve_row + 1]) / 2};
}

double IslandDecision::free(Index i, Index k) const { return J_->at(k, friction_[i].free_row); }

double IslandDecision::kinetic(Index i, Index k) const {
  return J_->at(k, friction_[i].kinetic_row);
}

// T_K at the instant. A capacity that is just coming back may be below zero by the error of a step.
double IslandDecision::sliding_force(Index i) const { return std::max(kinetic(i, 0), 0.0); }

double IslandDecision::static_bound(Index i, Index k) const {
  const double value = capacity_at(*J_, friction_[i], k);
  return k == 0 ? value * (1 + tie_break_ * static_cast<double>(i + 1)) : value;
}

double IslandDecision::bound(Index i, Index k) const {
  const Member& m = members_[i];
  if (!m.slides) return static_bound(i, k);
  if (k == 0) return static_bound(i, 0) > 0 ? sliding_force(i) : 0.0;
  return kinetic(i, k);
}

// A capacity that is falling through zero lacks it from there on: the switch that ends its fall has
// an event of its own, a rounding later.
bool IslandDecision::lacks_capacity(Index i, Index k) const {
  Index j = 0;
  while (j < k && bound(i, j) == 0) ++j;
  return j == k || bound(i, j) < 0;
}

// The most that one which lacks capacity up to order k takes there.
double IslandDecision::returning_capacity(Index i, Index k) const {
  return lacks_capacity(i, k + 1) ? 0.0 : bound(i, k);
}

// T_K > 0 at the instant, or right after it.
bool IslandDecision::resists(Index i) const {
  for (Index k = 0; k <= J_->highest(); ++k) {
    const double value = kinetic_capacity_at(*J_, friction_[i], k);
    if (value != 0) return value > 0;
  }
  return false;
}

// T_K < T_S.
bool IslandDecision::drops(Index i) const {
  const double most = static_bound(i, 0);
  return most - sliding_force(i) > kRoundingOfForce * most;
}

// What creeps has a slip by the balance of forces, whose sign tells; at its bound there is none,
// and a force that follows the capacity through zero would give it one.
bool IslandDecision::is_free(std::size_t i) const {
  const auto index = static_cast<Index>(i);
  if (!members_[i].is_at_bound() && creeps(index)) return false;
  return lacks_capacity(index, J_->highest() + 1) &&
         !(members_[i].rest == Rest::kSlips && resists(index));
}

// One that slides with T_K < T_S, and whose slip is zero with all its derivatives, tends to rest
// and is never there: the system is analytic in a mode. T_K stays its bound, and it slides on as
// soon as something pushes it; what rounding makes of its slip does not tell.
bool IslandDecision::tends_to_rest(std::size_t i, std::int8_t direction) const {
  const auto index = static_cast<Index>(i);
  return members_[i].slides && members_[i].is_at_bound() && J_->highest() > 0 &&
         direction == members_[i].side && drops(index);
}

// A slip that a contact has ended is at rest, and no limit of one that dies out: the friction holds
// with T_S there. True when there is one.
bool IslandDecision::rest_on_contacts(std::span<const FrictionHint> hints,
                                      std::span<const FrictionState> states) {
  bool any = false;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (!hints[i].stopped || !tends_to_rest(i, states[i].direction)) continue;
    members_[i].slides = false;
    rested_[i] = 1;
    any = true;
  }
  return any;
}

bool IslandDecision::any_critical() const {
  return std::any_of(members_.begin(), members_.end(),
                     [](const Member& m) { return m.rest == Rest::kCritical; });
}

// Whether order k has something to tell. Of a massless body in series with others it is the slip
// that does, also of one that is kept at its bound: it slips when a prescribed motion takes along
// those that hold, or a body that breaks away, with the order at which that begins to move.
bool IslandDecision::is_undecided(Index k) const {
  const auto begins = [&](const Member& m) { return m.rest == Rest::kSlips && m.zeros >= k; };
  const bool moves = driven_ || std::any_of(members_.begin(), members_.end(), begins);
  for (Index i = 0; i < size_; ++i) {
    const Member& m = members_[i];
    if (m.rest == Rest::kSaturated && moves && matrices_->is_bound() && creeps(i)) return true;
    if (m.rest == Rest::kSlips && m.broke && m.zeros > k) return true;
  }
  return any_critical();
}

// Where forces have none at the instant, as a root has at zero, the next instant has to tell.
bool IslandDecision::has_series(Index k) const {
  for (Index i = 0; i < size_; ++i) {
    if (!std::isfinite(J_->at(k, rate_row(i)))) return false;
    const bool slips = members_[i].rest == Rest::kSlips;
    const double size = slips ? kinetic(i, k) : bound(i, k);
    // Where it holds, its root begins no more than its slip.
    if (std::isnan(size) || (std::isinf(size) && (slips || bound(i, 0) == 0))) return false;
  }
  return true;
}

void IslandDecision::find_at_rest() {
  at_rest_.clear();
  for (Index i = 0; i < size_; ++i) {
    if (members_[i].rest != Rest::kSlips) at_rest_.push_back(i);
  }
}

// Whether the coefficients of order k are those of what follows: nothing moves before that.
bool IslandDecision::rests_until(Index k) const {
  return std::none_of(members_.begin(), members_.end(), [&](const Member& m) {
    return m.rest == Rest::kSlips && m.zeros > 0 && m.zeros <= k;
  });
}

// A friction that broke away at a higher order moves earlier when others have dropped to T_K since:
// by more than what the event has left between its force and its bound. One that has dropped itself
// moves later where others hold it to what does not move yet.
void IslandDecision::review_zeros(Index k) {
  const auto zeros = static_cast<std::uint32_t>(k + 1);
  const bool tells = rests_until(k);
  for (Index i = 0; i < size_; ++i) {
    Member& m = members_[i];
    if (creeps(i) || m.rest != Rest::kSlips || m.zeros < zeros) continue;
    if (m.zeros == zeros && !m.broke) continue;
    const auto [residual, terms] = slip_rate(i);
    const double carried = at_rest_.empty() ? 0 : greatest_ * std::sqrt(matrices_->gram(i, i));
    if (tells && m.zeros == zeros &&
        std::fabs(residual) <= kRoundingOfRate * std::max(terms, carried)) {
      ++m.zeros;
    }
    if (m.zeros > zeros && std::fabs(residual) > kNear * terms) m.zeros = zeros;
  }
}

// `zeros`: leading coefficients of its slip, unless its force drops. True when that does so.
bool IslandDecision::break_away(Index i, Index zeros) {
  Member& m = members_[i];
  m.zeros = static_cast<std::uint32_t>(zeros);
  const bool dropped = m.contact == 0 && !m.slides && drops(i);
  if (dropped) m.zeros = creeps(i) ? 0 : 1;  // the drop of its force moves it at once
  if (dropped && creeps(i)) {
    m.slides = true;  // from now on, which way the others have a say in
  } else {
    m.rest = Rest::kSlips;
    m.slips_on = m.broke = dropped;
  }
  return dropped;
}

// The slip of a massless body that loads or others make jump from one side to the other goes
// through zero, where the friction may hold with T_S. One that follows the jump of a prescribed
// motion does not: a little inertia keeps the body its speed.
bool IslandDecision::crosses(Index i) const {
  const Member& m = members_[i];
  return creeps(i) && m.contact == 0 && m.slides && !m.crossed &&
         friction_[i].drive_row == kNoIndex && m.came * m.side < 0 && drops(i);
}

// What the solution makes of the member at rest r. True when it breaks away to a smaller force.
bool IslandDecision::read_member(Index k, Index r, const FrictionHint& hint) {
  const BoxMinimum& box = solution_.box;
  const Index i = at_rest_[r];
  Member& m = members_[i];
  auto side = static_cast<std::int8_t>(box.side[static_cast<std::size_t>(r)]);
  if (m.rest == Rest::kSaturated) side = m.side;
  if (side == 0 && m.contact != 0) {
    if (k == 0 && hint.at_bound != 0) side = side_of_contact(r);
  } else if (side == 0 && k > 0 && k < m.known_zeros) {
    // While it slides, what rounding leaves of its slip has rates of decay: those may be greater
    // than the rounding of rates which are zero where it was held.
    side = m.side;
  } else if (side == 0) {
    side = side_within_rounding(k, r, hint);
  }
  if (side == 0) {
    m.rest = Rest::kHeld;
    m.zeros = static_cast<std::uint32_t>(k);
    return false;
  }
  m.side = side;
  const double terms = unit(r) > 0 ? std::max(own_terms(r), size_of_rate(r)) : own_terms(r);
  const double left = rounding_of_end(i, k);
  const double least = k == 0 ? rounding_of_return(i) : 0;
  const double threshold = std::max({rounding_of_load(i, k) * terms, left, least});
  const bool slips_now = side * solution_.slip[r] > left;
  // The slip of a massless body follows from its own order, not from the rates of others.
  const bool by_rate = !(matrices_->is_bound() && creeps(i) && J_->highest() > 0);
  // But as it goes through zero with the bodies that it is between, it offers others no more.
  const bool passes = k == 0 && !by_rate && m.passes && !m.slides && drops(i);
  if (passes && side * box.residual[r] > threshold) {
    m.slides = true;
    return true;
  }
  if (slips_now || (by_rate && side * box.residual[r] > threshold)) {
    const bool at_once = matrices_->is_bound() ? slips_now : creeps(i);
    if (k == 0 && at_once && crosses(i)) {
      m.crossed = true;
      m.slides = false;
      return true;
    }
    return break_away(i, at_once ? k : k + 1);
  }
  if (m.rest != Rest::kSaturated) m.rest = Rest::kCritical;
  return false;
}

// True when order 0 is to be solved again: some break away to a smaller force, or turn out to be
// taken along. A slip that goes through zero does so in no time: the static force that it is
// offered there is none that others have to stand, too, before they do.
bool IslandDecision::read_members(Index k, std::span<const FrictionHint> hints) {
  std::vector<std::pair<Index, Member>> broke;  // with what they were before
  bool passes = false, follows = false;
  for (Index r = 0; r < static_cast<Index>(at_rest_.size()); ++r) {
    const Index i = at_rest_[r];
    const Member before = members_[i];
    if (k > 0 && before.rest == Rest::kHeld) continue;
    const bool dropped = read_member(k, r, hints[i]);
    Member& m = members_[i];
    if (k > 0 && before.creeps_on && !m.follows && m.rest == Rest::kHeld) {
      m.follows = follows = true;
    }
    if (!dropped) continue;
    broke.emplace_back(i, before);
    passes = passes || before.passes;
  }
  for (const auto& [i, before] : broke) {
    if (passes && !before.passes) members_[i] = before;
  }
  return follows || !broke.empty();
}

// The box problem of order k over the frictions at rest. True when order 0 is to be solved again:
// some broke away, or one is not kept at its bound.
bool IslandDecision::solve_order(Index k, std::span<const FrictionHint> hints) {
  parting_order_ = 0;
  if (varies()) forces_.resize(static_cast<std::size_t>(k));
  find_at_rest();
  find_sliding_forces(k);
  find_rates(k);
  if (!at_rest_.empty()) {
    bound_forces(k);
    solve_box(k);
    terms_.setZero(b_.size());
    gram_.add_sizes(solution_.box.force, terms_);
    leave_shifts();
    find_greatest();
    if (k > 0 && release_saturated(k)) return true;
  } else {
    shift_left_ = shift_;
  }
  if (varies()) {
    forces_.push_back(force_);
    if (!at_rest_.empty()) forces_.back()(at_rest_) = solution_.box.force;
  }
  if (matrices_->is_bound()) {
    rate_left_.setZero(size_);
    for (Index r = 0; r < static_cast<Index>(at_rest_.size()); ++r) {
      const double rate = solution_.box.residual[r];
      if (std::fabs(rate) > rounding_of_left(r)) rate_left_[at_rest_[r]] = rate;
    }
  }
  review_zeros(k);
  const bool broke = read_members(k, hints);
  // Forces that bounds alone make unique, too, are free as soon as one of them leaves its bound.
  if (any_critical()) saturate(k);
  return broke;
}

// Whoever broke away in the last round to a decision slips in the next one, with the force that the
// decision has ended with: the same values give the same result.
void IslandDecision::note_basis() {
  basis_.clear();
  if (matrices_->is_bound() || any_critical() || parting_order_ > 0 || push_.size() > 0) return;
  for (Index i = 0; i < size_; ++i) {
    if (creeps(i) || friction_[i].stop != kNoIndex || !(bound(i, 0) > 0)) return;
  }
  for (Index i = 0; i < size_; ++i) basis_.push_back(values_of(friction_[i], *J_));
}

bool IslandDecision::stands(const Coefficients& J) const {
  for (std::size_t i = 0; i < basis_.size(); ++i) {
    const Values now = values_of(friction_[i], J);
    if (now.free != basis_[i].free || now.kinetic != basis_[i].kinetic) return false;
    // The sum of two reserves: the force has cancelled but for rounding.
    if (std::fabs(now.bound - basis_[i].bound) > kRoundingOfForce * now.bound) return false;
  }
  return !basis_.empty();
}

// One that broke away together with others may not slip after all, as their forces have dropped,
// too, or as the others hold it: it is at rest again, once. True when there is one.
bool IslandDecision::return_to_rest() {
  const bool any = std::any_of(members_.begin(), members_.end(),
                               [](const Member& m) { return m.broke && !m.returned; });
  if (!any || matrices_->is_bound()) return false;
  find_at_rest();
  find_sliding_forces(0);
  find_rates(0);
  if (!at_rest_.empty()) {
    bound_forces(0);
    solve_box(0);
  }
  bool back = false;
  for (Index i = 0; i < size_; ++i) {
    Member& m = members_[i];
    if (!m.broke || m.returned || creeps(i)) continue;
    const auto [rate, size] = slip_rate(i);
    if (m.side * rate > kRoundingOfRate * size) continue;
    m.slips_on = m.broke = false;
    m.returned = back = true;
  }
  return back;
}

// The event has left the rate of the reserve of i as it was, and that tells.
bool IslandDecision::leaves_bound(Index i, const FrictionHint& hint) {
  constexpr double kSame = 1e-3;
  const std::uint32_t row = friction_[i].reserve_row + (hint.at_bound > 0 ? 1 : 0);
  const double before = hint.reserve_rate;
  return before < 0 && std::fabs(J_->at(1, row) - before) <= kSame * -before;
}

// One that alone has come to its bound leaves it by the rate of its force, as the others hold,
// where its slip does not depend on theirs. The rate of the slip may be small against the terms of
// all rates: those of the loads of a light body, which heavy ones follow. True when its force
// drops.
bool IslandDecision::leave_by_reserve(std::span<const FrictionHint> hints) {
  if (matrices_->is_bound() || parting_order_ > 0) return false;
  std::vector<Index> held;
  Index only = -1;
  for (Index i = 0; i < size_; ++i) {
    const Rest rest = members_[i].rest;
    if (rest == Rest::kSaturated || (rest == Rest::kCritical && only >= 0)) return false;
    if (rest == Rest::kCritical) only = i;
    if (rest == Rest::kHeld) held.push_back(i);
  }
  if (only < 0 || creeps(only) || members_[only].contact != 0) return false;
  const FrictionHint& hint = hints[only];
  if (hint.at_bound != members_[only].side || !leaves_bound(only, hint)) return false;
  return !depends_on_others(matrices_->gram, std::move(held), only) && break_away(only, 2);
}

// The only friction of the bodies that it acts on, by the stick-slip form R9: at rest x' = luz(y, b
// T_S). False where rounding, or coefficients of higher order, have a say.
bool IslandDecision::decide_alone(const FrictionHint& hint) {
  Member& m = members_.front();
  const Values now = values_of(*friction_, *J_);
  if (!(now.bound > 0)) return false;
  const double g = matrices_->gram(0, 0), load = std::fabs(now.free), most = g * now.bound;
  parting_order_ = 0;
  basis_.assign(1, now);
  if (m.rest == Rest::kSlips) {
    const double force = m.side * now.kinetic;
    const double rate = now.free - g * force;
    if (m.zeros > 1 && std::fabs(rate) > kNear * (load + g * std::fabs(force))) m.zeros = 1;
    return true;
  }
  const bool reached = hint.at_bound != 0 && most - hint.at_bound * now.free <=
                                                 J_->rounding_of_instant(0, friction_->free_row);
  const bool touches = reached || !(std::fabs(load - most) > kNear * (load + most));
  if (!touches && load < most) return true;
  if (touches && !leaves_bound(0, hint)) return false;
  m.rest = Rest::kSlips;
  m.side = touches ? hint.at_bound : direction_of(now.free);
  m.zeros = !touches || drops(0) ? 1 : 2;
  if (touches) basis_.clear();
  return true;
}

// True when that has to be done again.
bool IslandDecision::solve_orders(std::span<const FrictionHint> hints) {
  try {
    if (solve_order(0, hints)) return true;
    note_basis();
    if (leave_by_reserve(hints)) return true;
    for (Index k = 1; k <= J_->highest() && is_undecided(k) && has_series(k); ++k) {
      if (solve_order(k, hints)) return true;
    }
  } catch (const UnboundedMinimum&) {  // a prescribed motion closes in, or pushes
    if (!find_push()) throw;
    return true;
  }
  return false;
}

void IslandDecision::run(const IslandMatrices& matrices, Coefficients& J,
                         std::span<const FrictionHint> hints, std::span<const FrictionState> states,
                         std::span<const std::uint32_t> zeros) {
  matrices_ = &matrices;
  J_ = &J;
  any_reaches_ = std::any_of(hints.begin(), hints.end(),
                             [](const FrictionHint& hint) { return hint.at_bound != 0; });
  for (Index i = 0; i < size_; ++i) {
    const FrictionHint& hint = hints[i];
    const FrictionState& state = states[i];
    Member& m = members_[i];
    m = {};
    // Whatever other frictions did to it in earlier rounds of the same event.
    const bool slid = creeps(i) && (state.direction != 0 || hint.slid != 0);
    const bool rested = hint.ended || rested_[static_cast<std::size_t>(i)] != 0;
    m.slides = slid && (!rested || hint.slides_on);  // at rest it holds up to T_S
    m.slips_on = !hint.at_rest && (!creeps(i) || friction_[i].stop != kNoIndex);
    m.ended = hint.ended;
    m.passes = (creeps(i) ? hint.ended : hint.at_rest) && state.direction != 0;
    m.rest = m.slips_on ? Rest::kSlips : Rest::kHeld;
    if (m.slips_on) m.zeros = zeros[i];
    if (creeps(i) && state.direction != 0) m.known_zeros = zeros[i];
    const bool at_zero = hint.at_rest || m.known_zeros > 0;  // its slip
    if (driven_ && at_zero && state.direction != 0) m.dust = near_root(i);
    m.side = state.free ? hint.direction : state.direction;
    m.ahead = state.ahead;
    m.came = state.direction;
    if (friction_[i].stop != kNoIndex && hint.at_rest) m.contact = state.contact;
  }
  decided_alone_ = is_alone_ && decide_alone(hints.front());
  if (decided_alone_) return;
  if (jump(hints, states)) return;
  // Each round breaks at least one friction away, returns one, finds one that falls, or finds the
  // push of a prescribed motion: once, and the third once for an order.
  push_.resize(0);
  bool again = true;
  while (again) {
    // What let go because another one held with T_S may hold now that this one has dropped to T_K.
    for (Member& m : members_) {
      if (!m.slips_on) m.rest = Rest::kHeld;
    }
    again =
        solve_orders(hints) || return_to_rest() || find_push() || rest_on_contacts(hints, states);
  }
  for (SnappingNetwork& network : snapping_) leave_fall(network, states);
}

}  // namespace luztar
