// What row_sums calls on processors with AVX2.
#pragma once

#include <cstddef>
#include <cstdint>

namespace luztar {

void evaluate_rows_avx2(const double* c, std::size_t rows, std::int64_t order, double t,
                        double* values, std::size_t count);
void range_rows_avx2(const double* c, std::size_t rows, std::int64_t orders, double h,
                     double* least, double* greatest, std::size_t count);

}  // namespace luztar
