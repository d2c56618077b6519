// Massless bodies without damping between springs, freeplays and dry frictions (kernel B), against
// closed forms: stick-slip without inertia, snaps and plays, forces by hand.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "tests/support/column_check.h"
#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {

TEST_CASE("a massless rack on dry ground between two springs with freeplay") {
  Model model("rack.ltm", R"(
model Rack
  parameter Real amplitude = 1;
  Translational.Position drive;
  Blocks.Sine signal(amplitude = amplitude, f = 1);
  Translational.FreeplaySpring left(k = 30, half_freeplay = 0.1);
  Translational.Mass rack(m = 0);
  Translational.SupportFriction seat(f0 = 3);
  Translational.FreeplaySpring right(k = 50, half_freeplay = 0.25);
  Translational.Fixed wall;
equation
  connect(signal.y, drive.s_ref);
  connect(drive.flange, left.flange_a);
  connect(left.flange_b, rack.flange_a);
  connect(rack.flange_a, seat.flange_a);
  connect(rack.flange_b, right.flange_a);
  connect(right.flange_b, wall.flange);
end Rack;
)");
  const double T = 3;
  for (const double A : {0.15, 0.21, 0.4, 2.0}) {
    CAPTURE(A);
    // On a branch the rack stays until the springs push it with T.
    const auto branch = [&](double from, double x, int side) {
      const Function push = [&](double y) { return 30 * luz(x - y, 0.1) - 50 * luz(y, 0.25); };
      const double y = where(side * T, -10, 10, push);
      return side > 0 ? std::max(from, y) : std::min(from, y);
    };
    const Function expected = [&](double t) {
      double y = 0, turns = 0.25;
      int side = 1;
      for (; t > turns; turns += 0.5, side = -side) y = branch(y, side * A, side);
      return branch(y, A * std::sin(2 * kPi * t), side);
    };
    model.set({{"amplitude", A}});
    check_column(model, 2.2, "rack.s", expected, 1e-10);
  }
  // Within the freeplay and the strain of its friction the rack does not move at all.
  model.set({{"amplitude", 0.1999}});
  const Simulation run = audited_run(model, 2, 0.01);
  for (const double y : run.column(model, "rack.s")) CHECK(y == 0);
}

TEST_CASE("a loaded massless hub between three freeplay springs") {
  const Model model("star.ltm", R"(
model Star
  Rotational.Inertia hub(J = 0);
  Rotational.Torque load;
  Blocks.Sine signal(amplitude = 20, f = 1);
  Rotational.FreeplaySpring s1(k = 100, half_freeplay = 0.02);
  Rotational.FreeplaySpring s2(k = 70, half_freeplay = 0.05);
  Rotational.FreeplaySpring s3(k = 50, half_freeplay = 0.1);
  Rotational.Fixed ground;
equation
  connect(signal.y, load.tau);
  connect(load.flange, hub.flange_a);
  connect(s1.flange_a, ground.flange);
  connect(s1.flange_b, hub.flange_a);
  connect(s2.flange_a, ground.flange);
  connect(s2.flange_b, hub.flange_a);
  connect(s3.flange_a, ground.flange);
  connect(s3.flange_b, hub.flange_b);
end Star;
)");
  const Function force = [](double y) {
    return -100 * luz(y, 0.02) - 70 * luz(y, 0.05) - 50 * luz(y, 0.1);
  };
  const auto hub = [&](double t) {
    const double load = 20 * std::sin(2 * kPi * t);
    return load > 0 ? where(-load, 0.02, 1, force) : where(-load, -1, -0.02, force);
  };
  check_column(
      model, 2.2, "s1.tau", [&](double t) { return 100 * luz(hub(t), 0.02); }, 1e-8);
  check_column(
      model, 2.2, "s2.tau", [&](double t) { return 70 * luz(hub(t), 0.05); }, 1e-8);
  check_column(
      model, 2.2, "s3.tau", [&](double t) { return 50 * luz(hub(t), 0.1); }, 1e-8);
}

