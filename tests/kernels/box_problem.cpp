#include "tests/kernels/box_problem.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace luztar::test {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

BoxMinimum solve(const BoxProblem& p) { return minimize_in_box(p.G, p.b, p.lower, p.upper); }

VectorXd vec(std::initializer_list<double> values) {
  VectorXd out(static_cast<Index>(values.size()));
  std::copy(values.begin(), values.end(), out.begin());
  return out;
}

BoxProblem frictions(const MatrixXd& D, const VectorXd& mass, const VectorXd& load,
                     const VectorXd& bound) {
  const VectorXd inverse = mass.cwiseInverse();
  return {D * inverse.asDiagonal() * D.transpose(), D * inverse.cwiseProduct(load), -bound, bound};
}

VectorXd row_scale(const BoxProblem& p, const VectorXd& s) {
  return p.b.cwiseAbs() + p.G.cwiseAbs() * s.cwiseAbs();
}

VectorXd mixed_scale(const BoxProblem& p, const VectorXd& s) {
  const VectorXd root = p.G.diagonal().cwiseSqrt();
  const VectorXd scale = row_scale(p, s);
  double largest = 1e-3;
  for (Index i = 0; i < s.size(); ++i) {
    if (root[i] > 0.0) largest = std::max(largest, scale[i] / root[i]);
  }
  return scale + 1e-3 * largest * root;
}

bool keeps_its_promises(const BoxProblem& p, const BoxMinimum& m) {
  constexpr double kTolerance = 1e-11;
  const VectorXd error = p.b - p.G * m.force - m.residual;
  const VectorXd scale = mixed_scale(p, m.force);
  bool good = m.side.size() == static_cast<std::size_t>(p.b.size());
  for (Index i = 0; good && i < p.b.size(); ++i) {
    const double s = m.force[i];
    const double r = m.residual[i];
    good = p.lower[i] <= s && s <= p.upper[i] && std::abs(error[i]) <= kTolerance * scale[i];
    switch (m.side[static_cast<std::size_t>(i)]) {
      case BoxSide::kLower:
        good = good && s == p.lower[i] && r <= 0.0;
        break;
      case BoxSide::kUpper:
        good = good && s == p.upper[i] && r >= 0.0;
        break;
      case BoxSide::kInside:
        good = good && p.lower[i] < s && s < p.upper[i] && r == 0.0;
        break;
    }
  }
  return good;
}

}  // namespace luztar::test
