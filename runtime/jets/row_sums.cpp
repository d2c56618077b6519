#include "runtime/jets/row_sums.h"

#include <cmath>

#include "runtime/jets/row_sums_kernels.h"
#ifdef LUZTAR_AVX2
#include "runtime/jets/row_sums_wide.h"
#endif

namespace luztar {
namespace {

#ifdef LUZTAR_AVX2
const bool kWide = __builtin_cpu_supports("avx2");
const auto kEvaluate = kWide ? evaluate_rows_avx2 : evaluate_all;
const auto kBound = kWide ? bound_rows_avx2 : bound_all;
#else
constexpr auto kEvaluate = evaluate_all;
constexpr auto kBound = bound_all;
#endif

}  // namespace

void evaluate_rows(const double* J, std::size_t rows, std::int64_t order, std::size_t first,
                   double t, std::span<double> values) {
  if (values.empty()) return;
  kEvaluate(J + first, rows, order, t, values.data(), values.size());
}

bool bound_rows(const double* J, std::size_t rows, std::int64_t from, std::int64_t order,
                std::size_t first, double h, std::span<double> sums) {
  constexpr std::int64_t kLeastExponent = -930;
  if (sums.empty()) return true;
  double power = 1;
  for (std::int64_t k = 0; k < from; ++k) power *= h;
  kBound(J + static_cast<std::size_t>(from) * rows + first, rows, order + 1 - from, power, h,
         sums.data(), sums.size());
  return order * std::ilogb(h) > kLeastExponent;
}

}  // namespace luztar
