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

/// sums[i] = sum_{k=from}^{order} |J[k*rows + first + i]| h^k.
///   false  powers of h underflow: the sums may lack terms
[[nodiscard]] bool bound_rows(const double* J, std::size_t rows, std::int64_t from,
                              std::int64_t order, std::size_t first, double h,
                              std::span<double> sums);

}  // namespace luztar
