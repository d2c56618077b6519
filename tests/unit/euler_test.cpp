#include "runtime/solvers/euler.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "runtime/solvers/output_grid.h"
#include "tests/analytic/friction_systems.h"
#include "tests/support/system_run.h"

namespace luztar {
namespace {

using analytic::CoulombOscillator;
using analytic::Explosion;
using analytic::RampedBlock;
using analytic::SlidingPair;

using test::last;
using test::run;
using Result = test::SystemRun;

/// Ratio of the errors of column `column` at `stop` with steps h and h/2.
double error_ratio(const System& system, double stop, double h, std::size_t column, double exact) {
  const auto error = [&](double step) {
    return std::fabs(last(run(system, EulerOptions{0, stop, stop, step, 1e-6}), column) - exact);
  };
  return error(h) / error(h / 2);
}

TEST_CASE("Euler: Coulomb oscillator follows the closed form with order one") {
  const System system = CoulombOscillator::system();
  for (const double stop : {0.4, 1.5, 2.9}) {
    const double exact = CoulombOscillator::position(stop);
    CHECK(std::fabs(last(run(system, EulerOptions{0, stop, stop, 1e-5, 1e-6}), 1) - exact) < 2e-4);
    CHECK(error_ratio(system, stop, 1e-3, 1, exact) == doctest::Approx(2.0).epsilon(0.15));
  }
}

TEST_CASE("Euler: Coulomb oscillator comes to rest exactly and stays") {
  const Result result = run(CoulombOscillator::system(), EulerOptions{0, 6, 0.01, 1e-4, 1e-6});
  CHECK(std::fabs(last(result, 1) - CoulombOscillator::rest()) < 5e-3);
  CHECK(last(result, 2) == 0.0);
  CHECK(last(result, 3) == 0.0);
  // One reversal at the end of each half swing but the last, where it sticks.
  CHECK(result.report.changes[0] == CoulombOscillator::half_swings());
  bool at_rest = false;
  for (std::size_t r = 1; r < result.trajectory.rows(); ++r) {
    const auto row = result.trajectory.row(r);
    if (at_rest) CHECK(row[2] == 0.0);
    at_rest = at_rest || (row[3] == 0.0);
  }
  CHECK(at_rest);
}

TEST_CASE("Euler: breakaway at the static bound, kinetic friction from there on") {
  const System system = RampedBlock::system();
  const double stop = 2.0, exact = RampedBlock::velocity(stop);
  CHECK(std::fabs(last(run(system, EulerOptions{0, stop, stop, 1e-4, 1e-6}), 2) - exact) < 2e-4);
  // The width of the numerical zero moves nothing: a band of 1e-3 gives the same.
  CHECK(last(run(system, EulerOptions{0, stop, stop, 1e-4, 1e-3}), 2) ==
        last(run(system, EulerOptions{0, stop, stop, 1e-4, 1e-9}), 2));
  // Between two steps the breakaway is late by less than a step, so the error is O(h), without a
  // fixed ratio.
  for (const double h : {1e-2, 5e-3, 2.5e-3, 1.25e-3}) {
    CHECK(std::fabs(last(run(system, EulerOptions{0, stop, stop, h, 1e-6}), 2) - exact) < 1.5 * h);
  }
}

TEST_CASE("Euler: sticking conserves momentum and leaves no slip") {
  const double stop = SlidingPair::stick_time() + 0.5;
  const Result result = run(SlidingPair::system(), EulerOptions{0, stop, 0.01, 1e-4, 1e-6});
  CHECK(last(result, 1) == doctest::Approx(SlidingPair::common_speed()).epsilon(1e-12));
  CHECK(std::fabs(last(result, 1) - last(result, 2)) < 1e-15);
  CHECK(result.report.changes[0] == 1);
  for (std::size_t r = 0; r < result.trajectory.rows(); ++r) {
    const auto row = result.trajectory.row(r);
    CHECK(SlidingPair::kTop * row[1] + SlidingPair::kBottom * row[2] ==
          doctest::Approx((SlidingPair::kTop + SlidingPair::kBottom) * SlidingPair::common_speed())
              .epsilon(1e-12));
    CHECK(row[1] == doctest::Approx(SlidingPair::top_speed(row[0])).epsilon(1e-4));
  }
}

TEST_CASE("Euler: rows are on the grid, with the last one exactly at the stop time") {
  const Result even = run(SlidingPair::system(), EulerOptions{0.5, 1.5, 0.1, 3e-4, 1e-6});
  REQUIRE(even.trajectory.rows() == 11);
  for (std::size_t r = 0; r < 11; ++r) {
    CHECK(even.trajectory.row(r)[0] ==
          doctest::Approx(0.5 + 0.1 * static_cast<double>(r)).epsilon(1e-15));
  }
  CHECK(even.trajectory.row(10)[0] == 1.5);
  CHECK(even.report.time == 1.5);
  CHECK(even.report.steps == 3334);

  const Result uneven = run(SlidingPair::system(), EulerOptions{0, 1, 0.3, 1e-3, 1e-6});
  REQUIRE(uneven.trajectory.rows() == 5);
  CHECK(uneven.trajectory.row(3)[0] == doctest::Approx(0.9));
  CHECK(uneven.trajectory.row(4)[0] == 1.0);

  const Result finer_than_steps =
      run(SlidingPair::system(), EulerOptions{0, 0.1, 0.001, 0.01, 1e-6});
  REQUIRE(finer_than_steps.trajectory.rows() == 101);
  CHECK(finer_than_steps.trajectory.row(15)[1] == doctest::Approx(SlidingPair::top_speed(0.015)));

  const Result instant = run(SlidingPair::system(), EulerOptions{2, 2, 0.01, 1e-3, 1e-6});
  REQUIRE(instant.trajectory.rows() == 1);
  CHECK(instant.trajectory.row(0)[0] == 2.0);
  CHECK(instant.report.steps == 0);
}

TEST_CASE("OutputGrid: decimal instants round once") {
  const OutputGrid grid(0, 1, 0.1);
  CHECK(grid.size() == 11);
  CHECK(grid.time(3) == 0.3);
  CHECK(grid.time(7) == 0.7);
  CHECK(OutputGrid(0, 20, 0.01).time(1999) == 19.99);
}

TEST_CASE("Euler: a state that is not finite stops the run with the rows so far") {
  const Result result = run(Explosion::system(), EulerOptions{0, 5, 0.1, 1e-3, 1e-6});
  CHECK(result.report.reason == StopReason::kNotFinite);
  CHECK(result.report.index == 1);
  CHECK(result.report.time == doctest::Approx(1.0).epsilon(0.05));
  REQUIRE(result.trajectory.rows() >= 10);
  for (std::size_t r = 0; r < result.trajectory.rows(); ++r) {
    CHECK(std::isfinite(result.trajectory.row(r)[2]));
  }
}

TEST_CASE("Euler: a start that is not a number gives no rows") {
  System system = Explosion::system();
  system.prepare = [](const double*, double*, double* x0) {
    x0[0] = std::numeric_limits<double>::quiet_NaN(), x0[1] = 1;
  };
  const Result result = run(system, EulerOptions{0, 1, 0.1, 1e-3, 1e-6});
  CHECK(result.report.reason == StopReason::kNotFinite);
  CHECK(result.report.index == 0);
  CHECK(result.trajectory.rows() == 0);
}

TEST_CASE("Euler: an assertion that fails stops the run at its instant") {
  const Result result = run(Explosion::with_assertion(), EulerOptions{0, 1, 0.1, 1e-3, 1e-6});
  CHECK(result.report.reason == StopReason::kAssertion);
  CHECK(result.report.index == 1);
  CHECK(result.report.time == doctest::Approx(0.25).epsilon(0.01));
  CHECK(last(result, 0) == result.report.time);
  CHECK(result.trajectory.rows() == 4);  // 0, 0.1, 0.2 and the instant of the failure
}

}  // namespace
}  // namespace luztar
