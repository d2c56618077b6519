// Loads that jump as the slip of a friction begins: friction compensation, lubricated seals.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

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

// The speed of a disc that a clutch holds to one at rest is no slip of its own, and zero but for
// what the rounding of forces that cancel adds up to: 1e-33 rad/s, of either sign.
TEST_CASE("rounding of a speed that frictions hold sets no relation of it") {
  const Model model("held.ltm", R"(
model Held
  Rotational.Inertia carrier(J = 0.751);
  Rotational.BearingFriction bearing(tau0 = 1.748);
  Rotational.Torque drive(tau = -0.293 + 2.941*sin(2.876*time));
  Rotational.Inertia disc(J = 0.475);
  Rotational.Clutch clutch(mu_pos = 1, cgeo = 1, fn_max = 0.55, f_normalized = 1);
  Rotational.Torque motor(tau = -0.199 + 2.821*sin(1.115*time) + (if disc.w > 0 then 0.626 else 0));
  Rotational.Torque brake(tau = 0.01*sign(carrier.w + disc.w));
equation
  connect(drive.flange, carrier.flange_a);
  connect(bearing.flange_a, carrier.flange_b);
  connect(carrier.flange_b, clutch.flange_a);
  connect(clutch.flange_b, disc.flange_a);
  connect(motor.flange, disc.flange_b);
  connect(brake.flange, carrier.flange_a);
end Held;
)");
  // The bearing gives way where both torques are 1.748; then both turn, and the motor helps.
  const double begin = 0.20201;
  for (const double tolerance : {1e-6, 1e-9, 1e-12}) {
    CAPTURE(tolerance);
    for (const Simulation& run :
         {simulate(model, TaylorOptions{0, 0.25, 0.005, tolerance, false}),
          simulate(model, CvodeOptions{0, 0.25, 0.005, tolerance, false})}) {
      REQUIRE(run.report.reason == StopReason::kDone);
      const std::vector<double>& w = run.column(model, "disc.w");
      for (std::size_t i = 0; i < w.size(); ++i) {
        if (run.time[i] < begin) CHECK(std::fabs(w[i]) < 1e-30);
        if (run.time[i] > begin + 1e-4) CHECK(w[i] > 1e-4);
      }
      CHECK(run.column(model, "motor.tau")[20] < 0.5);
    }
  }
}

// Shares of forces that nothing moves by are results: they know what the mode has made of the load.
TEST_CASE("frictions side by side carry the load that the mode has") {
  const Model model("shared.ltm", R"(
model Shared
  Rotational.Inertia wheel(J = 1, w(start = 1));
  Rotational.Torque stopping(tau = -1);
  Rotational.BearingFriction bearing(tau0 = 0.5);
  Rotational.Inertia held(J = 1);
  Rotational.Torque load(tau = 0.4 + 0.7*sign(wheel.w));
  Rotational.BearingFriction one(tau0 = 2);
  Rotational.BearingFriction other(tau0 = 3);
equation
  connect(stopping.flange, wheel.flange_a);
  connect(wheel.flange_b, bearing.flange_a);
  connect(load.flange, held.flange_a);
  connect(held.flange_b, one.flange_a);
  connect(held.flange_b, other.flange_a);
end Shared;
)");
  const Simulation run = simulate(model, TaylorOptions{0, 2, 0.5, 1e-10, true});
  REQUIRE(run.report.reason == StopReason::kDone);
  const std::vector<double>&one = run.column(model, "one.tau"),
        &load = run.column(model, "load.tau");
  REQUIRE(run.time.size() == 7);
  for (std::size_t i = 0; i < one.size(); ++i) {
    CAPTURE(run.time[i]);
    CHECK(load[i] == doctest::Approx(i < 3 ? 1.1 : -0.3));  // two rows of the event at 2/3 s
    CHECK(one[i] == doctest::Approx(load[i] / 2));
    CHECK(run.column(model, "other.tau")[i] == doctest::Approx(load[i] / 2));
  }
}

// A load that helps a wheel on as soon as its rim turns: it comes to rest from -0.5 rad/s and, as
// 1.4 < 1.66, stays there, by any relation that says the same. That of a disc which sticks to it
// does, too.
TEST_CASE("a wheel that comes to rest stays there before a relation of its speed asks") {
  for (const char* relation :
       {"wheel.w > 0", "0.3*wheel.w > 0", "wheel.w + wheel.w > 0", "disc.w > 0",
        "wheel.w + 2*disc.w > 0", "(2 + sin(time))*wheel.w > 0"}) {
    CAPTURE(relation);
    const Model model("rim.ltm", std::string(R"(
model Rim
  Rotational.Inertia wheel(J = 1, w(start = -0.5));
  Rotational.BearingFriction bearing(tau0 = 1.66);
  Rotational.Inertia disc(J = 1.1, w(start = -0.5));
  Rotational.CrossFriction between(tau0 = 5);
  Rotational.Torque load(tau = 1.4 + (if )") +
                                     relation + R"( then 0.737 else 0));
equation
  connect(load.flange, wheel.flange_a);
  connect(wheel.flange_b, bearing.flange_a);
  connect(wheel.flange_a, between.flange_a);
  connect(between.flange_b, disc.flange_a);
end Rim;
)");
    for (const Simulation& run : {simulate(model, TaylorOptions{0, 1, 0.5, 1e-11, false}),
                                  simulate(model, CvodeOptions{0, 1, 0.5, 1e-10, false})}) {
      REQUIRE(run.report.reason == StopReason::kDone);
      CHECK(std::fabs(run.column(model, "wheel.w").back()) < 1e-15);
      const double rest = 0.25 * 2.1 / (2 * (1.4 + 1.66));
      CHECK(run.column(model, "wheel.phi").back() == doctest::Approx(-rest).epsilon(1e-8));
    }
  }
}

}  // namespace
}  // namespace luztar::test
