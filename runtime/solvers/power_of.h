#pragma once

#include <cstdint>

namespace luztar {

/// x^n
[[nodiscard]] inline double power_of(double x, std::int64_t n) {
  double result = 1;
  for (; n > 0; n /= 2, x *= x) {
    if (n % 2 != 0) result *= x;
  }
  return result;
}

}  // namespace luztar
