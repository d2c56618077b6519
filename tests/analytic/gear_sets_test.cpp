// Planetary gear sets, one in another, with brakes, blocked members and loops that lock: the same
// whatever the order of their declarations.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/support/column_check.h"
#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

/// Willis: the carrier turns by the mean of sun and ring, weighted 1 : i0.
const std::string kPlanetary = R"(
model Planetary
  Rotational.Interfaces.Flange sun, carrier, ring;
  parameter Real i0;
equation
  (1 + i0)*carrier.phi = sun.phi + i0*ring.phi;
  ring.tau = i0*sun.tau;
  carrier.tau = -(1 + i0)*sun.tau;
end Planetary;
)";

/// The parts of a model, and its equations, in any order.
struct Parts {
  std::vector<std::string> parts, equations;

  [[nodiscard]] Model model() const {
    std::string text = kPlanetary + "model Set\n";
    for (const std::string& part : parts) text += "  " + part + ";\n";
    text += "equation\n";
    for (const std::string& equation : equations) text += "  " + equation + ";\n";
    return Model("set.ltm", text + "end Set;\n");
  }
};

/// Calls `check` for each way in which the first of the parts can be the others' last one.
template <class Check>
void in_any_order(Parts set, Check check) {
  for (std::size_t i = 0; i < set.parts.size(); ++i) {
    CAPTURE(i);
    check(set.model());
    std::rotate(set.parts.begin(), set.parts.begin() + 1, set.parts.end());
    std::rotate(set.equations.begin(), set.equations.begin() + 1, set.equations.end());
    check(set.model());
    std::reverse(set.parts.begin(), set.parts.end());
  }
}

double at_end(const Model& model, const Simulation& run, const char* name) {
  return run.column(model, name).back();
}

}  // namespace

// Both brakes stick: no work of a virtual motion of either degree of freedom gives the torques of
// both, 6 sin 2t by the ratios of all. They let go where that comes to 1 N m.
TEST_CASE("two brakes in two planetary sets share a torque by virtual work") {
  const Parts set{
      {"Rotational.Inertia b3(J = 0.5)", "Rotational.Inertia b0(J = 0.5)",
       "Rotational.BearingFriction f0(tau0 = 1)", "Planetary p1(i0 = -2.5)",
       "Rotational.Inertia b1(J = 1)", "Rotational.Inertia b2(J = 0.2)", "Planetary p0(i0 = -2.5)",
       "Rotational.Torque t", "Rotational.CrossFriction f1(tau0 = 2)"},
      {"connect(p0.sun, b3.flange_b)", "connect(t.flange, b2.flange_b)",
       "connect(p0.carrier, b1.flange_b)", "connect(f1.flange_b, b2.flange_a)",
       "connect(p1.sun, b0.flange_b)", "t.tau = 6*sin(2*time)", "connect(f0.flange_a, b1.flange_b)",
       "connect(p1.carrier, b2.flange_a)", "connect(f1.flange_a, b1.flange_b)",
       "connect(p0.ring, b0.flange_a)", "connect(p1.ring, b1.flange_b)"}};
  in_any_order(set, [](const Model& model) {
    const Simulation run = simulate(model, TaylorOptions{0, 0.08, 0.01, 1e-12, false});
    for (std::size_t i = 0; i < run.time.size(); ++i) {
      const double torque = 6 * std::sin(2 * run.time[i]);
      CHECK(std::fabs(run.column(model, "f0.tau")[i]) == doctest::Approx(torque).epsilon(1e-12));
      CHECK(std::fabs(run.column(model, "f1.tau")[i]) == doctest::Approx(torque).epsilon(1e-12));
      CHECK(std::fabs(run.column(model, "b2.w")[i]) < 1e-30);
    }
    const Simulation beyond = audited_run(model, 0.09, 0.01);
    CHECK(at_end(model, beyond, "b2.w") > 1e-5);
    CHECK(run.report.events == 0);
    CHECK(beyond.report.events == 1);
  });
}

TEST_CASE("a blocked carrier turns the sun against a driven ring") {
  const Parts set{
      {"Rotational.Inertia sun(J = 1)", "Rotational.Inertia ring(J = 1)",
       "Rotational.Inertia carrier(J = inf)", "Planetary p(i0 = 2)", "Rotational.Torque t",
       "Rotational.Speed v"},
      {"connect(p.sun, sun.flange_b)", "connect(p.carrier, carrier.flange_a)",
       "connect(p.ring, ring.flange_b)", "t.tau = 5*sin(time)", "connect(t.flange, sun.flange_b)",
       "v.w_ref = 0.3*sin(time)", "connect(v.flange, ring.flange_a)"}};
  in_any_order(set, [](const Model& model) {
    const Simulation run = audited_run(model, 2, 0.1);
    const double ring = 0.3 * (1 - std::cos(2.0));
    CHECK(at_end(model, run, "carrier.phi") == 0);
    CHECK(std::fabs(at_end(model, run, "ring.phi") - ring) < kBound);
    CHECK(std::fabs(at_end(model, run, "sun.phi") + 2 * ring) < kBound);
  });
}

