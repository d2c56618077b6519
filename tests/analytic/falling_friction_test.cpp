// Dry friction that falls with speed, on bodies without inertia (P3, Stribeck): from rest the slip
// jumps beyond the falling part, and at its end comes to rest. Against closed forms, and against
// the limit of small inertia.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "tests/analytic/drawn_slider.h"
#include "tests/support/column_check.h"
#include "tests/support/model.h"
#include "tests/support/random_cases.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

const std::string kDrawnAlongLines = drawn_slider(R"(Translational.StribeckFriction seat(
    f0 = 5, d = damping, d_fall = 4 - 2*damping, v0 = 0.5, f0_static = holds);)");
constexpr double kFalls = 0.5, kBeyond = 5;  // V0, F0

/// A hub on a body that breaks away: `cross` holds it, as far as the ground lets it go.
constexpr const char* kTaken = R"(
model Taken
  parameter Real load = 1.1;
  parameter Real damping = 0.12;
  Rotational.Inertia body(J = 0.03);
  Rotational.BearingFriction bearing(tau0 = 2);
  Rotational.Inertia hub(J = 0);
  Rotational.CrossFriction cross(d = damping, tau0 = 0.5, tau0_static = 0.7);
  Rotational.BearingFriction ground(tau0 = 0.5);
  Rotational.Torque driven, loaded;
equation
  driven.tau = 5*time;
  loaded.tau = load;
  connect(driven.flange, body.flange_a);
  connect(loaded.flange, hub.flange_a);
  connect(bearing.flange_a, body.flange_b);
  connect(cross.flange_a, body.flange_b);
  connect(cross.flange_b, hub.flange_a);
  connect(ground.flange_a, hub.flange_b);
end Taken;
)";

/// The force of the spring as it draws at `speed` a slider of damping c > 0 that holds up to T_S:
/// c v = F - F0 while it slips, F0 the friction beyond.
double drawing_force(double speed, double c, double holds, double t, double beyond = kBeyond) {
  const double leaves = (holds - beyond) / c;
  const auto slipping = [&](double since) {
    return beyond + c * (speed + (leaves - speed) * std::exp(-kSpring / c * since));
  };
  const double first = holds / (kSpring * speed);
  if (t <= first) return kSpring * speed * t;
  if (speed >= kFalls) return slipping(t - first);
  const double slips = c / kSpring * std::log((leaves - speed) / (kFalls - speed));
  const double rests = (holds - beyond - c * kFalls) / (kSpring * speed);
  const double phase = std::fmod(t - first, slips + rests);
  if (phase <= slips) return slipping(phase);
  return beyond + c * kFalls + kSpring * speed * (phase - slips);
}

}  // namespace

TEST_CASE("a damped slider sticks and slips, or slides on when it is drawn fast enough") {
  Model model("drawn.ltm", kDrawnAlongLines);
  REQUIRE(own_states(model) == 1);
  for (const double speed : {0.1, 0.3, 0.49, 0.51, 2.0}) {
    for (const double holds : {7.0, 9.0}) {
      CAPTURE(speed);
      CAPTURE(holds);
      model.set({{"speed", speed}, {"holds", holds}});
      const Function force = [&](double t) { return -drawing_force(speed, 1, holds, t); };
      CHECK(greatest_error(audited_run(model, 2, 0.01), model, "spring.f", force) <= kBound);
      // What an event is late by grows where the slip tends to a speed near that of rest.
      const Simulation bdf = simulate(model, CvodeOptions{0, 2, 0.01, 1e-10, false});
      CHECK(greatest_error(bdf, model, "spring.f", force) <= 1e-4);
      const Simulation steps = simulate(model, EulerOptions{.stop = 2, .step = 1e-5});
      CHECK(greatest_error(steps, model, "spring.f", force) <= 0.1);
    }
  }
}

