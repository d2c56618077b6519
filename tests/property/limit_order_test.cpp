// The limits are limits: the motion with J = 1e-4, 1e-5, 1e-6 tends to that with J = 0, and that
// with k = 1e4, 1e5, 1e6 to that with k = inf, with an error of first order (Tikhonov; P1 sec. 4).
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "tests/support/simulation.h"
#include "tests/support/solver_agreement.h"

namespace luztar::test {
namespace {

struct LimitCase {
  const char* name;
  const char* parts;      // declarations and connections, separated by "equation"
  const char* parameter;  // that takes the limit
  const char* measured;   // an angle of a neighbour
  double greatest_error;  // [rad] at the value nearest to the limit
};

/// The angle at instants of the grid, with `value` for the parameter.
std::vector<double> motion(const LimitCase& limit, const std::string& value, double tolerance) {
  const Model model("limit.ltm", std::string("model Limit\n") + limit.parts + "end Limit;\n",
                    {{limit.parameter, value}});
  const Simulation run = simulate(model, TaylorOptions{0, 1, 1.0 / 97, tolerance, false});
  REQUIRE(run.report.reason == StopReason::kDone);
  return run.column(model, limit.measured);
}

void check_first_order(const LimitCase& limit, const char* limit_value,
                       const std::array<const char*, 3>& values) {
  const std::string name = limit.name;
  CAPTURE(name);
  const std::vector<double> exact = motion(limit, limit_value, 1e-13);
  std::array<double, 3> error{};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::vector<double> near = motion(limit, values[i], 1e-12);
    for (std::size_t row = 0; row < exact.size(); ++row) {
      error[i] = std::max(error[i], std::fabs(near[row] - exact[row]));
    }
  }
  CAPTURE(error[0]);
  CAPTURE(error[1]);
  CAPTURE(error[2]);
  for (std::size_t i = 1; i < error.size(); ++i) {
    const double order = std::log10(error[i - 1] / error[i]);
    CHECK(order > 0.8);
    CHECK(order < 1.3);
  }
  CHECK(error.back() < limit.greatest_error);
}

// The drive of all cases: a body on a dry bearing, moved by a sine.
#define LUZTAR_DRIVE                                          \
  "  Rotational.Inertia motor(J = 0.2);\n"                    \
  "  Rotational.BearingFriction seat(d = 0.1, tau0 = 0.3);\n" \
  "  Rotational.Torque drive; Blocks.Sine signal(amplitude = 6, f = 2);\n"
#define LUZTAR_DRIVEN                                                        \
  "equation\n"                                                               \
  "  connect(signal.y, drive.tau); connect(drive.flange, motor.flange_a);\n" \
  "  connect(motor.flange_a, seat.flange_a);\n"

const LimitCase kMassless[] = {
    {"damped node between springs",
     LUZTAR_DRIVE
     "  Rotational.Spring s1(k = 80); Rotational.Inertia node(J = 0);\n"
     "  Rotational.BearingFriction b(d = 0.5, tau0 = 0);\n"
     "  Rotational.Spring s2(k = 60); Rotational.Inertia load(J = 0.1);\n" LUZTAR_DRIVEN
     "  connect(motor.flange_b, s1.flange_a); connect(s1.flange_b, node.flange_a);\n"
     "  connect(node.flange_a, b.flange_a); connect(node.flange_b, s2.flange_a);\n"
     "  connect(s2.flange_b, load.flange_a);\n",
     "node.J", "load.phi", 1e-5},
    {"node with dry and viscous friction behind freeplay",
     LUZTAR_DRIVE
     "  Rotational.FreeplaySpring s1(k = 80, half_freeplay = 0.02);\n"
     "  Rotational.Inertia node(J = 0); Rotational.BearingFriction b(d = 0.5, tau0 = 0.4);\n"
     "  Rotational.Spring s2(k = 60); Rotational.Inertia load(J = 0.1);\n" LUZTAR_DRIVEN
     "  connect(motor.flange_b, s1.flange_a); connect(s1.flange_b, node.flange_a);\n"
     "  connect(node.flange_a, b.flange_a); connect(node.flange_b, s2.flange_a);\n"
     "  connect(s2.flange_b, load.flange_a);\n",
     "node.J", "load.phi", 1e-5},
    {"node on a damped slip coupling",
     LUZTAR_DRIVE
     "  Rotational.CrossFriction c(d = 0.6, tau0 = 0.8); Rotational.Inertia node(J = 0);\n"
     "  Rotational.FreeplaySpring s2(k = 60, half_freeplay = 0.01);\n"
     "  Rotational.Inertia load(J = 0.1);\n" LUZTAR_DRIVEN
     "  connect(motor.flange_b, c.flange_a); connect(c.flange_b, node.flange_a);\n"
     "  connect(node.flange_b, s2.flange_a); connect(s2.flange_b, load.flange_a);\n",
     "node.J", "load.phi", 1e-5},
    {"loaded node, two dampings (kernel A)",
     LUZTAR_DRIVE
     "  Rotational.SpringDamper s1(k = 80, d = 0.3); Rotational.Inertia node(J = 0);\n"
     "  Rotational.SpringDamper s2(k = 60, d = 0.2); Rotational.Inertia other(J = 0);\n"
     "  Rotational.BearingFriction b(d = 0.5, tau0 = 0.4);\n"
     "  Rotational.GearPair g(ratio = -2, k = 70, half_freeplay = 0.02);\n"
     "  Rotational.Inertia load(J = 0.1);\n" LUZTAR_DRIVEN
     "  connect(motor.flange_b, s1.flange_a); connect(s1.flange_b, node.flange_a);\n"
     "  connect(node.flange_b, s2.flange_a); connect(s2.flange_b, other.flange_a);\n"
     "  connect(other.flange_a, b.flange_a); connect(other.flange_b, g.flange_a);\n"
     "  connect(g.flange_b, load.flange_a);\n",
     "node.J", "load.phi", 1e-5},
    {"node behind a rigid contact",
     LUZTAR_DRIVE
     "  Rotational.HardStop stop(half_freeplay = 0.02, e = 0); Rotational.Inertia node(J = 0);\n"
     "  Rotational.SpringDamper shaft(k = 60, d = 0.5);\n"
     "  Rotational.Inertia load(J = 0.1);\n" LUZTAR_DRIVEN
     "  connect(motor.flange_b, stop.flange_a); connect(stop.flange_b, node.flange_a);\n"
     "  connect(node.flange_b, shaft.flange_a); connect(shaft.flange_b, load.flange_a);\n",
     "node.J", "load.phi", 1e-5},
    {"node behind a rigid contact on a sticking bearing",
     LUZTAR_DRIVE
     "  Rotational.HardStop stop(half_freeplay = 0.02, e = 0); Rotational.Inertia node(J = 0);\n"
     "  Rotational.BearingFriction b(d = 0.4, tau0 = 0.5, tau0_static = 0.8);\n"
     "  Rotational.Spring shaft(k = 60); Rotational.Inertia load(J = 0.1);\n" LUZTAR_DRIVEN
     "  connect(motor.flange_b, stop.flange_a); connect(stop.flange_b, node.flange_a);\n"
     "  connect(node.flange_a, b.flange_a);\n"
     "  connect(node.flange_b, shaft.flange_a); connect(shaft.flange_b, load.flange_a);\n",
     "node.J", "load.phi", 1e-4},
    {"node behind a rigid contact on a dry bearing (kernel B)",
     LUZTAR_DRIVE
     "  Rotational.HardStop stop(half_freeplay = 0.02, e = 0); Rotational.Inertia node(J = 0);\n"
     "  Rotational.BearingFriction b(tau0 = 1);\n"
     "  Rotational.Spring shaft(k = 60); Rotational.Inertia load(J = 0.1);\n" LUZTAR_DRIVEN
     "  connect(motor.flange_b, stop.flange_a); connect(stop.flange_b, node.flange_a);\n"
     "  connect(node.flange_a, b.flange_a);\n"
     "  connect(node.flange_b, shaft.flange_a); connect(shaft.flange_b, load.flange_a);\n",
     "node.J", "load.phi", 1e-4},
};

const LimitCase kRigid[] = {
    {"damped shaft behind a dry bearing",
     LUZTAR_DRIVE
     "  Rotational.SpringDamper shaft(k = 1, d = 5); Rotational.Inertia load(J = 0.1);\n"
     "  Rotational.BearingFriction b(d = 0.2, tau0 = 0);\n" LUZTAR_DRIVEN
     "  connect(motor.flange_b, shaft.flange_a); connect(shaft.flange_b, load.flange_a);\n"
     "  connect(load.flange_b, b.flange_a);\n",
     "shaft.k", "motor.phi", 2e-6},
    {"freeplay in series with a spring (R6)",
     LUZTAR_DRIVE
     "  Rotational.FreeplaySpring stop(k = 1, half_freeplay = 0.02);\n"
     "  Rotational.Inertia node(J = 0); Rotational.Spring shaft(k = 60);\n"
     "  Rotational.Inertia load(J = 0.1); Rotational.BearingFriction b(d = 0.2, tau0 = "
     "0.4);\n" LUZTAR_DRIVEN
     "  connect(motor.flange_b, stop.flange_a); connect(stop.flange_b, node.flange_a);\n"
     "  connect(node.flange_b, shaft.flange_a); connect(shaft.flange_b, load.flange_a);\n"
     "  connect(load.flange_b, b.flange_a);\n",
     "stop.k", "load.phi", 2e-5},
    {"two freeplays in series over a gear",
     LUZTAR_DRIVE "  Rotational.FreeplaySpring s1(k = 90, half_freeplay = 0.01);\n"
                  "  Rotational.Inertia node(J = 0);\n"
                  "  Rotational.GearPair g(ratio = 2, k = 1, half_freeplay = 0.02);\n"
                  "  Rotational.Inertia load(J = 0.1); Rotational.BearingFriction b(d = 0.2, tau0 "
                  "= 0.4);\n" LUZTAR_DRIVEN
                  "  connect(motor.flange_b, s1.flange_a); connect(s1.flange_b, node.flange_a);\n"
                  "  connect(node.flange_b, g.flange_a); connect(g.flange_b, load.flange_a);\n"
                  "  connect(load.flange_b, b.flange_a);\n",
     "g.k", "load.phi", 2e-5},
    {"contact of a loaded node between springs (kernel B)",
     LUZTAR_DRIVE
     "  Rotational.Spring s1(k = 80); Rotational.Inertia node(J = 0);\n"
     "  Rotational.Spring s2(k = 60); Rotational.Inertia load(J = 0.1);\n"
     "  Rotational.FreeplaySpring stop(k = 1, half_freeplay = 0.02);\n"
     "  Rotational.BearingFriction b(d = 0.2, tau0 = 0.4); Rotational.Fixed wall;\n" LUZTAR_DRIVEN
     "  connect(motor.flange_b, s1.flange_a); connect(s1.flange_b, node.flange_a);\n"
     "  connect(node.flange_b, s2.flange_a); connect(s2.flange_b, load.flange_a);\n"
     "  connect(node.flange_b, stop.flange_a); connect(stop.flange_b, wall.flange);\n"
     "  connect(load.flange_b, b.flange_a);\n",
     "stop.k", "load.phi", 5e-5},
};

#undef LUZTAR_DRIVE
#undef LUZTAR_DRIVEN

}  // namespace

