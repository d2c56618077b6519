#include "runtime/pwl/decompositions.h"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>

namespace luztar {

using Eigen::MatrixXd;

MatrixXd orthonormal_factor(const MatrixXd& columns) {
  return Eigen::HouseholderQR<MatrixXd>(columns).householderQ() *
         MatrixXd::Identity(columns.rows(), columns.cols());
}

SymmetricEigen symmetric_eigen(const MatrixXd& matrix) {
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(matrix);
  return {eigen.eigenvalues(), eigen.eigenvectors()};
}

PseudoInverse pseudo_inverse(const MatrixXd& matrix, double threshold) {
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> factor;
  factor.setThreshold(threshold);
  factor.compute(matrix);
  return {factor.pseudoInverse(), factor.rank()};
}

Eigen::Index rank(const MatrixXd& matrix, double threshold) {
  if (matrix.size() == 0) return 0;
  Eigen::ColPivHouseholderQR<MatrixXd> factor(matrix);
  factor.setThreshold(threshold);
  return factor.rank();
}

}  // namespace luztar
