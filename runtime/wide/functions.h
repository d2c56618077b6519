// All loops for the processor that the including file is compiled for.
#pragma once

#include "runtime/wide/outline_kernels.h"
#include "runtime/wide/polynomial_kernels.h"
#include "runtime/wide/row_sums_kernels.h"

namespace luztar {
namespace {

constexpr WideFunctions kFunctionsHere = {evaluate_all, range_all, take_row,
                                          outline_of,   jet,       root_between};

}  // namespace
}  // namespace luztar
