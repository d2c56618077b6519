// Quantities that leave the edges of roots, signs and zones as broken powers of the time, where no
// coefficient of a series tells which way they go.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

struct Runs {
  Model model;
  Simulation taylor, cvode;

  Runs(const std::string& text, double stop)
      : model("edges.ltm", text),
        taylor(simulate(model, TaylorOptions{0, stop, stop / 8, 1e-11, false})),
        cvode(simulate(model, CvodeOptions{0, stop, stop / 8, 1e-10, false})) {
    REQUIRE(taylor.report.reason == StopReason::kDone);
    REQUIRE(cvode.report.reason == StopReason::kDone);
  }
};

/// The column of one is that of the other with the same motion by a law without such an edge, or
/// next to it.
void check_same(const Runs& runs, const Runs& expected, const std::string& column,
                double bound = 1e-8) {
  const std::vector<double>& right = expected.taylor.column(expected.model, column);
  for (const Simulation* run : {&runs.taylor, &runs.cvode}) {
    const std::vector<double>& values = run->column(runs.model, column);
    REQUIRE(values.size() == right.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      CAPTURE(i);
      CHECK(std::fabs(values[i] - right[i]) <= (run == &runs.taylor ? bound : bound + 1e-6));
    }
  }
}

/// der(p) = rate, p(0) = start
std::string level(const std::string& rate, const std::string& start = "0",
                  const std::string& signal = "0") {
  return "model Level\n  Real u = " + signal + ";\n  Real p(start = " + start +
         ", fixed = true);\nequation\n  der(p) = " + rate + ";\nend Level;\n";
}

/// A pushed body draws another one along by a resistance of the power n, which the ground resists
/// by the same.
std::string drawn(const std::string& push, const std::string& power_of_v) {
  return R"(
model Ground
  parameter Real c = 1;
  Translational.Interfaces.Flange flange;
  Real v(unit = "m/s") = der(flange.s);
equation
  flange.f = )" +
         power_of_v + R"(;
end Ground;
model Coupling
  parameter Real c = 1;
  extends Translational.Interfaces.TwoFlanges;
  Real v(unit = "m/s") = v_rel;
equation
  f = )" +
         power_of_v +
         R"(;
end Coupling;
model Drawn
  Translational.Mass a(m = 1), b(m = 1);
  Translational.Force pull;
  Coupling coupling;
  Ground ground;
equation
  pull.f = )" +
         push + R"(;
  connect(pull.flange, a.flange_a);
  connect(coupling.flange_a, a.flange_b);
  connect(coupling.flange_b, b.flange_a);
  connect(ground.flange, b.flange_b);
end Drawn;
)";
}

TEST_CASE("a body that another one draws along by a broken power of the speed") {
  for (const std::string power : {"1.5", "1.75", "2.5"}) {
    CAPTURE(power);
    const Runs by_sign(drawn("1", "c*sign(v)*abs(v)^" + power), 3);
    const Runs by_parts(drawn("1", "c*(max(v, 0)^" + power + " - max(-v, 0)^" + power + ")"), 3);
    CHECK(by_parts.taylor.column(by_parts.model, "ground.flange.f").back() > 0.1);
    for (const char* column : {"a.v", "b.v", "ground.flange.f"}) {
      check_same(by_sign, by_parts, column);
    }
  }
}

TEST_CASE("a resistance by the speed against a force that begins as a broken power") {
  for (const std::string push :
       {"sqrt(time)", "time^1.5", "sqrt(max(0, time - 1))", "max(0, time - 1)^1.5"}) {
    CAPTURE(push);
    const Runs by_size(drawn(push, "c*v*abs(v)"), 3);
    const Runs by_parts(drawn(push, "c*(max(v, 0)^2 - max(-v, 0)^2)"), 3);
    CHECK(by_parts.taylor.column(by_parts.model, "ground.flange.f").back() > 0.01);
    for (const char* column : {"a.v", "b.v", "ground.flange.f"}) {
      check_same(by_size, by_parts, column);
    }
  }
}

// Both leave zero at 1 s.
TEST_CASE("a flow by the root of the level against one that begins as a root") {
  const std::string drain = " - sign(p)*sqrt(abs(p))";
  for (const char* flow : {"sqrt(max(0, time - 1))", "if time < 1 then 0 else sqrt(time - 1)"}) {
    const Runs runs(level(flow + drain), 3);
    const Runs beside(level(std::string(flow) + " - p/sqrt(abs(p) + 1e-13)"), 3);
    CHECK(beside.taylor.column(beside.model, "p").back() == doctest::Approx(0.80373).epsilon(1e-5));
    check_same(runs, beside, "p", 1e-6);
  }
}

// The bends of the supply and of the flow are passed in one instant.
TEST_CASE("a flow by a power of the way to a supply that begins to rise") {
  for (const std::string power : {"0.5", "0.7", "1.5"}) {
    CAPTURE(power);
    const std::string flow = "sign(u - p)*abs(u - p)^" + power;
    const Runs by_bend(level(flow, "0", "max(0, time - 1)"), 3);
    const Runs by_time(level(flow, "0", "if time < 1 then 0 else time - 1"), 3);
    CHECK(by_time.taylor.column(by_time.model, "p").back() > 0.5);
    check_same(by_bend, by_time, "p");
  }
  CHECK(Runs(level("sqrt(abs(u - p))", "0", "max(0, time - 1)"), 3).taylor.columns.front().back() >
        0.5);
}

