// The value of a switch from what it watches.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/system.h"

namespace luztar {

/// Sign of row `row` right after the instant: of its first coefficient in J that is not zero, up to
/// order `orders`; 0 when all are. `at_zero` (by row, may be empty): rows whose coefficient of
/// order 0 is known to be zero, whatever rounding made of it.
[[nodiscard]] int sign_after(const System& system, std::uint32_t row, const double* J,
                             std::int64_t orders, std::span<const char> at_zero);

/// The value that a switch has right after the instant.
[[nodiscard]] std::int32_t value_after(const System& system, const Switch& s, const double* J,
                                       std::int64_t orders, std::span<const char> at_zero);

}  // namespace luztar
