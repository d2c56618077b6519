// Frictions in series on massless points in one mode: the forces that the balance of the points
// leaves open, as a linear map.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "runtime/events/settling.h"

namespace luztar {

/// How forces of frictions move points and damped bodies without inertia, as seen in the slips.
[[nodiscard]] Eigen::MatrixXd slips_by_massless(const SettleNumbers& numbers);

/// Self-stresses, orthonormal by column: what forces of frictions `members` do not move the points.
[[nodiscard]] Eigen::MatrixXd self_stresses(const SettleNumbers& numbers,
                                            const std::vector<Eigen::Index>& members);

/// Of self-stresses Z of `members`, an orthonormal basis of those that do not move damped bodies
/// without inertia either.
[[nodiscard]] Eigen::MatrixXd without_creep(const SettleNumbers& numbers,
                                            const std::vector<Eigen::Index>& members,
                                            const Eigen::MatrixXd& Z);

/// Orthonormal by column: what forces of `members` give no motion at all.
[[nodiscard]] Eigen::MatrixXd idle_stresses(const SettleNumbers& numbers,
                                            const std::vector<Eigen::Index>& members);

/// Frictions that act on the same points or damped bodies, by place among `members`. One on none of
/// these is alone.
[[nodiscard]] std::vector<std::vector<Eigen::Index>> components(
    const SettleNumbers& numbers, const std::vector<Eigen::Index>& members);

/// Forces in one mode by those of the settling map, the rates of the slips without forces of the
/// island, T_S of those that stay at their bounds, and the slips without forces of the island and
/// points (empty where none creeps): frictions x frictions each.
struct SeriesMap {
  Eigen::MatrixXd given, hold, bound, creep_hold;
  std::vector<char> shared;  // by friction: its force is one of many that give the same motion
  // Where G varies `hold` is zero, and the forces have no part along these columns, orthonormal, by
  // `stuck`: rates of slips decide about that. At present those along `open` move nothing.
  std::vector<Eigen::Index> stuck;
  Eigen::MatrixXd regular, open;
};
[[nodiscard]] SeriesMap series_map(const SettleNumbers& numbers, const SettleState& state);

/// Impulses by friction that take the slips of `resting` ones, as far as points cannot follow, out
/// of the bodies beyond.
[[nodiscard]] Eigen::VectorXd series_impulse(const SettleNumbers& numbers,
                                             const std::vector<Eigen::Index>& resting,
                                             const Eigen::VectorXd& slips);

/// The slip of `friction` is a combination of those of `resting`.
[[nodiscard]] bool follows_resting(const SettleNumbers& numbers, std::vector<Eigen::Index> resting,
                                   Eigen::Index friction);
/// By which it is: one for each of `resting`.
[[nodiscard]] Eigen::VectorXd weights_of_resting(const SettleNumbers& numbers,
                                                 const std::vector<Eigen::Index>& resting,
                                                 Eigen::Index friction);

}  // namespace luztar
