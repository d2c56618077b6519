#include "runtime/pwl/first_crossing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "runtime/numbers.h"
#include "runtime/pwl/outline.h"
#include "runtime/wide/wide.h"

namespace luztar {
namespace {

constexpr double kMax = std::numeric_limits<double>::max();
constexpr std::size_t kFixedSize = 64;      // coefficients that fit the buffers on the stack
constexpr std::size_t kLargestSize = 1001;  // beyond, the binomials leave the range of double
constexpr int kMaxDepth = 50;               // narrowest interval: 2^-50 of the step
constexpr std::size_t kSlots = kMaxDepth + 1;

using Terms = std::span<const double>;

/// A Bernstein coefficient of p, and the same coefficient of sum |c_k| t^k. Both go through the
/// same convex combinations, so `size` carries the error scale of `value` along.
struct Bernstein {
  double value;
  double size;
};

/// An interval of [0, 1] waiting on the stack; its coefficients are in the slot of same index.
struct Interval {
  double begin;
  int depth;  // the width is 2^-depth
};

/// Relative error, in units of sum |c_k| t^k, below which a value counts as zero.
double relative_tolerance(std::size_t size) {
  return 2.0 * static_cast<double>(size + 1) * kEpsilon;
}

/// sum |c_k| t^k
double size_of_terms(Terms c, double t) {
  double sum = 0.0;
  for (std::size_t k = c.size(); k-- > 0;) sum = sum * t + std::fabs(c[k]);
  return sum;
}

/// p and p' at t.
Jet evaluate(Terms c, double t) { return kWide.evaluate(c.data(), c.size(), t); }

/// Root in [lo, hi] of which it is known that p(lo) is not significantly negative and that p(hi) is
/// negative. Where p(lo) < 0 by rounding, the root is searched for to the left of lo.
double root_in(Terms c, double lo, double hi) {
  double at_lo = evaluate(c, lo).value;
  if (at_lo == 0.0) return lo;
  if (at_lo < 0.0) {
    hi = lo;
    double back = kEpsilon * hi;
    do {
      lo = std::max(hi - back, 0.0);
      at_lo = evaluate(c, lo).value;
      back *= 4.0;
    } while (at_lo < 0.0 && lo > 0.0);
    if (lo <= 0.0 && at_lo < 0.0) return 0.0;
  }
  const double at_hi = evaluate(c, hi).value;
  if (at_hi >= 0.0) return hi;
  const double chord = lo + (hi - lo) * (at_lo / (at_lo - at_hi));
  return kWide.root(c.data(), c.size(), lo, hi, chord > lo && chord < hi ? chord : 0.5 * (lo + hi))
      .at;
}

/// Bernstein coefficients on [0, 1] of x -> sum_k c_k (h x)^k: b_i = sum_k C(i,k) / C(n,k) c_k h^k
/// (Farouki 2012, section 3), the sum over k as a triangle of additions.
void to_bernstein(Terms c, double h, std::span<Bernstein> b) {
  const std::size_t n = c.size() - 1;
  double power = 1.0;
  double binomial = 1.0;
  for (std::size_t k = 0; k <= n; ++k) {
    const double scaled = c[k] * power / binomial;
    b[k] = {scaled, std::fabs(scaled)};
    power *= h;
    binomial = binomial * static_cast<double>(n - k) / static_cast<double>(k + 1);
  }
  for (std::size_t r = 1; r <= n; ++r) {
    for (std::size_t j = n; j >= r; --j) {
      b[j].value += b[j - 1].value;
      b[j].size += b[j - 1].size;
    }
  }
}

/// De Casteljau's bisection: `b` becomes the coefficients of the right half, `left` those of the
/// left half. The halvings are gathered in one exact factor per coefficient.
void bisect(std::span<Bernstein> b, std::span<Bernstein> left) {
  const std::size_t n = b.size() - 1;
  double scale = 1.0;
  for (std::size_t r = 0; r <= n; ++r) {
    left[r] = {b[0].value * scale, b[0].size * scale};
    const std::size_t last = n - r;
    for (std::size_t j = 0; j < last; ++j) {
      b[j].value += b[j + 1].value;
      b[j].size += b[j + 1].size;
    }
    b[last].value *= scale;
    b[last].size *= scale;
    scale *= 0.5;
  }
}

enum class Verdict { kNone, kOne, kSeveral };

/// Descartes' rule of signs in Bernstein form (Mourrain, Rouillier, Roy 2005): p has at most as
/// many roots in the interval as its coefficients have sign variations, and exactly one for one.
///
/// Coefficients within the tolerance have either sign. kNone: none is surely negative, hence
/// p >= -tolerance sum |c_k| t^k, as p lies in the convex hull. kOne: sure signs +...+-...-, with
/// at most one unsure coefficient at the change: one variation whichever sign it has.
Verdict classify(std::span<const Bernstein> b, double tolerance) {
  const std::size_t size = b.size();
  std::size_t first = 0;
  while (first < size && b[first].value >= -tolerance * b[first].size) ++first;
  if (first == size) return Verdict::kNone;
  for (std::size_t i = first + 1; i < size; ++i) {
    if (b[i].value >= -tolerance * b[i].size) return Verdict::kSeveral;
  }
  for (std::size_t i = 0; i + 1 < first; ++i) {
    if (b[i].value <= tolerance * b[i].size) return Verdict::kSeveral;
  }
  return Verdict::kOne;
}

/// Room for the subdivision: the scaled polynomial, and one slot of coefficients per pending
/// interval. On the stack for the degrees in use, on the heap beyond.
class Workspace {
 public:
  explicit Workspace(std::size_t size) : size_(size) {
    if (size <= kFixedSize) return;
    large_.resize(kSlots * size);
    large_power_.resize(size);
  }

