// Derivatives of what is no state: forces, signals that follow from states, rates of rates.
#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <string>

#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

struct Column {
  std::string name;
  std::function<double(double)> expected;
};

void check_columns(const Model& model, double stop, const std::vector<Column>& columns) {
  const Simulation run = simulate(model, TaylorOptions{0, stop, stop / 40, 1e-14, false});
  REQUIRE(run.report.reason == StopReason::kDone);
  for (const Column& column : columns) {
    const std::vector<double>& values = run.column(model, column.name);
    double error = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      error = std::max(error, std::fabs(values[i] - column.expected(run.time[i])));
    }
    INFO(column.name, ": greatest error ", error);
    CHECK(error < 1e-11);
  }
}

}  // namespace

TEST_CASE("rates of the torque and the power of a spring follow from the motion") {
  const Model model("rates.ltm", R"(
model Oscillator
  Rotational.Inertia wheel(J = 1, w(start = 1));
  Rotational.Spring spring(k = 4);
  Rotational.Fixed wall;
  Real power = spring.tau*wheel.w;
  Real power_rate = der(power);
  Real rate = der(spring.tau);
  Real second = der(der(spring.tau));
  Real mixed = der(spring.tau + lag.y);
  Blocks.FirstOrder lag(T = 1, u = der(spring.tau));
  Rotational.Torque motor(tau = 0.5*der(spring.tau));
  Rotational.Inertia driven(J = 2);
equation
  connect(wheel.flange_a, spring.flange_a);
  connect(spring.flange_b, wall.flange);
  connect(motor.flange, driven.flange_a);
end Oscillator;
)");
  // phi = sin(2 t)/2, tau = -4 phi
  const auto lag = [](double t) {
    return 0.8 * (std::exp(-t) - std::cos(2 * t) - 2 * std::sin(2 * t));
  };
  check_columns(model, 3,
                {{"power", [](double t) { return -std::sin(4 * t); }},
                 {"power_rate", [](double t) { return -4 * std::cos(4 * t); }},
                 {"rate", [](double t) { return -4 * std::cos(2 * t); }},
                 {"second", [](double t) { return 8 * std::sin(2 * t); }},
                 {"lag.y", lag},
                 {"mixed", [&](double t) { return -8 * std::cos(2 * t) - lag(t); }},
                 {"driven.w", [](double t) { return -0.5 * std::sin(2 * t); }}});
}

TEST_CASE("the rate of the torque of a play is zero within it and the spring's beyond") {
  const Model model("rates.ltm", R"(
model Play
  Rotational.Inertia wheel(J = 1, w(start = 1));
  Rotational.FreeplaySpring spring(k = 4, half_freeplay = 0.5);
  Rotational.Fixed wall;
  Real rate = der(spring.tau);
equation
  connect(wheel.flange_a, spring.flange_a);
  connect(spring.flange_b, wall.flange);
end Play;
)");
  // Free flight up to t = 0.5, then half a period on the spring.
  const double contact = std::acos(-1.0) / 2;
  check_columns(model, 1.9, {{"rate", [&](double t) {
                                const bool touches = t > 0.5 && t < 0.5 + contact;
                                return touches ? -4 * std::cos(2 * (t - 0.5)) : 0.0;
                              }}});
}

TEST_CASE("signals that follow from states have rates, and the states stay the states") {
  const Model model("rates.ltm", R"(
model Follows
  Real x = 2*lag.y;
  Real v = der(x);
  Real z = v + 1;
  Real a = der(v) + der(der(x));
  Blocks.FirstOrder lag(T = 1, u = sin(time));
end Follows;
)");
  // y = (exp(-t) + sin t - cos t)/2
  const auto rate = [](double t) { return -std::exp(-t) + std::cos(t) + std::sin(t); };
  check_columns(model, 3,
                {{"x", [](double t) { return std::exp(-t) + std::sin(t) - std::cos(t); }},
                 {"v", rate},
                 {"z", [&](double t) { return rate(t) + 1; }},
                 {"a", [](double t) { return 2 * (std::exp(-t) - std::sin(t) + std::cos(t)); }}});
}

TEST_CASE("a Move takes the rates of the signal that it follows") {
  const Model model("rates.ltm", R"(
model Driven
  Rotational.Move drive(phi_ref = lag.y, w_ref = der(lag.y), a_ref = der(der(lag.y)));
  Rotational.Inertia body(J = 3);
  Blocks.FirstOrder lag(T = 1, u = sin(time));
equation
  connect(drive.flange, body.flange_a);
end Driven;
)");
  check_columns(
      model, 3,
      {{"body.phi", [](double t) { return (std::exp(-t) + std::sin(t) - std::cos(t)) / 2; }},
       {"body.w", [](double t) { return (-std::exp(-t) + std::cos(t) + std::sin(t)) / 2; }},
       {"body.flange_a.tau",
        [](double t) { return 1.5 * (std::exp(-t) - std::sin(t) + std::cos(t)); }}});
}

}  // namespace luztar::test