TEST_CASE("a massless slider on a belt: it sticks to T_S, snaps back, and slides at T_K") {
  const Model model("belt.ltm", R"(
model Belt
  Translational.Mass slider(m = 0);
  Translational.Spring spring(k = 40);
  Translational.Fixed wall;
  Translational.Speed belt;
  Blocks.Constant speed(k = 0.47);
  Translational.CrossFriction face(f0 = 2, f0_static = 5);
equation
  connect(wall.flange, spring.flange_a);
  connect(spring.flange_b, slider.flange_a);
  connect(speed.y, belt.v_ref);
  connect(belt.flange, face.flange_a);
  connect(face.flange_b, slider.flange_b);
end Belt;
)");
  const double k = 40, V = 0.47, leaves = 5 / (k * V);
  const Simulation run = audited_run(model, 0.6, 0.01);
  const std::vector<double>& s = run.column(model, "slider.s");
  int events = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const bool after = i > 0 && run.time[i - 1] == run.time[i];
    if (after) {
      ++events;
      CHECK(std::fabs(run.time[i] - leaves) <= kBound);
    }
    const bool slides = after || run.time[i] > leaves + 1e-9;
    CHECK(std::fabs(s[i] - (slides ? 2 / k : V * run.time[i])) <= kBound);
    CHECK(run.column(model, "face.mode")[i] == (slides ? -1 : 0));
  }
  CHECK(events == 1);
}

// As the load goes through zero, but for the friction, the slider crosses its play at once, and
// slides on from exactly the other edge.
TEST_CASE("a massless hub on dry ground crosses its play sliding") {
  Model model("crossing.ltm", R"(
model Crossing
  parameter Real amplitude = 5;
  Rotational.Inertia hub(J = 0);
  Rotational.Torque load;
  Blocks.Sine signal(amplitude = amplitude, f = 1);
  Rotational.FreeplaySpring play(k = 100, half_freeplay = 0.02);
  Rotational.BearingFriction bearing(d = 0, tau0 = 0.5, tau0_static = 0.7);
  Rotational.Fixed ground;
equation
  connect(signal.y, load.tau);
  connect(load.flange, hub.flange_a);
  connect(play.flange_a, ground.flange);
  connect(play.flange_b, hub.flange_a);
  connect(bearing.flange_a, hub.flange_b);
end Crossing;
)");
  // The row after a jump is on the far side of it, where rounding may not see it.
  const double k = 100, b = 0.02, slides = 0.5, holds = 0.7, jumps = 1e-9;
  for (const double amplitude : {5.0, 5.1, 5.3, 5.7, 6.1, 7.0, 7.3, 8.9}) {
    CAPTURE(amplitude);
    model.set({{"amplitude", amplitude}});
    const auto hub = [&](double t) {
      const double load = amplitude * std::sin(2 * kPi * t);
      if (t <= 0.25) return load < holds - jumps ? 0 : b + (load - slides) / k;
      const double side = t <= 0.75 ? 1 : -1;  // of the last turning point
      const double turned = side * load;
      if (turned >= amplitude - slides - holds + jumps)
        return side * (b + (amplitude - slides) / k);
      return side * ((turned > -slides + jumps ? b : -b) + (turned + slides) / k);
    };
    const Simulation run = audited_run(model, 1, 0.01);
    CHECK(greatest_error(run, model, "hub.phi", hub) <= kBound);
    // Breaks away, turns, breaks away, crosses, turns, breaks away.
    CHECK(run.report.events == 6);
  }
}

// It breaks away inside its play, and the flange, which comes after it, holds it as soon as it is
// at the edge: with the force that T_K leaves there, not that of T_S.
TEST_CASE("a massless hub that breaks away crosses its play with T_K") {
  const Model model("caught.ltm", R"(
model Caught
  Rotational.Position flange;
  Rotational.Inertia hub(J = 0);
  Rotational.FreeplaySpring play(k = 100, half_freeplay = 0.02);
  Rotational.BearingFriction bearing(d = 0, tau0 = 0.5, tau0_static = 0.7);
  Rotational.Torque load;
equation
  flange.phi_ref = 0.15*time;
  load.tau = -9*time;
  connect(flange.flange, play.flange_a);
  connect(play.flange_b, hub.flange_a);
  connect(bearing.flange_a, hub.flange_b);
  connect(load.flange, hub.flange_b);
end Caught;
)");
  // Away at 0.7/9 s, to the edge 0.15*0.7/9 - 0.02 and 0.2/100 beyond. Held for 0.2 s from then on.
  const auto hub = [](double t) { return t < 0.7 / 9 - 1e-9 ? 0 : 0.105 / 9 - 0.022; };
  check_column(model, 0.27, "hub.phi", hub, 1e-4);
}

