// Hard stops on prescribed motions: bodies that leave a base, bounce on it, and stops that
// prescribed motions close in on.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/closed_form.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

// A body rides on a prescribed base until this falls away from below it. What the steps of a solver
// have made of the slip in contact does not part with it.
TEST_CASE("a body leaves a prescribed base with the speed of the base") {
  const Model model("ride.ltm", R"(
model Ride
  Translational.Mass body(m = 0.7, s(start = -0.1), v(start = 0.8));
  Translational.Force weight(f = -0.7);
  Translational.HardStop stop(half_freeplay = 0.1);
  Translational.Position base;
equation
  base.s_ref = 0.4*sin(2*time);
  connect(weight.flange, body.flange_a);
  connect(base.flange, stop.flange_a);
  connect(stop.flange_b, body.flange_b);
end Ride;
)");
  const double leaves = std::asin(1 / 1.6) / 2, speed = 0.8 * std::cos(2 * leaves);
  const double top = 0.4 * std::sin(2 * leaves) - 0.1;
  for (const double tolerance : {1e-6, 1e-8, 1e-10, 1e-12}) {
    CAPTURE(tolerance);
    for (const bool exact : {true, false}) {
      CAPTURE(exact);
      const Simulation run = exact ? simulate(model, TaylorOptions{0, 0.8, 0.01, tolerance, true})
                                   : simulate(model, CvodeOptions{0, 0.8, 0.01, tolerance, true});
      REQUIRE(run.report.reason == StopReason::kDone);
      CHECK(run.report.events == 1);
      const std::vector<std::size_t> events = event_rows(run);
      REQUIRE(events.size() == 1);
      const std::size_t after = events.front() + 1;
      CHECK(std::fabs(run.column(model, "stop.v_rel")[after]) < 1e-15);
      const double error = exact ? 1e-12 : 10 * tolerance;
      CHECK(std::fabs(run.time[after] - leaves) < error);
      const double s = run.time.back() - leaves;
      CHECK(std::fabs(run.column(model, "body.v").back() - (speed - s)) < error);
      CHECK(std::fabs(run.column(model, "body.s").back() - (top + speed * s - s * s / 2)) < error);
    }
  }
}

