// Capacities that decay exponentially, and are there for ever: far below the rounding of the forces
// beside them a friction still slips one way or the other.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

/// Two wheels on springs, one of them driven, and a disc between: `shaft` leads to the first one,
/// a clutch behind a lag to the second one; `more` acts on the disc.
Model wheels(const std::string& shaft, const std::string& more = "", const std::string& joins = "",
             const std::string& to = "b.flange_a", double J = 0) {
  return Model("wheels.ltm",
               "model Push\n"
               "  extends Rotational.Interfaces.TwoFlanges;\n"
               "equation\n"
               "  tau = min(100*(phi_rel + 0.02), 0);\n"
               "end Push;\n"
               "model Wheels\n"
               "  parameter Units.MomentOfInertia J = 0;\n"
               "  parameter Real least = 0;\n"
               "  Rotational.Inertia a(J = 1), disc(J = J), b(J = 2);\n"
               "  " +
                   shaft + ";\n" + more +
                   "  Rotational.Clutch clutch(fn_max = 4);\n"
                   "  Blocks.FirstOrder lag(T = 0.02);\n"
                   "  Blocks.Pulse pulse(period = 1.5, width = 40);\n"
                   "  Rotational.Fixed ground;\n"
                   "  Rotational.Spring ka(k = 20), kb(k = 30);\n"
                   "  Rotational.Torque drive;\n"
                   "equation\n"
                   "  drive.tau = 5*sin(4*time);\n"
                   "  connect(pulse.y, lag.u);\n"
                   "  clutch.f_normalized = lag.y;\n"
                   "  connect(drive.flange, a.flange_a);\n"
                   "  connect(ground.flange, ka.flange_a);\n"
                   "  connect(ka.flange_b, a.flange_a);\n"
                   "  connect(ground.flange, kb.flange_a);\n"
                   "  connect(kb.flange_b, b.flange_a);\n"
                   "  connect(a.flange_b, shaft.flange_a);\n"
                   "  connect(shaft.flange_b, disc.flange_a);\n" +
                   joins +
                   "  connect(disc.flange_b, clutch.flange_b);\n"
                   "  connect(clutch.flange_a, " +
                   to +
                   ");\n"
                   "end Wheels;\n",
               {{"J", std::to_string(J)}}, "Wheels");
}

/// Both solvers come to the end at all tolerances, and to the same.
void check(Model model) {
  Simulation expected;
  for (const double tolerance : {1e-12, 1e-10, 1e-8, 1e-6}) {
    CAPTURE(tolerance);
    const Simulation taylor = simulate(model, TaylorOptions{0, 8, 0.05, tolerance, false});
    REQUIRE(taylor.report.reason == StopReason::kDone);
    if (expected.time.empty()) expected = taylor;
    const Simulation cvode = simulate(model, CvodeOptions{0, 8, 0.05, tolerance, false});
    REQUIRE(cvode.report.reason == StopReason::kDone);
    for (const char* name : {"a.phi", "b.phi"}) {
      const double end = expected.column(model, name).back();
      CHECK(std::fabs(taylor.column(model, name).back() - end) <= 1e3 * tolerance);
      CHECK(std::fabs(cvode.column(model, name).back() - end) <= 1e5 * tolerance);
    }
  }
}

}  // namespace

TEST_CASE("a clutch that decays, behind a damped shaft") {
  check(wheels("Rotational.Damper shaft(d = 3)"));
}

TEST_CASE("a clutch that decays on a disc between dry friction and a spring") {
  check(wheels("Rotational.CrossFriction shaft(tau0 = 1.4)",
               "  Rotational.Spring spring(k = 65);\n",
               "  connect(disc.flange_b, spring.flange_a);\n"
               "  connect(spring.flange_b, b.flange_b);\n",
               "ground.flange"));
}

