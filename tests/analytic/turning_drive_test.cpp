// A sleeve, without inertia or light, between a drive that comes to rest for an instant, and goes
// on, and the ground: it follows the drive, whose friction holds more. At that instant both
// frictions could hold, and only the first derivative of the motion that does not vanish tells that
// they do not.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/support/column_check.h"
#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

/// A drive of that speed, over w [rad/s].
std::string sleeve(const std::string& inertia, const std::string& speed, const std::string& w,
                   const std::string& damping = "0") {
  return "model Sleeve\n  parameter Real w = " + w +
         ";\n  Rotational.Speed drive(w_ref = " + speed +
         ");\n  Rotational.Inertia sleeve(J = " + inertia +
         ");\n  Rotational.BearingFriction oil(tau0 = 0, d = " + damping + R"x();
  Rotational.CrossFriction held(tau0 = 1.6, tau0_static = 1.8);
  Rotational.BearingFriction ground(tau0 = 0.95, tau0_static = 1.2);
  Rotational.Torque load(tau = 0.1*sin(time));
equation
  connect(load.flange, sleeve.flange_a);
  connect(held.flange_a, drive.flange);
  connect(held.flange_b, sleeve.flange_a);
  connect(ground.flange_a, sleeve.flange_b);
  connect(oil.flange_a, sleeve.flange_b);
end Sleeve;
)x";
}

/// The sleeve moves with the drive from any start on, to any tolerance.
void check_follows(const std::string& inertia, const std::string& speed, double w,
                   const std::vector<double>& starts, const std::vector<double>& tolerances,
                   const std::string& damping = "0") {
  CAPTURE(inertia);
  CAPTURE(speed);
  CAPTURE(w);
  const Model model("sleeve.ltm", sleeve(inertia, speed, std::to_string(w), damping));
  for (const double start : starts) {
    CAPTURE(start);
    for (const double tolerance : tolerances) {
      CAPTURE(tolerance);
      const Simulation run =
          simulate(model, TaylorOptions{start, start + 4, 0.05, tolerance, false, true});
      REQUIRE(run.report.reason == StopReason::kDone);
      const std::vector<double> at = run.column(model, "sleeve.phi"),
                                drive = run.column(model, "drive.phi");
      double apart = 0;
      for (std::size_t i = 0; i < at.size(); ++i) {
        apart = std::max(apart, std::fabs(at[i] - drive[i]));
      }
      CHECK(apart <= 10 * tolerance);
      for (const double mode : run.column(model, "held.mode")) CHECK(mode == 0);
    }
  }
}

}  // namespace

TEST_CASE("a drive that comes to rest for an instant takes a sleeve along") {
  for (int i = 0; i < 12; ++i) {
    const double w = 2.3 + 0.817 * i;
    const std::vector<double> tolerances = {1e-6, 1e-8, 1e-10};
    for (const std::string inertia : {"0", "0.01"}) {
      check_follows(inertia, "1.8*(1 - cos(w*time))", w, {0}, tolerances);
    }
    check_follows("0", "0.9*(1 - cos(w*time))^2", w, {0, 50}, tolerances);
    check_follows("0.01", "0.9*(1 - cos(w*time))^2", w, {0}, {1e-6, 1e-8, 1e-9, 1e-10, 1e-11});
  }
  for (const std::string w : {"6.8", "7", "5.1"}) {  // that no parameter moves
    check_follows("0", "1.8*(1 - cos(" + w + "*time))", 1, {0}, {1e-6});
  }
}

// The higher the order of a root, the farther from it the error of a step, or rounding, has an
// event of it: by the fourth or sixth root of these. That a mode has been taken for the rest of the
// drive shows when it goes on.
TEST_CASE("a drive that comes to rest for an instant takes a damped sleeve along") {
  for (int i = 0; i < 6; ++i) {
    const double w = 2.301 + 0.817 * i;
    for (const std::string speed : {"0.3*(1 - cos(w*time))^2", "0.1*(1 - cos(w*time))^3"}) {
      check_follows("0", speed, w, {0, 50, 500}, {1e-4, 1e-6, 1e-9}, "0.05");
    }
  }
}

