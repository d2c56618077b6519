// Hard stops that are open while others beside them are hit.
#include <doctest/doctest.h>

#include <string>

#include "tests/support/column_check.h"
#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {

// An open stop beside the contacts is at rest as long as they are: an impact moves it with them,
// and it holds nothing. b comes with c and hits a, whose guide has a friction; or c takes b from a.
TEST_CASE("an impact moves what an open stop is between") {
  SUBCASE("end stops of a guide with dry friction") {
    const Model model("guide", R"(
model Guide
  Translational.Mass a(m = 1), b(m = 1), c(m = 1, v(start = 3, fixed = true));
  Translational.HardStop ab(half_freeplay = 0.2), bc(half_freeplay = 0.2);
  Translational.HardStop ends(half_freeplay = 5);
  Translational.SupportFriction guide(f0 = 0.1);
  Translational.Fixed ground;
equation
  connect(ab.flange_a, a.flange_b);
  connect(ab.flange_b, b.flange_a);
  connect(bc.flange_a, b.flange_b);
  connect(bc.flange_b, c.flange_a);
  connect(guide.flange_a, a.flange_b);
  connect(ends.flange_a, a.flange_a);
  connect(ends.flange_b, ground.flange);
end Guide;
)");
    // c takes b along at 1/15 s, both hit a at 0.2 s; then 0.1 N on 3 kg.
    const Simulation run = simulate(model, TaylorOptions{0, 1, 0.5, 1e-10, false});
    REQUIRE(run.report.reason == StopReason::kDone);
    for (const char* body : {"a.v", "b.v", "c.v"}) {
      CAPTURE(body);
      CHECK(run.column(model, body).back() == doctest::Approx(1 - 0.8 / 30).epsilon(1e-11));
    }
  }
  SUBCASE("contacts push and do not pull") {
    for (const char* order : {"ab", "ba"}) {
      CAPTURE(order);
      const bool first = std::string(order) == "ab";
      const Model model(
          "pull", std::string("model Pull\n") +
                      (first ? "  Translational.HardStop far(half_freeplay = 0.5);\n" : "") + R"(
  Translational.Mass a(m = 1, s(start = 0), v(start = -1, fixed = true));
  Translational.Mass b(m = 1, s(start = 0.1), v(start = -1, fixed = true));
  Translational.Mass c(m = 1, s(start = -0.4), v(start = -2, fixed = true));
  Translational.HardStop touching(half_freeplay = 0.1), catch(half_freeplay = 1);
  Translational.CrossFriction rubs(f0 = 1e-9);
)" + (first ? "" : "  Translational.HardStop far(half_freeplay = 0.5);\n") +
                      R"(
equation
  connect(touching.flange_a, a.flange_b);
  connect(touching.flange_b, b.flange_a);
  connect(catch.flange_a, c.flange_a);
  connect(catch.flange_b, b.flange_b);
  connect(far.flange_a, b.flange_b);
  connect(far.flange_b, a.flange_a);
  connect(rubs.flange_a, a.flange_a);
  connect(rubs.flange_b, c.flange_a);
end Pull;
)");
      // c takes b away at 0.5 s; a, which b only touches, goes on.
      const Simulation run = simulate(model, TaylorOptions{0, 0.9, 0.1, 1e-10, false});
      REQUIRE(run.report.reason == StopReason::kDone);
      CHECK(run.column(model, "a.v").back() == doctest::Approx(-1).epsilon(1e-8));
      CHECK(run.column(model, "b.v").back() == doctest::Approx(-1.5).epsilon(1e-8));
      CHECK(run.column(model, "c.v").back() == doctest::Approx(-1.5).epsilon(1e-8));
    }
  }
}

}  // namespace luztar::test
