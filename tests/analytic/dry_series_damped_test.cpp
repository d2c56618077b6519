// Dry frictions in series through bodies without inertia, beside dampers and hard stops.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "tests/analytic/dry_series_checks.h"
#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {

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
