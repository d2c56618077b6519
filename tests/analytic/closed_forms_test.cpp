// Compiled models by the Taylor solver against motions known in closed form.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "tests/support/closed_form.h"
#include "tests/support/exact_run.h"

namespace luztar::test {
namespace {

constexpr const char* kSineBlock = R"(
model SineBlock
  Translational.Mass body(m = 2);
  Translational.SupportFriction ground(f0 = 4, f0_static = 4);
  Translational.Force push;
  Blocks.Sine signal(amplitude = 6, f = 0.5);
equation
  connect(signal.y, push.f);
  connect(push.flange, body.flange_a);
  connect(body.flange_b, ground.flange_a);
end SineBlock;
)";

}  // namespace

TEST_CASE("Coulomb oscillator: each half swing takes pi/w and costs 2 T/k") {
  Model model("coulomb_oscillator", R"(
model CoulombOscillator
  Translational.Mass body(m = 2, s(start = 1));
  Translational.Spring spring(k = 50);
  Translational.SupportFriction ground(f0 = 4);
  Translational.Fixed wall;
equation
  connect(wall.flange, spring.flange_a);
  connect(spring.flange_b, body.flange_a);
  connect(body.flange_b, ground.flange_a);
end CoulombOscillator;
)");
  const double m = 2, k = 50, omega = std::sqrt(k / m);
  for (const double friction : {0.3, 1.7, 4.0, 9.0, 30.0, 60.0}) {
    CAPTURE(friction);
    model.set({{"ground.f0", friction}});
    const double loss = friction / k;
    // The first number of half swings after which |x| <= T/k.
    int swings = 0;
    while (1 - 2 * swings * loss > loss) ++swings;
    const auto turning = [&](int j) { return (j % 2 == 0 ? 1 : -1) * (1 - 2 * j * loss); };
    const Simulation run = exact_run(model, 15, 0.05);
    const std::vector<std::size_t> events = event_rows(run);
    const int expected = std::min(swings, static_cast<int>(15 * omega / kPi));
    REQUIRE(events.size() == static_cast<std::size_t>(expected));
    for (int j = 1; j <= expected; ++j) {
      const std::size_t row = events[static_cast<std::size_t>(j - 1)];
      check_near(run.time[row], j * kPi / omega);
      check_near(run.column(model, "body.s")[row], turning(j));
      CHECK(run.column(model, "body.v")[row + 1] == 0);
      const double next = j == swings ? 0 : j % 2 == 0 ? -1 : 1;
      CHECK(run.column(model, "ground.mode")[row + 1] == next);
    }
    check_column(run, model, "body.s", [&](double t) {
      const int j = static_cast<int>(t * omega / kPi);
      if (j >= swings) return turning(swings);
      const double middle = (j % 2 == 0 ? 1 : -1) * loss;
      return middle + (turning(j) - middle) * std::cos(omega * t - j * kPi);
    });
  }
}

TEST_CASE("stick-slip on a belt: period and stick time") {
  Model model("stick_slip_belt", R"(
model StickSlipBelt
  Translational.Mass body(m = 3, v(start = 0.25));
  Translational.Spring spring(k = 48);
  Translational.Fixed wall;
  Translational.Speed belt;
  Blocks.Constant speed(k = 0.25);
  Translational.CrossFriction face(f0 = 2, f0_static = 5);
equation
  connect(wall.flange, spring.flange_a);
  connect(spring.flange_b, body.flange_a);
  connect(speed.y, belt.v_ref);
  connect(belt.flange, face.flange_a);
  connect(face.flange_b, body.flange_b);
end StickSlipBelt;
)");
  const double m = 3, k = 48, V = 0.25, omega = std::sqrt(k / m);
  for (const double kinetic : {0.5, 2.0, 4.5}) {
    CAPTURE(kinetic);
    const double held = 5;
    model.set({{"face.f0", kinetic}, {"face.f0_static", held}});
    // About T_K/k the slip begins at D with the velocity of the belt and ends at -D with it.
    const double D = (held - kinetic) / k;
    const double slip_time = 2 * (kPi - std::atan(D * omega / V)) / omega;
    const double stick_time = 2 * D / V;
    const double first = held / k / V;
    const double period = slip_time + stick_time;
    const double stop = 20;
    const Simulation run = exact_run(model, stop, 0.05);
    const std::vector<std::size_t> events = event_rows(run);
    const int begun = static_cast<int>((stop - first) / period) + 1;
    const int ended = static_cast<int>((stop - first - slip_time) / period) + 1;
    REQUIRE(events.size() == static_cast<std::size_t>(begun + ended));
    for (std::size_t i = 0; i < events.size(); ++i) {
      const bool breaks = i % 2 == 0;
      const double cycle = static_cast<double>(i / 2) * period;
      check_near(run.time[events[i]], first + cycle + (breaks ? 0 : slip_time));
      check_near(run.column(model, "body.s")[events[i]], kinetic / k + (breaks ? D : -D));
      CHECK(run.column(model, "face.mode")[events[i] + 1] == (breaks ? -1 : 0));
      // The force falls to T_K at the breakaway.
      check_near(run.column(model, "face.f")[events[i] + 1],
                 breaks ? -kinetic : held - 2 * kinetic);
    }
    check_column(run, model, "body.s", [&](double t) {
      const double since = t - first;
      if (since < 0) return V * t;
      const double tau = since - std::floor(since / period) * period;
      if (tau >= slip_time) return kinetic / k - D + V * (tau - slip_time);
      return kinetic / k + D * std::cos(omega * tau) + V / omega * std::sin(omega * tau);
    });
  }
}

