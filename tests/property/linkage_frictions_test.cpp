// Random mechanisms with linkages, in which frictions act on each other through varying inertia:
// energy, and two integrators.
#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <sstream>
#include <string>

#include "tests/support/linkages.h"
#include "tests/support/model.h"
#include "tests/support/random_cases.h"

namespace luztar::test {
namespace {

constexpr double kLinkageStop = 3;

/// Bodies in a chain: each follows the last one by a gear of varying ratio, or hangs on it by a
/// spring; frictions act between random bodies and on the ground.
std::string random_linkages(unsigned seed) {
  std::mt19937 random(seed);
  const auto pick = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  const auto size = [&] { return 0.5 + 0.1 * pick(20); };
  std::ostringstream parts, connects;
  const unsigned n = 3 + pick(3);
  const auto body = [](unsigned i) { return "body" + std::to_string(i); };
  for (unsigned i = 0; i < n; ++i) {
    parts << "  Rotational.Inertia " << body(i) << "(J = " << size() << ");\n";
    if (i == 0) continue;
    const char* kind = pick(3) == 0 ? "Rotational.Spring" : "Gear";
    parts << "  " << kind << " joint" << i;
    if (kind[0] == 'R') parts << "(k = " << 5 * size() << ")";
    parts << ";\n";
    connects << "  connect(" << body(i) << ".flange_a, joint" << i << ".flange_a);\n"
             << "  connect(joint" << i << ".flange_b, " << body(pick(i)) << ".flange_b);\n";
  }
  for (const char* name : {"x", "y"}) {
    parts << "  Rotational.Inertia " << name << "(J = " << size() << ");\n";
  }
  const auto bound = [&] {
    const double kinetic = 0.2 * size();
    std::ostringstream text;
    text << "tau0 = " << kinetic << ", tau0_static = " << kinetic * (1 + 0.25 * pick(3));
    return text.str();
  };
  const unsigned clutches = 2 + pick(3);
  for (unsigned i = 0; i < clutches; ++i) {
    const std::string name = "clutch" + std::to_string(i);
    parts << "  Rotational.CrossFriction " << name << "(" << bound() << ");\n";
    const unsigned near = pick(n), other = (near + 1 + pick(n - 1)) % n;
    const std::string far = i == 0 ? "x" : i == 1 ? "y" : pick(2) == 0 ? "x" : body(other);
    connects << "  connect(" << body(near) << ".flange_a, " << name << ".flange_a);\n"
             << "  connect(" << name << ".flange_b, " << far << ".flange_b);\n";
  }
  for (unsigned i = 0; i < 2; ++i) {
    const std::string name = "bearing" + std::to_string(i);
    parts << "  Rotational.BearingFriction " << name << "(" << bound() << ");\n";
    connects << "  connect(" << (pick(2) == 0 ? "x" : body(pick(n))) << ".flange_a, " << name
             << ".flange_a);\n";
  }
  for (const char* name : {"push", "pull"}) {
    parts << "  Rotational.Torque " << name << ";\n  Blocks.Sine " << name
          << "_signal(amplitude = " << size() << ", f = " << 0.3 * size() << ");\n";
    connects << "  connect(" << name << "_signal.y, " << name << ".tau);\n  connect(" << name
             << ".flange, " << (name[2] == 's' ? body(0) : std::string("y")) << ".flange_b);\n";
  }
  return kVariableGear + R"(
model Linkages
)" + parts.str() +
         "equation\n" + connects.str() + "end Linkages;\n";
}

TEST_CASE("random linkages with coupled frictions keep their energy account") {
  std::size_t varying = 0;
  for (unsigned seed = 1; seed <= random_cases(18); ++seed) {
    const std::string text = random_linkages(seed);
    CAPTURE(seed);
    CAPTURE(text);
    const Model model("linkages", text);
    for (const FrictionIsland& island : model.system().islands) {
      if (!island.varying_gram.empty() && island.count > 1) ++varying;
    }
    const RunReport report = audited(model, TaylorOptions{0, kLinkageStop, 0.1, 1e-13, true});
    CHECK(report.reason == StopReason::kDone);
    CHECK(std::fabs(report.energy->residual()) <= 1e-11 * report.energy->turnover);
    const Simulation taylor = simulate(model, TaylorOptions{0, kLinkageStop, 0.1, 1e-13, false});
    const Simulation cvode = simulate(model, CvodeOptions{0, kLinkageStop, 0.1, 1e-12, false});
    REQUIRE(cvode.report.reason == StopReason::kDone);
    for (const Deviation& d : motion_deviations(model, taylor, model, cvode)) {
      INFO(d.column);
      CHECK(d.difference <= 1e-6 * d.peak + 1e-12);  // bodies may be at rest
    }
  }
  CHECK(varying > random_cases(9));
}

}  // namespace
}  // namespace luztar::test
