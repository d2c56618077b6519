#include "runtime/pwl/first_crossing.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <random>
#include <span>
#include <vector>

#include "runtime/jets/row_sums.h"

namespace luztar {
namespace {

double crossing_at(std::span<const double> c, double h) { return first_crossing(c, h).at; }

__extension__ typedef __float128 Quad;

constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Quad exact_value(std::span<const double> c, Quad t) {
  Quad sum = 0;
  for (std::size_t k = c.size(); k-- > 0;) sum = sum * t + Quad(c[k]);
  return sum;
}

double value(std::span<const double> c, double t) { return static_cast<double>(exact_value(c, t)); }

double slope(std::span<const double> c, double t) {
  Quad sum = 0;
  for (std::size_t k = c.size(); k-- > 1;)
    sum = sum * Quad(t) + Quad(static_cast<double>(k) * c[k]);
  return static_cast<double>(sum);
}

/// Coefficients of sign * prod (t - roots[i]), expanded in quadruple precision, rounded once.
std::vector<double> from_roots(const std::vector<double>& roots, double sign) {
  std::vector<Quad> product{Quad(sign)};
  for (const double root : roots) {
    product.push_back(0);
    for (std::size_t k = product.size(); k-- > 0;) {
      product[k] = (k > 0 ? product[k - 1] : Quad(0)) - Quad(root) * product[k];
    }
  }
  std::vector<double> c;
  for (const Quad& coefficient : product) c.push_back(static_cast<double>(coefficient));
  return c;
}

/// The same with the sign that makes the polynomial positive at 0.
std::vector<double> positive_from_roots(const std::vector<double>& roots) {
  std::vector<double> c = from_roots(roots, 1.0);
  if (c[0] < 0.0) {
    for (double& coefficient : c) coefficient = -coefficient;
  }
  return c;
}

/// Sample points of [0, h]: a uniform grid, a geometric one towards 0, one towards each of `focus`.
std::vector<double> sample_points(double h, const std::vector<double>& focus) {
  std::vector<double> points{0.0, h};
  for (int i = 1; i < 400; ++i) points.push_back(h * i / 400.0);
  for (double t = h; t > h * 1e-18; t *= 0.7) {
    points.push_back(t);
    for (const double f : focus) {
      if (f - t > 0.0 && f - t < h) points.push_back(f - t);
      if (f + t > 0.0 && f + t < h) points.push_back(f + t);
    }
  }
  std::sort(points.begin(), points.end());
  return points;
}

/// What any answer has to satisfy, by sampling in quadruple precision: p not below the noise before
/// the crossing, a residual of a few ulp at it, and p negative behind it before it is positive.
/// Returns false on a violation.
bool is_consistent(std::span<const double> c, double h, double crossing,
                   const std::vector<double>& focus) {
  constexpr double kNoise = 3.0;  // a dip below this many rounding bounds may not be missed,
  constexpr double kDip = 0.25;   // and one above this many may not be reported
  std::vector<double> all = focus;
  if (crossing < kNoCrossing) {
    if (!(crossing >= 0.0 && crossing <= h)) return false;
    all.push_back(crossing);
    const double magnitude = rounding_bound(c, crossing);
    const double ulp = kEps * crossing * std::fabs(slope(c, crossing));
    if (std::fabs(value(c, crossing)) > 0.25 * magnitude + 2.0 * ulp) return false;
  }
  for (const double t : sample_points(h, all)) {
    const double p = value(c, t);
    const double bound = rounding_bound(c, t);
    if (t <= crossing * (1.0 - 4.0 * kEps)) {
      if (p < -kNoise * bound) return false;
    } else if (t > crossing * (1.0 + 4.0 * kEps)) {
      if (p < -kDip * bound) return true;
      if (p > kNoise * bound) return false;
    }
  }
  return true;
}

struct Random {
  std::mt19937_64 engine{20240611};
  double uniform(double lo, double hi) {
    return std::uniform_real_distribution<double>(lo, hi)(engine);
  }
  int integer(int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(engine); }
};

TEST_CASE("first_crossing: degenerate input") {
  CHECK(crossing_at({}, 1.0) == kNoCrossing);
  const std::vector<std::vector<double>> zero_answer = {{-1.0, 5.0},
                                                        {0.0, -1.0, 9.0},
                                                        {0.0, 0.0, -1e-300},
                                                        {kNan, 1.0},
                                                        {1.0, kNan},
                                                        {1.0, 1.0, kInf},
                                                        {kInf, 1.0},
                                                        {kInf},
                                                        {1.0, -kInf},
                                                        {kNan},
                                                        {1.0, 1.0, 1.0, -kInf},
                                                        {0.0, kInf},
                                                        {1e300, 0.0, -1e308, kNan}};
  for (const auto& c : zero_answer) CHECK(crossing_at(c, 1.0) == 0.0);
  const std::vector<std::vector<double>> no_crossing = {
      {0.0}, {0.0, 0.0, 0.0}, {1.0}, {1e-310}, {0.0, 1.0}, {0.0, 0.0, 1.0, 3.0}, {1.0, 0.0, 0.0}};
  for (const auto& c : no_crossing) CHECK(crossing_at(c, 1.0) == kNoCrossing);
  CHECK(crossing_at(std::vector<double>{0.0, -1.0}, 1.0) == 0.0);
}

TEST_CASE("first_crossing: leading zeros do not cross, the rest decides") {
  CHECK(crossing_at(std::vector<double>{0.0, 1.0, -2.0}, 1.0) == 0.5);
  CHECK(crossing_at(std::vector<double>{0.0, 0.0, 0.0, 3.0, 0.0, -12.0}, 1.0) == 0.5);
  CHECK(crossing_at(std::vector<double>{0.0, 0.0, 1.0, -2.0}, 0.4) == kNoCrossing);
}

TEST_CASE("first_crossing: leading zeros may be left out") {
  const std::vector<double> several = {0.3, -1.0, 0.2, 0.4}, grazing = {0.25, -1.0, 1.0, -0.001};
  for (const std::vector<double>& c : {several, grazing}) {
    for (const std::size_t zeros : {1, 2, 5}) {
      std::vector<double> whole(zeros, 0.0);
      whole.insert(whole.end(), c.begin(), c.end());
      const Crossing expected = first_crossing(whole, 3), found = first_crossing(c, 3, zeros);
      REQUIRE(found.at < 3);
      CHECK(found.at == expected.at);
      CHECK(found.slope == expected.slope);
      CHECK(found.slope == doctest::Approx(slope(whole, found.at)).epsilon(1e-6));
      CHECK(found.size == expected.size);
    }
  }
}

TEST_CASE("first_crossing: root at and beyond the end of the step") {
  CHECK(crossing_at(std::vector<double>{1.0, -1.0}, 1.0) == kNoCrossing);
  CHECK(crossing_at(std::vector<double>{1.0, -1.0}, 1.0 + kEps) == 1.0);
  CHECK(crossing_at(std::vector<double>{1.0, -1.0}, 1.0 - kEps) == kNoCrossing);
  CHECK(crossing_at(std::vector<double>{1.0, 0.0, -1.0}, 1.0) == kNoCrossing);
  CHECK(crossing_at(std::vector<double>{1.0, 0.0, -1.0}, 1.0 + kEps) == doctest::Approx(1.0));
  CHECK(crossing_at(std::vector<double>{1.0, 0.0, -1.0}, 1.0 - kEps) == kNoCrossing);
  CHECK(crossing_at(std::vector<double>{1.0, 0.0, 0.0, 0.0, -1.0}, 1.0) == kNoCrossing);
  Random random;
  for (int i = 0; i < 300; ++i) {
    std::vector<double> roots{random.uniform(0.1, 1.0)};
    for (int k = random.integer(0, 10); k > 0; --k) roots.push_back(random.uniform(-3.0, -0.1));
    const std::vector<double> c = positive_from_roots(roots);
    CHECK(crossing_at(c, roots[0] * (1.0 - 1e-11)) == kNoCrossing);
    const double found = crossing_at(c, roots[0] * (1.0 + 1e-11));
    CHECK(std::fabs(found - roots[0]) < 1e-12);
  }
}

TEST_CASE("first_crossing: known simple roots") {
  Random random;
  for (int i = 0; i < 1000; ++i) {
    const int degree = random.integer(1, 25);
    const double h = std::exp(random.uniform(-12.0, 3.0));
    std::vector<double> roots;
    for (int k = 0; k < degree; ++k) roots.push_back(h * random.uniform(-2.0, 2.0));
    const std::vector<double> c = positive_from_roots(roots);
    const double found = crossing_at(c, h);
    CAPTURE(i);
    CHECK(is_consistent(c, h, found, roots));
    // Exact expectation where the first root stands clear of the noise of the rounded coefficients.
    double first = kNoCrossing;
    for (const double root : roots) {
      if (root > 0.0 && root <= h) first = std::min(first, root);
    }
    const double limit = std::min(first, h);
    const double spread = 4.0 * rounding_bound(c, limit) / std::fabs(slope(c, limit));
    const bool isolated = std::all_of(roots.begin(), roots.end(), [&](double root) {
      return root == first || std::fabs(root - limit) > 1e3 * spread;
    });
    if (isolated && first < kNoCrossing && h - first > spread) {
      CHECK(std::fabs(found - first) <= spread + 4.0 * kEps * first);
    }
  }
}

TEST_CASE("first_crossing: multiple roots") {
  Random random;
  for (int i = 0; i < 700; ++i) {
    std::vector<double> roots;
    for (int k = random.integer(1, 5); k > 0; --k) {
      const double root = random.integer(1, 32) / (random.integer(0, 1) != 0 ? 16.0 : -16.0);
      roots.insert(roots.end(), static_cast<std::size_t>(random.integer(1, 4)), root);
    }
    const std::vector<double> c = positive_from_roots(roots);
    CAPTURE(i);
    CHECK(is_consistent(c, 1.0, crossing_at(c, 1.0), roots));
  }
  // Odd multiplicity crosses, even multiplicity does not.
  const double third = crossing_at(positive_from_roots({0.5, 0.5, 0.5}), 1.0);
  CHECK(std::fabs(third - 0.5) < 1e-4);
  CHECK(crossing_at(positive_from_roots({0.5, 0.5, 0.5, 0.5}), 1.0) == kNoCrossing);
}

TEST_CASE("first_crossing: exact grazing is no crossing") {
  Random random;
  for (int i = 0; i < 700; ++i) {
    const double graze = i % 2 == 0 ? random.integer(1, 63) / 64.0 : random.uniform(0.01, 0.99);
    std::vector<double> roots{graze, graze};
    for (int k = random.integer(0, 12); k > 0; --k) roots.push_back(random.uniform(-2.0, -0.2));
    CAPTURE(i);
    CHECK(crossing_at(positive_from_roots(roots), 1.0) == kNoCrossing);
    roots.push_back(1.0 + graze);  // a crossing behind the grazing point is found
    const double found = crossing_at(positive_from_roots(roots), 2.0);
    CHECK(std::fabs(found - (1.0 + graze)) < 1e-9);
  }
  CHECK(crossing_at(std::vector<double>{1.0, -2.0, 1.0}, 1.0) == kNoCrossing);
  CHECK(crossing_at(std::vector<double>{1.0, -2.0, 1.0}, 2.0) == kNoCrossing);
}

// A shift by d leaves the place of an m-fold root open by the m-th root of d.
TEST_CASE("multiple_root: where the last derivative that vanishes does") {
  constexpr double kNoise = 1e-14;
  for (const double root : {0.3, 0.7, 1 / 3.0}) {
    for (const double shift : {0.0, 2e-16, -2e-16, 8e-15, -8e-15}) {
      CAPTURE(root);
      CAPTURE(shift);
      std::vector<double> c = positive_from_roots({root, root, root});
      c[0] += shift;
      const double at = crossing_at(c, 1.0);
      CHECK(std::fabs(multiple_root(c, at, 1.0, kNoise) - root) < 1e-14);
    }
  }
  const std::vector<double> begins{1e-16, -1e-11, 3e-6, -1};  // near (1e-6 - t)^3
  CHECK(multiple_root(begins, 2e-6, 1.0, kNoise) == doctest::Approx(1e-6).epsilon(1e-9));
  const std::vector<double> before{-1e-18, -3e-12, -3e-6, -1};  // -(t + 1e-6)^3
  CHECK(multiple_root(before, 0, 1.0, kNoise) == 0);
}

TEST_CASE("zeros_near_root: coefficients that the displacement of a root leaves") {
  // 1 - cos(t - r), and its square: about r + late.
  for (const double late : {0.0, 1e-7, -1e-7}) {
    const std::vector<double> touch{1 - std::cos(late), std::sin(late), std::cos(late) / 2,
                                    -std::sin(late) / 6, -std::cos(late) / 24};
    CHECK(zeros_near_root(touch, 5, 0) == 2);
  }
  for (const double late : {0.0, 1e-4, -1e-4}) {  // late^4/4, as (t^4 - t^6/6)/4
    std::vector<double> flat;
    for (int k = 0; k <= 6; ++k) {
      const double fourth = k > 4 ? 0 : std::tgamma(5) / std::tgamma(5 - k) * std::pow(late, 4 - k);
      const double sixth = std::tgamma(7) / std::tgamma(7 - k) * std::pow(late, 6 - k);
      flat.push_back((fourth - sixth / 6) / 4 / std::tgamma(k + 1));
    }
    CHECK(zeros_near_root(flat, 5, 0) == 4);
  }
  const std::vector<double> simple{0, 1e-3, 1, 0, -0.1}, apart{0, 1, 0, -1.0 / 6};
  CHECK(zeros_near_root(simple, 3, 0) == 0);
  CHECK(zeros_near_root(apart, 3, 0) == 0);
  CHECK(zeros_near_root(simple, 3, 1e-5) == 2);  // in that noise it may be one
}

TEST_CASE("multiple_root: simple roots, and what is noise throughout, stay") {
  const std::vector<double> simple = positive_from_roots({0.25, 1.5, 2.0});
  CHECK(multiple_root(simple, 0.25, 1.0, 1e-14) == 0.25);
  const std::vector<double> apart = positive_from_roots({0.5, 0.5 + 1e-3, 0.5 + 2e-3});
  const double first = crossing_at(apart, 1.0);
  CHECK(multiple_root(apart, first, 1.0, 1e-14) == first);
  const std::vector<double> dust{1e-16, -3e-16, 2e-16, -1e-16};
  CHECK(multiple_root(dust, 0.4, 1.0, 1e-14) == 0.4);
}

TEST_CASE("dip_from: depth and end of what is below zero for a while") {
  // (t - 0.5)^2 - w^2, over at 0.5 + w.
  for (const double w : {0.2, 1e-2, 1e-5}) {
    const std::vector<double> c{0.25 - w * w, -1, 1};
    const std::optional<Dip> dip = dip_from(c, 0.5 - w, 1.5);
    REQUIRE(dip);
    CHECK(dip->depth == doctest::Approx(w * w).epsilon(1e-6));
    CHECK(dip->end > 0.5 + w);
    CHECK(dip->end < 0.5 + 3 * w);
  }
  CHECK_FALSE(dip_from(std::vector<double>{0.25 - 0.04, -1, 1}, 0.3, 0.6));  // ends beyond
  CHECK_FALSE(dip_from(std::vector<double>{0.25, -1}, 0.25, 1));             // falls for good
  CHECK_FALSE(dip_from(std::vector<double>{0.5, -1, 0, -1}, 0.4, 1));        // bends downwards
}

TEST_CASE("touch_from: where what falls comes to its least, and rises as it has fallen") {
  const std::vector<double> parabola{0.25, -1, 1};  // (t - 0.5)^2
  CHECK(touch_from(parabola, 0.3, 1).kind == TouchKind::kTouch);
  CHECK(touch_from(parabola, 0.3, 1).at == doctest::Approx(0.5).epsilon(1e-6));
  CHECK(touch_from(parabola, 0.3, 0.6).kind == TouchKind::kUnknown);  // over beyond
  const std::vector<double> cube{0.125, -0.75, 1.5, -1};              // (0.5 - t)^3
  CHECK(touch_from(cube, 0.3, 1).kind != TouchKind::kTouch);
  std::vector<double> decay{1};  // exp(-8 t)
  for (int k = 1; k <= 30; ++k) decay.push_back(-8 * decay.back() / k);
  CHECK(touch_from(decay, 0.5, 1).kind != TouchKind::kTouch);
}

TEST_CASE("first_crossing: close pairs are found as soon as they stand out of the noise") {
  Random random;
  int demanded = 0;
  int tiny_gaps = 0;
  for (int i = 0; i < 4000; ++i) {
    const double gap = std::pow(10.0, random.uniform(-12.0, -1.0));
    const double root = std::pow(10.0, random.uniform(-12.0, -0.1));
    if (root + gap > 0.99) continue;
    std::vector<double> roots{root, root + gap};
    for (int k = random.integer(0, 18); k > 0; --k) {
      roots.push_back(random.integer(0, 1) != 0 ? random.uniform(-3.0, -0.3)
                                                : random.uniform(1.1, 3.0));
    }
    const std::vector<double> c = positive_from_roots(roots);
    const double found = crossing_at(c, 1.0);
    CAPTURE(i);
    CHECK(is_consistent(c, 1.0, found, roots));
    const double middle = root + 0.5 * gap;
    // rounding_bound() is 2 (n + 2) units of rounding noise eps sum |c_k| t^k.
    const double noise = rounding_bound(c, middle) / (2.0 * static_cast<double>(c.size() + 1));
    if (value(c, middle) < -100.0 * noise) {
      ++demanded;
      tiny_gaps += gap < 1e-10 ? 1 : 0;
      CHECK(found < middle);
      CHECK(found >= root - 0.5 * gap);
    }
  }
  CHECK(demanded > 700);
  CHECK(tiny_gaps > 40);
}

TEST_CASE("first_crossing: a pair far below the resolution of the step, next to its start") {
  for (const double scale : {1e-14, 1e-17, 1e-25, 1e-60, 1e-100}) {
    const std::vector<double> c = {2.0 * scale * scale, -3.0 * scale, 1.0, 0.5};
    CHECK(crossing_at(c, 1.0) == doctest::Approx(scale).epsilon(1e-9));
    const std::vector<double> graze = {scale * scale, -2.0 * scale, 1.0, -1.0};
    CHECK(crossing_at(graze, 2.0) == doctest::Approx(1.0).epsilon(1e-9));
  }
}

TEST_CASE("first_crossing: Taylor polynomials of b + sin(w t + a)") {
  constexpr int kDegree = 30;
  Random random;
  for (int i = 0; i < 1000; ++i) {
    const double w = random.uniform(0.5, 5.0);
    const double b = random.uniform(-0.9, 1.05);
    const double a = random.uniform(-std::numbers::pi, std::numbers::pi);
    if (b + std::sin(a) < 1e-3) continue;
    std::vector<double> c;
    double factor = 1.0;
    for (int k = 0; k <= kDegree; ++k) {
      c.push_back(factor * std::sin(a + 0.5 * std::numbers::pi * k));
      factor *= w / (k + 1);
    }
    c[0] += b;
    // First crossing of sin(phase) = -b downwards: phase = pi + asin(b), modulo 2 pi.
    double expected = kNoCrossing;
    if (b < 1.0) {
      double phase = std::numbers::pi + std::asin(b) - a;
      while (phase > 2.0 * std::numbers::pi) phase -= 2.0 * std::numbers::pi;
      while (phase < 0.0) phase += 2.0 * std::numbers::pi;
      expected = phase / w;
    }
    const double h = 6.5 / w;  // truncation error below 6.5^31 / 31! = 2e-8
    if (std::fabs(expected - h) < 1e-3 || std::fabs(b - 1.0) < 1e-6) continue;
    const double found = crossing_at(c, h);
    CAPTURE(i);
    CHECK(is_consistent(c, h, found, {}));
    if (expected > h) {
      CHECK(found == kNoCrossing);
    } else {
      const double steepness = w * std::sqrt(1.0 - b * b);
      CHECK(std::fabs(found - expected) < 1e-9 + 4e-8 / steepness);
    }
  }
}

TEST_CASE("first_crossing: random polynomials against quadruple precision") {
  Random random;
  int crossings = 0;
  for (int i = 0; i < 3000; ++i) {
    const int degree = random.integer(1, i % 50 == 0 ? 90 : 30);
    const double h = std::pow(10.0, random.uniform(degree > 30 ? -2.0 : -9.0, 2.0));
    const double decay = random.uniform(0.3, 1.2);
    const double size = std::pow(10.0, random.uniform(-9.0, 3.0));
    std::vector<double> c;
    for (int k = 0; k <= degree; ++k) {
      c.push_back(size * random.uniform(-1.0, 1.0) * std::pow(decay / h, k));
      if (random.integer(0, 9) == 0) c.back() = 0.0;
    }
    c[0] = size * std::pow(10.0, random.uniform(-18.0, 0.5));
    const double found = crossing_at(c, h);
    crossings += found < kNoCrossing ? 1 : 0;
    CAPTURE(i);
    CHECK(is_consistent(c, h, found, {}));
    double least = 0, greatest = 0;
    if (range_rows(c.data(), 1, degree, 0, h, {&least, 1}, {&greatest, 1}) && least > 0) {
      CHECK(found == kNoCrossing);
    }
    // A change of the time unit by a power of two is exact and must not matter, as long as no power
    // of the step is so small that another branch decides.
    if (h < 1e-6) continue;
    std::vector<double> scaled = c;
    for (int k = 0; k <= degree; ++k) {
      scaled[static_cast<std::size_t>(k)] = std::ldexp(c[static_cast<std::size_t>(k)], 3 * k);
    }
    CHECK(crossing_at(scaled, std::ldexp(h, -3)) == std::ldexp(found, -3));
  }
  CHECK(crossings > 900);
  CHECK(crossings < 2700);
}

TEST_CASE("first_crossing: tiny steps and noise throughout") {
  // The powers of the step leave the range of double, the terms of the polynomial do not.
  std::vector<double> c;
  for (int k = 0; k <= 30; ++k) c.push_back((k == 3 ? -2.0 : 0.9) * std::pow(1e10, k));
  CHECK(crossing_at(c, 1e-40) == kNoCrossing);
  std::vector<double> fast{1.0, 0.0};
  for (int k = 2; k <= 12; ++k) fast.push_back(k == 2 ? -4e60 : 0.0);
  CHECK(crossing_at(fast, 1e-30) == doctest::Approx(5e-31));
  // exp(-40 t) in power form: every value near the end is rounding noise.
  std::vector<double> decay{1.0};
  for (int k = 1; k <= 60; ++k) decay.push_back(-decay.back() * 40.0 / k);
  CHECK(is_consistent(decay, 0.6, crossing_at(decay, 0.6), {}));
}

}  // namespace
}  // namespace luztar
