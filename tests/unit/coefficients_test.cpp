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

}  // namespace
}  // namespace luztar