TEST_CASE("block on dry ground under a sine force: breakaway at asin(T_S/A)/w, then closed form") {
  Model model("sine_block", kSineBlock);
  const double m = 2, A = 6, w = kPi;
  for (const auto& [kinetic, held] : {std::pair{4.0, 4.0}, {3.5, 5.0}, {5.5, 5.9}}) {
    CAPTURE(kinetic);
    CAPTURE(held);
    const double T = kinetic;
    model.set({{"ground.f0", kinetic}, {"ground.f0_static", held}});
    const double leaves = std::asin(held / A) / w;
    // m v and m x after the breakaway.
    const auto momentum = [&](auto t) {
      return A / w * (std::cos(w * leaves) - std::cos(w * t)) - T * (t - leaves);
    };
    const auto way = [&](double t) {
      const double tau = t - leaves;
      return A / w * (std::cos(w * leaves) * tau - (std::sin(w * t) - std::sin(w * leaves)) / w) -
             T * tau * tau / 2;
    };
    // The velocity grows until the force has fallen to T_K again.
    const double fastest = 1 - std::asin(T / A) / w;
    const double rests = zero_between(fastest, leaves + 1, momentum);
    // It rests until the next half period only if the force is within the bound.
    REQUIRE(std::fabs(A * std::sin(w * rests)) < held);
    const double distance = way(rests) / m;
    const Simulation run = exact_run(model, 7 + leaves + 0.98, 0.02);
    const std::vector<std::size_t> events = event_rows(run);
    REQUIRE(events.size() == 16);
    for (std::size_t i = 0; i < events.size(); ++i) {
      const double half = static_cast<double>(i / 2);
      check_near(run.time[events[i]], half + (i % 2 == 0 ? leaves : rests));
      const double direction = i % 2 == 1 ? 0 : (i / 2) % 2 == 0 ? 1 : -1;
      CHECK(run.column(model, "ground.mode")[events[i] + 1] == direction);
    }
    // Forth and back, half a period apart.
    const auto half_of = [&](double t) { return std::floor(std::max(t - leaves, 0.0)); };
    check_column(run, model, "body.s", [&](double t) {
      const double half = half_of(t), tau = std::clamp(t - half, leaves, rests);
      return std::fmod(half, 2) == 0 ? way(tau) / m : distance - way(tau) / m;
    });
    check_column(run, model, "body.v", [&](double t) {
      const double half = half_of(t), tau = std::clamp(t - half, leaves, rests);
      return (std::fmod(half, 2) == 0 ? 1 : -1) * momentum(tau) / m;
    });
  }
}

