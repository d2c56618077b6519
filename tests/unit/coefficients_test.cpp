#include "runtime/jets/coefficients.h"

#include <doctest/doctest.h>

#include <vector>

#include "tests/analytic/friction_systems.h"

namespace luztar {
namespace {

TEST_CASE("coefficients: computed as far as they are asked for, in parts as at once") {
  const System system = analytic::Explosion::system();  // clock' = 1, x' = x^2
  const std::vector<double> x{0.25, 2};
  Coefficients J(system, 10), all(system, 10);
  J.begin(0.25, x, nullptr);
  CHECK(J.known() == 1);
  CHECK(J[1] == 2);
  CHECK(J.at(1, 1) == 4);
  CHECK(J.known() == 1);
  CHECK(J.at(2, 1) == 8);
  CHECK(J.known() == 3);  // twice as many each time
  CHECK(J.at(10, 1) == 2048);
  CHECK(J.known() == 10);
  all.begin(0.25, x, nullptr);
  all.extend(10);
  for (std::int64_t k = 0; k <= 11; ++k) {
    for (std::size_t row = 0; row < 2; ++row) CHECK(J.order(k)[row] == all.order(k)[row]);
  }
}

TEST_CASE("coefficients: of order 0 only, with the rates of the states") {
  const System system = analytic::Explosion::system();
  Coefficients J(system, 0);
  J.begin(0, std::vector<double>{0, 3}, nullptr);
  CHECK(J.known() == 0);
  CHECK(J.order(1)[0] == 1);
  CHECK(J.order(1)[1] == 9);
}

// x' = a x and y' = b y: the difference of equal motions has the size of its terms.
TEST_CASE("coefficients: the size of the terms, where they cancel too") {
  System system;
  system.state_count = 2;
  system.row_count = 3;
  system.constant_count = 2;
  system.jets = [](double, const double* c, std::int64_t first, std::int64_t last, double* J,
                   const std::uint8_t*) {
    for (std::int64_t k = first; k <= last; ++k) {
      double* row = J + 3 * k;
      row[2] = row[0] - row[1];
      for (int i = 0; i < 2; ++i) row[3 + i] = c[i] * row[i] / static_cast<double>(k + 1);
    }
  };
  const double constants[] = {3, 3};
  Coefficients J(system, 4);
  const std::vector<double> moving{2, 2}, resting{0, 0};
  J.begin(0, moving, constants);
  CHECK(J.at(2, 2) == 0);
  for (std::int64_t k = 0; k <= 4; ++k) {
    CHECK(J.size(k, 2) > 0.01 * J.at(k, 0));
    CHECK(J.size(k, 2) < 10 * J.at(k, 0));
  }
  J.begin(0, resting, constants);  // exact zeros have no rounding
  for (std::int64_t k = 0; k <= 4; ++k) CHECK(J.size(k, 2) == 0);
}

// Relative speeds c v_i - v_j of bodies that move with one speed: whichever states and constants
// they are made of, with the same terms.
TEST_CASE("coefficients: the size of terms of any places") {
  constexpr std::size_t n = 12;
  System system;
  system.state_count = n;
  system.constant_count = n;
  system.row_count = n + n * n * n;
  system.jets = [](double, const double* c, std::int64_t, std::int64_t, double* J,
                   const std::uint8_t*) {
    double* row = J + n;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t k = 0; k < n; ++k) *row++ = c[k] * J[i] - J[j];
      }
    }
  };
  const std::vector<double> states(n, 1.0), constants(n, 1.0);
  Coefficients J(system, 0);
  J.begin(0, states, constants.data());
  for (std::size_t row = n; row < system.row_count; ++row) CHECK(J.size(0, row) > 1e-5);
}

}  // namespace
}  // namespace luztar
