// Light bodies among dry frictions whose forces are not unique: rounding of the accelerations of
// such a body is that of its forces divided by its mass, and says nothing of the bodies beside it.
// The motion tends to that without them in first order, and no force exceeds its bound.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/support/random_cases.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

const char* const kGeared = R"(
model Sig "friction by a signal"
  extends Rotational.Interfaces.TwoFlanges;
  input Real c(unit="N.m");
  parameter Real st=1;
  parameter Units.RotationalDamping d=0;
equation tau=d*w_rel+dryfriction(w_rel,c,st*c);
end Sig;
model Geared
  parameter Real light = 0;
  Rotational.Inertia n1(J = light);
  Rotational.Inertia b0(J = 1.499);
  Rotational.Inertia n0(J = light);
  Rotational.Inertia b1(J = 1.804);
  Rotational.Fixed w;
  Rotational.IdealGear ge0(ratio = 3);
  Rotational.CrossFriction e0(tau0 = 1.54);
  Rotational.IdealGear ge1(ratio = -2);
  Rotational.CrossFriction e1(tau0 = 1.491,tau0_static = 2.0874,d = 1.685);
  Sig e2(st = 1.3,d = 0);
  Rotational.Damper e3(d = 0.916);
  Rotational.BearingFriction e4x(tau0 = 0.059,d = 0.838);
  Rotational.CrossFriction e4(tau0 = 1.637,d = 0.987);
  Rotational.BearingFriction zn1(tau0 = 0.2,d = 1.198);
  Rotational.BearingFriction zb0(tau0 = 0.135,d = 0.287);
  Rotational.Torque tb0;
  Rotational.BearingFriction zn0(tau0 = 0,d = 0.523);
  Rotational.Torque tn0;
  Rotational.BearingFriction zb1(tau0 = 0.28,d = 0.361);
  Rotational.Torque tb1;
equation
  connect(n1.flange_a,ge0.flange_a);
  connect(ge0.flange_b,e0.flange_a);
  connect(e0.flange_b,b0.flange_a);
  connect(n1.flange_a,ge1.flange_a);
  connect(ge1.flange_b,e1.flange_a);
  connect(e1.flange_b,n0.flange_a);
  e2.c=max(0,0.986+0.279*sin(8.139*time));
  connect(n1.flange_a,e2.flange_a);
  connect(e2.flange_b,b1.flange_a);
  connect(b0.flange_a,e3.flange_a);
  connect(e3.flange_b,b1.flange_a);
  connect(b1.flange_a,e4x.flange_a);
  connect(n0.flange_a,e4.flange_a);
  connect(e4.flange_b,b1.flange_a);
  connect(n1.flange_b,zn1.flange_a);
  connect(b0.flange_b,zb0.flange_a);
  connect(b0.flange_b,tb0.flange);
  tb0.tau=3.66*sin(3.766*time);
  connect(n0.flange_b,zn0.flange_a);
  connect(n0.flange_b,tn0.flange);
  tn0.tau=0.868*sin(4.618*time);
  connect(b1.flange_b,zb1.flange_a);
  connect(b1.flange_b,tb1.flange);
  tb1.tau=4.463*sin(7.5*time);
end Geared;
)";

const char* const kLoaded = R"(
model Loaded
  parameter Real light = 0;
  Translational.Mass b0(m = 2);
  Translational.Mass b1(m = 2);
  Translational.Mass b2(m = 1);
  Translational.Mass n0(m = light);
  Translational.Mass n1(m = light);
  Translational.CrossFriction e1(f0 = 1);
  Translational.CrossFriction e2(f0 = 1);
  Translational.CrossFriction e3(f0 = 2,d = 1);
  Translational.CrossFriction e5(f0 = 1,f0_static = 1.663,d = 3);
  Translational.CrossFriction e6(f0 = 2);
  Translational.SupportFriction s0(f0 = 1);
  Translational.Force F1;
  Translational.Force L;
equation
  connect(b1.flange_a,e1.flange_a);
  connect(e1.flange_b,b2.flange_b);
  connect(b1.flange_a,e2.flange_a);
  connect(e2.flange_b,n0.flange_b);
  connect(b1.flange_a,e3.flange_a);
  connect(e3.flange_b,n1.flange_b);
  connect(b2.flange_a,e5.flange_a);
  connect(e5.flange_b,n0.flange_b);
  connect(n1.flange_a,e6.flange_a);
  connect(e6.flange_b,n0.flange_b);
  connect(b0.flange_a,s0.flange_a);
  connect(b1.flange_b,F1.flange);
  F1.f=6.0*sin(11.75*time);
  L.f=2.2*sin(4.04*time);
  connect(L.flange,n0.flange_a);
