#include "runtime/pwl/cubic.h"

#include <doctest/doctest.h>

#include <cmath>
#include <optional>

namespace luztar {
namespace {

TEST_CASE("minimum inside a step: of a parabola, of a cubic, and of none") {
  // (t - 1)^2 - 0.25 on [0, 3]
  const std::optional<CubicMinimum> square = minimum_inside({0.75, -2}, {3.75, 4}, 3);
  REQUIRE(square);
  CHECK(square->at == doctest::Approx(1).epsilon(1e-15));
  CHECK(square->value == doctest::Approx(-0.25).epsilon(1e-15));
  // t^3 - t on [0, 2] is least at 1/sqrt(3)
  const std::optional<CubicMinimum> cube = minimum_inside({0, -1}, {6, 11}, 2);
  REQUIRE(cube);
  CHECK(cube->at == doctest::Approx(1 / std::sqrt(3.0)).epsilon(1e-15));
  CHECK(cube->value == doctest::Approx(-2 / (3 * std::sqrt(3.0))).epsilon(1e-15));
  CHECK_FALSE(minimum_inside({1, -1}, {0, -1}, 1));
  CHECK_FALSE(minimum_inside({1, 1}, {2, 1}, 1));
  CHECK_FALSE(minimum_inside({1, 0}, {1, 0}, 1));
}

// Half the step, a sixteenth of the error.
TEST_CASE("minimum inside a step: of the order h^4") {
  double last = 0;
  for (const double h : {0.4, 0.2, 0.1, 0.05}) {
    const double a = -0.3 * h, b = 0.7 * h;  // around the least value of exp(t) - t, 1
    const std::optional<CubicMinimum> least =
        minimum_inside({std::exp(a) - a, std::exp(a) - 1}, {std::exp(b) - b, std::exp(b) - 1}, h);
    REQUIRE(least);
    const double error = std::fabs(least->value - 1);
    if (last > 0) CHECK(error < last / 14);
    last = error;
  }
  CHECK(last < 2e-8);
}

}  // namespace
}  // namespace luztar
