#include "runtime/solvers/taylor.h"

#include <algorithm>
#include <cmath>

#include "runtime/numbers.h"
#include "runtime/solvers/event_run.h"

namespace luztar {
namespace {

/// A step takes no more than this share of the tolerance, as the errors of many add up.
constexpr double kShare = 0.1;

/// Time in two parts, so that steps add up without rounding.
struct Instant {
  double high = 0, low = 0;

  void advance(double h) {
    const double sum = high + h;
    const double part = sum - high;
    low += (high - (sum - part)) + (h - part);
    high = sum;
    const double whole = high + low;
    low -= whole - high;
    high = whole;
  }
  [[nodiscard]] double until(double t) const { return (t - high) - low; }
};

struct TaylorRun : EventRun {
  const TaylorOptions& options;
  Instant now;
  std::vector<std::uint64_t> stiff_steps;  // by state: steps that it has limited
  double singular = -kInfinity;            // where the last step along rates began
  std::uint64_t counted_from = 0;          // steps at way_begin
  double way_begin = -kInfinity;

  TaylorRun(const System& s, std::span<const double> parameters, const TaylorOptions& o,
            RowSink& out)
      : EventRun(s, parameters, OutputGrid(o.start, o.stop, o.interval),
                 {taylor_order(s, o.tolerance), o.event_rows, 16 * kEpsilon, o.energy}, out),
        options(o),
        now{o.start, 0},
        stiff_steps(s.state_count) {}

  /// Where the motion has no series, or one of no use: the length of a step along its rates; not a
  /// number where it has none, or grows without bound.
  double step_along_rates(double rest) {
    // Beyond what an event takes for its instant.
    constexpr double kShort = 4 * Coefficients::kRoundingOfInstant;
    const double h =
        along_rates.next(expansion, kShort * std::max(std::fabs(now.high), rest), rest);
    if (std::isnan(h) || expansion.is_near_pole(h, now.high - options.start)) return NAN;
    singular = now.high;
    return h;
  }
  /// Steps after an instant without a series stay where series converge: well within the time since
  /// then. What is small beside the motion would tell false events beyond.
  [[nodiscard]] double longest_step(double rest) const {
    constexpr double kWithin = 0.5;
    return std::min(rest, -kWithin * now.until(singular));
  }
  /// Thousands of steps have not led on: as many more as no run takes would be left.
  [[nodiscard]] bool stalls() {
    constexpr std::uint64_t kMany = 10000;
    constexpr double kWay = 1e-10;  // of the run
    if (recorder.report.steps < counted_from + kMany) return false;
    const bool leads_on = now.high - way_begin > kWay * (options.stop - options.start);
    counted_from = recorder.report.steps;
    way_begin = now.high;
    return !leads_on;
  }
  /// Counts a step that no event has ended.
  void note_stiffness(double h) {
    const std::uint32_t state = expansion.stiff_state(h);
    if (state != kNoIndex) ++stiff_steps[state];
  }
  /// The state that has limited most steps, if there are so many that its limit would pay.
  void report_stiffness() {
    constexpr std::uint64_t kMany = 200;
    const auto most = std::max_element(stiff_steps.begin(), stiff_steps.end());
    if (most == stiff_steps.end() || *most < kMany || 2 * *most < recorder.report.steps) return;
    recorder.report.stiff_state = static_cast<std::size_t>(most - stiff_steps.begin());
  }
};

/// The length of the step, and what ends it in `fired` or `lets_go`; not a number when the motion
/// grows without bound.
double length_of_step(TaylorRun& run, double rest) {
  const std::vector<Margin>& margins = run.events.margins();
  run.clear_event();
  const double longest =
      run.expansion.step_size(kShare * run.options.tolerance, run.longest_step(rest), margins);
  const double h = run.expansion.step_to_root(longest);
  constexpr double kLongRest = 1e4;  // [s]: a longer one says nothing about the motion now
  const double least = 4 * kEpsilon * std::max(std::fabs(run.now.high), std::min(rest, kLongRest));
  if (std::isnan(longest) || (h <= least && h < rest)) {
    const double along = run.step_along_rates(rest);
    return std::isnan(along) ? along : run.expansion.step_to_event(along, margins, run.fired);
  }
  run.along_rates.end();
  double end = run.expansion.step_to_event(h, margins, run.fired);
  if (const double checked = run.expansion.checked_step(end, rest, margins); checked < end) {
    run.fired.clear();
    end = checked;
  }
  if (h < longest && end == h) run.expansion.list_touched(h, margins, run.fired);
  const double pull = run.expansion.step_to_pull(end, run.events.pulls(), 0);
  if (pull < end) {
    run.fired.clear();
    run.lets_go = true;
  }
  return pull;
}

/// One step, to the next event at most. False when the run has to stop.
bool step(TaylorRun& run) {
  if (run.stalls()) {
    run.report_stall();
    return false;
  }
  run.expand(run.now.high);
  const double rest = run.now.until(run.options.stop);
  const double h = length_of_step(run, rest);
  if (std::isnan(h)) {
    run.report_growth();
    return false;
  }
  run.put_grid_rows(
      run.now.high + h, [&](double t) { return h - run.now.until(t); },
      [&](double t, std::vector<double>& x) {
        run.expansion.evaluate_states(run.now.until(t), x);
      });
  if (h > 0) {
    run.expansion.evaluate_states(h, run.x);
    run.now.advance(h);
  }
  ++run.recorder.report.steps;
  run.note_peaks();
  if (!run.has_event()) {
    run.events.forget_zeros();
    if (h < rest) run.note_stiffness(h);
    if (h >= rest) {
      run.now = {run.options.stop, 0};
    } else if (run.lacked_series() || run.events.rests_on_rounding() ||
               run.events.tends_away(run.now.high, run.x) ||
               run.events.lets_go(run.now.high, run.x)) {
      if (!run.decide_again(run.now.high)) return false;
    }
  } else if (!run.pass_event(run.now.high)) {
    return false;
  }
  return run.assertions_hold(run.now.high);
}

}  // namespace

std::int64_t taylor_order(const System& system, double tolerance) {
  // Even ones: what decays stays positive by them. Half the greatest, with which a step begins, has
  // no more terms than a look at a margin takes at once.
  constexpr std::int64_t kLeast = 12, kMost = 30;
  constexpr double kStep = 16;  // orders that would take as long as all else in a step
  double best = 0;
  std::int64_t result = kLeast;
  for (std::int64_t p = kLeast; p <= kMost; p += 2) {
    const auto order = static_cast<double>(p);
    const double cost = static_cast<double>(system.operations) * (order + kStep) +
                        static_cast<double>(system.recurrences) * order * order / 2;
    const double progress = std::pow(tolerance, 1 / order) / cost;
    if (progress <= best) continue;
    best = progress;
    result = p;
  }
  return result;
}

RunReport simulate_taylor(const System& system, std::span<const double> parameters,
                          const TaylorOptions& options, RowSink& sink) {
  TaylorRun run(system, parameters, options, sink);
  bool good = run.begin(options.start);
  while (good && run.now.until(options.stop) > 0) good = step(run);
  run.report_stiffness();
  return run.finish(run.now.high);
}

}  // namespace luztar
