// Where massless points are between springs (kernel B): at the start, and after many edges.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {

// At each edge of its play the point is off by rounding: what that is of the force of the stiff
// spring is none to begin the next mode with. It would be multiplied by the ratio of the
// stiffnesses where the point leaves that edge.
TEST_CASE("a point that goes through hundreds of edges stays in balance to rounding") {
  const Model model("edges", R"(
model Edges
  Rotational.Position far, shaken;
  Rotational.FreeplaySpring weak(k = 50, half_freeplay = 0.02);
  Rotational.GearPair stiff(ratio = 1, k = 2000, half_freeplay = 0.02);
  Rotational.Inertia point(J = 0);
  Rotational.Torque load;
equation
  far.phi_ref = 10*sin(time) + 0.1*sin(17*time);
  shaken.phi_ref = 10*sin(time) + 0.1*sin(40*time);
  load.tau = 8*sin(3*time);
  connect(load.flange, point.flange_a);
  connect(far.flange, weak.flange_a);
  connect(weak.flange_b, point.flange_a);
  connect(shaken.flange, stiff.flange_b);
  connect(stiff.flange_a, point.flange_a);
end Edges;
)");
  const Simulation run = simulate(model, TaylorOptions{0, 10, 0.01, 1e-12, true});
  REQUIRE(run.report.reason == StopReason::kDone);
  CHECK(run.report.events > 200);
  double worst = 0;
  for (std::size_t i = 0; i < run.time.size(); ++i) {
    double sum = 0;
    for (const char* name : {"load.flange.tau", "weak.flange_b.tau", "stiff.flange_a.tau"}) {
      sum += run.column(model, name)[i];
    }
    worst = std::max(worst, std::fabs(sum));
  }
  CHECK(worst < 2e-11);  // of 2000 N.m/rad x 10 rad; 1e-10 where that is inherited
}

// The pull of the spring, 1.8, is more than the seal can hold. The bearing holds what the damper
// passes on of it, 1.8 - 0.5 and falling. The body of the bearing is the point of one order of
// declaration, that of the seal of the other: the damper has to know of the spring from the first.
TEST_CASE("a spring strained at the start pulls a damped massless body away from one that holds") {
  for (const std::string order : {"held(J = 0), pulled(J = 0)", "pulled(J = 0), held(J = 0)"}) {
    const Model model("pulled", R"(
model Pulled
  Rotational.Inertia )" + order +
                                    R"(;
  Rotational.BearingFriction bearing(tau0 = 0.5, tau0_static = 1.5);
  Rotational.SpringDamper felt(k = 100, d = 0.2);
  Rotational.BearingFriction seal(tau0 = 0.5, tau0_static = 0.54);
  Rotational.FreeplaySpring spring(k = 80, half_freeplay = 0.01);
  Rotational.Fixed ahead(phi0 = 0.0325);
equation
  connect(held.flange_b, bearing.flange_a);
  connect(felt.flange_a, held.flange_b);
  connect(felt.flange_b, pulled.flange_a);
  connect(pulled.flange_b, seal.flange_a);
  connect(pulled.flange_b, spring.flange_a);
  connect(spring.flange_b, ahead.flange);
end Pulled;
)");
    INFO(order);
    const Simulation run = simulate(model, TaylorOptions{0, 0.01, 0.001, 1e-13, false});
    REQUIRE(run.report.reason == StopReason::kDone);
    const std::vector<double>&held = run.column(model, "held.phi"),
          &pulled = run.column(model, "pulled.phi");
    for (std::size_t i = 0; i < run.time.size(); ++i) {
      CHECK(std::fabs(held[i]) < 1e-15);
      CHECK(std::fabs(pulled[i] - (1.8 - 0.5) / 180 * (1 - std::exp(-180 / 0.2 * run.time[i]))) <
            1e-14);
    }
  }
}

// The way that the limiter has slipped is a state as the filter's is, whose rate has no name.
TEST_CASE("a filter beside a massless body between a driven friction and a spring") {
  const Model model("filtered", R"(
model Filtered
  Rotational.Speed motor;
  Rotational.CrossFriction limiter(tau0 = 40);
  Rotational.Inertia node(J = 0);
  Rotational.Spring spring(k = 900);
  Rotational.Fixed wall;
  Blocks.FirstOrder filter(T = 0.1);
equation
  motor.w_ref = 1;
  filter.u = abs(limiter.tau);
  connect(motor.flange, limiter.flange_a);
  connect(limiter.flange_b, node.flange_a);
  connect(node.flange_b, spring.flange_a);
  connect(spring.flange_b, wall.flange);
end Filtered;
)");
  const Simulation run = simulate(model, TaylorOptions{0, 2, 0.01, 1e-13, false});
  REQUIRE(run.report.reason == StopReason::kDone);
  const double slips = 40.0 / 900, lag = 0.1;
  const auto rising = [&](double t) { return 900 * (t - lag + lag * std::exp(-t / lag)); };
  const std::vector<double>& y = run.column(model, "filter.y");
  for (std::size_t i = 0; i < run.time.size(); ++i) {
    const double t = run.time[i];
    const double expected =
        t < slips ? rising(t) : 40 + (rising(slips) - 40) * std::exp((slips - t) / lag);
    CHECK(std::fabs(y[i] - expected) < 1e-11);
  }
}

}  // namespace luztar::test
