#include "tests/support/solver_agreement.h"

#include <doctest/doctest.h>

namespace luztar::test {

Simulation taylor(const Model& model, double tolerance) {
  const double stop = model.stages().flat->experiment.stop;
  return simulate(model, TaylorOptions{0, stop, stop / 50, tolerance, false});
}

void check_agrees(const Model& model) {
  const double stop = model.stages().flat->experiment.stop;
  const CvodeOptions options{0, stop, stop / 50, kLeastCvodeTolerance, false};
  const Simulation run = taylor(model), fine = taylor(model, 1e-13);
  const Simulation cvode = simulate(model, options);
  for (const Simulation* each : {&run, &fine, &cvode}) {
    REQUIRE(each->report.reason == StopReason::kDone);
  }
  for (const Deviation& d : motion_deviations(model, fine, model, run)) {
    INFO(d.column);
    CHECK(d.difference <= 1e-9 * d.peak);
  }
  for (const Deviation& d : motion_deviations(model, fine, model, cvode)) {
    INFO(d.column);
    CHECK(d.difference <= 1e-7 * d.peak);
  }
}

}  // namespace luztar::test
