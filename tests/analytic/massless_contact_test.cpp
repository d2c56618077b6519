// Rigid freeplay at damped bodies without inertia: contacts that close without impact, push, and
// open. Against closed forms; the limit of small inertia is in limit_order_test.cpp.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/support/column_check.h"
#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {

// The node jumps to the speed of the wheel that reaches it, and the damper pushes at once. It opens
// where spring and damper are in balance, and relaxes to the other wheel.
TEST_CASE("rigid freeplay to a spring with damper") {
  for (const std::string contact : {"FreeplaySpring contact(k = inf, half_freeplay = 0.1)",
                                    "HardStop contact(half_freeplay = 0.1, e = 0.7)"}) {
    CAPTURE(contact);
    const Model model("damped.ltm", R"(
model Damped
  Rotational.Inertia a(J = 1, w(start = 3)), node(J = 0), b(J = 2);
  Rotational.)" + contact + R"(;
  Rotational.SpringDamper shaft(k = 50, d = 1);
equation
  connect(a.flange_b, contact.flange_a);
  connect(contact.flange_b, node.flange_a);
  connect(node.flange_b, shaft.flange_a);
  connect(shaft.flange_b, b.flange_a);
end Damped;
)");
    const double k = 50, d = 1, m = 2.0 / 3, closes = 0.1 / 3;
    const double sigma = d / (2 * m), w = std::sqrt(k / m - sigma * sigma);
    const auto twist = [=](double s) { return 3 / w * std::exp(-sigma * s) * std::sin(w * s); };
    const auto rate = [=](double s) {
      return 3 * std::exp(-sigma * s) * (std::cos(w * s) - sigma / w * std::sin(w * s));
    };
    const double opens = (std::acos(-1.0) - std::atan(d * w / (k - d * sigma))) / w;
    const auto relative = [=](double t) {  // speed of a against b
      return t < closes ? 3 : rate(std::min(t - closes, opens));
    };
    check_column_between(model, 0.44, "a.w", {},
                         [=](double t) { return 1 + 2.0 / 3 * relative(t); });
    check_column_between(model, 0.44, "b.w", {}, [=](double t) { return 1 - relative(t) / 3; });
    check_column_between(model, 0.44, "shaft.phi_rel", {}, [=](double t) {
      const double s = t - closes;
      if (s < 0) return 0.0;
      return -(s < opens ? twist(s) : twist(opens) * std::exp(-k / d * (s - opens)));
    });
    check_column_between(model, 0.44, "contact.tau", {closes}, [=](double t) {
      const double s = t - closes;
      return s < 0 || s >= opens ? 0.0 : -k * twist(s) - d * rate(s);
    });
  }
}

// A body pushes a plate over dry and viscous ground until both rest: contact and friction hold it
// in series, up to the bound of the friction; pulled back, it leaves the plate where it is.
TEST_CASE("a contact in series with the friction of a massless plate") {
  const Model model("plate.ltm", R"(
model Plate
  Translational.Mass body(m = 1, v(start = 1));
  Translational.HardStop contact(half_freeplay = 0.05);
  Translational.Mass plate(m = 0);
  Translational.SupportFriction ground(f0 = 0.6, d = 0.4);
  Translational.Force push;
equation
  push.f = if time < 3 then 0 else if time < 5 then 0.5*(time - 3) else -0.2;
  connect(push.flange, body.flange_a);
  connect(body.flange_b, contact.flange_a);
  connect(contact.flange_b, plate.flange_a);
  connect(plate.flange_b, ground.flange_a);
end Plate;
)");
  const double f0 = 0.6, d = 0.4, closes = 0.05, leaves = 3 + f0 / 0.5;
  const double stops = closes + std::log(1 + d / f0) / d;
  const auto pushed = [=](double s) {  // v' = 0.5 s - d v
    return 0.5 * (s / d - (1 - std::exp(-d * s)) / (d * d));
  };
  const double fast = pushed(5 - leaves);  // when the push turns, -0.2 and the friction brake
  const double rests = 5 + std::log(1 + d * fast / (f0 + 0.2)) / d;
  const auto speed = [=](double t) {
    if (t < closes) return 1.0;
    if (t < stops) return (1 + f0 / d) * std::exp(-d * (t - closes)) - f0 / d;
    if (t < leaves) return 0.0;
    if (t < 5) return pushed(t - leaves);
    if (t < rests) return (fast + (f0 + 0.2) / d) * std::exp(-d * (t - 5)) - (f0 + 0.2) / d;
    return -0.2 * (t - rests);
  };
  check_column_between(model, 6.1, "body.v", {}, speed);
  check_column_between(model, 6.1, "plate.v", {closes},
                       [=](double t) { return t < closes ? 0.0 : std::max(speed(t), 0.0); });
  check_column_between(model, 6.1, "contact.f", {closes, stops, 5, rests}, [=](double t) {
    if (t < closes || t >= rests) return 0.0;
    if (t >= stops && t < leaves) return t < 3 ? 0.0 : -0.5 * (t - 3);
    return -f0 - d * speed(t);
  });
}