end Loaded;
)";

const char* const kLoop = R"(
model Loop
  parameter Real light = 0;
  Translational.Mass b0(m = 1);
  Translational.Mass b1(m = 2);
  Translational.Mass b2(m = 0.5);
  Translational.Mass n0(m = light);
  Translational.Mass n1(m = light);
  Translational.CrossFriction e1(f0 = 1);
  Translational.CrossFriction e2(f0 = 3);
  Translational.CrossFriction e3(f0 = 1);
  Translational.CrossFriction e5(f0 = 2);
  Translational.CrossFriction e6(f0 = 1);
  Translational.CrossFriction e8(f0 = 1);
  Translational.Force F0;
  Translational.SupportFriction s1(f0 = 1);
equation
  connect(b1.flange_a,e1.flange_a);
  connect(e1.flange_b,b2.flange_b);
  connect(b1.flange_a,e2.flange_a);
  connect(e2.flange_b,n0.flange_b);
  connect(b1.flange_a,e3.flange_a);
  connect(e3.flange_b,n1.flange_b);
  connect(n0.flange_a,e5.flange_a);
  connect(e5.flange_b,b0.flange_b);
  connect(b0.flange_a,e6.flange_a);
  connect(e6.flange_b,b1.flange_b);
  connect(n1.flange_a,e8.flange_a);
  connect(e8.flange_b,b0.flange_b);
  connect(b0.flange_b,F0.flange);
  F0.f=5.59*sin(2.56*time);
  connect(b1.flange_a,s1.flange_a);
end Loop;
)";

const char* const kGrounded = R"(
model Grounded
  parameter Real light = 0;
  Translational.Mass b0(m = 3.0);
  Translational.Mass b1(m = 3.0);
  Translational.Mass n0(m = light);
  Translational.Mass n1(m = light);
  Translational.Mass n2(m = light);
  Translational.CrossFriction e0(f0 = 2.0, f0_static = 2.6, d = 1.0);
  Translational.CrossFriction e1(f0 = 2.6, f0_static = 3.38);
  Translational.CrossFriction e2(f0 = 1.0, f0_static = 1.0);
  Translational.CrossFriction e3(f0 = 1.121, f0_static = 1.121);
  Translational.CrossFriction e4(f0 = 1.0, f0_static = 1.0);
  Translational.CrossFriction e5(f0 = 3.0, f0_static = 3.0);
  Translational.CrossFriction e6(f0 = 2.2, f0_static = 2.2, d = 1.179);
  Translational.CrossFriction e7(f0 = 1.825, f0_static = 1.825);
  Translational.CrossFriction e8(f0 = 2.4, f0_static = 2.4);
  Translational.SupportFriction sb0(f0 = 0.4, d = 0.246);
  Translational.Force Fb0;
  Translational.SupportFriction sb1(f0 = 0.655, d = 0.1);
  Translational.Force Fb1;
  Translational.SupportFriction sn0(f0 = 0.798);
  Translational.Force Fn0;
  Translational.SupportFriction sn1(f0 = 1.0, d = 0.186);
  Translational.Force Fn1;
  Translational.SupportFriction sn2(f0 = 0.2);
equation
  connect(n0.flange_a, e0.flange_a);
  connect(e0.flange_b, b0.flange_b);
  connect(n0.flange_a, e1.flange_a);
  connect(e1.flange_b, n1.flange_b);
  connect(n1.flange_a, e2.flange_a);
  connect(e2.flange_b, b0.flange_b);
  connect(n1.flange_a, e3.flange_a);
  connect(e3.flange_b, n0.flange_b);
  connect(n2.flange_a, e4.flange_a);
  connect(e4.flange_b, n1.flange_b);
  connect(n2.flange_a, e5.flange_a);
  connect(e5.flange_b, b1.flange_b);
  connect(b1.flange_a, e6.flange_a);
  connect(e6.flange_b, b0.flange_b);
  connect(n0.flange_a, e7.flange_a);
  connect(e7.flange_b, b0.flange_b);
  connect(n2.flange_a, e8.flange_a);
  connect(e8.flange_b, n1.flange_b);
  connect(b0.flange_a, sb0.flange_a);
  connect(b0.flange_b, Fb0.flange);
  Fb0.f = 7.0*sin(8.264*time);
  connect(b1.flange_a, sb1.flange_a);
  connect(b1.flange_b, Fb1.flange);
  Fb1.f = 5.0*sin(5.962*time);
  connect(n0.flange_a, sn0.flange_a);
  connect(n0.flange_b, Fn0.flange);
  Fn0.f = 2.0*sin(3.226*time);
  connect(n1.flange_a, sn1.flange_a);
  connect(n1.flange_b, Fn1.flange);
  Fn1.f = 8.0*sin(5.0*time);
  connect(n2.flange_a, sn2.flange_a);
