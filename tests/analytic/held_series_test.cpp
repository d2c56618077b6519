// What dry frictions in series hold, where rounding might decide otherwise.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "tests/analytic/dry_series_checks.h"
#include "tests/support/friction_bounds.h"
#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

/// The same model with bodies of inertia `light` instead of none ends at the same angles.
void check_light(const std::string& text, const char* light, const Model& model,
                 const Simulation& run, const std::vector<const char*>& angles, double accuracy) {
  const Model near("light.ltm", text, {{"light", light}});
  const Simulation limit = simulate(near, TaylorOptions{0, 2, 0.1, 1e-9, false});
  REQUIRE(limit.report.reason == StopReason::kDone);
  for (const char* angle : angles) {
    CHECK(std::fabs(run.column(model, angle).back() - limit.column(near, angle).back()) < accuracy);
  }
}

}  // namespace

// Five bodies on eight frictions with four points between: the forces are not unique most of the
// time. What rounding makes of a slip that all hold is no slip, which would let a force beyond its
// bound at the next coefficient.
TEST_CASE("no friction of a network that is statically indeterminate exceeds its bound") {
  const std::string text =
      "model Network\n"
      "  Rotational.Fixed wall;\n"
      "  Rotational.Inertia b(J = 0.8062, w(start = 1.714));\n"
      "  Rotational.Inertia x(J = 1.2313);\n"
      "  Rotational.Inertia y(J = 0.588);\n"
      "  Rotational.Inertia p(J = 0);\n"
      "  Rotational.Inertia q(J = 0);\n"
      "  Rotational.Inertia r(J = 0);\n"
      "  Rotational.Inertia u(J = 0);\n"
      "  Rotational.CrossFriction pb(tau0 = 3.6204, tau0_static = 5.0334);\n"
      "  Rotational.CrossFriction py(tau0 = 2.3416, tau0_static = 3.4119);\n"
      "  Rotational.CrossFriction qx(tau0 = 2.3661, tau0_static = 2.3661);\n"
      "  Rotational.CrossFriction qy(tau0 = 2.0439, tau0_static = 2.2125);\n"
      "  Rotational.CrossFriction qp(tau0 = 3.1155, tau0_static = 3.6997);\n"
      "  Rotational.CrossFriction rx(tau0 = 3.5256, tau0_static = 3.5256);\n"
      "  Rotational.CrossFriction ur(tau0 = 2.4372, tau0_static = 2.4372);\n"
      "  Rotational.CrossFriction ub(tau0 = 2.1971, tau0_static = 2.4394);\n"
      "  Rotational.BearingFriction ground(tau0 = 2.9937, tau0_static = 2.9937);\n"
      "  Rotational.FreeplaySpring r_spring(k = 7.54, half_freeplay = 0.1148);\n"
      "  Rotational.FreeplaySpring b_spring(k = 17.9006, half_freeplay = 0.0257);\n"
      "  Rotational.Torque push;\n"
      "  Blocks.Sine signal(amplitude = 5.3693, f = 1.0329);\n"
      "equation\n"
      "  connect(p.flange_b, pb.flange_a);\n"
      "  connect(pb.flange_b, b.flange_a);\n"
      "  connect(p.flange_b, py.flange_a);\n"
      "  connect(py.flange_b, y.flange_a);\n"
      "  connect(q.flange_b, qx.flange_a);\n"
      "  connect(qx.flange_b, x.flange_a);\n"
      "  connect(q.flange_b, qy.flange_a);\n"
      "  connect(qy.flange_b, y.flange_a);\n"
      "  connect(q.flange_b, qp.flange_a);\n"
      "  connect(qp.flange_b, p.flange_a);\n"
      "  connect(r.flange_b, rx.flange_a);\n"
      "  connect(rx.flange_b, x.flange_a);\n"
      "  connect(r.flange_b, r_spring.flange_a);\n"
      "  connect(r_spring.flange_b, wall.flange);\n"
      "  connect(u.flange_b, ur.flange_a);\n"
      "  connect(ur.flange_b, r.flange_a);\n"
      "  connect(u.flange_b, ground.flange_a);\n"
      "  connect(u.flange_b, ub.flange_a);\n"
      "  connect(ub.flange_b, b.flange_a);\n"
      "  connect(b.flange_b, b_spring.flange_a);\n"
      "  connect(b_spring.flange_b, wall.flange);\n"
      "  connect(signal.y, push.tau);\n"
      "  connect(push.flange, b.flange_a);\n"
      "end Network;\n";
  const Model model("network.ltm", text);
  const Simulation run = simulate(model, fine(1));
  check_energy(run);
  CHECK(greatest_friction_share(text, model, run) <= 1 + 1e-12);
  CHECK(run.report.energy->total_dissipated() > 2);
  check_cvode(model, run, 1);
}

