// Frictions that have no capacity at the instant in which others give way: what they come to do
// follows from what begins then, not from what the event has left of the loads.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

/// a drives b over a clutch whose capacity begins like a root; a bearing holds b at first. Another
/// clutch, whose capacity is that of the speed of b, is between b and c; `hold` is what holds c.
std::string drive_away(const std::string& hold) {
  return R"(
model DriveAway
  Rotational.Inertia a(J = 1, w(start = 5, fixed = true)), b(J = 1), c(J = 1);
  Rotational.Clutch first(fn_max = 1), second(fn_max = 1);
  Rotational.BearingFriction brake(tau0 = )" +
         hold + R"();
  Rotational.BearingFriction bearing(tau0 = 0.2);
equation
  first.f_normalized = sqrt(time);
  second.f_normalized = abs(b.w);
  connect(a.flange_b, first.flange_a);
  connect(first.flange_b, b.flange_a);
  connect(b.flange_b, second.flange_a);
  connect(second.flange_b, c.flange_a);
  connect(c.flange_b, brake.flange_a);
  connect(b.flange_b, bearing.flange_a);
end DriveAway;
)";
}

/// b' = 0.5 sqrt(t) - 0.2 - 0.5 b from 0.16 s on, by the classical Runge-Kutta method.
double speed_of_b(double end) {
  constexpr int kSteps = 20000;
  constexpr double kBegin = 0.16;
  const double h = (end - kBegin) / kSteps;
  const auto rate = [](double t, double w) { return 0.5 * std::sqrt(t) - 0.2 - 0.5 * w; };
  double t = kBegin, w = 0;
  for (int i = 0; i < kSteps; ++i, t += h) {
    const double k1 = rate(t, w), k2 = rate(t + h / 2, w + h / 2 * k1);
    const double k3 = rate(t + h / 2, w + h / 2 * k2), k4 = rate(t + h, w + h * k3);
    w += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  return w;
}

}  // namespace

TEST_CASE("a capacity that comes with the motion which it brakes, as another friction gives way") {
  const Model model("held", drive_away("3"));
  for (const double stop : {2.4, 2.5, 3.0, 5.1}) {
    for (const double tolerance : {1e-6, 1e-8, 1e-10}) {
      CAPTURE(stop);
      CAPTURE(tolerance);
      const Simulation run = simulate(model, TaylorOptions{0, stop, stop, tolerance, false});
      REQUIRE(run.report.reason == StopReason::kDone);
      const double w = run.column(model, "b.w").back();
      if (stop < 3) CHECK(w == doctest::Approx(speed_of_b(stop)).epsilon(30 * tolerance));
      CHECK(run.column(model, "second.mode").back() == -1);
      CHECK(run.column(model, "second.tau").back() == doctest::Approx(-0.5 * w).epsilon(1e-12));
      CHECK(run.column(model, "c.w").back() == 0);
    }
  }
}

// At the start the capacity of the first clutch has no Taylor series.
TEST_CASE("a body that nothing else holds is dragged along, from a capacity like a root on") {
  const Model model("free", drive_away("0"));
  for (const bool cvode : {false, true}) {
    CAPTURE(cvode);
    const Simulation run = cvode ? simulate(model, CvodeOptions{0, 1, 1, 1e-9, false})
                                 : simulate(model, TaylorOptions{0, 1, 1, 1e-9, false});
    REQUIRE(run.report.reason == StopReason::kDone);
    const double b = run.column(model, "b.w").back(), c = run.column(model, "c.w").back();
    CHECK(b == doctest::Approx(speed_of_b(1)).epsilon(1e-7));
    // Both have what the clutch gives from 0.16 s on, t^1.5/3, less 0.2 N.m of the bearing.
    CHECK(b + c == doctest::Approx((1 - 0.064) / 3 - 0.2 * 0.84).epsilon(1e-7));
  }
}

