// The greatest force with which a friction holds.
#pragma once

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

}  // namespace luztar
