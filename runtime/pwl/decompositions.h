// Decompositions of dense matrices. Eigen's templates for them take a compiler many seconds each:
// they are compiled here, once.
#pragma once

#include <Eigen/Core>

namespace luztar {

/// Q of the QR decomposition: orthonormal columns that span those of a matrix of full column rank.
[[nodiscard]] Eigen::MatrixXd orthonormal_factor(const Eigen::MatrixXd& columns);

/// A = V diag(values) V' of a symmetric matrix, of which the lower triangle is read.
struct SymmetricEigen {
  Eigen::VectorXd values;   // increasing
  Eigen::MatrixXd vectors;  // V, orthonormal columns
};
[[nodiscard]] SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& matrix);

/// The pseudo-inverse (Moore-Penrose): P b is the x of least norm among those with the least
/// |A x - b|. Pivots below `threshold` times the greatest count as zero.
struct PseudoInverse {
  Eigen::MatrixXd matrix;  // P
  Eigen::Index rank = 0;   // of A
};
[[nodiscard]] PseudoInverse pseudo_inverse(const Eigen::MatrixXd& matrix, double threshold);

/// Pivots below `threshold` times the greatest count as zero.
[[nodiscard]] Eigen::Index rank(const Eigen::MatrixXd& matrix, double threshold);

}  // namespace luztar
