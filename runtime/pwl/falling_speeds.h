// The speeds of several damped bodies without inertia that act on each other at once, under
// frictions that fall exponentially with speed.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/pwl/falling_arguments.h"

namespace luztar {

using BodyVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMostFallingBodies, 1>;
using BodyMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMostFallingBodies,
                                 kMostFallingBodies>;

/// What a friction of one of n bodies adds to the left sides of
///   x_b + sum of weight_b exp(-(exponent + rate x_body)) = y_b.
/// Its slip is zero where exponent + rate x_body is; `rate` has its sign.
struct FallingForce {
  std::int64_t body = 0;
  double exponent = 0, rate = 0;
  const double* weight = nullptr;  ///< by body; that on its own one has the sign of `rate`
};

/// y and the forces, of arguments one after the other: n; y; of each force body, exponent, rate and
/// weights.
struct FallingNetwork {
  BodyVector y;
  std::vector<FallingForce> forces;
};
[[nodiscard]] FallingNetwork falling_network(const double* arguments, std::int64_t count);

struct FallingSpeeds {
  BodyVector x;
  bool lasts = false;  ///< there is a stable balance; else x is where the search for one has ended
};

/// The stable balance. Weights on bodies are a symmetric matrix, after scaling, times the forces:
/// what forces take from the slopes, each convex in its x, has a greatest eigenvalue that is convex
/// in all. It is below 1 in a convex set, in which the balance is a minimum: there is one at most.
///   method  Newton's steps in that set, from where all forces have fallen furthest. Where levers
///           and slips have one sign the left sides are convex and rise, so that the steps come
///           from beyond
///   cost    O(n^3) for each step, of which there are some
[[nodiscard]] FallingSpeeds falling_speeds(const FallingNetwork& network);

/// The same of arguments of falling_network. Valid until the next call.
[[nodiscard]] const FallingSpeeds& falling_speeds_at(const double* arguments, std::int64_t count);

/// Where the slip of force `own` ends while y of its body changes alone, and bodies follow.
struct FallingSpeedsEnd {
  enum class Kind : std::uint8_t {
    kRest,     ///< at rest
    kFold,     ///< before that, where it takes what is left of the slope
    kFollows,  ///< before that, where others do: this is where it would come to rest itself
  };
  Kind kind = Kind::kRest;
  BodyVector x;    ///< there; of one that follows, in balance
  double y = 0;    ///< of its body; of one that follows, by as much further as its slip
  BodyVector way;  ///< by x of its body: how all go through a fold
};
/// `balance`: that of falling_speeds.
[[nodiscard]] FallingSpeedsEnd falling_speeds_end(const FallingNetwork& network, std::size_t own,
                                                  const FallingSpeeds& balance);

/// d (left side) / dx.
[[nodiscard]] BodyMatrix falling_slope(const FallingNetwork& network, const BodyVector& x);

}  // namespace luztar
