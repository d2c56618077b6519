// Frictions of equal static bounds in series through a disc without inertia, some of which fall
// with speed: they come to their bounds, and to the ends of their falls, at the same instant.
// Against the limit of small inertia of the disc.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>

#include "tests/analytic/dry_series_checks.h"
#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

Simulation run_to(const Model& model, double stop) {
  const Simulation run = simulate(model, TaylorOptions{0, stop, 0.01, 1e-10, false});
  REQUIRE(run.report.reason == StopReason::kDone);
  return run;
}

/// With a disc of 1e-4 and 1e-5 it is that of none, by an error of order one.
void check_limit(const std::string& text, const std::string& mass, double stop,
                 std::initializer_list<const char*> names, double growth) {
  const Model model("limit.ltm", text);
  const Simulation limit = run_to(model, stop);
  const Simulation cvode = simulate(model, CvodeOptions{0, stop, 0.01, 1e-10, false});
  REQUIRE(cvode.report.reason == StopReason::kDone);
  CHECK(greatest_difference(model, limit, cvode, names) <
        1e-3);  // its steps end beyond the ends of falls
  for (const char* light : {"1e-4", "1e-5"}) {
    CAPTURE(light);
    const Model with("light.ltm", text, {{mass, light}});
    const Simulation run = run_to(with, stop);
    for (const char* name : names) {
      CAPTURE(name);
      const double error = greatest_difference(limit.column(model, name), run.column(with, name));
      CHECK(error < growth * std::atof(light));
      CHECK(error > 0);
    }
  }
}

/// n faces between a block that is pushed and another one, both on springs.
std::string faces(int n, const std::string& law) {
  return "model Face\n"
         "  extends Translational.Interfaces.TwoFlanges;\n"
         "equation\n"
         "  f = 0.6*v_rel + dryfriction(v_rel, " +
         law +
         ", 1.6);\n"
         "end Face;\n"
         "model Faces\n"
         "  parameter Units.Mass m = 0;\n"
         "  parameter Integer n = " +
         std::to_string(n) +
         ";\n"
         "  Translational.Mass a(m = 1), b(m = 2), disc[n - 1](each m = m);\n"
         "  Face face[n];\n"
         "  Translational.Fixed ground;\n"
         "  Translational.Force push;\n"
         "  Translational.Spring ka(k = 20), kb(k = 30);\n"
         "equation\n"
         "  push.f = 5*sin(4*time);\n"
         "  connect(push.flange, a.flange_a);\n"
         "  connect(ground.flange, ka.flange_a);\n"
         "  connect(ka.flange_b, a.flange_a);\n"
         "  connect(ground.flange, kb.flange_a);\n"
         "  connect(kb.flange_b, b.flange_a);\n"
         "  connect(a.flange_b, face[1].flange_a);\n"
         "  for i in 1:n - 1 loop\n"
         "    connect(face[i].flange_b, disc[i].flange_a);\n"
         "    connect(disc[i].flange_b, face[i + 1].flange_a);\n"
         "  end for;\n"
         "  connect(face[n].flange_b, b.flange_b);\n"
         "end Faces;\n";
}

// The rail's force falls by far more than damping rises, but the slider is held to a body whose
// inertia lets both it and the coupling give way: as where that body itself slips on them.
const std::string kCarried = R"(
model Seat
  extends Translational.Interfaces.TwoFlanges;
  parameter Real f0, f0_static, v0;
equation
  f = dryfriction(v_rel, f0_static - (f0_static - f0)*nas(abs(v_rel), v0)/v0, f0_static);
end Seat;
model Carried
  Translational.Mass body(m = 1), slider(m = 0), follower(m = 0);
  Translational.Fixed ground;
  Translational.CrossFriction grip(f0 = 20, d = 1);
  Seat rail(f0 = 0.9, f0_static = 2.8, v0 = 0.08), seat(f0 = 10, f0_static = 16, v0 = 0.5);
  Translational.CrossFriction couples(f0 = 1.2, d = 0.75);
  Translational.Damper guides(d = 0.8);
  Translational.Spring spring(k = 10);
  Translational.Force load;
