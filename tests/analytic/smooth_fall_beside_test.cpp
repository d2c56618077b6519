// Dry friction that falls exponentially with speed, on a damped body without inertia, beside other
// frictions of it that slip at other speeds and fall along lines, or exponentially, too.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "tests/support/column_check.h"
#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

/// Between two moving bodies, the smooth Stribeck curve and the one along lines.
const std::string kContacts = R"(
model SmoothContact
  extends Translational.Interfaces.TwoFlanges;
  parameter Real d, f0, f0_static, v_s;
equation
  f = d*v_rel + dryfriction(v_rel, f0 + (f0_static - f0)*exp(-abs(v_rel)/v_s), f0_static);
end SmoothContact;
model LineContact
  extends Translational.Interfaces.TwoFlanges;
  parameter Real f0, f0_static, v0;
equation
  f = dryfriction(v_rel, f0_static - (f0_static - f0)*nas(abs(v_rel), v0)/v0, f0_static);
end LineContact;
)";

// A belt whose speed is t - 1 passes a slider that the ground holds. At 1 s the slip of the belt's
// friction ends while the ground holds: then the belt takes the slider along, over the ground.
const std::string kPassed = kContacts + R"(
model Passed
  Translational.Speed belt, other;
  SmoothContact grip(d = 0.4, f0 = 2.2, f0_static = 4, v_s = 0.75);
  Translational.Mass slider(m = 0);
  Translational.SupportFriction ground(f0 = 1.7);
  Translational.CrossFriction beside(f0 = 1);
  Translational.Force load;
equation
  belt.v_ref = time - 1;
  other.v_ref = 0.125;
  load.f = 1.4;
  connect(belt.flange, grip.flange_a);
  connect(grip.flange_b, slider.flange_a);
  connect(slider.flange_b, ground.flange_a);
  connect(other.flange, beside.flange_a);
  connect(beside.flange_b, slider.flange_b);
  connect(load.flange, slider.flange_b);
end Passed;
)";

// On a ground, two frictions that fall from 7 N to 5 N with decays of their own, under 1 N s/m.
constexpr const char* kTwo = R"(
model Two
  parameter Real mass = 0;
  Translational.Mass disc(m = mass);
  Translational.SmoothStribeckFriction lower(d = 1, f0 = 5, f0_static = 7, v_s = 0.5);
  Translational.SmoothStribeckFriction other(f0 = 5, f0_static = 7, v_s = 0.3);
  Translational.Force load;
equation
  load.f = if time < 18 then time else 36 - time;
  connect(disc.flange_a, lower.flange_a);
  connect(disc.flange_b, other.flange_a);
  connect(load.flange, disc.flange_b);
end Two;
)";

// Between a ground on which it falls from 3.5 N to 2 N and a belt at 0.5 m/s on which it falls from
// 2 N to 1 N, the slip ends on the side of the belt: each lets no slip over it last.
//   up:    over the ground from F = 3.5 - T(0.5) on; up to the fold of F(u) below the belt, which
//          takes the disc then, and holds it up to 2 N more than it takes to move with it
//   down:  over the belt to the fold above it; held down to 2 N less; below it again, to rest
constexpr const char* kBetween = R"(
model Between
  parameter Real mass = 0;
  Translational.Speed belt;
  SmoothContact upper(d = 0, f0 = 1, f0_static = 2, v_s = 0.15);
  Translational.Mass disc(m = mass);
  Translational.SmoothStribeckFriction lower(d = 6, f0 = 2, f0_static = 3.5, v_s = 0.4);
  Translational.Force load;
equation
  belt.v_ref = 0.5;
  load.f = if time < 12 then time else 24 - time;
  connect(belt.flange, upper.flange_a);
  connect(upper.flange_b, disc.flange_a);
  connect(disc.flange_b, lower.flange_a);
  connect(load.flange, disc.flange_b);
end Between;
)";

// Over a ground on which it falls exponentially, from 7 N to 5 N, a belt at 0.3 m/s pulls a disc by
// a friction that falls from 3 N to 1 N along a line up to a slip of 0.4 m/s: with 1.5 N at rest.
//   up:    the ground gives way at F = 7 - 1.5; the belt takes the disc, and holds it up to
//          F = 0.3 + T(0.3) + 3; beyond, u + T(u) = F - 1
//   down:  at u = 0.3 + 0.4 the line lets no slip over the belt last, which takes the disc again,
//          down to F = 0.3 + T(0.3) - 3; then it rests on the ground
constexpr const char* kDisc = R"(
model Disc
  parameter Real mass = 0;
  Translational.Speed belt;
  LineContact upper(f0 = 1, f0_static = 3, v0 = 0.4);
  Translational.Mass disc(m = mass);
  Translational.SmoothStribeckFriction lower(d = 1, f0 = 5, f0_static = 7, v_s = 0.5);
  Translational.Force load;
equation
  belt.v_ref = 0.3;
  load.f = if time < 11 then time else 22 - time;
  connect(belt.flange, upper.flange_a);
  connect(upper.flange_b, disc.flange_a);
  connect(disc.flange_b, lower.flange_a);
  connect(load.flange, disc.flange_b);
end Disc;
)";

void check_by_cvode(const Model& model, const Simulation& run, double stop,
                    const std::string& column, double bound) {
  const Simulation bdf = simulate(model, CvodeOptions{0, stop, 0.01, 1e-10, false});
  REQUIRE(bdf.report.reason == StopReason::kDone);
  CHECK(std::fabs(bdf.column(model, column).back() - run.column(model, column).back()) <= bound);
}

}  // namespace

