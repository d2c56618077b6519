// A massless body on springs and one dry friction is a play: it stays until its edge takes it
// along, which with T_S > T_K it does with a snap.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/support/column_check.h"
#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

/// Greatest difference between y and the play of half width width(i) that x drives, from `expected`
/// on. Turning points are events, with rows.
template <class Width>
double distance_from_play(double expected, const std::vector<double>& x,
                          const std::vector<double>& y, Width width) {
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    expected = std::clamp(expected, x[i] - width(i), x[i] + width(i));
    worst = std::max(worst, std::fabs(y[i] - expected));
  }
  return worst;
}

}  // namespace

TEST_CASE("a massless slider on a spring is a play: it turns where its drive turns") {
  // The drive's speed is the sum of two that cancel there, but for the rounding of each.
  for (int k = 20; k <= 80; k += 3) {
    const Model model("play", R"(
model Play
  Rotational.Position drive;
  Rotational.Spring s(k = )" + std::to_string(k) +
                                  R"();
  Rotational.Inertia n(J = 0);
  Rotational.BearingFriction f(tau0 = 0.942);
equation
  drive.phi_ref = 0.467*sin(4.929*time) + 0.075*sin(8.559*time);
  connect(drive.flange, s.flange_a);
  connect(s.flange_b, n.flange_a);
  connect(f.flange_a, n.flange_a);
end Play;
)");
    INFO("k = ", k);
    const Simulation run = simulate(model, TaylorOptions{0, 3, 0.05, 1e-10, true});
    REQUIRE(run.report.reason == StopReason::kDone);
    const std::vector<double>&x = run.column(model, "drive.phi"), &y = run.column(model, "n.phi");
    CHECK(distance_from_play(0, x, y, [=](std::size_t) { return 0.942 / k; }) < 1e-12);
  }
}

// With a little damping, too: the slider follows in some d/k, against which nothing that turns it
// back has a coefficient of any size. It lags behind by d u'/k, and turns as much later.
TEST_CASE("a massless slider with a time constant of microseconds turns where its drive turns") {
  for (const std::string part :
       {"SupportFriction f(f0 = 3, d = ", "SupportFriction f(f0 = 0, d = "}) {
    const bool dry = part.find("= 3") != std::string::npos;
    for (const char* d : {"1e-3", "1e-4", "3e-5", "1e-6"}) {
      CAPTURE(part);
      CAPTURE(d);
      const Model model("lag", R"(
model Lag
  Translational.Position drive;
  Translational.FreeplaySpring s(k = 100, half_freeplay = )" +
                                   std::string(dry ? "0" : "0.03") + R"();
  Translational.Mass n(m = 0);
  Translational.)" + part + d + R"();
equation
  drive.s_ref = 0.1*sin(3*time);
  connect(drive.flange, s.flange_a);
  connect(s.flange_b, n.flange_a);
  connect(f.flange_a, n.flange_b);
end Lag;
)");
      const auto check = [&](const Simulation& run, double accuracy) {
        REQUIRE(run.report.reason == StopReason::kDone);
        const std::vector<double>&x = run.column(model, "drive.s"), &y = run.column(model, "n.s");
        CHECK(distance_from_play(0, x, y, [](std::size_t) { return 0.03; }) < accuracy);
        if (std::stod(d) >= 1e-4) CHECK(run.report.events < 20);
      };
      // In a hundredth of a microsecond the first to be seen is a force of 1e-10 of the spring's.
      const double lag = 2 * std::stod(d) * 0.3 / 100 + (std::stod(d) < 1e-5 ? 3e-6 : 0);
      for (const double tolerance : {1e-6, 1e-9}) {
        CAPTURE(tolerance);
        check(simulate(model, CvodeOptions{0, 4, 0.05, tolerance, true}), lag + 100 * tolerance);
      }
      if (std::stod(d) >= 1e-4)
        check(simulate(model, TaylorOptions{0, 4, 0.05, 1e-9, true}), lag + 1e-8);
    }
  }
}

TEST_CASE("a freeplay that a parameter closes is a spring: edges at one place are none") {
  const Model model("closed", R"(
model Closed
  parameter Units.Angle b = 0;
  Rotational.Position drive;
  Rotational.FreeplaySpring s(k = 30, half_freeplay = b);
  Rotational.Inertia n(J = 0);
  Rotational.BearingFriction f(tau0 = 0.3);
equation
  drive.phi_ref = sin(2*pi*time);
  connect(drive.flange, s.flange_a);
  connect(s.flange_b, n.flange_a);
  connect(f.flange_a, n.flange_a);
end Closed;
)");
  const Simulation run = simulate(model, TaylorOptions{0, 2, 0.05, 1e-10, true});
  REQUIRE(run.report.reason == StopReason::kDone);
  const std::vector<double>&x = run.column(model, "drive.phi"), &y = run.column(model, "n.phi");
  CHECK(distance_from_play(0, x, y, [](std::size_t) { return 0.01; }) < 1e-12);
}

