// The library's parts one by one or in small groups, against closed forms.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "tests/support/model.h"
#include "tests/support/probe.h"
#include "tests/support/random_draws.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

/// Outputs of a model with no state to set.
double output_at(const Model& model, double time, std::string_view name) {
  const std::vector<std::int32_t> mode(model.system().frictions.size(), 0);
  return model.evaluate(time, model.start(), mode).outputs[model.output(name)];
}

}  // namespace

TEST_CASE("signal sources and blocks") {
  Model model("signals", R"(
model Signals
  Blocks.Constant level(k = 7);
  Blocks.Step step(height = 3, offset = -1, startTime = 0.5);
  Blocks.Ramp ramp(height = 4, duration = 2, offset = 1, startTime = 1);
  Blocks.Ramp jump(height = 4, duration = 0, startTime = 1);
  Blocks.Sine sine(amplitude = 2, f = 0.25, phase = 0.3, offset = 5, startTime = 1);
  Blocks.Gain gain(k = -2);
  Blocks.Add sum(k1 = 2, k2 = -3);
equation
  connect(ramp.y, gain.u);
  connect(gain.y, sum.u1);
  connect(sine.y, sum.u2);
end Signals;
)");
  for (const double t : {0.0, 0.25, 0.4999, 0.5, 0.9999, 1.0, 1.7, 2.9999, 3.0, 8.0}) {
    INFO("time ", t);
    const double ramp = 1 + 4 * std::clamp((t - 1) / 2, 0.0, 1.0);
    const double sine = 5 + (t < 1 ? 0 : 2 * std::sin(2 * std::numbers::pi * 0.25 * (t - 1) + 0.3));
    CHECK(output_at(model, t, "level.y") == 7);
    CHECK(output_at(model, t, "step.y") == (t < 0.5 ? -1 : 2));
    CHECK(output_at(model, t, "ramp.y") == doctest::Approx(ramp).epsilon(1e-14));
    CHECK(output_at(model, t, "jump.y") == (t < 1 ? 0 : 4));
    CHECK(output_at(model, t, "sine.y") == doctest::Approx(sine).epsilon(1e-14));
    CHECK(output_at(model, t, "gain.y") == doctest::Approx(-2 * ramp).epsilon(1e-14));
    CHECK(output_at(model, t, "sum.y") == doctest::Approx(-4 * ramp - 3 * sine).epsilon(1e-14));
  }
}

TEST_CASE("ideal gear and rack carry inertia with the square of the ratio and lose no power") {
  Model model("gears", R"(
model Gears
  Rotational.Torque drive;
  Blocks.Constant torque(k = 2.5);
  Rotational.Inertia shaft(J = 0.3);
  Rotational.IdealGear gear(ratio = -4);
  Rotational.Inertia pinion(J = 5);
  RotationalTranslational.RackPinion rack(ratio = 8);
  Translational.Mass slide(m = 700);
equation
  connect(torque.y, drive.tau);
  connect(drive.flange, shaft.flange_a);
  connect(shaft.flange_b, gear.flange_a);
  connect(gear.flange_b, pinion.flange_a);
  connect(pinion.flange_b, rack.flangeR);
  connect(rack.flangeT, slide.flange_a);
end Gears;
)");
  REQUIRE(own_states(model) == 2);
  const double J = 0.3 + 5.0 / 16 + 700.0 / (32 * 32);  // seen from the shaft
  const double a = 2.5 / J;
  CHECK(output_at(model, 0, "shaft.a") == doctest::Approx(a).epsilon(1e-13));
  CHECK(output_at(model, 0, "pinion.a") == doctest::Approx(-a / 4).epsilon(1e-13));
  CHECK(output_at(model, 0, "slide.a") == doctest::Approx(-a / 32).epsilon(1e-13));
  const double tau_a = output_at(model, 0, "gear.flange_a.tau");
  CHECK(tau_a == doctest::Approx(2.5 - 0.3 * a).epsilon(1e-13));
  CHECK(output_at(model, 0, "gear.flange_b.tau") == doctest::Approx(4 * tau_a).epsilon(1e-13));
  CHECK(output_at(model, 0, "rack.flangeT.f") == doctest::Approx(700 * a / 32).epsilon(1e-12));
  CHECK(output_at(model, 0, "rack.flangeR.tau") ==
        doctest::Approx(-700 * a / 32 / 8).epsilon(1e-12));
}

