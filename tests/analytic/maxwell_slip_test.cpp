// Maxwell's slip model (Prandtl, Iwan): sliders without inertia on dry friction, each drawn by a
// spring of its own. Between two turns of the drive each force is a clipped line of its way.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/support/column_check.h"
#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

constexpr int kSliders = 20;

// Two of them have a friction that is never reached, and none.
const std::string kMaxwellParts = R"(
  parameter Integer n = 20;
  Translational.Mass slider[n](each m = 0);
  Translational.Spring spring[n](k = {100/i for i in 1:n});
  Translational.SupportFriction seat[n](f0 = {if i == 7 then 50 else if i == 9 then 0 else 1 + 0.5*mod(i, 5) for i in 1:n});
)";
const std::string kConnected = R"(
  for i in 1:n loop
    connect(spring[i].flange_b, slider[i].flange_a);
    connect(slider[i].flange_b, seat[i].flange_a);
  end for;
)";

double stiffness(int i) { return 100.0 / i; }
double friction(int i) { return i == 7 ? 50 : i == 9 ? 0 : 1 + 0.5 * (i % 5); }

double drive(double t) { return 0.3 * std::sin(3 * t) + 0.2 * std::sin(7 * t); }
double speed(double t) { return 0.9 * std::cos(3 * t) + 1.4 * std::cos(7 * t); }

/// Instants at which the drive turns, up to `stop`, 0 first.
std::vector<double> turns(double stop) {
  std::vector<double> found{0};
  constexpr double kStep = 1e-3;
  for (double t = 0; t < stop; t += kStep) {
    if (speed(t) * speed(t + kStep) >= 0) continue;
    double low = t, high = t + kStep;
    for (int i = 0; i < 60; ++i) {
      const double middle = (low + high) / 2;
      (speed(low) * speed(middle) > 0 ? low : high) = middle;
    }
    found.push_back(high);
  }
  return found;
}

/// The force of spring i at t.
double force(int i, const std::vector<double>& turns, double t) {
  double f = 0, x = 0;
  const auto go = [&](double to) {
    f = std::clamp(f + stiffness(i) * (to - x), -friction(i), friction(i));
    x = to;
  };
  for (const double turn : turns) {
    if (turn >= t) break;
    go(drive(turn));
  }
  go(drive(t));
  return f;
}

}  // namespace

TEST_CASE("Maxwell's slip model keeps its loops") {
  constexpr double kStop = 8;
  const Model model("maxwell.ltm", "model Maxwell\n" + kMaxwellParts + R"(
  Translational.Position drive(s_ref = 0.3*sin(3*time) + 0.2*sin(7*time));
equation
  for i in 1:n loop
    connect(drive.flange, spring[i].flange_a);
  end for;
)" + kConnected + "end Maxwell;\n");
  const Simulation run = audited_run(model, kStop, 0.01);
  const std::vector<double> all = turns(kStop);
  REQUIRE(all.size() > 10);
  for (int i = 1; i <= kSliders; ++i) {
    CAPTURE(i);
    const std::string name = "spring[" + std::to_string(i) + "].f";
    const Function expected = [&](double t) { return -force(i, all, t); };
    CHECK(greatest_error(run, model, name, expected) <= 10 * kBound);
  }
  const Simulation bdf = simulate(model, CvodeOptions{0, kStop, 0.01, 1e-10, false});
  CHECK(bdf.report.events == run.report.events);
}

// A body with inertia turns when all that slide on it come to rest at once.
TEST_CASE("a body on Maxwell's slip model") {
  const Model model("body.ltm", "model Body\n" + kMaxwellParts + R"(
  Translational.Mass body(m = 1);
  Translational.Force load(f = 40*sin(3*time)*sin(0.37*time));
equation
  connect(load.flange, body.flange_a);
  for i in 1:n loop
    connect(body.flange_b, spring[i].flange_a);
  end for;
)" + kConnected + "end Body;\n");
  const Simulation run = audited_run(model, 30, 0.01);
  CHECK(run.report.events > 200);
  const Simulation bdf = simulate(model, CvodeOptions{0, 30, 0.01, 1e-11, false});
  CHECK(bdf.report.events == run.report.events);
  const double end = run.column(model, "body.s").back();
  CHECK(std::fabs(bdf.column(model, "body.s").back() - end) <= 1e-8);
}

}  // namespace luztar::test