// A spring takes two massless bodies along, and the damper between them keeps them together while
// it snaps. The friction has slid in that instant, so T_K stays its bound: it slides on at once.
TEST_CASE("a massless slider snaps with a damped massless body, and slides on") {
  const std::string slider = R"(
  Rotational.Inertia slider(J = 0);
  Rotational.BearingFriction face(tau0 = 0.5, tau0_static = 0.7);
)";
  const std::string damped = R"(
  Rotational.Inertia damped(J = 0);
  Rotational.CrossFriction damper(d = 0.3, tau0 = 0);
)";
  for (const std::string& parts : {slider + damped, damped + slider}) {
    const Model model("snap.ltm", "model Snap\n" + parts + R"(
  Rotational.Spring pull(k = 100);
  Rotational.Spring back(k = 100);
  Rotational.Fixed there(phi0 = 0.2);
  Rotational.Fixed near(phi0 = 0.05);
equation
  connect(there.flange, pull.flange_a);
  connect(pull.flange_b, slider.flange_a);
  connect(face.flange_a, slider.flange_b);
  connect(slider.flange_b, damper.flange_a);
  connect(damper.flange_b, damped.flange_a);
  connect(damped.flange_b, back.flange_a);
  connect(back.flange_b, near.flange);
end Snap;
)");
    const Simulation run = audited_run(model, 0.02, 0.0005);
    // 100 (0.2 - x) + 100 (0.05 - y) = 0.5 and 0.3 (y' - x') = 100 (0.05 - y), x = y at t = 0.
    const auto apart = [](double t) { return 0.145 * (1 - std::exp(-50 * t / 0.3)); };
    const auto x = [&](double t) { return 0.1225 + apart(t) / 2; };
    const auto y = [&](double t) { return 0.1225 - apart(t) / 2; };
    CHECK(greatest_error(run, model, "slider.phi", x) <= kBound);
    CHECK(greatest_error(run, model, "damped.phi", y) <= kBound);
    CHECK(run.report.events == 0);
  }
}

TEST_CASE("a massless slider on a belt to and fro: stick-slip without inertia") {
  const Model model("belt.ltm", R"(
model Belt
  Translational.Mass slider(m = 0);
  Translational.Spring spring(k = 40);
  Translational.Fixed wall;
  Translational.Position belt;
  Blocks.Sine motion(amplitude = 0.3, f = 1);
  Translational.CrossFriction face(f0 = 2, f0_static = 5);
equation
  connect(wall.flange, spring.flange_a);
  connect(spring.flange_b, slider.flange_a);
  connect(motion.y, belt.s_ref);
  connect(belt.flange, face.flange_a);
  connect(face.flange_b, slider.flange_b);
end Belt;
)");
  const double k = 40, A = 0.3, held = 5 / k - 1e-12;  // it has snapped in the row of the event
  // Along a branch the slider goes with the belt from where it was, then snaps.
  const Function expected = [&](double t) {
    const double x = A * std::sin(2 * kPi * t);
    if (t <= 0.25) return x < held ? x : 2 / k;
    const int side = std::fmod(t - 0.25, 1.0) <= 0.5 ? -1 : 1;
    const double y = -side * 2 / k + (x + side * A);
    return side * y < held ? y : side * 2 / k;
  };
  check_column(model, 3.1, "slider.s", expected, 1e-3);
}

