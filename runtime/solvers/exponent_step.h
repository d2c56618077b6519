// Steps in which exponentials do not rise beyond what their Taylor coefficients tell of.
#pragma once

#include <cstdint>

#include "runtime/jets/coefficients.h"
#include "runtime/system.h"

namespace luztar {

/// The step h, halved until for the exponent z, by its coefficients to `order`,
///   sum of k |z_k| h^k <= most,
/// unless its exponential stays what it is in floating point.
[[nodiscard]] double step_of_exponent(const Exponent& exponent, const Coefficients& J,
                                      std::int64_t order, double most, double h);

}  // namespace luztar
