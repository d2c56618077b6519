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

// The belt could hold the disc with 1.776 N, which is less than the 2.3 N of the damper: it slides
// at once, and 0.888 N come to the block, which 1.282 N hold. What comes to it before it slides is
// for no time.
TEST_CASE("a disc that slides at once does not break away what it is damped to") {
  for (const std::string mass : {"0", "1e-5"}) {
    CAPTURE(mass);
    const Model model("drawn", R"(
model Drawn
  Translational.Mass sledge(m = 1.7);
  Translational.Mass disc(m = )" + mass +
                                   R"();
  Translational.Speed belt(v_ref = 0.92);
  Translational.SupportFriction ground(f0 = 0.855, f0_static = 1.282);
  Translational.Damper damper(d = 2.5);
  Translational.CrossFriction on_belt(f0 = 0.888, f0_static = 1.776);
equation
  connect(sledge.flange_a, ground.flange_a);
  connect(disc.flange_a, damper.flange_a);
  connect(damper.flange_b, sledge.flange_a);
  connect(disc.flange_a, on_belt.flange_a);
  connect(on_belt.flange_b, belt.flange);
end Drawn;
)");
    const Simulation run = simulate(model, TaylorOptions{0, 1, 0.1, 1e-11, false});
    REQUIRE(run.report.reason == StopReason::kDone);
    CHECK(run.column(model, "sledge.v").back() == 0);
    CHECK(run.column(model, "disc.v").back() == doctest::Approx(0.888 / 2.5).epsilon(1e-9));
  }
}

// Two discs that rub on each other, held to a belt with 0.15 N; it jumps to 0.7 m/s, where 1.05 N
// would hold them. They keep their speed, and 0.5 N take them to 1/3 m/s.
TEST_CASE("what a belt holds slides as the belt jumps, and holds with no more than that") {
  for (const std::string mass : {"0", "1e-5"}) {
    CAPTURE(mass);
    const Model model("belt", R"(
model Belt
  Translational.Mass first(m = )" +
                                  mass + R"(), second(m = )" + mass + R"();
  Translational.Speed belt;
  Translational.SupportFriction one(f0 = 0, d = 1), other(f0 = 0, d = 0.5);
  Translational.CrossFriction held(f0 = 0.5, f0_static = 1.5);
  Translational.CrossFriction between(f0 = 1);
equation
  belt.v_ref = if time < 1 then 0.1*min(1, 5*time) else 0.7;
  connect(first.flange_a, one.flange_a);
  connect(second.flange_a, other.flange_a);
  connect(first.flange_a, held.flange_a);
  connect(held.flange_b, belt.flange);
  connect(first.flange_a, between.flange_a);
  connect(between.flange_b, second.flange_a);
end Belt;
)");
    const Simulation run = simulate(model, TaylorOptions{0, 2, 0.25, 1e-10, false});
    REQUIRE(run.report.reason == StopReason::kDone);
    CHECK(run.column(model, "first.v").back() == doctest::Approx(1.0 / 3).epsilon(1e-9));
    CHECK(run.column(model, "second.v").back() == doctest::Approx(1.0 / 3).epsilon(1e-9));
  }
}

}  // namespace luztar::test
