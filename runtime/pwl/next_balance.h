// One speed without inertia between dry frictions that fall with speed: where it goes when it is
// not in balance.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/numbers.h"
#include "runtime/pwl/falling_balance.h"

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

/// A friction whose slip is w = offset + ratio * x. While it slips its force is sgn(w) T(|w|) with
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

  /// What it takes from F at most, at rest, where F is of this sign.
  [[nodiscard]] double most_against(double sign) const {
    if (pushes == 0) return std::fabs(weight) * holds;
    return sign * ratio * pushes > 0 ? kInfinity : 0.0;
  }
  /// By what it falls on the lines of the first parts F rises against x.
  [[nodiscard]] double fall(std::size_t parts) const {
    return weight * ratio * (at_rest - beyond) * slope_of(falls.first(parts));
  }
};

/// Where the slip of one with a `decay` ends while x slips on all frictions, on these sides and on
/// the lines of their parts ahead.
[[nodiscard]] FallingEnd end_of_decay(std::span<const SlipOnLine> frictions,
                                      std::span<const std::int8_t> side, std::size_t own);

struct NextBalance {
  double x = 0;
  bool moves = false;
  std::vector<std::int8_t> side;    ///< by friction: of its slip, 0 where it holds
  std::vector<std::uint8_t> ahead;  ///< likewise; all 0 where one holds
};

/// The end of  m x' = F(x), F(x) = load - x - sum weight_i s_i(x), begun at `x`, for every m > 0:
/// the next zero of F in the direction of its sign (P3, Stribeck, in the limit M -> 0). A
/// friction that comes to rest on the way may hold with all of `holds`.
///   resting    by friction: it is at rest at x, and may hold with all of `holds`
///   direction  where F is zero at x and beyond x has this sign, else 0
///   rounding   of F: what is not greater does not move x
///   cost       O(n^2) in the frictions and their parts
[[nodiscard]] NextBalance next_balance(std::span<const SlipOnLine> frictions, double load, double x,
                                       std::span<const char> resting, std::int8_t direction,
                                       double rounding);

}  // namespace luztar
