#include "runtime/pwl/box_minimum.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "runtime/pwl/box_descent.h"
#include "runtime/pwl/decompositions.h"
#include "runtime/pwl/principal_cholesky.h"

namespace luztar {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Index kSmall = 4;  // up to here everything but the result is on the stack

/// b is in the range of G but for the rounding of the terms it was made of (loads that cancel).
constexpr double kGaussConsistency = 1e-9;
/// Violated bounds of a polytope that is not empty.
constexpr double kDualConsistency = 1e-11;
/// An element of a null vector this small relative to its largest (in the matrix scaled to a unit
/// diagonal) belongs to a member that does not take part.
constexpr double kNotInvolved = 1e-12;

[[nodiscard]] bool overlap(double lower, double upper) {
  return lower <= upper && lower < kInfinity && upper > -kInfinity;  // false for NaN
}

void check_arguments(const MatrixXd& G, const VectorXd& b, const VectorXd& lower,
                     const VectorXd& upper) {
  const Index n = b.size();
  if (G.rows() != n || G.cols() != n || lower.size() != n || upper.size() != n) {
    throw std::invalid_argument("minimize_in_box: G, b, lower and upper have different sizes");
  }
  for (Index i = 0; i < n; ++i) {
    if (!overlap(lower[i], upper[i])) {
      throw std::invalid_argument("minimize_in_box: empty bounds of member " + std::to_string(i));
    }
  }
  if (!G.allFinite() || !b.allFinite()) {
    throw std::invalid_argument("minimize_in_box: G or b is not finite");
  }
}

[[nodiscard]] BoxSide side_of(double force, double residual, double lower, double upper) {
  if (force == upper && (residual >= 0.0 || lower < upper)) return BoxSide::kUpper;
  return force == lower ? BoxSide::kLower : BoxSide::kInside;
}

/// n = 1 and G > 0, the most frequent case: rule R10, the clamp of the unconstrained minimum.
void minimize_one(double G, double b, double size, double lower, double upper, BoxMinimum& out) {
  double force = std::clamp(b / G, lower, upper);
  const double reach = size / G + std::abs(force);
  for (const double bound : {lower, upper}) {
    if (std::isfinite(bound) &&
        std::abs(force - bound) <= kSnap * std::max(std::abs(bound), reach)) {
      force = bound;
      break;
    }
  }
  double residual = b - G * force;
  const bool inside = lower < force && force < upper;
  if (inside || std::abs(residual) <= kZeroSlope * reach * G) residual = 0.0;
  out.force.setConstant(1, force);
  out.residual.setConstant(1, residual);
  out.side.assign(1, side_of(force, residual, lower, upper));
}

/// The null vector (-weights, 1) of a row that depends on the members of the factor.
template <int kMax>
void write_null_vector(const MatrixXd& G, const PrincipalCholesky<kMax>& factor, Index j,
                       const typename PrincipalCholesky<kMax>::Probe& probe,
                       Eigen::Ref<VectorXd> out) {
  double largest = G(j, j);
  for (Index p = 0; p < factor.size(); ++p) {
    const Index i = factor.member(p);
    largest = std::max(largest, probe.weights[p] * probe.weights[p] * G(i, i));
  }
  out.setZero();
  out[j] = 1.0;
  for (Index p = 0; p < factor.size(); ++p) {
    const Index i = factor.member(p);
    const double size = probe.weights[p] * probe.weights[p] * G(i, i);
    if (size > kNotInvolved * kNotInvolved * largest) out[i] = -probe.weights[p];
  }
}

/// An orthonormal basis of the columns of Z, as Z times a matrix: that leaves rows of zeros exactly
/// zero. The second pass makes up for the orthogonality the first one loses on badly scaled
/// columns.
[[nodiscard]] MatrixXd orthonormal(const MatrixXd& Z) {
  MatrixXd out = Z;
  for (int pass = 0; pass < 2; ++pass) {
    for (Index c = 0; c < out.cols(); ++c) out.col(c).stableNormalize();
    const MatrixXd R = triangular_factor(out);
    R.triangularView<Eigen::Upper>().solveInPlace<Eigen::OnTheRight>(out);
  }
  return out;
}

/// One row per finite bound of a polytope {x + Q v}: normal.v >= violation keeps the bound.
struct Bounds {
  MatrixXd normals;
  VectorXd violation, magnitude;  // magnitude: of the terms the violation is made of
  std::vector<std::pair<Index, double>> member_and_bound;
};

[[nodiscard]] Bounds bounds_of(const MatrixXd& Q, const VectorXd& x, const VectorXd& start,
                               const VectorXd& lower, const VectorXd& upper) {
  Bounds out;
  std::vector<double> signs;
  for (Index i = 0; i < x.size(); ++i) {
    if (Q.row(i).isZero(0.0)) continue;
    for (const auto& [sign, bound] : {std::pair(1.0, lower[i]), std::pair(-1.0, upper[i])}) {
      if (!std::isfinite(bound)) continue;
      out.member_and_bound.emplace_back(i, bound);
      signs.push_back(sign);
    }
  }
  const auto count = static_cast<Index>(signs.size());
  out.normals.resize(count, Q.cols());
  out.violation.resize(count);
  out.magnitude.resize(count);
  for (Index row = 0; row < count; ++row) {
    const auto [i, bound] = out.member_and_bound[static_cast<std::size_t>(row)];
    const double sign = signs[static_cast<std::size_t>(row)];
    out.normals.row(row) = sign * Q.row(i);
    out.violation[row] = sign * (bound - x[i]);
    out.magnitude[row] = std::max({std::abs(bound), std::abs(x[i]), std::abs(start[i])});
  }
  return out;
}

/// The point of {start + Z y} in the box that is nearest to the origin. The polytope may be
/// degenerate to any extent, down to a single point, so the problem is solved by its dual
/// (least distance programming, [Lawson, Hanson] ch. 23): with C the normals and c the violations
/// at the unconstrained point, min 1/2|C'm|^2 - c'm over m >= 0 is again a semidefinite quadratic
/// in a box, and v = C'm is unique however many bounds meet there.
[[nodiscard]] VectorXd shortest_in_box(const MatrixXd& Z, const VectorXd& start,
                                       const VectorXd& lower, const VectorXd& upper) {
  const MatrixXd Q = orthonormal(Z);
  VectorXd x = start - Q * (Q.transpose() * start);
  x -= Q * (Q.transpose() * x);
  const Bounds bounds = bounds_of(Q, x, start, lower, upper);
  const Index count = bounds.violation.size();
  const MatrixXd G = bounds.normals * bounds.normals.transpose();
  const VectorXd zero = VectorXd::Zero(count);
  const VectorXd infinite = VectorXd::Constant(count, kInfinity);
  BoxDescent<Eigen::Dynamic> dual(G, bounds.violation, zero, infinite, bounds.magnitude,
                                  kDualConsistency);
  // Unbounded would mean an empty polytope; as `start` is in it, that is rounding and `start` is
  // as good as any point.
  if (!dual.run()) return start;
  const VectorXd change = Q * (bounds.normals.transpose() * dual.force());
  for (Index i = 0; i < x.size(); ++i) x[i] = cancelled_sum(x[i], change[i]);
  for (Index row = 0; row < count; ++row) {
    const auto [i, bound] = bounds.member_and_bound[static_cast<std::size_t>(row)];
    if (dual.force()[row] > 0.0) x[i] = bound;
  }
  return x.cwiseMax(lower).cwiseMin(upper);
}

/// One direction of indeterminacy: the shortest s + t z in the box, in closed form.
template <class Vector>
void shorten_along(const Vector& z, Vector& s, const VectorXd& lower, const VectorXd& upper) {
  double low = -kInfinity;
  double high = kInfinity;
  for (Index i = 0; i < s.size(); ++i) {
    if (z[i] == 0.0) continue;
    low = std::max(low, ((z[i] > 0.0 ? lower[i] : upper[i]) - s[i]) / z[i]);
    high = std::min(high, ((z[i] > 0.0 ? upper[i] : lower[i]) - s[i]) / z[i]);
  }
  const double t = std::clamp(-z.dot(s) / z.squaredNorm(), low, high);
  for (Index i = 0; i < s.size(); ++i) {
    if (z[i] != 0.0) s[i] = std::clamp(cancelled_sum(s[i], t * z[i]), lower[i], upper[i]);
  }
}

/// The null vectors of G_HH, H the members whose residual is 0, are the differences of minimisers:
/// the others have to stay at their bound, and z'G z = 0 is G z = 0. Members whose slip no force
/// changes are left out. Adds to the factor what it needs for a basis of the rows of H.
template <int kMax>
[[nodiscard]] typename PrincipalCholesky<kMax>::Matrix null_space(const MatrixXd& G,
                                                                  const VectorXd& lower,
                                                                  const VectorXd& upper,
                                                                  BoxDescent<kMax>& descent) {
  auto& factor = descent.factor();
  const Index n = G.rows();
  typename PrincipalCholesky<kMax>::Vector is_basic(n);
  is_basic.setZero();
  for (Index p = 0; p < factor.size(); ++p) is_basic[factor.member(p)] = 1.0;
  typename PrincipalCholesky<kMax>::Matrix basis(n, 0);
  Index nullity = 0;
  for (Index j = 0; j < n; ++j) {
    const bool may_move = descent.residual()[j] == 0.0 && lower[j] < upper[j] && G(j, j) > 0.0;
    if (!may_move || is_basic[j] != 0.0) continue;
    const auto probe = factor.probe(j);
    if (!probe.dependent) {
      factor.append(j, probe);
      continue;
    }
    if (nullity == 0) basis.setZero(n, n - factor.size());
    write_null_vector(G, factor, j, probe, basis.col(nullity));
    ++nullity;
  }
  basis.conservativeResize(n, nullity);
  return basis;
}

/// Moves the forces to the shortest point of the polytope of minimisers. Forces in units so
/// different that their magnitudes lie a factor of 1e6 and more apart can make that point
/// impossible to find in double precision; the shortest in the metric of diag(G), which does not
/// depend on the units, takes its place then, and the forces stay as they are if that fails, too.
template <int kMax>
void shorten(const MatrixXd& G, const MatrixXd& Z, const VectorXd& lower, const VectorXd& upper,
             BoxDescent<kMax>& descent) {
  constexpr double kSameMotion = 2e-12;
  const VectorXd start = descent.force();
  VectorXd weight = VectorXd::Ones(G.rows());
  for (const bool by_diagonal : {false, true}) {
    if (by_diagonal) {  // powers of 2: no rounding
      for (Index i = 0; i < G.rows(); ++i) {
        if (G(i, i) > 0.0) weight[i] = std::exp2(std::round(0.5 * std::log2(G(i, i))));
      }
    }
    const VectorXd shortest =
        shortest_in_box(weight.asDiagonal() * Z, weight.cwiseProduct(start),
                        weight.cwiseProduct(lower), weight.cwiseProduct(upper));
    if (descent.move_to(shortest.cwiseQuotient(weight)) <= kSameMotion) return;
  }
  descent.move_to(start);
}

/// Moves the forces to the shortest minimiser.
template <int kMax>
void take_shortest(const MatrixXd& G, const VectorXd& lower, const VectorXd& upper,
                   BoxDescent<kMax>& descent) {
  using Vector = typename PrincipalCholesky<kMax>::Vector;
  const auto Z = null_space(G, lower, upper, descent);
  Vector s = descent.force();
  bool free = false;  // a slip that no force changes
  for (Index i = 0; i < G.rows(); ++i) {
    if (G(i, i) > 0.0 || descent.residual()[i] != 0.0 || !(lower[i] < upper[i])) continue;
    s[i] = std::clamp(0.0, lower[i], upper[i]);
    free = true;
  }
  if (Z.cols() == 0 && !free) return;
  if (Z.cols() == 1) shorten_along(Vector(Z.col(0)), s, lower, upper);
  descent.move_to(s);
  if (Z.cols() > 1) shorten(G, Z, lower, upper, descent);
}

template <int kMax>
void minimize(const MatrixXd& G, const VectorXd& b, const VectorXd& size, const VectorXd& lower,
              const VectorXd& upper, std::span<const BoxSide> start, BoxMinimum& out) {
  const typename PrincipalCholesky<kMax>::Vector noise = size;
  BoxDescent<kMax> descent(G, b, lower, upper, noise, kGaussConsistency);
  if (!start.empty()) descent.start_from(start);
  if (!descent.run()) throw UnboundedMinimum(descent.ray());
  out.residual = descent.residual();
  take_shortest(G, lower, upper, descent);
  out.force = descent.force();
  out.side.resize(static_cast<std::size_t>(b.size()));
  for (Index i = 0; i < b.size(); ++i) {
    out.side[static_cast<std::size_t>(i)] =
        side_of(out.force[i], out.residual[i], lower[i], upper[i]);
  }
}

void minimize_from(const MatrixXd& G, const VectorXd& b, const VectorXd& size,
                   const VectorXd& lower, const VectorXd& upper, std::span<const BoxSide> start,
                   BoxMinimum& out) {
  check_arguments(G, b, lower, upper);
  if (!start.empty() && static_cast<Index>(start.size()) != b.size()) {
    throw std::invalid_argument("minimize_in_box: the start has a different size");
  }
  if (b.size() == 1 && G(0, 0) > 0.0) {
    minimize_one(G(0, 0), b[0], size[0], lower[0], upper[0], out);
  } else if (b.size() <= kSmall) {
    minimize<kSmall>(G, b, size, lower, upper, start, out);
  } else {
    minimize<Eigen::Dynamic>(G, b, size, lower, upper, start, out);
  }
}

/// X less its part along the columns of the orthonormal Q.
[[nodiscard]] MatrixXd without(const MatrixXd& Q, const MatrixXd& X) {
  MatrixXd out = X - Q * (Q.transpose() * X);
  out -= Q * (Q.transpose() * out);
  return out;
}

}  // namespace

