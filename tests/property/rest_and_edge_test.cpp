// Decisions that rounding must not take: frictions exactly at their bounds, bodies that come to
// rest together, forces that are not unique, motions that end at the edge of a play.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

Simulation taylor(const Model& model, double tolerance = 1e-10) {
  const double stop = model.stages().flat->experiment.stop;
  return simulate(model, TaylorOptions{0, stop, stop / 50, tolerance, false});
}

/// Two bodies between two bearings, with a friction between them: forces are not unique.
std::string pair_of_bodies(const std::string& bounds, const std::string& loads) {
  return "model Pair\n" + bounds + R"(
  Rotational.Inertia a(J = 0.1);
  Rotational.Inertia b(J = 0.1);
equation
  connect(left.flange_a, a.flange_b);
  connect(between.flange_a, a.flange_b);
  connect(between.flange_b, b.flange_a);
  connect(right.flange_a, b.flange_b);
)" + loads +
         "  annotation(experiment(StopTime = 1));\nend Pair;\n";
}

void check_rests(const Model& model, const Simulation& run) {
  REQUIRE(run.report.reason == StopReason::kDone);
  for (const char* name : {"a.w", "b.w"}) {
    for (const double w : run.column(model, name)) CHECK(w == 0);
  }
}

/// Both solvers and tolerances come to the end with the same motion.
void check_agrees(const Model& model) {
  const double stop = model.stages().flat->experiment.stop;
  const CvodeOptions options{0, stop, stop / 50, kLeastCvodeTolerance, false};
  const Simulation run = taylor(model), fine = taylor(model, 1e-13);
  const Simulation cvode = simulate(model, options);
  for (const Simulation* each : {&run, &fine, &cvode}) {
    REQUIRE(each->report.reason == StopReason::kDone);
  }
  for (const Deviation& d : motion_deviations(model, fine, model, run)) {
    INFO(d.column);
    CHECK(d.difference <= 1e-9 * d.peak);
  }
  for (const Deviation& d : motion_deviations(model, fine, model, cvode)) {
    INFO(d.column);
    CHECK(d.difference <= 1e-7 * d.peak);
  }
}

}  // namespace

// The sliding friction of 0.5 on the hub keeps that of its bearing exactly at its bound: no margin
// tells what follows when the spring begins to push, only a decision does.
TEST_CASE("a friction held at its bound yields to a spring beyond the edge of its play") {
  const Model model("pushed_at_its_bound", R"(
model PushedAtItsBound
  Rotational.Inertia motor(J = 0.1, w(start = -0.5));
  Rotational.Inertia hub(J = 0.1);
  Rotational.FreeplaySpring coupling(k = 100, half_freeplay = 0.02);
  Rotational.CrossFriction between(tau0 = 0.5);
  Rotational.BearingFriction bearing(tau0 = 0.5);
  Rotational.Torque push;
  Blocks.Constant two(k = 2);
equation
  connect(two.y, push.tau);
  connect(push.flange, motor.flange_a);
  connect(motor.flange_b, coupling.flange_a);
  connect(coupling.flange_b, hub.flange_a);
  connect(motor.flange_b, between.flange_a);
  connect(between.flange_b, hub.flange_a);
  connect(bearing.flange_a, hub.flange_b);
  annotation(experiment(StopTime = 0.2));
end PushedAtItsBound;
)");
  const Simulation run = taylor(model);
  REQUIRE(run.report.reason == StopReason::kDone);
  // CVODE takes no crossing of an edge for certain, and decides all frictions there.
  const Simulation cvode =
      simulate(model, CvodeOptions{0, 0.2, 0.004, kLeastCvodeTolerance, false});
  for (const Deviation& d : motion_deviations(model, run, model, cvode)) {
    INFO(d.column);
    CHECK(d.difference <= 1e-7 * d.peak);
  }
  CHECK(run.column(model, "hub.w").back() > 1.3);
  CHECK(run.report.changes[model.friction({"between"})] == 3);
}

TEST_CASE("bodies that come to rest together have no velocity at all") {
  const Model model("rest_together", R"(
model RestTogether
  Rotational.Inertia a(J = 0.1, w(start = 1));
  Rotational.Inertia b(J = 0.213, w(start = 0.7));
  Rotational.Inertia c(J = 0.07, w(start = 0.3));
  Rotational.BearingFriction left(d = 0.1, tau0 = 0.5);
  Rotational.CrossFriction first(d = 0.2, tau0 = 0.8);
  Rotational.CrossFriction second(d = 0.1, tau0 = 0.8);
  Rotational.BearingFriction right(d = 0.03, tau0 = 0.3);
equation
  connect(left.flange_a, a.flange_b);
  connect(a.flange_b, first.flange_a);
  connect(first.flange_b, b.flange_a);
  connect(b.flange_b, second.flange_a);
  connect(second.flange_b, c.flange_a);
  connect(right.flange_a, c.flange_b);
  annotation(experiment(StopTime = 1));
end RestTogether;
)");
  const Simulation run = taylor(model);
  REQUIRE(run.report.reason == StopReason::kDone);
  for (const char* name : {"a.w", "b.w", "c.w"}) CHECK(run.column(model, name).back() == 0);
}

