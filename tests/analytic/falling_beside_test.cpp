// A damped body without inertia whose friction falls with speed, and others that follow it through
// dampers and dry frictions. Against closed forms, and against the limit of small inertias.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "tests/support/column_check.h"
#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

/// A ramp of force, up to 6 N and down to -6 N.
double ramp(double t) { return t < 6 ? t : 12 - t; }

/// The friction of the plate falls from 4 N at rest to 1 N at 2 m/s.
std::string plates(const std::string& between, const std::string& below, const std::string& mass) {
  return "model Plates\n  Translational.Mass plate(m = " + mass + "), other(m = " + mass + R"();
  Translational.StribeckFriction rail(f0 = 1, d_fall = 1.5, v0 = 2);
  Translational.SupportFriction oil(f0 = 0, d = )" +
         std::string(between.find("CrossFriction") == std::string::npos ? "0.5" : "0.9") + R"();
  Translational.Force pull;
  )" + between +
         ";\n  " + below + R"(;
equation
  pull.f = if time < 6 then time else 12 - time;
  connect(pull.flange, plate.flange_a);
  connect(rail.flange_a, plate.flange_a);
  connect(oil.flange_a, plate.flange_a);
  connect(plate.flange_b, between.flange_a);
  connect(between.flange_b, other.flange_a);
  connect(below.flange_a, other.flange_b);
end Plates;
)";
}

}  // namespace

// While the other plate stays the damping rises by 2.5 N.s/m, more than the friction falls: the
// plate slips from 4 N on. At 0.5 m/s the other one lets go; of the damping 0.9 N.s/m are left, and
// the plate goes on to 3 m/s. On its way back the other one stops it no more.
TEST_CASE("a follower that lets go lets the friction fall") {
  const std::string between = "Translational.Damper between(d = 2)";
  const std::string below = "Translational.SupportFriction below(f0 = 1, d = 0.5)";
  const Function plate = [](double t) {
    const double f = ramp(t);
    if (t < 4 || (t >= 8.4 && t < 16)) return 0.0;
    return t < 4.5 ? f - 4 : (f - 1.8) / 0.9;
  };
  const Function other = [&](double t) {
    const double v = plate(t);
    return v > 0.5 ? (2 * v - 1) / 2.5 : 0.0;
  };
  check_speeds(plates(between, below, "0"), 14, {{"plate", plate}, {"other", other}});
  const auto stages = run_stages("plates.ltm", plates(between, below, "0"), Stage::kExplicit);
  REQUIRE(stages->explicit_system->log.size() == 1);
  const ReductionEntry& follows = stages->explicit_system->log.front();
  CHECK(follows.rule == "falling friction beside others");
  CHECK(follows.result == "the bodies of 'below' follow that of 'rail' at once");
  check_light_limit([&](const std::string& mass) { return plates(between, below, mass); }, 14,
                    {"plate.s", "other.s"}, 1e-3);
}

// The friction between holds the plate to the other one, which the ground holds: with 1 N beside
// the 4 N of the rail.
TEST_CASE("frictions in series hold a body whose friction falls") {
  const std::string between = "Translational.CrossFriction between(f0 = 1)";
  const std::string below = "Translational.SupportFriction below(f0 = 2, d = 0.5)";
  const Function plate = [](double t) {
    const double f = ramp(t);
    if (t < 5 || (t >= 8.2 && t < 17)) return 0.0;
    return t < 17 ? (f - 2) / 0.9 : (f + 2) / 0.9;
  };
  const auto other = [](double) { return 0.0; };
  check_speeds(plates(between, below, "0"), 18, {{"plate", plate}, {"other", other}});
}

// Here the ground lets go first, at 0.6 N; but once the plate is beyond the fall the friction
// between slips, too.
TEST_CASE("a follower that is taken along, and left behind") {
  const std::string between = "Translational.CrossFriction between(f0 = 1)";
  const std::string below = "Translational.SupportFriction below(f0 = 0.6, d = 0.5)";
  const Function plate = [](double t) {
    const double f = ramp(t);
    if (t < 4.6 || (t >= 8.2 && t < 16.6)) return 0.0;
    return t < 16.6 ? (f - 2) / 0.9 : (f + 2) / 0.9;
  };
  const Function other = [&](double t) {
    const double v = plate(t);
    return v > 0 ? 0.8 : v < 0 ? -0.8 : 0.0;
  };
  check_speeds(plates(between, below, "0"), 17, {{"plate", plate}, {"other", other}});
  check_light_limit([&](const std::string& mass) { return plates(between, below, mass); }, 17,
                    {"plate.s", "other.s"}, 1e-3);
}

