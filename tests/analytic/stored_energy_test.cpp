// Springs of one side, written as loads, store what they take up.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "runtime/solvers/energy_audit.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

/// A mass of 1 kg at 2 m/s between two contacts of the given law in x, the way into each.
Model bouncing(const std::string& law) {
  return Model("bouncing", R"(
model Contact
  extends Translational.Interfaces.TwoFlanges;
  parameter Units.TranslationalStiffness k = 1000;
  Units.Length x = -s_rel;
equation
  f = )" + law + R"(;
end Contact;
model Bouncing
  Translational.Mass m(m = 1, L = 0, v(start = 2));
  Translational.Position left, right;
  Contact a, b;
equation
  left.s_ref = -0.1 + 0.02*sin(5*time);
  right.s_ref = 0.1;
  connect(left.flange, a.flange_a);
  connect(a.flange_b, m.flange_a);
  connect(m.flange_b, b.flange_a);
  connect(b.flange_b, right.flange);
end Bouncing;
)");
}

const std::vector<double>& audited_column(const Model& model, const Simulation& run,
                                          const std::string& name) {
  const std::vector<OutputColumn> audit = EnergyAudit::columns(model.system());
  const auto found = std::find_if(audit.begin(), audit.end(),
                                  [&](const OutputColumn& column) { return column.name == name; });
  REQUIRE(found != audit.end());
  return run.columns[run.columns.size() - static_cast<std::size_t>(audit.end() - found)];
}

}  // namespace

TEST_CASE("what is stored is the energy of the mass and of the contacts") {
  for (const std::string law : {"-max(k*x, 0)", "min(-k*x, 0)", "-k*max(0, x)",
                                "if x > 0 then -k*x else 0", "if x <= 0 then 0 else -k*x"}) {
    CAPTURE(law);
    const Model model = bouncing(law);
    TaylorOptions options{0, 1, 0.01, 1e-12, false};
    options.energy = true;
    const Simulation run = simulate(model, options);
    REQUIRE(run.report.reason == StopReason::kDone);
    CHECK(run.report.events == 10);
    const auto x = [&](const char* name, std::size_t i) {
      return std::max(0.0, run.column(model, name)[i]);
    };
    double before = 0;
    for (std::size_t i = 0; i < run.time.size(); ++i) {
      const double v = run.column(model, "m.v")[i], a = x("a.x", i), b = x("b.x", i);
      const double energy = v * v / 2 + 500 * (a * a + b * b);
      if (i == 0) before = energy;
      CHECK(std::fabs(audited_column(model, run, "energy.stored")[i] - energy) < 1e-10);
      CHECK(std::fabs(audited_column(model, run, "energy.supplied")[i] - (energy - before)) < 1e-9);
    }
  }
}

// The force that is left of a saturation with two bounds of its own is no drive's.
TEST_CASE("what a hand supplies through a lopsided saturation is its work") {
  for (const std::string law : {"50*nas(s_rel, -0.05, 0.2)", "50*nas(s_rel, -0.1, 0.1) + 3",
                                "20*luz(s_rel, 0.05, 0.1) - 1", "50*s_rel"}) {
    CAPTURE(law);
    const Model model("hand", R"(
model Law
  extends Translational.Interfaces.TwoFlanges;
equation
  f = )" + law + R"(;
end Law;
model Hand
  Law spring;
  Translational.Mass body(m = 1);
  Translational.Position hand;
  Real work(start = 0, fixed = true);
equation
  hand.s_ref = 0.3*sin(5*time);
  der(work) = -hand.flange.f*hand.v;
  connect(hand.flange, spring.flange_a);
  connect(spring.flange_b, body.flange_a);
end Hand;
)");
    TaylorOptions options{0, 3, 0.1, 1e-12, false};
    options.energy = true;
    const Simulation run = simulate(model, options);
    REQUIRE(run.report.reason == StopReason::kDone);
    const auto& supplied = audited_column(model, run, "energy.supplied");
    for (std::size_t i = 0; i < run.time.size(); ++i) {
      CHECK(std::fabs(supplied[i] - run.column(model, "work")[i]) < 1e-9);
    }
  }
}

}  // namespace luztar::test
