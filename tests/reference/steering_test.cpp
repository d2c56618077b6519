// The right-hand side of the steering mechanism, P4: equal to the printed formulas to 1e-12
// relative, at random states and parameters, in every zone and every friction mode. The model is
// compiled once: parameters change at run time.
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/support/model.h"
#include "tests/support/paper_formulas.h"
#include "tests/support/probe.h"
#include "tests/support/random_draws.h"

namespace luztar::test {

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
