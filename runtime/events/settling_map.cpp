// The linear map of a settle island's mode, and the metric of its points.
#include <algorithm>

#include "runtime/events/settling.h"
#include "runtime/pwl/decompositions.h"
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

std::vector<Index> holding_rows(const SettleNumbers& numbers, const SettleState& state) {
  std::vector<Index> rows;
  for (Index i = 0; i < numbers.springs(); ++i) {
    const bool linear = numbers.half_freeplay[i] < 0;
    if (!linear && state.zone[static_cast<std::size_t>(i)] == 0) continue;
    const auto end = numbers.limits.find(i);
    const bool full =
        end != numbers.limits.end() && state.zone[static_cast<std::size_t>(end->second.next)] != 0;
    if (!full && numbers.stiffness[i] != 0) rows.push_back(i);
  }
  for (Index i = 0; i < numbers.frictions(); ++i) {
    const FrictionState& f = state.friction[static_cast<std::size_t>(i)];
    if (!f.free && f.direction == 0) rows.push_back(numbers.springs() + i);
  }
  return rows;
}

std::vector<Carrier> carriers_of(const SettleNumbers& numbers, const SettleState& state) {
  std::vector<Carrier> out;
  for (const Index i : holding_rows(numbers, state)) {
    if (i < numbers.springs()) {
      const auto spring = static_cast<std::size_t>(i);
      if (state.riding[spring] != 0) out.push_back({i, state.zone[spring]});
    } else if (const FrictionState& f =
                   state.friction[static_cast<std::size_t>(i - numbers.springs())];
               f.contact != 0 && f.at_bound != 0) {
      out.push_back({i, f.contact});
    }
  }
  return out;
}

bool are_held(const SettleNumbers& numbers, const SettleState& state) {
  constexpr double kDependent = 1e-12;  // pivots of rows that depend on others
  const std::vector<Index> rows = holding_rows(numbers, state);
  return rank(numbers.directions(rows, Eigen::all), kDependent) == numbers.points();
}

MatrixXd settling_map(const SettleNumbers& numbers, SettleMaps& maps, const SettleState& state) {
  const Index springs = numbers.springs(), frictions = numbers.frictions(),
              points = numbers.points();
  const std::vector<Index> free = holding_rows(numbers, state);
  std::vector<double> compliance;
  for (const Index i : free) compliance.push_back(i < springs ? 1 / numbers.stiffness[i] : 0);
  const auto count = static_cast<Index>(free.size());
  const MatrixXd& inverse =
      maps(numbers.directions(free, Eigen::all),
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

namespace {

/// Where one that softens stops, in the direction of its deflection; 0: it follows that.
int full_side(const SettleNumbers& numbers, const SettleState& state, Index i) {
  const auto end = numbers.limits.find(i);
  if (end == numbers.limits.end()) return 0;
  return end->second.sense * state.zone[static_cast<std::size_t>(end->second.next)];
}

/// The force of a spring in its zone.
double force_of(const SettleNumbers& numbers, const SettleState& state, Index i, double x) {
  const double edge = std::max(numbers.half_freeplay[i], 0.0);
  const bool linear = numbers.half_freeplay[i] < 0;
  const int side = full_side(numbers, state, i);
  const int zone = linear ? 0 : state.zone[static_cast<std::size_t>(i)];
  if (numbers.stiffness[i] == 0 || (!linear && zone == 0)) return 0;
  if (side != 0) return side * numbers.greatest_force(i);
  return numbers.stiffness[i] * (x - zone * edge);
}

}  // namespace

VectorXd settling_offset(const SettleNumbers& numbers, const SettleState& state,
                         const MatrixXd& map, const SettleDrives& drives) {
  const Index springs = numbers.springs(), frictions = numbers.frictions(),
              points = numbers.points();
  VectorXd out(map.rows());
  out << state.position, state.force;
  out -= map * drives.values();
  VectorXd forces(springs + frictions);
  const VectorXd x = numbers.directions.topRows(springs) * state.position + drives.spring.col(0);
  for (Index i = 0; i < springs; ++i) forces[i] = force_of(numbers, state, i, x[i]);
  for (Index i = 0; i < frictions; ++i) {
    const FrictionState& f = state.friction[static_cast<std::size_t>(i)];
    forces[springs + i] = f.direction != 0 ? f.direction * drives.kinetic(i, 0) : state.force[i];
    if (f.direction != 0) out[points + i] = 0;
  }
  VectorXd left = drives.load.col(0) - numbers.directions.transpose() * forces;
  // What keeps contact without force is at its edge exactly.
  const bool rides = std::find(state.riding.begin(), state.riding.end(), 1) != state.riding.end();
  for (Index i = 0; rides && i < points; ++i) {
    if (!numbers.directions.col(i).head(springs).isZero(0.0)) left[i] = 0;
  }
  out += map.rightCols(points) * left;
  return out;
}

}  // namespace luztar
