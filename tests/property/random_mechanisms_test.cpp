// Random mechanisms: what must hold of every one of them. RC_PARAMS sets the number of mechanisms
// and the seed, as in RC_PARAMS="max_success=100000 seed=1"; a failure shows the smallest model
// that was found to fail. The target fuzz_mechanisms has these cases alone, for long runs by hand.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/support/random_mechanism.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

// No step or zero of a load falls on an instant of the grid, nor on the end: a massless body may
// jump there, and a row would be the one before or after.
constexpr double kInterval = 1.0 / 97;    // [s]
constexpr double kStop = 96 * kInterval;  // [s]: tens of events, but not yet chaos
constexpr double kTolerance = 1e-10, kFineTolerance = 1e-13;

Simulation taylor(const Model& model, double tolerance = kTolerance, double interval = kInterval) {
  return simulate(model, TaylorOptions{0, kStop, interval, tolerance, false, true});
}

/// What the run says about an early stop; empty for none.
std::string early_stop(const char* run, const Simulation& simulation) {
  const RunReport& report = simulation.report;
  if (report.reason == StopReason::kDone) return {};
  std::string text = std::string(run) + " stopped at " + std::to_string(report.time) + " s";
  if (report.reason == StopReason::kEventStorm) text += " in a storm of events of";
  for (const std::string& name : report.storm) text += " '" + name + "'";
  return text;
}

void require_done(const char* run, const Simulation& simulation) {
  if (const std::string text = early_stop(run, simulation); !text.empty()) RC_FAIL(text);
}

/// The column in which two runs are farthest apart, angles and velocities. A body that rests or
/// hardly moves beside others has the rounding of their forces.
Deviation worst(const Model& expected_model, const Simulation& expected, const Model& model,
                const Simulation& run) {
  constexpr double kHardlyMoves = 1e-6;
  std::vector<Deviation> all = motion_deviations(expected_model, expected, model, run);
  const auto speed = [](const Deviation& d) { return d.column.ends_with(".w"); };
  double greatest[2] = {0, 0};
  for (const Deviation& d : all) greatest[speed(d)] = std::max(greatest[speed(d)], d.peak);
  for (Deviation& d : all) d.peak = std::max(d.peak, kHardlyMoves * greatest[speed(d)]);
  return *std::max_element(all.begin(), all.end(), [](const Deviation& a, const Deviation& b) {
    return a.relative() < b.relative();
  });
}

void require_same(const char* run, const Deviation& deviation, double bound) {
  RC_LOG() << run << ": " << deviation.relative() << " of the peak of " << deviation.column
           << " at a bound of " << bound << "\n";
  RC_ASSERT(deviation.relative() <= bound);
}

/// Impacts and stick-slip make differences grow. A case is sensitive when the tolerance alone moves
/// the motion by more than 1e-9 of its peak; its bounds are wider in proportion. There must be few.
class Sensitivity {
 public:
  /// How much wider the bounds are.
  double widening(const Model& model, const Simulation& run) {
    const Simulation fine = taylor(model, kFineTolerance);
    require_done("Taylor 1e-13", fine);
    const double moved = worst(model, fine, model, run).relative();
    ++cases_;
    if (moved > kSensitive) ++sensitive_;
    RC_CLASSIFY(moved > kSensitive, "sensitive");
    return std::max(1.0, moved / kSensitive);
  }
  [[nodiscard]] double share() const {
    return cases_ == 0 ? 0 : static_cast<double>(sensitive_) / cases_;
  }

 private:
  static constexpr double kSensitive = 1e-9;
  int cases_ = 0, sensitive_ = 0;
};

/// Frictions in series through a massless node can hold bodies with inertia: not compiled yet.
bool is_refused(const RandomMechanism& mechanism) {
  const auto stages = run_stages("random.ltm", mechanism.text(), Stage::kExplicit);
  return stages->messages().find("LT4001") != std::string::npos;
}

void check_run_and_energy(const RandomMechanism& mechanism, Sensitivity&) {
  const Model model("random.ltm", mechanism.text());
  const Simulation run = taylor(model), fine = taylor(model, kFineTolerance);
  require_done("Taylor 1e-10", run);
  require_done("Taylor 1e-13", fine);
  const std::uint64_t events = run.report.events;
  RC_TAG(events == 0   ? "no event"
         : events < 10 ? "1 to 9 events"
         : events < 50 ? "10 to 49 events"
                       : "50 events or more");
  RC_ASSERT(fine.report.energy.has_value());
  const EnergyReport& energy = *fine.report.energy;
  RC_ASSERT(std::fabs(energy.residual()) <= 1e-11 * (energy.turnover + energy.total_dissipated()));
  for (const double lost : energy.dissipated) RC_ASSERT(lost >= -1e-11 * energy.turnover);
}

void check_solvers(const RandomMechanism& mechanism, Sensitivity& sensitivity) {
  const Model model("random.ltm", mechanism.text());
  const Simulation run = taylor(model);
  require_done("Taylor 1e-10", run);
  const double widening = sensitivity.widening(model, run);
  const Simulation cvode =
      simulate(model, CvodeOptions{0, kStop, kInterval, kLeastCvodeTolerance, false});
  require_done("CVODE", cvode);
  require_same("CVODE", worst(model, run, model, cvode), 1e-6 * widening);
}

void check_invariance(const RandomMechanism& mechanism, Sensitivity& sensitivity) {
  const Model model("random.ltm", mechanism.text());
  const Simulation run = taylor(model);
  require_done("Taylor 1e-10", run);
  const double bound = 1e-9 * sensitivity.widening(model, run);
  const Simulation denser = taylor(model, kTolerance, kInterval / 2);
  require_done("half the interval", denser);
  require_same("half the interval", worst(model, run, model, thinned(denser, 2)), bound);
  for (const std::uint32_t order : {1, 2}) {
    const Model permuted("permuted.ltm", mechanism.text(order));
    const Simulation other = taylor(permuted);
    require_done("permuted", other);
    require_same("permuted", worst(model, run, permuted, other), bound);
  }
}

void check_mechanisms(const RandomMechanismOptions& options,
                      void (*property)(const RandomMechanism&, Sensitivity&)) {
  constexpr double kFew = 0.05;
  Sensitivity sensitivity;
  const bool holds = rc::check([&] {
    const RandomMechanism mechanism = *random_mechanism(options);
    RC_PRE(!is_refused(mechanism));
    property(mechanism, sensitivity);
  });
  CHECK(holds);
  if (holds) CHECK(sensitivity.share() <= kFew);  // else the cases are those of shrinking
}

}  // namespace

TEST_CASE("random mechanisms run, and their energy residual is rounding") {
  check_mechanisms({}, check_run_and_energy);
}

TEST_CASE("Taylor and CVODE give the same motion of random mechanisms") {
  check_mechanisms({}, check_solvers);
}

TEST_CASE("output interval and order of declaration do not change the motion") {
  check_mechanisms({}, check_invariance);
}

TEST_CASE("random mechanisms with any massless node run, and their energy residual is rounding") {
  check_mechanisms({.all_massless = true}, check_run_and_energy);
}

TEST_CASE("Taylor and CVODE give the same motion with any massless node") {
  check_mechanisms({.all_massless = true}, check_solvers);
}

TEST_CASE("output interval and order do not change the motion with any massless node") {
  check_mechanisms({.all_massless = true}, check_invariance);
}

}  // namespace luztar::test
