#include "runtime/solvers/recorder.h"

#include <algorithm>
#include <cmath>

namespace luztar {

Recorder::Recorder(const System& system, const Modes& modes, RowSink& sink, const OutputGrid& grid,
                   bool energy)
    : system_(system),
      modes_(modes),
      sink_(sink),
      grid_(grid),
      point_(system.state_count),
      outputs_(system.outputs.size()),
      holds_(system.assertion_messages.size()) {
  report.changes.assign(system.frictions.size(), 0);
  report.indeterminate.assign(system.frictions.size(), 0);
  report.time = grid.time(0);
  if (energy && system.energy != nullptr) audit_.emplace(system, modes);
}

void Recorder::begin(double t, std::span<const double> x) {
  if (audit_) audit_->begin(t, x);
}

void Recorder::note_event(double t, std::span<const double> x) {
  if (audit_) audit_->jump(t, x);
}

void Recorder::put_row(double t, std::span<const double> x) {
  outputs_.resize(system_.outputs.size());
  system_.evaluate_outputs(t, x.data(), modes_.constants(), outputs_.data());
  if (audit_) {
    audit_->append(outputs_);
    report.energy = audit_->report();
  }
  sink_.row(t, outputs_);
}

void Recorder::skip_rows(double t) {
  while (row_ + 1 < grid_.size() && grid_.time(row_) <= t) ++row_;
}

bool Recorder::assertions_hold(double t, std::span<const double> x) {
  if (holds_.empty()) return true;
  system_.assertions(t, x.data(), modes_.constants(), holds_.data());
  const auto failed = std::find(holds_.begin(), holds_.end(), 0.0);
  if (failed == holds_.end()) return true;
  report.reason = StopReason::kAssertion;
  report.index = static_cast<std::size_t>(failed - holds_.begin());
  return false;
}

bool Recorder::all_finite(std::span<const double> x) {
  double dust = 0;
  for (const double value : x) {
    dust += value * 0.0;  // not a number as soon as one value is not finite
  }
  if (dust == 0) return true;
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