TEST_CASE("without damping it snaps and rests, or slides on at the force beyond") {
  Model model("drawn.ltm", kDrawnAlongLines, {{"damping", "0"}});
  REQUIRE(own_states(model) == 0);
  for (const double speed : {0.1, 0.3, 0.49, 0.51, 2.0}) {
    CAPTURE(speed);
    model.set({{"speed", speed}});
    const double first = 7 / (kSpring * speed), period = 2 / (kSpring * speed);
    const auto force = [&](double t) {
      if (t < first - 1e-12) return kSpring * speed * t;
      if (speed >= kFalls) return kBeyond;
      return kBeyond + kSpring * speed * std::fmod(t - first + 1e-12, period);
    };
    const double error = greatest_error(audited_run(model, 1.93, 0.0097), model, "spring.f",
                                        [&](double t) { return -force(t); });
    const Simulation bdf = simulate(model, CvodeOptions{0, 1.93, 0.0097, 1e-10, false});
    REQUIRE(bdf.report.reason == StopReason::kDone);
    CHECK(error <= 1e-9);
    CHECK(greatest_error(bdf, model, "spring.f", [&](double t) { return -force(t); }) <= 1e-8);
    const double stop = first + 2.5 * period;  // one snap is as the next, and as late
    const Simulation steps = simulate(model, EulerOptions{.stop = stop, .step = 5e-5});
    CHECK(std::fabs(steps.column(model, "spring.f").back() + force(stop)) <= 0.02);
  }
}

// Loads that jump: to where the slip would be on the falling part, and through rest.
TEST_CASE("a load that jumps") {
  const Model model("jumps.ltm", R"(
model Jumps
  Translational.Force load;
  Translational.Mass slider(m = 0);
  Translational.StribeckFriction seat(f0 = 5, d = 1, d_fall = 2, v0 = 0.5);
equation
  load.f = if time < 1 then 6.9 else if time < 2 then 8 else if time < 3 then 5.6 else
           if time < 4 then 5.4 else if time < 5 then 6.9 else if time < 6 then 7.5 else
           if time < 7 then -6 else if time < 8 then -7.1 else if time < 9 then 9 else 0;
  connect(load.flange, slider.flange_a);
  connect(slider.flange_b, seat.flange_a);
end Jumps;
)");
  const double speeds[] = {0, 3, 0.6, 0, 0, 2.5, 0, -2.1, 4, 0};
  const auto way = [&](double t) {
    double s = 0;
    for (int i = 0; i < 10; ++i) s += speeds[i] * std::clamp(t - i, 0.0, 1.0);
    return s;
  };
  check_column(model, 10, "slider.s", way, 5e-3);
}

// An undamped slider that slides with its drive when the load turns: within T_0 it comes to rest,
// beyond it turns round, and rests where the force beyond is in balance.
TEST_CASE("a load that turns an undamped slide") {
  Model model("turns.ltm", R"(
model Turns
  parameter Real jump = 11;
  Translational.Position drive;
  Translational.Spring spring(k = 100);
  Translational.Mass slider(m = 0);
  Translational.Force load;
  Translational.StribeckFriction seat(f0 = 5, d = 0, d_fall = 4, v0 = 0.5);
equation
  drive.s_ref = 2*time;
  load.f = if time < 1.003 then 0 else -jump;
  connect(drive.flange, spring.flange_a);
  connect(spring.flange_b, slider.flange_a);
  connect(load.flange, slider.flange_b);
  connect(slider.flange_b, seat.flange_a);
end Turns;
)");
  for (const double jump : {11.0, 13.0}) {
    CAPTURE(jump);
    model.set({{"jump", jump}});
    const double turn = 1.003;
    const double rests = jump > 12 ? 2 * turn - (jump - 5) / 100 : 2 * turn - 0.05;
    const double leaves = turn + ((jump > 12 ? 12 : 7 - (5 - jump)) / 200);
    check_column(
        model, 2, "slider.s",
        [&](double t) {
          if (t < 0.035 - 1e-12) return 0.0;
          if (t < turn) return 2 * t - 0.05;
          return t < leaves ? rests : 2 * t - (5 + jump) / 100;
        },
        2e-3);
  }
}