// Where a contact opens its force and slip are zero but for rounding, which is no approach.
TEST_CASE("a body leaves a prescribed base once each time, whatever the tolerance") {
  const Model swing("swing.ltm", R"(
model Swing
  Translational.Fixed ground;
  Translational.Mass first(m = 1.476, v(start = 0.8)), second(m = 0.982);
  Translational.Spring spring(k = 61.501);
  Translational.FreeplaySpring link(k = 30.599, half_freeplay = 0.033);
  Translational.SupportFriction rail(f0 = 1.23, d = 0.231);
  Translational.Position base;
  Translational.HardStop stop(half_freeplay = 0.045);
  Translational.Force push;
equation
  base.s_ref = 0.153*sin(2*3.141592653589793*1.455*time);
  push.f = 5.434*sin(2*3.141592653589793*0.412*time);
  connect(ground.flange, spring.flange_a);
  connect(spring.flange_b, first.flange_a);
  connect(first.flange_b, link.flange_a);
  connect(link.flange_b, second.flange_a);
  connect(second.flange_a, rail.flange_a);
  connect(base.flange, stop.flange_a);
  connect(stop.flange_b, first.flange_b);
  connect(push.flange, first.flange_b);
end Swing;
)");
  const Model row("row.ltm", R"(
model Row
  Translational.Fixed ground;
  Translational.Mass first(m = 1.012), slider(m = 0), second(m = 0.773);
  Translational.Spring spring(k = 67.87), coupling(k = 60.642);
  Translational.HardStop play(half_freeplay = 0.023, e = 0.406);
  Translational.SupportFriction rail(f0 = 1.731, f0_static = 2.597);
  Translational.Position base;
  Translational.HardStop stop(half_freeplay = 0.037);
  Translational.Force push;
equation
  base.s_ref = 0.131*sin(2*3.141592653589793*1.39*time);
  push.f = 10.028*sin(2*3.141592653589793*0.962*time);
  connect(ground.flange, spring.flange_a);
  connect(spring.flange_b, first.flange_a);
  connect(first.flange_b, play.flange_a);
  connect(play.flange_b, slider.flange_a);
  connect(slider.flange_b, coupling.flange_a);
  connect(coupling.flange_b, second.flange_a);
  connect(second.flange_a, rail.flange_a);
  connect(base.flange, stop.flange_a);
  connect(stop.flange_b, first.flange_b);
  connect(push.flange, first.flange_b);
end Row;
)");
  // Dry frictions in series slip at the speed of the base, while one of them is at its bound.
  const Model series("series.ltm", R"(
model Series
  Translational.Fixed ground;
  Translational.Mass first(m = 1.296, v(start = -0.306)), second(m = 0.786), slider(m = 0);
  Translational.Spring spring(k = 28.866), coupling(k = 83.672);
  Translational.FreeplaySpring link(k = 153.46, half_freeplay = 0.039);
  Translational.SupportFriction rail(f0 = 0.372), shoe(f0 = 0.756, d = 0.364);
  Translational.CrossFriction clamp(f0 = 0.499);
  Translational.Position base;
  Translational.HardStop stop(half_freeplay = 0.029);
  Translational.Force push;
equation
  base.s_ref = 0.165*sin(2*3.141592653589793*0.416*time);
  push.f = 12.665*sin(2*3.141592653589793*0.721*time);
  connect(ground.flange, spring.flange_a);
  connect(spring.flange_b, first.flange_a);
  connect(first.flange_a, rail.flange_a);
  connect(first.flange_b, link.flange_a);
  connect(link.flange_b, second.flange_a);
  connect(second.flange_b, coupling.flange_a);
  connect(coupling.flange_b, slider.flange_a);
  connect(slider.flange_a, shoe.flange_a);
  connect(second.flange_b, clamp.flange_a);
  connect(clamp.flange_b, slider.flange_a);
  connect(base.flange, stop.flange_a);
  connect(stop.flange_b, second.flange_b);
  connect(push.flange, first.flange_b);
end Series;
)");
  for (const Model* model : {&swing, &row, &series}) {
    const Simulation exact = simulate(*model, TaylorOptions{0, 2, 0.05, 1e-13, false, true});
    REQUIRE(exact.report.reason == StopReason::kDone);
    REQUIRE(exact.report.energy.has_value());
    CHECK(std::fabs(exact.report.energy->residual()) < 1e-11);
    const auto compare = [&](const Simulation& run, double error) {
      REQUIRE(run.report.reason == StopReason::kDone);
      CHECK(run.report.changes == exact.report.changes);  // impacts among them
      for (const char* body : {"first.s", "second.s"}) {
        CHECK(std::fabs(run.column(*model, body).back() - exact.column(*model, body).back()) <
              error);
      }
    };
    for (const double tolerance : {1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13}) {
      CAPTURE(tolerance);
      compare(simulate(*model, TaylorOptions{0, 2, 0.05, tolerance, false}), 10 * tolerance);
      compare(simulate(*model, CvodeOptions{0, 2, 0.05, tolerance, false}), 1e4 * tolerance);
    }
  }
}

// The last bounces are lower than the error of CVODE's steps, and still it must not lose them: the
// body would sink in and be thrown back from there, again and again.
TEST_CASE("bounces on a driven stop die out in CVODE, too") {
  const Model model("driven.ltm", R"(
model Driven
  Rotational.Position base;
  Rotational.HardStop stop(half_freeplay = 0.5, e = 0.5);
  Rotational.Inertia body(J = 2, w(start = 0.3));
  Rotational.Spring spring(k = 10);
  Rotational.Fixed wall;
equation
  base.phi_ref = 2*sin(time);
  connect(base.flange, stop.flange_a);
  connect(stop.flange_b, body.flange_a);
  connect(body.flange_a, spring.flange_a);
  connect(spring.flange_b, wall.flange);
end Driven;
)");
  const Simulation exact = simulate(model, TaylorOptions{0, 20, 0.1, 1e-12, false});
  REQUIRE(exact.report.reason == StopReason::kDone);
  const std::uint64_t events = exact.report.events;
  for (const double tolerance : {1e-8, 1e-10, 1e-12}) {
    CAPTURE(tolerance);
    for (const CvodeMethod method : {CvodeMethod::kBdf, CvodeMethod::kAdams}) {
      CvodeOptions options{0, 20, 0.1, tolerance, false};
      options.method = method;
      const Simulation run = simulate(model, options);
      REQUIRE(run.report.reason == StopReason::kDone);
      CHECK(run.report.events <= events);
      CHECK(run.report.events > events - events / 10);  // the lowest bounces may count as rest
      for (const char* column : {"body.phi", "body.w"}) {
        CHECK(std::fabs(run.column(model, column).back() - exact.column(model, column).back()) <
              200 * tolerance);
      }
    }
  }
}