// The shortest forces have the right bearing at its bound, not because they grow there: after the
// step at 0.3 s they shrink, and still are the shortest with that bearing at its bound.
TEST_CASE(
    "of forces that are not unique one at its bound stays there while others would be longer") {
  const Model model("shortest", pair_of_bodies(R"(
  Rotational.CrossFriction between(tau0 = 0.35);
  Rotational.BearingFriction left(tau0 = 2);
  Rotational.BearingFriction right(tau0 = 0.3);
  Rotational.Torque push;
  Rotational.Torque kick;
  Blocks.Sine signal(amplitude = 1.4, f = 1);
  Blocks.Step step(height = 0.01, startTime = 0.3);)",
                                               R"(
  connect(signal.y, push.tau);
  connect(push.flange, a.flange_a);
  connect(step.y, kick.tau);
  connect(kick.flange, a.flange_a);
)"));
  check_rests(model, taylor(model));
}

// Here the loads take the right bearing off its bound when the left one is at its own.
TEST_CASE("of forces that are not unique one leaves its bound when the motion needs that") {
  const Model model("opposed", pair_of_bodies(R"(
  Rotational.CrossFriction between(tau0 = 3);
  Rotational.BearingFriction left(tau0 = 0.5);
  Rotational.BearingFriction right(tau0 = 0.3);
  Rotational.Torque twist;
  Rotational.Torque pull;
  Rotational.Torque push;
  Blocks.Ramp apart(height = -1.5, duration = 0.5);
  Blocks.Ramp back(height = 1.5, duration = 0.5);
  Blocks.Ramp slow(height = -0.6, duration = 1);)",
                                              R"(
  connect(apart.y, twist.tau);
  connect(twist.flange, a.flange_a);
  connect(slow.y, pull.tau);
  connect(pull.flange, a.flange_a);
  connect(back.y, push.tau);
  connect(push.flange, b.flange_a);
)"));
  check_rests(model, taylor(model));
}

// Massless bodies that go to the balance of their forces: the margin of link2 goes to zero like
// exp(-2000 t), and what is left of it and of its rate is rounding.
TEST_CASE("a massless body that relaxes to the edge of a play ends there without a storm") {
  const Model model("relaxing", R"(
model Relaxing
  Rotational.Inertia body0(J = 0.1803, phi(start = 0.05));
  Rotational.FreeplaySpring link0(k = 100, half_freeplay = 0.01308);
  Blocks.Sine signal0(amplitude = 2, f = 2.5);
  Rotational.Torque torque0;
  Rotational.Inertia body1(J = 0);
  Rotational.FreeplaySpring link1(k = 100, half_freeplay = 0.00654);
  Rotational.BearingFriction bearing1(d = 0.0494, tau0 = 0);
  Rotational.Inertia body2(J = 0);
  Rotational.FreeplaySpring link2(k = 100, half_freeplay = 0.02);
  Rotational.BearingFriction bearing2(d = 0.1928, tau0 = 0.131);
  Rotational.Inertia body3(J = 0);
  Rotational.FreeplaySpring link3(k = 360.5, half_freeplay = 0.1112);
  Rotational.BearingFriction bearing3(d = 1, tau0 = 0.5, tau0_static = 0.7);
  Blocks.Sine signal3(amplitude = 2, f = 2.5);
  Rotational.Torque torque3;
  Rotational.Fixed ground;
equation
  connect(link0.flange_b, body0.flange_a);
  connect(link0.flange_a, ground.flange);
  connect(signal0.y, torque0.tau);
  connect(torque0.flange, body0.flange_b);
  connect(link1.flange_b, body1.flange_a);
  connect(link1.flange_a, body0.flange_b);
  connect(bearing1.flange_a, body1.flange_b);
  connect(link2.flange_b, body2.flange_a);
  connect(link2.flange_a, body1.flange_b);
  connect(bearing2.flange_a, body2.flange_b);
  connect(link3.flange_b, body3.flange_a);
  connect(link3.flange_a, body2.flange_b);
  connect(bearing3.flange_a, body3.flange_b);
  connect(signal3.y, torque3.tau);
  connect(torque3.flange, body3.flange_b);
  annotation(experiment(StopTime = 1));
end Relaxing;
)");
  const Simulation run = taylor(model), fine = taylor(model, 1e-13);
  REQUIRE(run.report.reason == StopReason::kDone);
  REQUIRE(fine.report.reason == StopReason::kDone);
  for (const Deviation& d : motion_deviations(model, fine, model, run)) {
    INFO(d.column);
    CHECK(d.difference <= 1e-7 * d.peak);
  }
}