// 8 rad/s of the drive are rounded to what is left where it turns back; that is no jump of its
// speed.
TEST_CASE("a light body stays with a drive that turns back, held by its static friction") {
  const Model model("turn", R"(
model Turn
  Rotational.Inertia light(J = 1e-4), driven(J = 0);
  Rotational.BearingFriction seat(tau0 = 0.4);
  Rotational.CrossFriction joint(tau0 = 1.3, tau0_static = 1.7);
  Rotational.Position drive;
  Rotational.Torque load;
equation
  connect(seat.flange_a, driven.flange_a);
  connect(drive.flange, driven.flange_a);
  connect(driven.flange_b, joint.flange_a);
  connect(joint.flange_b, light.flange_a);
  connect(load.flange, light.flange_b);
  drive.phi_ref = 0.47*(1 - cos(7.74*time));
  load.tau = 1.5*sin(0.9*time + 0.6);
end Turn;
)");
  const auto check = [&](const Simulation& run, double tolerance) {
    REQUIRE(run.report.reason == StopReason::kDone);
    CHECK(run.report.events == 3);
    for (std::size_t i = 0; i < run.time.size(); ++i) {
      const double expected = 0.47 * (1 - std::cos(7.74 * run.time[i]));
      CHECK(std::fabs(run.column(model, "light.phi")[i] - expected) < tolerance);
      CHECK(run.column(model, "joint.mode")[i] == 0);
    }
  };
  for (const double tolerance : {1e-6, 1e-8, 1e-10, 1e-12}) {
    CAPTURE(tolerance);
    check(simulate(model, TaylorOptions{0, 1.5, 0.03, tolerance, true}), 1e-11);
    check(simulate(model, CvodeOptions{0, 1.5, 0.03, tolerance, true}), 1e3 * tolerance);
  }
}
// A spring that the drive takes along has no rates but rounding: these are none of a root far away.
TEST_CASE("a body that is held to a drive turns back with it, whatever loads it") {
  for (const double w : {3.24, 3.244, 3.3}) {
    CAPTURE(w);
    const Model model("belt.ltm", R"(
model Belt
  parameter Real w = 1;
  Translational.Mass slider(m = 0.3);
  Translational.Speed belt(v_ref = 0.614*sin(w*time));
  Translational.CrossFriction held(f0 = 20);
  Translational.Spring spring(k = 16.979);
  Translational.SupportFriction ground(f0 = 1.528);
  Translational.Force load(f = -2.850645*time);
equation
  connect(belt.flange, held.flange_a);
  connect(held.flange_b, slider.flange_a);
  connect(belt.flange, spring.flange_a);
  connect(spring.flange_b, slider.flange_a);
  connect(slider.flange_b, ground.flange_a);
  connect(load.flange, slider.flange_b);
end Belt;
)",
                      {{"w", fmt::format("{}", w)}});
    const std::vector<double> turns{kPi / w, 2 * kPi / w, 3 * kPi / w};
    const auto speed = [&](double t) { return 0.614 * std::sin(w * t); };
    check_column_between(model, 3.5, "slider.v", turns, speed);
    check_column_between(model, 3.5, "ground.f", turns,
                         [&](double t) { return speed(t) >= 0 ? 1.528 : -1.528; });
  }
}

// Each slip's root is as uncertain as its noise, but they are those of one motion.
TEST_CASE("a drive that turns back is one event for all that it slips on, however many its zeros") {
  for (const int power : {1, 3}) {
    CAPTURE(power);
    const Model model("two.ltm", fmt::format(R"(
model Two
  Translational.Mass first(m = 0.65), second(m = 0.97);
  Translational.Speed drive(v_ref = 0.456*sin(3*time)^{});
  Translational.SupportFriction first_ground(f0 = 2.9), second_ground(f0 = 2.5);
  Translational.CrossFriction on_first(f0 = 1.1), on_second(f0 = 0.8), between(f0 = 0.9);
  Translational.Force load(f = 0.7*cos(2.825*time));
equation
  connect(first.flange_a, first_ground.flange_a);
  connect(second.flange_a, second_ground.flange_a);
  connect(drive.flange, on_first.flange_a);
  connect(on_first.flange_b, first.flange_b);
  connect(drive.flange, on_second.flange_a);
  connect(on_second.flange_b, second.flange_b);
  connect(first.flange_b, between.flange_a);
  connect(between.flange_b, second.flange_b);
  connect(load.flange, second.flange_b);
end Two;
)",
                                             power));
    const std::vector<double> turns{kPi / 3, 2 * kPi / 3, kPi};
    for (const double tolerance : {1e-6, 1e-9, 1e-12}) {
      CAPTURE(tolerance);
      const Simulation run = simulate(model, TaylorOptions{0, 4, 0.1, tolerance, false});
      REQUIRE(run.report.reason == StopReason::kDone);
      CHECK(run.report.events == turns.size());
    }
    check_column_between(model, 4, "on_first.f", turns,
                         [](double t) { return std::sin(3 * t) >= 0 ? -1.1 : 1.1; });
    check_column_between(model, 4, "first.s", {}, [](double) { return 0; });
  }
}

