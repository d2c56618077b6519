// The right-hand side of the gear train, P1, and its simplifications: equal to the printed formulas
// to 1e-12 relative, at random states and parameters, in every zone and every friction mode. The
// model is compiled once: parameters change at run time.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/model.h"
#include "tests/support/paper_formulas.h"
#include "tests/support/probe.h"
#include "tests/support/random_draws.h"

namespace luztar::test {

namespace {

const Names kPsi = {"motor.phi", "motor_bearing.phi"};
const Names kPsiDot = {"motor.w", "motor_bearing.w"};
const Names kDelta = {"pinion.phi", "pinion_bearing.phi"};
const Names kDeltaDot = {"pinion.w", "pinion_bearing.w"};
const Names kGamma = {"wheel.phi", "wheel_bearing.phi"};
const Names kGammaDot = {"wheel.w", "wheel_bearing.w"};
const Names kPhi = {"load.phi", "load_bearing.phi"};
const Names kPhiDot = {"load.w", "load_bearing.w"};

/// Random parameters, state and torques of the gear train.
struct GearTrainDraw {
  GearTrainParameters p;
  GearTrainState x;
  GearTrainModes mode;
  double M_psi = 0, M_phi = 0, time = 0;
  double A_psi = 0, A_phi = 0, f_psi = 0, f_phi = 0;

  explicit GearTrainDraw(RandomDraws& random) {
    p.I_psi = random.around(0.02), p.I_delta = random.around(1e-4);
    p.I_gamma = random.around(0.01), p.I_phi = random.around(0.9);
    p.mu_psi = random.around(0.4), p.mu_delta = random.around(0.2);
    p.mu_gamma = random.around(25), p.mu_phi = random.around(3);
    p.T_psi = random.around(0.12), p.T_delta = random.around(0.25);
    p.T_gamma = random.around(1.5), p.T_phi = random.around(5);
    p.k_psi_delta = random.around(90), p.k_delta_gamma = random.around(400),
    p.k_gamma_phi = random.around(3000);
    p.b_psi_delta = random.around(0.01), p.b_delta_gamma = random.around(0.02);
    p.b_gamma_phi = random.around(0.001);
    p.p = random.around(12);
    A_psi = random.around(3), f_psi = random.around(0.8), A_phi = random.around(6),
    f_phi = random.around(0.3);
    time = random.uniform(0, 8);
    mode = {random.mode(), random.mode(), random.mode(), random.mode()};
    x.phi = random.uniform(-0.1, 0.1);
    x.gamma = x.phi + p.b_gamma_phi * Real(random.uniform(-3, 3));
    x.delta = p.p * x.gamma + p.b_delta_gamma * Real(random.uniform(-3, 3));
    x.psi = x.delta + p.b_psi_delta * Real(random.uniform(-3, 3));
    // From here on the state is exact, whatever it was computed from.
    x.gamma = x.gamma.value, x.delta = x.delta.value, x.psi = x.psi.value;
    x.psi_dot = random.slip(mode.psi, 3), x.delta_dot = random.slip(mode.delta, 3);
    x.gamma_dot = random.slip(mode.gamma, 0.3), x.phi_dot = random.slip(mode.phi, 0.3);
    M_psi = sine(A_psi, f_psi, time), M_phi = sine(A_phi, f_phi, time);
  }

