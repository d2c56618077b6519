// The piecewise-linear projections of the luz/tar calculus (P1 sec. 2; P3 sec. 2).
#pragma once

#include <algorithm>

namespace luztar {

/// Saturation: x clamped to [-a, a], a >= 0 (P3: nas(x, a) = x - luz(x, a)).
[[nodiscard]] inline double nas(double x, double a) { return std::min(std::max(x, -a), a); }

/// Dead zone of half width a >= 0. Not the |x-a|, |x+a| form of the papers, which leaves rounding
/// dust where the value has to be exactly 0.
[[nodiscard]] inline double luz(double x, double a) { return x - nas(x, a); }

/// Sign with sign(0) = 0.
[[nodiscard]] inline double sign(double x) { return static_cast<double>((x > 0) - (x < 0)); }

/// tar(x, a) = x + a*sgh(x), the inverse of luz, with the value s in [-1, 1] for sgh(0).
[[nodiscard]] inline double tar(double x, double a, double s) {
  return x + a * (x == 0 ? s : sign(x));
}

}  // namespace luztar
