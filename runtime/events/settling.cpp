// Where the points of a settle island are, and what is left for their rates to decide.
#include "runtime/events/settling.h"

#include <utility>

#include "runtime/events/settling_decision.h"
#include "runtime/pwl/box_minimum.h"
#include "runtime/pwl/decompositions.h"

namespace luztar {

SettlingDecision::SettlingDecision(const SettleNumbers& numbers, const SettleDrives& drives,
                                   const SettleHints& hints, SettleMaps& maps, SettleState& state,
                                   SettleZeros& zeros, Settling way)
    : n_(numbers),
      d_(drives),
      hints_(hints),
      maps_(maps),
      state_(state),
      zeros_(zeros),
      way_(way),
      load_(drives.load),
      orders_(drives.load.cols() - 1),
      start_(state.position),
      spring_(static_cast<std::size_t>(numbers.springs())),
      side_(spring_.size()),
      touched_(spring_.size()),
      pressed_(spring_.size()),
      rest_(static_cast<std::size_t>(numbers.frictions())),
      bound_(rest_.size()),
      broken_(rest_.size()),
      slow_(rest_.size()),
      returned_(rest_.size()),
      leads_(rest_.size()),
      turned_(rest_.size()),
      contact_(rest_.size()),
      element_(rest_.size()),
      vanishes_(rest_.size()),
      from_(rest_.size(), 1),
      carries_(rest_.size()) {
  zeros_.edge.assign(spring_.size(), 0);
  zeros_.side.assign(spring_.size(), 0);
  zeros_.friction.assign(rest_.size(), 0);
  zeros_.contact.assign(rest_.size(), 0);
  for (Index i = 0; i < n_.frictions(); ++i) {
    if (n_.is_bound() && !is_contact(i)) contact_[at(i)] = hints_.contact[at(i)];
    const std::int8_t direction = state_.friction[at(i)].direction;
    broken_[at(i)] = slides_on(i) ? direction : hints_.slid[at(i)];
  }
  find_vanishing();
  if (n_.is_bound() && orders_ > 0) series_.emplace(n_, d_, hints_.rests);
  if (lets_go()) clear_near_roots();
}

// A capacity that comes back, or goes, is zero in this instant when it is no more than what
// rounding leaves of the forces on its points.
void SettlingDecision::find_vanishing() {
  const auto on_points = n_.directions.bottomRows(n_.frictions()).cwiseAbs();
  VectorXd size;
  for (Index i = 0; i < n_.frictions(); ++i) {
    const bool varies = orders_ > 0 && !d_.bound.row(i).tail(orders_).isZero(0.0);
    if (!varies || is_contact(i) || !(d_.bound(i, 0) > 0)) continue;
    if (size.size() == 0) {
      size = size_of_forces() + load_.col(0).cwiseAbs() + on_points.transpose() * d_.bound.col(0);
    }
    vanishes_[at(i)] = d_.bound(i, 0) <= kRoundingOfForce * on_points.row(i).dot(size) ? 1 : 0;
  }
}

bool SettlingDecision::run() {
  // Each round breaks a friction away, or takes points across their play.
  for (bool again = true; again;) {
    again = false;
    if (!solve_positions(again)) return false;
    const Index begins = again || crossings_ > 0 ? 0 : later_load();
    if (begins > 0 && cross_play(begins)) {
      again = true;
      continue;
    }
    for (Index k = 1; k <= orders_ && !again && open(); ++k) {
      if (solve_order(k, again)) continue;
      if (!cross_play(k)) return false;
      again = true;
    }
    again = again || return_to_rest();
  }
  find_leaders();
  finish();
  return true;
}

// Nothing that acts on the points moves: coefficients that are zero as such, not but for rounding
// as those of what tends to rest.
bool SettlingDecision::is_still() const {
  const auto rests = [](const MatrixXd& rows) {
    return rows.cols() < 2 || rows.rightCols(rows.cols() - 1).isZero(0.0);
  };
  return !n_.is_bound() && rests(d_.spring) && rests(d_.travel) && rests(d_.load);
}

// What has slid in a jump of this instant, and has no rate in any order, is at rest where that
// ends: it holds up to T_S from there on, which shares of forces that are not unique follow. So is
// what has slid before it where all is still. True when there is one: once for each.
bool SettlingDecision::return_to_rest() {
  bool any = false;
  for (Index i = 0; orders_ > 0 && i < n_.frictions(); ++i) {
    const bool stays = rest_[at(i)] == Rest::kCritical && contact(i) == 0 && holds_more(i);
    if (!stays || returned_[at(i)] != 0 || broken_[at(i)] == 0) continue;
    if (slides_on(i) && !is_still()) continue;
    broken_[at(i)] = 0;
    returned_[at(i)] = 1;
    any = true;
  }
  return any;
}

// It has slid before this instant, and has not come to rest in it.
bool SettlingDecision::slides_on(Index i) const {
  return state_.friction[at(i)].direction != 0 && !rests(i);
}

// Its force follows its deflection, on one side at least.
bool SettlingDecision::carries(Index i) const {
  const Spring own = spring_[at(i)];
  if (own == Spring::kDead || own == Spring::kRidesInside || n_.stiffness[i] == 0) return false;
  const SpringLimit* end = limit(i);
  if (!end) return true;
  const Spring next = spring_[at(end->next)];
  return next != Spring::kActive && next != Spring::kRides;
}

// Of SettleNumbers::directions: what holds points, by springs at their edges or without these.
std::vector<SettlingDecision::Index> SettlingDecision::holding_rows(bool with_edges) const {
  std::vector<Index> rows;
  for (Index i = 0; i < n_.springs(); ++i) {
    if (carries(i) && (with_edges || spring_[at(i)] != Spring::kEdge)) rows.push_back(i);
  }
  for (Index i = 0; i < n_.frictions(); ++i) {
    const bool holds = rest_[at(i)] == Rest::kStuck || rest_[at(i)] == Rest::kCritical;
    if (holds) rows.push_back(n_.springs() + i);
  }
  return rows;
}

// Nothing keeps a point from where a load may take it that is still zero.
bool SettlingDecision::is_loose() const {
  const std::vector<Index> held = holding_rows(true);
  const bool pulled =
      !load_.isZero(0.0) || std::find(rest_.begin(), rest_.end(), Rest::kSlips) != rest_.end();
  if (!pulled || held.empty()) return pulled;
  return rank(n_.directions(held, Eigen::all), kDependent) < n_.points();
}

std::optional<Settled> SettlingDecision::solve(const Elements& e) const {
  SettleProblem problem;
  problem.rows = n_.directions(e.member, Eigen::all);
  problem.compliance = to_vector(e.compliance);
  problem.lower = to_vector(e.lower);
  problem.upper = to_vector(e.upper);
  problem.offset = to_vector(e.offset);
  problem.load = e.load;
  problem.start = e.start;
  problem.weight = n_.weight;
  problem.offset_size = to_vector(e.terms);
  problem.load_size = e.load_terms.cwiseMax(e.load.cwiseAbs());
  return settle(std::move(problem), maps_);
}

// Order 0: positions. Travels count from where the points were.
SettlingDecision::Elements SettlingDecision::elements_of_positions() {
  Elements e;
  e.load = load_at_positions();
  e.load_terms = load_.col(0).cwiseAbs();
  e.start = start_;
  for (Index i = 0; i < n_.springs(); ++i) {
    const double u = d_.spring(i, 0), b = n_.half_freeplay[i], greatest = n_.greatest_force(i);
    if (is_linear(i)) {
      e.add(i, compliance(i), -greatest, greatest, u, std::fabs(u));
    } else {
      e.add(i, compliance(i), 0, greatest, u - b, std::fabs(u) + b);
      e.add(i, compliance(i), acts_on(i, -1) ? -greatest : 0, 0, u + b, std::fabs(u) + b);
    }
  }
  for (Index i = 0; i < n_.frictions(); ++i) add_friction(i, e);
  return e;
}

void SettlingDecision::add_friction(Index i, Elements& e) {
  const Index row = n_.springs() + i;
  const double u = d_.travel(i, 0);
  // The way since the last instant, which rounding and the errors of steps leave alone.
  const double way = u - state_.travel[i] - n_.directions.row(row).dot(start_);
  const double size = std::fabs(u) + std::fabs(state_.travel[i]) +
                      n_.directions.row(row).cwiseAbs().dot(start_.cwiseAbs());
  element_[at(i)] = static_cast<Index>(e.member.size());
  if (is_contact(i)) {  // a freeplay spring without compliance
    for (const int side : {1, -1}) {
      const bool touches = crossings_ == 0 && hints_.contact[at(i)] == side;
      const double shift = touches ? way : u - side * d_.half_gap[i];
      e.add(row, 0, side > 0 ? 0 : -kInfinity, side > 0 ? kInfinity : 0, shift,
            size + d_.half_gap[i]);
    }
    return;
  }
  const int side = contact(i);
  const bool free = side == 0 && d_.bound.row(i).cwiseAbs().maxCoeff() == 0;
  rest_[at(i)] = free ? Rest::kFree : Rest::kStuck;
  if (free) {
    element_[at(i)] = -1;
    return;
  }
  const double t = std::max(bound(i, 0), 0.0);
  const double lower = side > 0 ? 0 : side < 0 ? -kInfinity : -t;
  const double upper = side < 0 ? 0 : side > 0 ? kInfinity : t;
  e.add(row, 0, lower, upper, way, size);
}

bool SettlingDecision::solve_positions(bool& again) {
  const Elements e = elements_of_positions();
  auto solution = solve(e);
  if (!solution) return false;
  carries_.assign(rest_.size(), 0);
  press_ = VectorXd::Zero(n_.points());
  find_contacts(e, *solution);
  distribute(0, e, *solution);
  state_.position = solution->position;
  std::size_t j = 0;
  for (Index i = 0; i < n_.springs(); ++i) {
    spring_[at(i)] = Spring::kActive;
    if (is_linear(i)) {
      ++j;
      continue;
    }
    classify_spring(i, e, j, *solution);
    j += 2;
  }
  for (Index i = 0; i < n_.frictions(); ++i) {
    state_.force[i] = 0;
    if (rest_[at(i)] == Rest::kFree) continue;
    again = classify_friction(i, e, place_of(i), *solution) || again;
    note_bound(i, 0);
  }
  loose_ = is_loose();
  return true;
}

// Of a spring that carries on this side up to an instant in which something else happens: what is
// left of that, but for the rounding of positions alone, has not come to its edge.
double SettlingDecision::strain_left(Index i, int side, const Elements& e, std::size_t j,
                                     const Settled& s) const {
  const bool carries = state_.zone[at(i)] == side && state_.riding[at(i)] == 0;
  if (!carries || hints_.edge[at(i)] != 0 || crossings_ > 0) return 0;
  const double x = plain_argument(e, j, s);
  return side * x > kRoundingOfForce * s.size[static_cast<Index>(j)] ? x : 0.0;
}

// Its elements are j (from above) and j + 1.
void SettlingDecision::classify_spring(Index i, const Elements& e, std::size_t j,
                                       const Settled& s) {
  spring_[at(i)] = Spring::kDead;
  for (const int side : {1, -1}) {
    if (!acts_on(i, side)) continue;
    const std::size_t element = side > 0 ? j : j + 1;
    double x = argument(e, element, s);
    if (x == 0) x = strain_left(i, side, e, element, s);
    // A load that goes through zero may have taken points away from the edge.
    const bool reached = crossings_ == 0 && hints_.edge[at(i)] == side &&
                         std::fabs(x) <= kRoundingOfTurn * s.size[static_cast<Index>(element)];
    const bool touched = touched_[at(i)] == side &&
                         std::fabs(x) <= kRoundingOfRoot * s.size[static_cast<Index>(element)];
    if (x == 0 || reached || touched) {
      // A load that is still zero keeps points there, wherever the edge moves.
      const bool pressed = touched_[at(i)] == side && pressed_[at(i)] != 0;
      spring_[at(i)] = pressed ? Spring::kRides : Spring::kEdge;
    } else if (side * x > 0) {
      spring_[at(i)] = Spring::kActive;
    } else {
      continue;
    }
    side_[at(i)] = static_cast<std::int8_t>(side);
    return;
  }
}

// Where points are at the gaps of their contacts.
void SettlingDecision::find_contacts(const Elements& e, const Settled& s) {
  for (const Index i : n_.contacts) {
    contact_[at(i)] = 0;
    rest_[at(i)] = Rest::kFree;
    for (const std::int8_t side : {std::int8_t{1}, std::int8_t{-1}}) {
      const std::size_t j = at(element_[at(i)]) + (side > 0 ? 0 : 1);
      if (argument(e, j, s) != 0) continue;
      const bool touches = hints_.contact[at(i)] == 0 && s.force[static_cast<Index>(j)] == 0;
      if (touches && way_ == Settling::kTouchingOpen) continue;
      if (contact_[at(i)] != 0 && s.force[static_cast<Index>(j)] == 0) continue;
      contact_[at(i)] = side;
      rest_[at(i)] = Rest::kStuck;
    }
  }
}

// Without force it may open.
void SettlingDecision::classify_contact(Index i, const Elements& e, std::size_t j,
                                        const Settled& s) {
  const double force = s.force[static_cast<Index>(j)];
  double rounding = rounding_of_force(0, e, s);
  if (series_) rounding += series_->rounding_of_force(0);
  const bool touches = hints_.bound[at(i)] != 0;
  const double near =
      std::max(touches ? kReachesBound * s.force.lpNorm<Eigen::Infinity>() : 0, rounding);
  state_.force[i] = force;
  if (contact(i) * force > near) return;
  bound_[at(i)] = static_cast<std::int8_t>(-contact(i));
  rest_[at(i)] = Rest::kCritical;
  state_.force[i] = 0;
}

// True when it broke away and its force drops.
bool SettlingDecision::classify_friction(Index i, const Elements& e, std::size_t j,
                                         const Settled& s) {
  if (contact(i) != 0) {
    classify_contact(i, e, j, s);
    return false;
  }
  const double force = s.force[static_cast<Index>(j)];
  const double t = e.upper[j];
  const double travel = s.excess[static_cast<Index>(j)];
  // What slides has been at its bound so far.
  const bool touches = hints_.bound[at(i)] != 0 || broken_[at(i)] != 0;
  // A capacity that has just come back is less than the rounding of the other forces.
  const double near =
      touches ? std::max(kReachesBound * t, rounding_of_force(0, e, s)) : kRounding * t;
  state_.force[i] = force;
  if (slow_[at(i)] != 0 || std::fabs(force) < t - near) return false;
  // Without capacity at this instant, but not for ever, it is at both bounds; where rounding does
  // not tell them apart, the event does.
  const bool known = hints_.bound[at(i)] != 0 && t > 0 && t + std::fabs(force) <= near;
  bound_[at(i)] = known ? hints_.bound[at(i)] : sign_of(t > 0 ? force : travel);
  rest_[at(i)] = Rest::kCritical;
  state_.force[i] = bound_[at(i)] * t;
  if (travel == 0) return false;
  if (n_.rest_speed.contains(i) && broken_[at(i)] == -bound_[at(i)] && !turned_[at(i)]) {
    broken_[at(i)] = 0;
    turned_[at(i)] = 1;
    return true;
  }
  if (drops(i)) {
    broken_[at(i)] = bound_[at(i)];
    return true;
  }
  const bool slides = orders_ == 0 && !is_slow(i, std::fabs(travel) / hints_.step);
  if (slides) rest_[at(i)] = Rest::kSlips;
  return false;
}

void SettlingDecision::finish() {
  state_.travel = d_.travel.col(0);
  zeros_.slid = broken_;
  for (Index i = 0; i < n_.springs(); ++i) {
    if (is_linear(i)) continue;
    // What stays at its edge for all orders keeps contact: without force, as far as is known.
    const bool stays = spring_[at(i)] == Spring::kEdge && orders_ > 0;
    const auto rests = [&] {
      return (n_.stiffness[i] == 0 && follows_one_that_carries(i)) || is_at_contact(i);
    };
    const bool inside = spring_[at(i)] == Spring::kRidesInside || (stays && rests());
    const bool riding = stays || inside || spring_[at(i)] == Spring::kRides;
    state_.riding[at(i)] = riding ? 1 : 0;
    const bool active = spring_[at(i)] == Spring::kActive || (riding && !inside);
    state_.zone[at(i)] = active ? side_[at(i)] : std::int8_t{0};
  }
  place_riding();
  for (Index i = 0; i < n_.frictions(); ++i) state_.friction[at(i)] = state_of(i);
  for (const Index i : n_.contacts) {
    if (rest_[at(i)] == Rest::kSlips) zeros_.contact[at(i)] = contact_[at(i)];
  }
}

// Closed contacts keep it where it is, as at the end of a play that is theirs, too.
bool SettlingDecision::is_at_contact(Index i) const {
  std::vector<Index> rows;
  for (const Index c : n_.contacts) {
    if (!state_of(c).free) rows.push_back(n_.springs() + c);
  }
  if (rows.empty()) return false;
  const Index known = rank(n_.directions(rows, Eigen::all), kDependent);
  rows.push_back(i);
  return rank(n_.directions(rows, Eigen::all), kDependent) == known;
}

FrictionState SettlingDecision::state_of(Index i) const {
  const Rest rest = rest_[at(i)];
  FrictionState out;
  if (contact(i) != 0 || is_contact(i)) {
    out.free = rest == Rest::kSlips || rest == Rest::kFree;
    if (!out.free) out.contact = static_cast<std::int8_t>(contact(i));
    if (rest == Rest::kCritical) out.at_bound = out.contact;
    return out;
  }
  out.free = rest == Rest::kFree;
  if (rest == Rest::kSlips) out.direction = bound_[at(i)];
  if (rest == Rest::kCritical && orders_ > 0 && !is_slow(i, 0)) out.at_bound = bound_[at(i)];
  // One that slides, with no rate in any order, tends to rest and is never there.
  if (out.at_bound != 0 && leads_[at(i)] == 0 && slides_on(i) &&
      state_.friction[at(i)].direction == out.at_bound) {
    out.direction = out.at_bound;
  }
  return out;
}

// What keeps contact without force is at its edge exactly: rounding of its place would be a
// force, which takes what is damped along, and the spring off its edge.
void SettlingDecision::place_riding() {
  std::vector<Index> riding;
  std::vector<double> gap;
  for (Index i = 0; i < n_.springs(); ++i) {
    if (is_linear(i) || state_.riding[at(i)] == 0) continue;
    const double edge = side_[at(i)] * n_.half_freeplay[i];
    riding.push_back(i);
    gap.push_back(n_.directions.row(i).dot(state_.position) + d_.spring(i, 0) - edge);
  }
  if (riding.empty()) return;
  const VectorXd unit = n_.weight.cwiseSqrt().cwiseInverse();
  const MatrixXd rows = n_.directions(riding, Eigen::all) * unit.asDiagonal();
  state_.position -= unit.cwiseProduct(pseudo_inverse(rows, kDependent).matrix * to_vector(gap));
}

bool decide_settling(const SettleNumbers& numbers, const SettleDrives& drives,
                     const SettleHints& hints, SettleMaps& maps, SettleState& state,
                     SettleZeros& zeros) {
  const SettleState before = state;
  for (const Settling way : {Settling::kPlain, Settling::kVanishingHold, Settling::kTouchingOpen}) {
    try {
      if (SettlingDecision(numbers, drives, hints, maps, state, zeros, way).run()) return true;
    } catch (const UnboundedMinimum&) {  // prescribed motions close in on contacts
    }
    state = before;
  }
  return false;
}

}  // namespace luztar
