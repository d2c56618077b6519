// Exponentials that are too small at the begin of a step for its Taylor coefficients, or for the
// ends of a step of CVODE, to tell of them: pulses, switches by tanh, and friction that falls
// exponentially at many times its Stribeck speed. Against closed forms.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {

// Speed 10 + impulse, which steps that see no force would take in one go.
TEST_CASE("a force that begins late and ends early") {
  const double pi = std::numbers::pi;
  const std::vector<std::pair<std::string, double>> laws{
      {"tanh(100*(time - 1))", 1},
      {"exp(-(100*(time - 1))^2)", std::sqrt(pi) / 100},
      {"1/cosh(100*(time - 1))^2", 0.02},
      {"1/(1 + exp(-200*(time - 1)))", 2},
      {"0.01^(200*(time - 1)^2)", std::sqrt(pi / (200 * std::log(100.0)))},
      {"sinh(time - 50)", std::cosh(-47.0) - std::cosh(-50.0)},
      {"exp(30*(time - 3))", (1 - std::exp(-90.0)) / 30},
      {"exp(-200*time)", (1 - std::exp(-600.0)) / 200},
  };
  for (const auto& [law, impulse] : laws) {
    CAPTURE(law);
    const Model model("pulse.ltm", R"(
model Pulse
  Translational.Mass body(m = 1, v(start = 10));
  Translational.Force force;
equation
  force.f = )" + law + R"(;
  connect(force.flange, body.flange_a);
end Pulse;
)");
    const double speed = 10 + impulse, size = std::fabs(speed);
    const auto error = [&](const Simulation& run) {
      REQUIRE(run.report.reason == StopReason::kDone);
      return std::fabs(run.column(model, "body.v").back() - speed);
    };
    CHECK(error(simulate(model, TaylorOptions{0, 3, 3, 1e-14, true, true})) <= 1e-11 * size);
    CHECK(error(simulate(model, TaylorOptions{0, 3, 3, 1e-6, true, true})) <= 1e-6 * size);
    CHECK(error(simulate(model, CvodeOptions{0, 3, 3, 1e-9, false})) <= 1e-6 * size);
  }
}

// m v' = -(T_K + (T_S - T_K) exp(-v/V_s)) stops at
//   t = m (v_0 + V_s log(T(v_0)/T_S))/T_K.
TEST_CASE("a mass that slides in from many times its Stribeck speed") {
  Model model("stop.ltm", R"(
model Stop
  parameter Real v_s = 0.05;
  Translational.Mass slider(m = 1, v(start = 10));
  Translational.SmoothStribeckFriction seat(f0 = 5, v_s = v_s, f0_static = 7);
equation
  connect(slider.flange_b, seat.flange_a);
end Stop;
)");
  for (const double v_s : {0.002, 0.05, 0.2, 1.0}) {
    CAPTURE(v_s);
    model.set({{"v_s", v_s}});
    const double stops = (10 + v_s * std::log((5 + 2 * std::exp(-10 / v_s)) / 7)) / 5;
    const auto error = [&](const Simulation& run) {
      REQUIRE(run.report.reason == StopReason::kDone);
      double rests = 0;
      for (std::size_t i = 0; i < run.time.size() && rests == 0; ++i) {
        if (run.column(model, "slider.v")[i] == 0) rests = run.time[i];
      }
      return std::fabs(rests - stops);
    };
    CHECK(error(simulate(model, TaylorOptions{0, 3, 0.1, 1e-14, true, true})) <= 1e-11);
    CHECK(error(simulate(model, TaylorOptions{0, 3, 0.1, 1e-6, true, true})) <= 1e-5);
    CHECK(error(simulate(model, CvodeOptions{0, 3, 0.1, 1e-10, true})) <= 1e-6);
  }
}

}  // namespace luztar::test
