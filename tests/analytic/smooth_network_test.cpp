// Dry frictions that fall exponentially with speed on several bodies without inertia that act on
// each other at once: where their slips begin and end, and the limit of small inertia.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "tests/analytic/dry_series_checks.h"
#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

/// Two plates on grounds of their own, and oil between; `draw` is what the lower one is drawn with.
constexpr const char* kPlates = R"(
model Plates
  parameter Units.Mass m = 0;
  parameter Real most = 40, draw = 0;
  Translational.Force pull, back;
  Translational.Mass upper(m = m), lower(m = m);
  Translational.SmoothStribeckFriction rail(f0 = 5, d = 1, f0_static = 7, v_s = 0.5);
  Translational.SmoothStribeckFriction guide(f0 = 4, d = 1, f0_static = 6, v_s = 0.4);
  Translational.Damper oil(d = 1);
equation
  pull.f = if time < 4 then most*time/4 else most*(8 - time)/4;
  back.f = draw*time;
  connect(pull.flange, upper.flange_a);
  connect(back.flange, lower.flange_a);
  connect(upper.flange_a, rail.flange_a);
  connect(upper.flange_b, oil.flange_a);
  connect(oil.flange_b, lower.flange_a);
  connect(lower.flange_b, guide.flange_a);
end Plates;
)";

/// Speeds in the balance of both plates, from above: each round of  2 v = load - T(v) + speed of
/// the other  comes nearer. None: it has come to a stop, there is no such balance.
struct Speeds {
  long double upper = 0, lower = 0;
  bool slide = false;
};
Speeds speeds_at(long double load) {
  Speeds v{load, load, true};
  for (int i = 0; i < 100000; ++i) {
    const Speeds before = v;
    v.upper = (load - 5 - 2 * std::exp(-v.upper / 0.5L) + v.lower) / 2;
    v.lower = (v.upper - 4 - 2 * std::exp(-v.lower / 0.4L)) / 2;
    if (v.upper < 0 || v.lower < 0) return {};
    if (before.upper - v.upper + before.lower - v.lower < 1e-17L) break;
  }
  return v;
}

/// A contact of two plates, both of which slide on a ground: three slips of two bodies.
constexpr const char* kContact = R"(
model SmoothContact
  extends Translational.Interfaces.TwoFlanges;
  parameter Real d, f0, f0_static, v_s;
equation
  f = d*v_rel + dryfriction(v_rel, f0 + (f0_static - f0)*exp(-abs(v_rel)/v_s), f0_static);
end SmoothContact;
model Contact
  parameter Units.Mass m = 0;
  Translational.Force pull, draw;
  Translational.Mass upper(m = m), lower(m = m);
  Translational.SmoothStribeckFriction rail(f0 = 5, d = 1, f0_static = 7, v_s = 0.5);
  Translational.SmoothStribeckFriction guide(f0 = 2, d = 1, f0_static = 3, v_s = 0.4);
  SmoothContact between(d = 0.3, f0 = 2, f0_static = 3, v_s = 0.4);
  Translational.Spring spring(k = 2);
  Translational.Fixed wall;
equation
  pull.f = 20*sin(2*time);
  draw.f = 6*sin(3*time);
  connect(pull.flange, upper.flange_a);
  connect(upper.flange_a, rail.flange_a);
  connect(upper.flange_b, between.flange_a);
  connect(between.flange_b, lower.flange_a);
  connect(draw.flange, lower.flange_a);
  connect(lower.flange_b, guide.flange_a);
  connect(wall.flange, spring.flange_a);
  connect(spring.flange_b, upper.flange_a);
end Contact;
)";

/// The capacity of one comes to zero, and stays there for a while.
constexpr const char* kBrake = R"(
model BrkT
  extends Translational.Interfaces.FlangePair;
  parameter Real T; parameter Real Ts; parameter Real ws;
  input Real u; Units.Velocity v; Units.Force f;
equation
  flange_a.s = flange_b.s;
  v = der(flange_a.s);
  f = dryfriction(v, u*(T + (Ts - T)*exp(-abs(v)/ws)), u*Ts);
  0 = flange_a.f + flange_b.f - f;
