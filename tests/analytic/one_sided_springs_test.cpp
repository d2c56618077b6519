// Massless bodies on springs that only push or only pull: contacts and tendons. Where all are
// slack nothing but dry friction holds the body, and it stays.
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

/// A part between two flanges that only pulls, from a distance on.
const std::string kTendon = R"(
model Tendon
  extends Translational.Interfaces.TwoFlanges;
  parameter Real k(unit = "N/m") = 50;
  parameter Real slack(unit = "m") = 0;
equation
  f = max(k*(s_rel - slack), 0);
end Tendon;
)";

/// A flange that moves as A sin(2 pi t), and a massless body; `parts`, and the connections after
/// "equation", are besides.
Model driven(const std::string& parts, const std::string& connections,
             const std::vector<Setting>& settings = {}) {
  const std::string text = kTendon + R"(
model Driven
  parameter Real amplitude = 1;
  parameter Real mass = 0;
  Translational.Position drive;
  Blocks.Sine signal(amplitude = amplitude, f = 1);
  Translational.Mass body(m = mass);
  Translational.Fixed ground;
)" + parts + connections + R"(
  connect(signal.y, drive.s_ref);
end Driven;
)";
  return Model("driven.ltm", text, settings);
}

double drive(double A, double t) { return A * std::sin(2 * kPi * t); }

}  // namespace

TEST_CASE("a tendon pulls a body without inertia against a spring, and leaves it at rest") {
  Model model = driven("  Tendon tendon;\n  Translational.Spring spring(k = 8);\n", R"(
equation
  connect(drive.flange, tendon.flange_a);
  connect(tendon.flange_b, body.flange_a);
  connect(body.flange_b, spring.flange_a);
  connect(spring.flange_b, ground.flange);
)");
  for (const double A : {0.2, 1.0, 3.0}) {
    model.set({{"amplitude", A}});
    const auto body = [&](double t) { return 50.0 / 58 * std::min(drive(A, t), 0.0); };
    check_column(model, 2.2, "body.s", body, 1e-9);
    check_column(
        model, 2.2, "tendon.f", [&](double t) { return -8 * body(t); }, 1e-8);
  }
}

// The body hangs slack between the two but while both are taut: it is taken along by one as far as
// the other lets it go, and stays there when both let go.
TEST_CASE("a body between two slack tendons") {
  Model model = driven("  Tendon near(slack = 0.1);\n  Tendon far(k = 20, slack = 0.1);\n", R"(
equation
  connect(drive.flange, near.flange_a);
  connect(near.flange_b, body.flange_a);
  connect(body.flange_b, far.flange_a);
  connect(far.flange_b, ground.flange);
)");
  for (const double A : {0.08, 0.6, 1.5}) {
    CAPTURE(A);
    model.set({{"amplitude", A}});
    const auto force = [&](double t) {
      return std::max(-drive(A, t) - 0.2, 0.0) / (1.0 / 50 + 1.0 / 20);
    };
    const auto body = [&](double t) {
      if (force(t) > 0) return -0.1 - force(t) / 20;
      const double least = t < 0.5 ? 0 : t < 0.75 ? drive(A, t) : -A;  // of the drive so far
      return std::clamp(least + 0.1, -0.1, 0.0);
    };
    check_column(model, 2.2, "near.f", force, 1e-8);
    check_column(model, 2.2, "body.s", body, 1e-8);
  }
}

// The drive pushes it on to where it has been, less the strain of the contact; nothing brings it
// back. In the flat range of the contact dry friction alone holds it.
TEST_CASE("a contact pushes a body without inertia over dry ground") {
  Model model = driven(
      "  Translational.ElastoGap tip(k = 50);\n  Translational.SupportFriction seat(f0 = 4);\n",
      R"(
equation
  connect(drive.flange, tip.flange_a);
  connect(tip.flange_b, body.flange_a);
  connect(body.flange_b, seat.flange_a);
)");
  for (const double A : {0.05, 0.3, 1.0}) {
    CAPTURE(A);
    model.set({{"amplitude", A}});
    const auto body = [&](double t) {
      return std::max((t < 0.25 ? drive(A, t) : A) - 4.0 / 50, 0.0);
    };
    check_column(model, 2.2, "body.s", body, 1e-8);
    check_column(
        model, 2.2, "tip.f", [&](double t) { return -50 * std::max(drive(A, t) - body(t), 0.0); },
        1e-7);
  }
}

