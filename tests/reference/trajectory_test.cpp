// Trajectories of the examples against independent solutions of the papers' systems (error below
// 1e-8), Euler with h = 1e-5. NAME.json holds the parameters, NAME.csv the solution each 0.01 s.
// All SI, symbols as in the papers.
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

/// The reference solution and the simulation of the example of the same system.
struct Comparison {
  Model model;
  CsvTable reference;
  Simulation simulation;

  Comparison(const std::string& system, const NamePairs& parameters)
      : model(load_example(system + ".ltm")),
        reference(read_csv(project_dir() / "tests/reference" / (system + ".csv"))) {
    const auto data =
        nlohmann::json::parse(read_text(project_dir() / "tests/reference" / (system + ".json")));
    for (const auto& [symbol, name] : parameters) {
      INFO(symbol, " = ", name);
      CHECK(model.parameters()[model.parameter(name)] == data["parameters"][symbol].get<double>());
    }
    EulerOptions options;
    options.stop = data["stop"].get<double>();
    simulation = simulate(model, options);
    REQUIRE(simulation.report.reason == StopReason::kDone);
    REQUIRE(simulation.time.size() == reference.row_count());
    std::uint64_t changes = 0;
    for (const std::uint64_t count : simulation.report.changes) changes += count;
    CHECK(changes == data["stick_slip_events"].size());
  }

  /// The greatest error of a column, relative to the peak of the reference, is below `bound`.
  void check(const std::string& symbol, const std::string& name, double bound = 2e-3) const {
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
  run.check("psi", "motor.phi");
  run.check("delta", "pinion.phi");
  run.check("gamma", "wheel.phi");
  run.check("phi", "load.phi");
  run.check("psi_dot", "motor.w");
  // The velocities of the weightless wheels are no states: they change by their whole size within 1
  // ms when the teeth meet, so that the instant's error of order h is seen in them.
  run.check("delta_dot", "pinion.w", 5e-2);
  run.check("gamma_dot", "wheel.w", 5e-2);
  run.check("phi_dot", "load.w");
}

TEST_CASE("gear_train_2 follows the reference solution of P1 simplification 2") {
  const Comparison run("gear_train_2", kGearTrainParameters);
  // delta and gamma are not unique within the freeplays.
  run.check("psi", "motor.phi");
  run.check("phi", "load.phi");
  // Bouncing within the freeplay amplifies the error of order h.
  run.check("psi_dot", "motor.w", 1e-2);
  run.check("phi_dot", "load.w", 1e-2);
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
  run.check("z1", "mass_1.s");
  run.check("z2", "mass_2.s");
  run.check("z1_dot", "mass_1.v");
  run.check("z2_dot", "mass_2.v");
}

}  // namespace luztar::test
