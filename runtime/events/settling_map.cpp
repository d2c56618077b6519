// The linear map of a settle island's mode, and the metric of its points.
#include <algorithm>

#include "runtime/events/settling.h"
#include "runtime/pwl/settle.h"

namespace luztar {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

VectorXd settle_weight(const MatrixXd& directions, const VectorXd& stiffness) {
  VectorXd weight = VectorXd::Zero(directions.cols());
  const auto springs = stiffness.size();
  const double typical = springs > 0 ? stiffness.mean() : 1.0;
  for (Index i = 0; i < weight.size(); ++i) {
    const auto column = directions.col(i).cwiseAbs2();
    weight[i] = column.head(springs).dot(stiffness);
    if (weight[i] == 0) weight[i] = typical * std::max(column.sum(), 1e-300);
  }
  return weight;
}

VectorXd SettleDrives::values() const {
  VectorXd out(spring.rows() + 2 * travel.rows() + load.rows());
  out << spring.col(0), travel.col(0), kinetic.col(0), load.col(0);
  return out;
}

MatrixXd settling_map(const SettleNumbers& numbers, const SettleState& state) {
  const Index springs = numbers.springs(), frictions = numbers.frictions(),
              points = numbers.points();
  std::vector<Index> free;
  std::vector<double> compliance;
  for (Index i = 0; i < springs; ++i) {
    const bool linear = numbers.half_freeplay[i] < 0;
    if (!linear && state.zone[static_cast<std::size_t>(i)] == 0) continue;
    const auto end = numbers.limits.find(i);
    const bool full =
        end != numbers.limits.end() && state.zone[static_cast<std::size_t>(end->second.next)] != 0;
    if (full || numbers.stiffness[i] == 0) continue;
    free.push_back(i);
    compliance.push_back(1 / numbers.stiffness[i]);
  }
  for (Index i = 0; i < frictions; ++i) {
    const FrictionState& f = state.friction[static_cast<std::size_t>(i)];
    if (f.free || f.direction != 0) continue;
    free.push_back(springs + i);
    compliance.push_back(0);
  }
  const auto count = static_cast<Index>(free.size());
  const MatrixXd inverse =
      settle_map(numbers.directions(free, Eigen::all),
                 Eigen::Map<const VectorXd>(compliance.data(), count), numbers.weight);
  MatrixXd map = MatrixXd::Zero(points + frictions, springs + 2 * frictions + points);
  const auto take = [&](Index input, const VectorXd& solution) {
    map.col(input).head(points) += solution.head(points);
    for (Index k = 0; k < count; ++k) {
      const Index element = free[static_cast<std::size_t>(k)];
      if (element >= springs) map(points + element - springs, input) += solution[points + k];
    }
  };
  for (Index k = 0; k < count; ++k) {  // columns of drives and travels
    take(free[static_cast<std::size_t>(k)], -inverse.col(k));
  }
  for (Index i = 0; i < frictions; ++i) {
    const FrictionState& f = state.friction[static_cast<std::size_t>(i)];
    if (f.direction == 0) continue;
    const Index input = springs + frictions + i;
    const VectorXd pull = numbers.directions.row(springs + i).transpose() * double(f.direction);
    take(input, -inverse.rightCols(points) * pull);
    map(points + i, input) += f.direction;
  }
  for (Index i = 0; i < points; ++i) take(springs + 2 * frictions + i, inverse.col(count + i));
  return map;
}

VectorXd settling_offset(const SettleNumbers& numbers, const SettleState& state,
                         const MatrixXd& map, const VectorXd& values) {
  const Index points = numbers.points();
  VectorXd out(map.rows());
  out << state.position, state.force;
  out -= map * values;
  for (Index i = 0; i < numbers.frictions(); ++i) {
    if (state.friction[static_cast<std::size_t>(i)].direction != 0) out[points + i] = 0;
  }
  VectorXd imbalance = numbers.directions.bottomRows(numbers.frictions()).transpose() *
                       out.tail(numbers.frictions());
  for (Index i = 0; i < points; ++i) {  // springs hold theirs with what is left of their gaps
    if (!numbers.directions.col(i).head(numbers.springs()).isZero(0.0)) imbalance[i] = 0;
  }
  out.tail(numbers.frictions()) -= map.bottomRightCorner(numbers.frictions(), points) * imbalance;
  return out;
}

}  // namespace luztar
