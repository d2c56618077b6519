// Damped bodies without inertia on several of which friction falls with speed, and which act on
// each other at once. Against closed forms, and against the limit of small inertias.
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

/// Two plates, oil between them and under each; a force that rises by 1 N/s up to `turn`, and falls
/// then. Of the first one the friction falls from 1 N + 2 m/s * fall_a at rest to 1 N at 2 m/s; of
/// the other one from f_b + v_b * fall_b to f_b at v_b.
struct Plates {
  double fall_a, f_b, fall_b, v_b, oil, turn;

  [[nodiscard]] std::string text() const {
    const auto number = [](double x) { return std::to_string(x); };
    return R"(
model Plates
  Translational.Mass a(m = 0), b(m = 0);
  Translational.StribeckFriction rail(f0 = 1, v0 = 2, d_fall = )" +
           number(fall_a) + ");\n  Translational.StribeckFriction guide(f0 = " + number(f_b) +
           ", v0 = " + number(v_b) + ", d_fall = " + number(fall_b) + R"();
  Translational.SupportFriction oil_a(f0 = 0, d = )" +
           number(oil) + "), oil_b(f0 = 0, d = " + number(oil) + R"();
  Translational.Damper between(d = 1);
  Translational.Force pull;
equation
  pull.f = min(time, )" +
           number(2 * turn) + R"( - time);
  connect(pull.flange, a.flange_a);
  connect(rail.flange_a, a.flange_a);
  connect(oil_a.flange_a, a.flange_a);
  connect(a.flange_b, between.flange_a);
  connect(between.flange_b, b.flange_a);
  connect(guide.flange_a, b.flange_b);
  connect(oil_b.flange_a, b.flange_b);
end Plates;
)";
  }
};

}  // namespace

// The oil outweighs what the frictions fall by: 3 N.s/m against 1.5 N.s/m and 0.5 N.s/m. Each one
// lets go at 4 N and 1.5 N and goes on along its line; both lines together are a linear system.
TEST_CASE("two plates slide on the lines of their frictions") {
  const auto a = [](double t) {
    if (t < 4) return 0.0;
    if (t < 6.25) return (t - 4) / 1.5;
    if (t < 6.8) return (2.5 * (t - 4) - 1.5) / 2.75;
    return (2.5 * (t - 1) - 1.5) / 6.5;
  };
  const auto b = [](double t) {
    if (t < 6.25) return 0.0;
    if (t < 6.8) return ((t - 4) - 2.25) / 2.75;
    return ((t - 1) - 4.5) / 6.5;
  };
  const std::string text = Plates{1.5, 0.5, 0.5, 2, 2, 20}.text();
  check_speeds(text, 10, {{"a", a}, {"b", b}});
  const auto stages = run_stages("plates.ltm", text, Stage::kExplicit);
  REQUIRE(stages->explicit_system->log.size() == 1);
  const ReductionEntry& together = stages->explicit_system->log.front();
  CHECK(together.rule == "falling frictions of several bodies");
  CHECK(together.result == "the bodies of 'rail', 'guide' go on to the next balance of all");
}

// The first one slides on its line while the other one rests. When that lets go, nothing holds both
// on their lines, and they jump to 3.2 m/s and 2 m/s. On the way back the first one is at 2 m/s
// again before the other one is at 1 m/s: both come to rest.
TEST_CASE("one plate that lets go takes both along") {
  const auto force = [](double t) { return std::min(t, 12 - t); };
  const auto a = [&](double t) {
    if (t < 3.5 || t > 9.2) return 0.0;
    return t < 3.8 ? (t - 3.5) / 0.25 : (1.5 * (force(t) - 1) - 0.2) / 1.25;
  };
  const auto b = [&](double t) { return t < 3.8 || t > 9.2 ? 0.0 : (force(t) - 1.3) / 1.25; };
  check_speeds(Plates{1.25, 0.2, 1, 1, 0.5, 6}.text(), 11, {{"a", a}, {"b", b}});
}

// A third one lies on the first, on dry friction, and rests at first: the damper to it outweighs,
// with the oil, what the friction of the first one falls by. When the dry friction lets go, the
// damping does so no longer, and the first plate jumps to 3.6 m/s, the second one with it. On the
// way back it is on its line again at 2 m/s, where nothing holds it, and all come to rest.
TEST_CASE("a dry friction that lets go leads two plates on their lines") {
  const std::string text = R"(
model Leads
  Translational.Mass a(m = 0), b(m = 0), c(m = 0);
  Translational.StribeckFriction rail(f0 = 1, v0 = 2, d_fall = 2);
  Translational.StribeckFriction guide(f0 = 0.2, v0 = 1, d_fall = 1);
  Translational.SupportFriction oil_a(f0 = 0, d = 0.5), oil_b(f0 = 0, d = 0.5);
  Translational.SupportFriction dry(f0 = 0.5, d = 0.25);
  Translational.Damper between(d = 1), beside(d = 1);
  Translational.Force pull;
equation
  pull.f = min(time, 14 - time);
  connect(dry.flange_a, c.flange_a);
  connect(c.flange_b, beside.flange_a);
  connect(beside.flange_b, a.flange_a);
  connect(pull.flange, a.flange_a);
  connect(rail.flange_a, a.flange_a);
  connect(oil_a.flange_a, a.flange_a);
  connect(a.flange_b, between.flange_a);
  connect(between.flange_b, b.flange_a);
  connect(guide.flange_a, b.flange_b);
  connect(oil_b.flange_a, b.flange_b);
end Leads;
)";
  const auto a = [](double t) {
    if (t < 5 || t > 10.4) return 0.0;
    return t < 5.25 ? (t - 5) / 0.5 : (std::min(t, 14 - t) - 23.0 / 15) / (31.0 / 30);
  };
  const auto b = [&](double t) { return t < 5.25 || t > 10.4 ? 0.0 : (a(t) - 0.2) / 1.5; };
  const auto c = [&](double t) { return t < 5.25 || t > 10.4 ? 0.0 : (a(t) - 0.5) / 1.25; };
  check_speeds(text, 12, {{"a", a}, {"b", b}, {"c", c}});
}

