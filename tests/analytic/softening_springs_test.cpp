// Massless bodies on springs that soften: a saturation is a spring less one with play, and its
// energy is Huber's. Against closed forms, and against the limit of small inertia.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "tests/support/column_check.h"
#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

constexpr double kPi = std::numbers::pi;

double nas(double x, double a) { return std::clamp(x, -a, a); }

/// A body of mass `mass` between laws in s_rel to a flange that moves as A sin(2 pi t) and to the
/// ground; `parts` and `connections` are besides.
std::string between(const std::string& to_drive, const std::string& to_ground,
                    const std::string& parts = "", const std::string& connections = "") {
  return R"(
model ToDrive
  extends Translational.Interfaces.TwoFlanges;
equation
  f = )" +
         to_drive +
         R"(;
end ToDrive;
model ToGround
  extends Translational.Interfaces.TwoFlanges;
equation
  f = )" +
         to_ground +
         R"(;
end ToGround;
model Between
  parameter Real amplitude = 1;
  parameter Real mass = 0;
  Translational.Position drive;
  Blocks.Sine signal(amplitude = amplitude, f = 1);
  ToDrive near;
  Translational.Mass body(m = mass);
  ToGround far;
  Translational.Fixed ground;
)" + parts +
         R"(
equation
  connect(signal.y, drive.s_ref);
  connect(drive.flange, near.flange_a);
  connect(near.flange_b, body.flange_a);
  connect(body.flange_b, far.flange_a);
  connect(far.flange_b, ground.flange);
)" + connections +
         "end Between;\n";
}

Function sine(double A) {
  return [=](double t) { return A * std::sin(2 * kPi * t); };
}

}  // namespace

TEST_CASE("two saturating springs in series pass the lesser of their bounds") {
  Model model("series.ltm", between("10*nas(s_rel, 0.3)", "20*nas(s_rel, 0.2)"));
  for (const double A : {0.3, 0.449, 0.7, 3.0}) {
    CAPTURE(A);
    model.set({{"amplitude", A}});
    const Function q = sine(A);
    const auto force = [&](double t) { return nas(q(t) * 10 * 20 / 30, 3); };
    check_column(
        model, 2.2, "near.f", [&](double t) { return -force(t); }, 1e-10);
    check_column(
        model, 2.2, "body.s", [&](double t) { return force(t) / 20; }, 1e-10);
  }
}

// Both give way at the same force: between, nothing tells where the body is, and it stays.
TEST_CASE("a body between two saturated springs stays where it is") {
  Model model("equal.ltm", between("10*nas(s_rel, 0.3)", "20*nas(s_rel, 0.15)"));
  for (const double A : {0.4, 0.7, 3.0}) {
    CAPTURE(A);
    model.set({{"amplitude", A}});
    const Function q = sine(A);
    check_column(
        model, 2.2, "body.s", [&](double t) { return nas(q(t) / 3, 0.15); }, 1e-10);
  }
}

TEST_CASE("laws of several breakpoints, of parts that are parallel") {
  // Slopes 30, 10, 25, 0 and, of two parts in parallel, 0, 20, 5, 15.
  Model model("breakpoints.ltm",
              between("30*s_rel - 20*luz(s_rel, 0.1) + 15*luz(s_rel, 0.2) - 25*luz(s_rel, 0.45)",
                      "20*luz(s_rel, 0.05) - 15*luz(s_rel, 0.25)",
                      "  Translational.FreeplaySpring more(k = 10, half_freeplay = 0.5);\n",
                      "  connect(body.flange_b, more.flange_b);\n"
                      "  connect(more.flange_a, ground.flange);\n"));
  const Function near = [](double x) {
    return 30 * x - 20 * luz(x, 0.1) + 15 * luz(x, 0.2) - 25 * luz(x, 0.45);
  };
  const Function far = [](double x) {
    return 20 * luz(x, 0.05) - 15 * luz(x, 0.25) + 10 * luz(x, 0.5);
  };
  for (const double A : {0.2, 0.6, 1.5, 4.0}) {
    CAPTURE(A);
    model.set({{"amplitude", A}});
    const Function q = sine(A);
    const auto body = [&](double t) {
      return where(0, -10, 10, [&](double y) { return near(q(t) - y) - far(y); });
    };
    check_column(
        model, 2.2, "near.f", [&](double t) { return near(body(t) - q(t)); }, 1e-9);
    if (A < 1) check_column(model, 2.2, "body.s", body, 1e-9);
  }
}

// Ratios between the deflections of one law: here the part says k and the force of its limit.
TEST_CASE("play that slips through at a limit") {
  Model model("limiter.ltm", between("nas(40*luz(s_rel, 0.1), 6)", "5*s_rel + nas(30*s_rel, 3)"));
  for (const double A : {0.05, 0.3, 2.0}) {
    CAPTURE(A);
    model.set({{"amplitude", A}});
    const Function q = sine(A);
    const auto body = [&](double t) {
      return where(0, -10, 10, [&](double y) {
        return nas(40 * luz(q(t) - y, 0.1), 6) - 5 * y - nas(30 * y, 3);
      });
    };
    check_column(model, 2.2, "body.s", body, 1e-9);
  }
}

