// Dry frictions in series through bodies without inertia and damping: while all of them stick they
// hold the bodies beyond, else the balance of the bodies between says which of them slip.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/analytic/dry_series_checks.h"
#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

/// A block that slides on a sheet, with `upper` between them and `lower` below the sheet; `more`
/// acts on the sheet.
Model block_on_sheet(double upper, double lower, const std::string& parts = "",
                     const std::string& connections = "") {
  return Model("sheet.ltm",
               "model Sheet\n"
               "  Translational.Mass body(m = 1, s(start = 0), v(start = 2));\n"
               "  Translational.Mass sheet(m = 0);\n"
               "  Translational.CrossFriction upper(f0 = " +
                   std::to_string(upper) +
                   ");\n"
                   "  Translational.SupportFriction lower(f0 = " +
                   std::to_string(lower) + ");\n" + parts +
                   "equation\n"
                   "  connect(body.flange_b, upper.flange_a);\n"
                   "  connect(upper.flange_b, sheet.flange_a);\n"
                   "  connect(sheet.flange_b, lower.flange_a);\n" +
                   connections + "end Sheet;\n");
}

}  // namespace

// R7 (P2 sec. 4, case 4) without damping: both faces carry the same force, at most the smaller
// bound, and the weaker face slips.
TEST_CASE("an unloaded sheet between two dry frictions acts as one friction of the smaller bound") {
  for (const bool lower_slips : {true, false}) {
    const Model model = lower_slips ? block_on_sheet(3, 1.6) : block_on_sheet(1.6, 3);
    const Simulation run = simulate(model, fine(2));
    check_energy(run);
    const double end = 2 / 1.6;  // v = 2 - 1.6 t
    for (std::size_t i = 0; i < run.time.size(); ++i) {
      const double t = std::min(run.time[i], end);
      const double s = 2 * t - 0.8 * t * t;
      CHECK(run.column(model, "body.s")[i] == doctest::Approx(s).epsilon(1e-12));
      CHECK(run.column(model, "sheet.s")[i] ==
            doctest::Approx(lower_slips ? s : 0.0).epsilon(1e-12));
    }
    CHECK(run.column(model, "body.v").back() == 0);
    CHECK(run.column(model, "lower.mode").back() == 0);
    CHECK(run.column(model, "upper.mode").back() == 0);
    check_cvode(model, run, 2);
  }
}

TEST_CASE("a sheet on a spring between equal dry frictions stays where it is") {
  const Model model = block_on_sheet(1.6, 1.6,
                                     "  Translational.Spring spring(k = 3);\n"
                                     "  Translational.Fixed wall;\n",
                                     "  connect(sheet.flange_b, spring.flange_a);\n"
                                     "  connect(spring.flange_b, wall.flange);\n");
  const Simulation run = simulate(model, fine(2));
  check_energy(run);
  for (std::size_t i = 0; i < run.time.size(); ++i) {
    const double t = std::min(run.time[i], 2 / 1.6);
    CHECK(run.column(model, "body.s")[i] == doctest::Approx(2 * t - 0.8 * t * t).epsilon(1e-12));
    CHECK(run.column(model, "sheet.s")[i] == 0);
  }
}

// The block takes the sheet along until the spring has the difference of the bounds, and slides
// over it from then on: there the sheet stays, as the lower friction holds it.
TEST_CASE("a sheet on a spring is taken along up to the difference of the bounds") {
  const Model model = block_on_sheet(3, 2,
                                     "  Translational.Spring spring(k = 10);\n"
                                     "  Translational.Fixed wall;\n",
                                     "  connect(sheet.flange_b, spring.flange_a);\n"
                                     "  connect(spring.flange_b, wall.flange);\n");
  const Simulation run = simulate(model, fine(2));
  check_energy(run);
  // s'' = -2 - 10 s, s = -0.2 + r cos(w t - p) up to s = 0.1; then s'' = -3.
  const double w = std::sqrt(10.0), r = std::hypot(0.2, 2 / w), p = std::atan2(2 / w, 0.2);
  const double slides = (p - std::acos(0.3 / r)) / w, v = std::sqrt(4 - 2 * (0.2 + 0.05));
  for (std::size_t i = 0; i < run.time.size(); ++i) {
    const double t = run.time[i], after = std::min(t - slides, v / 3);
    const bool stuck = t < slides;
    const double s = stuck ? -0.2 + r * std::cos(w * t - p) : 0.1 + v * after - 1.5 * after * after;
    CHECK(run.column(model, "body.s")[i] == doctest::Approx(s).epsilon(1e-11));
    CHECK(run.column(model, "sheet.s")[i] == doctest::Approx(stuck ? s : 0.1).epsilon(1e-11));
  }
  CHECK(run.column(model, "body.v").back() == 0);
  check_cvode(model, run, 2);
}

