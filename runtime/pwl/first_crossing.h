#ifndef LUZTAR_RUNTIME_PWL_FIRST_CROSSING_H_
#define LUZTAR_RUNTIME_PWL_FIRST_CROSSING_H_

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

namespace luztar {

/// Result of first_crossing() when the margin does not become negative on the step.
inline constexpr double kNoCrossing = std::numeric_limits<double>::infinity();

/// Rounding bound of a polynomial value: 2 (n + 2) eps sum_k |c_k| t^k, n = c.size() - 1, t >= 0.
///
/// Covers the Horner error (Higham 2002, section 5.1) and relative perturbations of this size in
/// the coefficients; an excursion of p that stays above minus this bound is indistinguishable from
/// touching zero. In the unit of p. Cost: one Horner pass.
[[nodiscard]] double rounding_bound(std::span<const double> c, double t);

/// Sufficient condition for p(s) = a[0] + a[1] s + a[2] s^2 + a[3] s^3 + r(s) > 0 on [0, 1], with
/// |r| <= rest: the control polygon of the terms up to s^3 (Farouki 2012, section 3) is above rest,
/// with the rounding accounted for of a polynomial of `size` terms.
///
/// False means "undecided", and is also the answer when there is a NaN or an infinity.
[[nodiscard]] inline bool stays_positive(const std::array<double, 4>& a, double rest,
                                         std::size_t size) {
  double least = std::min(a[0], (a[0] + a[3]) + (a[1] + a[2]));
  least = std::min({least, a[0] + a[1] / 3, a[0] + (2 * a[1] + a[2]) / 3});
  // Each term carries at most size + 4 roundings of eps / 2, of the power and of the sums.
  const double total = std::fabs(a[0]) + std::fabs(a[1]) + std::fabs(a[2]) + std::fabs(a[3]) + rest;
  const double slack =
      2.0 * static_cast<double>(size + 4) * std::numeric_limits<double>::epsilon() * total;
  // Below 1e-280 an underflow could hide a term of the sum.
  return least - rest > slack && a[0] > 1e-280 && total <= std::numeric_limits<double>::max();
}

/// The same for p(t) = sum_k c[k] t^k on [0, h], where rest is the sum of the |c_k| h^k beyond t^3.
///
/// `h` > 0 in the time unit of the coefficients. False also when c is empty. Cost: one pass, about
/// 10 ns at degree 20.
[[nodiscard]] inline bool stays_positive(std::span<const double> c, double h) {
  constexpr double kTinyPower = 1e-280;
  const std::size_t size = c.size();
  if (size == 0) return false;
  const double h2 = h * h;
  const std::array<double, 4> powers{1.0, h, h2, h * h2};
  std::array<double, 4> a{};
  for (std::size_t k = 0; k < std::min<std::size_t>(size, 4); ++k) a[k] = c[k] * powers[k];
  // Two partial sums: the chain of additions, not the arithmetic, is what takes the time.
  double p1 = h2 * h2;
  double p2 = p1 * h;
  double s1 = 0.0;
  double s2 = 0.0;
  std::size_t k = 4;
  for (; k + 2 <= size; k += 2) {
    s1 += std::fabs(c[k]) * p1;
    s2 += std::fabs(c[k + 1]) * p2;
    p1 *= h2;
    p2 *= h2;
  }
  if (k < size) s1 += std::fabs(c[k]) * p1;
  double rest = s1 + s2;
  if (!(p2 > kTinyPower)) {  // h^k underflows, |c_k| h^k perhaps not: plain Horner instead
    rest = 0.0;
    for (std::size_t i = size; i-- > 4;) rest = (rest + std::fabs(c[i])) * h;
    rest *= powers[3];
  }
  return stays_positive(a, rest, size);
}

/// Earliest t in [0, h] after which p(t) = sum_k c[k] t^k becomes negative on [0, h] (the first
/// downward sign change); kNoCrossing when p stays >= 0 on [0, h].
///
/// Leading zeros: exact zeros c[0..m-1] are a root of multiplicity m at the start, which is not a
/// crossing by itself; p / t^m decides. When the first nonzero coefficient is negative the result
/// is 0. When p is identically zero, or c is empty, the result is kNoCrossing. A root exactly at h
/// leaves p >= 0 on [0, h] and is no crossing of this step: the next one starts with c[0] = 0.
///
/// Certified: kNoCrossing, or a result t, implies p >= -(2 + depth / 4) rounding_bound(c, .) on
/// [0, h], or on [0, t] up to the accuracy of t itself, where depth <= 50 counts the bisections
/// spent around the point (25 or so at a double root). A double root to within rounding_bound() is
/// therefore no crossing, a deeper excursion below zero is one, however short it may be. The
/// accuracy of t is a few ulp times the condition of the root: |p(t)| is a few eps times
/// sum_k |c_k| t^k plus half an ulp of t times |p'(t)|.
///
/// `h` > 0, in the time unit of the coefficients, as is the result. A NaN or an infinity in c gives
/// 0, and so does a term c_k h^k beyond the range of double or a degree above 1000. No heap
/// allocation up to degree 63. Cost at degree 20: see stays_positive() for the usual case, about
/// 0.1 us for a root of a monotone p, about 0.5 us and more when roots have to be separated.
[[nodiscard]] double first_crossing(std::span<const double> c, double h);

}  // namespace luztar

#endif  // LUZTAR_RUNTIME_PWL_FIRST_CROSSING_H_
