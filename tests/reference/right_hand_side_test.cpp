// The compiled right-hand side of every example equals the printed formulas of its paper, to 1e-12
// relative, at random states and parameters, in every zone and every friction mode. The model is
// compiled once: parameters change at run time.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "tests/support/csv_table.h"
#include "tests/support/model.h"
#include "tests/support/paper_formulas.h"
#include "tests/support/probe.h"
#include "tests/support/random_draws.h"

namespace luztar::test {
namespace {

constexpr int kDraws = 2000;

double sine(double amplitude, double frequency, double time) {
  return amplitude * std::sin(2 * std::numbers::pi * frequency * time);
}

}  // namespace

// -----------------------------------------------------------------------------------------------------
// P2, single mass

TEST_CASE("single_mass is P2 sec. 2") {
  Model model = load_example("single_mass.ltm");
  REQUIRE(own_states(model) == 2);
  REQUIRE(model.system().frictions.size() == 1);
  RandomDraws random(1);
  Coverage seen;
  for (int i = 0; i < kDraws; ++i) {
    const SingleMassParameters p{random.around(2), random.around(0.8), random.around(4)};
    const double A = random.around(6), f = random.around(0.5), t = random.uniform(0, 4);
    model.set({{"body.m", p.M.value},
               {"ground.d", p.C.value},
               {"ground.f0", p.FT0.value},
               {"signal.amplitude", A},
               {"signal.f", f}});
    const int mode = random.mode();
    const double v = random.slip(mode, 5);
    Probe probe(model);
    probe[{"body.s", "ground.s"}] = random.uniform(-1, 1);
    probe[{"body.v", "ground.v"}] = v;
    probe.modes_from_slips();
    probe.evaluate(t);
    const double F = sine(A, f, t);
    probe.check_derivative({"body.s", "ground.s"}, v);
    probe.check_derivative({"body.v", "ground.v"}, single_mass_acceleration(p, F, v, mode));
    seen.mode(mode);
    seen.zone(F, p.FT0.value);
  }
  CHECK(seen.all_modes());
  CHECK(seen.all_zones());
}

TEST_CASE("single_mass_massless is P2 sec. 2 with M = 0") {
  Model model = load_example("single_mass_massless.ltm");
  REQUIRE(own_states(model) == 1);
  RandomDraws random(2);
  Coverage seen;
  for (int i = 0; i < kDraws; ++i) {
    const SingleMassParameters p{0.0, random.around(0.8), random.around(4)};
    const double A = random.around(6), f = random.around(0.5), t = random.uniform(0, 4);
    model.set({{"ground.d", p.C.value},
               {"ground.f0", p.FT0.value},
               {"signal.amplitude", A},
               {"signal.f", f}});
    Probe probe(model);
    probe[{"body.s", "ground.s"}] = random.uniform(-1, 1);
    probe.evaluate(t);
    probe.check_derivative({"body.s", "ground.s"}, single_mass_massless_velocity(p, sine(A, f, t)));
    seen.zone(sine(A, f, t), p.FT0.value);
  }
  CHECK(seen.all_zones());
}

// ------------------------------------------------------------------ P2 sec. 4 case 4, separation
// sheet

TEST_CASE("a massless sheet between a block and the ground is P2 sec. 4 case 4") {
  Model model("separation_sheet.ltm",
              read_text(project_dir() / "tests/golden/reduced/separation_sheet.ltm"));
  REQUIRE(own_states(model) == 3);
  REQUIRE(model.system().frictions.size() == 1);
  RandomDraws random(14);
  Coverage seen, stronger;
  for (int i = 0; i < kDraws; ++i) {
    SheetParameters p{random.around(1), random.around(0.8), random.around(3), random.around(1.5),
                      random.around(3)};
    if (i % 10 == 0) p.T20 = p.T12;
    const double A = random.around(8), f = random.around(0.7), t = random.uniform(0, 4);
    model.set({{"body.m", p.M1.value},
               {"upper.d", p.C12.value},
               {"upper.f0", p.T12.value},
               {"lower.d", p.C20.value},
               {"lower.f0", p.T20.value},
               {"signal.amplitude", A},
               {"signal.f", f}});
    const int mode = random.mode();
    const double v = random.slip(mode, 5);
    Probe probe(model);
    probe[{"body.s"}] = random.uniform(-1, 1);
    probe[{"body.v"}] = v;
    probe[{"sheet.s", "lower.s"}] = random.uniform(-1, 1);
    probe.modes_from_slips();
    probe.evaluate(t);
    probe.check_derivative({"body.s"}, v);
    probe.check_derivative({"body.v"}, sheet_block_acceleration(p, sine(A, f, t), v, mode));
    probe.check_derivative({"sheet.s", "lower.s"}, sheet_velocity(p, v));
    seen.mode(mode);
    stronger.zone(p.T12.value - p.T20.value, 0);
  }
  CHECK(seen.all_modes());
  CHECK(stronger.all_zones());
}

// --------------------------------------------------------------------------------------------------------
// P5, two mass

namespace {

/// Random parameters, state and forces of the two-mass system.
struct TwoMassDraw {
  TwoMassParameters p;
  TwoMassState x;
  double F1 = 0, F2 = 0, time = 0;
  int mode = 0;
  double A1 = 0, A2 = 0, f1 = 0, f2 = 0;

