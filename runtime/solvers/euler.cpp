#include "runtime/solvers/euler.h"

#include <algorithm>
#include <cmath>

#include "runtime/solvers/output_grid.h"

namespace luztar {
namespace {

struct Friction {
  bool leaving = false;  // broke away and has not left the band of the numerical zero yet
  bool at_zero = false;  // its slip is zero at this step
};

/// The run so far.
struct Run {
  const System& system;
  const EulerOptions& options;
  RowSink& sink;
  std::vector<double> constants, x, next, dx, point, outputs, slip, demand, bound, holds;
  std::vector<std::int32_t> mode, previous;
  std::vector<Friction> frictions;
  RunReport report;

  Run(const System& s, const EulerOptions& o, RowSink& rows)
      : system(s),
        options(o),
        sink(rows),
        constants(s.constant_count),
        x(s.state_count),
        next(s.state_count),
        dx(s.state_count),
        point(s.state_count),
        outputs(s.outputs.size()),
        slip(s.friction_count),
        demand(s.friction_count),
        bound(s.friction_count),
        holds(s.assertion_count),
        mode(s.friction_count),
        previous(s.friction_count),
        frictions(s.friction_count) {
    report.changes.assign(s.friction_count, 0);
  }
};

std::int32_t direction(double value) { return (value > 0) - (value < 0); }

/// True when a friction's slip has come to zero, or is held there.
bool reaches_zero(Friction& friction, std::int32_t mode, double slip, double zero) {
  if (mode == 0 || mode * slip < 0) return true;
  if (std::fabs(slip) > zero) {
    friction.leaving = false;
    return false;
  }
  return !friction.leaving;
}

/// Lets frictions at zero slip break away until none is asked for more than its static bound.
void break_away(Run& run, double t) {
  for (bool changed = true; changed;) {
    changed = false;
    run.system.demands(t, run.x.data(), run.constants.data(), run.mode.data(), run.demand.data(),
                       run.bound.data());
    for (std::size_t k = 0; k < run.frictions.size(); ++k) {
      if (!run.frictions[k].at_zero || run.mode[k] != 0) continue;
      if (std::fabs(run.demand[k]) <= run.bound[k]) continue;
      run.mode[k] = direction(run.demand[k]);
      run.frictions[k].leaving = true;
      changed = changed || run.mode[k] != 0;
    }
  }
}

/// Takes the residual slip of stuck frictions out of the state, in the mass metric.
void take_out(Run& run) {
  for (std::size_t k = 0; k < run.frictions.size(); ++k) {
    if (!run.frictions[k].at_zero || run.mode[k] != 0 || run.slip[k] == 0) continue;
    for (const ReactionEntry& entry : run.system.reactions[k]) {
      run.x[entry.state] += -run.slip[k] * run.constants[entry.constant];
    }
  }
}

/// Decides all modes at (t, x).
void resolve_modes(Run& run, double t) {
  if (run.frictions.empty()) return;
  run.system.slips(t, run.x.data(), run.constants.data(), run.slip.data());
  bool any = false;
  run.previous = run.mode;
  for (std::size_t k = 0; k < run.frictions.size(); ++k) {
    Friction& friction = run.frictions[k];
    friction.at_zero = reaches_zero(friction, run.mode[k], run.slip[k], run.options.zero);
    if (friction.at_zero) run.mode[k] = 0;
    any = any || friction.at_zero;
  }
  if (!any) return;
  break_away(run, t);
  take_out(run);
  for (std::size_t k = 0; k < run.frictions.size(); ++k) {
    if (run.mode[k] != run.previous[k]) ++run.report.changes[k];
  }
}

void put_row(Run& run, double t, const std::vector<double>& x) {
  run.system.evaluate_outputs(t, x.data(), run.constants.data(), run.mode.data(),
                              run.outputs.data());
  run.sink.row(t, run.outputs);
}

/// The point of the polygon at time t, in the step from t0.
void put_row_between(Run& run, double t, double t0) {
  const double elapsed = std::max(t - t0, 0.0);
  for (std::size_t i = 0; i < run.x.size(); ++i) run.point[i] = run.x[i] + elapsed * run.dx[i];
  put_row(run, t, run.point);
}

/// False when an assertion fails; the report then names it.
bool assertions_hold(Run& run, double t) {
  if (run.holds.empty()) return true;
  run.system.assertions(t, run.x.data(), run.constants.data(), run.mode.data(), run.holds.data());
  const auto failed = std::find(run.holds.begin(), run.holds.end(), 0.0);
  if (failed == run.holds.end()) return true;
  run.report.reason = StopReason::kAssertion;
  run.report.index = static_cast<std::size_t>(failed - run.holds.begin());
  return false;
}

/// False when a state is infinite or not a number; the report then names it.
bool all_finite(Run& run, const std::vector<double>& x) {
  double dust = 0;
  for (const double value : x)
    dust += value * 0.0;  // not a number as soon as one value is not finite
  if (dust == 0) return true;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (std::isfinite(x[i])) continue;
    run.report.reason = StopReason::kNotFinite;
    run.report.index = i;
    break;
  }
  return false;
}

void start_modes(Run& run) {
  if (run.frictions.empty()) return;
  run.system.slips(run.options.start, run.x.data(), run.constants.data(), run.slip.data());
  for (std::size_t k = 0; k < run.frictions.size(); ++k) {
    run.mode[k] = std::fabs(run.slip[k]) <= run.options.zero ? 0 : direction(run.slip[k]);
  }
}

}  // namespace

RunReport simulate_euler(const System& system, std::span<const double> parameters,
                         const EulerOptions& options, RowSink& sink) {
  Run run(system, options, sink);
  const double h = options.step;  // [s]
  const double slack = 1e-9 * h;  // grid instants this near to an Euler point are on it
  const OutputGrid grid(options.start, options.stop, options.interval);
  const auto steps =
      static_cast<std::uint64_t>(std::ceil((options.stop - options.start) / h - 1e-9));

  system.prepare(parameters.data(), run.constants.data(), run.x.data());
  run.report.time = options.start;
  if (!all_finite(run, run.x)) return std::move(run.report);
  start_modes(run);
  std::uint64_t row = 0;  // next of the grid
  double row_time = grid.time(row);
  for (std::uint64_t n = 0;; ++n) {
    const double t = n == steps ? options.stop : options.start + static_cast<double>(n) * h;
    run.report.time = t;
    run.report.steps = n;
    resolve_modes(run, t);
    if (n == 0) run.report.changes.assign(system.friction_count, 0);  // the start is no change
    const bool good = assertions_hold(run, t);
    if (n == steps || !good) {
      // The last instant of the grid, or the one that failed.
      put_row(run, n == steps ? t : std::min(t, options.stop), run.x);
      return std::move(run.report);
    }
    const double t_next =
        n + 1 == steps ? options.stop : options.start + static_cast<double>(n + 1) * h;
    const double dt = n + 1 == steps ? t_next - t : h;
    system.derivatives(t, run.x.data(), run.constants.data(), run.mode.data(), run.dx.data());
    for (std::size_t i = 0; i < run.x.size(); ++i) run.next[i] = run.x[i] + dt * run.dx[i];
    const bool finite = all_finite(run, run.next);
    while (row + 1 < grid.size() && row_time < t_next - slack) {
      if (!finite && row_time > t + slack) break;
      if (row_time <= t + slack) {
        put_row(run, row_time, run.x);
      } else {
        put_row_between(run, row_time, t);
      }
      row_time = grid.time(++row);
    }
    if (!finite) return std::move(run.report);
    run.x.swap(run.next);
  }
}

}  // namespace luztar
