// Frictions of massless bodies that fall with speed, or hold with more than they slide with: where
// the speed of these bodies goes when nothing holds them on the lines of the fall, or when it jumps
// (P3, Stribeck, in the limit M -> 0).
#include <algorithm>
#include <cmath>

#include "runtime/events/island_decision.h"

namespace luztar {
namespace {

/// A speed that has come this near by an event found late is the same.
constexpr double kLate = 1e-6;

}  // namespace

bool IslandDecision::is_open_contact(Index i) const {
  return friction_[i].stop != kNoIndex && members_[i].contact == 0;
}

// Of its force alone.
FrictionLaw IslandDecision::law_of(Index i) const {
  FrictionLaw law;
  law.pushes = members_[i].contact;
  if (law.pushes != 0) return law;
  const auto capacity = [](double force) { return std::max(force, 0.0); };  // but for rounding
  law.at_rest = capacity(falls(i) ? J_->at(0, friction_[i].at_rest_row) : sliding_force(i));
  law.beyond = falls(i) ? capacity(J_->at(0, friction_[i].beyond_row)) : law.at_rest;
  law.holds = capacity(static_bound(i, 0));
  law.falls = matrices_->falls[static_cast<std::size_t>(i)];
  law.decay = matrices_->decay[static_cast<std::size_t>(i)];
  law.ahead = members_[i].ahead;
  return law;
}

// What the speed of the body makes of a slip of its own, by that of the first one.
double IslandDecision::ratio(const Snapping& body, Index i) const {
  const Index first = body.frictions.front();
  return matrices_->creep_entry(first, i) / matrices_->creep_entry(first, first);
}

// Slips by x, what the frictions of the island add to that of the first one. In balance
// x = -sum of G_1i s_i.
BodyBalance IslandDecision::balance_of(const Snapping& body) const {
  BodyBalance balance;
  const Index first = body.frictions.front();
  const auto n = static_cast<Index>(body.acting.size());
  for (const Index i : body.acting) {
    balance.frictions.push_back(
        {law_of(i), free(i, 0), ratio(body, i), matrices_->creep_entry(first, i)});
  }
  const auto own = static_cast<Index>(body.own_acting);
  Eigen::MatrixXd coupling = Eigen::MatrixXd::Zero(n, n);
  for (Index r = own; r < n; ++r) {
    for (Index c = own; c < n; ++c) {
      const Index i = body.acting[static_cast<std::size_t>(r)];
      const double whole = matrices_->creep_entry(i, body.acting[static_cast<std::size_t>(c)]);
      const double by_body = balance.frictions[static_cast<std::size_t>(r)].ratio *
                             balance.frictions[static_cast<std::size_t>(c)].weight;
      const double left = whole - by_body;
      const bool is_rounding = std::fabs(left) <= kRoundingOfRate * std::fabs(by_body);
      coupling(r, c) = is_rounding ? 0 : left;
    }
  }
  balance.coupling = coupling;
  return balance;
}

// What x is known to.
double IslandDecision::rounding_of_speed(const Snapping& body, const BodyBalance& balance,
                                         double x) const {
  double size = std::fabs(x), terms = 0;
  for (std::size_t c = 0; c < balance.frictions.size(); ++c) {
    const SlipOnLine& slip = balance.frictions[c];
    size += std::fabs(slip.weight) * slip.at_rest;
    if (c >= body.own_acting) continue;
    const double own = J_->size(0, friction_[body.acting[c]].free_row);
    terms = std::max(terms, own / std::fabs(slip.ratio));
  }
  return kNear * size + kRoundingOfRate * terms;
}

// x in J.
double IslandDecision::present_speed(const Snapping& body) const {
  const Index first = body.frictions.front();
  return J_->at(0, friction_[first].slip_row) - free(first, 0);
}

// By those of `acting` that rest.
bool IslandDecision::is_held(const Snapping& body, std::span<const char> rests) const {
  std::vector<Index> held;
  for (std::size_t c = 0; c < body.acting.size(); ++c) {
    if (rests[c] == 0) continue;
    if (c < body.own_acting) return true;
    held.push_back(body.acting[c]);
  }
  return !held.empty() &&
         depends_on_others(matrices_->creep_entries(), std::move(held), body.frictions.front());
}

// The way along x of a slip that has come to where its friction's fall bends, while nothing holds
// the body: 0 for none. One that decays has come to the end of its fall as near as the event: x is
// put there.
std::int8_t IslandDecision::way_at_bend(const Snapping& body, const BodyBalance& balance,
                                        std::span<const FrictionHint> hints,
                                        std::span<const FrictionState> states, double& x) const {
  std::vector<char> rests;
  for (const Index i : body.acting) rests.push_back(states[i].direction == 0 ? 1 : 0);
  if (is_held(body, rests)) return 0;
  std::int8_t way = 0;
  for (std::size_t c = 0; c < body.own_acting; ++c) {
    const Index i = body.acting[c];
    const FrictionState& state = states[i];
    if (hints[i].fall == 0 || state.direction != hints[i].slid) continue;
    const SlipOnLine& own = balance.frictions[c];
    if (own.decay > 0) {
      const double end = end_of_fall(J_->at(0, friction_[i].ahead_row + 1), own.decay);
      if (end == 0) continue;
      x = (state.direction * end - own.offset) / own.ratio;
    }
    way = static_cast<std::int8_t>(hints[i].fall * state.direction);
    if (own.ratio < 0) way = static_cast<std::int8_t>(-way);
  }
  return way;
}

void IslandDecision::take_lines(const Snapping& body, const NextBalance& end) {
  for (std::size_t c = 0; c < body.own_acting; ++c) members_[body.acting[c]].ahead = end.ahead[c];
}

// The members as they are at the end of a way that has begun at x.
void IslandDecision::take(Snapping& body, const NextBalance& end, double x) {
  body.speed += end.x - x;
  take_lines(body, end);
  for (std::size_t c = 0; c < body.acting.size(); ++c) {
    Member& m = members_[body.acting[c]];
    m.slides = m.slips_on = m.broke = false;
    m.side = end.side[c];
    m.rest = m.side != 0 ? Rest::kSlips : Rest::kHeld;
    m.zeros = 0;
    rested_[static_cast<std::size_t>(body.acting[c])] = m.side == 0 ? 1 : 0;
  }
}

// Massless bodies that hit a stop have its speed at once, whatever has held them so far.
void IslandDecision::stop_at_contacts(Snapping& body, const BodyBalance& balance, double rounding,
                                      double& x) {
  for (std::size_t c = 0; c < body.own_acting; ++c) {
    const SlipOnLine& slip = balance.frictions[c];
    const double at_stop = -slip.offset / slip.ratio;
    if (slip.pushes * slip.ratio * (x - at_stop) <= rounding * std::fabs(slip.ratio)) continue;
    body.speed += at_stop - x;
    x = at_stop;
  }
}

// The end is in another mode.
bool IslandDecision::changes(const Snapping& body, const NextBalance& end,
                             std::span<const FrictionState> states) const {
  bool changed = false;
  for (std::size_t c = 0; c < body.acting.size(); ++c) {
    const FrictionState& state = states[body.acting[c]];
    const bool pushes = members_[body.acting[c]].contact != 0;
    const bool opens = pushes && end.side[c] != 0;
    const bool turns = !pushes && state.direction != end.side[c];
    const bool bends = c < body.own_acting && state.ahead != end.ahead[c];
    changed = changed || opens || turns || bends;
  }
  return changed;
}

// The speed before the event, unless that is the same but for an event found late.
IslandDecision::Start IslandDecision::start_of(Snapping& body, std::span<const FrictionHint> hints,
                                               std::span<const FrictionState> states) {
  Start start{balance_of(body)};
  BodyBalance& balance = start.balance;
  double& x = start.x;
  const double speed = J_->at(0, body.row), offset = free(body.frictions.front(), 0);
  x = present_speed(body);
  const double size =
      std::fabs(speed) + std::fabs(body.speed) + std::fabs(x + offset) + std::fabs(offset);
  const bool jumps =
      std::fabs(body.speed - speed) > kLate * size + rounding_of_speed(body, balance, x);
  if (jumps) x += body.speed - speed;
  body.speed = jumps ? body.speed : speed;
  start.rounding = rounding_of_speed(body, balance, x);
  stop_at_contacts(body, balance, start.rounding, x);
  start.follows = !jumps;
  for (std::size_t c = 0; c < body.acting.size(); ++c) {
    SlipOnLine& slip = balance.frictions[c];
    const FrictionState& state = states[body.acting[c]];
    const bool was = state.direction == 0;
    if (c >= body.own_acting) {
      start.resting.push_back(was ? 1 : 0);
      continue;
    }
    const bool at_zero = std::fabs(slip.offset / slip.ratio + x) <= start.rounding;
    const bool rests = was && at_zero;
    // A slip that tends to zero is not there, and one that begins is beyond it, with that force.
    if (at_zero && state.direction != 0) {
      const double ahead = 2.0 * std::fabs(slip.ratio) * start.rounding;
      slip.offset += state.direction * ahead;
      slip.at_rest += slip.slope_at_rest() * ahead;
      slip.holds = std::max(slip.holds, slip.at_rest);
    }
    start.resting.push_back(rests ? 1 : 0);
    start.follows = start.follows && rests == was;
  }
  start.way = way_at_bend(body, balance, hints, states, x);
  return start;
}

// From the speed before the event to the next balance. True when that is in another mode, in which
// the coefficients tell what follows. Whether stops close in on the others is left to all forces.
bool IslandDecision::jump(Snapping& body, std::span<const FrictionHint> hints,
                          std::span<const FrictionState> states) try {
  const Start start = start_of(body, hints, states);
  const NextBalance end =
      next_balance(start.balance, 0, start.x, start.resting, start.way, start.rounding);
  if (!end.moves && start.follows && start.way == 0) return false;
  if (!changes(body, end, states)) {
    body.speed += end.x - start.x;
    return false;
  }
  take(body, end, start.x);
  basis_.clear();
  return true;
} catch (const UnboundedMinimum&) {
  return false;
}

// True when some are in another mode: the others stay in theirs until the coefficients are known.
bool IslandDecision::jump(std::span<const FrictionHint> hints,
                          std::span<const FrictionState> states) {
  std::vector<char> taken(members_.size(), 0);
  bool any = false;
  for (SnappingNetwork& network : snapping_) {
    for (Snapping& body : network) {
      body.acting.clear();
      for (std::size_t c = 0; c < body.frictions.size(); ++c) {
        if (!is_open_contact(body.frictions[c])) body.acting.push_back(body.frictions[c]);
        if (c + 1 == body.own) body.own_acting = body.acting.size();
      }
    }
    if (!jump(network, hints, states)) continue;
    any = true;
    for (const Index i : network.front().frictions) taken[static_cast<std::size_t>(i)] = 1;
  }
  if (!any) return false;
  for (Index i = 0; i < size_; ++i) {
    const bool slips = creeps(i) && states[i].direction != 0;
    if (slips && taken[static_cast<std::size_t>(i)] == 0) members_[i].rest = Rest::kSlips;
  }
  return true;
}

// Where the last one that held has let go, the massless bodies go on to the next balance. What
// lies between is not in the coefficients: one that has slipped so far may hold there.
void IslandDecision::leave_fall(Snapping& body, std::span<const FrictionState> states) {
  std::vector<char> rests, broken;  // by place in acting
  for (const Index i : body.acting) {
    const bool slips = members_[i].rest == Rest::kSlips;
    rests.push_back(slips ? 0 : 1);
    broken.push_back(slips && states[i].direction != members_[i].side ? 1 : 0);  // or turned round
  }
  std::vector<Index> own;  // places of those that have let go of the body itself
  for (std::size_t c = 0; c < body.own_acting; ++c) {
    if (broken[c] != 0) own.push_back(static_cast<Index>(c));
    if (states[body.acting[c]].direction == 0 && broken[c] == 0) return;
  }
  if (own.empty()) return leave_fall_beside(body, states, broken);
  if (is_held(body, rests) && body.own_acting < body.acting.size()) return;
  const BodyBalance balance = balance_of(body);
  const std::vector<SlipOnLine>& slips = balance.frictions;
  const auto way = [&](Index c) {
    const auto at = static_cast<std::size_t>(c);
    return static_cast<std::int8_t>(slips[at].ratio > 0 ? members_[body.acting[at]].side
                                                        : -members_[body.acting[at]].side);
  };
  const auto& held = slips[static_cast<std::size_t>(own.front())];
  const double x = -held.offset / held.ratio, rounding = rounding_of_speed(body, balance, x);
  for (std::size_t c = 0; c < body.own_acting; ++c) {  // at the same speed
    const bool at_zero = std::fabs(slips[c].offset / slips[c].ratio + x) <= rounding;
    if (at_zero && rests[c] != 0) return;
  }
  if (std::any_of(own.begin(), own.end(), [&](Index c) { return way(c) != way(own.front()); })) {
    return hold_one_side(body, balance, x, own);
  }
  std::vector<char> resting = broken;
  for (std::size_t c = body.own_acting; c < broken.size(); ++c) {
    resting[c] = states[body.acting[c]].direction == 0 ? 1 : 0;
  }
  const NextBalance end = next_balance(balance, 0, x, resting, way(own.front()), rounding);
  if (!end.moves) return take_lines(body, end);
  take(body, end, x);
  basis_.clear();
}

// The same where a friction of another body has let go, which has held the body, or has kept the
// damping rising by more than its frictions fall.
void IslandDecision::leave_fall_beside(Snapping& body, std::span<const FrictionState> states,
                                       std::span<const char> broken) {
  const auto let_go = std::find(broken.begin(), broken.end(), 1);
  if (let_go == broken.end()) return;
  std::vector<char> rested, rests;
  for (const Index i : body.acting) {
    rested.push_back(states[i].direction == 0 ? 1 : 0);
    rests.push_back(members_[i].rest == Rest::kSlips ? 0 : 1);
  }
  if (is_held(body, rests)) return;
  const BodyBalance balance = balance_of(body);
  const double x = present_speed(body), rounding = rounding_of_speed(body, balance, x);
  for (std::size_t c = 0; c < rested.size(); ++c) {  // or has let go earlier in this instant
    const SlipOnLine& slip = balance.frictions[c];
    if (std::fabs(slip.offset / slip.ratio + x) <= rounding) rested[c] = 1;
  }
  const auto first = static_cast<std::size_t>(let_go - broken.begin());
  const std::int8_t way = way_of_release(balance, rested, first, members_[body.acting[first]].side);
  if (way == 0) return;
  const NextBalance end = next_balance(balance, 0, x, rested, way, rounding);
  if (!end.moves) return take_lines(body, end);
  take(body, end, x);
  basis_.clear();
}

// Bodies part that have held the massless ones together. Where frictions fall by more than the
// damping rises these do not stay between: they go with those on the side of the greater force; of
// equal ones, with the first.
void IslandDecision::hold_one_side(const Snapping& body, const BodyBalance& balance, double x,
                                   std::span<const Index> broken) {
  const std::vector<SlipOnLine>& slips = balance.frictions;
  double force = -x, size = std::fabs(x), fall = 0;
  bool any_falls = false;
  for (std::size_t c = 0; c < slips.size(); ++c) {
    const Index i = body.acting[c];
    const bool parts =
        std::find(broken.begin(), broken.end(), static_cast<Index>(c)) != broken.end();
    any_falls = any_falls || (parts && falls(i));
    if (parts && falls(i)) fall += slips[c].fall_at_rest();
    const double own = slips[c].weight * (parts ? slips[c].at_rest : kinetic(i, 0));
    force -= own * members_[i].side;
    size += std::fabs(own);
  }
  if (!any_falls) return;
  const bool equal = std::fabs(force) <= kNear * size;
  if (equal && fall < 1) {
    for (const Index c : broken) {
      const auto at = static_cast<std::size_t>(c);
      members_[body.acting[at]].ahead = slips[at].parts_above(0);
    }
    return;
  }
  for (const Index c : broken) {
    Member& m = members_[body.acting[static_cast<std::size_t>(c)]];
    const bool ahead = m.side * slips[static_cast<std::size_t>(c)].ratio * force < 0;
    if (equal ? c != broken.front() : !ahead) continue;
    m.hold();
  }
}

}  // namespace luztar
