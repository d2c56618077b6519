// Mechanisms in which numbers are small: sizes count by what they are compared with.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "tests/support/exact_run.h"
#include "tests/support/linkages.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

TEST_CASE("a force that is a small number times a signal acts") {
  const Model model("micro.ltm", R"(
model Micro
  Translational.Mass slider(m = 2e-12);
  Translational.SupportFriction ground(f0 = 1e-12);
  Translational.Force push;
equation
  push.f = 3e-12*time;
  connect(push.flange, slider.flange_a);
  connect(slider.flange_b, ground.flange_a);
end Micro;
)");
  const Simulation run = exact_run(model, 2, 0.5, true);
  const double since = 2 - 1.0 / 3;  // break-away
  CHECK(std::fabs(run.column(model, "slider.v").back() - 0.75 * since * since) < 1e-13);
}

TEST_CASE("an inertia written as a small number is one") {
  const Model model("grain.ltm", R"(
model Grain
  Translational.Interfaces.Flange flange;
  Real s(unit = "m"), v(unit = "m/s");
equation
  s = flange.s;
  v = der(s);
  1e-10*der(v) = flange.f;
end Grain;
model Trap
  Grain grain(v(start = 1));
  Translational.Spring spring(k = 1e-8);
  Translational.Fixed wall;
equation
  connect(wall.flange, spring.flange_a);
  connect(spring.flange_b, grain.flange);
end Trap;
)");
  const Simulation run = exact_run(model, 1, 0.5, true);
  CHECK(std::fabs(run.column(model, "grain.s").back() - std::sin(10.0) / 10) < 1e-12);
}

TEST_CASE("a ratio written as a small number is one") {
  const Model model("lever.ltm", R"(
model Lever
  extends Rotational.Interfaces.FlangePair;
equation
  flange_a.phi = 1e-10*flange_b.phi;
  0 = 1e-10*flange_a.tau + flange_b.tau;
end Lever;
model Heavy
  Rotational.Inertia large(J = 1e20), small(J = 1, w(start = 1));
  Lever lever;
  Rotational.Torque push(tau = 1e10);
equation
  connect(push.flange, large.flange_a);
  connect(large.flange_b, lever.flange_a);
  connect(lever.flange_b, small.flange_a);
end Heavy;
)");
  const Simulation run = exact_run(model, 1, 0.5, true);
  CHECK(std::fabs(run.column(model, "small.w").back() - 1.5) < 1e-13);
  CHECK(std::fabs(run.column(model, "large.w").back() - 1.5e-10) < 1e-23);
}

// All forces and masses times one factor leave the motion as it is, however small they become as
// numbers.
TEST_CASE("the motion does not depend on the unit of force") {
  const auto model = [](const std::string& unit) {
    return Model("unit.ltm",
                 "model Unit\n"
                 "  Translational.Mass one(m = 1" +
                     unit +
                     ");\n"
                     "  Translational.Mass other(m = 2" +
                     unit +
                     ");\n"
                     "  Translational.SupportFriction rail(f0 = 1" +
                     unit + ", f0_static = 1.5" + unit + ", d = 0.1" + unit +
                     ");\n"
                     "  Translational.CrossFriction between(f0 = 2" +
                     unit +
                     ");\n"
                     "  Translational.FreeplaySpring spring(k = 90" +
                     unit +
                     ", half_freeplay = 0.01);\n"
                     "  Translational.Fixed wall;\n"
                     "  Translational.Force push;\n"
                     "equation\n"
                     "  push.f = 9" +
                     unit +
                     "*sin(2*pi*time);\n"
                     "  connect(push.flange, one.flange_a);\n"
                     "  connect(rail.flange_a, one.flange_a);\n"
                     "  connect(one.flange_b, between.flange_a);\n"
                     "  connect(between.flange_b, other.flange_a);\n"
                     "  connect(other.flange_b, spring.flange_a);\n"
                     "  connect(spring.flange_b, wall.flange);\n"
                     "end Unit;\n");
  };
  const Model whole = model("");
  const TaylorOptions options{0, 4, 0.1, 1e-13, false};
  const Simulation expected = simulate(whole, options);
  REQUIRE(expected.report.reason == StopReason::kDone);
  CHECK(expected.report.events > 20);
  for (const char* unit : {"e-9", "e-10", "e-16", "e12"}) {
    CAPTURE(unit);
    const Model scaled = model(unit);
    const Simulation run = simulate(scaled, options);
    REQUIRE(run.report.reason == StopReason::kDone);
    CHECK(run.report.events == expected.report.events);
    for (const Deviation& d : motion_deviations(whole, expected, scaled, run)) {
      CAPTURE(d.column);
      CHECK(d.difference <= 1e-11 * d.peak);
    }
  }
}

}  // namespace
}  // namespace luztar::test
