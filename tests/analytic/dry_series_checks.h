// What the tests of dry frictions in series ask of every run.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string>
#include <vector>

#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {

inline TaylorOptions fine(double stop) { return {0, stop, 0.01, 1e-12, false, true}; }

inline void check_energy(const Simulation& run) {
  REQUIRE(run.report.reason == StopReason::kDone);
  REQUIRE(run.report.energy);
  CHECK(std::abs(run.report.energy->residual()) < 1e-12 * run.report.energy->turnover);
}

/// Greatest difference of these columns between two runs with the same rows.
inline double greatest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::fabs(a[i] - b[i]));
  return most;
}
inline double greatest_difference(const Model& model, const Simulation& a, const Simulation& b,
                                  std::initializer_list<const char*> names) {
  double most = 0;
  for (const char* name : names) {
    most = std::max(most, greatest_difference(a.column(model, name), b.column(model, name)));
  }
  return most;
}

inline void check_cvode(const Model& model, const Simulation& taylor, double stop) {
  const Simulation cvode = simulate(model, CvodeOptions{0, stop, 0.01, 1e-12, false});
  REQUIRE(cvode.report.reason == StopReason::kDone);
  for (const Deviation& d : motion_deviations(model, taylor, model, cvode)) {
    CAPTURE(d.column);
    if (d.column.find(".s") != std::string::npos || d.column.find(".phi") != std::string::npos) {
      CHECK(d.difference < 1e-7 * std::max(d.peak, 1.0));
    }
  }
}

}  // namespace luztar::test