// Its force begins with zero, and so does the rate of it: what holds the row gives way under a
// ramp.
TEST_CASE("a contact that touches without force pushes when a friction in the row gives way") {
  const Model model("row.ltm", R"(
model Row
  Translational.Mass body(m = 2);
  Translational.Force push;
  Translational.FreeplaySpring first(k = inf, half_freeplay = 0.035);
  Translational.Mass slider(m = 0, s(start = -0.035));
  Translational.SupportFriction shoe(f0 = 1.63, f0_static = 1.63, d = 0.918);
  Translational.FreeplaySpring second(k = inf, half_freeplay = 0.022);
  Translational.Mass follower(m = 0, s(start = -0.057));
  Translational.Damper oil(d = 0.593);
  Translational.Fixed wall;
equation
  push.f = 4*time;
  connect(push.flange, body.flange_a);
  connect(body.flange_b, first.flange_a);
  connect(first.flange_b, slider.flange_a);
  connect(slider.flange_a, shoe.flange_a);
  connect(slider.flange_b, second.flange_a);
  connect(second.flange_b, follower.flange_a);
  connect(follower.flange_b, oil.flange_a);
  connect(oil.flange_b, wall.flange);
end Row;
)");
  // 2 v' = 4 s - d v from the breakaway on.
  const double m = 2, d = 0.918 + 0.593, leaves = 1.63 / 4;
  const auto speed = [=](double t) {
    const double s = std::max(t - leaves, 0.0);
    return 4 / d * (s - m / d * (1 - std::exp(-d / m * s)));
  };
  for (const char* body : {"body.v", "slider.v", "follower.v"}) {
    check_column_between(model, 2, body, {}, speed);
  }
  check_column_between(model, 2, "second.f", {}, [=](double t) { return -0.593 * speed(t); });
}

// The base pushes a plate over dry and viscous ground, and turns back. A strong spring presses the
// plate onto it: the friction turns round at once, the contact goes on until damper and friction
// are all that the spring moves. Against a weak spring the plate stays where the base has left it.
TEST_CASE("a contact with a prescribed base that turns back, beside dry friction") {
  const double T = 1, d = 0.5, gap = 0.1, amplitude = 0.4, turns = std::acos(-1.0) / 4;
  const auto base = [=](double s) { return amplitude * std::cos(2 * s); };  // s after it has turned
  for (const double k : {20.0, 2.0}) {
    CAPTURE(k);
    const Model model("turn.ltm", R"(
model Turn
  Translational.Fixed wall;
  Translational.Spring spring(k = )" + std::to_string(k) +
                                      R"();
  Translational.Mass plate(m = 0);
  Translational.SupportFriction rail(f0 = 1, d = 0.5);
  Translational.HardStop stop(half_freeplay = 0.1);
  Translational.Position base;
equation
  base.s_ref = 0.4*sin(2*time);
  connect(wall.flange, spring.flange_a);
  connect(spring.flange_b, plate.flange_a);
  connect(plate.flange_a, rail.flange_a);
  connect(plate.flange_b, stop.flange_b);
  connect(base.flange, stop.flange_a);
end Turn;
)");
    const double begins = std::asin(gap / amplitude) / 2;
    const bool follows = k * (amplitude - gap) > T;
    // k (base - gap) = T + d |v|
    const double a = k * amplitude, c = 2 * d * amplitude, load = T + k * gap;
    const double leaves =
        follows ? (std::acos(load / std::hypot(a, c)) - std::atan(c / a)) / 2 : 0.0;
    const double rest = follows ? T / k : base(0) - gap, left = base(leaves) - gap;
    const auto free = [=](double s) {
      return rest + (left - rest) * std::exp(-k / d * (s - leaves));
    };
    const double meets = where(0, leaves, 2 * turns, [&](double s) {
      return base(s) + gap - free(s);  // on its other side
    });
    // A half of the period is the other one with the other sign.
    const auto half = [=](double t) { return std::floor((t - turns) / (2 * turns)); };
    const auto phase = [=](double t) { return t - turns - 2 * turns * half(t); };
    const auto sign = [=](double t) { return std::fmod(half(t), 2) == 0 ? 1.0 : -1.0; };
    const auto position = [=](double t) {
      if (t < turns) return std::max(amplitude * std::sin(2 * t) - gap, 0.0);
      const double s = phase(t);
      return sign(t) * (s < leaves ? base(s) - gap : s < meets ? free(s) : base(s) + gap);
    };
    const auto force = [=](double t) {
      const double friction = T + d * std::fabs(2 * amplitude * std::cos(2 * t));
      if (t < turns) return t < begins ? 0.0 : -friction - k * position(t);
      const double s = phase(t), x = sign(t) * position(t);
      if (s >= leaves && s < meets) return 0.0;
      return sign(t) * (friction - k * x);
    };
    std::vector<double> jumps{begins, turns};
    for (int i = 0; i < 4; ++i) {
      jumps.push_back(turns * (2 * i + 1) + meets);
      jumps.push_back(turns * (2 * i + 3));
    }
    check_column_between(model, 6, "plate.s", {}, position);
    check_column_between(model, 6, "stop.f", jumps, force);
  }
}

