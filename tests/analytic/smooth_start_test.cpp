// Prescribed motions that start with neither speed nor acceleration: what holds against them lets
// go at the start all the same, where its force is at the bound at once.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/closed_form.h"

namespace luztar::test {
namespace {

double cube(double t) { return t * t * t; }

/// With its energies.
Simulation second_of(const Model& model) {
  return simulate(model, TaylorOptions{0, 1, 0.05, 1e-14, true, true});
}

void check_report(const RunReport& report) {
  REQUIRE(report.energy);
  CHECK(std::fabs(report.energy->residual()) < 1e-13 * report.energy->supplied);
}

// The bearing lets go before the clutch does, and drops to its kinetic torque at the start; the
// body moves only with t^3, as the clutch holds it to the drive: up to 2*6t + 1 = 3 N.m.
TEST_CASE("a body breaks away at once with a drive that starts like t^3") {
  const Model model("take", R"(
model Take
  Rotational.Inertia body(J = 2);
  Rotational.BearingFriction bearing(d = 0, tau0 = 1, tau0_static = 2);
  Rotational.CrossFriction clutch(d = 0, tau0 = 1, tau0_static = 3);
  Rotational.Position drive;
equation
  connect(bearing.flange_a, body.flange_b);
  connect(drive.flange, clutch.flange_a);
  connect(clutch.flange_b, body.flange_a);
  drive.phi_ref = time^3;
end Take;
)");
  const Simulation run = second_of(model);
  REQUIRE(run.report.reason == StopReason::kDone);
  CHECK(run.report.events == 1);
  const double end = 1.0 / 6;  // from there on both torques are 1 N.m
  check_column(run, model, "body.phi", [&](double t) {
    return t <= end ? cube(t) : cube(end) + 3 * end * end * (t - end);
  });
  check_report(run.report);
}

// A massless disc passes the torque on: 2.25 N.m of the ground, and what the flywheel takes.
TEST_CASE("a flywheel behind a massless disc follows a drive that starts like t^3") {
  const Model model("disc", R"(
model Disc
  Rotational.Inertia disc(J = 0), flywheel(J = 0.4);
  Rotational.BearingFriction ground(d = 0, tau0 = 2.25);
  Rotational.CrossFriction driven(d = 0.95, tau0 = 2.73), taken(d = 0.93, tau0 = 1.29, tau0_static = 1.677);
  Rotational.Position drive;
equation
  connect(ground.flange_a, disc.flange_b);
  connect(drive.flange, driven.flange_a);
  connect(driven.flange_b, disc.flange_a);
  connect(disc.flange_b, taken.flange_a);
  connect(taken.flange_b, flywheel.flange_a);
  drive.phi_ref = 0.12*time^3;
end Disc;
)");
  const Simulation run = second_of(model);
  REQUIRE(run.report.reason == StopReason::kDone);
  CHECK(run.report.events == 0);
  for (const char* body : {"disc.phi", "flywheel.phi"}) {
    check_column(run, model, body, [](double t) { return 0.12 * cube(t); });
  }
  check_column(run, model, "driven.tau", [](double t) { return -2.25 - 0.4 * 0.72 * t; });
  check_report(run.report);
}

// With less friction to the drive than to the ground it is the drive that slips.
TEST_CASE("a massless disc stays on the ground where a drive that starts like t^3 slips") {
  const Model model("stay", R"(
model Stay
  Rotational.Inertia disc(J = 0), flywheel(J = 0.4);
  Rotational.BearingFriction ground(d = 0, tau0 = 2.25);
  Rotational.CrossFriction driven(d = 0.5, tau0 = 2), taken(d = 0.93, tau0 = 1.29, tau0_static = 1.677);
  Rotational.Position drive;
equation
  connect(ground.flange_a, disc.flange_b);
  connect(drive.flange, driven.flange_a);
  connect(driven.flange_b, disc.flange_a);
  connect(disc.flange_b, taken.flange_a);
  connect(taken.flange_b, flywheel.flange_a);
  drive.phi_ref = 0.1*time^3;
end Stay;
)");
  const Simulation run = second_of(model);
  REQUIRE(run.report.reason == StopReason::kDone);
  CHECK(run.report.events == 0);
  for (const char* body : {"disc.phi", "flywheel.phi"}) {
    check_column(run, model, body, [](double) { return 0.0; });
  }
  check_column(run, model, "driven.tau", [](double t) { return -2 - 0.5 * 0.3 * t * t; });
  check_report(run.report);
}

// The clutch holds the hub to the drive, the felt the massless ring to the hub; the ring slides on
// its bearing from the start.
TEST_CASE("a massless ring slides with a hub that a drive takes along like t^3") {
  const Model model("ring", R"(
model Ring
  Rotational.Inertia hub(J = 0.48), ring(J = 0);
  Rotational.BearingFriction bearing(d = 0.91, tau0 = 0.41, tau0_static = 0.615);
  Rotational.Clutch clutch(mu_pos = 1, fn_max = 4);
  Rotational.CrossFriction felt(d = 0.75, tau0 = 1.97);
  Rotational.Position drive;
equation
  clutch.f_normalized = 1;
  connect(bearing.flange_a, ring.flange_b);
  connect(drive.flange, clutch.flange_a);
  connect(clutch.flange_b, hub.flange_a);
  connect(hub.flange_b, felt.flange_a);
  connect(felt.flange_b, ring.flange_a);
  drive.phi_ref = 0.46*time^3;
end Ring;
)");
  const Simulation run = second_of(model);
  REQUIRE(run.report.reason == StopReason::kDone);
  CHECK(run.report.events == 0);
  for (const char* body : {"hub.phi", "ring.phi"}) {
    check_column(run, model, body, [](double t) { return 0.46 * cube(t); });
  }
  check_column(run, model, "felt.tau", [](double t) { return -0.41 - 0.91 * 1.38 * t * t; });
  CHECK(run.report.energy->total_dissipated() ==
        doctest::Approx(0.41 * 0.46 + 0.91 * 1.38 * 1.38 / 5).epsilon(1e-13));
  check_report(run.report);
}

// Dry friction alone acts on the disc: the lesser one slips.
TEST_CASE("a massless disc between dry frictions stays where a drive that starts like t^3 slips") {
  for (const bool stays : {true, false}) {
    CAPTURE(stays);
    const Model model("dry.ltm", std::string("model Dry\n"
                                             "  Rotational.Inertia rotor(J = 1), disc(J = 0);\n"
                                             "  Rotational.CrossFriction driven(tau0 = 1);\n"
                                             "  Rotational.BearingFriction ground(tau0 = ") +
                                     (stays ? "2" : "0.25") +
                                     ");\n"
                                     "  Rotational.Position drive;\n"
                                     "equation\n"
                                     "  connect(drive.flange, rotor.flange_a);\n"
                                     "  connect(rotor.flange_b, driven.flange_a);\n"
                                     "  connect(driven.flange_b, disc.flange_a);\n"
                                     "  connect(disc.flange_b, ground.flange_a);\n"
                                     "  drive.phi_ref = time^3;\n"
                                     "end Dry;\n");
    const Simulation run = second_of(model);
    REQUIRE(run.report.reason == StopReason::kDone);
    CHECK(run.report.events == 0);
    check_column(run, model, "disc.phi", [&](double t) { return stays ? 0.0 : cube(t); });
    check_column(run, model, "driven.tau", [&](double) { return stays ? -1.0 : -0.25; });
    CHECK(run.report.energy->total_dissipated() ==
          doctest::Approx(stays ? 1 : 0.25).epsilon(1e-13));
    check_report(run.report);
  }
}

// Of a row of massless discs the weakest contact slips, from t = 0.5 on.
TEST_CASE("massless discs in a row stay on the ground under a drive that starts later") {
  const Model model("row", R"(
model Row
  Rotational.Inertia rotor(J = 1), first(J = 0), second(J = 0), flywheel(J = 1);
  Rotational.CrossFriction driven(tau0 = 0.9), between(tau0 = 1), taken(d = 1, tau0 = 2);
  Rotational.BearingFriction ground(tau0 = 1.1);
  Rotational.Position drive;
equation
  connect(drive.flange, rotor.flange_a);
  connect(rotor.flange_b, driven.flange_a);
  connect(driven.flange_b, first.flange_a);
  connect(first.flange_b, between.flange_a);
  connect(between.flange_b, second.flange_a);
  connect(second.flange_b, taken.flange_a);
  connect(taken.flange_b, flywheel.flange_a);
  connect(second.flange_b, ground.flange_a);
  drive.phi_ref = if time < 0.5 then 0 else (time - 0.5)^3;
end Row;
)");
  const Simulation run = second_of(model);
  REQUIRE(run.report.reason == StopReason::kDone);
  CHECK(run.report.events == 1);
  for (const char* body : {"first.phi", "second.phi", "flywheel.phi"}) {
    check_column(run, model, body, [](double) { return 0.0; });
  }
  CHECK(run.report.energy->total_dissipated() == doctest::Approx(0.9 * cube(0.5)).epsilon(1e-12));
  check_report(run.report);
}

// Up to 1.25*1.2*t + 1.74 N.m go through the light hub, whose forces have the rounding of loads on
// a body ten thousand times heavier.
TEST_CASE("a body breaks away behind a light hub that a drive takes along like t^3") {
  const Model model("hub", R"(
model Hub
  Rotational.Inertia rotor(J = 0.3), hub(J = 1e-4), body(J = 1.25);
  Rotational.BearingFriction bearing(d = 0, tau0 = 1.74, tau0_static = 2.61);
  Rotational.CrossFriction first(tau0 = 2.19), second(tau0 = 1.77, tau0_static = 2.301);
  Rotational.CrossFriction third(d = 0.83, tau0 = 1.44), fourth(d = 0.6, tau0 = 1.81);
  Rotational.Position drive;
equation
  connect(bearing.flange_a, body.flange_b);
  connect(rotor.flange_b, first.flange_a);
  connect(first.flange_b, hub.flange_a);
  connect(hub.flange_b, third.flange_a);
  connect(third.flange_b, body.flange_a);
  connect(rotor.flange_b, second.flange_a);
  connect(second.flange_b, hub.flange_a);
  connect(hub.flange_b, fourth.flange_a);
  connect(fourth.flange_b, body.flange_a);
  connect(drive.flange, rotor.flange_a);
  drive.phi_ref = 0.2*time^3;
end Hub;
)");
  const Simulation run = second_of(model);
  REQUIRE(run.report.reason == StopReason::kDone);
  CHECK(run.report.changes == std::vector<std::uint64_t>(run.report.changes.size(), 0));
  for (const char* body : {"hub.phi", "body.phi"}) {
    check_column(run, model, body, [](double t) { return 0.2 * cube(t); });
  }
  CHECK(run.report.energy->total_dissipated() == doctest::Approx(1.74 * 0.2).epsilon(1e-11));
}

// The motion turns back like t^3. What the drive takes along goes back with it as it came.
TEST_CASE("a body follows a drive that turns back like t^3") {
  const Model model("cubed", R"(
model Cubed
  Translational.Mass body(m = 1), slide(m = 1);
  Translational.CrossFriction grip(f0 = 3);
  Translational.SupportFriction rail(f0 = 2), guide(f0 = 1);
  Translational.Speed drive;
equation
  connect(body.flange_b, grip.flange_a);
  connect(grip.flange_b, slide.flange_a);
  connect(body.flange_b, rail.flange_a);
  connect(slide.flange_b, guide.flange_a);
  connect(drive.flange, slide.flange_a);
  drive.v_ref = sin(3*time)^3;
end Cubed;
)");
  const double half = kPi / 3;
  const Simulation there = simulate(model, TaylorOptions{0, half, half, 1e-13, false, true});
  const Simulation back = simulate(model, TaylorOptions{0, 2 * half, half, 1e-13, false, true});
  REQUIRE(back.report.reason == StopReason::kDone);
  const std::vector<double>& path = back.column(model, "body.s");
  CHECK(path[1] > 0.2);
  CHECK(std::fabs(path[2]) < 1e-9);
  CHECK(back.report.energy->total_dissipated() ==
        doctest::Approx(2 * there.report.energy->total_dissipated()).epsilon(1e-9));
  check_report(back.report);
}

// A drive that turns back like t^3, or t^5: the instant of that is found to what its slip loses in
// rounding, within which neither its speed nor its first rates say anything. The ring on the spring
// is a play of half width (1.8 - 0.5)/10.
TEST_CASE("a drive that turns back like a power of the time takes a massless ring back") {
  for (const char* power : {"3", "5"}) {
    for (const double pulsation : {1.737, 2.622, 3.5, 4.491, 5.983, 6.634, 7.48}) {
      const Model model("turns", R"(
model Turns
  Rotational.Speed motion;
  Rotational.Inertia drive(J = 0), ring(J = 0);
  Rotational.CrossFriction felt(tau0 = 1.8);
  Rotational.BearingFriction seal(tau0 = 0.5, tau0_static = 0.6);
  Rotational.Spring spring(k = 10);
  Rotational.Fixed ground;
equation
  motion.w_ref = 1.5*sin()" + std::to_string(pulsation) +
                                     "*time)^" + power + R"(;
  connect(motion.flange, drive.flange_a);
  connect(felt.flange_a, drive.flange_b);
  connect(felt.flange_b, ring.flange_a);
  connect(seal.flange_a, ring.flange_b);
  connect(spring.flange_a, ring.flange_b);
  connect(spring.flange_b, ground.flange);
end Turns;
)");
      CAPTURE(power);
      CAPTURE(pulsation);
      for (const double tolerance : {1e-6, 1e-9, 1e-12}) {
        CAPTURE(tolerance);
        const Simulation run = simulate(model, TaylorOptions{0, 2, 0.005, tolerance, true});
        REQUIRE(run.report.reason == StopReason::kDone);
        const std::vector<double>&driven = run.column(model, "drive.phi"),
              &ring = run.column(model, "ring.phi");
        double place = 0, worst = 0;
        for (std::size_t i = 1; i < run.time.size(); ++i) {
          place = std::clamp(place + driven[i] - driven[i - 1], -0.13, 0.13);
          worst = std::max(worst, std::fabs(ring[i] - place));
        }
        CHECK(worst < 10 * tolerance);
      }
    }
  }
}

// The motor is faster than the wheel, and slides on it with 1 through the ring; the drive takes
// wheel and shaft along, and leaves them on their bearings when it goes back. There its own seal
// changes sides, an event of the drive alone: the speed that the errors of steps have left wheel
// and shaft is none of the drive's, with which they would slide on.
TEST_CASE("bodies that a drive takes along stay where it turns back like t^3") {
  for (const double pulsation : {1.0, 1.662, 2.622, 3.5, 4.491, 5.983, 7.48}) {
    const Model model("left", R"(
model Left
  Rotational.Speed motion;
  Rotational.Inertia drive(J = 0), shaft(J = 0.01), wheel(J = 0.01), ring(J = 0);
  Rotational.Inertia motor(J = 1, w(start = 3));
  Rotational.BearingFriction seal(tau0 = 0.4), rear(tau0 = 0.95), front(tau0 = 0.06);
  Rotational.CrossFriction clutch(tau0 = 0.5), coupling(tau0 = 1.4);
  Rotational.CrossFriction felt(tau0 = 1), belt(tau0 = 1.2);
  Rotational.Torque load;
equation
  motion.w_ref = 1.5*sin()" + std::to_string(pulsation) +
                                  "*time)^3;" + R"(
  load.tau = 1.1;
  connect(motion.flange, drive.flange_a);
  connect(seal.flange_a, drive.flange_b);
  connect(clutch.flange_a, drive.flange_b);
  connect(clutch.flange_b, wheel.flange_a);
  connect(coupling.flange_a, wheel.flange_b);
  connect(coupling.flange_b, shaft.flange_a);
  connect(rear.flange_a, shaft.flange_b);
  connect(front.flange_a, wheel.flange_b);
  connect(felt.flange_a, wheel.flange_b);
  connect(felt.flange_b, ring.flange_a);
  connect(belt.flange_a, ring.flange_b);
  connect(belt.flange_b, motor.flange_a);
  connect(load.flange, motor.flange_b);
end Left;
)");
    CAPTURE(pulsation);
    for (const double tolerance : {1e-6, 1e-8, 1e-10, 1e-12}) {
      CAPTURE(tolerance);
      const Simulation run = simulate(model, TaylorOptions{0, 4, 0.01, tolerance, true});
      REQUIRE(run.report.reason == StopReason::kDone);
      const std::vector<double>&driven = run.column(model, "drive.phi"),
            &wheel = run.column(model, "wheel.phi"), &shaft = run.column(model, "shaft.phi");
      double place = 0, worst = 0;
      for (std::size_t i = 1; i < run.time.size(); ++i) {
        place += std::max(driven[i] - driven[i - 1], 0.0);
        worst = std::max({worst, std::fabs(wheel[i] - place), std::fabs(shaft[i] - place)});
      }
      CHECK(worst < 10 * tolerance);
      const double time = run.time.back();
      CHECK(run.column(model, "motor.w").back() == doctest::Approx(3 + 0.1 * time));
    }
  }
}

}  // namespace
}  // namespace luztar::test