TEST_CASE("the motion tends to that of the massless limit in first order") {
  for (const LimitCase& limit : kMassless) {
    check_first_order(limit, "0", {"1e-4", "1e-5", "1e-6"});
  }
}

TEST_CASE("the motion tends to that of the rigid limit in first order") {
  for (const LimitCase& limit : kRigid) {
    check_first_order(limit, "inf", {"1e4", "1e5", "1e6"});
  }
}

// A light body among five frictions of which one is at its bound: rounding of the forces on it is
// that of their sum divided by J. They stay the shortest ones.
TEST_CASE("forces on a light body that are not unique tend to a limit") {
  const std::string text =
      "model Light\n"
      "  Rotational.Inertia b0(J=5, phi(start=0.0), w(start=0.0));\n"
      "  Rotational.Inertia b1(J=1e-4, phi(start=0.0));\n"
      "  Rotational.Inertia b2(J=1, phi(start=0.0), w(start=-2.0));\n"
      "  Rotational.CrossFriction f0(d=0.5,tau0=3.0);\n"
      "  Rotational.IdealGear g1(ratio=0.5);\n"
      "  Rotational.CrossFriction f1(d=0.5,tau0=2.0);\n"
      "  Rotational.IdealGear g2(ratio=-1);\n"
      "  Rotational.CrossFriction f2(d=0.5,tau0=1.0);\n"
      "  Rotational.IdealGear g3(ratio=2);\n"
      "  Rotational.BearingFriction f3(d=0.5,tau0=2.0);\n"
      "  Rotational.CrossFriction f4(d=0.0,tau0=2.0);\n"
      "  Rotational.IdealGear g4(ratio=0.5);\n"
      "  Rotational.BearingFriction f5(d=0.2,tau0=0.0);\n"
      "  Rotational.FreeplaySpring s0(k=100.0,half_freeplay=0.0);\n"
      "  Rotational.FreeplaySpring s1(k=10.0,half_freeplay=0.0);\n"
      "  Rotational.Torque t0; Blocks.Sine u0(amplitude=4.0,f=0.5,offset=1.0);\n"
      "equation\n"
      "  connect(g1.flange_b,b2.flange_a);\n"
      "  connect(f0.flange_a,g1.flange_a);\n"
      "  connect(f0.flange_b,b1.flange_a);\n"
      "  connect(g2.flange_b,b0.flange_a);\n"
      "  connect(f1.flange_a,g2.flange_a);\n"
      "  connect(f1.flange_b,b2.flange_a);\n"
      "  connect(g3.flange_b,b0.flange_a);\n"
      "  connect(f2.flange_a,g3.flange_a);\n"
      "  connect(f2.flange_b,b1.flange_a);\n"
      "  connect(f3.flange_a,b0.flange_b);\n"
      "  connect(g4.flange_b,b1.flange_a);\n"
      "  connect(f4.flange_a,g4.flange_a);\n"
      "  connect(f4.flange_b,b0.flange_a);\n"
      "  connect(f5.flange_a,b1.flange_b);\n"
      "  connect(s0.flange_a,b0.flange_a);\n"
      "  connect(s0.flange_b,b1.flange_a);\n"
      "  connect(s1.flange_a,b1.flange_a);\n"
      "  connect(s1.flange_b,b0.flange_a);\n"
      "  connect(u0.y,t0.tau);\n"
      "  connect(t0.flange,b0.flange_b);\n"
      "end Light;\n";
  std::vector<std::vector<double>> forces;
  for (const char* J : {"1e-4", "1e-5", "1e-6"}) {
    for (const double tolerance : {1e-6, 1e-9}) {
      CAPTURE(J);
      CAPTURE(tolerance);
      const Model model("light.ltm", text, {{"b1.J", J}});
      const Simulation run = simulate(model, TaylorOptions{0, 1.25, 0.05, tolerance, false});
      REQUIRE(run.report.reason == StopReason::kDone);
      CHECK(run.report.events < 10);
      forces.emplace_back();
      for (const char* name : {"f0.tau", "f1.tau", "f2.tau", "f3.tau", "f4.tau"}) {
        forces.back().push_back(run.column(model, name).back());
        CHECK(std::fabs(forces.back().back() - forces.front()[forces.back().size() - 1]) < 1e-3);
      }
    }
  }
  CHECK(std::fabs(std::fabs(forces.back()[2]) - 1) < 1e-9);
}