  std::span<Bernstein> slot(std::size_t index) {
    Bernstein* const base = large_.empty() ? fixed_.data() : large_.data();
    return {base + index * size_, size_};
  }

  std::span<double> power_form() {
    return {large_power_.empty() ? fixed_power_.data() : large_power_.data(), size_};
  }

 private:
  std::size_t size_;
  // Uninitialised on purpose: only the slots in use are ever touched.
  std::array<Bernstein, kSlots * kFixedSize> fixed_;
  std::array<double, kFixedSize> fixed_power_;
  std::vector<Bernstein> large_;
  std::vector<double> large_power_;
};

/// Left-to-right search of the first crossing on [0, h], the general case.
class Isolation {
 public:
  explicit Isolation(Terms c) : c_(c), tolerance_(relative_tolerance(c.size())), work_(c.size()) {}

  /// A pair of roots closer to 0 than the narrowest interval is wide leaves the first cell open. It
  /// is searched first at its own scale, where doubles are as dense, then skipped in the wide scan.
  double run(double h) {
    int zoom = 0;
    bool skip_origin = false;
    while (true) {
      bool origin_open = false;
      const double found = scan(std::ldexp(h, -kMaxDepth * zoom), skip_origin, origin_open);
      if (!origin_open && (found < kNoCrossing || zoom == 0)) return found;
      zoom += origin_open ? 1 : -1;
      skip_origin = !origin_open;
    }
  }

 private:
  /// Depth-first bisection, the left half on top of the stack. Returns the crossing or kNoCrossing;
  /// `origin_open` tells that the cell at the origin is undecided, with no answer.
  double scan(double h, bool skip_origin, bool& origin_open) {
    if (!load(h)) return 0.0;
    std::array<Interval, kSlots> stack;
    std::size_t top = 0;
    stack[0] = {0.0, 0};
    to_bernstein(power_, width_, work_.slot(0));
    // More nodes than the rule of signs can ask for; stops a polynomial that is noise throughout.
    std::size_t budget = 16 * kMaxDepth * c_.size();
    while (true) {
      const Interval at = stack[top];
      const double length = std::ldexp(1.0, -at.depth);
      const bool at_limit = at.depth == kMaxDepth;
      Verdict verdict = classify(work_.slot(top), tolerance_);
      if (at_limit && verdict == Verdict::kSeveral) {
        if (at.begin == 0.0) {
          if (!skip_origin && h > std::numeric_limits<double>::min()) {
            origin_open = true;
            return kNoCrossing;
          }
          verdict = Verdict::kNone;
        } else {
          verdict = surely_negative_in(at.begin, length) ? Verdict::kOne : Verdict::kNone;
        }
      }
      if (verdict == Verdict::kOne || --budget == 0) {
        return unscale(root_in(power_, at.begin * width_, (at.begin + length) * width_));
      }
      if (verdict == Verdict::kNone) {
        if (top == 0) break;
        --top;
        continue;
      }
      bisect(work_.slot(top), work_.slot(top + 1));
      stack[top] = {at.begin + 0.5 * length, at.depth + 1};
      stack[top + 1] = {at.begin, at.depth + 1};
      ++top;
    }
    return leaves_at_end() ? unscale(root_in(power_, width_, width_)) : kNoCrossing;
  }

