// Dry friction that falls along lines by less than the damping of its body without inertia rises:
// the speed is a broken line of the load, and jumps only between lines that are steeper (P3,
// Stribeck, in the limit M -> 0). Against closed forms.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <string>

#include "tests/analytic/drawn_slider.h"
#include "tests/support/column_check.h"
#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

constexpr double kHumpDamping = 6, kFall = 4, kHumpFalls = 0.5, kHumpBeyond = 5;

/// Damped by d, with a friction that its speed v makes `kinetic`, and that holds with f0_static.
std::string damped_seat(const std::string& d, const std::string& kinetic) {
  return "model Seat\n"
         "  extends Translational.Interfaces.FlangePair;\n"
         "  parameter Real f0_static = 6;\n"
         "  Real v, f;\n"
         "equation\n"
         "  flange_a.s = flange_b.s;\n"
         "  v = der(flange_a.s);\n"
         "  f = " +
         d + "*v + dryfriction(v, " + kinetic +
         ", f0_static);\n"
         "  0 = flange_a.f + flange_b.f - f;\n"
         "end Seat;\n";
}

/// A slider on such a seat under a load that rises to `most` at 1 s and returns to nothing at 2.
std::string pressed_slider(const std::string& mass, const std::string& most,
                           const std::string& seat) {
  return seat + "model Pressed\n  Translational.Mass slider(m = " + mass +
         ");\n  Seat seat;\n  Translational.Force load(f = " + most +
         R"(*(1 - abs(1 - time)));
equation
  connect(load.flange, slider.flange_a);
  connect(slider.flange_b, seat.flange_a);
end Pressed;
)";
}

/// The run over these 2 s has the speed, and CVODE ends where it does, with as many events.
void check_pressed(const Model& model, std::uint64_t events, const Function& speed) {
  const Simulation run = audited_run(model, 2, 0.0031);
  CHECK(run.report.events == events);
  CHECK(greatest_error(run, model, "slider.v", speed) <= kBound);
  const Simulation bdf = simulate(model, CvodeOptions{0, 2, 0.0031, 1e-10, false});
  CHECK(bdf.report.events == events);
  CHECK(std::fabs(bdf.column(model, "slider.s").back() - run.column(model, "slider.s").back()) <=
        1e-7);
}

const std::string kOutweighed = damped_seat("6", "5 + 4*(0.5 - nas(abs(v), 0.5))") +
                                drawn_slider("Seat seat(f0_static = holds);");

/// The force at which it slips with u > 0.
double force_at(double u) {
  return kHumpBeyond + kFall * (kHumpFalls - std::fmin(u, kHumpFalls)) + kHumpDamping * u;
}

/// The force of a spring by which it is drawn at `speed`: k (speed - u) is its rate, from where it
/// gives way at T_S.
double drawing_force(double speed, double holds, double t) {
  const double first = holds / (kSpring * speed);
  if (t <= first) return kSpring * speed * t;
  const double end = force_at(kHumpFalls), to = force_at(speed);
  const auto tending = [&](double from, double c, double limit, double since) {
    return limit + (from - limit) * std::exp(-kSpring / c * since);
  };
  const bool on_line = holds < end;
  const double c = on_line ? kHumpDamping - kFall : kHumpDamping;
  // where that line would lead
  const double limit = on_line ? end + (kHumpDamping - kFall) * (speed - kHumpFalls)
                               : end + kHumpDamping * (speed - kHumpFalls);
  const bool crosses = on_line != (to < end);
  const double crossing =
      crosses ? c / kSpring * std::log((holds - limit) / (end - limit)) : INFINITY;
  if (t - first <= crossing) return tending(holds, c, limit, t - first);
  return tending(end, on_line ? kHumpDamping : kHumpDamping - kFall, to, t - first - crossing);
}

}  // namespace

TEST_CASE("a slider drawn over a friction whose fall the damping makes up for") {
  Model model("outweighed.ltm", kOutweighed);
  REQUIRE(own_states(model) == 1);
  for (const double speed : {0.1, 0.49, 0.51, 2.0}) {
    for (const double holds : {7.0, 7.5, 9.5}) {
      CAPTURE(speed);
      CAPTURE(holds);
      model.set({{"speed", speed}, {"holds", holds}});
      const Function force = [&](double t) { return -drawing_force(speed, holds, t); };
      CHECK(greatest_error(audited_run(model, 2, 0.01), model, "spring.f", force) <= 10 * kBound);
      const Simulation bdf = simulate(model, CvodeOptions{0, 2, 0.01, 1e-10, false});
      CHECK(greatest_error(bdf, model, "spring.f", force) <= 1e-4);
      const Simulation steps = simulate(model, EulerOptions{.stop = 2, .step = 1e-5});
      CHECK(greatest_error(steps, model, "spring.f", force) <= 0.1);
    }
  }
}

namespace {

/// Between the ground and a belt at 1 m/s: several lines, a damper, and strengths that vary.
constexpr const char* kBetween = R"(
model Line
  extends Translational.Interfaces.TwoFlanges;
  Real n;
equation
  f = dryfriction(v_rel, n*(4 - 2*nas(abs(v_rel), 0.4) - 1.5*nas(abs(v_rel), 1.2)), 4*n);
end Line;
model Between
  Translational.Fixed ground;
  Translational.Speed belt(v_ref = 1);
  Translational.Mass slider(m = 0);
  Translational.Damper damper(d = 9);
  Line seat, rub(n = 0.5 + 0.1*time);
  Translational.Force load(f = 15*sin(2*time) + 3*time);
equation
  seat.n = 1 + 0.5*sin(3*time);
  connect(ground.flange, damper.flange_a);
  connect(ground.flange, seat.flange_a);
  connect(belt.flange, rub.flange_a);
  connect(damper.flange_b, slider.flange_a);
  connect(seat.flange_b, slider.flange_a);
  connect(rub.flange_b, slider.flange_a);
  connect(load.flange, slider.flange_b);
end Between;
)";

}  // namespace

