#include "runtime/jets/row_sums.h"

#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <vector>

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

TEST_CASE("bound_rows: sums of sizes from an order on") {
  constexpr double kStep = 1.5;
  const std::int64_t order = 21;
  const std::vector<double> J = random_coefficients(order);
  for (std::size_t count = 0; count + 1 <= kRows; ++count) {
    std::vector<double> sums(count);
    CHECK(bound_rows(J.data(), kRows, 4, order, 1, kStep, sums));
    for (std::size_t i = 0; i < count; ++i) {
      double sum = 0;
      for (std::int64_t k = 4; k <= order; ++k) {
        sum += std::fabs(J[static_cast<std::size_t>(k) * kRows + 1 + i]) *
               std::pow(kStep, static_cast<double>(k));
      }
      CHECK(std::fabs(sums[i] - sum) <= 1e-14 * sum);
    }
  }
}

TEST_CASE("bound_rows: tells when powers of the step underflow") {
  const std::int64_t order = 20;
  const std::vector<double> J = random_coefficients(order);
  std::vector<double> sums(kRows);
  CHECK(bound_rows(J.data(), kRows, 4, order, 0, 1e-13, sums));
  CHECK_FALSE(bound_rows(J.data(), kRows, 4, order, 0, 1e-15, sums));
}

}  // namespace
}  // namespace luztar
