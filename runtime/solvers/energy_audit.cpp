#include "runtime/solvers/energy_audit.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace luztar {

double EnergyReport::total_dissipated() const {
  return std::accumulate(dissipated.begin(), dissipated.end(), 0.0);
}

double EnergyReport::residual() const {
  return stored - stored_before + total_dissipated() + impacts - supplied;
}

EnergyAudit::EnergyAudit(const System& system, const Modes& modes)
    : system_(system),
      modes_(modes),
      x_(system.state_count),
      values_(2 + system.dissipators.size()) {
  report_.dissipated.assign(system.dissipators.size(), 0.0);
}

bool EnergyAudit::loses_at_events(const System& system) {
  return !system.stops.empty() || !system.settle_islands.empty();
}

std::vector<OutputColumn> EnergyAudit::columns(const System& system) {
  std::vector<OutputColumn> result = {{"energy.stored", "J", false},
                                      {"energy.supplied", "J", false},
                                      {"energy.dissipated", "J", false}};
  for (const std::string& part : system.dissipators) {
    result.push_back({"energy.dissipated." + part, "J", false});
  }
  if (loses_at_events(system)) result.push_back({"energy.impacts", "J", false});
  result.push_back({"energy.residual", "J", false});
  return result;
}

void EnergyAudit::append(std::vector<double>& row) const {
  row.push_back(report_.stored);
  row.push_back(report_.supplied);
  row.push_back(report_.total_dissipated());
  row.insert(row.end(), report_.dissipated.begin(), report_.dissipated.end());
  if (loses_at_events(system_)) row.push_back(report_.impacts);
  row.push_back(report_.residual());
}

void EnergyAudit::begin(double t, std::span<const double> before, std::span<const double> x,
                        double impulse_work) {
  time_ = t;
  measure(t, before);
  report_.stored_before = report_.stored;
  std::copy(before.begin(), before.end(), x_.begin());
  jump(t, x, impulse_work);
}

void EnergyAudit::measure(double t, std::span<const double> x) {
  system_.energy(t, x.data(), modes_.constants(), values_.data());
  report_.stored = values_[0];
  report_.turnover = std::max(report_.turnover, std::fabs(report_.stored));
}

void EnergyAudit::add(double t, double weight) {
  system_.energy(t, x_.data(), modes_.constants(), values_.data());
  report_.supplied += weight * values_[1];
  report_.turnover += std::fabs(weight * values_[1]);
  for (std::size_t i = 0; i < report_.dissipated.size(); ++i) {
    report_.dissipated[i] += weight * values_[2 + i];
  }
}

void EnergyAudit::jump(double t, std::span<const double> x, double impulse_work) {
  // First what a jump of a prescribed motion does while all states are as they were: the work of
  // its driving impulse. Then impacts.
  const double before = report_.stored;
  measure(t, x_);
  const double gain = report_.stored - before;
  const bool snap = gain < 0 && !system_.settle_islands.empty();
  (snap ? report_.impacts : report_.supplied) += snap ? -gain : gain;
  std::copy(x.begin(), x.end(), x_.begin());
  if (system_.stops.empty()) return;
  const double driven = report_.stored;
  measure(t, x);
  report_.supplied += impulse_work;
  report_.impacts += driven + impulse_work - report_.stored;
}

}  // namespace luztar
