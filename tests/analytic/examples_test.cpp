// Every example does what its header comment says.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "tests/support/example_run.h"
#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

/// The papers' solver.
ExampleRun euler_run(const std::string& file) { return {file, EulerOptions{}}; }

/// To the digits of the papers' plots.
doctest::Approx about_plotted(double value) { return doctest::Approx(value).epsilon(2e-3); }

/// Position at time t of a free mass that starts at rest under A sin(2 pi f t).
double free_position(double mass, double amplitude, double frequency, double t) {
  const double omega = 2 * std::numbers::pi * frequency;
  return amplitude / (mass * omega) * (t - std::sin(omega * t) / omega);
}

}  // namespace

TEST_CASE("example steering") {
  const ExampleRun run = euler_run("steering.ltm");
  CHECK(own_states(run.model) == 7);
  CHECK(run.simulation.time.back() == 6);
  CHECK(run.greatest("road_wheel_l.phi") == about_plotted(0.0723));
  CHECK(run.greatest("wheel.phi") == about_plotted(1.322));
  CHECK(run.column("road_wheel_l.phi").back() == about_plotted(-0.00972));
  CHECK(run.column("road_wheel_l.w").back() == 0);
  CHECK(run.column("kingpin_l.mode").back() == 0);
}

TEST_CASE("example gear_train") {
  const ExampleRun run = euler_run("gear_train.ltm");
  CHECK(own_states(run.model) == 8);
  CHECK(run.greatest("motor.phi") == about_plotted(1.408));
  CHECK(run.greatest("load.phi") == about_plotted(0.1111));
}

TEST_CASE("example gear_train_1") {
  const ExampleRun run = euler_run("gear_train_1.ltm");
  CHECK(own_states(run.model) == 6);
  CHECK(run.greatest("motor.phi") == about_plotted(1.409));
  CHECK(run.greatest("load.phi") == about_plotted(0.1111));
}

TEST_CASE("example gear_train_2") {
  const ExampleRun run = euler_run("gear_train_2.ltm");
  CHECK(own_states(run.model) == 4);
  CHECK(run.greatest("motor.phi") == about_plotted(3.158));
  CHECK(run.greatest("load.phi") == about_plotted(0.2581));
}

TEST_CASE("example gear_train_3") {
  const ExampleRun run = euler_run("gear_train_3.ltm");
  CHECK(own_states(run.model) == 4);
  CHECK(run.model.system().frictions.size() == 0);
  CHECK(run.greatest("motor.phi") == about_plotted(3.983));
  CHECK(run.greatest("load.phi") == about_plotted(0.3319));
}

TEST_CASE("example two_mass") {
  const ExampleRun run = euler_run("two_mass.ltm");
  CHECK(run.greatest("mass_1.s") == about_plotted(7.354));
  const std::vector<double>& time = run.simulation.time;
  for (std::size_t i = 0; i < time.size() && time[i] < 0.116; ++i) {
    CHECK(run.column("mass_1.v")[i] == doctest::Approx(run.column("mass_2.v")[i]).epsilon(1e-12));
  }
  CHECK(run.simulation.report.changes == std::vector<std::uint64_t>{38});
}

TEST_CASE("example two_mass_blocked") {
  const ExampleRun run = euler_run("two_mass_blocked.ltm");
  CHECK(run.always_zero("mass_2.s"));
  CHECK(run.always_zero("mass_2.v"));
  CHECK(run.greatest("mass_1.s") < 0.02);
  CHECK(run.least("mass_1.s") > -0.02);
}

TEST_CASE("example two_mass_massless") {
  const ExampleRun run = euler_run("two_mass_massless.ltm");
  const std::vector<double>& position = run.column("mass_2.s");
  for (std::size_t i = 0; i < position.size(); ++i) {
    const double t = run.simulation.time[i];
    const double expected = free_position(3, 9, 1.1, t) + free_position(3, 7, 0.45, t);
    CHECK(std::abs(position[i] - expected) < 1e-4);
  }
}

TEST_CASE("example two_mass_massless_blocked") {
  const ExampleRun run = euler_run("two_mass_massless_blocked.ltm");
  CHECK(run.always_zero("mass_2.s"));
  const std::vector<double>& s = run.column("mass_1.s");
  const std::vector<double>& v = run.column("mass_1.v");
  bool rested = false, moved = false;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const double force = 9 * std::sin(2 * std::numbers::pi * 1.1 * run.simulation.time[i]);
    const double spring = 800 * (s[i] - std::clamp(s[i], -0.004, 0.004));
    const bool rests = std::abs(force - spring) <= 4 * (1 - 1e-9);
    if (rests) CHECK(v[i] == 0);
    rested = rested || rests;
    moved = moved || v[i] != 0;
  }
  CHECK(rested);
  CHECK(moved);
}

}  // namespace luztar::test