TEST_CASE("a massless slider whose friction touches zero slides on through it") {
  // At 0.2356 s, 0.5498 s, .. capacity and its rate are zero: rounding makes it none for a moment.
  for (int phase = 0; phase < 62; phase += 3) {
    const Model model("touches", R"(
model Touches
  Rotational.Position drive;
  Rotational.Spring pull(k = 10), back(k = 30);
  Rotational.Inertia n(J = 0);
  Rotational.Clutch clutch(fn_max = 5);
  Rotational.Fixed ground;
equation
  drive.phi_ref = 0.8*sin(2*pi*time + )" +
                                     std::to_string(phase) + R"(/10);
  clutch.f_normalized = 0.5 + 0.5*sin(20*time);
  connect(drive.flange, pull.flange_a);
  connect(pull.flange_b, n.flange_a);
  connect(n.flange_b, clutch.flange_a);
  connect(clutch.flange_b, ground.flange);
  connect(n.flange_b, back.flange_a);
  connect(back.flange_b, ground.flange);
end Touches;
)");
    INFO("phase ", phase, "/10");
    for (const double tolerance : {1e-6, 1e-10}) {
      const Simulation run = simulate(model, TaylorOptions{0, 1, 5e-4, tolerance, true});
      REQUIRE(run.report.reason == StopReason::kDone);
      std::vector<double> x = run.column(model, "drive.phi");
      for (double& position : x) position *= 10.0 / 40;  // where the springs alone would have it
      const auto width = [&](std::size_t i) {
        return 0.5 * 5 * (0.5 + 0.5 * std::sin(20 * run.time[i])) / 40;
      };
      const std::vector<double>& y = run.column(model, "n.phi");
      CHECK(distance_from_play(y[0], x, y, width) < 1e-6);
    }
  }
}

// A slider that a spring has pushed creeps to where the force of that is its friction, and tends
// there. Then the mass at the other end breaks away, and the force falls: the slider stays.
//   mass   J y'' = -5 u - k y with u from where 5 t + 0.5 = 2
TEST_CASE("a slider that tends to rest stays there when a mass lets go of its spring") {
  const Model model("creeps.ltm",
                    "model Creeps\n"
                    "  Rotational.Inertia slider(J = 0);\n"
                    "  Rotational.BearingFriction seat(d = 1, tau0 = 0.5);\n"
                    "  Rotational.Spring spring(k = 100);\n"
                    "  Rotational.Inertia mass(J = 0.1, phi(start = 0.015));\n"
                    "  Rotational.BearingFriction rail(tau0 = 2);\n"
                    "  Rotational.Torque load;\n"
                    "equation\n"
                    "  load.tau = -5*time;\n"
                    "  connect(seat.flange_a, slider.flange_b);\n"
                    "  connect(spring.flange_a, slider.flange_b);\n"
                    "  connect(spring.flange_b, mass.flange_a);\n"
                    "  connect(rail.flange_a, mass.flange_b);\n"
                    "  connect(load.flange, mass.flange_b);\n"
                    "end Creeps;\n");
  const double start = 0.3, rate = std::sqrt(100 / 0.1);
  for (const double tolerance : {1e-6, 1e-9, 1e-13}) {
    CAPTURE(tolerance);
    const Simulation run = simulate(model, TaylorOptions{0, 0.45, 0.01, tolerance, false, true});
    REQUIRE(run.report.reason == StopReason::kDone);
    for (std::size_t i = 0; i < run.time.size(); ++i) {
      const double t = run.time[i], since = std::max(t - start, 0.0);
      const double crept = 0.01 * (1 - std::exp(-100 * t));
      const double moved = -0.05 * (since - std::sin(rate * since) / rate);
      CHECK(std::fabs(run.column(model, "slider.phi")[i] - crept) < 0.1 * tolerance + 1e-14);
      CHECK(std::fabs(run.column(model, "mass.phi")[i] - 0.015 - moved) < 0.1 * tolerance + 1e-14);
    }
  }
}

// While the drive rests the slider does, too: it holds up to T_S again before it goes on.
TEST_CASE("a massless slider holds with T_S after its drive has rested") {
  struct Drive {
    const char* position;
    double (*at)(double);
    double breaks;  // [s], the second time
  };
  const Drive drives[] = {
      {"table(time, {0, 0.5, 1, 2}, {0, 1, 1, 3})",
       [](double t) { return t < 0.5 ? 2 * t
                             : t < 1 ? 1
                                     : 2 * t - 1; }, 1.0625},
      {"if time < 0.5 then 2*time else if time < 1 then 1 else 1 + (time - 1)^2",
       [](double t) { return t < 0.5 ? 2 * t
                             : t < 1 ? 1
                                     : 1 + (t - 1) * (t - 1); },
       1 + std::sqrt(0.125)},
      {"if time < 0.5 then 1 - 4*(0.5 - time)^2 else if time < 1 then 1 else 2*time - 1",
       [](double t) { return t < 0.5 ? 1 - 4 * (0.5 - t) * (0.5 - t)
                             : t < 1 ? 1
                                     : 2 * t - 1; },
       1.0625}};
  for (const auto& [position, at, breaks] : drives) {
    CAPTURE(position);
    const Model model("rests.ltm", R"(
model Rests
  Rotational.Position drive;
  Rotational.Spring spring(k = 1);
  Rotational.Inertia slider(J = 0);
  Rotational.BearingFriction friction(tau0 = 0.25, tau0_static = 0.375);
equation
  drive.phi_ref = )" + std::string(position) +
                                       R"(;
  connect(drive.flange, spring.flange_a);
  connect(spring.flange_b, slider.flange_a);
  connect(slider.flange_b, friction.flange_a);
end Rests;
)");
    const auto drive = at;
    const double second = breaks;
    double first = 0;  // breaks away where the spring has 0.375
    for (double low = 0, high = 0.5; high - low > 1e-15;) {
      first = (low + high) / 2;
      (drive(first) < 0.375 ? low : high) = first;
    }
    check_column_between(model, 1.4, "slider.phi", {first, second}, [=](double t) {
      if (t < first) return 0.0;
      return t < 0.5 || t > second ? drive(t) - 0.25 : 0.75;
    });
  }
}

}  // namespace luztar::test
