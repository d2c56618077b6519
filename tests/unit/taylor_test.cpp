#include "runtime/solvers/taylor.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "tests/analytic/friction_systems.h"
#include "tests/support/system_run.h"

namespace luztar {
namespace {

using analytic::CoulombOscillator;
using analytic::Explosion;
using analytic::RampedBlock;
using analytic::SlidingPair;

constexpr double kTolerance = 1e-12;

using test::last;
using test::run;
using Result = test::SystemRun;

/// Numbers of the rows at exactly this time.
std::vector<std::size_t> rows_at(const Result& result, double time) {
  std::vector<std::size_t> found;
  for (std::size_t r = 0; r < result.trajectory.rows(); ++r) {
    if (result.trajectory.row(r)[0] == time) found.push_back(r);
  }
  return found;
}

TEST_CASE("Taylor: the order grows with accuracy and falls where each order costs more") {
  System system;
  system.operations = 100;
  std::int64_t before = 0;
  for (const double tolerance : {1e-3, 1e-6, 1e-9, 1e-12, 1e-15}) {
    const std::int64_t order = taylor_order(system, tolerance);
    CHECK(order >= before);
    CHECK(order % 2 == 0);  // exp(-t) stays positive
    before = order;
  }
  CHECK(taylor_order(system, 0.5) == 12);
  CHECK(taylor_order(system, 1e-15) == 30);
  system.recurrences = 100;
  CHECK(taylor_order(system, 1e-12) < 30);
  CHECK(taylor_order(system, 1e-12) >= 13);  // -ln(1e-12)/2: Jorba & Zou
}

TEST_CASE("Taylor: Coulomb oscillator follows the closed form") {
  const System system = CoulombOscillator::system();
  for (const auto& [tolerance, bound] : {std::pair{1e-9, 1e-10}, std::pair{kTolerance, 1e-11}}) {
    const Result result = run(system, TaylorOptions{0, 6, 0.01, tolerance, true});
    CHECK(result.report.reason == StopReason::kDone);
    REQUIRE(result.trajectory.rows() > 601);
    for (std::size_t r = 0; r < result.trajectory.rows(); ++r) {
      const auto row = result.trajectory.row(r);
      INFO("time ", row[0]);
      CHECK(std::fabs(row[1] - CoulombOscillator::position(row[0])) < bound);
    }
  }
}

TEST_CASE("Taylor: Coulomb oscillator comes to rest exactly and stays") {
  const Result result =
      run(CoulombOscillator::system(), TaylorOptions{0, 6, 0.01, kTolerance, true});
  const int swings = CoulombOscillator::half_swings();
  CHECK(std::fabs(last(result, 1) - CoulombOscillator::rest()) < 1e-11);
  CHECK(last(result, 2) == 0.0);
  CHECK(last(result, 3) == 0.0);
  // One reversal at the end of each half swing but the last, where it sticks.
  CHECK(result.report.changes[0] == swings);
  CHECK(result.report.events == swings);
  const double rest_time = swings * std::numbers::pi / CoulombOscillator::omega();
  const double rest = last(result, 1);
  std::size_t at_rest = 0;
  for (std::size_t r = 0; r < result.trajectory.rows(); ++r) {
    const auto row = result.trajectory.row(r);
    if (row[0] > rest_time + 1e-11) {
      ++at_rest;
      CHECK(row[1] == rest);
      CHECK(row[2] == 0.0);
      CHECK(row[3] == 0.0);
    } else if (row[0] < rest_time - 1e-11) {
      CHECK(row[3] != 0.0);
    }
  }
  CHECK(at_rest > 100);
}

TEST_CASE("Taylor: reversals are at the ends of the half swings") {
  const Result result = run(CoulombOscillator::system(), TaylorOptions{0, 6, 6, kTolerance, true});
  const auto swings = static_cast<std::size_t>(CoulombOscillator::half_swings());
  REQUIRE(result.trajectory.rows() == 2 * swings + 2);
  for (std::size_t j = 1; j <= swings; ++j) {
    const auto before = result.trajectory.row(2 * j - 1), after = result.trajectory.row(2 * j);
    CHECK(before[0] == after[0]);
    CHECK(std::fabs(before[0] - static_cast<double>(j) * std::numbers::pi /
                                    CoulombOscillator::omega()) < 1e-11);
    CHECK(std::fabs(before[2]) < 1e-11);
    CHECK(after[2] == 0.0);
    CHECK(before[3] == (j % 2 == 0 ? 1 : -1));
    CHECK(after[3] == (j == swings ? 0 : -before[3]));
  }
}

TEST_CASE("Taylor: breakaway at the static bound, kinetic friction from there on") {
  const Result result = run(RampedBlock::system(), TaylorOptions{0, 2, 0.01, kTolerance, true});
  CHECK(result.report.reason == StopReason::kDone);
  CHECK(result.report.events == 1);
  CHECK(result.report.changes[0] == 1);
  for (std::size_t r = 0; r < result.trajectory.rows(); ++r) {
    const auto row = result.trajectory.row(r);
    INFO("time ", row[0]);
    CHECK(std::fabs(row[2] - RampedBlock::velocity(row[0])) < 1e-11);
    if (row[0] <= RampedBlock::breakaway()) CHECK(row[2] == 0.0);
    if (row[0] > RampedBlock::breakaway()) CHECK(row[3] == 1.0);
  }
}

TEST_CASE("Taylor: breakaway exactly at the start and exactly at the stop") {
  const double t0 = RampedBlock::breakaway();
  const Result from = run(RampedBlock::system(), TaylorOptions{t0, 2, 0.01, kTolerance, true});
  CHECK(std::fabs(last(from, 2) - RampedBlock::velocity(2)) < 1e-11);
  CHECK(from.trajectory.row(0)[2] == 0.0);
  const Result to = run(RampedBlock::system(), TaylorOptions{0, t0, 0.01, kTolerance, true});
  CHECK(to.report.time == t0);
  CHECK(last(to, 0) == t0);
  CHECK(last(to, 2) == 0.0);
}

TEST_CASE("Taylor: sticking conserves momentum and leaves no slip") {
  const double stop = SlidingPair::stick_time() + 0.5;
  const Result result = run(SlidingPair::system(), TaylorOptions{0, stop, 0.01, kTolerance, true});
  CHECK(std::fabs(last(result, 1) - SlidingPair::common_speed()) < 1e-11);
  CHECK(std::fabs(last(result, 1) - last(result, 2)) < 1e-15);
  CHECK(result.report.changes[0] == 1);
  CHECK(result.report.events == 1);
  for (std::size_t r = 0; r < result.trajectory.rows(); ++r) {
    const auto row = result.trajectory.row(r);
    CHECK(SlidingPair::kTop * row[1] + SlidingPair::kBottom * row[2] ==
          doctest::Approx((SlidingPair::kTop + SlidingPair::kBottom) * SlidingPair::common_speed())
              .epsilon(1e-14));
    CHECK(std::fabs(row[1] - SlidingPair::top_speed(row[0])) < 1e-11);
    if (row[0] < SlidingPair::stick_time() - 1e-11) CHECK(row[3] == 1.0);
    if (row[0] > SlidingPair::stick_time() + 1e-11) CHECK(row[3] == 0.0);
  }
}

TEST_CASE("Taylor: rows are on the grid, with the last one exactly at the stop time") {
  const Result even = run(SlidingPair::system(), TaylorOptions{0.5, 1.5, 0.1, kTolerance, true});
  REQUIRE(even.trajectory.rows() == 11);
  for (std::size_t r = 0; r < 11; ++r) {
    CHECK(even.trajectory.row(r)[0] ==
          doctest::Approx(0.5 + 0.1 * static_cast<double>(r)).epsilon(1e-15));
  }
  CHECK(even.trajectory.row(10)[0] == 1.5);
  CHECK(even.report.time == 1.5);
  CHECK(even.report.events == 0);

  const Result uneven = run(SlidingPair::system(), TaylorOptions{0, 1, 0.3, kTolerance, true});
  REQUIRE(uneven.trajectory.rows() == 5);
  CHECK(uneven.trajectory.row(3)[0] == doctest::Approx(0.9));
  CHECK(uneven.trajectory.row(4)[0] == 1.0);

  const Result instant = run(SlidingPair::system(), TaylorOptions{2, 2, 0.01, kTolerance, true});
  REQUIRE(instant.trajectory.rows() == 1);
  CHECK(instant.trajectory.row(0)[0] == 2.0);
  CHECK(instant.report.steps == 0);
}

TEST_CASE("Taylor: two rows at an event, before and after, or none") {
  const double end = SlidingPair::stick_time() + 0.5;
  const Result with = run(SlidingPair::system(), TaylorOptions{0, end, 0.25, kTolerance, true});
  const Result without = run(SlidingPair::system(), TaylorOptions{0, end, 0.25, kTolerance, false});
  REQUIRE(without.trajectory.rows() == 14);
  REQUIRE(with.trajectory.rows() == 16);
  std::size_t event = 0;
  while (with.trajectory.row(event)[0] != with.trajectory.row(event + 1)[0]) ++event;
  const auto before = with.trajectory.row(event), after = with.trajectory.row(event + 1);
  CHECK(std::fabs(before[0] - SlidingPair::stick_time()) < 1e-11);
  CHECK(before[3] == 1.0);
  CHECK(after[3] == 0.0);
  // The other rows are the same.
  for (std::size_t r = 0; r < without.trajectory.rows(); ++r) {
    const auto one = without.trajectory.row(r), other = with.trajectory.row(r < event ? r : r + 2);
    for (std::size_t c = 0; c < 4; ++c) CHECK(one[c] == other[c]);
  }
}

TEST_CASE("Taylor: the rows of an event on the grid replace that of the grid") {
  const double t0 = RampedBlock::breakaway();
  const Result with = run(RampedBlock::system(), TaylorOptions{0, 2, 0.25, kTolerance, true});
  REQUIRE(with.trajectory.rows() == 10);
  const std::vector<std::size_t> event = rows_at(with, t0);
  REQUIRE(event == std::vector<std::size_t>{5, 6});
  CHECK(with.trajectory.row(5)[3] == 0.0);
  CHECK(with.trajectory.row(6)[3] == 1.0);
  const Result without = run(RampedBlock::system(), TaylorOptions{0, 2, 0.25, kTolerance, false});
  CHECK(without.trajectory.rows() == 9);
  CHECK(rows_at(without, t0).size() == 1);
}

TEST_CASE("Taylor: a state without bound stops the run with the rows so far") {
  const Result result = run(Explosion::system(), TaylorOptions{0, 5, 0.1, kTolerance, true});
  CHECK(result.report.reason == StopReason::kNotFinite);
  CHECK(result.report.index == 1);
  CHECK(result.report.time == doctest::Approx(1.0).epsilon(1e-6));
  REQUIRE(result.trajectory.rows() >= 10);
  for (std::size_t r = 0; r < result.trajectory.rows(); ++r) {
    const auto row = result.trajectory.row(r);
    CHECK(std::isfinite(row[2]));
    if (row[0] < 0.95) CHECK(row[2] == doctest::Approx(1 / (1 - row[0])).epsilon(1e-11));
  }
}

TEST_CASE("Taylor: a start that is not a number gives no rows") {
  System system = Explosion::system();
  system.prepare = [](const double*, double*, double* x0) {
    x0[0] = std::numeric_limits<double>::quiet_NaN(), x0[1] = 1;
  };
  const Result result = run(system, TaylorOptions{0, 1, 0.1, kTolerance, true});
  CHECK(result.report.reason == StopReason::kNotFinite);
  CHECK(result.report.index == 0);
  CHECK(result.trajectory.rows() == 0);
}

TEST_CASE("Taylor: an assertion that fails stops the run exactly there") {
  for (const bool event_rows : {true, false}) {
    const Result result =
        run(Explosion::with_assertion(), TaylorOptions{0, 1, 0.1, kTolerance, event_rows});
    CHECK(result.report.reason == StopReason::kAssertion);
    CHECK(result.report.index == 1);
    CHECK(std::fabs(result.report.time - 0.25) < 1e-15);
    CHECK(last(result, 0) == result.report.time);
    CHECK(std::fabs(last(result, 2) - 1 / 0.75) < 1e-11);
    if (!event_rows) CHECK(result.trajectory.rows() == 4);  // 0, 0.1, 0.2 and the failure
  }
}

TEST_CASE("Taylor: an assertion that fails at the start leaves one row") {
  System system = Explosion::with_assertion();
  system.prepare = [](const double*, double*, double* x0) { x0[0] = 0.25, x0[1] = 1; };
  const Result result = run(system, TaylorOptions{0, 1, 0.1, kTolerance, true});
  CHECK(result.report.reason == StopReason::kAssertion);
  CHECK(result.report.time == 0.0);
  CHECK(result.report.steps == 0);
  CHECK(result.trajectory.rows() == 1);
}

/// x' = -sign(x) from 1 without a mode x = 0: events without end at t = 1.
System chattering_system() {
  System s = Explosion::with_assertion();
  s.state_count = 1;
  s.row_count = 2;
  s.state_names = {"x"};
  s.outputs = {{"x", "", false}};
  s.switches = {{SwitchKind::kSide, 1, 0, "x"}};
  s.assertion_messages.clear();
  s.prepare = [](const double*, double*, double* x0) { x0[0] = 1; };
  s.jets = [](double, const double* c, std::int64_t first, std::int64_t last, double* J,
              const std::uint8_t*) {
    J += 2 * first;
    for (std::int64_t k = first; k <= last; ++k, J += 2) {
      J[1] = J[0];
      J[2] = analytic::steady(-c[0], k) / static_cast<double>(k + 1);
    }
  };
  s.evaluate_outputs = [](double, const double* x, const double*, double* y) { y[0] = x[0]; };
  return s;
}

TEST_CASE("Taylor: events without end in one instant stop the run and are named") {
  const Result result = run(chattering_system(), TaylorOptions{0, 2, 0.25, kTolerance, false});
  CHECK(result.report.reason == StopReason::kEventStorm);
  CHECK(std::fabs(result.report.time - 1) < 1e-12);
  CHECK(result.report.storm == std::vector<std::string>{"x"});
  CHECK(result.trajectory.rows() >= 4);
}

}  // namespace
}  // namespace luztar