// Two bearings hold a planetary set, and so the slip of a clutch, which rounding of the held forces
// leaves of 1e-31 rad/s. When its capacity comes back it carries its part of the load.
TEST_CASE("a clutch between members at rest carries its part as its capacity comes back") {
  const std::string inertias =
      "  Rotational.Inertia sun(J = 0.01), carrier(J = 0.1), ring(J = 1);\n";
  const std::string reversed =
      "  Rotational.Inertia ring(J = 1), sun(J = 0.01), carrier(J = 0.1);\n";
  for (const std::string& bodies : {inertias, reversed}) {
    CAPTURE(bodies);
    const Model model("set", R"(
model Planetary
  Rotational.Interfaces.Flange sun, carrier, ring;
equation
  2*carrier.phi = sun.phi + ring.phi;
  ring.tau = sun.tau;
  carrier.tau = -2*sun.tau;
end Planetary;
model Set
)" + bodies + R"(
  Planetary gears;
  Rotational.Clutch clutch(fn_max = 2);
  Rotational.BearingFriction of_carrier(tau0 = 2), of_ring(tau0 = 2);
  Rotational.Torque motor;
equation
  clutch.f_normalized = if time < 0.19 then 1 else if time < 1.41 then 0 else 0.5;
  motor.tau = min(1, max(0, (time - 0.81)/1.49))*4.5;
  connect(gears.ring, ring.flange_a);
  connect(gears.sun, sun.flange_b);
  connect(gears.carrier, carrier.flange_a);
  connect(ring.flange_b, of_ring.flange_a);
  connect(carrier.flange_b, of_carrier.flange_a);
  connect(motor.flange, carrier.flange_a);
  connect(sun.flange_a, clutch.flange_b);
  connect(ring.flange_a, clutch.flange_a);
end Set;
)");
    const Simulation run = simulate(model, TaylorOptions{0, 1.5, 0.3, 1e-10, false});
    REQUIRE(run.report.reason == StopReason::kDone);
    // At rest clutch = (load - of_carrier)/2 and of_ring = load - of_carrier: of these the least
    // squares have of_carrier = 5/9 load.
    const double load = (1.5 - 0.81) / 1.49 * 4.5;
    CHECK(run.column(model, "of_carrier.tau").back() == doctest::Approx(5 * load / 9));
    CHECK(run.column(model, "of_ring.tau").back() == doctest::Approx(4 * load / 9));
    CHECK(run.column(model, "clutch.tau").back() == doctest::Approx(2 * load / 9));
    for (const char* friction : {"clutch", "of_ring", "of_carrier"}) {
      CAPTURE(friction);
      CHECK(run.column(model, std::string(friction) + ".mode").back() == 0);
      CHECK(run.column(model, std::string(friction) + ".indeterminate").back() == 1);
    }
  }
}

