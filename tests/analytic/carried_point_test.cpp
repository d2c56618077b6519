// Massless bodies that nothing but an edge of freeplay moves: it takes them along, and leaves them
// where it turns back. Against closed forms, and against a little friction.
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

/// A play operator: the position at t of what starts at zero and is kept within +-half of 0.1 sin
/// t.
double within_play(double half, double t) {
  const double amplitude = 0.1, end = amplitude - half;
  const double motor = amplitude * std::sin(t);
  if (t < kPi / 2) return std::max(motor - half, 0.0);
  if (t < 1.5 * kPi) return std::min(motor + half, end);
  return std::max(motor - half, -end);
}

}  // namespace

TEST_CASE("an edge of freeplay takes massless wheels along in one direction alone") {
  for (const std::string stiffness : {"60", "inf"}) {
    CAPTURE(stiffness);
    const Model model("wheels.ltm", R"(
model Wheels
  Rotational.Position motor;
  Rotational.FreeplaySpring mesh1(k = )" +
                                        stiffness + R"(, half_freeplay = 0.02);
  Rotational.FreeplaySpring mesh2(k = )" +
                                        stiffness + R"(, half_freeplay = 0.03);
  Rotational.Inertia rotor(J = 1), wheel1(J = 0), wheel2(J = 0);
  Rotational.Brake brake1(mu_pos = 1, fn_max = 1), brake2(mu_pos = 1, fn_max = 1);
equation
  brake1.f_normalized = if time < 8 then 0 else 1;
  brake2.f_normalized = if time < 8 then 0 else 1;
  motor.phi_ref = 0.1*sin(time);
  connect(motor.flange, rotor.flange_a);
  connect(rotor.flange_b, mesh1.flange_a);
  connect(mesh1.flange_b, wheel1.flange_a);
  connect(wheel1.flange_b, mesh2.flange_a);
  connect(mesh2.flange_b, wheel2.flange_a);
  connect(wheel1.flange_b, brake1.flange_a);
  connect(wheel2.flange_b, brake2.flange_a);
end Wheels;
)");
    check_column_between(model, 7.5, "wheel1.phi", {},
                         [](double t) { return within_play(0.02, t); });
    check_column_between(model, 7.5, "wheel2.phi", {},
                         [](double t) { return within_play(0.05, t); });
  }
}

// The gear wheel has as good as no friction on its bearing, and none, while its clutch is open.
TEST_CASE("an open clutch leaves a massless gear wheel in its backlash") {
  for (const std::string stiffness : {"60", "inf"}) {
    CAPTURE(stiffness);
    const auto load_of = [&](const std::string& friction) {
      const Model model("clutch.ltm", R"(
model Clutch
  Rotational.Position motor;
  Rotational.FreeplaySpring mesh(k = )" + stiffness +
                                          R"(, half_freeplay = 0.02);
  Rotational.Inertia wheel(J = 0), load(J = 1);
  Rotational.BearingFriction bearing(tau0 = )" +
                                          friction + R"();
  Rotational.Clutch clutch(mu_pos = 1, fn_max = 1);
equation
  motor.phi_ref = 0.1*sin(2*time);
  clutch.f_normalized = if time < 0.5 then 1 elseif time < 1.2 then 0 else 1;
  connect(motor.flange, mesh.flange_a);
  connect(mesh.flange_b, wheel.flange_a);
  connect(wheel.flange_b, bearing.flange_a);
  connect(wheel.flange_b, clutch.flange_a);
  connect(clutch.flange_b, load.flange_a);
end Clutch;
)");
      const Simulation run = simulate(model, TaylorOptions{0, 1.5, 0.1, 1e-11, false});
      REQUIRE(run.report.reason == StopReason::kDone);
      return run.column(model, "load.phi");
    };
    const std::vector<double> none = load_of("0"), little = load_of("1e-9");
    REQUIRE(none.size() == little.size());
    for (std::size_t i = 0; i < none.size(); ++i) CHECK(std::fabs(none[i] - little[i]) < 1e-8);
  }
}