// Two that fall up to 0.2 and to 0.5 m/s: together they fall up to the greater speed.
TEST_CASE("several frictions that fall with speed act as one") {
  const auto text = [](double c) {
    std::string drawn = kDrawnAlongLines;
    drawn.replace(drawn.find("equation"), 0,
                  "  Translational.StribeckFriction more(f0 = 1, d_fall = 2, v0 = 0.2);\n");
    drawn.replace(drawn.find("end Drawn"), 0, "  connect(slider.flange_b, more.flange_a);\n");
    drawn.replace(drawn.find("damping = 1"), 11, "damping = " + std::to_string(c));
    return drawn;
  };
  for (const double c : {0.0, 1.0}) {
    Model model("together.ltm", text(c));
    REQUIRE(own_states(model) == (c > 0 ? 1 : 0));
    for (const double speed : {0.1, 0.3, 0.51, 2.0}) {
      CAPTURE(c);
      CAPTURE(speed);
      model.set({{"speed", speed}});
      const double beyond = 6, holds = 8.4, first = holds / (kSpring * speed);
      const double period = (holds - beyond) / (kSpring * speed);
      const Function force = [&](double t) {
        if (c > 0) return -drawing_force(speed, c, holds, t, beyond);
        if (t < first - 1e-12) return -kSpring * speed * t;
        if (speed >= kFalls) return -beyond;
        return -beyond - kSpring * speed * std::fmod(t - first + 1e-12, period);
      };
      CHECK(greatest_error(audited_run(model, 1.93, 0.0097), model, "spring.f", force) <= 1e-9);
      const Simulation bdf = simulate(model, CvodeOptions{0, 1.93, 0.0097, 1e-10, false});
      REQUIRE(bdf.report.reason == StopReason::kDone);
      CHECK(greatest_error(bdf, model, "spring.f", force) <= (c > 0 ? 1e-4 : 1e-8));
    }
  }
}

// Two frictions of one speed, one that falls: what they share of a slip on another line than that
// of the mode does not add up.
TEST_CASE("a body that nothing loads rests on a friction that falls and one that does not") {
  const Model model("unloaded.ltm", R"(
model Unloaded
  Rotational.Inertia hub(J = 0);
  Rotational.StribeckFriction seat(d = 0.737, d_fall = 3.53, w0 = 0.593, tau0 = 0.23);
  Rotational.BearingFriction bearing(d = 0.228, tau0 = 0.252);
equation
  connect(hub.flange_a, seat.flange_a);
  connect(hub.flange_b, bearing.flange_a);
end Unloaded;
)");
  check_column(
      model, 1, "hub.phi", [](double) { return 0; }, 0);
}

// As the two of above, undamped, in one law.
TEST_CASE("a friction that falls along a table, or with a bound of the speed") {
  for (const std::string law :
       {"table(abs(v), {0, 0.2, 0.5}, {8.4, 7.2, 6})",
        "8.4 - 4*min(abs(v), 0.5) - 2*min(0.2, abs(v))",
        "8.4 - 2*nas(abs(v), 0.5) - table(abs(2*v), {0, 0.4, 1}, {0, 0.8, 1.4})"}) {
    CAPTURE(law);
    Model model("law.ltm", R"(
model Seat
  extends Translational.Interfaces.FlangePair;
  Real v;
  Real f;
equation
  flange_a.s = flange_b.s;
  v = der(flange_a.s);
  f = dryfriction(v, )" + law + R"(, 8.4);
  0 = flange_a.f + flange_b.f - f;
end Seat;
)" + drawn_slider("Seat seat;"));
    REQUIRE(own_states(model) == 0);
    for (const double speed : {0.3, 0.51}) {
      CAPTURE(speed);
      model.set({{"speed", speed}});
      const double first = 8.4 / (kSpring * speed), period = 2.4 / (kSpring * speed);
      const Function force = [&](double t) {
        if (t < first - 1e-12) return -kSpring * speed * t;
        if (speed >= kFalls) return -6.0;
        return -6 - kSpring * speed * std::fmod(t - first + 1e-12, period);
      };
      CHECK(greatest_error(audited_run(model, 1.93, 0.0097), model, "spring.f", force) <= 1e-9);
    }
  }
}

/// As kDrawnAlongLines, pressed on the ground N = 1 + growth time times as much: 7 N at rest, 5 N
/// beyond.
constexpr const char* kPressed = R"(
model Brake
  extends Translational.Interfaces.FlangePair;
  parameter Real d = 0;
  parameter Real growth = 1;
  Real v;
  Real f;
equation
  flange_a.s = flange_b.s;
  v = der(flange_a.s);
  f = d*v + dryfriction(v, (1 + growth*time)*(7 - 4*nas(abs(v), 0.5)), 7*(1 + growth*time));
  0 = flange_a.f + flange_b.f - f;
end Brake;
model Pressed
  parameter Real speed = 0.3;
  parameter Real jump = 0;
  parameter Real mass = 0;
  parameter Real damping = 0;
  parameter Real growth = 1;
  parameter Real seal = 0;
  Translational.Position drive;
  Translational.Spring spring(k = 100);
  Translational.Mass slider(m = mass);
  Translational.Force load;
  Brake seat(d = damping, growth = growth);
  Translational.SupportFriction more(f0 = seal);
