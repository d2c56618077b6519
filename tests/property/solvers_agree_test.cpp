// Two independent solvers on the examples: the Taylor polynomials and CVODE share the modes and
// their decisions, but neither the integration nor the location of events.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

constexpr double kTaylorTolerance = 1e-10;

void check_motion(const Model& model, const Simulation& expected, const Simulation& other) {
  REQUIRE(expected.time == other.time);
  const std::vector<Deviation> deviations = motion_deviations(model, expected, model, other);
  for (const Deviation& d : deviations) {
    INFO(d.column, ": greatest difference ", d.difference, " at a peak of ", d.peak);
    CHECK(d.difference <= 1e-6 * d.peak);
  }
  CHECK(deviations.size() >= model.system().state_count - model.system().slip_state_count);
}

void check_agreement(const Model& model, CvodeMethod method, double tolerance) {
  CAPTURE(model.stages().flat->name);
  CAPTURE(tolerance);
  const double stop = model.stages().flat->experiment.stop;
  const Simulation taylor = simulate(model, TaylorOptions{0, stop, 0.01, kTaylorTolerance, false});
  const Simulation cvode = simulate(model, CvodeOptions{0, stop, 0.01, tolerance, false, method});
  REQUIRE(taylor.report.reason == StopReason::kDone);
  REQUIRE(cvode.report.reason == StopReason::kDone);
  CHECK(taylor.report.changes == cvode.report.changes);
  check_motion(model, taylor, cvode);
}

/// A chain of masses on dry ground, pushed at its end: two states for each.
Model chain(int masses) {
  std::string parts = "model Chain\n", connections = "equation\n";
  for (int i = 0; i < masses; ++i) {
    const std::string k = std::to_string(i), next = std::to_string(i + 1);
    parts += "Translational.Mass m" + k + "(m = 1);\n";
    parts += "Translational.SupportFriction f" + k + "(d = 0.5, f0 = 0.2);\n";
    connections += "connect(m" + k + ".flange_b, f" + k + ".flange_a);\n";
    if (i + 1 == masses) continue;
    parts += "Translational.Spring s" + k + "(k = 200);\n";
    connections += "connect(m" + k + ".flange_b, s" + k + ".flange_a);\n";
    connections += "connect(s" + k + ".flange_b, m" + next + ".flange_a);\n";
  }
  parts += "Translational.Force push;\nBlocks.Sine signal(amplitude = 20, f = 0.5);\n";
  connections += "connect(signal.y, push.f);\nconnect(push.flange, m0.flange_a);\n";
  return {"chain.ltm", parts + connections + "annotation(experiment(StopTime = 2));\nend Chain;\n"};
}

}  // namespace

TEST_CASE("Taylor and CVODE give the same motion and the same stick-slip changes") {
  for (const char* file : {"steering.ltm", "two_mass.ltm", "two_mass_two_friction.ltm",
                           "static_indeterminacy.ltm", "single_mass.ltm"}) {
    const Model model = load_example(file);
    check_agreement(model, CvodeMethod::kBdf, 1e-9);
    check_agreement(model, CvodeMethod::kAdams, 1e-9);
  }
  // Bouncing within the freeplay makes differences grow some hundred times.
  const Model bouncing = load_example("gear_train_2.ltm");
  check_agreement(bouncing, CvodeMethod::kBdf, 1e-11);
  check_agreement(bouncing, CvodeMethod::kAdams, 1e-10);
}

TEST_CASE("Taylor and CVODE give the same motion of many states, without a Jacobian") {
  check_agreement(chain(30), CvodeMethod::kBdf, 1e-9);
}

TEST_CASE("stick-slip changes do not depend on the tolerance when slips stop together") {
  const Model model = load_example("static_indeterminacy.ltm");
  const double stop = model.stages().flat->experiment.stop;
  const Simulation reference = simulate(model, TaylorOptions{0, stop, stop, 1e-12, false});
  for (const double tolerance : {1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11}) {
    CAPTURE(tolerance);
    CHECK(simulate(model, TaylorOptions{0, stop, stop, tolerance, false}).report.changes ==
          reference.report.changes);
    CHECK(simulate(model, CvodeOptions{0, stop, stop, tolerance, false}).report.changes ==
          reference.report.changes);
  }
}

// CVODE's steps are long where nothing moves. The load is above T_S for 0.3 ms in a second, less
// than one of them: the block breaks away as it does with Taylor.
TEST_CASE("CVODE sees a load that is above the static friction within one of its steps") {
  const Model model("peaks.ltm",
                    "model Peaks\n"
                    "  Rotational.Inertia body(J = 0.01);\n"
                    "  Rotational.BearingFriction bearing(tau0 = 1.8, tau0_static = 2);\n"
                    "  Rotational.Torque load;\n"
                    "equation\n"
                    "  load.tau = 2.000001*sin(6.283185307179586*time);\n"
                    "  connect(bearing.flange_a, body.flange_b);\n"
                    "  connect(load.flange, body.flange_a);\n"
                    "annotation(experiment(StopTime = 10));\n"
                    "end Peaks;\n");
  for (const CvodeMethod method : {CvodeMethod::kBdf, CvodeMethod::kAdams}) {
    check_agreement(model, method, 1e-10);
  }
  const Simulation run = simulate(model, CvodeOptions{0, 10, 0.01, 1e-10, false});
  CHECK(run.report.events == 40);  // each half period it breaks away, and stops
}

TEST_CASE("Taylor and CVODE write the same rows at events") {
  const Model model = load_example("single_mass.ltm");
  const Simulation taylor = simulate(model, TaylorOptions{0, 4, 0.01, kTaylorTolerance});
  const Simulation cvode = simulate(model, CvodeOptions{0, 4, 0.01, 1e-11});
  CHECK(taylor.report.events == cvode.report.events);
  REQUIRE(taylor.time.size() == cvode.time.size());
  for (std::size_t i = 0; i < taylor.time.size(); ++i) {
    CHECK(std::fabs(taylor.time[i] - cvode.time[i]) < 1e-8);
  }
}

namespace {

/// A growing block: v' = v^2 ends at t = 1 s.
const char* const kGrowth = R"(
model Growth
  Real x(start = 1);
equation
  der(x) = x * x;
  assert(x < limit, "too fast");
  annotation(experiment(StopTime = 2));
end Growth;
)";

}  // namespace

TEST_CASE("Taylor and CVODE stop early for the same reason") {
  std::string with_limit = kGrowth, without = kGrowth;
  with_limit.replace(with_limit.find("limit"), 5, "5");
  without.replace(without.find("limit"), 5, "1e300");
  const Model limited("limited.ltm", with_limit), free("free.ltm", without);
  const Simulation assertion = simulate(limited, CvodeOptions{0, 2, 0.01, 1e-9});
  CHECK(assertion.report.reason == StopReason::kAssertion);
  CHECK(assertion.report.index == 0);
  CHECK(assertion.report.time == assertion.time.back());
  CHECK(assertion.report.time == doctest::Approx(0.8).epsilon(0.01));
  for (const CvodeMethod method : {CvodeMethod::kBdf, CvodeMethod::kAdams}) {
    const Simulation growth = simulate(free, CvodeOptions{0, 2, 0.01, 1e-9, true, method});
    CHECK(growth.report.reason == StopReason::kNotFinite);
    CHECK(growth.report.index == 0);
    CHECK(growth.report.time == doctest::Approx(1).epsilon(1e-6));
    CHECK(simulate(free, TaylorOptions{0, 2, 0.01, 1e-9}).report.reason == StopReason::kNotFinite);
  }
}

}  // namespace luztar::test
