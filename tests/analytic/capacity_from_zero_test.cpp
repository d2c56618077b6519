// Frictions that have no capacity at the instant in which others give way: what they come to do
// follows from what begins then, not from what the event has left of the loads.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

/// a drives b over a clutch whose capacity begins like a root; a bearing holds b at first. Another
/// clutch, whose capacity is that of the speed of b, is between b and c; `hold` is what holds c.
std::string drive_away(const std::string& hold) {
  return R"(
model DriveAway
  Rotational.Inertia a(J = 1, w(start = 5, fixed = true)), b(J = 1), c(J = 1);
  Rotational.Clutch first(fn_max = 1), second(fn_max = 1);
  Rotational.BearingFriction brake(tau0 = )" +
         hold + R"();
  Rotational.BearingFriction bearing(tau0 = 0.2);
equation
  first.f_normalized = sqrt(time);
  second.f_normalized = abs(b.w);
  connect(a.flange_b, first.flange_a);
  connect(first.flange_b, b.flange_a);
  connect(b.flange_b, second.flange_a);
  connect(second.flange_b, c.flange_a);
  connect(c.flange_b, brake.flange_a);
  connect(b.flange_b, bearing.flange_a);
end DriveAway;
)";
}

/// b' = 0.5 sqrt(t) - 0.2 - 0.5 b from 0.16 s on, by the classical Runge-Kutta method.
double speed_of_b(double end) {
  constexpr int kSteps = 20000;
  constexpr double kBegin = 0.16;
  const double h = (end - kBegin) / kSteps;
  const auto rate = [](double t, double w) { return 0.5 * std::sqrt(t) - 0.2 - 0.5 * w; };
  double t = kBegin, w = 0;
  for (int i = 0; i < kSteps; ++i, t += h) {
    const double k1 = rate(t, w), k2 = rate(t + h / 2, w + h / 2 * k1);
    const double k3 = rate(t + h / 2, w + h / 2 * k2), k4 = rate(t + h, w + h * k3);
    w += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  return w;
}

}  // namespace

TEST_CASE("a capacity that comes with the motion which it brakes, as another friction gives way") {
  const Model model("held", drive_away("3"));
  for (const double stop : {2.4, 2.5, 3.0, 5.1}) {
    for (const double tolerance : {1e-6, 1e-8, 1e-10}) {
      CAPTURE(stop);
      CAPTURE(tolerance);
      const Simulation run = simulate(model, TaylorOptions{0, stop, stop, tolerance, false});
      REQUIRE(run.report.reason == StopReason::kDone);
      const double w = run.column(model, "b.w").back();
      if (stop < 3) CHECK(w == doctest::Approx(speed_of_b(stop)).epsilon(30 * tolerance));
      CHECK(run.column(model, "second.mode").back() == -1);
      CHECK(run.column(model, "second.tau").back() == doctest::Approx(-0.5 * w).epsilon(1e-12));
      CHECK(run.column(model, "c.w").back() == 0);
    }
  }
}

// At the start the capacity of the first clutch has no Taylor series.
TEST_CASE("a body that nothing else holds is dragged along, from a capacity like a root on") {
  const Model model("free", drive_away("0"));
  for (const bool cvode : {false, true}) {
    CAPTURE(cvode);
    const Simulation run = cvode ? simulate(model, CvodeOptions{0, 1, 1, 1e-9, false})
                                 : simulate(model, TaylorOptions{0, 1, 1, 1e-9, false});
    REQUIRE(run.report.reason == StopReason::kDone);
    const double b = run.column(model, "b.w").back(), c = run.column(model, "c.w").back();
    CHECK(b == doctest::Approx(speed_of_b(1)).epsilon(1e-7));
    // Both have what the clutch gives from 0.16 s on, t^1.5/3, less 0.2 N.m of the bearing.
    CHECK(b + c == doctest::Approx((1 - 0.064) / 3 - 0.2 * 0.84).epsilon(1e-7));
  }
}

}  // namespace luztar::test