end Grounded;
)";

const char* const kPassing = R"(
model Passing
  parameter Real light = 0;
  Translational.Mass b0(m = 1.504);
  Translational.Mass b1(m = 1.3);
  Translational.Mass b2(m = 3.0);
  Translational.Mass n0(m = light);
  Translational.CrossFriction e0(f0 = 2.0, f0_static = 2.6);
  Translational.CrossFriction e1(f0 = 2.0, f0_static = 2.6, d = 0.984);
  Translational.CrossFriction e2(f0 = 2.338, f0_static = 2.338, d = 1.1);
  Translational.CrossFriction e3(f0 = 0.862, f0_static = 0.862);
  Translational.CrossFriction e4(f0 = 2.2, f0_static = 2.2, d = 2.0);
  Translational.Force Fb0;
  Translational.SupportFriction sb1(f0 = 1.0);
  Translational.Force Fb1;
  Translational.Force Fb2;
  Translational.SupportFriction sn0(f0 = 1.0, d = 0.1);
  Translational.Force Fn0;
equation
  connect(n0.flange_a, e0.flange_a);
  connect(e0.flange_b, b2.flange_b);
  connect(n0.flange_a, e1.flange_a);
  connect(e1.flange_b, b1.flange_b);
  connect(n0.flange_a, e2.flange_a);
  connect(e2.flange_b, b2.flange_b);
  connect(b2.flange_a, e3.flange_a);
  connect(e3.flange_b, b0.flange_b);
  connect(n0.flange_a, e4.flange_a);
  connect(e4.flange_b, b0.flange_b);
  connect(b0.flange_b, Fb0.flange);
  Fb0.f = 2.0*sin(2.553*time);
  connect(b1.flange_a, sb1.flange_a);
  connect(b1.flange_b, Fb1.flange);
  Fb1.f = 6.2*sin(10.0*time);
  connect(b2.flange_b, Fb2.flange);
  Fb2.f = 4.606*sin(7.997*time);
  connect(n0.flange_a, sn0.flange_a);
  connect(n0.flange_b, Fn0.flange);
  Fn0.f = 6.6*sin(7.0*time);
end Passing;
)";

const char* const kOthersPass = R"(
model OthersPass
  parameter Real light = 0;
  Translational.Mass b0(m = 1.813);
  Translational.Mass b1(m = 1.441);
  Translational.Mass b2(m = 0.8);
  Translational.Mass n0(m = light);
  Translational.Mass n1(m = light);
  Translational.Mass n2(m = light);
  Translational.CrossFriction e0(f0 = 2.0, f0_static = 2.0);
  Translational.CrossFriction e1(f0 = 2.271, f0_static = 2.9523);
  Translational.CrossFriction e2(f0 = 1.869, f0_static = 2.4297, d = 1.0);
  Translational.CrossFriction e3(f0 = 1.5, f0_static = 1.95);
  Translational.CrossFriction e4(f0 = 1.0, f0_static = 1.0, d = 2.0);
  Translational.CrossFriction e5(f0 = 2.1, f0_static = 2.1, d = 0.7);
  Translational.CrossFriction e6(f0 = 1.478, f0_static = 1.478);
  Translational.CrossFriction e7(f0 = 1.494, f0_static = 1.9422, d = 0.481);
  Translational.CrossFriction e8(f0 = 2.6, f0_static = 3.38);
  Translational.SupportFriction sb0(f0 = 0.162);
  Translational.Force Fb0;
  Translational.SupportFriction sb1(f0 = 0.905);
  Translational.Force Fb1;
  Translational.SupportFriction sb2(f0 = 0.383, d = 0.4);
  Translational.Force Fb2;
  Translational.SupportFriction sn0(f0 = 0.266, d = 0.403);
  Translational.SupportFriction sn1(f0 = 0.692);
  Translational.SupportFriction sn2(f0 = 0.9, d = 0.4);