// Static friction 6, kinetic 4: from 0.12 of strain the body jumps on to 0.08.
TEST_CASE("a body that sticks is pushed off in a snap") {
  Model model = driven(
      "  Translational.ElastoGap tip(k = 50);\n"
      "  Translational.SupportFriction seat(f0 = 4, f0_static = 6);\n",
      R"(
equation
  connect(drive.flange, tip.flange_a);
  connect(tip.flange_b, body.flange_a);
  connect(body.flange_b, seat.flange_a);
)");
  const double A = 1, leaves = std::asin(0.12) / (2 * kPi);
  check_column(
      model, 1.2, "body.s",
      [&](double t) {
        if (t < leaves - 1e-12) return 0.0;
        const double furthest = std::max(0.12, t < 0.25 ? drive(A, t) : A);
        // It comes back to a body at rest, which it moves with T_S again: not in this time.
        return furthest - 0.08;
      },
      1e-2);
}

// A load that changes its sign takes the body across from one contact to the other at once.
TEST_CASE("a load presses a body onto one contact or the other") {
  Model model("across.ltm", R"(
model Across
  Translational.Force load;
  Translational.Fixed low(s0 = -0.3), high(s0 = 0.2);
  Translational.ElastoGap below(k = 50), above(k = 30);
  Translational.Mass body(m = 0);
equation
  load.f = 2*sin(2*pi*time);
  connect(low.flange, below.flange_a);
  connect(below.flange_b, body.flange_a);
  connect(body.flange_b, above.flange_a);
  connect(above.flange_b, high.flange);
  connect(load.flange, body.flange_a);
end Across;
)");
  const auto force = [](double t) { return 2 * std::sin(2 * kPi * t); };
  const Simulation run = audited_run(model, 2.2, 0.01);
  const Simulation bdf = simulate(model, CvodeOptions{0, 2.2, 0.01, 1e-10, false});
  for (const Simulation* each : {&run, &bdf}) {
    REQUIRE(each->report.reason == StopReason::kDone);
    for (std::size_t i = 0; i < each->time.size(); ++i) {
      const double f = force(each->time[i]);
      if (std::fabs(f) < 1e-6) continue;  // on its way
      const double expected = f > 0 ? 0.2 + f / 30 : -0.3 + f / 50;
      CHECK(std::fabs(each->column(model, "body.s")[i] - expected) <= kBound);
    }
  }
}

// Two tendons in series are one: half a swing, and a free way back.
TEST_CASE("tendons in series between a body with inertia and the ground") {
  const Model model("swing.ltm", kTendon + R"(
model Swing
  Translational.Fixed ground;
  Tendon first(k = 30), second(k = 60);
  Translational.Mass joint(m = 0);
  Translational.Mass body(m = 0.5, v(start = 2));
equation
  connect(ground.flange, first.flange_a);
  connect(first.flange_b, joint.flange_a);
  connect(joint.flange_b, second.flange_a);
  connect(second.flange_b, body.flange_a);
end Swing;
)");
  const double w = std::sqrt(20 / 0.5);
  const auto body = [&](double t) {
    return t < kPi / w ? 2 / w * std::sin(w * t) : -2 * (t - kPi / w);
  };
  check_column(model, 1, "body.s", body, 2e-2);
  check_column(
      model, 1, "first.f", [&](double t) { return std::max(20 * body(t), 0.0); }, 5e-2);
}

