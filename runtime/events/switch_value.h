// The value of a switch from what it watches.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "runtime/jets/coefficients.h"
#include "runtime/system.h"

namespace luztar {

/// Below this share of its size a coefficient of a row is rounding.
inline constexpr double kRoundingOfRow = 1e-13;

/// A comparison with zero, or a sign.
[[nodiscard]] inline bool is_relation(SwitchKind kind) {
  return kind == SwitchKind::kSide || kind == SwitchKind::kPositive ||
         kind == SwitchKind::kNotNegative;
}

/// Rows that a switch watches: [first, second).
[[nodiscard]] inline std::pair<std::uint32_t, std::uint32_t> rows_of(const Switch& s) {
  return {s.row, s.row + (s.kind == SwitchKind::kZone ? 2 : 1)};
}

/// A row of the switch is where its value changes, as far as the rounding of the row and of the
/// time of this instant can tell.
[[nodiscard]] bool is_at_edge(const Switch& s, std::uint32_t row, Coefficients& J);

/// Leading coefficients of a row that are zero right after the instant: all up to J.highest() give
/// J.highest() + 1. `zeros` (by row, may be empty): so many are known to be zero, whatever rounding
/// made of them.
[[nodiscard]] std::uint32_t leading_zeros(std::uint32_t row, Coefficients& J,
                                          std::span<const std::uint32_t> zeros);

/// The value of a switch at the instant itself.
[[nodiscard]] std::int32_t value_at(const Switch& s, const Coefficients& J);

/// The value that a switch has right after the instant.
[[nodiscard]] std::int32_t value_after(const Switch& s, Coefficients& J,
                                       std::span<const std::uint32_t> zeros);

}  // namespace luztar
