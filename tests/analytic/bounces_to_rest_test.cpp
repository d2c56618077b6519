// Bodies that are pressed onto hard stops, and bounce there until they rest: what holds them then.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/support/column_check.h"
#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {

// Pressed onto its stop it comes to rest there at the top of a rebound: what carries 5 N then are
// the stop and dry friction at rest, by the forces of least norm up to its 2 N.
TEST_CASE("dry friction holds what has bounced to rest, as where the stop takes all at once") {
  for (const char* e : {"0", "0.6"}) {
    CAPTURE(e);
    const Model model("pressed", R"(
model Pressed
  parameter Real e = 0.6;
  Translational.Mass body(m = 1, v(start = 1, fixed = true));
  Translational.HardStop stop(half_freeplay = 0.1, e = e);
  Translational.SupportFriction f(f0 = 0.3, f0_static = 2);
  Translational.Force load;
  Translational.Fixed wall;
equation
  load.f = 5;
  connect(wall.flange, stop.flange_a);
  connect(stop.flange_b, body.flange_a);
  connect(body.flange_b, f.flange_a);
  connect(load.flange, body.flange_b);
end Pressed;
)",
                      {{"e", e}});
    const Simulation run = simulate(model, TaylorOptions{0, 1, 0.5, 1e-10, false});
    REQUIRE(run.report.reason == StopReason::kDone);
    CHECK(run.column(model, "body.v").back() == 0);
    CHECK(run.column(model, "f.mode").back() == 0);
    CHECK(run.column(model, "f.indeterminate").back() == 1);
    CHECK(run.column(model, "f.f").back() == doctest::Approx(2).epsilon(1e-12));
    CHECK(run.column(model, "stop.f").back() == doctest::Approx(3).epsilon(1e-12));
  }
}

// The same on a frame that drives it: whatever the last bounce has come to, its height is rounding.
TEST_CASE("dry friction holds what has bounced to rest on a moving frame") {
  for (const char* e : {"0", "0.1", "0.2", "0.25", "0.3", "0.35", "0.4", "0.45", "0.5", "0.8"}) {
    CAPTURE(e);
    const Model model("frame", R"(
model Frame
  parameter Real e = 0.3;
  Translational.Mass body(m = 1);
  Translational.CrossFriction guide(f0 = 2, f0_static = 3);
  Translational.HardStop stop(half_freeplay = 0.1, e = e);
  Translational.Accelerate frame;
equation
  frame.a_ref = 20 + 5*sin(time);
  connect(frame.flange, guide.flange_a);
  connect(guide.flange_b, body.flange_a);
  connect(frame.flange, stop.flange_a);
  connect(stop.flange_b, body.flange_b);
end Frame;
)",
                      {{"e", e}});
    for (const double tolerance : {1e-6, 1e-10}) {
      CAPTURE(tolerance);
      const Simulation run = simulate(model, TaylorOptions{0, 3, 1, tolerance, false});
      REQUIRE(run.report.reason == StopReason::kDone);
      CHECK(run.column(model, "guide.mode").back() == 0);
      CHECK(run.column(model, "guide.indeterminate").back() == 1);
      CHECK(run.column(model, "guide.f").back() == doctest::Approx(-3).epsilon(1e-12));
      const double left = 20 + 5 * std::sin(3.0) - 3;
      CHECK(run.column(model, "stop.f").back() == doctest::Approx(-left).epsilon(1e-12));
    }
  }
}

