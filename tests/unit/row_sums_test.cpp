#include "runtime/jets/row_sums.h"

#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <vector>

#include "runtime/numbers.h"

namespace luztar {
namespace {

constexpr std::size_t kRows = 23;

std::vector<double> random_coefficients(std::int64_t order) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> any(-1, 1);
  std::vector<double> J((static_cast<std::size_t>(order) + 1) * kRows);
  for (double& c : J) c = any(random);
  return J;
}

TEST_CASE("evaluate_rows: neighbours change nothing, and the value is that of Horner's rule") {
  constexpr double kTime = 0.37;
  for (std::int64_t order = 1; order <= 30; ++order) {
    const std::vector<double> J = random_coefficients(order);
    for (std::size_t count = 0; count + 2 <= kRows; ++count) {
      std::vector<double> values(count);
      evaluate_rows(J.data(), kRows, order, 2, kTime, values);
      for (std::size_t i = 0; i < count; ++i) {
        double alone = 0, horner = 0;
        evaluate_rows(J.data(), kRows, order, 2 + i, kTime, {&alone, 1});
        for (std::int64_t k = order; k >= 0; --k) {
          horner = horner * kTime + J[static_cast<std::size_t>(k) * kRows + 2 + i];
        }
        CHECK(values[i] == alone);
        CHECK(std::fabs(alone - horner) <= 1e-15);
      }
    }
  }
}

struct Range {
  double least = 0, greatest = 0;
};

/// Of one polynomial.
Range range_of(const std::vector<double>& c, double h) {
  Range r;
  const auto order = static_cast<std::int64_t>(c.size()) - 1;
  CHECK(range_rows(c.data(), 1, order, 0, h, {&r.least, 1}, {&r.greatest, 1}));
  return r;
}

TEST_CASE("range_rows: the polynomial is within, and so are the bounds by its terms") {
  constexpr double kStep = 0.9;
  for (std::int64_t order = 1; order <= 28; ++order) {
    const std::vector<double> J = random_coefficients(order);
    for (std::size_t count = 0; count + 1 <= kRows; ++count) {
      std::vector<double> least(count), greatest(count);
      CHECK(range_rows(J.data(), kRows, order, 1, kStep, least, greatest));
      for (std::size_t i = 0; i < count; ++i) {
        double sum = 0, rest = 0;
        for (std::int64_t k = 0; k <= order; ++k) {
          const double term = std::fabs(J[static_cast<std::size_t>(k) * kRows + 1 + i]) *
                              std::pow(kStep, static_cast<double>(k));
          sum += term;
          if (k >= 8) rest += term;
        }
        CHECK(greatest[i] <= sum * (1 + 1e-12) + rest);
        CHECK(least[i] >= -sum * (1 + 1e-12) - rest);
        for (int point = 0; point <= 50; ++point) {
          double value = 0;
          evaluate_rows(J.data(), kRows, order, 1 + i, kStep * point / 50, {&value, 1});
          CHECK(value >= least[i]);
          CHECK(value <= greatest[i]);
        }
      }
    }
  }
}

TEST_CASE("range_rows: sharp at the ends, and for terms of one sign") {
  const Range rising = range_of({0.1, 5.0, 1.0, 0.5}, 2);
  CHECK(std::fabs(rising.least - 0.1) <= 1e-12);
  CHECK(std::fabs(rising.greatest - 18.1) <= 1e-12);
  for (std::size_t n = 1; n < 8; ++n) {
    std::vector<double> c(n + 1, -1.0 / static_cast<double>(n));
    c[0] = 1.0 + 1e-12;
    CHECK(range_of(c, 1).least > 0);
    c[n] *= 1.0 + 1e-10;
    CHECK(range_of(c, 1).least < 0);
  }
  // (t - 0.4)^2 + 0.01 and + 0.12: the polygon of nine sides is below the parabola by up to 1/36.
  CHECK(std::fabs(range_of({0.17, -0.8, 1.0}, 1).least - (0.17 - 3.2 / 9 + 12.0 / 72)) <= 1e-12);
  CHECK(range_of({0.28, -0.8, 1.0}, 1).least > 0);
  // What is beyond the polygon counts in full.
  const Range wide = range_of({0.06, 5.0, -1.0, 0.5, 0, 0, 0, 0, 0, 0, -0.05}, 1);
  CHECK(std::fabs(wide.least - 0.01) <= 1e-12);
}

TEST_CASE("range_rows: coefficients that are no numbers, steps whose powers underflow") {
  for (const double bad : {kInfinity, -kInfinity, std::nan("")}) {
    for (std::size_t k = 0; k < 12; ++k) {
      std::vector<double> c(12, 1.0);
      c[k] = bad;
      const Range r = range_of(c, 1);
      CHECK_FALSE(std::isfinite(r.least));
      CHECK_FALSE(std::isfinite(r.greatest));
    }
  }
  const std::vector<double> J = random_coefficients(20);
  std::vector<double> least(kRows), greatest(kRows);
  CHECK(range_rows(J.data(), kRows, 20, 0, 1e-13, least, greatest));
  CHECK_FALSE(range_rows(J.data(), kRows, 20, 0, 1e-15, least, greatest));
}

}  // namespace
}  // namespace luztar