  /// Sets all parameters but those that selected a limit when the model was compiled.
  void use(Model& model) const {
    std::vector<std::pair<std::string, double>> values;
    for (const auto& [name, value] : std::initializer_list<std::pair<const char*, Real>>{
             {"motor.J", p.I_psi},
             {"pinion.J", p.I_delta},
             {"wheel.J", p.I_gamma},
             {"load.J", p.I_phi},
             {"motor_bearing.d", p.mu_psi},
             {"pinion_bearing.d", p.mu_delta},
             {"wheel_bearing.d", p.mu_gamma},
             {"load_bearing.d", p.mu_phi},
             {"motor_bearing.tau0", p.T_psi},
             {"pinion_bearing.tau0", p.T_delta},
             {"wheel_bearing.tau0", p.T_gamma},
             {"load_bearing.tau0", p.T_phi},
             {"motor_shaft.k", p.k_psi_delta},
             {"mesh.k", p.k_delta_gamma},
             {"load_shaft.k", p.k_gamma_phi},
             {"motor_shaft.half_freeplay", p.b_psi_delta},
             {"mesh.half_freeplay", p.b_delta_gamma},
             {"load_shaft.half_freeplay", p.b_gamma_phi},
             {"mesh.ratio", p.p},
             {"motor_signal.amplitude", A_psi},
             {"motor_signal.f", f_psi},
             {"load_signal.amplitude", A_phi},
             {"load_signal.f", f_phi}}) {
      const double compiled = model.system().parameters[model.parameter(name)];
      if (compiled != 0 && !std::isinf(compiled)) values.emplace_back(name, value.value);
    }
    model.set(values);
  }
};

}  // namespace

TEST_CASE("gear_train is the primary model of P1 sec. 4.1") {
  Model model = load_example("gear_train.ltm");
  REQUIRE(own_states(model) == 8);
  REQUIRE(model.system().frictions.size() == 4);
  RandomDraws random(8);
  Coverage motor_shaft, mesh, load_shaft, psi, delta, gamma, phi;
  for (int i = 0; i < kDraws; ++i) {
    const GearTrainDraw draw(random);
    const GearTrainState& x = draw.x;
    draw.use(model);
    Probe probe(model);
    probe[kPsi] = x.psi.value, probe[kPsiDot] = x.psi_dot.value;
    probe[kDelta] = x.delta.value, probe[kDeltaDot] = x.delta_dot.value;
    probe[kGamma] = x.gamma.value, probe[kGammaDot] = x.gamma_dot.value;
    probe[kPhi] = x.phi.value, probe[kPhiDot] = x.phi_dot.value;
    probe.modes_from_slips();
    probe.evaluate(draw.time);
    const auto a = gear_train(draw.p, x, draw.M_psi, draw.M_phi, draw.mode);
    probe.check_derivative(kPsi, x.psi_dot);
    probe.check_derivative(kDelta, x.delta_dot);
    probe.check_derivative(kGamma, x.gamma_dot);
    probe.check_derivative(kPhi, x.phi_dot);
    probe.check_derivative(kPsiDot, a[0]);
    probe.check_derivative(kDeltaDot, a[1]);
    probe.check_derivative(kGammaDot, a[2]);
    probe.check_derivative(kPhiDot, a[3]);
    motor_shaft.zone((x.psi - x.delta).value, draw.p.b_psi_delta.value);
    mesh.zone((x.delta - draw.p.p * x.gamma).value, draw.p.b_delta_gamma.value);
    load_shaft.zone((x.gamma - x.phi).value, draw.p.b_gamma_phi.value);
    psi.mode(draw.mode.psi), delta.mode(draw.mode.delta), gamma.mode(draw.mode.gamma),
        phi.mode(draw.mode.phi);
  }
  CHECK((motor_shaft.all_zones() && mesh.all_zones() && load_shaft.all_zones()));
  CHECK((psi.all_modes() && delta.all_modes() && gamma.all_modes() && phi.all_modes()));
}

TEST_CASE("gear_train_1 is P1 simplification 1") {
  Model model = load_example("gear_train_1.ltm");
  REQUIRE(own_states(model) == 6);
  RandomDraws random(9);
  Coverage motor_shaft, mesh, load_shaft, psi, phi, delta_rate, gamma_rate;
  for (int i = 0; i < kDraws; ++i) {
    const GearTrainDraw draw(random);
    const GearTrainState& x = draw.x;
    draw.use(model);
    Probe probe(model);
    probe[kPsi] = x.psi.value, probe[kPsiDot] = x.psi_dot.value;
    probe[kDelta] = x.delta.value, probe[kGamma] = x.gamma.value;
    probe[kPhi] = x.phi.value, probe[kPhiDot] = x.phi_dot.value;
    probe.modes_from_slips();
    probe.evaluate(draw.time);
    const auto d = gear_train_1(draw.p, x, draw.M_psi, draw.M_phi, draw.mode);
    probe.check_derivative(kPsi, x.psi_dot);
    probe.check_derivative(kPhi, x.phi_dot);
    probe.check_derivative(kPsiDot, d[0]);
    probe.check_derivative(kDelta, d[1]);
    probe.check_derivative(kGamma, d[2]);
    probe.check_derivative(kPhiDot, d[3]);
    motor_shaft.zone((x.psi - x.delta).value, draw.p.b_psi_delta.value);
    mesh.zone((x.delta - draw.p.p * x.gamma).value, draw.p.b_delta_gamma.value);
    load_shaft.zone((x.gamma - x.phi).value, draw.p.b_gamma_phi.value);
    psi.mode(draw.mode.psi), phi.mode(draw.mode.phi);
    delta_rate.zone(d[1].value, 0), gamma_rate.zone(d[2].value, 0);
  }
  CHECK((motor_shaft.all_zones() && mesh.all_zones() && load_shaft.all_zones()));
  CHECK((psi.all_modes() && phi.all_modes()));
  CHECK((delta_rate.all_zones() && gamma_rate.all_zones()));  // creeping both ways and at rest
}

TEST_CASE("gear_train_2 is P1 simplification 2") {
  Model model = load_example("gear_train_2.ltm");
  REQUIRE(own_states(model) == 4);
  RandomDraws random(10);
  Coverage zones, psi, phi;
  for (int i = 0; i < kDraws; ++i) {
    GearTrainDraw draw(random);
    GearTrainState& x = draw.x;
    draw.use(model);
    const Real b = draw.p.b_psi_delta + draw.p.b_delta_gamma + draw.p.p * draw.p.b_gamma_phi;
    x.psi = (draw.p.p * x.phi + b * Real(random.uniform(-3, 3))).value;
    Probe probe(model);
    probe[kPsi] = x.psi.value, probe[kPsiDot] = x.psi_dot.value;
    probe[kPhi] = x.phi.value, probe[kPhiDot] = x.phi_dot.value;
    probe.modes_from_slips();
    probe.evaluate(draw.time);
    const auto a = gear_train_2(draw.p, x, draw.M_psi, draw.M_phi, draw.mode);
    probe.check_derivative(kPsi, x.psi_dot);
    probe.check_derivative(kPhi, x.phi_dot);
    probe.check_derivative(kPsiDot, a[0]);
    probe.check_derivative(kPhiDot, a[1]);
    zones.zone((x.psi - draw.p.p * x.phi).value, b.value);
    psi.mode(draw.mode.psi), phi.mode(draw.mode.phi);
  }
  CHECK(zones.all_zones());
  CHECK((psi.all_modes() && phi.all_modes()));
}

TEST_CASE("gear_train_3 is P1 simplification 3") {
  Model model = load_example("gear_train_3.ltm");
  REQUIRE(own_states(model) == 4);
  REQUIRE(model.system().frictions.size() == 0);
  RandomDraws random(11);
  for (int i = 0; i < kDraws; ++i) {
    const GearTrainDraw draw(random);
    const GearTrainState& x = draw.x;
    draw.use(model);
    Probe probe(model);
    probe[kPsi] = x.psi.value, probe[kPsiDot] = x.psi_dot.value;
    probe[kPhi] = x.phi.value, probe[kPhiDot] = x.phi_dot.value;
    probe.evaluate(draw.time);
    const auto a = gear_train_3(draw.p, x, draw.M_psi, draw.M_phi);
    probe.check_derivative(kPsi, x.psi_dot);
    probe.check_derivative(kPhi, x.phi_dot);
    probe.check_derivative(kPsiDot, a[0]);
    probe.check_derivative(kPhiDot, a[1]);
  }
}

}  // namespace luztar::test
