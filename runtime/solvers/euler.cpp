#include "runtime/solvers/euler.h"

#include <algorithm>
#include <cmath>

#include "runtime/events/capacity.h"
#include "runtime/events/modes.h"
#include "runtime/events/switch_value.h"
#include "runtime/solvers/output_grid.h"
#include "runtime/solvers/recorder.h"

namespace luztar {
namespace {

/// The run so far.
struct EulerRun {
  const System& system;
  const EulerOptions& options;
  std::vector<double> x, next, point;
  Coefficients J;
  Modes modes;
  std::vector<FrictionState> previous;
  std::vector<FrictionHint> hints;
  std::vector<std::uint32_t> zeros;
  std::vector<char> leaving;  // by friction: broke away and has not left the numerical zero yet
  OutputGrid grid;
  Recorder recorder;

  EulerRun(const System& s, std::span<const double> parameters, const EulerOptions& o,
           RowSink& rows)
      : system(s),
        options(o),
        x(s.state_count),
        next(s.state_count),
        point(s.state_count),
        J(s, 0),
        modes(s, parameters, x),
        previous(s.frictions.size()),
        hints(s.frictions.size()),
        zeros(s.frictions.size()),
        leaving(s.frictions.size()),
        grid(o.start, o.stop, o.interval),
        recorder(s, modes, rows, grid) {}
  /// dx_i/dt of the last evaluation
  [[nodiscard]] double rate(std::size_t i) const { return J.order(1)[i]; }
};

std::int8_t direction(double value) { return static_cast<std::int8_t>((value > 0) - (value < 0)); }

/// Rows of order 0 and the derivatives at (t, x), with the modes as they are.
void evaluate(EulerRun& run, double t) { run.modes.expand(t, run.x, run.J); }

/// Switches follow the values; one may change what another watches.
void evaluate_with_switches(EulerRun& run, double t) {
  constexpr int kRounds = 100;  // only discontinuous feedback of a model needs more
  evaluate(run, t);
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < run.system.switches.size(); ++i) {
      run.modes.set_value(i, value_after(run.system.switches[i], run.J, {}));
    }
    if (!run.modes.apply()) return;
    evaluate(run, t);
  }
}

/// Massless points go to their equilibrium, with plain increments of the travels. False when there
/// is none.
bool settle_points(EulerRun& run) {
  SettleHints hints;
  SettleZeros zeros;
  for (std::size_t k = 0; k < run.system.settle_islands.size(); ++k) {
    const SettleIsland& island = run.system.settle_islands[k];
    hints.edge.assign(island.springs, 0);
    hints.bound.assign(island.frictions, 0);
    hints.slid.assign(island.frictions, 0);
    hints.step = run.options.step;
    if (!run.modes.settle(k, run.J, false, hints, zeros)) {
      run.recorder.report.reason = StopReason::kNoEquilibrium;
      run.recorder.report.storm = {name_of(run.system, island, run.modes.constants())};
      return false;
    }
  }
  return true;
}

/// True when a slip is more than the force of its friction can take away in a step, or bring about:
/// the speed of a prescribed motion has jumped.
bool has_jumped(EulerRun& run, std::size_t k, double slip) {
  constexpr double kMostOfStep = 2;
  const Friction& friction = run.system.frictions[k];
  if (friction.stop != kNoIndex || !friction.driven) return false;
  const std::size_t island = run.modes.island_of(k);
  const auto own = static_cast<Eigen::Index>(k - run.system.islands[island].first);
  const double change =
      run.modes.gram(island)(own, own) * static_force(run.J, friction, 0) * run.options.step;
  return std::fabs(slip) > std::max(kMostOfStep * change, run.options.zero);
}

/// True when a friction's slip has come to zero, or is held there.
bool reaches_zero(EulerRun& run, std::size_t k) {
  if (run.modes.is_massless(k)) return true;
  const FrictionState& state = run.modes.friction(k);
  const double slip = run.J[run.system.frictions[k].slip_row];
  if (has_jumped(run, k, slip)) return false;
  if (!state.free && (state.direction == 0 || state.direction * slip < 0)) return true;
  if (std::fabs(slip) > run.options.zero) {
    run.leaving[k] = 0;
    return false;
  }
  return run.leaving[k] == 0;
}

