// Active-set descent for a convex quadratic in a box, semidefinite-safe. Used by box_minimum.cpp.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "runtime/numbers.h"
#include "runtime/pwl/box_minimum.h"
#include "runtime/pwl/principal_cholesky.h"

namespace luztar {

/// A force this near to a bound, relative to the bound or to the forces of its row, is at the
/// bound.
inline constexpr double kSnap = 1e-13;
/// A residual this small relative to the terms of its row is 0. Above kSnap, which may shift it.
inline constexpr double kZeroSlope = 4e-13;
/// Rounding of a residual by the errors in the forces that hold the row, relative to their rows.
inline constexpr double kHeldRounding = 1e-14;
/// The same of a row that depends on them: to kRankTolerance only.
inline constexpr double kDependentRounding = 1e-11;

/// The force, or the bound that it is at. Bounds may be nearer to each other than that.
///   reach  of the forces of its row
[[nodiscard]] inline double snapped(double force, double lower, double upper, double reach) {
  const double bound = force - lower < upper - force ? lower : upper;
  const bool is_there =
      std::isfinite(bound) && std::abs(force - bound) <= kSnap * std::max(std::abs(bound), reach);
  return is_there ? bound : force;
}

/// a + step; 0 when they cancel but for rounding, so that no force is left as dust.
[[nodiscard]] inline double cancelled_sum(double a, double step) {
  const double sum = a + step;
  return std::abs(sum) <= 1e-15 * std::abs(a) ? 0.0 : sum;
}

/// Minimises 1/2 s'G s - b's in the box. The basic members have their minimum strictly inside, with
/// a regular G_BB; all others keep a value: a bound, or any value while the basic ones hold them.
///
/// An entering member either adds a row to G_BB (then the basic members go to their minimiser and
/// those that meet a bound leave) or depends on the basic rows (then there is a direction d without
/// curvature, G d = 0, to follow until a bound). Bounds have independent normals and every member
/// at a bound leaves the basis, so each step has a length > 0, the quadratic falls strictly and no
/// active set comes back ([Nocedal, Wright] sec. 16.5). Against cycles by rounding the least index
/// enters after many steps ([Chang, Cottle] Math. Progr. 18, 1980), and finally the tolerance
/// grows, which ends it in any case.
///   noise        n, magnitudes of the terms b is made of, at least |b|
///   consistency  relative slope along a direction without curvature that counts as rounding
template <int kMax>
class BoxDescent {
 public:
  using Factor = PrincipalCholesky<kMax>;
  using Vector = typename Factor::Vector;

  /// All arguments but the last are kept by reference.
  BoxDescent(const Gram& G, const Eigen::VectorXd& b, const Eigen::VectorXd& lower,
             const Eigen::VectorXd& upper, const Vector& noise, double consistency);

  /// See minimize_in_box. Kept by reference.
  void set_shift(const Eigen::VectorXd& shift) { shift_ = &shift; }
  /// Sets the basic members and the values from an active set.
  void start_from(std::span<const BoxSide> start);
  /// Goes to the minimum. False: unbounded along ray().
  [[nodiscard]] bool run();
  /// Changes the forces along null directions: snaps to the bounds, and takes the rounding of the
  /// change out of the forces strictly inside. The residual stays. Returns its greatest error with
  /// the new forces, relative to its terms and besides what the rounding of the rows that hold it
  /// makes: large when `force` was not what it should be.
  double move_to(const Vector& force);

  [[nodiscard]] const Vector& force() const { return s_; }
  [[nodiscard]] const Vector& residual() const { return r_; }
  [[nodiscard]] const Vector& ray() const { return step_; }
  [[nodiscard]] Factor& factor() { return factor_; }
  [[nodiscard]] bool strictly_inside(Eigen::Index i) const {
    return lower_[i] < s_[i] && s_[i] < upper_[i];
  }

 private:
  void evaluate();
  [[nodiscard]] Vector newton_step() const;
  void snap(Eigen::Index i);
  [[nodiscard]] double step_bound(Eigen::Index i, double direction) const;
  void advance(double length);
  bool release_at_bounds();
  void descend();
  [[nodiscard]] Eigen::Index entering() const;
  [[nodiscard]] bool is_zero_slope(Eigen::Index j, const typename Factor::Probe& probe) const;
  [[nodiscard]] double held_terms(const Vector& weights, const Vector& terms) const;
  [[nodiscard]] double shift_left(Eigen::Index j, const Vector& weights) const;
  [[nodiscard]] bool enter(Eigen::Index j);
  [[nodiscard]] bool slide(Eigen::Index j, const Vector& weights);
  void clean_residual();

