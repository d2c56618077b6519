// Loads that jump as the slip of a friction begins: friction compensation, lubricated seals.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

/// A wheel of 1 kg.m2 that 1.5 N.m hold, under a torque, and a motor.
Model compensated(const std::string& torque, const std::string& motor) {
  return Model("compensated.ltm", R"(
model Compensated
  Rotational.Inertia wheel(J = 1);
  Rotational.BearingFriction bearing(tau0 = 1.5);
  Rotational.Torque load(tau = )" + torque +
                                      R"();
  Rotational.Torque motor(tau = )" + motor +
                                      R"();
equation
  connect(load.flange, wheel.flange_a);
  connect(motor.flange, wheel.flange_a);
  connect(bearing.flange_a, wheel.flange_b);
end Compensated;
)");
}

// The load comes to the friction without a jump: it is as great where the slip begins, and the
// speed has two zeros without the motor. It has one with it: w' = t - 1.5 + 0.5 from 1.5 s on.
TEST_CASE("a motor that helps as soon as a wheel turns does so at once") {
  for (const char* motor : {"if wheel.w > 0 then 0.5 else 0", "0.5*sign(wheel.w)",
                            "0.5*max(sign(wheel.w), 0)", "if 0 >= wheel.w then 0 else 0.5"}) {
    CAPTURE(motor);
    const Model model = compensated("time", motor);
    for (const double interval : {0.01, 2.0}) {
      for (const Simulation& run : {simulate(model, TaylorOptions{0, 2, interval, 1e-12, false}),
                                    simulate(model, CvodeOptions{0, 2, interval, 1e-11, false})}) {
        REQUIRE(run.report.reason == StopReason::kDone);
        CHECK(std::fabs(run.column(model, "wheel.w").back() - 0.375) < 1e-10);
        CHECK(std::fabs(run.column(model, "wheel.phi").back() - 1.0 / 12) < 1e-10);
      }
    }
    const RunReport report = audited(model, TaylorOptions{0, 2, 1, 1e-12, false});
    CHECK(std::fabs(report.energy->residual()) <= 1e-12);
  }
}

// It starts backwards, where the motor does nothing, and turns at the time at which the load has
// taken its speed: w' = 1.5 - t as it starts.
TEST_CASE("a motor that helps forwards leaves a wheel that starts backwards alone") {
  const Model model = compensated("-time", "if wheel.w > 0 then 0.5 else 0");
  const Simulation run = simulate(model, TaylorOptions{0, 2, 0.5, 1e-12, false});
  REQUIRE(run.report.reason == StopReason::kDone);
  CHECK(std::fabs(run.column(model, "wheel.w").back() + 0.125) < 1e-11);
}

// A motor against the motion is friction that no law of the model holds at rest.
TEST_CASE("a motor that drives a wheel back as soon as it turns has no motion") {
  const Model model = compensated("time", "-0.5*sign(wheel.w)");
  const Simulation run = simulate(model, TaylorOptions{0, 2, 0.5, 1e-12, false});
  CHECK(run.report.reason == StopReason::kEventStorm);
  CHECK(run.report.time == doctest::Approx(1.5));
}

}  // namespace
}  // namespace luztar::test
