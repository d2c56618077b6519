// Dry frictions that fall with speed together with others, on one body without inertia: it snaps
// from one that lets go to the next that holds it. Against closed forms, and against the limit of
// small inertia.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "tests/support/column_check.h"
#include "tests/support/model.h"
#include "tests/support/random_cases.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

/// A plate between a belt and the ground. On both the friction falls from f_static to f0 up to v0.
const std::string kPlate = R"(
model Facing "falls with the speed between its flanges"
  extends Translational.Interfaces.TwoFlanges;
  parameter Real f0 = 4;
  parameter Real f_static = 6;
  parameter Real v0 = 0.5;
  parameter Real presses = 0;
equation
  f = dryfriction(v_rel, (1 + presses*time)*(f_static - (f_static - f0)*nas(abs(v_rel), v0)/v0),
                  (1 + presses*time)*f_static);
end Facing;
model Plate
  parameter Real mass = 0;
  parameter Real speed = 0.2;
  Translational.Speed belt;
  Facing upper;
  Translational.Mass plate(m = mass);
  Facing lower(f0 = 5, f_static = 7);
  Translational.SupportFriction oil(d = 1, f0 = 0);
  Translational.Fixed ground;
  Translational.Force load;
equation
  belt.v_ref = speed;
  load.f = LOAD;
  connect(belt.flange, upper.flange_a);
  connect(upper.flange_b, plate.flange_a);
  connect(plate.flange_b, lower.flange_a);
  connect(lower.flange_b, ground.flange);
  connect(plate.flange_a, oil.flange_a);
  connect(load.flange, plate.flange_b);
end Plate;
)";

std::string loaded(const std::string& load, std::string text = kPlate) {
  text.replace(text.find("LOAD"), 4, load);
  return text;
}

/// Up with the time to `turn`, and down again.
double ramp(double t, double turn) { return t < turn ? t : 2 * turn - t; }

/// Greatest difference of a column between two runs, on the grid.
double distance(const Model& limit, const Simulation& run, const Model& heavy,
                const Simulation& small, const std::string& name, double stop) {
  const auto at = [](const Simulation& r, double t) {
    return static_cast<std::size_t>(std::upper_bound(r.time.begin(), r.time.end(), t + 1e-9) -
                                    r.time.begin() - 1);
  };
  double worst = 0;
  for (int i = 0; i <= std::lround(stop / 0.01); ++i) {
    const double t = 0.01 * i;
    worst = std::max(worst, std::fabs(run.column(limit, name)[at(run, t)] -
                                      small.column(heavy, name)[at(small, t)]));
  }
  return worst;
}

/// The limit of the mass `parameter` -> 0, of order one, by both solvers.
void check_limit(const std::string& text, const std::string& parameter, const std::string& name,
                 double stop, double bound) {
  const Model model("limit.ltm", text);
  const Simulation run = audited_run(model, stop, 0.01);
  const Simulation bdf = simulate(model, CvodeOptions{0, stop, 0.01, 1e-10, false});
  REQUIRE(bdf.report.reason == StopReason::kDone);
  CHECK(distance(model, run, model, bdf, name, stop) <= 1e-4);
  double last = 0;
  for (const std::string& mass : light_inertias({"1e-4", "1e-5", "1e-6"})) {
    CAPTURE(mass);
    const Model heavy("heavy.ltm", text, {{parameter, mass}});
    const Simulation small = simulate(heavy, TaylorOptions{0, stop, 0.01, 1e-9, false, true});
    REQUIRE(small.report.reason == StopReason::kDone);
    const double error = distance(model, run, heavy, small, name, stop);
    MESSAGE("mass ", mass, ": ", error);
    if (last > 0) CHECK(error < 0.2 * last);
    CHECK(error < bound * std::stod(mass) / 1e-6);
    last = error;
  }
}

}  // namespace

