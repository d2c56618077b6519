// Jumps and bends of each other: where one watches what another takes with it in the same instant,
// all of them have the values that follow, before rates tell anything. Closed forms.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "tests/support/column_check.h"
#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {

namespace {

/// At the end of a run by both solvers, CVODE with a tolerance of its own.
void check_end(const std::string& name, const std::string& text, double stop,
               const std::string& column, double expected, double tolerance = 1e-9) {
  CAPTURE(name);
  const Model model("nested.ltm", text);
  for (const bool exact : {true, false}) {
    CAPTURE(exact);
    const Simulation run =
        exact ? simulate(model, TaylorOptions{0, stop, stop / 10, 1e-10, false})
              : simulate(model, CvodeOptions{0, stop, stop / 10, tolerance, false});
    REQUIRE(run.report.reason == StopReason::kDone);
    CHECK(std::fabs(run.column(model, column).back() - expected) < (exact ? 1e-9 : 1e-6));
  }
}

/// A wheel under a torque and a bearing, and another one under `load`.
std::string two_wheels(const std::string& torque, const std::string& bearing,
                       const std::string& load, const std::string& start = "0") {
  return R"(
model Wheels
  Rotational.Inertia i(J = 1, w(start = )" +
         start + R"()), j(J = 1);
  Rotational.BearingFriction bearing(tau0 = )" +
         bearing + R"();
  Rotational.Torque drive, load;
equation
  drive.tau = )" +
         torque + R"(;
  load.tau = )" +
         load + R"(;
  connect(drive.flange, i.flange_a);
  connect(i.flange_b, bearing.flange_a);
  connect(load.flange, j.flange_a);
end Wheels;
)";
}

}  // namespace

// From 0.5 s on w = -(t - 0.5)^2/2, and mod(w, 0.6) = 0.6 + w.
TEST_CASE("a remainder jumps where a wheel breaks away") {
  const double w_integral = 0.5 * 0.5 * 0.5 / 6;
  check_end("beside", two_wheels("-time", "0.5", "1*abs(mod(i.w, 0.6))"), 1, "j.w",
            0.3 - w_integral);
}

// The wheel slips back at 0.25 s, at once: floor(1.2 - 1.6 s) is 1 for 0.125 s.
TEST_CASE("a remainder jumps where a slip turns") {
  const std::string text = two_wheels("-1", "0.2", "floor(2*mod(i.w, 0.6))", "0.3");
  check_end("acts", text, 0.5, "j.w", 0.125);
  check_end("is a result", R"(
model Turns
  Rotational.Inertia i(J = 1, w(start = 0.3));
  Rotational.Torque torque;
  Rotational.BearingFriction bearing(tau0 = 0.2);
  Real y = floor(2*mod(i.w, 0.6));
equation
  torque.tau = -1;
  connect(torque.flange, i.flange_a);
  connect(bearing.flange_a, i.flange_a);
end Turns;
)",
            0.3, "y", 1);
  // w' = -2.3 - w^3, then -2.3 + (1 + w^3): by quadrature of dw/(2.3 + w^3) and dw/(1.3 + w^3).
  check_end("is the size of the friction", R"(
model Remainder
  Rotational.Interfaces.Flange flange;
  Real w = der(flange.phi), x = w^3, c = abs(x - floor(x));
equation
  flange.tau = dryfriction(w, c, c);
end Remainder;
model Sized
  Rotational.Inertia i(J = 1, w(start = 0.3));
  Rotational.Torque torque;
  Remainder remainder;
equation
  torque.tau = -2.3;
  connect(torque.flange, i.flange_a);
  connect(remainder.flange, i.flange_a);
end Sized;
)",
            0.3, "i.w", -0.22138889459256, 1e-10);
}

TEST_CASE("a remainder or an if jumps where luz leaves its dead zone") {
  check_end("remainder", two_wheels("0", "0", "abs(mod(luz(0.1 - time, 0.1), 0.6))"), 0.5, "j.w",
            0.6 * 0.3 - 0.3 * 0.3 / 2);
  check_end("if", R"(
model Behind
  Rotational.Inertia i(J = 1), k(J = 1, phi(start = 0.2), w(start = -0.2));
  Rotational.Torque torque;
  Real x = luz(k.phi, 0.1);
equation
  torque.tau = abs(if x < 0 then -0.5 else x);
  connect(torque.flange, i.flange_a);
end Behind;
)",
            2, "i.w", 0.025 + 0.5 * 0.5);
  // Into the dead zone, where the remainder of zero is zero.
  for (const double tolerance : {1e-6, 1e-7, 1e-10}) {
    check_end("into",
              two_wheels("mod(luz(0.2 - 0.2*time, 0.1), 0.6)", "0",
                         "abs(mod(luz(0.2 - 0.2*time, 0.1), 0.6))"),
              2, "i.w", 0.025 + 0.6 * 0.5 - 0.1 * 0.5 / 2, tolerance);
  }
}