TEST_CASE("springs, dampers and walls on a rotating body") {
  Model model("rotational", R"(
model Rotational1
  Rotational.Inertia body(J = 2, phi(start = 0.4), w(start = -3));
  Rotational.Fixed wall(phi0 = 0.2);
  Rotational.Spring spring(k = 30, phi_rel0 = 0.05);
  Rotational.Damper damper(d = 0.7);
  Rotational.SpringDamper both(k = 11, d = 0.3, phi_rel0 = -0.1);
  Rotational.FreeplaySpring play(k = 500, half_freeplay = 0.3);
equation
  connect(wall.flange, spring.flange_a);
  connect(wall.flange, damper.flange_a);
  connect(wall.flange, both.flange_a);
  connect(wall.flange, play.flange_a);
  connect(spring.flange_b, body.flange_a);
  connect(damper.flange_b, body.flange_a);
  connect(both.flange_b, body.flange_b);
  connect(play.flange_b, body.flange_b);
end Rotational1;
)");
  REQUIRE(own_states(model) == 2);
  CHECK(model.start()[model.state({"body.phi"})] == 0.4);
  CHECK(model.start()[model.state({"body.w"})] == -3);
  RandomDraws random(20);
  Coverage seen;
  for (int i = 0; i < 200; ++i) {
    const double phi = random.uniform(-1, 1), w = random.uniform(-5, 5), x = phi - 0.2;
    Probe probe(model);
    probe[{"body.phi"}] = phi;
    probe[{"body.w"}] = w;
    probe.evaluate(0);
    const Tracked relative = Tracked(phi) - Tracked(0.2);
    const Tracked play = Tracked(500.0) * luz(relative, 0.3);
    const Tracked spring = Tracked(30.0) * (relative - Tracked(0.05));
    const Tracked both = Tracked(11.0) * (relative + Tracked(0.1)) + Tracked(0.3 * w);
    probe.check_derivative({"body.w"}, -(spring + Tracked(0.7 * w) + both + play) / Tracked(2.0));
    probe.check_output("spring.tau", spring);
    probe.check_output("both.tau", both);
    probe.check_output("play.tau", play);
    probe.check_output("spring.phi_rel", relative);
    probe.check_output("damper.w_rel", w);
    seen.zone(x, 0.3);
  }
  CHECK(seen.all_zones());
}

TEST_CASE("springs, dampers and walls on a sliding body with a length") {
  Model model("translational", R"(
model Translational1
  Translational.Mass body(m = 2, L = 0.5, s(start = 0.4), v(start = -3));
  Translational.Fixed wall(s0 = -1);
  Translational.Spring spring(k = 30, s_rel0 = 1);
  Translational.Damper damper(d = 0.7);
  Translational.Fixed far_wall(s0 = 3);
  Translational.SpringDamper both(k = 11, d = 0.3, s_rel0 = 2);
  Translational.Fixed middle;
  Translational.FreeplaySpring play(k = 500, half_freeplay = 0.3);
equation
  connect(wall.flange, spring.flange_a);
  connect(wall.flange, damper.flange_a);
  connect(spring.flange_b, body.flange_a);
  connect(damper.flange_b, body.flange_a);
  connect(body.flange_b, both.flange_a);
  connect(both.flange_b, far_wall.flange);
  connect(middle.flange, play.flange_a);
  connect(play.flange_b, body.flange_b);
end Translational1;
)");
  REQUIRE(own_states(model) == 2);
  RandomDraws random(21);
  Coverage seen;
  for (int i = 0; i < 200; ++i) {
    const double s = random.uniform(-1.5, 1), v = random.uniform(-5, 5);
    Probe probe(model);
    probe[{"body.s"}] = s;
    probe[{"body.v"}] = v;
    probe.evaluate(0);
    const Tracked left = Tracked(s) - Tracked(0.25), right = Tracked(s) + Tracked(0.25);
    const Tracked spring = Tracked(30.0) * (left + Tracked(1.0) - Tracked(1.0));
    const Tracked both = Tracked(11.0) * (Tracked(3.0) - right - Tracked(2.0)) - Tracked(0.3 * v);
    const Tracked play = Tracked(500.0) * luz(right, 0.3);
    probe.check_derivative({"body.v"}, (both - spring - Tracked(0.7 * v) - play) / Tracked(2.0));
    probe.check_output("body.flange_a.s", left);
    probe.check_output("body.flange_b.s", right);
    probe.check_output("both.f", both);
    probe.check_output("play.f", play);
    seen.zone(s + 0.25, 0.3);
  }
  CHECK(seen.all_zones());
}

