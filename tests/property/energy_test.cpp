// Energy: what is supplied is stored or lost, in every example and at every event.
#include <doctest/doctest.h>

#include <cctype>
#include <cmath>
#include <filesystem>
#include <string>

#include "runtime/solvers/energy_audit.h"
#include "tests/support/csv_table.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

RunReport audited(const Model& model, double stop, double tolerance) {
  return test::audited(model, TaylorOptions{0, stop, stop / 50, tolerance, true});
}

TEST_CASE("the energy residual of every example is rounding") {
  std::size_t count = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(project_dir() / "library/examples")) {
    const std::string file = entry.path().filename();
    if (!std::islower(static_cast<unsigned char>(file[0]))) continue;  // bases
    CAPTURE(file);
    const Model model = load_example(file);
    const RunReport report = audited(model, model.stages().flat->experiment.stop, 1e-12);
    CHECK(report.reason == StopReason::kDone);
    CHECK(report.energy->turnover > 0);
    CHECK(std::fabs(report.energy->residual()) < 1e-11 * report.energy->turnover);
    for (const double lost : report.energy->dissipated) CHECK(lost >= -1e-14);
    ++count;
  }
  CHECK(count >= 15);
}

TEST_CASE("energies have closed forms") {
  // A mass of 2 kg at 3 m/s on a dry plane of 4 N and a damper of 0.5 N.s/m; then a stop.
  const Model model("slide.ltm",
                    "model Slide\n"
                    "  Translational.Mass body(m = 2, v(start = 3));\n"
                    "  Translational.SupportFriction plane(f0 = 4);\n"
                    "  Translational.SpringDamper spring(k = 0, d = 0.5);\n"
                    "  Translational.HardStop stop(half_freeplay = 0.2, e = 0.5);\n"
                    "  Translational.Fixed wall;\n"
                    "equation\n"
                    "  connect(body.flange_b, plane.flange_a);\n"
                    "  connect(wall.flange, spring.flange_a);\n"
                    "  connect(spring.flange_b, body.flange_a);\n"
                    "  connect(wall.flange, stop.flange_a);\n"
                    "  connect(stop.flange_b, body.flange_a);\n"
                    "end Slide;\n");
  const RunReport report = audited(model, 5, 1e-13);
  const EnergyReport& e = *report.energy;
  CHECK(e.stored_before == doctest::Approx(9).epsilon(1e-15));
  CHECK(e.stored == 0);
  CHECK(e.supplied == 0);
  CHECK(e.total_dissipated() + e.impacts == doctest::Approx(9).epsilon(1e-13));
  // Newton: each impact loses 1 - e^2 of the kinetic energy before it.
  const Simulation run = simulate(model, TaylorOptions{0, 5, 0.1, 1e-13, true});
  double lost = 0;
  const std::vector<double>& v = run.column(model, "body.v");
  for (std::size_t i = 0; i + 1 < run.time.size(); ++i) {
    if (run.time[i] == run.time[i + 1] && v[i] * v[i + 1] < 0) lost += 0.75 * v[i] * v[i];
  }
  CHECK(lost > 1);
  CHECK(e.impacts == doctest::Approx(lost).epsilon(1e-13));
}

}  // namespace
}  // namespace luztar::test
