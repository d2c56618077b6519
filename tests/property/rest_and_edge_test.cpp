// Decisions that rounding must not take: frictions exactly at their bounds, bodies that come to
// rest together or stay there.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/support/model.h"
#include "tests/support/simulation.h"
#include "tests/support/solver_agreement.h"

namespace luztar::test {

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

// Both edges of a freeplay of zero are reached at once: rounding must not take the spring from one
// to the other and back without end.
TEST_CASE("a spring whose freeplay is zero crosses its edges once") {
  const auto text = [](const std::string& spring, double J, double b1, double others) {
    const auto inertia = [](const char* name, double value, double speed) {
      return "  Rotational.Inertia " + std::string(name) + "(J = " + std::to_string(value) +
             ", w(start = " + std::to_string(speed) + "));\n";
    };
    return "model Zero\n" + inertia("b0", J, others) + inertia("b1", 0.2, b1) +
           inertia("b3", 1, others) +
           "  Rotational.Inertia b2(J = 0);\n"
           "  Rotational.CrossFriction f0(d = 0.5, tau0 = 2);\n"
           "  Rotational.CrossFriction f1(tau0 = 2);\n"
           "  Rotational.CrossFriction f2(tau0 = 2);\n"
           "  Rotational.IdealGear gear(ratio = -1);\n"
           "  Rotational.BearingFriction f3(d = 0.5, tau0 = 0);\n" +
           "  Rotational." + spring + " s0(k = 10);\n  Rotational." + spring +
           " s1(k = 100);\n"
           "  Rotational.Torque push;\n"
           "  Blocks.Sine signal(amplitude = 4, f = 1.1);\n"
           "equation\n"
           "  connect(f0.flange_a, b1.flange_a);\n"
           "  connect(f0.flange_b, b2.flange_a);\n"
           "  connect(f1.flange_a, b1.flange_a);\n"
           "  connect(f1.flange_b, b2.flange_a);\n"
           "  connect(gear.flange_b, b2.flange_a);\n"
           "  connect(f2.flange_a, gear.flange_a);\n"
           "  connect(f2.flange_b, b0.flange_a);\n"
           "  connect(f3.flange_a, b2.flange_b);\n"
           "  connect(s0.flange_a, b1.flange_a);\n"
           "  connect(s0.flange_b, b2.flange_a);\n"
           "  connect(s1.flange_a, b1.flange_a);\n"
           "  connect(s1.flange_b, b0.flange_a);\n"
           "  connect(signal.y, push.tau);\n"
           "  connect(push.flange, b3.flange_b);\n"
           "end Zero;\n";
  };
  struct Draw {
    double J, b1, others, tolerance;
  };
  for (const Draw& d :
       {Draw{5, -2, 1, 1e-10}, Draw{1.906, 0.969, 0.004, 1e-8}, Draw{2.399, 0.013, 0.692, 1e-12}}) {
    CAPTURE(d.J);
    std::vector<std::vector<double>> angles;
    for (const char* spring : {"FreeplaySpring", "Spring"}) {
      std::string source = text(spring, d.J, d.b1, d.others);
      for (std::size_t at = 0; spring[0] == 'F' && (at = source.find("(k = 10", at)) != source.npos;
           ++at) {
        source.insert(at + 1, "half_freeplay = 0, ");
      }
      const Model model("zero.ltm", source);
      const Simulation run = simulate(model, TaylorOptions{0, 3, 0.05, d.tolerance, false});
      REQUIRE(run.report.reason == StopReason::kDone);
      angles.push_back(run.column(model, "b1.phi"));
    }
    for (std::size_t row = 0; row < angles[0].size(); ++row) {
      CHECK(std::fabs(angles[0][row] - angles[1][row]) < 1e-6);
    }
  }
}

// The same of a law that the user writes, on a body without inertia that dry friction holds where
// its springs are relaxed: their arguments are zero in all orders until it breaks away.
TEST_CASE("a dead zone without width is a line") {
  const auto at_end = [](const std::string& law, bool exact) {
    const Model model("line.ltm", R"(
model Law
  Translational.Interfaces.Flange a, b;
  parameter Real k = 1, width = 0, d = 0;
  Real f(unit = "N");
equation
  f = k*)" + law + R"( + d*(der(b.s) - der(a.s));
  b.f = f;
  a.f = -f;
end Law;
model Line
  Translational.Fixed wall;
  Translational.Mass point(m = 0), body(m = 1.764, v(start = 0.369));
  Law first(k = 134.438, d = 0.861), second(k = 99.411, d = 0.283), third(k = 45.853),
      fourth(k = 121.518);
  Translational.SupportFriction friction(f0 = 0.626, d = 1.502);
  Translational.Force push;
equation
  push.f = -1.54 + 4.555*sin(11.15*time);
  connect(wall.flange, first.a);
  connect(first.b, point.flange_a);
  connect(friction.flange_a, point.flange_a);
  connect(point.flange_b, second.a);
  connect(second.b, body.flange_a);
  connect(body.flange_b, third.a);
  connect(third.b, point.flange_a);
  connect(wall.flange, fourth.a);
  connect(fourth.b, point.flange_a);
  connect(push.flange, body.flange_a);
end Line;
)");
    const Simulation run = exact ? simulate(model, TaylorOptions{0, 4, 0.1, 1e-12, true})
                                 : simulate(model, CvodeOptions{0, 4, 0.1, 1e-10, true});
    REQUIRE(run.report.reason == StopReason::kDone);
    return std::vector<double>{run.column(model, "point.s").back(),
                               run.column(model, "body.s").back(),
                               static_cast<double>(run.report.events)};
  };
  const std::vector<double> line = at_end("(b.s - a.s)", true);
  for (const bool exact : {true, false}) {
    CAPTURE(exact);
    const std::vector<double> zone = at_end("luz(b.s - a.s, width)", exact);
    for (std::size_t i = 0; i < 2; ++i) {
      CHECK(std::fabs(zone[i] - line[i]) < (exact ? 1e-11 : 1e-7));
    }
    if (exact) CHECK(zone[2] == line[2]);
  }
}

// The massless body's slip follows from those of the bodies that hold it, through a light one:
// steps leave more than rounding between them. It ends with theirs, and holds with T_S from then
// on.
TEST_CASE("a massless body comes to rest with the bodies that it is held to") {
  check_agrees(Model("brake", R"(
model Brake
  Rotational.Inertia b0(J = 1.59);
  Rotational.Inertia b1(J = 0);
  Rotational.BearingFriction g1(d = 0, tau0 = 0.89, tau0_static = 1.335);
  Rotational.Inertia b2(J = 0.0001);
  Rotational.Spring gs2(k = 47.51);
  Rotational.Fixed gf2;
  Rotational.Inertia b3(J = 1.98);
  Rotational.Brake br3(mu_pos = 1, fn_max = 0.63);
  Rotational.CrossFriction p0(d = 1.31, tau0 = 1.9, tau0_static = 1.9);
  Rotational.CrossFriction p1(d = 0.87, tau0 = 0.29, tau0_static = 0.29);
  Rotational.CrossFriction p2(d = 0.98, tau0 = 1.17, tau0_static = 1.521);
  Rotational.FreeplaySpring p3(k = 219.71, half_freeplay = 0.03);
  Rotational.CrossFriction p4(d = 0.3, tau0 = 1.25, tau0_static = 1.625);
  Rotational.Torque drive2;
equation
  connect(g1.flange_a, b1.flange_b);
  connect(gs2.flange_a, b2.flange_b);
  connect(gs2.flange_b, gf2.flange);
  connect(br3.flange_a, b3.flange_b);
  br3.f_normalized = min(1, max(0, 4*time-1));
  connect(b0.flange_b, p0.flange_a);
  connect(p0.flange_b, b1.flange_a);
  connect(b1.flange_b, p1.flange_a);
  connect(p1.flange_b, b2.flange_a);
  connect(b2.flange_b, p2.flange_a);
  connect(p2.flange_b, b3.flange_a);
  connect(b1.flange_b, p3.flange_a);
  connect(p3.flange_b, b2.flange_a);
  connect(b0.flange_b, p4.flange_a);
  connect(p4.flange_b, b2.flange_a);
  drive2.tau = 1.33*(if sin(8.67*time) > 0 then 1 else -1);
  connect(drive2.flange, b2.flange_a);
  annotation(experiment(StopTime = 1, Interval = 0.01));
end Brake;
)"));
}

// body0 creeps to where its friction is in balance with link0, and tends there as body1 comes to
// the edge of its play: both edges are left at once, and rounding put either back in turn.
TEST_CASE("a play closes on a body that tends to rest") {
  check_agrees(Model("meets", R"(
model Meets
  Rotational.Inertia body1(J = 0.1, w(start = 0.5));
  Rotational.Inertia body0(J = 0);
  Rotational.FreeplaySpring link1(k = 160.8, half_freeplay = 0.02);
  Rotational.Torque torque1;
  Blocks.Step signal2(height = 0.558, startTime = 0.4);
  Rotational.Fixed ground;
  Blocks.Sine signal1(amplitude = 7.568, f = 9.02527);
  Rotational.Inertia body2(J = 0);
  Rotational.FreeplaySpring link2(k = 312.7, half_freeplay = 0.02);
  Rotational.BearingFriction bearing1(d = 0.526, tau0 = 0.456, tau0_static = 1.2102);
  Rotational.Torque torque2;
  Rotational.BearingFriction bearing0(d = 0.2, tau0 = 0.1285);
  Rotational.Spring link0(k = 100);
equation
  connect(link2.flange_a, body1.flange_b);
  connect(link0.flange_a, ground.flange);
  connect(signal1.y, torque1.tau);
  connect(link1.flange_a, body0.flange_b);
  connect(torque2.flange, body2.flange_b);
  connect(link2.flange_b, body2.flange_a);
  connect(bearing0.flange_a, body0.flange_b);
  connect(link0.flange_b, body0.flange_a);
  connect(link1.flange_b, body1.flange_a);
  connect(torque1.flange, body1.flange_b);
  connect(bearing1.flange_a, body1.flange_b);
  connect(signal2.y, torque2.tau);
  annotation(experiment(StopTime = 1));
end Meets;
)"));
}

// The hub has come to rest on its spring and damper long before the body stops on it and on the
// ground: what steps have left of its speed says neither that cross slides on nor at which T.
TEST_CASE("a body stops on a hub that tends to rest") {
  const Model model("stops_on_it", R"(
model StopsOnIt
  Rotational.Fixed ground;
  Rotational.Spring spring(k = 500);
  Rotational.Inertia hub(J = 0);
  Rotational.BearingFriction damping(d = 0.05, tau0 = 0);
  Rotational.CrossFriction cross(tau0 = 0.5, tau0_static = 0.7);
  Rotational.Inertia body(J = 0.36, w(start = 0.5));
  Rotational.BearingFriction bearing(d = 0.46, tau0 = 0.5);
  Rotational.Torque load;
equation
  connect(ground.flange, spring.flange_a);
  connect(spring.flange_b, hub.flange_a);
  connect(damping.flange_a, hub.flange_b);
  connect(cross.flange_a, hub.flange_b);
  connect(cross.flange_b, body.flange_a);
  connect(bearing.flange_a, body.flange_b);
  connect(load.flange, body.flange_b);
  load.tau = 2*max(0, time - 0.3);
  annotation(experiment(StopTime = 1.2));
end StopsOnIt;
)");
  check_agrees(model);
  const Simulation fine = taylor(model, 1e-13);
  for (const double tolerance : {1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12}) {
    CAPTURE(tolerance);
    const Simulation run = taylor(model, tolerance);
    for (std::size_t i = 0; i < run.time.size(); ++i) {
      const double difference =
          run.column(model, "body.phi")[i] - fine.column(model, "body.phi")[i];
      CHECK(std::fabs(difference) < tolerance);
    }
  }
  CHECK(fine.column(model, "body.phi").back() - fine.column(model, "body.phi").at(30) > 0.01);
}

// cross4 and bearing4 let go at the start and drop to the same T_K: body4 has no rate in the mode
// before, in which nothing moves, and one like t in what follows.
TEST_CASE("coefficients of a mode in which nothing moves are not those of what moves") {
  const Model model("lets_go_together", R"(
model LetsGoTogether
  Rotational.Inertia body0(J = 0.0915, phi(start = 0.05));
  Rotational.Spring link0(k = 100);
  Rotational.BearingFriction bearing0(d = 0, tau0 = 0.5);
  Blocks.Step signal0(height = 2, startTime = 0.4);
  Rotational.Torque torque0;
  Rotational.Inertia body1(J = 0.0226, w(start = 0.417));
  Rotational.CrossFriction cross1(d = 0, tau0 = 0.4435, tau0_static = 0.4805);
  Rotational.BearingFriction bearing1(d = 0.2, tau0 = 1.7655);
  Blocks.Step signal1(height = 2, startTime = 0.4);
  Rotational.Torque torque1;
  Rotational.Inertia body2(J = 0.1, phi(start = 0.04255), w(start = 0.7295));
  Rotational.GearPair link2(ratio = -2.5, k = 24.7, half_freeplay = 0.02);
  Rotational.BearingFriction bearing2(d = 0.0386, tau0 = 1.0245);
  Rotational.Inertia body3(J = 0.0971);
  Rotational.FreeplaySpring link3(k = 73.3, half_freeplay = 0.02);
  Blocks.Step signal3(height = 2, startTime = 0.7808);
  Rotational.Torque torque3;
  Rotational.Inertia body4(J = 0.1);
  Rotational.SpringDamper link4(k = 100, d = 0.2);
  Rotational.CrossFriction cross4(d = 0, tau0 = 0.5, tau0_static = 0.7446);
  Rotational.BearingFriction bearing4(d = 0.2, tau0 = 0.5, tau0_static = 0.7);
  Rotational.Fixed ground;
equation
  connect(link0.flange_b, body0.flange_a);
  connect(link0.flange_a, ground.flange);
  connect(bearing0.flange_a, body0.flange_b);
  connect(signal0.y, torque0.tau);
  connect(torque0.flange, body0.flange_b);
  connect(cross1.flange_b, body1.flange_a);
  connect(cross1.flange_a, body0.flange_b);
  connect(bearing1.flange_a, body1.flange_b);
  connect(signal1.y, torque1.tau);
  connect(torque1.flange, body1.flange_b);
  connect(link2.flange_b, body2.flange_a);
  connect(link2.flange_a, body1.flange_b);
  connect(bearing2.flange_a, body2.flange_b);
  connect(link3.flange_b, body3.flange_a);
  connect(link3.flange_a, body2.flange_b);
  connect(signal3.y, torque3.tau);
  connect(torque3.flange, body3.flange_b);
  connect(link4.flange_b, body4.flange_a);
  connect(link4.flange_a, body3.flange_b);
  connect(cross4.flange_b, body4.flange_a);
  connect(cross4.flange_a, body3.flange_b);
  connect(bearing4.flange_a, body4.flange_b);
  annotation(experiment(StopTime = 1));
end LetsGoTogether;
)");
  check_agrees(model);
  const RunReport report = simulate(model, TaylorOptions{0, 1, 1, 1e-12, false, true}).report;
  CHECK(std::fabs(report.energy->residual()) < 1e-14 * report.energy->turnover);
}

}  // namespace luztar::test
