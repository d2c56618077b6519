// A force that becomes infinite ends the run where it does so, also between two numbers of
// time, and is named; bounds keep it from that.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

std::string pushed_body(const std::string& force) {
  return fmt::format(R"(
model Pushed
  Translational.Mass body(m = 1);
  Translational.SupportFriction ground(f0 = 0.3);
  Translational.Force push;
  Real z(start = 0);
equation
  der(z) = 1;
  push.f = {};
  connect(push.flange, body.flange_a);
  connect(ground.flange_a, body.flange_a);
end Pushed;
)",
                     force);
}

/// Stops at `pole` [s], and says that a quantity of the model has no value.
void check_stop(const RunReport& report, double pole, double bound) {
  CHECK(report.reason == StopReason::kNotFinite);
  CHECK(std::fabs(report.time - pole) <= bound);
}

}  // namespace

TEST_CASE("a force with a pole ends the run there") {
  const std::pair<std::string, double> poles[] = {
      {"1/(3*time - 1)", 1 / 3.0},
      {"-2e-9/(3*time - 1)", 1 / 3.0},
      {"1/(3*time - 1)^2", 1 / 3.0},
      {"1/(7*time - 1)^3", 1 / 7.0},
      {"1/cos(1.7*time)", std::numbers::pi / 3.4},
      {"tan(1.7*time)", std::numbers::pi / 3.4},
      {"tan(1.7*z)", std::numbers::pi / 3.4},
      {"1/(z*z - 2)", std::numbers::sqrt2},
      {"1/sqrt(abs(3*z - 1))", 1 / 3.0},
  };
  for (const auto& [force, pole] : poles) {
    CAPTURE(force);
    const Model model("pole.ltm", pushed_body(force));
    for (const double tolerance : {1e-5, 1e-12}) {
      const Simulation run = simulate(model, TaylorOptions{0, 2, 0.1, tolerance});
      check_stop(run.report, pole, 1e-12);
      CHECK(run.time.back() <= pole + 1e-12);
    }
    if (force.front() == '-') continue;  // less than the tolerance of CVODE
    check_stop(simulate(model, CvodeOptions{0, 2, 0.1, 1e-8}).report, pole, 1e-5);
  }
}

// 1/x before the body, which comes to it with a speed that grows without bound:  v^2/2 = -log x.
TEST_CASE("a force that draws a body to its pole ends the run with it") {
  const Model model("drawn.ltm", pushed_body("1/(0.2 - body.s)"));
  const double from_rest = 0.2 * std::sqrt(std::numbers::pi / 2);  // time without friction
  const Simulation run = simulate(model, TaylorOptions{0, 2, 0.01, 1e-10});
  CHECK(run.report.reason == StopReason::kNotFinite);
  CHECK(run.report.time > from_rest);
  CHECK(run.report.time < 1.05 * from_rest);
}

// Where a force has a value everywhere, however steep, or an infinite rate alone, nothing stops.
TEST_CASE("near poles and roots a run goes on") {
  for (const std::string force :
       {"1/(1.00000001 + sin(30*time))", "1/(1 + 1e6*(time - 1/3)^2)", "abs(time - 1/3)^0.3",
        "sqrt(abs(sin(7*time)))", "sqrt(time)", "sin(3*time - 1)/(3*time - 1)"}) {
    CAPTURE(force);
    const Model model("steep.ltm", pushed_body(force));
    CHECK(simulate(model, TaylorOptions{0, 2, 0.1, 1e-10}).report.reason == StopReason::kDone);
  }
}