// On a damped body the error is of first order in the inertia; without damping, with as much of it
// as keeps the body from ringing, as the root of the inertia.
TEST_CASE("one-sided springs in the limit of small inertia") {
  struct Case {
    std::string parts, connections;
    double damping;  // for the unit of mass [N.s/m]
    double least_order;
  };
  const std::string joints = R"(
  parameter Real damping = 0;
equation
  connect(drive.flange, near.flange_a);
  connect(near.flange_b, body.flange_a);
  connect(body.flange_b, far.flange_a);
  connect(far.flange_b, ground.flange);
)";
  const std::string damped =
      "  connect(body.flange_a, damper.flange_a);\n  connect(damper.flange_b, ground.flange);\n";
  const Case cases[] = {
      {"  Tendon near(k = 70);\n  Translational.Spring far(k = 8);\n"
       "  Translational.Damper damper(d = 1);\n",
       damped, 0, 0.8},
      {"  Tendon near(k = 70, slack = 0.05);\n"
       "  Translational.ElastoGap far(k = 40, s_rel0 = -0.1);\n"
       "  Translational.SupportFriction seat(f0 = 2, d = 1);\n",
       "  connect(body.flange_a, seat.flange_a);\n", 0, 0.8},
      {"  Tendon near(k = 70);\n  Translational.Spring far(k = 8);\n"
       "  Translational.Damper damper(d = damping);\n",
       damped, 2 * std::sqrt(78.0), 0.4},
  };
  for (const Case& c : cases) {
    CAPTURE(c.parts);
    const auto body = [&](double mass) {
      const double damping = c.damping * std::sqrt(mass);
      const Model model =
          driven(c.parts, joints + c.connections,
                 {{"mass", std::to_string(mass)}, {"damping", std::to_string(damping)}});
      const Simulation run = simulate(model, TaylorOptions{0, 1, 0.01, 1e-12, false});
      REQUIRE(run.report.reason == StopReason::kDone);
      return run.column(model, "body.s");
    };
    const std::vector<double> limit = body(0);
    double last = 0;
    for (const double mass : {1e-4, 1e-5, 1e-6}) {
      CAPTURE(mass);
      const std::vector<double> near = body(mass);
      double error = 0;
      for (std::size_t i = 0; i < near.size(); ++i) {
        error = std::max(error, std::fabs(near[i] - limit[i]));
      }
      MESSAGE("mass ", mass, ": ", error);
      if (last > 0) CHECK(std::log10(last / error) > c.least_order);
      last = error;
    }
  }
}

// A contact far stiffer than the spring beside it: pressed, 20 N/m remain between body and ground,
// drawn 30 and 20 in series.
TEST_CASE("a stiff contact beside a soft spring on a body without inertia") {
  for (const std::string k : {"1e8", "1e10", "1e12"}) {
    CAPTURE(k);
    const Model model("contact", R"(
model Contact
  Translational.ElastoGap contact(k = )" +
                                     k + R"();
  Translational.Spring weak(k = 30), near(k = 20);
  Translational.Mass node(m = 0);
  Translational.Mass body(m = 1, s(start = 0.05, fixed = true));
  Translational.Fixed ground;
equation
  connect(node.flange_b, near.flange_a);
  connect(near.flange_b, body.flange_a);
  connect(node.flange_a, contact.flange_a);
  connect(contact.flange_b, ground.flange);
  connect(node.flange_a, weak.flange_a);
  connect(weak.flange_b, ground.flange);
end Contact;
)");
    const Simulation run = simulate(model, TaylorOptions{0, 2, 0.05, 1e-12, false});
    REQUIRE(run.report.reason == StopReason::kDone);
    const double pressed = std::sqrt(20.0), drawn = std::sqrt(12.0), pi = std::acos(-1.0);
    const double first = pi / 2 / pressed, back = first + pi / drawn, again = back + pi / pressed;
    const auto place = [&](double t) {
      const double speed = 0.05 * pressed;
      if (t < first) return 0.05 * std::cos(pressed * t);
      if (t < back) return -speed / drawn * std::sin(drawn * (t - first));
      if (t < again) return speed / pressed * std::sin(pressed * (t - back));
      return -speed / drawn * std::sin(drawn * (t - again));
    };
    const double within = 10 / std::stod(k) + 1e-11;
    for (std::size_t i = 0; i < run.time.size(); ++i) {
      CHECK(std::fabs(run.column(model, "body.s")[i] - place(run.time[i])) < within);
    }
  }
}

