// Frictions whose capacity follows a signal, as that of a clutch: closed, opened, from zero and to
// zero, and below it, which no friction can be.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/closed_form.h"
#include "tests/support/exact_run.h"
#include "tests/support/probe.h"

namespace luztar::test {

TEST_CASE("clutch and brake: capacity from a signal") {
  const Model model("clutches", R"(
model Clutches
  Rotational.Inertia engine(J = 2, w(start = 30));
  Rotational.Inertia load(J = 3);
  Rotational.Clutch clutch(mu_pos = 0.4, cgeo = 0.2, fn_max = 500, peak = 1.1);
  Blocks.Ramp engage(height = 1, duration = 2);
  Translational.Mass car(m = 1000, v(start = 20));
  Translational.Brake brake(mu_pos = 0.3, cgeo = 2, fn_max = 5000);
  Blocks.Ramp pedal(height = 0.8, duration = 1);
equation
  connect(engine.flange_b, clutch.flange_a);
  connect(clutch.flange_b, load.flange_a);
  connect(engage.y, clutch.f_normalized);
  connect(car.flange_b, brake.flange_a);
  connect(pedal.y, brake.f_normalized);
end Clutches;
)");
  // Torque 40 N.m times t/2 s, up to 2 s; slip rate torque (1/2 + 1/3).
  const double per_torque = 1.0 / 2 + 1.0 / 3;
  const double at_full = 30 - 40 * per_torque;  // slip after the ramp, 2 s
  REQUIRE(at_full < 0);                         // it locks before
  const double locks = std::sqrt(30 / (10 * per_torque));
  // Brake force 2400 N after 1 s, half of it on average before.
  const double stops = 1 + (20 - 1.2) / 2.4;
  const Simulation run = exact_run(model, 10, 0.05);
  const auto ramp = [](double t) { return std::min(t, 1.0) * std::min(t, 1.0) / 2; };
  check_column(run, model, "engine.w",
               [&](double t) { return 30 - 10 * std::pow(std::min(t, locks), 2) / 2; });
  check_column(run, model, "load.w",
               [&](double t) { return 10 * std::pow(std::min(t, locks), 2) / 3; });
  check_column(run, model, "car.v", [&](double t) {
    if (t >= stops) return 0.0;
    return 20 - 2.4 * (ramp(t) + std::max(t - 1, 0.0));
  });
  const std::vector<double>& mode = run.column(model, "clutch.mode");
  const std::vector<double>& held = run.column(model, "brake.mode");
  for (std::size_t i = 0; i < run.time.size(); ++i) {
    if (run.time[i] > locks + kBound) CHECK(mode[i] == 0);
    if (run.time[i] > stops + kBound) CHECK(held[i] == 0);
  }
}

TEST_CASE("clutch that a step closes") {
  const Model model("clutch_step", R"(
model ClutchStep
  Rotational.Inertia engine(J = 2, w(start = 3));
  Rotational.Brake brake(mu_pos = 0.5, cgeo = 1, fn_max = 4);
  Blocks.Step close(height = 1, startTime = 1);
equation
  connect(engine.flange_b, brake.flange_a);
  connect(close.y, brake.f_normalized);
end ClutchStep;
)");
  const Simulation run = exact_run(model, 6, 0.1);
  check_column(run, model, "engine.w", [](double t) { return 3 - std::clamp(t - 1, 0.0, 3.0); });
}

namespace {

/// A body of J = 1/2 at 3 rad/s on a friction of the given size.
std::string body_on_friction(const std::string& kinetic, const std::string& at_rest) {
  return R"(
model Law
  extends Rotational.Interfaces.TwoFlanges;
equation
  tau = dryfriction(w_rel, )" +
         kinetic + ", " + at_rest + R"();
end Law;
model Body
  Rotational.Inertia m(J = 0.5, w(start = 3));
  Rotational.Fixed g;
  Law l;
equation
  connect(g.flange, l.flange_a);
  connect(l.flange_b, m.flange_a);
end Body;
)";
}

}  // namespace

