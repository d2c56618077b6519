// The slip of a damped body without inertia under a friction that falls exponentially with speed.
#pragma once

#include <cmath>

namespace luztar {

/// How far y is beyond the least value of v + a exp(-v), 1 + log a, for a > 0. There v has no
/// series: what rounding does not tell from it is as far beyond as rounding goes.
[[nodiscard]] inline double beyond_least(double y, double a) {
  constexpr double kRounding = 1e-13;  // of the terms that y is the sum of
  const double least = 1 + std::log(a), ahead = y - least;
  const double rounding = kRounding * (1 + std::fabs(least));
  return std::fabs(ahead) <= rounding ? rounding : ahead;
}

/// There is a v with  v + a exp(-v) = y,  and the left side rises at the greatest.
[[nodiscard]] inline bool is_beyond_fall(double y, double a) {
  return !(a > 0) || beyond_least(y, a) > 0;
}

/// The greatest v with  v + a exp(-v) = y  (v = y + W_0(-a exp(-y)), Lambert's W); where there is
/// none, the v at which the left side is least, log a. Of what does not fall, a <= 0, none below 0,
/// where exp(-v) may be infinite.
///   cost: some Newton steps, each from the side on which they do not pass the root
[[nodiscard]] inline double beyond_fall(double y, double a) {
  if (!std::isfinite(y)) return y;
  if (a <= 0 && y <= a) return 0;
  if (!is_beyond_fall(y, a)) return std::log(a);
  constexpr int kMostSteps = 100;  // a few are needed
  const double ahead = a > 0 ? beyond_least(y, a) : 1;
  if (ahead < 1) {  // by p = v - log a:  p + exp(-p) = 1 + ahead
    double p = std::sqrt(2 * ahead);
    for (int i = 0; i < kMostSteps; ++i) {
      const double step = (p + std::expm1(-p) - ahead) / -std::expm1(-p);
      p -= step;
      if (std::fabs(step) <= 1e-16 * p) break;
    }
    return std::log(a) + p;
  }
  double v = y;
  for (int i = 0; i < kMostSteps; ++i) {
    const double fallen = a * std::exp(-v), step = (v + fallen - y) / (1 - fallen);
    v -= step;
    if (std::fabs(step) <= 1e-16 * std::fabs(v)) break;
  }
  return v;
}

}  // namespace luztar
