// Compiled for processors with AVX2. Without fused operations, so that results are the same.
#include "runtime/jets/row_sums_kernels.h"
#include "runtime/jets/row_sums_wide.h"

namespace luztar {

void evaluate_rows_avx2(const double* c, std::size_t rows, std::int64_t order, double t,
                        double* values, std::size_t count) {
  evaluate_all(c, rows, order, t, values, count);
}

void bound_rows_avx2(const double* c, std::size_t rows, std::int64_t orders, double power, double h,
                     double* sums, std::size_t count) {
  bound_all(c, rows, orders, power, h, sums, count);
}

}  // namespace luztar