// A belt that starts, and turns back, like a power of the time, and a hub between it and a brake
// that holds less. The hub has a second body without inertia on a spring and a damper: what
// rounding may make of that is great, as it creeps fast, but no part of how belt and brake part.
TEST_CASE("a hub beside a body that creeps follows a drive that starts and turns like a power") {
  for (const char* power : {"3", "5"}) {
    CAPTURE(power);
    const Model model("hub", R"(
model Hub
  Rotational.Inertia hub(J = 0), ring(J = 0);
  Rotational.SpringDamper bush(k = 32.1, d = 0.134);
  Rotational.Spring spring(k = 4390);
  Rotational.BearingFriction brake(tau0 = 0.05);
  Rotational.Speed drive;
  Rotational.CrossFriction belt(tau0 = 0.0652, tau0_static = 0.0853);
equation
  drive.w_ref = 0.502*sin(7.24*time)^)" +
                                 std::string(power) +
                                 R"(;
  connect(bush.flange_b, hub.flange_a);
  connect(spring.flange_a, hub.flange_a);
  connect(bush.flange_a, ring.flange_a);
  connect(spring.flange_b, ring.flange_a);
  connect(brake.flange_a, hub.flange_a);
  connect(belt.flange_b, hub.flange_a);
  connect(belt.flange_a, drive.flange);
end Hub;
)");
    const auto check = [&](const Simulation& run) {
      REQUIRE(run.report.reason == StopReason::kDone);
      const std::vector<double>&w = run.column(model, "hub.w"),
            &driven = run.column(model, "drive.w"), &torque = run.column(model, "brake.tau"),
            &bush = run.column(model, "bush.tau");
      for (std::size_t i = 0; i < w.size(); ++i) {
        CHECK(std::fabs(w[i] - driven[i]) < 1e-12);
        CHECK(std::fabs(bush[i]) < 1e-9);
        const bool moves = std::fabs(driven[i]) > 1e-9;
        if (moves) CHECK(torque[i] == doctest::Approx(std::copysign(0.05, driven[i])));
      }
    };
    for (const double tolerance : {1e-6, 1e-8, 1e-10, 1e-12}) {
      CAPTURE(tolerance);
      check(simulate(model, TaylorOptions{0, 2, 0.013, tolerance, false}));
      // The root of the fifth power lies a thousand steps of rounding apart: Taylor's alone is
      // exact.
      if (*power == '3') check(simulate(model, CvodeOptions{0, 2, 0.013, tolerance, false}));
    }
  }
}

// Its speed is (1 - cos(2 pi t))/pi, integrated: it touches zero each second, and errors of steps
// take it beyond for a millionth of one. The wheel is carried on at once each time.
TEST_CASE("an accelerated wheel that touches rest pushes a massless one on") {
  const Model model("touch.ltm", R"(
model Touch
  Rotational.Inertia wheel(J = 0), pinion(J = 0);
  Rotational.GearPair pair(ratio = 3, k = inf, half_freeplay = 0.005);
  Rotational.BearingFriction bearing(tau0 = 1);
  Rotational.Accelerate drive;
  Blocks.Sine acceleration(amplitude = 2, f = 1);
equation
  connect(pinion.flange_b, pair.flange_a);
  connect(pair.flange_b, wheel.flange_b);
  connect(pinion.flange_b, bearing.flange_a);
  connect(wheel.flange_b, drive.flange);
  connect(acceleration.y, drive.a_ref);
end Touch;
)");
  const auto check_run = [&](const Simulation& run, double error) {
    REQUIRE(run.report.reason == StopReason::kDone);
    const std::vector<double>& phi = run.column(model, "pinion.phi");
    for (std::size_t i = 0; i < run.time.size(); ++i) {
      const double t = run.time[i];
      const double wheel = t / kPi - std::sin(2 * kPi * t) / (2 * kPi * kPi);
      CHECK(std::fabs(phi[i] - std::max(3 * wheel - 0.005, 0.0)) <= error);
    }
  };
  for (const double tolerance : {1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-12}) {
    CAPTURE(tolerance);
    check_run(simulate(model, TaylorOptions{0, 3, 0.05, tolerance, false}), 10 * tolerance);
    check_run(simulate(model, CvodeOptions{0, 3, 0.05, tolerance, false}), 1e-9 + 100 * tolerance);
  }
}