// The capacity of a damping clutch grows with the slip in one direction, from zero on as that turns
// round. With x = phi_b - phi_a:  x'' = -40 x, or  -40 x - x' while x' > 0.
TEST_CASE("a clutch whose capacity is in proportion to its slip in one direction") {
  const Model model("damping", R"(
model Damping
  Rotational.Inertia a(J = 1), b(J = 1, w(start = 1, fixed = true));
  Rotational.Spring shaft(k = 20);
  Rotational.Clutch clutch(fn_max = 2);
equation
  connect(shaft.flange_a, b.flange_a);
  connect(shaft.flange_b, a.flange_a);
  connect(clutch.flange_a, a.flange_a);
  connect(clutch.flange_b, b.flange_b);
  clutch.f_normalized = max(0, 0.5*clutch.w_rel);
end Damping;
)");
  const double free = std::sqrt(40.0), damped = std::sqrt(40 - 0.25);
  // From x = 0 with speed v it takes up to the turning point, back on the way without damping, and
  // from the other turning point on with damping, up to which half a swing has passed.
  const auto column = [&](bool cvode, double stop) {
    const Simulation run = cvode ? simulate(model, CvodeOptions{0, stop, stop, 1e-10, false})
                                 : simulate(model, TaylorOptions{0, stop, stop, 1e-11, false});
    REQUIRE(run.report.reason == StopReason::kDone);
    return run.column(model, "b.phi").back() - run.column(model, "a.phi").back();
  };
  const double turns = std::atan2(damped, 0.5) / damped;  // x' = 0
  const double top = std::exp(-turns / 2) * std::sin(damped * turns) / damped;
  const double half_free = M_PI / free, half_damped = M_PI / damped;
  const double share = std::exp(-half_damped / 2);
  double at = turns, height = top;
  for (int swing = 0; swing < 4; ++swing) {
    for (const bool cvode : {false, true}) {
      CAPTURE(cvode);
      CAPTURE(swing);
      CHECK(column(cvode, at) == doctest::Approx(height).epsilon(1e-7));
      CHECK(column(cvode, at + half_free) == doctest::Approx(-height).epsilon(1e-7));
    }
    at += half_free + half_damped;
    height *= share;
  }
}

// As the slip of the clutch goes through zero the capacity of the brake does, which slides on.
TEST_CASE("a brake slides on through the instant in which it has no capacity") {
  const auto speeds = [](const std::string& least, bool cvode) {
    const Model model("slides", R"(
model Slides
  Rotational.Inertia a(J = 1, w(start = 2, fixed = true)), b(J = 1, w(start = 1, fixed = true));
  Rotational.Clutch clutch(fn_max = 2, f_normalized = 0.2);
  Rotational.Brake brake(fn_max = 2);
  Rotational.Torque load(tau = -1);
equation
  connect(load.flange, a.flange_b);
  connect(clutch.flange_a, a.flange_a);
  connect(clutch.flange_b, b.flange_a);
  connect(brake.flange_a, b.flange_b);
  brake.f_normalized = abs(a.w - b.w) + )" +
                                    least + R"(;
end Slides;
)");
    const Simulation run = cvode ? simulate(model, CvodeOptions{0, 3, 0.5, 1e-10, false})
                                 : simulate(model, TaylorOptions{0, 3, 0.5, 1e-11, false});
    REQUIRE(run.report.reason == StopReason::kDone);
    return run.column(model, "b.w");
  };
  for (const bool cvode : {false, true}) {
    CAPTURE(cvode);
    const std::vector<double> none = speeds("0", cvode), some = speeds("1e-9", cvode);
    REQUIRE(none.size() == some.size());
    CHECK(none[3] == doctest::Approx(0.43032147).epsilon(1e-6));
    for (std::size_t i = 0; i < none.size(); ++i) {
      CAPTURE(i);
      CHECK(std::fabs(none[i] - some[i]) < 1e-7);
    }
    CHECK(none.back() == 0);
  }
}

// Pressed onto its stop up to pi/2 s, then drawn off: 2 |w| of the brake is a damper.
TEST_CASE("a brake in proportion to the speed damps what leaves its stop") {
  const auto angle = [](const std::string& brake, double tolerance) {
    const Model model("leaves", R"(
model Leaves
  Rotational.Inertia wheel(J = 1);
  Rotational.Fixed ground;
  Rotational.HardStop stop(half_freeplay = 0.3);
  Rotational.Torque motor;
)" + brake + R"(
  motor.tau = cos(time);
  connect(stop.flange_a, ground.flange);
  connect(stop.flange_b, wheel.flange_a);
  connect(motor.flange, wheel.flange_a);
end Leaves;
)");
    const Simulation run = simulate(model, TaylorOptions{0, 3, 3, tolerance, false});
    REQUIRE(run.report.reason == StopReason::kDone);
    return run.column(model, "wheel.phi").back();
  };
  const std::string brake = R"(
  Rotational.Brake brake(fn_max = 2);
equation
  brake.f_normalized = 2*abs(wheel.w);
  connect(brake.flange_a, wheel.flange_b);)";
  const std::string damper = R"(
  Rotational.Damper damper(d = 2);
