// Rigid freeplay at bodies with neither inertia nor damping: contacts of kernel B, which follow
// from the balance of springs, dry frictions and loads. Against closed forms.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/support/column_check.h"
#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {}  // namespace

// A law that is piecewise linear: w = clamp(k1 u/(k1 + k2), a), and the stop takes the rest.
TEST_CASE("a point between a driven spring, one behind and a stop") {
  for (const std::string contact : {"FreeplaySpring contact(k = inf, half_freeplay = 0.3)",
                                    "HardStop contact(half_freeplay = 0.3, e = 0.7)"}) {
    CAPTURE(contact);
    const Model model("point.ltm", R"(
model Point
  Translational.Position base;
  Translational.Spring front(k = 10), back(k = 5);
  Translational.Mass point(m = 0);
  Translational.)" + contact + R"(;
  Translational.Fixed wall;
equation
  base.s_ref = sin(2*pi*time);
  connect(base.flange, front.flange_a);
  connect(front.flange_b, point.flange_a);
  connect(point.flange_b, back.flange_a);
  connect(back.flange_b, wall.flange);
  connect(wall.flange, contact.flange_a);
  connect(contact.flange_b, point.flange_b);
end Point;
)");
    const auto base = [](double t) { return std::sin(2 * kPi * t); };
    const auto place = [=](double t) { return std::clamp(10 * base(t) / 15, -0.3, 0.3); };
    check_column_between(model, 2, "point.s", {}, place);
    check_column_between(model, 2, "contact.f", {},
                         [=](double t) { return 10 * (base(t) - place(t)) - 5 * place(t); });
  }
}

// The body takes the point along on its spring and is thrown back, half a period of k and m later;
// the point comes to rest where its spring is relaxed, and there it stays.
TEST_CASE("a body hits a point on a spring") {
  const Model model("buffer.ltm", R"(
model Buffer
  Translational.Mass body(m = 2, v(start = 3));
  Translational.HardStop contact(half_freeplay = 0.1);
  Translational.Mass point(m = 0);
  Translational.Spring spring(k = 50);
  Translational.Fixed wall;
equation
  connect(body.flange_b, contact.flange_a);
  connect(contact.flange_b, point.flange_a);
  connect(point.flange_b, spring.flange_a);
  connect(spring.flange_b, wall.flange);
end Buffer;
)");
  // After the first hit it comes from the other side, through twice the play.
  const double v = 3, w = std::sqrt(50.0 / 2), first = 0.1 / v, half = kPi / w;
  const double second = first + half + 0.2 / v;
  const auto phase = [=](double t) {
    return t < first ? -1.0 : t < second ? t - first : t - second;
  };
  const auto sense = [=](double t) { return t < second ? 1 : -1; };
  const auto strain = [=](double t) {  // of the spring
    const double s = phase(t);
    return s < 0 || s > half ? 0.0 : sense(t) * v / w * std::sin(w * s);
  };
  check_column_between(model, 1.4, "point.s", {}, strain);
  check_column_between(model, 1.4, "contact.f", {}, [=](double t) { return -50 * strain(t); });
  check_column_between(model, 1.4, "body.v", {}, [=](double t) {
    const double s = phase(t);
    if (s < 0) return v;
    return sense(t) * v * (s < half ? std::cos(w * s) : -1.0);
  });
}

