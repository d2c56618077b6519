// What rates and higher derivatives decide in a settle island: the orders from 1 on.
#include <algorithm>
#include <cmath>

#include "runtime/events/series_map.h"
#include "runtime/events/settling_decision.h"

namespace luztar {
// Forces of frictions that the balance of the points leaves open: by what they hold together.
void SettlingDecision::distribute(Index k, const Elements& e, Settled& s) {
  if (!series_) return;
  SeriesForces::Order order;
  order.given = VectorXd::Zero(n_.frictions());
  order.rounding = k > 0 ? rounding_of_force(k, e, s) : 0;
  std::vector<Index> place;  // by member: its element
  for (Index i = 0; i < n_.frictions(); ++i) {
    const bool member = k == 0 ? rest_[at(i)] != Rest::kFree : is_element(i, k);
    if (member) order.members.push_back(i);
    if (!member && rest_[at(i)] == Rest::kSlips) order.given[i] = bound_[at(i)] * bound(i, k);
  }
  const auto count = static_cast<Index>(order.members.size());
  const auto first = static_cast<Index>(e.member.size()) - count;
  for (Index m = 0; m < count; ++m) {
    const Index i = order.members[at(m)];
    place.push_back(k == 0 ? static_cast<Index>(place_of(i)) : first + m);
  }
  order.lower.resize(count);
  order.upper.resize(count);
  order.force = s.force(place);
  for (Index m = 0; m < count; ++m) {
    const Index i = order.members[at(m)];
    double& low = order.lower[m];
    double& high = order.upper[m];
    low = e.lower[at(place[at(m)])];
    high = e.upper[at(place[at(m)])];
    if (k == 0) continue;
    const double held = bound_[at(i)] * bound(i, k);
    const bool critical = rest_[at(i)] == Rest::kCritical && bound_[at(i)] != 0;
    if (critical && bound_[at(i)] > 0) high = held;
    if (critical && bound_[at(i)] < 0) low = held;
    if (rest_[at(i)] == Rest::kSlips) low = high = held;
    if (s.excess[place[at(m)]] != 0) low = high = order.force[m];
  }
  series_->distribute(k, order);
  s.force(place) = order.force;
  later_.assign(rest_.size(), 0);
  exhausted_.assign(rest_.size(), 1);
  for (Index m = 0; m < count; ++m) {
    later_[at(order.members[at(m)])] = sign_of(series_->slip()[m]);
    exhausted_[at(order.members[at(m)])] = series_->is_exhausted(at(m)) ? 1 : 0;
  }
}

// Of a bound island: a friction at its bound that would slip back, were the point not held by it,
// carries the point along from now on. As nothing else moves that, there is no force by which
// later orders could tell. So does a contact of points in any island.
//   open    those that were free to slip at order k
//   moved   by all of them
void SettlingDecision::find_carried(Index k, std::vector<Index> open, const VectorXd& moved) {
  std::erase_if(open, [&](Index i) { return rest_[at(i)] != Rest::kCritical; });
  for (bool first = true; !open.empty(); first = false) {
    Elements e = elements_of_order(k, false);
    const auto place_in = [&](Index i) {
      return std::find(e.member.begin(), e.member.end(), n_.springs() + i) - e.member.begin();
    };
    for (const Index i : open) {
      const std::size_t place = at(place_in(i));
      e.lower[place] = e.upper[place] = bound_[at(i)] * bound(i, k);
    }
    const auto solution = solve(e);
    if (!solution) return;
    const std::size_t before = open.size();
    std::erase_if(open, [&](Index i) {
      carries_[at(i)] = bound_[at(i)] * solution->excess[place_in(i)] < 0 ? 1 : 0;
      return carries_[at(i)] != 0;
    });
    if (open.size() == before) return;
    if (first) press_ += n_.weight.cwiseProduct(solution->position - moved);
  }
}

// Several that carry the same points along have had the same rates so far. What presses the points
// against them tells which ones still do, where they part.
void SettlingDecision::part_carried(Index k) {
  if (std::count(carries_.begin(), carries_.end(), 1) < 2) return;
  const Elements e = elements_of_order(k, true, true);
  const auto solution = solve(e);
  if (!solution) return;
  for (std::size_t j = 0; j < e.member.size(); ++j) {
    const Index i = e.member[j] - n_.springs();
    if (i < 0 || carries_[at(i)] == 0) continue;
    if (bound_[at(i)] * solution->excess[static_cast<Index>(j)] > 0) carries_[at(i)] = 0;
  }
}

// What is at its bound after order k may slip at the next order by the points alone, if nothing
// can take it from its bound; else two orders later, by what the bodies beyond do.
void SettlingDecision::note_bound(Index i, Index k) {
  if (!series_ || rest_[at(i)] != Rest::kCritical) return;
  from_[at(i)] = exhausted_[at(i)] != 0 ? k + 1 : k + 2;
  // Without capacity at this instant it is at both bounds: velocities tell first.
  if (bound_[at(i)] == 0 && exhausted_[at(i)] == 0) bound_[at(i)] = later_[at(i)];
}

// Order k >= 1 of what the lower orders left at an edge or a bound.
//   pressed   what carries points along does so as far as these press against it
SettlingDecision::Elements SettlingDecision::elements_of_order(Index k, bool with_edges,
                                                               bool pressed) const {
  Elements e;
  e.load = load_.col(k);
  e.load_terms = e.load.cwiseAbs();
  if (k < d_.rounding.size()) e.load_terms += n_.weight * (d_.rounding[k] / kRounding);
  e.start = VectorXd::Zero(n_.points());
  if (pressed) {
    e.load += press_;
    e.load_terms += press_.cwiseAbs();
  }
  for (Index i = 0; i < n_.springs(); ++i) {
    if (!takes_part(i, with_edges)) continue;
    const int begins = spring_[at(i)] == Spring::kEdge ? side_[at(i)] : 0, ends = full_side(i);
    const double most = n_.stiffness[i] > 0 ? kInfinity : 0;
    e.add(i, compliance(i), begins > 0 || ends < 0 ? 0 : -most, begins < 0 || ends > 0 ? 0 : most,
          d_.spring(i, k), terms_of_drives(i, k));
  }
  for (Index i = 0; i < n_.frictions(); ++i) {
    const Index row = n_.springs() + i;
    const double t = bound(i, k);
    const int side = bound_[at(i)];
    if (rest_[at(i)] == Rest::kSlips && !holds_until_later(i, k)) {
      e.load -= n_.directions.row(row).transpose() * (side * t);
      e.load_terms += n_.directions.row(row).transpose().cwiseAbs() * std::fabs(t);
    } else if (rest_[at(i)] != Rest::kFree) {
      const bool held = holds_until_later(i, k) && !(pressed && carries_[at(i)] != 0);
      const bool critical = rest_[at(i)] == Rest::kCritical && !held;
      const double greatest = side == 0 ? std::max(t, 0.0) : t;
      e.add(row, 0, critical && side <= 0 ? -greatest : -kInfinity,
            critical && side >= 0 ? greatest : kInfinity, travel(i, k), terms_of_drives(row, k));
    }
  }
  if (series_) {
    close_gaps(e);
    clear_rounding(k, e);
  }
  return e;
}

// Rounding apart, what holds fits together.
void SettlingDecision::close_gaps(Elements& e) const {
  std::vector<Index> frictions, place;
  for (std::size_t j = 0; j < e.member.size(); ++j) {
    if (e.member[j] < n_.springs() || std::isfinite(e.lower[j]) || std::isfinite(e.upper[j])) {
      continue;
    }
    frictions.push_back(e.member[j] - n_.springs());
    place.push_back(static_cast<Index>(j));
  }
  if (frictions.empty()) return;
  const MatrixXd Z = self_stresses(n_, frictions);
  const VectorXd offset = to_vector(e.offset)(place);
  const VectorXd fitting = offset - Z * (Z.transpose() * offset);
  for (std::size_t r = 0; r < place.size(); ++r) {
    e.offset[at(place[r])] = fitting[static_cast<Index>(r)];
  }
}

// What is left of travels that cancel, in a group of frictions where all of them do: rounding that
// nothing is great against would not fit together.
void SettlingDecision::clear_rounding(Index k, Elements& e) const {
  std::vector<Index> frictions;
  std::vector<std::size_t> place;
  for (std::size_t j = 0; j < e.member.size(); ++j) {
    if (e.member[j] < n_.springs()) continue;
    frictions.push_back(e.member[j] - n_.springs());
    place.push_back(j);
  }
  for (const std::vector<Index>& part : components(n_, frictions)) {
    std::vector<Index> members;
    VectorXd travels(static_cast<Index>(part.size())), rounding;
    for (const Index m : part) {
      travels[static_cast<Index>(members.size())] = e.offset[place[at(m)]];
      members.push_back(frictions[at(m)]);
    }
    if (!series_->take_out_rounding(members, k, travels, rounding)) continue;
    const bool any = !travels.isZero(0.0);
    for (std::size_t r = 0; r < part.size(); ++r) {
      const std::size_t j = place[at(part[r])];
      const auto row = static_cast<Index>(r);
      e.offset[j] = travels[row];
      if (any) e.terms[j] = std::max(std::fabs(travels[row]), rounding[row] / kRounding);
    }
  }
}

// A spring at its edge that would be strained without its contact takes a point along that
// nothing else moves. There is no force yet by which later orders could tell.
void SettlingDecision::find_riding(Index k) {
  for (bool more = true; more;) {
    more = false;
    const auto solution = solve(elements_of_order(k, false));
    if (!solution) return;
    for (Index i = 0; i < n_.springs(); ++i) {
      if (spring_[at(i)] != Spring::kEdge) continue;
      const double size = n_.directions.row(i).cwiseAbs().dot(solution->position.cwiseAbs()) +
                          std::fabs(d_.spring(i, k));
      const double x =
          without_rounding(n_.directions.row(i).dot(solution->position) + d_.spring(i, k), i, k);
      const bool outwards = side_[at(i)] * x > 0;
      const bool strains = outwards ? n_.stiffness[i] > 0 : follows_one_that_carries(i);
      if (!strains || std::fabs(x) <= kRounding * size) continue;
      spring_[at(i)] = outwards ? Spring::kRides : Spring::kRidesInside;
      more = true;
    }
  }
}

// One that has ridden at its edge so far: false when a load takes its points away from there.
bool SettlingDecision::stays_on(Index i, Index k, double force, double rounding) {
  if (std::fabs(force) <= rounding) return true;
  if (side_[at(i)] * force < 0) return false;
  leave_edge_as(Spring::kActive, i, k);
  return true;
}

// A capacity that is zero up to order k, and not for ever, keeps its points from slipping where
// nothing loads them yet: these have no force to slip with.
void SettlingDecision::hold_vanishing(Index k) {
  std::vector<Index> held;
  for (Index i = 0; i < n_.frictions(); ++i) {
    if (rest_[at(i)] != Rest::kCritical || is_contact(i) || contact(i) != 0) continue;
    if (k < held_at(i) || bound(i, 0) != 0 || n_.directions.row(n_.springs() + i).isZero(0.0)) {
      continue;
    }
    Index first = 1;
    while (first <= orders_ && bound(i, first) == 0) ++first;
    if (first <= k || first > orders_ || !(bound(i, first) > 0)) continue;
    from_[at(i)] = first;
    held.push_back(i);
  }
  if (held.empty()) return;
  const Elements e = elements_of_order(k, true);
  const auto solution = solve(e);
  const auto is_loaded = [&](Index i) {
    const auto j = std::find(e.member.begin(), e.member.end(), n_.springs() + i) - e.member.begin();
    return std::fabs(solution->force[j]) > rounding_of_force(k, e, *solution);
  };
  if (solution && std::none_of(held.begin(), held.end(), is_loaded)) return;
  for (const Index i : held) from_[at(i)] = k;
}

// Forces of order k. What is held for the bodies beyond to decide, and has a force that none of
// these can take from it, slips with its points where that is beyond its bound.
std::optional<Settled> SettlingDecision::solve_forces(Index k, Elements& e) {
  if (way_ == Settling::kVanishingHold) hold_vanishing(k);
  for (;;) {
    e = elements_of_order(k, true);
    auto solution = solve(e);
    if (!solution || !series_) return solution;
    const VectorXd balanced = solution->force;
    distribute(k, e, *solution);
    if (!release_beyond(k, e, balanced, *solution)) return solution;
  }
}

//   balanced   by element: forces before the bounds had a say
bool SettlingDecision::release_beyond(Index k, const Elements& e, const VectorXd& balanced,
                                      const Settled& s) {
  const double rounding = rounding_of_force(k, e, s) + series_->rounding_of_force(k) +
                          kRounding * balanced.lpNorm<Eigen::Infinity>();
  const MatrixXd rows = n_.directions(e.member, Eigen::all);
  const VectorXd left = rows.transpose() * (s.force - balanced);
  if (left.lpNorm<Eigen::Infinity>() <= rounding * rows.norm()) return false;
  bool any = false;
  for (std::size_t j = 0; j < e.member.size(); ++j) {
    const Index i = e.member[j] - n_.springs();
    if (i < 0 || is_contact(i) || rest_[at(i)] != Rest::kCritical) continue;
    if (bound_[at(i)] == 0 || carries_[at(i)] != 0 || !holds_until_later(i, k)) continue;
    if (bound_[at(i)] * balanced[static_cast<Index>(j)] - bound(i, k) <= rounding) continue;
    from_[at(i)] = k;
    any = true;
  }
  return any;
}

bool SettlingDecision::solve_order(Index k, bool& again) {
  part_carried(k);
  Elements e;
  auto solution = solve_forces(k, e);
  if (!solution) return false;
  std::vector<Index> open;
  for (Index i = 0; i < n_.frictions(); ++i) {
    const bool at_bound = rest_[at(i)] == Rest::kCritical && bound_[at(i)] != 0;
    const bool free = is_contact(i) ? carries_[at(i)] == 0 : series_ && k >= held_at(i);
    if (at_bound && free) open.push_back(i);
  }
  double rounding = rounding_of_force(k, e, *solution);
  if (series_) rounding += series_->rounding_of_force(k);
  std::vector<char> taking(spring_.size());  // before some of them leave their edges
  for (Index i = 0; i < n_.springs(); ++i) taking[at(i)] = takes_part(i, true) ? 1 : 0;
  std::size_t j = 0;
  for (Index i = 0; i < n_.springs(); ++i) {
    if (!taking[at(i)]) continue;
    if (spring_[at(i)] == Spring::kEdge) leave_edge(i, k, e, j, *solution);
    const bool rides = spring_[at(i)] == Spring::kRides;
    const double force = solution->force[static_cast<Index>(j)];
    if (rides && !stays_on(i, k, force, rounding)) return false;
    ++j;
  }
  const bool moves = !solution->position.isZero(0.0);
  if (moves && std::count(spring_.begin(), spring_.end(), Spring::kEdge) > 0) find_riding(k);
  for (Index i = 0; i < n_.frictions(); ++i) {
    if (!is_element(i, k)) continue;
    if (rest_[at(i)] == Rest::kCritical) {
      again = leave_bound(i, k, static_cast<Index>(j), *solution, rounding) || again;
      note_bound(i, k);
    }
    ++j;
  }
  find_carried(k, std::move(open), solution->position);
  return true;
}

// Of forces at order k, with what the rounding of positions and of their drives makes.
double SettlingDecision::rounding_of_force(Index k, const Elements& e, const Settled& s) const {
  double size = s.force.lpNorm<1>() + e.load.lpNorm<1>(), stiffness = 0;
  for (std::size_t i = 0; i < e.member.size(); ++i) {
    if (e.compliance[i] == 0) continue;
    size += s.size[static_cast<Index>(i)] / e.compliance[i];
    stiffness += n_.directions.row(e.member[i]).norm() / e.compliance[i];
  }
  return kRounding * size + (k < d_.rounding.size() ? d_.rounding[k] * stiffness : 0);
}

// What order k has told.
void SettlingDecision::leave_edge_as(Spring what, Index i, Index k) {
  spring_[at(i)] = what;
  zeros_.edge[at(i)] = static_cast<std::uint32_t>(k);
  zeros_.side[at(i)] = side_[at(i)];
}

void SettlingDecision::leave_edge(Index i, Index k, const Elements& e, std::size_t j,
                                  const Settled& s) {
  const double x = without_rounding(argument(e, j, s), i, k);
  if (x == 0) return;
  leave_edge_as(side_[at(i)] * x > 0 ? Spring::kActive : Spring::kDead, i, k);
}

bool SettlingDecision::leave_bound(Index i, Index k, Index j, const Settled& s, double rounding) {
  std::int8_t& side = bound_[at(i)];
  const double excess = s.excess[j];
  if (side == 0) side = sign_of(excess);
  if (side * excess > 0) {
    if (is_slow(i, k == 1 ? std::fabs(excess) : 0.0)) {
      slow_[at(i)] = 1;
      return true;
    }
    rest_[at(i)] = Rest::kSlips;
    zeros_.friction[at(i)] = static_cast<std::uint32_t>(k - 1);
    if (!drops(i)) return false;
    broken_[at(i)] = side;
    return true;
  }
  const double t = bound(i, k);
  if (side == 0 && t < 0) {  // its capacity is falling through zero: the switch has its own event
    rest_[at(i)] = Rest::kFree;
    return false;
  }
  const double force = side == 0 ? std::fabs(s.force[j]) : side * s.force[j];
  if (t - force > kRounding * std::fabs(t) + rounding) {
    rest_[at(i)] = Rest::kStuck;
    zeros_.friction[at(i)] = static_cast<std::uint32_t>(k);
  } else if (t > 0 && side == 0) {
    side = sign_of(s.force[j]);
  }
  return false;
}

}  // namespace luztar
