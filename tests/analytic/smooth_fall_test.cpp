// Dry friction that falls exponentially with speed (the smooth Stribeck curve), on bodies without
// inertia: Lambert's W gives the slip, which ends where the friction falls by more than the damping
// rises. Against closed forms, and against the limits of small inertia and damping.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "tests/analytic/drawn_slider.h"
#include "tests/support/column_check.h"
#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

const std::string kDrawnSmooth = drawn_slider(
    "Translational.SmoothStribeckFriction seat(f0 = 5, d = damping, v_s = 0.5, f0_static = "
    "holds);");
constexpr double kSmoothBeyond = 5, kDecay = 0.5;  // T_K, V_s

/// The slides of kDrawnSmooth, with damping d and T_S = T_0.
struct Slide {
  double speed, d, holds = 7;

  [[nodiscard]] double excess() const { return holds - kSmoothBeyond; }
  [[nodiscard]] double force(double u) const {
    return d * u + kSmoothBeyond + excess() * std::exp(-u / kDecay);
  }
  /// d F/d u
  [[nodiscard]] double slope(double u) const {
    return d - excess() / kDecay * std::exp(-u / kDecay);
  }
  /// Where the slip ends.
  [[nodiscard]] double least() const {
    return std::max(0.0, kDecay * std::log(excess() / (kDecay * d)));
  }
  /// To where it jumps: F = T_S.
  [[nodiscard]] double first() const {
    double u = least() == 0 ? 0 : excess() / d;
    for (int i = 0; i < 50 && u > 0; ++i) u -= (force(u) - holds) / slope(u);
    return u;
  }
  /// Time from the speed u to w: F' du = k (speed - u) dt, by Gauss' rule on small parts.
  [[nodiscard]] double time(double u, double w) const {
    constexpr int kParts = 400;
    constexpr std::array<double, 5> kAt{-0.906179845938663993, -0.538469310105683091, 0,
                                        0.538469310105683091, 0.906179845938663993};
    constexpr std::array<double, 5> kWeight{0.236926885056189088, 0.478628670499366468,
                                            0.568888888888888889, 0.478628670499366468,
                                            0.236926885056189088};
    double sum = 0;
    const double half = (w - u) / (2 * kParts);
    for (int i = 0; i < kParts; ++i) {
      for (std::size_t k = 0; k < kAt.size(); ++k) {
        const double at = u + half * (2 * i + 1 + kAt[k]);
        sum += kWeight[k] * half * slope(at) / (kSpring * (speed - at));
      }
    }
    return sum;
  }
};

/// The rows of a run against the slide that has begun last.
void check_slide(const Simulation& run, const Model& model, const Slide& slide, double stop,
                 double bound) {
  const auto& s = run.column(model, "slider.v");
  const auto& f = run.column(model, "spring.f");
  const double begins = slide.holds / (kSpring * slide.speed), first = slide.first();
  const double least = slide.least();
  const bool sticks = least > slide.speed;
  const double slips = sticks ? slide.time(first, least) : stop;
  const double rests = (slide.holds - slide.force(least)) / (kSpring * slide.speed);
  int seen = 0, rested = 0;
  for (std::size_t i = 0; i < run.time.size(); ++i) {
    const double since = run.time[i] - begins;
    const double phase = since > 0 && sticks ? std::fmod(since, slips + rests) : since;
    const double edge = std::min(std::fabs(phase - slips), std::fabs(phase - slips - rests));
    if (std::fabs(phase) < 1e-6 || edge < 1e-6) continue;  // it jumps
    CAPTURE(run.time[i]);
    if (phase < 0 || phase > slips) {
      ++rested;
      REQUIRE(s[i] == 0);
      const double from = phase < 0 ? 0 : slide.force(least) - kSpring * slide.speed * slips;
      const double load = from + kSpring * slide.speed * (phase < 0 ? run.time[i] : phase);
      REQUIRE(std::fabs(f[i] + load) <= bound);
      continue;
    }
    ++seen;
    REQUIRE(std::fabs(f[i] + slide.force(s[i])) <= bound);
    if (std::fabs(s[i] - slide.speed) < 0.01 * slide.speed) continue;
    REQUIRE(std::fabs(slide.time(first, s[i]) - phase) <= bound);
  }
  CHECK(seen > 0);
  CHECK(rested > 0);
}

}  // namespace