// The hub goes the other way than the drive while the stop is closed, and slips on it. What the
// last bounces leave of its speed is taken out of its slip over the drive, too, which ends at the
// instant at which the drive turns back.
TEST_CASE("the end of bounces takes the slip of what slips beside with it") {
  const Model model("turns.ltm", R"(
model Turns
  Rotational.Speed motion(w_ref = sin(4*time));
  Rotational.IdealGear gear(ratio = -1);
  Rotational.HardStop stop(half_freeplay = 0.2, e = 0.2);
  Rotational.Inertia hub(J = 0.001);
  Rotational.CrossFriction ring(tau0 = 1, d = 0.5);
  Rotational.Damper damper(d = 2);
  Rotational.Torque load(tau = 4*sin(2*time)^3);
equation
  connect(motion.flange, gear.flange_a);
  connect(gear.flange_b, stop.flange_a);
  connect(stop.flange_b, hub.flange_a);
  connect(motion.flange, ring.flange_a);
  connect(ring.flange_b, hub.flange_b);
  connect(motion.flange, damper.flange_a);
  connect(damper.flange_b, hub.flange_b);
  connect(load.flange, hub.flange_b);
end Turns;
)");
  const Simulation run = simulate(model, TaylorOptions{0, 2, 0.01, 1e-14, true, true});
  REQUIRE(run.report.reason == StopReason::kDone);
  CHECK(run.report.events > 20);
  const EnergyReport& energy = *run.report.energy;
  CHECK(std::fabs(energy.residual()) <= 1e-12 * energy.turnover);
  const auto& slip = run.column(model, "ring.w_rel");
  const auto& mode = run.column(model, "ring.mode");
  for (std::size_t i = 0; i < slip.size(); ++i) REQUIRE(slip[i] * mode[i] >= -1e-15);
}

// A drive at 1 m/s, through a lever of 1:2, hits a body of 3 kg at rest: the impulse is 3 (1 + e)
// 0.5 there, and half of it acts on the drive.
TEST_CASE("the work of a drive in an impact is supplied, and the loss is that of the impact") {
  for (const double e : {0.0, 0.4, 1.0}) {
    for (const double start : {-0.1, 0.0}) {  // it touches at once, or after 0.2 s
      CAPTURE(e);
      CAPTURE(start);
      const Model model("hit.ltm", R"(
model Lever
  extends Translational.Interfaces.FlangePair;
equation
  flange_a.s = 2*flange_b.s;
  flange_b.f = -2*flange_a.f;
end Lever;
model Hit
  parameter Real place, e;
  Translational.Speed drive(v_ref = 1);
  Lever lever;
  Translational.HardStop stop(half_freeplay = 0.1, e = e);
  Translational.Mass body(m = 3, s(start = place));
equation
  connect(drive.flange, lever.flange_a);
  connect(lever.flange_b, stop.flange_a);
  connect(stop.flange_b, body.flange_a);
end Hit;
)",
                        {{"place", std::to_string(start)}, {"e", std::to_string(e)}});
      const Simulation run = simulate(model, TaylorOptions{0, 0.3, 0.1, 1e-12, true, true});
      REQUIRE(run.report.reason == StopReason::kDone);
      const EnergyReport& energy = *run.report.energy;
      const double supplied = 3 * (1 + e) * 0.5 * 0.5, lost = 0.5 * 3 * (1 - e * e) * 0.25;
      check_near(energy.supplied, supplied);
      check_near(energy.impacts, lost);
      check_near(energy.stored - energy.stored_before, supplied - lost);
      const Simulation bdf = simulate(model, CvodeOptions{0, 0.3, 0.1, 1e-12, true});
      REQUIRE(bdf.report.reason == StopReason::kDone);
    }
  }
}

