// Kernel G: the forces of dry frictions at rest by Gauss' principle, a convex quadratic minimum in
// a box (P2 sec. 4; theory sec. 3, 4).
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "runtime/pwl/gram.h"

namespace luztar {

/// b is in the range of G but for the rounding of the terms it was made of (loads that cancel),
/// which this is relative to.
inline constexpr double kGaussConsistency = 1e-9;

enum class BoxSide : std::int8_t { kLower = -1, kInside = 0, kUpper = 1 };

/// Units: row i has the units of its friction, so force[i] is in N or N.m, residual[i] in m/s^2 or
/// rad/s^2 (their time derivatives in the rate problems).
struct BoxMinimum {
  Eigen::VectorXd force;      ///< s, n: the one of minimum norm among all minimisers
  Eigen::VectorXd residual;   ///< r = b - G s, n: unique; exactly 0 for members that are held
                              ///< (strictly inside, or at a bound while the others hold it),
                              ///< >= 0 at kUpper, <= 0 at kLower
  std::vector<BoxSide> side;  ///< n: force[i] == upper[i] for kUpper, == lower[i] for kLower; a
                              ///< member with lower == upper has the side of its residual, kUpper
                              ///< when that is 0
};

/// Some bounds are infinite and b is not in the range of G: the quadratic falls for ever along
/// `direction` (n, with G direction = 0 and b.direction > 0). Impossible for b = D M^-1 f.
class UnboundedMinimum : public std::domain_error {
 public:
  explicit UnboundedMinimum(Eigen::VectorXd ray);
  [[nodiscard]] const Eigen::VectorXd& direction() const { return direction_; }

 private:
  Eigen::VectorXd direction_;
};

/// The minimum of 1/2 s'G s - b's over lower <= s <= upper. With G = D M^-1 D' and b = D M^-1 f
/// this is Gauss' principle for frictions at rest: b are the slip accelerations without friction, r
/// those with it. Also the rate problems of higher Taylor orders (some bounds infinite) and
/// unilateral contacts (lower 0, upper infinite).
///   G       n x n, symmetric positive semidefinite; rows of zeros and dependent rows are allowed.
///           A row depends on others when that shows as an eigenvalue below 1e-12 in the matrix
///           scaled to a unit diagonal, so the units of the rows do not matter
///   b       n. Its part outside the range of G, up to 1e-9 of the terms it is made of, is rounding
///   lower, upper   n, lower <= upper, each may be infinite (outwards), equal, or zero
///   method  active set with exact minimisers of the active sets, no regularisation; a force within
///           1e-13 of a bound (relative to the bound, or to the forces that make up the row) is set
///           to the bound, a residual within about 4e-13 of the terms of its row is set to 0
///   errors  std::invalid_argument for wrong shapes, lower > upper, or values that are not numbers;
///           UnboundedMinimum
///   cost    per change of the active set, of which there are about n from nowhere: linear where G
///   is
///           a band, else O(n^2)
///   ref     [Nocedal, Wright] alg. 16.3; [Cottle, Pang, Stone] sec. 4; P2 sec. 4
[[nodiscard]] BoxMinimum minimize_in_box(const Gram& G, const Eigen::VectorXd& b,
                                         const Eigen::VectorXd& lower,
                                         const Eigen::VectorXd& upper);
/// The same, into storage that is there; from an active set `start`, as below, or from nowhere.
///   size    n, of the terms that b is the sum of, at least |b|: what counts as rounding of b
///   shift   n or empty: how b moves, relative to the change, when what it follows from changes by
///           factors next to 1. Rounding of a residual is then what the members that hold leave of
///           this, not of `size`: rows of one light body have its errors in common
void minimize_in_box(const Gram& G, const Eigen::VectorXd& b, const Eigen::VectorXd& size,
                     const Eigen::VectorXd& lower, const Eigen::VectorXd& upper, BoxMinimum& out,
                     const Eigen::VectorXd& shift = {});
void minimize_in_box(const Gram& G, const Eigen::VectorXd& b, const Eigen::VectorXd& size,
                     const Eigen::VectorXd& lower, const Eigen::VectorXd& upper,
                     std::span<const BoxSide> start, BoxMinimum& out,
                     const Eigen::VectorXd& shift = {});

/// The same, started from the active set `start` (n; a side whose bound is infinite counts as
/// kInside). The result is the same up to rounding; a good start saves the search.
[[nodiscard]] BoxMinimum minimize_in_box(const Gram& G, const Eigen::VectorXd& b,
                                         const Eigen::VectorXd& lower, const Eigen::VectorXd& upper,
                                         std::span<const BoxSide> start);

}  // namespace luztar
