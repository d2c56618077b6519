// The greatest force with which a friction holds.
#pragma once

#include <cmath>
#include <cstdint>

#include "runtime/jets/coefficients.h"
#include "runtime/system.h"

namespace luztar {

/// Coefficient k of T_S: half the sum of the reserves.
[[nodiscard]] inline double static_force(Coefficients& J, const Friction& f, std::int64_t k) {
  return (J.at(k, f.reserve_row) + J.at(k, f.reserve_row + 1)) / 2;
}

/// T_S [N, N.m] at the instant of J: never negative, and zero where it is no more than what the
/// error of the instant makes of it, as one that is just coming back.
[[nodiscard]] inline double capacity_at(Coefficients& J, const Friction& f) {
  const double value = static_force(J, f, 0);
  const double rate = J.highest() > 0 ? static_force(J, f, 1) : 0.0;
  return value > J.error_of_instant(rate) ? value : 0.0;
}

/// Coefficient k of it: where it is zero at the instant, lower ones of a multiple root are what the
/// error of the instant makes of the first that is not.
[[nodiscard]] inline double capacity_at(Coefficients& J, const Friction& f, std::int64_t k) {
  if (k == 0) return capacity_at(J, f);
  const double value = static_force(J, f, k);
  if (k == J.highest() || capacity_at(J, f) != 0) return value;
  for (std::int64_t j = 1; j <= k; ++j) {
    const double next = static_cast<double>(j + 1) * static_force(J, f, j + 1);
    if (std::fabs(static_force(J, f, j)) > J.error_of_instant(next)) return value;
  }
  return 0;
}

}  // namespace luztar