// A number of rounds that users set: rounding, and the errors of steps, are on either side of it.
TEST_CASE("a load that reaches T_S exactly and no more moves nothing, at any tolerance") {
  Model pushed("pushed", kSineBlock);
  pushed.set({{"ground.f0", 1.0}, {"signal.amplitude", 2.0}});
  // The spring swings between 0 and 2 f: x of `free` about f/k.
  Model pulled("pulled", R"(
model Pulled
  Translational.Mass free(m = 1);
  Translational.Spring spring(k = 100);
  Translational.Mass body(m = 1);
  Translational.SupportFriction ground(f0 = 1, f0_static = 2);
  Translational.Force push;
equation
  push.f = 1;
  connect(push.flange, free.flange_a);
  connect(free.flange_b, spring.flange_a);
  connect(spring.flange_b, body.flange_a);
  connect(body.flange_b, ground.flange_a);
end Pulled;
)");
  for (const double tolerance : {1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-12, 1e-14}) {
    CAPTURE(tolerance);
    for (Model* model : {&pushed, &pulled}) {
      model->set({{"ground.f0_static", 2.0}});
      const Simulation run = simulate(*model, TaylorOptions{0, 20, 0.1, tolerance, true});
      CHECK(run.report.reason == StopReason::kDone);
      CHECK(run.report.events == 0);
      for (const double s : run.column(*model, "body.s")) CHECK(s == 0);
    }
    // Less by a hundred times the tolerance breaks away, in time.
    const double held = 2 - 200 * tolerance;
    pushed.set({{"ground.f0_static", held}});
    const Simulation run = simulate(pushed, TaylorOptions{0, 1, 0.1, tolerance, true});
    const std::vector<std::size_t> events = event_rows(run);
    REQUIRE(!events.empty());
    const double leaves = std::asin(held / 2) / kPi;
    // The load is known to the tolerance, the time by its slope.
    const double slope = 2 * kPi * std::cos(kPi * leaves);
    CHECK(std::fabs(run.time[events.front()] - leaves) <= 10 * tolerance / slope);
  }
}

TEST_CASE("freeplay oscillator without damping: free flight and half sine") {
  Model model("freeplay_oscillator", R"(
model FreeplayOscillator
  parameter Units.Velocity v0 = 1;
  Translational.Mass body(m = 0.5, v(start = v0));
  Translational.FreeplaySpring spring(k = 200, half_freeplay = 0.1);
  Translational.Fixed wall;
equation
  connect(wall.flange, spring.flange_a);
  connect(spring.flange_b, body.flange_a);
end FreeplayOscillator;
)");
  const double omega = std::sqrt(200 / 0.5), b = 0.1;
  for (const double v : {0.05, 1.5, 40.0}) {
    CAPTURE(v);
    model.set({{"v0", v}});
    const double contact = kPi / omega, flight = 2 * b / v, period = 2 * (contact + flight);
    const double stop = 10.3 * period;
    const Simulation run = exact_run(model, stop, period / 64);
    const std::vector<std::size_t> events = event_rows(run);
    const auto event_time = [&](std::size_t i) {
      return static_cast<double>(i / 2) * period / 2 + flight / 2 + (i % 2 == 0 ? 0 : contact);
    };
    REQUIRE(events.size() > 40);
    CHECK(event_time(events.size()) > stop);
    for (std::size_t i = 0; i < events.size(); ++i) {
      // The slower, the longer: errors of time are relative to the period.
      CHECK(std::fabs(run.time[events[i]] - event_time(i)) <= kBound * std::max(1.0, period));
      const double side = (i / 2) % 2 == 0 ? 1 : -1;
      check_near(run.column(model, "body.s")[events[i]], side * b);
    }
    check_column(run, model, "body.s", [&](double t) {
      const double since = t + flight / 2;  // since it left the edge at -b
      const double half = std::floor(2 * since / period);
      const double side = std::fmod(half, 2) == 0 ? 1 : -1;
      const double tau = since - half * period / 2;
      if (tau < flight) return side * (v * tau - b);
      return side * (b + v / omega * std::sin(omega * (tau - flight)));
    });
  }
}

