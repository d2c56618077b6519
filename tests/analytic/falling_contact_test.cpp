// Rigid contacts at damped bodies without inertia whose friction falls with speed (P3, Stribeck):
// while something pushes such a body it slips at any speed, on the lines of the fall, too; let go,
// it jumps to the next balance. Against closed forms, and against the limit of small inertia.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/support/column_check.h"
#include "tests/support/model.h"

namespace luztar::test {
namespace {

/// On the ground, while it slips: c v + F0 + (2 c + dC)(V0 - v), c v + F0 beyond V0.
struct Seat {
  static constexpr double kDamping = 1, kFall = 2, kSpeed = 0.5, kBeyond = 1.5;
  static constexpr double kAtRest = kBeyond + (2 * kDamping + kFall) * kSpeed;
  static constexpr double kSlope = kDamping + kFall;  // of what it falls by, the damping with it

  [[nodiscard]] static double force(double v) {
    return v < kSpeed ? kAtRest - kSlope * v : kBeyond + kDamping * v;
  }
};

/// A mass of 1 kg takes the slider along from 0.1 m on, until both rest.
struct Braked {
  double before;  // [m/s]

  static constexpr double kMeets = 0.1;  // [m]
  double meets = kMeets / before;
  double fast = before > Seat::kSpeed ? std::log((before + Seat::kBeyond / Seat::kDamping) /
                                                 (Seat::kSpeed + Seat::kBeyond / Seat::kDamping)) /
                                            Seat::kDamping
                                      : 0;  // for how long beyond V0
  double from = std::min(before, Seat::kSpeed);
  double level = Seat::kAtRest / Seat::kSlope;
  double rests = meets + fast + std::log(level / (level - from)) / Seat::kSlope;

  [[nodiscard]] static std::string text(const std::string& mass) {
    return fmt::format(R"(
model Braked
  parameter Real before = 1;
  parameter Real holds = 3.5;
  Translational.Mass body(m = 1, v(start = before)), slider(m = {});
  Translational.HardStop stop(half_freeplay = 0.1);
  Translational.StribeckFriction seat(d = 1, d_fall = 2, v0 = 0.5, f0 = 1.5, f0_static = holds);
equation
  connect(body.flange_b, stop.flange_a);
  connect(stop.flange_b, slider.flange_a);
  connect(slider.flange_b, seat.flange_a);
end Braked;
)",
                       mass);
  }
  [[nodiscard]] double body(double t) const {
    if (t < meets) return before;
    if (t > rests) return 0;
    const double level_beyond = Seat::kBeyond / Seat::kDamping, since = t - meets - fast;
    if (since < 0) {
      return (before + level_beyond) * std::exp(-Seat::kDamping * (t - meets)) - level_beyond;
    }
    return level - (level - from) * std::exp(Seat::kSlope * since);
  }
  [[nodiscard]] double slider(double t) const { return t < meets ? 0 : body(t); }
  [[nodiscard]] double push(double t) const {
    return t < meets || t > rests ? 0 : -Seat::force(body(t));
  }
};

/// A drive at 0.2 m/s pushes the slider from 0.5 s on, until the load draws it ahead: 3 t, from 1 s
/// on 3 (2 - t). Where the play is small it comes to the other side of the stop, at whose speed the
/// friction is greater than the load; else it goes on until it is no faster than V0. It rests, and
/// the drive comes again.
struct Overtaking {
  double play;  // half of it [m]

  static constexpr double kDrive = 0.2, kMeets = 0.5, kRate = 3;
  static constexpr double kLeaves = (Seat::kAtRest - Seat::kSlope * kDrive) / kRate;
  static constexpr double kEnd = 2 - (Seat::kBeyond + Seat::kDamping * Seat::kSpeed) / kRate;

