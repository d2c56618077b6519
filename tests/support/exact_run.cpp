#include "tests/support/exact_run.h"

#include <doctest/doctest.h>

namespace luztar::test {

Simulation exact_run(const Model& model, double stop, double interval, bool event_rows) {
  Simulation run = simulate(model, TaylorOptions{0, stop, interval, 1e-14, event_rows});
  REQUIRE(run.report.reason == StopReason::kDone);
  return run;
}

}  // namespace luztar::test