// The belt runs at 0.2 m/s: held by one, the plate slips against the other where that one falls, at
// 6 - 4*0.2 = 5.2 N above and 7 - 4*0.2 = 6.2 N below.
TEST_CASE("a plate goes from one friction that falls with speed to the other") {
  const Model model("plate.ltm", loaded("if time < 14 then time else 28 - time"));
  REQUIRE(own_states(model) == 1);
  const auto speed = [](double at) {
    const double t = at + 1e-9, f = ramp(at, 14);  // after an event
    if (t < 7 - 5.2) return 0.0;                   // the ground holds up to 7
    if (t < 6.2 + 0.2 + 6) return 0.2;             // the belt up to 6
    if (t < 14 + 14 - 9.7) return f - 9;           // to 0.7: the belt's friction falls below
    if (t < 28 - (6.2 + 0.2 - 6)) return 0.2;      // the belt down to -6
    return 0.0;
  };
  const Function way = [&](double t) {
    const double to_belt = 1.8, on = 12.4, off = 18.3, rests = 27.6;
    double s = 0.2 * (std::clamp(t, to_belt, on) - to_belt);
    if (t > on) {
      const double up = std::min(t, 14.0), down = std::clamp(t, 14.0, off);
      s += (up * up - on * on) / 2 - 9 * (up - on);
      s += 19 * (down - 14) - (down * down - 14 * 14) / 2;
    }
    return s + 0.2 * (std::clamp(t, off, rests) - off);
  };
  const Simulation run = audited_run(model, 28, 0.01);
  CHECK(greatest_error(run, model, "plate.v", speed) <= 1e-9);
  CHECK(greatest_error(run, model, "plate.s", way) <= 1e-9);
  const Simulation bdf = simulate(model, CvodeOptions{0, 28, 0.01, 1e-10, false});
  REQUIRE(bdf.report.reason == StopReason::kDone);
  CHECK(greatest_error(bdf, model, "plate.s", way) <= 1e-6);
  const Simulation steps = simulate(model, EulerOptions{.stop = 28, .step = 1e-3});
  CHECK(std::fabs(steps.column(model, "plate.s").back() - way(28)) <= 1e-2);
  // The one that slips has what is left of it at its speed.
  CHECK(greatest_error(run, model, "lower.f", [&](double at) {
          const double t = at + 1e-9, f = ramp(at, 14);
          if (t < 1.8) return -(f + 5.2);
          if (t < 12.4 || (t >= 18.3 && t < 27.6)) return -6.2;
          return t < 18.3 ? -5.0 : -(f + 5.2);
        }) <= 1e-9);
}

// At 10 N all of three are balances: held by none, at 1 m/s, and by the belt. Where the plate comes
// from tells.
TEST_CASE("a load that jumps leaves the plate to the next balance") {
  const Model model("jumps.ltm",
                    loaded("if time < 1 then 5 else if time < 2 then 10 else if time < 3 then 14 "
                           "else if time < 4 then 10 else if time < 5 then -20 else "
                           "if time < 6 then -9.8 else 6"));
  const double speeds[] = {0.2, 0.2, 5, 1, -11, -0.8, 0.2};
  const auto way = [&](double t) {
    double s = 0;
    for (int i = 0; i < 7; ++i) s += speeds[i] * std::clamp(t - i, 0.0, 1.0);
    return s;
  };
  check_column(model, 7, "plate.s", way, 2e-2);
}

// Whatever its inertia, the plate comes by the speeds at which a friction may hold it with more
// than it slides with: first the belt's, then rest.
TEST_CASE("a load that jumps finds frictions that hold with more than they slide with") {
  std::string text = loaded(
      "if time < 1 then 14 else if time < 2 then 10 else if time < 3 then -0.7 else "
      "if time < 4 then 10 else if time < 5 then 14 else if time < 6 then -10.5 else "
      "if time < 7 then -14 else 0.5");
  const std::string law = "(f_static - (f_static - f0)*nas(abs(v_rel), v0)/v0)";
  text.replace(text.find(law), law.size(), "f0");
  const Model model("jumps.ltm", text);
  const double speeds[] = {5, 1, 0.2, 0.2, 5, 0, -5, 0};
  const auto way = [&](double t) {
    double s = 0;
    for (int i = 0; i < 8; ++i) s += speeds[i] * std::clamp(t - i, 0.0, 1.0);
    return s;
  };
  check_column(model, 8, "plate.s", way, 2e-2);
  check_limit(text, "mass", "plate.s", 8, 2e-5);
}

TEST_CASE("a signal sets how strong the frictions are that a plate goes between") {
  const std::string presses = loaded("-10*(1 + 0.1*time)*sin(2*time)");
  std::string text = presses;
  text.replace(text.find("Facing upper;"), 13, "Facing upper(presses = 0.1);");
  text.replace(text.find("lower(f0"), 8, "lower(presses = 0.1, f0");
  check_limit(text, "mass", "plate.s", 6, 1e-4);
}