// Of a driven body the inertia does not matter: the motion of the carrier between two others is
// that of the driven one, turned round by the blocked one.
TEST_CASE("a motion drives a body of infinite inertia") {
  const Parts set{
      {"Rotational.Inertia b7(J = inf)", "Planetary p0(i0 = 1)", "Rotational.Inertia b6(J = inf)",
       "Planetary p3(i0 = 1)", "Rotational.Speed v", "Rotational.Inertia b5(J = 1)",
       "Rotational.Inertia b2(J = 1)", "Rotational.Inertia b4(J = 1)"},
      {"connect(p3.carrier, b2.flange_b)", "connect(p3.sun, b4.flange_b)",
       "connect(p0.sun, b6.flange_b)", "v.w_ref = 0.3*sin(time)", "connect(p3.ring, b5.flange_b)",
       "connect(p0.ring, b2.flange_a)", "connect(p0.carrier, b7.flange_b)",
       "connect(v.flange, b6.flange_a)"}};
  in_any_order(set, [](const Model& model) {
    const Simulation run = audited_run(model, 1, 0.1);
    const double speed = 0.3 * std::sin(1.0);
    CHECK(at_end(model, run, "b7.w") == 0);
    CHECK(std::fabs(at_end(model, run, "b6.w") - speed) < kBound);
    for (const char* name : {"b2.w", "b4.w", "b5.w"}) {
      CHECK(std::fabs(at_end(model, run, name) + speed) < kBound);
    }
  });
}

TEST_CASE("a set whose ring is blocked is a gear") {
  const Parts set{
      {"Rotational.Inertia engine(J = 0.3)", "Planetary p(i0 = 2)",
       "Rotational.Inertia ring(J = inf)", "Rotational.Inertia car(J = 20)", "Rotational.Torque t"},
      {"t.tau = 120", "connect(t.flange, engine.flange_a)", "connect(engine.flange_b, p.sun)",
       "connect(p.ring, ring.flange_a)", "connect(p.carrier, car.flange_a)"}};
  in_any_order(set, [](const Model& model) {
    const Simulation run = audited_run(model, 1, 0.1);
    const double rate = 120 / (0.3 + 20.0 / 9);
    CHECK(std::fabs(at_end(model, run, "engine.w") - rate) < kBound * rate);
    CHECK(std::fabs(at_end(model, run, "car.w") - rate / 3) < kBound * rate);
  });
}

TEST_CASE("two sets that lock each other turn as one") {
  const Parts set{{"Rotational.SpringDamper s0(k = 30, d = 0.4)", "Planetary p0(i0 = 1.7)",
                   "Rotational.Inertia b3(J = 2)", "Rotational.Inertia b0(J = 1)",
                   "Rotational.Torque t", "Planetary p1(i0 = 1.2)", "Rotational.Inertia b1(J = 2)",
                   "Rotational.CrossFriction f(tau0 = 1, d = 0.1)"},
                  {"connect(p0.ring, b0.flange_a)", "connect(s0.flange_b, b0.flange_a)",
                   "connect(t.flange, b0.flange_b)", "connect(s0.flange_a, b3.flange_b)",
                   "connect(p0.sun, b3.flange_b)", "t.tau = 6*sin(2*time)",
                   "connect(p0.carrier, b1.flange_b)", "connect(p1.sun, b1.flange_b)",
                   "connect(p1.ring, b0.flange_a)", "connect(p1.carrier, b3.flange_b)",
                   "connect(f.flange_a, b0.flange_a)", "connect(f.flange_b, b3.flange_a)"}};
  in_any_order(set, [](const Model& model) {
    const Simulation run = audited_run(model, 1, 0.1);
    const double speed = 6 * (1 - std::cos(2.0)) / 2 / 5;
    for (const char* name : {"b0.w", "b1.w", "b3.w"}) {
      CHECK(std::fabs(at_end(model, run, name) - speed) < kBound);
    }
  });
}

// Two sets and a gear: three members turn as one, by sums of ratios of three parts, on which a
// damper and a friction then have nothing to act.
TEST_CASE("parts between members that others have locked carry nothing") {
  const Parts set{{"Rotational.Inertia b0(J = inf)", "Rotational.Inertia b1(J = inf)",
                   "Rotational.Inertia b2(J = 1)", "Rotational.Inertia b4(J = 1)",
                   "Planetary p0(i0 = 1)", "Planetary p1(i0 = -2)",
                   "Rotational.IdealGear g(ratio = -1.5)", "Rotational.Damper s0(d = 0.5)",
                   "Rotational.CrossFriction s1(tau0 = 1, d = 0.1)", "Rotational.Speed v"},
                  {"connect(p0.sun, b2.flange_b)", "connect(p0.carrier, b1.flange_b)",
                   "connect(p0.ring, b0.flange_a)", "connect(p1.sun, b0.flange_b)",
                   "connect(p1.carrier, b1.flange_a)", "connect(p1.ring, b2.flange_a)",
                   "connect(b0.flange_b, g.flange_a)", "connect(g.flange_b, b4.flange_a)",
                   "connect(s0.flange_a, b1.flange_b)", "connect(s0.flange_b, b0.flange_a)",
                   "connect(s1.flange_a, b2.flange_b)", "connect(s1.flange_b, b0.flange_a)",
                   "v.w_ref = 0.3*sin(time)", "connect(v.flange, b4.flange_a)"}};
  in_any_order(set, [](const Model& model) {
    const Simulation run = simulate(model, TaylorOptions{0, 1, 0.1, 1e-12, false});
    REQUIRE(run.report.reason == StopReason::kDone);
    for (const char* name : {"b0.phi", "b1.phi", "b2.phi"}) {
      CHECK(std::fabs(at_end(model, run, name) + 1.5 * 0.3 * (1 - std::cos(1.0))) < kBound);
    }
    for (const char* name : {"s0.tau", "s1.tau"}) CHECK(at_end(model, run, name) == 0);
  });
}

