// Random networks of dry frictions, with massless and light bodies, clutches, prescribed motions
// and hard stops, by number: those in which rounding once decided what it should not.
#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <utility>

#include "tests/support/model.h"
#include "tests/support/random_cases.h"
#include "tests/support/random_network.h"
#include "tests/support/simulation.h"
#include "tests/support/solver_agreement.h"

namespace luztar::test {
namespace {

/// Whether it compiles and runs to its end. Loads that frictions cannot hold, and motions that
/// close in on stops, end it for good reasons.
bool check_energy(unsigned number) {
  CAPTURE(number);
  std::unique_ptr<Stages> stages =
      run_stages("network.ltm", random_network(number), Stage::kProgram);
  if (!stages->program) return false;
  const Model model(std::move(stages));
  const double stop = model.stages().flat->experiment.stop;
  const RunReport report = audited(model, TaylorOptions{0, stop, stop, 1e-12, false});
  if (report.reason == StopReason::kNoEquilibrium || report.reason == StopReason::kBlocked) {
    return false;
  }
  REQUIRE(report.reason == StopReason::kDone);
  CHECK(std::fabs(report.energy->residual()) <= 1e-9 * report.energy->turnover + 1e-25);
  return true;
}

}  // namespace

TEST_CASE("random networks of dry frictions come to their end, with their energy account") {
  unsigned done = 0;
  for (unsigned number = 1; number <= random_cases(40); ++number) done += check_energy(number);
  CHECK(done >= random_cases(37));
}

// A prescribed motion that stops, or turns back, like t^2 or t^3: its zero is a multiple root,
// whose place rounding leaves open by a root of itself, and with it all lower coefficients.
TEST_CASE("prescribed motions through multiple zeros leave no coefficients that decide") {
  for (const unsigned number : {97U, 2775U, 6483U, 9360U, 30510U, 32819U, 33791U, 55876U}) {
    CHECK(check_energy(number));
  }
}

// A drive that turns back like t^3 pushes a body that a contact, a friction and a bearing hold: the
// forces of least norm have the bearing at that bound which is on the wrong side of its motion.
TEST_CASE("forces at rest are at the bounds to which a drive pushes, however late it moves") {
  const Model model("network.ltm", random_network(151370));
  for (const double tolerance : {1e-6, 1e-8, 1e-10, 1e-12}) {
    CAPTURE(tolerance);
    const RunReport report = audited(model, TaylorOptions{0, 2, 2, tolerance, false});
    REQUIRE(report.reason == StopReason::kDone);
    CHECK(std::fabs(report.energy->residual()) <= 1e-3 * tolerance * report.energy->turnover);
    CHECK(report.energy->stored == doctest::Approx(0.0893844).epsilon(1e-5));
  }
  check_agrees(model);
}

// A drive touches rest like t^2, and carries a body by friction, whose speed has an error of some
// 1e-15 by then: its parabola has two zeros with it, at a rate that no longer seems to be rounding.
TEST_CASE("a body that a drive carries to rest and on has one event there") {
  const Model model("network.ltm", random_network(107));
  for (const double tolerance : {1e-6, 1e-8, 1e-10, 1e-11, 1e-12}) {
    CAPTURE(tolerance);
    const RunReport report = audited(model, TaylorOptions{0, 2, 2, tolerance, false});
    REQUIRE(report.reason == StopReason::kDone);
    CHECK(std::fabs(report.energy->residual()) <= 1e-3 * tolerance * report.energy->turnover);
  }
  check_agrees(model);
}

// At an instant where formulas of a decision and of its mode tell otherwise, by rounding alone.
TEST_CASE("what rounding says of an instant ends no run") {
  for (const unsigned number :
       {675U, 1031U, 1924U, 3088U, 5093U, 6787U, 7757U, 7830U, 9230U, 55680U, 79084U}) {
    CHECK(check_energy(number));
  }
}

// A load that vanishes like t^3 takes the forces of stops and frictions to zero with it: where they
// leave their bounds is a multiple root, too.
TEST_CASE("forces that vanish with a load of multiple zeros have one event there") {
  const Model model("network.ltm", random_network(42744));
  const double stop = model.stages().flat->experiment.stop;
  const RunReport report = audited(model, TaylorOptions{0, stop, stop, 1e-10, false});
  REQUIRE(report.reason == StopReason::kDone);
  CHECK(report.events < 40);  // some 110 more where the noise of the load decides
  check_agrees(model);
}

// The balance of forces gives a massless body its slip: at an instant without capacity rounding.
TEST_CASE("a clutch that opens between massless bodies at rest leaves them there") {
  const Model model("network.ltm", random_network(71313));
  for (const double tolerance : {1e-6, 1e-9, 1e-12}) {
    CAPTURE(tolerance);
    const Simulation run = taylor(model, tolerance);
    REQUIRE(run.report.reason == StopReason::kDone);
    for (const char* speed : {"b0.w", "p0.w", "p1.w"}) {
      for (const double w : run.column(model, speed)) CHECK(std::fabs(w) < 1e-13);
    }
  }
}

// Forces that are not unique, kept at their bounds for their length: of massless bodies in series
// and of points alone.
TEST_CASE("forces that are not unique stay at their bounds while these keep them short") {
  for (const unsigned number :
       {32U, 741U, 844U, 870U, 2373U, 3487U, 4713U, 8878U, 9849U, 20483U, 20914U, 30496U}) {
    CHECK(check_energy(number));
  }
}

// A massless body that has slid at T_K and sticks, or shares of forces by columns that are next to
// dependent.
TEST_CASE("decisions and their modes follow the same forces") {
  for (const unsigned number : {21321U, 30463U, 43929U, 50398U}) CHECK(check_energy(number));
}

TEST_CASE("both solvers give these networks the same motion") {
  for (const unsigned number : {10259U, 11619U}) {
    CAPTURE(number);
    check_agrees(Model("network.ltm", random_network(number)));
  }
}

// The load of a massless body goes through zero like t^3, at pi/3, as the last of what holds it has
// no capacity: it leaves its contact then.
TEST_CASE("a massless body leaves its contact where its load has a triple zero") {
  const Model model("network.ltm", random_network(40239));
  for (const double tolerance : {1e-9, 1e-10, 1e-11, 1e-12, 1e-13}) {
    CAPTURE(tolerance);
    const Simulation run = simulate(model, TaylorOptions{0, 2, 2, tolerance, false});
    REQUIRE(run.report.reason == StopReason::kDone);
    CHECK(run.column(model, "p0.phi").back() == doctest::Approx(1.1829334946).epsilon(1e-10));
    CHECK(run.column(model, "p1.phi").back() == doctest::Approx(0.6190815285).epsilon(1e-8));
  }
}

}  // namespace luztar::test
