// Bounds that are infinite are none.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "tests/support/simulation.h"

namespace luztar::test {

TEST_CASE("a spring with a bound that is infinite is the spring") {
  for (const std::string law :
       {"nas(50*s_rel, bound)", "50*nas(s_rel, bound)", "min(50*s_rel, bound)",
        "max(-bound, min(bound, 50*s_rel))", "if s_rel > bound then 1 else 50*s_rel",
        "if bound >= s_rel then 50*s_rel else 1", "50*s_rel + 20*luz(s_rel, bound)"}) {
    CAPTURE(law);
    const Model model("bounded", R"(
model Law
  extends Translational.Interfaces.TwoFlanges;
  parameter Real bound = inf;
equation
  f = )" + law + R"(;
end Law;
model Bounded
  Law law;
  Translational.Mass body(m = 2, s(start = 0.5));
  Translational.Fixed ground;
equation
  connect(ground.flange, law.flange_a);
  connect(law.flange_b, body.flange_a);
end Bounded;
)");
    const TaylorOptions options{0, 2, 0.05, 1e-13, false};
    const Simulation run = simulate(model, options);
    REQUIRE(run.report.reason == StopReason::kDone);
    for (std::size_t i = 0; i < run.time.size(); ++i) {
      const double s = 0.5 * std::cos(5 * run.time[i]);
      CHECK(std::fabs(run.column(model, "body.s")[i] - s) < 1e-12);
      CHECK(std::fabs(run.column(model, "law.f")[i] - 50 * s) < 1e-10);
    }
    CHECK(std::fabs(audited(model, options).energy->residual()) < 1e-11);
  }
}

}  // namespace luztar::test
