// Massless bodies on springs that soften: a saturation is a spring less one with play, and its
// energy is Huber's. Against closed forms, and against the limit of small inertia.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/support/column_check.h"
#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

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

/// A law as text and as a function of the deflection.
struct SpringLaw {
  std::string text;
  Function force;
};

/// The body between a law and a linear spring is where both pull alike.
void check_laws(const std::vector<SpringLaw>& laws) {
  for (const SpringLaw& near : laws) {
    CAPTURE(near.text);
    Model model("law.ltm", between(near.text, "8*s_rel"));
    REQUIRE(own_states(model) == 0);
    for (const double A : {0.3, 1.1, 4.0}) {
      CAPTURE(A);
      model.set({{"amplitude", A}});
      const Function q = sine(A);
      const auto body = [&](double t) {
        return where(0, -10, 10, [&](double y) { return -8 * y - near.force(y - q(t)); });
      };
      check_column(model, 1.2, "body.s", body, 1e-9);
    }
  }
}

TEST_CASE("springs of one deflection that soften, with plays at different places") {
  check_laws({
      {"10*nas(s_rel - 0.1, 0.3) - 5*luz(s_rel, 0.2) + 7*luz(s_rel - 0.1, 0.1)",
       [](double x) { return 10 * nas(x - 0.1, 0.3) - 5 * luz(x, 0.2) + 7 * luz(x - 0.1, 0.1); }},
      {"30*s_rel - 20*luz(s_rel + 0.2, 0.1) - 4*luz(2*s_rel - 0.3, 0.5) + 10*luz(s_rel, 0.5)",
       [](double x) {
         return 30 * x - 20 * luz(x + 0.2, 0.1) - 4 * luz(2 * x - 0.3, 0.5) + 10 * luz(x, 0.5);
       }},
      // One gives way where the other still holds, and there is nothing besides.
      {"20*nas(s_rel - 0.15, 0.1) + 20*nas(s_rel + 0.15, 0.1)",
       [](double x) { return 20 * (nas(x - 0.15, 0.1) + nas(x + 0.15, 0.1)); }},
      // 40 within (-0.3, 0.1) and (1.3, 1.5), 0 within (0.5, 1.3), 4 elsewhere.
      {"40*nas(s_rel + 0.1, 0.2) - 36*luz(s_rel - 1, 0.5) + 40*luz(s_rel - 0.9, 0.4)",
       [](double x) {
         return 40 * nas(x + 0.1, 0.2) - 36 * luz(x - 1, 0.5) + 40 * luz(x - 0.9, 0.4);
       }},
  });
}

TEST_CASE("laws within laws are sums of springs with play") {
  check_laws({
      {"nas(5*nas(s_rel, 0.3), 1.2)", [](double x) { return nas(5 * nas(x, 0.3), 1.2); }},
      {"nas(5*nas(s_rel, 0.2), 1.2)", [](double x) { return nas(5 * nas(x, 0.2), 1.2); }},
      {"12*luz(nas(s_rel, 0.4), 0.1)", [](double x) { return 12 * luz(nas(x, 0.4), 0.1); }},
      {"max(min(9*s_rel, 1.5), -1.5)", [](double x) { return std::clamp(9 * x, -1.5, 1.5); }},
      {"nas(30*s_rel - 20*luz(s_rel, 0.1), 3.5)",
       [](double x) { return nas(30 * x - 20 * luz(x, 0.1), 3.5); }},
      {"2*s_rel + luz(10*nas(s_rel - 0.1, 0.3) + 4*luz(s_rel, 0.2), 1)",
       [](double x) { return 2 * x + luz(10 * nas(x - 0.1, 0.3) + 4 * luz(x, 0.2), 1); }},
  });
}

TEST_CASE("laws that are not odd, and leave a constant force") {
  check_laws({
      {"max(min(9*s_rel, 1.5), -0.4)", [](double x) { return std::clamp(9 * x, -0.4, 1.5); }},
      {"20*(max(s_rel - 0.1, 0) + min(s_rel + 0.3, 0))",
       [](double x) { return 20 * (std::max(x - 0.1, 0.0) + std::min(x + 0.3, 0.0)); }},
      // Ratios of the deflections are rounded.
      {"nas(27.56*(s_rel - 0.15), 4.58) + max(min(2.65*(s_rel - 0.21), 1.4), -3.2) + 27.88*s_rel",
       [](double x) {
         return nas(27.56 * (x - 0.15), 4.58) + std::clamp(2.65 * (x - 0.21), -3.2, 1.4) +
                27.88 * x;
       }},
      {"3*(abs(s_rel + 0.3) - abs(s_rel - 0.2))",
       [](double x) { return 3 * (std::fabs(x + 0.3) - std::fabs(x - 0.2)); }},
      {"table(s_rel, {-0.5, 0, 0.2, 0.6}, {-3, 1, 1, 6})",
       [](double x) {
         return -3 + 8 * std::clamp(x + 0.5, 0.0, 0.5) + 12.5 * std::clamp(x - 0.2, 0.0, 0.4);
       }},
  });
}