// A massless slider between it and the ground: whatever it slid by at the last rebound, both of its
// frictions hold with T_S from then on, 1.3 N and 0.9 N against what a spring pulls with.
TEST_CASE("what bounces to rest holds a massless slider with static friction") {
  const Model model("held", R"(
model Held
  Translational.Mass body(m = 1, v(start = 1, fixed = true));
  Translational.HardStop stop(half_freeplay = 0.1, e = 0.2);
  Translational.SupportFriction rail(f0 = 0.5);
  Translational.Force load(f = 5);
  Translational.Mass slider(m = 0);
  Translational.CrossFriction above(f0 = 1, f0_static = 1.3);
  Translational.SupportFriction below(f0 = 0.6, f0_static = 0.9);
  Translational.Spring soft(k = 4);
  Translational.Speed drive(v_ref = -0.1);
  Translational.Fixed wall;
equation
  connect(wall.flange, stop.flange_a);
  connect(stop.flange_b, body.flange_a);
  connect(body.flange_b, rail.flange_a);
  connect(load.flange, body.flange_b);
  connect(body.flange_b, above.flange_a);
  connect(above.flange_b, slider.flange_a);
  connect(slider.flange_b, below.flange_a);
  connect(slider.flange_b, soft.flange_a);
  connect(soft.flange_b, drive.flange);
end Held;
)");
  const auto breaks_away = [&](const Simulation& run) {
    REQUIRE(run.report.reason == StopReason::kDone);
    const std::vector<double>&v = run.column(model, "slider.v"),
          &pull = run.column(model, "soft.f");
    std::size_t at = 1;
    while (at < v.size() && (run.time[at] < 1 || v[at] == 0)) ++at;
    REQUIRE(at < v.size());
    CHECK(pull[at - 1] == doctest::Approx(-2.2).epsilon(1e-9));
  };
  for (const double tolerance : {1e-6, 1e-8, 1e-10}) {
    CAPTURE(tolerance);
    breaks_away(simulate(model, TaylorOptions{0, 6, 0.5, tolerance, true}));
    breaks_away(simulate(model, CvodeOptions{0, 6, 0.5, tolerance, true}));
  }
}

// Between two bodies that come to rest on their stops in one instant: its slip is that of the
// second one, and nothing else. Of 4 N it takes its 1 N, the stop beside it the rest.
TEST_CASE("dry friction holds two bodies that come to rest on stops in series") {
  const Model model("series", R"(
model Series
  Translational.Fixed g;
  Translational.Mass b0(m = 0.5), b1(m = 2);
  Translational.HardStop c0(half_freeplay = 0.1, e = 0.3), c1(half_freeplay = 0.05, e = 0.3);
  Translational.CrossFriction f(f0 = 1);
  Translational.Force push;
equation
  push.f = -4;
  connect(g.flange, c0.flange_a);
  connect(c0.flange_b, b0.flange_a);
  connect(b0.flange_b, c1.flange_a);
  connect(c1.flange_b, b1.flange_a);
  connect(b0.flange_b, f.flange_a);
  connect(f.flange_b, b1.flange_a);
  connect(push.flange, b1.flange_b);
end Series;
)");
  for (const double tolerance : {1e-6, 1e-10}) {
    const Simulation run = simulate(model, TaylorOptions{0, 1, 0.5, tolerance, false});
    REQUIRE(run.report.reason == StopReason::kDone);
    CHECK(std::fabs(run.column(model, "b1.v").back()) < 1e-25);
    CHECK(run.column(model, "f.mode").back() == 0);
    CHECK(run.column(model, "f.indeterminate").back() == 1);
    CHECK(run.column(model, "f.f").back() == doctest::Approx(-1).epsilon(1e-12));
    CHECK(run.column(model, "c1.f").back() == doctest::Approx(-3).epsilon(1e-12));
    CHECK(run.column(model, "c0.f").back() == doctest::Approx(-4).epsilon(1e-12));
  }
}

// A torque presses a wheel onto an elastic stop of another one, which dry friction and a stop that
// takes half drag along with a third: each bounce takes a share of the next. When these two have
// come to rest on each other nothing takes what is left at the elastic stop.
TEST_CASE("an elastic stop rests where others have taken what it bounced with") {
  const Model model("chain", R"(
model Chain
  Rotational.HardStop s0(half_freeplay = 0.05, e = 1);
  Rotational.Inertia b0(J = 0.5);
  Rotational.Inertia b2(J = 0.2);
  Rotational.HardStop s2(half_freeplay = 0.05, e = 0.5);
  Rotational.Torque t;
  Rotational.Inertia b1(J = 0.2);
  Rotational.CrossFriction f0(tau0 = 1);
equation
  t.tau = 6*sin(2*time);
  connect(s0.flange_b, b0.flange_a);
  connect(f0.flange_b, b2.flange_a);
  connect(t.flange, b1.flange_b);
  connect(s0.flange_a, b1.flange_b);
  connect(f0.flange_a, b0.flange_b);
  connect(s2.flange_a, b2.flange_b);
  connect(s2.flange_b, b0.flange_a);
end Chain;
)");
  const Simulation run = audited_run(model, 2, 0.1);
  CHECK(run.report.events < 300);
  CHECK(run.report.events > 150);
  const Simulation coarse = simulate(model, TaylorOptions{0, 2, 0.1, 1e-6, false});
  REQUIRE(coarse.report.reason == StopReason::kDone);
  const Simulation cvode = simulate(model, CvodeOptions{0, 2, 0.1, 1e-11, false});
  REQUIRE(cvode.report.reason == StopReason::kDone);
  for (const char* name : {"b0.phi", "b1.phi", "b2.phi"}) {
    const double end = run.column(model, name).back();
    CHECK(std::fabs(coarse.column(model, name).back() - end) < 1e-9);
    CHECK(std::fabs(cvode.column(model, name).back() - end) < 1e-6);
  }
}

