#include "runtime/pwl/falling_balance.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "runtime/pwl/falling_arguments.h"
#include "runtime/pwl/rising_root.h"

namespace luztar {
namespace {

using Forces = std::span<const DecayingForce>;

bool falls(const DecayingForce& f) { return f.weight * f.rate > 0; }
bool rises(const DecayingForce& f) { return f.weight * f.rate < 0; }

double left_at(const DecayingForce& f, double x) { return std::exp(-(f.exponent + f.rate * x)); }

/// x of zero slip.
double zero_of(const DecayingForce& f) { return -f.exponent / f.rate; }

double left_side(Forces forces, double x) {
  double sum = x;
  for (const DecayingForce& f : forces) {
    if (f.weight != 0) sum += f.weight * left_at(f, x);
  }
  return sum;
}

double slope_at(Forces forces, double x) {
  double sum = 1;
  for (const DecayingForce& f : forces) {
    if (f.weight != 0) sum -= f.weight * f.rate * left_at(f, x);
  }
  return sum;
}

double greatest_rate(Forces forces) {
  double greatest = 0;
  for (const DecayingForce& f : forces) greatest = std::max(greatest, std::fabs(f.rate));
  return greatest;
}

/// Where this force that falls takes all of the slope alone.
double own_fold(const DecayingForce& f) {
  return (std::log(f.weight * f.rate) - f.exponent) / f.rate;
}

bool any_rises(Forces forces) { return std::any_of(forces.begin(), forces.end(), rises); }

/// The logarithm of what all take from the slope, and its slope: of exponentials it is convex.
struct LogFall {
  double value, slope;
};

LogFall log_fall(Forces forces, double x) {
  double sum = 0, rate = 0;
  for (const DecayingForce& f : forces) {
    if (!falls(f)) continue;
    const double fall = f.weight * f.rate * left_at(f, x);
    sum += fall;
    rate -= f.rate * fall;
  }
  return {std::log(sum), rate / sum};
}

/// Where the forces whose slip has this sign of x take all of the slope, if it is positive anywhere
/// beyond. Each takes no more than that there, so that Newton's steps come from its own fold, and
/// of what is convex do not pass.
std::optional<double> fold(Forces forces, double sign) {
  double x = -sign * kInfinity;
  for (const DecayingForce& f : forces) {
    if (!falls(f) || sign * f.rate < 0) continue;
    const double own = own_fold(f);
    x = sign > 0 ? std::max(x, own) : std::min(x, own);
  }
  if (!std::isfinite(x)) return x;
  const double last = kLastNewtonStep / greatest_rate(forces);
  for (int i = 0; i < kMostNewtonSteps; ++i) {
    const LogFall fall = log_fall(forces, x);
    if (!(sign * fall.slope < 0)) return std::nullopt;  // beyond the point where it takes least
    const double step = -fall.value / fall.slope;
    x += step;
    if (std::fabs(step) <= last) break;
  }
  return x;
}

/// exp(-q) - 1 + q
double beyond_line(double q) {
  if (std::fabs(q) > 0.02) return std::expm1(-q) + q;
  return q * q / 2 * (1 - q / 3 * (1 - q / 4 * (1 - q / 5 * (1 - q / 6 * (1 - q / 7)))));
}

/// At x = fold + sign * p, p <= most: where the left side is `ahead` of the fold, by
/// sum of weight (exp(-rate p) - 1 + rate p) = ahead, as the slope is zero there.
FallingBalance balance_near(Forces forces, double fold, double sign, double ahead, double most) {
  std::vector<DecayingForce> there;
  double curvature = 0;
  for (const DecayingForce& f : forces) {
    if (f.weight == 0) continue;
    const DecayingForce own{sign * f.weight * left_at(f, fold), 0, sign * f.rate};
    there.push_back(own);
    curvature += own.weight * own.rate * own.rate;
  }
  const auto left = [&](double p) {
    Line sum{-ahead, 0};
    for (const DecayingForce& f : there) {
      sum.value += f.weight * beyond_line(f.rate * p);
      sum.slope -= f.weight * f.rate * std::expm1(-f.rate * p);
    }
    return sum;
  };
  const double first = std::min(std::sqrt(2 * ahead / curvature), most);
  const double p = rising_root(0, most, first, left, [](double x) { return x; });
  return {fold + sign * p, left(p).slope};
}

FallingBalance balance_far(Forces forces, double y, double low, double high) {
  const auto left = [&](double x) { return Line{left_side(forces, x) - y, slope_at(forces, x)}; };
  const double bends = 1 / greatest_rate(forces);
  const double x = rising_root(low, high, high, left, [&](double) { return bends; });
  return {x, std::max(slope_at(forces, x), 0.0)};
}

/// How far y is beyond an end of the stable range; what rounding does not tell from it is as far
/// beyond as rounding goes.
double ahead_of(Forces forces, double y, double end, double sign) {
  constexpr double kRounding = 1e-13;  // of the terms that y is the sum of
  double size = std::fabs(end);
  for (const DecayingForce& f : forces) {
    if (f.weight != 0) size += std::fabs(f.weight) * left_at(f, end);
  }
  const double ahead = sign * (y - left_side(forces, end)), rounding = kRounding * size;
  return std::fabs(ahead) <= rounding ? rounding : ahead;
}

std::vector<DecayingForce> forces_of(const double* arguments, std::int64_t count) {
  std::vector<DecayingForce> forces;
  for (std::int64_t i = 0; i + 2 < count; i += 3) {
    forces.push_back({arguments[i], arguments[i + 1], arguments[i + 2]});
  }
  return forces;
}

}  // namespace

double least_fall(Forces forces) {
  double low = kInfinity, high = -kInfinity;
  for (const DecayingForce& f : forces) {
    if (!falls(f)) continue;
    const double own = own_fold(f);
    low = std::min(low, own);
    high = std::max(high, own);
  }
  const auto change = [&](double x) {
    Line sum{0, 0};
    for (const DecayingForce& f : forces) {
      if (!falls(f)) continue;
      const double own = f.rate * f.weight * f.rate * left_at(f, x);
      sum.value -= own;
      sum.slope += f.rate * own;
    }
    return sum;
  };
  const double bends = 1 / greatest_rate(forces);
  return rising_root(low, high, low + (high - low) / 2, change, [&](double) { return bends; });
}

StableRange stable_range(Forces forces) {
  const auto begin = fold(forces, 1), end = fold(forces, -1);
  if (!begin || !end) return {kInfinity, -kInfinity};  // nowhere
  StableRange range{*begin, *end};
  for (const DecayingForce& f : forces) {
    if (!rises(f)) continue;
    const double zero = zero_of(f);
    f.rate > 0 ? range.begin = std::max(range.begin, zero) : range.end = std::min(range.end, zero);
  }
  return range;
}

FallingBalance falling_balance(double y, Forces forces) {
  const auto [begin, end] = stable_range(forces);
  const bool one_rises = any_rises(forces);
  if (!std::isfinite(y)) return {y, 0};
  if (begin > end) return {one_rises ? y : least_fall(forces), 0};
  double most = 0;  // of what rises or does not vary, within its end
  for (const DecayingForce& f : forces) {
    if (f.rate == 0) most += std::fabs(f.weight) * left_at(f, 0);
    if (rises(f)) most += std::fabs(f.weight);
  }
  // Without a fold at one side the forces draw x to the other.
  const double low = std::isfinite(begin) ? begin : y - most;
  const double high = std::isfinite(end) ? end : y + most;
  const double near = 1 / greatest_rate(forces);
  const auto ahead = [&](double at, double sign) {
    return std::isfinite(at) ? ahead_of(forces, y, at, sign) : kInfinity;
  };
  const double after = ahead(begin, 1), before = ahead(end, -1);
  if (!(after > 0 && before > 0)) {
    const double at = after > 0 ? end : begin;
    return {at, one_rises ? std::max(slope_at(forces, at), 0.0) : 0};
  }
  if (std::min(after, before) < near && !one_rises) {
    return after < before ? balance_near(forces, begin, 1, after, high - low)
                          : balance_near(forces, end, -1, before, high - low);
  }
  return balance_far(forces, y, low, high);
}

FallingEnd falling_end(const DecayingForce& own, Forces forces) {
  if (own.rate == 0) return {};
  const double zero = zero_of(own);
  if (slope_at(forces, zero) >= 0) return {zero, false};
  const auto [begin, end] = stable_range(forces);
  const double at = own.rate > 0 ? begin : end;
  if (begin > end && !any_rises(forces)) return {least_fall(forces), true};
  if (begin > end || !std::isfinite(at)) return {zero, false};
  return {at, true};
}

double falling_balance_of(const double* arguments, std::int64_t count) {
  return falling_balance(arguments[0], forces_of(arguments + 1, count - 1)).x;
}

double falling_end_of(const double* arguments, std::int64_t count) {
  const std::vector<DecayingForce> forces = forces_of(arguments, count);
  return falling_end(forces.front(), forces).x;
}

}  // namespace luztar
