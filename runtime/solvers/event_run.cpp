#include "runtime/solvers/event_run.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace luztar {
namespace {

/// Events in one instant that make a storm.
constexpr int kStorm = 100;
/// As many one after the other, each of which rounding has put off, lead nowhere.
constexpr int kProvisional = 1000;
/// Of two events that may be part of a stall, relative to the time.
constexpr double kClustered = 1e-9;

}  // namespace

EventRun::EventRun(const System& s, std::span<const double> parameters, const OutputGrid& grid,
                   const EventRunSettings& settings, RowSink& sink)
    : system(s),
      x(s.state_count),
      modes(s, parameters, x),
      expansion(s, settings.order),
      events(s, modes, settings.order, expansion.peaks()),
      recorder(s, modes, sink, grid, settings.energy),
      settings_(settings),
      directions_(s.frictions.size()) {}

bool EventRun::begin(double t) {
  last_event_ = t;
  if (!recorder.all_finite(x)) return false;
  const std::vector<double> before = x;
  if (!events.start(t, x)) {
    recorder.begin(t, before, x, 0);
    return report_no_mode(t);
  }
  note_changes(false);
  recorder.begin(t, before, x, events.impulse_work());
  note_peaks();
  return assertions_hold(t);
}

void EventRun::note_changes(bool count) {
  for (std::size_t i = 0; i < directions_.size(); ++i) {
    const std::int8_t direction = modes.friction(i).direction;
    if (count && direction != directions_[i]) ++recorder.report.changes[i];
    directions_[i] = direction;
    if (modes.is_indeterminate(i)) recorder.report.indeterminate[i] = 1;
  }
}

std::vector<std::string> EventRun::names_of_event() const {
  std::vector<std::string> names;
  for (const FiredMargin& m : fired) names.push_back(events.name(events.margins()[m.margin]));
  if (!lets_go) return names;
  for (const Pull& pull : events.pulls()) {
    names.push_back(pull.is_spring ? system.settle_springs[pull.of].name
                                   : system.frictions[pull.of].name);
  }
  return names;
}

bool EventRun::pass_event(double t) {
  RunReport& report = recorder.report;
  const double since = (t - last_event_) / std::max(std::fabs(t), 1e-6);
  const bool same = since <= settings_.resolution;
  if (since <= kClustered) near_event_ = names_of_event();
  storm_ = same ? storm_ + 1 : 0;
  provisional_ = events.is_provisional() ? provisional_ + 1 : 0;
  last_event_ = t;
  if (storm_ > kStorm || provisional_ > kProvisional) {
    report.reason = StopReason::kEventStorm;
    report.visited = history_.changing(system);
    report.storm = names_of_event();
    return false;
  }
  if (settings_.event_rows) recorder.put_row(t, x);
  if (events.is_of_results(fired)) {
    events.resolve_results(t, x, fired);
  } else {
    if (!events.resolve(t, x, fired)) return report_no_mode(t);
    recorder.note_event(t, x, events.impulse_work());
    note_changes(true);
    if (storm_ == 1) history_.clear();
    if (storm_ + static_cast<int>(ModeHistory::kKept) > kStorm) history_.note(modes);
  }
  ++report.events;
  if (!settings_.event_rows) return true;
  recorder.put_row(t, x);
  event_row_ = t;
  recorder.skip_rows(t + settings_.resolution * std::fabs(t));
  return true;
}

bool EventRun::decide_again(double t) {
  if (!events.resolve(t, x, {})) return report_no_mode(t);
  note_changes(true);
  return true;
}

// What the model itself asserts, or a quantity without a value, says more than that there is no
// mode.
bool EventRun::report_no_mode(double t) {
  if (!assertions_hold(t) || !recorder.has_values(t, x)) return false;
  RunReport& report = recorder.report;
  report.reason = StopReason::kEventStorm;
  report.storm = events.unsettled();
  report.visited = events.visited();
  if (!events.unbalanced().empty()) {
    report.reason = StopReason::kNoEquilibrium;
    report.storm = {events.unbalanced()};
  } else if (!events.weak_at_rest().empty()) {
    report.reason = StopReason::kWeakAtRest;
    report.storm = {events.weak_at_rest()};
  } else if (!events.blocked().empty()) {
    report.reason = StopReason::kBlocked;
    report.storm = events.blocked();
  }
  return false;
}

void EventRun::report_stall() {
  if (near_event_.empty()) return report_growth();
  recorder.report.reason = StopReason::kEventStorm;
  recorder.report.storm = near_event_;
}

void EventRun::report_growth() {
  recorder.stop_not_finite(x, expansion.fastest_state(x));
  recorder.report.no_series = along_rates.exhausted();
}

RunReport EventRun::finish(double t) {
  RunReport& report = recorder.report;
  if (!report.output) report.time = t;
  for (const Stop& stop : system.stops) {
    report.changes[stop.friction] = events.impacts()[stop.friction];
  }
  const bool ends = report.reason == StopReason::kDone || report.reason == StopReason::kAssertion;
  if (ends && event_row_ != t) recorder.put_row(t, x);
  return std::move(report);
}

}  // namespace luztar