equation
  load.f = 6*time;
  connect(load.flange, body.flange_a);
  connect(body.flange_b, grip.flange_a);
  connect(grip.flange_b, slider.flange_a);
  connect(ground.flange, rail.flange_a);
  connect(rail.flange_b, slider.flange_a);
  connect(ground.flange, spring.flange_a);
  connect(spring.flange_b, body.flange_a);
  connect(slider.flange_b, couples.flange_a);
  connect(couples.flange_b, follower.flange_a);
  connect(ground.flange, seat.flange_a);
  connect(seat.flange_b, follower.flange_a);
  connect(ground.flange, guides.flange_a);
  connect(guides.flange_b, follower.flange_b);
end Carried;
model One
  Translational.Mass body(m = 1);
  Translational.Fixed ground;
  Seat rail(f0 = 0.9, f0_static = 2.8, v0 = 0.08);
  Translational.CrossFriction couples(f0 = 1.2, d = 0.75);
  Translational.Spring spring(k = 10);
  Translational.Force load;
equation
  load.f = 6*time;
  connect(load.flange, body.flange_a);
  connect(ground.flange, rail.flange_a);
  connect(rail.flange_b, body.flange_a);
  connect(ground.flange, spring.flange_a);
  connect(spring.flange_b, body.flange_a);
  connect(body.flange_b, couples.flange_a);
  connect(couples.flange_b, ground.flange);
end One;
)";

}  // namespace

TEST_CASE("of equal faces that fall with speed one gives way") {
  const std::string lines = "1 + 2*(0.3 - nas(abs(v_rel), 0.3))";
  for (const auto& [n, law] :
       {std::pair<int, std::string>{2, "1 + 0.6*exp(-abs(v_rel)/0.2)"}, {2, lines}, {3, lines}}) {
    CAPTURE(n);
    CAPTURE(law);
    check_limit(faces(n, law), "m", 4, {"a.s", "b.s", "a.v", "b.v"}, 100);
  }
}

// One falls, by less than the damping rises: both slip from the start on.
TEST_CASE("two equal static bounds give way together where the damping rises by more") {
  const std::string text =
      "model Start\n"
      "  parameter Units.MomentOfInertia J = 0;\n"
      "  Rotational.Inertia n(J = J), wheel(J = 0.5);\n"
      "  Rotational.CrossFriction x(tau0 = 1.5, d = 0.2);\n"
      "  Rotational.StribeckFriction y(d = 0.1, d_fall = 0.3, w0 = 1, tau0 = 1);\n"
      "  Rotational.Damper z(d = 0.5);\n"
      "  Rotational.Speed drive;\n"
      "  Rotational.BearingFriction bearing(tau0 = 0.1, d = 0.1);\n"
      "equation\n"
      "  drive.w_ref = 2*sin(3*time);\n"
      "  connect(drive.flange, x.flange_a);\n"
      "  connect(x.flange_b, n.flange_a);\n"
      "  connect(n.flange_b, y.flange_a);\n"
      "  connect(wheel.flange_b, bearing.flange_a);\n"
      "  connect(n.flange_a, z.flange_a);\n"
      "  connect(z.flange_b, wheel.flange_a);\n"
      "end Start;\n";
  check_limit(text, "J", 2, {"n.phi", "wheel.phi", "wheel.w"}, 20);
  const Model model("start.ltm", text);
  const Simulation run = run_to(model, 0.05);
  // 1.5 + 0.2 (W - u) = 1.5 - 0.4 u + 0.5 u while the bearing holds the wheel.
  CHECK(run.column(model, "n.w")[1] ==
        doctest::Approx(run.column(model, "drive.w")[1] * 2 / 3).epsilon(1e-9));
}

TEST_CASE("frictions that let go of a held body do so together, however they fall") {
  const Model carried("carried.ltm", kCarried, {}, "Carried"), one("one.ltm", kCarried, {}, "One");
  const Simulation expected = run_to(one, 2), run = run_to(carried, 2);
  for (const char* name : {"body.s", "body.v"}) {
    const std::vector<double>& values = run.column(carried, name);
    for (std::size_t i = 0; i < values.size(); ++i) {
      CHECK(std::fabs(values[i] - expected.column(one, name)[i]) < 1e-12);
    }
  }
  CHECK(run.column(carried, "body.s").back() > 1);
  const Simulation cvode = simulate(carried, CvodeOptions{0, 2, 0.01, 1e-10, false});
  CHECK(greatest_difference(carried, run, cvode, {"body.s", "body.v"}) < 1e-8);
}

}  // namespace luztar::test
