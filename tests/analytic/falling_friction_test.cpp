// Dry friction that falls with speed, on bodies without inertia (P3, Stribeck): from rest the slip
// jumps beyond the falling part, and at its end comes to rest. Against closed forms, and against
// the limit of small inertia.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "tests/support/column_check.h"
#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

/// A slider drawn over the ground by a spring whose other end moves at a steady speed.
constexpr const char* kDrawn = R"(
model Drawn
  parameter Real speed = 0.3;
  parameter Real mass = 0;
  parameter Real damping = 1;
  parameter Real holds = 7;
  Translational.Position drive;
  Translational.Spring spring(k = 100);
  Translational.Mass slider(m = mass);
  Translational.StribeckFriction seat(f0 = 5, d = damping, d_fall = 4 - 2*damping, v0 = 0.5,
                                      f0_static = holds);
equation
  drive.s_ref = speed*time;
  connect(drive.flange, spring.flange_a);
  connect(spring.flange_b, slider.flange_a);
  connect(slider.flange_b, seat.flange_a);
end Drawn;
)";
constexpr double kSpring = 100, kFalls = 0.5, kBeyond = 5;  // k, V0, F0

/// The force of the spring as it draws at `speed` a slider of damping c > 0 that holds up to T_S:
/// c v = F - F0 while it slips.
double drawing_force(double speed, double c, double holds, double t) {
  const double leaves = (holds - kBeyond) / c;
  const auto slipping = [&](double since) {
    return kBeyond + c * (speed + (leaves - speed) * std::exp(-kSpring / c * since));
  };
  const double first = holds / (kSpring * speed);
  if (t <= first) return kSpring * speed * t;
  if (speed >= kFalls) return slipping(t - first);
  const double slips = c / kSpring * std::log((leaves - speed) / (kFalls - speed));
  const double rests = (holds - kBeyond - c * kFalls) / (kSpring * speed);
  const double phase = std::fmod(t - first, slips + rests);
  if (phase <= slips) return slipping(phase);
  return kBeyond + c * kFalls + kSpring * speed * (phase - slips);
}

}  // namespace

TEST_CASE("a damped slider sticks and slips, or slides on when it is drawn fast enough") {
  Model model("drawn.ltm", kDrawn);
  REQUIRE(own_states(model) == 1);
  for (const double speed : {0.1, 0.3, 0.49, 0.51, 2.0}) {
    for (const double holds : {7.0, 9.0}) {
      CAPTURE(speed);
      CAPTURE(holds);
      model.set({{"speed", speed}, {"holds", holds}});
      const Function force = [&](double t) { return -drawing_force(speed, 1, holds, t); };
      CHECK(greatest_error(exact_run(model, 2, 0.01), model, "spring.f", force) <= kBound);
      // What an event is late by grows where the slip tends to a speed near that of rest.
      const Simulation bdf = simulate(model, CvodeOptions{0, 2, 0.01, 1e-10, false});
      CHECK(greatest_error(bdf, model, "spring.f", force) <= 1e-4);
      const Simulation steps = simulate(model, EulerOptions{.stop = 2, .step = 1e-5});
      CHECK(greatest_error(steps, model, "spring.f", force) <= 0.1);
    }
  }
}

TEST_CASE("without damping it snaps and rests, or slides on at the force beyond") {
  Model model("drawn.ltm", kDrawn, {{"damping", "0"}});
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
    const double error = greatest_error(exact_run(model, 1.93, 0.0097), model, "spring.f",
                                        [&](double t) { return -force(t); });
    const Simulation bdf = simulate(model, CvodeOptions{0, 1.93, 0.0097, 1e-10, false});
    REQUIRE(bdf.report.reason == StopReason::kDone);
    CHECK(error <= 1e-9);
    CHECK(greatest_error(bdf, model, "spring.f", [&](double t) { return -force(t); }) <= 1e-8);
    const Simulation steps = simulate(model, EulerOptions{.stop = 1.93, .step = 1e-5});
    CHECK(std::fabs(steps.column(model, "spring.f").back() + force(1.93)) <= 0.05);
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

TEST_CASE("the limit of small inertia") {
  Model model("drawn.ltm", kDrawn);
  for (const double speed : {0.2, 0.4, 0.8}) {
    CAPTURE(speed);
    model.set({{"speed", speed}});
    const Simulation limit = exact_run(model, 0.6, 0.001);
    double last = 1;
    for (const std::string mass : {"1e-4", "1e-5", "1e-6"}) {
      CAPTURE(mass);
      const Model heavy("heavy.ltm", kDrawn, {{"mass", mass}, {"speed", std::to_string(speed)}});
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
    }
    CHECK(last < 1e-4);
  }
}

TEST_CASE("the limit of small damping") {
  Model model("drawn.ltm", kDrawn, {{"damping", "0"}});
  const Simulation limit = exact_run(model, 0.48, 0.001);
  double last = 1;
  for (const std::string damping : {"1e-1", "1e-2", "1e-3"}) {
    const Model damped("damped.ltm", kDrawn, {{"damping", damping}});
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

}  // namespace luztar::test
