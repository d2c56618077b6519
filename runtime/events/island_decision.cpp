#include "runtime/events/island_decision.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace luztar {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// So are the derivatives of a creeping slip that is rounding itself: they have its rates of decay,
/// which may be those of the stiffest spring against the softest.
constexpr double kRoundingOfCreep = 1e-10;
/// A force this near to its bound is at it.
constexpr double kRoundingOfForce = 1e-13;
/// One that has reached its bound by an event is this near at least.
constexpr double kNear = 1e-9;

/// result += factor * matrix * x, without storage of its own.
void add_product(const Eigen::MatrixXd& matrix, const Eigen::VectorXd& x, double factor,
                 Eigen::VectorXd& result) {
  for (Eigen::Index j = 0; j < x.size(); ++j) {
    if (x[j] != 0) result += (factor * x[j]) * matrix.col(j);
  }
}

/// result += |matrix| |x|
void add_sizes(const Eigen::MatrixXd& matrix, const Eigen::VectorXd& x, Eigen::VectorXd& result) {
  for (Eigen::Index j = 0; j < x.size(); ++j) {
    if (x[j] != 0) result += std::fabs(x[j]) * matrix.col(j).cwiseAbs();
  }
}

}  // namespace

IslandDecision::IslandDecision(const System& system, const FrictionIsland& island)
    : friction_(system.frictions.data() + island.first),
      size_(static_cast<Index>(island.count)),
      varying_gram_(island.varying_gram),
      members_(island.count) {
  at_rest_.reserve(island.count);
}

IslandDecision::Values IslandDecision::values_of(const Friction& f, const Coefficients& J) {
  return {J[f.free_row], J[f.kinetic_row], (J[f.reserve_row] + J[f.reserve_row + 1]) / 2};
}

double IslandDecision::free(Index i, Index k) const { return J_->at(k, friction_[i].free_row); }

double IslandDecision::kinetic(Index i, Index k) const {
  return J_->at(k, friction_[i].kinetic_row);
}

double IslandDecision::bound(Index i, Index k) const {
  if (members_[i].slides) return kinetic(i, k);
  const std::uint32_t row = friction_[i].reserve_row;
  const double value = (J_->at(k, row) + J_->at(k, row + 1)) / 2;
  return k == 0 ? std::max(value, 0.0) : value;
}

bool IslandDecision::is_free(std::size_t i) const {
  const auto index = static_cast<Index>(i);
  if (creeps(index)) return false;
  std::int64_t k = 0;
  while (k <= J_->highest() && bound(index, k) == 0) ++k;
  return k > J_->highest();
}

// One that slides with T_K < T_S, and whose slip is zero with all its derivatives, tends to rest
// and is never there: the system is analytic in a mode. T_K stays its bound, and it slides on as
// soon as something pushes it; what rounding makes of its slip does not tell.
bool IslandDecision::tends_to_rest(std::size_t i, std::int8_t direction) const {
  const auto index = static_cast<Index>(i);
  return creeps(index) && members_[i].rest == Rest::kCritical && J_->highest() > 0 &&
         direction == members_[i].side &&
         J_->at(0, friction_[i].reserve_row) + J_->at(0, friction_[i].reserve_row + 1) >
             2 * (1 + kRoundingOfForce) * kinetic(index, 0);
}

bool IslandDecision::any_critical() const {
  return std::any_of(members_.begin(), members_.end(),
                     [](const Member& m) { return m.rest == Rest::kCritical; });
}

double IslandDecision::rounding_of_rate(Index i, Index k) const {
  return k > 0 && creeps(i) && !matrices_->is_bound() ? kRoundingOfCreep : kRoundingOfRate;
}

void IslandDecision::find_at_rest() {
  at_rest_.clear();
  for (Index i = 0; i < size_; ++i) {
    if (members_[i].rest != Rest::kSlips) at_rest_.push_back(i);
  }
}

void IslandDecision::find_sliding_forces(Index k) {
  force_.setZero(size_);
  for (Index i = 0; i < size_; ++i) {
    const Member& m = members_[i];
    if (m.rest == Rest::kSlips) force_[i] = m.side * kinetic(i, k);
  }
}

// What forces of lower orders do at order k since G varies: sum over j > 0 of G_j s_(k-j).
void IslandDecision::subtract_turning(Index k) {
  for (const GramEntry& entry : varying_gram_) {
    for (Index j = 1; j <= k; ++j) {
      const double g = J_->at(j, entry.row), rounding = J_->size(j, entry.row);
      const Vector& force = forces_[static_cast<std::size_t>(k - j)];
      const auto subtract = [&](Index to, Index from) {
        rate_[to] -= g * force[from];
        rate_size_[to] += rounding * std::fabs(force[from]);
      };
      subtract(entry.i, entry.j);
      if (entry.i != entry.j) subtract(entry.j, entry.i);
    }
  }
}