TEST_CASE(
    "bearing friction: viscous part, static bound above the kinetic friction, parallel frictions "
    "add") {
  Model model("bearings", R"(
model Bearings
  Rotational.Inertia body(J = 0.5);
  Rotational.BearingFriction viscous(d = 0.2, tau0 = 0);
  Rotational.BearingFriction dry(tau0 = 1, tau0_static = 1.5);
  Rotational.BearingFriction mixed(d = 0.1, tau0 = 0.4);
  Rotational.Torque drive;
  Blocks.Constant torque(k = 1);
equation
  connect(torque.y, drive.tau);
  connect(drive.flange, body.flange_a);
  connect(body.flange_b, viscous.flange_a);
  connect(viscous.flange_b, dry.flange_a);
  connect(dry.flange_b, mixed.flange_a);
end Bearings;
)");
  REQUIRE(own_states(model) == 2);
  REQUIRE(model.system().frictions.size() == 1);  // R5
  RandomDraws random(22);
  for (int i = 0; i < 200; ++i) {
    const double torque = random.uniform(-4, 4), w = random.slip(random.mode(), 3);
    model.set({{"torque.k", torque}});
    Probe probe(model);
    probe[{"body.w", "dry.w", "viscous.w", "mixed.w"}] = w;
    probe.modes_from_slips();
    probe.evaluate(0);
    // At rest the static bound holds; what overcomes it meets the kinetic friction.
    const bool held = w == 0 && std::abs(torque) <= 1.9;
    const double forward = w == 0 ? torque : w;
    const double direction = (forward > 0) - (forward < 0);
    const Tracked kinetic = Tracked(0.3 * w) + Tracked(1.4 * direction);
    const Tracked acceleration = held ? Tracked(0.0) : (Tracked(torque) - kinetic) / Tracked(0.5);
    probe.check_derivative({"body.w", "dry.w", "viscous.w", "mixed.w"}, acceleration);
  }
}

TEST_CASE("gear pair passes on all power but that of its teeth") {
  Model model = load_example("gear_train.ltm");
  RandomDraws random(23);
  for (int i = 0; i < 200; ++i) {
    std::vector<double> state(model.system().state_count);
    for (double& x : state) x = random.uniform(-1, 1);
    const std::vector<double> y = model.evaluate(0, state, std::vector<std::int32_t>(4, 1)).outputs;
    const auto value = [&](std::string_view name) { return y[model.output(name)]; };
    const double in = value("mesh.flange_a.tau") * value("pinion.w") +
                      value("mesh.flange_b.tau") * value("wheel.w");
    const double teeth = value("mesh.flange_a.tau") * (value("pinion.w") - 12 * value("wheel.w"));
    CHECK(in == doctest::Approx(teeth).epsilon(1e-12));
    CHECK(value("mesh.flange_b.tau") ==
          doctest::Approx(-12 * value("mesh.flange_a.tau")).epsilon(1e-13));
  }
}

TEST_CASE("a free oscillator follows the cosine with order one") {
  const Model model("oscillator", R"(
model Oscillator
  Translational.Mass body(m = 4, s(start = 1));
  Translational.Spring spring(k = 100);
  Translational.Fixed wall;
equation
  connect(wall.flange, spring.flange_a);
  connect(spring.flange_b, body.flange_a);
end Oscillator;
)");
  const auto error = [&](double step) {
    EulerOptions options;
    options.stop = 1;
    options.step = step;
    const Simulation run = simulate(model, options);
    const std::vector<double>& s = run.column(model, "body.s");
    double result = 0;
    for (std::size_t i = 0; i < s.size(); ++i)
      result = std::max(result, std::abs(s[i] - std::cos(5 * run.time[i])));
    return result;
  };
  CHECK(error(1e-4) < 2e-3);
  CHECK(error(1e-4) / error(5e-5) == doctest::Approx(2).epsilon(0.02));
}

// What is equal to a rate need not be the velocity of what has it: z' = z, and integrals of
// positions.
TEST_CASE("signals whose rates are themselves, each other, or positions") {
  const auto last = [](const std::string& text, const std::string& column) {
    const Model model("rates.ltm", text);
    return simulate(model, TaylorOptions{0, 1, 1, 1e-13, false}).column(model, column).back();
  };
  const std::string itself = R"(
model Itself
  Real z(start = 1), y, u;
equation
  der(z) = z;
  der(y) = z;
  der(u) = y;
end Itself;
)";
  const std::string round = R"(
model Round
  Real x(start = 1), y, u(start = 1), q, w;
equation
  der(x) = y;
  der(y) = x;
  der(u) = w;
  w = u;
  der(q) = w;
end Round;
)";
  const std::string integral = R"(
model Integral
  Translational.Mass m(m = 1, L = 0.2, s(start = 2), v(start = 1));
  Real z, zz;
equation
  der(z) = m.s;
  der(zz) = z;
end Integral;
)";
  const double e = std::exp(1.0);
  CHECK(last(itself, "z") == doctest::Approx(e).epsilon(1e-12));
  CHECK(last(itself, "y") == doctest::Approx(e - 1).epsilon(1e-12));
  CHECK(last(itself, "u") == doctest::Approx(e - 2).epsilon(1e-12));
  CHECK(last(round, "x") == doctest::Approx(std::cosh(1.0)).epsilon(1e-12));
  CHECK(last(round, "y") == doctest::Approx(std::sinh(1.0)).epsilon(1e-12));
  CHECK(last(round, "u") == doctest::Approx(e).epsilon(1e-12));
  CHECK(last(round, "q") == doctest::Approx(e - 1).epsilon(1e-12));
  CHECK(last(integral, "z") == doctest::Approx(2.5).epsilon(1e-12));
  CHECK(last(integral, "zz") == doctest::Approx(1 + 1.0 / 6).epsilon(1e-12));
}

}  // namespace luztar::test