// The slip decays like exp(-2500 t) and is never zero: T_K = 0.5 stays the bound, also after events
// elsewhere, where what is left of the slip is rounding. With T_S the body would stay at 0.005.
TEST_CASE("a massless body that tends to rest slides on under a greater load") {
  const Model model("tending", R"(
model Tending
  Rotational.Inertia node(J = 0);
  Rotational.Spring spring(k = 100);
  Rotational.BearingFriction bearing(d = 0.04, tau0 = 0.5, tau0_static = 0.7);
  Rotational.Torque push;
  Rotational.Torque more;
  Blocks.Step first(height = 1, startTime = 0.1);
  Blocks.Step second(height = 0.1, startTime = 0.51);
  Rotational.Inertia other(J = 1);
  Rotational.Torque elsewhere;
  Blocks.Step third(height = 1, startTime = 0.3);
  Rotational.Fixed ground;
equation
  connect(spring.flange_a, ground.flange);
  connect(spring.flange_b, node.flange_a);
  connect(bearing.flange_a, node.flange_b);
  connect(first.y, push.tau);
  connect(push.flange, node.flange_b);
  connect(second.y, more.tau);
  connect(more.flange, node.flange_b);
  connect(third.y, elsewhere.tau);
  connect(elsewhere.flange, other.flange_a);
  annotation(experiment(StopTime = 1));
end Tending;
)");
  const CvodeOptions options{0, 1, 0.02, kLeastCvodeTolerance, false};
  for (const Simulation& run : {taylor(model), simulate(model, options)}) {
    REQUIRE(run.report.reason == StopReason::kDone);
    const std::vector<double>& phi = run.column(model, "node.phi");
    CHECK(phi[25] == doctest::Approx(0.005).epsilon(1e-9));
    CHECK(phi[50] == doctest::Approx(0.006).epsilon(1e-9));
  }
}

// The bearing slides with a torque beyond its friction that decays like exp(-80 t): it tends to the
// edge of its zone and is never there, whatever errors of steps make of the sign.
TEST_CASE("a massless body whose friction tends to its bound slides on without events") {
  const Model model("edge_of_friction", R"(
model EdgeOfFriction
  Rotational.Inertia first(J = 0);
  Rotational.Inertia second(J = 0);
  Rotational.Spring near(k = 336.4);
  Rotational.Spring far(k = 187.3);
  Rotational.BearingFriction damper(d = 1, tau0 = 0);
  Rotational.BearingFriction bearing(d = 1, tau0 = 0.1645);
  Rotational.Torque push;
  Blocks.Step step(height = 2, startTime = 0.1);
  Rotational.Inertia other(J = 1);
  Rotational.Torque elsewhere;
  Blocks.Step later(height = 1, startTime = 0.7);
  Rotational.Fixed ground;
equation
  connect(near.flange_a, ground.flange);
  connect(near.flange_b, first.flange_a);
  connect(damper.flange_a, first.flange_b);
  connect(far.flange_a, first.flange_b);
  connect(far.flange_b, second.flange_a);
  connect(bearing.flange_a, second.flange_b);
  connect(step.y, push.tau);
  connect(push.flange, second.flange_b);
  connect(later.y, elsewhere.tau);
  connect(elsewhere.flange, other.flange_a);
  annotation(experiment(StopTime = 1));
end EdgeOfFriction;
)");
  check_agrees(model);
  const Simulation run = taylor(model, 1e-13);
  CHECK(run.report.events == 3);
  const double beyond = 2 - 0.1645;
  CHECK(run.column(model, "second.phi").back() ==
        doctest::Approx(beyond / 336.4 + beyond / 187.3).epsilon(1e-9));
}

// Their forces are not unique, and those of least length have the bearing of body6 at its bound
// from the instant on at which it reaches it: by its rate, whatever rounding makes of that.
TEST_CASE("of forces that are not unique one stays at the bound that it has just reached") {
  const Model model("taking_turns", R"(
model TakingTurns
  Rotational.Inertia body1(J = 0.1);
  Blocks.Step signal1(height = 7.11, startTime = 0.1208);
  Rotational.Torque torque1;
  Rotational.Inertia body5(J = 0);
  Rotational.Spring link5(k = 168.2);
  Rotational.BearingFriction bearing5(d = 0, tau0 = 0.5);
  Rotational.Inertia body6(J = 0.0458);
  Rotational.CrossFriction cross6(d = 0.2, tau0 = 1.141);
  Rotational.BearingFriction bearing6(d = 0, tau0 = 0.5865);
equation
  connect(signal1.y, torque1.tau);
  connect(torque1.flange, body1.flange_b);
  connect(link5.flange_b, body5.flange_a);
  connect(link5.flange_a, body1.flange_b);
  connect(bearing5.flange_a, body5.flange_b);
  connect(cross6.flange_b, body6.flange_a);
  connect(cross6.flange_a, body5.flange_b);
  connect(bearing6.flange_a, body6.flange_b);
  annotation(experiment(StopTime = 1));
end TakingTurns;
)");
  check_agrees(model);
}