// The same as what a prescribed motion moves, and the work of moving it is the same, too.
TEST_CASE("a spring with play about a centre that follows a signal") {
  const auto drawn = [](const std::string& spring, const std::string& equations) {
    return Model("centre", R"(
model Centred
  extends Translational.Interfaces.TwoFlanges;
  input Units.Length c;
equation
  f = 50*luz(s_rel - c, 0.1);
end Centred;
model Drawn
  )" + spring + R"(
  Translational.Mass node(m = 0);
  Translational.Spring near(k = 20);
  Translational.Mass body(m = 1, s(start = 0.5, fixed = true));
  Translational.SupportFriction guide(f0 = 0.3);
  Blocks.FirstOrder lag(T = 0.4);
equation
  lag.u = sin(3*time);
  )" + equations + R"(
  connect(node.flange_b, near.flange_a);
  connect(node.flange_a, guide.flange_a);
  connect(near.flange_b, body.flange_a);
end Drawn;
)");
  };
  const Model signal = drawn("Centred far; Translational.Fixed ground;",
                             "far.c = lag.y; connect(ground.flange, far.flange_a); "
                             "connect(far.flange_b, node.flange_a);");
  const Model motion = drawn(
      "Translational.FreeplaySpring far(k = 50, half_freeplay = 0.1); Translational.Position hand;",
      "hand.s_ref = lag.y; connect(hand.flange, far.flange_a); "
      "connect(far.flange_b, node.flange_a);");
  const TaylorOptions options{0, 3, 0.05, 1e-12, false};
  const Simulation one = simulate(signal, options), other = simulate(motion, options);
  REQUIRE(one.report.reason == StopReason::kDone);
  REQUIRE(other.report.reason == StopReason::kDone);
  CHECK(one.report.events == other.report.events);
  for (std::size_t i = 0; i < one.time.size(); ++i) {
    for (const char* name : {"node.s", "body.s"}) {
      CHECK(std::fabs(one.column(signal, name)[i] - other.column(motion, name)[i]) < 1e-11);
    }
  }
  const RunReport a = audited(signal, options), b = audited(motion, options);
  CHECK(a.energy->supplied == doctest::Approx(b.energy->supplied).epsilon(1e-11));
  CHECK(std::fabs(a.energy->residual()) < 1e-11 * std::fabs(a.energy->supplied));
}

// 40 (s - c) is a spring in s and a load, -abs(s - c) one that softens alone: together 39 or 41
// N/m.
TEST_CASE("a law of two rates about a centre that moves, as a sum and as its two sides") {
  const auto drawn = [](const std::string& law) {
    return Model("rates", R"(
model Rates
  extends Translational.Interfaces.TwoFlanges;
  input Units.Length c;
equation
  f = )" + law + R"(;
end Rates;
model Drawn
  Rates far;
  Translational.Fixed ground;
  Translational.Mass node(m = 0);
  Translational.Spring near(k = 20);
  Translational.Mass body(m = 1, s(start = 0.5, fixed = true));
equation
  far.c = 0.5*sin(3*time);
  connect(ground.flange, far.flange_a);
  connect(far.flange_b, node.flange_a);
  connect(node.flange_b, near.flange_a);
  connect(near.flange_b, body.flange_a);
end Drawn;
)");
  };
  const Model sum = drawn("40*(s_rel - c) - 1*abs(s_rel - c)"),
              sides = drawn("39*max(s_rel - c, 0) + 41*min(s_rel - c, 0)");
  const TaylorOptions options{0, 3, 0.05, 1e-12, false};
  const Simulation one = simulate(sum, options), other = simulate(sides, options);
  REQUIRE(one.report.reason == StopReason::kDone);
  CHECK(one.report.events == other.report.events);
  for (std::size_t i = 0; i < one.time.size(); ++i) {
    for (const char* name : {"node.s", "body.s", "far.f"}) {
      CHECK(std::fabs(one.column(sum, name)[i] - other.column(sides, name)[i]) < 1e-11);
    }
  }
}

}  // namespace luztar::test