  /// Substitutes t = 2^e s with h = 2^e width, 1/2 <= width < 1: exact, and keeps the powers of the
  /// step in range. False when a coefficient is not finite.
  bool load(double h) {
    width_ = std::frexp(h, &exponent_);
    const std::span<double> scaled = work_.power_form();
    bool finite = true;
    for (std::size_t k = 0; k < c_.size(); ++k) {
      scaled[k] = std::ldexp(c_[k], exponent_ * static_cast<int>(k));
      finite = finite && std::fabs(scaled[k]) <= kMax;
    }
    power_ = scaled;
    return finite;
  }

  double unscale(double s) const { return std::ldexp(s, exponent_); }

  bool surely_negative_in(double begin, double length) const {
    for (const double x : {begin, begin + 0.5 * length, begin + length}) {
      const double t = x * width_;
      if (evaluate(power_, t).value < -rounding_bound(power_, t)) return true;
    }
    return false;
  }

  /// p(h) < 0 by no more than the rounding bound, on a surely falling branch.
  bool leaves_at_end() const {
    const Jet end = evaluate(power_, width_);
    if (end.value >= 0.0) return false;
    double slope_size = 0.0;
    for (std::size_t k = power_.size(); k-- > 1;) {
      slope_size = slope_size * width_ + static_cast<double>(k) * std::fabs(power_[k]);
    }
    return end.slope < -tolerance_ * slope_size;
  }

