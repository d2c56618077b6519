// A body without inertia between two equal dry frictions that slide at once: its place is open
// between those of the bodies beyond, and it stays there.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/closed_form.h"

namespace luztar::test {
namespace {

void check_dissipation(const Simulation& run, double expected) {
  REQUIRE(run.report.energy);
  const EnergyReport& energy = *run.report.energy;
  for (const double part : energy.dissipated) CHECK(part >= -1e-14);
  CHECK(energy.total_dissipated() == doctest::Approx(expected).epsilon(1e-12));
  CHECK(std::fabs(energy.residual()) < 1e-13);
}

// Opposite torques of 2t part the bodies at t = 0.5, when all three turn with 1 rad/s.
TEST_CASE("a disc between equal frictions goes on with one of the bodies that part") {
  const Model model("part", R"(
model Part
  Rotational.Inertia left(J = 1, w(start = 1)), disc(J = 0), right(J = 1, w(start = 1));
  Rotational.CrossFriction first(tau0 = 1), second(tau0 = 1);
  Rotational.Torque forwards, backwards;
equation
  connect(left.flange_b, first.flange_a);
  connect(first.flange_b, disc.flange_a);
  connect(disc.flange_b, second.flange_a);
  connect(second.flange_b, right.flange_a);
  connect(forwards.flange, left.flange_a);
  connect(backwards.flange, right.flange_a);
  forwards.tau = 2*time;
  backwards.tau = -2*time;
end Part;
)");
  const Simulation run = simulate(model, TaylorOptions{0, 1.5, 0.05, 1e-13, true, true});
  REQUIRE(run.report.reason == StopReason::kDone);
  CHECK(run.report.events == 1);
  const auto since = [](double t) { return std::max(t - 0.5, 0.0); };
  check_column(run, model, "left.w", [&](double t) { return 1 + since(t) * since(t); });
  check_column(run, model, "right.w", [&](double t) { return 1 - since(t) * since(t); });
  const std::vector<double>&left = run.column(model, "left.w"), &disc = run.column(model, "disc.w"),
        &right = run.column(model, "right.w");
  for (std::size_t i = 0; i < disc.size(); ++i) {
    CHECK(disc[i] <= left[i] + 1e-12);
    CHECK(disc[i] >= right[i] - 1e-12);
  }
  check_dissipation(run, 2.0 / 3);
}

// The light body comes to rest on the first one at once, and the last one is slowed down by 1 N.m:
// they meet at half its speed.
TEST_CASE("a disc between equal frictions moves on where another slip has ended") {
  const Model model("meet", R"(
model Meet
  Rotational.Inertia first(J = 1), light(J = 1e-6, w(start = 1)), disc(J = 0);
  Rotational.Inertia last(J = 1, w(start = 1));
  Rotational.CrossFriction strong(tau0 = 2), before(tau0 = 1), after(tau0 = 1);
equation
  connect(first.flange_b, strong.flange_a);
  connect(strong.flange_b, light.flange_a);
  connect(light.flange_b, before.flange_a);
  connect(before.flange_b, disc.flange_a);
  connect(disc.flange_b, after.flange_a);
  connect(after.flange_b, last.flange_a);
end Meet;
)");
  const Simulation run = simulate(model, TaylorOptions{0, 3, 0.05, 1e-13, true, true});
  REQUIRE(run.report.reason == StopReason::kDone);
  const double speed = (1 + 1e-6) / (2 + 1e-6);
  for (const char* body : {"first.w", "light.w", "disc.w", "last.w"}) {
    CHECK(run.column(model, body).back() == doctest::Approx(speed).epsilon(1e-11));
  }
  check_dissipation(run, 0.5 * (1 + 1e-6) - 0.5 * (2 + 1e-6) * speed * speed);
}

}  // namespace
// What the lower one is offered has dropped to its own T_K as soon as the upper one moves: it rests
// until the damper brings that to T_S again, at u = upper.w = 1, and goes on by the damper alone.
//   J u' = 1.5 - d u,  then  J u' = 1.5 - 2 d u,  J lower.w' = d u
TEST_CASE("one that lets go with another rests when that has dropped to its own sliding force") {
  const Model model("later.ltm",
                    "model Later\n"
                    "  Rotational.Inertia upper(J = 0.1);\n"
                    "  Rotational.Inertia lower(J = 0.1);\n"
                    "  Rotational.CrossFriction cross(tau0 = 0.5, tau0_static = 0.74);\n"
                    "  Rotational.Damper damper(d = 0.2);\n"
                    "  Rotational.BearingFriction bearing(tau0 = 0.5, tau0_static = 0.7);\n"
                    "  Rotational.Torque push;\n"
                    "equation\n"
                    "  push.tau = 2;\n"
                    "  connect(push.flange, upper.flange_a);\n"
                    "  connect(cross.flange_a, upper.flange_b);\n"
                    "  connect(cross.flange_b, lower.flange_a);\n"
                    "  connect(damper.flange_a, upper.flange_b);\n"
                    "  connect(damper.flange_b, lower.flange_a);\n"
                    "  connect(bearing.flange_a, lower.flange_b);\n"
                    "end Later;\n");
  const Simulation run = simulate(model, TaylorOptions{0, 1, 0.01, 1e-13, false, true});
  REQUIRE(run.report.reason == StopReason::kDone);
  CHECK(std::fabs(run.report.energy->residual()) < 1e-13);
  const double start = -std::log(1 - 1 / 7.5) / 2;
  check_column(run, model, "lower.w", [&](double t) {
    const double since = std::max(t - start, 0.0);
    return 7.5 * since + 1.375 * std::expm1(-4 * since);
  });
  const Simulation cvode = simulate(model, CvodeOptions{0, 1, 0.01, 1e-10, false});
  CHECK(cvode.report.reason == StopReason::kDone);
}

// The spring opens at 0.015 s, and closes on its other side at 0.036 s: between, seal and felt have
// the same force, and the ring follows the slide at 0.8 rad/s. It slides on the seal.
TEST_CASE("events leave the speed of a body that leads a ring through equal friction as it is") {
  const Model model("led", R"(
model Led
  Rotational.Inertia slide(J = 0.2, w(start = 1)), ring(J = 0, phi(start=-0.05)), beside(J = 1, w(start = 0.5));
  Rotational.BearingFriction seal(tau0 = 0.5, tau0_static = 0.7), other(tau0 = 4);
  Rotational.CrossFriction felt(tau0 = 0.5);
  Rotational.GearPair spring(ratio = -1, k = 10, half_freeplay = 0.02);
equation
  connect(slide.flange_b, felt.flange_a);
  connect(felt.flange_b, ring.flange_a);
  connect(ring.flange_b, seal.flange_a);
  connect(ring.flange_b, spring.flange_a);
  connect(spring.flange_b, slide.flange_b);
  connect(beside.flange_b, other.flange_a);
end Led;
)");
  const Simulation run = simulate(model, TaylorOptions{0, 1, 0.001, 1e-12, true, true});
  REQUIRE(run.report.reason == StopReason::kDone);
  CHECK(run.report.events >= 3);
  CHECK(std::fabs(run.report.energy->residual()) < 1e-13);
  const std::vector<double>& speed = run.column(model, "slide.w");
  for (std::size_t i = 1; i < run.time.size(); ++i) {
    if (run.time[i] == run.time[i - 1]) CHECK(std::fabs(speed[i] - speed[i - 1]) < 1e-12);
  }
}

}  // namespace luztar::test