TEST_CASE("a softening spring in series with a dry friction") {
  Model model("slider.ltm", between("30*s_rel - 24*luz(s_rel, 0.1)", "0*s_rel",
                                    "  Translational.SupportFriction seat(f0 = 4.2);\n",
                                    "  connect(body.flange_a, seat.flange_a);\n"));
  const auto law = [](double x) { return 30 * x - 24 * luz(x, 0.1); };
  const double reach = 0.3;  // law(0.3) = 4.2
  for (const double A : {0.25, 0.5, 1.7}) {
    CAPTURE(A);
    // The body follows the flange at this distance, and stays as it turns (the play operator).
    const auto strain = [&](double t) {
      const double q = A * std::sin(2 * kPi * t);
      if (t <= 0.25) return std::min(q, reach);
      const double turn = std::min(A, reach);
      const bool falls = std::fmod(t - 0.25, 1.0) <= 0.5;
      return falls ? std::max(turn - (A - q), -turn) : std::min((q + A) - turn, turn);
    };
    model.set({{"amplitude", A}});
    check_column(
        model, 2.2, "near.f", [&](double t) { return -law(strain(t)); }, 1e-2 * A);
  }
}

TEST_CASE("a load up to the bound of a saturating spring is held, and none beyond") {
  const auto text = [](double load) {
    return R"(
model Yield
  extends Translational.Interfaces.TwoFlanges;
equation
  f = 10*nas(s_rel, 0.3);
end Yield;
model Held
  Translational.Force load;
  Translational.Mass body(m = 0);
  Yield spring;
  Translational.Fixed ground;
equation
  load.f = )" +
           std::to_string(load) + R"(*sin(2*pi*time);
  connect(load.flange, body.flange_a);
  connect(spring.flange_b, body.flange_a);
  connect(spring.flange_a, ground.flange);
end Held;
)";
  };
  const Model held("held.ltm", text(3));
  check_column(
      held, 2.2, "body.s", [&](double t) { return 0.3 * std::sin(2 * kPi * t); }, 1e-10);
  const Model beyond("beyond.ltm", text(3.2));
  const Simulation run = simulate(beyond, TaylorOptions{0, 1, 0.01, 1e-13, true, true});
  CHECK(run.report.reason == StopReason::kNoEquilibrium);
  CHECK(run.time.back() == doctest::Approx(std::asin(3 / 3.2) / (2 * kPi)).epsilon(1e-6));
}

// With inertia and as much damping as keeps it from ringing, the motion goes to that without.
TEST_CASE("the limit of small inertia") {
  const std::string damper = R"(
  parameter Real damping = 0;
  Translational.Damper damper(d = damping);
)";
  const std::string joints = R"(
  connect(body.flange_b, damper.flange_b);
  connect(damper.flange_a, ground.flange);
)";
  const std::string near = "30*s_rel - 25*luz(s_rel, 0.2)", far = "40*nas(s_rel, 0.2) + 5*s_rel";
  const Model model("limit.ltm", between(near, far));
  const Simulation limit = exact_run(model, 1, 0.01);
  double last = 1;
  for (const double mass : {1e-3, 1e-4, 1e-5}) {
    CAPTURE(mass);
    const Model heavy(
        "heavy.ltm", between(near, far, damper, joints),
        {{"mass", std::to_string(mass)}, {"damping", std::to_string(2 * std::sqrt(75 * mass))}});
    const Simulation run = simulate(heavy, TaylorOptions{0, 1, 0.01, 1e-8, false, true});
    REQUIRE(run.report.reason == StopReason::kDone);
    double error = 0;
    for (double t = 0.3; t < 0.995; t += 0.01) {
      const auto at = [&](const Simulation& r) {
        return std::lower_bound(r.time.begin(), r.time.end(), t - 1e-6) - r.time.begin();
      };
      error = std::max(error, std::fabs(run.column(heavy, "body.s")[std::size_t(at(run))] -
                                        limit.column(model, "body.s")[std::size_t(at(limit))]));
    }
    MESSAGE("mass ", mass, ": ", error);
    CHECK(error < 0.5 * last);
    last = error;
  }
  CHECK(last < 1e-2);
}

// A spring that softens to a negative stiffness has one place all the same where others outweigh
// it: R6 in closed form.
TEST_CASE("a closed form of a node with a softening spring") {
  Model model("closed.ltm", between("10*s_rel - 16*luz(s_rel, 0.2)", "8*s_rel"));
  CHECK(model.system().settle_islands.empty());
  for (const double A : {0.3, 2.0}) {
    model.set({{"amplitude", A}});
    const Function q = sine(A);
    check_column(
        model, 2.2, "body.s",
        [&](double t) { return (10 * q(t) - 16 * luz(q(t) * 8, 0.2 * 18) / 2) / 18; }, 1e-9);
  }
}

}  // namespace luztar::test
