// Edges that no motion depends on: events with a value before and one after them, which leave the
// motion alone.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/support/column_check.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

/// phi = sin(2t)/2 with declarations of results.
std::string oscillator(const std::string& results) {
  return R"(
model Oscillator
  Rotational.Inertia i(J = 1, w(start = 1));
  Rotational.Fixed g;
  Rotational.Spring s(k = 4);
)" + results +
         R"(
equation
  connect(i.flange_a, s.flange_a);
  connect(s.flange_b, g.flange);
end Oscillator;
)";
}

Simulation run_to(const Model& model, double stop, double tolerance = 1e-12) {
  TaylorOptions options;
  options.stop = stop;
  options.interval = stop;
  options.tolerance = tolerance;
  return simulate(model, options);
}

/// Of one event: its instant and the values of a column before and after it.
struct Jump {
  double time = 0, before = 0, after = 0;
};

/// The run has these events, and no others; rows at the start and at the end besides.
void check_events(const Simulation& run, const std::vector<double>& column,
                  const std::vector<Jump>& events) {
  REQUIRE(run.report.reason == StopReason::kDone);
  REQUIRE(run.time.size() == 2 * events.size() + 2);
  CHECK(run.report.events == events.size());
  for (std::size_t k = 0; k < events.size(); ++k) {
    CAPTURE(k);
    const std::size_t row = 2 * k + 1;
    CHECK(std::fabs(run.time[row] - events[k].time) < 1e-11);
    CHECK(run.time[row + 1] == run.time[row]);
    CHECK(std::fabs(column[row] - events[k].before) < 1e-11);
    CHECK(std::fabs(column[row + 1] - events[k].after) < 1e-11);
  }
}

}  // namespace

TEST_CASE("a relation in a result: two rows where it changes") {
  const Model model("relation", oscillator("  Real y = if i.phi > 0.25 then 1 else 0;"));
  CHECK(model.system().result_switches == 1);
  const Simulation run = run_to(model, 3);
  check_events(run, run.column(model, "y"), {{kPi / 12, 0, 1}, {5 * kPi / 12, 1, 0}});
}

TEST_CASE("what a result is made of bends and jumps: luz, floor, tables in time") {
  const Model dead_zone("dead_zone", oscillator("  Real y = luz(i.phi, 0.25);"));
  Simulation run = run_to(dead_zone, 1);
  check_events(run, run.column(dead_zone, "y"), {{kPi / 12, 0, 0}});

  const Model steps("steps", oscillator("  Real y = floor(5*i.phi);"));
  run = run_to(steps, 2);
  const double one = std::asin(0.4) / 2, two = std::asin(0.8) / 2;
  check_events(run, run.column(steps, "y"),
               {{one, 0, 1},
                {two, 1, 2},
                {kPi / 2 - two, 2, 1},
                {kPi / 2 - one, 1, 0},
                {kPi / 2, 0, -1},
                {kPi / 2 + one, -1, -2}});

  const Model table("table", oscillator("  Real y = table(time, {0, 1, 1, 2}, {0, 1, 3, 2});"));
  run = run_to(table, 3);
  // The table begins at the start: no event there.
  check_events(run, run.column(table, "y"), {{1, 1, 3}, {2, 2, 2}});
}

TEST_CASE("a result that follows another one, a hundred and more deep") {
  const Model model("chain", R"(
model Chain
  Rotational.Inertia i(J = 1, w(start = 1));
  Real y[150];
equation
  y[1] = if i.phi > 0.5 then 1 else 0;
  for k in 2:150 loop
    y[k] = if y[k - 1] + 0*time > 0.5 then y[k - 1] + time else 0;
  end for;
end Chain;
)");
  const Simulation run = run_to(model, 1);
  check_events(run, run.column(model, "y[150]"), {{0.5, 0, 1 + 149 * 0.5}});
}

TEST_CASE("a root of what bends has a value on both sides of the event") {
  // |w| = m w with the sign of its mode would be below zero by rounding next to the turn.
  const Model model("root", oscillator("  Real y(unit = \"\") = sqrt(abs(i.w/s.k));"));
  const Simulation run = run_to(model, 3);
  REQUIRE(run.report.reason == StopReason::kDone);
  for (const double y : run.column(model, "y")) CHECK(y >= 0);
}

TEST_CASE("results switch fast, and the motion does not notice") {
  const Model model("fast", oscillator("  Real y = if sin(10000*time) > 0 then 1 else 0;"));
  const Simulation run = run_to(model, 1, 1e-10);
  CHECK(run.report.events == 3183);  // 10000/pi
  REQUIRE(run.time.size() == 2 * 3183 + 2);
  for (std::size_t k = 1; k <= 3183; ++k) {
    const double t = static_cast<double>(k) * kPi / 10000;
    if (std::fabs(run.time[2 * k] - t) > 1e-13) FAIL("event " << k << " at " << run.time[2 * k]);
  }
  CHECK(std::fabs(run.column(model, "i.phi").back() - std::sin(2.0) / 2) < 1e-10);
  CHECK(std::fabs(run.column(model, "i.w").back() - std::cos(2.0)) < 1e-10);
}