equation
  connect(n0.flange_a, e0.flange_a);
  connect(e0.flange_b, b0.flange_b);
  connect(n0.flange_a, e1.flange_a);
  connect(e1.flange_b, b2.flange_b);
  connect(n1.flange_a, e2.flange_a);
  connect(e2.flange_b, b0.flange_b);
  connect(n1.flange_a, e3.flange_a);
  connect(e3.flange_b, n0.flange_b);
  connect(n2.flange_a, e4.flange_a);
  connect(e4.flange_b, n0.flange_b);
  connect(n2.flange_a, e5.flange_a);
  connect(e5.flange_b, b1.flange_b);
  connect(n2.flange_a, e6.flange_a);
  connect(e6.flange_b, n0.flange_b);
  connect(b1.flange_a, e7.flange_a);
  connect(e7.flange_b, b0.flange_b);
  connect(n2.flange_a, e8.flange_a);
  connect(e8.flange_b, n1.flange_b);
  connect(b0.flange_a, sb0.flange_a);
  connect(b0.flange_b, Fb0.flange);
  Fb0.f = 8.0*sin(3.5*time);
  connect(b1.flange_a, sb1.flange_a);
  connect(b1.flange_b, Fb1.flange);
  Fb1.f = 1.617*sin(4.685*time);
  connect(b2.flange_a, sb2.flange_a);
  connect(b2.flange_b, Fb2.flange);
  Fb2.f = 6.8*sin(8.9*time);
  connect(n0.flange_a, sn0.flange_a);
  connect(n1.flange_a, sn1.flange_a);
  connect(n2.flange_a, sn2.flange_a);
end OthersPass;
)";

const char* const kSeries = R"(
model Series
  parameter Real light = 0;
  Translational.Mass b0(m = 1.5,s(start = 0),v(start = 0));
  Translational.Mass b1(m = 2.3,s(start = 0),v(start = 0));
  Translational.Mass b2(m = 0.5,s(start = 0),v(start = 0));
  Translational.Mass n0(m = light);
  Translational.Mass n1(m = light);
  Translational.Mass n2(m = light);
  Translational.Fixed w;
  Translational.CrossFriction e0(f0 = 2.579,d = 2.522);
  Translational.CrossFriction e1(f0 = 1.002,d = 0.101);
  Translational.CrossFriction e2(f0 = 0.9);
  Translational.CrossFriction e3(f0 = 2.889,d = 0.268);
  Translational.CrossFriction e4(f0 = 0.795,d = 0.153);
  Translational.CrossFriction e5(f0 = 2.364,d = 1.334);
  Translational.CrossFriction e6(f0 = 2.846,d = 0.585);
  Translational.CrossFriction e7(f0 = 1.974,d = 1.286);
  Translational.SupportFriction s0(f0 = 0.51,d = 0.15);
  Translational.Force F0;
  Translational.SupportFriction s1(f0 = 0.68,d = 0.39);
  Translational.Force F1;
  Translational.SupportFriction s2(f0 = 0.29,d = 0.3);
  Translational.Force F2;
equation
  connect(b0.flange_a,e0.flange_a);
  connect(e0.flange_b,b1.flange_b);
  connect(b0.flange_a,e1.flange_a);
  connect(e1.flange_b,b2.flange_b);
  connect(b1.flange_a,e2.flange_a);
  connect(e2.flange_b,n0.flange_b);
  connect(n0.flange_a,e3.flange_a);
  connect(e3.flange_b,n1.flange_b);
  connect(n0.flange_a,e4.flange_a);
  connect(e4.flange_b,n2.flange_b);
  connect(n0.flange_a,e5.flange_a);
  connect(e5.flange_b,b1.flange_b);
  connect(w.flange,e6.flange_a);
  connect(e6.flange_b,n1.flange_b);
  connect(w.flange,e7.flange_a);
  connect(e7.flange_b,n1.flange_b);
  connect(b0.flange_a,s0.flange_a);
  connect(b0.flange_b,F0.flange);
  F0.f=6.46*sin(6.6*time);
  connect(b1.flange_a,s1.flange_a);
  connect(b1.flange_b,F1.flange);
  F1.f=8.91*sin(9.87*time);
  connect(b2.flange_a,s2.flange_a);
  connect(b2.flange_b,F2.flange);
  F2.f=2.77*sin(9.01*time);
