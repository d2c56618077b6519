// Contacts in series at bodies without inertia that something holds: impacts pass through these,
// with the restitution of the contact that closes last.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/support/column_check.h"
#include "tests/support/model.h"
#include "tests/support/random_cases.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

/// Restitutions of the contacts that close first and last, and what they have as one where a
/// damping holds the body between them, and where a spring does: on a contact without a loss a
/// light body then rattles on, until it has lost all between both, or is caught by the other.
struct Restitution {
  double first, last, damped, sprung;
};

const std::vector<Restitution> kRestitutions = {{0, 0, 0, 0}, {0.7, 0.25, 0.25, 0.25},
                                                {0, 1, 1, 1}, {1, 0.25, 0.25, 0},
                                                {1, 0, 0, 1}, {1, 1, 1, 1}};

/// A wheel takes a shaft with a bearing along, which drives another wheel by a gear: as seen from
/// the first one, with an inertia of 2 behind a half freeplay of 0.2.
std::string drive(const std::string& inertia, const Restitution& e) {
  return fmt::format(R"(
model Drive
  Rotational.Inertia left(J = 1, w(start = 1)), right(J = 8), shaft(J = {});
  Rotational.HardStop first(half_freeplay = 0.1, e = {});
  Rotational.BearingFriction bearing(d = 0.5, tau0 = 0);
  Rotational.GearPair gear(ratio = 2, k = inf);
  Rotational.HardStop second(half_freeplay = 0.1, e = {});
equation
  connect(left.flange_b, first.flange_a);
  connect(first.flange_b, shaft.flange_a);
  connect(shaft.flange_a, bearing.flange_a);
  connect(shaft.flange_b, gear.flange_a);
  connect(gear.flange_b, second.flange_a);
  connect(second.flange_b, right.flange_a);
end Drive;
)",
                     inertia, e.first, e.last);
}

/// Speeds after an impact of a body of mass 1 and speed 1 on one of mass 2 at rest.
double striking(double e) { return 1 - 2 * (1 + e) / 3; }
double struck(double e) { return (1 + e) / 3; }

}  // namespace

TEST_CASE("an impact through a damped body and a gear") {
  const double d = 0.5, first = 0.1, last = first - std::log(0.9) / d, before = 0.9;
  for (const Restitution& e : kRestitutions) {
    CAPTURE(e.first);
    CAPTURE(e.last);
    const Model model("drive.ltm", drive("0", e));
    const double after = before * striking(e.damped);
    check_column_between(model, 0.7, "left.w", {last}, [=](double t) {
      if (t < first) return 1.0;
      if (t < last) return std::exp(-d * (t - first));
      return after < 0 ? after : after * std::exp(-d * (t - last));
    });
    check_column_between(model, 0.7, "right.w", {last},
                         [=](double t) { return t < last ? 0 : before * struck(e.damped) / 2; });
    check_column_between(model, 0.7, "shaft.w", {first, last}, [=](double t) {
      if (t < first) return 0.0;
      if (t < last) return std::exp(-d * (t - first));
      return after < 0 ? 0 : after * std::exp(-d * (t - last));
    });
  }
}

// The body swings on the spring of the point, with 2 rad/s.
TEST_CASE("an impact through a point on a spring") {
  const double first = 0.1, last = first + std::asin(0.4) / 2, before = std::sqrt(1 - 0.16);
  for (const Restitution& e : kRestitutions) {
    CAPTURE(e.first);
    CAPTURE(e.last);
    const Model model("buffer.ltm", fmt::format(R"(
model Buffer
  Translational.Mass left(m = 1, v(start = 1)), right(m = 2), point(m = 0);
  Translational.HardStop first(half_freeplay = 0.1, e = {}), second(half_freeplay = 0.2, e = {});
  Translational.Spring spring(k = 4);
  Translational.Fixed wall;
equation
  connect(left.flange_b, first.flange_a);
  connect(first.flange_b, point.flange_a);
  connect(point.flange_a, spring.flange_a);
  connect(spring.flange_b, wall.flange);
  connect(point.flange_b, second.flange_a);
  connect(second.flange_b, right.flange_a);
end Buffer;
)",
                                                e.first, e.last));
    const double after = before * striking(e.sprung);
    check_column_between(model, 0.5, "left.v", {last}, [=](double t) {
      if (t < first) return 1.0;
      if (t < last) return std::cos(2 * (t - first));
      return after * std::cos(2 * (t - last)) - 0.4 * std::sin(2 * (t - last));
    });
    check_column_between(model, 0.5, "right.v", {last},
                         [=](double t) { return t < last ? 0 : before * struck(e.sprung); });
  }
}