end BrkT;
model Brake
  Translational.Mass b0(m = 0);
  Translational.Mass b1(m = 0);
  BrkT f0(T = 1, Ts = 1.5, ws = 0.02);
  Translational.SmoothStribeckFriction f1(f0 = 1, f0_static = 1.5, v_s = 0.02, d = 1);
  Translational.Damper e0(d = 1);
  Translational.Force t1;
  Translational.Speed v;
  Translational.SpringDamper vs(k = 20, d = 1);
equation
  f0.u = max(0, sin(4*time));
  connect(f0.flange_a, b0.flange_a);
  connect(f1.flange_a, b1.flange_b);
  connect(e0.flange_a, b0.flange_a);
  connect(e0.flange_b, b1.flange_b);
  t1.f = if time < 0.3 then 0.5 else if time < 0.9 then 4 else 0;
  connect(t1.flange, b1.flange_a);
  v.v_ref = 0.5*cos(2*time);
  connect(v.flange, vs.flange_a);
  connect(vs.flange_b, b1.flange_a);
end Brake;
)";

/// A load that jumps takes two contacts far beyond where they have a balance one way: one of them
/// has a decay of 1e-3.
constexpr const char* kReversal = R"(
model Reversal
  Rotational.Inertia b0(J = 0);
  Rotational.Inertia b2(J = 0);
  Rotational.Inertia b3(J = 0);
  Rotational.Inertia b4(J = 0);
  Translational.Mass b5(m = 0);
  Rotational.SmoothStribeckFriction f3(tau0 = 1, tau0_static = 1.1, w_s = 10);
  Rotational.SmoothStribeckFriction f4(tau0 = 1, tau0_static = 1.5, w_s = 0.001);
  Translational.SmoothStribeckFriction f5(f0 = 0.5, f0_static = 1, v_s = 1, d = 1);
  Rotational.Damper e2(d = 1);
  Rotational.FreeplaySpring c3(k = 30, half_freeplay = 0.03);
  RotationalTranslational.RackPinion r4(ratio = 0.5);
  Translational.Damper c4(d = 1);
  RotationalTranslational.RackPinion r5(ratio = -1);
  Translational.Damper c5(d = 1e-3);
  Rotational.SpringDamper h2(k = 30, d = 1);
  Rotational.Fixed x2;
  Rotational.Torque t2;
equation
  connect(f3.flange_a, b3.flange_a);
  connect(f4.flange_a, b4.flange_b);
  connect(f5.flange_a, b5.flange_a);
  connect(e2.flange_a, b2.flange_a);
  connect(e2.flange_b, b3.flange_b);
  connect(c3.flange_a, b3.flange_b);
  connect(c3.flange_b, b4.flange_b);
  connect(r4.flangeR, b4.flange_b);
  connect(r4.flangeT, c4.flange_a);
  connect(c4.flange_b, b5.flange_b);
  connect(r5.flangeR, b0.flange_a);
  connect(r5.flangeT, c5.flange_a);
  connect(c5.flange_b, b5.flange_a);
  connect(h2.flange_a, b2.flange_b);
  connect(h2.flange_b, x2.flange);
  t2.tau = if time < 0.5 then 3 else -3;
  connect(t2.flange, b0.flange_a);
end Reversal;
)";

Simulation run_to(const Model& model, double stop) {
  const Simulation run = simulate(model, TaylorOptions{0, stop, 0.01, 1e-10, false});
  REQUIRE(run.report.reason == StopReason::kDone);
  return run;
}