// Two Jenkins elements in series, drawn out at a given speed: the weaker one yields by itself until
// its spring has the difference of the bounds, then both share the way as their springs do.
TEST_CASE("spring and dry friction side by side, twice in series, under a prescribed motion") {
  const Model model("jenkins.ltm", R"(
model Jenkins
  Translational.Mass node(m = 0);
  Translational.CrossFriction far(f0 = 1);
  Translational.SupportFriction near(f0 = 2.5);
  Translational.Spring k1(k = 6), k2(k = 3);
  Translational.Fixed wall;
  Translational.Speed motion;
  Blocks.Constant speed(k = 0.5);
equation
  connect(speed.y, motion.v_ref);
  connect(motion.flange, far.flange_a);
  connect(far.flange_b, node.flange_a);
  connect(motion.flange, k1.flange_a);
  connect(k1.flange_b, node.flange_a);
  connect(node.flange_b, near.flange_a);
  connect(node.flange_b, k2.flange_a);
  connect(k2.flange_b, wall.flange);
end Jenkins;
)");
  const Simulation run = simulate(model, fine(2));
  REQUIRE(run.report.reason == StopReason::kDone);
  for (std::size_t i = 1; i < run.time.size(); ++i) {
    const double u = 0.5 * run.time[i], alone = 1.5 / 6;
    const double node = u < alone ? 0 : (u - alone) * 6 / (6 + 3);
    CHECK(run.column(model, "node.s")[i] == doctest::Approx(node).epsilon(1e-11));
    CHECK(std::abs(run.column(model, "far.f")[i]) == doctest::Approx(1).epsilon(1e-12));
    const double inner = u < alone ? 1 + 6 * u : 2.5;
    CHECK(std::abs(run.column(model, "near.f")[i]) == doctest::Approx(inner).epsilon(1e-11));
  }
}

TEST_CASE("a loaded sheet without damping is the limit of sheets with ever less mass") {
  const auto text = [](const std::string& mass) {
    return "model Loaded\n"
           "  Translational.Mass body(m = 1, s(start = 0), v(start = 0));\n"
           "  Translational.Mass sheet(m = " +
           mass +
           ");\n"
           "  Translational.CrossFriction upper(f0 = 3);\n"
           "  Translational.SupportFriction lower(f0 = 5);\n"
           "  Translational.Force push, pull;\n"
           "  Blocks.Sine signal(amplitude = 8, f = 0.7);\n"
           "equation\n"
           "  connect(body.flange_b, upper.flange_a);\n"
           "  connect(upper.flange_b, sheet.flange_a);\n"
           "  connect(sheet.flange_b, lower.flange_a);\n"
           "  connect(signal.y, push.f);\n"
           "  connect(signal.y, pull.f);\n"
           "  connect(push.flange, body.flange_a);\n"
           "  connect(pull.flange, sheet.flange_b);\n"
           "end Loaded;\n";
  };
  const Model limit("loaded.ltm", text("0"));
  const Simulation exact = simulate(limit, fine(0.25));
  check_energy(exact);
  CHECK(exact.column(limit, "sheet.s").back() > 0.05);  // both frictions have slipped
  std::vector<double> last;
  for (const char* mass : {"1e-3", "1e-4", "1e-5"}) {
    const Model model("loaded.ltm", text(mass));
    const Simulation run = simulate(model, fine(0.25));
    std::vector<double> error;
    for (const std::size_t row : {12, 18, 25}) {
      error.push_back(run.column(model, "body.s")[row] - exact.column(limit, "body.s")[row]);
    }
    for (std::size_t i = 0; i < last.size(); ++i) {
      CHECK(std::log10(std::abs(last[i] / error[i])) == doctest::Approx(1).epsilon(0.05));
    }
    last = error;
  }
  CHECK(std::abs(last.back()) < 1e-5);
}

