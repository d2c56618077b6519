// Frictions that hold each other in a loop, while a prescribed motion slides on another body of the
// network: the rounding of a rest is none of its motion.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {

// At t = 1.5415 n2 comes to rest under 1.227 - 0.709 N.m, which g16 (0.482) and c4 (0.0812) hold
// beside c1 and g10; the least forces have c4 at its bound.
TEST_CASE("a body comes to rest in a loop of frictions of which one is at its bound") {
  const Model model("loop.ltm", R"(
model Law
  extends Rotational.Interfaces.TwoFlanges;
  parameter Units.RotationalStiffness k;
  parameter Units.Angle x0;
equation
  tau = k*(phi_rel + luz(phi_rel, x0) + 3*luz(phi_rel, 2*x0));
end Law;
model Loop
  Rotational.Inertia n0(J = 0.0475), n1(J = 0.744), n2(J = 0.174);
  Rotational.Inertia n3(J = 0.103, w(start = 3.26));
  Blocks.FirstOrder filter(T = 0.11);
  Rotational.Clutch c1(fn_max = 3.58);
  Rotational.CrossFriction c4(tau0 = 0.0631, tau0_static = 0.0812);
  Law c5(k = 139, x0 = 0.161);
  Rotational.Fixed ground;
  Rotational.Spring c9(k = 143);
  Rotational.StribeckFriction g10(tau0 = 0.868, w0 = 0.591, d_fall = 0.756, d = 1.37);
  Rotational.StribeckFriction g16(tau0 = 0.0632, w0 = 0.0628, d_fall = 0.053, d = 3.31);
  Rotational.SmoothStribeckFriction g17(tau0 = 0.0889, tau0_static = 0.105, w_s = 0.0825);
  Blocks.Pulse pulse(amplitude = -9.66, width = 52.2, period = 0.53, offset = 0.709);
  Rotational.Torque torque;
  Rotational.Accelerate drive;
  Rotational.Clutch c25(fn_max = 7.15, peak = 1.07);
equation
  connect(c1.flange_a, n0.flange_a);
  connect(c4.flange_a, n0.flange_a);
  connect(c9.flange_b, n0.flange_a);
  connect(c25.flange_b, n0.flange_a);
  connect(c1.flange_b, n1.flange_a);
  connect(g10.flange_a, n1.flange_a);
  connect(c4.flange_b, n2.flange_a);
  connect(c5.flange_a, n2.flange_a);
  connect(g16.flange_a, n2.flange_a);
  connect(torque.flange, n2.flange_a);
  connect(c5.flange_b, n3.flange_a);
  connect(g17.flange_a, n3.flange_a);
  connect(c9.flange_a, ground.flange);
  connect(c25.flange_a, drive.flange);
  filter.u = 1 + sin(2*pi*3.54*time);
  c1.f_normalized = filter.y;
  torque.tau = pulse.y;
  drive.a_ref = 0.927/1.72*min(time, 1.72);
  c25.f_normalized = 1 + sin(2*pi*0.382*time);
end Loop;
)");
  for (const double tolerance : {1e-7, 1e-9, 1e-11, 1e-13}) {
    CAPTURE(tolerance);
    const Simulation run = simulate(model, TaylorOptions{0, 1.545, 0.001, tolerance});
    REQUIRE(run.report.reason == StopReason::kDone);
    const double load = run.column(model, "c5.tau").back() + 0.709;
    const double c4 = run.column(model, "c4.tau").back(), g16 = run.column(model, "g16.tau").back();
    CHECK(run.column(model, "n2.w").back() == 0);
    CHECK(std::fabs(c4) <= 0.0812);
    CHECK(std::fabs(g16) <= 0.48226440000000001);
    CHECK(std::fabs(load) > 0.5);
    CHECK(std::fabs(g16) + std::fabs(c4) == doctest::Approx(std::fabs(load)).epsilon(1e-9));
  }
}

}  // namespace luztar::test
