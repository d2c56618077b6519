// Linkages as a user writes them, and what every run of one has to keep.
#pragma once

#include <string>

#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {

/// class Gear: phi_a = phi_b + 0.3 sin phi_b.
extern const std::string kVariableGear;

/// At tolerance 1e-14, to its end.
[[nodiscard]] Simulation exact_run(const Model& model, double stop, double interval,
                                   bool event_rows = false);
/// The energy account closes to 1e-12 of the turnover.
void check_energy(const Model& model, double stop);
/// CVODE moves alike, each column to `bound` of its peak.
void check_against_cvode(const Model& model, double stop, double bound);

}  // namespace luztar::test