TEST_CASE("of several frictions whose falls the damping makes up for the speed follows the load") {
  const Model model("between.ltm", kBetween);
  REQUIRE(own_states(model) == 1);
  const auto friction = [](double u) {
    const double size = std::fabs(u);
    const double kinetic = 4 - 2 * std::fmin(size, 0.4) - 1.5 * std::fmin(size, 1.2);
    return u == 0 ? 0 : std::copysign(kinetic, u);
  };
  const Function speed = [&](double t) {
    const double seat = 1 + 0.5 * std::sin(3 * t), rub = 0.5 + 0.1 * t;
    const double load = 15 * std::sin(2 * t) + 3 * t;
    double low = -10, high = 10;  // the least at which the forces exceed the load
    for (int i = 0; i < 100; ++i) {
      const double v = (low + high) / 2;
      (9 * v + seat * friction(v) + rub * friction(v - 1) < load ? low : high) = v;
    }
    return high;
  };
  const Simulation run = audited_run(model, 5, 0.01);
  CHECK(run.report.events > 30);
  CHECK(greatest_error(run, model, "slider.v", speed) <= 10 * kBound);
  const Simulation bdf = simulate(model, CvodeOptions{0, 5, 0.01, 1e-10, false});
  CHECK(greatest_error(bdf, model, "slider.v", speed) <= 1e-6);
  const Simulation steps = simulate(model, EulerOptions{.stop = 5, .step = 1e-4});
  CHECK(greatest_error(steps, model, "slider.v", speed) <= 0.02);
}

// Up to 7 N it holds, and the line ends at 8.
TEST_CASE("a slip that just touches the end of the line") {
  Model model("touches.ltm", R"(
model Touches
  parameter Real most = 8;
  Translational.Mass slider(m = 0);
  Translational.Damper damper(d = 6);
  Translational.Fixed ground;
  Translational.StribeckFriction seat(f0 = 5, d_fall = 4, v0 = 0.5);
  Translational.Force load(f = most*sin(3*time));
equation
  connect(load.flange, slider.flange_a);
  connect(slider.flange_b, damper.flange_a);
  connect(damper.flange_b, ground.flange);
  connect(slider.flange_b, seat.flange_a);
end Touches;
)");
  for (const double most : {8.0, 8 - 1e-9, 8 + 1e-9}) {
    CAPTURE(most);
    model.set({{"most", most}});
    const Function speed = [&](double t) {
      const double load = most * std::sin(3 * t), size = std::fabs(load);
      const double u = size < 7 ? 0 : size < 8 ? (size - 7) / 2 : 0.5 + (size - 8) / 6;
      return std::copysign(u, load);
    };
    CHECK(greatest_error(audited_run(model, 10, 0.01), model, "slider.v", speed) <= kBound);
    const Simulation bdf = simulate(model, CvodeOptions{0, 10, 0.01, 1e-10, false});
    CHECK(greatest_error(bdf, model, "slider.v", speed) <= 1e-8);
  }
}

// Up to 0.4 m/s the falls together outweigh the damping: the speed jumps there, either way.
TEST_CASE("a fall that is steep at first, and then outweighed") {
  const Model model(
      "steep.ltm",
      pressed_slider("0", "8", damped_seat("3", "6 - 2*nas(abs(v), 0.4) - 2*nas(abs(v), 1.2)")));
  // 6 - u up to 0.4, 5.2 + u up to 1.2, 2.8 + 3 u beyond
  const auto slip = [](double load) {
    const double u = load - 5.2;
    return u < 1.2 ? u : (load - 2.8) / 3;
  };
  const Function speed = [&](double t) {
    const double load = 8 * (1 - std::fabs(1 - t));
    const bool slips = t < 1 ? load > 6 - 1e-12 : load > 5.6 + 1e-12;
    return slips ? slip(load) : 0.0;
  };
  check_pressed(model, 5, speed);
}

// Falls, rises and falls again: 2 u + T(u) has jumps at 6 and 7 N up and at 6 and 4 N down, T as
// the table says between its knots.
TEST_CASE("a friction that falls, rises and falls with speed") {
  const auto hump = [](const std::string& mass, const std::string& d) {
    const std::string kinetic = "table(abs(v), {0, 0.5, 1, 1.5, 2}, {6, 3, 5, 3.5, 2})";
    return pressed_slider(mass, "9", damped_seat(d, kinetic));
  };
  const Model model("hump.ltm", hump("0", "2"));
  // With 2 u: 6, 4 at 0.5, 7 at 1, 6.5 at 1.5, 6 at 2, and 2 + 2 u beyond.
  const Function speed = [](double t) {
    const double load = 9 * (1 - std::fabs(1 - t));
    const double low = 0.5 + (load - 4) / 6, beyond = (load - 2) / 2;
    if (t < 1) return load < 6 - 1e-12 ? 0.0 : load < 7 ? low : beyond;
    return load > 6 + 1e-12 ? beyond : load > 4 + 1e-12 ? low : 0.0;
  };
  check_pressed(model, 5, speed);
  check_light_limit([&](const std::string& mass) { return hump(mass, "2"); }, 2, {"slider.s"},
                    1e-3);
  const auto undamped = run_stages("hump.ltm", hump("0", "0"), Stage::kProgram);
  CHECK_FALSE(undamped->program);
  CHECK(undamped->messages().find("does not fall with speed throughout") != std::string::npos);
}

}  // namespace luztar::test
