// A run of a compiled model by one of the solvers, columns by name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/results/trajectory.h"
#include "runtime/solvers/cvode.h"
#include "runtime/solvers/euler.h"
#include "runtime/solvers/taylor.h"
#include "tests/support/model.h"

namespace luztar::test {

struct Simulation {
  RunReport report;
  std::vector<double> time;
  std::vector<std::vector<double>> columns;  // by output of the model, then of the audit

  [[nodiscard]] const std::vector<double>& column(const Model& model, std::string_view name) const {
    return columns[model.output(name)];
  }
};

/// All outputs of the model with its present parameters.
[[nodiscard]] Simulation simulate(const Model& model, const EulerOptions& options);
[[nodiscard]] Simulation simulate(const Model& model, const TaylorOptions& options);
[[nodiscard]] Simulation simulate(const Model& model, const CvodeOptions& options);

/// The report of a run that keeps account of energy; the model must have one.
[[nodiscard]] RunReport audited(const Model& model, TaylorOptions options);

/// Every n-th row.
[[nodiscard]] Simulation thinned(const Simulation& run, std::size_t n);

/// How far two runs are apart in one column.
struct Deviation {
  std::string column;
  double difference = 0, peak = 0;  // greatest values, the latter of the expected run

  [[nodiscard]] double relative() const { return difference == 0 ? 0 : difference / peak; }
};

/// Deviations of all positions and velocities, which are what follows from the states without a
/// jump: columns by name, rows by number.
[[nodiscard]] std::vector<Deviation> motion_deviations(const Model& expected_model,
                                                       const Simulation& expected,
                                                       const Model& model, const Simulation& run);

}  // namespace luztar::test
