// Laws in unusual places, against closed forms: friction written outside of its part, functions of
// what is constant within a mode.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

double speed_at(const std::string& text, double time) {
  const Model model("laws", text);
  const Simulation run = simulate(model, TaylorOptions{0, time, time, 1e-12, false});
  REQUIRE(run.report.reason == StopReason::kDone);
  return run.column(model, "wheel.w").back();
}

}  // namespace

TEST_CASE("a friction law of a part may stand in the model that contains the part") {
  const std::string text = R"(
model Law
  extends Rotational.Interfaces.TwoFlanges;
end Law;
model Laws
  Rotational.Inertia wheel(J = 0.5, w(start = 3));
  Rotational.Fixed ground;
  Law law;
equation
  law.tau = dryfriction(law.w_rel, 1, 1.5);
  connect(law.flange_a, wheel.flange_b);
  connect(law.flange_b, ground.flange);
end Laws;
)";
  CHECK(speed_at(text, 1) == doctest::Approx(1).epsilon(1e-12));
  CHECK(speed_at(text, 2) == 0);  // since 1.5 s
}

TEST_CASE("tables and splines of a sign are constant within a mode") {
  const auto text = [](const std::string& torque) {
    return "model Laws\n  Rotational.Inertia wheel(J = 0.5, w(start = 3));\n"
           "  Rotational.Torque motor(tau = " +
           torque + ");\nequation\n  connect(motor.flange, wheel.flange_a);\nend Laws;\n";
  };
  CHECK(speed_at(text("table(sign(wheel.w), {-1, 0, 1}, {1, 0, -1})"), 1) ==
        doctest::Approx(1).epsilon(1e-12));
  CHECK(speed_at(text("spline(sign(wheel.w), {-1, 0, 1}, {1, 0, -1})"), 1) ==
        doctest::Approx(1).epsilon(1e-12));
  // Twice the torque from 1 rad/s on: at 0.5 s.
  CHECK(speed_at(text("table(if wheel.w > 1 then 0 else 1, {0, 1}, {-2, -4})"), 0.5) ==
        doctest::Approx(1).epsilon(1e-12));
  CHECK(speed_at(text("table(if wheel.w > 1 then 0 else 1, {0, 1}, {-2, -4})"), 0.6) ==
        doctest::Approx(0.2).epsilon(1e-12));
}

TEST_CASE("coefficients as numbers: forces balance but for rounding") {
  // Two wheels at speeds 3 and 0 with a law of force c (w_1 - w_2), through a gear of the same c.
  for (const std::string c : {"0.4856", "0.1", "0.3", "1.7", "3.3", "7.77"}) {
    CAPTURE(c);
    const std::string text = R"(
model Law
  extends Rotational.Interfaces.TwoFlanges;
equation
  tau = )" + c + R"(*w_rel;
end Law;
model Gear
  extends Rotational.Interfaces.FlangePair;
equation
  flange_a.phi = )" + c + R"(*flange_b.phi;
  0 = )" + c + R"(*flange_a.tau + flange_b.tau;
end Gear;
model Laws
  Rotational.Inertia wheel(J = 1, w(start = 3)), other(J = 1);
  Rotational.Spring loose(k = 0);
  Law law, behind;
  Gear gear;
equation
  connect(wheel.flange_a, law.flange_a);
  connect(other.flange_a, law.flange_b);
  connect(wheel.flange_a, loose.flange_a);
  connect(other.flange_a, loose.flange_b);
  connect(wheel.flange_b, gear.flange_a);
  connect(gear.flange_b, behind.flange_a);
  connect(behind.flange_b, gear.flange_b);
end Laws;
)";
    CHECK(speed_at(text, 0.5) ==
          doctest::Approx(1.5 * (1 + std::exp(-2 * std::stod(c) * 0.5))).epsilon(1e-11));
  }
}