// Its force ends with the speed: what is left of it in the instant is rounding of the instant.
TEST_CASE("a contact with a damped body opens once each time, whatever the tolerance") {
  const Model model("pushed.ltm", R"(
model Pushed
  Translational.Mass body(m = 0.4, v(start = -0.6));
  Translational.Spring spring(k = 53);
  Translational.HardStop contact(half_freeplay = 0.02, e = 0);
  Translational.Mass slider(m = 0);
  Translational.Damper oil(d = 0.9);
  Translational.Fixed wall;
equation
  connect(wall.flange, spring.flange_a);
  connect(spring.flange_b, body.flange_a);
  connect(body.flange_b, contact.flange_a);
  connect(contact.flange_b, slider.flange_a);
  connect(slider.flange_a, oil.flange_a);
  connect(oil.flange_b, wall.flange);
end Pushed;
)");
  // It turns three times in 0.9 s, near t = (j - 1/2) pi sqrt(m/k): three openings, four contacts.
  for (const double tolerance : {1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13, 1e-14}) {
    CAPTURE(tolerance);
    const Simulation run = simulate(model, TaylorOptions{0, 0.9, 0.01, tolerance, false});
    CHECK(run.report.reason == StopReason::kDone);
    CHECK(run.report.events == 7);
  }
}

// Where the base turns back its speed is the rounding of that instant, towards the plate or away.
TEST_CASE(
    "a base that turns back leaves a plate on dry ground where it is, whatever rounding says") {
  struct Turn {
    const char* motion;
    double stop, end, way;  // [s], [m] where the plate ends, [m] that it slides
  };
  const double last = 0.3 * (1 - std::cos(8.0)) - 0.1;
  const Turn turns[] = {
      {"0.11*sin(time)", 6, -0.01, 0.01 + 0.02},
      {"0.3*(1 - cos(2*pi*time))", 2.25, 0.2, 0.5 + 0.4 + 0.4 + 0.4 + 0.1},
      {"0.3*(1 - cos(2*time))", 4, last, 0.5 + 0.4 + last - 0.1},
      {"0.08*(1 - cos(2*pi*time))", 6, 0.06, 0.06},  // touches it again at each turn
  };
  for (const auto& [motion, stop, end, way] : turns) {
    CAPTURE(motion);
    const Model model("push.ltm",
                      "model Push\n"
                      "  Translational.Mass plate(m = 0);\n"
                      "  Translational.Position base;\n"
                      "  Translational.HardStop stop(half_freeplay = 0.1);\n"
                      "  Translational.CrossFriction rail(f0 = 1);\n"
                      "  Translational.Mass body(m = 2);\n"
                      "  Translational.SupportFriction ground(f0 = 1.5);\n"
                      "equation\n"
                      "  base.s_ref = " +
                          std::string(motion) +
                          ";\n"
                          "  connect(base.flange, stop.flange_a);\n"
                          "  connect(stop.flange_b, plate.flange_a);\n"
                          "  connect(plate.flange_b, rail.flange_a);\n"
                          "  connect(rail.flange_b, body.flange_a);\n"
                          "  connect(body.flange_b, ground.flange_a);\n"
                          "end Push;\n");
    for (const double tolerance : {1e-6, 1e-8, 1e-10, 1e-12}) {
      CAPTURE(tolerance);
      for (const bool exact : {true, false}) {
        CAPTURE(exact);
        const Simulation run =
            exact ? simulate(model, TaylorOptions{0, stop, 0.1, tolerance, false, true})
                  : simulate(model, CvodeOptions{0, stop, 0.1, tolerance, false});
        REQUIRE(run.report.reason == StopReason::kDone);
        CHECK(std::fabs(run.column(model, "plate.s").back() - end) < 1e-9);
        CHECK(run.column(model, "body.s").back() == 0);
        if (!exact) continue;
        CHECK(std::fabs(run.report.energy->total_dissipated() - way) < 1e-9);
        CHECK(std::fabs(run.report.energy->residual()) < 1e-12);
      }
    }
  }
}

