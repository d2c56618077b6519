// Dry frictions in series through bodies without inertia and damping: while all of them stick they
// hold the bodies beyond, else the balance of the bodies between says which of them slip.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

TaylorOptions fine(double stop) { return {0, stop, 0.01, 1e-12, false, true}; }

void check_energy(const Simulation& run) {
  REQUIRE(run.report.reason == StopReason::kDone);
  REQUIRE(run.report.energy);
  CHECK(std::abs(run.report.energy->residual()) < 1e-12 * run.report.energy->turnover);
}

void check_cvode(const Model& model, const Simulation& taylor, double stop) {
  const Simulation cvode = simulate(model, CvodeOptions{0, stop, 0.01, 1e-12, false});
  REQUIRE(cvode.report.reason == StopReason::kDone);
  for (const Deviation& d : motion_deviations(model, taylor, model, cvode)) {
    CAPTURE(d.column);
    if (d.column.find(".s") != std::string::npos || d.column.find(".phi") != std::string::npos) {
      CHECK(d.difference < 1e-7 * std::max(d.peak, 1.0));
    }
  }
}

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

// A damper draws a plate without inertia over a sheet: at first the weaker friction slips, and the
// damper has its force; when that is no longer enough both hold the plate, and the block creeps.
TEST_CASE("dry frictions in series with a damper: their bound, then the damper alone") {
  const Model model("damped.ltm", R"(
model Damped
  Translational.Mass body(m = 1, v(start = 2));
  Translational.Mass plate(m = 0), sheet(m = 0);
  Translational.Damper damper(d = 4);
  Translational.CrossFriction upper(f0 = 3);
  Translational.SupportFriction lower(f0 = 2);
equation
  connect(body.flange_b, damper.flange_a);
  connect(damper.flange_b, plate.flange_a);
  connect(plate.flange_b, upper.flange_a);
  connect(upper.flange_b, sheet.flange_a);
  connect(sheet.flange_b, lower.flange_a);
end Damped;
)");
  const Simulation run = simulate(model, fine(2));
  check_energy(run);
  const double sticks = 0.75;  // v = 2 - 2 t down to f0/d
  for (std::size_t i = 0; i < run.time.size(); ++i) {
    const double t = run.time[i];
    const bool slides = t < sticks;
    const double v = slides ? 2 - 2 * t : 0.5 * std::exp(-4 * (t - sticks));
    const double way = 1.5 * std::min(t, sticks) - std::pow(std::min(t, sticks), 2);
    CHECK(run.column(model, "body.v")[i] == doctest::Approx(v).epsilon(1e-11));
    CHECK(run.column(model, "plate.s")[i] == doctest::Approx(way).epsilon(1e-12));
    CHECK(run.column(model, "sheet.s")[i] == doctest::Approx(way).epsilon(1e-12));
    CHECK(run.column(model, "upper.mode")[i] == 0);
    CHECK(std::abs(run.column(model, "lower.f")[i]) ==
          doctest::Approx(slides ? 2 : 4 * v).epsilon(1e-11));
  }
  check_cvode(model, run, 2);
}

namespace {

/// The motion with masses 1e-4, 1e-5 and 1e-6 tends to `exact`, with an error of first order.
///   greatest   error [m] at the last of these
void check_first_order(const Model& limit, const Simulation& exact,
                       const std::function<std::string(const std::string&)>& text,
                       const std::vector<std::string>& columns, double stop, double greatest) {
  std::vector<double> last;
  for (const char* mass : {"1e-4", "1e-5", "1e-6"}) {
    const Model model("mass.ltm", text(mass));
    const Simulation run = simulate(model, fine(stop));
    REQUIRE(run.report.reason == StopReason::kDone);
    std::vector<double> error;
    for (const std::string& column : columns) {
      double most = 0;
      for (std::size_t row = 0, k = 0; row < exact.time.size(); ++row) {
        while (k < run.time.size() && run.time[k] < exact.time[row]) ++k;
        if (k == run.time.size() || run.time[k] != exact.time[row]) continue;  // not of the grid
        most = std::max(most,
                        std::abs(run.column(model, column)[k] - exact.column(limit, column)[row]));
      }
      error.push_back(most);
    }
    for (std::size_t i = 0; i < last.size(); ++i) {
      CHECK(std::log10(last[i] / error[i]) == doctest::Approx(1).epsilon(0.05));
    }
    last = error;
  }
  CHECK(*std::max_element(last.begin(), last.end()) < greatest);
}

/// Two blocks in series through a sheet, and a plate that a damper draws over the sheet.
std::string blocks_and_plate(const std::string& mass) {
  return "model Plate\n"
         "  Translational.Mass left(m = 1, v(start = 1)), right(m = 1.5);\n"
         "  Translational.Mass sheet(m = " +
         mass + "), plate(m = " + mass +
         ");\n"
         "  Translational.CrossFriction c1(f0 = 3), c2(f0 = 2), c3(f0 = 1.2);\n"
         "  Translational.SupportFriction ground(f0 = 0.7);\n"
         "  Translational.Damper damper(d = 2);\n"
         "  Translational.Spring spring(k = 8), back(k = 5);\n"
         "  Translational.Fixed wall;\n"
         "  Translational.Force push;\n"
         "  Blocks.Sine signal(amplitude = 9, f = 0.6);\n"
         "equation\n"
         "  connect(left.flange_b, c1.flange_a);\n"
         "  connect(c1.flange_b, sheet.flange_a);\n"
         "  connect(sheet.flange_b, c2.flange_a);\n"
         "  connect(c2.flange_b, right.flange_a);\n"
         "  connect(sheet.flange_a, c3.flange_a);\n"
         "  connect(c3.flange_b, plate.flange_a);\n"
         "  connect(plate.flange_b, damper.flange_a);\n"
         "  connect(damper.flange_b, right.flange_b);\n"
         "  connect(plate.flange_b, ground.flange_a);\n"
         "  connect(sheet.flange_b, back.flange_a);\n"
         "  connect(back.flange_b, wall.flange);\n"
         "  connect(right.flange_b, spring.flange_a);\n"
         "  connect(spring.flange_b, wall.flange);\n"
         "  connect(signal.y, push.f);\n"
         "  connect(push.flange, left.flange_a);\n"
         "end Plate;\n";
}

}  // namespace