TEST_CASE("a slip ends while another friction holds") {
  const Model model("passed.ltm", kPassed);
  const Simulation run = audited_run(model, 2, 0.0078125 * 1.01);
  const auto grips = [](double t) {
    const double u = 1 - t;  // slip over the belt
    if (u > 0) return 0.4 * u + 2.2 + 1.8 * std::exp(-u / 0.75);
    return t < 1.125 ? 0.7 : -1.3;
  };
  CHECK(greatest_error(run, model, "slider.v", [](double t) { return std::max(t - 1, 0.0); }) <=
        kBound);
  CHECK(greatest_error(run, model, "grip.f", grips) <= kBound);
  CHECK(greatest_error(run, model, "ground.f",
                       [&](double t) { return t < 1 ? 2.4 - grips(t) : 1.7; }) <= kBound);
  CHECK(run.report.events == 2);
  check_by_cvode(model, run, 2, "slider.s", 1e-8);
}

TEST_CASE("one that falls exponentially beside one along a line, at other slips") {
  const Model model("disc.ltm", kContacts + kDisc);
  const auto resists = [](double u) { return u + 5 + 2 * std::exp(-u / 0.5); };
  const auto pulls = [](double slip) { return 3 - 2 * std::min(slip, 0.4) / 0.4; };
  const double held = resists(0.3);
  const auto load = [](double t) { return t < 11 ? t : 22 - t; };
  const auto speed = [&](double t) {
    const double after = t + 1e-9, f = load(t), late = load(after);
    if (after < 7 - pulls(0.3)) return 0.0;
    if (after < held + 3) return 0.3;
    if (after >= 22 - (resists(0.7) + 1)) return late > held - 3 ? 0.3 : 0.0;
    double u = 10;  // u + T(u) = F - 1, from above: convex
    for (int i = 0; i < 60; ++i) u -= (resists(u) - f + 1) / (1 - 4 * std::exp(-u / 0.5));
    return u;
  };
  const Simulation run = audited_run(model, 22, 0.011);
  CHECK(greatest_error(run, model, "disc.v", speed) <= 1e-9);
  CHECK(greatest_error(run, model, "lower.f", [&](double t) {
          return speed(t) > 0 ? resists(speed(t)) : load(t) + pulls(0.3);
        }) <= 1e-9);
  check_by_cvode(model, run, 22, "disc.s", 1e-5);
}

TEST_CASE("its end is that of a light disc") {
  check_light_limit(
      [](const std::string& inertia) {
        std::string text = kContacts + kDisc;
        return text.replace(text.find("mass = 0"), 8, "mass = " + inertia);
      },
      14, {"disc.s"}, 1e-4);
}

TEST_CASE("two that fall exponentially with one slip") {
  const Model model("two.ltm", kTwo);
  const auto resists = [](double u) {
    return u + 10 + 2 * std::exp(-u / 0.5) + 2 * std::exp(-u / 0.3);
  };
  const auto slope = [](double u) {
    return 1 - 4 * std::exp(-u / 0.5) - std::exp(-u / 0.3) / 0.15;
  };
  const double fold = where(0, 5, 0, slope), least = resists(fold);
  const auto speed = [&](double t) {
    const double after = t + 1e-9, load = t < 18 ? t : 36 - t;
    if (after <= 14 || after >= 36 - least) return 0.0;
    return where(load, 20, fold, resists);
  };
  const Simulation run = audited_run(model, 36, 0.011);
  CHECK(greatest_error(run, model, "disc.v", speed) <= 1e-8);
  CHECK(run.report.events == 3);
  check_by_cvode(model, run, 36, "disc.s", 1e-5);
}

TEST_CASE("two that fall exponentially with slips on either side of one speed") {
  const Model model("between.ltm", kContacts + kBetween);
  const auto ground = [](double u) { return 6 * u + 2 + 1.5 * std::exp(-u / 0.4); };
  const auto belt = [](double slip) { return 1 + std::exp(-slip / 0.15); };
  const auto below = [&](double u) { return ground(u) - belt(0.5 - u); };
  const auto above = [&](double u) { return ground(u) + belt(u - 0.5); };
  const auto stiffness = [](double u) {
    return 6 - 3.75 * std::exp(-u / 0.4) - std::exp(-std::fabs(u - 0.5) / 0.15) / 0.15;
  };
  const double first = where(0, 0.2, 0.5, stiffness);
  const double second = where(0, 2, 0.5, stiffness);
  const auto slides = [&](double load) {  // below the belt
    if (load <= below(0)) return 0.0;
    return where(load, first, 0, below);
  };
  const auto speed = [&](double t) {
    const bool up = t < 12;
    const double after = t + 1e-9, load = up ? after : 24 - after;
    if (up ? load < below(first) : load < ground(0.5) - 2) return slides(load);
    if (up ? load < ground(0.5) + 2 : load < above(second)) return 0.5;
    return where(load, 5, second, above);
  };
  const Simulation run = audited_run(model, 24, 0.011);
  CHECK(greatest_error(run, model, "disc.v", speed) <= 1e-8);
  CHECK(greatest_error(run, model, "lower.f", [&](double t) {
          return t < 3.5 - belt(0.5) ? t + belt(0.5) : speed(t) > 0 ? ground(speed(t)) : NAN;
        }) <= 1e-7);
  check_by_cvode(model, run, 24, "disc.s", 1e-5);
}

TEST_CASE("the ends of several are those of a light disc") {
  const auto check = [](const std::string& text, double stop) {
    check_light_limit(
        [&](const std::string& inertia) {
          std::string light = text;
          return light.replace(light.find("mass = 0"), 8, "mass = " + inertia);
        },
        stop, {"disc.s"}, 1e-4);
  };
  check(kTwo, 24);
  check(kContacts + kBetween, 11);
}

}  // namespace luztar::test