// The rails hold the sum of the loads. The two near the greater load are at their bounds, as the
// shortest forces have it, until the third one is at its own: then all three are, and the sum still
// falls. The one with the smaller pull gives way first, through its whole range, then the other.
TEST_CASE("which of the shortest forces leaves its bound where three of them meet theirs") {
  const Model model("rails.ltm", R"(
model Rails
  Translational.Mass m1(m = 0), m2(m = 0), m3(m = 0), body(m = 1);
  Translational.SupportFriction rail1(f0 = 0.7), rail2(f0 = 0.25), rail3(f0 = 1.8);
  Translational.CrossFriction link2(f0 = 100), link3(f0 = 101);
  Translational.Force a, b;
  Translational.Spring spring(k = 10);
equation
  a.f = 6;
  b.f = -4.9 + time - 3 * time^2;
  connect(a.flange, m1.flange_a);
  connect(b.flange, m3.flange_b);
  connect(m3.flange_b, spring.flange_a);
  connect(spring.flange_b, body.flange_a);
  connect(m1.flange_a, rail1.flange_a);
  connect(m2.flange_a, rail2.flange_a);
  connect(m3.flange_a, rail3.flange_a);
  connect(m1.flange_b, link2.flange_a);
  connect(link2.flange_b, m2.flange_a);
  connect(m2.flange_b, link3.flange_a);
  connect(link3.flange_b, m3.flange_a);
end Rails;
)");
  for (const bool taylor : {true, false}) {
    const Simulation run = taylor ? simulate(model, fine(1.3))
                                  : simulate(model, CvodeOptions{0, 1.3, 0.01, 1e-12, false});
    REQUIRE(run.report.reason == StopReason::kDone);
    for (std::size_t i = 0; i < run.time.size(); ++i) {
      const double t = run.time[i], sum = 1.1 + t - 3 * t * t;
      const double third = std::max(sum - 0.95, -1.8);
      const double second = std::clamp(sum + 1.8 - 0.7, -0.25, 0.25);
      const double first = std::min(sum + 1.8 + 0.25, 0.7);
      CHECK(run.column(model, "rail1.f")[i] == doctest::Approx(first).epsilon(1e-11));
      CHECK(run.column(model, "rail2.f")[i] == doctest::Approx(second).epsilon(1e-11));
      CHECK(run.column(model, "rail3.f")[i] == doctest::Approx(third).epsilon(1e-11));
      CHECK(std::abs(run.column(model, "link2.f")[i]) == doctest::Approx(6 - first).epsilon(1e-11));
      CHECK(std::abs(run.column(model, "m3.s")[i]) < 1e-13);
    }
  }
  // All three slide from 3 t^2 - t = 3.85 on.
  const Simulation run = simulate(model, fine(2));
  check_energy(run);
  CHECK(run.column(model, "body.s").back() < -0.1);
  check_cvode(model, run, 2);
}