// -1 - 5|w| all the same.
TEST_CASE("branches of opposite signs below abs make no wall") {
  const double zero = std::log(0.79 / 0.2) / 5;
  check_end("if", two_wheels("-1 - 5*abs(if i.w < 0.5 then i.w else -i.w)", "0", "0", "0.59"), 1,
            "i.w", 0.2 - 0.2 * std::exp(5 * (1 - zero)));
  // w' = -1 - 5|r - 0.25| with the remainder r from 0.09, 0.5 and 0.5 down: in each the time for a
  // piece d of |r - 0.25| is log(1 + 5 d)/5.
  const auto time_of = [](double d) { return std::log(1 + 5 * d) / 5; };
  const double whole = 2 * time_of(0.25);
  const double passed = time_of(0.25) - time_of(0.16) + whole;  // w = 0
  const double rest = 0.5 - passed;
  REQUIRE(rest > 0);
  REQUIRE(rest < time_of(0.25));
  const double d = 0.25 - ((1 + 5 * 0.25) * std::exp(-5 * rest) - 1) / 5;
  check_end("remainder", two_wheels("-1 - 5*abs(mod(i.w, 0.5) - 0.25)", "0", "0", "0.59"), 0.5,
            "i.w", -d);
}

// Jumps inside noEvent are come upon, at no edge of what stands around it.
TEST_CASE("relations around noEvent follow its jumps") {
  check_end("floor", R"(
model Around
  Real u = if time < 1 then 0.5 else 1.5;
  Rotational.Inertia i(J = 1);
  Rotational.Torque torque;
equation
  torque.tau = floor(noEvent(abs(u))) + (if noEvent(abs(u)) > 1 then 1 else 0);
  connect(torque.flange, i.flange_a);
end Around;
)",
            3, "i.w", 4);
}

TEST_CASE("integers that a square touches, as a result, do not hold up the motion") {
  const Model model("touches.ltm", R"(
model Touches
  Translational.Mass m(m = 1, s(start = 0.2), v(start = 0.5));
  Translational.SpringDamper k(k = 5, d = 1);
  Translational.Fixed w;
  Real S = m.s, y0 = ceil(S*S), y1 = ceil(abs(S)), y2 = ceil(abs(S)^2);
equation
  connect(w.flange, k.flange_a);
  connect(k.flange_b, m.flange_a);
end Touches;
)");
  const Simulation run = simulate(model, TaylorOptions{0, 8, 0.5, 1e-10, false});
  REQUIRE(run.report.reason == StopReason::kDone);
  for (const char* name : {"y0", "y1", "y2"}) {
    for (const double y : run.column(model, name)) CHECK(y == 1);
  }
}

// Within the play luz is zero, and so is what is made of it: a relation with zero holds there or
// not for as long as that lasts.
TEST_CASE("relations of what is zero throughout a zone") {
  struct Law {
    std::string text;
    double below, within, above;
  };
  for (const Law& law :
       {Law{"luz(s, 0.2)^2 > 0", 1, 0, 1}, Law{"luz(s, 0.2)^3 > 0", 0, 0, 1},
        Law{"luz(s, 0.2)^3 >= 0", 0, 1, 1}, Law{"luz(s, 0.2)^2 <= 0", 0, 1, 0},
        Law{"luz(s, 0.2)*luz(s, 0.1) > 0", 1, 0, 1}, Law{"max(s - 0.2, 0)^2 > 0", 0, 0, 1},
        Law{"sqrt(max(s - 0.2, 0)) > 0", 0, 0, 1}}) {
    CAPTURE(law.text);
    const Model model("zone", R"(
model Zone
  Real s = m.s;
  Real w = if )" + law.text + R"( then 1 else 0;
  Translational.Mass m(m = 1, s(start = 0.4, fixed = true));
  Translational.Spring spring(k = 9);
  Translational.Fixed ground;
  Translational.Force push;
equation
  push.f = 0.1*w;
  connect(push.flange, m.flange_a);
  connect(m.flange_b, spring.flange_a);
  connect(spring.flange_b, ground.flange);
end Zone;
)");
    const auto check = [&](const Simulation& run) {
      REQUIRE(run.report.reason == StopReason::kDone);
      for (std::size_t row = 0; row < run.time.size(); ++row) {
        const double s = run.column(model, "s")[row];
        if (std::fabs(std::fabs(s) - 0.2) < 1e-6) continue;
        const double expected = s < -0.2 ? law.below : s > 0.2 ? law.above : law.within;
        CHECK(run.column(model, "w")[row] == expected);
      }
    };
    check(simulate(model, TaylorOptions{0, 4, 0.05, 1e-10, false}));
    check(simulate(model, CvodeOptions{0, 4, 0.05, 1e-9, false}));
  }
}

TEST_CASE("the sign of a root as a result alone, from where it is zero") {
  const Model model("root", R"(
model Root
  Real x = sin(pi*time);
  Real r = 2*sqrt(max(x, 0));
  Real positive = if r > 0 then 1 else 0;
  Real side = sign(sqrt(max(x, 0)));
end Root;
)");
  const Simulation run = simulate(model, TaylorOptions{0, 4, 0.05, 1e-9, false});
  REQUIRE(run.report.reason == StopReason::kDone);
  for (std::size_t row = 0; row < run.time.size(); ++row) {
    const double x = std::sin(std::acos(-1.0) * run.time[row]);
    if (std::fabs(x) < 1e-9) continue;
    CHECK(run.column(model, "positive")[row] == (x > 0 ? 1 : 0));
    CHECK(run.column(model, "side")[row] == (x > 0 ? 1 : 0));
  }
}

}  // namespace luztar::test
