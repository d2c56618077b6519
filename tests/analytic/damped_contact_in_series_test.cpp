// Contacts at damped bodies without inertia, beside dry frictions in series on others that nothing
// damps: the balance of the former is one of velocities, that of the latter one of positions.
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

/// A slide, which friction brakes, takes a plate along from 0.1 m on; between the plate and the
/// ground there is a sheet.
struct PlateOnSheet {
  double upper, ground;  // friction of the sheet on the plate, and of the slide on the ground [N]

  static constexpr double kDamping = 0.5, kBearing = 0.2, kLower = 1;  // [N.s/m], [N], [N]
  double before = std::sqrt(1 - 0.2 * ground);                         // v^2 = 1 - 2 ground s
  double meets = ground == 0 ? 0.1 : (1 - before) / ground;
  double level = (std::min(upper, kLower) + kBearing + ground) / kDamping;
  double rests = meets + std::log((before + level) / level) / kDamping;

  [[nodiscard]] std::string text() const {
    return fmt::format(R"(
model PlateOnSheet
  Translational.Mass slide(m = 1, v(start = 1)), plate(m = 0), sheet(m = 0);
  Translational.HardStop stop(half_freeplay = 0.1, e = 0.5);
  Translational.SupportFriction bearing(d = 0.5, f0 = 0.2), lower(f0 = 1), rail(f0 = {});
  Translational.CrossFriction upper(f0 = {});
equation
  connect(slide.flange_a, rail.flange_a);
  connect(slide.flange_b, stop.flange_a);
  connect(stop.flange_b, plate.flange_a);
  connect(plate.flange_a, bearing.flange_a);
  connect(plate.flange_b, upper.flange_a);
  connect(upper.flange_b, sheet.flange_a);
  connect(sheet.flange_b, lower.flange_a);
end PlateOnSheet;
)",
                       ground, upper);
  }
  /// m v' = -(d v + the frictions) while both move.
  [[nodiscard]] double slide(double t) const {
    if (t < meets) return 1 - ground * t;
    return t < rests ? (before + level) * std::exp(-kDamping * (t - meets)) - level : 0;
  }
  [[nodiscard]] double plate(double t) const { return t < meets ? 0 : slide(t); }
  [[nodiscard]] double push(double t) const {
    if (t < meets || t > rests) return 0;
    return -(kDamping * slide(t) + kBearing + std::min(upper, kLower));
  }
};

/// The dry slider, which its friction holds, is taken along by the damped one.
std::string damped_and_dry(const std::string& mass) {
  return fmt::format(R"(
model DampedAndDry
  Translational.Mass body(m = 1, v(start = 1)), damped(m = {0}), dry(m = {0});
  Translational.Spring spring(k = 70);
  Translational.SupportFriction oil(d = 0.5, f0 = 1), rail(f0 = 1);
  Translational.HardStop stop(half_freeplay = 0.1);
equation
  connect(body.flange_b, spring.flange_a);
  connect(spring.flange_b, damped.flange_a);
  connect(damped.flange_a, oil.flange_a);
  connect(damped.flange_b, stop.flange_a);
  connect(stop.flange_b, dry.flange_a);
  connect(dry.flange_b, rail.flange_a);
end DampedAndDry;
)",
                     mass);
}

/// Two bodies that friction joins, also by way of a ring between them; one of them meets a damped
/// wheel that a spring holds to the other.
std::string wheel_and_ring(const std::string& inertia) {
  return fmt::format(R"(
model WheelAndRing
  Rotational.Inertia b0(J = 0.93, w(start = -0.5)), b1(J = 0.63, w(start = -1.8)), wheel(J = {0}), ring(J = {0});
  Rotational.CrossFriction sleeve(tau0 = 0.75), both(tau0 = 1);
  Rotational.BearingFriction seat(tau0 = 1.25), oil(tau0 = 0.8, d = 0.32), bearing_0(tau0 = 1.8), bearing_1(tau0 = 2);
  Rotational.Spring joint(k = 48), holder(k = 34);
  Rotational.HardStop stop(half_freeplay = 0.16);
  Rotational.Torque drive_0, drive_1;
  Blocks.Sine signal_0(amplitude = 2.2, f = 0.62), signal_1(amplitude = 5, f = 0.44);
equation
  connect(b0.flange_b, sleeve.flange_a);
  connect(sleeve.flange_b, ring.flange_a);
  connect(ring.flange_b, seat.flange_a);
  connect(ring.flange_b, joint.flange_a);
  connect(joint.flange_b, b1.flange_a);
  connect(b1.flange_b, stop.flange_a);
  connect(stop.flange_b, wheel.flange_a);
  connect(wheel.flange_b, oil.flange_a);
  connect(wheel.flange_b, holder.flange_a);
  connect(holder.flange_b, b0.flange_a);
  connect(b0.flange_b, both.flange_a);
  connect(both.flange_b, b1.flange_a);
  connect(b0.flange_b, bearing_0.flange_a);
  connect(b1.flange_b, bearing_1.flange_a);
  connect(drive_0.flange, b0.flange_a);
  connect(drive_1.flange, b1.flange_a);
  connect(signal_0.y, drive_0.tau);
  connect(signal_1.y, drive_1.tau);
end WheelAndRing;
)",
                     inertia);
}

}  // namespace

TEST_CASE(
    "a slide takes a plate along, and the sheet below it where that holds less to the ground") {
  for (const double upper : {2.0, 0.6}) {
    for (const double ground : {0.0, 0.3}) {
      CAPTURE(upper);
      CAPTURE(ground);
      const PlateOnSheet expected{upper, ground};
      const Model model("plate.ltm", expected.text());
      const std::vector<double> changes{expected.meets, expected.rests};
      const auto check = [&](const char* column, const Function& value) {
        check_column_between(model, expected.rests + 0.2, column, changes, value);
      };
      check("slide.v", [&](double t) { return expected.slide(t); });
      check("plate.v", [&](double t) { return expected.plate(t); });
      check("sheet.v",
            [&](double t) { return upper > PlateOnSheet::kLower ? expected.plate(t) : 0; });
      check("stop.f", [&](double t) { return expected.push(t); });
    }
  }
}

TEST_CASE("a contact between a damped body and one that dry friction holds: the light limit") {
  check_light_limit(damped_and_dry, 1, {"body.s", "damped.s", "dry.s"}, 2e-5);
}

TEST_CASE(
    "a contact that closes while others, in series with dry frictions, go on: the light limit") {
  check_light_limit(wheel_and_ring, 2, {"b0.phi", "b1.phi", "wheel.phi"}, 5e-3);
}

}  // namespace luztar::test