// The ground holds against both belts, also in the instant in which one of them touches rest.
TEST_CASE("a body between a belt that touches rest and another one stays at rest") {
  for (const double rate : {2.0, 2.5, 3.0, 4.0, 6.0}) {
    CAPTURE(rate);
    const Model model("belts.ltm", R"(
model Belts
  Rotational.Inertia body(J = 1);
  Rotational.Speed first, second;
  Rotational.BearingFriction ground(tau0 = 3);
  Rotational.CrossFriction f1(tau0 = 2), f2(tau0 = 2.5);
equation
  first.w_ref = -1 - time;
  second.w_ref = 0.5*(1 - cos()" + std::to_string(rate) +
                                       R"(*time));
  connect(ground.flange_a, body.flange_b);
  connect(first.flange, f1.flange_a);
  connect(f1.flange_b, body.flange_b);
  connect(second.flange, f2.flange_a);
  connect(f2.flange_b, body.flange_b);
end Belts;
)");
    for (const double tolerance : {1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9}) {
      CAPTURE(tolerance);
      const Simulation run = simulate(model, TaylorOptions{0, 3, 0.1, tolerance, false});
      REQUIRE(run.report.reason == StopReason::kDone);
      CHECK(run.report.events < 20);
      for (const double phi : run.column(model, "body.phi")) CHECK(std::fabs(phi) < 1e-9);
    }
  }
}

// Whatever its errors make of the speed there, the run takes it for zero: from there on the
// friction holds with 1 N.m, and without that it would slide on at 0.5 N.m.
TEST_CASE("a slider on an accelerated drive that touches rest is held there by static friction") {
  for (const std::string damping : {"0", "0.1"}) {
    CAPTURE(damping);
    const Model model("touch.ltm", R"(
model Touch
  Rotational.Inertia slider(J = 0);
  Rotational.SpringDamper shaft(k = 20, d = )" +
                                       damping + R"();
  Rotational.BearingFriction bearing(tau0 = 0.5, tau0_static = 1);
  Rotational.Accelerate drive(a_ref = 2*sin(6.283185307179586*time));
equation
  connect(drive.flange, shaft.flange_a);
  connect(shaft.flange_b, slider.flange_a);
  connect(slider.flange_b, bearing.flange_a);
end Touch;
)");
    for (int digits = 4; digits <= 14; ++digits) {
      const double tolerance = std::pow(10, -digits);
      CAPTURE(tolerance);
      const Simulation run = simulate(model, TaylorOptions{0, 3, 0.01, tolerance, false});
      REQUIRE(run.report.reason == StopReason::kDone);
      const std::vector<double>& phi = run.column(model, "slider.phi");
      for (std::size_t i = 0; i < run.time.size(); ++i) {
        const double t = run.time[i], since = t - std::floor(t + 1e-9);
        const double drive = t / kPi - std::sin(2 * kPi * t) / (2 * kPi * kPi);
        const double last = (t - since) / kPi;
        const double held =
            t > 0.5 && t < 1 ? drive - 0.025 : last - (last > 0.5 / kPi ? 0.025 : 0);
        const double error = 1e-10 + 10 * tolerance;
        if (drive - held < 0.05 - error && since < 0.5) CHECK(std::fabs(phi[i] - held) <= error);
        if (since >= 0.5) CHECK(std::fabs(phi[i] - (drive - 0.025)) <= error);
      }
    }
  }
}

// m v' = F - T_K with F = T_K - m A w sin(w t) from v = 2 A: v = A (1 + cos(w t)) touches zero at
// w t = pi, where the friction holds until F is T_S.
TEST_CASE("a block whose speed touches zero is held there by static friction") {
  const Model model("block.ltm", R"(
model Touch
  Translational.Mass slab(m = 2, v(start = 1.6));
  Translational.SupportFriction ground(f0 = 3, f0_static = 4);
  Translational.Force pull(f = 3 - 2*0.8*5*sin(5*time));
equation
  connect(pull.flange, slab.flange_a);
  connect(slab.flange_b, ground.flange_a);
end Touch;
)");
  const double leaves = (kPi + std::asin(1.0 / 8)) / 5;
  for (int digits = 4; digits <= 14; ++digits) {
    const double tolerance = std::pow(10, -digits);
    CAPTURE(tolerance);
    const Simulation run = simulate(model, TaylorOptions{0, 1.5, 0.01, tolerance, false});
    REQUIRE(run.report.reason == StopReason::kDone);
    CHECK(run.report.events == 2);
    const std::vector<double>& v = run.column(model, "slab.v");
    for (std::size_t i = 0; i < run.time.size(); ++i) {
      const double t = run.time[i];
      const double expected = t < kPi / 5   ? 0.8 * (1 + std::cos(5 * t))
                              : t <= leaves ? 0
                                            : 0.8 * (std::cos(5 * t) - std::cos(5 * leaves));
      CHECK(std::fabs(v[i] - expected) <= 1e-10 + 10 * tolerance);
    }
  }
}

}  // namespace luztar::test