// Slips that follow the forces at once, held by bodies with inertia: rounding takes a force off its
// bound in one round of the decision and back to it in the next.
TEST_CASE("frictions between massless bodies do not cycle between held and at their bounds") {
  const Model model("cycling", R"(
model Cycling
  Rotational.Inertia body1(J = 0);
  Blocks.Sine signal1(amplitude = 2, f = 2.5);
  Rotational.Torque torque1;
  Rotational.Inertia body2(J = 0);
  Rotational.SpringDamper link2(k = 397.2, d = 0.2);
  Rotational.CrossFriction cross2(d = 0, tau0 = 0.3655);
  Rotational.BearingFriction bearing2(d = 0, tau0 = 0.5);
  Rotational.Inertia body3(J = 0.1, phi(start = 0.1177));
  Rotational.SpringDamper link3(k = 100, d = 0.2);
  Rotational.CrossFriction cross3(d = 0.0864, tau0 = 0.5);
equation
  connect(signal1.y, torque1.tau);
  connect(torque1.flange, body1.flange_b);
  connect(link2.flange_b, body2.flange_a);
  connect(link2.flange_a, body1.flange_b);
  connect(cross2.flange_b, body2.flange_a);
  connect(cross2.flange_a, body1.flange_b);
  connect(bearing2.flange_a, body2.flange_b);
  connect(link3.flange_b, body3.flange_a);
  connect(link3.flange_a, body1.flange_b);
  connect(cross3.flange_b, body3.flange_a);
  connect(cross3.flange_a, body1.flange_b);
  annotation(experiment(StopTime = 1));
end Cycling;
)");
  check_agrees(model);
}

// The forces of a chain of massless bodies are unique at their bounds alone.
TEST_CASE("of forces that only their bounds make unique one at its bound stays there") {
  const Model model("unique_at_bounds", R"(
model UniqueAtBounds
  Rotational.Inertia body3(J = 0);
  Rotational.BearingFriction bearing3(d = 0.0634, tau0 = 0.0925);
  Rotational.Inertia body4(J = 0);
  Rotational.SpringDamper link4(k = 43.9, d = 0.2);
  Blocks.Sine signal4(amplitude = 7.918, f = 6.23441);
  Rotational.Torque torque4;
  Rotational.Inertia body6(J = 0);
  Rotational.CrossFriction cross6(d = 0.9782, tau0 = 1.129);
  Rotational.BearingFriction bearing6(d = 0.1534, tau0 = 0.221);
  Blocks.Sine signal6(amplitude = 2, f = 0.577101);
  Rotational.Torque torque6;
equation
  connect(bearing3.flange_a, body3.flange_b);
  connect(link4.flange_b, body4.flange_a);
  connect(link4.flange_a, body3.flange_b);
  connect(signal4.y, torque4.tau);
  connect(torque4.flange, body4.flange_b);
  connect(cross6.flange_b, body6.flange_a);
  connect(cross6.flange_a, body3.flange_b);
  connect(bearing6.flange_a, body6.flange_b);
  connect(signal6.y, torque6.tau);
  connect(torque6.flange, body6.flange_b);
  annotation(experiment(StopTime = 1));
end UniqueAtBounds;
)");
  check_agrees(model);
}

// The force of the second cross friction is at its bound with all its derivatives, as the
// difference of greater ones: what is left of them is no reserve.
TEST_CASE("a force that stays at its bound as a difference of greater ones has no reserve") {
  const Model model("difference", R"(
model Difference
  Blocks.Sine signal1(amplitude = 2, f = 2.5);
  Rotational.SpringDamper link1(k = 335.2, d = 0.0848);
  Rotational.BearingFriction bearing2(d = 0, tau0 = 0.5);
  Rotational.Inertia body1(J = 0);
  Rotational.Inertia body0(J = 0.1);
  Rotational.Torque torque1;
  Rotational.Inertia body2(J = 0);
  Rotational.SpringDamper link2(k = 397.2, d = 0.2);
  Rotational.CrossFriction cross3(d = 0.0864, tau0 = 0.5);
  Rotational.CrossFriction cross2(d = 0, tau0 = 0.3655);
  Rotational.Inertia body3(J = 0.1);
equation
  connect(bearing2.flange_a, body2.flange_b);
  connect(body1.flange_b, cross3.flange_a);
  connect(body1.flange_b, cross2.flange_a);
  connect(body0.flange_b, link1.flange_a);
  connect(link1.flange_b, body1.flange_a);
  connect(torque1.tau, signal1.y);
  connect(body1.flange_b, link2.flange_a);
  connect(link2.flange_b, body2.flange_a);
  connect(cross3.flange_b, body3.flange_a);
  connect(cross2.flange_b, body2.flange_a);
  connect(body1.flange_b, torque1.flange);
  annotation(experiment(StopTime = 1));
end Difference;
)");
  check_agrees(model);
}

