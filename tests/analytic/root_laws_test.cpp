// Laws with roots and powers of what begins with zero, passes through it or comes to rest there,
// where the motion has no Taylor series.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "tests/support/column_check.h"
#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

/// A mass of 1 kg against a resistance in its speed v, which is `start` at first, and the signal
/// declared as `force`.
Model driven(const std::string& resistance, const std::string& start, const std::string& force) {
  return Model("driven", R"(
model Resistance
  extends Translational.Interfaces.TwoFlanges;
  parameter Real n = 2, c = 1;
  parameter Units.Velocity unit = 1;
  Units.Velocity v;
  Units.Length d;
equation
  v = der(flange_b.s) - der(flange_a.s);
  d = flange_b.s - flange_a.s;
  f = )" + resistance + R"(;
end Resistance;
model Driven
  Translational.Mass mass(m = 1, v(start = )" +
                             start + R"());
  Translational.Force push;
  Resistance resistance;
  Translational.Fixed ground;
  )" + force + R"(;
equation
  connect(signal.y, push.f);
  connect(push.flange, mass.flange_a);
  connect(ground.flange, resistance.flange_a);
  connect(resistance.flange_b, mass.flange_b);
end Driven;
)");
}

/// Pushed by 1 N.
Model pushed(const std::string& resistance, const std::string& start = "0") {
  return driven(resistance, start, "Blocks.Constant signal(k = 1)");
}

Model alone(const std::string& resistance, const std::string& start = "1") {
  return driven(resistance, start, "Blocks.Constant signal(k = 0)");
}

CvodeOptions by_cvode(double stop) { return {.stop = stop, .interval = 0.05, .tolerance = 1e-10}; }

/// Greatest difference between the time of a row and that at which the mass has its speed.
double worst_time(const Simulation& run, const Model& model, const Function& time_at) {
  REQUIRE(run.report.reason == StopReason::kDone);
  const std::vector<double>& v = run.column(model, "mass.v");
  double greatest = 0;
  for (std::size_t i = 0; i < run.time.size(); ++i) {
    greatest = std::max(greatest, std::fabs(time_at(v[i]) - run.time[i]));
  }
  return greatest;
}

void check_times(const Model& model, const Function& time_at) {
  CHECK(worst_time(audited_run(model, 3, 0.05), model, time_at) <= 1e-10);
  CHECK(worst_time(simulate(model, by_cvode(3)), model, time_at) <= 1e-7);
}

void check_speed(const Model& model, double stop, const Function& expected) {
  CHECK(greatest_error(audited_run(model, stop, 0.05), model, "mass.v", expected) <= 1e-10);
  const Simulation other = simulate(model, by_cvode(stop));
  REQUIRE(other.report.reason == StopReason::kDone);
  CHECK(greatest_error(other, model, "mass.v", expected) <= 1e-7);
}

void check_agreement(const Model& model, double stop, std::uint64_t events, double bound = 3e-8) {
  const Simulation exact = audited_run(model, stop, 0.05);
  const Simulation other = simulate(
      model, CvodeOptions{.stop = stop, .interval = 0.05, .tolerance = 1e-11, .event_rows = false});
  const Simulation rows = simulate(
      model,
      TaylorOptions{.stop = stop, .interval = 0.05, .tolerance = 1e-12, .event_rows = false});
  REQUIRE(other.report.reason == StopReason::kDone);
  CHECK(exact.report.events == events);
  CHECK(other.report.events == events);
  for (const Deviation& d : motion_deviations(model, rows, model, other)) {
    INFO(d.column);
    CHECK(d.relative() <= bound);
  }
}

/// From rest to the speed v, with v' = 1 - sqrt(v).
double time_from_rest(double v) {
  const double r = std::sqrt(v);
  return -2 * (r + std::log1p(-r));
}

/// The speed v, from -1 on, with v' = 1 - sign(v) sqrt(|v|).
double time_through_rest(double v) {
  const double rest = 2 * (1 - std::log(2.0)), r = std::sqrt(std::fabs(v));
  return v < 0 ? rest - 2 * (r - std::log1p(r)) : rest + time_from_rest(v);
}

TEST_CASE("a resistance by the root of the speed, from rest") {
  check_times(pushed("c*sqrt(v)"), time_from_rest);
}

TEST_CASE("a resistance by the root of the speed, through rest") {
  check_times(pushed("c*sign(v)*abs(v)^0.5", "-1"), time_through_rest);
  check_times(pushed("sqrt(abs(v))*c*sign(v)", "-1"), time_through_rest);
  check_times(pushed("if v > 0 then c*sqrt(v) else -c*sqrt(-v)", "-1"), time_through_rest);
  check_times(pushed("c*sqrt(max(v, 0)) - c*sqrt(-min(v, 0))", "-1"), time_through_rest);
}

TEST_CASE("a resistance by a power that is a parameter, through rest") {
  Model root = pushed("c*sign(v)*(abs(v)/unit)^n", "-1");
  root.set({{"resistance.n", 0.5}});
  check_times(root, time_through_rest);
  // v' = 1 - v |v|: the series go on, one on each side.
  check_speed(pushed("c*sign(v)*(abs(v)/unit)^n", "-1"), 3, [](double t) {
    const double rest = std::numbers::pi / 4;
    return t < rest ? std::tan(t - rest) : std::tanh(t - rest);
  });
}

TEST_CASE("a resistance by a power of the speed brings a mass to rest in finite time") {
  // v' = -v^p: v^(1 - p) = 1 - (1 - p) t. Where p = 1/2 or 3/4 v touches zero as a polynomial.
  for (const double p : {0.25, 0.5, 0.75}) {
    INFO(p);
    Model model = alone("c*sign(v)*(abs(v)/unit)^n");
    model.set({{"resistance.n", p}});
    const auto speed = [p](double t) {
      return std::pow(std::max(1 - (1 - p) * t, 0.0), 1 / (1 - p));
    };
    check_speed(model, 7, speed);
    CHECK(audited_run(model, 7, 0.05).report.events <= 2);
  }
  check_speed(alone("c*sqrt(v)"), 3,
              [](double t) { return std::pow(std::max(1 - t / 2, 0.0), 2); });
}

// sqrt(v^2) is |v|, and its series before v = 0 is -v: v' = 1 - |v|/2.
TEST_CASE("a root of what touches zero and rises again") {
  const double rest = 2 * std::log(2.0);
  for (const char* law : {"0.5*c*sqrt(v^2)", "0.5*c*sqrt(v^2 + 1e-20*unit^2)"}) {
    INFO(law);
    check_speed(pushed(law, "-1"), 4, [rest](double t) {
      return t < rest ? std::exp(t / 2) - 2 : 2 * (1 - std::exp((rest - t) / 2));
    });
  }
}

TEST_CASE("a root of what becomes negative has no value: the run stops there") {
  const Model model = driven("c*sqrt(v + 0.5*unit)", "0.2", "Blocks.Constant signal(k = -3)");
  const Simulation run = simulate(model, TaylorOptions{.stop = 4, .tolerance = 1e-10});
  CHECK(run.report.reason != StopReason::kDone);
  CHECK(run.time.back() < 0.2);
}

TEST_CASE("a mass that a root has brought to rest is pushed again") {
  const Model model = driven("c*sign(v)*sqrt(abs(v))", "1", "Blocks.Step signal(startTime = 3)");
  const auto time_at = [](double v) { return 3 + time_from_rest(v); };
  for (const Simulation& run : {audited_run(model, 6, 0.05), simulate(model, by_cvode(6))}) {
    REQUIRE(run.report.reason == StopReason::kDone);
    const std::vector<double>& v = run.column(model, "mass.v");
    for (std::size_t i = 0; i < run.time.size(); ++i) {
      const double t = run.time[i];
      if (t <= 3) CHECK(std::fabs(v[i] - std::pow(std::max(1 - t / 2, 0.0), 2)) <= 1e-8);
      if (t > 3) CHECK(std::fabs(time_at(v[i]) - t) <= 1e-7);
    }
  }
}

TEST_CASE("a load that grows as a root from an instant on") {
  check_speed(alone("c*sqrt(max(time - 1, 0))", "0"), 3,
              [](double t) { return -2 * std::pow(std::max(t - 1, 0.0), 1.5) / 3; });
  check_speed(alone("c*max(time - 1, 0)^0.25", "0"), 3,
              [](double t) { return -4 * std::pow(std::max(t - 1, 0.0), 1.25) / 5; });
}

/// k d^1.5 takes a body of 1 kg and the speed u to d = (5 u^2/(4 k))^(2/5), for
/// 4 sqrt(pi)/5 Gamma(2/5)/Gamma(9/10) d/u, and gives it its speed back (Hertz 1882).
double hertz_contact(double k, double u) {
  const double depth = std::pow(5 * u * u / (4 * k), 0.4);
  return 0.8 * std::sqrt(std::numbers::pi) * std::tgamma(0.4) / std::tgamma(0.9) * depth / u;
}

TEST_CASE("a body that strikes a sphere: Hertz's duration of contact") {
  constexpr double kStiffness = 500, kGap = 0.1, kSpeed = 2;
  const Model model = alone("500*max(d - 0.1, 0)^1.5", "2");
  const double contact = hertz_contact(kStiffness, kSpeed);
  const Simulation exact = audited_run(model, 1, 0.05), other = simulate(model, by_cvode(1));
  for (const auto& [run, bound] : {std::pair{&exact, 1e-10}, std::pair{&other, 1e-7}}) {
    REQUIRE(run->report.reason == StopReason::kDone);
    CHECK(run->report.events == 2);
    CHECK(std::fabs(run->column(model, "mass.v").back() + kSpeed) <= bound);
    const double back = kGap - kSpeed * (1 - kGap / kSpeed - contact);
    CHECK(std::fabs(run->column(model, "mass.s").back() - back) <= bound);
  }
}

// As above at both ends of a gap, after periods of twice the flight and twice the contact: whatever
// the end of the run, a step along the rates at the end of a contact does not pass over that.
TEST_CASE("a body between two spheres is where it was after many periods") {
  constexpr double kStiffness = 500, kGap = 0.1, kSpeed = 2;
  const double contact = hertz_contact(kStiffness, kSpeed);
  const double period = 4 * kGap / kSpeed + 2 * contact;
  for (const char* law : {"500*max(d - 0.1, 0)^1.5 - 500*max(-d - 0.1, 0)^1.5",
                          "(if d > 0.1 then 500*(d - 0.1)^1.5 else 0) - "
                          "(if d < -0.1 then 500*(-d - 0.1)^1.5 else 0)"}) {
    INFO(law);
    const Model model = alone(law, "2");
    for (const int periods : {3, 10, 25}) {
      INFO(periods);
      for (const double tolerance : {1e-6, 1e-14}) {
        const Simulation run = simulate(
            model, TaylorOptions{.stop = periods * period, .interval = 1, .tolerance = tolerance});
        REQUIRE(run.report.reason == StopReason::kDone);
        CHECK(run.report.events >= 4 * static_cast<std::uint64_t>(periods));
        const double bound = tolerance < 1e-10 ? 1e-10 : 2e-4;
        CHECK(std::fabs(run.column(model, "mass.v").back() - kSpeed) <= bound);
        CHECK(std::fabs(run.column(model, "mass.s").back()) <= bound);
      }
    }
  }
}

TEST_CASE("a resistance by a power of the speed, through rest: both solvers agree") {
  for (const char* law : {"c*v*abs(v)^0.75", "c*v*abs(v)^1.5", "c*v*abs(v)^0.5",
                          "c*sign(v)*(2*abs(v))^1.25", "c*sign(v)*sqrt(abs(v) + 3*v^2)"}) {
    INFO(law);
    check_agreement(pushed(law, "-1"), 4, 1);
  }
}

TEST_CASE("an oscillator with a damping by a power passes through rest many times") {
  for (const char* law :
       {"0.3*v*abs(v)^0.75 + 40*d", "0.3*v*abs(v)^0.5 + 40*d", "0.3*sign(v)*sqrt(abs(v)) + 40*d"}) {
    INFO(law);
    check_agreement(alone(law), 4, 8);
  }
}

TEST_CASE("bodies at speed whose difference passes through zero") {
  const Model model("two", R"(
model Resistance
  extends Translational.Interfaces.TwoFlanges;
  Units.Velocity v;
equation
  v = der(flange_b.s) - der(flange_a.s);
  f = 2*sign(v)*abs(v)^1.75;
end Resistance;
model Two
  Translational.Mass a(m = 1, v(start = 100)), b(m = 2, v(start = 99));
  Translational.Spring spring(k = 40);
  Resistance r;
equation
  connect(a.flange_b, r.flange_a);
  connect(r.flange_b, b.flange_a);
  connect(a.flange_b, spring.flange_a);
  connect(spring.flange_b, b.flange_a);
end Two;
)");
  check_agreement(model, 4, 10, 1e-6);  // the errors of CVODE are relative to the speeds
}

// The speed follows (T/c)^2 and touches zero with the load: few events, none in a row.
TEST_CASE("a root that damps a slow load: its zeros are no storm") {
  const Model model = driven("30*c*sign(v)*sqrt(abs(v))", "0", "Blocks.Sine signal(f = 0.5)");
  const CvodeOptions options{.stop = 4, .interval = 0.05, .tolerance = 1e-10, .event_rows = false};
  const Simulation other = simulate(model, options);
  REQUIRE(other.report.reason == StopReason::kDone);
  CHECK(other.report.events <= 20);
  const Simulation exact = simulate(
      model, TaylorOptions{.stop = 4, .interval = 0.05, .tolerance = 1e-12, .event_rows = false});
  REQUIRE(exact.report.reason == StopReason::kDone);
  for (const Deviation& d : motion_deviations(model, exact, model, other)) {
    INFO(d.column);
    CHECK(d.relative() <= 1e-7);
  }
}

TEST_CASE("a resistance by the speed to a power that is a parameter: v = tanh t for 2") {
  const Model model = pushed("c*(v/unit)^n");
  check_column(
      model, 3, "mass.v", [](double t) { return std::tanh(t); }, 1e-3);
}

}  // namespace
}  // namespace luztar::test
