// Limits at their edges: nothing left to integrate, rigid rows of sums, bodies that move on for
// ever.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <string>

#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

void check_energy(const RunReport& report, double bound = 1e-12) {
  CHECK(report.energy->turnover > 0);
  CHECK(std::fabs(report.energy->residual()) < bound * report.energy->turnover);
}

TEST_CASE("a model without states runs in every solver") {
  const Model model("driven.ltm",
                    "model Driven\n"
                    "  Rotational.Inertia body(J = 2);\n"
                    "  Rotational.Position source;\n"
                    "  Blocks.Sine signal(f = 1);\n"
                    "equation\n"
                    "  connect(body.flange_a, source.flange);\n"
                    "  connect(signal.y, source.phi_ref);\n"
                    "end Driven;\n");
  REQUIRE(model.system().state_count == 0);
  const auto check = [&](const Simulation& run) {
    CHECK(run.report.reason == StopReason::kDone);
    REQUIRE(run.time.size() == 11);
    const double w = 2 * std::numbers::pi;
    for (std::size_t i = 0; i < run.time.size(); ++i) {
      const double expected = -2 * w * w * std::sin(w * run.time[i]);
      CHECK(run.column(model, "body.flange_a.tau")[i] ==
            doctest::Approx(expected).epsilon(1e-12).scale(80));
    }
  };
  const TaylorOptions taylor{0, 1, 0.1, 1e-9, false};
  check(simulate(model, taylor));
  check_energy(audited(model, taylor));  // the source does work
  check(simulate(model, CvodeOptions{0, 1, 0.1, 1e-9, false}));
  EulerOptions euler;
  euler.interval = 0.1;
  euler.step = 1e-3;
  check(simulate(model, euler));
}

TEST_CASE("a planetary gear locked by a rigid shaft turns as one") {
  const Model model("planet.ltm",
                    "model Planet\n"
                    "  Rotational.Interfaces.Flange sun; Rotational.Interfaces.Flange ring;\n"
                    "  Rotational.Interfaces.Flange carrier;\n"
                    "  parameter Real ratio = 2;\n"
                    "equation\n"
                    "  (1 + ratio)*carrier.phi = sun.phi + ratio*ring.phi;\n"
                    "  ring.tau = ratio*sun.tau;\n"
                    "  carrier.tau = -(1 + ratio)*sun.tau;\n"
                    "end Planet;\n"
                    "model Locked\n"
                    "  Rotational.Inertia s(J = 0.1); Rotational.Inertia r(J = 0.2);\n"
                    "  Rotational.Inertia c(J = 0.3); Planet t;\n"
                    "  Rotational.Spring lock(k = inf); Rotational.Torque u(tau = 1);\n"
                    "equation\n"
                    "  connect(s.flange_b, t.sun); connect(r.flange_b, t.ring);\n"
                    "  connect(c.flange_b, t.carrier);\n"
                    "  connect(s.flange_a, lock.flange_a); connect(lock.flange_b, c.flange_a);\n"
                    "  connect(u.flange, s.flange_a);\n"
                    "end Locked;\n");
  const Simulation run = simulate(model, TaylorOptions{0, 1, 0.5, 1e-12, false});
  for (const char* speed : {"s.w", "r.w", "c.w"}) {
    CHECK(run.column(model, speed).back() == doctest::Approx(1 / 0.6).epsilon(1e-13));
  }
}

TEST_CASE("a blocked body moves on from the start time") {
  const Model model("blocked.ltm",
                    "model Blocked\n"
                    "  Rotational.Inertia wall(J = inf, w(start = 1), phi(start = 0.3));\n"
                    "  Rotational.Spring spring(k = 10);\n"
                    "  Rotational.Inertia body(J = 1, phi(start = 0.3));\n"
                    "equation\n"
                    "  connect(wall.flange_a, spring.flange_a);\n"
                    "  connect(spring.flange_b, body.flange_a);\n"
                    "  annotation(experiment(StartTime = 3, StopTime = 4));\n"
                    "end Blocked;\n");
  const TaylorOptions options{3, 4, 0.1, 1e-13, false};
  check_energy(audited(model, options));  // the blocked body does work
  const Simulation run = simulate(model, options);
  const double w = std::sqrt(10.0);
  for (std::size_t i = 0; i < run.time.size(); ++i) {
    const double t = run.time[i] - 3;
    CHECK(run.column(model, "wall.phi")[i] == doctest::Approx(0.3 + t).epsilon(1e-14));
    CHECK(run.column(model, "body.phi")[i] ==
          doctest::Approx(0.3 + t - std::sin(w * t) / w).epsilon(1e-12));
  }
}