// On three time scales: the balance of the sheet, velocities of the plate, accelerations of what
// the frictions hold together.
TEST_CASE("dry frictions in series with a damped plate are the limit of ever less mass") {
  const Model limit("plate.ltm", blocks_and_plate("0"));
  const Simulation exact = simulate(limit, fine(1.5));
  check_energy(exact);
  CHECK(exact.report.events > 3);
  check_cvode(limit, exact, 1.5);
  check_first_order(limit, exact, blocks_and_plate, {"left.s", "right.s", "plate.s", "sheet.s"},
                    1.5, 1e-6);
}

// What holds one pair of blocks takes force off a damper that acts on the other pair.
// Forces in the loop upper - left - right move no body: no rounding of their effect is a motion.
TEST_CASE("a loop of dry frictions on damped bodies slides as a whole") {
  constexpr double kMass = 0.9937, kPush = 2, kHeld = 1;  // [kg], [N]
  const Model model("loop.ltm",
                    "model Loop\n"
                    "  Translational.Mass body(m = 0.9937, s(start = 0), v(start = 0));\n"
                    "  Translational.Mass sheet(m = 0);\n"
                    "  Translational.Mass plate(m = 0);\n"
                    "  Translational.CrossFriction upper(f0 = 3.5);\n"
                    "  Translational.SupportFriction lower(f0 = 1);\n"
                    "  Translational.CrossFriction left(f0 = 1.3, d = 0.9765);\n"
                    "  Translational.CrossFriction right(f0 = 3, d = 0.7038);\n"
                    "  Translational.Damper damper(d = 4.9223);\n"
                    "  Translational.Force push;\n"
                    "equation\n"
                    "  push.f = 2;\n"
                    "  connect(push.flange, body.flange_a);\n"
                    "  connect(body.flange_b, upper.flange_a);\n"
                    "  connect(upper.flange_b, sheet.flange_a);\n"
                    "  connect(sheet.flange_b, lower.flange_a);\n"
                    "  connect(body.flange_b, left.flange_a);\n"
                    "  connect(left.flange_b, plate.flange_a);\n"
                    "  connect(plate.flange_b, right.flange_a);\n"
                    "  connect(right.flange_b, sheet.flange_a);\n"
                    "  connect(plate.flange_b, damper.flange_a);\n"
                    "  connect(damper.flange_b, sheet.flange_a);\n"
                    "end Loop;\n");
  const Simulation run = simulate(model, fine(1));
  check_energy(run);
  for (std::size_t i = 0; i < run.time.size(); ++i) {
    const double s = (kPush - kHeld) / (2 * kMass) * run.time[i] * run.time[i];
    for (const char* part : {"body.s", "sheet.s", "plate.s"}) {
      CHECK(run.column(model, part)[i] == doctest::Approx(s).epsilon(1e-12));
    }
  }
  check_cvode(model, run, 1);
}

