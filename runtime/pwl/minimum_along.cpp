#include "runtime/pwl/minimum_along.h"

#include <vector>

#include "runtime/numbers.h"
#include "runtime/pwl/box_minimum.h"
#include "runtime/pwl/lexicographic_minimum.h"

namespace luztar {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

/// Forces that change no slip have no power on slips, this against their terms apart.
constexpr double kRoundingOfPower = 1e-9;
constexpr double kRoundingOfBasis = 1e-11;  // of an entry that should be zero

}  // namespace

double rounding_of_residual(const MatrixXd& G, const VectorXd& size, const VectorXd& force) {
  constexpr double kTerms = 1e-12, kPenalty = 1e-9;
  if (size.size() == 0) return 0;
  const double greatest = G.diagonal().maxCoeff();
  const double slopes = greatest > 0 ? greatest * force.lpNorm<Eigen::Infinity>() : size.maxCoeff();
  return kTerms * size.maxCoeff() + kPenalty * slopes;
}

VectorXd without(double rounding, const VectorXd& values) {
  return (values.array().abs() <= rounding).select(0, values);
}

MinimumAlong minimize_along(const MatrixXd& G, const VectorXd& b, const VectorXd& size,
                            const MatrixXd& Z, const VectorXd& lower, const VectorXd& upper,
                            const VectorXd& start) {
  LexicographicMinimum m{start, VectorXd::Zero(start.size()), VectorXd::Zero(start.size()),
                         std::vector<BoxSide>(static_cast<std::size_t>(start.size()))};
  minimize_on_face(G, b, size, Z, lower, upper, m);
  for (Index i = 0; i < start.size(); ++i) {  // what no self-stress moves
    if (Z.row(i).isZero(0.0)) m.force[i] = start[i];
  }
  return {m.force, m.second};
}

MatrixXd between_bounds(const MatrixXd& N, const VectorXd& lower, const VectorXd& upper) {
  std::vector<Index> fixed;
  for (Index m = 0; m < lower.size(); ++m) {
    if (lower[m] == upper[m]) fixed.push_back(m);
  }
  return without_members(N, fixed);
}

MatrixXd without_effect(const MatrixXd& gram, const MatrixXd& N, const VectorXd& lower,
                        const VectorXd& upper) {
  return regular_directions(gram, between_bounds(N, lower, upper)).null;
}

VectorXd power_of(const MatrixXd& N, const VectorXd& slips, const VectorXd& size) {
  const VectorXd power = N.transpose() * slips;
  VectorXd rounding = kRoundingOfPower * N.cwiseAbs().transpose() * size;
  if (size.size() > 0) rounding = rounding.cwiseMax(kRoundingOfBasis * size.maxCoeff());
  return (power.cwiseAbs().array() <= rounding.array()).select(0, power);
}

MatrixXd without_power(const MatrixXd& N, const VectorXd& slips) {
  VectorXd power = power_of(N, slips, slips.cwiseAbs());
  if (power.isZero(0.0)) return N;
  power /= power.lpNorm<Eigen::Infinity>();
  return clean(N * null_basis(power * power.transpose()));
}

VectorXd multipliers(const MatrixXd& N, const VectorXd& slope, const VectorXd& lower,
                     const VectorXd& upper, const VectorXd& force, double near) {
  VectorXd out = VectorXd::Zero(force.size());
  std::vector<Index> bounded;
  for (Index m = 0; m < force.size(); ++m) {
    const bool at_bound = upper[m] - force[m] <= near || force[m] - lower[m] <= near;
    if (at_bound && !N.row(m).isZero(0.0)) bounded.push_back(m);
  }
  if (bounded.empty()) return out;
  const auto count = static_cast<Index>(bounded.size());
  VectorXd least = VectorXd::Zero(count), most = VectorXd::Zero(count);
  for (Index r = 0; r < count; ++r) {
    const Index m = bounded[static_cast<std::size_t>(r)];
    if (upper[m] - force[m] <= near) most[r] = kInfinity;
    if (force[m] - lower[m] <= near) least[r] = -kInfinity;
  }
  const MatrixXd rows = N(bounded, Eigen::all);
  const VectorXd b = rows * (N.transpose() * slope);
  const VectorXd size = rows.cwiseAbs() * (N.cwiseAbs().transpose() * slope.cwiseAbs());
  BoxMinimum shortest;
  minimize_in_box(MatrixXd(rows * rows.transpose()), b, size, least, most, shortest);
  out(bounded) = shortest.force;
  return out;
}

}  // namespace luztar