  [[nodiscard]] static std::string text(const std::string& mass) {
    return fmt::format(R"(
model Overtaking
  parameter Real holds = 3.5;
  parameter Real play = 0.1;
  Translational.Speed drive;
  Translational.Mass slider(m = {}, s(start = 0.1 - play));
  Translational.HardStop stop(half_freeplay = play);
  Translational.StribeckFriction seat(d = 1, d_fall = 2, v0 = 0.5, f0 = 1.5, f0_static = holds);
  Translational.Force load;
equation
  drive.v_ref = 0.2;
  load.f = if time < 1 then 3*time else 3*(2 - time);
  connect(drive.flange, stop.flange_a);
  connect(stop.flange_b, slider.flange_a);
  connect(slider.flange_b, seat.flange_a);
  connect(load.flange, slider.flange_b);
end Overtaking;
)",
                       mass);
  }
  [[nodiscard]] static double load(double t) { return t < 1 ? kRate * t : kRate * (2 - t); }
  /// Of the slider against the drive, while it slips alone: c v = F - F0.
  [[nodiscard]] static double ahead(double t) {
    const double up = std::min(t, 1.0), down = std::max(t, 1.0);
    const double impulse = kRate * (up * up - kLeaves * kLeaves) / 2 +
                           kRate * ((2 * down - down * down / 2) - (2 - 0.5));
    const double since = t - kLeaves;
    return (impulse - Seat::kBeyond * since) / Seat::kDamping - kDrive * since;
  }
  [[nodiscard]] double rests() const {
    if (ahead(kEnd) < 2 * play) return kEnd;
    return where(-2 * play, 1, kEnd, [](double t) { return -ahead(t); });
  }
  [[nodiscard]] double caught() const { return rests() + ahead(rests()) / kDrive; }
  [[nodiscard]] bool is_pushed(double t) const {
    return (t > kMeets && t < kLeaves) || t > caught();
  }
  [[nodiscard]] double slider(double t) const {
    if (is_pushed(t)) return kDrive;
    if (t > kLeaves && t < rests()) return (load(t) - Seat::kBeyond) / Seat::kDamping;
    return 0;
  }
  [[nodiscard]] double push(double t) const {
    return is_pushed(t) ? load(t) - Seat::force(kDrive) : 0;
  }
};

/// A hub between two rotors that drive it in turn.
std::string hub_between(const std::string& inertia) {
  return fmt::format(R"(
model HubBetween
  Rotational.Inertia before(J = 0.9, w(start = 1)), hub(J = {}), beyond(J = 0.7);
  Rotational.StribeckFriction seat(d = 0.6, d_fall = 1.2, w0 = 0.5, tau0 = 0.4);
  Rotational.HardStop driving(half_freeplay = 0.05), driven(half_freeplay = 0.1);
  Rotational.BearingFriction bearing(tau0 = 0.3, d = 0.1);
  Rotational.Torque first, second, third;
equation
  connect(before.flange_b, driving.flange_a);
  connect(driving.flange_b, hub.flange_a);
  connect(hub.flange_a, seat.flange_a);
  connect(hub.flange_b, driven.flange_a);
  connect(driven.flange_b, beyond.flange_a);
  connect(beyond.flange_b, bearing.flange_a);
  connect(first.flange, before.flange_a);
  connect(second.flange, hub.flange_a);
  connect(third.flange, beyond.flange_b);
  first.tau = 2*sin(4*time);
  second.tau = 1.5*sin(3*time + 1);
  third.tau = 1.5*cos(5*time);
end HubBetween;
)",
                     inertia);
}

/// A hub that a clutch and a driver have, its friction exponential.
std::string clutched_hub(const std::string& inertia) {
  return fmt::format(R"(
model ClutchedHub
  Rotational.Inertia driver(J = 0.8, w(start = -1)), hub(J = {}), disc(J = 0.5);
  Rotational.SmoothStribeckFriction seat(d = 0.7, tau0 = 0.5, tau0_static = 1.8, w_s = 0.3);
  Rotational.CrossFriction clutch(tau0 = 0.6);
  Rotational.HardStop stop(half_freeplay = 0.05);
  Rotational.Spring spring(k = 12);
  Rotational.Fixed ground;
  Rotational.Torque first, second;
equation
  connect(driver.flange_b, stop.flange_a);
  connect(stop.flange_b, hub.flange_a);
  connect(hub.flange_a, seat.flange_a);
  connect(hub.flange_b, clutch.flange_a);
  connect(clutch.flange_b, disc.flange_a);
  connect(disc.flange_b, spring.flange_a);
  connect(spring.flange_b, ground.flange);
  connect(first.flange, driver.flange_a);
  connect(second.flange, hub.flange_a);
  first.tau = 3*sin(4*time);
  second.tau = 1.2*cos(3*time);
end ClutchedHub;
)",
                     inertia);
}

