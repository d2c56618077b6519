// The greatest force with which a friction holds.
#pragma once

#include <cmath>
#include <cstdint>

#include "runtime/jets/coefficients.h"
#include "runtime/system.h"

namespace luztar {

/// T_S [N, N.m] at the instant of J, half the sum of the reserves: never negative, and zero where
/// it is no more than what the error of the instant makes of it, as one that is just coming back.
[[nodiscard]] inline double capacity_at(Coefficients& J, const Friction& f) {
  const std::uint32_t below = f.reserve_row, above = below + 1;
  const double value = (J[below] + J[above]) / 2;
  const double rate = J.highest() > 0 ? (J.at(1, below) + J.at(1, above)) / 2 : 0.0;
  return value > J.error_of_instant(rate) ? value : 0.0;
}

/// Coefficient k of T_S: where it is zero at the instant, lower ones of a multiple root are what
/// the error of the instant makes of the first that is not.
[[nodiscard]] inline double capacity_at(Coefficients& J, const Friction& f, std::int64_t k) {
  if (k == 0) return capacity_at(J, f);
  const auto coefficient = [&](std::int64_t j) {
    return (J.at(j, f.reserve_row) + J.at(j, f.reserve_row + 1)) / 2;
  };
  const double value = coefficient(k);
  if (k == J.highest() || capacity_at(J, f) != 0) return value;
  for (std::int64_t j = 1; j <= k; ++j) {
    const double next = static_cast<double>(j + 1) * coefficient(j + 1);
    if (std::fabs(coefficient(j)) > J.error_of_instant(next)) return value;
  }
  return 0;
}

}  // namespace luztar
