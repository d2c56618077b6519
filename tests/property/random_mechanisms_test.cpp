// Random mechanisms: what must hold of every one of them. RC_PARAMS sets the number of mechanisms
// and the seed, as in RC_PARAMS="max_success=100000 seed=1"; a failure shows the smallest model
// that was found to fail. The target fuzz_mechanisms has these cases alone, for long runs by hand.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compiler/symbolic/operations.h"
#include "tests/support/random_mechanism.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

// No step or zero of a load falls on an instant of the grid, nor on the end: a massless body may
// jump there, and a row would be the one before or after.
constexpr double kInterval = 1.0 / 97;             // [s]
constexpr double kMechanismStop = 96 * kInterval;  // [s]: tens of events, but not yet chaos
constexpr double kTolerance = 1e-10, kFineTolerance = 1e-13;
constexpr double kNearest = 10 * kTolerance;  // of the peaks: see Agreement

Simulation taylor_run(const Model& model, double tolerance = kTolerance,
                      double interval = kInterval) {
  return simulate(model, TaylorOptions{0, kMechanismStop, interval, tolerance, false, true});
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

/// Greatest values of the motion by column, also right after events, which fall between rows.
using Peaks = std::map<std::string, double>;

/// A massless body that others hold has the speed that the rounding of their forces, which balance,
/// makes against a damping. At kNearest of this scale that is 1e-15 of the greatest force.
double speed_of_rounding(const RandomMechanism& mechanism) {
  constexpr double kRounding = 1e-15;
  double force = 0, damping = std::numeric_limits<double>::infinity();
  for (const RandomBody& body : mechanism.bodies) {
    for (const RandomFriction& friction : {body.bearing, body.link.friction}) {
      force = std::max(force, friction.tau0 + friction.excess);
      if (friction.d > 0) damping = std::min(damping, friction.d);
    }
    if (body.load.kind != LoadKind::kNone) force = std::max(force, body.load.size);
    if (body.link.d > 0) damping = std::min(damping, body.link.d);
  }
  return kRounding / kNearest * force / damping;
}

/// A massless body has no velocity of its own: its speed is the slope of its angle. Steps are as
/// long as its rate of decay allows, so the error of its angle, divided by a step, is one of its
/// speed. It forgets such errors within a few steps: one counts, of a tenth of the tolerance.
Peaks peaks_of(const RandomMechanism& mechanism, const Model& model) {
  constexpr double kOfOneStep = 0.1;
  const Simulation run =
      simulate(model, TaylorOptions{0, kMechanismStop, kInterval, kTolerance, true, false});
  require_done("Taylor with its events", run);
  Peaks peaks;
  for (const Deviation& d : motion_deviations(model, run, model, run)) peaks[d.column] = d.peak;
  const double steps_per_second = static_cast<double>(run.report.steps) / kMechanismStop;
  for (std::size_t i = 0; i < mechanism.bodies.size(); ++i) {
    if (!mechanism.bodies[i].massless) continue;
    for (const std::string part : {"body", "bearing"}) {  // the latter moves with the former
      const auto speed = peaks.find(part + std::to_string(i) + ".w");
      if (speed == peaks.end()) continue;
      const double angle = peaks.at(part + std::to_string(i) + ".phi");
      speed->second = std::max(
          {speed->second, kOfOneStep * steps_per_second * angle, speed_of_rounding(mechanism)});
    }
  }
  return peaks;
}

/// The column in which two runs are farthest apart, angles and velocities. A body that rests or
/// hardly moves beside others has the rounding of their forces; so has a mechanism that rests.
Deviation worst(const Peaks& peaks, const Model& expected_model, const Simulation& expected,
                const Model& model, const Simulation& run) {
  constexpr double kHardlyMoves = 1e-6, kRests = 1e-6;  // the latter in rad, rad/s
  std::vector<Deviation> all = motion_deviations(expected_model, expected, model, run);
  const auto speed = [](const Deviation& d) { return d.column.ends_with(".w"); };
  double greatest[2] = {0, 0};
  for (Deviation& d : all) {
    d.peak = std::max(d.peak, peaks.at(d.column));
    greatest[speed(d)] = std::max(greatest[speed(d)], d.peak);
  }
  for (Deviation& d : all) d.peak = std::max({d.peak, kHardlyMoves * greatest[speed(d)], kRests});
  return *std::max_element(all.begin(), all.end(), [](const Deviation& a, const Deviation& b) {
    return a.relative() < b.relative();
  });
}

/// All numbers that are given, by factors next to 1, no two alike: a Model of its own.
void move_aside(Model& model, double change) {
  constexpr double kGoldenRatio = 0.6180339887498949;  // spreads the factors evenly
  const FlatModel& flat = *model.stages().flat;
  std::vector<std::pair<std::string, double>> values;
  double phase = 0;
  for (const ParameterId id : flat.parameters.ids()) {
    const FlatParameter& parameter = flat.parameters[id];
    const Expr binding = parameter.binding;
    if (binding.valid() && !symbols_of(model.stages().pool, binding).empty()) continue;
    phase += kGoldenRatio;
    phase -= std::floor(phase);
    const double factor = 1 + change * (2 * phase - 1);
    values.emplace_back(parameter.name, factor * model.parameters()[id.value]);
  }
  model.set(values);
}

/// Impacts and stick-slip make differences grow. The condition of a motion says how much: what a
/// relative change of all numbers in the model, as small as this, does to it.
///
/// A step leaves out less than 0.1 of the tolerance, as a part of each peak. Some hundred steps
/// leave out 10 tolerances, each of which grows as such a change does: two runs of one motion are
/// no farther apart than 10 tolerances times the condition. CVODE takes some ten thousand steps.
class Agreement {
 public:
  Agreement(const RandomMechanism& mechanism, Model model)
      : text_(mechanism.text()),
        model_(std::move(model)),
        peaks_(peaks_of(mechanism, model_)),
        run_(taylor_run(model_)),
        fine_(taylor_run(model_, kFineTolerance)) {
    require_done("Taylor 1e-10", run_);
    require_done("Taylor 1e-13", fine_);
    require("Taylor 1e-13", worst(peaks_, model_, fine_, model_, run_), kNearest, kNearest);
  }

  [[nodiscard]] const Model& model() const { return model_; }
  [[nodiscard]] const Simulation& fine() const { return fine_; }
  void require(const char* name, const Model& model, const Simulation& run) {
    require_done(name, run);
    require(name, worst(peaks_, model_, run_, model, run), kNearest, kNearest);
  }
  void require_cvode(const Simulation& run) {
    require_done("CVODE", run);
    require("CVODE", worst(peaks_, model_, run_, model_, run), 1e-6, 1e5 * kLeastCvodeTolerance);
  }

 private:
  /// No farther than `nearest`, or than the condition makes of `error`.
  void require(const char* name, const Deviation& deviation, double nearest, double error) {
    const bool near = deviation.relative() <= nearest;
    const double bound = near ? nearest : std::max(nearest, error * condition());
    RC_LOG() << name << ": " << deviation.relative() << " of the peak of " << deviation.column
             << " at a bound of " << bound << "\n";
    RC_ASSERT(deviation.relative() <= bound);
  }

  /// How far a change of all numbers takes the motion.
  double moved_by(double change) {
    Model beside("beside.ltm", text_);
    move_aside(beside, change);
    const Simulation moved = taylor_run(beside, kFineTolerance);
    require_done("Taylor 1e-13 beside", moved);
    return worst(peaks_, model_, fine_, beside, moved).relative();
  }

  /// Of the order of 100 for tens of events, greater when bodies hardly reach an edge or a bound.
  /// Where rounding decides there is none: a tenth of the change does not make less.
  double condition() {
    constexpr double kChange = 1e-10;
    if (condition_ > 0) return condition_;
    const double moved = moved_by(kChange);
    RC_ASSERT(moved_by(kChange / 10) <= std::max(kNearest, moved / 2));
    condition_ = moved / kChange;
    return condition_;
  }

  std::string text_;
  Model model_;
  Peaks peaks_;
  Simulation run_, fine_;
  double condition_ = 0;
};

void check_run_and_energy(const RandomMechanism& mechanism, Model model) {
  constexpr double kOfRest = 1e-28;  // [J]: velocities that are rounding of forces have as much
  const Agreement agreement(mechanism, std::move(model));
  const std::uint64_t events = agreement.fine().report.events;
  RC_TAG(events == 0   ? "no event"
         : events < 10 ? "1 to 9 events"
         : events < 50 ? "10 to 49 events"
                       : "50 events or more");
  RC_ASSERT(agreement.fine().report.energy.has_value());
  const EnergyReport& energy = *agreement.fine().report.energy;
  const double bound = 1e-11 * (energy.turnover + energy.total_dissipated()) + kOfRest;
  RC_ASSERT(std::fabs(energy.residual()) <= bound);
  for (const double lost : energy.dissipated) RC_ASSERT(lost >= -bound);
}

void check_solvers(const RandomMechanism& mechanism, Model model) {
  Agreement agreement(mechanism, std::move(model));
  agreement.require_cvode(simulate(
      agreement.model(), CvodeOptions{0, kMechanismStop, kInterval, kLeastCvodeTolerance, false}));
}

void check_invariance(const RandomMechanism& mechanism, Model model) {
  Agreement agreement(mechanism, std::move(model));
  const Simulation denser = taylor_run(agreement.model(), kTolerance, kInterval / 2);
  agreement.require("half the interval", agreement.model(), thinned(denser, 2));
  for (const std::uint32_t order : {1, 2}) {
    const Model permuted("permuted.ltm", mechanism.text(order));
    agreement.require("permuted", permuted, taylor_run(permuted));
  }
}

void check_mechanisms(const RandomMechanismOptions& options,
                      void (*property)(const RandomMechanism&, Model)) {
  CHECK(rc::check([&] {
    const RandomMechanism mechanism = *random_mechanism(options);
    auto stages = run_stages("random.ltm", mechanism.text(), Stage::kProgram);
    property(mechanism, Model(std::move(stages)));
  }));
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
