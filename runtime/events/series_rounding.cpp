// What rounding makes of the slips and forces of frictions in series, and what of them is no more.
#include <algorithm>
#include <cmath>

#include "runtime/events/series_forces.h"
#include "runtime/events/series_map.h"

namespace luztar {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// What rounding makes of coefficient k of a slip by its own terms.
double SeriesForces::rounding_of_terms(Index i, Index k) const {
  const double bodies = kRoundingOfRate * body_slip_size(i, k);
  if (!n_.creeps()) return bodies;
  return bodies + rounding_of_creep(k) * creep_size_[static_cast<std::size_t>(k)][i];
}

template <class Own, class Length>
double SeriesForces::carried(Index i, Own own, Length length) const {
  if (length(i) == 0) return 0;
  double most = 0;
  for (Index j = 0; j < velocity_.size(); ++j) {
    if (length(j) > 0) most = std::max(most, own(j) / length(j));
  }
  return most * length(i);
}

double SeriesForces::rounding(Index i, Index k) const {
  const auto own = [&](Index j) { return rounding_of_terms(j, k - 1) / static_cast<double>(k); };
  // Points and damped bodies carry it from one to the other.
  const double by_points =
      carried(i, own, [&](Index j) { return n_.directions.row(n_.springs() + j).norm(); });
  const double by_creep =
      n_.creeps() ? carried(i, own, [&](Index j) { return std::sqrt(n_.creep_gram(j, j)); }) : 0.0;
  return std::max({own(i), by_points, by_creep});
}

// The same of coefficient k of a slip by what bodies with inertia make of it.
double SeriesForces::rounding_of_bodies(Index i, Index k) const {
  const auto own = [&](Index j) { return kRoundingOfRate * body_slip_size(j, k); };
  return std::max(
      own(i), carried(i, own, [&](Index j) { return n_.directions.row(n_.springs() + j).norm(); }));
}

// What damped bodies add to slips may have a rounding that is great against what bodies with
// inertia make of them; it has no part along N, where these are told by themselves.
bool SeriesForces::take_out_rounding(const std::vector<Index>& frictions, Index k, Vector& travel,
                                     Vector& rounding) const {
  if (travel.isZero(0.0)) return true;  // most are
  const auto count = static_cast<Index>(frictions.size());
  const double dust = kProjected * travel.lpNorm<Eigen::Infinity>();
  Vector bodies = Vector::Zero(count), left(count);
  for (Index r = 0; r < count; ++r) {
    left[r] = this->rounding(frictions[static_cast<std::size_t>(r)], k);
  }
  rounding = left;
  if (n_.creeps()) {
    for (Index r = 0; r < count; ++r) {
      const Index i = frictions[static_cast<std::size_t>(r)];
      rounding[r] = std::max(
          {rounding_of_bodies(i, k - 1) / static_cast<double>(k), dust, kOfCreep * left[r]});
    }
    const MatrixXd N = without_creep(n_, frictions, self_stresses(n_, frictions));
    bodies = N * (N.transpose() * travel);
    bodies = (bodies.array().abs() <= rounding.array()).select(0, bodies);
  }
  if (((travel - bodies).array().abs() > left.array()).any()) return false;
  travel = bodies;
  return true;
}

double SeriesForces::rounding_of_force(Index k) const {
  double most = rounding_of_creeping_force(k);
  for (Index i = 0; i < d_.rate_size.rows(); ++i) {
    const double g = n_.gram(i, i);
    const auto order = static_cast<std::size_t>(k);
    if (g > 0) most = std::max(most, kRoundingOfRate * rate_size_[order][i] / g);
  }
  return most;
}

// Of those that decide the slips of damped bodies.
double SeriesForces::rounding_of_creeping_force(Index k) const {
  double most = 0;
  for (Index i = 0; n_.creeps() && i < n_.frictions(); ++i) {
    const double fast = n_.creep_gram(i, i), size = creep_size_[static_cast<std::size_t>(k)][i];
    if (fast > 0) most = std::max(most, rounding_of_creep(k) * size / fast);
  }
  return most;
}

}  // namespace luztar
