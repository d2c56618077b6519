// The greatest forces of a friction.
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

/// Coefficient k of a force [N, N.m] that is never negative, by its coefficients in J: at the
/// instant zero where it is no more than what the error of the instant makes of it, as one that is
/// just coming back. Lower ones of a multiple root are then what that error makes of the first that
/// is not. What a root of zero adds has no series, and does not tell.
template <class Force>
[[nodiscard]] double capacity_by(Coefficients& J, std::int64_t k, Force force) {
  const double value = force(0), rate = J.highest() > 0 ? force(1) : 0.0;
  const double now = value > J.error_of_instant(std::isfinite(rate) ? rate : 0) ? value : 0;
  if (k == 0) return now;
  if (k == J.highest() || now != 0) return force(k);
  for (std::int64_t j = 1; j <= k; ++j) {
    const double next = static_cast<double>(j + 1) * force(j + 1);
    if (std::fabs(force(j)) > J.error_of_instant(next)) return force(k);
  }
  return 0;
}

/// Coefficient k of T_S.
[[nodiscard]] inline double capacity_at(Coefficients& J, const Friction& f, std::int64_t k = 0) {
  return capacity_by(J, k, [&](std::int64_t j) { return static_force(J, f, j); });
}

/// Coefficient k of T_K.
[[nodiscard]] inline double kinetic_capacity_at(Coefficients& J, const Friction& f,
                                                std::int64_t k) {
  return capacity_by(J, k, [&](std::int64_t j) { return J.at(j, f.kinetic_row); });
}

}  // namespace luztar
