// Compiled for processors with AVX2. Without fused operations, so that results are the same.
#include "runtime/jets/row_sums_kernels.h"
#include "runtime/jets/row_sums_wide.h"

namespace luztar {

void evaluate_rows_avx2(const double* c, std::size_t rows, std::int64_t order, double t,
                        double* values, std::size_t count) {
  evaluate_all(c, rows, order, t, values, count);
}

void range_rows_avx2(const double* c, std::size_t rows, std::int64_t orders, double h,
                     double* least, double* greatest, std::size_t count) {
  range_all(c, rows, orders, h, least, greatest, count);
}

}  // namespace luztar
