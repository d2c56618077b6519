// Laws with roots and powers of what is zero at the start, where the motion has no Taylor series.
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

/// A mass of 1 kg from rest, pushed by 1 N against a resistance in its speed v.
Model pushed(const std::string& resistance) {
  return Model("pushed", R"(
model Resistance
  extends Translational.Interfaces.TwoFlanges;
  parameter Real n = 2, c = 1;
  parameter Units.Velocity unit = 1;
  Units.Velocity v;
equation
  v = der(flange_b.s) - der(flange_a.s);
  f = )" + resistance + R"(;
end Resistance;
model Pushed
  Translational.Mass mass(m = 1);
  Translational.Force push(f = 1);
  Resistance resistance;
  Translational.Fixed ground;
equation
  connect(push.flange, mass.flange_a);
  connect(ground.flange, resistance.flange_a);
  connect(resistance.flange_b, mass.flange_b);
end Pushed;
)");
}

TEST_CASE("a resistance by the root of the speed: t = -2 (r + log(1 - r)) for r = sqrt(v)") {
  const Model model = pushed("c*sqrt(v)");
  const auto worst = [&](const Simulation& run) {
    REQUIRE(run.report.reason == StopReason::kDone);
    const std::vector<double>& v = run.column(model, "mass.v");
    double greatest = 0;
    for (std::size_t i = 0; i < run.time.size(); ++i) {
      const double r = std::sqrt(v[i]);
      greatest = std::max(greatest, std::fabs(-2 * (r + std::log1p(-r)) - run.time[i]));
    }
    return greatest;
  };
  CHECK(worst(exact_run(model, 3, 0.05)) <= kBound);
  CHECK(worst(simulate(model, CvodeOptions{.stop = 3, .interval = 0.05, .tolerance = 1e-10})) <=
        1e-7);
}

TEST_CASE("a resistance by the speed to a power that is a parameter: v = tanh t for 2") {
  const Model model = pushed("c*(v/unit)^n");
  check_column(
      model, 3, "mass.v", [](double t) { return std::tanh(t); }, 1e-3);
}

}  // namespace
}  // namespace luztar::test
