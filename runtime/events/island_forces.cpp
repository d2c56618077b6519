// The forces of an island's members at rest: the box problem of one order, and what its solution
// tells where forces are not unique.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "runtime/events/island_decision.h"

namespace luztar {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

IslandDecision::HeldForces IslandDecision::held_forces(std::vector<Index> held,
                                                       std::vector<Index> others) const {
  HeldForces out{std::move(held), std::move(others), {}};
  if (matrices_->is_bound()) {
    out.map =
        lexicographic_hold_map(solution_.creep_gram, gram_, solution_.drag, out.held, out.others);
  } else {
    HoldMap one = hold_map(gram_, out.held, out.others);
    out.map.second = std::move(one.from_residual);
    out.map.from_forces = std::move(one.from_forces);
  }
  return out;
}

// The sizes of the terms that these forces are the sums of, by member held.
IslandDecision::Vector IslandDecision::sizes_of(const HeldForces& forces, Index k) const {
  const auto n = static_cast<Index>(forces.held.size());
  const bool is_bound = matrices_->is_bound();
  Vector rate(n), slip(n);
  for (Index h = 0; h < n; ++h) {
    const Index i = at_rest_[static_cast<std::size_t>(forces.held[static_cast<std::size_t>(h)])];
    slip[h] = J_->size(k, friction_[i].free_row);
    rate[h] = is_bound ? J_->size(k, friction_[i].rate_row) : slip[h];
    if (!creeps(i)) slip[h] = 0;
  }
  Vector size = forces.map.second.cwiseAbs() * rate +
                forces.map.from_forces.cwiseAbs() * solution_.box.force(forces.others).cwiseAbs();
  if (is_bound) size += forces.map.first.cwiseAbs() * slip;
  return size;
}

// The same of the forces within their bounds, by member at rest.
IslandDecision::Vector IslandDecision::force_sizes(Index k) const {
  const BoxMinimum& box = solution_.box;
  std::vector<Index> inside, outside;
  for (Index r = 0; r < box.force.size(); ++r) {
    (box.side[static_cast<std::size_t>(r)] == BoxSide::kInside ? inside : outside).push_back(r);
  }
  const HeldForces forces = held_forces(std::move(inside), std::move(outside));
  Vector out = Vector::Zero(box.force.size());
  out(forces.held) = sizes_of(forces, k);
  return out;
}

// What takes two prescribed motions apart is stronger than any friction. Those between them are at
// their bounds from the start, however late a derivative is the first to differ: their force jumps.
void IslandDecision::find_parting() {
  parting_order_ = 0;
  if (!driven_ || matrices_->is_bound() || !varying_gram_.empty() || at_rest_.size() < 2) return;
  const Eigen::MatrixXd gram = matrices_->gram(at_rest_, at_rest_);
  std::vector<Index> all(at_rest_.size());
  std::iota(all.begin(), all.end(), Index{0});
  const HoldMap map = hold_map(gram, all, {});
  if (map.rank == static_cast<Index>(all.size())) return;
  const Eigen::MatrixXd reach = gram * map.from_residual;
  Vector rate(gram.rows()), size(gram.rows());
  for (Index k = 1; k <= J_->highest(); ++k) {
    for (Index r = 0; r < rate.size(); ++r) {  // no force of those that slip takes them apart
      rate[r] = free(at_rest_[r], k);
      size[r] = J_->size(k, friction_[at_rest_[r]].free_row);
    }
    const Vector terms = size + reach.cwiseAbs() * size;
    const Vector apart = rate - reach * rate;
    if (!(apart.array().abs() > kRoundingOfRate * terms.array()).any()) continue;
    parting_ = (apart.array().abs() > kRoundingOfRate * terms.array()).select(apart, 0);
    parting_order_ = k;
    return;
  }
}

// Of many forces with the same motion the greatest against what is to come, and of these the
// shortest: the limit of the minimum for t -> 0 with a rate that grows like t^parting_order_.
void IslandDecision::take_parting() {
  const Eigen::MatrixXd none = Eigen::MatrixXd::Zero(b_.size(), b_.size());
  LexicographicMinimum m = minimize_lexicographic(gram_, b_, none, parting_, none, lower_, upper_);
  solution_.box = {std::move(m.force), std::move(m.first), std::move(m.side)};
}

// What forces of those at rest have to do, and may be.
void IslandDecision::bound_forces(Index k) {
  const auto n = static_cast<Index>(at_rest_.size());
  gram_.resize(n, n);
  for (Vector* v : {&b_, &b_size_, &lower_, &upper_}) v->resize(n);
  for (Index r = 0; r < n; ++r) {
    const Index i = at_rest_[r];
    const Member& m = members_[i];
    for (Index c = 0; c < n; ++c) gram_(r, c) = matrices_->gram(i, at_rest_[c]);
    b_[r] = rate_[i];
    b_size_[r] = rate_size_[i];
    const bool critical = m.rest == Rest::kCritical;
    lower_[r] = k == 0 || (critical && m.side < 0) ? -bound(i, k) : -kInfinity;
    upper_[r] = k == 0 || (critical && m.side > 0) ? bound(i, k) : kInfinity;
    if (m.contact != 0) {  // pushes only; while it does, its rates are free
      const double inward = k == 0 || critical ? 0 : -kInfinity;
      lower_[r] = m.contact > 0 ? inward : -kInfinity;
      upper_[r] = m.contact > 0 ? kInfinity : -inward;
    }
    if (m.rest == Rest::kSaturated) lower_[r] = upper_[r] = m.side * bound(i, k);
  }
}

// The minimum over the members at rest: in a bound island first of slips, then of rates.
void IslandDecision::solve_box(Index k) {
  force_size_.resize(0);
  if (!matrices_->is_bound()) {
    minimize_in_box(gram_, b_, b_size_, lower_, upper_, solution_.box);
    solution_.slip.setZero(b_.size());
    if (k < parting_order_) take_parting();
    return;
  }
  Vector slip, size;
  find_creep_slips(k, slip, size);
  const Eigen::MatrixXd creep_gram = matrices_->creep_gram(at_rest_, at_rest_);
  Vector b0 = slip(at_rest_);
  // Slips that no creep can change come from bodies with inertia. Beyond order 0 they are the rates
  // that the order before has left, and creep decides which friction of a series takes them; at
  // order 0 they are zero when they are rounding.
  std::vector<Index> all(at_rest_.size());
  std::iota(all.begin(), all.end(), Index{0});
  const Eigen::MatrixXd creep_hold = hold_map(creep_gram, all, {}).from_residual;
  const Vector reachable = creep_gram * (creep_hold * b0);
  const Vector rest = b0 - reachable;
  const double greatest = Vector(size(at_rest_)).maxCoeff();
  if (k > 0) {
    const Vector rate = rate_left_(at_rest_) / static_cast<double>(k);
    const Vector own = rate - creep_gram * (creep_hold * rate);
    const Vector rounding = kRoundingOfCreep * (reachable.cwiseAbs() + own.cwiseAbs());
    b0 = reachable + own;
    b0 = (b0.array().abs() <= rounding.array()).select(0, b0);
  } else if (rest.cwiseAbs().maxCoeff() <= kRoundingOfRate * greatest) {
    b0 = reachable;
  }
  const Eigen::MatrixXd drag = matrices_->drag(at_rest_, at_rest_);
  LexicographicMinimum m = minimize_lexicographic(creep_gram, b0, gram_, b_, drag, lower_, upper_);
  for (Index r = 0; k > 0 && r < m.first.size(); ++r) {
    if (std::fabs(m.first[r]) <= kRoundingOfCreep * size[at_rest_[static_cast<std::size_t>(r)]]) {
      m.first[r] = 0;
    }
  }
  solution_ = {{m.force, m.second, m.side}, m.first, creep_gram, drag, b0};
}

// Of many forces with the same motion the shortest are taken. Those that only their bound keeps
// from being longer stay at it, whatever their rates: let loose, they would be beyond it at once.
// The same of their derivatives, while those before leave forces at their bounds.
void IslandDecision::saturate(Index k) {
  if (at_rest_.size() < 2) return;
  const Vector& force = solution_.box.force;
  constexpr double kBeyond = 1e-9;  // of the forces
  const double beyond = kBeyond * force.cwiseAbs().maxCoeff();
  const Vector taken = b_ - solution_.box.residual;  // without what rounding leaves at the bounds
  for (Index worst = 0; worst >= 0;) {
    std::vector<Index> held, others;
    for (Index r = 0; r < force.size(); ++r) {
      const Rest rest = members_[at_rest_[r]].rest;
      (rest == Rest::kHeld || rest == Rest::kCritical ? held : others).push_back(r);
    }
    const HeldForces free = held_forces(held, others);
    Vector loose = free.map.second * Vector(taken(held)) +  // the shortest forces without bounds
                   free.map.from_forces * Vector(force(others));
    if (matrices_->is_bound()) loose += free.map.first * Vector(solution_.creep_slip(held));
    double most = beyond;
    worst = -1;
    Vector size;
    for (std::size_t h = 0; h < held.size(); ++h) {
      const Index i = at_rest_[held[h]];
      if (members_[i].rest != Rest::kCritical || k >= members_[i].falls_from) continue;
      const double excess = members_[i].side * (loose[static_cast<Index>(h)] - force[held[h]]);
      if (excess <= most) continue;
      if (size.size() == 0) size = sizes_of(free, k);
      if (excess <= kRoundingOfRate * size[static_cast<Index>(h)]) continue;  // no force at all
      most = excess;
      worst = i;
    }
    if (worst < 0) break;
    members_[worst].rest = Rest::kSaturated;
    members_[worst].saturated_at = k;
  }
}

// A row that others hold has their rounding, however small its own terms are.
void IslandDecision::find_greatest() {
  greatest_ = 0;
  for (Index r = 0; r < terms_.size(); ++r) {
    if (unit(r) == 0) continue;
    greatest_ = std::max(greatest_, (rate_size_[at_rest_[r]] + terms_[r]) / unit(r));
  }
}

// A force that is kept at its bound for its length alone falls where the motion needs that. True
// when one does so at this order: then another one has to be kept at its bound, perhaps.
bool IslandDecision::release_saturated() {
  Index worst = falling_by_creep();
  if (worst < 0) worst = falling_by_rate();
  if (worst >= 0) members_[worst].falls_from = members_[worst].saturated_at;
  return worst >= 0;
}

// The one that would slip inwards most, where massless bodies slip; -1 for none.
IslandDecision::Index IslandDecision::falling_by_creep() const {
  Index worst = -1;
  double most = 0;  // slips have been rid of their rounding
  for (Index r = 0; matrices_->is_bound() && r < solution_.slip.size(); ++r) {
    const Member& m = members_[at_rest_[r]];
    if (m.rest != Rest::kSaturated || solution_.slip[r] == 0) continue;
    const double inward = -m.side * solution_.slip[r] / std::sqrt(solution_.creep_gram(r, r));
    if (inward <= most) continue;
    most = inward;
    worst = at_rest_[r];
  }
  return worst;
}

// The same of slip rates.
IslandDecision::Index IslandDecision::falling_by_rate() const {
  Index worst = -1;
  double most = kRoundingOfRate;
  const double of_all = solution_.box.residual.cwiseAbs().maxCoeff();
  for (Index r = 0; r < terms_.size(); ++r) {
    const Member& m = members_[at_rest_[r]];
    // Rates of a massless body are those of others, in a series with it.
    const double size = unit(r) > 0 ? greatest_ * unit(r) : of_all;
    if (m.rest != Rest::kSaturated || size == 0) continue;
    const double inward = -m.side * solution_.box.residual[r] / size;
    if (inward <= most) continue;
    most = inward;
    worst = at_rest_[r];
  }
  return worst;
}

// Rarely asked for.
double IslandDecision::size_of_force(Index k, Index r) {
  if (force_size_.size() == 0) force_size_ = force_sizes(k);
  return force_size_[r];
}

// That of a contact whose force is said to have come to zero: where forces are not unique, the
// shortest ones may say otherwise.
std::int8_t IslandDecision::side_of_contact(Index r) {
  const std::int8_t contact = members_[at_rest_[r]].contact;
  const double force = contact * solution_.box.force[r];
  return force <= kNear * size_of_force(0, r) ? static_cast<std::int8_t>(-contact) : std::int8_t{0};
}

// The side of the bound at which the force of r is but for rounding: that of the terms which it is
// the sum of may be far greater than its own. At higher orders: at which it stays.
std::int8_t IslandDecision::side_within_rounding(Index k, Index r, bool touches) {
  const Index i = at_rest_[r];
  const Member& m = members_[i];
  const double force = solution_.box.force[r];
  const auto size = [&] { return size_of_force(k, r); };
  if (k > 0) {
    const double reserve = std::fabs(m.side * bound(i, k) - force);
    const double rounding = creeps(i) ? kRoundingOfCreep : kRoundingOfForce;
    return reserve <= rounding * size() ? m.side : std::int8_t{0};
  }
  const double bound_now = bound(i, 0), reserve = bound_now - std::fabs(force);
  const std::int8_t side = force > 0 ? 1 : -1;
  if (reserve > kNear * bound_now) return 0;
  const bool near = touches || reserve <= kRoundingOfForce * std::max(bound_now, size());
  return near ? side : std::int8_t{0};
}

}  // namespace luztar
