#include "runtime/events/impact.h"

#include <cmath>
#include <limits>

#include "runtime/pwl/box_minimum.h"

namespace luztar {

ImpactResult solve_impact(const Gram& gram, const std::vector<std::int8_t>& contacts,
                          const Eigen::VectorXd& slip, const Eigen::VectorXd& restitution) {
  constexpr double kRounding = 1e-13;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::vector<Eigen::Index> members;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (contacts[i] != 0) members.push_back(static_cast<Eigen::Index>(i));
  }
  const auto n = static_cast<Eigen::Index>(members.size());
  Eigen::VectorXd b(n), lower(n), upper(n);
  for (Eigen::Index r = 0; r < n; ++r) {
    const Eigen::Index i = members[static_cast<std::size_t>(r)];
    const int side = contacts[static_cast<std::size_t>(i)];
    const bool approaches = side * slip[i] > 0;
    b[r] = approaches ? (1 + restitution[i]) * slip[i] : slip[i];
    lower[r] = side > 0 ? 0 : -kInfinity;
    upper[r] = side > 0 ? kInfinity : 0;
  }
  const BoxMinimum solution = minimize_in_box(gram.principal(members), b, lower, upper);
  ImpactResult result;
  result.impulse = Eigen::VectorXd::Zero(gram.size());
  for (Eigen::Index r = 0; r < n; ++r) {
    result.impulse[members[static_cast<std::size_t>(r)]] = solution.force[r];
  }
  result.after = slip;
  gram.add_product(result.impulse, -1, result.after);
  Eigen::VectorXd size = slip.cwiseAbs();
  gram.add_sizes(result.impulse, size);
  for (Eigen::Index i = 0; i < size.size(); ++i) {
    if (std::fabs(result.after[i]) <= kRounding * size[i]) result.after[i] = 0;
  }
  // Of a contact the law says it, without rounding.
  for (Eigen::Index r = 0; r < n; ++r) {
    const Eigen::Index i = members[static_cast<std::size_t>(r)];
    result.after[i] = solution.residual[r] - (b[r] - slip[i]);
  }
  return result;
}

}  // namespace luztar
