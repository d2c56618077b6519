// Clutches whose capacity comes back from zero while forces are not unique: those that would be
// shorter with more than it stay at it, from the first instant on.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "tests/support/model.h"
#include "tests/support/random_cases.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

/// The most that a force of `parts` is beyond its capacity f0 [N].
double greatest_excess(const Model& model, const Simulation& run,
                       const std::vector<std::string>& parts, double peak = 1) {
  double most = 0;
  for (const std::string& part : parts) {
    const std::vector<double>&f = run.column(model, part + ".f"),
          &f0 = run.column(model, part + ".f0");
    for (std::size_t i = 0; i < f.size(); ++i)
      most = std::max(most, std::fabs(f[i]) - peak * f0[i]);
  }
  return most;
}

using Random = std::function<std::string(double from, double to)>;

/// Two blocks on the ground, a third one between them by clutches, or a body without inertia.
std::string blocks(const Random& number, bool massless, const std::string& damping) {
  const auto signal = [&](const std::string& clutch) {
    return "  " + clutch + ".f_normalized = (" + number(-0.5, 0.5) + ") + sin(" + number(2, 8) +
           "*time + " + number(0, 6) + ");\n";
  };
  const auto push = [&](const std::string& force, double most) {
    return "  " + force + ".f = " + number(most / 4, most) + "*sin(" + number(0.5, 3) + "*time + " +
           number(0, 6) + ") + (" + number(-most / 3, most / 3) + ");\n";
  };
  return "model Blocks3\n"
         "  Translational.Mass a(m = " +
         number(0.5, 2) + "), b(m = " + number(0.5, 2) +
         "), p(m = " + (massless ? "0" : number(0.5, 2)) +
         ");\n"
         "  Translational.SupportFriction fa(f0 = " +
         number(0.5, 2) + "), fb(f0 = " + number(0.5, 2) + "), fp(f0 = " + number(0.1, 0.6) +
         ", d = " + damping +
         ");\n"
         "  Translational.Clutch c(fn_max = " +
         number(0.5, 3) + ", mu_pos = 1), e(fn_max = " + number(0.5, 3) +
         ", mu_pos = 1);\n"
         "  Translational.CrossFriction x(d = 0, f0 = " +
         number(0.3, 1.5) +
         ");\n"
         "  Translational.Force q, r;\n"
         "equation\n" +
         push("q", 3) + push("r", 1) + signal("c") + signal("e") +
         "  connect(a.flange_a, fa.flange_a);\n"
         "  connect(b.flange_a, fb.flange_a);\n"
         "  connect(p.flange_a, fp.flange_a);\n"
         "  connect(a.flange_b, c.flange_a);\n"
         "  connect(c.flange_b, p.flange_a);\n"
         "  connect(p.flange_b, x.flange_a);\n"
         "  connect(x.flange_b, b.flange_a);\n"
         "  connect(a.flange_b, e.flange_a);\n"
         "  connect(e.flange_b, b.flange_a);\n"
         "  connect(q.flange, a.flange_a);\n"
         "  connect(r.flange, b.flange_a);\n"
         "end Blocks3;\n";
}

void check_random_blocks(bool massless, const std::string& damping, unsigned seed) {
  std::mt19937 random(seed);
  const Random number = [&](double from, double to) {
    return std::to_string(std::uniform_real_distribution<double>(from, to)(random));
  };
  for (unsigned trial = 0; trial < random_cases(12); ++trial) {
    const std::string text = blocks(number, massless, damping);
    CAPTURE(text);
    const Model model("blocks.ltm", text);
    const Simulation run = simulate(model, TaylorOptions{0, 6, 0.02, 1e-10, true, true});
    REQUIRE(run.report.reason == StopReason::kDone);
    CHECK(greatest_excess(model, run, {"c", "e"}) < 1e-9);
    CHECK(std::fabs(run.report.energy->residual()) < 1e-9);
    const Simulation other = simulate(model, CvodeOptions{0, 6, 0.02, 1e-10, true});
    REQUIRE(other.report.reason == StopReason::kDone);
    for (const char* position : {"a.s", "b.s"}) {
      CHECK(std::fabs(run.column(model, position).back() - other.column(model, position).back()) <
            1e-6);
    }
  }
}

}  // namespace

