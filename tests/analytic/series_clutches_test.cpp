// Two clutches in series through a disc without inertia, one of which opens and closes while the
// other one breaks away: where both hold, and where a capacity touches zero, errors of steps are
// far above rounding.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "tests/analytic/dry_series_checks.h"
#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

/// A drive, a clutch, the disc with a spring to a second wheel, a clutch, a wheel.
Model clutches() {
  return Model("clutches.ltm",
               "model Clutches\n"
               "  Rotational.Speed drive;\n"
               "  Rotational.Clutch first(fn_max = 10, mu_pos = 0.5, peak = 1.2);\n"
               "  Rotational.Clutch second(fn_max = 10, mu_pos = 0.5);\n"
               "  Rotational.Inertia disc(J = 0), wheel(J = 0.2), other(J = 0.4);\n"
               "  Rotational.Spring spring(k = 50);\n"
               "  Rotational.BearingFriction bearing(tau0 = 0.3, d = 0.05), rest(tau0 = 0.2);\n"
               "  Rotational.SpringDamper mount(k = 5, d = 0.1);\n"
               "  Rotational.Fixed ground;\n"
               "equation\n"
               "  drive.w_ref = 5*sin(2*time);\n"
               "  first.f_normalized = 0.6 + 0.4*sin(3*time);\n"
               "  second.f_normalized = 0.6 + 0.6*cos(2*time);\n"
               "  connect(drive.flange, first.flange_a);\n"
               "  connect(first.flange_b, disc.flange_a);\n"
               "  connect(disc.flange_b, second.flange_a);\n"
               "  connect(disc.flange_b, spring.flange_a);\n"
               "  connect(second.flange_b, wheel.flange_a);\n"
               "  connect(spring.flange_b, other.flange_a);\n"
               "  connect(wheel.flange_b, bearing.flange_a);\n"
               "  connect(other.flange_b, rest.flange_a);\n"
               "  connect(wheel.flange_b, mount.flange_a);\n"
               "  connect(mount.flange_b, ground.flange);\n"
               "end Clutches;\n");
}

using Values = std::vector<std::pair<std::string, double>>;

/// CVODE at all tolerances comes to the end, and to what Taylor finds at 1e-12.
void check_solvers(const Values& values, double stop, double growth) {
  Model model = clutches();
  model.set(values);
  const Simulation taylor = simulate(model, TaylorOptions{0, stop, 0.05, 1e-12, false});
  REQUIRE(taylor.report.reason == StopReason::kDone);
  for (const CvodeMethod method : {CvodeMethod::kBdf, CvodeMethod::kAdams}) {
    for (const double tolerance : {1e-6, 1e-7, 1e-8, 1e-9, 1e-10}) {
      CAPTURE(tolerance);
      CvodeOptions options{0, stop, 0.05, tolerance, false};
      options.method = method;
      const Simulation cvode = simulate(model, options);
      REQUIRE(cvode.report.reason == StopReason::kDone);
      CHECK(greatest_difference(model, taylor, cvode,
                                {"wheel.phi", "wheel.w", "other.phi", "other.w", "disc.phi"}) <=
            growth * tolerance);
    }
  }
}

}  // namespace

// At t = 3.5676 the first one breaks away while the second one holds.
TEST_CASE("what two frictions in series hold together fits, whatever errors of steps leave") {
  check_solvers({}, 5, 1e4);
}

// Every pi the second one's capacity is zero for an instant, in which the drive turns round.
TEST_CASE("a capacity that touches zero is there for an instant") {
  check_solvers({{"first.peak", 1.204},
                 {"first.fn_max", 12.21},
                 {"second.fn_max", 17.65},
                 {"spring.k", 8.74},
                 {"wheel.J", 0.0282},
                 {"other.J", 0.0114},
                 {"bearing.tau0", 0.117},
                 {"rest.tau0", 0.009}},
                8, 1e5);
  check_solvers({{"first.peak", 1.12},
                 {"first.fn_max", 5.79},
                 {"second.fn_max", 9.8},
                 {"spring.k", 7.88},
                 {"wheel.J", 0.0651},
                 {"other.J", 0.0172},
                 {"bearing.tau0", 0.527},
                 {"rest.tau0", 0.566}},
                8, 1e5);
}

// So it does as it touches zero, where it is below the rounding of the forces when it comes back.
TEST_CASE("a clutch that slips goes on as its capacity comes back from zero") {
  Model model = clutches();
  model.set({{"first.peak", 1.082},
             {"first.fn_max", 14.73},
             {"second.fn_max", 13.79},
             {"second.peak", 1.3},
             {"spring.k", 49.86},
             {"wheel.J", 0.027},
             {"other.J", 0.3848},
             {"bearing.tau0", 0.808},
             {"rest.tau0", 0.512}});
  for (const double tolerance : {1e-9, 1e-10, 1e-11, 1e-12}) {
    CAPTURE(tolerance);
    const Simulation run = simulate(model, TaylorOptions{0, 8, 0.01, tolerance, false});
    REQUIRE(run.report.reason == StopReason::kDone);
    const std::vector<double>& slip = run.column(model, "second.w_rel");
    for (const int i : {784, 785, 786, 787}) CHECK(slip[static_cast<std::size_t>(i)] < -0.9);
  }
}

}  // namespace luztar::test
