// Forces that show in no Taylor coefficient at the begin of a step: zero in all orders there, or of
// no size before a pulse or a kink. Against closed forms.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

struct Law {
  std::string force;
  double impulse;  // over 2 s
};

void check_impulse(const Law& law, double start) {
  CAPTURE(law.force);
  CAPTURE(start);
  Model model("load.ltm", R"(
model Load
  parameter Real start = 0;
  Translational.Mass body(m = 1, v(start = start));
  Translational.Force load;
equation
  load.f = )" + law.force +
                              R"(;
  connect(load.flange, body.flange_a);
end Load;
)");
  model.set({{"start", start}});
  const double speed = start + law.impulse, size = std::max(std::fabs(start), law.impulse);
  const auto error = [&](const Simulation& run) {
    REQUIRE(run.report.reason == StopReason::kDone);
    return std::fabs(run.column(model, "body.v").back() - speed);
  };
  CHECK(error(simulate(model, TaylorOptions{0, 2, 2, 1e-14, true, true})) <= 1e-11 * size);
  CHECK(error(simulate(model, TaylorOptions{0, 2, 2, 1e-6, true, true})) <= 1e-5 * size);
  CHECK(error(simulate(model, CvodeOptions{0, 2, 2, 1e-9, false})) <= 1e-6 * size);
}

constexpr double kTwentySines = 46189.0 / 262144;      // mean of sin(x)^20: 20!/(10! 2^10)^2
constexpr double kSixteenBumps = 601080390.0 / 65536;  // mean of (1 - cos x)^16: 32!/(16!)^2/2^16

}  // namespace

TEST_CASE("a force that is zero in all orders when a step begins") {
  for (const Law& law : {Law{"time^14", std::pow(2.0, 15) / 15},
                         {"10*time^30", 10 * std::pow(2.0, 31) / 31},
                         {"(time^2)^10", std::pow(2.0, 21) / 21},
                         {"sin(time)^13", 0.6448596909651740},
                         {"sin(3.141592653589793*time)^20", 2 * kTwentySines},
                         {"sin(31.41592653589793*time)^20", 2 * kTwentySines},
                         {"(1 - cos(3.141592653589793*time))^16", 2 * kSixteenBumps},
                         {"if time < 1 then time^20 else 1", 1 + 1.0 / 21}}) {
    check_impulse(law, 0);
    check_impulse(law, 10);
  }
}

TEST_CASE("a narrow pulse long after the begin of a step") {
  for (const int n : {30, 1000}) {  // widths of 1/n
    const std::string z = std::to_string(n) + "*(time - 1)", z2 = "(" + z + ")^2";
    const double sine = n / std::hypot(1.0, n);
    check_impulse({"1/(1 + " + z2 + ")^2", 1 / (1.0 + n * n) + std::atan(n) / n}, 10);
    check_impulse({"1/sqrt(1 + " + z2 + ")^5", 2 * (sine - sine * sine * sine / 3) / n}, 10);
    check_impulse({"atan(" + z + ") + 2", 4}, 10);
  }
}

// m v' = -F v/sqrt(v^2 + e^2) from v_0 goes on for
//   (v_0 sqrt(v_0^2 + e^2) + e^2 asinh(v_0/e)) m/(2 F).
TEST_CASE("dry friction made smooth stops a fast mass") {
  Model model("smooth.ltm", R"(
model Smooth
  parameter Real e = 1e-3;
  Translational.Mass body(m = 1, v(start = 10));
  Translational.Force friction;
equation
  friction.f = -5*body.v/sqrt(body.v^2 + e^2);
  connect(friction.flange, body.flange_a);
end Smooth;
)");
  for (const double e : {0.1, 1e-2, 1e-3}) {
    CAPTURE(e);
    model.set({{"e", e}});
    const double way = (10 * std::sqrt(100 + e * e) + e * e * std::asinh(10 / e)) / 10;
    const auto error = [&](const Simulation& run) {
      REQUIRE(run.report.reason == StopReason::kDone);
      return std::fabs(run.column(model, "body.s").back() - way);
    };
    CHECK(error(simulate(model, TaylorOptions{0, 4, 4, 1e-14, true, true})) <= 1e-11 * way);
    CHECK(error(simulate(model, TaylorOptions{0, 4, 4, 1e-6, true, true})) <= 1e-5 * way);
    CHECK(error(simulate(model, CvodeOptions{0, 4, 4, 1e-9, true})) <= 1e-6 * way);
  }
}

// The sine has 1e-8 of rounding, which no step makes smaller.
TEST_CASE("the rounding of a load is no hidden force") {
  const auto steps = [](const std::string& phase, double tolerance) {
    const Model model("phase.ltm", R"(
model Phase
  parameter Real e = 1;
  Translational.Mass body(m = 1);
  Translational.Force load;
equation
  load.f = sin(time + )" + phase + R"() - 2*body.s/sqrt(body.s^2 + e^2);
  connect(load.flange, body.flange_a);
end Phase;
)");
    const Simulation run = simulate(model, TaylorOptions{0, 30, 1, tolerance, true, true});
    REQUIRE(run.report.reason == StopReason::kDone);
    return run.report.steps;
  };
  for (const double tolerance : {1e-10, 1e-13}) {
    CHECK(steps("1e8", tolerance) <= 2 * steps("2", tolerance));
  }
}

}  // namespace luztar::test