/// Takes the residual slips of an island's held frictions out of the state, in the mass metric: all
/// at once, as each would move the others. False when there are none.
bool take_out(EulerRun& run, std::size_t index) {
  const FrictionIsland& island = run.system.islands[index];
  std::vector<Eigen::Index> held;
  std::vector<double> slips;
  for (std::uint32_t i = 0; i < island.count; ++i) {
    const std::size_t k = island.first + i;
    if (!run.hints[k].at_rest || run.modes.friction(k).direction != 0) continue;
    if (run.modes.is_massless(k)) continue;
    held.push_back(i);
    slips.push_back(run.J[run.system.frictions[k].slip_row]);
  }
  if (std::all_of(slips.begin(), slips.end(), [](double slip) { return slip == 0; })) return false;
  const Eigen::VectorXd impulse = run.modes.rest_impulse(
      index, held,
      Eigen::Map<const Eigen::VectorXd>(slips.data(), static_cast<Eigen::Index>(slips.size())));
  for (std::size_t r = 0; r < held.size(); ++r) {
    const Friction& friction =
        run.system.frictions[island.first + static_cast<std::size_t>(held[r])];
    for (const ResponseEntry& entry : friction.response) {
      run.x[entry.state] -=
          impulse[static_cast<Eigen::Index>(r)] * run.modes.response(entry, run.J);
    }
  }
  for (const Eigen::Index i : held) {
    const Friction& friction = run.system.frictions[island.first + static_cast<std::size_t>(i)];
    if (friction.state() != kNoIndex) run.x[friction.state()] = 0;
  }
  return true;
}

/// True when nothing about an island's frictions has changed.
bool stays(const EulerRun& run, const FrictionIsland& island) {
  for (std::uint32_t k = island.first; k < island.first + island.count; ++k) {
    const FrictionState& state = run.modes.friction(k);
    const bool creep = run.system.frictions[k].creep;
    const bool moves = creep ? state.direction != 0 : !run.hints[k].at_rest;
    if (!creep && moves == (state.direction == 0)) return false;
    if (moves) {
      const double slip = run.J[run.system.frictions[k].slip_row];
      if (direction(slip) != state.direction) return false;
      const auto [begin, end] = run.modes.fall_range(k, run.J);
      if (!(std::fabs(slip) >= begin && std::fabs(slip) <= end)) return false;
      continue;
    }
    // Massless bodies cannot be held to two others that move.
    if (creep && std::fabs(run.J[run.system.frictions[k].slip_row]) > run.options.zero)
      return false;
    const std::uint32_t row = run.system.frictions[k].reserve_row;
    if (state.free || state.at_bound != 0) return false;
    if (run.J[row] < 0 || run.J[row + 1] < 0) return false;
  }
  return true;
}

void decide_frictions(EulerRun& run, std::size_t index) {
  const FrictionIsland& island = run.system.islands[index];
  for (std::uint32_t k = island.first; k < island.first + island.count; ++k) {
    run.hints[k].at_rest = reaches_zero(run, k);
  }
  if (stays(run, island)) return;
  for (std::uint32_t k = island.first; k < island.first + island.count; ++k) {
    if (run.hints[k].at_rest) continue;
    FrictionState state{direction(run.J[run.system.frictions[k].slip_row])};
    state.ahead = run.modes.friction(k).ahead;
    run.modes.set_friction(k, state);
  }
  run.modes.decide(index, run.J, run.hints, run.zeros);
  for (std::uint32_t k = island.first; k < island.first + island.count; ++k) {
    if (run.hints[k].at_rest && run.modes.friction(k).direction != 0) run.leaving[k] = 1;
  }
}

/// False where a quantity is infinite or not a number; the report then names it.
bool has_values(EulerRun& run, double t) {
  const double* values = run.J.order(0);
  const auto finite = [](double v) { return std::isfinite(v); };
  return std::all_of(values, values + run.J.rows(), finite) || run.recorder.has_values(t, run.x);
}