/// A friction that holds `a` forwards and 0.4 N backwards, by which a free mass hangs on a shoe
/// without inertia, in a hard stop at a body.
std::string shoe(const std::string& a, const std::string& parts, const std::string& equations) {
  return R"(
model OneWay
  extends Translational.Interfaces.TwoFlanges;
  parameter Units.Force a(min = 0), b(min = 0);
equation
  f = dryfriction(v_rel, if v_rel > 0 then a else b, if v_rel > 0 then a else b);
end OneWay;
model Shoe
  Translational.Mass body(m = 1, v(start = -0.5));
  Translational.Mass shoe(m = 0);
  Translational.Mass free(m = 0.9, v(start = -0.014));
  Translational.HardStop stop(half_freeplay = 0.1, e = 0);
  OneWay freewheel(a = )" +
         a + R"(, b = 0.4);
  )" + parts +
         R"(
equation
  connect(body.flange_b, stop.flange_a);
  connect(stop.flange_b, shoe.flange_a);
  connect(shoe.flange_b, freewheel.flange_a);
  connect(freewheel.flange_b, free.flange_a);
  )" + equations +
         R"(
end Shoe;
)";
}

// Stop and freewheel carry the shoe along without force as the body slows down to the speed of the
// free mass; from then on the shoe is as fast as this one, which is the faster way back.
TEST_CASE("what carries a free shoe along parts where one of them goes on faster") {
  const Model model("shoe.ltm", shoe("0", "Translational.SupportFriction ground(f0 = 1);",
                                     "connect(body.flange_a, ground.flange_a);"));
  const double slow = -0.014, met = 0.486 - std::sqrt(0.486 * 0.486 - 0.2);
  const auto body = [](double t) { return std::min(t - 0.5, 0.0); };
  check_column_between(model, 1.2, "body.v", {}, body);
  check_column_between(model, 1.2, "free.v", {}, [=](double) { return slow; });
  check_column_between(model, 1.2, "shoe.v", {met},
                       [=](double t) { return t < met ? slow : std::min(body(t), slow); });
  check_column_between(model, 1.2, "freewheel.f", {}, [](double) { return 0.0; });
}

TEST_CASE("a freewheel without friction forwards is the limit of one with some") {
  std::vector<double> body, free;
  for (const char* a : {"1e-6", "1e-8", "0"}) {
    const Model model("shoe.ltm",
                      shoe(a, "Translational.Spring spring(k = 4); Translational.Fixed wall;",
                           "connect(wall.flange, spring.flange_a); "
                           "connect(spring.flange_b, body.flange_a);"));
    const Simulation run = simulate(model, TaylorOptions{0, 1.6, 1.6, 1e-12, false});
    REQUIRE(run.report.reason == StopReason::kDone);
    body.push_back(run.column(model, "body.v").back());
    free.push_back(run.column(model, "free.v").back());
  }
  CHECK(free.back() == doctest::Approx(0.0523020).epsilon(1e-6));
  for (const std::vector<double>& v : {body, free}) {
    CHECK(std::fabs(v[0] - v[2]) < 1e-5);
    CHECK(std::fabs(v[1] - v[2]) < 1e-7);
  }
}