namespace {

/// A pinion without inertia between a heavy wheel and a rack, with frictions in series and a stop.
std::string train(const std::string& friction, const std::string& inertia) {
  return "model Train\n  Rotational.Inertia wheel(J = 0.8), pinion(J = " + inertia + R"();
  Translational.Mass rack(m = )" +
         inertia + "), slide(m = " + inertia + R"();
  Rotational.SpringDamper shaft(k = 30, d = 0.3);
  RotationalTranslational.RackPinion mesh(ratio = -4);
  Rotational.CrossFriction belt(tau0 = 0.3, d = 0.2);
  Rotational.)" +
         friction + R"(;
  Translational.Damper oil(d = 1.5);
  Translational.CrossFriction pad(f0 = 0.8);
  Translational.SupportFriction guide(f0 = 1.1, d = 0.7);
  Translational.HardStop stop(half_freeplay = 0.3, e = 0);
  Translational.Fixed wall;
  Rotational.Torque drive;
  Translational.Force load;
equation
  drive.tau = 6*sin(2.1*time);
  load.f = 5*sin(3.7*time);
  connect(drive.flange, wheel.flange_a);
  connect(wheel.flange_b, shaft.flange_a);
  connect(wheel.flange_b, belt.flange_a);
  connect(shaft.flange_b, pinion.flange_a);
  connect(belt.flange_b, pinion.flange_a);
  connect(bearing.flange_a, pinion.flange_b);
  connect(mesh.flangeR, pinion.flange_b);
  connect(mesh.flangeT, rack.flange_a);
  connect(rack.flange_b, oil.flange_a);
  connect(oil.flange_b, slide.flange_a);
  connect(rack.flange_b, pad.flange_a);
  connect(pad.flange_b, slide.flange_a);
  connect(guide.flange_a, slide.flange_b);
  connect(load.flange, slide.flange_b);
  connect(wall.flange, stop.flange_a);
  connect(stop.flange_b, slide.flange_b);
end Train;
)";
}

}  // namespace

TEST_CASE("a gear, frictions in series and a stop beside a friction that falls") {
  for (const std::string friction :
       {"StribeckFriction bearing(tau0 = 0.4, d = 0.1, d_fall = 1.5, w0 = 0.5)",
        "SmoothStribeckFriction bearing(tau0 = 0.4, tau0_static = 1.3, d = 0.1, w_s = 0.3)"}) {
    CAPTURE(friction);
    const Model model("train.ltm", train(friction, "0"));
    const Simulation run = audited_run(model, 6, 0.01);
    const Simulation bdf = simulate(model, CvodeOptions{0, 6, 0.01, 1e-10, false});
    REQUIRE(bdf.report.reason == StopReason::kDone);
    for (const std::string name : {"wheel.phi", "slide.s"}) {
      CHECK(std::fabs(bdf.column(model, name).back() - run.column(model, name).back()) <= 1e-5);
    }
    check_light_limit([&](const std::string& inertia) { return train(friction, inertia); }, 6,
                      {"wheel.phi", "pinion.phi"}, 5e-3);
  }
}

// At the end of its fall the slip of the last plate has no series, nor has the spring that the
// others are held against.
TEST_CASE("a slip that ends leaves no trace in what is decided elsewhere") {
  const Model model("apart.ltm", R"(
model Apart
  Translational.Mass m1(m = 0), m2(m = 0), m3(m = 0), m4(m = 0);
  Translational.SpringDamper shaft(k = 34.864, d = 0.137);
  Translational.CrossFriction pad12(f0 = 0.547), pad13(f0 = 0.902), belt3(f0 = 1.094);
  Translational.Damper oil(d = 0.958);
  Translational.FreeplaySpring play(k = 7.261, half_freeplay = 0.097);
  Translational.SupportFriction guide1(f0 = 0.068, d = 0.782), guide2(f0 = 0.62, d = 0.483);
  Translational.SupportFriction guide3(f0 = 0.278, d = 0.406), guide4(f0 = 0.399, d = 0.518);
  Translational.SmoothStribeckFriction falls(f0 = 0.759, f0_static = 1.041, d = 0.232, v_s = 0.237);
  Translational.Force pull1, pull2, pull3;
  Translational.Speed belt;
equation
  pull1.f = 3.36*sin(2.146*time);
  pull2.f = 2.79*sin(5.817*time);
  pull3.f = 1.815*sin(1.271*time);
  belt.v_ref = 0.889*sin(5.78*time)*cos(1.379*time);
  connect(pull1.flange, m1.flange_a);
  connect(pull2.flange, m2.flange_b);
  connect(pull3.flange, m3.flange_a);
  connect(m1.flange_b, shaft.flange_a);
  connect(shaft.flange_b, m2.flange_a);
  connect(m1.flange_a, pad12.flange_a);
  connect(pad12.flange_b, m2.flange_b);
  connect(m1.flange_a, pad13.flange_a);
  connect(pad13.flange_b, m3.flange_a);
  connect(m1.flange_a, oil.flange_a);
  connect(oil.flange_b, m3.flange_a);
  connect(m3.flange_a, play.flange_a);
  connect(play.flange_b, m4.flange_a);
  connect(belt.flange, belt3.flange_a);
  connect(belt3.flange_b, m3.flange_a);
  connect(m1.flange_a, guide1.flange_a);
  connect(m2.flange_a, guide2.flange_a);
  connect(m3.flange_a, guide3.flange_a);
  connect(m4.flange_b, guide4.flange_a);
  connect(m4.flange_a, falls.flange_a);
end Apart;
)");
  const Simulation run = audited_run(model, 3, 0.05);
  const Simulation bdf = simulate(model, CvodeOptions{0, 3, 0.05, 1e-10, false});
  REQUIRE(bdf.report.reason == StopReason::kDone);
  for (const std::string name : {"m1.s", "m2.s", "m3.s", "m4.s"}) {
    CHECK(std::fabs(bdf.column(model, name).back() - run.column(model, name).back()) <= 1e-6);
  }
}

}  // namespace luztar::test