void IslandDecision::find_rates(Index k) {
  const bool is_bound = matrices_->is_bound();
  const auto row = [&](Index i) {
    return is_bound ? friction_[i].rate_row : friction_[i].free_row;
  };
  rate_.resize(size_);
  for (Index i = 0; i < size_; ++i) rate_[i] = J_->at(k, row(i));
  rate_size_ = rate_.cwiseAbs();
  add_sizes(matrices_->gram, force_, rate_size_);
  add_product(matrices_->gram, force_, -1, rate_);
  if (is_bound) add_product(matrices_->drag, force_, 1, rate_);
  if (k == 0) return;
  subtract_turning(k);
  // Rates of what is held cancel in all orders, and what rounding leaves of them tells nothing.
  for (Index i = 0; i < size_; ++i) {
    rate_size_[i] += J_->size(k, row(i));
    if (std::fabs(rate_[i]) <= rounding_of_rate(i, k) * rate_size_[i]) rate_[i] = 0;
  }
}

// Slips of the creeping members of a bound island likewise.
void IslandDecision::find_creep_slips(Index k, Vector& slip, Vector& size) {
  slip.setZero(size_);
  size.setZero(size_);
  add_product(matrices_->creep_gram, force_, -1, slip);
  add_sizes(matrices_->creep_gram, force_, size);
  for (Index i = 0; i < size_; ++i) {
    if (!creeps(i)) continue;
    slip[i] += free(i, k);
    size[i] += k == 0 ? std::fabs(free(i, k)) : J_->size(k, friction_[i].free_row);
    if (k > 0 && std::fabs(slip[i]) <= kRoundingOfCreep * size[i]) slip[i] = 0;
  }
}

// The rate of one that slips, with the forces of those at rest, and the size of its terms.
std::pair<double, double> IslandDecision::slip_rate(Index i) const {
  double rate = rate_[i], size = rate_size_[i];
  for (std::size_t r = 0; r < at_rest_.size(); ++r) {
    const double term = matrices_->gram(i, at_rest_[r]) * solution_.box.force[r];
    rate -= term;
    size += std::fabs(term);
  }
  return {rate, size};
}

// A friction that broke away at a higher order moves at once when others have dropped to T_K since.
// Of order 0.
void IslandDecision::review_zeros() {
  for (Index i = 0; i < size_; ++i) {
    Member& m = members_[i];
    if (creeps(i) || m.rest != Rest::kSlips || m.zeros < 2) continue;
    const auto [residual, terms] = slip_rate(i);
    if (std::fabs(residual) > kRoundingOfRate * terms) m.zeros = 1;
  }
}

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
    return;
  }
  Vector slip, size;
  find_creep_slips(k, slip, size);
  const Eigen::MatrixXd creep_gram = matrices_->creep_gram(at_rest_, at_rest_);
  Vector b0 = slip(at_rest_);
  // Slips that no creep can change come from bodies with inertia. Beyond order 0 they follow from
  // the rates of the order before; at order 0 they are zero when they are rounding.
  std::vector<Index> all(at_rest_.size());
  std::iota(all.begin(), all.end(), Index{0});
  const Vector reachable = creep_gram * (hold_map(creep_gram, all, {}).from_residual * b0);
  const Vector rest = b0 - reachable;
  const double greatest = Vector(size(at_rest_)).maxCoeff();
  if (k > 0 || rest.cwiseAbs().maxCoeff() <= kRoundingOfRate * greatest) b0 = reachable;
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