TEST_CASE("two series of frictions hold bodies, and a damper is between them") {
  const Model model("pairs.ltm", R"(
model Pairs
  Translational.Mass b1(m = 1, v(start = 2)), b2(m = 1.5), b3(m = 0.7, v(start = -1)), b4(m = 2);
  Translational.Mass u(m = 0), w(m = 0);
  Translational.CrossFriction c1(f0 = 2, d = 0.1), c2(f0 = 1.5, d = 0.2);
  Translational.CrossFriction c3(f0 = 1.2, d = 0.3), c4(f0 = 3, d = 0.1);
  Translational.Damper damper(d = 1.5);
  Translational.Force push, pull;
  Blocks.Sine signal(amplitude = 5, f = 0.6);
  Blocks.Constant load(k = 0.3);
equation
  connect(b1.flange_b, c1.flange_a);
  connect(c1.flange_b, u.flange_a);
  connect(u.flange_b, c2.flange_a);
  connect(c2.flange_b, b2.flange_a);
  connect(b3.flange_b, c3.flange_a);
  connect(c3.flange_b, w.flange_a);
  connect(w.flange_b, c4.flange_a);
  connect(c4.flange_b, b4.flange_a);
  connect(u.flange_b, damper.flange_a);
  connect(damper.flange_b, b3.flange_a);
  connect(signal.y, push.f);
  connect(push.flange, b4.flange_a);
  connect(load.y, pull.f);
  connect(pull.flange, w.flange_a);
end Pairs;
)");
  const Simulation run = simulate(model, fine(2));
  check_energy(run);
  for (const double lost : run.report.energy->dissipated) CHECK(lost > -1e-12);
  check_cvode(model, run, 2);
}

// A block on a sheet is thrown onto a stop, and pressed there from then on: 2 N of the sheet's
// weaker friction against its way, rebounds with half the speed.
TEST_CASE("a block on dry frictions in series at a hard stop") {
  const Model model("stopped.ltm", R"(
model Stopped
  Translational.Mass body(m = 1, v(start = 2));
  Translational.Mass sheet(m = 0);
  Translational.CrossFriction upper(f0 = 3);
  Translational.SupportFriction lower(f0 = 2);
  Translational.HardStop stop(half_freeplay = 0.36, e = 0.5);
  Translational.Fixed wall;
  Translational.Force push;
  Blocks.Ramp signal(height = -4, duration = 2, startTime = 1);
equation
  connect(body.flange_b, upper.flange_a);
  connect(upper.flange_b, sheet.flange_a);
  connect(sheet.flange_b, lower.flange_a);
  connect(wall.flange, stop.flange_a);
  connect(stop.flange_b, body.flange_a);
  connect(signal.y, push.f);
  connect(push.flange, body.flange_a);
end Stopped;
)");
  const Simulation run = simulate(model, fine(3));
  check_energy(run);
  const double hit = 0.2, rest = hit + 0.4;  // 2 t - t^2 = 0.36, v = 1.6; back with 0.8
  for (std::size_t i = 0; i < run.time.size(); ++i) {
    const double t = run.time[i], back = std::min(t, rest) - hit, push = std::max(t, 2.0) - 2;
    double s = t < hit ? 2 * t - t * t : 0.36 - 0.8 * back + back * back;
    s -= push * push * push / 3;  // beyond 2 N at t = 2: s'' = -2 (t - 2)
    CHECK(run.column(model, "body.s")[i] == doctest::Approx(s).epsilon(1e-11));
    CHECK(run.column(model, "sheet.s")[i] == doctest::Approx(s).epsilon(1e-11));
  }
  check_cvode(model, run, 3);
}

TEST_CASE("a sheet between a block at a stop and the ground is the limit of ever less mass") {
  const auto text = [](const std::string& mass) {
    return "model SeriesAndStop\n"
           "  Translational.Mass body(m = 1);\n"
           "  Translational.Mass sheet(m = " +
           mass +
           ");\n"
           "  Translational.CrossFriction upper(f0 = 3);\n"
           "  Translational.SupportFriction lower(f0 = 2);\n"
           "  Translational.HardStop stop(half_freeplay = 0.1, e = 0.5);\n"
           "  Translational.Fixed wall;\n"
           "  Translational.Force push;\n"
           "  Blocks.Sine signal(amplitude = 8, f = 0.7);\n"
           "equation\n"
           "  connect(body.flange_b, upper.flange_a);\n"
           "  connect(upper.flange_b, sheet.flange_a);\n"
           "  connect(sheet.flange_b, lower.flange_a);\n"
           "  connect(body.flange_a, stop.flange_a);\n"
           "  connect(stop.flange_b, wall.flange);\n"
           "  connect(signal.y, push.f);\n"
           "  connect(push.flange, body.flange_a);\n"
           "end SeriesAndStop;\n";
  };
  const Model limit("stop.ltm", text("0"));
  const Simulation exact = simulate(limit, fine(2));
  check_energy(exact);
  CHECK(exact.report.events > 40);
  check_cvode(limit, exact, 2);
  check_first_order(limit, exact, text, {"body.s", "sheet.s"}, 2, 1e-6);
}

}  // namespace luztar::test