TEST_CASE("a damped slider sticks and slips, or slides on") {
  Model model("drawn.ltm", kDrawnSmooth);
  REQUIRE(own_states(model) == 1);
  for (const double damping : {0.03, 0.3, 1.0, 3.0}) {
    for (const double speed : {0.1, 0.3, 2.0, 5.0}) {
      CAPTURE(damping);
      CAPTURE(speed);
      const Slide slide{speed, damping};
      if (std::fabs(slide.least() - speed) < 0.01) continue;
      model.set({{"damping", damping}, {"speed", speed}});
      const double period = 2 / (kSpring * speed) + slide.time(slide.first(), slide.least());
      const double stop = 7 / (kSpring * speed) + (slide.least() > speed ? 3.3 * period : 0.5);
      const Simulation run = audited_run(model, stop, stop / 200);
      check_slide(run, model, slide, stop, 1e-10);
      const Simulation bdf = simulate(model, CvodeOptions{0, stop, stop / 200, 1e-10, false});
      REQUIRE(bdf.report.reason == StopReason::kDone);
      check_slide(bdf, model, slide, stop, 1e-5);
    }
  }
}

// d = 4 makes up for all of the fall, at rest: there the slip begins like a root of time.
TEST_CASE("a slider whose damping makes up for the fall creeps off") {
  Model model("drawn.ltm", kDrawnSmooth);
  for (const double damping : {3.999, 4.0, 4.001, 5.0, 50.0}) {
    CAPTURE(damping);
    model.set({{"damping", damping}});
    const Slide slide{0.3, damping};
    check_slide(audited_run(model, 1, 0.01), model, slide, 1, 1e-10);
    const Simulation bdf = simulate(model, CvodeOptions{0, 1, 0.01, 1e-10, false});
    REQUIRE(bdf.report.reason == StopReason::kDone);
    check_slide(bdf, model, slide, 1, 1e-5);
  }
}

TEST_CASE("without damping it snaps to the friction beyond, at any speed") {
  Model model("drawn.ltm", kDrawnSmooth, {{"damping", "0"}});
  REQUIRE(own_states(model) == 0);
  for (const double speed : {0.1, 2.0}) {
    CAPTURE(speed);
    model.set({{"speed", speed}});
    const double first = 7 / (kSpring * speed), period = 2 / (kSpring * speed);
    const Function force = [&](double t) {
      if (t < first - 1e-12) return -kSpring * speed * t;
      return -kSmoothBeyond - kSpring * speed * std::fmod(t - first + 1e-12, period);
    };
    CHECK(greatest_error(audited_run(model, 0.9313, 0.009313), model, "spring.f", force) <= 1e-9);
    const Simulation bdf = simulate(model, CvodeOptions{0, 0.9313, 0.009313, 1e-10, false});
    REQUIRE(bdf.report.reason == StopReason::kDone);
    CHECK(greatest_error(bdf, model, "spring.f", force) <= 1e-8);
  }
}

TEST_CASE("several that fall with one decay act as one") {
  std::string both = drawn_slider(
      "Translational.SmoothStribeckFriction seat(f0 = 5, d = damping, v_s = 0.5, f0_static = 6);\n"
      "  Translational.SmoothStribeckFriction more(f0 = 0, v_s = 0.5, f0_static = holds - 6);");
  both.insert(both.find("end Drawn"), "  connect(slider.flange_b, more.flange_a);\n");
  const Model model("both.ltm", both);
  const Slide slide{0.3, 1};
  check_slide(audited_run(model, 0.5, 0.002), model, slide, 0.5, 1e-10);
}