// Two bodies, held together by frictions, drag a point against its spring, with a friction each,
// and turn round: then both frictions leave their bounds, though the motion lets one of them stay.
// The shortest forces keep the one there that would be the greater; what the motion leaves at its
// bound for the first orders has a part in that.
TEST_CASE("a block between two frictions at their bounds turns round") {
  const std::string text =
      "model TurnsRound\n"
      "  parameter Real light = 0;\n"
      "  Rotational.Inertia b0(J = 1.324, w(start = -0.568));\n"
      "  Rotational.Inertia b1(J = 2.26, w(start = -0.93));\n"
      "  Rotational.Inertia b2(J = light);\n"
      "  Rotational.Inertia b3(J = light);\n"
      "  Rotational.Inertia b4(J = light);\n"
      "  Rotational.Fixed ground;\n"
      "  Rotational.CrossFriction e1(d = 0, tau0 = 0.497);\n"
      "  Rotational.CrossFriction e2(d = 0.118, tau0 = 1.205);\n"
      "  Rotational.CrossFriction e3(d = 0, tau0 = 1.85);\n"
      "  Rotational.CrossFriction e4(d = 0.427, tau0 = 2.912);\n"
      "  Rotational.CrossFriction e5(d = 0.26, tau0 = 1.854);\n"
      "  Rotational.CrossFriction e6(d = 0, tau0 = 1.694);\n"
      "  Rotational.BearingFriction g2(d = 0.905, tau0 = 1.019);\n"
      "  Rotational.Spring s3(k = 32.418);\n"
      "equation\n"
      "  connect(b0.flange_b, e1.flange_a);\n"
      "  connect(e1.flange_b, b1.flange_a);\n"
      "  connect(b1.flange_b, e2.flange_a);\n"
      "  connect(e2.flange_b, b2.flange_a);\n"
      "  connect(b0.flange_b, e3.flange_a);\n"
      "  connect(e3.flange_b, b3.flange_a);\n"
      "  connect(b1.flange_b, e4.flange_a);\n"
      "  connect(e4.flange_b, b4.flange_a);\n"
      "  connect(b2.flange_b, e5.flange_a);\n"
      "  connect(e5.flange_b, b0.flange_a);\n"
      "  connect(b3.flange_b, e6.flange_a);\n"
      "  connect(e6.flange_b, b1.flange_a);\n"
      "  connect(b2.flange_a, g2.flange_a);\n"
      "  connect(b3.flange_a, s3.flange_a);\n"
      "  connect(s3.flange_b, ground.flange);\n"
      "end TurnsRound;\n";
  const Model model("turns_round.ltm", text);
  const Simulation run = simulate(model, fine(2));
  check_energy(run);
  CHECK(greatest_friction_share(text, model, run) <= 1 + 1e-12);
  check_cvode(model, run, 2);
  check_light(text, "1e-5", model, run, {"b0.phi", "b1.phi"}, 2e-5);
}