// The load of 0.227 N.m breaks n0 away: it crosses the play of 0.05, to where the stop and the
// spring begin together, and waits for what both bearings hold.
TEST_CASE("a point that breaks away goes with its load, to where a stop and a spring begin") {
  for (const double side : {1.0, -1.0}) {
    for (const std::string other : {"0.08", "0.05", "0.1"}) {
      CAPTURE(side);
      CAPTURE(other);
      const Model model("edges.ltm", R"(
model Edges
  Rotational.Inertia n0(J = 0), n1(J = 0);
  Rotational.Torque drive;
  Rotational.HardStop stop(half_freeplay = 0.05);
  Rotational.FreeplaySpring play(k = 10, half_freeplay = 0.05);
  Rotational.FreeplaySpring play2(k = 12.5, half_freeplay = )" +
                                         other + R"();
  Rotational.BearingFriction b0(tau0 = 0.227), b1(tau0 = 0.175);
  Rotational.Fixed ground;
equation
  drive.tau = )" + std::to_string(side) +
                                         R"(*8*time;
  connect(n0.flange_a, drive.flange);
  connect(n0.flange_a, stop.flange_a);
  connect(stop.flange_b, n1.flange_a);
  connect(n0.flange_a, play.flange_a);
  connect(play.flange_b, ground.flange);
  connect(n0.flange_a, b0.flange_a);
  connect(n1.flange_a, b1.flange_a);
  connect(n0.flange_a, play2.flange_a);
  connect(play2.flange_b, ground.flange);
end Edges;
)");
      const double breaks = 0.227 / 8, goes = 0.402 / 8, begins = std::stod(other);
      check_column_between(model, 0.1, "n0.phi", {breaks}, [=](double t) {
        if (t < breaks) return 0.0;
        const double load = 8 * t - 0.402, soft = 10 * (begins - 0.05);
        const double way = load < soft ? load / 10 : begins - 0.05 + (load - soft) / 22.5;
        return side * (0.05 + (t < goes ? 0 : way));
      });
      check_column_between(model, 0.05, "n1.phi", {}, [](double) { return 0.0; });
    }
  }
}

// Their edges are one, and which of the two carries makes no difference, with the brake and
// without: the play operator. The stop bears all that the brake takes.
TEST_CASE("a stop beside a spring with the same freeplay carries a massless disc") {
  const std::string stop = "  Rotational.HardStop stop(half_freeplay = 0.03);\n";
  const std::string spring = "  Rotational.FreeplaySpring spring(k = 200, half_freeplay = 0.03);\n";
  for (const double open : {0.0, 0.2, 5.0}) {
    for (const bool stop_first : {true, false}) {
      CAPTURE(open);
      CAPTURE(stop_first);
      const Model model("tie.ltm",
                        "model Tie\n"
                        "  Rotational.Position drive;\n"
                        "  Rotational.Inertia disc(J = 0);\n"
                        "  Rotational.Brake brake(fn_max = 2);\n" +
                            (stop_first ? stop + spring : spring + stop) +
                            "equation\n"
                            "  drive.phi_ref = 0.1*sin(time);\n"
                            "  brake.f_normalized = if time < " +
                            std::to_string(open) +
                            " then 1 else 0;\n"
                            "  connect(drive.flange, stop.flange_a);\n"
                            "  connect(stop.flange_b, disc.flange_a);\n"
                            "  connect(drive.flange, spring.flange_a);\n"
                            "  connect(spring.flange_b, disc.flange_a);\n"
                            "  connect(disc.flange_b, brake.flange_a);\n"
                            "end Tie;\n");
      const auto check_run = [&](const Simulation& run) {
        REQUIRE(run.report.reason == StopReason::kDone);
        const std::vector<double>& phi = run.column(model, "disc.phi");
        const std::vector<double>& tau = run.column(model, "stop.tau");
        for (std::size_t i = 0; i < run.time.size(); ++i) {
          const double t = run.time[i];
          CHECK(std::fabs(phi[i] - within_play(0.03, t)) < 1e-9);
          const bool slides = std::fabs(t - 1) < 0.5 || std::fabs(t - 3.5) < 0.5;
          if (slides && open == 5) CHECK(std::fabs(std::fabs(tau[i]) - 1) < 1e-9);
        }
      };
      check_run(simulate(model, TaylorOptions{0, 6, 0.05, 1e-10, false}));
      check_run(simulate(model, CvodeOptions{0, 6, 0.05, 1e-10, false}));
    }
  }
}

}  // namespace luztar::test