// Two bodies that friction holds to a light plate. The load of the plate alone has terms of 1/m in
// all rates, and what they have in common none; the first one slips where that comes to 2.
TEST_CASE("a friction of a light body lets go") {
  for (const std::string mass : {"1e-2", "1e-4", "1e-6", "1e-8"}) {
    CAPTURE(mass);
    const double m = std::stod(mass);
    const Model model("light.ltm",
                      R"(
model Light
  parameter Real m = 1;
  Translational.Mass first(m = 1), second(m = 0.5), plate(m = m);
  Translational.CrossFriction near(f0 = 2), far(f0 = 5);
  Translational.SupportFriction oil(d = 1.3, f0 = 0);
  Translational.Force load;
equation
  load.f = 4*time;
  connect(load.flange, plate.flange_a);
  connect(plate.flange_b, oil.flange_a);
  connect(plate.flange_a, near.flange_a);
  connect(near.flange_b, first.flange_a);
  connect(plate.flange_b, far.flange_a);
  connect(far.flange_b, second.flange_a);
end Light;
)",
                      {{"m", mass}});
    const double decay = 1.3 / (1.5 + m), limit = 4 / 1.3;  // (1.5 + m) v' = 4 t - 1.3 v
    const double lets_go = -std::log(1 - 2 / limit) / decay;
    const auto together = [&](double t) {
      return limit * (t - (1 - std::exp(-decay * t)) / decay);
    };
    const double expected = together(lets_go) + 2 * (2 - lets_go);
    const Simulation run = simulate(model, TaylorOptions{0, 2, 0.1, 1e-10, false, true});
    CHECK(run.report.reason == StopReason::kDone);
    const double precision = m < 1e-7 ? 1e-10 : 1e-13;
    CHECK(std::fabs(run.column(model, "first.v").back() - expected) < precision);
    CHECK(run.column(model, "near.f").back() == doctest::Approx(-2).epsilon(1e-12));
    check_energy(run.report);
    const Simulation cvode = simulate(model, CvodeOptions{0, 2, 0.1, 1e-10, false});
    CHECK(cvode.report.steps < 2000);
    CHECK(cvode.column(model, "first.v").back() == doctest::Approx(expected).epsilon(1e-7));
  }
}

// A light body between two that frictions hold it to, on one side through a body without inertia.
TEST_CASE("frictions in series hold a light body") {
  for (const std::string mass : {"1e-2", "1e-4", "1e-6"}) {
    CAPTURE(mass);
    const Model model("light_in_series.ltm",
                      R"(
model LightInSeries
  parameter Real m = 1;
  Translational.Mass first(m = 1), light(m = m), second(m = 0.5), node(m = 0);
  Translational.CrossFriction a(f0 = 20), b(f0 = 30), c(f0 = 25);
  Translational.SupportFriction oil(d = 1.3, f0 = 0);
  Translational.Force load;
equation
  load.f = 4*time;
  connect(load.flange, light.flange_a);
  connect(oil.flange_a, light.flange_a);
  connect(first.flange_b, a.flange_a);
  connect(a.flange_b, node.flange_a);
  connect(node.flange_b, b.flange_a);
  connect(b.flange_b, light.flange_a);
  connect(light.flange_b, c.flange_a);
  connect(c.flange_b, second.flange_a);
end LightInSeries;
)",
                      {{"m", mass}});
    const double decay = 1.3 / (1.5 + std::stod(mass)), limit = 4 / 1.3;
    const double expected = limit * (2 - (1 - std::exp(-decay * 2)) / decay);
    const Simulation run = simulate(model, TaylorOptions{0, 2, 0.1, 1e-10, false, true});
    const Simulation bdf = simulate(model, CvodeOptions{0, 2, 0.1, 1e-10, false});
    CHECK(bdf.report.steps < 2000);
    for (const char* speed : {"first.v", "light.v", "second.v"}) {
      CHECK(std::fabs(run.column(model, speed).back() - expected) < 1e-10);
      CHECK(std::fabs(bdf.column(model, speed).back() - expected) < 1e-9);
    }
    check_energy(run.report, 1e-11);
  }
}

// Every other body of a row is light, and one of these is pulled: many frictions hold them all.
TEST_CASE("light and heavy bodies in a row move as one") {
  for (const int count : {6, 40}) {
    std::string bodies, connections;
    for (int i = 0; i < count; ++i) {
      const std::string own = std::to_string(i), last = std::to_string(i - 1);
      bodies += "  Translational.Mass b" + own + "(m = " + (i % 2 == 0 ? "1" : "1e-6") + ");\n";
      if (i == 0) continue;
      bodies += "  Translational.CrossFriction f" + own + "(f0 = 50);\n";
      connections += "  connect(b" + last + ".flange_b, f" + own + ".flange_a);\n  connect(f" +
                     own + ".flange_b, b" + own + ".flange_a);\n";
    }
    const std::string pulled = "b" + std::to_string(count / 2 / 2 * 2 + 1) + ".flange_a";
    const Model model("row.ltm", "model Row\n" + bodies +
                                     "  Translational.Force load;\n"
                                     "  Translational.SupportFriction oil(d = 1.3, f0 = 0);\n"
                                     "equation\n"
                                     "  load.f = 10*time;\n"
                                     "  connect(load.flange, " +
                                     pulled + ");\n  connect(oil.flange_a, " + pulled + ");\n" +
                                     connections + "end Row;\n");
    const double mass = count / 2 * (1 + 1e-6), decay = 1.3 / mass, limit = 10 / 1.3;
    const double expected = limit * (3 - (1 - std::exp(-decay * 3)) / decay);
    const Simulation run = simulate(model, TaylorOptions{0, 3, 0.5, 1e-10, false, true});
    for (int i = 0; i < count; ++i) {
      const double v = run.column(model, "b" + std::to_string(i) + ".v").back();
      CHECK(std::fabs(v - expected) < 1e-12);
    }
    check_energy(run.report);
  }
}

}  // namespace
}  // namespace luztar::test