// Two gears of almost equal ratios drive one plate by a friction each: the lighter force is the
// difference of great ones. All bounds but that of `light` are reached when the load is
// p T_S + q (plate - T_S) + ground. Then `light` takes the plate along with q w:
//   J w' = load - p T_K - q (plate + d q w - T_K) - ground
TEST_CASE("breakaway through gears of almost equal ratios") {
  constexpr double p = 1.2724, ground = 1.6425, peak = 8.095, J = 0.8639;
  const double rate = 2 * std::numbers::pi * 1.1605;
  for (const double q : {1.2, 1.2478, 1.265}) {
    CAPTURE(q);
    const Model model(
        "gears.ltm",
        "model Gears\n"
        "  Rotational.Inertia body(J = 0.8639);\n"
        "  Rotational.IdealGear one(ratio = 1.2724);\n"
        "  Rotational.IdealGear other(ratio = " +
            std::to_string(q) +
            ");\n"
            "  Rotational.Inertia plate(J = 0);\n"
            "  Rotational.CrossFriction heavy(tau0 = 3.7335, tau0_static = 3.8239);\n"
            "  Rotational.CrossFriction light(tau0 = 2.3579, tau0_static = 3.5168);\n"
            "  Rotational.BearingFriction below(tau0 = 2.604, tau0_static = 3.4961);\n"
            "  Rotational.BearingFriction ground(tau0 = 1.6425);\n"
            "  Rotational.Damper damper(d = 3.6194);\n"
            "  Rotational.Fixed wall;\n"
            "  Rotational.Torque push;\n"
            "  Blocks.Sine signal(amplitude = 8.095, f = 1.1605);\n"
            "equation\n"
            "  connect(one.flange_b, body.flange_a);\n"
            "  connect(other.flange_b, body.flange_a);\n"
            "  connect(plate.flange_b, heavy.flange_a);\n"
            "  connect(heavy.flange_b, one.flange_a);\n"
            "  connect(plate.flange_b, light.flange_a);\n"
            "  connect(light.flange_b, other.flange_a);\n"
            "  connect(plate.flange_b, below.flange_a);\n"
            "  connect(plate.flange_b, damper.flange_a);\n"
            "  connect(damper.flange_b, wall.flange);\n"
            "  connect(body.flange_b, ground.flange_a);\n"
            "  connect(signal.y, push.tau);\n"
            "  connect(push.flange, body.flange_a);\n"
            "end Gears;\n");
    const Simulation run = simulate(model, fine(0.4));
    check_energy(run);
    check_cvode(model, run, 0.4);
    const double start = std::asin((p * 3.8239 + q * (3.4961 - 3.8239) + ground) / peak) / rate;
    const double constant = (p * 3.7335 + q * (2.604 - 3.7335) + ground) / J;
    const double decay = q * q * 3.6194 / J;
    const double size = peak / J / (rate * rate + decay * decay);
    const auto forced = [&](double t) {
      return size * (decay * std::sin(rate * t) - rate * std::cos(rate * t)) - constant / decay;
    };
    constexpr std::size_t kRow = 20;
    const double t = run.time[kRow];
    const double expected = forced(t) - forced(start) * std::exp(-decay * (t - start));
    CHECK(std::fabs(run.column(model, "body.w")[kRow] - expected) < 1e-11);
    CHECK(expected > 0.1);
  }
}

// Two gears of almost equal ratios and one plate between them make a lever: its frictions hold the
// body with 1.2043 (p - q). Before they do, the brake reaches its bound, and stays there at rest
// while their forces grow at 1 / (p - q) times the rate of the load. Then
//   J w' = load - 2.9378 p - 1.2043 (p - q)
TEST_CASE("a brake at its bound does not slip while a lever of two gears holds") {
  constexpr double p = 1.4309, J = 1.6135, peak = 8.4229, rate = 2 * std::numbers::pi * 0.5592;
  for (const std::string ratio : {"1.3309", "1.4292", "1.4306"}) {
    CAPTURE(ratio);
    const double hold = 2.9378 * p + 1.2043 * (p - std::stod(ratio));
    const double start = std::asin(hold / peak) / rate;
    const Model model("lever.ltm",
                      "model Lever\n"
                      "  Rotational.Inertia body(J = 1.6135);\n"
                      "  Rotational.IdealGear one(ratio = 1.4309);\n"
                      "  Rotational.IdealGear other(ratio = " +
                          ratio +
                          ");\n"
                          "  Rotational.Inertia plate(J = 0);\n"
                          "  Rotational.CrossFriction c0(tau0 = 3.4479);\n"
                          "  Rotational.CrossFriction c1(tau0 = 1.2043);\n"
                          "  Rotational.Inertia disc(J = 0);\n"
                          "  Rotational.BearingFriction brake(tau0 = 2.9378);\n"
                          "  Rotational.CrossFriction clutch(tau0 = 3.664);\n"
                          "  Rotational.Torque push;\n"
                          "  Blocks.Sine signal(amplitude = 8.4229, f = 0.5592);\n"
                          "equation\n"
                          "  connect(one.flange_b, body.flange_a);\n"
                          "  connect(other.flange_b, body.flange_a);\n"
                          "  connect(plate.flange_b, c0.flange_a);\n"
                          "  connect(c0.flange_b, one.flange_a);\n"
                          "  connect(plate.flange_b, c1.flange_a);\n"
                          "  connect(c1.flange_b, other.flange_a);\n"
                          "  connect(disc.flange_b, brake.flange_a);\n"
                          "  connect(disc.flange_b, clutch.flange_a);\n"
                          "  connect(clutch.flange_b, one.flange_a);\n"
                          "  connect(signal.y, push.tau);\n"
                          "  connect(push.flange, body.flange_a);\n"
                          "end Lever;\n");
    const Simulation run = simulate(model, fine(0.4));
    REQUIRE(run.report.reason == StopReason::kDone);
    check_energy(run);
    const std::vector<double>& w = run.column(model, "body.w");
    for (std::size_t row = 0; row < run.time.size(); ++row) {
      const double t = run.time[row];
      const double impulse =
          peak / rate * (std::cos(rate * start) - std::cos(rate * t)) - hold * (t - start);
      CHECK(std::fabs(w[row] - (t > start ? impulse / J : 0)) < 1e-11);
    }
    CHECK(w.back() > 0.1);
  }
}

