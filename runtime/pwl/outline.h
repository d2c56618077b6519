// What a polynomial does on a step, as far as a coarse look tells.
#pragma once

#include <cstdint>
#include <span>

namespace luztar {

enum class Course : std::uint8_t {
  kPositive,  // p > 0 on [0, h]
  kFalls,     // below zero in the end, with exactly one root in [begin, end] and none before
  kUndecided,
};

struct Outline {
  Course course = Course::kUndecided;
  double begin = 0, end = 0;  // around the first root, where p > 0 and p < 0
  double root = 0;            // near it
  double size = 0;            // sum of |c_k| h^k
};

/// Looks at the control polygon of p(t) = sum_k c[k] t^k on [0, h] in Bernstein form of degree 15
/// (Farouki 2012, sections 3 and 4), from left to right and in halves where need be. Terms of
/// higher order are bounded by their coefficients; they are small where a step is accurate. p lies
/// in the convex hull of the polygon, p' and p'' in those of its differences: p > 0 where the
/// polygon is, and a way from p > 0 to p < 0 with p' < 0, or with p'' of one sign, has one root.
///
/// Certified: rounding of coefficients and sums is allowed for. `h` > 0; kUndecided also for c with
/// a NaN or an infinity or more than 64 terms, and where powers of h underflow. Cost at degree 24:
/// about 60 ns, and 40 ns for each pair of halves.
[[nodiscard]] Outline outline(std::span<const double> c, double h);

}  // namespace luztar
