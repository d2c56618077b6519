// Frictions of massless bodies that fall with speed, or hold with more than they slide with: where
// the speed of these bodies goes when nothing holds them on the lines of the fall, or when it jumps
// (P3, Stribeck, in the limit M -> 0).
#include <algorithm>
#include <cmath>
#include <iterator>

#include "runtime/events/island_decision.h"

namespace luztar {
namespace {

/// A speed that has come this near by an event found late is the same.
constexpr double kLate = 1e-6;

}  // namespace

bool IslandDecision::is_open_contact(Index i) const {
  return friction_[i].stop != kNoIndex && members_[i].contact == 0;
}

// Slips by x, what the frictions of the island add to that of the first one. In balance
// x = -sum of G_1i s_i.
std::vector<SlipOnLine> IslandDecision::slips_on_line(const OneSpeed& body) const {
  std::vector<SlipOnLine> slips;
  const Index first = body.frictions.front();
  for (const Index i : body.acting) {
    SlipOnLine slip;
    slip.offset = free(i, 0);
    slip.weight = matrices_->creep_entry(first, i);
    slip.ratio = slip.weight / matrices_->creep_entry(first, first);
    slip.pushes = members_[i].contact;
    if (slip.pushes == 0) {
      slip.at_rest = falls(i) ? J_->at(0, friction_[i].at_rest_row) : sliding_force(i);
      slip.beyond = falls(i) ? J_->at(0, friction_[i].beyond_row) : slip.at_rest;
      slip.holds = static_bound(i, 0);
      slip.falls = matrices_->falls[static_cast<std::size_t>(i)];
      slip.decay = matrices_->decay[static_cast<std::size_t>(i)];
      slip.ahead = members_[i].ahead;
    }
    slips.push_back(slip);
  }
  return slips;
}

// What x is known to.
double IslandDecision::rounding_of_speed(const OneSpeed& body, const std::vector<SlipOnLine>& slips,
                                         double x) const {
  double size = std::fabs(x), terms = 0;
  for (std::size_t c = 0; c < slips.size(); ++c) {
    size += std::fabs(slips[c].weight) * slips[c].at_rest;
    const double own = J_->size(0, friction_[body.acting[c]].free_row);
    terms = std::max(terms, own / std::fabs(slips[c].ratio));
  }
  return kNear * size + kRoundingOfRate * terms;
}

// The way along x of a slip that has come to where its friction's fall bends, while nothing holds:
// 0 for none. One that decays has come to the end of its fall as near as the event: x is put there.
std::int8_t IslandDecision::way_at_bend(const OneSpeed& body, const std::vector<SlipOnLine>& slips,
                                        std::span<const FrictionHint> hints,
                                        std::span<const FrictionState> states, double& x) const {
  const auto holds = [&](Index i) { return states[i].direction == 0; };
  if (std::any_of(body.acting.begin(), body.acting.end(), holds)) return 0;
  std::vector<std::int8_t> side;
  for (const Index i : body.acting) side.push_back(states[i].direction);
  std::int8_t way = 0;
  for (std::size_t c = 0; c < slips.size(); ++c) {
    const Index i = body.acting[c];
    const FrictionState& state = states[i];
    if (hints[i].fall == 0 || state.direction != hints[i].slid) continue;
    if (slips[c].decay > 0) {
      const FallingEnd end = end_of_decay(slips, side, c);
      if (!end.is_fold) continue;
      x = end.x;
    }
    way = static_cast<std::int8_t>(hints[i].fall * state.direction);
    if (slips[c].ratio < 0) way = static_cast<std::int8_t>(-way);
  }
  return way;
}

void IslandDecision::take_lines(const OneSpeed& body, const NextBalance& end) {
  for (std::size_t c = 0; c < body.acting.size(); ++c) {
    members_[body.acting[c]].ahead = end.ahead[c];
  }
}

// The members as they are at the end of a way that has begun at x.
void IslandDecision::take(OneSpeed& body, const NextBalance& end, double x) {
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
void IslandDecision::stop_at_contacts(OneSpeed& body, const std::vector<SlipOnLine>& slips,
                                      double rounding, double& x) {
  for (const SlipOnLine& slip : slips) {
    const double at_stop = -slip.offset / slip.ratio;
    if (slip.pushes * slip.ratio * (x - at_stop) <= rounding * std::fabs(slip.ratio)) continue;
    body.speed += at_stop - x;
    x = at_stop;
  }
}

// From the speed before the event to the next balance. True when that is in another mode, in which
// the coefficients tell what follows.
bool IslandDecision::jump(OneSpeed& body, std::span<const FrictionHint> hints,
                          std::span<const FrictionState> states) {
  std::vector<SlipOnLine> slips = slips_on_line(body);
  const double slip = J_->at(0, friction_[body.frictions.front()].slip_row);
  const double speed = J_->at(0, body.row), offset = free(body.frictions.front(), 0);
  const double size =
      std::fabs(speed) + std::fabs(body.speed) + std::fabs(slip) + std::fabs(offset);
  double x = slip - offset;
  const bool jumps =
      std::fabs(body.speed - speed) > kLate * size + rounding_of_speed(body, slips, x);
  if (jumps) x += body.speed - speed;
  body.speed = jumps ? body.speed : speed;
  const double rounding = rounding_of_speed(body, slips, x);
  stop_at_contacts(body, slips, rounding, x);
  std::vector<char> resting;
  bool follows = !jumps;  // the states are those of x
  for (std::size_t c = 0; c < slips.size(); ++c) {
    const FrictionState& state = states[body.acting[c]];
    const bool was = state.direction == 0;
    const bool at_zero = std::fabs(slips[c].offset / slips[c].ratio + x) <= rounding;
    const bool rests = was && at_zero;
    // A slip that tends to zero is not there, and one that begins is beyond it.
    const double ahead = at_zero ? 2.0 * state.direction * rounding : 0;
    slips[c].offset += std::fabs(slips[c].ratio) * ahead;
    resting.push_back(rests ? 1 : 0);
    follows = follows && rests == was;
  }
  const std::int8_t way = way_at_bend(body, slips, hints, states, x);
  const NextBalance end = next_balance(slips, 0, x, resting, way, rounding);
  if (!end.moves && follows && way == 0) return false;
  bool changed = false;
  for (std::size_t c = 0; c < slips.size(); ++c) {
    const FrictionState& state = states[body.acting[c]];
    const bool opens = slips[c].pushes != 0 && end.side[c] != 0;
    const bool turns = slips[c].pushes == 0 && state.direction != end.side[c];
    changed = changed || opens || turns || state.ahead != end.ahead[c];
  }
  if (!changed) {
    body.speed += end.x - x;
    return false;
  }
  take(body, end, x);
  basis_.clear();
  return true;
}

// True when some are in another mode: the others stay in theirs until the coefficients are known.
bool IslandDecision::jump(std::span<const FrictionHint> hints,
                          std::span<const FrictionState> states) {
  std::vector<char> moved(speeds_.size(), 0);
  for (std::size_t s = 0; s < speeds_.size(); ++s) {
    OneSpeed& body = speeds_[s];
    body.acting.clear();
    std::copy_if(body.frictions.begin(), body.frictions.end(), std::back_inserter(body.acting),
                 [&](Index i) { return !is_open_contact(i); });
    moved[s] = jump(body, hints, states) ? 1 : 0;
  }
  if (std::find(moved.begin(), moved.end(), 1) == moved.end()) return false;
  std::vector<char> taken(members_.size(), 0);
  for (std::size_t s = 0; s < speeds_.size(); ++s) {
    for (const Index i : speeds_[s].frictions) taken[static_cast<std::size_t>(i)] = moved[s];
  }
  for (Index i = 0; i < size_; ++i) {
    const bool slips = creeps(i) && states[i].direction != 0;
    if (slips && taken[static_cast<std::size_t>(i)] == 0) members_[i].rest = Rest::kSlips;
  }
  return true;
}

// Where the last one that held has let go, the massless bodies go on to the next balance. What
// lies between is not in the coefficients: one that has slipped so far may hold there.
void IslandDecision::leave_fall(OneSpeed& body, std::span<const FrictionState> states) {
  std::vector<Index> broken;  // by place in body.acting
  for (std::size_t c = 0; c < body.acting.size(); ++c) {
    if (states[body.acting[c]].direction != 0) continue;
    if (members_[body.acting[c]].rest != Rest::kSlips) return;
    broken.push_back(static_cast<Index>(c));
  }
  if (broken.empty()) return;
  const std::vector<SlipOnLine> slips = slips_on_line(body);
  const auto way = [&](Index c) {
    const auto at = static_cast<std::size_t>(c);
    return static_cast<std::int8_t>(slips[at].ratio > 0 ? members_[body.acting[at]].side
                                                        : -members_[body.acting[at]].side);
  };
  const auto& held = slips[static_cast<std::size_t>(broken.front())];
  const double x = -held.offset / held.ratio, rounding = rounding_of_speed(body, slips, x);
  for (std::size_t c = 0; c < slips.size(); ++c) {  // at the same speed
    const bool rests = std::fabs(slips[c].offset / slips[c].ratio + x) <= rounding;
    if (rests && members_[body.acting[c]].rest != Rest::kSlips) return;
  }
  if (std::any_of(broken.begin(), broken.end(),
                  [&](Index c) { return way(c) != way(broken.front()); })) {
    return hold_one_side(body, slips, x, broken);
  }
  std::vector<char> resting(slips.size(), 0);
  for (const Index c : broken) resting[static_cast<std::size_t>(c)] = 1;
  const NextBalance end = next_balance(slips, 0, x, resting, way(broken.front()), rounding);
  if (!end.moves) return take_lines(body, end);
  take(body, end, x);
  basis_.clear();
}

// Bodies part that have held the massless ones together. Where a friction falls these do not stay
// between: they go with those on the side of the greater force; of equal ones, with the first.
void IslandDecision::hold_one_side(const OneSpeed& body, const std::vector<SlipOnLine>& slips,
                                   double x, std::span<const Index> broken) {
  double force = -x, size = std::fabs(x);
  bool any_falls = false;
  for (std::size_t c = 0; c < slips.size(); ++c) {
    const Index i = body.acting[c];
    const bool parts =
        std::find(broken.begin(), broken.end(), static_cast<Index>(c)) != broken.end();
    any_falls = any_falls || (parts && falls(i));
    const double own = slips[c].weight * (parts ? slips[c].at_rest : kinetic(i, 0));
    force -= own * members_[i].side;
    size += std::fabs(own);
  }
  if (!any_falls) return;
  const bool equal = std::fabs(force) <= kNear * size;
  for (const Index c : broken) {
    Member& m = members_[body.acting[static_cast<std::size_t>(c)]];
    const bool ahead = m.side * slips[static_cast<std::size_t>(c)].ratio * force < 0;
    if (equal ? c != broken.front() : !ahead) continue;
    m.rest = Rest::kHeld;
    m.side = 0;
    m.slides = m.slips_on = m.broke = false;
  }
}

}  // namespace luztar
