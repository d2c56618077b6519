// A run by the Taylor solver as exact as it can be.
#pragma once

#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {

/// At tolerance 1e-14, to its end.
[[nodiscard]] Simulation exact_run(const Model& model, double stop, double interval,
                                   bool event_rows = true);

}  // namespace luztar::test
