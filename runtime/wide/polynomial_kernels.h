// Value, slope and roots of one polynomial.
#pragma once

#include "runtime/wide/lanes.h"
#include "runtime/wide/wide.h"

namespace luztar {
namespace {  // each file that includes this has its own

/// Horner's rule in t^8 on eight interleaved sub-polynomials: an eighth of the chain of the plain
/// rule, and an error bound that is no worse.
Jet jet(const double* c, std::size_t size, double t) {
  constexpr std::size_t kWidth = 8;
  const double t2 = t * t, t4 = t2 * t2, t8 = t4 * t4;
  std::size_t k = size / kWidth * kWidth;
  // The sub-polynomials, and their derivatives by t^8: the first four, and the others.
  FourLanes low{}, high{}, low_slope{}, high_slope{};
  if (const std::size_t left = size - k; left >= 4) {
    low = load<FourLanes>(c + k);
    high = load_first(c + k + 4, left - 4, high);
  } else if (left > 0) {
    low = load_first(c + k, left, low);
  }
  const FourLanes p4 = in_lanes<FourLanes>(t4), p8 = in_lanes<FourLanes>(t8);
  while (k > 0) {
    k -= kWidth;
    low_slope = fused(low_slope, p8, low);
    high_slope = fused(high_slope, p8, high);
    low = fused(low, p8, load<FourLanes>(c + k));
    high = fused(high, p8, load<FourLanes>(c + k + 4));
  }
  const auto sum = [](auto a, auto b) { return a + b; };
  const FourLanes powers = {1, t, t2, t2 * t};
  const FourLanes value = fused(p4, high, low);
  const FourLanes inner = 8 * fused(p4, high_slope, low_slope);
  const FourLanes above = fused(p4, inner, FourLanes{4, 5, 6, 7} * high);
  const double first = fused(3 * t2, low[3], fused(2 * t, low[2], low[1]));
  return {fold(value * powers, sum), fused(t2 * t, fold(above * powers, sum), first)};
}

/// Newton's method from t, replaced by a bisection whenever it leaves the bracket or does not halve
/// its step.
Root root_between(const double* c, std::size_t size, double lo, double hi, double t) {
  constexpr double kEpsilon = 0x1p-52;
  constexpr double kSmallStep = 1e-6;  // relative; larger ones say too little about the curvature
  constexpr int kMaxSteps = 4096;  // never reached: every step halves the bracket or the next step
  double previous = hi - lo;
  double previous_slope = 0;
  bool after_newton = false;
  for (int i = 0; i < kMaxSteps; ++i) {
    const Jet p = jet(c, size, t);
    if (p.value == 0) return {t, p.slope};
    (p.value > 0 ? lo : hi) = t;
    const double newton = -p.value / p.slope;
    const double step = absolute(newton);
    const double next = t + newton;
    if (step <= kEpsilon * t) return {lesser(greater(next, lo), hi), p.slope};
    if (next > lo && next < hi && step <= 0.5 * previous) {
      // The error of `next` is |p''| step^2 / |2 p'|, with p'' from the last two slopes.
      const double bend = absolute(p.slope - previous_slope) * step * step;
      const bool settled = bend <= 0.25 * kEpsilon * next * absolute(p.slope) * previous;
      if (after_newton && settled && step <= kSmallStep * next) return {next, p.slope};
      after_newton = true;
      previous = step;
      previous_slope = p.slope;
      t = next;
      continue;
    }
    after_newton = false;
    previous = 0.5 * (hi - lo);
    t = lo + previous;
    if (t <= lo || t >= hi) return {lo, p.slope};
  }
  return {t, previous_slope};
}

}  // namespace
}  // namespace luztar