// It holds the sleeve where it is; the first body, which an impact leaves some speed, takes it
// along.
TEST_CASE("an impact through a sleeve that dry friction holds") {
  const Model model("sleeve.ltm", R"(
model Sleeve
  Translational.Mass left(m = 1.5, v(start = 1)), sleeve(m = 0), right(m = 1, s(start = -2));
  Translational.HardStop first(half_freeplay = 0.1, e = 0.4);
  Translational.SupportFriction grip(f0 = 0.5);
  Translational.HardStop second(half_freeplay = 2, e = 0.8);
equation
  connect(left.flange_b, first.flange_a);
  connect(first.flange_b, sleeve.flange_a);
  connect(sleeve.flange_a, grip.flange_a);
  connect(sleeve.flange_b, second.flange_a);
  connect(second.flange_b, right.flange_a);
end Sleeve;
)");
  const double hit = 0.1, v1 = 1 - 1.4 / 2.5, v2 = 1.5 * 1.4 / 2.5, braked = 0.5 / 1.5;
  const double stop = hit + v1 / braked;
  const auto slows = [=](double t) { return t < stop ? v1 - braked * (t - hit) : 0.0; };
  check_column_between(model, 2, "left.v", {hit, stop},
                       [=](double t) { return t < hit ? 1 : slows(t); });
  check_column_between(model, 2, "sleeve.v", {hit, stop},
                       [=](double t) { return t < hit ? 0 : slows(t); });
  check_column_between(model, 2, "right.v", {hit, stop},
                       [=](double t) { return t < hit ? 0 : v2; });
}

// It comes upon both of them at rest, one after the other, by contacts that the first has closed.
TEST_CASE("a body drives two sleeves and two bodies") {
  const Model model("row.ltm", R"(
model Row
  Translational.Mass a(m = 1, v(start = 3)), b(m = 2), c(m = 3);
  Translational.Mass near(m = 0), far(m = 0);
  Translational.SupportFriction dry(f0 = 0.5), far_dry(f0 = 0.25);
  Translational.HardStop first(half_freeplay = 0.1), second(half_freeplay = 0.1);
  Translational.HardStop third(half_freeplay = 0.1), fourth(half_freeplay = 0.1);
equation
  connect(a.flange_b, first.flange_a);
  connect(first.flange_b, near.flange_a);
  connect(near.flange_a, dry.flange_a);
  connect(near.flange_b, second.flange_a);
  connect(second.flange_b, b.flange_a);
  connect(b.flange_b, third.flange_a);
  connect(third.flange_b, far.flange_a);
  connect(far.flange_a, far_dry.flange_a);
  connect(far.flange_b, fourth.flange_a);
  connect(fourth.flange_b, c.flange_a);
end Row;
)");
  // Each way of 0.1 takes the work of the frictions from the bodies that move.
  const double v1 = std::sqrt(9 - 2 * 0.5 * 0.1);       // a at b
  const double v2 = v1 / 3;                             // a and b together ...
  const double t1 = 0.1 / 3, t2 = t1 + (3 - v1) / 0.5;  // near, b reached
  const double t3 = t2 + 0.1 / v2;                      // b, which goes ahead, at far
  const double v3 = std::sqrt(v2 * v2 - 2 * 0.25 * 0.1 / 2), t4 = t3 + (v2 - v3) / 0.125;
  check_column_between(model, 0.26, "b.v", {t2, t4}, [=](double t) {
    return t < t2 ? 0 : t < t3 ? v2 : t < t4 ? v2 - 0.125 * (t - t3) : v3 * 2 / 5;
  });
  check_column_between(model, 0.26, "c.v", {t4}, [=](double t) { return t < t4 ? 0 : v3 * 2 / 5; });
  check_column_between(model, 0.26, "a.v", {t2}, [=](double t) {
    return t < t1 ? 3 : t < t2 ? 3 - 0.5 * (t - t1) : v2 - 0.5 * (t - t2);
  });
}

TEST_CASE("contacts in series at a held body are the limit of a light one") {
  for (const Restitution& e : kRestitutions) {
    if (e.first == 1 && e.last == 1) continue;  // as many turns as the square root of the inertia
    if (kSanitized && e.first == 1) continue;   // some 200,000 bounces
    CAPTURE(e.first);
    CAPTURE(e.last);
    // The lighter, the fewer bounces until the damping ends them.
    check_light_limit([&](const std::string& inertia) { return drive("0.1*" + inertia, e); }, 0.7,
                      {"right.phi"}, 1e-5);
  }
}

// The energy that an impact takes is m u^2/2 (1 - e^2), with the masses as one and their speed u.
TEST_CASE("what an impact through a body without inertia takes is accounted for") {
  for (const Restitution& e : kRestitutions) {
    const Model model("drive.ltm", drive("0", e));
    const EnergyReport energy = *audited(model, TaylorOptions{0, 0.7, 0.01, 1e-12, true}).energy;
    CHECK(energy.impacts == doctest::Approx(0.81 / 3 * (1 - e.damped * e.damped)).epsilon(1e-12));
  }
}

TEST_CASE("prescribed motions close in on a body without inertia") {
  const Model model("pinch.ltm", R"(
model Pinch
  Translational.Position drive;
  Translational.HardStop first(half_freeplay = 0.1), second(half_freeplay = 0.2);
  Translational.Mass sleeve(m = 0);
  Translational.SupportFriction oil(d = 2, f0 = 0);
  Translational.Fixed wall;
equation
  drive.s_ref = time;
  connect(drive.flange, first.flange_a);
  connect(first.flange_b, sleeve.flange_a);
  connect(sleeve.flange_a, oil.flange_a);
  connect(sleeve.flange_b, second.flange_a);
  connect(second.flange_b, wall.flange);
end Pinch;
)");
  const Simulation run = simulate(model, TaylorOptions{0, 1, 0.01, 1e-12});
  CHECK(run.report.reason == StopReason::kBlocked);
  CHECK(run.time.back() == doctest::Approx(0.3).epsilon(1e-12));
}

}  // namespace luztar::test