// p = 1 - c t^2 with 2 c = 1/2 - sqrt(c): beside 1 the way is rounding for long.
TEST_CASE("a level that leaves its balance at another level than zero") {
  const double root = (std::sqrt(5.0) - 1) / 4;  // of c
  const Runs runs(level("sign(1 - p)*sqrt(abs(1 - p)) - 0.5*time", "1"), 2);
  for (const Simulation* run : {&runs.taylor, &runs.cvode}) {
    const std::vector<double>& p = run->column(runs.model, "p");
    for (std::size_t i = 0; i < p.size(); ++i) {
      const double way = root * run->time[i];
      CHECK(p[i] == doctest::Approx(1 - way * way).epsilon(1e-8));
    }
  }
}

// Where the mass comes to rest, its load is that of the dry part, and the speed has a double root.
TEST_CASE("a body under a dry friction and one by the root of the speed comes to rest") {
  const auto braked = [](const std::string& root) {
    const Model model("braked.ltm", R"(
model Braked
  Translational.Mass body(m = 0.2, v(start = 0.1, fixed = true));
  Translational.Brake brake(fn_max = 2, f_normalized = 0.05 + )" +
                                        root + R"();
  Translational.Force load;
equation
  load.f = 0.1*sin(2*time);
  connect(load.flange, body.flange_a);
  connect(brake.flange_a, body.flange_a);
end Braked;
)");
    const Simulation run = simulate(model, TaylorOptions{0, 5, 0.25, 1e-10, false});
    REQUIRE(run.report.reason == StopReason::kDone);
    return run.column(model, "body.v");
  };
  const std::vector<double> v = braked("sqrt(abs(body.v))");
  const std::vector<double> beside = braked("sqrt(abs(body.v) + 1e-12)");
  CHECK(v[16] == doctest::Approx(0.002436064).epsilon(1e-6));
  for (std::size_t i = 0; i < v.size(); ++i) CHECK(std::fabs(v[i] - beside[i]) <= 1e-6);
}

// 3/2 p' = d/dt (time - 1)^(3/2) beyond the zone, whose edge is one of the root, too.
TEST_CASE("the root of a zone") {
  const Runs runs(level("sqrt(luz(time, 1))"), 3);
  for (const Simulation* run : {&runs.taylor, &runs.cvode}) {
    const std::vector<double>& p = run->column(runs.model, "p");
    for (std::size_t i = 0; i < p.size(); ++i) {
      const double beyond = std::max(run->time[i] - 1, 0.0);
      CHECK(std::fabs(p[i] - std::pow(beyond, 1.5) / 1.5) <= 1e-8);
    }
  }
}

// 1 < 1 does not hold: the brake is open, and the wheel goes on.
TEST_CASE("a brake whose size is a relation of its own slip, started on the edge of that") {
  for (const char* relation :
       {"abs(wheel.w) < 1", "1 > abs(wheel.w)", "wheel.w < 1", "max(wheel.w, 0) < 1"}) {
    CAPTURE(relation);
    const Runs runs(std::string(R"(
model Edge
  Rotational.Inertia wheel(J = 1, w(start = 1, fixed = true));
  Rotational.Brake brake(fn_max = 2);
equation
  brake.f_normalized = if )") +
                        relation + R"( then 2 else 0;
  connect(brake.flange_a, wheel.flange_a);
end Edge;
)",
                    1);
    CHECK(runs.taylor.column(runs.model, "brake.f_normalized").front() == 0);
    CHECK(runs.taylor.column(runs.model, "wheel.w").back() == 1);
    CHECK(runs.cvode.column(runs.model, "wheel.w").back() == 1);
  }
}

}  // namespace
// 0.1 and its like are no binary fractions: where the period begins again the remainder is rounding
// of either sign.
TEST_CASE("a root of the time since the last of many instants") {
  for (const std::string size :
       {"mod(time, 0.1)", "max(mod(time, 0.1), 0)", "abs(mod(time, 0.1))"}) {
    CAPTURE(size);
    const Model model("saw_tooth", R"(
model SawTooth
  Real v(start = 0);
  Real shown = sqrt()" + size + R"();
equation
  der(v) = sqrt()" + size + R"();
end SawTooth;
)");
    const Simulation run = simulate(model, TaylorOptions{0, 2, 0.03, 1e-12, true});
    REQUIRE(run.report.reason == StopReason::kDone);
    for (std::size_t i = 0; i < run.time.size(); ++i) {
      const double t = run.time[i], whole = std::floor(t / 0.1 + 1e-9);
      const double part = std::max(t - 0.1 * whole, 0.0);
      const double v = 2.0 / 3 * (whole * std::pow(0.1, 1.5) + std::pow(part, 1.5));
      CHECK(std::fabs(run.column(model, "v")[i] - v) < 1e-11);
      CHECK(std::isfinite(run.column(model, "shown")[i]));
    }
  }
}

}  // namespace luztar::test
