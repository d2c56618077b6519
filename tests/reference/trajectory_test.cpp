// Trajectories of the examples against independent solutions of the papers' systems: Taylor at
// tolerance 1e-10 within 1e-7 of the peak, Euler with h = 1e-5 within 2e-3. NAME.json holds the
// parameters, NAME.csv the solution each 0.01 s. All SI, symbols as in the papers.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/csv_table.h"
#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

using NamePairs =
    std::vector<std::pair<std::string, std::string>>;  // symbol of the paper, name in the model

/// Bounds of the error relative to the peak.
struct Bounds {
  double euler = 2e-3;
  double taylor = 1e-7;
};

/// The reference solution and the simulations of the example of the same system.
struct Comparison {
  Model model;
  CsvTable reference;
  Simulation euler, taylor;

  Comparison(const std::string& system, const NamePairs& parameters,
             const std::string& example = "")
      : model(load_example((example.empty() ? system : example) + ".ltm")),
        reference(read_csv(project_dir() / "tests/reference" / (system + ".csv"))) {
    const auto data =
        nlohmann::json::parse(read_text(project_dir() / "tests/reference" / (system + ".json")));
    for (const auto& [symbol, name] : parameters) {
      INFO(symbol, " = ", name);
      CHECK(model.parameters()[model.parameter(name)] == data["parameters"][symbol].get<double>());
    }
    const double stop = data["stop"].get<double>();
    EulerOptions options;
    options.stop = stop;
    euler = simulate(model, options);
    taylor = simulate(model, TaylorOptions{0, stop, 0.01, 1e-10, false});
    for (const Simulation* simulation : {&euler, &taylor}) {
      REQUIRE(simulation->report.reason == StopReason::kDone);
      REQUIRE(simulation->time.size() == reference.row_count());
    }
    changes = data["stick_slip_events"].size();
  }
  std::size_t changes = 0;  // stick-slip changes and reversals of the reference

  static std::size_t total(const Simulation& simulation) {
    std::size_t sum = 0;
    for (const std::uint64_t count : simulation.report.changes) sum += count;
    return sum;
  }
  void check_changes() const {
    CHECK(total(euler) == changes);
    CHECK(total(taylor) == changes);
  }

  /// The greatest error of a column, relative to the peak of the reference, is within bounds.
  void check(const std::string& symbol, const std::string& name, Bounds bounds = {}) const {
    check(symbol, name, euler, bounds.euler);
    check(symbol, name, taylor, bounds.taylor);
  }
  void check(const std::string& symbol, const std::string& name, const Simulation& simulation,
             double bound) const {
    const std::vector<double>& expected = reference.column(symbol);
    const std::vector<double>& computed = simulation.column(model, name);
    double error = 0, peak = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      error = std::max(error, std::abs(computed[i] - expected[i]));
      peak = std::max(peak, std::abs(expected[i]));
    }
    INFO(symbol, " = ", name, ": greatest error ", error, " at a peak of ", peak);
    CHECK(error < bound * peak);
  }
};

const NamePairs kGearTrainParameters = {
    {"J_psi", "motor.J"},
    {"J_phi", "load.J"},
    {"k_psi_delta", "motor_shaft.k"},
    {"k_delta_gamma", "mesh.k"},
    {"k_gamma_phi", "load_shaft.k"},
    {"b_psi_delta", "motor_shaft.half_freeplay"},
    {"b_delta_gamma", "mesh.half_freeplay"},
    {"b_gamma_phi", "load_shaft.half_freeplay"},
    {"p", "mesh.ratio"},
    {"d_psi", "motor_bearing.d"},
    {"T_psi", "motor_bearing.tau0"},
    {"d_phi", "load_bearing.d"},
    {"T_phi", "load_bearing.tau0"},
    {"A_psi", "motor_signal.amplitude"},
    {"f_psi", "motor_signal.f"},
    {"A_phi", "load_signal.amplitude"},
    {"f_phi", "load_signal.f"},
};

}  // namespace

TEST_CASE("steering follows the reference solution of P4 (46)-(49)") {
  const Comparison run("steering", {{"J_psi", "wheel.J"},
                                    {"J_phi1", "road_wheel_l.J"},
                                    {"J_phi2", "road_wheel_r.J"},
                                    {"K_psi_delta", "column.k"},
                                    {"mu_psi_delta", "column.d"},
                                    {"mu_delta", "damper.d"},
                                    {"T_delta", "damper.tau0"},
                                    {"K1", "rod_l.k"},
                                    {"K2", "rod_r.k"},
                                    {"n1", "linkage_l.ratio"},
                                    {"n2", "linkage_r.ratio"},
                                    {"p", "gear.ratio"},
                                    {"freeplay", "gear.half_freeplay"},
                                    {"mu_phi1", "kingpin_l.d"},
                                    {"mu_phi2", "kingpin_r.d"},
                                    {"T_phi1", "kingpin_l.tau0"},
                                    {"T_phi2", "kingpin_r.tau0"},
                                    {"T_phi1_static", "kingpin_l.tau0_static"},
                                    {"T_phi2_static", "kingpin_r.tau0_static"},
                                    {"C1", "aligning_l.k"},
                                    {"C2", "aligning_r.k"},
                                    {"M_peak", "M_peak"},
                                    {"t_ramp", "t_ramp"},
                                    {"t_release", "t_release"}});
  run.check_changes();
  run.check("psi", "wheel.phi");
  run.check("delta", "pinion.phi");
  run.check("phi1", "road_wheel_l.phi");
  run.check("phi2", "road_wheel_r.phi");
  run.check("psi_dot", "wheel.w");
  run.check("delta_dot", "pinion.w");
  run.check("phi1_dot", "road_wheel_l.w");
  run.check("phi2_dot", "road_wheel_r.w");
}