TEST_CASE("a friction whose size becomes negative stops the run where it does") {
  // w = 3 - 2 (t - t^2/2) until the size 1 - t is zero.
  const Model model("negative", body_on_friction("1 - time", "2"));
  TaylorOptions taylor;
  taylor.stop = 2;
  taylor.interval = 0.1;
  Simulation run = simulate(model, taylor);
  CHECK(run.report.reason == StopReason::kAssertion);
  CHECK(run.report.time == 1);
  CHECK(std::fabs(run.column(model, "m.w").back() - 2) < 1e-14);
  CHECK(run.time.size() >= 11);
  const ExplicitAssertion& watched =
      model.stages().explicit_system->assertions.at(run.report.index);
  CHECK(watched.code == Code::kNegativeFriction);
  CHECK(watched.message == "the kinetic friction of 'l' becomes negative");

  CvodeOptions cvode;
  cvode.stop = 2;
  cvode.interval = 0.1;
  run = simulate(model, cvode);
  CHECK(run.report.reason == StopReason::kAssertion);
  CHECK(std::fabs(run.report.time - 1) < 1e-12);

  const Model at_rest("negative_static", body_on_friction("0", "1 - time"));
  run = simulate(at_rest, taylor);
  CHECK(run.report.reason == StopReason::kAssertion);
  CHECK(run.report.time == 1);
  CHECK(at_rest.stages().explicit_system->assertions.at(run.report.index).message ==
        "the static friction of 'l' becomes negative");
}

TEST_CASE("a held body whose friction becomes negative: that is what the run stops for") {
  // Nothing pushes it, so that its friction holds until its size is zero.
  std::string text = body_on_friction("1 - time", "1 - time");
  text.replace(text.find("w(start = 3)"), 12, "w(start = 0)");
  const Model model("held", text);
  TaylorOptions options;
  options.stop = 2;
  const Simulation run = simulate(model, options);
  CHECK(run.report.reason == StopReason::kAssertion);
  CHECK(run.report.time == 1);
  CHECK(run.column(model, "m.phi").back() == 0);
}

TEST_CASE("a friction may vanish, and touch zero") {
  // Sizes with the integral 1/3 and 1/2 of time from 0 to 1; w = 3 - 2 I.
  const std::vector<std::pair<std::string, double>> sizes = {
      {"time^2 - 2*time + 1", 2.0 / 3}, {"(time - 1)^2", 2.0 / 3}, {"max(1 - time, 0)", 0.5}};
  for (const auto& [size, integral] : sizes) {
    CAPTURE(size);
    const Model model("vanishing", body_on_friction(size, size));
    TaylorOptions options;
    options.stop = 2;
    options.tolerance = 1e-12;
    const Simulation run = simulate(model, options);
    REQUIRE(run.report.reason == StopReason::kDone);
    CHECK(std::fabs(run.column(model, "m.w").back() - (3 - 2 * integral)) < 1e-12);
  }
}

// Without capacity at the start it is at both its bounds: v' = side (2 t - t).
// The clutch falls through zero capacity beside a light body whose load the ground holds: what
// rounding leaves of that load takes nothing along.
TEST_CASE("a clutch that opens between bodies at rest leaves them at rest") {
  const Model model("opens.ltm", R"(
model Opens
  Rotational.Inertia flywheel(J = 0.38), rotor(J = 1.21), light(J = 1e-4);
  Rotational.Spring spring(k = 120.19);
  Rotational.Fixed wall;
  Rotational.BearingFriction ground(tau0 = 2.07, tau0_static = 3.105);
  Rotational.Clutch clutch(mu_pos = 1, fn_max = 3.19);
  Rotational.CrossFriction felt(d = 1.02, tau0 = 1.93);
  Rotational.Torque load;
equation
  clutch.f_normalized = if time < 0.5 then 1 else max(0, 1 - 5*(time - 0.5));
  load.tau = if time < 0.4 then 0 else 226*(time - 0.4)^4;
  connect(flywheel.flange_b, spring.flange_a);
  connect(spring.flange_b, wall.flange);
  connect(flywheel.flange_b, clutch.flange_a);
  connect(clutch.flange_b, rotor.flange_a);
  connect(rotor.flange_b, felt.flange_a);
  connect(felt.flange_b, light.flange_a);
  connect(ground.flange_a, light.flange_b);
  connect(load.flange, light.flange_a);
end Opens;
)");
  for (const double tolerance : {1e-6, 1e-10, 1e-14}) {
    CAPTURE(tolerance);
    const Simulation run = simulate(model, TaylorOptions{0, 0.74, 0.01, tolerance, true});
    REQUIRE(run.report.reason == StopReason::kDone);
    CHECK(run.report.events < 8);
    for (const char* body : {"flywheel.phi", "rotor.phi", "light.phi"}) {
      for (const double phi : run.column(model, body)) CHECK(std::fabs(phi) < 1e-15);
    }
  }
}