equation
  connect(damper.flange_a, ground.flange);
  connect(damper.flange_b, wheel.flange_b);)";
  const double exact = angle(damper, 1e-12);
  for (const double tolerance : {1e-6, 1e-8, 1e-10, 1e-12}) {
    CAPTURE(tolerance);
    CHECK(angle(brake, tolerance) == doctest::Approx(exact).epsilon(10 * tolerance));
  }
}

// The slip goes through zero, the root of its size with it.
TEST_CASE("a capacity like a root of the speed, which turns round") {
  const auto braked = [](const std::string& torque, const std::string& capacity) {
    const Model model("root", R"(
model Root
  Rotational.Inertia wheel(J = 1, w(start = 3, fixed = true));
  Rotational.Brake brake(fn_max = 2);
  Rotational.Torque load;
equation
  load.tau = )" + torque + R"(;
  brake.f_normalized = )" + capacity +
                                  R"(;
  connect(load.flange, wheel.flange_a);
  connect(wheel.flange_b, brake.flange_a);
end Root;
)");
    const Simulation run = simulate(model, TaylorOptions{0, 3, 0.25, 1e-9, false});
    REQUIRE(run.report.reason == StopReason::kDone);
    return std::pair(run.column(model, "wheel.w"), run.column(model, "brake.f_normalized"));
  };
  for (const char* torque : {"-2", "-2 - 0.5*time", "6*cos(4*time)", "-3*exp(-0.1*time)"}) {
    CAPTURE(torque);
    const auto [speed, capacity] = braked(torque, "0.5*sqrt(abs(wheel.w))");
    const auto [beside, unused] = braked(torque, "0.5*sqrt(abs(wheel.w) + 1e-12)");
    REQUIRE(*std::min_element(speed.begin(), speed.end()) < 0);
    for (std::size_t i = 0; i < speed.size(); ++i) {
      CAPTURE(i);
      CHECK(capacity[i] == doctest::Approx(0.5 * std::sqrt(std::fabs(speed[i]))).epsilon(1e-12));
      CHECK(speed[i] == doctest::Approx(beside[i]).epsilon(1e-5));
    }
  }
}

// T_S = 0: the friction of two bodies is that of dampers, also after their speeds have been zero.
TEST_CASE("a friction without static force whose kinetic one grows with the slip") {
  const auto ended = [](const std::string& friction, bool taylor) {
    const Model model("growing", R"(
model Growing
  model Damping
    Rotational.Interfaces.Flange flange;
    Real w(unit = "rad/s") = der(flange.phi);
  equation
    flange.tau = )" + friction + R"(;
  end Damping;
  Rotational.Inertia a(J = 1, w(start = 1, fixed = true));
  Rotational.Inertia b(J = 0.5);
  Rotational.Inertia c(J = 2);
  Rotational.Spring spring(k = 4);
  Rotational.Torque load(tau = if time < 1 then 1 else -1);
  Damping of_a, of_b, of_c;
equation
  connect(a.flange_b, spring.flange_a);
  connect(spring.flange_b, b.flange_a);
  connect(a.flange_a, of_a.flange);
  connect(b.flange_b, of_b.flange);
  connect(c.flange_a, of_c.flange);
  connect(load.flange, c.flange_b);
end Growing;
)");
    const Simulation run = taylor ? simulate(model, TaylorOptions{0, 4, 0.25, 1e-11, false})
                                  : simulate(model, CvodeOptions{0, 4, 0.25, 1e-9, false});
    REQUIRE(run.report.reason == StopReason::kDone);
    return std::array{run.column(model, "a.w"), run.column(model, "b.w"), run.column(model, "c.w")};
  };
  const auto damped = ended("0.5*w", true);
  CHECK(damped[2][4] == doctest::Approx(2 * (1 - std::exp(-0.25))).epsilon(1e-10));
  for (const bool taylor : {true, false}) {
    CAPTURE(taylor);
    const auto dry = ended("dryfriction(w, 0.5*abs(w), 0)", taylor);
    for (std::size_t body = 0; body < dry.size(); ++body) {
      for (std::size_t i = 0; i < damped[body].size(); ++i) {
        CAPTURE(i);
        CHECK(std::fabs(dry[body][i] - damped[body][i]) <= (taylor ? 1e-9 : 1e-6));
      }
    }
  }
}

