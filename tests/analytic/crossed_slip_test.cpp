// Slips of massless bodies that a load takes from one side to the other: they go through zero, and
// stay there where the friction holds with T_S.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

/// A disc between a damper and two belts, with a follower: the load lifts it off the slow belt.
Model disc(const std::string& masses, const std::string& fast) {
  return Model("crossed", R"(
model Crossed
  Translational.Mass )" + masses +
                              R"(;
  Translational.Damper damper(d = 1);
  Translational.Fixed ground;
  Translational.Speed fast(v_ref = )" +
                              fast + R"();
  Translational.CrossFriction upper(f0 = 1, f0_static = 1.6);
  Translational.Speed slow(v_ref = 0.5);
  Translational.CrossFriction lower(f0 = 0.5, f0_static = 0.65);
  Translational.CrossFriction beside(f0 = 0.1, d = 0.3);
  Translational.Force load;
equation
  load.f = if time < 0.5 then -0.5 else 2.9;
  connect(load.flange, disc.flange_a);
  connect(disc.flange_b, damper.flange_a);
  connect(damper.flange_b, ground.flange);
  connect(fast.flange, upper.flange_a);
  connect(upper.flange_b, disc.flange_a);
  connect(slow.flange, lower.flange_a);
  connect(lower.flange_b, disc.flange_a);
  connect(disc.flange_b, beside.flange_a);
  connect(beside.flange_b, follower.flange_a);
end Crossed;
)");
}

double last_speed(const Model& model) {
  const Simulation run = simulate(model, TaylorOptions{0, 1, 0.25, 1e-10, false});
  REQUIRE(run.report.reason == StopReason::kDone);
  return run.column(model, "disc.v").back();
}

}  // namespace

TEST_CASE("a disc that a load takes up to a belt stays with it, whatever hangs on it") {
  // 2.9 - 1 - 0.5 = 1.4 < 1.6 on the belt; beyond it, it would go at 2.9 - 1 - 0.5 = 1.4 m/s.
  for (const std::string masses :
       {"disc(m = 0), follower(m = 0)", "disc(m = 1e-6), follower(m = 1e-6)",
        "disc(m = 0), follower(m = 1e-4)", "disc(m = 1e-4), follower(m = 0)"}) {
    CAPTURE(masses);
    CHECK(last_speed(disc(masses, "1")) == doctest::Approx(1).epsilon(1e-9));
    // 2.9 - 0.7 - 0.5 = 1.7 > 1.6: it goes on, to 1.4 m/s.
    CHECK(last_speed(disc(masses, "0.7")) == doctest::Approx(1.4).epsilon(1e-9));
  }
}

TEST_CASE("a belt that jumps takes its slip past zero without a hold") {
  // The belt jumps from 1 to 0 m/s: a light disc keeps its speed of 0.6 m/s, and slides down to
  // where 0.6 - 1 < 0 lets it come to rest on the belt.
  for (const std::string masses :
       {"disc(m = 0), follower(m = 0)", "disc(m = 1e-6), follower(m = 1e-6)"}) {
    CAPTURE(masses);
    const double speed = last_speed(disc(masses, "if time < 0.75 then 3 else -1"));
    CHECK(speed == doctest::Approx(1.4).epsilon(1e-9));
  }
}

}  // namespace luztar::test
