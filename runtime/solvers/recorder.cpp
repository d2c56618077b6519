#include "runtime/solvers/recorder.h"

#include <algorithm>
#include <cmath>

namespace luztar {
namespace {

bool are_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

}  // namespace

Recorder::Recorder(const System& system, const Modes& modes, RowSink& sink, const OutputGrid& grid,
                   bool energy)
    : system_(system),
      modes_(modes),
      sink_(sink),
      grid_(grid),
      row_time_(grid.time(0)),
      point_(system.state_count),
      outputs_(system.outputs.size()),
      holds_(system.assertion_messages.size()) {
  report.changes.assign(system.frictions.size(), 0);
  report.indeterminate.assign(system.frictions.size(), 0);
  report.time = grid.time(0);
  if (energy && system.energy != nullptr) audit_.emplace(system, modes);
}

void Recorder::begin(double t, std::span<const double> before, std::span<const double> x,
                     double impulse_work) {
  if (audit_) audit_->begin(t, before, x, impulse_work);
}

void Recorder::note_event(double t, std::span<const double> x, double impulse_work) {
  if (audit_) audit_->jump(t, x, impulse_work);
}

void Recorder::evaluate_outputs(double t, std::span<const double> x) {
  outputs_.resize(system_.outputs.size());
  system_.evaluate_outputs(t, x.data(), modes_.constants(), outputs_.data());
}

void Recorder::put_row(double t, std::span<const double> x) {
  evaluate_outputs(t, x);
  note_outputs(t);
  if (audit_) {
    audit_->append(outputs_);
    report.energy = audit_->report();
  }
  sink_.row(t, outputs_);
}

// Of several outputs without a value that of the model rather than those of its parts.
void Recorder::note_outputs(double t) {
  if (report.reason != StopReason::kDone || are_finite(outputs_)) return;
  report.reason = StopReason::kNotFinite;
  report.time = t;
  std::ptrdiff_t least = 0;
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    if (std::isfinite(outputs_[i])) continue;
    const std::string& name = system_.outputs[i].name;
    const std::ptrdiff_t depth = std::count(name.begin(), name.end(), '.');
    if (report.output && depth >= least) continue;
    report.output = i;
    least = depth;
  }
}

void Recorder::skip_rows(double t) {
  while (row_ + 1 < grid_.size() && row_time_ <= t) set_row(row_ + 1);
}

bool Recorder::assertions_hold(double t, std::span<const double> x) {
  if (report.reason == StopReason::kNotFinite) return false;
  if (holds_.empty()) return true;
  system_.assertions(t, x.data(), modes_.constants(), holds_.data());
  const auto failed = std::find(holds_.begin(), holds_.end(), 0.0);
  if (failed == holds_.end()) return true;
  report.reason = StopReason::kAssertion;
  report.index = static_cast<std::size_t>(failed - holds_.begin());
  report.states.assign(x.begin(), x.end());
  report.modes = modes_.slots();
  return false;
}

bool Recorder::has_values(double t, std::span<const double> x) {
  evaluate_outputs(t, x);
  if (are_finite(outputs_)) return true;
  put_row(t, x);
  return false;
}

bool Recorder::all_finite(std::span<const double> x) {
  if (are_finite(x)) return true;
  const auto failed =
      std::find_if_not(x.begin(), x.end(), [](double v) { return std::isfinite(v); });
  stop_not_finite(x, static_cast<std::size_t>(failed - x.begin()));
  return false;
}

void Recorder::stop_not_finite(std::span<const double> x, std::size_t state) {
  report.reason = StopReason::kNotFinite;
  report.index = state;
  report.states.assign(x.begin(), x.end());
  report.modes = modes_.slots();
}

}  // namespace luztar