TEST_CASE("gear_train_1 follows the reference solution of P1 simplification 1") {
  NamePairs parameters = kGearTrainParameters;
  parameters.insert(parameters.end(), {{"d_delta", "pinion_bearing.d"},
                                       {"T_delta", "pinion_bearing.tau0"},
                                       {"d_gamma", "wheel_bearing.d"},
                                       {"T_gamma", "wheel_bearing.tau0"}});
  const Comparison run("gear_train_1", parameters);
  run.check_changes();
  run.check("psi", "motor.phi");
  run.check("delta", "pinion.phi", {2e-3, 2e-7});
  run.check("gamma", "wheel.phi", {2e-3, 2e-7});
  run.check("phi", "load.phi");
  run.check("psi_dot", "motor.w");
  // The velocities of the weightless wheels are no states: they change by their whole size within 1
  // ms when the teeth meet, so that Euler's error of order h in the instant is seen in them, and so
  // is the error of the reference: Taylor and CVODE agree to 1e-8 there, in the positions to 1e-10.
  run.check("delta_dot", "pinion.w", {5e-2, 4e-4});
  run.check("gamma_dot", "wheel.w", {2e-3, 4e-4});
  run.check("phi_dot", "load.w");
}

TEST_CASE("gear_train_2 follows the reference solution of P1 simplification 2") {
  const Comparison run("gear_train_2", kGearTrainParameters);
  run.check_changes();
  // delta and gamma are not unique within the freeplays.
  run.check("psi", "motor.phi");
  run.check("phi", "load.phi");
  // Bouncing within the freeplay amplifies the error of order h. Taylor and CVODE agree to 2e-9:
  // the rest is the error of the reference.
  run.check("psi_dot", "motor.w", {1e-2, 2e-7});
  run.check("phi_dot", "load.w", {1e-2, 5e-7});
}

TEST_CASE("two_mass follows the reference solution of P5 (25)-(26)") {
  const Comparison run("two_mass", {{"M1", "mass_1.m"},
                                    {"M2", "mass_2.m"},
                                    {"K", "spring.k"},
                                    {"z0", "spring.half_freeplay"},
                                    {"C", "friction.d"},
                                    {"FT0", "friction.f0"},
                                    {"A1", "signal_1.amplitude"},
                                    {"f1", "signal_1.f"},
                                    {"A2", "signal_2.amplitude"},
                                    {"f2", "signal_2.f"}});
  run.check_changes();
  run.check("z1", "mass_1.s");
  run.check("z2", "mass_2.s");
  run.check("z1_dot", "mass_1.v");
  run.check("z2_dot", "mass_2.v");
}

TEST_CASE("two_mass_two_friction follows the reference solution of P2 sec. 4") {
  const Comparison run("two_mass_two_friction", {{"M1", "top.m"},
                                                 {"M2", "bottom.m"},
                                                 {"C12", "between.d"},
                                                 {"FT012", "between.f0"},
                                                 {"C20", "ground.d"},
                                                 {"FT020", "ground.f0"},
                                                 {"A1", "signal_1.amplitude"},
                                                 {"f1", "signal_1.f"},
                                                 {"A2", "signal_2.amplitude"},
                                                 {"f2", "signal_2.f"}});
  CHECK(run.taylor.report.events == run.changes);
  run.check("z1", "top.s");
  run.check("z2", "bottom.s");
  run.check("z1_dot", "top.v");
  run.check("z2_dot", "bottom.v");
}

TEST_CASE("static_indeterminacy follows the reference solution of two masses and three frictions") {
  const Comparison run("indeterminate",
                       {{"M1", "mass_1.m"},
                        {"M2", "mass_2.m"},
                        {"K", "spring.k"},
                        {"C10", "ground_1.d"},
                        {"T10", "ground_1.f0"},
                        {"C12", "between.d"},
                        {"T12", "between.f0"},
                        {"C20", "ground_2.d"},
                        {"T20", "ground_2.f0"},
                        {"A1", "signal_1.amplitude"},
                        {"f1", "signal_1.f"},
                        {"A2", "signal_2.amplitude"},
                        {"f2", "signal_2.f"}},
                       "static_indeterminacy");
  run.check("z1", "mass_1.s");
  run.check("z2", "mass_2.s");
  run.check("z1_dot", "mass_1.v");
  run.check("z2_dot", "mass_2.v");
}

}  // namespace luztar::test
