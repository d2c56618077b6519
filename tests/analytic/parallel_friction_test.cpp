// Frictions of one slip velocity: one in the motion (R5), with forces of least norm at rest.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/support/exact_run.h"
#include "tests/support/linkages.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

bool is_flagged(const Simulation& run) {
  return std::any_of(run.report.indeterminate.begin(), run.report.indeterminate.end(),
                     [](char flag) { return flag != 0; });
}

TEST_CASE("frictions beside each other share a load at rest with the shortest forces") {
  // Behind the gear: a torque s there is 2 s here.
  const Model model("brakes.ltm", R"(
model Brakes
  Rotational.Inertia body(J = 0.1);
  Rotational.BearingFriction small(tau0 = 1);
  Rotational.BearingFriction large(tau0 = 3, tau0_static = 4);
  Rotational.IdealGear gear(ratio = 0.5) "turns twice as fast behind it";
  Rotational.BearingFriction fast(tau0 = 0.8);
  Rotational.Torque drive;
equation
  drive.tau = -time;
  connect(drive.flange, body.flange_a);
  connect(body.flange_b, small.flange_a);
  connect(body.flange_b, large.flange_a);
  connect(body.flange_b, gear.flange_a);
  connect(gear.flange_b, fast.flange_a);
end Brakes;
)");
  const double breakaway = 1 + 4 + 2 * 0.8;
  const Simulation run = exact_run(model, 8, 0.1, true);
  const auto column = [&](const char* name) { return run.column(model, name); };
  const auto small = column("small.tau"), large = column("large.tau"), fast = column("fast.tau"),
             w = column("body.w"), flag = column("small.indeterminate"),
             flag_fast = column("fast.indeterminate");
  double last = 0;
  for (std::size_t i = 0; i < run.time.size(); ++i) {
    INFO("time ", run.time[i]);
    if (w[i] != 0) {
      CHECK(flag[i] == 0);
      CHECK(small[i] == -1);
      CHECK(large[i] == -3);
      CHECK(fast[i] == -0.8);
      continue;
    }
    if (run.time[i] >= breakaway * (1 - 1e-12)) continue;
    last = run.time[i];
    // s = level r within the bounds: 6 level, then the fast one at 0.8, then the small one, too.
    double level = last / 6;
    if (2 * level > 0.8) level = (last - 2 * 0.8) / 2;
    if (level > 1) level = last - 2 * 0.8 - 1;
    CHECK(std::fabs(small[i] + std::min(level, 1.0)) < 1e-14);
    CHECK(std::fabs(large[i] + level) < 1e-14);
    CHECK(std::fabs(fast[i] + std::min(2 * level, 0.8)) < 1e-14);
    CHECK(flag[i] == 1);
    CHECK(flag_fast[i] == 1);
  }
  CHECK(last > breakaway - 0.11);
  CHECK(w.back() < 0);
  CHECK(is_flagged(run));
  check_energy(model, 8);
  check_against_cvode(model, 8, 1e-8);
}

TEST_CASE("an open clutch beside a bearing leaves its force unique") {
  const Model model("open.ltm", R"(
model Open
  Rotational.Inertia body(J = 0.1);
  Rotational.BearingFriction bearing(tau0 = 1);
  Rotational.Brake brake(fn_max = 4);
  Rotational.Torque drive(tau = 0.9);
  Blocks.Ramp signal(duration = 1, startTime = 1);
equation
  connect(signal.y, brake.f_normalized);
  connect(drive.flange, body.flange_a);
  connect(body.flange_b, bearing.flange_a);
  connect(body.flange_b, brake.flange_a);
end Open;
)");
  const Simulation run = exact_run(model, 2, 0.05, true);
  const auto bearing = run.column(model, "bearing.tau"), brake = run.column(model, "brake.tau"),
             bound = run.column(model, "brake.tau0"),
             flag = run.column(model, "bearing.indeterminate");
  for (std::size_t i = 0; i < run.time.size(); ++i) {
    const double expected = std::min(0.45, bound[i]);
    CHECK(std::fabs(brake[i] - expected) < 1e-14);
    CHECK(std::fabs(bearing[i] - (0.9 - expected)) < 1e-14);
    CHECK(flag[i] == (bound[i] > 0 ? 1 : 0));
  }
}

}  // namespace
// The least b0^2 + b1^2 + c^2 + b2^2 with  b0 + 3 b1 - c = t,  c = -b2  is (1, 3, -1/2, 1/2)
// t/10.5, whichever is declared first.
TEST_CASE("frictions beside each other have their own parts in the least forces of a loop") {
  const std::string first = "  Rotational.BearingFriction b0(tau0 = 5);\n";
  const std::string geared = "  Rotational.BearingFriction b1(tau0 = 5);\n";
  for (const std::string& bearings : {first + geared, geared + first}) {
    CAPTURE(bearings);
    for (const char* inertia : {"0", "1"}) {
      CAPTURE(inertia);
      const Model model("loop.ltm", "model Loop\n  constant Real J = " + std::string(inertia) +
                                        ";\n" + bearings + R"(
  Rotational.Inertia n0(J = J), n1(J = J);
  Rotational.IdealGear gear(ratio = 3);
  Rotational.CrossFriction c(tau0 = 5);
  Rotational.BearingFriction b2(tau0 = 5);
  Rotational.Torque load;
equation
  load.tau = time;
  connect(load.flange, n0.flange_a);
  connect(n0.flange_b, gear.flange_b);
  connect(gear.flange_a, b1.flange_a);
  connect(n0.flange_b, b0.flange_a);
  connect(n0.flange_b, c.flange_a);
  connect(c.flange_b, n1.flange_b);
  connect(n1.flange_a, b2.flange_a);
end Loop;
)");
      const Simulation run = exact_run(model, 1, 0.1, true);
      CHECK(is_flagged(run));
      const auto part = [&](const char* name) { return run.column(model, name).back() * 10.5; };
      CHECK(part("b0.tau") == doctest::Approx(1).epsilon(1e-12));
      CHECK(part("b1.tau") == doctest::Approx(3).epsilon(1e-12));
      CHECK(part("c.tau") == doctest::Approx(-0.5).epsilon(1e-12));
      CHECK(part("b2.tau") == doctest::Approx(0.5).epsilon(1e-12));
    }
  }
}

}  // namespace luztar::test