equation
  drive.s_ref = speed*time;
  load.f = if time < 1.003 then 0 else -jump;
  connect(drive.flange, spring.flange_a);
  connect(spring.flange_b, slider.flange_a);
  connect(load.flange, slider.flange_b);
  connect(slider.flange_b, seat.flange_a);
  connect(slider.flange_b, more.flange_a);
end Pressed;
)";

TEST_CASE("a signal sets how strong a falling friction is: undamped") {
  for (const double seal : {0.0, 1.5}) {
    CAPTURE(seal);
    Model model("pressed.ltm", kPressed, {{"seal", std::to_string(seal)}});
    REQUIRE(own_states(model) == 0);
    for (const double speed : {0.1, 0.3, 0.45, 0.56, 2.0}) {
      CAPTURE(speed);
      model.set({{"speed", speed}});
      // It holds up to 7 (1 + t), and snaps to 5 (1 + t), and the seal besides; what slides goes at
      // speed - 5/100.
      const double rate = kSpring * speed;
      const auto force = [&](double t) {
        double since = 0, from = 0;
        for (;;) {
          const double leaves = (7 + seal - from + rate * since) / (rate - 7);
          if (rate <= 7 || t < leaves - 1e-12) return from + rate * (t - since);
          if (speed - 5 / kSpring >= kFalls) return 5 * (1 + t) + seal;
          since = leaves;
          from = 5 * (1 + leaves) + seal;
        }
      };
      const auto drawn = [&](double t) { return -force(t); };
      CHECK(greatest_error(audited_run(model, 1, 0.01), model, "spring.f", drawn) <= kBound);
      const Simulation bdf = simulate(model, CvodeOptions{0, 1, 0.01, 1e-10, false});
      REQUIRE(bdf.report.reason == StopReason::kDone);
      CHECK(greatest_error(bdf, model, "spring.f", drawn) <= 1e-8);
      const Simulation steps = simulate(model, EulerOptions{.stop = 0.5, .step = 5e-5});
      CHECK(std::fabs(steps.column(model, "spring.f").back() - drawn(0.5)) <= 0.1);
    }
  }
}

// T_0 has grown with the signal as well when the load turns the slide.
TEST_CASE("a load that turns a slide under a friction that a signal sets") {
  Model model("pressed.ltm", kPressed, {{"speed", "2"}});
  for (const double jump : {23.0, 25.0}) {
    CAPTURE(jump);
    model.set({{"jump", jump}});
    const double turn = 1.003, slides = 5 * (1 + turn);
    const double rests = 2 * turn - (jump > 2.4 * slides ? jump - slides : slides) / kSpring;
    const double leaves = (7 + jump + kSpring * rests) / 193;
    check_column(
        model, 2, "slider.s",
        [&](double t) {
          if (t < 7.0 / 193 - 1e-12) return 0.0;
          if (t < turn) return 2 * t - 5 * (1 + t) / kSpring;
          return t < leaves - 1e-12 ? rests : 2 * t - (5 * (1 + t) + jump) / kSpring;
        },
        5e-3);
  }
}

TEST_CASE("a signal sets how strong a falling friction is: damped") {
  Model model("pressed.ltm", kPressed, {{"damping", "1"}});
  REQUIRE(own_states(model) == 1);
  for (const double speed : {0.1, 0.3, 0.54, 0.56, 2.0}) {
    CAPTURE(speed);
    model.set({{"speed", speed}});
    const double rate = kSpring * speed, tends = speed - 5 / kSpring;
    const Function force = [&](double t) {
      double since = 0, from = 0;
      for (;;) {
        const double leaves = (7 - from + rate * since) / (rate - 7);
        if (rate <= 7 || t < leaves) return -(from + rate * (t - since));
        const double first = 2 * (1 + leaves);  // its speed then
        const double slips = tends < kFalls ? std::log((first - tends) / (kFalls - tends)) : 1e9;
        if (t <= leaves + slips / kSpring) {
          const double v = tends + (first - tends) * std::exp(-kSpring * (t - leaves));
          return -(5 * (1 + t) + v);
        }
        since = leaves + slips / kSpring;
        from = 5 * (1 + since) + kFalls;
      }
    };
    CHECK(greatest_error(audited_run(model, 1, 0.01), model, "spring.f", force) <= kBound);
    const Simulation bdf = simulate(model, CvodeOptions{0, 1, 0.01, 1e-10, false});
    CHECK(greatest_error(bdf, model, "spring.f", force) <= 1e-4);
  }
}

