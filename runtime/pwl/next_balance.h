// The speed of a body without inertia under dry frictions that fall with speed: where it goes when
// it is not in balance, and other bodies without inertia follow it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/pwl/balance_curve.h"

namespace luztar {

struct NextBalance {
  double x = 0;
  bool moves = false;
  std::vector<std::int8_t> side;    ///< by friction: of its slip, 0 where it holds
  std::vector<std::uint8_t> ahead;  ///< likewise; all 0 where the body is held
};

/// The end of  m x' = F(x), F(x) = load - x - sum weight_i s_i(x), begun at `x`, for every m > 0:
/// the next zero of F in the direction of its sign (P3, Stribeck, in the limit M -> 0). A
/// friction that comes to rest on the way may hold with all of `holds`. Where bodies follow, their
/// frictions take the least of  s'coupling s/2 - (offset + ratio x)'s  at each x. Whatever the
/// inertias of these compare to, the limit is the same where the body lets go from a balance, or
/// its load alone jumps, and each couples only two of the bodies: then  M v' = -dR(v)  is
/// cooperative (after signs), and rises from a state where nothing pulls back to the least balance
/// above (Kamke; Hirsch, Smith, Monotone dynamical systems).
///   resting    by friction: it is at rest at x, and may hold with all of `holds`
///   direction  where F is zero at x and beyond x has this sign, else 0
///   rounding   of F: what is not greater does not move x
///   method     along the curve of balances of a force that leads x on: piece by piece, up and down
///              where bodies that hold each other hold x
///   errors     UnboundedMinimum where hard stops close in on bodies that follow
///   cost       O(n^3) for each piece, of which there are as many as frictions and their parts
[[nodiscard]] NextBalance next_balance(const BodyBalance& body, double load, double x,
                                       std::span<const char> resting, std::int8_t direction,
                                       double rounding);

/// The way of x in which a friction lets go whose force is at the bound of this side; 0 where x has
/// no say in that.
///   rests   by friction, that one included
[[nodiscard]] std::int8_t way_of_release(const BodyBalance& body, std::span<const char> rests,
                                         std::size_t own, std::int8_t side);

}  // namespace luztar