// The load grows like t from a speed, the capacity like t: CVODE begins with a step that is small
// against what is left of the run, the smaller the tolerance.
TEST_CASE("CVODE begins next to a capacity that comes from zero, at any tolerance") {
  const Model model("begins.ltm", R"(
model Begins
  Rotational.Inertia first(J = 0.08, w(start = 2.65)), second(J = 1);
  Rotational.Spring shaft(k = 4880);
  Rotational.Brake brake(fn_max = 1.24, f_normalized = time);
equation
  connect(shaft.flange_a, first.flange_a);
  connect(shaft.flange_b, second.flange_a);
  connect(brake.flange_a, second.flange_b);
end Begins;
)");
  const Simulation exact = simulate(model, TaylorOptions{0, 0.2, 0.01, 1e-13, false});
  for (const double tolerance : {1e-8, 1e-10, 1e-12}) {
    CAPTURE(tolerance);
    CvodeOptions options;
    options.stop = 0.2;
    options.tolerance = tolerance;
    options.event_rows = false;
    const Simulation run = simulate(model, options);
    REQUIRE(run.report.reason == StopReason::kDone);
    CHECK(run.report.events == exact.report.events);
    CHECK(run.column(model, "second.phi").back() ==
          doctest::Approx(exact.column(model, "second.phi").back()).epsilon(1e-5));
  }
}

// Nothing moves the hub or what hangs on it. Once the clutch has let go, its bodies have forces of
// 1e-33 N left, which rounding has made: no sign of a slip that nothing depends on ends a mode.
TEST_CASE("a clutch that opens beside a massless hub at rest leaves all there") {
  const Model model("opens", R"(
model Opens
  Translational.Mass far(m = 1), near(m = 0.01), hub(m = 0);
  Translational.SpringDamper bush(k = 300, d = 10);
  Translational.Clutch clutch(fn_max = 0.01, mu_pos = 1);
  Translational.CrossFriction brush(f0 = 0.001);
  Translational.SupportFriction rail(d = 0.1, f0 = 5);
  Translational.Speed belt(v_ref = -1);
equation
  connect(bush.flange_a, near.flange_a);
  connect(bush.flange_b, far.flange_a);
  connect(clutch.flange_a, hub.flange_a);
  connect(clutch.flange_b, near.flange_a);
  connect(brush.flange_a, belt.flange);
  connect(brush.flange_b, hub.flange_a);
  connect(rail.flange_a, hub.flange_a);
  clutch.f_normalized = if time < 0.25 then 1 else 0;
end Opens;
)");
  for (const double tolerance : {1e-4, 1e-6, 1e-9, 1e-12}) {
    CAPTURE(tolerance);
    for (const Simulation& run : {simulate(model, TaylorOptions{0, 1, 0.05, tolerance, false}),
                                  simulate(model, CvodeOptions{0, 1, 0.05, tolerance, false})}) {
      REQUIRE(run.report.reason == StopReason::kDone);
      CHECK(run.report.events < 10);
      for (const char* speed : {"far.v", "near.v", "hub.v"}) {
        for (const double v : run.column(model, speed)) CHECK(std::fabs(v) < 1e-25);
      }
    }
  }
}

}  // namespace luztar::test
