// Forces that are states of their parts.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "tests/support/simulation.h"

namespace luztar::test {

// Spring and damper in series: der(F) = k v - F/T, T = d/k. With x' = -v, x = der(F): a body of
// mass m on it obeys F'' + F'/T + (k/m) F = 0 from F = 0, F' = k v0.
TEST_CASE("the force of a Maxwell element, by the name of its own state") {
  const Model model("maxwell", R"(
model Maxwell
  extends Translational.Interfaces.OneFlange;
  parameter Real k = 100, T = 0.1;
  Real F(start = 0);
  Real v;
equation
  v = der(flange.s);
  der(F) = k*v - F/T;
  flange.f = F;
end Maxwell;
model Damped
  Translational.Mass body(m = 1, v(start = 1));
  Maxwell element;
equation
  connect(body.flange_a, element.flange);
end Damped;
)");
  const Simulation run = simulate(model, TaylorOptions{0, 3, 0.01, 1e-13, false});
  REQUIRE(run.report.reason == StopReason::kDone);
  const double k = 100, lag = 0.1, decay = 1 / (2 * lag), w = std::sqrt(k - decay * decay);
  for (std::size_t i = 0; i < run.time.size(); ++i) {
    const double t = run.time[i];
    const double force = k / w * std::exp(-decay * t) * std::sin(w * t);
    CHECK(std::fabs(run.column(model, "element.F")[i] - force) < 1e-11);
    CHECK(run.column(model, "element.flange.f")[i] == run.column(model, "element.F")[i]);
  }
}

}  // namespace luztar::test