// A crate lies on the first plate and on dry ground, which both keep it from moving until the pull
// reaches the 5 N of the rail and the 0.5 N of that ground. Then it goes with the plate, at first
// by v' = tau + v/2: the rail has all of its force at once, however the friction to the crate has
// shared the load so far.
TEST_CASE("a plate on its line takes along what lies on it") {
  const Model model("takes.ltm", R"(
model Takes
  Translational.Mass a(m = 0), b(m = 0), crate(m = 1);
  Translational.StribeckFriction rail(f0 = 1, v0 = 2, d_fall = 2);
  Translational.StribeckFriction guide(f0 = 0.2, v0 = 1, d_fall = 1);
  Translational.SupportFriction oil_a(f0 = 0, d = 0.5), oil_b(f0 = 0, d = 0.5);
  Translational.SupportFriction ground(f0 = 0.5);
  Translational.CrossFriction rub(f0 = 1);
  Translational.Damper between(d = 1);
  Translational.Force pull;
equation
  pull.f = time;
  connect(ground.flange_a, crate.flange_a);
  connect(crate.flange_b, rub.flange_a);
  connect(rub.flange_b, a.flange_a);
  connect(pull.flange, a.flange_a);
  connect(rail.flange_a, a.flange_a);
  connect(oil_a.flange_a, a.flange_a);
  connect(a.flange_b, between.flange_a);
  connect(between.flange_b, b.flange_a);
  connect(guide.flange_a, b.flange_b);
  connect(oil_b.flange_a, b.flange_b);
end Takes;
)");
  const auto speed = [](double t) {
    const double tau = std::max(t - 5.5, 0.0);
    return 4 * std::expm1(tau / 2) - 2 * tau;
  };
  const auto way = [](double t) {
    const double tau = std::max(t - 5.5, 0.0);
    return 8 * std::expm1(tau / 2) - 4 * tau - tau * tau;
  };
  check_column(model, 5.9, "a.v", speed, 2e-3, 5e-3);
  check_column(model, 5.9, "crate.s", way, 1e-3, 5e-3);
}

// Three bodies in a row on springs and dampers, each on a bearing with friction that falls, of one
// of them exponentially; a dry friction between two of them.
TEST_CASE("a row of bodies is the limit of small inertias") {
  const std::string lines =
      "Translational.StribeckFriction guide(f0 = 0.6, d = 0.7, d_fall = 0.9, v0 = 0.5)";
  const std::string decays =
      "Translational.SmoothStribeckFriction guide(f0 = 0.6, d = 0.7, f0_static = 1.9, v_s = 0.2)";
  const auto text =
      [](const std::string& mass, const std::string& between, const std::string& guide) {
        return "model Row\n  Translational.Mass a(m = " + mass + "), b(m = " + mass +
               "), c(m = " + mass + R"();
  Translational.StribeckFriction rail(f0 = 1.1, d = 0.4, d_fall = 1.7, v0 = 0.35);
  )" + guide + R"(;
  Translational.StribeckFriction seat(f0 = 0.3, d = 0.5, d_fall = 0.2, v0 = 0.4);
  Translational.SpringDamper first(k = 3, d = 0.8);
  )" + between +
               R"(;
  Translational.Spring spring(k = 4);
  Translational.Fixed wall;
  Translational.Force pull, push;
equation
  pull.f = 5.5*sin(1.7*time);
  push.f = 2*sin(2.9*time);
  connect(pull.flange, a.flange_a);
  connect(rail.flange_a, a.flange_a);
  connect(a.flange_b, first.flange_a);
  connect(first.flange_b, b.flange_a);
  connect(guide.flange_a, b.flange_a);
  connect(b.flange_b, second.flange_a);
  connect(second.flange_b, c.flange_a);
  connect(seat.flange_a, c.flange_a);
  connect(push.flange, c.flange_b);
  connect(c.flange_b, spring.flange_a);
  connect(spring.flange_b, wall.flange);
end Row;
)";
      };
  constexpr double kStop = 6;
  const std::vector<std::string> places{"a.s", "b.s", "c.s"};
  const std::string damped = "Translational.SpringDamper second(k = 2, d = 0.6)";
  const std::string rubs = "Translational.CrossFriction second(f0 = 0.4, d = 0.5)";
  for (const auto& [between, guide] :
       {std::pair{damped, lines}, std::pair{rubs, lines}, std::pair{rubs, decays}}) {
    CAPTURE(between);
    CAPTURE(guide);
    const Model model("row.ltm", text("0", between, guide));
    REQUIRE(own_states(model) == 3);
    const Simulation run = audited_run(model, kStop, 0.01);
    CHECK(run.report.events > 15);
    const Simulation bdf = simulate(model, CvodeOptions{0, kStop, 0.01, 1e-10, false});
    REQUIRE(bdf.report.reason == StopReason::kDone);
    for (const std::string& place : places) {
      const double end = run.column(model, place).back();
      CHECK(std::fabs(bdf.column(model, place).back() - end) <= 1e-6);
    }
    const auto with = [&](const std::string& mass) { return text(mass, between, guide); };
    check_light_limit(with, kStop, places, 1e-3);
  }
}

}  // namespace luztar::test
