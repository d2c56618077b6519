// The mode of a settle island: zones of its springs and states of its frictions (kernel B).
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/events/friction_state.h"

namespace luztar {

/// A settle island in numbers; springs first, then frictions.
struct SettleNumbers {
  Eigen::MatrixXd directions;     // springs + frictions, by points
  Eigen::VectorXd stiffness;      // springs
  Eigen::VectorXd half_freeplay;  // springs; negative: linear
  Eigen::VectorXd weight;         // points
  [[nodiscard]] Eigen::Index springs() const { return stiffness.size(); }
  [[nodiscard]] Eigen::Index frictions() const { return directions.rows() - stiffness.size(); }
  [[nodiscard]] Eigen::Index points() const { return directions.cols(); }
};

/// The metric in which points that nothing holds move as little as possible: the stiffness of all
/// springs at a point.
[[nodiscard]] Eigen::VectorXd settle_weight(const Eigen::MatrixXd& directions,
                                            const Eigen::VectorXd& stiffness);

/// Taylor coefficients of what acts on the island, by column.
struct SettleDrives {
  Eigen::MatrixXd spring, travel, kinetic, bound, load;
  Eigen::VectorXd rounding;  // by order: of a position, by all that acts; empty: none
  /// Those of order 0 in the order of SettleIsland's map.
  [[nodiscard]] Eigen::VectorXd values() const;
};

struct SettleState {
  Eigen::VectorXd position;         // points
  Eigen::VectorXd travel;           // frictions: where the other sides were, with the points
  Eigen::VectorXd force;            // frictions
  std::vector<std::int8_t> zone;    // springs
  std::vector<std::int8_t> riding;  // springs: 1 when at the edge with no force, as far as is known
  std::vector<FrictionState> friction;
};

/// What an event tells.
struct SettleHints {
  std::vector<std::int8_t> edge;   // springs: the edge that has just been reached
  std::vector<std::int8_t> bound;  // frictions: the bound that the force has just reached
  // Frictions: direction in which they have slid up to this instant or in it. Their bound is T_K.
  std::vector<std::int8_t> slid;
};

struct SettleZeros {
  std::vector<std::int8_t> side;        // springs: the edge at which the instant finds it, or 0
  std::vector<std::uint32_t> edge;      // springs: leading zeros of the margin of that edge
  std::vector<std::uint32_t> friction;  // leading zeros of the slip velocity, or of the reserve
  std::vector<std::int8_t> slid;        // frictions: as in SettleHints, from now on
};

/// The mode right after an instant at which the points were at state.position: order 0 decides
/// where they settle, and each further order what is still at an edge or a bound. Without further
/// orders (Euler) a friction slips when its travel since state.position is not zero.
///   false   no equilibrium
[[nodiscard]] bool decide_settling(const SettleNumbers& numbers, const SettleDrives& drives,
                                   const SettleHints& hints, SettleState& state,
                                   SettleZeros& zeros);

/// The linear map of a mode, see SettleIsland.
[[nodiscard]] Eigen::MatrixXd settling_map(const SettleNumbers& numbers, const SettleState& state);

}  // namespace luztar
