#include "runtime/pwl/outline.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

namespace luztar {
namespace {

constexpr std::size_t kTerms = 29;  // as many as long steps have

double value(const std::vector<double>& c, double t) {
  double sum = 0;
  for (std::size_t k = c.size(); k-- > 0;) sum = sum * t + c[k];
  return sum;
}

/// Coefficients of level + cos(omega t + phase).
std::vector<double> cosine(double level, double omega, double phase) {
  std::vector<double> c(kTerms);
  double factor = 1;
  for (std::size_t k = 0; k < kTerms; ++k) {
    c[k] = factor * std::cos(phase + static_cast<double>(k) * std::numbers::pi / 2);
    factor *= omega / static_cast<double>(k + 1);
  }
  c[0] += level;
  return c;
}

TEST_CASE("outline: positive where the coefficients alone do not tell") {
  const std::vector<double> c = cosine(1.1, 100, 0);  // down to 0.1 and up again
  // |p - 0.1| is beyond all bounds of its terms.
  CHECK(std::fabs(c[2]) * 0.05 * 0.05 > 10);
  CHECK(outline(c, 0.05).course == Course::kPositive);
}

TEST_CASE("outline: the root of a way down, the first of several") {
  for (const double end : {0.02, 0.03, 0.04}) {
    const std::vector<double> c = cosine(0, 100, 0);  // roots at pi/200 and 3 pi/200
    const Outline seen = outline(c, end);
    const double root = std::numbers::pi / 200;
    INFO("end ", end);
    REQUIRE(seen.course == Course::kFalls);
    CHECK(seen.begin < root);
    CHECK(seen.end > root);
    CHECK(seen.root == doctest::Approx(root).epsilon(0.05));
  }
}

TEST_CASE("outline: no answer for what it cannot certify") {
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(outline({}, 1).course == Course::kUndecided);
  CHECK(outline(std::vector<double>{0, 1}, 1).course == Course::kUndecided);
  CHECK(outline(std::vector<double>{1, infinity}, 1).course == Course::kUndecided);
  CHECK(outline(std::vector<double>{1, std::nan("")}, 1).course == Course::kUndecided);
  CHECK(outline(cosine(1.1, 100, 0), 1e-30).course == Course::kUndecided);  // powers underflow
  // Touches zero at 0.5, or misses it by rounding: neither is positive nor has one root.
  for (const double gap : {0.0, 1e-15, -1e-15}) {
    CHECK(outline(std::vector<double>{0.25 + gap, -1, 1}, 1).course == Course::kUndecided);
  }
}

TEST_CASE("outline: agrees with dense samples, pairs of roots included") {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> any(-1, 1);
  int positive = 0, falls = 0;
  for (int run = 0; run < 20000; ++run) {
    std::vector<double> c = cosine(1 + 0.3 * any(random), 3 + 2 * any(random), 3 * any(random));
    const double slope = any(random);
    c[1] += 0.5 * slope;
    c[2] += 0.2 * any(random);
    if (run % 3 == 0) c.resize(3 + static_cast<std::size_t>(run) % 14);
    const Outline seen = outline(c, 1);
    if (seen.course == Course::kUndecided) continue;
    const bool fall = seen.course == Course::kFalls;
    ++(fall ? falls : positive);
    const double last = fall ? seen.begin : 1;
    bool good = value(c, last) > 0;
    for (int i = 0; i <= 200; ++i) good = good && value(c, last * i / 200) > 0;
    if (fall) {
      good = good && value(c, seen.end) < 0;
      int changes = 0;
      for (int i = 0; i < 200; ++i) {
        const double step = (seen.end - seen.begin) / 200, t = seen.begin + step * i;
        changes += (value(c, t) > 0) != (value(c, t + step) > 0) ? 1 : 0;
      }
      good = good && changes == 1;
    }
    INFO("run ", run);
    CHECK(good);
  }
  CHECK(positive > 2000);
  CHECK(falls > 2000);
}

}  // namespace
}  // namespace luztar