// The cross friction holds the massless body on the one with inertia: they come to rest together,
// and the bearing that still slides with T_K would hold nothing.
TEST_CASE("a body with inertia comes to rest with the massless body that it is held by") {
  const Model model("held_by_massless", R"(
model HeldByMassless
  Rotational.Inertia body1(J = 0.1025);
  Rotational.BearingFriction bearing1(d = 0, tau0 = 0.5, tau0_static = 0.552);
  Blocks.Sine signal1(amplitude = 2, f = 2.5);
  Rotational.Torque torque1;
  Rotational.Inertia body2(J = 0);
  Rotational.GearPair link2(ratio = -2.5, k = 100, half_freeplay = 0.0073);
  Rotational.CrossFriction cross2(d = 0.0356, tau0 = 1.4845);
  Rotational.BearingFriction bearing2(d = 0.5046, tau0 = 0.5);
  Blocks.Ramp signal2(height = 2, duration = 0.4);
  Rotational.Torque torque2;
equation
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
  annotation(experiment(StopTime = 1));
end HeldByMassless;
)");
  check_agrees(model);
}

// The speed that drives the massless body is zero, but for rounding, in the instant of an event.
TEST_CASE("the rounding of a speed that is zero does not take a massless body along") {
  const Model model("turning_back", R"(
model TurningBack
  Rotational.Inertia body0(J = 0);
  Rotational.FreeplaySpring link0(k = 100, half_freeplay = 0.08908);
  Rotational.BearingFriction bearing0(d = 0.087, tau0 = 0.5);
  Blocks.Sine signal0(amplitude = 2, f = 6.12745);
  Rotational.Torque torque0;
  Rotational.Inertia body1(J = 0.1, phi(start = 0.05), w(start = 0.5));
  Rotational.FreeplaySpring link1(k = 100, half_freeplay = 0.02);
  Blocks.Sine signal1(amplitude = 0.498, f = 3.30251);
  Rotational.Torque torque1;
  Rotational.Inertia body2(J = 0);
  Rotational.FreeplaySpring link2(k = 69.6, half_freeplay = 0.01768);
  Blocks.Step signal2(height = 2, startTime = 0.4);
  Rotational.Torque torque2;
  Rotational.Fixed ground;
equation
  connect(link0.flange_b, body0.flange_a);
  connect(link0.flange_a, ground.flange);
  connect(bearing0.flange_a, body0.flange_b);
  connect(signal0.y, torque0.tau);
  connect(torque0.flange, body0.flange_b);
  connect(link1.flange_b, body1.flange_a);
  connect(link1.flange_a, body0.flange_b);
  connect(signal1.y, torque1.tau);
  connect(torque1.flange, body1.flange_b);
  connect(link2.flange_b, body2.flange_a);
  connect(link2.flange_a, body0.flange_b);
  connect(signal2.y, torque2.tau);
  connect(torque2.flange, body2.flange_b);
  annotation(experiment(StopTime = 0.98969072164948457));
end TurningBack;
)");
  check_agrees(model);
}

// With the support at T_S the clutch would slip, with what it drops to it holds.
TEST_CASE("a friction that holds when another has dropped to T_K stays at rest") {
  const Model model("drop.ltm", R"(
model Drop
  Translational.Mass b(m = 1), x(m = 1);
  Translational.CrossFriction clutch(f0 = 0.42);
  Translational.SupportFriction support(f0 = 0.02, f0_static = 0.18);
  Blocks.Constant on_b(k = 1), on_x(k = 0.3);
  Translational.Force push_b, push_x;
equation
  connect(on_b.y, push_b.f);
  connect(on_x.y, push_x.f);
  connect(push_b.flange, b.flange_a);
  connect(push_x.flange, x.flange_a);
  connect(b.flange_b, clutch.flange_a);
  connect(clutch.flange_b, x.flange_b);
  connect(x.flange_a, support.flange_a);
  annotation(experiment(StopTime = 1));
end Drop;
)");
  const Simulation run = taylor(model);
  REQUIRE(run.report.reason == StopReason::kDone);
  CHECK(run.report.events == 0);
  for (const char* name : {"b.a", "x.a"}) {
    for (const double a : run.column(model, name)) CHECK(std::fabs(a - 0.64) < 1e-15);
  }
}

// Both frictions would slip at their T_S; the belt drops to less than the support can hold.
TEST_CASE("of two that break away together the one that does not slip is at rest") {
  const Model model("between.ltm", R"(
model Between
  Translational.Mass b(m = 1);
  Translational.SupportFriction support(f0 = 0.861, f0_static = 1.431);
  Translational.CrossFriction belt(f0 = 2.872, f0_static = 4.319);
  Translational.Accelerate drive;
  Blocks.Constant a(k = 0.3);
  Translational.Force load(f = -2.7);
equation
  connect(a.y, drive.a_ref);
  connect(drive.flange, belt.flange_a);
  connect(belt.flange_b, b.flange_a);
  connect(b.flange_a, support.flange_a);
  connect(load.flange, b.flange_b);
  annotation(experiment(StopTime = 1));
end Between;
)");
  const Simulation run = taylor(model);
  REQUIRE(run.report.reason == StopReason::kDone);
  CHECK(run.report.events == 0);
  for (const double v : run.column(model, "b.v")) CHECK(v == 0);
  for (const double f : run.column(model, "support.f")) CHECK(std::fabs(f - 0.172) < 1e-14);
}