// Two blocks at rest and an open clutch between them, which closes from t = 0 on and takes a share
// of the load as great as it can at once. The first block breaks away when load = f0 + capacity.
TEST_CASE("a clutch that closes on blocks at rest takes what it can") {
  const Model model("two_blocks.ltm", R"(
model TwoBlocks
  Translational.Mass a(m = 1), b(m = 1);
  Translational.SupportFriction fa(f0 = 2), fb(f0 = 2);
  Translational.Clutch c(fn_max = 1, mu_pos = 1);
  Translational.Force q;
equation
  q.f = 1.5 + 0.1*time + 4000*time^8;
  c.f_normalized = sin(7*time);
  connect(a.flange_a, fa.flange_a);
  connect(b.flange_a, fb.flange_a);
  connect(a.flange_b, c.flange_a);
  connect(c.flange_b, b.flange_a);
  connect(q.flange, a.flange_a);
end TwoBlocks;
)");
  double begin = 0.35;  // of q = 2 + sin(7 t)
  const auto load = [](double t) { return 1.5 + 0.1 * t + 4000 * std::pow(t, 8); };
  for (int step = 0; step < 50; ++step) {
    const double rate = 0.1 + 32000 * std::pow(begin, 7) - 7 * std::cos(7 * begin);
    begin -= (load(begin) - 2 - std::sin(7 * begin)) / rate;
  }
  const auto impulse = [](double t) {  // of q - 2 - sin(7 t)
    return -0.5 * t + 0.05 * t * t + 4000 * std::pow(t, 9) / 9 + std::cos(7 * t) / 7;
  };
  for (const bool taylor : {true, false}) {
    const double accuracy = taylor ? 1e-11 : 1e-8;
    const Simulation run = taylor ? simulate(model, TaylorOptions{0, 0.44, 0.01, 1e-12, true, true})
                                  : simulate(model, CvodeOptions{0, 0.44, 0.01, 1e-10, true});
    REQUIRE(run.report.reason == StopReason::kDone);
    CHECK(greatest_excess(model, run, {"c"}) < accuracy);
    // Until the capacity has come to a third of the load, the clutch has all of it.
    CHECK(run.column(model, "c.f")[2] == doctest::Approx(-std::sin(7 * run.time[2])));
    CHECK(std::fabs(run.column(model, "a.v").back() - (impulse(0.44) - impulse(begin))) < accuracy);
  }
}

// The capacity comes back at an event, where rounding leaves it next to zero on either side.
TEST_CASE("a brake that closes on a body at a stop takes no more than it can") {
  const Model model("brake_stop.ltm", R"(
model BrakeStop
  Translational.Mass a(m = 1);
  Translational.Brake b(fn_max = 2, mu_pos = 0.5, peak = 1.3);
  Translational.HardStop stop(half_freeplay = 0.1, e = 0.3);
  Translational.Fixed wall;
  Translational.Force q;
equation
  q.f = 3 + sin(2*time);
  b.f_normalized = 0.4 + 0.8*sin(5*time);
  connect(wall.flange, stop.flange_a);
  connect(stop.flange_b, a.flange_a);
  connect(a.flange_b, b.flange_a);
  connect(q.flange, a.flange_a);
end BrakeStop;
)");
  const Simulation run = simulate(model, TaylorOptions{0, 6, 0.02, 1e-10, true, true});
  REQUIRE(run.report.reason == StopReason::kDone);
  CHECK(greatest_excess(model, run, {"b"}, 1.3) < 1e-9);
  const std::vector<double>&b = run.column(model, "b.f"), &stop = run.column(model, "stop.f");
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (run.time[i] < 1) continue;  // at rest by then
    CHECK(std::fabs(b[i] + stop[i] - 3 - std::sin(2 * run.time[i])) < 1e-9);
  }
}