end Series;
)";

/// Of rows at the instants of the grid.
double distance(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  double greatest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) greatest = std::max(greatest, std::fabs(a[i] - b[i]));
  return greatest;
}

/// The greatest excess of a stuck friction's force over its static bound, and its greatest slip.
void check_rest(const Model& model, const Simulation& run, const std::string& friction,
                double bound, const char* force, const char* slip) {
  CAPTURE(friction);
  const std::vector<double>& mode = run.column(model, friction + ".mode");
  const std::vector<double>& size = run.column(model, friction + force);
  const std::vector<double>& speed = run.column(model, friction + slip);
  for (std::size_t i = 0; i < mode.size(); ++i) {
    if (mode[i] != 0) continue;
    CHECK(std::fabs(size[i]) < bound + 1e-8);
    CHECK(std::fabs(speed[i]) < 1e-9);
  }
}

struct Rest {
  const char* friction;
  double bound;
};

/// The place `measured` with bodies of 1e-4, 1e-5 and 1e-6 against that without them.
void check_limit(const char* text, const std::string& measured, double greatest,
                 const std::vector<Rest>& rests, const char* force, const char* slip) {
  const auto place = [&](const Model& model, double tolerance) {
    const Simulation run = simulate(model, TaylorOptions{0, 2, 1.0 / 97, tolerance, false});
    REQUIRE(run.report.reason == StopReason::kDone);
    return run.column(model, measured);
  };
  const std::vector<double> exact = place(Model("light.ltm", text), 1e-12);
  double before = 0;
  for (const std::string& light : light_inertias({"1e-4", "1e-5", "1e-6"})) {
    CAPTURE(light);
    const Model model("light.ltm", text, {{"light", light}});
    const double error = distance(place(model, 1e-10), exact);
    if (before > 0) CHECK(std::fabs(std::log10(before / error) - 1) < 0.2);
    before = error;
    CHECK(error < greatest * std::stod(light) / 1e-6);
    for (const double tolerance : {1e-6, 1e-12}) {
      CAPTURE(tolerance);
      const Simulation run = simulate(model, TaylorOptions{0, 2, 1.0 / 97, tolerance, true});
      REQUIRE(run.report.reason == StopReason::kDone);
      for (const Rest& rest : rests) {
        check_rest(model, run, rest.friction, rest.bound, force, slip);
      }
    }
  }
}

}  // namespace

TEST_CASE("light bodies between gears and frictions of which some are at their bounds") {
  check_limit(kGeared, "b1.phi", 1e-6, {{"e1", 2.0874}, {"e4", 1.637}}, ".tau", ".w_rel");
}

TEST_CASE("a load on a light body that three frictions hold") {
  check_limit(kLoaded, "b1.s", 1e-6, {{"e1", 1}, {"e2", 1}, {"e3", 2}, {"e5", 1.663}, {"e6", 2}},
              ".f", ".v_rel");
}

TEST_CASE("light bodies in loops of frictions between heavy ones") {
  check_limit(kLoop, "b1.s", 2e-6, {{"e1", 1}, {"e2", 3}, {"e3", 1}, {"e5", 2}, {"e6", 1}}, ".f",
              ".v_rel");
}

TEST_CASE("light bodies in series with others, all of whose frictions reach their bounds") {
  check_limit(kSeries, "b2.s", 2e-6, {{"e0", 2.579}, {"e1", 1.002}, {"e3", 2.889}}, ".f", ".v_rel");
}

// One of the bounds that keep all bodies at rest is reached when another one has nothing to keep
// any more.
TEST_CASE("light bodies that frictions on the ground hold at their bounds") {
  check_limit(kGrounded, "b0.s", 5e-6, {{"e2", 1}, {"e5", 3}, {"e8", 2.4}}, ".f", ".v_rel");
}

// A slip that goes through zero asks no more than T_K of others, whether bodies are light or have
// no inertia at all.
TEST_CASE("light bodies that go on through zero, with static friction beside them") {
  check_limit(kPassing, "b2.s", 2e-6, {{"e0", 2.6}}, ".f", ".v_rel");
  check_limit(kOthersPass, "b1.s", 2e-6, {{"e0", 2}, {"e3", 1.95}, {"e8", 3.38}}, ".f", ".v_rel");
}

}  // namespace luztar::test
