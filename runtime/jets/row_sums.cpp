#include "runtime/jets/row_sums.h"

#include <cmath>

#include "runtime/wide/wide.h"

namespace luztar {

void evaluate_rows(const double* J, std::size_t rows, std::int64_t order, std::size_t first,
                   double t, std::span<double> values) {
  if (values.empty()) return;
  kWide.evaluate_rows(J + first, rows, order, t, values.data(), values.size());
}

bool range_rows(const double* J, std::size_t rows, std::int64_t order, std::size_t first, double h,
                std::span<double> least, std::span<double> greatest) {
  constexpr std::int64_t kLeastExponent = -930;
  if (least.empty()) return true;
  const auto terms = static_cast<std::size_t>(order) + 1;
  if (terms > kMostTerms) return false;
  kWide.range_rows(J + first, rows, terms, h, least.data(), greatest.data(), least.size());
  return order * std::ilogb(h) > kLeastExponent;
}

}  // namespace luztar