// Engine, clutch disc without inertia, hysteresis and spring of the damper, hub with a bearing of
// its own: held together the forces of hub, disc and bearing are not unique.
TEST_CASE("a clutch disc without inertia: solvers agree, and energy is kept account of") {
  const Model model("clutch.ltm", R"(
model ClutchDisc
  Rotational.Inertia engine(J = 0.4, w(start = 6)), hub(J = 0.7), car(J = 2);
  Rotational.Inertia disc(J = 0), flange(J = 0);
  Rotational.CrossFriction clutch(tau0 = 5, tau0_static = 6);
  Rotational.CrossFriction hysteresis(tau0 = 1.5, tau0_static = 1.8), near(tau0 = 0.8);
  Rotational.FreeplaySpring damper(k = 60, half_freeplay = 0.03);
  Rotational.Spring pre(k = 25), shaft(k = 40);
  Rotational.BearingFriction bearing(tau0 = 0.4, tau0_static = 0.5);
  Rotational.Torque drive, load;
  Blocks.Sine torque(amplitude = 6, f = 0.8), road(amplitude = 3, f = 0.3);
equation
  connect(engine.flange_b, clutch.flange_a);
  connect(clutch.flange_b, disc.flange_a);
  connect(disc.flange_b, hysteresis.flange_a);
  connect(hysteresis.flange_b, flange.flange_a);
  connect(disc.flange_b, damper.flange_a);
  connect(damper.flange_b, flange.flange_a);
  connect(flange.flange_b, near.flange_a);
  connect(near.flange_b, hub.flange_a);
  connect(flange.flange_b, pre.flange_a);
  connect(pre.flange_b, hub.flange_a);
  connect(hub.flange_b, bearing.flange_a);
  connect(bearing.flange_b, shaft.flange_a);
  connect(shaft.flange_b, car.flange_a);
  connect(torque.y, drive.tau);
  connect(drive.flange, engine.flange_a);
  connect(road.y, load.tau);
  connect(load.flange, car.flange_b);
end ClutchDisc;
)");
  const Simulation run = simulate(model, fine(4));
  check_energy(run);
  CHECK(run.report.events > 20);
  check_cvode(model, run, 4);
}

// The static bound of a series is that of its weaker member, and kinetic friction holds from then
// on: 4 + sin(t) on the block, bounds 4.5 and 5, kinetic 3 and 5.
TEST_CASE("a series of dry frictions breaks away at the smallest static bound") {
  const Model model("breakaway.ltm", R"(
model Breakaway
  Translational.Mass body(m = 1);
  Translational.Mass sheet(m = 0);
  Translational.CrossFriction upper(f0 = 5);
  Translational.SupportFriction lower(f0 = 3, f0_static = 4.5);
  Translational.Force push;
  Blocks.Ramp signal(height = 6, duration = 6);
equation
  connect(body.flange_b, upper.flange_a);
  connect(upper.flange_b, sheet.flange_a);
  connect(sheet.flange_b, lower.flange_a);
  connect(signal.y, push.f);
  connect(push.flange, body.flange_a);
end Breakaway;
)");
  const Simulation run = simulate(model, fine(5.5));
  check_energy(run);
  for (std::size_t i = 0; i < run.time.size(); ++i) {
    const double t = std::max(run.time[i], 4.5);  // s'' = t - 3
    const double v = 0.5 * (t * t - 4.5 * 4.5) - 3 * (t - 4.5);
    CHECK(run.column(model, "body.v")[i] == doctest::Approx(v).epsilon(1e-11));
    CHECK(run.column(model, "sheet.v")[i] == doctest::Approx(v).epsilon(1e-11));
  }
}

TEST_CASE("what frictions cannot hold is named by one of them, not by those beyond") {
  const Model model("overloaded.ltm", R"(
model Overloaded
  Rotational.BearingFriction rail(tau0 = 5);
  Rotational.Inertia body(J = 1), sleeve(J = 0);
  Rotational.CrossFriction cross(tau0 = 1);
  Rotational.BearingFriction seat(tau0 = 0.5);
  Rotational.Torque load(tau = 2*time);
equation
  connect(body.flange_a, rail.flange_a);
  connect(body.flange_b, cross.flange_a);
  connect(cross.flange_b, sleeve.flange_a);
  connect(sleeve.flange_a, seat.flange_a);
  connect(load.flange, sleeve.flange_b);
end Overloaded;
)");
  const Simulation run = simulate(model, TaylorOptions{0, 1, 0.1, 1e-10, false});
  CHECK(run.report.reason == StopReason::kNoEquilibrium);
  CHECK(run.report.time == doctest::Approx(0.75).epsilon(1e-9));
  REQUIRE(run.report.storm.size() == 1);
  CHECK(run.report.storm.front() == "cross");
}

}  // namespace luztar::test
