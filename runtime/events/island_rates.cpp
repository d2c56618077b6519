// The rates and slips of an order that an island's members at rest are to balance, with the forces
// of those that slip.
#include <algorithm>
#include <cmath>
#include <utility>

#include "runtime/events/island_decision.h"
#include "runtime/pwl/first_crossing.h"

namespace luztar {
namespace {

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

void IslandDecision::find_sliding_forces(Index k) {
  force_.setZero(size_);
  for (Index i = 0; i < size_; ++i) {
    const Member& m = members_[i];
    if (m.rest == Rest::kSlips) force_[i] = m.side * kinetic(i, k);
  }
}

// What forces of lower orders do at order k since G varies: sum over j > 0 of G_j s_(k-j). The same
// of what they take from dampers.
void IslandDecision::subtract_turning(Index k) {
  for (Index j = 1; j <= k; ++j) {
    const Vector& force = forces_[static_cast<std::size_t>(k - j)];
    const auto subtract = [&](const VaryingGramEntry& entry, Index to, Index from, double sign) {
      rate_[to] -= sign * J_->at(j, entry.row) * force[from];
      rate_size_[to] += J_->size(j, entry.row) * std::fabs(force[from]);
    };
    for (const VaryingGramEntry& entry : varying_gram_) {
      subtract(entry, entry.i, entry.j, 1);
      if (entry.i != entry.j) subtract(entry, entry.j, entry.i, 1);
    }
    for (const VaryingGramEntry& entry : varying_drag_) subtract(entry, entry.i, entry.j, -1);
  }
}

// At order 0. A contact without force has no bound that such rounding is small against: neither
// that of the terms, nor that of the instant at which its force has fallen to zero. With its rate
// those of others are zero that act on the same bodies: else no forces balance them all.
void IslandDecision::clear_rates_of_contacts() {
  const auto is_contact = [](const Member& m) { return m.contact != 0; };
  if (std::none_of(members_.begin(), members_.end(), is_contact)) return;
  const bool is_bound = matrices_->is_bound();
  for (Index i = 0; i < size_; ++i) {
    const bool follows = creeps(i) && !is_bound;
    const double size = follows ? 0.0 : J_->size(0, rate_row(i));
    if (is_contact(members_[i]) && !creeps(i)) rate_size_[i] += size;
    const double rounding = kRoundingOfRate * (creeps(i) ? size : std::max(size, rate_size_[i]));
    if (std::fabs(rate_[i]) <= std::max(rounding, J_->rounding_of_instant(0, rate_row(i)))) {
      rate_[i] = 0;
    }
  }
}

void IslandDecision::find_rates(Index k) {
  const bool is_bound = matrices_->is_bound();
  shift_.resize(0);
  rate_.resize(size_);
  for (Index i = 0; i < size_; ++i) rate_[i] = k < members_[i].dust ? 0 : J_->at(k, rate_row(i));
  rate_size_ = rate_.cwiseAbs();
  matrices_->gram.add_sizes(force_, rate_size_);
  matrices_->gram.add_product(force_, -1, rate_);
  if (is_bound) add_product(matrices_->drag, force_, 1, rate_);
  if (k == 0) {
    clear_rates_of_contacts();
    return;
  }
  for (Index i = 0; driven_ && i < size_; ++i) {
    if (std::fabs(rate_[i]) <= J_->rounding_of_instant(k, rate_row(i))) rate_[i] = 0;
  }
  if (follows_shifts()) {
    find_shifts(k);
    return;
  }
  if (varies()) subtract_turning(k);
  // Rates of what is held cancel in all orders, and what rounding leaves of them tells nothing.
  for (Index i = 0; i < size_; ++i) {
    rate_size_[i] += J_->size(k, rate_row(i));
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
    const std::uint32_t row = friction_[i].free_row;
    double rounding = rounding_of_end(i, k);
    if (k == 0) {
      // What is left of a slip that has ended is rounding of what that was the difference of.
      size[i] += members_[i].ended ? J_->size(0, row) : std::fabs(free(i, 0));
    } else {
      const double shift = std::fabs(J_->shift(k, row));
      size[i] += std::fabs(free(i, k));
      rounding = std::max(kRoundingOfCreep * size[i], kRoundingOfRate * shift);
      size[i] += shift;
    }
    if (std::fabs(slip[i]) <= rounding) slip[i] = 0;
  }
}

// The rate of one that slips, with the forces of those at rest, and the size of its terms.
std::pair<double, double> IslandDecision::slip_rate(Index i) const {
  double rate = rate_[i], size = rate_size_[i];
  if (shift_left_.size() > 0) size += std::fabs(shift_left_[i]);
  for (std::size_t r = 0; r < at_rest_.size(); ++r) {
    double entry = matrices_->gram(i, at_rest_[r]);
    if (matrices_->is_bound()) entry -= matrices_->drag(i, at_rest_[r]);
    const double term = entry * solution_.box.force[r];
    rate -= term;
    size += std::fabs(term);
  }
  return {rate, size};
}

// Members at rest cannot follow a prescribed motion on the one side and hold on to what rests on
// the other. Forces that are not unique are then those at the bounds to which it pushes, with the
// first order of its motion that tells: also when this moves bodies as late as that.
bool IslandDecision::find_push() {
  if (!driven_ || matrices_->is_bound() || push_.size() > 0) return false;
  find_at_rest();
  const auto n = static_cast<Index>(at_rest_.size());
  if (n < 2) return false;
  const HeldForces held(matrices_->gram, at_rest_);
  if (held.rank() == n) return false;
  Index orders = std::min(kOrdersOfRoot, J_->highest() + 1);
  if (varies())
    orders = std::min(orders, static_cast<Index>(forces_.size()) + 1);  // it takes these
  Eigen::MatrixXd left(n, orders);
  for (Index k = 0; k < orders; ++k) {
    find_sliding_forces(k);
    find_rates(k);
    const Vector rate = rate_(at_rest_);
    left.col(k) = rate - held.in_range(rate);
    const double rounding = kRoundingOfRate * rate_size_(at_rest_).maxCoeff();
    left.col(k) = (left.col(k).array().abs() > rounding).select(left.col(k), 0);
  }
  Index first = 0;
  for (Index r = 0; r < n; ++r) {
    const Index i = at_rest_[r];
    if (creeps(i)) {  // these are coefficients of its slip
      const Vector slip = left.row(r);
      const std::span<const double> c(slip.data(), static_cast<std::size_t>(orders));
      first =
          std::max(first, static_cast<Index>(zeros_near_root(c, kRootOrders, noise_of_slip(i))));
      continue;
    }
    std::vector<double> slip{0};
    for (Index k = 0; k < orders; ++k) slip.push_back(left(r, k) / static_cast<double>(k + 1));
    first = std::max(first, orders_of_dust(slip, noise_of_slip(i)));
  }
  while (first < orders && left.col(first).isZero(0)) ++first;
  if (first == orders) return false;
  constexpr double kSmall = 8 * kGaussConsistency;  // of the rates: more than their rounding
  find_sliding_forces(0);
  find_rates(0);
  double size = kSmall * rate_size_(at_rest_).maxCoeff();  // or of what the frictions can make
  for (const Index i : at_rest_) {
    size = std::max(size, kSmall * matrices_->gram(i, i) * static_bound(i, 0));
  }
  push_ = left.col(first) * (size / left.col(first).lpNorm<Eigen::Infinity>());
  pushed_ = at_rest_;
  return true;
}

}  // namespace luztar
