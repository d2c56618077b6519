// Clutches and brakes that follow motions, several in one system: what holds in an instant in which
// a capacity is zero. All tolerances and both solvers have one motion.
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

// A zone closes on a body at rest: the event leaves some of its force, which tells no direction.
const char* const kClosing = R"(
model Closing
  Rotational.Inertia b0(J=1);
  Rotational.Inertia b1(J=0.5);
  Rotational.Inertia b2(J=1);
  Rotational.FreeplaySpring s0(k=5, half_freeplay=0.05);
  Rotational.FreeplaySpring s1(k=20, half_freeplay=0.02);
  Rotational.Brake c0(fn_max=2);
  Rotational.Clutch c1(fn_max=2);
  Rotational.Brake c2(fn_max=2);
  Rotational.Torque t0;
  Rotational.Torque t1;
equation
  connect(s0.flange_a, b0.flange_a);
  connect(s0.flange_b, b1.flange_b);
  connect(s1.flange_a, b1.flange_b);
  connect(s1.flange_b, b2.flange_b);
  connect(c0.flange_a, b0.flange_b);
  c0.f_normalized = 2*abs(b0.w)/(1 + b0.w^2);
  connect(c1.flange_a, b2.flange_b);
  connect(c1.flange_b, b1.flange_a);
  c1.f_normalized = max(0, 1*c1.w_rel);
  connect(c2.flange_a, b1.flange_a);
  c2.f_normalized = 0.3*abs(luz(s0.tau, 1));
  t0.tau = if time < 1 then 3 else -1.5;
  connect(t0.flange, b1.flange_b);
  t1.tau = if mod(time, 1) < 0.5 then 0.5 else -0.5;
  connect(t1.flange, b1.flange_a);
end Closing;
)";

// A stop lets a body go that is braked by the root of its speed.
const char* const kLetGo = R"(
model LetGo
  Rotational.Inertia b0(J=2);
  Rotational.Inertia b1(J=1);
  Rotational.Clutch c0(fn_max=2);
  Rotational.Brake c1(fn_max=2);
  Rotational.Clutch c2(fn_max=2);
  Rotational.Damper d2(d=0.1);
  Rotational.Clutch c3(fn_max=2);
  Rotational.HardStop h0(half_freeplay=0.6, e=0);
  Rotational.Fixed gh1;
  Rotational.HardStop h1(half_freeplay=0.6, e=0);
  Rotational.Torque t0;
  Rotational.Torque t1;
equation
  connect(c0.flange_a, b1.flange_a);
  connect(c0.flange_b, b0.flange_a);
  c0.f_normalized = 0.5*abs(b1.phi)/(1 + b1.phi^2);
  connect(c1.flange_a, b0.flange_a);
  c1.f_normalized = 0.5*sqrt(abs(b0.w));
  connect(c2.flange_a, b1.flange_a);
  connect(c2.flange_b, b0.flange_b);
  connect(d2.flange_a, b1.flange_b);
  connect(d2.flange_b, b0.flange_b);
  c2.f_normalized = min(1, 0.5*abs(c0.w_rel));
  connect(c3.flange_a, b0.flange_b);
  connect(c3.flange_b, b1.flange_a);
  c3.f_normalized = 0.5;
  connect(h0.flange_a, b1.flange_a);
  connect(h0.flange_b, b0.flange_a);
  connect(h1.flange_a, gh1.flange);
  connect(h1.flange_b, b0.flange_a);
  t0.tau = 1;
  connect(t0.flange, b0.flange_b);
  t1.tau = 2*sin(5*time);
  connect(t1.flange, b0.flange_b);
end LetGo;
)";

// The table of a clutch finds its slip at zero before the slip itself does.
const char* const kTable = R"(
model Table
  Rotational.Inertia b0(J=0.2);
  Rotational.Inertia b1(J=2);
  Rotational.Inertia b2(J=1);
  Rotational.FreeplaySpring s0(k=5, half_freeplay=0.2);
  Rotational.Fixed gs1;
  Rotational.FreeplaySpring s1(k=20, half_freeplay=0.02);
  Rotational.Clutch c0(fn_max=2);
  Rotational.Clutch c1(fn_max=2);
  Rotational.Clutch c2(fn_max=2);
  Rotational.HardStop h0(half_freeplay=0.6, e=1);
  Rotational.Fixed gh1;
  Rotational.HardStop h1(half_freeplay=0.1, e=0);
  Rotational.Torque t0;
equation
  connect(s0.flange_a, b0.flange_a);
  connect(s0.flange_b, b1.flange_b);
  connect(s1.flange_a, gs1.flange);
  connect(s1.flange_b, b1.flange_b);
  connect(c0.flange_a, b2.flange_b);
  connect(c0.flange_b, b0.flange_b);
  c0.f_normalized = min(0.3, 0.5*abs(c0.w_rel));
  connect(c1.flange_a, b0.flange_a);
  connect(c1.flange_b, b1.flange_a);
  c1.f_normalized = table(abs(c1.w_rel), {0, 1, 2}, {0, 2, 1});
  connect(c2.flange_a, b1.flange_a);
  connect(c2.flange_b, b2.flange_a);
  c2.f_normalized = 2*abs(luz(c2.w_rel, 0.5));
  connect(h0.flange_a, b0.flange_b);
  connect(h0.flange_b, b2.flange_a);
  connect(h1.flange_a, gh1.flange);
  connect(h1.flange_b, b0.flange_a);
  t0.tau = 2*sin(1*time);
  connect(t0.flange, b2.flange_a);
end Table;
)";

