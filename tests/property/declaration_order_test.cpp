// What a model says does not depend on the order in which it declares its parts.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/support/model.h"
#include "tests/support/simulation.h"
#include "tests/support/solver_agreement.h"

namespace luztar::test {
namespace {

/// A drive line on four bodies that move as one; body5, massless, slides on when they come to rest,
/// for 0.1 us: whether that is the error of steps is a matter of the slip's own size.
std::string drive_line(std::size_t first) {
  std::vector<std::string> declarations = {
      "Rotational.Inertia body0(J = 0.1, phi(start = 0.0348), w(start = 0.0945));",
      "Rotational.Spring link0(k = 311.7);",
      "Rotational.BearingFriction bearing0(d = 0.0694, tau0 = 0.156);",
      "Blocks.Ramp signal0(height = 2, duration = 0.4);",
      "Rotational.Torque torque0;",
      "Rotational.Inertia body1(J = 0.1, phi(start = 0.05), w(start = 0.5));",
      "Rotational.FreeplaySpring link1(k = 100, half_freeplay = 0.02742);",
      "Rotational.BearingFriction bearing1(d = 0, tau0 = 1.9795);",
      "Rotational.Inertia body2(J = 0.0619);",
      "Rotational.IdealGear link2(ratio = 0.5);",
      "Rotational.CrossFriction cross2(d = 0, tau0 = 0.5);",
      "Rotational.BearingFriction bearing2(d = 0.897, tau0 = 0);",
      "Blocks.Sine signal2(amplitude = 2, f = 1.8423);",
      "Rotational.Torque torque2;",
      "Rotational.Inertia body3(J = 0);",
      "Rotational.IdealGear link3(ratio = 0.5);",
      "Rotational.CrossFriction cross3(d = 0.2714, tau0 = 1.4895, tau0_static = 1.6895);",
      "Blocks.Sine signal3(amplitude = 0.724, f = 2.5);",
      "Rotational.Torque torque3;",
      "Rotational.Inertia body4(J = 0.2227);",
      "Rotational.IdealGear link4(ratio = 1);",
      "Rotational.BearingFriction bearing4(d = 0.1188, tau0 = 0.229);",
      "Rotational.Inertia body5(J = 0);",
      "Rotational.SpringDamper link5(k = 142.4, d = 0.2);",
      "Rotational.BearingFriction bearing5(d = 0, tau0 = 0.5, tau0_static = 0.754);",
      "Blocks.Ramp signal5(height = 0.534, duration = 0.208);",
      "Rotational.Torque torque5;",
      "Rotational.Fixed ground;"};
  std::rotate(declarations.begin(), declarations.begin() + static_cast<std::ptrdiff_t>(first),
              declarations.end());
  std::string text = "model DriveLine\n";
  for (const std::string& declaration : declarations) text += declaration + '\n';
  return text + R"(equation
  connect(link0.flange_b, body0.flange_a);
  connect(link0.flange_a, ground.flange);
  connect(bearing0.flange_a, body0.flange_b);
  connect(signal0.y, torque0.tau);
  connect(torque0.flange, body0.flange_b);
  connect(link1.flange_b, body1.flange_a);
  connect(link1.flange_a, body0.flange_b);
  connect(bearing1.flange_a, body1.flange_b);
  connect(link2.flange_b, body2.flange_a);
  connect(link2.flange_a, body1.flange_b);
  connect(cross2.flange_b, body2.flange_a);
  connect(cross2.flange_a, body1.flange_b);
  connect(bearing2.flange_a, body2.flange_b);
  connect(signal2.y, torque2.tau);
  connect(torque2.flange, body2.flange_b);
  connect(link3.flange_b, body3.flange_a);
  connect(link3.flange_a, body2.flange_b);
  connect(cross3.flange_b, body3.flange_a);
  connect(cross3.flange_a, body2.flange_b);
  connect(signal3.y, torque3.tau);
  connect(torque3.flange, body3.flange_b);
  connect(link4.flange_b, body4.flange_a);
  connect(link4.flange_a, body1.flange_b);
  connect(bearing4.flange_a, body4.flange_b);
  connect(link5.flange_b, body5.flange_a);
  connect(link5.flange_a, body2.flange_b);
  connect(bearing5.flange_a, body5.flange_b);
  connect(signal5.y, torque5.tau);
  connect(torque5.flange, body5.flange_b);
  annotation(experiment(StopTime = 1));
end DriveLine;
)";
}

}  // namespace

TEST_CASE("whether a slip has ended does not hang on the order of declarations") {
  const double tolerance = 1e-10;
  std::vector<double> ends;
  for (const std::size_t first : {0U, 7U, 14U, 21U}) {
    const Model model("drive_line", drive_line(first));
    const Simulation run = taylor(model, tolerance);
    REQUIRE(run.report.reason == StopReason::kDone);
    ends.push_back(run.column(model, "body5.phi").back());
    CAPTURE(first);
    CHECK(std::fabs(ends.back() - ends.front()) < tolerance);
  }
}

}  // namespace luztar::test
