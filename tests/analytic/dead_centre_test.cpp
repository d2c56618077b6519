// Cranks through their dead centres, where all that the direction of the slider switches has zeros.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/support/closed_form.h"
#include "tests/support/exact_run.h"

namespace luztar::test {

TEST_CASE("a crank with friction and load by the direction of the slider") {
  // What is done on the way between two dead centres is force times twice the radius.
  const Model model("dead_centres", R"(
model Yoke
  Rotational.Interfaces.Flange crank;
  Translational.Interfaces.Flange slider;
equation
  slider.s = 0.05*cos(crank.phi);
  0 = crank.tau - 0.05*sin(crank.phi)*slider.f;
end Yoke;
model Load "8 N against the way out, 3 N along the way in"
  extends Translational.Interfaces.OneFlange;
  Units.Velocity v;
equation
  v = der(flange.s);
  flange.f = if v > 0 then 8 else 3;
end Load;
model DeadCentres
  Rotational.Inertia crank(J = 0.8, w(start = 8));
  Yoke yoke;
  Translational.Mass slider(m = 2);
  Translational.SupportFriction guide(f0 = 6, f0_static = 9);
  Load load;
equation
  connect(crank.flange_b, yoke.crank);
  connect(yoke.slider, slider.flange_a);
  connect(slider.flange_a, guide.flange_a);
  connect(slider.flange_b, load.flange);
end DeadCentres;
)");
  const Simulation run = exact_run(model, 8, 0.01);
  const std::vector<double>&phi = run.column(model, "crank.phi"), &w = run.column(model, "crank.w");
  const std::vector<std::size_t> events = event_rows(run);
  CHECK(events.size() == static_cast<std::size_t>(phi.back() / kPi));
  CHECK(events.size() > 10);
  double energy = 0.5 * 0.8 * 8 * 8;
  for (std::size_t k = 0; k < events.size(); ++k) {
    energy -= 0.1 * (6 + (k % 2 == 0 ? -3 : 8));  // inwards first
    check_near(phi[events[k]], static_cast<double>(k + 1) * kPi);
    check_near(w[events[k]], std::sqrt(2 * energy / 0.8));
  }
}

// The lever of the force in the joint is zero there: it follows from what the slider needs.
TEST_CASE("the force in the joint of a slider at dead centres") {
  for (const char* start : {"0", "3.141592653589793"}) {
    INFO(start);
    const Model model("joint", std::string(R"(
model SliderCrank
  Rotational.Interfaces.Flange c;
  Translational.Interfaces.Flange p;
  parameter Real r(unit = "m") = 0.1, l(unit = "m") = 0.35;
equation
  p.s = r*cos(c.phi) + sqrt(l^2 - r^2*sin(c.phi)^2);
  0 = slope(r*cos(c.phi) + sqrt(l^2 - r^2*sin(c.phi)^2), c.phi)*p.f + c.tau;
end SliderCrank;
model Joint
  SliderCrank rod;
  Rotational.Inertia crank(J = 0.05, w(start = 12), phi(start = )") +
                                   start + R"());
  Translational.Mass slider(m = 0.8);
  Translational.SupportFriction guide(f0 = 3, d = 2);
  Rotational.BearingFriction bearing(tau0 = 0.15, d = 0.01);
equation
  connect(crank.flange_b, rod.c);
  connect(rod.p, slider.flange_a);
  connect(slider.flange_b, guide.flange_a);
  connect(crank.flange_b, bearing.flange_a);
end Joint;
)");
    const Simulation run = exact_run(model, 3, 0.01);
    REQUIRE(run.report.reason == StopReason::kDone);
    CHECK(run.report.events >= 3);
    const std::vector<double>&f = run.column(model, "rod.p.f"), &a = run.column(model, "slider.a"),
          &friction = run.column(model, "guide.f");
    for (std::size_t i = 0; i < f.size(); ++i) check_near(f[i] + 0.8 * a[i] + friction[i], 0);
  }
}

}  // namespace luztar::test
