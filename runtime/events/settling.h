// The mode of a settle island: zones of its springs and states of its frictions (kernel B).
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "runtime/events/friction_state.h"
#include "runtime/pwl/settle.h"

namespace luztar {

/// Below this a coefficient is nothing at all, in any units: it has no square.
inline constexpr double kNothing = 1e-100;

/// Where a spring's force stops growing: beyond, the spring `next` goes on.
struct SpringLimit {
  Eigen::Index next = 0;
  double deflection = 0;  // [m, rad], positive
  int sense = 1;          // -1: the deflection of `next` counts the other way
};

/// A settle island in numbers; springs first, then frictions.
struct SettleNumbers {
  Eigen::MatrixXd directions;        // springs + frictions, by points
  Eigen::VectorXd stiffness;         // springs; 0: one that another one of its law has taken over
  Eigen::VectorXd half_freeplay;     // springs; negative: linear
  std::set<Eigen::Index> one_sided;  // springs: these act on the upper side alone
  std::map<Eigen::Index, SpringLimit> limits;  // of springs in laws that soften
  std::map<Eigen::Index, double> rest_speed;   // frictions that fall with speed
  std::set<Eigen::Index> contacts;             // frictions: rigid contacts of the points
  Eigen::VectorXd weight;                      // points
  Eigen::MatrixXd gram;  // of a bound island: D M^-1 D' of the frictions; else empty
  // Of a bound island in which some creep, else empty: slips by forces on damped bodies without
  // inertia, D C^-1 D', and rates by what these forces take from dampers, D M^-1 C_xz C^-1 D'.
  Eigen::MatrixXd creep_gram, drag;
  bool varies = false;  // gram or drag, with the state
  [[nodiscard]] Eigen::Index springs() const { return stiffness.size(); }
  [[nodiscard]] Eigen::Index frictions() const { return directions.rows() - stiffness.size(); }
  [[nodiscard]] Eigen::Index points() const { return directions.cols(); }
  /// Of spring i: where it stops, or infinity.
  [[nodiscard]] double greatest_force(Eigen::Index i) const;
  [[nodiscard]] bool is_bound() const { return gram.size() > 0; }
  [[nodiscard]] bool creeps() const { return creep_gram.size() > 0; }
};

/// Springs of one deflection x up to a factor: each has the argument  ratio x.
struct SpringLaw {
  std::vector<Eigen::Index> springs;
  std::vector<double> ratios;
};

/// Writes the springs of a law, some of which soften, as springs in turn: each with the slope of
/// the law from its own edge to the next one, where it stops. None of them softens, and each keeps
/// its argument and its edges.
void join_in_turn(SettleNumbers& numbers, const SpringLaw& law);

/// The metric in which points that nothing holds move as little as possible: the stiffness of all
/// springs at a point.
[[nodiscard]] Eigen::VectorXd settle_weight(const Eigen::MatrixXd& directions,
                                            const Eigen::VectorXd& stiffness);

/// Taylor coefficients of what acts on the island, by column.
struct SettleDrives {
  Eigen::MatrixXd spring, travel, kinetic, bound, load;
  Eigen::MatrixXd at_rest;   // T_K of frictions that fall with speed
  Eigen::VectorXd half_gap;  // frictions: of contacts; |x| <= half_gap, x = directions.w + travel
  Eigen::VectorXd rounding;  // by order: of a position, by all that acts; empty: none
  Eigen::VectorXd load_rounding;  // by point: of the load, by that of the instant; empty: none
  // Of a bound island: rates of slips without its frictions, and the size of their terms; that of
  // the rates of travels; frictions in whose slip a prescribed motion has a part.
  Eigen::MatrixXd rate, rate_size;
  // Where some creep likewise: what damped bodies without inertia add to slips.
  Eigen::MatrixXd creep, creep_size;
  // Where gram or drag vary, coefficients of gram - drag by order, and the size of their terms.
  std::vector<Eigen::MatrixXd> slow, slow_size;
  Eigen::VectorXd velocity_size;
  Eigen::VectorXd velocity_at_turn;  // that the error of a multiple root leaves; 0: at none
  std::vector<char> driven;
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
  double step = 0;  // [s] Euler: since state.position
  // Of a bound island: 1 for frictions whose slip is zero at this instant. Those that have slid so
  // far hold with T_S from now on, unless they slide again in it.
  std::vector<std::int8_t> rests;
  // Of hard stops: the side of a closed contact, or of one of the points that has just been
  // reached, else 0.
  std::vector<std::int8_t> contact;
};

struct SettleZeros {
  std::vector<std::int8_t> side;        // springs: the edge at which the instant finds it, or 0
  std::vector<std::uint32_t> edge;      // springs: leading zeros of the margin of that edge
  std::vector<std::uint32_t> friction;  // leading zeros of the slip velocity, or of the reserve
  std::vector<std::int8_t> slid;        // frictions: as in SettleHints, from now on
  std::vector<std::int8_t> contact;     // contacts of the points: the side that opens, or 0
};

/// The mode right after an instant at which the points were at state.position: order 0 decides
/// where they settle, and each further order what is still at an edge or a bound. Without further
/// orders (Euler) a friction slips when its travel since state.position is not zero.
///   false   no equilibrium
[[nodiscard]] bool decide_settling(const SettleNumbers& numbers, const SettleDrives& drives,
                                   const SettleHints& hints, SettleMaps& maps, SettleState& state,
                                   SettleZeros& zeros);

/// Rows of SettleNumbers::directions that hold points in a mode: springs that carry, and frictions.
[[nodiscard]] std::vector<Eigen::Index> holding_rows(const SettleNumbers& numbers,
                                                     const SettleState& state);
/// What takes points along without force, in a mode: a spring at its edge or a closed contact.
struct Carrier {
  Eigen::Index row = 0;  // of SettleNumbers::directions
  int side = 0;          // of the edge, or of the contact
};
[[nodiscard]] std::vector<Carrier> carriers_of(const SettleNumbers& numbers,
                                               const SettleState& state);
/// Springs that carry and frictions that hold leave no point of the mode free.
[[nodiscard]] bool are_held(const SettleNumbers& numbers, const SettleState& state);
/// The linear map of a mode, see SettleIsland.
[[nodiscard]] Eigen::MatrixXd settling_map(const SettleNumbers& numbers, SettleMaps& maps,
                                           const SettleState& state);
/// What takes the map of its mode through the state: positions, then forces, less map * values.
/// Forces balance in the mode to rounding, whatever the state is exact to: an error that the map
/// inherited would come back from each edge multiplied by the ratio of stiffnesses there.
[[nodiscard]] Eigen::VectorXd settling_offset(const SettleNumbers& numbers,
                                              const SettleState& state, const Eigen::MatrixXd& map,
                                              const SettleDrives& drives);

}  // namespace luztar