// Three light bodies, one of them between a damper and a friction at its bound, which a load begins
// to take away like t^3: against the rates of decay all coefficients of that are rounding at first.
TEST_CASE("a light body is held by a friction whose force leaves its bound slowly") {
  const std::string text =
      "model Slow\n"
      "  parameter Real light = 0;\n"
      "  Rotational.Inertia b0(J=light, phi(start=0.0));\n"
      "  Rotational.Inertia b1(J=light, phi(start=0.0));\n"
      "  Rotational.Inertia b2(J=light, phi(start=0.0));\n"
      "  Rotational.Inertia b3(J=1, phi(start=0.0), w(start=0.0));\n"
      "  Rotational.CrossFriction f0(d=0.1,tau0=1.0);\n"
      "  Rotational.CrossFriction f1(d=0.1,tau0=2.0);\n"
      "  Rotational.CrossFriction f2(d=0.5,tau0=2.0);\n"
      "  Rotational.Fixed w1;\n"
      "  Rotational.CrossFriction f3(d=0.0,tau0=1.0);\n"
      "  Rotational.CrossFriction f4(d=0.5,tau0=0.5);\n"
      "  Rotational.IdealGear g2(ratio=0.5);\n"
      "  Rotational.BearingFriction f5(d=0.2,tau0=0.7);\n"
      "  Rotational.CrossFriction f6(d=0.2,tau0=0.0);\n"
      "  Rotational.Fixed w3;\n"
      "  Rotational.FreeplaySpring s0(k=100.0,half_freeplay=0.05);\n"
      "  Rotational.Fixed w4;\n"
      "  Rotational.FreeplaySpring s1(k=10.0,half_freeplay=0.0);\n"
      "  Rotational.FreeplaySpring s2(k=100.0,half_freeplay=0.0);\n"
      "  Rotational.Fixed w5;\n"
      "  Rotational.FreeplaySpring s3(k=100.0,half_freeplay=0.05);\n"
      "  Rotational.Torque t0; Blocks.Sine u0(amplitude=5.0,f=0.5,offset=0.0);\n"
      "  Rotational.Torque t1; Blocks.Sine u1(amplitude=2.0,f=0.5,offset=1.0);\n"
      "equation\n"
      "  connect(f0.flange_a,b2.flange_a);\n"
      "  connect(f0.flange_b,b0.flange_a);\n"
      "  connect(f1.flange_a,b3.flange_a);\n"
      "  connect(f1.flange_b,b1.flange_a);\n"
      "  connect(f2.flange_a,w1.flange);\n"
      "  connect(f2.flange_b,b0.flange_a);\n"
      "  connect(f3.flange_a,b0.flange_a);\n"
      "  connect(f3.flange_b,b3.flange_a);\n"
      "  connect(g2.flange_b,b1.flange_a);\n"
      "  connect(f4.flange_a,g2.flange_a);\n"
      "  connect(f4.flange_b,b0.flange_a);\n"
      "  connect(f5.flange_a,b1.flange_b);\n"
      "  connect(f6.flange_a,w3.flange);\n"
      "  connect(f6.flange_b,b2.flange_a);\n"
      "  connect(s0.flange_a,w4.flange);\n"
      "  connect(s0.flange_b,b0.flange_a);\n"
      "  connect(s1.flange_a,b2.flange_a);\n"
      "  connect(s1.flange_b,b1.flange_a);\n"
      "  connect(s2.flange_a,w5.flange);\n"
      "  connect(s2.flange_b,b3.flange_a);\n"
      "  connect(s3.flange_a,b3.flange_a);\n"
      "  connect(s3.flange_b,b2.flange_a);\n"
      "  connect(u0.y,t0.tau);\n"
      "  connect(t0.flange,b3.flange_b);\n"
      "  connect(u1.y,t1.tau);\n"
      "  connect(t1.flange,b0.flange_b);\n"
      "end Slow;\n";
  std::vector<std::vector<double>> last;
  for (const char* light : {"0", "1e-4", "1e-5", "2e-6"}) {
    CAPTURE(light);
    const Model model("slow.ltm", text, {{"light", light}});
    const Simulation run = simulate(model, TaylorOptions{0, 2, 0.1, 1e-9, false});
    REQUIRE(run.report.reason == StopReason::kDone);
    last.emplace_back();
    for (const char* angle : {"b0.phi", "b1.phi", "b2.phi", "b3.phi"}) {
      last.back().push_back(run.column(model, angle).back());
      CHECK(std::fabs(last.back().back() - last.front()[last.back().size() - 1]) <=
            std::stod(light));
    }
  }
}