void check_one_motion(const std::string& text, int bodies) {
  const Model model("network.ltm", text);
  const auto speeds = [&](const Simulation& run) {
    REQUIRE(run.report.reason == StopReason::kDone);
    std::vector<double> all;
    for (int b = 0; b < bodies; ++b) {
      const std::vector<double>& w = run.column(model, "b" + std::to_string(b) + ".w");
      all.insert(all.end(), w.begin(), w.end());
    }
    return all;
  };
  const auto check_same = [](const std::vector<double>& a, const std::vector<double>& b,
                             double bound) {
    REQUIRE(a.size() == b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      CAPTURE(i);
      CHECK(std::fabs(a[i] - b[i]) <= bound);
    }
  };
  const auto exact = speeds(simulate(model, TaylorOptions{0, 3, 0.25, 1e-13, false}));
  for (const double tolerance : {1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12}) {
    CAPTURE(tolerance);
    const auto run = speeds(simulate(model, TaylorOptions{0, 3, 0.25, tolerance, false}));
    check_same(run, exact, 100 * tolerance);
  }
  if (text == kLetGo) return;  // the root is beyond the tolerances of CVODE
  check_same(speeds(simulate(model, CvodeOptions{0, 3, 0.25, 1e-9, false})), exact, 1e-6);
}

TEST_CASE("a zone that closes on a body at rest without capacity") {
  check_one_motion(kClosing, 3);
}

TEST_CASE("a stop that lets go a body with a brake by the root of its speed") {
  check_one_motion(kLetGo, 2);
}

TEST_CASE("a clutch by a table of its own slip, which turns round") { check_one_motion(kTable, 3); }

}  // namespace
// The load on the second body exceeds the growing capacity of the first one's brake while nothing
// else holds them: both go across the play at once, to where the freeplay spring takes the rest.
TEST_CASE("massless bodies cross a play against a brake whose capacity grows") {
  struct Growing {
    const char* capacity;
    double leaves;  // [s]
  };
  const Growing brakes[] = {{"0.5*time", 0},
                            {"0.01 + 0.5*time", 0.02},
                            {"0.001 + 0.5*time", 0.002},
                            {"0.01 + 0.4*time", 0.01 / 0.6}};
  for (const auto& [capacity, leaves] : brakes) {
    CAPTURE(capacity);
    const Model model("play.ltm", R"(
model Play
  Rotational.Inertia first(J = 0), second(J = 0);
  Rotational.Spring spring(k = 1);
  Rotational.FreeplaySpring play(k = 2, half_freeplay = 0.1);
  Rotational.Brake brake(mu_pos = 1, fn_max = 1);
  Rotational.Fixed ground;
  Rotational.Torque load;
equation
  load.tau = time;
  brake.f_normalized = )" + std::string(capacity) +
                                      R"(;
  connect(brake.flange_a, first.flange_a);
  connect(first.flange_b, spring.flange_a);
  connect(spring.flange_b, second.flange_a);
  connect(load.flange, second.flange_b);
  connect(second.flange_b, play.flange_a);
  connect(play.flange_b, ground.flange);
end Play;
)");
    const double begins = leaves;
    check_column_between(model, 2, "first.phi", {begins},
                         [begins](double t) { return t < begins ? 0 : 0.1 - begins; });
    check_column_between(model, 2, "second.phi", {begins},
                         [begins](double t) { return t < begins ? t : 0.1 + (t - begins) / 3; });
  }
}

// The ring has no other friction when the capacity of its clutch touches zero: it stays with the
// runner, from the opening of the other clutch to its closing, but for the time in which errors
// take the capacity for zero, which is like their root.
TEST_CASE("a capacity that touches zero holds a massless ring before and after") {
  const Model model("rings.ltm", R"(
model Rings
  Translational.Mass ring(m = 0), body(m = 2), base(m = 0), runner(m = 0.01);
  Translational.Clutch other(fn_max = 5), clutch(fn_max = 1);
  Blocks.Trapezoid closing(rising = 0.1, width = 0.3, falling = 0.1, period = 1);
  Blocks.Sine holding(amplitude = 0.5, offset = 0.5, f = 1);
  Translational.HardStop stop(half_freeplay = 0.02);
  Translational.Speed drive;
  Blocks.Sine speed(amplitude = 1, f = 1);
equation
  connect(ring.flange_b, other.flange_a);
  connect(other.flange_b, body.flange_b);
  connect(closing.y, other.f_normalized);
  connect(base.flange_b, stop.flange_a);
  connect(stop.flange_b, runner.flange_b);
  connect(ring.flange_b, clutch.flange_a);
  connect(clutch.flange_b, runner.flange_b);
  connect(holding.y, clutch.f_normalized);
  connect(base.flange_b, drive.flange);
  connect(speed.y, drive.v_ref);
end Rings;
)");
  const auto check_run = [&](const Simulation& run, double error) {
    REQUIRE(run.report.reason == StopReason::kDone);
    const std::vector<double>&s = run.column(model, "ring.s"),
          &beside = run.column(model, "runner.s");
    double at_opening = 0;
    for (std::size_t i = 0; i < run.time.size(); ++i) {
      const double part = run.time[i] - std::floor(run.time[i]);
      if (std::fabs(part - 0.52) < 1e-9) at_opening = s[i] - beside[i];
      if (part > 0.53 && part < 0.99) {
        CHECK(std::fabs(s[i] - beside[i] - at_opening) <= error);
      }
    }
  };
  for (const double tolerance : {1e-6, 1e-8, 1e-10, 1e-12}) {
    CAPTURE(tolerance);
    const double error = std::max(1e-8, 0.01 * std::sqrt(tolerance));
    check_run(simulate(model, TaylorOptions{0, 3, 0.02, tolerance, false}), error);
    check_run(simulate(model, CvodeOptions{0, 3, 0.02, tolerance, false}), error);
  }
}

}  // namespace luztar::test
