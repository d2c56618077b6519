// Loads of a settle island that are at their zero, and the ways across play on which they take
// points from there.
#include <algorithm>
#include <cmath>

#include "runtime/events/settling_decision.h"
#include "runtime/pwl/decompositions.h"

namespace luztar {

// Where a spring lets go, its force has come to zero but for `noise`: of a load with a multiple
// root, coefficients before the first that tells are what the error of the root leaves of that. So
// are those that do not reach the noise where a later one does.
void SettlingDecision::clear_near_roots() {
  const VectorXd noise = kRoundingOfRoot * size_of_forces();
  for (Index i = 0; i < n_.points(); ++i) {
    for (Index j = 2; j <= orders_ && noise[i] > 0; ++j) {
      if (load_(i, j) == 0) continue;
      const double reach = std::pow(noise[i] / std::fabs(load_(i, j)), 1 / static_cast<double>(j));
      double power = 1;
      bool small = true;
      for (Index k = 0; k < j && small; ++k, power *= reach) {
        small = std::fabs(load_(i, k)) * power <= noise[i];
      }
      if (small) load_.row(i).head(j).setZero();
    }
  }
}

// By point: of springs with the deflections that these have at most.
SettlingDecision::VectorXd SettlingDecision::size_of_forces() const {
  const auto rows = n_.directions.topRows(n_.springs()).cwiseAbs();
  const VectorXd reach =
      n_.half_freeplay.cwiseMax(0) + d_.spring.col(0).cwiseAbs() + rows * start_.cwiseAbs();
  return rows.transpose() * n_.stiffness.cwiseProduct(reach);
}

// A load no greater than what rounding makes of the springs' forces is none: it is at its zero.
// One that has just taken points across their play is certainly there; one that lets go of a
// spring is so when nothing else acts on its points.
SettlingDecision::VectorXd SettlingDecision::load_at_positions() const {
  VectorXd load = load_.col(0);
  const double rounding = crossings_ > 0 ? kRoundingOfTurn
                          : lets_go()    ? kRoundingOfRoot
                                         : kRoundingOfForce;
  const VectorXd noise = size_of_forces();
  for (Index i = 0; i < n_.points(); ++i) {
    const double instant = d_.load_rounding.size() > 0 ? d_.load_rounding[i] : 0.0;
    if (std::fabs(load[i]) <= std::max(rounding * noise[i], instant)) load[i] = 0;
  }
  return load;
}

// The order, beyond the first, at which a load begins on points that springs at their edges may
// leave: however late, it keeps them where it presses them, wherever that moves. 0: none does.
SettlingDecision::Index SettlingDecision::later_load() const {
  if (std::find(spring_.begin(), spring_.end(), Spring::kEdge) == spring_.end()) return 0;
  const std::vector<Index> held = holding_rows(false);
  const MatrixXd rows = n_.directions(held, Eigen::all);
  MatrixXd loose = MatrixXd::Identity(n_.points(), n_.points());
  if (!held.empty()) loose -= pseudo_inverse(rows, kDependent).matrix * rows;
  // But for the rounding of the springs' forces, by that of what moves their ends.
  const double stiffness =
      n_.directions.topRows(n_.springs()).rowwise().norm().dot(n_.stiffness.cwiseAbs());
  const VectorXd now = load_at_positions();
  for (Index k = 0; k <= orders_; ++k) {
    const VectorXd all = k == 0 ? now : VectorXd(load_.col(k));
    const double rounding = k > 0 && k < d_.rounding.size() ? d_.rounding[k] * stiffness : 0.0;
    const VectorXd load = loose * all;
    if ((load.array().abs() > kRounding * all.lpNorm<1>() + rounding).any()) return k > 1 ? k : 0;
  }
  return 0;
}

// No element in contact resists a load that just changes its sign, or exceeds a dry friction whose
// bound is falling: the points go to where others touch, at once and without force. They touch
// first under a load that is negligible, and then are there without it.
bool SettlingDecision::cross_play(Index k) {
  constexpr double kNegligible = 1e-7;  // of what takes a spring through its play
  if (++crossings_ > n_.directions.rows()) return false;
  if (n_.springs() == 0 && n_.contacts.empty()) return false;
  VectorXd growth = VectorXd::Zero(n_.frictions());  // of bounds
  for (Index i = 0; i < n_.frictions(); ++i) {
    const bool at_bound = rest_[at(i)] == Rest::kCritical || rest_[at(i)] == Rest::kSlips;
    if (at_bound && contact(i) == 0 && !is_contact(i)) growth[i] = bound(i, k);
  }
  const double change =
      std::max(load_.col(k).lpNorm<Eigen::Infinity>(), growth.lpNorm<Eigen::Infinity>());
  if (!(change > 0)) return false;
  Elements e = elements_of_positions();
  double force = 0;
  for (Index i = 0; i < n_.springs(); ++i) {
    force = std::max(force, n_.stiffness[i] * n_.half_freeplay[i]);
  }
  for (const Index i : n_.one_sided) {
    const double way = n_.directions.row(i).dot(start_) + d_.spring(i, 0);
    force = std::max(force, n_.stiffness[i] * std::fabs(way));
  }
  for (const auto& [i, end] : n_.limits) {
    force = std::max(force, n_.stiffness[i] * end.deflection);
  }
  // Contacts alone: any takes points there that rounding of the others leaves.
  if (force == 0) {
    for (Index i = 0; i < n_.frictions(); ++i) force = std::max(force, d_.bound(i, 0));
    force = std::max(force, load_.lpNorm<Eigen::Infinity>());  // now it may be at its zero
  }
  if (force == 0) force = 1;
  const double push = kNegligible * force / change;
  e.load += push * load_.col(k);
  for (Index i = 0; i < n_.frictions(); ++i) {
    if (growth[i] == 0 || element_[at(i)] < 0) continue;
    const std::size_t j = at(element_[at(i)]);
    e.upper[j] = std::max(e.upper[j] + push * growth[i], 0.0);
    e.lower[j] = -e.upper[j];
  }
  const auto pushed = solve(e);
  if (!pushed) return false;
  if (breaks_away(*pushed)) {  // goes further, with a force that is not negligible
    --crossings_;
    return true;
  }
  start_ = pushed->position;
  place_at_edges(*pushed, k);
  return true;
}

// True when a friction slides on the way that has held with T_S so far.
bool SettlingDecision::breaks_away(const Settled& pushed) {
  bool any = false;
  for (Index i = 0; i < n_.frictions(); ++i) {
    if (element_[at(i)] < 0 || is_contact(i)) continue;
    const std::int8_t side = sign_of(pushed.excess[element_[at(i)]]);
    if (side == 0 || !drops(i)) continue;
    broken_[at(i)] = side;
    any = true;
  }
  return any;
}

// The push has strained springs a little. What slides on the way is no hold against their edges.
void SettlingDecision::place_at_edges(const Settled& pushed, Index k) {
  Elements exact = elements_of_positions();
  // Where a contact, or another spring, takes the push one that is just at its edge has none of it.
  const double rounding = kRoundingOfForce * pushed.force.lpNorm<Eigen::Infinity>();
  Index j = 0;
  for (Index i = 0; i < n_.springs(); j += is_linear(i++) ? 1 : 2) {
    const SpringLimit* end = limit(i);
    const double force = pushed.force[j] + (is_linear(i) ? 0.0 : pushed.force[j + 1]);
    if (end && spring_[at(end->next)] == Spring::kActive &&
        std::fabs(force) < n_.greatest_force(i)) {  // has come back from beyond its limit
      touched_[at(end->next)] = side_[at(end->next)];
      const double edge = side_[at(end->next)] * n_.half_freeplay[end->next];
      exact.add(end->next, 0, -kInfinity, kInfinity, d_.spring(end->next, 0) - edge,
                std::fabs(d_.spring(end->next, 0)) + std::fabs(edge));
    }
    // One that has left its edge may be at the other one.
    if (is_linear(i) || spring_[at(i)] == Spring::kActive) continue;
    const std::int8_t side = std::fabs(force) <= rounding ? std::int8_t{0} : sign_of(force);
    touched_[at(i)] = side;
    pressed_[at(i)] = side != 0 && k > 1 ? 1 : 0;
    if (side == 0) continue;
    exact.add(i, 0, -kInfinity, kInfinity, d_.spring(i, 0) - side * n_.half_freeplay[i],
              std::fabs(d_.spring(i, 0)) + n_.half_freeplay[i]);
  }
  for (; j < pushed.force.size(); ++j) {
    if (pushed.excess[j] != 0) {  // it slides with its bound, without what that has grown by
      exact.lower[at(j)] = exact.upper[at(j)] =
          std::clamp(pushed.force[j], exact.lower[at(j)], exact.upper[at(j)]);
    }
    const bool contact = is_contact(exact.member[at(j)] - n_.springs());
    if (!contact || pushed.force[j] == 0) continue;
    exact.lower[at(j)] = -kInfinity;
    exact.upper[at(j)] = kInfinity;
  }
  const auto there = solve(exact);
  if (there) start_ = there->position;
}

}  // namespace luztar