// A sleeve without inertia, in a film that damps it, is pressed on a drive at 1 m/s, and comes upon
// a body of 3 kg with it: the work of the film counts for itself.
TEST_CASE("an impulse of a drive through a damped sleeve without inertia does its work, too") {
  const Model model("path.ltm", R"(
model Path
  Translational.Speed drive(v_ref = 1);
  Translational.HardStop first(half_freeplay = 0.1, e = 0);
  Translational.Mass sleeve(m = 0);
  Translational.SupportFriction film(f0 = 0, d = 2);
  Translational.Force wind(f = -0.6);
  Translational.HardStop second(half_freeplay = 0.2, e = 0);
  Translational.Mass body(m = 3);
equation
  connect(drive.flange, first.flange_a);
  connect(first.flange_b, sleeve.flange_a);
  connect(film.flange_a, sleeve.flange_a);
  connect(wind.flange, sleeve.flange_b);
  connect(sleeve.flange_b, second.flange_a);
  connect(second.flange_b, body.flange_a);
end Path;
)");
  const Simulation run = simulate(model, TaylorOptions{0, 2, 0.1, 1e-12, true, true});
  REQUIRE(run.report.reason == StopReason::kDone);
  const EnergyReport& energy = *run.report.energy;
  check_near(energy.stored - energy.stored_before, 1.5);
  check_near(energy.impacts, 1.5);
  check_near(energy.residual(), 0);
}

TEST_CASE("what prescribed motions close in on has no place: the run stops there") {
  const auto pressed = [](const std::string& drive) {
    return "model Pressed\n"
           "  Rotational.Inertia body(J = 2);\n"
           "  Rotational.Position drive;\n"
           "  Rotational.HardStop left(half_freeplay = 0.2, e = 0.5);\n"
           "  Rotational.HardStop right(half_freeplay = 0.3);\n"
           "  Rotational.Fixed wall;\n"
           "equation\n"
           "  drive.phi_ref = " +
           drive +
           ";\n"
           "  connect(drive.flange, left.flange_a);\n"
           "  connect(left.flange_b, body.flange_a);\n"
           "  connect(body.flange_b, right.flange_a);\n"
           "  connect(right.flange_b, wall.flange);\n"
           "end Pressed;\n";
  };
  // Struck against the wall; laid against it, and pressed later.
  const double touch = std::acos(0.75) / 3;  // 2 (1 - cos 3t) = 0.5
  const std::pair<std::string, double> drives[] = {
      {"2*(1 - cos(3*time))", touch},
      {"0.5 + (if time < 1 then 0 else (time - 1)^2)", 1},
  };
  for (const auto& [drive, time] : drives) {
    CAPTURE(drive);
    const bool laid = time == 1;
    std::string text = pressed(drive);
    if (laid) text.replace(text.find("J = 2"), 5, "J = 2, phi(start = 0.3)");
    const Model model("pressed.ltm", text);
    for (const bool exact : {true, false}) {
      CAPTURE(exact);
      const Simulation run = exact ? simulate(model, TaylorOptions{0, 2, 0.1, 1e-10, true})
                                   : simulate(model, CvodeOptions{0, 2, 0.1, 1e-10, true});
      REQUIRE(run.report.reason == StopReason::kBlocked);
      CHECK(run.report.storm == std::vector<std::string>{"left", "right"});
      if (laid) CHECK(std::fabs(run.report.time - time) < 1e-12);
      CHECK(run.report.time <= time + 1e-9);
      CHECK(run.time.size() >= 2);
    }
  }
}

TEST_CASE("prescribed motions alone may touch at a hard stop, not pass it") {
  for (const bool passes : {false, true}) {
    CAPTURE(passes);
    const Model model("alone.ltm",
                      "model Alone\n"
                      "  Translational.Position drive;\n"
                      "  Translational.HardStop stop(half_freeplay = " +
                          std::string(passes ? "0.15" : "0.3") +
                          ");\n"
                          "  Translational.Fixed wall;\n"
                          "equation\n"
                          "  drive.s_ref = 0.3*sin(2*time);\n"
                          "  connect(drive.flange, stop.flange_a);\n"
                          "  connect(stop.flange_b, wall.flange);\n"
                          "end Alone;\n");
    for (const bool exact : {true, false}) {
      CAPTURE(exact);
      const Simulation run = exact ? simulate(model, TaylorOptions{0, 5, 0.1, 1e-10, true})
                                   : simulate(model, CvodeOptions{0, 5, 0.1, 1e-10, true});
      CHECK(run.report.reason == (passes ? StopReason::kAssertion : StopReason::kDone));
      if (passes) CHECK(std::fabs(run.report.time - std::numbers::pi / 12) < 1e-9);
    }
  }
}

}  // namespace
}  // namespace luztar::test
