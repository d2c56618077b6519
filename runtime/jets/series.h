// Rows of Taylor coefficients, and the sums that recurrences over them are made of.
#pragma once

#include <cstdint>

namespace luztar::jets {

/// Coefficients of one row.
struct Row {
  double* first;
  std::int64_t stride;
  double& operator[](std::int64_t k) const { return first[k * stride]; }
};

struct Rows {
  double* J;
  std::int64_t count;
  Row operator[](std::int64_t r) const { return {J + r, count}; }
};

/// sum_{j=first}^{last} x_j y_{k-j}
[[nodiscard]] inline double convolve(Row x, Row y, std::int64_t k, std::int64_t first,
                                     std::int64_t last) {
  double sum = 0;
  for (std::int64_t j = first; j <= last; ++j) sum += x[j] * y[k - j];
  return sum;
}

/// sum_{j=first}^{last} j x_j y_{k-j}: coefficient k of t x' y
[[nodiscard]] inline double convolve_rate(Row x, Row y, std::int64_t k, std::int64_t first,
                                          std::int64_t last) {
  double sum = 0;
  for (std::int64_t j = first; j <= last; ++j) sum += static_cast<double>(j) * x[j] * y[k - j];
  return sum;
}

[[nodiscard]] inline double as_real(std::int64_t k) { return static_cast<double>(k); }

}  // namespace luztar::jets
