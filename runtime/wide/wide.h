// The inner loops of the Taylor solver, compiled for processors with vectors of different widths.
// The results are the same to the last bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/pwl/outline.h"

namespace luztar {

/// Terms of a polynomial that the loops have room for.
inline constexpr std::size_t kMostTerms = 64;

/// Value and derivative of a polynomial at one point.
struct Jet {
  double value;
  double slope;
};

/// A root, and the derivative there or next to it.
struct Root {
  double at;
  double slope;
};

struct WideFunctions {
  /// See row_sums.h.
  void (*evaluate_rows)(const double* c, std::size_t rows, std::int64_t order, double t,
                        double* values, std::size_t count);
  void (*range_rows)(const double* c, std::size_t rows, std::size_t terms, double h, double* least,
                     double* greatest, std::size_t count);
  /// polynomial[k] = sign * c[k * rows] for k < terms, with room for a multiple of 4; `offset` is
  /// added to the first.
  void (*take_row)(const double* c, std::size_t rows, std::size_t terms, double sign, double offset,
                   double* polynomial);
  /// See outline.h; c[0] > 0 and 0 < size <= kMostTerms.
  Outline (*outline)(const double* c, std::size_t size, double h);
  /// Of p(t) = sum_k c[k] t^k.
  Jet (*evaluate)(const double* c, std::size_t size, double t);
  /// Root of p between lo and hi, where p(lo) >= 0 > p(hi) in computed values, searched from t on.
  Root (*root)(const double* c, std::size_t size, double lo, double hi, double t);
};

/// Those that this processor can run, the widest last.
[[nodiscard]] std::vector<const WideFunctions*> wide_functions();

/// The widest.
extern const WideFunctions kWide;

extern const WideFunctions kPlainFunctions, kAvx2Functions, kAvx512Functions;

}  // namespace luztar