TEST_CASE("a brake that decays on a disc between two contacts that push") {
  for (const double J : {0.0, 0.01}) {
    CAPTURE(J);
    const Model model = wheels("Push shaft", "  Push other;\n",
                               "  connect(disc.flange_b, other.flange_a);\n"
                               "  connect(other.flange_b, b.flange_b);\n",
                               "ground.flange", J);
    for (const double tolerance : {1e-12, 1e-10, 1e-8, 1e-6}) {
      CAPTURE(tolerance);
      CHECK(simulate(model, TaylorOptions{0, 4, 0.05, tolerance, false}).report.reason ==
            StopReason::kDone);
      CHECK(simulate(model, CvodeOptions{0, 4, 0.05, tolerance, false}).report.reason ==
            StopReason::kDone);
    }
  }
}

// What is left of the brake is far below the rounding of the forces beside it, and still keeps the
// disc where the stop leaves it: the play operator.
TEST_CASE("a disc in its play stays there with a brake that has decayed to next to nothing") {
  const Model model("play.ltm",
                    "model Play\n"
                    "  Rotational.Position drive;\n"
                    "  Rotational.HardStop stop(half_freeplay = 0.03);\n"
                    "  Rotational.Inertia disc(J = 0);\n"
                    "  Rotational.Brake brake(fn_max = 1);\n"
                    "  Blocks.FirstOrder lag(T = 0.05, y_start = 1);\n"
                    "equation\n"
                    "  drive.phi_ref = 0.2*sin(2*time);\n"
                    "  lag.u = if time < 0.5 then 1 else 0;\n"
                    "  connect(lag.y, brake.f_normalized);\n"
                    "  connect(drive.flange, stop.flange_a);\n"
                    "  connect(stop.flange_b, disc.flange_a);\n"
                    "  connect(disc.flange_b, brake.flange_a);\n"
                    "end Play;\n");
  const auto check_run = [&](const Simulation& run) {
    REQUIRE(run.report.reason == StopReason::kDone);
    const std::vector<double>& phi = run.column(model, "disc.phi");
    double place = 0;
    for (std::size_t i = 0; i < run.time.size(); ++i) {
      const double drive = 0.2 * std::sin(2 * run.time[i]);
      place = std::clamp(place, drive - 0.03, drive + 0.03);
      CHECK(std::fabs(phi[i] - place) < 1e-6);  // turns are between the rows
    }
  };
  for (const double tolerance : {1e-7, 3e-8, 1e-8, 1e-10, 1e-13}) {
    CAPTURE(tolerance);
    check_run(simulate(model, CvodeOptions{0, 8, 0.002, tolerance, false}));
    check_run(simulate(model, TaylorOptions{0, 8, 0.002, tolerance, false}));
  }
}

// The play operator: it is pushed to the greatest angle of the drive and stays there.
TEST_CASE("a disc that hardly anything brakes stays where a contact has pushed it") {
  Model model("pushed.ltm",
              "model Push\n"
              "  extends Rotational.Interfaces.TwoFlanges;\n"
              "equation\n"
              "  tau = min(100*phi_rel, 0);\n"
              "end Push;\n"
              "model Pushed\n"
              "  parameter Real open = 1;\n"
              "  Rotational.Position drive;\n"
              "  Push push;\n"
              "  Rotational.Inertia disc(J = 0);\n"
              "  Rotational.Brake brake(fn_max = 1);\n"
              "equation\n"
              "  drive.phi_ref = 0.2*sin(2*time);\n"
              "  brake.f_normalized = if time < 0.5 then 1 else open;\n"
              "  connect(drive.flange, push.flange_a);\n"
              "  connect(push.flange_b, disc.flange_a);\n"
              "  connect(disc.flange_b, brake.flange_a);\n"
              "end Pushed;\n",
              {}, "Pushed");
  for (const double open : {1e-2, 1e-4, 1e-6, 1e-8, 1e-9, 1e-10, 1e-12}) {
    CAPTURE(open);
    model.set({{"open", open}});
    const Simulation run = simulate(model, TaylorOptions{0, 1, 0.05, 1e-10, false});
    REQUIRE(run.report.reason == StopReason::kDone);
    // The push is as long as the brake needs it to be: 0.5 open / 100.
    CHECK(std::fabs(run.column(model, "disc.phi").back() - 0.2) <= 0.006 * open + 1e-12);
  }
}

}  // namespace luztar::test
