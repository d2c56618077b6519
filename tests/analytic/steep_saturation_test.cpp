// Forces that saturate, with gains so large that a spring and the one that takes off what it has
// beyond would leave no digits between them.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "tests/support/column_check.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

constexpr double kLargestResidual = 1e-13;  // of the energy

Model mass_on(const std::string& force) {
  return Model("steep_saturation", R"(
model Servo
  Translational.Mass mass(m = 1, s(start = 0.3));
  Translational.Force servo;
equation
  connect(servo.flange, mass.flange_a);
  servo.f = )" + force + R"(;
end Servo;
)");
}

TaylorOptions seconds(double stop) {
  TaylorOptions options;
  options.stop = stop;
  options.interval = stop / 100;
  options.tolerance = 1e-13;
  return options;
}

/// Of 0.3 m to start with, and an acceleration of 2 m/s2 to the middle.
double switched_at_zero(double t) {
  const double quarter = std::sqrt(2 * 0.3 / 2);
  const double turns = std::floor(t / (2 * quarter));
  const double s = t - (2 * turns + 1) * quarter;  // since the middle
  const double x = 2 * quarter * std::fabs(s) - s * s;
  const bool first = s < 0;
  return (std::fmod(turns, 2) == 0 ? 1 : -1) * (first ? x : -x);
}

void check_same(const Model& a, const Model& b, const std::string& column, double within) {
  const TaylorOptions options = seconds(5);
  const Simulation one = simulate(a, options), other = simulate(b, options);
  REQUIRE(one.report.reason == StopReason::kDone);
  REQUIRE(other.report.reason == StopReason::kDone);
  CHECK(one.report.events == other.report.events);
  const auto& x = one.column(a, column);
  const auto& y = other.column(b, column);
  REQUIRE(x.size() == y.size());
  for (std::size_t row = 0; row < x.size(); ++row) CHECK(std::fabs(x[row] - y[row]) < within);
}

}  // namespace

TEST_CASE("a servo of a gain of 1e16 switches") {
  const Model model = mass_on("nas(1e16*(0 - mass.s), 2)");
  const Simulation run = simulate(model, seconds(5));
  REQUIRE(run.report.reason == StopReason::kDone);
  CHECK(run.report.events == 10);  // two bends at each of five zeros
  const auto& s = run.column(model, "mass.s");
  for (std::size_t row = 0; row < run.time.size(); ++row) {
    CHECK(s[row] == doctest::Approx(switched_at_zero(run.time[row])).scale(1).epsilon(1e-12));
  }
  const RunReport audit = audited(model, seconds(5));
  CHECK(std::fabs(audit.energy->residual()) < kLargestResidual);
}

TEST_CASE("steep saturations as nas and as bounds") {
  SUBCASE("with play") {
    check_same(mass_on("-nas(1e10*luz(mass.s, 0.05), 2)"),
               mass_on("-max(-2, min(2, 1e10*luz(mass.s, 0.05)))"), "mass.s", 1e-11);
  }
  SUBCASE("of a gain that is no whole number") {
    check_same(mass_on("-nas(2857142857.142857*mass.s, 2)"),
               mass_on("-max(-2, min(2, 2857142857.142857*mass.s))"), "mass.s", 1e-11);
  }
  SUBCASE("about a place that moves") {
    check_same(mass_on("nas(1e8*(0.1*sin(3*time) - mass.s), 2)"),
               mass_on("max(-2, min(2, 1e8*(0.1*sin(3*time) - mass.s)))"), "mass.s", 1e-11);
  }
  SUBCASE("two of them beside a spring") {
    check_same(
        mass_on("-3*mass.s - nas(1e8*mass.s, 0.2) - nas(1e6*mass.s, 0.5)"),
        mass_on("-3*mass.s - max(-0.2, min(0.2, 1e8*mass.s)) - max(-0.5, min(0.5, 1e6*mass.s))"),
        "mass.s", 1e-11);
  }
}

TEST_CASE("a servo follows a prescribed motion: what drives it supplies the energy") {
  const Model model("driven_servo", R"(
model Saturated
  extends Translational.Interfaces.TwoFlanges;
  parameter Units.Force f_max = 2;
  parameter Units.TranslationalStiffness k = 1e9;
  parameter Units.Length play = 0.01;
equation
  f = nas(k*luz(s_rel, play), f_max);
end Saturated;
model Driven
  Translational.Position hand;
  Saturated servo;
  Translational.Mass mass(m = 1);
  Translational.SupportFriction guide(f0 = 0.5, d = 0.1);
equation
  hand.s_ref = 0.5*sin(2*time);
  connect(hand.flange, servo.flange_a);
  connect(servo.flange_b, mass.flange_a);
  connect(mass.flange_b, guide.flange_a);
end Driven;
)");
  const RunReport audit = audited(model, seconds(5));
  REQUIRE(audit.reason == StopReason::kDone);
  REQUIRE(audit.energy->supplied > 0.5);
  CHECK(std::fabs(audit.energy->residual()) < 1e-11 * audit.energy->supplied);
}

}  // namespace luztar::test