// A force that is kept at its bound for its length alone falls where the motion needs that. True
// when one does so at this order: then another one has to be kept at its bound, perhaps.
bool IslandDecision::release_saturated() {
  const auto scale = [&](Index r) { return std::sqrt(gram_(r, r)); };  // of the units of a row
  double largest = 0;  // a row that others hold has their rounding, however small its own terms are
  for (Index r = 0; r < terms_.size(); ++r) {
    if (scale(r) > 0) {
      largest = std::max(largest, (rate_size_[at_rest_[r]] + terms_[r]) / scale(r));
    }
  }
  Index worst = -1;
  double most = kRoundingOfRate;
  for (Index r = 0; r < terms_.size(); ++r) {
    Member& m = members_[at_rest_[r]];
    if (m.rest != Rest::kSaturated || largest * scale(r) == 0) continue;
    const double inward = -m.side * solution_.box.residual[r] / (largest * scale(r));
    if (inward <= most) continue;
    most = inward;
    worst = at_rest_[r];
  }
  if (worst >= 0) members_[worst].falls_from = members_[worst].saturated_at;
  return worst >= 0;
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

// What the solution makes of the member at rest r. True when it breaks away to a smaller force.
bool IslandDecision::read_member(Index k, Index r, const FrictionHint& hint) {
  const BoxMinimum& box = solution_.box;
  const Index i = at_rest_[r];
  Member& m = members_[i];
  auto side = static_cast<std::int8_t>(box.side[static_cast<std::size_t>(r)]);
  if (m.rest == Rest::kSaturated) side = m.side;
  if (side == 0 && m.contact != 0) {
    if (k == 0 && hint.at_bound != 0) side = side_of_contact(r);
  } else if (side == 0) {
    // What slides has been at its bound so far.
    side = side_within_rounding(k, r, hint.at_bound != 0 || m.slides);
  }
  if (side == 0) {
    m.rest = Rest::kHeld;
    m.zeros = static_cast<std::uint32_t>(k);
    return false;
  }
  m.side = side;
  const double threshold = rounding_of_rate(i, k) * (rate_size_[i] + terms_[r]);
  const bool slips_now = side * solution_.slip[r] > 0;
  if (slips_now || side * box.residual[r] > threshold) {
    const bool at_once = matrices_->is_bound() ? slips_now : creeps(i);
    m.zeros = static_cast<std::uint32_t>(at_once ? k : k + 1);
    const bool drops =
        m.contact == 0 && bound(i, 0) - kinetic(i, 0) > kRoundingOfForce * bound(i, 0);
    if (drops) m.zeros = creeps(i) ? 0 : 1;  // the drop of its force moves it at once
    if (drops && creeps(i)) {
      m.slides = true;  // from now on, which way the others have a say in
    } else {
      m.rest = Rest::kSlips;
      m.slips_on = m.broke = drops;
    }
    return drops;
  }
  if (m.rest != Rest::kSaturated) m.rest = Rest::kCritical;
  return false;
}

// The box problem of order k over the frictions at rest. True when order 0 is to be solved again:
// some broke away, or one is not kept at its bound.
bool IslandDecision::solve_order(Index k, std::span<const FrictionHint> hints) {
  find_at_rest();
  find_sliding_forces(k);
  find_rates(k);
  if (!at_rest_.empty()) {
    bound_forces(k);
    solve_box(k);
    terms_.setZero(b_.size());
    add_sizes(gram_, solution_.box.force, terms_);
    if (k > 0 && release_saturated()) return true;
  }
  if (!varying_gram_.empty()) {
    forces_.resize(static_cast<std::size_t>(k));
    forces_.push_back(force_);
    if (!at_rest_.empty()) forces_.back()(at_rest_) = solution_.box.force;
  }
  if (k == 0) review_zeros();
  bool broke = false;
  for (Index r = 0; r < static_cast<Index>(at_rest_.size()); ++r) {
    const Index i = at_rest_[r];
    if (k > 0 && members_[i].rest == Rest::kHeld) continue;
    if (read_member(k, r, hints[i])) broke = true;
  }
  // Forces that bounds alone make unique, too, are free as soon as one of them leaves its bound.
  if (any_critical()) saturate(k);
  return broke;
}

// Whoever broke away in the last round to a decision slips in the next one, with the force that the
// decision has ended with: the same values give the same result.
void IslandDecision::note_basis() {
  basis_.clear();
  if (matrices_->is_bound() || any_critical()) return;
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
// too: it is at rest again, once. True when there is one.
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
    if (m.side * rate >= -kRoundingOfRate * size) continue;
    m.slips_on = m.broke = false;
    m.returned = back = true;
  }
  return back;
}

void IslandDecision::run(const IslandMatrices& matrices, Coefficients& J,
                         std::span<const FrictionHint> hints,
                         std::span<const FrictionState> states) {
  matrices_ = &matrices;
  J_ = &J;
  for (Index i = 0; i < size_; ++i) {
    const FrictionHint& hint = hints[i];
    const FrictionState& state = states[i];
    Member& m = members_[i];
    m = {};
    // Whatever other frictions did to it in earlier rounds of the same event.
    m.slides = creeps(i) && (state.direction != 0 || hint.slid != 0);
    m.slips_on = !hint.at_rest && !creeps(i);
    m.rest = m.slips_on ? Rest::kSlips : Rest::kHeld;
    m.side = state.free ? hint.direction : state.direction;
    if (friction_[i].stop != kNoIndex && hint.at_rest) m.contact = state.contact;
  }
  // Each round breaks at least one friction away, returns one, or finds one that falls: once, and
  // once for an order.
  bool again = true;
  while (again) {
    // What let go because another one held with T_S may hold now that this one has dropped to T_K.
    for (Member& m : members_) {
      if (!m.slips_on) m.rest = Rest::kHeld;
    }
    again = solve_order(0, hints);
    if (!again) note_basis();
    for (Index k = 1; k <= J.highest() && !again && any_critical(); ++k) {
      again = solve_order(k, hints);
    }
    again = again || return_to_rest();
  }
}

}  // namespace luztar
