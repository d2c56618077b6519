// Minima over forces that are free along a few directions alone, as self-stresses, and what is
// known of these directions there.
#pragma once

#include <Eigen/Core>

namespace luztar {

/// The minimum of s'G s/2 - b's over the points start + Z tau within the bounds.
struct MinimumAlong {
  Eigen::VectorXd force;     // s, n; start where Z has no part
  Eigen::VectorXd residual;  // b - G s, 0 for members between their bounds
};
/// As minimize_on_face.
[[nodiscard]] MinimumAlong minimize_along(const Eigen::MatrixXd& G, const Eigen::VectorXd& b,
                                          const Eigen::VectorXd& size, const Eigen::MatrixXd& Z,
                                          const Eigen::VectorXd& lower,
                                          const Eigen::VectorXd& upper,
                                          const Eigen::VectorXd& start);

/// Of its residuals: that of the terms, of these sizes, and of its penalties.
[[nodiscard]] double rounding_of_residual(const Eigen::MatrixXd& G, const Eigen::VectorXd& size,
                                          const Eigen::VectorXd& force);

/// The values, but zero where they are no more than their rounding.
[[nodiscard]] Eigen::VectorXd without(double rounding, const Eigen::VectorXd& values);

/// Of the forces N those that members between their bounds alone have a part in.
[[nodiscard]] Eigen::MatrixXd between_bounds(const Eigen::MatrixXd& N, const Eigen::VectorXd& lower,
                                             const Eigen::VectorXd& upper);

/// Orthonormal by column: of these, the ones that move nothing.
[[nodiscard]] Eigen::MatrixXd without_effect(const Eigen::MatrixXd& gram, const Eigen::MatrixXd& N,
                                             const Eigen::VectorXd& lower,
                                             const Eigen::VectorXd& upper);

/// The power of forces N, orthonormal by column, on slips with terms of this size.
[[nodiscard]] Eigen::VectorXd power_of(const Eigen::MatrixXd& N, const Eigen::VectorXd& slips,
                                       const Eigen::VectorXd& size);

/// Orthonormal by column: of forces N those without power on `slips`.
[[nodiscard]] Eigen::MatrixXd without_power(const Eigen::MatrixXd& N, const Eigen::VectorXd& slips);

/// What bounds push back with where forces are at a minimum along N, orthonormal by column: the
/// shortest r with  N'(slope - r) = 0,  r >= 0 at an upper bound, r <= 0 at a lower one, else 0.
///   slope  of what decreases
///   near   a force this near to a bound is at it
[[nodiscard]] Eigen::VectorXd multipliers(const Eigen::MatrixXd& N, const Eigen::VectorXd& slope,
                                          const Eigen::VectorXd& lower,
                                          const Eigen::VectorXd& upper,
                                          const Eigen::VectorXd& force, double near);

}  // namespace luztar
