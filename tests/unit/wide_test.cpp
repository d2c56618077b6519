#include "runtime/wide/wide.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace luztar {
namespace {

/// Coefficients of some order, whose size falls, rises or jumps.
std::vector<double> random_polynomial(std::mt19937& random, std::size_t size) {
  std::uniform_real_distribution<double> any(-1, 1);
  const double ratio = std::exp(2 * any(random));
  std::vector<double> c(size);
  double scale = 1;
  for (double& coefficient : c) coefficient = scale * any(random), scale *= ratio;
  return c;
}

void append(std::vector<double>& all, const Outline& o) {
  all.insert(all.end(), {static_cast<double>(o.course), o.begin, o.end, o.root, o.size});
}

/// All that the loops give for random polynomials.
std::vector<double> results(const WideFunctions& f) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> any(0, 1);
  std::vector<double> all;
  for (std::size_t size = 1; size <= 40; ++size) {
    for (int repeat = 0; repeat < 50; ++repeat) {
      std::vector<double> c = random_polynomial(random, size);
      const double h = any(random);
      const Jet jet = f.evaluate(c.data(), size, h);
      all.insert(all.end(), {jet.value, jet.slope});
      c[0] = std::fabs(c[0]);
      if (c[0] > 0) append(all, f.outline(c.data(), size, h));
      c[0] = 1;
      if (f.evaluate(c.data(), size, h).value < 0) {
        const Root root = f.root(c.data(), size, 0, h, h / 2);
        all.insert(all.end(), {root.at, root.slope});
      }
    }
    for (std::size_t rows = 1; rows <= 19; ++rows) {
      const std::vector<double> c = random_polynomial(random, size * rows);
      std::vector<double> value(rows), least(rows), greatest(rows);
      const double h = any(random);
      f.evaluate_rows(c.data(), rows, static_cast<std::int64_t>(size) - 1, h, value.data(), rows);
      f.range_rows(c.data(), rows, size, h, least.data(), greatest.data(), rows);
      for (const auto* part : {&value, &least, &greatest}) {
        all.insert(all.end(), part->begin(), part->end());
      }
    }
  }
  return all;
}

TEST_CASE("wide: the same bits from vectors of every width") {
  const std::vector<const WideFunctions*> widths = wide_functions();
  REQUIRE(widths.front() == &kPlainFunctions);
  const std::vector<double> expected = results(*widths.front());
  CHECK(expected.size() > 10000);
  for (const WideFunctions* functions : widths) {
    const std::vector<double> actual = results(*functions);
    REQUIRE(actual.size() == expected.size());
    std::size_t different = 0;
    for (std::size_t i = 0; i < actual.size(); ++i) {
      const auto bits = [](double x) { return std::bit_cast<std::uint64_t>(x); };
      different += bits(actual[i]) != bits(expected[i]) ? 1 : 0;
    }
    CHECK(different == 0);
  }
}

TEST_CASE("wide: value and slope of a polynomial") {
  const std::vector<double> c{1, -2, 3, -4, 5, -6, 7};
  constexpr double kTime = 0.5;
  double value = 0, slope = 0;
  for (std::size_t k = c.size(); k-- > 0;) {
    slope = slope * kTime + value;
    value = value * kTime + c[k];
  }
  for (const WideFunctions* f : wide_functions()) {
    CHECK(f->evaluate(c.data(), c.size(), kTime).value == doctest::Approx(value).epsilon(1e-15));
    CHECK(f->evaluate(c.data(), c.size(), kTime).slope == doctest::Approx(slope).epsilon(1e-15));
  }
}

}  // namespace
}  // namespace luztar
