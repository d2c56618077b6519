// Roots by Newton's steps where the steps alone may lead away.
#pragma once

#include <cmath>

namespace luztar {

inline constexpr int kMostNewtonSteps = 100;  ///< a few are needed
/// After a step that is a smaller share of the way to what bends, nothing is left but rounding.
inline constexpr double kLastNewtonStep = 1e-9;

/// A value and its slope.
struct Line {
  double value, slope;
};

/// Root of what rises from low to high, by Newton's steps, parting what is left where these lead
/// out of it, a little beyond them at first; bends(x): how near to x what bends.
template <class Function, class Bends>
double rising_root(double low, double high, double x, Function at, Bends bends) {
  constexpr double kLeastPart = 1.0 / 8;
  double part = kLeastPart;
  for (int i = 0; i < kMostNewtonSteps; ++i) {
    const Line line = at(x);
    (line.value < 0 ? low : high) = x;
    double next = x - line.value / line.slope;
    if (next >= low && next <= high) {
      part = kLeastPart;
    } else {
      next = low + part * (high - low);
      part = std::fmin(2 * part, 0.5);
    }
    const double step = std::fabs(next - x);
    x = next;
    if (step <= kLastNewtonStep * bends(x)) break;
  }
  return x;
}

}  // namespace luztar