namespace {

/// A sine drives a body on a dry bearing; a massless hub with dry friction is between it and a
/// load. The angle of the load at instants of the grid.
std::vector<double> motion_with_hub(double J, double d, double tolerance) {
  const Model model("hub.ltm", R"(
model Hub
  Rotational.Inertia motor(J = 0.2);
  Rotational.BearingFriction seat(d = 0.1, tau0 = 0.3);
  Rotational.Torque drive;
  Blocks.Sine signal(amplitude = 6, f = 2);
  Rotational.FreeplaySpring shaft1(k = 80, half_freeplay = 0.02);
  Rotational.Inertia hub(J = 0);
  Rotational.BearingFriction bearing(d = 0, tau0 = 0.4);
  Rotational.Spring shaft2(k = 60);
  Rotational.Inertia load(J = 0.1);
equation
  connect(signal.y, drive.tau);
  connect(drive.flange, motor.flange_a);
  connect(motor.flange_a, seat.flange_a);
  connect(motor.flange_b, shaft1.flange_a);
  connect(shaft1.flange_b, hub.flange_a);
  connect(hub.flange_a, bearing.flange_a);
  connect(hub.flange_b, shaft2.flange_a);
  connect(shaft2.flange_b, load.flange_a);
end Hub;
)",
                    {{"hub.J", std::to_string(J)}, {"bearing.d", std::to_string(d)}});
  const Simulation run = simulate(model, TaylorOptions{0, 1, 1.0 / 97, tolerance, false});
  REQUIRE(run.report.reason == StopReason::kDone);
  return run.column(model, "load.phi");
}

/// Errors against the limit for three values a factor of ten apart.
void check_limit(const char* name, const std::function<std::vector<double>(double)>& near,
                 double least_order, double greatest_order) {
  const std::vector<double> exact = motion_with_hub(0, 0, 1e-13);
  std::vector<double> errors;
  for (const double value : {1e-2, 1e-3, 1e-4}) {
    const std::vector<double> motion = near(value);
    double error = 0;
    for (std::size_t i = 0; i < exact.size(); ++i) {
      error = std::max(error, std::fabs(motion[i] - exact[i]));
    }
    errors.push_back(error);
  }
  for (std::size_t i = 1; i < errors.size(); ++i) {
    const double order = std::log10(errors[i - 1] / errors[i]);
    MESSAGE(name, ": error ", errors[i], " of order ", order);
    CHECK(order > least_order);
    CHECK(order < greatest_order);
  }
}

}  // namespace

TEST_CASE("dry friction alone is the limit of small damping, and of a small inertia with it") {
  check_limit(
      "d", [](double d) { return motion_with_hub(0, d, 1e-12); }, 0.8, 1.2);
  check_limit(
      "J", [](double J) { return motion_with_hub(J, 0, 1e-12); }, 0.8, 1.3);
}

// Dry friction is against the way from where it was: the slider does not follow its spring back.
TEST_CASE("a load that jumps finds a sliding body where it is") {
  Model model("jump.ltm", R"(
model Jump
  parameter Real jump = 4;
  Translational.Position drive;
  Translational.Spring spring(k = 100);
  Translational.Mass slider(m = 0);
  Translational.Force load;
  Translational.SupportFriction seat(f0 = 5);
equation
  drive.s_ref = 2*time;
  load.f = if time < 1.003 then 0 else -jump;
  connect(drive.flange, spring.flange_a);
  connect(spring.flange_b, slider.flange_a);
  connect(load.flange, slider.flange_b);
  connect(slider.flange_b, seat.flange_a);
end Jump;
)");
  for (const double jump : {4.0, 9.0, 12.0, -4.0}) {  // held, held, slides back, slides on
    CAPTURE(jump);
    model.set({{"jump", jump}});
    const double before = 2 * 1.003 - 0.05, back = std::max(jump - 10, 0.0) / 100;
    check_column(
        model, 2, "slider.s",
        [&](double t) {
          if (t < 1.003) return std::max(2 * t - 0.05, 0.0);
          return std::max(before - back, 2 * t - (5 + jump) / 100);
        },
        1e-3, 1e-4);
  }
}