// The body that friction holds on another one turns round with it against its own friction: the
// terms of its slip are forces by the damping, F/c, against which accelerations of the other are
// small, but no rounding.
TEST_CASE("a body without inertia on little damping turns round with the one that it is held on") {
  const std::string text = R"(
model Held
  parameter Real c(unit = "N.s/m") = 0;
  Translational.Mass a(m = 0), b(m = 1);
  Translational.Fixed wall;
  Translational.Spring k(k = 100);
  Translational.SupportFriction fa(f0 = 1, d = c);
  Translational.CrossFriction fb(f0 = 2);
  Translational.Force q;
equation
  q.f = 5*sin(4*time);
  connect(wall.flange, k.flange_a);
  connect(k.flange_b, a.flange_a);
  connect(a.flange_a, fa.flange_a);
  connect(a.flange_b, fb.flange_a);
  connect(fb.flange_b, b.flange_a);
  connect(q.flange, b.flange_b);
end Held;
)";
  const Model dry("held.ltm", text);
  const Simulation limit = simulate(dry, TaylorOptions{0, 2, 0.1, 1e-12, false, true});
  REQUIRE(limit.report.reason == StopReason::kDone);
  for (const char* c : {"1e-2", "1e-3", "2e-4", "1e-4", "1e-5"}) {
    CAPTURE(c);
    const Model model("held.ltm", text, {{"c", c}});
    for (const bool taylor : {true, false}) {
      if (taylor && std::stod(c) < 1e-4) continue;  // too many steps
      CAPTURE(taylor);
      const Simulation run = taylor ? simulate(model, TaylorOptions{0, 2, 0.1, 1e-10, false, true})
                                    : simulate(model, CvodeOptions{0, 2, 0.1, 1e-10, false});
      REQUIRE(run.report.reason == StopReason::kDone);
      if (taylor) CHECK(std::fabs(run.report.energy->residual()) < 1e-10);
      for (const char* column : {"a.s", "b.s", "b.v"}) {
        CHECK(std::fabs(run.column(model, column).back() - limit.column(dry, column).back()) <
              std::stod(c) + 1e-8);
      }
    }
  }
}