// The brake turns against the body; a drive holds the other side of its clutch at 2 rad/s.
TEST_CASE("a brake behind a reversing gear that closes again slips on as it did") {
  const Model model("reverse.ltm", R"(
model Reverse
  Rotational.Inertia pinion(J = 0), body(J = 1);
  Rotational.IdealGear gear(ratio = -1);
  Rotational.CrossFriction clutch(tau0 = 1);
  Rotational.Brake brake(mu_pos = 0.5, fn_max = 2);
  Rotational.Position drive;
equation
  drive.phi_ref = 4*time;
  brake.f_normalized = max(0, sin(2*pi*time));
  connect(drive.flange, clutch.flange_a);
  connect(clutch.flange_b, pinion.flange_a);
  connect(pinion.flange_b, gear.flange_a);
  connect(gear.flange_b, body.flange_a);
  connect(pinion.flange_b, brake.flange_a);
end Reverse;
)");
  const Simulation run = simulate(model, TaylorOptions{0, 1.75, 0.01, 1e-13, true, true});
  REQUIRE(run.report.reason == StopReason::kDone);
  check_column(run, model, "body.w", [](double t) {  // 1 N.m less the brake's
    const double turns = std::floor(t), part = std::min(t - turns, 0.5);
    return -(t - (turns / kPi + (1 - std::cos(2 * kPi * part)) / (2 * kPi)));
  });
  CHECK(std::fabs(run.report.energy->residual()) < 1e-12);
}

TEST_CASE("a load that outgrows a capacity from zero takes the body along either way") {
  for (const int side : {1, -1}) {
    CAPTURE(side);
    const Model model("grows.ltm",
                      "model Grows\n"
                      "  Translational.Mass body(m = 1);\n"
                      "  Translational.Brake brake(mu_pos = 1, fn_max = 1);\n"
                      "  Translational.Force load;\n"
                      "equation\n"
                      "  brake.f_normalized = time;\n"
                      "  load.f = " +
                          std::to_string(2 * side) +
                          "*time;\n"
                          "  connect(load.flange, body.flange_a);\n"
                          "  connect(body.flange_b, brake.flange_a);\n"
                          "end Grows;\n");
    const Simulation run = simulate(model, TaylorOptions{0, 1, 0.1, 1e-12, false, true});
    REQUIRE(run.report.reason == StopReason::kDone);
    check_column(run, model, "body.v", [&](double t) { return side * t * t / 2; });
    const Simulation cvode = simulate(model, CvodeOptions{0, 1, 0.1, 1e-12, false});
    REQUIRE(cvode.report.reason == StopReason::kDone);
    CHECK(cvode.column(model, "body.v").back() == doctest::Approx(side * 0.5).epsilon(1e-8));
  }
}

// Without capacity at the start, which then grows as fast as the load: what is less of the load
// beyond tells that it holds. Whatever else is in the model, here a friction between two points.
TEST_CASE("a capacity from zero that the load does not outgrow holds") {
  const Model model("as_fast.ltm",
                    "model AsFast\n"
                    "  Translational.Mass free(m = 1, v(start = -1));\n"
                    "  Translational.Spring spring(k = 1);\n"
                    "  Translational.Mass body(m = 1);\n"
                    "  Translational.Brake brake(mu_pos = 1, fn_max = 1);\n"
                    "  Translational.Mass one(m = 0);\n"
                    "  Translational.Mass other(m = 0);\n"
                    "  Translational.CrossFriction between(f0 = 1);\n"
                    "equation\n"
                    "  brake.f_normalized = time;\n"
                    "  connect(free.flange_b, spring.flange_a);\n"
                    "  connect(spring.flange_b, body.flange_a);\n"
                    "  connect(body.flange_b, brake.flange_a);\n"
                    "  connect(one.flange_b, between.flange_a);\n"
                    "  connect(between.flange_b, other.flange_a);\n"
                    "end AsFast;\n");
  for (const bool exact : {true, false}) {
    const Simulation run = exact ? simulate(model, TaylorOptions{0, 1, 0.1, 1e-12, false})
                                 : simulate(model, CvodeOptions{0, 1, 0.1, 1e-12, false});
    REQUIRE(run.report.reason == StopReason::kDone);
    CHECK(run.column(model, "body.s").back() == 0);
    CHECK(std::fabs(run.column(model, "free.s").back() + std::sin(1.0)) < 1e-10);
  }
}