  Terms c_;
  double tolerance_;
  Workspace work_;
  Terms power_;  // c in the variable s
  double width_ = 0.0;
  int exponent_ = 0;
};

// Newton's method for p' = 0 from `begin` on, where p falls: to 1e-6 of the way there. None where
// that is not in (begin, h], or p takes another course than that of a parabola.
std::optional<double> least_from(Terms c, double begin, double h) {
  constexpr int kMostSteps = 30;
  double t = begin;
  for (int i = 0; i < kMostSteps; ++i) {
    double value = 0, slope = 0, half_bend = 0;
    for (std::size_t k = c.size(); k-- > 0;) {
      half_bend = half_bend * t + slope;
      slope = slope * t + value;
      value = value * t + c[k];
    }
    const double step = -slope / (2 * half_bend);
    if (!(half_bend > 0)) return std::nullopt;
    t += step;
    if (!(t > begin && t <= h)) return std::nullopt;
    if (std::fabs(step) <= 1e-3 * (t - begin)) return t;
  }
  return std::nullopt;
}

}  // namespace

double rounding_bound(std::span<const double> c, double t) {
  return relative_tolerance(c.size()) * size_of_terms(c, t);
}

// The terms of d[m] (t - r)^m about a place `reach` from r, one after the other.
double reach_of_root(std::span<const double> d, std::size_t m, double noise) {
  const double top = std::fabs(d[m]);
  const double reach = 2 * std::pow(noise / top, 1 / static_cast<double>(m));
  double most = top;
  for (std::size_t k = m; k-- > 0;) {
    most *= reach * static_cast<double>(k + 1) / static_cast<double>(m - k);
    if (!(std::fabs(d[k]) <= most)) return kInfinity;
  }
  return reach;
}

std::size_t zeros_near_root(std::span<const double> d, std::size_t most, double noise) {
  constexpr double kZero = 1e-11;
  constexpr std::size_t kBehind = 4;
  for (std::size_t m = std::min(most, d.size() - 1); m > 1; --m) {
    double time = kInfinity;
    for (std::size_t k = m + 1; k < std::min(d.size(), m + 1 + kBehind); ++k) {
      const double ratio = std::fabs(d[m] / d[k]);
      time = std::min(time, std::pow(ratio, 1 / static_cast<double>(k - m)));
    }
    const double value = std::fabs(d[m]) * std::pow(time, static_cast<double>(m));
    const double least = std::isfinite(value) ? kZero * value : 0;
    if (std::isfinite(reach_of_root(d, m, std::max(noise, least)))) return m;
  }
  return 0;
}

double multiple_root(std::span<const double> c, double at, double h, double noise) {
  constexpr std::size_t kMost = 5;  // multiplicity
  constexpr int kSteps = 3;         // of Newton's method
  constexpr double kTerms = 32 * kEpsilon, kNearby = 5e-3;
  using Derivatives = std::array<double, kMost + 1>;  // by k!
  const auto derivatives = [&](double t) {
    Derivatives d{};
    for (std::size_t k = c.size(); k-- > 0;) {
      for (std::size_t j = kMost; j > 0; --j) d[j] = d[j] * t + d[j - 1];
      d[0] = d[0] * t + c[k];
    }
    return d;
  };
  noise = std::max(noise, kTerms * size_of_terms(c, at));
  Derivatives d = derivatives(at);
  // Farther away all that is left of p is noise.
  const auto is_root_of = [&](std::size_t m) { return reach_of_root(d, m, noise) <= kNearby * h; };
  std::size_t m = kMost;
  while (m > 1 && !is_root_of(m)) --m;
  if (m == 1) return at;
  double t = at;
  for (int i = 0; i < kSteps; ++i) {
    t = std::max(t - d[m - 1] / (static_cast<double>(m) * d[m]), 0.0);  // one just before the step
    if (!(t <= h)) return at;
    d = derivatives(t);
  }
  return is_root_of(m) ? t : at;
}

std::optional<Dip> dip_from(std::span<const double> c, double begin, double h) {
  constexpr double kFar = 3;  // in halves of the dip, from its begin: beyond its end
  const std::optional<double> least = least_from(c, begin, h);
  if (!least) return std::nullopt;
  const double end = begin + kFar * (*least - begin);
  if (!(end <= h)) return std::nullopt;
  const Jet back = evaluate(c, end);
  if (!(back.value > 0 && back.slope > 0)) return std::nullopt;
  return Dip{-evaluate(c, *least).value, end};
}

Touch touch_from(std::span<const double> c, double begin, double h) {
  constexpr double kAsFar = 0.25;
  const std::optional<double> least = least_from(c, begin, h);
  const double beyond = least ? 2 * *least - begin : kInfinity;
  if (!(beyond <= h)) return {TouchKind::kUnknown, 0};
  const double bottom = evaluate(c, *least).value;
  const double fall = evaluate(c, begin).value - bottom, rise = evaluate(c, beyond).value - bottom;
  return {rise > kAsFar * fall ? TouchKind::kTouch : TouchKind::kNone, *least};
}

Crossing first_crossing(std::span<const double> c, double h, std::size_t zeros) {
  std::size_t exact = 0;
  while (exact < c.size() && c[exact] == 0.0) ++exact;
  const Terms rest = c.subspan(exact);
  if (rest.empty()) return {};
  if (rest.front() < 0.0) return {0.0};
  const Outline seen = outline(rest, h);
  if (seen.course == Course::kPositive) return {};
  Crossing crossing;
  if (seen.course == Course::kFalls) {
    const Root root = kWide.root(rest.data(), rest.size(), seen.begin, seen.end, seen.root);
    crossing = {root.at, root.slope, seen.size};
  } else {
    if (rest.size() > kLargestSize) return {0.0};
    const double at = Isolation(rest).run(h);
    if (at == kNoCrossing) return {};
    crossing = {at, evaluate(rest, at).slope, size_of_terms(rest, h)};
  }
  for (std::size_t k = 0; k < exact + zeros; ++k) {
    crossing.slope *= crossing.at;
    crossing.size *= h;
  }
  return crossing;
}

}  // namespace luztar