// Cycles of stick-slip get ever shorter until the friction falls by less than the damping rises: it
// slips from there on, with D v + 7 n = F and F' = k (0.3 - v), n = 1 - t/2 and D = 1 - 4 n.
TEST_CASE("a signal that makes a falling friction too weak for the damping ends stick-slip") {
  const Model model("pressed.ltm", kPressed, {{"damping", "1"}, {"growth", "-0.5"}});
  const Simulation run = simulate(model, TaylorOptions{0, 1.9, 0.01, 1e-10, true, true});
  REQUIRE(run.report.reason == StopReason::kDone);
  CHECK(run.report.events > 1000);
  const double rate = -290.0 / 102, at_zero = (610 + 3 * rate) / 100;
  const auto& force = run.column(model, "spring.f");
  double error = 0;
  for (std::size_t row = 0; row < force.size(); ++row) {
    const double t = run.time[row];
    if (t > 1.55) error = std::max(error, std::fabs(force[row] + at_zero + rate * t));
  }
  CHECK(error <= 1e-10);
}

// The other way round the slip begins to jump without end: D = 8 - 4 (1 + t) is 0 at t = 1.
TEST_CASE("a signal that makes a falling friction outweigh the damping of a slip ends the run") {
  const Model model("pressed.ltm", kPressed, {{"damping", "8"}});
  const Simulation run = simulate(model, TaylorOptions{0, 1.9, 0.01, 1e-10, true, true});
  CHECK(run.report.reason == StopReason::kAssertion);
  CHECK(run.report.time == doctest::Approx(1).epsilon(1e-6));
}

TEST_CASE("the limit of small inertia under a friction that a signal sets") {
  for (const std::string damping : {"1", "0.2"}) {
    check_small_mass(kPressed, {{"damping", damping}, {"speed", "0.4"}}, 0.9);
  }
}

// The hub has no speed of its own, whatever rounding makes of its slip as it begins to slide over
// the ground: `cross` needs load - 0.5, more than its T_K and less than T_S, and goes on holding.
//   J w' = 5 t + load - 2.5
TEST_CASE("a massless hub goes with the body that it is held to") {
  Model model("taken.ltm", kTaken);
  for (const double damping : {0.11, 0.12, 0.17, 0.21}) {
    for (int k = 0; k < 7; ++k) {
      const double load = 1.05 + 0.02 * k, start = (2.5 - load) / 5;
      CAPTURE(damping);
      CAPTURE(load);
      model.set({{"load", load}, {"damping", damping}});
      const Function speed = [&](double t) {
        const double since = std::max(t - start, 0.0);
        return 2.5 * since * since / 0.03;
      };
      const Simulation run = audited_run(model, 1, 0.01);
      CHECK(greatest_error(run, model, "body.w", speed) <= kBound);
      CHECK(greatest_error(run, model, "hub.w", speed) <= kBound);
    }
  }
}

TEST_CASE("the limit of small inertia") {
  Model model("drawn.ltm", kDrawnAlongLines);
  for (const double speed : {0.2, 0.4, 0.8}) {
    CAPTURE(speed);
    model.set({{"speed", speed}});
    const Simulation limit = audited_run(model, 0.6, 0.001);
    double last = 1;
    for (const std::string& mass : light_inertias({"1e-4", "1e-5", "1e-6"})) {
      CAPTURE(mass);
      const Model heavy("heavy.ltm", kDrawnAlongLines,
                        {{"mass", mass}, {"speed", std::to_string(speed)}});
      const Simulation run = simulate(heavy, TaylorOptions{0, 0.6, 0.001, 1e-9, false, true});
      REQUIRE(run.report.reason == StopReason::kDone);
      const auto at = [](const Simulation& r, double t) {
        return static_cast<std::size_t>(std::upper_bound(r.time.begin(), r.time.end(), t + 1e-9) -
                                        r.time.begin() - 1);
      };
      double error = 0;
      for (int i = 0; i <= 600; ++i) {
        const double t = 0.001 * i;
        error = std::max(error, std::fabs(run.column(heavy, "slider.s")[at(run, t)] -
                                          limit.column(model, "slider.s")[at(limit, t)]));
      }
      MESSAGE("mass ", mass, ": ", error);
      CHECK(error < 0.3 * last);
      last = error;
      CHECK(error < 1e-4 * std::stod(mass) / 1e-6);
    }
  }
}