// Three frictions hold a damped plate and two bodies together, until one of these is stopped: there
// is no impulse of dry friction, so the other one slides on with its speed, and is braked by 1 N
// from each (2 N while the plate stays). The plate, damped by 1 N.s/m, came with 1 - t/2.
TEST_CASE("an impact that takes all stops no body that frictions alone had held to it") {
  for (const char* e : {"0", "1e-9"}) {
    CAPTURE(e);
    const Model model("loop", R"(
model Loop
  parameter Real e = 0;
  Translational.Mass plate(m = 0), body(m = 1, v(start = 1, fixed = true)),
    struck(m = 1, v(start = 1, fixed = true));
  Translational.Damper oil(d = 1);
  Translational.HardStop stop(half_freeplay = 0.25, e = e);
  Translational.CrossFriction c0(f0 = 1), c1(f0 = 1), c2(f0 = 1);
  Translational.Fixed wall;
equation
  connect(wall.flange, oil.flange_a);
  connect(oil.flange_b, plate.flange_a);
  connect(wall.flange, stop.flange_a);
  connect(stop.flange_b, struck.flange_a);
  connect(plate.flange_b, c0.flange_a);
  connect(c0.flange_b, body.flange_a);
  connect(plate.flange_b, c1.flange_a);
  connect(c1.flange_b, struck.flange_a);
  connect(body.flange_b, c2.flange_a);
  connect(c2.flange_b, struck.flange_a);
end Loop;
)",
                      {{"e", e}});
    // All three go with v' = -v/2: s = 2 (1 - exp(-t/2)) = 0.25 at t1, where v = 0.875.
    const double t1 = -2 * std::log(0.875), v = 0.875, stop = 0.6, rest = stop - t1;
    const Simulation run = simulate(model, TaylorOptions{0, stop, 0.1, 1e-12, false});
    REQUIRE(run.report.reason == StopReason::kDone);
    CHECK(run.column(model, "struck.v").back() == 0);
    CHECK(run.column(model, "plate.v").back() == 0);
    CHECK(run.column(model, "body.v").back() == doctest::Approx(v - 2 * rest).epsilon(1e-11));
    const double way = 0.25 + rest * (v - rest);
    CHECK(run.column(model, "body.s").back() == doctest::Approx(way).epsilon(1e-11));
  }
}

// What has slipped onto a contact is at rest there, and holds with T_S: 0.65 N with the 1 N of the
// body beyond against 5 t, not 0.22 N as what only tends to rest.
TEST_CASE("friction that a closing contact has stopped holds with more than it slid with") {
  const Model model("stopped", R"(
model Stopped
  Translational.Mass body(m = 1);
  Translational.Mass slider(m = 0);
  Translational.HardStop stop(half_freeplay = 0.01, e = 0);
  Translational.SupportFriction ground(f0 = 1);
  Translational.SupportFriction guide(f0 = 0.22, f0_static = 0.65, d = 0.1);
  Translational.Force load;
equation
  load.f = -5*time;
  connect(load.flange, slider.flange_b);
  connect(body.flange_b, stop.flange_a);
  connect(stop.flange_b, slider.flange_a);
  connect(body.flange_b, ground.flange_a);
  connect(slider.flange_b, guide.flange_a);
end Stopped;
)");
  const auto check = [&](const Simulation& run, double within) {
    REQUIRE(run.report.reason == StopReason::kDone);
    for (std::size_t i = 0; i < run.time.size(); ++i) {
      const double t = std::max(0.0, run.time[i] - 1.65 / 5);  // v' + 0.1 v = 5 t + 0.43
      const double s = 25 * t * t - 495.7 * t + 4957 * (1 - std::exp(-0.1 * t));
      CHECK(std::fabs(run.column(model, "body.s")[i] + s) < within);
      if (t == 0 && run.time[i] > 0.15) CHECK(run.column(model, "guide.mode")[i] == 0);
    }
  };
  check(simulate(model, TaylorOptions{0, 1, 0.01, 1e-12, false}), 1e-11);
  CvodeOptions cvode;
  cvode.stop = 1;
  cvode.interval = 0.01;
  cvode.tolerance = 1e-11;
  check(simulate(model, cvode), 1e-8);
}

}  // namespace luztar::test
