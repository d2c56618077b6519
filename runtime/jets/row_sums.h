// Sums over the orders of Taylor coefficients J[k*rows + r], for neighbouring rows at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace luztar {

/// values[i] = sum_{k=0}^{order} J[k*rows + first + i] t^k, with the same roundings on every
/// processor.
void evaluate_rows(const double* J, std::size_t rows, std::int64_t order, std::size_t first,
                   double t, std::span<double> values);

/// Bounds of sum_{k=0}^{order} J[k*rows + first + i] t^k on [0, h], from its control polygon:
/// rounding is within. Where a coefficient is not finite, they are not, or not a number.
///   false  powers of h underflow: terms may be missing
[[nodiscard]] bool range_rows(const double* J, std::size_t rows, std::int64_t order,
                              std::size_t first, double h, std::span<double> least,
                              std::span<double> greatest);

}  // namespace luztar
