// The speed of a damped body without inertia under frictions that fall exponentially with speed.
#pragma once

#include <span>

#include "runtime/numbers.h"

namespace luztar {

/// A balance that rises with x by no more than this lets no x last.
inline constexpr double kLeastStiffness = 1e-9;

/// What a friction adds to the left side of a balance  x + sum of weight exp(-(exponent + rate x))
/// = y  beyond all constants. Its slip is zero where exponent + rate x is, and it falls with it
/// where weight * rate > 0; `rate` has the sign of the slip.
struct DecayingForce {
  double weight = 0, exponent = 0, rate = 0;
};

/// Where the left side rises with x. Of forces that fall the slope is concave in x: that is between
/// two folds, where it is zero, one of them or both at infinity. A force that rises with its slip
/// ends it where this is zero, as it may be infinite beyond.
///   empty: begin > end
///   cost:  some Newton steps, each from the side on which they do not pass the fold
struct StableRange {
  double begin = -kInfinity, end = kInfinity;
};
[[nodiscard]] StableRange stable_range(std::span<const DecayingForce> forces);

/// Where forces take the least of the slope, from both sides: what is left of a stable range that
/// has closed there. As it closes none takes all alone, so that this is between their own folds.
///   pre: some fall with x, and others as it falls
[[nodiscard]] double least_fall(std::span<const DecayingForce> forces);

struct FallingBalance {
  double x = 0;
  double slope = 0;  ///< of the left side; 0 at a fold, beyond which there is no balance
};

/// The x of the stable range at which the left side is y; the nearest where there is none (for one
/// force x = y + W_0(...)/rate, Lambert's W). There x has no series: what rounding does not tell
/// from a fold is as far from it as rounding goes.
///   pre: all forces fall, or there is one alone
[[nodiscard]] FallingBalance falling_balance(double y, std::span<const DecayingForce> forces);

/// Where the slip of one of the forces ends: at a fold, or at zero where that comes first.
struct FallingEnd {
  double x = 0;
  bool is_fold = false;
};
[[nodiscard]] FallingEnd falling_end(const DecayingForce& own,
                                     std::span<const DecayingForce> forces);

}  // namespace luztar
