// The value of a switch from what it watches.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/jets/coefficients.h"
#include "runtime/system.h"

namespace luztar {

/// Sign of row `row` right after the instant: of its first coefficient that is not zero; 0 when all
/// up to J.highest() are. `at_zero` (by row, may be empty): rows whose coefficient of
/// order 0 is known to be zero, whatever rounding made of it.
[[nodiscard]] int sign_after(std::uint32_t row, Coefficients& J, std::span<const char> at_zero);

/// The value that a switch has right after the instant.
[[nodiscard]] std::int32_t value_after(const Switch& s, Coefficients& J,
                                       std::span<const char> at_zero);

}  // namespace luztar