UnboundedMinimum::UnboundedMinimum(VectorXd ray)
    : std::domain_error("minimize_in_box: no minimum, forces without a bound grow for ever"),
      direction_(std::move(ray)) {}

void minimize_in_box(const MatrixXd& G, const VectorXd& b, const VectorXd& size,
                     const VectorXd& lower, const VectorXd& upper, BoxMinimum& out) {
  minimize_from(G, b, size, lower, upper, {}, out);
}

BoxMinimum minimize_in_box(const MatrixXd& G, const VectorXd& b, const VectorXd& lower,
                           const VectorXd& upper) {
  return minimize_in_box(G, b, lower, upper, {});
}

BoxMinimum minimize_in_box(const MatrixXd& G, const VectorXd& b, const VectorXd& lower,
                           const VectorXd& upper, std::span<const BoxSide> start) {
  BoxMinimum out;
  minimize_from(G, b, b.cwiseAbs(), lower, upper, start, out);
  return out;
}

/// G_BB^-1 on a basis B of the rows is a generalised inverse of G_HH; the projection onto the range
/// of G_HH from both sides makes it the pseudo-inverse.
HoldMap hold_map(const MatrixXd& G, std::span<const Index> held, std::span<const Index> others) {
  for (const auto& list : {held, others}) {
    for (const Index i : list) {
      if (i < 0 || i >= G.rows()) throw std::invalid_argument("hold_map: index out of range");
    }
  }
  const auto n = static_cast<Index>(held.size());
  const MatrixXd G_HH = G(held, held);
  PrincipalCholesky<Eigen::Dynamic> factor(G_HH);
  MatrixXd basis = MatrixXd::Zero(n, n);
  Index nullity = 0;
  for (Index j = 0; j < n; ++j) {
    const auto probe = factor.probe(j);
    if (probe.dependent) {
      write_null_vector(G_HH, factor, j, probe, basis.col(nullity++));
    } else {
      factor.append(j, probe);
    }
  }
  HoldMap out;
  out.rank = factor.size();
  out.from_residual = MatrixXd::Zero(n, n);
  for (Index p = 0; p < out.rank; ++p) {
    out.basis.push_back(held[static_cast<std::size_t>(factor.member(p))]);
    VectorXd column = VectorXd::Unit(out.rank, p);
    factor.solve(column);
    for (Index q = 0; q < out.rank; ++q) {
      out.from_residual(factor.member(q), factor.member(p)) = column[q];
    }
  }
  if (nullity > 0) {
    const MatrixXd Q = orthonormal(basis.leftCols(nullity));
    out.from_residual = without(Q, without(Q, out.from_residual).transpose());
  }
  out.from_residual = (0.5 * (out.from_residual + out.from_residual.transpose())).eval();
  out.from_forces = -out.from_residual * G(held, others);
  return out;
}

}  // namespace luztar
