// A slider drawn over the ground, for the tests of friction that falls with speed.
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/support/column_check.h"
#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {

/// Stiffness of the spring of `drawn_slider` [N/m].
inline constexpr double kSpring = 100;

/// The model Drawn: a slider of `mass`, drawn by a spring whose other end moves at `speed`, over a
/// `seat` of which the text is the declaration.
[[nodiscard]] inline std::string drawn_slider(const std::string& seat) {
  return R"(
model Drawn
  parameter Real speed = 0.3;
  parameter Real mass = 0;
  parameter Real damping = 1;
  parameter Real holds = 7;
  Translational.Position drive;
  Translational.Spring spring(k = 100);
  Translational.Mass slider(m = mass);
  )" + seat +
         R"(
equation
  drive.s_ref = speed*time;
  connect(drive.flange, spring.flange_a);
  connect(spring.flange_b, slider.flange_a);
  connect(slider.flange_b, seat.flange_a);
end Drawn;
)";
}

/// The place of `slider` at the end is the limit of that with a small `mass`.
inline void check_small_mass(const std::string& text, const std::vector<Setting>& settings,
                             double stop) {
  const Model model("limit.ltm", text, settings);
  const double limit = audited_run(model, stop, 0.001).column(model, "slider.s").back();
  double last = 1;
  for (const std::string mass : {"1e-4", "1e-5", "1e-6"}) {
    std::vector<Setting> with_mass = settings;
    with_mass.push_back({"mass", mass});
    const Model heavy("heavy.ltm", text, with_mass);
    const Simulation run = simulate(heavy, TaylorOptions{0, stop, 0.001, 1e-9, false, true});
    REQUIRE(run.report.reason == StopReason::kDone);
    const double error = std::fabs(run.column(heavy, "slider.s").back() - limit);
    MESSAGE("mass ", mass, ": ", error);
    CHECK(error < 0.4 * last);
    last = error;
  }
  CHECK(last < 1e-4);
}

}  // namespace luztar::test
