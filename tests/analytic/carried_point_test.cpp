// Massless bodies that nothing but an edge of freeplay moves: it takes them along, and leaves them
// where it turns back. Against closed forms, and against a little friction.
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

/// A play operator: the position at t of what starts at zero and is kept within +-half of 0.1 sin
/// t.
double within_play(double half, double t) {
  const double amplitude = 0.1, end = amplitude - half;
  const double motor = amplitude * std::sin(t);
  if (t < kPi / 2) return std::max(motor - half, 0.0);
  if (t < 1.5 * kPi) return std::min(motor + half, end);
  return std::max(motor - half, -end);
}

}  // namespace

TEST_CASE("an edge of freeplay takes massless wheels along in one direction alone") {
  for (const std::string stiffness : {"60", "inf"}) {
    CAPTURE(stiffness);
    const Model model("wheels.ltm", R"(
model Wheels
  Rotational.Position motor;
  Rotational.FreeplaySpring mesh1(k = )" +
                                        stiffness + R"(, half_freeplay = 0.02);
  Rotational.FreeplaySpring mesh2(k = )" +
                                        stiffness + R"(, half_freeplay = 0.03);
  Rotational.Inertia rotor(J = 1), wheel1(J = 0), wheel2(J = 0);
  Rotational.Brake brake1(mu_pos = 1, fn_max = 1), brake2(mu_pos = 1, fn_max = 1);
equation
  brake1.f_normalized = if time < 8 then 0 else 1;
  brake2.f_normalized = if time < 8 then 0 else 1;
  motor.phi_ref = 0.1*sin(time);
  connect(motor.flange, rotor.flange_a);
  connect(rotor.flange_b, mesh1.flange_a);
  connect(mesh1.flange_b, wheel1.flange_a);
  connect(wheel1.flange_b, mesh2.flange_a);
  connect(mesh2.flange_b, wheel2.flange_a);
  connect(wheel1.flange_b, brake1.flange_a);
  connect(wheel2.flange_b, brake2.flange_a);
end Wheels;
)");
    check_column_between(model, 7.5, "wheel1.phi", {},
                         [](double t) { return within_play(0.02, t); });
    check_column_between(model, 7.5, "wheel2.phi", {},
                         [](double t) { return within_play(0.05, t); });
  }
}

// The gear wheel has as good as no friction on its bearing, and none, while its clutch is open.
TEST_CASE("an open clutch leaves a massless gear wheel in its backlash") {
  for (const std::string stiffness : {"60", "inf"}) {
    CAPTURE(stiffness);
    const auto load_of = [&](const std::string& friction) {
      const Model model("clutch.ltm", R"(
model Clutch
  Rotational.Position motor;
  Rotational.FreeplaySpring mesh(k = )" + stiffness +
                                          R"(, half_freeplay = 0.02);
  Rotational.Inertia wheel(J = 0), load(J = 1);
  Rotational.BearingFriction bearing(tau0 = )" +
                                          friction + R"();
  Rotational.Clutch clutch(mu_pos = 1, fn_max = 1);
equation
  motor.phi_ref = 0.1*sin(2*time);
  clutch.f_normalized = if time < 0.5 then 1 elseif time < 1.2 then 0 else 1;
  connect(motor.flange, mesh.flange_a);
  connect(mesh.flange_b, wheel.flange_a);
  connect(wheel.flange_b, bearing.flange_a);
  connect(wheel.flange_b, clutch.flange_a);
  connect(clutch.flange_b, load.flange_a);
end Clutch;
)");
      const Simulation run = simulate(model, TaylorOptions{0, 1.5, 0.1, 1e-11, false});
      REQUIRE(run.report.reason == StopReason::kDone);
      return run.column(model, "load.phi");
    };
    const std::vector<double> none = load_of("0"), little = load_of("1e-9");
    REQUIRE(none.size() == little.size());
    for (std::size_t i = 0; i < none.size(); ++i) CHECK(std::fabs(none[i] - little[i]) < 1e-8);
  }
}

}  // namespace luztar::test