// Contact and friction hold the point together, and share what the spring pulls with: the motion is
// that of a play operator between the stops all the same.
TEST_CASE("a slider with dry friction is pushed against a stop and drawn back") {
  const Model model("slider.ltm", R"(
model Slider
  Translational.Position base;
  Translational.Spring spring(k = 10);
  Translational.Mass slider(m = 0);
  Translational.SupportFriction rail(f0 = 2);
  Translational.HardStop stop(half_freeplay = 0.3);
  Translational.Fixed wall;
equation
  base.s_ref = sin(2*pi*time);
  connect(base.flange, spring.flange_a);
  connect(spring.flange_b, slider.flange_a);
  connect(slider.flange_a, rail.flange_a);
  connect(wall.flange, stop.flange_a);
  connect(stop.flange_b, slider.flange_b);
end Slider;
)");
  const auto base = [](double t) { return std::sin(2 * kPi * t); };
  const auto place = [=](double t) {                        // lags 0.2 behind where it slides
    const double quarter = std::floor(2 * (t - 0.25)) + 1;  // turns of the base so far
    const int sense = std::fmod(quarter, 2) == 0 ? 1 : -1;
    const double start = quarter == 0 ? 0 : -sense * 0.3;
    return sense * std::min(std::max(sense * start, sense * base(t) - 0.2), 0.3);
  };
  check_column_between(model, 2, "slider.s", {}, place);
  const Simulation run = audited_run(model, 2, 0.01);
  const std::vector<double>& stop = run.column(model, "stop.f");
  const std::vector<double>& rail = run.column(model, "rail.f");
  for (std::size_t i = 0; i < run.time.size(); ++i) {
    const double t = run.time[i];
    CHECK(std::fabs(rail[i] + stop[i] - 10 * (base(t) - place(t))) < 1e-11);
    CHECK(std::fabs(rail[i]) <= 2 + 1e-11);
    CHECK(stop[i] * place(t) >= -1e-11);
  }
}

// The friction passes no more than its bound, so a wheel that comes upon the ring has no impact:
// it is braked at a constant rate, and a ramp has to overcome the friction before both go on. Drawn
// back, it leaves the ring where it is.
TEST_CASE("a wheel comes upon a ring that dry friction alone holds") {
  const Model model("ring.ltm", R"(
model Ring
  Rotational.Inertia wheel(J = 2, w(start = 1));
  Rotational.FreeplaySpring play(k = inf, half_freeplay = 0.1);
  Rotational.Inertia ring(J = 0);
  Rotational.BearingFriction bearing(tau0 = 4, tau0_static = 5);
  Rotational.Torque drive;
equation
  drive.tau = if time < 1 then 0 else if time < 4 then 2*(time - 1) else -3;
  connect(drive.flange, wheel.flange_a);
  connect(wheel.flange_b, play.flange_a);
  connect(play.flange_b, ring.flange_a);
  connect(ring.flange_a, bearing.flange_a);
end Ring;
)");
  const double closes = 0.1, rests = closes + 2.0 / 4, leaves = 1 + 5.0 / 2;
  const auto pushed = [](double s) { return (s + s * s) / 2; };  // 2 w' = 5 + 2 s - 4
  const double fast = pushed(4 - leaves), rests_again = 4 + fast * 2 / 7;
  const auto speed = [=](double t) {
    if (t < closes) return 1.0;
    if (t < rests) return 1 - 2 * (t - closes);
    if (t < leaves) return 0.0;
    if (t < 4) return pushed(t - leaves);
    if (t < rests_again) return fast - 3.5 * (t - 4);
    return -1.5 * (t - rests_again);
  };
  check_column_between(model, 4.4, "wheel.w", {}, speed);
  check_column_between(model, 4.4, "ring.w", {closes},
                       [=](double t) { return t < closes ? 0.0 : std::max(speed(t), 0.0); });
  check_column_between(model, 4.4, "play.tau", {closes, rests, leaves, 4, rests_again},
                       [=](double t) {
                         if (t < closes || t >= rests_again) return 0.0;
                         if (t >= rests && t < leaves) return t < 1 ? 0.0 : -2 * (t - 1);
                         return -4.0;
                       });
}

