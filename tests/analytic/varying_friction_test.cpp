// Parts whose friction depends on speed, or that ride on a belt: their laws, and motions in closed
// form.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/support/closed_form.h"
#include "tests/support/exact_run.h"
#include "tests/support/probe.h"

namespace luztar::test {

TEST_CASE("StribeckFriction has the characteristic of P3, smooth ones are exponential") {
  Model model("stribeck", R"(
model Stribeck
  Rotational.Inertia shaft(J = 0.5);
  Rotational.StribeckFriction bearing(d = 0.3, d_fall = 0.4, w0 = 0.7, tau0 = 1.1);
  Translational.Mass slide(m = 2);
  Translational.StribeckFriction guide(d = 0.2, d_fall = 5, v0 = 0.5, f0 = 3);
  Rotational.Inertia smooth_shaft(J = 0.5);
  Rotational.SmoothStribeckFriction smooth_bearing(d = 0.3, w_s = 0.6, tau0 = 1.1, tau0_static = 2);
  Translational.Mass smooth_slide(m = 2);
  Translational.SmoothStribeckFriction smooth_guide(d = 2, v_s = 0.1, f0 = 3, f0_static = 4);
equation
  connect(shaft.flange_b, bearing.flange_a);
  connect(slide.flange_b, guide.flange_a);
  connect(smooth_shaft.flange_b, smooth_bearing.flange_a);
  connect(smooth_slide.flange_b, smooth_guide.flange_a);
end Stribeck;
)");
  const auto sign = [](double x) { return x > 0 ? 1.0 : -1.0; };
  // P3 with V0, F0, C, dC: C tar(V, (F0 + dF)/C) + (2C + dC)(luz(V, V0) - V), dF = (2C + dC) V0.
  const auto p3 = [&](double V, double V0, double F0, double C, double dC) {
    const double slope = 2 * C + dC, dF = slope * V0;
    return Tracked(C * V) + Tracked((F0 + dF) * sign(V)) +
           Tracked(slope) * (luz(V, V0) - Tracked(V));
  };
  const auto smooth = [&](double V, double Vs, double F0, double FS, double C) {
    return Tracked(C * V) + Tracked(sign(V) * (F0 + (FS - F0) * std::exp(-std::fabs(V) / Vs)));
  };
  for (const double w : {-3.0, -0.71, -0.5, -1e-3, 1e-6, 0.3, 0.69, 0.8, 5.0}) {
    CAPTURE(w);
    Probe probe(model);
    probe[{"shaft.w", "bearing.w"}] = w;
    probe[{"slide.v", "guide.v"}] = w;
    probe[{"smooth_shaft.w", "smooth_bearing.w"}] = w;
    probe[{"smooth_slide.v", "smooth_guide.v"}] = w;
    probe.modes_from_slips();
    probe.evaluate(0);
    probe.check_output("bearing.tau", p3(w, 0.7, 1.1, 0.3, 0.4));
    probe.check_output("guide.f", p3(w, 0.5, 3, 0.2, 5));
    probe.check_output("smooth_bearing.tau", smooth(w, 0.6, 1.1, 2, 0.3));
    probe.check_output("smooth_guide.f", smooth(w, 0.1, 3, 4, 2));
    probe.check_derivative({"shaft.w", "bearing.w"}, -p3(w, 0.7, 1.1, 0.3, 0.4) / Tracked(0.5));
  }
}

TEST_CASE("StribeckFriction: breakaway and slip on a falling characteristic") {
  // A growing force F = r t breaks away at T_S/r; in the Stribeck range m v' = r t - T_S + c v, so
  // with tau = t - T_S/r: v = r/c (m/c (exp(c tau/m) - 1) - tau).
  const Model model("stribeck_ramp", R"(
block Line
  output Real y;
equation
  y = 2*time;
end Line;
model StribeckRamp
  Translational.Mass body(m = 2);
  Translational.StribeckFriction ground(d = 0.5, d_fall = 1, v0 = 0.4, f0 = 3);
  Translational.Force push;
  Line signal;
equation
  connect(signal.y, push.f);
  connect(push.flange, body.flange_a);
  connect(body.flange_b, ground.flange_a);
end StribeckRamp;
)");
  const double m = 2, r = 2, c = 1.5, held = 3 + 2 * 0.4, d = 0.5;
  const double leaves = held / r;
  const auto speed = [&](auto tau) { return r / c * (m / c * std::expm1(c * tau / m) - tau); };
  const double beyond = zero_between(0, 3, [&](auto tau) { return 0.4 - speed(tau); });
  const Simulation run = exact_run(model, 5, 0.01);
  const std::vector<std::size_t> events = event_rows(run);
  REQUIRE(events.size() == 2);
  check_near(run.time[events[0]], leaves);
  check_near(run.time[events[1]], leaves + beyond);
  check_column(run, model, "body.v", [&](double t) {
    const double tau = t - leaves;
    if (tau <= 0) return 0.0;
    if (tau <= beyond) return speed(tau);
    // m v' = r t - F0 - d v: the particular solution a + r/d t.
    const auto forced = [&](double x) { return r / d * (x - m / d) - 3 / d; };
    return forced(t) + (0.4 - forced(leaves + beyond)) * std::exp(-d / m * (tau - beyond));
  });
}

TEST_CASE("friction that differs by direction: comparisons follow the slip, exactly 0 at rest") {
  // A cart under a growing force; a block on it. The cart leaves the ground at T/r, the block slips
  // when it would need more than 2 N.
  const Model model("direction", R"(
block Line
  output Real y;
equation
  y = 4*time;
end Line;
model Pad "Holds 2 N; 1.5 N one way, 0.7 N the other"
  extends Translational.Interfaces.TwoFlanges;
  Real forward, not_back, greater;
equation
  f = dryfriction(v_rel, if v_rel > 0 then 1.5 else 0.7, 2);
  forward = if v_rel > 0 then 1 else 0;
  not_back = if v_rel >= 0 then 1 else 0;
  greater = max(0, v_rel);
end Pad;
model Direction
  Translational.Mass cart(m = 0.7), block1(m = 0.3);
  Pad up, down;
  Translational.Mass other(m = 0.7), block2(m = 0.3);
  Translational.SupportFriction ground(f0 = 1), other_ground(f0 = 1);
  Translational.Force push, pull;
  Line line;
equation
  connect(line.y, push.f);
  pull.f = -line.y;
  connect(push.flange, cart.flange_a);
  connect(cart.flange_a, ground.flange_a);
  connect(block1.flange_a, up.flange_a);
  connect(up.flange_b, cart.flange_b);
  connect(pull.flange, other.flange_a);
  connect(other.flange_a, other_ground.flange_a);
  connect(block2.flange_a, down.flange_a);
  connect(down.flange_b, other.flange_b);
end Direction;
)");
  const double leaves = 0.25, slips = (2 / 0.3 + 1) / 4;
  const Simulation run = exact_run(model, 3, 0.01);
  CHECK(event_rows(run).size() == 2);
  const auto square = [](double x) { return x * x; };
  const double together = 2 * square(slips - leaves);  // speed when the blocks slip
  const auto block = [&](double kinetic) {
    return [=](double t) {
      if (t <= leaves) return 0.0;
      return t <= slips ? 2 * square(t - leaves) : together + kinetic / 0.3 * (t - slips);
    };
  };
  const auto cart = [&](double kinetic) {
    return [=](double t) {
      if (t <= slips) return block(kinetic)(t);
      const double work = 2 * (square(t) - square(slips)) - (1 + kinetic) * (t - slips);
      return together + work / 0.7;
    };
  };
  const auto minus = [](auto f) { return [f](double t) { return -f(t); }; };
  check_column(run, model, "block1.v", block(1.5));
  check_column(run, model, "cart.v", cart(1.5));
  check_column(run, model, "block2.v", minus(block(0.7)));
  check_column(run, model, "other.v", minus(cart(0.7)));
  check_column(run, model, "up.greater",
               [&](double t) { return t <= slips ? 0.0 : cart(1.5)(t) - block(1.5)(t); });
  check_column(run, model, "down.greater", [](double) { return 0.0; });
  const auto& forward = run.column(model, "up.forward");
  const auto& not_back = run.column(model, "down.not_back");
  for (std::size_t i = 0; i < run.time.size(); ++i) {
    if (std::fabs(run.time[i] - slips) < kBound) continue;
    CHECK(forward[i] == (run.time[i] > slips ? 1 : 0));
    CHECK(not_back[i] == (run.time[i] > slips ? 0 : 1));
  }
}

TEST_CASE("belt whose speed is not 0 from the start or jumps") {
  for (const double start : {0.0, 1.0}) {
    CAPTURE(start);
    const Model model("belt_jump", R"(
model BeltJump
  Translational.Mass body(m = 1);
  Translational.Position belt;
  Translational.CrossFriction face(f0 = 0.5);
  Blocks.Ramp way(height = 10, duration = 10, startTime = )" +
                                       std::to_string(start) + R"();
equation
  connect(way.y, belt.s_ref);
  connect(belt.flange, face.flange_a);
  connect(face.flange_b, body.flange_b);
end BeltJump;
)");
    const Simulation run = exact_run(model, 4, 0.1);
    check_column(run, model, "body.v",
                 [&](double t) { return std::clamp((t - start) / 2, 0.0, 1.0); });
  }
}

// At the bend both bodies have a velocity that is rounding, and no other tells how much.
TEST_CASE("a belt takes a body along through a bend at which it stands") {
  const Model model("bend.ltm", R"(
model Bend
  Translational.Mass body(m = 1);
  Translational.Speed belt;
  Translational.CrossFriction face(f0 = 2);
equation
  belt.v_ref = abs(1 - time);
  connect(belt.flange, face.flange_a);
  connect(face.flange_b, body.flange_b);
end Bend;
)");
  const auto speed = [](double t) { return std::min(2 * t, std::fabs(1 - t)); };
  const Simulation run = exact_run(model, 2, 0.1);
  REQUIRE(run.report.reason == StopReason::kDone);
  check_column(run, model, "body.v", speed);
  CHECK(run.column(model, "body.s").back() == doctest::Approx(5.0 / 6).epsilon(1e-13));
  const Simulation cvode = simulate(model, CvodeOptions{0, 2, 0.1, 1e-12, false});
  REQUIRE(cvode.report.reason == StopReason::kDone);
  CHECK(cvode.column(model, "body.s").back() == doctest::Approx(5.0 / 6).epsilon(1e-8));
}

// A spring without play is on neither side of it: its force has a sign all the same.
TEST_CASE("friction by the size of the force of a spring with and without play") {
  const auto run_of = [](const std::string& spring, const std::string& capacity) {
    const Model model("loaded", R"(
model Loaded
  Rotational.Inertia wheel(J = 1, w(start = 1, fixed = true));
  Rotational.Fixed ground;
  )" + spring + R"( spring(k = 4);
  Rotational.Brake brake(fn_max = 2);
  Real size, sign_of_force;
equation
  connect(spring.flange_a, ground.flange);
  connect(spring.flange_b, wheel.flange_b);
  connect(brake.flange_a, wheel.flange_a);
  brake.f_normalized = )" + capacity +
                                    R"(;
  size = abs(spring.tau);
  sign_of_force = sign(spring.tau);
end Loaded;
)");
    const Simulation run = exact_run(model, 3, 0.25);
    for (std::size_t i = 0; i < run.time.size(); ++i) {
      CAPTURE(run.time[i]);
      const double force = run.column(model, "spring.tau")[i];
      if (std::fabs(force) < 1e-12) continue;  // at its zero
      CHECK(run.column(model, "size")[i] == std::fabs(force));
      CHECK(run.column(model, "sign_of_force")[i] == (force > 0 ? 1 : -1));
    }
    return run.column(model, "wheel.phi");
  };
  for (const std::string capacity :
       {"0.1*abs(spring.tau)", "0.2*max(0, sign(spring.tau))", "0.1*spring.tau*sign(spring.tau)"}) {
    CAPTURE(capacity);
    const std::vector<double> plain = run_of("Rotational.Spring", capacity);
    const std::vector<double> without_play = run_of("Rotational.FreeplaySpring", capacity);
    REQUIRE(plain.size() == without_play.size());
    for (std::size_t i = 0; i < plain.size(); ++i) {
      CAPTURE(i);
      CHECK(std::fabs(plain[i] - without_play[i]) < 1e-12);
    }
  }
  // The first quarter: phi'' = -(4 + 0.4) phi, as the brake takes 0.1 of the force (mu = 0.5).
  const std::vector<double> phi = run_of("Rotational.FreeplaySpring", "0.1*abs(spring.tau)");
  const double rate = std::sqrt(4.4);
  CHECK(phi[2] == doctest::Approx(std::sin(rate * 0.5) / rate).epsilon(1e-12));
}

// By default nothing falls: a body without inertia slides as on constant friction, at the speed of
// the drive, as soon as the spring carries it.
TEST_CASE("a smooth friction with nothing to fall by is a constant one, without inertia, too") {
  const Model model("drawn", R"(
model Drawn
  Translational.Mass body(m = 0);
  Translational.Speed drive(v_ref = 0.35);
  Translational.Spring spring(k = 27);
  Translational.SmoothStribeckFriction guide(f0 = 1.08, v_s = 0.38);
equation
  connect(drive.flange, spring.flange_a);
  connect(spring.flange_b, body.flange_a);
  connect(guide.flange_a, body.flange_a);
end Drawn;
)");
  const Simulation run = exact_run(model, 1, 0.1);
  REQUIRE(run.report.reason == StopReason::kDone);
  const double begins = 1.08 / 27 / 0.35;
  check_column(run, model, "body.s", [&](double t) { return std::max(0.0, 0.35 * (t - begins)); });
  CHECK(run.column(model, "guide.f").back() == doctest::Approx(1.08).epsilon(1e-12));
}

}  // namespace luztar::test
