// Dry friction that falls exponentially with speed, by T_K + (T_0 - T_K) exp(-u/V), T_0 and T_K any
// signals, on a damped body without inertia. Against closed forms, and the limit of small inertia.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "tests/support/column_check.h"
#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

constexpr double kFallsWithin = 0.5;  // V

/// A slider that `load` acts on, with a friction that falls from `holds` to `beyond`, expressions
/// in time, and damping d.
std::string pressed(const std::string& load, const std::string& holds, const std::string& beyond,
                    const std::string& d, const std::string& mass = "0") {
  return "model Seat\n"
         "  extends Translational.Interfaces.FlangePair;\n"
         "  parameter Real d;\n"
         "  Real v, f, holds, beyond;\n"
         "equation\n"
         "  flange_a.s = flange_b.s;\n"
         "  v = der(flange_a.s);\n"
         "  holds = " +
         holds + ";\n  beyond = " + beyond +
         ";\n"
         "  f = d*v + dryfriction(v, beyond + (holds - beyond)*exp(-abs(v)/0.5), holds);\n"
         "  0 = flange_a.f + flange_b.f - f;\n"
         "end Seat;\n"
         "model Pressed\n"
         "  Translational.Mass slider(m = " +
         mass +
         ");\n"
         "  Seat seat(d = " +
         d +
         ");\n"
         "  Translational.Force load(f = " +
         load +
         ");\n"
         "equation\n"
         "  connect(load.flange, slider.flange_a);\n"
         "  connect(slider.flange_b, seat.flange_a);\n"
         "end Pressed;\n";
}

/// The greatest u > 0 with d u + T(u) = load.
double slip(double load, double holds, double beyond, double d) {
  double u = load / d + 1;  // from above: convex
  for (int i = 0; i < 200; ++i) {
    const double fallen = (holds - beyond) * std::exp(-u / kFallsWithin);
    u -= (d * u + beyond + fallen - load) / (d - fallen / kFallsWithin);
  }
  return u;
}

/// The instants at which it gives way, and at which its slip ends.
struct Ends {
  double begins, rests;
};

void check_slip(const std::string& text, double stop, const Ends& ends, const Function& speed) {
  const Model model("pressed.ltm", text);
  REQUIRE(own_states(model) == 1);
  const Simulation run = audited_run(model, stop, stop / 301);
  constexpr double kLate = 1e-9;
  const auto slides = [&](double t) { return t + kLate > ends.begins && t + kLate < ends.rests; };
  CHECK(greatest_error(run, model, "slider.v",
                       [&](double t) { return slides(t) ? speed(t) : 0.0; }) <= 1e-10);
  const Simulation bdf = simulate(model, CvodeOptions{0, stop, stop / 301, 1e-10, false});
  REQUIRE(bdf.report.reason == StopReason::kDone);
  CHECK(std::fabs(bdf.column(model, "slider.s").back() - run.column(model, "slider.s").back()) <=
        1e-6);
}

}  // namespace

// Pressed with n = |1 - t/2|, which sinks to nothing and rises again. Where 4 n > d the slip jumps
// beyond the fall, and ends before it holds.
TEST_CASE("a signal takes the friction to nothing and back, either way") {
  const auto strength = [](double t) { return std::fabs(1 - t / 2); };
  for (const double d : {0.4, 1.0, 3.0}) {
    for (const double load : {3.0, -3.0, 0.8}) {
      CAPTURE(d);
      CAPTURE(load);
      const double size = std::fabs(load);
      const double begins = 2 * (1 - size / 7);
      const double rests = where(0, 2, 4, [&](double t) {
        const double n = strength(t), a = 2 * n / (kFallsWithin * d);
        const double least = a > 1 ? d * kFallsWithin * (std::log(a) + 1) + 5 * n : 7 * n;
        return size - least;
      });
      check_slip(pressed(std::to_string(load), "7*abs(1 - time/2)", "5*abs(1 - time/2)",
                         std::to_string(d)),
                 4, {begins, rests}, [&](double t) {
                   const double n = strength(t);
                   return std::copysign(slip(size, 7 * n, 5 * n, d), load);
                 });
    }
  }
}

// Only the excess sinks, to nothing, while the slider rests, with a damping so small that the slip
// would have to be far below zero; then friction that does not fall gives way.
TEST_CASE("what it falls by sinks to nothing while it holds") {
  check_slip(pressed("if time < 2 then 2 else 2*time - 2", "5 + max(0, 2 - 2*time)", "5", "1e-3"),
             4, {3.5, 9}, [](double t) { return (2 * t - 7) / 1e-3; });
}

TEST_CASE("what it falls by sinks to nothing while it slips") {
  check_slip(pressed("8", "5 + max(0, 4 - 2*time)", "5", "0.4"), 3, {0.5, 9},
             [](double t) { return slip(8, 5 + std::max(0.0, 4 - 2 * t), 5, 0.4); });
}

TEST_CASE("the limit of small inertia where a signal varies the friction") {
  for (const char* d : {"0.3", "2"}) {
    CAPTURE(std::string(d));
    check_light_limit(
        [&](const std::string& mass) {
          return pressed("4*sin(3*time)", "6*(0.6 + 0.4*cos(2*time))", "4*(0.6 + 0.4*cos(2*time))",
                         d, mass);
        },
        1.6, {"slider.s"}, 1e-3);
  }
}

}  // namespace luztar::test