// Ratios that are a thousandth apart make levers of two frictions between the gears. What rounding
// decides may end the run, but no force goes beyond its bound.
TEST_CASE("gears of ratios a thousandth apart: no friction exceeds its bound") {
  const std::string text =
      "model Levers\n"
      "  Rotational.Fixed wall;\n"
      "  Rotational.Inertia b0(J = 0.9035, w(start = 0));\n"
      "  Rotational.Inertia b1(J = 1.0247, w(start = 1.9865));\n"
      "  Rotational.Inertia x0(J = 0.9111);\n"
      "  Rotational.IdealGear gear0(ratio = 1.4309);\n"
      "  Rotational.Inertia x1(J = 1.3373);\n"
      "  Rotational.IdealGear gear1(ratio = 1.4292);\n"
      "  Rotational.Inertia p0(J = 0);\n"
      "  Rotational.CrossFriction c0(tau0 = 3.6709, tau0_static = 3.6709);\n"
      "  Rotational.CrossFriction c1(tau0 = 3.3659, tau0_static = 3.3659);\n"
      "  Rotational.Inertia p1(J = 0);\n"
      "  Rotational.BearingFriction g2(tau0 = 3.7162, tau0_static = 4.9463);\n"
      "  Rotational.CrossFriction c3(tau0 = 1.2814, tau0_static = 1.5529);\n"
      "  Rotational.CrossFriction c4(tau0 = 2.3882, tau0_static = 3.0547);\n"
      "  Rotational.Torque push0;\n"
      "  Blocks.Sine push0_s(amplitude = 5.5507, f = 0.3752);\n"
      "  Rotational.Torque push1;\n"
      "  Blocks.Sine push1_s(amplitude = 6.2651, f = 0.787);\n"
      "equation\n"
      "  connect(x0.flange_b, gear0.flange_a);\n"
      "  connect(gear0.flange_b, b0.flange_a);\n"
      "  connect(x1.flange_b, gear1.flange_a);\n"
      "  connect(gear1.flange_b, b0.flange_a);\n"
      "  connect(p0.flange_b, c0.flange_a);\n"
      "  connect(c0.flange_b, x0.flange_a);\n"
      "  connect(p0.flange_b, c1.flange_a);\n"
      "  connect(c1.flange_b, x1.flange_a);\n"
      "  connect(p1.flange_b, g2.flange_a);\n"
      "  connect(p1.flange_b, c3.flange_a);\n"
      "  connect(c3.flange_b, x1.flange_a);\n"
      "  connect(p1.flange_b, c4.flange_a);\n"
      "  connect(c4.flange_b, b1.flange_a);\n"
      "  connect(push0_s.y, push0.tau);\n"
      "  connect(push0.flange, b0.flange_a);\n"
      "  connect(push1_s.y, push1.tau);\n"
      "  connect(push1.flange, b1.flange_a);\n"
      "end Levers;\n";
  const Model model("levers.ltm", text);
  for (const double tolerance : {1e-6, 1e-10, 1e-12}) {
    const Simulation run = simulate(model, TaylorOptions{0, 1, 0.01, tolerance, false});
    CHECK(run.time.back() > 0.16);
    CHECK(greatest_friction_share(text, model, run) <= 1 + 1e-9);
  }
}