  const Gram& g_;
  const Eigen::VectorXd& b_;
  const Eigen::VectorXd& lower_;
  const Eigen::VectorXd& upper_;
  const Vector& noise_;
  const Eigen::VectorXd* shift_ = nullptr;
  Factor factor_;
  Vector s_, r_;
  Vector scale_;   // per row, the sum of the magnitudes whose signed sum is r
  Vector step_;    // direction of the present step
  Vector barred_;  // 1: looked at since the last change, may not enter
  double consistency_;
  double zero_slope_ = kZeroSlope;
  bool least_index_ = false;
};

template <int kMax>
BoxDescent<kMax>::BoxDescent(const Gram& G, const Eigen::VectorXd& b, const Eigen::VectorXd& lower,
                             const Eigen::VectorXd& upper, const Vector& noise, double consistency)
    : g_(G),
      b_(b),
      lower_(lower),
      upper_(upper),
      noise_(noise),
      factor_(G),
      s_(b.size()),
      r_(b.size()),
      scale_(b.size()),
      step_(Vector::Zero(b.size())),
      barred_(Vector::Zero(b.size())),
      consistency_(consistency) {
  for (Eigen::Index i = 0; i < b.size(); ++i) s_[i] = std::clamp(0.0, lower[i], upper[i]);
}

template <int kMax>
void BoxDescent<kMax>::start_from(std::span<const BoxSide> start) {
  for (Eigen::Index i = 0; i < s_.size(); ++i) {
    const BoxSide side = start[static_cast<std::size_t>(i)];
    const double bound = side == BoxSide::kLower ? lower_[i] : upper_[i];
    if (side != BoxSide::kInside && std::isfinite(bound)) {
      s_[i] = bound;
    } else if (lower_[i] < upper_[i]) {
      const auto probe = factor_.probe(i);
      if (!probe.dependent) factor_.append(i, probe);
    }
  }
  evaluate();
  const Vector step = newton_step();
  for (Eigen::Index p = 0; p < factor_.size(); ++p) {
    const Eigen::Index i = factor_.member(p);
    s_[i] = std::clamp(cancelled_sum(s_[i], step[p]), lower_[i], upper_[i]);
  }
  release_at_bounds();
}

template <int kMax>
bool BoxDescent<kMax>::run() {
  descend();
  const Eigen::Index patience = 4 * s_.size() + 20;
  bool refined = false;  // by a Newton step from next to the minimum; it may end at a bound
  for (Eigen::Index steps = 1;; ++steps) {
    if (steps % patience == 0) {
      if (least_index_) zero_slope_ *= 2;
      least_index_ = true;
    }
    evaluate();
    const Eigen::Index j = entering();
    if (j >= 0) {
      if (!enter(j)) return false;
      refined = false;
    } else if (!refined) {
      descend();
      refined = true;
    } else {
      break;
    }
  }
  clean_residual();
  return true;
}

template <int kMax>
double BoxDescent<kMax>::move_to(const Vector& force) {
  const Vector residual = r_;
  s_ = force;
  evaluate();
  factor_.clear();
  for (Eigen::Index i = 0; i < s_.size(); ++i) {
    snap(i);
    if (!strictly_inside(i)) continue;
    const auto probe = factor_.probe(i);
    if (!probe.dependent) factor_.append(i, probe);
  }
  descend();
  evaluate();
  double largest = 0.0;  // of the scales of the rows, made comparable by the metric of G
  for (Eigen::Index i = 0; i < s_.size(); ++i) {
    if (g_(i, i) > 0.0) largest = std::max(largest, scale_[i] / std::sqrt(g_(i, i)));
  }
  double error = 0.0;
  for (Eigen::Index i = 0; i < s_.size(); ++i) {
    const double terms = scale_[i] + 1e-3 * largest * std::sqrt(g_(i, i));
    double difference = std::abs(residual[i] - r_[i]);
    if (difference <= error * terms) continue;
    if (!factor_.has(i))
      difference -= kHeldRounding * held_terms(factor_.weights(factor_.probe(i)), scale_);
    error = std::max(error, difference / terms);
  }
  r_ = residual;
  return error;
}

template <int kMax>
void BoxDescent<kMax>::evaluate() {
  r_ = b_;
  if (shift_ != nullptr) {
    scale_ = b_.cwiseAbs();  // of what rounding makes of b, is_zero_slope knows more
  } else {
    scale_ = noise_;
  }
  for (Eigen::Index k = 0; k < s_.size(); ++k) {
    const double force = s_[k];
    if (force == 0.0) continue;
    const auto column = g_.column(k);
    for (Eigen::Index c = 0; c < column.size(); ++c) {
      const double term = column[c] * force;
      r_[g_.begin(k) + c] -= term;
      scale_[g_.begin(k) + c] += std::abs(term);
    }
  }
}

/// From s to the minimiser over the basic members, in their order.
template <int kMax>
auto BoxDescent<kMax>::newton_step() const -> Vector {
  Vector step(factor_.size());
  for (Eigen::Index p = 0; p < step.size(); ++p) step[p] = r_[factor_.member(p)];
  factor_.solve(step);
  return step;
}

/// scale/G_ii is the force that would move the residual by the magnitude of the terms in it.
template <int kMax>
void BoxDescent<kMax>::snap(Eigen::Index i) {
  const double reach = g_(i, i) > 0.0 ? scale_[i] / g_(i, i) : 0.0;
  s_[i] = snapped(s_[i], lower_[i], upper_[i], reach);
}

/// The length of a step with this rate that brings member i to its bound.
template <int kMax>
double BoxDescent<kMax>::step_bound(Eigen::Index i, double direction) const {
  if (direction == 0.0) return kInfinity;
  return ((direction < 0.0 ? lower_[i] : upper_[i]) - s_[i]) / direction;
}

/// s += length * step_, with members that reach their bound exactly there.
template <int kMax>
void BoxDescent<kMax>::advance(double length) {
  for (Eigen::Index i = 0; i < s_.size(); ++i) {
    const double rate = step_[i];
    if (rate == 0.0) continue;
    if (step_bound(i, rate) <= length) {
      s_[i] = rate < 0.0 ? lower_[i] : upper_[i];
    } else {
      s_[i] = std::clamp(cancelled_sum(s_[i], length * rate), lower_[i], upper_[i]);
      snap(i);
    }
  }
}

template <int kMax>
bool BoxDescent<kMax>::release_at_bounds() {
  bool released = false;
  for (Eigen::Index p = factor_.size() - 1; p >= 0; --p) {
    if (strictly_inside(factor_.member(p))) continue;
    factor_.remove(p);
    released = true;
  }
  return released;
}

/// The basic members go to their minimiser; those that meet a bound on the way leave, the others go
/// on. At most one round per basic member.
template <int kMax>
void BoxDescent<kMax>::descend() {
  while (factor_.size() > 0) {
    evaluate();
    const Vector newton = newton_step();
    step_.setZero();
    double length = 1.0;
    for (Eigen::Index p = 0; p < newton.size(); ++p) {
      const Eigen::Index i = factor_.member(p);
      step_[i] = newton[p];
      length = std::min(length, step_bound(i, newton[p]));
    }
    advance(length);
    if (!release_at_bounds()) return;
  }
}

/// The member whose entry promises the steepest descent in the metric of G, or -1.
template <int kMax>
Eigen::Index BoxDescent<kMax>::entering() const {
  Eigen::Index best = -1;
  double best_score = 0.0;
  for (Eigen::Index i = 0; i < s_.size(); ++i) {
    const bool free = r_[i] > 0.0 ? s_[i] < upper_[i] : s_[i] > lower_[i];
    if (!free || barred_[i] != 0.0 || std::abs(r_[i]) <= zero_slope_ * scale_[i]) continue;
    const double score = g_(i, i) > 0.0 ? r_[i] * r_[i] / g_(i, i) : kInfinity;
    if (score <= best_score) continue;
    best = i;
    best_score = score;
    if (least_index_) break;
  }
  return best;
}

/// Is the residual of j rounding, given how the basic members hold it? In exact arithmetic the
/// residual of a dependent row is 0 when b is in the range of G.
template <int kMax>
bool BoxDescent<kMax>::is_zero_slope(Eigen::Index j, const typename Factor::Probe& probe) const {
  const Vector weights = factor_.weights(probe);
  const double held_scale = held_terms(weights, scale_);
  // What rows have in common moves none of what they differ by.
  const double noise =
      shift_ != nullptr ? shift_left(j, weights) : noise_[j] + held_terms(weights, noise_);
  const double rounding =
      probe.dependent
          ? std::max(consistency_ * noise,
                     std::max(kDependentRounding, zero_slope_) * (scale_[j] + held_scale))
          : zero_slope_ * scale_[j] + kHeldRounding * (shift_left(j, weights) + held_scale);
  return std::abs(r_[j]) <= rounding;
}

/// Of the basic members, as far as a row follows from theirs.
///   weights  see PrincipalCholesky::weights
///   terms    by row
template <int kMax>
double BoxDescent<kMax>::held_terms(const Vector& weights, const Vector& terms) const {
  double held = 0.0;
  for (Eigen::Index p = 0; p < factor_.size(); ++p) {
    held += std::abs(weights[p]) * terms[factor_.member(p)];
  }
  return held;
}

/// Of a row, when the basic members hold theirs.
template <int kMax>
double BoxDescent<kMax>::shift_left(Eigen::Index j, const Vector& weights) const {
  if (shift_ == nullptr) return 0.0;
  double left = (*shift_)[j];
  for (Eigen::Index p = 0; p < factor_.size(); ++p) {
    left -= weights[p] * (*shift_)[factor_.member(p)];
  }
  return std::abs(left);
}

/// False: unbounded.
template <int kMax>
bool BoxDescent<kMax>::enter(Eigen::Index j) {
  if (factor_.has(j)) {
    barred_[j] = 1.0;  // already basic: what is left of its residual is rounding
    return true;
  }
  const auto probe = factor_.probe(j);
  if (is_zero_slope(j, probe)) {
    barred_[j] = 1.0;
    return true;
  }
  const double before = s_[j];
  const Eigen::Index size_before = factor_.size();
  if (!probe.dependent) {
    factor_.append(j, probe);
  } else if (!slide(j, probe.weights)) {
    return false;
  }
  descend();
  const bool moved = s_[j] != before || factor_.size() != size_before;
  if (moved) {
    barred_.setZero();
  } else {
    barred_[j] = 1.0;  // its way was shorter than the snap to the bound
  }
  return true;
}

/// Follows the direction without curvature that moves j as its residual wants and leaves every
/// residual as it is. False: no bound ends it.
template <int kMax>
bool BoxDescent<kMax>::slide(Eigen::Index j, const Vector& weights) {
  const double sign = r_[j] > 0.0 ? 1.0 : -1.0;
  step_.setZero();
  step_[j] = sign;
  double length = step_bound(j, sign);
  for (Eigen::Index p = 0; p < factor_.size(); ++p) {
    const Eigen::Index i = factor_.member(p);
    step_[i] = -sign * weights[p];
    length = std::min(length, step_bound(i, step_[i]));
  }
  if (!std::isfinite(length)) return false;
  advance(length);
  release_at_bounds();
  if (strictly_inside(j)) {
    // A member that j depended on has left, so the row of j is regular again.
    const auto probe = factor_.probe(j);
    if (!probe.dependent) factor_.append(j, probe);
  }
  return true;
}

template <int kMax>
void BoxDescent<kMax>::clean_residual() {
  constexpr double kSuspicious = 1e-4;  // larger ones cannot be rounding: saves the probe
  double largest = 0.0;                 // of the scales of the rows, comparable by the metric of G
  for (Eigen::Index i = 0; i < s_.size(); ++i) {
    if (g_(i, i) > 0.0) largest = std::max(largest, scale_[i] / std::sqrt(g_(i, i)));
  }
  for (Eigen::Index i = 0; i < s_.size(); ++i) {
    // A row that the basic members hold has their rounding, however small its own terms are.
    const double reach = scale_[i] + largest * std::sqrt(g_(i, i));
    const bool fixed = lower_[i] == upper_[i];
    const bool wrong_sign = !fixed && (r_[i] > 0.0 ? s_[i] < upper_[i] : s_[i] > lower_[i]);
    if (wrong_sign || std::abs(r_[i]) <= zero_slope_ * scale_[i] ||
        ((shift_ != nullptr || std::abs(r_[i]) <= kSuspicious * reach) &&
         is_zero_slope(i, factor_.probe(i)))) {
      r_[i] = 0.0;
    }
  }
}

}  // namespace luztar
