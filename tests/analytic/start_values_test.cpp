// Start values that rigid connections, stops and balances tie to each other.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/support/column_check.h"
#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

std::string sums(const std::string& inertia, const std::string& third) {
  return R"(
model Sums
  model Sum
    Rotational.Interfaces.Flange a, b, c;
  equation
    a.phi = -b.phi + 0.7*c.phi;
    0 = -a.tau + b.tau;
    0 = 0.7*a.tau + c.tau;
  end Sum;
  Rotational.Inertia p(J = )" +
         inertia + R"(, w(start = 0));
  Rotational.Inertia q(J = 0.5, w(start = -0.6, fixed = false));
  Rotational.Inertia c()" +
         third + R"();
  Sum s;
equation
  connect(s.a, q.flange_a);
  connect(s.b, p.flange_b);
  connect(s.c, c.flange_b);
end Sums;
)";
}

/// A slider without inertia, or light, beside a wall at 0.8 with play 0.35.
std::string slider(const std::string& mass, const std::string& start) {
  return "model Slider\n  Translational.Mass slider(m = " + mass + start + R"();
  Translational.Fixed wall(s0 = 0.8);
  Translational.SupportFriction ground(f0 = 0.2);
  Translational.HardStop stop(half_freeplay = 0.35);
equation
  connect(wall.flange, stop.flange_a);
  connect(stop.flange_b, slider.flange_a);
  connect(slider.flange_b, ground.flange_a);
end Slider;
)";
}

}  // namespace

TEST_CASE("a guess yields to start values of what it is summed up with") {
  for (const std::string inertia : {"0", "1e-6", "0.3"}) {
    CAPTURE(inertia);
    for (const auto& [third, speed] : {std::pair<std::string, double>{"J = inf, w(start = 0)", 0},
                                       {"J = 1, w(start = 0.5)", 0.35}}) {
      CAPTURE(third);
      const Model model("sums.ltm", sums(inertia, third));
      const Simulation run = simulate(model, TaylorOptions{0, 1, 0.5, 1e-10, false});
      REQUIRE(run.report.reason == StopReason::kDone);
      CHECK(run.column(model, "p.w").front() == doctest::Approx(0).epsilon(1e-14));
      CHECK(run.column(model, "q.w").front() == doctest::Approx(speed).epsilon(1e-14));
    }
  }
}

TEST_CASE("a start value beyond a gear and a linkage is that of the crank") {
  const Model model("linkage.ltm", R"(
model Linkage
  model Link
    Rotational.Interfaces.Flange c, p;
  equation
    p.phi = c.phi + 0.2*sin(c.phi);
    0 = slope(c.phi + 0.2*sin(c.phi), c.phi)*p.tau + c.tau;
  end Link;
  Rotational.Inertia crank(J = 1);
  Rotational.Inertia shaft(J = 1, phi(start = 0)), wheel(J = 2, w(start = 3));
  Rotational.IdealGear gear(ratio = 2);
  Link link;
equation
  connect(crank.flange_b, link.c);
  connect(link.p, shaft.flange_a);
  connect(shaft.flange_b, gear.flange_a);
  connect(gear.flange_b, wheel.flange_a);
end Linkage;
)");
  const Simulation run = simulate(model, TaylorOptions{0, 1, 0.5, 1e-10, false});
  REQUIRE(run.report.reason == StopReason::kDone);
  CHECK(run.column(model, "wheel.w").front() == doctest::Approx(3).epsilon(1e-14));
  CHECK(run.column(model, "crank.w").front() == doctest::Approx(5).epsilon(1e-14));
}

TEST_CASE("start values that hold contradict those of a body that turns for ever") {
  std::string text = sums("0", "J = inf, w(start = 0)");
  text.replace(text.find(", fixed = false"), 15, "");
  CHECK_THROWS_WITH(Model("sums.ltm", text), doctest::Contains("contradicts"));
}

TEST_CASE("a slider without inertia begins where it is said to, up to its stop") {
  for (const std::string mass : {"0", "1e-3"}) {
    CAPTURE(mass);
    const Model model("slider.ltm", slider(mass, ", s(start = 0.9)"));
    const Simulation run = simulate(model, TaylorOptions{0, 1, 0.5, 1e-10, false});
    REQUIRE(run.report.reason == StopReason::kDone);
    for (const double s : run.column(model, "slider.s")) CHECK(s == 0.9);
    CHECK_THROWS_WITH(Model("slider.ltm", slider(mass, ", s(start = 1.7)")),
                      doctest::Contains("it is passed by 0.55"));
  }
  // One of which nothing is said comes from wherever its stop lets it be.
  const Model model("slider.ltm", slider("0", ""));
  const Simulation run = simulate(model, TaylorOptions{0, 1, 0.5, 1e-10, false});
  REQUIRE(run.report.reason == StopReason::kDone);
  for (const double s : run.column(model, "slider.s")) CHECK(s == doctest::Approx(0.45));
}

TEST_CASE("start values that differ by rounding close a stop without play") {
  const Model model("cars.ltm", R"(
model Cars
  Translational.Mass a(m = 1, s(start = 1.5), v(start = 0.5));
  Translational.Mass b(m = 1, s(start = 1.5000000000000002), v(start = 0.5));
  Translational.HardStop stop(half_freeplay = 0);
equation
  connect(a.flange_b, stop.flange_a);
  connect(stop.flange_b, b.flange_a);
end Cars;
)");
  const Simulation run = simulate(model, TaylorOptions{0, 1, 0.5, 1e-10, false});
  REQUIRE(run.report.reason == StopReason::kDone);
  CHECK(run.column(model, "b.s").back() == doctest::Approx(2).epsilon(1e-14));
}

}  // namespace luztar::test
