// The forces of an island's members at rest: the box problem of one order, and what its solution
// tells where forces are not unique.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "runtime/events/island_decision.h"
#include "runtime/numbers.h"

namespace luztar {
namespace {

constexpr double kRoundingOfReach = 32 * kEpsilon;

/// Slips that rounding of creep has left become zero. One that bodies with inertia make is none,
/// however fast creep would be: more than the rounding of its terms, or of a row whose creep those
/// that hold take.
///   of_bodies  what bodies with inertia make that creep cannot change
void clear_creep(const Eigen::MatrixXd& creep_gram, const Eigen::VectorXd& size, double of_bodies,
                 LexicographicMinimum& m) {
  constexpr double kPartOfBodies = 1e-6, kLeast = 1e-14;
  std::vector<Eigen::Index> held;
  for (Eigen::Index r = 0; r < m.first.size(); ++r) {
    if (m.side[static_cast<std::size_t>(r)] == BoxSide::kInside) held.push_back(r);
  }
  for (Eigen::Index r = 0; r < m.first.size(); ++r) {
    const double left = std::fabs(m.first[r]);
    if (left == 0 || left > kRoundingOfCreep * size[r]) continue;
    const bool is_real = of_bodies > 0 && left > kPartOfBodies * of_bodies &&
                         (left > kLeast * size[r] || depends_on_others(creep_gram, held, r));
    if (!is_real) m.first[r] = 0;
  }
}

/// Rows that depend on no other are those themselves, without the rounding of a product.
void take_regular_rows(Eigen::MatrixXd& onto, Eigen::MatrixXd& spread) {
  constexpr double kUnit = 1e-9;
  const auto n = onto.rows();
  for (Eigen::Index r = 0; r < n; ++r) {
    const Eigen::RowVectorXd unit = Eigen::RowVectorXd::Unit(n, r);
    if ((onto.row(r) - unit).lpNorm<Eigen::Infinity>() > kUnit) continue;
    onto.row(r) = spread.row(r) = unit;
  }
}

}  // namespace

void IslandDecision::set_active(std::vector<Index> held, std::vector<Index> others,
                                ActiveSet& set) const {
  if (matrices_->is_bound()) {
    set.map =
        lexicographic_hold_map(solution_.creep_gram, gram_.dense(), solution_.drag, held, others);
  } else {
    set.forces.emplace(gram_, held);
  }
  set.held = std::move(held);
  set.others = std::move(others);
}

// The forces of those held, by order of the set, that are shortest without bounds.
IslandDecision::Vector IslandDecision::shortest(const ActiveSet& set,
                                                const Vector& residual) const {
  const Vector& force = solution_.box.force;
  if (matrices_->is_bound()) {
    return set.map.first * Vector(solution_.creep_slip(set.held)) +
           set.map.second * Vector(residual(set.held)) +
           set.map.from_forces * Vector(force(set.others));
  }
  Vector given = Vector::Zero(force.size());
  for (const Index r : set.others) given[r] = force[r];
  Vector right = residual;
  gram_.add_product(given, -1, right);
  return set.forces->forces(right(set.held));
}

// The sum of the terms that the force of the h-th one held is made of, by what rates measure.
//   measure   of the row of a rate
template <class Measure>
double IslandDecision::terms_of_held(const ActiveSet& set, Index h, Measure measure) const {
  const bool is_bound = matrices_->is_bound();
  const auto n = static_cast<Index>(set.held.size());
  const Vector row =
      is_bound ? Vector(set.map.second.row(h)) : set.forces->forces(Vector::Unit(n, h));
  double sum = 0;
  for (Index c = 0; c < n; ++c) {
    const Friction& f = friction_[at_rest_[static_cast<std::size_t>(set.held[c])]];
    sum += std::fabs(row[c]) * measure(is_bound ? f.rate_row : f.free_row);
    if (is_bound && f.creep) sum += std::fabs(set.map.first(h, c)) * measure(f.free_row);
  }
  return sum;
}

// The size of the terms that the force of the h-th one held is the sum of.
double IslandDecision::size_of_held(const ActiveSet& set, Index k, Index h) const {
  double size;
  if (shift_.size() > 0) {
    const Vector b = b_(set.held), shift = Vector(shift_(at_rest_))(set.held);
    size = std::fabs(set.forces->forces(b)[h]) + std::fabs(set.forces->forces(shift)[h]);
  } else {
    size = terms_of_held(set, h, [&](std::uint32_t row) { return J_->size(k, row); });
  }
  if (set.others.empty()) return size;
  Vector reach = Vector::Zero(gram_.size());  // of the others' forces
  if (matrices_->is_bound()) {
    reach(set.others) = set.map.from_forces.row(h).transpose();
  } else {
    const auto n = static_cast<Index>(set.held.size());
    Vector own = Vector::Zero(gram_.size());
    own(set.held) = set.forces->forces(Vector::Unit(n, h));
    gram_.add_product(own, 1, reach);
  }
  for (const Index r : set.others) size += std::fabs(reach[r] * solution_.box.force[r]);
  return size;
}

// Of an order: those at rest that do not slip on from this order.
std::vector<IslandDecision::Index> IslandDecision::staying() const {
  const BoxMinimum& box = solution_.box;
  Vector size = b_size_;
  gram_.add_sizes(box.force, size);
  std::vector<Index> result;
  for (Index r = 0; r < size.size(); ++r) {
    const bool slips = solution_.slip[r] != 0;
    if (!slips && std::fabs(box.residual[r]) <= kRoundingOfRate * size[r]) result.push_back(r);
  }
  return result;
}

// G, or what dampers take of it, changes in that order.
bool IslandDecision::turns(Index k) {
  const auto changes = [&](const VaryingGramEntry& entry) {
    return std::fabs(J_->at(k, entry.row)) > kRoundingOfRate * J_->size(k, entry.row);
  };
  return std::any_of(varying_gram_.begin(), varying_gram_.end(), changes) ||
         std::any_of(varying_drag_.begin(), varying_drag_.end(), changes);
}

// What takes two prescribed motions apart is stronger than any friction. Those between them are at
// their bounds from the start, however late a derivative is the first to differ: their force jumps.
//   rows, gram   of those that may be between them, and how forces act on these
void IslandDecision::find_parting(Index k, const std::vector<Index>& rows,
                                  const Eigen::MatrixXd& gram) {
  parting_order_ = 0;
  const auto n = static_cast<Index>(rows.size());
  std::vector<Index> all(rows.size());
  std::iota(all.begin(), all.end(), Index{0});
  const HeldForces hold(gram, all);
  if (hold.rank() == n) return;
  Eigen::MatrixXd reach(n, n);
  for (Index c = 0; c < n; ++c) reach.col(c) = hold.in_range(Vector::Unit(n, c));
  const Vector unit = gram.diagonal().cwiseSqrt();
  const Eigen::MatrixXd reach_size = reach.cwiseAbs();
  Vector rate(n), size(n), instant(n);
  for (Index later = k + 1; later <= J_->highest() && !turns(later); ++later) {
    for (Index r = 0; r < n; ++r) {  // no force of those that slip takes them apart
      const Index i = at_rest_[static_cast<std::size_t>(rows[r])];
      const std::uint32_t row = rate_row(i);
      rate[r] = J_->at(later, row);
      if (later < members_[i].dust) rate[r] = 0;
      size[r] = J_->size(later, row);
      instant[r] = J_->rounding_of_instant(later, row);
    }
    const Vector apart = rate - reach * rate;
    // Entries of `reach` that are to be zero are rounding in units of the rows.
    const double greatest = (unit.array() > 0).select(size.array() / unit.array(), 0).maxCoeff();
    const Vector rounding = kRoundingOfRate * (size + reach_size * size) + instant +
                            reach_size * instant + kRoundingOfReach * greatest * unit;
    Vector parts = (apart.array().abs() > rounding.array()).select(apart, 0);
    for (Index r = 0; r < n; ++r) {
      if (parts[r] != 0 && later < dust_of_parting(rows, reach, r)) parts[r] = 0;
    }
    if (parts.isZero(0)) continue;
    parting_.setZero(static_cast<Index>(at_rest_.size()));
    parting_(rows) = parts;
    parting_order_ = later;
    return;
  }
}

// Of many forces with the same motion the greatest against what is to come, and of these the
// shortest: the limit of the minimum for t -> 0 with a rate that grows like t^parting_order_.
void IslandDecision::take_parting(Index k) {
  if (!driven_ || at_rest_.size() < 2) return;
  const std::vector<Index> rows = staying();
  if (rows.size() < 2) return;
  // Massless bodies follow any force at once; and forces that dampers carry are among those that
  // move bodies with inertia.
  const Eigen::MatrixXd gram = sum_at_scale(gram_.dense(), {&solution_.creep_gram})(rows, rows);
  find_parting(k, rows, gram);
  if (parting_order_ == 0) return;
  BoxMinimum& box = solution_.box;
  const Eigen::MatrixXd own = null_basis(gram);
  Eigen::MatrixXd along = Eigen::MatrixXd::Zero(box.force.size(), own.cols());
  along(rows, Eigen::all) = own;
  Vector low = box.force, high = box.force;  // of those that slip: their bound
  low(rows) = lower_(rows);
  high(rows) = upper_(rows);
  // At the scale of the forces, however slowly they part.
  const auto finite = [](double bound) { return std::isfinite(bound) ? std::fabs(bound) : 0.0; };
  double force = box.force.lpNorm<Eigen::Infinity>();
  for (Index r = 0; r < low.size(); ++r) {
    force = std::max({force, finite(low[r]), finite(high[r])});
  }
  if (force > 0) parting_ *= force / parting_.lpNorm<Eigen::Infinity>();
  LexicographicMinimum m{box.force, {}, Vector::Zero(low.size()), box.side};
  try {
    minimize_on_face(Eigen::MatrixXd::Zero(low.size(), low.size()), parting_, parting_.cwiseAbs(),
                     along, low, high, m);
  } catch (const UnboundedMinimum&) {
    // What parts later has been at its bound from order 0 on: here rounding alone says that it is
    // not.
    if (k == 0) throw;
    parting_order_ = 0;
    return;
  }
  box.force = std::move(m.force);
  box.side = std::move(m.side);
  // Only those whose bound keeps them from more power are let go by it.
  const double rounding = kNear * parting_.lpNorm<Eigen::Infinity>();
  parting_ = (m.second.array().abs() > rounding).select(m.second, 0);
}

// What forces of those at rest have to do, and may be.
void IslandDecision::bound_forces(Index k) {
  const auto n = static_cast<Index>(at_rest_.size());
  gram_.take_principal(matrices_->gram, at_rest_);
  for (Vector* v : {&b_, &b_size_, &lower_, &upper_}) v->resize(n);
  for (Index r = 0; r < n; ++r) {
    const Index i = at_rest_[r];
    b_[r] = rate_[i];
    b_size_[r] = rate_size_[i];
    if (shift_.size() > 0) b_size_[r] += std::fabs(shift_[i]);
    bound_force(k, r, members_[i].rest);
  }
  if (k == 0 && push_.size() > 0 && at_rest_ == pushed_) b_ += push_;
}

void IslandDecision::bound_force(Index k, Index r, Rest rest) {
  const Index i = at_rest_[r];
  const Member& m = members_[i];
  const bool critical = rest == Rest::kCritical;
  if (critical && is_at_both_bounds(i, k)) {
    upper_[r] = returning_capacity(i, k);
    lower_[r] = -upper_[r];
    return;
  }
  lower_[r] = k == 0 || (critical && m.side < 0) ? -bound(i, k) : -kInfinity;
  upper_[r] = k == 0 || (critical && m.side > 0) ? bound(i, k) : kInfinity;
  if (m.contact != 0) {  // pushes only; while it does, its rates are free
    const double inward = k == 0 || critical ? 0 : -kInfinity;
    lower_[r] = m.contact > 0 ? inward : -kInfinity;
    upper_[r] = m.contact > 0 ? kInfinity : -inward;
  }
  if (rest == Rest::kSaturated) lower_[r] = upper_[r] = m.side * bound(i, k);
}

// The same of the terms of the rates that forces balance: a light body's are great.
double IslandDecision::size_of_balance(const ActiveSet& set, Index h) const {
  if (matrices_->is_bound()) return 0;
  const auto n = static_cast<Index>(set.held.size());
  const Vector own = set.forces->forces(Vector::Unit(n, h)).cwiseAbs();
  double size = 0;
  for (Index r = 0; r < n; ++r) size += own[r] * own_terms(set.held[static_cast<std::size_t>(r)]);
  return size;
}

// The minimum over the members at rest: in a bound island first of slips, then of rates.
void IslandDecision::solve_box(Index k) {
  inside_ = std::nullopt;
  if (!matrices_->is_bound()) {
    const Vector shift = shift_.size() > 0 ? Vector(shift_(at_rest_)) : Vector();
    minimize_in_box(gram_, b_, b_size_, lower_, upper_, solution_.box, shift);
    solution_.slip.setZero(b_.size());
    take_parting(k);
    return;
  }
  Vector slip, size;
  find_creep_slips(k, slip, size);
  const Eigen::MatrixXd creep_gram = matrices_->creep_gram(at_rest_, at_rest_);
  Vector b0 = slip(at_rest_);
  // Slips that no creep can change come from bodies with inertia. Beyond order 0 they are the rates
  // that the order before has left, and creep decides which friction of a series takes them; at
  // order 0 they are zero when they are rounding, or when these bodies turn back.
  std::vector<Index> all(at_rest_.size());
  std::iota(all.begin(), all.end(), Index{0});
  const Eigen::MatrixXd creep_hold = hold_map(creep_gram, all, {}).from_residual;
  Eigen::MatrixXd onto = creep_gram * creep_hold;  // what creep can change
  Eigen::MatrixXd spread = creep_gram.cwiseAbs() * creep_hold.cwiseAbs();
  take_regular_rows(onto, spread);
  const Vector reachable = onto * b0;
  const Vector rest = b0 - reachable;
  Vector terms = size(at_rest_);
  const double greatest = terms.maxCoeff();
  double of_bodies = 0;
  Vector rounding;
  bool is_projected = true;  // b0, and so every row has the rounding of others
  if (k > 0) {
    const Vector rate = rate_left_(at_rest_) / static_cast<double>(k);
    const Vector own = rate - onto * rate;
    // What a projection leaves has the rounding of all that it is taken from.
    const Vector mixed = spread * (b0.cwiseAbs() + rate.cwiseAbs()) + rate.cwiseAbs();
    rounding = kRoundingOfCreep * (reachable.cwiseAbs() + own.cwiseAbs()) + kRoundingOfRate * mixed;
    const auto is_real = own.array().abs() > rounding.array();
    of_bodies = is_real.select(own, 0).lpNorm<Eigen::Infinity>();
    b0 = reachable + own;
    b0 = (b0.array().abs() <= rounding.array()).select(0, b0);
    terms += rate.cwiseAbs() + spread * rate.cwiseAbs();
  } else {
    const double rounding_of_rest = std::max(kRoundingOfRate * greatest, rounding_of_instant());
    const bool reaches_all = rest.cwiseAbs().maxCoeff() <= rounding_of_rest;
    if (reaches_all) b0 = reachable;
    is_projected = reaches_all;
    Vector own = terms;
    for (Index r = 0; r < own.size(); ++r) {
      const Friction& f = friction_[at_rest_[r]];
      if (f.creep) own[r] = J_->size(0, f.free_row);
    }
    clear_rounding(creep_gram, own, !reaches_all, b0);
  }
  if (is_projected) terms += spread * Vector(size(at_rest_));
  // What no creep can change is not rounding of terms that creep alone makes great.
  if (of_bodies > 0) terms = terms.cwiseMin(b0.cwiseAbs() + rounding / kGaussConsistency);
  const Eigen::MatrixXd drag = matrices_->drag(at_rest_, at_rest_);
  LexicographicMinimum m = minimize_lexicographic(creep_gram, b0, gram_.dense(), b_, drag, lower_,
                                                  upper_, {terms, b_size_});
  if (k == 0) {
    clear_rounding(creep_gram, size(at_rest_) + creep_gram.cwiseAbs() * m.force.cwiseAbs(), true,
                   m.first);
  }
  if (k > 0) clear_creep(creep_gram, size(at_rest_), of_bodies, m);
  solution_ = {{m.force, m.second, m.side}, m.first, creep_gram, drag, b0};
  take_parting(k);
}

// Its place among the forces within their bounds, -1 for others. Rarely asked for.
IslandDecision::Index IslandDecision::place_inside(Index r) {
  const std::vector<BoxSide>& side = solution_.box.side;
  if (!inside_) {
    std::vector<Index> inside, outside;
    for (std::size_t i = 0; i < side.size(); ++i) {
      (side[i] == BoxSide::kInside ? inside : outside).push_back(static_cast<Index>(i));
    }
    set_active(std::move(inside), std::move(outside), inside_.emplace());
  }
  const auto at = std::lower_bound(inside_->held.begin(), inside_->held.end(), r);
  return at == inside_->held.end() || *at != r ? -1 : at - inside_->held.begin();
}

// Of the forces within their bounds, by member at rest; of others zero.
double IslandDecision::size_of_force(Index k, Index r) {
  const Index place = place_inside(r);
  return place < 0 ? 0 : size_of_held(*inside_, k, place);
}

// What the rounding of the instant makes of such a force.
double IslandDecision::instant_of_force(Index r) {
  const Index place = place_inside(r);
  if (place < 0) return 0;
  return terms_of_held(*inside_, place,
                       [&](std::uint32_t row) { return J_->rounding_of_instant(0, row); });
}

// That of a contact whose force is said to have come to zero: where forces are not unique, the
// shortest ones may say otherwise.
std::int8_t IslandDecision::side_of_contact(Index r) {
  const std::int8_t contact = members_[at_rest_[r]].contact;
  const double force = contact * solution_.box.force[r];
  const bool is_zero = force <= kNear * size_of_force(0, r) || force <= instant_of_force(r);
  return is_zero ? static_cast<std::int8_t>(-contact) : std::int8_t{0};
}

// The side of the bound at which the force of r is but for rounding: that of the terms which it is
// the sum of may be far greater than its own. An event has found it there to the rounding of the
// instant, which may be more than the bounds. At higher orders: at which it stays.
std::int8_t IslandDecision::side_within_rounding(Index k, Index r, const FrictionHint& hint) {
  const Index i = at_rest_[r];
  const Member& m = members_[i];
  const double force = solution_.box.force[r];
  const auto size = [&] { return size_of_force(k, r); };
  if (k > 0) {
    const std::int8_t side = is_at_both_bounds(i, k) ? direction_of(force) : m.side;
    const double reserve = std::fabs(side * bound(i, k) - force);
    const double rounding = creeps(i) ? kRoundingOfCreep : kRoundingOfForce;
    return reserve <= rounding * size() ? side : std::int8_t{0};
  }
  const double bound_now = bound(i, 0), reserve = bound_now - std::fabs(force);
  if (hint.at_bound != 0 && bound_now - hint.at_bound * force <= instant_of_force(r)) {
    return hint.at_bound;
  }
  const std::int8_t side = force > 0 ? 1 : -1;
  if (reserve > kReachesBound * bound_now) return 0;
  const bool touches = hint.at_bound != 0 || m.slides;  // what slides has been at its bound so far
  const bool near = touches || reserve <= kRoundingOfForce * std::max(bound_now, size());
  return near ? side : std::int8_t{0};
}

}  // namespace luztar