// The damper of the slip coupling is 5e4 times those on the ground: what a force on it does to the
// slips of the others is a small difference of great terms.
TEST_CASE("massless bodies on dampers of very different sizes stick together") {
  const Model model("dampers.ltm", R"(
model Dampers
  parameter Real d = 1e-5;
  Rotational.Inertia body(J = 0.25, w(start = 1));
  Rotational.Spring spring(k = 30);
  Rotational.Fixed ground;
  Rotational.Inertia ring[3](each J = 0);
  Rotational.BearingFriction bearing[3](each tau0 = 0, each d = d);
  Rotational.CrossFriction seat(tau0 = 1.4);
  Rotational.CrossFriction coupling(tau0 = 1, d = 0.5);
  Rotational.CrossFriction clip(tau0 = 1.4);
  Rotational.Spring wire(k = 50);
equation
  connect(ground.flange, spring.flange_a);
  connect(spring.flange_b, body.flange_a);
  connect(bearing.flange_a, ring.flange_a);
  connect(body.flange_b, seat.flange_a);
  connect(seat.flange_b, ring[1].flange_a);
  connect(ring[1].flange_b, coupling.flange_a);
  connect(coupling.flange_b, ring[2].flange_a);
  connect(ring[2].flange_b, clip.flange_a);
  connect(clip.flange_b, ring[3].flange_a);
  connect(ring[2].flange_b, wire.flange_a);
  connect(wire.flange_b, ring[3].flange_b);
end Dampers;
)");
  const Simulation run = simulate(model, TaylorOptions{0, 2, 1.0 / 64, 1e-13, false});
  REQUIRE(run.report.reason == StopReason::kDone);
  const double decay = 3 * 1e-5 / (2 * 0.25), pulsation = std::sqrt(30 / 0.25 - decay * decay);
  for (std::size_t i = 0; i < run.time.size(); ++i) {
    const double t = run.time[i], turn = pulsation * t;
    CAPTURE(t);
    const double w = std::exp(-decay * t) * (std::cos(turn) - decay / pulsation * std::sin(turn));
    for (const char* speed : {"body.w", "ring[1].w", "ring[2].w", "ring[3].w"}) {
      CHECK(std::fabs(run.column(model, speed)[i] - w) < 1e-12);
    }
  }
}

// A disc with hardly any damping on a friction with T_S > T_K and a spring: what steps leave of its
// fast decay has greater rates than its slip, which ends all the same.
TEST_CASE("slips of a disc with hardly any damping end as without any") {
  const std::string text = R"(
model Disc
  parameter Units.RotationalDamping oil = 0;
  parameter Units.Torque holds = 5.5;
  Rotational.Speed drive;
  Rotational.CrossFriction seat(tau0 = 5, tau0_static = holds);
  Rotational.Inertia disc(J = 0), wheel(J = 0.4);
  Rotational.Spring shaft(k = 50);
  Rotational.Damper film(d = oil);
  Rotational.Fixed ground;
equation
  drive.w_ref = 5*sin(2*time);
  connect(drive.flange, seat.flange_a);
  connect(seat.flange_b, disc.flange_a);
  connect(disc.flange_b, shaft.flange_a);
  connect(shaft.flange_b, wheel.flange_a);
  connect(film.flange_a, disc.flange_a);
  connect(film.flange_b, ground.flange);
end Disc;
)";
  const auto end = [&](const std::string& holds, const std::string& oil, auto options) {
    const Model model("disc.ltm", text, {{"holds", holds}, {"oil", oil}});
    const Simulation run = simulate(model, options);
    REQUIRE(run.report.reason == StopReason::kDone);
    return run.column(model, "disc.phi").back();
  };
  for (const std::string holds : {"5", "5.5"}) {
    CAPTURE(holds);
    const double limit = end(holds, "0", TaylorOptions{0, 8, 0.02, 1e-12, false});
    for (const std::string oil : {"1e-4", "1e-5"}) {
      CAPTURE(oil);
      for (const double tolerance : {1e-10, 1e-11, 1e-12}) {
        CAPTURE(tolerance);
        const double damped = end(holds, oil, CvodeOptions{0, 8, 0.02, tolerance, false});
        MESSAGE("with ", oil, ": ", damped - limit);
        CHECK(std::fabs(damped - limit) <= 0.5 * std::stod(oil));
      }
    }
  }
}