TEST_CASE("frictions that fall along several lines, and one that does not") {
  std::string text = loaded("16*sin(1.1*time)");
  const std::string law = "f_static - (f_static - f0)*nas(abs(v_rel), v0)/v0";
  text.replace(text.find(law), law.size(),
               "table(abs(v_rel), {0, 0.4*v0, v0}, {f_static, 0.3*f_static + 0.7*f0, f0})");
  text.replace(text.find("f0 = 0)"), 7, "f0 = 1.5)");
  check_limit(text, "mass", "plate.s", 8, 1e-4);
}

namespace {

/// A clutch: a disc without inertia between two hubs, with facings that fall with speed.
const std::string kClutch = R"(
model Facing
  extends Rotational.Interfaces.TwoFlanges;
  parameter Real tau0 = 5;
  parameter Real tau_static = 8;
  parameter Real holds = tau_static;
  parameter Real w0 = 2;
equation
  tau = dryfriction(w_rel, tau_static - (tau_static - tau0)*nas(abs(w_rel), w0)/w0, holds);
end Facing;
model Clutch
  parameter Real J = 0;
  parameter Real fast = 20;
  Rotational.Inertia hub1(J = 0.3, w(start = fast)), hub2(J = 0.5, w(start = 0.15*fast));
  Rotational.Inertia disc(J = J);
  Facing first;
  Facing second(tau0 = 4, tau_static = 9, w0 = 3);
  Rotational.BearingFriction drag(d = 0.05, tau0 = 0.4);
  Rotational.Torque drive, load;
equation
  drive.tau = 25*sin(1.3*time);
  load.tau = 12*sin(0.9*time + 1);
  connect(drive.flange, hub1.flange_a);
  connect(hub1.flange_b, first.flange_a);
  connect(first.flange_b, disc.flange_a);
  connect(disc.flange_a, drag.flange_a);
  connect(disc.flange_b, second.flange_a);
  connect(second.flange_b, hub2.flange_a);
  connect(load.flange, hub2.flange_b);
end Clutch;
)";

}  // namespace

TEST_CASE("the disc of a clutch goes with one hub or the other, or holds them together") {
  check_limit(kClutch, "J", "hub2.phi", 6, 2e-3);
}

// Also where a disc that has let go of one hub comes to the speed of the other.
TEST_CASE("facings that hold with more than what they fall from") {
  std::string text = kClutch;
  text.replace(text.find("holds = tau_static"), 18, "holds = 1.25*tau_static");
  check_limit(text, "J", "hub2.phi", 6, 2e-3);
}

TEST_CASE("the disc of a clutch with facings that are alike") {
  std::string text = kClutch;
  text.replace(text.find("second(tau0 = 4, tau_static = 9, w0 = 3)"), 40, "second");
  text.replace(text.find("fast = 20"), 9, "fast = 0");
  check_limit(text, "J", "hub2.phi", 6, 2e-3);
}

// Each disc has a speed of its own, and snaps by itself: the hubs between have inertia.
TEST_CASE("discs of two clutches in a row, with a hub between them") {
  std::string text = kClutch;
  const auto add = [&](const std::string& before, const std::string& what) {
    text.insert(text.find(before), what);
  };
  add("  Facing first;", R"(
  Rotational.Inertia hub3(J = 0.4);
  Rotational.Inertia disc2(J = J);
  Rotational.SmoothStribeckFriction third(tau0 = 1, tau0_static = 2.2, d = 0.8, w_s = 2);
  Facing fourth(tau0 = 3, tau_static = 6, w0 = 2.5);
  Rotational.BearingFriction drag2(d = 0.3, tau0 = 0.2);
  Rotational.CrossFriction brush(tau0 = 2.5);
  Rotational.Torque turns(tau = 4*sin(2*time));
)");
  add("  connect(load.flange, hub2.flange_b);", R"(
  connect(hub2.flange_b, fourth.flange_a);
  connect(fourth.flange_b, disc2.flange_a);
  connect(disc2.flange_a, drag2.flange_a);
  connect(third.flange_a, disc2.flange_b);
  connect(disc2.flange_b, brush.flange_a);
  connect(brush.flange_b, hub3.flange_a);
  connect(turns.flange, hub3.flange_a);
)");
  check_limit(text, "J", "hub2.phi", 6, 2e-3);
  check_limit(text, "J", "hub3.phi", 6, 2e-3);
}