// No force keeps it from one stop to the other: it is there at once where the load changes sign.
TEST_CASE("a loaded point between two stops") {
  const Model model("loose.ltm", R"(
model Loose
  Translational.Force push;
  Translational.Mass point(m = 0);
  Translational.HardStop stop(half_freeplay = 0.3);
  Translational.Fixed wall;
equation
  push.f = 5*sin(pi*time);
  connect(push.flange, point.flange_a);
  connect(wall.flange, stop.flange_a);
  connect(stop.flange_b, point.flange_b);
end Loose;
)");
  const auto load = [](double t) { return 5 * std::sin(kPi * t); };
  check_column_between(model, 3.5, "point.s", {1, 2, 3},
                       [=](double t) { return t == 0 || load(t) > 0 ? 0.3 : -0.3; });
  check_column_between(model, 3.5, "stop.f", {}, load);
  CHECK(audited_run(model, 3.5, 0.01).report.events <= 6);
}

// Three contacts on two points: which of them carries how much is open, where the points are is
// not.
TEST_CASE("more contacts than points are closed at once") {
  const Model model("stack.ltm", R"(
model Stack
  Translational.Position base;
  Translational.Spring front(k = 10), between(k = 4), back(k = 5);
  Translational.Mass first(m = 0), second(m = 0);
  Translational.HardStop upper(half_freeplay = 0.3), lower(half_freeplay = 0.2);
  Translational.HardStop gap(half_freeplay = 0.1);
  Translational.Fixed wall;
equation
  base.s_ref = 2*sin(2*pi*time);
  connect(base.flange, front.flange_a);
  connect(front.flange_b, first.flange_a);
  connect(first.flange_b, between.flange_a);
  connect(between.flange_b, second.flange_a);
  connect(second.flange_b, back.flange_a);
  connect(back.flange_b, wall.flange);
  connect(wall.flange, upper.flange_a);
  connect(upper.flange_b, first.flange_b);
  connect(wall.flange, lower.flange_a);
  connect(lower.flange_b, second.flange_b);
  connect(second.flange_b, gap.flange_a);
  connect(gap.flange_b, first.flange_b);
end Stack;
)");
  // The gap closes first, then all three at once: 0.3 = 0.2 + 0.1.
  const auto place = [](double t, bool second) {
    const double u = 2 * std::sin(2 * kPi * t), size = std::fabs(u);
    const double x = 10 * size / (14 - 16.0 / 9), y = 4 * x / 9;
    const double shared = (10 * size - 5 * -0.1) / 15;  // of the first, with the gap closed
    const double first = x - y < 0.1 ? x : std::min(shared, 0.3);
    return (u < 0 ? -1 : 1) * (!second ? first : x - y < 0.1 ? y : first - 0.1);
  };
  check_column_between(model, 1.2, "first.s", {}, [=](double t) { return place(t, false); });
  check_column_between(model, 1.2, "second.s", {}, [=](double t) { return place(t, true); });
}

// A point that begins beyond its stop is where its balance has it, as any point of kernel B; so is
// one that a body lies upon.
TEST_CASE("points begin at their stops") {
  const Model model("start.ltm", R"(
model Start
  Translational.Mass body(m = 1, s(start = 0.5));
  Translational.HardStop contact(half_freeplay = 0.1);
  Translational.Mass point(m = 0);
  Translational.Spring spring(k = 4);
  Translational.Fixed wall;
equation
  connect(body.flange_b, contact.flange_a);
  connect(contact.flange_b, point.flange_a);
  connect(point.flange_b, spring.flange_a);
  connect(spring.flange_b, wall.flange);
end Start;
)");
  check_column_between(model, 0.7, "point.s", {}, [](double t) { return 0.4 * std::cos(2 * t); });
  check_column_between(model, 0.7, "body.s", {},
                       [](double t) { return 0.1 + 0.4 * std::cos(2 * t); });
}