// Its weight draws the light body from the heavy one after each of their impacts, which are
// plastic, so that it is on the ground first; the heavy one loses the share 1.6 m/(M + m) each
// time, and never goes up again (by events with 3000 digits, whose gaps are 1e-17 m and less from
// the seventh impact on: one instant for any computer).
TEST_CASE("a light body between the ground and a heavy one takes all of its speed in turn") {
  const Model model("anvil.ltm", R"(
model Anvil
  Translational.Fixed ground;
  Translational.HardStop soil(half_freeplay = 0.3, e = 0.6);
  Translational.Mass light(m = 0.1);
  Translational.Force weight(f = -0.981);
  Translational.HardStop between(half_freeplay = 0.2, e = 0);
  Translational.Mass heavy(m = 2, v(start = -2));
equation
  connect(ground.flange, soil.flange_a);
  connect(soil.flange_b, light.flange_a);
  connect(weight.flange, light.flange_a);
  connect(light.flange_b, between.flange_a);
  connect(between.flange_b, heavy.flange_a);
end Anvil;
)");
  for (const Simulation& run : {simulate(model, TaylorOptions{0, 0.3, 0.01, 1e-11, true}),
                                simulate(model, CvodeOptions{0, 0.3, 0.01, 1e-9, true})}) {
    REQUIRE(run.report.reason == StopReason::kDone);
    const std::vector<double>& v = run.column(model, "heavy.v");
    CHECK(*std::max_element(v.begin(), v.end()) < 1e-12);
    CHECK(std::fabs(v.back()) < 1e-12);
    CHECK(std::fabs(run.column(model, "heavy.s").back() + 0.5) < 1e-8);
    CHECK(std::fabs(run.column(model, "light.v").back()) < 1e-12);
  }
}

// The light body rebounds from the heavy one, and goes backwards, until the bounces are over: then
// both go on together, against its friction in that direction. As by J = 0.
TEST_CASE("a light body whose bounces end slides on with what it has reached") {
  const auto ends = [](const char* inertia, const char* e) {
    const Model model("pusher.ltm", std::string(R"(
model Pusher
  Rotational.Inertia light(J = )") + inertia +
                                        R"();
  Rotational.Inertia heavy(J = 1);
  Rotational.HardStop stop(half_freeplay = 0.064, e = )" +
                                        e + R"();
  Rotational.Fixed ground;
  Rotational.Damper damper(d = 2.441);
  Rotational.BearingFriction seal(tau0 = 0.2, tau0_static = 1.085);
  Rotational.BearingFriction bearing(tau0 = 0.49);
  Rotational.Torque load(tau = 1.49);
equation
  connect(load.flange, light.flange_a);
  connect(ground.flange, damper.flange_a);
  connect(damper.flange_b, light.flange_a);
  connect(light.flange_a, seal.flange_a);
  connect(light.flange_b, stop.flange_a);
  connect(stop.flange_b, heavy.flange_a);
  connect(heavy.flange_b, bearing.flange_a);
end Pusher;
)");
    const Simulation run = simulate(model, TaylorOptions{0, 1, 0.5, 1e-9, false});
    REQUIRE(run.report.reason == StopReason::kDone);
    return run.column(model, "heavy.phi").back();
  };
  const double limit = ends("0", "0");
  CHECK(limit == doctest::Approx(0.1695).epsilon(1e-3));
  for (const char* e : {"0", "0.5", "0.9", "1"}) {
    CAPTURE(e);
    CHECK(ends("1e-5", e) == doctest::Approx(limit).epsilon(1e-4));
  }
}

}  // namespace luztar::test