// Facings that are alike, and hubs that are, with torques that are opposite: they let go of both
// hubs at once, and the disc could be on either side. It goes with the first.
TEST_CASE("facings that let go at once") {
  std::string text = kClutch;
  const auto change = [&](const std::string& what, const std::string& by) {
    text.replace(text.find(what), what.size(), by);
  };
  change("second(tau0 = 4, tau_static = 9, w0 = 3)", "second");
  change("fast = 20", "fast = 0");
  change("J = 0.3", "J = 1");
  change("J = 0.5", "J = 1");
  change("tau0 = 0.4", "tau0 = 0");
  change("25*sin(1.3*time)", "8.1*time");
  change("12*sin(0.9*time + 1)", "-8.1*time");
  const Model model("alike.ltm", text);
  const Simulation run = audited_run(model, 2, 0.01);
  const Simulation bdf = simulate(model, CvodeOptions{0, 2, 0.01, 1e-10, false});
  REQUIRE(bdf.report.reason == StopReason::kDone);
  CHECK(run.column(model, "first.mode").back() == 0);
  CHECK(run.column(model, "second.mode").back() != 0);
  CHECK(std::fabs(run.column(model, "second.tau").back()) == 5);
  CHECK(bdf.column(model, "disc.w").back() ==
        doctest::Approx(run.column(model, "disc.w").back()).epsilon(1e-7));
}

// Why two such bodies have no limit. Each is held by 7 N at rest, of which 5 N are left from 0.5
// m/s on, and 1 N.s/m are between them and to the ground. A load that jumps to 7.5 N on the one and
// to -7.5 N on the other lets both go. The lighter one is there first: at 2.5/2 = 1.25 m/s, where
// it takes 1.25 N off what pulls the other, which stays. Of equal masses both go, at 2.5/3 m/s:
// what the masses tend to is not enough to tell, and without any both go, too.
TEST_CASE("two bodies without inertia whose loads jump opposite ways have several limits") {
  const std::string text = R"(
model Two
  parameter Real m1 = 0;
  parameter Real m2 = 0;
  Translational.Mass one(m = m1), other(m = m2);
  Translational.StribeckFriction left(f0 = 5, d = 1, d_fall = 2, v0 = 0.5);
  Translational.StribeckFriction right(f0 = 5, d = 1, d_fall = 2, v0 = 0.5);
  Translational.Damper between(d = 1);
  Translational.Force pull, push;
equation
  pull.f = if time < 0.1 then 0 else 7.5;
  push.f = if time < 0.1 then 0 else -7.5;
  connect(pull.flange, one.flange_a);
  connect(one.flange_a, left.flange_a);
  connect(one.flange_b, between.flange_a);
  connect(between.flange_b, other.flange_a);
  connect(other.flange_b, right.flange_a);
  connect(push.flange, other.flange_b);
end Two;
)";
  const auto ends = [&](const std::string& m1, const std::string& m2) {
    const Model model("two.ltm", text, {{"m1", m1}, {"m2", m2}});
    const Simulation run = simulate(model, TaylorOptions{0, 1, 0.01, 1e-9, false, true});
    const Simulation bdf = simulate(model, CvodeOptions{0, 1, 0.01, 1e-9, false});
    REQUIRE(run.report.reason == StopReason::kDone);
    const double one = run.column(model, "one.v").back();
    const double other = run.column(model, "other.v").back();
    CHECK(std::fabs(bdf.column(model, "one.v").back() - one) <= 1e-4);
    CHECK(std::fabs(bdf.column(model, "other.v").back() - other) <= 1e-4);
    return std::pair{one, other};
  };
  for (const std::string small : {"e-3", "e-4"}) {
    CAPTURE(small);
    const auto [first, stays] = ends("0.01" + small, "1" + small);
    CHECK(first == doctest::Approx(1.25).epsilon(1e-6));
    CHECK(stays == 0);
    const auto [rests, second] = ends("1" + small, "0.01" + small);
    CHECK(rests == 0);
    CHECK(second == doctest::Approx(-1.25).epsilon(1e-6));
    const auto [both, apart] = ends("1" + small, "1" + small);
    CHECK(both == doctest::Approx(2.5 / 3).epsilon(1e-6));
    CHECK(apart == doctest::Approx(-2.5 / 3).epsilon(1e-6));
  }
  const auto [one, other] = ends("0", "0");
  CHECK(one == doctest::Approx(2.5 / 3).epsilon(1e-6));
  CHECK(other == doctest::Approx(-2.5 / 3).epsilon(1e-6));
}

}  // namespace luztar::test
