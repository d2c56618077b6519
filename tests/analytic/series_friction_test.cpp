// Frictions in series through massless bodies: sticking together they hold bodies with inertia.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/analytic/dry_series_checks.h"
#include "tests/support/csv_table.h"
#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

// At rest the forces of the faces are undetermined in the sheet's balance alone; the block decides.
TEST_CASE("a loaded sheet is the limit of sheets with ever less mass, of first order") {
  const char* columns[] = {"body.s", "body.v", "sheet.s"};
  const Model limit = load_example("separation_sheet_loaded.ltm");
  const Simulation exact = simulate(limit, fine(8));
  REQUIRE(exact.report.reason == StopReason::kDone);
  CHECK(exact.column(limit, "body.s").back() == doctest::Approx(0.34799).epsilon(2e-5));
  CHECK(exact.column(limit, "body.v").back() == doctest::Approx(1.01916).epsilon(1e-5));
  CHECK(exact.column(limit, "sheet.s").back() == doctest::Approx(-0.05707).epsilon(1e-4));
  std::string text = read_text(project_dir() / "library/examples/separation_sheet_loaded.ltm");
  const std::string massless = "sheet(m = 0)";
  std::vector<double> last;
  for (const char* mass : {"1e-2", "1e-3", "1e-4"}) {
    std::string changed = text;
    changed.replace(changed.find(massless), massless.size(),
                    std::string("sheet(m = ") + mass + ")");
    const Model model("sheet.ltm", changed);
    const Simulation run = simulate(model, fine(8));
    std::vector<double> error;
    for (const char* c : columns) {
      error.push_back(run.column(model, c).back() - exact.column(limit, c).back());
    }
    for (std::size_t i = 0; i < last.size(); ++i) {
      const double order = std::log10(std::abs(last[i] / error[i]));
      CHECK(order == doctest::Approx(1).epsilon(0.02));
    }
    last = error;
  }
  CHECK(std::abs(last[0]) < 6e-5);
}

// Two sheets, one between two blocks, a bearing that holds a block besides: the forces at rest are
// indeterminate, static bounds are above kinetic ones.
TEST_CASE("stacked sheets: solvers agree, and energy is kept account of") {
  const Model model("stack.ltm", R"(
model Stack
  Rotational.Inertia body(J = 1), other(J = 0.6);
  Rotational.Inertia sheet(J = 0), between(J = 0);
  Rotational.CrossFriction upper(d = 0.8, tau0 = 3);
  Rotational.BearingFriction lower(d = 1.5, tau0 = 5, tau0_static = 5.6);
  Rotational.CrossFriction left(d = 0.5, tau0 = 2, tau0_static = 2.2), right(d = 0.3, tau0 = 2.5);
  Rotational.BearingFriction own(d = 0.1, tau0 = 1, tau0_static = 1.3);
  Rotational.Torque push, pull, turn;
  Blocks.Sine signal(amplitude = 9, f = 0.7), load(amplitude = 6, f = 0.31);
  Blocks.Sine load_between(amplitude = 1.5, f = 0.5);
equation
  connect(body.flange_b, upper.flange_a);
  connect(upper.flange_b, sheet.flange_a);
  connect(sheet.flange_b, lower.flange_a);
  connect(body.flange_a, own.flange_a);
  connect(body.flange_a, left.flange_a);
  connect(left.flange_b, between.flange_a);
  connect(between.flange_b, right.flange_a);
  connect(right.flange_b, other.flange_a);
  connect(signal.y, push.tau);
  connect(load.y, pull.tau);
  connect(load_between.y, turn.tau);
  connect(push.flange, body.flange_a);
  connect(pull.flange, sheet.flange_b);
  connect(turn.flange, between.flange_b);
end Stack;
)");
  const Simulation taylor = simulate(model, fine(8));
  REQUIRE(taylor.report.reason == StopReason::kDone);
  CHECK(taylor.report.events == 52);
  REQUIRE(taylor.report.energy);
  const EnergyReport& energy = *taylor.report.energy;
  CHECK(std::abs(energy.residual()) < 1e-12 * energy.turnover);
  const Simulation cvode = simulate(model, CvodeOptions{0, 8, 0.01, 1e-12, false});
  REQUIRE(cvode.report.reason == StopReason::kDone);
  for (const Deviation& d : motion_deviations(model, taylor, model, cvode)) {
    if (!d.column.starts_with("body.") && !d.column.starts_with("other.")) continue;
    CAPTURE(d.column);
    CHECK(d.difference < 1e-8 * std::max(d.peak, 1.0));
  }
}

// Held by a drive that starts from rest, by the ground and by a body that slips, with forces that
// suffice for all: the drive is what cannot give way. The ground slips, at its bound all along.
TEST_CASE("a drive takes a massless body along that the ground holds at its start") {
  const Model model("taken.ltm", R"(
model Taken
  Rotational.Inertia ring(J = 0), wheel(J = 1, w(start = 1));
  Rotational.Speed drive;
  Rotational.CrossFriction near(tau0 = 2.5, d = 0.5), far(tau0 = 2.4, d = 0.5);
  Rotational.BearingFriction ground(tau0 = 0.7);
equation
  drive.w_ref = time;
  connect(drive.flange, near.flange_a);
  connect(near.flange_b, ring.flange_a);
  connect(ring.flange_a, far.flange_a);
  connect(far.flange_b, wheel.flange_a);
  connect(ring.flange_a, ground.flange_a);
end Taken;
)");
  const double end = 2 * std::log(7.8 / 6.8);  // of the wheel's slip: w' = -2.4 - (w - t)/2
  const Simulation run = simulate(model, fine(1));
  CHECK(std::fabs(run.report.energy->residual()) < 1e-13);
  for (std::size_t i = 0; i < run.time.size(); ++i) {
    const double t = run.time[i], w = t < end ? t + 7.8 * std::exp(-t / 2) - 6.8 : t;
    CHECK(run.column(model, "ring.w")[i] == doctest::Approx(t).epsilon(1e-12));
    CHECK(run.column(model, "wheel.w")[i] == doctest::Approx(w).epsilon(1e-12));
  }
  const Simulation cvode = simulate(model, CvodeOptions{0, 1, 0.01, 1e-10, false});
  CHECK(cvode.column(model, "ring.phi").back() == doctest::Approx(0.5).epsilon(1e-8));
}

}  // namespace
}  // namespace luztar::test