// Where the clutch opens, rounding is left of the torque in the spring: less than any capacity that
// a number can tell from zero.
TEST_CASE("a brake that closes on a body at rest holds what rounding has left of its load") {
  const Model model("dust.ltm", R"(
model Dust
  Rotational.Inertia a(J = 0.1), b(J = 0.1), c(J = 0.1);
  Rotational.BearingFriction bearing(d = 0.05, tau0 = 2);
  Rotational.Brake brake(fn_max = 0.3, mu_pos = 1, peak = 1.3);
  Rotational.Clutch clutch(fn_max = 1, mu_pos = 1);
  Rotational.Spring shaft(k = 176.67);
  Rotational.Torque push;
  Blocks.Sine load(amplitude = 1.2, f = 1.8);
  Blocks.Sine close(amplitude = 1, f = 3.9706, offset = 0.4);
  Blocks.Trapezoid couple(amplitude = 1, rising = 0.1, width = 0.2, falling = 0.1, period = 0.6);
equation
  connect(load.y, push.tau);
  connect(push.flange, a.flange_a);
  connect(bearing.flange_a, a.flange_b);
  connect(close.y, brake.f_normalized);
  connect(brake.flange_a, b.flange_b);
  connect(couple.y, clutch.f_normalized);
  connect(a.flange_b, clutch.flange_a);
  connect(clutch.flange_b, b.flange_a);
  connect(b.flange_b, shaft.flange_a);
  connect(shaft.flange_b, c.flange_a);
end Dust;
)");
  for (const double tolerance : {1e-6, 1e-8, 1e-10, 1e-13}) {
    CAPTURE(tolerance);
    const Simulation run = simulate(model, TaylorOptions{0, 2, 0.01, tolerance, true, true});
    REQUIRE(run.report.reason == StopReason::kDone);
    for (const double phi : run.column(model, "b.phi")) CHECK(std::fabs(phi) < 1e-20);
    const std::vector<double>&tau = run.column(model, "brake.tau"),
          &tau0 = run.column(model, "brake.tau0");
    for (std::size_t i = 0; i < tau.size(); ++i) {
      CHECK(std::fabs(tau[i]) <= 1.3 * tau0[i] + 1e-9);
    }
  }
}

// The event that closes a clutch leaves its capacity beside zero by the error of a step, on either
// side: a body without inertia that it acts on follows the damper, whatever the clutch holds.
TEST_CASE("a clutch closes on a body without inertia at rest, which stays there") {
  for (const char* peak : {"1", "1.3"}) {
    const Model model("damped_end.ltm", std::string(R"(
model DampedEnd
  Rotational.Inertia a(J = 0.0001), b(J = 0);
  Rotational.Clutch clutch(fn_max = 1, mu_pos = 1, peak = )") +
                                            peak + R"();
  Rotational.SpringDamper shaft(k = 62.61, d = 0.4065);
  Blocks.Sine close(amplitude = 1.1, f = 3.2, offset = 0.6);
equation
  connect(close.y, clutch.f_normalized);
  connect(a.flange_b, clutch.flange_a);
  connect(clutch.flange_b, b.flange_a);
  connect(a.flange_b, shaft.flange_a);
  connect(shaft.flange_b, b.flange_a);
end DampedEnd;
)");
    for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10, 1e-12}) {
      CAPTURE(peak);
      CAPTURE(tolerance);
      const Simulation run = simulate(model, TaylorOptions{0, 2, 0.01, tolerance, true, true});
      REQUIRE(run.report.reason == StopReason::kDone);
      CHECK(run.time.back() == 2);
      for (const char* name : {"a.phi", "b.phi", "clutch.phi_rel"}) {
        for (const double phi : run.column(model, name)) CHECK(std::fabs(phi) < 1e-9);
      }
    }
  }
}