// One along a line, from 1.5 N to 1 N, and two with decays of their own: together 8.5 N at rest and
// 6 N beyond. The spring draws on up to the first, and snaps to the second.
TEST_CASE("without damping several fall as one, whatever their laws") {
  const auto model_with = [](const std::string& damping) {
    return Model("snaps.ltm", R"(
model Snaps
  Translational.Speed drive;
  Translational.Spring spring(k = 25);
  Translational.Mass slider(m = 0);
  Translational.SmoothStribeckFriction seat(f0 = 3, v_s = 0.5, f0_static = 4.25, d = )" +
                                  damping + R"();
  Translational.StribeckFriction line(f0 = 1, d_fall = 2.5, v0 = 0.2);
  Translational.SmoothStribeckFriction more(f0 = 2, v_s = 0.1, f0_static = 2.75);
equation
  drive.v_ref = 0.3;
  connect(drive.flange, spring.flange_a);
  connect(spring.flange_b, slider.flange_a);
  connect(seat.flange_a, slider.flange_b);
  connect(line.flange_a, slider.flange_b);
  connect(more.flange_a, slider.flange_b);
end Snaps;
)");
  };
  const double first = 8.5 / (25 * 0.3), next = 2.5 / (25 * 0.3);
  const auto place = [&](double t) {
    return t < first ? 0.0 : 0.1 * (1 + std::floor((t - first) / next + 1e-9));
  };
  const Model model = model_with("0");
  const Simulation run = audited_run(model, 4, 0.0137);
  CHECK(greatest_error(run, model, "slider.s", place) <= 1e-10);
  CHECK(greatest_error(run, model, "spring.f",
                       [&](double t) { return 25 * (place(t) - 0.3 * t); }) <= 1e-10);
  CHECK(run.report.events == 9);
  double before = 1;
  for (const char* damping : {"0.01", "0.001"}) {  // a slip takes longer than half a second of them
    const Model damped = model_with(damping);
    const Simulation slow = audited_run(damped, 4, 4);
    const double error = std::fabs(slow.column(damped, "slider.s").back() - place(4));
    CHECK(error <= before / 5);
    before = error;
  }
  CHECK(before <= 1e-3);
}

// Between a belt at 0.3 m/s and the ground, whose friction ends its fall at u = log(4)/2.
//   up:    the ground holds to 7 - 1, the belt to 1 + 0.3 + T(0.3), then it slips on both
//   down:  at u the belt takes it again, to 0.3 + T(0.3) - 1; then it rests on the ground
TEST_CASE("a disc between a belt and a ground on which it falls") {
  const Model model("disc.ltm", R"(
model Disc
  Translational.Speed belt;
  Translational.CrossFriction upper(f0 = 1);
  Translational.Mass disc(m = 0);
  Translational.SmoothStribeckFriction lower(d = 1, f0 = 5, f0_static = 7, v_s = 0.5);
  Translational.Force load;
equation
  belt.v_ref = 0.3;
  load.f = if time < 9 then time else 18 - time;
  connect(belt.flange, upper.flange_a);
  connect(upper.flange_b, disc.flange_a);
  connect(disc.flange_b, lower.flange_a);
  connect(load.flange, disc.flange_b);
end Disc;
)");
  REQUIRE(own_states(model) == 1);
  const auto resists = [](double u) { return u + 5 + 2 * std::exp(-u / 0.5); };
  const double least = std::log(4) / 2, held = resists(0.3);
  const auto speed = [&](double at) {
    const double t = at + 1e-9, f = at < 9 ? at : 18 - at;
    if (t < 6 || t >= 18 - (held - 1)) return 0.0;
    if (t < held + 1 || t >= 18 - (resists(least) + 1)) return 0.3;
    double u = 10;  // u + T(u) = f - 1, from above: convex
    for (int i = 0; i < 60; ++i) u -= (resists(u) - f + 1) / (1 - 4 * std::exp(-u / 0.5));
    return u;
  };
  const Simulation run = audited_run(model, 18, 0.01);
  CHECK(greatest_error(run, model, "disc.v", speed) <= 1e-9);
  CHECK(greatest_error(run, model, "lower.f", [&](double t) {
          const double u = speed(t), f = t < 9 ? t : 18 - t;
          return u > 0 ? resists(u) : f + 1;
        }) <= 1e-9);
  const Simulation bdf = simulate(model, CvodeOptions{0, 18, 0.01, 1e-10, false});
  REQUIRE(bdf.report.reason == StopReason::kDone);
  CHECK(std::fabs(bdf.column(model, "disc.s").back() - run.column(model, "disc.s").back()) <= 1e-5);
  const Simulation steps = simulate(model, EulerOptions{.stop = 18, .step = 1e-3});
  CHECK(std::fabs(steps.column(model, "disc.s").back() - run.column(model, "disc.s").back()) <=
        0.02);
}

TEST_CASE("the limit of small inertia is the slip beyond the fall") {
  for (const std::string damping : {"0.3", "1", "5"}) {
    CAPTURE(damping);
    const Slide slide{0.3, std::stod(damping)};  // to its first rest
    const double slips = slide.least() > 0 ? slide.time(slide.first(), slide.least()) + 0.01 : 0.3;
    check_small_mass(kDrawnSmooth, {{"damping", damping}}, 7 / (kSpring * 0.3) + slips);
  }
}

}  // namespace luztar::test