// Nothing else holds the point: the base takes it along without force, and a body beyond it, too.
TEST_CASE("a contact carries a free point along") {
  const Model model("carried.ltm", R"(
model Carried
  Translational.Position base;
  Translational.HardStop first(half_freeplay = 0.1), second(half_freeplay = 0.2);
  Translational.Mass point(m = 0), last(m = 0);
  Translational.Spring spring(k = 50);
  Translational.Mass body(m = 1);
equation
  base.s_ref = 0.5*time^2;
  connect(base.flange, first.flange_a);
  connect(first.flange_b, point.flange_a);
  connect(point.flange_b, second.flange_a);
  connect(second.flange_b, last.flange_a);
  connect(last.flange_b, spring.flange_a);
  connect(spring.flange_b, body.flange_a);
end Carried;
)");
  const double first = std::sqrt(0.2), second = std::sqrt(0.6), w = std::sqrt(50.0);
  const auto strain = [=](double t) {  // x'' = 1 - 50 x from the speed `second` on
    const double s = t - second;
    return s < 0 ? 0 : (1 - std::cos(w * s)) / 50 + second / w * std::sin(w * s);
  };
  check_column_between(model, 1.1, "point.s", {},
                       [=](double t) { return t < first ? 0 : t * t / 2 - 0.1; });
  check_column_between(model, 1.1, "body.s", {},
                       [=](double t) { return t < second ? 0.0 : t * t / 2 - 0.3 - strain(t); });
  check_column_between(model, 1.1, "first.f", {}, [=](double t) { return -50 * strain(t); });
}

// Nothing gives way to a base that comes upon the wall, wherever the point is by then.
TEST_CASE("contacts that close in on a point leave it no place") {
  for (const std::string friction : {"", "  Translational.SupportFriction rail(f0 = 1);\n"}) {
    CAPTURE(friction);
    const Model model("squeezed.ltm", R"(
model Squeezed
  Translational.Position base;
  Translational.HardStop stop(half_freeplay = 0.1), wall(half_freeplay = 0.2);
  Translational.Mass point(m = 0), body(m = 1);
  Translational.Spring spring(k = 10);
  Translational.Fixed ground;
)" + friction + R"(equation
  base.s_ref = time;
  connect(base.flange, stop.flange_a);
  connect(stop.flange_b, point.flange_a);
  connect(ground.flange, wall.flange_a);
  connect(wall.flange_b, point.flange_b);
  connect(point.flange_b, spring.flange_a);
  connect(spring.flange_b, body.flange_a);
)" + (friction.empty() ? "" : "  connect(point.flange_b, rail.flange_a);\n") +
                                          "end Squeezed;\n");
    const Simulation run = simulate(model, TaylorOptions{0, 1, 0.01, 1e-12, false});
    CHECK(run.report.reason == StopReason::kBlocked);
    CHECK(std::fabs(run.report.time - 0.3) < 1e-12);
  }
}

// Without force as long as there is no load; then the load decides, however slowly it begins.
TEST_CASE("a load that begins like t^n presses a dragged point, or takes it across its play") {
  for (const int n : {1, 2, 3, 4}) {
    for (const double sign : {1.0, -1.0}) {
      CAPTURE(n);
      CAPTURE(sign);
      const std::string load =
          (sign > 0 ? "" : "-") + std::string("(time - 0.4)^") + std::to_string(n);
      const Model model("drag", R"(
model Drag
  Rotational.Inertia body(J = 2, w(start = 1)), point(J = 0);
  Rotational.FreeplaySpring play(k = 200, half_freeplay = 0.01);
  Rotational.Torque load;
equation
  connect(body.flange_b, play.flange_a);
  connect(play.flange_b, point.flange_a);
  connect(load.flange, point.flange_b);
  load.tau = if time < 0.4 then 0 else )" +
                                    load + R"(;
end Drag;
)");
      const auto since = [&](double t, int power) {
        return t < 0.4 ? 0.0 : sign * std::pow(t - 0.4, power);
      };
      const auto check = [&](const Simulation& run, double error) {
        REQUIRE(run.report.reason == StopReason::kDone);
        REQUIRE(run.report.energy);
        CHECK(std::fabs(run.report.energy->residual()) < error);
        for (std::size_t i = 0; i < run.time.size(); ++i) {
          const double t = run.time[i], moved = since(t, n + 2) / (2.0 * (n + 1) * (n + 2));
          CHECK(std::fabs(run.column(model, "body.phi")[i] - t - moved) < error);
          if (std::fabs(t - 0.4) < 1e-9 || t < 0.011) continue;
          const double side = t > 0.4 ? sign : -1;  // it is dragged behind the body
          const double way = side * 0.01 + since(t, n) / 200;
          CHECK(std::fabs(run.column(model, "play.phi_rel")[i] - way) < error);
        }
      };
      check(simulate(model, TaylorOptions{0, 1, 0.025, 1e-13, true, true}), 1e-12);
      check(simulate(model, CvodeOptions{0, 1, 0.025, 1e-10, true, CvodeMethod::kBdf, true}), 1e-7);
    }
  }
}