TEST_CASE("results of bodies that stick together: what is zero by rounding is no event") {
  const std::string parts = R"(
model Pair
  Rotational.Inertia i(J = 1, w(start = 1)), j(J = 3);
  Rotational.Spring s(k = 4);
  Rotational.Fixed g;
  Rotational.CrossFriction c(tau0 = 0.5);
)";
  const std::string equations = R"(
equation
  connect(i.flange_a, s.flange_a);
  connect(s.flange_b, g.flange);
  connect(i.flange_b, c.flange_a);
  connect(c.flange_b, j.flange_a);
end Pair;
)";
  const Model bare("bare", parts + equations);
  const Model model("pair", parts + R"(
  Real balance = if i.flange_b.tau + c.flange_a.tau > 0 then 1 else 0;
  Real slides = if abs(1.1*i.w - 1.1*j.w) > 0 then 1 else 0;
  Real ahead = sign(i.w - j.w);
)" + equations);
  const Simulation expected = run_to(bare, 10), run = run_to(model, 10);
  CHECK(run.report.events == expected.report.events);
  CHECK(run.report.changes == expected.report.changes);
  for (const char* name : {"i.phi", "i.w", "j.phi", "j.w"}) {
    CAPTURE(name);
    CHECK(std::fabs(run.column(model, name).back() - expected.column(bare, name).back()) < 1e-11);
  }
  CHECK(run.column(model, "balance").back() == 0);
  CHECK(run.column(model, "slides").back() == 0);
  CHECK(run.column(model, "ahead").back() == 0);
}

TEST_CASE("positions along a chain of massless bodies: their forms do not grow with each other") {
  for (const std::size_t n : {10, 40}) {
    CAPTURE(n);
    const Model model("massless_chain", R"(
model MasslessChain
  parameter Integer n = )" + std::to_string(n) +
                                            R"(;
  Rotational.Inertia body[n](J = {if i == 1 or i == n then 1 else 0 for i in 1:n});
  Rotational.FreeplaySpring joint[n - 1](each k = 9, each half_freeplay = 0.1);
  Real y = min(max(luz(body[1].phi, 0.2), 0.1), 0.3);
equation
  for i in 1:n - 1 loop
    connect(body[i].flange_b, joint[i].flange_a);
    connect(joint[i].flange_b, body[i + 1].flange_a);
  end for;
end MasslessChain;
)");
    // Three bends of y, and as many of the positions as stand on each other.
    CHECK(model.system().result_switches >= 3);
    CHECK(model.system().result_switches <= 8);
  }
}

TEST_CASE("CVODE finds the events of results, too") {
  const Model model("relation", oscillator("  Real y = if i.phi > 0.25 then 1 else 0;"));
  CvodeOptions options;
  options.stop = 3;
  options.interval = 3;
  options.tolerance = 1e-11;
  const Simulation run = simulate(model, options);
  REQUIRE(run.time.size() == 6);
  const std::vector<double>& y = run.column(model, "y");
  CHECK(std::fabs(run.time[1] - kPi / 12) < 1e-8);
  CHECK((y[1] == 0 && y[2] == 1));
  CHECK(std::fabs(run.time[3] - 5 * kPi / 12) < 1e-8);
  CHECK((y[3] == 1 && y[4] == 0));
}

TEST_CASE(
    "a row in the instant of an event has the values before it, however its time is rounded") {
  // Steps begin at reversals of the oscillator, at times that are no decimal fractions.
  for (int tenths = 1; tenths < 60; ++tenths) {
    const Model model("Pushed", R"(
model Pushed
  Rotational.Inertia i(J = 2, phi(start = 1));
  Rotational.BearingFriction b(d = 0, tau0 = 0.05);
  Rotational.Spring s(k = 30);
  Rotational.Fixed g;
  Blocks.Step push(height = 5, startTime = )" +
                                    std::to_string(tenths) + R"(/10);
equation
  connect(s.flange_a, i.flange_a);
  connect(s.flange_b, g.flange);
  connect(i.flange_b, b.flange_a);
end Pushed;
)");
    INFO("step at ", tenths, "/10 s");
    const double start = tenths / 10.0;
    const Simulation taylor = simulate(model, TaylorOptions{0, 6, 0.1, 1e-10, false});
    const Simulation cvode = simulate(model, CvodeOptions{0, 6, 0.1, 1e-10, false});
    for (const Simulation* run : {&taylor, &cvode}) {
      const std::vector<double>& y = run->column(model, "push.y");
      REQUIRE(y.size() == 61);
      for (std::size_t r = 0; r < y.size(); ++r) {
        CHECK(y[r] == (run->time[r] > start + 1e-6 ? 5 : 0));
      }
    }
    const Simulation both = simulate(model, TaylorOptions{0, 6, 0.1, 1e-10, true});
    std::size_t same = 0;
    for (const double t : both.time) same += std::fabs(t - start) < 1e-6 ? 1 : 0;
    CHECK(same == 2);
  }
}

TEST_CASE("models without edges of results have no switches for them") {
  CHECK(load_example("steering.ltm").system().result_switches == 0);
  CHECK(load_example("disc_chain.ltm").system().result_switches == 0);
}

}  // namespace luztar::test
