// A run of a compiled model by one of the solvers, columns by name.
#pragma once

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
  std::vector<std::vector<double>> columns;  // by output of the model

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

}  // namespace luztar::test