// body1 and body2 have a damper between them alone, so that neither has a place of its own by
// damping: body3, between springs, settles with body2 and is no formula of it.
TEST_CASE("a node beside two that only a damper between them holds") {
  const std::string text = R"(
model DamperBetween
  parameter Real light = 0;
  Rotational.Inertia body0(J = light);
  Rotational.GearPair link0(ratio = 0.5, k = 41.4, half_freeplay = 0.05856);
  Rotational.BearingFriction bearing0(d = 0.3182, tau0 = 0);
  Blocks.Ramp signal0(height = 1.134, duration = 0.4);
  Rotational.Torque torque0;
  Rotational.Inertia body1(J = light);
  Rotational.Spring link1(k = 30.4);
  Rotational.Inertia body2(J = light);
  Rotational.SpringDamper link2(k = 345.8, d = 0.21);
  Rotational.BearingFriction bearing2(d = 0, tau0 = 0.5);
  Rotational.Inertia body3(J = light);
  Rotational.Spring link3(k = 100);
  Blocks.Ramp signal3(height = 2, duration = 0.1592);
  Rotational.Torque torque3;
  Rotational.Inertia body4(J = 0.1, w(start = 0));
  Rotational.FreeplaySpring link4(k = 100, half_freeplay = 0.02);
  Blocks.Sine signal4(amplitude = 2, f = 2.5);
  Rotational.Torque torque4;
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
  connect(bearing2.flange_a, body2.flange_b);
  connect(link3.flange_b, body3.flange_a);
  connect(link3.flange_a, body2.flange_b);
  connect(signal3.y, torque3.tau);
  connect(torque3.flange, body3.flange_b);
  connect(link4.flange_b, body4.flange_a);
  connect(link4.flange_a, body3.flange_b);
  connect(signal4.y, torque4.tau);
  connect(torque4.flange, body4.flange_b);
  annotation(experiment(StopTime = 1));
end DamperBetween;
)";
  const auto end_of = [&](const char* light) {
    const Model model("between.ltm", text, {{"light", light}});
    const Simulation run = simulate(model, TaylorOptions{0, 1, 0.5, 1e-10, false});
    REQUIRE(run.report.reason == StopReason::kDone);
    return run.column(model, "body4.phi").back();
  };
  check_agrees(Model("between.ltm", text));
  const double limit = end_of("0");
  CHECK(std::fabs(end_of("1e-4") - limit) < 1e-3);
  CHECK(std::fabs(end_of("1e-5") - limit) < 2e-4);
  CHECK(std::fabs(end_of("1e-6") - limit) < 3e-5);
}

}  // namespace luztar::test
