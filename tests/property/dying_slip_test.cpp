// Slips that begin or end slowly: what a friction does from an instant on where the first
// derivatives of its slip, or all of them, are zero, or where others decide which slip it is.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/model.h"
#include "tests/support/simulation.h"
#include "tests/support/solver_agreement.h"

namespace luztar::test {
namespace {

/// A body on the ground, and a flange at the speed 3 t^2 that a clutch joins to it.
std::string dragged(const std::string& frictions) {
  return R"(
model Dragged
  Rotational.Speed drive;
  Rotational.Inertia body(J = 0.5);
)" + frictions +
         R"(equation
  drive.w_ref = 3*time^2;
  connect(drive.flange, clutch.flange_a);
  connect(clutch.flange_b, body.flange_a);
  connect(bearing.flange_a, body.flange_b);
end Dragged;
)";
}

}  // namespace

// Neither speed nor acceleration of the flange says at t = 0 that body and flange part, or which of
// the frictions holds.
TEST_CASE("a flange that starts with a jerk takes a body along at once") {
  const Model model("taken_along", dragged(R"(
  Rotational.CrossFriction clutch(tau0 = 2);
  Rotational.BearingFriction bearing(tau0 = 1);
)"));
  const Simulation run = simulate(model, TaylorOptions{0, 1, 1.0 / 64, 1e-12, false});
  REQUIRE(run.report.reason == StopReason::kDone);
  // The clutch slips when the body would need more than 2 - 1 N.m to follow: 0.5*6*t = 1.
  const auto speed = [](double t) { return t < 1 / 3.0 ? 3 * t * t : 1 / 3.0 + 2 * (t - 1 / 3.0); };
  for (std::size_t i = 0; i < run.time.size(); ++i) {
    CHECK(run.column(model, "body.w")[i] ==
          doctest::Approx(speed(run.time[i])).epsilon(1e-11).scale(1));
  }
}

TEST_CASE("a flange that starts with a jerk slips on a body that its bearing holds") {
  const Model model("stays", dragged(R"(
  Rotational.CrossFriction clutch(tau0 = 1);
  Rotational.BearingFriction bearing(tau0 = 2);
  Rotational.Torque push;
equation
  // Begins before the flange does: a share of it would take the clutch off its bound.
  push.tau = -0.5*time;
  connect(push.flange, body.flange_b);
)"));
  for (const bool taylor : {true, false}) {
    const Simulation run =
        taylor ? simulate(model, TaylorOptions{0, 1, 0.25, 1e-12, false, true})
               : simulate(model, CvodeOptions{0, 1, 0.25, kLeastCvodeTolerance, false});
    REQUIRE(run.report.reason == StopReason::kDone);
    for (const double w : run.column(model, "body.w")) CHECK(w == 0);
    for (const double tau : run.column(model, "clutch.tau")) CHECK(std::fabs(tau) == 1);
    if (taylor) CHECK(run.report.energy->total_dissipated() == doctest::Approx(1).epsilon(1e-12));
  }
}

// Both frictions of the outer body slide at T_K, and its slip dies out like exp(-t/tau). One of the
// forces at their bounds is there for its length alone; it slides at T_K, too.
TEST_CASE("two frictions whose common slip dies out both slide on") {
  check_agrees(Model("agrees", R"(
model TwoTend
  Rotational.Inertia body2(J = 0);
  Rotational.BearingFriction bearing2(d = 0.1476, tau0 = 0.5);
  Blocks.Sine signal2(amplitude = 2, f = 2.5);
  Rotational.Torque torque2;
  Rotational.Inertia body3(J = 0);
  Rotational.GearPair link3(ratio = 1, k = 66.8, half_freeplay = 0.02);
  Rotational.CrossFriction cross3(d = 0, tau0 = 0.14, tau0_static = 0.4728);
  Rotational.BearingFriction bearing3(d = 0.2, tau0 = 0.5, tau0_static = 0.7);
  Blocks.Step signal3(height = 2, startTime = 0.6256);
  Rotational.Torque torque3;
equation
  connect(bearing2.flange_a, body2.flange_b);
  connect(signal2.y, torque2.tau);
  connect(torque2.flange, body2.flange_b);
  connect(link3.flange_b, body3.flange_a);
  connect(link3.flange_a, body2.flange_b);
  connect(cross3.flange_b, body3.flange_a);
  connect(cross3.flange_a, body2.flange_b);
  connect(bearing3.flange_a, body3.flange_b);
  connect(signal3.y, torque3.tau);
  connect(torque3.flange, body3.flange_b);
  annotation(experiment(StopTime = 1));
end TwoTend;
)"));
}

// The massless body has come to move with the hub but for exp(-200 t), and stops with it: rounding
// says which slip ends first, and whether that of the massless body ends at all.
TEST_CASE("a massless body that moves with another comes to rest with it") {
  check_agrees(Model("agrees", R"(
model StopsWithIt
  Rotational.Inertia body0(J = 0.0362);
  Rotational.BearingFriction bearing0(d = 0, tau0 = 1.79);
  Rotational.Inertia body1(J = 0, phi(start = 0.05));
  Rotational.FreeplaySpring link1(k = 407, half_freeplay = 0.02);
  Rotational.Inertia body2(J = 0);
  Rotational.SpringDamper link2(k = 199.3, d = 0.2);
  Rotational.BearingFriction bearing2(d = 0, tau0 = 0.436, tau0_static = 0.636);
  Rotational.Inertia body3(J = 0.1);
  Rotational.IdealGear link3(ratio = -2.5);
  Rotational.Inertia body4(J = 0.1, phi(start = 0.1537));
  Rotational.SpringDamper link4(k = 100, d = 0.2);
equation
  connect(bearing0.flange_a, body0.flange_b);
  connect(link1.flange_b, body1.flange_a);
  connect(link1.flange_a, body0.flange_b);
  connect(link2.flange_b, body2.flange_a);
  connect(link2.flange_a, body0.flange_b);
  connect(bearing2.flange_a, body2.flange_b);
  connect(link3.flange_b, body3.flange_a);
  connect(link3.flange_a, body1.flange_b);
  connect(link4.flange_b, body4.flange_a);
  connect(link4.flange_a, body3.flange_b);
  annotation(experiment(StopTime = 1));
end StopsWithIt;
)"));
}

// The frictions on both sides of the massless body have the same bound: the rate of the others'
// bodies says that one of the two slips, and the balance of the massless body which.
TEST_CASE("of two frictions in series at equal bounds the balance of the body between decides") {
  check_agrees(Model("agrees", R"(
model EqualBounds
  Rotational.Inertia body0(J = 0);
  Rotational.BearingFriction bearing0(d = 0, tau0 = 0.5);
  Rotational.Inertia body1(J = 0.1);
  Rotational.SpringDamper link1(k = 487.4, d = 0.3272);
  Rotational.CrossFriction cross1(d = 0, tau0 = 0.5);
  Rotational.Inertia body2(J = 0.0229);
  Rotational.CrossFriction cross2(d = 0.4874, tau0 = 1.1935);
  Rotational.Inertia body3(J = 0.1, w(start = 0.5));
  Rotational.CrossFriction cross3(d = 0.2, tau0 = 0.5);
equation
  connect(bearing0.flange_a, body0.flange_b);
  connect(link1.flange_b, body1.flange_a);
  connect(link1.flange_a, body0.flange_b);
  connect(cross1.flange_b, body1.flange_a);
  connect(cross1.flange_a, body0.flange_b);
  connect(cross2.flange_b, body2.flange_a);
  connect(cross2.flange_a, body1.flange_b);
  connect(cross3.flange_b, body3.flange_a);
  connect(cross3.flange_a, body2.flange_b);
  annotation(experiment(StopTime = 1));
end EqualBounds;
)"));
}

// body2 breaks away with a slip that begins like t^2, and takes body3 along, whose force drops to
// T_K then: now the slip begins like t.
TEST_CASE("a slip begins at a lower order when another force has dropped") {
  check_agrees(Model("agrees", R"(
model DropsNext
  Rotational.Inertia body2(J = 0.1);
  Rotational.BearingFriction bearing2(d = 0.1818, tau0 = 1.619);
  Blocks.Sine signal2(amplitude = 2.394, f = 13.4409);
  Rotational.Torque torque2;
  Rotational.Inertia body3(J = 0);
  Rotational.FreeplaySpring link3(k = 290.8, half_freeplay = 0.04454);
  Rotational.CrossFriction cross3(d = 0.0358, tau0 = 0.5);
  Rotational.BearingFriction bearing3(d = 0, tau0 = 0.5, tau0_static = 0.61);
  Blocks.Ramp signal3(height = 2, duration = 0.4);
  Rotational.Torque torque3;
equation
  connect(bearing2.flange_a, body2.flange_b);
  connect(signal2.y, torque2.tau);
  connect(torque2.flange, body2.flange_b);
  connect(link3.flange_b, body3.flange_a);
  connect(link3.flange_a, body2.flange_b);
  connect(cross3.flange_b, body3.flange_a);
  connect(cross3.flange_a, body2.flange_b);
  connect(bearing3.flange_a, body3.flange_b);
  connect(signal3.y, torque3.tau);
  connect(torque3.flange, body3.flange_b);
  annotation(experiment(StopTime = 1));
end DropsNext;
)"));
}

// bearing0, bearing2 and cross2 break away together. With the smaller forces of the others cross1
// and bearing1 hold body0, which neither slips nor returns: its slip is exactly zero.
TEST_CASE("of those that break away together one that others hold is at rest") {
  check_agrees(Model("agrees", R"(
model HeldByTwo
  Rotational.Inertia body2(J = 0.1);
  Rotational.BearingFriction bearing2(d = 0, tau0 = 0.2885, tau0_static = 0.4885);
  Rotational.Torque torque0;
  Rotational.CrossFriction cross1(d = 0.1876, tau0 = 1.1975);
  Rotational.Inertia body1(J = 0.1);
  Rotational.Inertia body5(J = 0.3972);
  Rotational.Inertia body0(J = 0.4691);
  Rotational.BearingFriction bearing1(d = 0.3918, tau0 = 0.5);
  Blocks.Sine signal0(amplitude = 2, f = 2.5);
  Rotational.Torque torque2;
  Rotational.BearingFriction bearing0(d = 0, tau0 = 1.63, tau0_static = 1.83);
  Rotational.CrossFriction cross2(d = 0.2, tau0 = 0.12, tau0_static = 0.6798);
  Blocks.Sine signal2(amplitude = 2, f = 1.26326);
equation
  connect(body0.flange_b, torque0.flange);
  connect(body0.flange_b, bearing0.flange_a);
  connect(body1.flange_b, bearing1.flange_a);
  connect(body2.flange_b, torque2.flange);
  connect(signal2.y, torque2.tau);
  connect(cross1.flange_a, body0.flange_b);
  connect(cross2.flange_a, body1.flange_b);
  connect(body2.flange_b, bearing2.flange_a);
  connect(body2.flange_a, cross2.flange_b);
  connect(cross1.flange_b, body1.flange_a);
  connect(torque0.tau, signal0.y);
  annotation(experiment(StopTime = 0.7));
end HeldByTwo;
)"));
}

// bearing1 reaches its bound while cross2 is at its own for the length of the forces alone, and
// pulls against it: cross2 lets go first.
TEST_CASE("a massless body does not slip while a friction at its bound can relieve it") {
  check_agrees(Model("agrees", R"(
model Relieved
  Rotational.Inertia body0(J = 0.1505);
  Rotational.FreeplaySpring link0(k = 112.5, half_freeplay = 0.04316);
  Blocks.Sine signal0(amplitude = 2, f = 2.5);
  Rotational.Torque torque0;
  Rotational.Inertia body1(J = 0);
  Rotational.CrossFriction cross1(d = 0.2, tau0 = 0.5885);
  Rotational.BearingFriction bearing1(d = 0.6386, tau0 = 0.5);
  Blocks.Sine signal1(amplitude = 2, f = 7.91139);
  Rotational.Torque torque1;
  Rotational.Inertia body2(J = 0.1);
  Rotational.SpringDamper link2(k = 31.3, d = 0.3618);
  Rotational.CrossFriction cross2(d = 0.05, tau0 = 0.16, tau0_static = 0.2052);
  Rotational.BearingFriction bearing2(d = 0.2, tau0 = 0.5, tau0_static = 0.7);
  Blocks.Sine signal2(amplitude = 1.638, f = 2.5);
  Rotational.Torque torque2;
  Rotational.Inertia body3(J = 0);
  Rotational.IdealGear link3(ratio = -1);
  Rotational.BearingFriction bearing3(d = 0.5716, tau0 = 0.5);
  Blocks.Ramp signal3(height = 0.756, duration = 0.4);
  Rotational.Torque torque3;
  Rotational.Fixed ground;
equation
  connect(link0.flange_b, body0.flange_a);
  connect(link0.flange_a, ground.flange);
  connect(signal0.y, torque0.tau);
  connect(torque0.flange, body0.flange_b);
  connect(cross1.flange_b, body1.flange_a);
  connect(cross1.flange_a, body0.flange_b);
  connect(bearing1.flange_a, body1.flange_b);
  connect(signal1.y, torque1.tau);
  connect(torque1.flange, body1.flange_b);
  connect(link2.flange_b, body2.flange_a);
  connect(link2.flange_a, body1.flange_b);
  connect(cross2.flange_b, body2.flange_a);
  connect(cross2.flange_a, body1.flange_b);
  connect(bearing2.flange_a, body2.flange_b);
  connect(signal2.y, torque2.tau);
  connect(torque2.flange, body2.flange_b);
  connect(link3.flange_b, body3.flange_a);
  connect(link3.flange_a, body2.flange_b);
  connect(bearing3.flange_a, body3.flange_b);
  connect(signal3.y, torque3.tau);
  connect(torque3.flange, body3.flange_b);
  annotation(experiment(StopTime = 1));
end Relieved;
)"));
}

// Velocities of 1e-18 in bodies that others hold make forces of 1e-17 that grow; the force of
// bearing0 has come to its bound, stays there, and is not taken beyond.
TEST_CASE("the rounding of bodies at rest does not take a force beyond its bound") {
  check_agrees(Model("agrees", R"(
model Sharing
  Rotational.Inertia body0(J = 0.5);
  Rotational.Inertia body1(J = 2);
  Rotational.Spring joint1(k = 11.5);
  Rotational.Inertia body2(J = 2.3);
  Rotational.Spring joint2(k = 8);
  Rotational.Inertia x(J = 1);
  Rotational.Inertia y(J = 2.1);
  Rotational.CrossFriction clutch0(tau0 = 0.4, tau0_static = 0.6);
  Rotational.CrossFriction clutch1(tau0 = 0.34, tau0_static = 0.425);
  Rotational.CrossFriction clutch2(tau0 = 0.38, tau0_static = 0.38);
  Rotational.CrossFriction clutch3(tau0 = 0.34, tau0_static = 0.34);
  Rotational.BearingFriction bearing0(tau0 = 0.14, tau0_static = 0.175);
  Rotational.BearingFriction bearing1(tau0 = 0.44, tau0_static = 0.66);
  Rotational.Torque push;
  Blocks.Sine push_signal(amplitude = 1, f = 0.69);
  Rotational.Torque pull;
  Blocks.Sine pull_signal(amplitude = 0.8, f = 0.24);
equation
  connect(body1.flange_a, joint1.flange_a);
  connect(joint1.flange_b, body0.flange_b);
  connect(body2.flange_a, joint2.flange_a);
  connect(joint2.flange_b, body0.flange_b);
  connect(body2.flange_a, clutch0.flange_a);
  connect(clutch0.flange_b, x.flange_b);
  connect(body0.flange_a, clutch1.flange_a);
  connect(clutch1.flange_b, y.flange_b);
  connect(body2.flange_a, clutch2.flange_a);
  connect(clutch2.flange_b, body1.flange_b);
  connect(body2.flange_a, clutch3.flange_a);
  connect(clutch3.flange_b, body0.flange_b);
  connect(body1.flange_a, bearing0.flange_a);
  connect(body0.flange_a, bearing1.flange_a);
  connect(push_signal.y, push.tau);
  connect(push.flange, body0.flange_b);
  connect(pull_signal.y, pull.tau);
  connect(pull.flange, y.flange_b);
  annotation(experiment(StopTime = 4.2));
end Sharing;
)"));
}

// The spring takes a body along that nothing else moves, from its position 0 on: what rounding is
// there follows from the two ends of the play, not from their difference.
TEST_CASE("a loose massless body at zero is taken along by its play") {
  check_agrees(Model("agrees", R"(
model Loose
  Rotational.Inertia body0(J = 0.025, w(start = 0.5));
  Blocks.Sine signal0(amplitude = 10.374, f = 2.5);
  Rotational.Torque torque0;
  Rotational.Inertia body2(J = 0);
  Rotational.GearPair link2(ratio = -2.5, k = 239.5, half_freeplay = 0.0619);
  Blocks.Step signal2(height = 1.12, startTime = 1.2816);
  Rotational.Torque torque2;
equation
  connect(signal0.y, torque0.tau);
  connect(torque0.flange, body0.flange_b);
  connect(link2.flange_b, body2.flange_a);
  connect(link2.flange_a, body0.flange_b);
  connect(signal2.y, torque2.tau);
  connect(torque2.flange, body2.flange_b);
  annotation(experiment(StopTime = 1));
end Loose;
)"));
}

// The edge of link2 is approached like exp(-t/tau), and reached but for the errors of steps, when
// link3 touches.
TEST_CASE("a play that a massless body tends to neither opens nor closes by the errors of steps") {
  check_agrees(Model("agrees", R"(
model Relaxed
  Rotational.Inertia body1(J = 0);
  Rotational.Inertia body4(J = 0);
  Blocks.Sine signal3(amplitude = 0.8, f = 7.30994);
  Rotational.Inertia body3(J = 0.2329, phi(start = 0.07985));
  Rotational.GearPair link4(ratio = -1, k = 100, half_freeplay = 0.02);
  Rotational.FreeplaySpring link3(k = 121, half_freeplay = 0.02);
  Rotational.BearingFriction bearing1(d = 0.038, tau0 = 0);
  Rotational.Inertia body2(J = 0);
  Rotational.GearPair link2(ratio = -2.5, k = 100, half_freeplay = 0.0831);
  Rotational.Torque torque4;
  Rotational.BearingFriction bearing0(d = 0.2, tau0 = 0.1535);
  Rotational.Inertia body0(J = 0.1, phi(start = 0.05));
  Rotational.BearingFriction bearing4(d = 0.4454, tau0 = 0.5, tau0_static = 0.7);
  Rotational.Torque torque3;
  Rotational.FreeplaySpring link0(k = 485.7, half_freeplay = 0.0073);
  Blocks.Ramp signal4(height = 0.96, duration = 0.4);
  Rotational.BearingFriction bearing2(d = 0, tau0 = 0.5, tau0_static = 0.7);
  Rotational.Fixed ground;
equation
  connect(body4.flange_a, link4.flange_b);
  connect(body2.flange_a, link2.flange_b);
  connect(link3.flange_a, body2.flange_b);
  connect(body4.flange_b, bearing4.flange_a);
  connect(body4.flange_b, torque4.flange);
  connect(link4.flange_a, body1.flange_b);
  connect(link2.flange_a, body1.flange_b);
  connect(link0.flange_a, ground.flange);
  connect(body2.flange_b, bearing2.flange_a);
  connect(body1.flange_b, bearing1.flange_a);
  connect(body0.flange_a, link0.flange_b);
  connect(torque4.tau, signal4.y);
  connect(torque3.tau, signal3.y);
  connect(body3.flange_a, link3.flange_b);
  connect(torque3.flange, body3.flange_b);
  connect(bearing0.flange_a, body0.flange_b);
  annotation(experiment(StopTime = 0.25));
end Relaxed;
)"));
}

// All rests: forces that balance leave an acceleration of 1e-20 at the twelfth order alone.
TEST_CASE("bodies at rest under loads that balance have no scale of time") {
  check_agrees(Model("agrees", R"(
model Balanced
  Rotational.Inertia body0(J = 1.5);
  Rotational.Inertia body1(J = 2.1);
  Rotational.Spring joint1(k = 3);
  Rotational.Inertia body2(J = 2.2);
  Rotational.Spring joint2(k = 11.5);
  Rotational.Inertia x(J = 0.9);
  Rotational.Inertia y(J = 1);
  Rotational.CrossFriction clutch0(tau0 = 0.16, tau0_static = 0.16);
  Rotational.CrossFriction clutch1(tau0 = 0.16, tau0_static = 0.2);
  Rotational.CrossFriction clutch2(tau0 = 0.44, tau0_static = 0.66);
  Rotational.BearingFriction bearing0(tau0 = 0.22, tau0_static = 0.33);
  Rotational.BearingFriction bearing1(tau0 = 0.22, tau0_static = 0.275);
  Rotational.Torque push;
  Blocks.Sine push_signal(amplitude = 1.5, f = 0.39);
  Rotational.Torque pull;
  Blocks.Sine pull_signal(amplitude = 1.1, f = 0.66);
equation
  connect(body1.flange_a, joint1.flange_a);
  connect(joint1.flange_b, body0.flange_b);
  connect(body2.flange_a, joint2.flange_a);
  connect(joint2.flange_b, body0.flange_b);
  connect(body0.flange_a, clutch0.flange_a);
  connect(clutch0.flange_b, x.flange_b);
  connect(body2.flange_a, clutch1.flange_a);
  connect(clutch1.flange_b, y.flange_b);
  connect(body2.flange_a, clutch2.flange_a);
  connect(clutch2.flange_b, body0.flange_b);
  connect(body2.flange_a, bearing0.flange_a);
  connect(body0.flange_a, bearing1.flange_a);
  connect(push_signal.y, push.tau);
  connect(push.flange, body0.flange_b);
  connect(pull_signal.y, pull.tau);
  connect(pull.flange, y.flange_b);
  annotation(experiment(StopTime = 1));
end Balanced;
)"));
}

// bearing4 reaches its bound while bearing0, in series with it, is at its own for the length of the
// forces alone: that one lets go, although no force of its massless body makes a rate.
TEST_CASE("a body does not slip while a friction of a massless body can relieve it") {
  check_agrees(Model("agrees", R"(
model LetsGo
  Rotational.Inertia body0(J = 0);
  Rotational.SpringDamper link0(k = 177.2, d = 0.084);
  Rotational.BearingFriction bearing0(d = 0.0806, tau0 = 0.5);
  Rotational.Inertia body1(J = 0.1);
  Rotational.Spring link1(k = 100);
  Blocks.Sine signal1(amplitude = 0.634, f = 1.88111);
  Rotational.Torque torque1;
  Rotational.Inertia body4(J = 0.138);
  Rotational.CrossFriction cross4(d = 0.5446, tau0 = 2.751);
  Rotational.BearingFriction bearing4(d = 0, tau0 = 0.5);
  Blocks.Ramp signal4(height = 2, duration = 0.1976);
  Rotational.Torque torque4;
  Rotational.Fixed ground;
equation
  connect(link0.flange_b, body0.flange_a);
  connect(link0.flange_a, ground.flange);
  connect(bearing0.flange_a, body0.flange_b);
  connect(link1.flange_b, body1.flange_a);
  connect(link1.flange_a, body0.flange_b);
  connect(signal1.y, torque1.tau);
  connect(torque1.flange, body1.flange_b);
  connect(cross4.flange_b, body4.flange_a);
  connect(cross4.flange_a, body0.flange_b);
  connect(bearing4.flange_a, body4.flange_b);
  connect(signal4.y, torque4.tau);
  connect(torque4.flange, body4.flange_b);
  annotation(experiment(StopTime = 1));
end LetsGo;
)"));
}

}  // namespace luztar::test