// A slider on a spring comes to a body that two frictions in series hold: dust of the body's
// velocity would be one that these slide with. All four forces hold it, the shortest ones.
TEST_CASE("a contact closes on a body held in series without setting its frictions going") {
  const Model model("row.ltm",
                    "model Row\n"
                    "  Translational.Fixed wall;\n"
                    "  Translational.Mass one(m = 1.482);\n"
                    "  Translational.Spring back(k = 109.928);\n"
                    "  Translational.SupportFriction rail_one(f0 = 1.71);\n"
                    "  Translational.Mass two(m = 1.492, v(start = 0.516));\n"
                    "  Translational.Spring middle(k = 175.19);\n"
                    "  Translational.CrossFriction between(f0 = 1.32);\n"
                    "  Translational.SupportFriction rail_two(f0 = 1.774);\n"
                    "  Translational.Mass slider(m = 0);\n"
                    "  Translational.Spring spring(k = 64.632);\n"
                    "  Translational.SupportFriction rail(f0 = 1.695);\n"
                    "  Translational.Mass body(m = 0.371);\n"
                    "  Translational.HardStop stop(half_freeplay = 0.022, e = 0);\n"
                    "  Translational.Mass sheet(m = 0);\n"
                    "  Translational.HardStop play(half_freeplay = 0.02, e = 0);\n"
                    "  Translational.CrossFriction upper(f0 = 1.991);\n"
                    "  Translational.SupportFriction lower(f0 = 1.445);\n"
                    "  Translational.Force push;\n"
                    "  Blocks.Sine signal(amplitude = 8.101, f = 0.623);\n"
                    "equation\n"
                    "  connect(wall.flange, back.flange_a);\n"
                    "  connect(back.flange_b, one.flange_a);\n"
                    "  connect(one.flange_a, rail_one.flange_a);\n"
                    "  connect(one.flange_b, middle.flange_a);\n"
                    "  connect(middle.flange_b, two.flange_a);\n"
                    "  connect(one.flange_b, between.flange_a);\n"
                    "  connect(between.flange_b, two.flange_a);\n"
                    "  connect(two.flange_a, rail_two.flange_a);\n"
                    "  connect(two.flange_b, spring.flange_a);\n"
                    "  connect(spring.flange_b, slider.flange_a);\n"
                    "  connect(slider.flange_a, rail.flange_a);\n"
                    "  connect(slider.flange_b, stop.flange_a);\n"
                    "  connect(stop.flange_b, body.flange_a);\n"
                    "  connect(body.flange_b, play.flange_a);\n"
                    "  connect(play.flange_b, sheet.flange_a);\n"
                    "  connect(body.flange_b, upper.flange_a);\n"
                    "  connect(upper.flange_b, sheet.flange_a);\n"
                    "  connect(sheet.flange_a, lower.flange_a);\n"
                    "  connect(signal.y, push.f);\n"
                    "  connect(push.flange, one.flange_b);\n"
                    "end Row;\n");
  for (const bool exact : {true, false}) {
    CAPTURE(exact);
    const Simulation run =
        exact ? simulate(model, fine(2)) : simulate(model, CvodeOptions{0, 2, 0.01, 1e-12, false});
    REQUIRE(run.report.reason == StopReason::kDone);
    CHECK(run.report.events == 24);
    const double load = std::fabs(run.column(model, "spring.f").back());
    CHECK(load > 1.695);
    for (const char* force : {"stop.f", "upper.f", "lower.f"}) {
      CAPTURE(force);
      CHECK(std::fabs(std::fabs(run.column(model, force).back()) - load / 4) < 1e-9);
    }
    if (exact) check_energy(run);
  }
}