TEST_CASE("sizes that cannot be negative, by their form, are not watched") {
  const auto watched = [](const std::string& size) {
    const Model model("watched", body_on_friction(size, "7*(" + size + ")"));
    return model.stages().explicit_system->assertions.size();
  };
  CHECK(watched("1 - time") == 2);
  CHECK(watched("2 + sin(time)") == 0);
  CHECK(watched("0.9 + sin(time)") == 2);
  CHECK(watched("abs(time)*exp(-time)") == 0);
  CHECK(watched("max(1 - time, 0)") == 0);
  CHECK(watched("min(max(1 - time, 0), 2)") == 0);
  CHECK(watched("if time < 1 then 2 else 0") == 0);
  CHECK(watched("if time < 1 then 2 else -1") == 2);
  CHECK(watched("table(time, {0, 1, 1, 2}, {2, 1, 0, 3})") == 0);
  CHECK(watched("1 - nas(time, 1)") == 0);
  CHECK(watched("3*time^2 - 2*time^2") == 0);
  CHECK(watched("1/(1 + abs(time))") == 0);
  const Model clutch("watched_clutch", R"(
model WatchedClutch
  Rotational.Inertia i(J = 1, w(start = 2)), j(J = 1);
  Rotational.Clutch c(fn_max = 2, peak = 1.5, f_normalized = sin(3*time));
  Rotational.SmoothStribeckFriction b(d = 0.3, w_s = 0.6, tau0 = 1.1, tau0_static = 2);
equation
  connect(i.flange_a, c.flange_a);
  connect(c.flange_b, j.flange_a);
  connect(j.flange_b, b.flange_a);
end WatchedClutch;
)");
  CHECK(clutch.stages().explicit_system->assertions.empty());
}

// The load stays, the brake opens: the body without inertia goes across its play at once, and from
// there on the spring has what the brake no longer holds. J w = 3 (t - 1/2)^2 / 2.
TEST_CASE("a brake that opens lets a body without inertia through its play") {
  for (const bool reverse : {false, true}) {
    const std::string sign = reverse ? "-" : "";
    const Model model("opening_brake.ltm", R"(
model OpeningBrake
  Rotational.Inertia a(J = 0.1), b(J = 0);
  Rotational.Brake brake(fn_max = 3, mu_pos = 1, peak = 1);
  Rotational.FreeplaySpring play(k = 367, half_freeplay = 0.01);
  Rotational.Torque load;
equation
  load.tau = )" + sign + R"(1.5;
  brake.f_normalized = 1 - time;
  connect(load.flange, b.flange_a);
  connect(brake.flange_a, b.flange_b);
  connect(b.flange_b, play.flange_a);
  connect(play.flange_b, a.flange_a);
end OpeningBrake;
)");
    for (const bool taylor : {true, false}) {
      const double accuracy = taylor ? 1e-11 : 1e-8;
      const Simulation run = taylor
                                 ? simulate(model, TaylorOptions{0, 0.9, 0.01, 1e-12, true, true})
                                 : simulate(model, CvodeOptions{0, 0.9, 0.01, 1e-10, true});
      REQUIRE(run.report.reason == StopReason::kDone);
      const std::vector<double>&w = run.column(model, "a.w"), &phi = run.column(model, "b.phi");
      for (std::size_t i = 0; i < w.size(); ++i) {
        const double since = std::max(run.time[i] - 0.5, 0.0), way = reverse ? -1 : 1;
        CHECK(std::fabs(w[i] - way * 15 * since * since) < accuracy);
        const double place = 5 * std::pow(since, 3) + 3 * since / 367 + 0.01;
        if (since > 0) CHECK(std::fabs(phi[i] - way * place) < accuracy);
        if (run.time[i] < 0.5) CHECK(phi[i] == 0);
      }
    }
  }
}