TEST_CASE("a damper with a constant torque moves a wheel without inertia") {
  // Its forces cancel but for rounding, in a connection where nothing else is left.
  const Model model("offset", R"(
model Law
  extends Rotational.Interfaces.TwoFlanges;
equation
  tau = 0.2635*w_rel + table(-0.5799, {-0.716, -0.635, 0.483, 0.834}, {0.453, -0.116, -0.223, -0.536});
end Law;
model Laws
  Rotational.Inertia node(J = 0, phi(start = -0.2902)), wheel(J = 1.205, w(start = 0.4319));
  Rotational.Fixed ground;
  Rotational.FreeplaySpring first(k = 11.27, half_freeplay = 0.214);
  Rotational.FreeplaySpring second(k = 14.16, half_freeplay = 0.1465);
  Law law;
  Rotational.BearingFriction bearing(d = 0.2, tau0 = 0.3, tau0_static = 0.4);
  Rotational.Torque load(tau = 1.649*sin(0.7409*time));
equation
  connect(node.flange_a, first.flange_b);
  connect(ground.flange, first.flange_a);
  connect(wheel.flange_a, second.flange_b);
  connect(node.flange_a, second.flange_a);
  connect(wheel.flange_a, law.flange_a);
  connect(node.flange_a, law.flange_b);
  connect(wheel.flange_a, bearing.flange_a);
  connect(load.flange, node.flange_a);
end Laws;
)");
  const Simulation taylor = simulate(model, TaylorOptions{0, 4, 0.5, 1e-12});
  const Simulation cvode = simulate(model, CvodeOptions{0, 4, 0.5, 1e-11, false});
  const std::vector<double>&phi = taylor.column(model, "wheel.phi"),
        &other = cvode.column(model, "wheel.phi");
  CHECK(std::fabs(phi.back()) > 0.1);
  CHECK(std::fabs(phi.back() - other.back()) < 1e-8);
}

// An inertia that grows with the angle, J (1 + phi^2): (J0 + J (1 + phi^2)) w^2/2 stays what it is.
TEST_CASE("a law takes an acceleration times what varies") {
  const Model model("rocker.ltm", R"(
model Rocker
  extends Rotational.Interfaces.OneFlange;
  parameter Units.MomentOfInertia J = 0.3;
  Real phi(unit = "rad");
  Real w(unit = "rad/s");
  Real a(unit = "rad/s2");
equation
  phi = flange.phi;
  w = der(phi);
  a = der(w);
  flange.tau = J*(1 + phi^2)*a + J*phi*w^2;
end Rocker;
model Swing
  Rotational.Inertia wheel(J = 1, w(start = 1));
  Rocker rocker;
equation
  connect(wheel.flange_a, rocker.flange);
end Swing;
)");
  for (const Simulation& run : {simulate(model, TaylorOptions{0, 6, 0.5, 1e-12, false}),
                                simulate(model, CvodeOptions{0, 6, 0.5, 1e-11, false})}) {
    REQUIRE(run.report.reason == StopReason::kDone);
    const std::vector<double>&w = run.column(model, "wheel.w"),
          &phi = run.column(model, "wheel.phi");
    for (std::size_t i = 0; i < w.size(); ++i) {
      CHECK(std::fabs((1.3 + 0.3 * phi[i] * phi[i]) * w[i] * w[i] - 1.3) <= 1e-8);
    }
  }
  const RunReport report = audited(model, TaylorOptions{0, 6, 1, 1e-12, false});
  CHECK(std::fabs(report.energy->residual()) <= 1e-12);
  CHECK(report.energy->supplied < -0.1);  // what the wheel has given to the rocker
}

// (m + m1 v/V) v' = F:  v + m1/(2 m V) v^2 = F t/m.
TEST_CASE("an inertia depends on the speed") {
  const Model model("sledge.ltm", R"(
model Snow "gathers as it goes"
  Translational.Interfaces.Flange flange;
  Real v(unit = "m/s");
  Real a(unit = "m/s2");
equation
  v = der(flange.s);
  a = der(v);
  flange.f = 0.5*v*a;
end Snow;
model Sledge
  Translational.Mass sledge(m = 1);
  Translational.Force pull(f = 1);
  Snow snow;
equation
  connect(sledge.flange_a, snow.flange);
  connect(pull.flange, sledge.flange_b);
end Sledge;
)");
  const Simulation run = simulate(model, TaylorOptions{0, 2, 2, 1e-12, false});
  CHECK(run.column(model, "sledge.v").back() ==
        doctest::Approx(2 * (std::sqrt(3) - 1)).epsilon(1e-11));
}

}  // namespace luztar::test
