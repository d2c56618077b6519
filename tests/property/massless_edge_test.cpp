// Decisions that rounding must not take, of bodies without inertia: slips that die out, motions
// that end at the edge of a play, forces that tend to their bounds.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/support/model.h"
#include "tests/support/placed_parts.h"
#include "tests/support/simulation.h"
#include "tests/support/solver_agreement.h"

namespace luztar::test {

// Massless bodies that go to the balance of their forces: the margin of link2 goes to zero like
// exp(-2000 t), and what is left of it and of its rate is rounding.
TEST_CASE("a massless body that relaxes to the edge of a play ends there without a storm") {
  const Model model(
      "relaxing",
      model_text({
          {"Rotational.Inertia body0(J = 0.1803, phi(start = 0.05))"},
          {"Rotational.FreeplaySpring link0(k = 100, half_freeplay = 0.01308)", "ground", "body0"},
          load("Blocks.Sine signal0(amplitude = 2, f = 2.5)", "torque0", "body0"),
          {"Rotational.Inertia body1(J = 0)"},
          {"Rotational.FreeplaySpring link1(k = 100, half_freeplay = 0.00654)", "body0", "body1"},
          {"Rotational.BearingFriction bearing1(d = 0.0494, tau0 = 0)", "body1"},
          {"Rotational.Inertia body2(J = 0)"},
          {"Rotational.FreeplaySpring link2(k = 100, half_freeplay = 0.02)", "body1", "body2"},
          {"Rotational.BearingFriction bearing2(d = 0.1928, tau0 = 0.131)", "body2"},
          {"Rotational.Inertia body3(J = 0)"},
          {"Rotational.FreeplaySpring link3(k = 360.5, half_freeplay = 0.1112)", "body2", "body3"},
          {"Rotational.BearingFriction bearing3(d = 1, tau0 = 0.5, tau0_static = 0.7)", "body3"},
          load("Blocks.Sine signal3(amplitude = 2, f = 2.5)", "torque3", "body3"),
          {"Rotational.Fixed ground"},
      }));
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

// Slips that follow the forces at once, held by bodies with inertia: rounding takes a force off its
// bound in one round of the decision and back to it in the next.
TEST_CASE("frictions between massless bodies do not cycle between held and at their bounds") {
  const Model model(
      "cycling", model_text({
                     {"Rotational.Inertia body1(J = 0)"},
                     load("Blocks.Sine signal1(amplitude = 2, f = 2.5)", "torque1", "body1"),
                     {"Rotational.Inertia body2(J = 0)"},
                     {"Rotational.SpringDamper link2(k = 397.2, d = 0.2)", "body1", "body2"},
                     {"Rotational.CrossFriction cross2(d = 0, tau0 = 0.3655)", "body1", "body2"},
                     {"Rotational.BearingFriction bearing2(d = 0, tau0 = 0.5)", "body2"},
                     {"Rotational.Inertia body3(J = 0.1, phi(start = 0.1177))"},
                     {"Rotational.SpringDamper link3(k = 100, d = 0.2)", "body1", "body3"},
                     {"Rotational.CrossFriction cross3(d = 0.0864, tau0 = 0.5)", "body1", "body3"},
                 }));
  check_agrees(model);
}

// The cross friction holds the massless body on the one with inertia: they come to rest together,
// and the bearing that still slides with T_K would hold nothing.
TEST_CASE("a body with inertia comes to rest with the massless body that it is held by") {
  const Model model(
      "held_by_massless",
      model_text({
          {"Rotational.Inertia body1(J = 0.1025)"},
          {"Rotational.BearingFriction bearing1(d = 0, tau0 = 0.5, tau0_static = 0.552)", "body1"},
          load("Blocks.Sine signal1(amplitude = 2, f = 2.5)", "torque1", "body1"),
          {"Rotational.Inertia body2(J = 0)"},
          {"Rotational.GearPair link2(ratio = -2.5, k = 100, half_freeplay = 0.0073)", "body1",
           "body2"},
          {"Rotational.CrossFriction cross2(d = 0.0356, tau0 = 1.4845)", "body1", "body2"},
          {"Rotational.BearingFriction bearing2(d = 0.5046, tau0 = 0.5)", "body2"},
          load("Blocks.Ramp signal2(height = 2, duration = 0.4)", "torque2", "body2"),
      }));
  check_agrees(model);
}

// The speed that drives the massless body is zero, but for rounding, in the instant of an event.
TEST_CASE("the rounding of a speed that is zero does not take a massless body along") {
  const Model model(
      "turning_back",
      model_text(
          {
              {"Rotational.Inertia body0(J = 0)"},
              {"Rotational.FreeplaySpring link0(k = 100, half_freeplay = 0.08908)", "ground",
               "body0"},
              {"Rotational.BearingFriction bearing0(d = 0.087, tau0 = 0.5)", "body0"},
              load("Blocks.Sine signal0(amplitude = 2, f = 6.12745)", "torque0", "body0"),
              {"Rotational.Inertia body1(J = 0.1, phi(start = 0.05), w(start = 0.5))"},
              {"Rotational.FreeplaySpring link1(k = 100, half_freeplay = 0.02)", "body0", "body1"},
              load("Blocks.Sine signal1(amplitude = 0.498, f = 3.30251)", "torque1", "body1"),
              {"Rotational.Inertia body2(J = 0)"},
              {"Rotational.FreeplaySpring link2(k = 69.6, half_freeplay = 0.01768)", "body0",
               "body2"},
              load("Blocks.Step signal2(height = 2, startTime = 0.4)", "torque2", "body2"),
              {"Rotational.Fixed ground"},
          },
          "0.98969072164948457"));
  check_agrees(model);
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
  const Model model(
      "lets_go",
      model_text(
          {
              {"Rotational.Inertia body1(J = 0)"},
              load("Blocks.Sine signal1(amplitude = 2, f = 2.5)", "torque1", "body1"),
              {"Rotational.Inertia body2(J = 0)"},
              {"Rotational.FreeplaySpring link2(k = 19.7, half_freeplay = 0.02)", "body1", "body2"},
              {"Rotational.BearingFriction bearing2(d = 0, tau0 = 0.5, tau0_static = 0.7)",
               "body2"},
              {"Rotational.Inertia body3(J = 0.4516)"},
              {"Rotational.FreeplaySpring link3(k = 94.8, half_freeplay = 0.02)", "body2", "body3"},
          },
          "0.98969072164948457"));
  check_agrees(model);
}

// The slip of the massless body dies out: its derivatives are rounding with the rates of its decay,
// and so is what they make of the reserve of a force that stays at its bound.
TEST_CASE("a massless body that tends to rest does not come to rest by rounding") {
  const std::string text = R"(
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
)";
  const auto until = [&](const std::string& stop) {
    return Model("dying_out",
                 text + "  annotation(experiment(StopTime = " + stop + "));\nend DyingOut;\n");
  };
  check_agrees(until("0.64"));
  // At 0.646 s a load turns against two slips that have died out together long before. The one that
  // ends first leaves the other one sliding or at rest for good, up to T_K or T_S: the ratio of
  // what no rounded number holds any more decides. The end is reached either way.
  const Model whole = until("0.98969072164948457");
  for (const double tolerance : {1e-10, 1e-13}) {
    CHECK(taylor(whole, tolerance).report.reason == StopReason::kDone);
  }
  const CvodeOptions options{0, 0.98969072164948457, 0.02, kLeastCvodeTolerance, false};
  CHECK(simulate(whole, options).report.reason == StopReason::kDone);
}

// A massless body lets go of one spring while it slides on with T_K, and no other one touches yet:
// it crosses its play to the next, which hangs on a body that yields to whatever touches it.
TEST_CASE("a body slides on across its play to a spring on a body that yields") {
  const Model model("yielding", R"(
model Yielding
  Rotational.Inertia body0(J = 0);
  Rotational.Spring link0(k = 100);
  Blocks.Sine signal0(amplitude = 3.592, f = 6.08273);
  Rotational.Torque torque0;
  Rotational.Inertia body1(J = 0);
  Rotational.GearPair link1(ratio = -1, k = 100, half_freeplay = 0.0254);
  Rotational.BearingFriction bearing1(d = 0, tau0 = 0.5, tau0_static = 0.587);
  Blocks.Sine signal1(amplitude = 2, f = 2.5);
  Rotational.Torque torque1;
  Rotational.Inertia body2(J = 0.1, phi(start = 0.0732), w(start = 0.5));
  Rotational.FreeplaySpring link2(k = 20.8, half_freeplay = 0.02);
  Rotational.BearingFriction bearing2(d = 0.0592, tau0 = 0);
  Blocks.Step signal2(height = 0.514, startTime = 1.1916);
  Rotational.Torque torque2;
  Rotational.Fixed ground;
equation
  connect(link0.flange_b, body0.flange_a);
  connect(link0.flange_a, ground.flange);
  connect(signal0.y, torque0.tau);
  connect(torque0.flange, body0.flange_b);
  connect(link1.flange_b, body1.flange_a);
  connect(link1.flange_a, body0.flange_b);
  connect(bearing1.flange_a, body1.flange_b);
  connect(signal1.y, torque1.tau);
  connect(torque1.flange, body1.flange_b);
  connect(link2.flange_b, body2.flange_a);
  connect(link2.flange_a, body1.flange_b);
  connect(bearing2.flange_a, body2.flange_b);
  connect(signal2.y, torque2.tau);
  connect(torque2.flange, body2.flange_b);
  annotation(experiment(StopTime = 0.98969072164948457));
end Yielding;
)");
  check_agrees(model);
}

// Before the start of the ramp is known, its height takes the gears exactly to the edge of their
// play: 2 N.m / (100 N.m/rad) = 0.02 rad. That is no reason to be there when the load is zero.
TEST_CASE("a load that jumps while the start is decided takes no play to its edge") {
  const Model model("edge_of_ramp", R"(
model EdgeOfRamp
  Rotational.Inertia body0(J = 0);
  Rotational.Spring link0(k = 100);
  Blocks.Ramp signal0(height = 2, duration = 0.3356);
  Rotational.Torque torque0;
  Rotational.Inertia body1(J = 0.2071);
  Rotational.GearPair link1(ratio = -2.5, k = 100, half_freeplay = 0.02);
  Rotational.BearingFriction bearing1(d = 0.2, tau0 = 0);
  Blocks.Sine signal1(amplitude = 2, f = 2.5);
  Rotational.Torque torque1;
  Rotational.Fixed ground;
equation
  connect(link0.flange_b, body0.flange_a);
  connect(link0.flange_a, ground.flange);
  connect(signal0.y, torque0.tau);
  connect(torque0.flange, body0.flange_b);
  connect(link1.flange_b, body1.flange_a);
  connect(link1.flange_a, body0.flange_b);
  connect(bearing1.flange_a, body1.flange_b);
  connect(signal1.y, torque1.tau);
  connect(torque1.flange, body1.flange_b);
  annotation(experiment(StopTime = 0.004));
end EdgeOfRamp;
)");
  const Simulation run = taylor(model);
  const std::vector<double> phi = run.column(model, "body0.phi");
  REQUIRE(phi.size() == 51);
  for (std::size_t i = 0; i < phi.size(); ++i) {  // in the play
    const double time = 0.004 * static_cast<double>(i) / 50;
    CHECK(std::fabs(phi[i] - 0.02 * time / 0.3356) < 1e-15);
  }
}

// All bodies rest, with a velocity of 1e-16 that is left. Inside the zone of a bearing that leads
// its torque across the edge; outside it is rounding of what decays there.
TEST_CASE("a zone is left in the direction that both of its sides agree on") {
  const Model model(
      "at_the_edge",
      model_text(
          {
              {"Rotational.Inertia body0(J = 0)"},
              {"Rotational.SpringDamper link0(k = 100, d = 0.5046)", "ground", "body0"},
              {"Rotational.BearingFriction bearing0(d = 0.3352, tau0 = 0.8795)", "body0"},
              load("Blocks.Step signal0(height = 3.238, startTime = 0.4)", "torque0", "body0"),
              {"Rotational.Inertia body1(J = 0.0181)"},
              {"Rotational.FreeplaySpring link1(k = 100, half_freeplay = 0.00668)", "body0",
               "body1"},
              {"Rotational.Inertia body2(J = 0.0794)"},
              {"Rotational.FreeplaySpring link2(k = 19.2, half_freeplay = 0.0276)", "body1",
               "body2"},
              {"Rotational.CrossFriction cross2(d = 0, tau0 = 0.5)", "body1", "body2"},
              {"Rotational.Inertia body3(J = 0)"},
              {"Rotational.IdealGear link3(ratio = -2.5)", "body2", "body3"},
              {"Rotational.CrossFriction cross3(d = 0, tau0 = 0.5)", "body2", "body3"},
              {"Rotational.Inertia body4(J = 0)"},
              {"Rotational.GearPair link4(ratio = -2.5, k = 100, half_freeplay = 0.0057)", "body3",
               "body4"},
              {"Rotational.BearingFriction bearing4(d = 0, tau0 = 0.5)", "body4"},
              load("Blocks.Sine signal4(amplitude = 2, f = 2.44858)", "torque4", "body4"),
              {"Rotational.Inertia body5(J = 0.1)"},
              load("Blocks.Sine signal5(amplitude = 1.134, f = 2.5)", "torque5", "body5"),
              {"Rotational.Fixed ground"},
          },
          "0.98969072164948457"));
  check_agrees(model);
}

// The massless body goes from where it is given to its equilibrium at once: the force of the spring
// after that, not the one before, tells whether it slides on.
TEST_CASE("what drives a massless body at the start is that of its equilibrium") {
  const Model model(
      "from_its_start",
      model_text({
          {"Rotational.Inertia body2(J = 0.1, phi(start = 0.02585))"},
          load("Blocks.Sine signal2(amplitude = 2, f = 7.08215)", "torque2", "body2"),
          {"Rotational.Inertia body4(J = 0)"},
          {"Rotational.FreeplaySpring link4(k = 112.1, half_freeplay = 0.02)", "body2", "body4"},
          {"Rotational.BearingFriction bearing4(d = 0, tau0 = 0.5)", "body4"},
      }));
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

// What l3 pulls with after a stop is what l1 holds, to the last digits: whether that stays at its
// bound is decided by rounding at each event of the signal, and both say the same of the motion.
TEST_CASE("a force that ends at its bound exactly") {
  const Model model("tie", R"(
model Tie
  Rotational.Inertia b0(J = 1, w(start = 2));
  Rotational.Inertia b1(J = 1);
  Rotational.Inertia b3(J = 0);
  Rotational.Torque d;
  Blocks.Trapezoid s(amplitude = 2, rising = 0.25, width = 0.25, falling = 0.25, period = 1);
  Rotational.CrossFriction l1(tau0 = 2);
  Rotational.FreeplaySpring l3(k = 40, half_freeplay = 0);
  Rotational.BearingFriction f0(tau0 = 2, tau0_static = 3);
  Rotational.BearingFriction f3(tau0 = 2, tau0_static = 3);
equation
  connect(s.y, d.tau);
  connect(d.flange, b0.flange_a);
  connect(b0.flange_a, l1.flange_a);
  connect(l1.flange_b, b1.flange_a);
  connect(b1.flange_a, l3.flange_a);
  connect(l3.flange_b, b3.flange_a);
  connect(b0.flange_a, f0.flange_a);
  connect(b3.flange_a, f3.flange_a);
  annotation(experiment(StopTime = 6));
end Tie;
)");
  const double end = taylor(model, 1e-13).column(model, "b0.phi").back();
  for (const double tolerance : {1e-6, 1e-9, 1e-12}) {
    const Simulation run = taylor(model, tolerance);
    const Simulation bdf = simulate(model, CvodeOptions{0, 6, 0.05, tolerance, false});
    REQUIRE(run.report.reason == StopReason::kDone);
    REQUIRE(bdf.report.reason == StopReason::kDone);
    CHECK(std::fabs(run.column(model, "b0.phi").back() - end) <= 1e-12);
    CHECK(std::fabs(bdf.column(model, "b0.phi").back() - end) <= 20 * tolerance);
    CHECK(std::fabs(run.column(model, "l1.tau").back() + 2) <= 1e-12);
    CHECK(run.column(model, "b1.w").back() == doctest::Approx(0).scale(1).epsilon(1e-14));
  }
}

}  // namespace luztar::test
