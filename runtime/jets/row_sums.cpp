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
const auto kRange = kWide ? range_rows_avx2 : range_all;
#else
constexpr auto kEvaluate = evaluate_all;
constexpr auto kRange = range_all;
#endif

}  // namespace

void evaluate_rows(const double* J, std::size_t rows, std::int64_t order, std::size_t first,
                   double t, std::span<double> values) {
  if (values.empty()) return;
  kEvaluate(J + first, rows, order, t, values.data(), values.size());
}

bool range_rows(const double* J, std::size_t rows, std::int64_t order, std::size_t first, double h,
                std::span<double> least, std::span<double> greatest) {
  constexpr std::int64_t kLeastExponent = -930;
  if (least.empty()) return true;
  kRange(J + first, rows, order + 1, h, least.data(), greatest.data(), least.size());
  return order * std::ilogb(h) > kLeastExponent;
}

}  // namespace luztar