// Each friction that is brought to rest by itself moves the others: five bodies, each held by all.
TEST_CASE("Euler's scheme brings coupled frictions to rest together") {
  std::string parts = "model Held\n", connects = "equation\n";
  for (int i = 0; i < 5; ++i) {
    const std::string speed = std::to_string(i - 2) + "e-8";
    parts +=
        "  Rotational.Inertia body" + std::to_string(i) + "(J = 1, w(start = " + speed + "));\n";
    for (int k = 0; k < i; ++k) {
      const std::string name = "clutch" + std::to_string(i) + std::to_string(k);
      parts += "  Rotational.CrossFriction " + name + "(tau0 = 1);\n";
      connects += "  connect(body" + std::to_string(i) + ".flange_a, " + name + ".flange_a);\n";
      connects += "  connect(body" + std::to_string(k) + ".flange_a, " + name + ".flange_b);\n";
    }
  }
  const Model model("held.ltm", parts + connects + "end Held;\n");
  const Simulation run = simulate(model, EulerOptions{0, 0.02, 0.01, 0.001, 1e-6});
  REQUIRE(run.report.reason == StopReason::kDone);
  for (int i = 0; i < 5; ++i) {
    CHECK(std::fabs(run.column(model, "body" + std::to_string(i) + ".w").back()) < 1e-22);
  }
}