// A clutch that sticks has no slip, whatever the other one does: through five sets they act on each
// other by sums of many terms.
TEST_CASE("two clutches in five planetary sets") {
  const Parts set{
      {"Rotational.Inertia b9(J = 1)", "Planetary p0(i0 = 1)", "Rotational.Inertia b7(J = 1)",
       "Rotational.Inertia b8(J = 1)", "Rotational.Inertia b2(J = 1)",
       "Rotational.Inertia b3(J = 1)", "Rotational.Inertia b4(J = 1)",
       "Rotational.CrossFriction s2(tau0 = 0.7)", "Rotational.CrossFriction s1(tau0 = 0.7)",
       "Rotational.Torque t0", "Planetary p1(i0 = 1)", "Rotational.Inertia b0(J = 1)",
       "Planetary p2(i0 = 1)", "Rotational.Inertia b1(J = 1)", "Rotational.Inertia b6(J = 1)",
       "Rotational.Inertia b5(J = 1)", "Planetary p4(i0 = 1)", "Planetary p3(i0 = 1)"},
      {"connect(p4.ring, b3.flange_b)",     "connect(p3.ring, b9.flange_b)",
       "connect(p1.ring, b1.flange_a)",     "connect(p1.carrier, b4.flange_a)",
       "connect(p0.ring, b6.flange_b)",     "connect(p1.sun, b8.flange_a)",
       "connect(p2.ring, b0.flange_a)",     "connect(t0.flange, b0.flange_b)",
       "connect(s2.flange_a, b0.flange_b)", "connect(p4.sun, b2.flange_a)",
       "connect(p2.carrier, b8.flange_b)",  "connect(p3.sun, b3.flange_b)",
       "connect(p0.sun, b5.flange_a)",      "connect(p4.carrier, b0.flange_b)",
       "connect(p0.carrier, b2.flange_a)",  "t0.tau = 5*sin(1*time + 0)",
       "connect(p3.carrier, b6.flange_b)",  "connect(s1.flange_a, b7.flange_b)",
       "connect(s1.flange_b, b9.flange_a)", "connect(p2.sun, b6.flange_a)",
       "connect(s2.flange_b, b2.flange_a)"}};
  in_any_order(set, [](const Model& model) {
    const Simulation run = audited_run(model, 2, 0.1);
    for (const std::string name : {"s1", "s2"}) {
      double slip = 0;
      for (std::size_t i = 0; i < run.time.size(); ++i) {
        if (run.column(model, name + ".mode")[i] != 0) continue;
        slip = std::max(slip, std::fabs(run.column(model, name + ".w_rel")[i]));
      }
      CHECK(slip < 1e-12);
    }
  });
}

// The slip is a multiple of one speed, which may be a negative one.
TEST_CASE("the mode of a friction between two geared shafts has the sign of its slip") {
  for (const char* ratio : {"3.5", "0.4", "-2"}) {
    CAPTURE(ratio);
    const Model model("geared", R"(
model Geared
  parameter Real i = 3.5;
  Rotational.IdealGear gear(ratio = i);
  Rotational.CrossFriction forth(tau0 = 0.5), back(tau0 = 0.5);
  Rotational.Inertia a(J = 1), b(J = 1, w(start = 2, fixed = true));
equation
  connect(gear.flange_a, a.flange_a);
  connect(gear.flange_b, b.flange_a);
  connect(forth.flange_a, a.flange_b);
  connect(forth.flange_b, b.flange_b);
  connect(back.flange_a, b.flange_b);
  connect(back.flange_b, a.flange_b);
end Geared;
)",
                      {{"i", ratio}});
    const Simulation run = simulate(model, TaylorOptions{0, 0.2, 0.1, 1e-10, false});
    REQUIRE(run.report.reason == StopReason::kDone);
    for (const std::string friction : {"forth", "back"}) {
      CAPTURE(friction);
      const double slip = run.column(model, friction + ".w_rel").back();
      const double mode = run.column(model, friction + ".mode").back();
      CHECK(mode == (slip > 0 ? 1 : -1));
      CHECK(run.column(model, friction + ".tau").back() == 0.5 * mode);
    }
  }
}

}  // namespace luztar::test
