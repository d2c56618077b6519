// A torque that follows that of a friction: u - b tau_f, as of a gear that loses in proportion or a
// servo that makes up for what it measures.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

Model fed_back(const std::string& b) {
  return Model("fed_back", R"(
model FedBack
  parameter Real b = )" + b + R"(;
  Rotational.Inertia m(J = 1);
  Rotational.BearingFriction f(tau0 = 1);
  Rotational.Torque t;
  Units.Torque u = 2.5*sin(time);
equation
  t.tau = u - b*f.tau;
  connect(t.flange, m.flange_a);
  connect(m.flange_b, f.flange_a);
end FedBack;
)");
}

}  // namespace

TEST_CASE(
    "at rest a friction that is fed back has the one torque that balances; then it is itself") {
  for (const double b : {0.5, -0.5}) {
    CAPTURE(b);
    const Model model = fed_back(std::to_string(b));
    const TaylorOptions options{0, 3, 0.1, 1e-12, false};
    const Simulation run = simulate(model, options);
    REQUIRE(run.report.reason == StopReason::kDone);
    const double slips = std::asin((1 + b) / 2.5);
    const auto& tau = run.column(model, "f.tau");
    const auto& w = run.column(model, "m.w");
    for (std::size_t i = 0; i < run.time.size(); ++i) {
      const double t = run.time[i];
      const double rest = 2.5 * std::sin(t) / (1 + b);
      const double speed = 2.5 * (std::cos(slips) - std::cos(t)) - (1 + b) * (t - slips);
      CHECK(tau[i] == doctest::Approx(t < slips ? rest : 1).epsilon(1e-12));
      CHECK(w[i] == doctest::Approx(t < slips ? 0 : speed).epsilon(1e-11));
    }
    // The friction takes tau_f w alone, w w/2 being stored.
    const RunReport audit = audited(model, options);
    const double way = 2.5 * ((3 - slips) * std::cos(slips) - std::sin(3.0) + std::sin(slips)) -
                       (1 + b) * (3 - slips) * (3 - slips) / 2;
    REQUIRE(audit.energy->dissipated.size() == 2);
    CHECK(audit.energy->dissipated[0] == doctest::Approx(way).epsilon(1e-10));
    CHECK(audit.energy->dissipated[1] == 0);
    CHECK(std::fabs(audit.energy->residual()) < 1e-12);
  }
}

}  // namespace luztar::test