// Three damped bodies without inertia creep to rest under a constant load, at rates of 29/s and
// some 2000/s: speeds decay to less than what the errors of steps make of the great rates.
TEST_CASE("several massless bodies creep to rest without events") {
  const Model model("creep.ltm", R"(
model Creep
  Rotational.Torque driver;
  Rotational.Inertia sector(J = 0), left(J = 0), right(J = 0);
  Rotational.BearingFriction damper(d = 20, tau0 = 5);
  Rotational.Spring rod_l(k = 21000), rod_r(k = 19000);
  Rotational.BearingFriction kingpin_l(d = 9, tau0 = 2.7), kingpin_r(d = 9, tau0 = 2.7);
  Rotational.Spring tyre_l(k = 420), tyre_r(k = 420);
  Rotational.Fixed ground;
equation
  driver.tau = if time < 0.4 then 125*time else 50;
  connect(driver.flange, sector.flange_a);
  connect(sector.flange_a, damper.flange_a);
  connect(sector.flange_b, rod_l.flange_a);
  connect(sector.flange_b, rod_r.flange_a);
  connect(rod_l.flange_b, left.flange_a);
  connect(rod_r.flange_b, right.flange_a);
  connect(left.flange_b, kingpin_l.flange_a);
  connect(right.flange_b, kingpin_r.flange_a);
  connect(left.flange_b, tyre_l.flange_a);
  connect(right.flange_b, tyre_r.flange_a);
  connect(tyre_l.flange_b, ground.flange);
  connect(tyre_r.flange_b, ground.flange);
end Creep;
)");
  // All frictions are at their sizes in the end: rods (k) and tyres (420) bear what they leave.
  const auto rod = [](double k, double phi) { return k * (420 * phi + 2.7) / (k + 420); };
  for (const double tolerance : {1e-7, 1e-8, 1e-9, 1e-10, 1e-12}) {
    CAPTURE(tolerance);
    const Simulation run = simulate(model, TaylorOptions{0, 6, 6, tolerance, false});
    REQUIRE(run.report.reason == StopReason::kDone);
    CHECK(run.report.events < 50);
    const double phi = run.column(model, "sector.phi").back();
    CHECK(rod(21000, phi) + rod(19000, phi) == doctest::Approx(50 - 5).epsilon(1e-6));
  }
}

// The disc creeps to rest behind the rotor, in some 1e-4 s, and what steps leave of its slip has
// any sign. When the rotor goes back the slip grows from that, whatever it was: friction never
// gives energy back.
TEST_CASE("a slip that has died out ends when what drives it turns back") {
  const Model model("back", R"(
model Back
  Rotational.Inertia rotor(J = 1);
  Rotational.Inertia disc(J = 0);
  Rotational.CrossFriction clutch(d = 0.1, tau0 = 2, tau0_static = 3);
  Rotational.Spring shaft(k = 300);
  Rotational.BearingFriction bearing(tau0 = 2);
  Rotational.FreeplaySpring coupling(k = 1000, half_freeplay = 0.1);
  Rotational.Fixed ground;
  Rotational.Torque load;
equation
  connect(clutch.flange_a, disc.flange_a);
  connect(clutch.flange_b, rotor.flange_a);
  connect(shaft.flange_a, disc.flange_a);
  connect(shaft.flange_b, rotor.flange_a);
  connect(bearing.flange_a, rotor.flange_a);
  connect(coupling.flange_a, disc.flange_a);
  connect(coupling.flange_b, ground.flange);
  connect(load.flange, rotor.flange_a);
  load.tau = table(time, {0, 0.5, 1, 1.5, 2}, {0, 8, 8, 0, -8});
end Back;
)");
  const Simulation exact = simulate(model, TaylorOptions{0, 2, 0.01, 1e-12, false});
  REQUIRE(exact.report.reason == StopReason::kDone);
  const std::vector<double>& reference = exact.column(model, "rotor.phi");
  for (const double tolerance : {1e-7, 1e-8, 1e-9, 1e-10, 1e-11}) {
    CAPTURE(tolerance);
    for (const Simulation& run : {simulate(model, TaylorOptions{0, 2, 0.01, tolerance, false}),
                                  simulate(model, CvodeOptions{0, 2, 0.01, tolerance, false})}) {
      REQUIRE(run.report.reason == StopReason::kDone);
      const std::vector<double>&slip = run.column(model, "clutch.w_rel"),
            &torque = run.column(model, "clutch.tau"), &place = run.column(model, "rotor.phi");
      for (std::size_t i = 0; i < slip.size(); ++i) {
        CHECK(slip[i] * torque[i] > -1e-5);
        CHECK(std::fabs(place[i] - reference[i]) < std::max(1e-6, 10 * tolerance));
      }
    }
  }
}

}  // namespace luztar::test
