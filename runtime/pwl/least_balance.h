// The speeds of several bodies without inertia under dry frictions that fall with speed, where
// forces on one move the others at once: where they go when they are not in balance.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/pwl/friction_law.h"
#include "runtime/pwl/gram.h"

namespace luztar {

/// Frictions of damped bodies without inertia, with slips  offset - G s.
struct NetworkBalance {
  std::vector<FrictionLaw> frictions;
  Eigen::VectorXd offset;
  Gram gram;  ///< G = D C^-1 D'
};

struct LeastBalance {
  Eigen::VectorXd slip;             ///< by friction
  bool moves = false;               ///< from the slips of those that fall
  std::vector<std::int8_t> side;    ///< of the slip, 0 where it holds
  std::vector<std::uint8_t> ahead;  ///< parts up to greater speeds than that of its slip
};

/// The end of  M v' = -dR(v), begun where the frictions that fall slip at `slip`, for M -> 0: the
/// least balance above, counted in the way of the motion. Where each friction couples only two of
/// the bodies and nothing pulls back when the motion begins,  M v' = -dR(v)  is cooperative, and
/// this is its end for all M > 0 (Kamke; Hirsch, Smith, Monotone dynamical systems). It is where
///   s in the frictions of the slips so far,  slip = offset - G s
/// ends, each round of which is a minimum in a box and stays below the balance (Tarski). A round
/// goes on to the balance of the lines that it finds itself on, as far as these last: where these
/// leave several speeds, along the fastest growing ones. Exponentials are convex: of stable ones
/// Newton's steps come to the balance from beyond, and what lies between is below it; where the
/// speeds grow they go on by a share of the decay at a time.
///   slip       of frictions that fall; of others without meaning
///   resting    by friction: it is at rest, and may hold with all of `holds`
///   way        by friction: it lets go, or goes on beyond the bend that it is at, with its slip
///              changing this way; else 0
///   rounding   of slips
///   errors     UnboundedMinimum where hard stops close in
///   cost       O(n^3) for each round, of which there are as many as frictions and their parts, and
///              more where exponentials nearly have a balance
[[nodiscard]] LeastBalance least_balance(const NetworkBalance& network, const Eigen::VectorXd& slip,
                                         std::span<const char> resting,
                                         std::span<const std::int8_t> way,
                                         const Eigen::VectorXd& rounding);

}  // namespace luztar
