// Stick-slip of a mass on a belt whose friction falls with speed, over many cycles: what the errors
// of one leave of the slip at rest must not grow in the next.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

const std::string kBelt = R"(
model Contact
  extends Translational.Interfaces.TwoFlanges;
equation
  f = 0.286*v_rel + dryfriction(v_rel, 2.92 + 1.115*exp(-abs(v_rel)/0.881), 4.035);
end Contact;
model Belt
  parameter Real mass = 1e-3;
  parameter Real swing = 0;
  Translational.Speed belt;
  Contact contact;
  Translational.Mass slider(m = mass);
  Translational.Spring spring(k = 45.683);
  Translational.Fixed wall;
equation
  belt.v_ref = 1 + swing*sin(4*time);
  connect(belt.flange, contact.flange_a);
  connect(contact.flange_b, slider.flange_a);
  connect(slider.flange_b, spring.flange_a);
  connect(spring.flange_b, wall.flange);
end Belt;
)";

double greatest_slip_at_rest(const Model& model, const Simulation& run) {
  double greatest = 0;
  const auto& slip = run.column(model, "contact.v_rel");
  const auto& mode = run.column(model, "contact.mode");
  for (std::size_t i = 0; i < mode.size(); ++i) {
    if (mode[i] == 0) greatest = std::max(greatest, std::fabs(slip[i]));
  }
  return greatest;
}

/// The instants at which it lets go.
std::vector<double> releases(const Model& model, const Simulation& run) {
  std::vector<double> times;
  const auto& mode = run.column(model, "contact.mode");
  for (std::size_t i = 1; i < mode.size(); ++i) {
    if (mode[i - 1] == 0 && mode[i] != 0) times.push_back(run.time[i]);
  }
  return times;
}

}  // namespace

TEST_CASE("cycles repeat, and while it holds the mass has the speed of the belt") {
  for (const char* mass : {"1e-2", "1e-3", "1e-4"}) {
    CAPTURE(std::string(mass));
    const Model model("belt.ltm", kBelt, {{"mass", mass}});
    for (const double tolerance : {1e-6, 1e-11}) {
      CAPTURE(tolerance);
      const Simulation run = simulate(model, TaylorOptions{0, 4, 0.01, tolerance, true});
      REQUIRE(run.report.reason == StopReason::kDone);
      CHECK(greatest_slip_at_rest(model, run) <= 1e-15);
      const std::vector<double> times = releases(model, run);
      REQUIRE(times.size() > 20);
      const double period = times[2] - times[1];
      for (std::size_t i = 3; i < times.size(); ++i) {
        REQUIRE(std::fabs(times[i] - times[i - 1] - period) <= 1e-2 * tolerance + 1e-12);
      }
    }
    const Simulation bdf = simulate(model, CvodeOptions{0, 4, 0.01, 1e-9, true});
    REQUIRE(bdf.report.reason == StopReason::kDone);
    CHECK(greatest_slip_at_rest(model, bdf) <= 1e-15);
  }
}

TEST_CASE("on a belt whose speed swings it has that speed, too") {
  const Model model("belt.ltm", kBelt, {{"swing", "0.3"}});
  const Simulation run = simulate(model, TaylorOptions{0, 4, 0.01, 1e-6, true});
  REQUIRE(run.report.reason == StopReason::kDone);
  CHECK(greatest_slip_at_rest(model, run) <= 1e-9);  // errors of steps while it holds
  const Simulation fine = simulate(model, TaylorOptions{0, 4, 0.01, 1e-12, true});
  const std::vector<double> coarse = releases(model, run), exact = releases(model, fine);
  REQUIRE(coarse.size() == exact.size());
  for (std::size_t i = 0; i < exact.size(); ++i) {
    REQUIRE(std::fabs(coarse[i] - exact[i]) <= 1e-6);
  }
}

}  // namespace luztar::test