/// Decides all modes at (t, x) and leaves the derivatives in J. False when there is no equilibrium,
/// or not all has a value.
bool resolve_modes(EulerRun& run, double t) {
  evaluate_with_switches(run, t);
  if (!has_values(run, t)) return false;
  if (!settle_points(run)) return false;
  if (run.modes.apply()) evaluate_with_switches(run, t);
  if (run.hints.empty()) return true;
  for (std::size_t k = 0; k < run.hints.size(); ++k) run.previous[k] = run.modes.friction(k);
  for (std::size_t i = 0; i < run.system.islands.size(); ++i) decide_frictions(run, i);
  bool moved = run.modes.apply();
  for (std::size_t k = 0; k < run.hints.size(); ++k) {
    const FrictionState& state = run.modes.friction(k);
    if (state.direction != run.previous[k].direction) ++run.recorder.report.changes[k];
  }
  for (std::size_t i = 0; i < run.system.islands.size(); ++i) moved = take_out(run, i) || moved;
  if (moved) evaluate_with_switches(run, t);
  run.modes.note_speeds(run.J);
  return true;
}

/// The point of the polygon at time t, in the step from t0.
void put_row_between(EulerRun& run, double t, double t0) {
  const double elapsed = std::max(t - t0, 0.0);
  for (std::size_t i = 0; i < run.x.size(); ++i) run.point[i] = run.x[i] + elapsed * run.rate(i);
  run.recorder.put_row(t, run.point);
}

void start_modes(EulerRun& run) {
  evaluate_with_switches(run, run.options.start);
  for (std::size_t k = 0; k < run.hints.size(); ++k) {
    const Friction& friction = run.system.frictions[k];
    const double slip = run.J[friction.slip_row];
    if (friction.slip_state != kNoIndex) run.x[friction.slip_state] = slip;
    if (std::fabs(slip) <= run.options.zero || run.modes.is_massless(k)) continue;
    run.modes.set_friction(k, {direction(slip), 0, false});
  }
}

}  // namespace

RunReport simulate_euler(const System& system, std::span<const double> parameters,
                         const EulerOptions& options, RowSink& sink) {
  EulerRun run(system, parameters, options, sink);
  RunReport& report = run.recorder.report;
  const double h = options.step;  // [s]
  const double slack = 1e-9 * h;  // grid instants this near to an Euler point are on it
  const OutputGrid& grid = run.grid;
  const auto steps =
      static_cast<std::uint64_t>(std::ceil((options.stop - options.start) / h - 1e-9));

  if (!run.recorder.all_finite(run.x)) return std::move(report);
  start_modes(run);
  std::uint64_t row = 0;  // next of the grid
  double row_time = grid.time(row);
  for (std::uint64_t n = 0;; ++n) {
    const double t = n == steps ? options.stop : options.start + static_cast<double>(n) * h;
    if (!report.output) report.time = t;
    report.steps = n;
    if (!resolve_modes(run, t)) return std::move(report);
    if (n == 0) report.changes.assign(system.frictions.size(), 0);  // the start is no change
    const bool good = run.recorder.assertions_hold(t, run.x);
    if (n == steps || !good) {
      // The last instant of the grid, or the one that failed.
      run.recorder.put_row(n == steps ? t : std::min(t, options.stop), run.x);
      return std::move(report);
    }
    const double t_next =
        n + 1 == steps ? options.stop : options.start + static_cast<double>(n + 1) * h;
    const double dt = n + 1 == steps ? t_next - t : h;
    for (std::size_t i = 0; i < run.x.size(); ++i) run.next[i] = run.x[i] + dt * run.rate(i);
    const bool finite = run.recorder.all_finite(run.next);
    while (row + 1 < grid.size() && row_time < t_next - slack) {
      if (!finite && row_time > t + slack) break;
      if (row_time <= t + slack) {
        run.recorder.put_row(row_time, run.x);
      } else {
        put_row_between(run, row_time, t);
      }
      row_time = grid.time(++row);
    }
    if (!finite) return std::move(report);
    run.x.swap(run.next);
  }
}

}  // namespace luztar