/// The slider comes to rest on the rack; both are held, by forces that are not unique, until both
/// frictions are at their static sizes.
std::string rack_and_slider(const std::string& inertia) {
  return R"(
model Rack
  Rotational.Inertia pinion(J = 0.01*)" +
         inertia + R"();
  Translational.Mass slider(m = 0.01*)" +
         inertia + R"();
  Translational.Mass body(m = 0.5, v(start = -3, fixed = true));
  RotationalTranslational.RackPinion rack(ratio = 2);
  Translational.HardStop stop(half_freeplay = 0.04, e = 0);
  Translational.FreeplaySpring spring(k = 40, half_freeplay = 0.03);
  Rotational.BearingFriction bearing(tau0 = 0.7, tau0_static = 1);
  Rotational.Damper damper(d = 0.6);
  Rotational.Fixed ground;
  Translational.StribeckFriction guide(d = 0.08, d_fall = 1, v0 = 0.35, f0 = 0.22);
equation
  connect(pinion.flange_b, rack.flangeR);
  connect(rack.flangeT, stop.flange_a);
  connect(stop.flange_b, slider.flange_a);
  connect(slider.flange_b, spring.flange_a);
  connect(spring.flange_b, body.flange_a);
  connect(pinion.flange_b, bearing.flange_a);
  connect(damper.flange_b, ground.flange);
  connect(pinion.flange_b, damper.flange_a);
  connect(slider.flange_b, guide.flange_a);
end Rack;
)";
}

}  // namespace

TEST_CASE("a body takes a slider along over a friction that falls with speed, until both rest") {
  Model model("braked.ltm", Braked::text("0"));
  for (const double before : {0.3, 1.2}) {
    for (const double holds : {3.5, 5.0}) {
      CAPTURE(before);
      CAPTURE(holds);
      const Braked expected{before};
      model.set({{"before", before}, {"holds", holds}});
      const std::vector<double> changes{expected.meets, expected.rests};
      const auto check = [&](const char* column, const Function& value) {
        check_column_between(model, expected.rests + 0.2, column, changes, value);
      };
      check("body.v", [&](double t) { return expected.body(t); });
      check("slider.v", [&](double t) { return expected.slider(t); });
      check("stop.f", [&](double t) { return expected.push(t); });
    }
  }
  check_light_limit(Braked::text, 0.4, {"body.s", "slider.s"}, 1e-4);
}

TEST_CASE("a load draws a slider ahead of what pushes it, which catches it again") {
  Model model("overtaking.ltm", Overtaking::text("0"));
  for (const double play : {0.1, 0.4}) {
    for (const double holds : {3.5, 5.0}) {
      CAPTURE(play);
      CAPTURE(holds);
      model.set({{"play", play}, {"holds", holds}});
      const Overtaking expected{play};
      const double rests = expected.rests(), caught = expected.caught();
      CHECK((rests < Overtaking::kEnd) == (play == 0.1));
      const std::vector<double> changes{Overtaking::kMeets, Overtaking::kLeaves, rests, caught};
      const auto check = [&](const char* column, const Function& value) {
        check_column_between(model, caught + 0.3, column, changes, value);
      };
      check("slider.v", [&](double t) { return expected.slider(t); });
      check("stop.f", [&](double t) { return expected.push(t); });
    }
  }
  check_light_limit(Overtaking::text, 2, {"slider.s"}, 1e-3);
}

TEST_CASE("rotors push a hub, whose friction falls with speed, from both sides: the light limit") {
  check_light_limit(hub_between, 3, {"before.phi", "hub.phi", "beyond.phi"}, 1e-3);
}

TEST_CASE("a hub between a clutch and a stop, its friction exponential: the light limit") {
  check_light_limit(clutched_hub, 3, {"driver.phi", "hub.phi", "disc.phi"}, 1e-3);
}

TEST_CASE("two bodies at a contact that let go together, the one that falls first: light limit") {
  check_light_limit(rack_and_slider, 2, {"slider.s", "body.s"}, 1e-3);
}

}  // namespace luztar::test
