#include "tests/support/linkages.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/support/exact_run.h"

namespace luztar::test {

const std::string kVariableGear = R"(
model Gear
  extends Rotational.Interfaces.FlangePair;
equation
  flange_a.phi = flange_b.phi + 0.3*sin(flange_b.phi);
  0 = slope(flange_b.phi + 0.3*sin(flange_b.phi), flange_b.phi)*flange_a.tau + flange_b.tau;
end Gear;
)";

void check_energy(const Model& model, double stop) {
  const RunReport report = audited(model, TaylorOptions{0, stop, stop / 40, 1e-14, true});
  CHECK(report.energy->turnover > 0);
  CHECK(std::fabs(report.energy->residual()) < 1e-12 * report.energy->turnover);
}

void check_against_cvode(const Model& model, double stop, double bound) {
  const double interval = stop / 50;
  const Simulation taylor = exact_run(model, stop, interval, false);
  const Simulation cvode = simulate(model, CvodeOptions{0, stop, interval, 1e-13, false});
  REQUIRE(cvode.report.reason == StopReason::kDone);
  for (const Deviation& d : motion_deviations(model, taylor, model, cvode)) {
    INFO(d.column);
    CHECK(d.relative() < bound);
  }
}

}  // namespace luztar::test
