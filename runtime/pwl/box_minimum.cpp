#include "runtime/pwl/box_minimum.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "runtime/numbers.h"
#include "runtime/pwl/box_descent.h"
#include "runtime/pwl/held_forces.h"
#include "runtime/pwl/null_projection.h"
#include "runtime/pwl/principal_cholesky.h"

namespace luztar {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index kOnStack = 4;  // up to here everything but the result is on the stack

/// Violated bounds of a polytope that is not empty.
constexpr double kDualConsistency = 1e-11;

[[nodiscard]] bool overlap(double lower, double upper) {
  return lower <= upper && lower < kInfinity && upper > -kInfinity;  // false for NaN
}

void check_arguments(const Gram& G, const VectorXd& b, const VectorXd& lower,
                     const VectorXd& upper) {
  const Index n = b.size();
  if (G.size() != n || lower.size() != n || upper.size() != n) {
    throw std::invalid_argument("minimize_in_box: G, b, lower and upper have different sizes");
  }
  for (Index i = 0; i < n; ++i) {
    if (!overlap(lower[i], upper[i])) {
      throw std::invalid_argument("minimize_in_box: empty bounds of member " + std::to_string(i));
    }
  }
  if (!G.all_finite() || !b.allFinite()) {
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
  force = snapped(force, lower, upper, reach);
  double residual = b - G * force;
  const bool inside = lower < force && force < upper;
  if (inside || std::abs(residual) <= kZeroSlope * reach * G) residual = 0.0;
  out.force.setConstant(1, force);
  out.residual.setConstant(1, residual);
  out.side.assign(1, side_of(force, residual, lower, upper));
}

/// A finite bound of a point of {x + z}, z a combination of directions that give no motion.
struct Bound {
  Index member = 0;
  double sign = 1;  // sign * point[member] >= sign * bound keeps it
  double bound = 0;
};

/// Bounds that a point misses by more than rounding, without those that are in the list already.
[[nodiscard]] std::vector<Bound> missed_bounds(const std::vector<Index>& members, const VectorXd& x,
                                               const VectorXd& lower, const VectorXd& upper,
                                               const std::vector<Bound>& known) {
  constexpr double kRounding = 1e-15;
  std::vector<Bound> out;
  for (const Index i : members) {
    for (const Bound& b : {Bound{i, 1.0, lower[i]}, Bound{i, -1.0, upper[i]}}) {
      if (!(b.sign * (b.bound - x[i]) > kRounding * std::abs(b.bound))) continue;
      const bool is_known = std::any_of(known.begin(), known.end(), [&](const Bound& k) {
        return k.member == i && k.sign == b.sign;
      });
      if (!is_known) out.push_back(b);
    }
  }
  return out;
}

/// The point of {start + z}, z in the null space, that is nearest to the origin in the box. The
/// polytope may be degenerate to any extent, down to a single point, so the problem is solved by
/// its dual (least distance programming, [Lawson, Hanson] ch. 23): with C the normals of the bounds
/// in the null space and c the violations at the unconstrained point, min 1/2|C'm|^2 - c'm over
/// m >= 0 is again a semidefinite quadratic in a box, and v = C'm is unique however many bounds
/// meet there. Bounds come in when a point misses them: the minimum that keeps some and misses no
/// other is that of all.
[[nodiscard]] VectorXd shortest_in_box(const NullProjection& null, const VectorXd& start,
                                       const VectorXd& lower, const VectorXd& upper) {
  constexpr double kNoPart = 1e-14;  // of a null direction: what rounding makes of it, squared
  VectorXd x = start - null.onto(start);
  x -= null.onto(x);
  std::vector<Bound> known, bounds;  // the latter: those that a way in the null space leads to
  std::vector<VectorXd> normals;     // of these, in the null space
  VectorXd point = x;
  for (;;) {
    const std::vector<Bound> missed = missed_bounds(null.members(), point, lower, upper, known);
    if (missed.empty()) break;
    for (const Bound& b : missed) {
      VectorXd normal = null.onto(b.sign * VectorXd::Unit(x.size(), b.member));
      known.push_back(b);
      if (b.sign * normal[b.member] <= kNoPart) continue;  // rounding has put it beyond
      normals.push_back(std::move(normal));
      bounds.push_back(b);
    }
    if (bounds.empty()) continue;
    const auto count = static_cast<Index>(bounds.size());
    MatrixXd products(count, count);
    VectorXd violation(count), magnitude(count);
    for (Index r = 0; r < count; ++r) {
      const auto& [i, sign, bound] = bounds[static_cast<std::size_t>(r)];
      for (Index c = 0; c <= r; ++c) {
        products(r, c) = products(c, r) = sign * normals[static_cast<std::size_t>(c)][i];
      }
      violation[r] = sign * (bound - x[i]);
      magnitude[r] = std::max({std::abs(bound), std::abs(x[i]), std::abs(start[i])});
    }
    const Gram G(products);
    const VectorXd zero = VectorXd::Zero(count);
    const VectorXd infinite = VectorXd::Constant(count, kInfinity);
    BoxDescent<Eigen::Dynamic> dual(G, violation, zero, infinite, magnitude, kDualConsistency);
    // Unbounded would mean an empty polytope; as `start` is in it, that is rounding and `start` is
    // as good as any point.
    if (!dual.run()) return start;
    VectorXd change = VectorXd::Zero(x.size());
    for (Index r = 0; r < count; ++r) {
      if (dual.force()[r] > 0.0) change += dual.force()[r] * normals[static_cast<std::size_t>(r)];
    }
    for (Index i = 0; i < x.size(); ++i) point[i] = cancelled_sum(x[i], change[i]);
    for (Index r = 0; r < count; ++r) {
      if (dual.force()[r] <= 0.0) continue;
      point[bounds[static_cast<std::size_t>(r)].member] = bounds[static_cast<std::size_t>(r)].bound;
    }
  }
  return point.cwiseMax(lower).cwiseMin(upper);
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

/// The members that differences of minimisers move depend on each other: the others have to stay at
/// their bound, and z'G z = 0 is G z = 0. Members whose slip no force changes are left out.
template <int kMax>
[[nodiscard]] Dependence dependence_of(const Gram& G, const VectorXd& lower, const VectorXd& upper,
                                       BoxDescent<kMax>& descent) {
  std::vector<Index> members;
  for (Index j = 0; j < G.size(); ++j) {
    const bool may_move = descent.residual()[j] == 0.0 && lower[j] < upper[j] && G(j, j) > 0.0;
    if (may_move) members.push_back(j);
  }
  return complete_basis(G, members, descent.factor());
}

/// Moves the forces to the shortest point of the polytope of minimisers. Forces in units so
/// different that their magnitudes lie a factor of 1e6 and more apart can make that point
/// impossible to find in double precision; the shortest in the metric of diag(G), which does not
/// depend on the units, takes its place then, and the forces stay as they are if that fails, too.
template <int kMax>
void shorten(const Gram& G, const Dependence& dependence, const VectorXd& lower,
             const VectorXd& upper, BoxDescent<kMax>& descent) {
  constexpr double kSameMotion = 2e-12, kSameAtMost = 1e-9, kRounding = 4e-16;
  const VectorXd start = descent.force();
  VectorXd weight = VectorXd::Ones(G.size());
  std::vector<Index> members, basis;
  for (Index i = 0; i < G.size(); ++i) {
    if (dependence.shared[static_cast<std::size_t>(i)] != 0) members.push_back(i);
  }
  for (const Index i : dependence.basis) {
    if (dependence.shared[static_cast<std::size_t>(i)] != 0) basis.push_back(i);
  }
  // Forces on a light body are as exact as its rounding lets them be.
  double least = kInfinity, greatest = 0;
  for (const Index i : members) {
    least = std::min(least, G(i, i));
    greatest = std::max(greatest, G(i, i));
  }
  const double same_motion = std::clamp(kRounding * greatest / least, kSameMotion, kSameAtMost);
  for (const bool by_diagonal : {false, true}) {
    if (by_diagonal) {  // powers of 2: no rounding
      for (Index i = 0; i < G.size(); ++i) {
        if (G(i, i) > 0.0) weight[i] = std::exp2(std::round(0.5 * std::log2(G(i, i))));
      }
    }
    const VectorXd shortest =
        shortest_in_box(NullProjection(G, members, basis, weight), weight.cwiseProduct(start),
                        weight.cwiseProduct(lower), weight.cwiseProduct(upper));
    if (descent.move_to(shortest.cwiseQuotient(weight)) <= same_motion) return;
  }
  descent.move_to(start);
}

/// Moves the forces to the shortest minimiser.
template <int kMax>
void take_shortest(const Gram& G, const VectorXd& lower, const VectorXd& upper,
                   BoxDescent<kMax>& descent) {
  using Vector = typename PrincipalCholesky<kMax>::Vector;
  const Dependence dependence = dependence_of(G, lower, upper, descent);
  Vector s = descent.force();
  bool free = false;  // a slip that no force changes
  for (Index i = 0; i < G.size(); ++i) {
    if (G(i, i) > 0.0 || descent.residual()[i] != 0.0 || !(lower[i] < upper[i])) continue;
    s[i] = std::clamp(0.0, lower[i], upper[i]);
    free = true;
  }
  if (dependence.nullity == 0 && !free) return;
  if (dependence.nullity == 1) shorten_along(Vector(dependence.null_vector), s, lower, upper);
  descent.move_to(s);
  if (dependence.nullity > 1) shorten(G, dependence, lower, upper, descent);
}

template <int kMax>
void minimize(const Gram& G, const VectorXd& b, const VectorXd& size, const VectorXd& shift,
              const VectorXd& lower, const VectorXd& upper, std::span<const BoxSide> start,
              BoxMinimum& out) {
  const typename PrincipalCholesky<kMax>::Vector noise = size;
  BoxDescent<kMax> descent(G, b, lower, upper, noise, kGaussConsistency);
  if (shift.size() > 0) descent.set_shift(shift);
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

}  // namespace

UnboundedMinimum::UnboundedMinimum(VectorXd ray)
    : std::domain_error("minimize_in_box: no minimum, forces without a bound grow for ever"),
      direction_(std::move(ray)) {}

void minimize_in_box(const Gram& G, const VectorXd& b, const VectorXd& size, const VectorXd& lower,
                     const VectorXd& upper, std::span<const BoxSide> start, BoxMinimum& out,
                     const VectorXd& shift) {
  check_arguments(G, b, lower, upper);
  if (shift.size() > 0 && shift.size() != b.size()) {
    throw std::invalid_argument("minimize_in_box: the shift has a different size");
  }
  if (!start.empty() && static_cast<Index>(start.size()) != b.size()) {
    throw std::invalid_argument("minimize_in_box: the start has a different size");
  }
  if (b.size() == 1 && G(0, 0) > 0.0) {
    minimize_one(G(0, 0), b[0], size[0], lower[0], upper[0], out);
  } else if (b.size() <= kOnStack) {
    minimize<kOnStack>(G, b, size, shift, lower, upper, start, out);
  } else {
    minimize<Eigen::Dynamic>(G, b, size, shift, lower, upper, start, out);
  }
}

void minimize_in_box(const Gram& G, const VectorXd& b, const VectorXd& size, const VectorXd& lower,
                     const VectorXd& upper, BoxMinimum& out, const VectorXd& shift) {
  minimize_in_box(G, b, size, lower, upper, {}, out, shift);
}

BoxMinimum minimize_in_box(const Gram& G, const VectorXd& b, const VectorXd& lower,
                           const VectorXd& upper) {
  return minimize_in_box(G, b, lower, upper, {});
}

BoxMinimum minimize_in_box(const Gram& G, const VectorXd& b, const VectorXd& lower,
                           const VectorXd& upper, std::span<const BoxSide> start) {
  BoxMinimum out;
  minimize_in_box(G, b, b.cwiseAbs(), lower, upper, start, out);
  return out;
}

}  // namespace luztar