// Both frictions at their bounds are what keeps the other forces from being shorter, by as much:
// one of them yields, and only the rate of the push on a tells that it is the one between the
// bodies.
TEST_CASE("of two forces at their bounds the one that the motion needs yields") {
  for (int n = 0; n < 8; ++n) {
    // Which one rounding makes the more depends on the numbers.
    const double between = 0.7 + 0.013 * n, left = 2.1 + 0.017 * n, pull = 8 + 0.07 * n;
    const auto number = [](double x) { return std::to_string(x); };
    const Model model(
        "yields",
        pair_of_bodies("  Rotational.CrossFriction between(tau0 = " + number(between) +
                           ");\n  Rotational.BearingFriction left(tau0 = " + number(left) +
                           ");\n  Rotational.BearingFriction right(tau0 = 9);\n"
                           "  Rotational.Torque push;\n"
                           "  Rotational.Torque pull;\n"
                           "  Blocks.Ramp rising(height = 2, duration = 1);\n"
                           "  Blocks.Ramp falling(height = -5, duration = 1, offset = " +
                           number(pull) + ");\n",
                       R"(
  connect(rising.y, push.tau);
  connect(push.flange, a.flange_a);
  connect(falling.y, pull.tau);
  connect(pull.flange, b.flange_a);
)"));
    const Simulation run = taylor(model);
    check_rests(model, run);
    const std::vector<double>& force = run.column(model, "left.tau");
    for (std::size_t i = 0; i < force.size(); ++i) {
      const double expected = std::min(between + 2 * run.time[i], left);
      CHECK(std::fabs(force[i]) == doctest::Approx(expected).epsilon(1e-12));
    }
  }
}

// The body slides on the ground; the massless one between them cannot rest on both, although forces
// within the bounds of both frictions would balance.
TEST_CASE("a massless body does not start at rest on bodies with different velocities") {
  const Model model("start_in_series", R"(
model StartInSeries
  Rotational.Inertia body(J = 0.0279, w(start = 0.5));
  Rotational.Inertia node(J = 0);
  Rotational.CrossFriction cross(tau0 = 0.7);
  Rotational.BearingFriction bearing(tau0 = 0.5);
  Rotational.Inertia far(J = 0);
  Rotational.SpringDamper link(k = 120.2, d = 0.0684);
  Rotational.BearingFriction damper(d = 0.2, tau0 = 0);
equation
  connect(body.flange_b, cross.flange_a);
  connect(cross.flange_b, node.flange_a);
  connect(bearing.flange_a, node.flange_b);
  connect(node.flange_b, link.flange_a);
  connect(link.flange_b, far.flange_a);
  connect(damper.flange_a, far.flange_b);
  annotation(experiment(StopTime = 0.05));
end StartInSeries;
)");
  const Simulation run = taylor(model, 1e-13);
  REQUIRE(run.report.reason == StopReason::kDone);
  CHECK(run.column(model, "node.w").front() == doctest::Approx(0.5).epsilon(1e-14));
  const RunReport report = audited(model, TaylorOptions{0, 0.05, 0.001, 1e-13, false});
  CHECK(std::fabs(report.energy->residual()) <= 1e-12 * report.energy->turnover);
  for (const double lost : report.energy->dissipated) CHECK(lost >= -1e-15);
}

// The load of the massless body is zero where the spring lets go, but for the error of the root: it
// has to cross its play, and no spring tells how far the 1e-13 N.m take it.
TEST_CASE("a massless body crosses its play when its load goes through zero") {
  const Model model("lets_go", R"(
model LetsGo
  Rotational.Inertia body1(J = 0);
  Blocks.Sine signal1(amplitude = 2, f = 2.5);
  Rotational.Torque torque1;
  Rotational.Inertia body2(J = 0);
  Rotational.FreeplaySpring link2(k = 19.7, half_freeplay = 0.02);
  Rotational.BearingFriction bearing2(d = 0, tau0 = 0.5, tau0_static = 0.7);
  Rotational.Inertia body3(J = 0.4516);
  Rotational.FreeplaySpring link3(k = 94.8, half_freeplay = 0.02);
equation
  connect(signal1.y, torque1.tau);
  connect(torque1.flange, body1.flange_b);
  connect(link2.flange_b, body2.flange_a);
  connect(link2.flange_a, body1.flange_b);
  connect(bearing2.flange_a, body2.flange_b);
  connect(link3.flange_b, body3.flange_a);
  connect(link3.flange_a, body2.flange_b);
  annotation(experiment(StopTime = 0.98969072164948457));
end LetsGo;
)");
  check_agrees(model);
}

// The slip of the massless body dies out: its derivatives are rounding with the rates of its decay,
// and so is what they make of the reserve of a force that stays at its bound.
TEST_CASE("a massless body that tends to rest does not come to rest by rounding") {
  const Model model("dying_out", R"(
model DyingOut
  Rotational.BearingFriction bearing1(d = 0, tau0 = 0.5);
  Rotational.BearingFriction bearing0(d = 0.508, tau0 = 0.264, tau0_static = 0.464);
  Rotational.Torque torque2;
  Rotational.Fixed ground;
  Rotational.Inertia body1(J = 0);
  Blocks.Sine signal2(amplitude = 2, f = 2.5);
  Rotational.Inertia body0(J = 0);
  Blocks.Ramp signal1(height = 2, duration = 0.1968);
  Rotational.Torque torque1;
  Rotational.FreeplaySpring link0(k = 100, half_freeplay = 0.03606);
  Rotational.SpringDamper link1(k = 228.9, d = 0.2);
  Rotational.BearingFriction bearing2(d = 0.1224, tau0 = 1.6415);
  Rotational.Inertia body2(J = 0);
  Rotational.FreeplaySpring link2(k = 23.4, half_freeplay = 0.01896);
equation
  connect(bearing1.flange_a, body1.flange_b);
  connect(body0.flange_b, link1.flange_a);
  connect(signal2.y, torque2.tau);
  connect(link1.flange_b, body1.flange_a);
  connect(body0.flange_b, bearing0.flange_a);
  connect(link2.flange_a, body1.flange_b);
  connect(link0.flange_a, ground.flange);
  connect(body2.flange_b, bearing2.flange_a);
  connect(torque2.flange, body2.flange_b);
  connect(body0.flange_a, link0.flange_b);
  connect(body2.flange_a, link2.flange_b);
  connect(torque1.tau, signal1.y);
  connect(torque1.flange, body1.flange_b);
  annotation(experiment(StopTime = 0.98969072164948457));
end DyingOut;
)");
  check_agrees(model);
}

// All bodies rest, with a velocity of 1e-16 that is left. Inside the zone of a bearing that leads
// its torque across the edge; outside it is rounding of what decays there.
TEST_CASE("a zone is left in the direction that both of its sides agree on") {
  const Model model("at_the_edge", R"(
model AtTheEdge
  Rotational.Inertia body0(J = 0);
  Rotational.SpringDamper link0(k = 100, d = 0.5046);
  Rotational.BearingFriction bearing0(d = 0.3352, tau0 = 0.8795);
  Blocks.Step signal0(height = 3.238, startTime = 0.4);
  Rotational.Torque torque0;
  Rotational.Inertia body1(J = 0.0181);
  Rotational.FreeplaySpring link1(k = 100, half_freeplay = 0.00668);
  Rotational.Inertia body2(J = 0.0794);
  Rotational.FreeplaySpring link2(k = 19.2, half_freeplay = 0.0276);
  Rotational.CrossFriction cross2(d = 0, tau0 = 0.5);
  Rotational.Inertia body3(J = 0);
  Rotational.IdealGear link3(ratio = -2.5);
  Rotational.CrossFriction cross3(d = 0, tau0 = 0.5);
  Rotational.Inertia body4(J = 0);
  Rotational.GearPair link4(ratio = -2.5, k = 100, half_freeplay = 0.0057);
  Rotational.BearingFriction bearing4(d = 0, tau0 = 0.5);
  Blocks.Sine signal4(amplitude = 2, f = 2.44858);
  Rotational.Torque torque4;
  Rotational.Inertia body5(J = 0.1);
  Blocks.Sine signal5(amplitude = 1.134, f = 2.5);
  Rotational.Torque torque5;
  Rotational.Fixed ground;
equation
  connect(link0.flange_b, body0.flange_a);
  connect(link0.flange_a, ground.flange);
  connect(bearing0.flange_a, body0.flange_b);
  connect(signal0.y, torque0.tau);
  connect(torque0.flange, body0.flange_b);
  connect(link1.flange_b, body1.flange_a);
  connect(link1.flange_a, body0.flange_b);
  connect(link2.flange_b, body2.flange_a);
  connect(link2.flange_a, body1.flange_b);
  connect(cross2.flange_b, body2.flange_a);
  connect(cross2.flange_a, body1.flange_b);
  connect(link3.flange_b, body3.flange_a);
  connect(link3.flange_a, body2.flange_b);
  connect(cross3.flange_b, body3.flange_a);
  connect(cross3.flange_a, body2.flange_b);
  connect(link4.flange_b, body4.flange_a);
  connect(link4.flange_a, body3.flange_b);
  connect(bearing4.flange_a, body4.flange_b);
  connect(signal4.y, torque4.tau);
  connect(torque4.flange, body4.flange_b);
  connect(signal5.y, torque5.tau);
  connect(torque5.flange, body5.flange_b);
  annotation(experiment(StopTime = 0.98969072164948457));
end AtTheEdge;
)");
  check_agrees(model);
}

// The massless body goes from where it is given to its equilibrium at once: the force of the spring
// after that, not the one before, tells whether it slides on.
TEST_CASE("what drives a massless body at the start is that of its equilibrium") {
  const Model model("from_its_start", R"(
model FromItsStart
  Rotational.Inertia body2(J = 0.1, phi(start = 0.02585));
  Blocks.Sine signal2(amplitude = 2, f = 7.08215);
  Rotational.Torque torque2;
  Rotational.Inertia body4(J = 0);
  Rotational.FreeplaySpring link4(k = 112.1, half_freeplay = 0.02);
  Rotational.BearingFriction bearing4(d = 0, tau0 = 0.5);
equation
  connect(signal2.y, torque2.tau);
  connect(torque2.flange, body2.flange_b);
  connect(link4.flange_b, body4.flange_a);
  connect(link4.flange_a, body2.flange_b);
  connect(bearing4.flange_a, body4.flange_b);
  annotation(experiment(StopTime = 1));
end FromItsStart;
)");
  check_agrees(model);
}

// Nothing is behind the gears: their torques are what rounding leaves of others.
TEST_CASE("massless bodies behind gears compile in any order of declaration") {
  const Model model("behind_gears", R"(
model BehindGears
  Rotational.CrossFriction cross2(d = 0.2, tau0 = 0);
  Rotational.BearingFriction bearing2(d = 1, tau0 = 0);
  Rotational.IdealGear link4(ratio = 2);
  Rotational.Torque torque2;
  Blocks.Sine signal2(amplitude = 0.876, f = 2.5);
  Rotational.IdealGear link1(ratio = -2.5);
  Rotational.Torque torque1;
  Rotational.Inertia body1(J = 0.1);
  Rotational.Fixed ground;
  Rotational.SpringDamper link2(k = 100, d = 0.04);
  Rotational.Inertia body0(J = 0.1, phi(start = 0.0146));
  Rotational.Inertia body2(J = 0);
  Blocks.Ramp signal1(height = 4.378, duration = 0.4);
  Rotational.Inertia body3(J = 0);
  Rotational.IdealGear link3(ratio = 0.5);
  Rotational.Inertia body4(J = 0);
  Rotational.BearingFriction bearing0(d = 0, tau0 = 0.464, tau0_static = 0.744);
  Rotational.GearPair link0(ratio = -1, k = 100, half_freeplay = 0.02);
equation
  connect(body0.flange_b, bearing0.flange_a);
  connect(body1.flange_b, torque1.flange);
  connect(body2.flange_a, link2.flange_b);
  connect(cross2.flange_a, body0.flange_b);
  connect(body2.flange_a, cross2.flange_b);
  connect(body3.flange_a, link3.flange_b);
  connect(link1.flange_a, body0.flange_b);
  connect(ground.flange, link0.flange_a);
  connect(torque2.tau, signal2.y);
  connect(body2.flange_b, torque2.flange);
  connect(link2.flange_a, body0.flange_b);
  connect(body1.flange_a, link1.flange_b);
  connect(body0.flange_a, link0.flange_b);
  connect(body2.flange_b, bearing2.flange_a);
  connect(signal1.y, torque1.tau);
  connect(link4.flange_b, body4.flange_a);
  connect(link4.flange_a, body3.flange_b);
  connect(link3.flange_a, body2.flange_b);
  annotation(experiment(StopTime = 1));
end BehindGears;
)");
  const Simulation run = taylor(model);
  REQUIRE(run.report.reason == StopReason::kDone);
  const std::vector<double>&a = run.column(model, "body3.phi"), &b = run.column(model, "body4.phi");
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(std::fabs(a[i] - 2 * b[i]) <= 1e-13);
}

}  // namespace luztar::test