/// CVODE agrees, and bodies of 1e-3 and 1e-4 kg come to it with an order between 2/3, of ends at
/// folds, and 1.
void check_limit(const char* text, std::vector<Setting> settings, double stop) {
  const auto places = {"upper.s", "lower.s"};
  const Model model("limit.ltm", text, settings);
  const Simulation limit = run_to(model, stop);
  const Simulation cvode = simulate(model, CvodeOptions{0, stop, 0.01, 1e-12, false});
  REQUIRE(cvode.report.reason == StopReason::kDone);
  CHECK(greatest_difference(model, limit, cvode, places) < 1e-6);
  std::array<double, 2> error{};
  for (std::size_t i = 0; i < 2; ++i) {
    settings.push_back({"m", i == 0 ? "1e-3" : "1e-4"});
    const Model light("light.ltm", text, settings);
    settings.pop_back();
    const Simulation run = run_to(light, stop);
    for (const char* name : places) {
      error[i] = std::max(error[i],
                          greatest_difference(limit.column(model, name), run.column(light, name)));
    }
  }
  CAPTURE(error[0]);
  CAPTURE(error[1]);
  CHECK(error[1] < 5e-3);
  CHECK(error[0] / error[1] > 4);
  CHECK(error[0] / error[1] < 11);
}

}  // namespace

TEST_CASE("two plates that act on each other slide in balance, to where that ends") {
  const Model model("plates.ltm", kPlates);
  const Simulation run = run_to(model, 8);
  const std::vector<double>& t = run.time;
  const std::vector<double>& upper = run.column(model, "upper.v");
  const std::vector<double>& lower = run.column(model, "lower.v");
  // Until the lower plate comes to rest, at the least load at which both slide.
  long double low = 10, high = 40;
  while (high - low > 1e-14L) {
    const long double load = (low + high) / 2;
    (speeds_at(load).slide ? high : low) = load;
  }
  const double ends = 8 - static_cast<double>(high) / 10;
  int balanced = 0;
  for (std::size_t i = 0; i < t.size(); ++i) {
    const double load = t[i] < 4 ? 10 * t[i] : 10 * (8 - t[i]);
    if (lower[i] == 0 || std::fabs(t[i] - ends) < 1e-3) continue;
    const Speeds v = speeds_at(load);
    CAPTURE(t[i]);
    CHECK(v.slide);
    CHECK(std::fabs(upper[i] - v.upper) < 1e-11L);
    CHECK(std::fabs(lower[i] - v.lower) < 1e-11L);
    ++balanced;
  }
  CHECK(balanced > 300);
  const auto begins =
      std::find_if(lower.begin(), lower.end(), [](double v) { return v > 0; }) - lower.begin();
  for (std::size_t i = static_cast<std::size_t>(begins); i < t.size(); ++i) {
    if (std::fabs(t[i] - ends) > 1e-9) CHECK((lower[i] > 0) == (t[i] < ends));
  }
}

TEST_CASE("two plates: the limit of small inertia, drawn the same way or against each other") {
  for (const char* draw : {"0", "1.5", "-4"}) {
    CAPTURE(draw);
    check_limit(kPlates, {{"draw", draw}}, 8);
  }
}

TEST_CASE("two plates and a contact between, all of which fall exponentially") {
  check_limit(kContact, {}, 4);
}

TEST_CASE(
    "exponential frictions of several bodies: a capacity that is zero, and a load that jumps") {
  for (const auto& [text, name, place] :
       {std::array{kBrake, "Brake", "b1.s"}, {kReversal, "Reversal", "b5.s"}}) {
    CAPTURE(name);
    const Model model("limit.ltm", text, {}, name);
    const Simulation run = run_to(model, 2);
    const double end = run.column(model, place).back();
    for (const double tolerance : {1e-6, 1e-8, 1e-12}) {
      CAPTURE(tolerance);
      const Simulation other = simulate(model, TaylorOptions{0, 2, 0.01, tolerance, false});
      REQUIRE(other.report.reason == StopReason::kDone);
      CHECK(std::fabs(other.column(model, place).back() - end) < 10 * tolerance + 1e-9);
    }
    const Simulation cvode = simulate(model, CvodeOptions{0, 2, 0.01, 1e-11, false});
    REQUIRE(cvode.report.reason == StopReason::kDone);
    CHECK(std::fabs(cvode.column(model, place).back() - end) < 1e-5);
  }
}

}  // namespace luztar::test
