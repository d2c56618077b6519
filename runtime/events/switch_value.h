// The value of a switch from what it watches.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include "runtime/jets/coefficients.h"
#include "runtime/system.h"

namespace luztar {

/// Below this share of its size a coefficient of a row is rounding.
inline constexpr double kRoundingOfRow = 1e-13;

/// How far the value x of its row is from where the switch changes (of a zone: one of its rows).
[[nodiscard]] inline double distance_to_edge(const Switch& s, double x) {
  return std::fabs(s.kind == SwitchKind::kFloor ? x - std::round(x) : x);
}

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