// At rest there is no capacity; it comes with the slip, which has a sign all the same.
TEST_CASE("a capacity that follows the slip it brakes") {
  const auto braked = [](const std::string& capacity) {
    return Model("braked", R"(
model Braked
  Rotational.Inertia wheel(J = 1);
  Rotational.Brake brake(fn_max = 1, mu_pos = 1);
  Rotational.Torque motor;
equation
  motor.tau = if time < 1 then 3 else -5;
  brake.f_normalized = )" + capacity +
                               R"(;
  connect(motor.flange, wheel.flange_a);
  connect(wheel.flange_b, brake.flange_a);
end Braked;
)");
  };
  const auto speeds = [](const Model& model, bool cvode) {
    const Simulation run = cvode ? simulate(model, CvodeOptions{0, 2, 0.5, 1e-10, false})
                                 : simulate(model, TaylorOptions{0, 2, 0.5, 1e-11, false});
    REQUIRE(run.report.reason == StopReason::kDone);
    return run.column(model, "wheel.w");
  };
  for (const bool cvode : {false, true}) {
    CAPTURE(cvode);
    SUBCASE("in proportion: w' = 3 - w, then -5 - w") {
      const Model model = braked("abs(wheel.w)");
      const std::vector<double> w = speeds(model, cvode);
      const double turn = 3 * (1 - std::exp(-1.0));
      CHECK(w[1] == doctest::Approx(3 * (1 - std::exp(-0.5))).epsilon(1e-8));
      CHECK(w[2] == doctest::Approx(turn).epsilon(1e-8));
      CHECK(w[4] == doctest::Approx(-5 + (turn + 5) * std::exp(-1.0)).epsilon(1e-8));
    }
    SUBCASE("forwards only: w' = 1, then -7 up to rest and -5 backwards") {
      const Model model = braked("if wheel.w > 0 then 2 else 0");
      const std::vector<double> w = speeds(model, cvode);
      CHECK(w[1] == doctest::Approx(0.5).epsilon(1e-8));
      CHECK(w[2] == doctest::Approx(1).epsilon(1e-8));
      CHECK(w[4] == doctest::Approx(-5 * (1 - 1.0 / 7)).epsilon(1e-8));
    }
    SUBCASE("by its sign: the same") {
      const Model model = braked("max(0, sign(wheel.w)) + max(0, sign(wheel.w))");
      CHECK(speeds(model, cvode)[4] == doctest::Approx(-5 * (1 - 1.0 / 7)).epsilon(1e-8));
    }
    SUBCASE("where it holds forwards it rests until the load turns") {
      const std::vector<double> w = speeds(braked("if wheel.w > 0 then 9 else 0"), cvode);
      CHECK(w[2] == 0);
      CHECK(w[4] == doctest::Approx(-5).epsilon(1e-8));
    }
  }
}

// A tray shaken both ways: what presses the block on it follows the acceleration of a prescribed
// motion, as it would the same function of time.
TEST_CASE("a friction whose size follows a prescribed acceleration") {
  const auto shaken = [](const std::string& press) {
    return Model("shaken", R"(
model Loaded
  extends Translational.Interfaces.TwoFlanges;
  input Units.Force press;
equation
  f = dryfriction(v_rel, 0.3*press, 0.4*press);
end Loaded;
model Shaken
  Translational.Position along, up;
  Translational.Mass part(m = 1);
  Loaded tray;
equation
  along.s_ref = 0.02*sin(20*time + 1);
  up.s_ref = 0.003*sin(50*time);
  tray.press = )" + press + R"(;
  connect(along.flange, tray.flange_a);
  connect(tray.flange_b, part.flange_a);
end Shaken;
)");
  };
  const TaylorOptions options{0, 2, 0.02, 1e-11, false};
  const Model followed = shaken("9.81*part.m + part.m*der(up.v)"),
              given = shaken("9.81 - 0.003*50^2*sin(50*time)");
  const Simulation one = simulate(followed, options), other = simulate(given, options);
  REQUIRE(one.report.reason == StopReason::kDone);
  CHECK(one.report.events == other.report.events);
  CHECK(one.report.events > 10);
  for (std::size_t i = 0; i < one.time.size(); ++i) {
    CHECK(std::fabs(one.column(followed, "part.s")[i] - other.column(given, "part.s")[i]) < 1e-10);
  }
}

}  // namespace luztar::test