// Force and rates of the load are zero there, and errors of the event are all that is left of them.
TEST_CASE("a load that goes through zero like t^3 takes a point across its play") {
  const Model model("cube", R"(
model Cube
  Rotational.Inertia body(J = 2, w(start = 0.3)), point(J = 0);
  Rotational.FreeplaySpring play(k = 200, half_freeplay = 0.01);
  Rotational.Torque load;
equation
  connect(body.flange_b, play.flange_a);
  connect(play.flange_b, point.flange_a);
  connect(load.flange, point.flange_b);
  load.tau = 3*sin(7*time)^3;
end Cube;
)");
  const auto check = [&](const Simulation& run, double error) {
    REQUIRE(run.report.reason == StopReason::kDone);
    for (std::size_t i = 1; i < run.time.size(); ++i) {
      const double t = run.time[i], load = 3 * std::pow(std::sin(7 * t), 3);
      const double w = 0.3 + 3 / 8.0 * (3 * (1 - std::cos(7 * t)) - (1 - std::cos(21 * t)) / 3) / 7;
      CHECK(std::fabs(run.column(model, "body.w")[i] - w) < error);
      if (std::fabs(load) < 1e-6) continue;
      const double way = std::copysign(0.01, load) + load / 200;
      CHECK(std::fabs(run.column(model, "play.phi_rel")[i] - way) < error);
    }
  };
  for (const double tolerance : {1e-7, 1e-9, 1e-11}) {
    CAPTURE(tolerance);
    check(simulate(model, TaylorOptions{0, 2, 0.03, tolerance, true}), 1e2 * tolerance);
    check(simulate(model, CvodeOptions{0, 2, 0.03, tolerance, true}), 1e3 * tolerance);
  }
}

// All masses and forces times M: the shoe lets go of the ground and jumps onto its stop at 0.358 s.
TEST_CASE("the unit of force does not matter where a point jumps onto its stop") {
  for (const char* scale : {"1e-9", "1e-3", "1", "1e3", "1e4", "1e6", "1e9"}) {
    CAPTURE(scale);
    const Model model("scaled.ltm", R"(
model Scaled
  parameter Real M = )" + std::string(scale) +
                                        R"(;
  Translational.Mass shoe(m = 0, s(start = -0.14));
  Translational.Mass body(m = 3.6*M, s(start = 0.18), v(start = -0.29));
  Translational.HardStop stop(half_freeplay = 0.376, e = 0);
  Translational.SupportFriction ground(f0 = 1.97*M, f0_static = 2.04*M);
  Translational.Force load(f = -M*2.63*sin(2.2*time + 0.1));
equation
  connect(load.flange, shoe.flange_a);
  connect(shoe.flange_a, ground.flange_a);
  connect(shoe.flange_b, stop.flange_a);
  connect(stop.flange_b, body.flange_a);
end Scaled;
)");
    const Simulation run = simulate(model, TaylorOptions{0, 1, 1, 1e-10, false});
    REQUIRE(run.report.reason == StopReason::kDone);
    CHECK(run.column(model, "body.s").back() == doctest::Approx(-0.136313726588653).epsilon(1e-9));
    CHECK(run.column(model, "body.v").back() == doctest::Approx(-0.369563383916674).epsilon(1e-9));
  }
}

}  // namespace luztar::test
