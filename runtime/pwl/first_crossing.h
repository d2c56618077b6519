#ifndef LUZTAR_RUNTIME_PWL_FIRST_CROSSING_H_
#define LUZTAR_RUNTIME_PWL_FIRST_CROSSING_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "runtime/numbers.h"

namespace luztar {

/// Where first_crossing() finds that the margin does not become negative on the step.
inline constexpr double kNoCrossing = kInfinity;

struct Crossing {
  double at = kNoCrossing;
  double slope = 0;  // p' there, or within a millionth of `at`
  double size = 0;   // sum_k |c_k| h^k; of a crossing at 0 these two are left out
};

/// Rounding bound of a polynomial value: 2 (n + 2) eps sum_k |c_k| t^k, n = c.size() - 1, t >= 0.
///
/// Covers the Horner error (Higham 2002, section 5.1) and relative perturbations of this size in
/// the coefficients; an excursion of p that stays above minus this bound is indistinguishable from
/// touching zero. In the unit of p. Cost: one Horner pass.
[[nodiscard]] double rounding_bound(std::span<const double> c, double t);

/// Earliest t in [0, h] after which p(t) = t^zeros sum_k c[k] t^k becomes negative on [0, h] (the
/// first downward sign change), `at`; kNoCrossing when p stays >= 0 on [0, h].
///
/// Leading zeros: `zeros` and exact zeros c[0..m-1] are a root of that multiplicity at the start,
/// which is not a crossing by itself; p divided by that power of t decides. When the first nonzero
/// coefficient is negative the result is 0. When p is identically zero, or c is empty, the result
/// is kNoCrossing. A root exactly at h leaves p >= 0 on [0, h] and is no crossing of this step: the
/// next one starts with c[0] = 0.
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
/// allocation up to degree 63. Cost at degree 20: about 0.1 us for a root of a monotone p, about
/// 0.5 us and more when roots have to be separated.
[[nodiscard]] Crossing first_crossing(std::span<const double> c, double h, std::size_t zeros = 0);

/// Where d[0], .., d[m - 1] are what a root of order m leaves of them that is displaced by no more
/// than twice the way on which |d[m]| t^m is lost in the noise: twice that way. Twice, so that none
/// passes for a root of a lower order. Otherwise, and for d[m] = 0, infinity.
///   d   Taylor coefficients about a place near the root, m + 1 of them at least
[[nodiscard]] double reach_of_root(std::span<const double> d, std::size_t m, double noise);

/// How many of the leading d are what a multiple root near by leaves, the greatest multiplicity up
/// to `most` that they fit; 0: none, or a simple root.
///   d       Taylor coefficients of what has a root here
///   noise   of its values; at the least 1e-11 of what it comes to in the time in which the terms
///           behind make as much of a change: errors of steps and of sums that cancel in it
[[nodiscard]] std::size_t zeros_near_root(std::span<const double> d, std::size_t most,
                                          double noise);

/// The root of p(t) = sum_k c[k] t^k at `at`, where that is a multiple one but for rounding, which
/// leaves its place open by a root of that: where the last derivative that vanishes with it does.
/// `at` itself for a simple root, and where the other is not in [0, h].
///   noise   of values of p, beside that of its terms
[[nodiscard]] double multiple_root(std::span<const double> c, double at, double h, double noise);

/// p below zero, and back above.
struct Dip {
  double depth;  // -p at the least
  double end;    // p > 0 there, and rises
};

/// The dip of p(t) = sum_k c[k] t^k that begins with the crossing at `begin`. None when it is not
/// over before h, or takes another course than that of a parabola.
[[nodiscard]] std::optional<Dip> dip_from(std::span<const double> c, double begin, double h);

enum class TouchKind : std::uint8_t {
  kNone,
  kTouch,
  kUnknown,  // it is not over before h, or no parabola from `begin` on
};

struct Touch {
  TouchKind kind;
  double at;  // p' = 0 there, to 1e-6 of the way from `begin`; of kTouch
};

/// Whether p(t) = sum_k c[k] t^k, which falls at `begin`, comes to a least value there and rises
/// again as it has fallen, unlike what tends to a value, or passes one of an odd multiplicity.
[[nodiscard]] Touch touch_from(std::span<const double> c, double begin, double h);

}  // namespace luztar

#endif  // LUZTAR_RUNTIME_PWL_FIRST_CROSSING_H_