// Also where x is zero: the force turns there, from -1 N to 1 N.
TEST_CASE("x/|x| is a sign") {
  const Model model("turns.ltm", pushed_body("(3*time - 1)/abs(3*time - 1)"));
  const double turns = 1 / 3.0, a = 0.7, rests = turns + a * turns / 1.3;  // 1 N against f0 = 0.3 N
  for (const Simulation& run : {simulate(model, TaylorOptions{0, 2, 0.1, 1e-12, false}),
                                simulate(model, CvodeOptions{0, 2, 0.1, 1e-11, false})}) {
    REQUIRE(run.report.reason == StopReason::kDone);
    for (std::size_t i = 0; i < run.time.size(); ++i) {
      const double t = run.time[i];
      const double v = t < turns   ? -a * t
                       : t < rests ? -a * turns + 1.3 * (t - turns)
                                   : a * (t - rests);
      CHECK(std::fabs(run.column(model, "body.v")[i] - v) <= 1e-9);
    }
  }
}

TEST_CASE("a force without a value at the start is named, whatever the frictions") {
  for (const std::string force : {"1/time", "log(z)", "sin(time)/time", "sqrt(time - 1)"}) {
    CAPTURE(force);
    const Model model("start.ltm", pushed_body(force));
    for (const Simulation& run :
         {simulate(model, TaylorOptions{0, 2, 0.1, 1e-6}), simulate(model, CvodeOptions{0, 2, 0.1}),
          simulate(model, EulerOptions{.stop = 2, .step = 1e-3})}) {
      check_stop(run.report, 0, 0);
      REQUIRE(run.report.output);
      const std::string& name = model.system().outputs[*run.report.output].name;
      CHECK((name == "push.f" || name == "body.a"));
    }
  }
}

// Of a motor that gives a power up to a force: from rest, and through rest and back.
TEST_CASE("a bound keeps a force from a pole") {
  const auto push = [](double t, double v) {
    return std::min(4.0, v == 0 ? 4.0 : 3 / std::fabs(v)) * std::cos(3 * t);
  };
  const Model model("motor.ltm", pushed_body("min(4, 3/abs(body.v))*cos(3*time)"));
  const Simulation run = simulate(model, TaylorOptions{0, 2, 0.01, 1e-10, false});
  REQUIRE(run.report.reason == StopReason::kDone);
  CHECK(run.report.events == 5);  // the bound twice each way, and rest
  double v = 0, s = 0;            // small steps by the midpoint rule, up to each row
  constexpr int kSteps = 200;
  const auto rate = [&](double t, double w) { return push(t, w) - std::copysign(0.3, w); };
  for (std::size_t i = 0; i < run.time.size(); ++i) {
    CHECK(std::fabs(run.column(model, "body.v")[i] - v) <= 2e-4);
    CHECK(std::fabs(run.column(model, "body.s")[i] - s) <= 2e-4);
    const double h = 0.01 / kSteps;
    for (int k = 0; k < kSteps; ++k) {
      const double t = run.time[i] + k * h, a = rate(t, v == 0 ? 1e-300 : v);
      const double middle = rate(t + h / 2, v + h / 2 * a);
      s += h * (v + h / 2 * middle);
      v += h * middle;
    }
  }
  for (const Simulation& other : {simulate(model, CvodeOptions{0, 2, 0.01, 1e-10, false}),
                                  simulate(model, EulerOptions{.stop = 2, .step = 1e-5})}) {
    REQUIRE(other.report.reason == StopReason::kDone);
    CHECK(std::fabs(other.column(model, "body.v").back() - run.column(model, "body.v").back()) <=
          1e-4);
  }
}

// 3/v, which jumps from one bound to the other at rest, draws the body to it from both sides.
TEST_CASE("a run that comes no further ends with what keeps it") {
  const Model model("relay.ltm", pushed_body("max(-4, min(4, 3/body.v))*cos(3*time)"));
  const Simulation run = simulate(model, TaylorOptions{0, 2, 0.1, 1e-6, false});
  CHECK(run.report.reason == StopReason::kEventStorm);
  CHECK(run.report.time == doctest::Approx(0.96199).epsilon(1e-4));
  REQUIRE(run.report.storm.size() >= 1);
  CHECK(run.report.storm.front().find("3/body.v") != std::string::npos);
  CHECK(simulate(model, CvodeOptions{0, 2, 0.1, 1e-6, false}).report.reason != StopReason::kDone);
}

}  // namespace luztar::test
