// Runs of a model's experiment, and the agreement of solvers about it.
#pragma once

#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {

/// The experiment of the model, in 50 intervals, by Taylor series.
[[nodiscard]] Simulation taylor(const Model& model, double tolerance = 1e-10);

/// Checks that both solvers and tolerances come to the end with the same motion.
void check_agrees(const Model& model);

}  // namespace luztar::test