// Of a load that a bearing and a brake may take, the brake gets 3/8, and what it can while that is
// less: from the first instant on, in which it can take nothing yet.
TEST_CASE("a brake that closes takes what it can of a load that a bearing has besides") {
  for (const double fn_max : {1.4, 0.5, 0.2}) {
    CAPTURE(fn_max);
    const Model model("share.ltm", std::string(R"(
model Share
  Rotational.Inertia a(J = 0), b(J = 1), c(J = 0), e(J = 0.1);
  Rotational.Brake brake(fn_max = )") + std::to_string(fn_max) +
                                       R"(, mu_pos = 1, peak = 1.3);
  Rotational.BearingFriction bearing(d = 0.2, tau0 = 2, tau0_static = 2.4);
  Rotational.CrossFriction damped(d = 0.1, tau0 = 1), dry(d = 0, tau0 = 0.5);
  Rotational.CrossFriction to_load(d = 0.1, tau0 = 1), in_series(d = 0, tau0 = 0.3);
  Rotational.Torque push;
  Blocks.Sine load(amplitude = 0.8, f = 11);
  Blocks.Ramp close(height = 1, duration = 0.1);
equation
  connect(close.y, brake.f_normalized);
  connect(brake.flange_a, b.flange_b);
  connect(bearing.flange_a, c.flange_b);
  connect(load.y, push.tau);
  connect(push.flange, e.flange_a);
  connect(a.flange_b, damped.flange_a);
  connect(damped.flange_b, b.flange_a);
  connect(b.flange_b, dry.flange_a);
  connect(dry.flange_b, c.flange_a);
  connect(c.flange_b, to_load.flange_a);
  connect(to_load.flange_b, e.flange_a);
  connect(c.flange_b, in_series.flange_a);
  connect(in_series.flange_b, a.flange_a);
end Share;
)");
    for (const bool taylor : {true, false}) {
      const Simulation run = taylor
                                 ? simulate(model, TaylorOptions{0, 0.5, 0.002, 1e-12, true, true})
                                 : simulate(model, CvodeOptions{0, 0.5, 0.002, 1e-10, true});
      REQUIRE(run.report.reason == StopReason::kDone);
      const std::vector<double>& tau = run.column(model, "brake.tau");
      for (std::size_t i = 0; i < tau.size(); ++i) {
        const double t = run.time[i], capacity = 1.3 * fn_max * std::min(10 * t, 1.0);
        const double push = 0.8 * std::sin(22 * std::acos(-1.0) * t);
        const double share = std::min(capacity, 3.0 / 8 * std::fabs(push));
        CHECK(std::fabs(std::fabs(tau[i]) - share) < 1e-9);
      }
    }
  }
}

// A brake closes on a point between springs while these pull at it; a clutch beside a damper, on a
// body that flies at 1e4 rad/s; a brake opens that has no load; and a clutch closes an error of the
// event late.
TEST_CASE("clutches that open and close next to bodies without inertia") {
  struct Case {
    const char* text;
    std::vector<const char*> parts;
    double peak;
  };
  const std::vector<Case> cases = {{R"(
model M
  Rotational.Inertia b0(J=0);
  Rotational.Inertia b1(J=0);
  Rotational.Inertia b2(J=0.1);
  Rotational.Brake br1(fn_max=3.8419, mu_pos=1, peak=1);
  Blocks.Sine sig2(amplitude=0.47, f=2.1, offset=0.3);
  Rotational.FreeplaySpring sp4(k=387.0, half_freeplay=0.05);
  Rotational.Spring sp5(k=347.105);
  Rotational.CrossFriction cr6(d=0.1, tau0=0.3);
  Blocks.Ramp sig7(height=-7.38, duration=0.29);
  Rotational.Torque load7;
equation
  connect(sig2.y,br1.f_normalized);
  connect(br1.flange_a,b0.flange_b);
  connect(b0.flange_b,sp4.flange_a);
  connect(sp4.flange_b,b1.flange_a);
  connect(b1.flange_b,sp5.flange_a);
  connect(sp5.flange_b,b2.flange_a);
  connect(b1.flange_b,cr6.flange_a);
  connect(cr6.flange_b,b2.flange_a);
  connect(sig7.y,load7.tau);
  connect(load7.flange,b0.flange_a);
end M;
)",
                                    {"br1"},
                                    1},
                                   {R"(
model M
  Rotational.Inertia b0(J=0);
  Rotational.Inertia b1(J=1e-05);
  Rotational.BearingFriction br1(d=0, tau0=2);
  Blocks.Ramp sig2(height=-2.4, duration=0.23);
  Rotational.Torque load2;
  Rotational.SpringDamper sp3(k=350.07, d=0.1);
  Rotational.Clutch cr4(fn_max=1, mu_pos=1, peak=1);
  Blocks.Sine sig5(amplitude=1.229, f=1.74, offset=0.2);
equation
  connect(br1.flange_a,b1.flange_b);
  connect(sig2.y,load2.tau);
  connect(load2.flange,b1.flange_a);
  connect(b0.flange_b,sp3.flange_a);
  connect(sp3.flange_b,b1.flange_a);
  connect(sig5.y,cr4.f_normalized);
  connect(b1.flange_b,cr4.flange_a);
  connect(cr4.flange_b,b0.flange_a);
end M;
)",
                                    {"cr4"},
                                    1},
                                   {R"(
model M
  Rotational.Inertia b0(J=0.1);
  Rotational.Inertia b1(J=1);
  Rotational.Inertia b2(J=0);
  Rotational.Brake br1(fn_max=0.6731, mu_pos=1, peak=1.3);
  Blocks.Sine sig2(amplitude=1.17, f=3.8, offset=0.8);
  Blocks.Step sig3(height=7.95, startTime=0.464);
  Rotational.Torque load3;
  Rotational.BearingFriction br5(d=0, tau0=0.3);
  Rotational.SpringDamper sp6(k=381.9, d=0.3948);
  Rotational.Spring sp7(k=206.2714);
  Rotational.CrossFriction cr8(d=0, tau0=0.3);
  Rotational.Clutch cr9(fn_max=2, mu_pos=1, peak=1.3);
  Blocks.Sine sig10(amplitude=0.9, f=0.95, offset=0.3);
  Rotational.CrossFriction cr11(d=0.1, tau0=0.3);
equation
  connect(sig2.y,br1.f_normalized);
  connect(br1.flange_a,b0.flange_b);
  connect(sig3.y,load3.tau);
  connect(load3.flange,b0.flange_a);
  connect(br5.flange_a,b2.flange_b);
  connect(b0.flange_b,sp6.flange_a);
  connect(sp6.flange_b,b1.flange_a);
  connect(b1.flange_b,sp7.flange_a);
  connect(sp7.flange_b,b2.flange_a);
  connect(b0.flange_b,cr8.flange_a);
  connect(cr8.flange_b,b1.flange_a);
  connect(sig10.y,cr9.f_normalized);
  connect(b2.flange_b,cr11.flange_a);
  connect(cr11.flange_b,b1.flange_a);
end M;
)",
                                    {"br1", "cr9"},
                                    1.3},
                                   {R"(
model M
  Rotational.Inertia b0(J=0.1);
  Rotational.Inertia b1(J=0);
  Rotational.Inertia b2(J=0.3326);
  Rotational.BearingFriction br3(d=0, tau0=2.8);
  Blocks.Step sig4(height=7.49, startTime=0.07);
  Rotational.Torque load4;
  Rotational.Spring sp7(k=281.9);
  Rotational.Clutch cr8(fn_max=2, mu_pos=1, peak=1);
  Blocks.Sine sig9(amplitude=0.5, f=2.6, offset=0.4);
equation
  connect(br3.flange_a,b1.flange_b);
  connect(sig4.y,load4.tau);
  connect(load4.flange,b1.flange_a);
  connect(b0.flange_b,sp7.flange_a);
  connect(sp7.flange_b,b1.flange_a);
  connect(sig9.y,cr8.f_normalized);
  connect(b1.flange_b,cr8.flange_a);
  connect(cr8.flange_b,b2.flange_a);
end M;
)",
                                    {"cr8"},
                                    1}};
  for (const Case& c : cases) {
    CAPTURE(c.text);
    const Model model("clutches.ltm", c.text);
    const auto run_to = [&](double tolerance) {
      return simulate(model, TaylorOptions{0, 0.8, 0.01, tolerance, false, true});
    };
    const Simulation exact = run_to(1e-13);
    REQUIRE(exact.report.reason == StopReason::kDone);
    for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
      CAPTURE(tolerance);
      const Simulation run = run_to(tolerance);
      REQUIRE(run.report.reason == StopReason::kDone);
      for (const char* part : c.parts) {
        const std::vector<double>&tau = run.column(model, std::string(part) + ".tau"),
              &tau0 = run.column(model, std::string(part) + ".tau0");
        for (std::size_t i = 0; i < tau.size(); ++i) {
          CHECK(std::fabs(tau[i]) <= c.peak * tau0[i] + 1e-3 * tolerance + 1e-9);
        }
      }
      for (const char* body : {"b0.phi", "b1.phi"}) {
        const std::vector<double>&phi = run.column(model, body), &best = exact.column(model, body);
        const double size = 1 + *std::max_element(best.begin(), best.end());
        for (std::size_t i = 0; i < phi.size(); ++i) {
          CHECK(std::fabs(phi[i] - best[i]) <= 100 * tolerance * size);
        }
      }
    }
  }
}

TEST_CASE("random blocks and clutches that open and close") { check_random_blocks(false, "0", 1); }

TEST_CASE("random clutches on a body with neither inertia nor damping") {
  check_random_blocks(true, "0", 2);
}

TEST_CASE("random clutches on a body without inertia") { check_random_blocks(true, "0.3", 3); }

}  // namespace luztar::test
