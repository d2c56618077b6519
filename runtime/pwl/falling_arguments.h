// Speeds under frictions that fall exponentially, of numbers one after the other, as compiled code
// passes them.
#pragma once

#include <cstdint>

namespace luztar {

/// As many bodies of a network may act on each other at once.
inline constexpr int kMostFallingBodies = 16;

/// y of a balance; weight, exponent and rate of each force, of which the first one ends
/// (falling_balance.h).
[[nodiscard]] double falling_balance_of(const double* arguments, std::int64_t count);
[[nodiscard]] double falling_end_of(const double* arguments, std::int64_t count);

/// A body, then those of a network: its speed (falling_speeds.h).
[[nodiscard]] double falling_speed_of(const double* arguments, std::int64_t count);
/// A force, a body or n, then those of a network: the speed of that body where the slip of that
/// force ends, or y of the body of that force there.
[[nodiscard]] double falling_speed_end_of(const double* arguments, std::int64_t count);

}  // namespace luztar