  explicit TwoMassDraw(RandomDraws& random) {
    p = {random.around(1.2),   random.around(3), random.around(800),
         random.around(0.004), random.around(2), random.around(4)};
    A1 = random.around(9), f1 = random.around(1.1), A2 = random.around(7), f2 = random.around(0.45);
    time = random.uniform(0, 8);
    mode = random.mode();
    const double z2 = random.uniform(-1, 1), v2 = random.uniform(-2, 2);
    x = {z2 + p.z0.value * random.uniform(-3, 3), v2 + random.slip(mode, 2), z2, v2};
    F1 = sine(A1, f1, time), F2 = sine(A2, f2, time);
  }

  void use_sines(Model& model) const {
    std::vector<std::pair<std::string, double>> values = {
        {"spring.k", p.K.value},    {"spring.half_freeplay", p.z0.value},
        {"friction.d", p.C.value},  {"friction.f0", p.FT0.value},
        {"signal_1.amplitude", A1}, {"signal_1.f", f1},
        {"signal_2.amplitude", A2}, {"signal_2.f", f2}};
    // Masses that are 0 or inf selected a limit when the model was compiled.
    for (const char* mass : {"mass_1.m", "mass_2.m"}) {
      const double value = model.parameters()[model.parameter(mass)];
      if (value == 0 || std::isinf(value)) continue;
      values.emplace_back(mass, mass == std::string("mass_1.m") ? p.M1.value : p.M2.value);
    }
    model.set(values);
  }
};

const Names kZ1 = {"mass_1.s"};
const Names kV1 = {"mass_1.v"};
const Names kZ2 = {"mass_2.s"};
const Names kV2 = {"mass_2.v"};

Probe two_mass_probe(const Model& model, const TwoMassDraw& draw) {
  Probe probe(model);
  probe[kZ1] = draw.x.z1.value;
  probe[kV1] = draw.x.v1.value;
  probe[kZ2] = draw.x.z2.value;
  probe[kV2] = draw.x.v2.value;
  probe.modes_from_slips();
  probe.evaluate(draw.time);
  return probe;
}

}  // namespace

TEST_CASE("two_mass is P5 (25)-(26)") {
  Model model = load_example("two_mass.ltm");
  REQUIRE(own_states(model) == 4);
  REQUIRE(model.system().frictions.size() == 1);
  RandomDraws random(3);
  Coverage seen;
  for (int i = 0; i < kDraws; ++i) {
    const TwoMassDraw draw(random);
    draw.use_sines(model);
    const Probe probe = two_mass_probe(model, draw);
    const auto [a1, a2] = two_mass(draw.p, draw.x, draw.F1, draw.F2, draw.mode);
    probe.check_derivative(kZ1, draw.x.v1);
    probe.check_derivative(kZ2, draw.x.v2);
    probe.check_derivative(kV1, a1);
    probe.check_derivative(kV2, a2);
    seen.mode(draw.mode);
    seen.zone(draw.x.z1.value - draw.x.z2.value, draw.p.z0.value);
  }
  CHECK(seen.all_modes());
  CHECK(seen.all_zones());
}

TEST_CASE("zones and modes have the signs of the parts' own s_rel and v_rel") {
  const Model model = load_example("two_mass.ltm");
  for (const double sign : {-1.0, 1.0}) {
    Probe probe(model);
    probe[kZ1] = -0.1 * sign;  // s_rel = z2 - z1, v_rel = z2' - z1'
    probe[kV1] = -0.5 * sign;
    probe.modes_from_slips();
    probe.evaluate(0);
    probe.check_output("spring.zone", sign);
    probe.check_output("friction.mode", sign);
  }
}

TEST_CASE("two_mass with balanced or without forces is P5 (31)-(36)") {
  Model model = load_example("two_mass.ltm");
  RandomDraws random(4);
  Coverage seen;
  for (int i = 0; i < kDraws; ++i) {
    TwoMassDraw draw(random);
    draw.A1 = draw.A2 = 0;
    draw.use_sines(model);
    const auto [free1, free2] = two_mass_free(draw.p, draw.x, draw.mode);
    const Probe free = two_mass_probe(model, draw);
    free.check_derivative(kV1, free1);
    free.check_derivative(kV2, free2);

    // M2 F1 = M1 F2, at a quarter of the period and slip zero.
    draw.x.v1 = draw.x.v2;
    draw.f1 = draw.f2 = 1;
    draw.time = 0.25;
    draw.A1 = random.around(9);
    draw.A2 = draw.A1 * draw.p.M2.value / draw.p.M1.value;
    draw.use_sines(model);
    const auto [rest1, rest2] = two_mass_balanced(draw.p, draw.x, draw.A1, draw.A2);
    const Probe rest = two_mass_probe(model, draw);
    rest.check_derivative(kV1, rest1);
    rest.check_derivative(kV2, rest2);
    seen.zone(draw.x.z1.value - draw.x.z2.value, (draw.p.z0 + draw.p.FT0 / draw.p.K).value);
  }
  CHECK(seen.all_zones());
}

TEST_CASE("two_mass_blocked is P5 note 4, (39) and (40)") {
  Model model = load_example("two_mass_blocked.ltm");
  REQUIRE(own_states(model) == 2);
  REQUIRE(model.system().frictions.size() == 1);
  RandomDraws random(5);
  Coverage seen;
  for (int i = 0; i < kDraws; ++i) {
    TwoMassDraw draw(random);
    const double z1 = draw.p.z0.value * random.uniform(-3, 3), v1 = random.slip(draw.mode, 2);
    for (const bool forced : {true, false}) {
      if (!forced) draw.A1 = 0;
      draw.use_sines(model);
      Probe probe(model);
      probe[kZ1] = z1;
      probe[kV1] = v1;
      probe.modes_from_slips();
      probe.evaluate(draw.time);
      probe.check_derivative(kZ1, v1);
      probe.check_derivative(kV1,
                             two_mass_blocked(draw.p, z1, v1, forced ? draw.F1 : 0.0, draw.mode));
      probe.check_output("mass_2.s", 0.0);
      if (!forced && draw.mode == 0)
        probe.check_derivative(kV1, two_mass_blocked_free_at_rest(draw.p, z1));
    }
    seen.mode(draw.mode);
    seen.zone(z1, draw.p.z0.value);
  }
  CHECK(seen.all_modes());
  CHECK(seen.all_zones());
}

TEST_CASE("two_mass_massless is P5 note 5, (44) and (46)") {
  Model model = load_example("two_mass_massless.ltm");
  REQUIRE(own_states(model) == 3);
  RandomDraws random(6);
  Coverage seen;
  for (int i = 0; i < kDraws; ++i) {
    const TwoMassDraw draw(random);
    draw.use_sines(model);
    Probe probe(model);
    probe[kZ1] = draw.x.z1.value;
    probe[kZ2] = draw.x.z2.value;
    probe[kV2] = draw.x.v2.value;
    probe.evaluate(draw.time);
    const Real velocity =
        two_mass_massless_velocity(draw.p, draw.x.z1, draw.x.z2, draw.x.v2, draw.F1);
    probe.check_derivative(kZ1, velocity);
    probe.check_derivative(kZ2, draw.x.v2);
    probe.check_derivative(kV2, two_mass_massless_acceleration(draw.p, draw.F1, draw.F2));
    probe.check_output("mass_1.v", velocity);
    seen.zone(draw.x.z1.value - draw.x.z2.value, draw.p.z0.value);
    seen.mode((velocity.value > draw.x.v2.value) - (velocity.value < draw.x.v2.value));
  }
  CHECK(seen.all_zones());
  CHECK(seen.all_modes());
}

TEST_CASE("two_mass_massless_blocked is P5 note 6, (48)-(50)") {
  Model model = load_example("two_mass_massless_blocked.ltm");
  REQUIRE(own_states(model) == 1);
  RandomDraws random(7);
  Coverage seen;
  for (int i = 0; i < kDraws; ++i) {
    TwoMassDraw draw(random);
    const double z1 = (draw.p.z0 + draw.p.FT0 / draw.p.K).value * random.uniform(-3, 3);
    for (const bool forced : {true, false}) {
      if (!forced) draw.A1 = 0;
      draw.use_sines(model);
      Probe probe(model);
      probe[kZ1] = z1;
      probe.evaluate(draw.time);
      probe.check_derivative(kZ1, forced ? two_mass_massless_blocked(draw.p, z1, draw.F1)
                                         : two_mass_massless_blocked_free(draw.p, z1));
    }
    seen.zone(z1, draw.p.z0.value);
  }
  CHECK(seen.all_zones());
}

// ------------------------------------------------------------------------------------------------------
// P1, gear train

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

// --------------------------------------------------------------------------------------------------------
// P4, steering

namespace {

const Names kSteeringPsi = {"wheel.phi"};
const Names kSteeringPsiDot = {"wheel.w"};
const Names kSteeringDelta = {"pinion.phi", "damper.phi"};
const Names kPhi1 = {"road_wheel_l.phi", "kingpin_l.phi"};
const Names kPhi1Dot = {"road_wheel_l.w", "kingpin_l.w"};
const Names kPhi2 = {"road_wheel_r.phi", "kingpin_r.phi"};
const Names kPhi2Dot = {"road_wheel_r.w", "kingpin_r.w"};

/// P4 has further torques: the steering assistance on delta or gamma, and disturbances of the road
/// wheels.
constexpr const char* kLoadedSteering = R"(
model LoadedSteering
  extends Steering;
  Rotational.Torque assist_delta;
  Rotational.Torque assist_gamma;
  Rotational.Torque unbalance_l;
  Rotational.Torque unbalance_r;
  Blocks.Constant M_delta(k = 0.1);
  Blocks.Constant M_gamma(k = 0.1);
  Blocks.Constant M_phi1(k = 0.1);
  Blocks.Constant M_phi2(k = 0.1);
equation
  connect(M_delta.y, assist_delta.tau);
  connect(M_gamma.y, assist_gamma.tau);
  connect(M_phi1.y, unbalance_l.tau);
  connect(M_phi2.y, unbalance_r.tau);
  connect(assist_delta.flange, pinion.flange_a);
  connect(assist_gamma.flange, sector.flange_a);
  connect(unbalance_l.flange, road_wheel_l.flange_a);
  connect(unbalance_r.flange, road_wheel_r.flange_a);
end LoadedSteering;
)";

double ramp(double height, double duration, double start, double time) {
  if (time < start) return 0;
  return time < start + duration ? (time - start) * height / duration : height;
}

void check_steering(Model& model, bool loaded) {
  REQUIRE(own_states(model) == 7);
  REQUIRE(model.system().frictions.size() == 2);
  RandomDraws random(loaded ? 12 : 13);
  Coverage gear, delta_rate, left, right;
  for (int i = 0; i < kDraws; ++i) {
    SteeringParameters p;
    p.I_psi = random.around(0.035), p.I_phi1 = random.around(0.85), p.I_phi2 = random.around(0.85);
    p.K_psi_delta = random.around(75), p.mu_psi_delta = random.around(0.35);
    p.mu_delta = random.around(0.08), p.T_delta = random.around(0.3);
    p.K1 = random.around(21000), p.K2 = random.around(19000);
    p.n1 = random.around(1), p.n2 = random.around(1.05);
    p.p = random.around(16.5), p.freeplay = random.around(0.05);
    p.mu_phi1 = random.around(9), p.mu_phi2 = random.around(9);
    p.T_phi1 = random.around(2.7), p.T_phi2 = random.around(2.7);
    const double C1 = random.around(420), C2 = random.around(420);
    const double M_peak = random.around(3.2), t_ramp = random.around(0.4),
                 t_release = random.around(3);
    const double t = random.uniform(0, 6);
    std::vector<std::pair<std::string, double>> values = {{"wheel.J", p.I_psi.value},
                                                          {"road_wheel_l.J", p.I_phi1.value},
                                                          {"road_wheel_r.J", p.I_phi2.value},
                                                          {"column.k", p.K_psi_delta.value},
                                                          {"column.d", p.mu_psi_delta.value},
                                                          {"damper.d", p.mu_delta.value},
                                                          {"damper.tau0", p.T_delta.value},
                                                          {"rod_l.k", p.K1.value},
                                                          {"rod_r.k", p.K2.value},
                                                          {"linkage_l.ratio", p.n1.value},
                                                          {"linkage_r.ratio", p.n2.value},
                                                          {"gear.ratio", p.p.value},
                                                          {"gear.half_freeplay", p.freeplay.value},
                                                          {"kingpin_l.d", p.mu_phi1.value},
                                                          {"kingpin_r.d", p.mu_phi2.value},
                                                          {"kingpin_l.tau0", p.T_phi1.value},
                                                          {"kingpin_r.tau0", p.T_phi2.value},
                                                          {"aligning_l.k", C1},
                                                          {"aligning_r.k", C2},
                                                          {"M_peak", M_peak},
                                                          {"t_ramp", t_ramp},
                                                          {"t_release", t_release}};

    const int mode1 = random.mode(), mode2 = random.mode();
    SteeringState x;
    x.phi1 = random.uniform(-0.05, 0.05);
    x.phi2 = (p.n1 * x.phi1 / p.n2 + Real(random.uniform(-1e-3, 1e-3))).value;
    const Real g = (p.K1 * p.n1 * x.phi1 + p.K2 * p.n2 * x.phi2) / (p.K1 + p.K2);
    x.delta = (p.p * g + p.freeplay * Real(random.uniform(-3, 3))).value;
    x.psi = x.delta.value + random.uniform(-0.05, 0.05);
    x.psi_dot = random.uniform(-5, 5);
    x.phi1_dot = random.slip(mode1, 0.4), x.phi2_dot = random.slip(mode2, 0.4);

    SteeringLoads M;
    M.M_psi = ramp(M_peak, t_ramp, 0.2, t) + ramp(-M_peak, 0.05, t_release, t);
    M.M_phi1 = -C1 * x.phi1, M.M_phi2 = -C2 * x.phi2;
    if (loaded) {
      M.M_delta = random.uniform(-1, 1), M.M_gamma = random.uniform(-30, 30);
      const double m1 = random.uniform(-5, 5), m2 = random.uniform(-5, 5);
      M.M_phi1 = M.M_phi1 + m1, M.M_phi2 = M.M_phi2 + m2;
      values.insert(values.end(), {{"M_delta.k", M.M_delta.value},
                                   {"M_gamma.k", M.M_gamma.value},
                                   {"M_phi1.k", m1},
                                   {"M_phi2.k", m2}});
    }
    model.set(values);

    Probe probe(model);
    probe[kSteeringPsi] = x.psi.value, probe[kSteeringPsiDot] = x.psi_dot.value;
    probe[kSteeringDelta] = x.delta.value;
    probe[kPhi1] = x.phi1.value, probe[kPhi1Dot] = x.phi1_dot.value;
    probe[kPhi2] = x.phi2.value, probe[kPhi2Dot] = x.phi2_dot.value;
    probe.modes_from_slips();
    probe.evaluate(t);
    const SteeringDerivatives d = steering(p, x, M, mode1, mode2);
    probe.check_derivative(kSteeringPsi, x.psi_dot);
    probe.check_derivative(kPhi1, x.phi1_dot);
    probe.check_derivative(kPhi2, x.phi2_dot);
    probe.check_derivative(kSteeringPsiDot, d.psi_dot_dot);  // (46)
    probe.check_derivative(kSteeringDelta, d.delta_dot);     // (47)
    probe.check_derivative(kPhi1Dot, d.phi1_dot_dot);        // (48)
    probe.check_derivative(kPhi2Dot, d.phi2_dot_dot);        // (49)

    // (45) with K_delta_gamma -> inf: the eliminated angle of the gear's output, and the torque
    // through the gear.
    const Real g_loaded = g + M.M_gamma / (p.K1 + p.K2);
    probe.check_output("sector.phi", g_loaded + luz(x.delta / p.p - g_loaded, p.freeplay / p.p));
    probe.check_output("gear.flange_a.tau",
                       (p.K1 + p.K2) / (p.p * p.p) * luz(x.delta - p.p * g_loaded, p.freeplay));
    gear.zone((x.delta - p.p * g_loaded).value, p.freeplay.value);
    delta_rate.zone(d.delta_dot.value, 0);
    left.mode(mode1), right.mode(mode2);
  }
  CHECK((gear.all_zones() && delta_rate.all_zones()));
  CHECK((left.all_modes() && right.all_modes()));
}

}  // namespace

TEST_CASE("steering is P4 (46)-(49)") {
  Model model = load_example("steering.ltm");
  check_steering(model, false);
}

TEST_CASE("steering with assistance and disturbances is P4 (46)-(49)") {
  Model model("steering with loads", example_text("steering.ltm") + kLoadedSteering);
  check_steering(model, true);
}

}  // namespace luztar::test
