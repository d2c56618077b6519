// The speed of a body without inertia under dry frictions that fall with speed: where it goes when
// it is not in balance, and other bodies without inertia follow it.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/numbers.h"
#include "runtime/pwl/falling_balance.h"
#include "runtime/pwl/gram.h"

namespace luztar {

/// A part of what a friction falls by up to a speed; the parts of one friction add up to 1.
struct FallingPart {
  double speed = 0, share = 0;
};

/// What these add to the slope, as a share of all that the friction falls by.
[[nodiscard]] inline double slope_of(std::span<const FallingPart> parts) {
  double sum = 0;
  for (const FallingPart& part : parts) sum += part.share / part.speed;
  return sum;
}

/// A friction whose slip is  w_i = offset_i + ratio_i x - sum_j coupling_ij s_j  at the speed x of
/// the body. What falls acts on the body alone, and has no coupling. While it slips its force is
/// sgn(w) T(|w|) with
///   T(|w|) = at_rest - (at_rest - beyond) * sum of share * min(|w|/speed, 1),
/// or, where `decay` is not 0,
///   T(|w|) = beyond + (at_rest - beyond) exp(-|w|/decay).
struct SlipOnLine {
  double offset = 0, ratio = 0;
  double weight = 0;  ///< what its force takes from the speed, of the sign of `ratio`
  double at_rest = 0, beyond = 0;
  double holds = 0;                    ///< at most while it is at rest, not less than at_rest
  std::span<const FallingPart> falls;  ///< the greatest speed first
  double decay = 0;
  std::int8_t pushes = 0;  ///< a closed contact: it takes any force against slip on this side alone
  std::uint8_t ahead = 0;  ///< parts up to whose speed it has not come so far: these are the first

  /// At rest its force is between these.
  [[nodiscard]] double lower() const {
    return pushes == 0 ? -holds : pushes > 0 ? 0.0 : -kInfinity;
  }
  [[nodiscard]] double upper() const { return pushes == 0 ? holds : pushes > 0 ? kInfinity : 0.0; }
  /// By what it falls on the lines of the first parts F rises against x.
  [[nodiscard]] double fall(std::size_t parts) const {
    return weight * ratio * (at_rest - beyond) * slope_of(falls.first(parts));
  }
};

/// T of one that slips at this speed.
[[nodiscard]] double force_at(const SlipOnLine& friction, double speed);
/// Parts with a speed above this one.
[[nodiscard]] std::uint8_t parts_above(const SlipOnLine& friction, double speed);

/// The frictions of such a body, and those of other bodies without inertia that dampers and
/// frictions connect with it, which follow it at once.
struct BodyBalance {
  std::vector<SlipOnLine> frictions;
  Gram coupling;  ///< D C^-1 D' while the body is held; zero rows: of frictions of the body alone
};

/// Where the slip of one with a `decay` ends while x slips on all frictions of the body, on these
/// sides and on the lines of their parts ahead; others of side 0 hold.
[[nodiscard]] FallingEnd end_of_decay(const BodyBalance& body, std::span<const std::int8_t> side,
                                      std::size_t own);

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