TEST_CASE("laws that are steeper on one side") {
  check_laws({
      {"max(12*s_rel, 3*s_rel)", [](double x) { return std::max(12 * x, 3 * x); }},
      {"min(9*s_rel, 2*s_rel + 0.4)", [](double x) { return std::min(9 * x, 2 * x + 0.4); }},
      {"max(20*s_rel - 1, 0) + nas(5*s_rel, 0.6)",
       [](double x) { return std::max(20 * x - 1, 0.0) + nas(5 * x, 0.6); }},
      {"4*luz(s_rel, 0.1) + 6*abs(s_rel - 0.2) + 7*s_rel",
       [](double x) { return 4 * luz(x, 0.1) + 6 * std::fabs(x - 0.2) + 7 * x; }},
      // What falls is made up for by springs of one side.
      {"5*s_rel - 10*luz(s_rel - 0.2, 0.1) + max(12*s_rel - 3.6, 0) + min(20*s_rel - 2, 0)",
       [](double x) {
         return 5 * x - 10 * luz(x - 0.2, 0.1) + std::max(12 * x - 3.6, 0.0) +
                std::min(20 * x - 2, 0.0);
       }},
  });
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

// As the same law in one level: 5 nas(s_rel, 0.24).
TEST_CASE("a law within laws on a damped body") {
  const std::string damper = "  Translational.Damper damper(d = 0.7);\n";
  const std::string joints =
      "  connect(body.flange_b, damper.flange_b);\n  connect(damper.flange_a, ground.flange);\n";
  const std::string far = "8*luz(s_rel, 0.1)";
  const Model nested("nested.ltm", between("nas(5*nas(s_rel, 0.3), 1.2)", far, damper, joints));
  const Model plain("plain.ltm", between("5*nas(s_rel, 0.24)", far, damper, joints));
  REQUIRE(own_states(nested) == 1);
  const TaylorOptions rows{0, 2.2, 0.01, 1e-13, false, true};  // no rows of events
  const Simulation run = simulate(nested, rows), same = simulate(plain, rows);
  const std::vector<double>& own = run.column(nested, "body.s");
  const std::vector<double>& expected = same.column(plain, "body.s");
  REQUIRE(own.size() == expected.size());
  for (std::size_t i = 0; i < own.size(); ++i) CHECK(std::fabs(own[i] - expected[i]) <= kBound);
}

// It sticks to T_S = 6 at a deflection of 0.6, snaps to where the law has T_K = 4, at 0.2, and
// slides on. What a law stores is given back in the snap: the energy balances.
TEST_CASE("a slider snaps on a law within laws") {
  for (const std::string law :
       {"max(min(40*s_rel, 3), -3) + 5*s_rel",
        "nas(40*nas(s_rel, 0.1), 3) + table(s_rel, {-1, 0, 2}, {-5, 0, 10})",
        "65*s_rel - 20*luz(s_rel - 0.025, 0.05) - 40*luz(s_rel + 0.0125, 0.05)"}) {
    CAPTURE(law);
    Model model(
        "snap.ltm",
        between(law, "0*s_rel", "  Translational.SupportFriction seat(f0 = 4, f0_static = 6);\n",
                "  connect(body.flange_a, seat.flange_a);\n"));
    const double A = 1.5;
    model.set({{"amplitude", A}});
    const double leaves = std::asin(0.6 / A) / (2 * kPi);
    check_column(
        model, 0.24, "body.s",
        [&](double t) { return t < leaves - 1e-12 ? 0.0 : A * std::sin(2 * kPi * t) - 0.2; }, 1e-2);
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

// The clip counts its deflection from the drive, the springs beside it to the drive. At an edge of
// the clip dry friction slides on: y is where the forces leave it, or where it has turned.
TEST_CASE("springs of one law whose deflections count opposite ways") {
  Model model("opposite.ltm", between("-min(max(-10*s_rel - 0.5, -1), 0)", "20*s_rel - 1", R"(
  Translational.FreeplaySpring play(k = 7.5, half_freeplay = 0.01);
  Translational.Spring spring(k = 7.5);
  Translational.SupportFriction seat(f0 = 0.5);
)",
                                      R"(
  connect(drive.flange, play.flange_b);
  connect(play.flange_a, body.flange_a);
  connect(drive.flange, spring.flange_b);
  connect(spring.flange_a, body.flange_a);
  connect(body.flange_b, seat.flange_a);
)"));
  for (const double A : {0.2, 0.3, 1.0}) {
    CAPTURE(A);
    model.set({{"amplitude", A}});
    const Function q = sine(A);
    const auto pull = [&](double t, double y) {
      const double x = q(t) - y;
      return nas(10 * x, 0.5) - 0.5 + 7.5 * x + 7.5 * luz(x, 0.01) - 20 * y - 1;
    };
    const auto slides = [&](double t, double side) {
      return where(0.5 * side, -10, 10, [&](double y) { return pull(t, y); });
    };
    const auto body = [&](double t) {
      double y = std::min(0.0, slides(0, -1));
      for (int i = 0;; ++i) {  // the drive turns at 1/4, 3/4, ..
        const double to = std::min(t, 0.25 + 0.5 * i);
        y = i % 2 == 0 ? std::max(y, slides(to, 1)) : std::min(y, slides(to, -1));
        if (to == t) return y;
      }
    };
    check_column(model, 2.2, "body.s", body, 1e-9);
  }
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
  const std::string far = "40*nas(s_rel, 0.2) + 5*s_rel";
  for (const std::string near :
       {"30*s_rel - 25*luz(s_rel, 0.2)",
        "nas(50*nas(s_rel, 0.15), 6) + max(min(20*s_rel, 3), -1) + 5*s_rel",
        "30*nas(s_rel - 0.1, 0.3) - 4*luz(s_rel, 0.2) + 10*luz(s_rel - 0.1, 0.1)"}) {
    CAPTURE(near);
    const Model model("limit.ltm", between(near, far));
    const Simulation limit = audited_run(model, 1, 0.01);
    double last = 1;
    for (const double mass : {1e-4, 1e-5, 1e-6}) {
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
      CHECK(error < 0.4 * last);  // as the root of the mass, with the damping
      last = error;
    }
    CHECK(last < 1e-2);
  }
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
