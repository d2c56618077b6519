// What rounding and the errors of steps leave of slips, rates and edges of massless bodies decides
// nothing: neither solver nor tolerance nor order of declaration changes the motion.
#include <doctest/doctest.h>

#include "tests/support/placed_parts.h"
#include "tests/support/solver_agreement.h"

namespace luztar::test {
namespace {

/// A damped spring on a massless body that slides on a bearing.
std::vector<PlacedPart> relaxing_spring(const std::string& bearing) {
  return {
      {"Rotational.Inertia body2(J = 0)"},
      {"Rotational.Fixed ground"},
      load("Blocks.Sine signal0(amplitude = 2, f = 2.74123)", "torque0", "body0"),
      {"Rotational.FreeplaySpring link1(k = 50.4, half_freeplay = 0.02)", "body0", "body1"},
      {"Rotational.Inertia body0(J = 0.1)"},
      {"Rotational.Inertia body1(J = 0)"},
      load("Blocks.Ramp signal2(height = 4.908, duration = 0.4)", "torque2", "body2"),
      {"Rotational.Inertia body3(J = 0.0424)"},
      {"Rotational.BearingFriction bearing0(d = 0.8846, tau0 = 0)", "body0"},
      {"Rotational.Spring link0(k = 100)", "ground", "body0"},
      {"Rotational.BearingFriction bearing2(" + bearing + ")", "body2"},
      load("Blocks.Sine signal1(amplitude = 1.23, f = 2.5)", "torque1", "body1"),
      {"Rotational.SpringDamper link2(k = 177.8, d = 0.7918)", "body1", "body2"},
  };
}

}  // namespace

// The frictions on the massless body are held with rates of the hub's terms, of which high orders
// leave 1e-14. That is no slip of the massless body, whose own rates are zero.
TEST_CASE("a massless body that frictions in series hold does not move by the rounding of others") {
  check_agrees(
      Model("agrees",
            model_text({
                {"Rotational.Inertia body0(J = 0.1169)"},
                {"Rotational.Inertia body1(J = 0)"},
                {"Rotational.IdealGear link1(ratio = -2.5)", "body0", "body1"},
                {"Rotational.BearingFriction bearing1(d = 0, tau0 = 0.2705, tau0_static = 0.4705)",
                 "body1"},
                load("Blocks.Sine signal1(amplitude = 0.666, f = 2.5)", "torque1", "body1"),
                {"Rotational.Inertia body3(J = 0)"},
                {"Rotational.GearPair link3(ratio = -1, k = 218.9, half_freeplay = 0.02)", "body0",
                 "body3"},
                {"Rotational.CrossFriction cross3(d = 0, tau0 = 0.5)", "body0", "body3"},
                {"Rotational.BearingFriction bearing3(d = 0.1002, tau0 = 0.5)", "body3"},
                load("Blocks.Sine signal3(amplitude = 2, f = 0.559409)", "torque3", "body3"),
                {"Rotational.Inertia body4(J = 0)"},
                {"Rotational.SpringDamper link4(k = 100, d = 0.2)", "body3", "body4"},
                {"Rotational.BearingFriction bearing4(d = 0, tau0 = 0.1465)", "body4"},
            })));
}

// The damped spring has relaxed but for the errors of steps: its speed is dropped as such from the
// travel of the friction, and the slip is not what is left without it.
TEST_CASE("a massless body stops where what is dropped from its drives would have it slip") {
  check_agrees(
      Model("agrees", model_text(relaxing_spring("d = 0, tau0 = 1.5315, tau0_static = 1.5879"))));
}

// The same at a bound that is reached with a zero rate.
TEST_CASE("a friction at its bound does not leave it by what is dropped from its drives") {
  check_agrees(
      Model("agrees", model_text(relaxing_spring("d = 0, tau0 = 1.5315"), "0.98969072164948457")));
}

// The spring rides at its edge without force. A position next to the edge would be a force on the
// damped body, which takes the spring off its edge, and lets it touch again.
TEST_CASE("a spring that only touches a massless body does not move what is damped") {
  check_agrees(Model(
      "agrees",
      model_text({
          {"Rotational.Inertia body1(J = 0.029)"},
          {"Rotational.IdealGear link1(ratio = -1)", "body0", "body1"},
          {"Rotational.FreeplaySpring link7(k = 100, half_freeplay = 0.02)", "body6", "body7"},
          {"Rotational.Inertia body0(J = 0.1)"},
          {"Rotational.SpringDamper link6(k = 100, d = 0.301)", "body5", "body6"},
          {"Rotational.BearingFriction bearing6(d = 0, tau0 = 0.5)", "body6"},
          {"Rotational.Inertia body6(J = 0)"},
          {"Rotational.BearingFriction bearing0(d = 0, tau0 = 1.177)", "body0"},
          {"Rotational.FreeplaySpring link4(k = 281.9, half_freeplay = 0.02)", "body0", "body4"},
          {"Rotational.Inertia body7(J = 0)"},
          {"Rotational.GearPair link5(ratio = 2, k = 35.1, half_freeplay = 0.05242)", "body1",
           "body5"},
          {"Rotational.Inertia body5(J = 0)"},
          {"Rotational.Inertia body4(J = 0.0459)"},
          load("Blocks.Sine signal4(amplitude = 4.098, f = 2.5)", "torque4", "body4"),
      })));
}

// What rounding leaves of its slip has a rate of decay of 1105/s: greater than the rounding of the
// first rate, which the neighbour, at rest, does not contribute to.
TEST_CASE("a massless body that tends to rest slides on when its neighbour breaks away") {
  check_agrees(Model(
      "agrees",
      model_text({
          {"Rotational.Inertia body0(J = 0.1)"},
          load("Blocks.Ramp signal0(height = 6.774, duration = 0.4)", "torque0", "body0"),
          {"Rotational.Inertia body1(J = 0.028)"},
          {"Rotational.FreeplaySpring link1(k = 23.4, half_freeplay = 0.02)", "body0", "body1"},
          {"Rotational.BearingFriction bearing1(d = 0.2, tau0 = 0)", "body1"},
          load("Blocks.Sine signal1(amplitude = 1.492, f = 0.785669)", "torque1", "body1"),
          {"Rotational.Inertia body2(J = 0.3387)"},
          {"Rotational.IdealGear link2(ratio = -1)", "body1", "body2"},
          {"Rotational.Inertia body3(J = 0.0878, w(start = 0.5))"},
          {"Rotational.FreeplaySpring link3(k = 100, half_freeplay = 0.021)", "body0", "body3"},
          {"Rotational.BearingFriction bearing3(d = 0.1582, tau0 = 0.6415)", "body3"},
          load("Blocks.Sine signal3(amplitude = 0.362, f = 5.81395)", "torque3", "body3"),
          {"Rotational.Inertia body4(J = 0.1, phi(start = 0.05), w(start = 0.9965))"},
          {"Rotational.FreeplaySpring link4(k = 100, half_freeplay = 0.05618)", "body0", "body4"},
          {"Rotational.BearingFriction bearing4(d = 0.2, tau0 = 0)", "body4"},
          load("Blocks.Sine signal4(amplitude = 8.224, f = 2.5)", "torque4", "body4"),
          {"Rotational.Inertia body5(J = 0.1007)"},
          {"Rotational.Spring link5(k = 100)", "body4", "body5"},
          {"Rotational.BearingFriction bearing5(d = 0, tau0 = 1.993)", "body5"},
          load("Blocks.Sine signal5(amplitude = 2, f = 2.5)", "torque5", "body5"),
          {"Rotational.Inertia body6(J = 0.1)"},
          load("Blocks.Ramp signal6(height = 2, duration = 0.1144)", "torque6", "body6"),
          {"Rotational.Inertia body7(J = 0)"},
          {"Rotational.Spring link7(k = 221.1)", "body3", "body7"},
          {"Rotational.BearingFriction bearing7(d = 0.2, tau0 = 0.5, tau0_static = 1.231)",
           "body7"},
      })));
}

// The spring between them has relaxed, so the two stop together, and the friction holds with T_S:
// rounding says which slip ends first, and what is left of the other has not to do with its bound.
TEST_CASE("a massless body holds with T_S where it comes to rest with the body it moves with") {
  check_agrees(Model(
      "agrees",
      model_text({
          {"Rotational.Inertia body0(J = 0)"},
          {"Rotational.FreeplaySpring link0(k = 100, half_freeplay = 0.02)", "ground", "body0"},
          {"Rotational.Inertia body1(J = 0.1, phi(start = 0.20995))"},
          {"Rotational.FreeplaySpring link1(k = 20.3, half_freeplay = 0.00524)", "body0", "body1"},
          {"Rotational.BearingFriction bearing1(d = 0, tau0 = 0.401)", "body1"},
          {"Rotational.Inertia body2(J = 0)"},
          {"Rotational.SpringDamper link2(k = 387.7, d = 0.2)", "body1", "body2"},
          {"Rotational.BearingFriction bearing2(d = 0, tau0 = 0.3125, tau0_static = 0.5275)",
           "body2"},
          {"Rotational.Inertia body3(J = 0, phi(start = 0.05), w(start = 0.6285))"},
          {"Rotational.FreeplaySpring link3(k = 163, half_freeplay = 0.02)", "body1", "body3"},
          {"Rotational.Inertia body4(J = 0.4317, w(start = 0.5))"},
          {"Rotational.CrossFriction cross4(d = 0.2, tau0 = 0.5)", "body1", "body4"},
          load("Blocks.Sine signal4(amplitude = 1.632, f = 2.5)", "torque4", "body4"),
          {"Rotational.Inertia body5(J = 0.1)"},
          {"Rotational.IdealGear link5(ratio = 0.5)", "body3", "body5"},
          {"Rotational.Inertia body6(J = 0)"},
          {"Rotational.CrossFriction cross6(d = 0.2, tau0 = 0.5)", "body5", "body6"},
          {"Rotational.BearingFriction bearing6(d = 0.076, tau0 = 0.5)", "body6"},
          {"Rotational.Fixed ground"},
      })));
}

// body5 tends to rest on body1, which turns round: held to it by a force to the other side, it is
// at rest there, with T_S for what follows. Its friction on the ground is equal to the T_K of
// cross5.
TEST_CASE("a massless body turns round with the one on which it tends to rest") {
  check_agrees(Model("turns_together", R"(
model TurnsTogether
  Rotational.Inertia body0(J = 0);
  Rotational.FreeplaySpring link0(k = 210.7, half_freeplay = 0.02);
  Rotational.BearingFriction bearing0(d = 0.2, tau0 = 0);
  Blocks.Sine signal0(amplitude = 2, f = 2.5);
  Rotational.Torque torque0;
  Rotational.Inertia body1(J = 0.1, phi(start = 0.1315), w(start = 0.472));
  Rotational.Spring link1(k = 104.6);
  Rotational.BearingFriction bearing1(d = 0, tau0 = 0.5, tau0_static = 0.6196);
  Blocks.Step signal1(height = 2, startTime = 0.4);
  Rotational.Torque torque1;
  Rotational.Inertia body2(J = 0.1, phi(start = 0.11095));
  Rotational.Spring link2(k = 26.5);
  Rotational.BearingFriction bearing2(d = 0.2, tau0 = 0);
  Blocks.Sine signal2(amplitude = 2, f = 2.94811);
  Rotational.Torque torque2;
  Rotational.Inertia body3(J = 0.1149, phi(start = 0.05));
  Rotational.GearPair link3(ratio = -2.5, k = 100, half_freeplay = 0.02);
  Rotational.CrossFriction cross3(d = 0.2, tau0 = 1.8725);
  Rotational.BearingFriction bearing3(d = 0, tau0 = 0.1505);
  Blocks.Ramp signal3(height = 1.882, duration = 0.4);
  Rotational.Torque torque3;
  Rotational.Inertia body4(J = 0.1);
  Rotational.IdealGear link4(ratio = 2);
  Rotational.BearingFriction bearing4(d = 0.2, tau0 = 0);
  Rotational.Inertia body5(J = 0);
  Rotational.SpringDamper link5(k = 59.8, d = 0.051);
  Rotational.CrossFriction cross5(d = 0, tau0 = 0.5, tau0_static = 0.5954);
  Rotational.BearingFriction bearing5(d = 0, tau0 = 0.5);
  Blocks.Step signal5(height = 1.426, startTime = 0.4756);
  Rotational.Torque torque5;
  Rotational.Fixed ground;
equation
  connect(link0.flange_b, body0.flange_a);
  connect(link0.flange_a, ground.flange);
  connect(bearing0.flange_a, body0.flange_b);
  connect(signal0.y, torque0.tau);
  connect(torque0.flange, body0.flange_b);
  connect(link1.flange_b, body1.flange_a);
  connect(link1.flange_a, body0.flange_b);
  connect(bearing1.flange_a, body1.flange_b);
  connect(signal1.y, torque1.tau);
  connect(torque1.flange, body1.flange_b);
  connect(link2.flange_b, body2.flange_a);
  connect(link2.flange_a, body1.flange_b);
  connect(bearing2.flange_a, body2.flange_b);
  connect(signal2.y, torque2.tau);
  connect(torque2.flange, body2.flange_b);
  connect(link3.flange_b, body3.flange_a);
  connect(link3.flange_a, body1.flange_b);
  connect(cross3.flange_b, body3.flange_a);
  connect(cross3.flange_a, body1.flange_b);
  connect(bearing3.flange_a, body3.flange_b);
  connect(signal3.y, torque3.tau);
  connect(torque3.flange, body3.flange_b);
  connect(link4.flange_b, body4.flange_a);
  connect(link4.flange_a, body3.flange_b);
  connect(bearing4.flange_a, body4.flange_b);
  connect(link5.flange_b, body5.flange_a);
  connect(link5.flange_a, body1.flange_b);
  connect(cross5.flange_b, body5.flange_a);
  connect(cross5.flange_a, body1.flange_b);
  connect(bearing5.flange_a, body5.flange_b);
  connect(signal5.y, torque5.tau);
  connect(torque5.flange, body5.flange_b);
  annotation(experiment(StopTime = 1));
end TurnsTogether;
)"));
}

}  // namespace luztar::test
