// Ways on which contacts pass an impulse on through bodies without inertia.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

namespace luztar {

/// Impulses of contacts that leave bodies without inertia in balance, as these take none: the
/// extreme rays of
///   side_i p_i >= 0,   compliance p = 0,
/// by row, the greatest entry 1 in size. All others are sums of these, with weights that are not
/// negative (Minkowski, Weyl); each is of contacts that are in series, and of no fewer.
///   compliance: how forces of all members move the bodies without inertia, as seen in the slips:
///               symmetric, positive semidefinite
///   sides:      by member, -1 or 1 of a contact that takes part, else 0
///   cost:       by pairs of rays, of which there are n/2 squared between n contacts of one body
[[nodiscard]] Eigen::MatrixXd impulse_paths(const Eigen::MatrixXd& compliance,
                                            const std::vector<std::int8_t>& sides);

}  // namespace luztar
