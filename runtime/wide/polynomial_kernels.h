// Value and slope of one polynomial.
#pragma once

#include "runtime/wide/lanes.h"
#include "runtime/wide/wide.h"

namespace luztar {
namespace {  // each file that includes this has its own

/// Horner's rule in t^4 on four interleaved sub-polynomials: a quarter of the chain of the plain
/// rule, and an error bound that is no worse.
template <bool kSizes>
Jet jet(const double* c, std::size_t size, double t) {
  const double t2 = t * t, t4 = t2 * t2;
  std::size_t k = size & ~std::size_t{3};
  const auto at = [](const double* from) {
    const auto four = load<FourLanes>(from);
    return kSizes ? absolute(four) : four;
  };
  FourLanes a{}, d{};  // the sub-polynomials, and their derivatives by t^4
  if (k < size) {
    double rest[4]{};
    for (std::size_t i = 0; k + i < size; ++i) rest[i] = c[k + i];
    a = at(rest);
  }
  while (k > 0) {
    k -= 4;
    d = d * t4 + a;
    a = a * t4 + at(c + k);
  }
  const double value = (a[0] + t * a[1]) + t2 * (a[2] + t * a[3]);
  const double inner = (d[0] + t * d[1]) + t2 * (d[2] + t * d[3]);
  return {value, (a[1] + t * (2.0 * a[2] + 3.0 * t * a[3])) + 4.0 * t * t2 * inner};
}

}  // namespace
}  // namespace luztar