TEST_CASE("two blocks: the bottom one stays at rest while the top one slides") {
  // Gauss' minimum is not the clamp of each force: P2 sec. 4 at rest, corrected.
  const Model model("erratum", R"(
model Erratum
  Translational.Mass top(m = 1);
  Translational.Mass bottom(m = 1);
  Translational.CrossFriction between(f0 = 1);
  Translational.SupportFriction ground(f0 = 5);
  Translational.Force push;
  Blocks.Constant load(k = 10);
equation
  connect(top.flange_b, between.flange_a);
  connect(between.flange_b, bottom.flange_a);
  connect(bottom.flange_b, ground.flange_a);
  connect(load.y, push.f);
  connect(push.flange, top.flange_a);
end Erratum;
)");
  const Simulation run = exact_run(model, 2, 0.1);
  CHECK(event_rows(run).empty());
  check_column(run, model, "top.a", [](double) { return 9.0; });
  check_column(run, model, "top.v", [](double t) { return 9 * t; });
  check_column(run, model, "top.s", [](double t) { return 4.5 * t * t; });
  check_column(run, model, "between.f", [](double) { return -1.0; });
  check_column(run, model, "ground.f", [](double) { return 1.0; });
  for (const double v : run.column(model, "bottom.v")) CHECK(v == 0);
  for (const double s : run.column(model, "bottom.s")) CHECK(s == 0);
}

TEST_CASE("a ramp from the start on moves nothing before its time") {
  const Model model("ramp_start", R"(
model RampStart
  Translational.Mass body(m = 1);
  Translational.SupportFriction ground(f0 = 2);
  Translational.Force push;
  Blocks.Ramp signal(height = 10, duration = 10);
equation
  connect(signal.y, push.f);
  connect(push.flange, body.flange_a);
  connect(body.flange_b, ground.flange_a);
end RampStart;
)");
  const Simulation run = exact_run(model, 4, 1);
  CHECK(event_rows(run).size() == 1);
  CHECK(run.column(model, "ground.mode")[0] == 0);
}

TEST_CASE("pulses and trapezoids repeat") {
  const Model model("pulses", R"(
model Pulses
  Blocks.Pulse pulse(amplitude = 2, width = 30, period = 0.4, offset = 1, startTime = 0.1);
  Blocks.Trapezoid trapezoid(amplitude = 3, rising = 0.1, width = 0.2, falling = 0.4, period = 1);
  Translational.Mass body(m = 1);
  Translational.Force push;
equation
  connect(pulse.y, push.f);
  connect(push.flange, body.flange_a);
end Pulses;
)");
  const Simulation run = exact_run(model, 3.05, 0.03);
  CHECK(event_rows(run).size() >= 16);
  const auto fall = [](double t) { return 3 * (0.7 - t) / 0.4; };
  check_column(run, model, "trapezoid.y", [&](double t) {
    const double x = std::fmod(t, 1.0);
    return x < 0.1 ? 30 * x : x < 0.3 ? 3 : x < 0.7 ? fall(x) : 0;
  });
  // The integral of the pulses.
  const auto impulse = [](double t) {
    const double x = std::max(t - 0.1, 0.0), whole = std::floor(x / 0.4);
    return t + 2 * (whole * 0.12 + std::min(x - whole * 0.4, 0.12));
  };
  check_column(run, model, "body.v", impulse);
}

TEST_CASE("bodies that hold each other leave as one, although a friction drops") {
  // The ground friction of m1 is at its bound from 0.1 s on; at 0.2 s that of m2 follows and drops
  // from 0.5 N to 0.3 N, which moves both: 3 a = 5 t - 0.5 - 0.3.
  const Model model("held_pair", R"(
block Line
  output Real y;
equation
  y = 5*time;
end Line;
model HeldPair
  Translational.Mass m1(m = 1);
  Translational.Mass m2(m = 2);
  Translational.CrossFriction face(f0 = 10);
  Translational.SupportFriction ground_1(f0 = 0.5);
  Translational.SupportFriction ground_2(f0 = 0.3, f0_static = 0.5);
  Translational.Force push;
  Line signal;
equation
  connect(m1.flange_b, face.flange_a);
  connect(face.flange_b, m2.flange_a);
  connect(m1.flange_a, ground_1.flange_a);
  connect(m2.flange_b, ground_2.flange_a);
  connect(signal.y, push.f);
  connect(push.flange, m1.flange_a);
end HeldPair;
)");
  const Simulation run = exact_run(model, 1, 0.1);
  const auto speed = [](double t) {
    const double tau = std::max(t - 0.2, 0.0);
    return (0.2 * tau + 2.5 * tau * tau) / 3;
  };
  check_column(run, model, "m1.v", speed);
  check_column(run, model, "m2.v", speed);
}

}  // namespace luztar::test