TEST_CASE("the limit of small damping") {
  Model model("drawn.ltm", kDrawnAlongLines, {{"damping", "0"}});
  const Simulation limit = audited_run(model, 0.48, 0.001);
  double last = 1;
  for (const std::string damping : {"1e-1", "1e-2", "1e-3"}) {
    const Model damped("damped.ltm", kDrawnAlongLines, {{"damping", damping}});
    const Simulation run = simulate(damped, TaylorOptions{0, 0.48, 0.001, 1e-10, false, true});
    REQUIRE(run.report.reason == StopReason::kDone);
    // The way of the slips, each of which ends where F0 is in balance.
    const double error =
        std::fabs(run.column(damped, "slider.s").back() - limit.column(model, "slider.s").back());
    MESSAGE("damping ", damping, ": ", error);
    CHECK(error < 0.3 * last);
    last = error;
  }
  CHECK(last < 1e-4);
}

// Two hubs that a rigid shaft joins are one, whichever is declared first, and whichever has the
// bearing: its size goes by the speed of either.
TEST_CASE("a friction that falls on one of two rigidly joined hubs") {
  const auto ends = [](const char* hubs, const char* joined) {
    const Model model("hubs.ltm", std::string(R"(
model Hubs
  Rotational.Inertia motor(J = 0.7);
  Rotational.Inertia )") + hubs + R"(;
  Rotational.Fixed ground;
  Rotational.Spring shaft(k = 18);
  Rotational.Spring rigid(k = inf);
  Rotational.Torque load(tau = 4*sin(5*time));
  Rotational.Damper oil(d = 2.5);
  Rotational.StribeckFriction bearing(d = 0.1, d_fall = 0.2, w0 = 0.5, tau0 = 0.417);
equation
  connect(load.flange, motor.flange_a);
  connect(motor.flange_b, shaft.flange_a);
  connect(shaft.flange_b, one.flange_a);
  connect(one.flange_b, rigid.flange_a);
  connect(rigid.flange_b, other.flange_a);
  connect(one.flange_b, oil.flange_a);
  connect(oil.flange_b, ground.flange);
  connect()" + joined + R"(.flange_a, bearing.flange_a);
end Hubs;
)");
    const Simulation run = simulate(model, TaylorOptions{0, 3, 3, 1e-11, false});
    REQUIRE(run.report.reason == StopReason::kDone);
    return run.column(model, "motor.phi").back();
  };
  const double first = ends("one(J = 0), other(J = 0)", "other");
  CHECK(first == doctest::Approx(0.23202918).epsilon(1e-7));
  CHECK(ends("other(J = 0), one(J = 0)", "other") == doctest::Approx(first).epsilon(1e-9));
  CHECK(ends("one(J = 0), other(J = 0)", "one") == doctest::Approx(first).epsilon(1e-9));
}

// It falls up to no speed at all: dry friction beside a damper.
TEST_CASE("a Stribeck friction whose fall has no width is dry") {
  const auto ends = [](const char* friction) {
    const Model model("hub.ltm", std::string(R"(
model Hub
  Rotational.Inertia body(J = 0.7);
  Rotational.Inertia hub(J = 0);
  Rotational.Spring spring(k = 17.6);
  Rotational.Torque load(tau = 3*sin(2*time));
  Rotational.)") + friction + R"(;
equation
  connect(load.flange, body.flange_a);
  connect(body.flange_b, spring.flange_a);
  connect(spring.flange_b, hub.flange_a);
  connect(hub.flange_b, bearing.flange_a);
end Hub;
)");
    const Simulation run = simulate(model, TaylorOptions{0, 3, 3, 1e-12, false});
    REQUIRE(run.report.reason == StopReason::kDone);
    return run.column(model, "body.phi").back();
  };
  const double dry = ends("BearingFriction bearing(d = 0.1, tau0 = 0.444)");
  CHECK(ends("StribeckFriction bearing(d = 0.1, d_fall = 0.2, w0 = 0, tau0 = 0.444)") ==
        doctest::Approx(dry).epsilon(1e-12));
}

}  // namespace luztar::test