// A contact closes on a dry point beside a damped body. The point jumps, and with it frictions that
// hold at their bounds afterwards, from which the load then takes them away.
TEST_CASE("a contact on a dry point in series with a damped body") {
  const std::string text =
      "model BesideDamped\n"
      "  parameter Real light = 0;\n"
      "  Rotational.Inertia b0(J = light);\n"
      "  Rotational.Inertia b1(J = light);\n"
      "  Rotational.Inertia b2(J = light);\n"
      "  Rotational.Inertia b3(J = 0.95, w(start = 0.895));\n"
      "  Rotational.Fixed ground;\n"
      "  Rotational.CrossFriction e1(d = 0, tau0 = 0.283);\n"
      "  Rotational.CrossFriction e2(d = 0, tau0 = 0.684);\n"
      "  Rotational.HardStop e3(half_freeplay = 0.032);\n"
      "  Rotational.BearingFriction g0(d = 0, tau0 = 1.826);\n"
      "  Rotational.Spring s0(k = 36.756);\n"
      "  Rotational.Torque t0;\n"
      "  Rotational.BearingFriction g1(d = 0, tau0 = 0.31);\n"
      "  Rotational.Spring s1(k = 7.23);\n"
      "  Rotational.BearingFriction g2(d = 0.267, tau0 = 0.688);\n"
      "  Rotational.Spring s2(k = 28.847);\n"
      "  Rotational.Spring s3(k = 4.219);\n"
      "equation\n"
      "  connect(b0.flange_b, e1.flange_a);\n"
      "  connect(e1.flange_b, b1.flange_a);\n"
      "  connect(b0.flange_b, e2.flange_a);\n"
      "  connect(e2.flange_b, b2.flange_a);\n"
      "  connect(b1.flange_b, e3.flange_a);\n"
      "  connect(e3.flange_b, b3.flange_a);\n"
      "  connect(b0.flange_a, g0.flange_a);\n"
      "  connect(b0.flange_a, s0.flange_a);\n"
      "  connect(s0.flange_b, ground.flange);\n"
      "  connect(t0.flange, b0.flange_b);\n"
      "  t0.tau = 2.325*sin(5.44*time+1.367);\n"
      "  connect(b1.flange_a, g1.flange_a);\n"
      "  connect(b1.flange_a, s1.flange_a);\n"
      "  connect(s1.flange_b, ground.flange);\n"
      "  connect(b2.flange_a, g2.flange_a);\n"
      "  connect(b2.flange_a, s2.flange_a);\n"
      "  connect(s2.flange_b, ground.flange);\n"
      "  connect(b3.flange_a, s3.flange_a);\n"
      "  connect(s3.flange_b, ground.flange);\n"
      "end BesideDamped;\n";
  const Model model("beside_damped.ltm", text);
  const Simulation run = simulate(model, fine(2));
  check_energy(run);
  CHECK(greatest_friction_share(text, model, run) <= 1 + 1e-12);
  check_cvode(model, run, 2);
  // Impacts of light bodies: order 1/2.
  check_light(text, "1e-6", model, run, {"b2.phi", "b3.phi"}, 1e-3);
}

// A strained spring throws a point to where the frictions on it are in balance with T_K; there it
// is at rest, on frictions that hold T_S. Cross hands on what the brake can hold, 0.52 of its 0.57.
//   point    2.2 = cross T_K + seat T_K = k (0.038 - x): x = 0.016
//   pusher   J w' = 1.1 - k (phi - 0.016), from 0.038 for half a period
TEST_CASE("a point that is thrown to its place rests there on static friction") {
  const Model model("thrown.ltm",
                    "model Thrown\n"
                    "  Rotational.Inertia body(J = 0.1);\n"
                    "  Rotational.BearingFriction brake(tau0 = 0.39, tau0_static = 0.52);\n"
                    "  Rotational.Inertia point(J = 0);\n"
                    "  Rotational.CrossFriction cross(tau0 = 0.5, tau0_static = 0.57);\n"
                    "  Rotational.BearingFriction seat(tau0 = 1.7, tau0_static = 1.9);\n"
                    "  Rotational.Inertia pusher(J = 0.1, phi(start = 0.038));\n"
                    "  Rotational.BearingFriction rail(tau0 = 1.1, tau0_static = 1.2);\n"
                    "  Rotational.Spring spring(k = 100);\n"
                    "equation\n"
                    "  connect(brake.flange_a, body.flange_b);\n"
                    "  connect(cross.flange_a, body.flange_b);\n"
                    "  connect(cross.flange_b, point.flange_a);\n"
                    "  connect(seat.flange_a, point.flange_b);\n"
                    "  connect(spring.flange_a, point.flange_b);\n"
                    "  connect(spring.flange_b, pusher.flange_a);\n"
                    "  connect(rail.flange_a, pusher.flange_b);\n"
                    "end Thrown;\n");
  const Simulation run = simulate(model, fine(0.2));
  check_energy(run);
  check_cvode(model, run, 0.2);
  const double rate = std::sqrt(100 / 0.1), half = std::numbers::pi / rate;
  for (std::size_t i = 0; i < run.time.size(); ++i) {
    const double angle = 0.027 + 0.011 * std::cos(rate * std::min(run.time[i], half));
    CHECK(std::fabs(run.column(model, "pusher.phi")[i] - angle) < 1e-13);
    CHECK(std::fabs(run.column(model, "point.phi")[i] - 0.016) < 1e-13);
    CHECK(run.column(model, "body.phi")[i] == 0);
  }
  CHECK(std::fabs(run.column(model, "brake.tau")[0]) == doctest::Approx(0.52).epsilon(1e-12));
}

}  // namespace luztar::test
