// Random mechanisms in which dry frictions in series on bodies without inertia hold others together
// through linkages: energy, and two integrators.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/friction_bounds.h"
#include "tests/support/linkages.h"
#include "tests/support/model.h"
#include "tests/support/random_cases.h"

namespace luztar::test {
namespace {

constexpr double kSeriesStop = 2;

class SeriesMechanism {
 public:
  /// damped: the points without inertia have a damper each (kernel A), else none (kernel B).
  SeriesMechanism(unsigned seed, bool damped) : random_(seed) {
    parts_ << "  Rotational.Fixed wall;\n";
    const unsigned bodies = 1 + pick(3);
    for (unsigned i = 0; i < bodies; ++i) {
      add_inertia("b" + std::to_string(i), size(), pick(2) == 0 ? 0 : size());
    }
    for (unsigned i = 0; i < 1 + bodies / 2; ++i) {
      const std::string gear = "gear" + std::to_string(i), body = "x" + std::to_string(i);
      parts_ << "  Gear " << gear << ";\n";
      connect(gear + ".flange_b", "b" + std::to_string(pick(bodies)) + ".flange_a");
      connect(gear + ".flange_a", body + ".flange_a");
      add_inertia(body, size(), -1);
    }
    const unsigned points = 1 + pick(3);
    for (unsigned i = 0; i < points; ++i) add_point("p" + std::to_string(i), damped);
    for (unsigned i = 0; i < bodies; ++i) {
      const std::string body = "b" + std::to_string(i);
      if (pick(2) == 0) add_between("BearingFriction", friction(), body, "");
      if (pick(2) == 0) add_between("Spring", stiffness(), body, "wall.flange");
      if (i == 0 || pick(2) == 0) add_torque(body, 2 * size());
    }
    if (pick(2) == 0) add_torque("p0", 0.2 * size());
  }

  [[nodiscard]] std::string text() const {
    return kVariableGear + "model Random\n" + parts_.str() + "equation\n" + connects_.str() +
           "end Random;\n";
  }

 private:
  unsigned pick(unsigned n) { return static_cast<unsigned>(random_() % n); }
  double size() { return 0.5 + 0.1137 * pick(20); }
  std::string friction() {
    const double kinetic = size();
    std::ostringstream text;
    text << "tau0 = " << kinetic << ", tau0_static = " << kinetic * (1 + 0.173 * pick(3));
    return text.str();
  }
  std::string stiffness() { return "k = " + std::to_string(10 * size()); }

  void connect(const std::string& a, const std::string& b) {
    connects_ << "  connect(" << a << ", " << b << ");\n";
  }
  /// speed < 0: it follows others.
  void add_inertia(const std::string& name, double inertia, double speed) {
    parts_ << "  Rotational.Inertia " << name << "(J = " << inertia;
    if (speed >= 0) parts_ << ", w(start = " << speed << ")";
    parts_ << ");\n";
    bodies_.push_back(name);
  }
  void add_between(const std::string& kind, const std::string& values, const std::string& a,
                   const std::string& flange) {
    const std::string name = "part" + std::to_string(count_++);
    parts_ << "  Rotational." << kind << " " << name << "(" << values << ");\n";
    connect(a + ".flange_b", name + ".flange_a");
    if (!flange.empty()) connect(name + ".flange_b", flange);
  }
  std::string any_flange() {
    return bodies_[pick(static_cast<unsigned>(bodies_.size()))] + ".flange_a";
  }
  void add_point(const std::string& point, bool damped) {
    parts_ << "  Rotational.Inertia " << point << "(J = 0);\n";
    if (pick(3) == 0) add_between("BearingFriction", friction(), point, "");
    add_between("CrossFriction", friction(), point, any_flange());
    add_between("CrossFriction", friction(), point, "x0.flange_a");
    if (damped) add_between("Damper", "d = " + std::to_string(size()), point, any_flange());
    if (pick(2) == 0) add_between("Spring", stiffness(), point, "wall.flange");
    if (!damped && pick(2) == 0) {
      add_between("FreeplaySpring", stiffness() + ", half_freeplay = 0.1", point, any_flange());
    }
    bodies_.push_back(point);
  }
  void add_torque(const std::string& body, double amplitude) {
    const std::string name = "push" + std::to_string(count_++);
    parts_ << "  Rotational.Torque " << name << ";\n  Blocks.Sine " << name
           << "_signal(amplitude = " << amplitude << ", f = " << 0.4 * size() << ");\n";
    connect(name + "_signal.y", name + ".tau");
    connect(name + ".flange", body + ".flange_b");
  }

  std::mt19937 random_;
  unsigned count_ = 0;
  std::ostringstream parts_, connects_;
  std::vector<std::string> bodies_;
};

/// Adds to `varying` when a force by the right-hand side is among them.
void check_mechanism(unsigned seed, bool damped, std::size_t& varying) {
  const std::string text = SeriesMechanism(seed, damped).text();
  CAPTURE(seed);
  CAPTURE(text);
  const Model model("series", text);
  const auto counts = [](const auto& island) { return island.stresses.count > 0; };
  const System& system = model.system();
  if (std::ranges::any_of(system.islands, counts) ||
      std::ranges::any_of(system.settle_islands, counts)) {
    ++varying;
  }
  const Simulation taylor = simulate(model, TaylorOptions{0, kSeriesStop, 0.1, 1e-12, false, true});
  REQUIRE(taylor.report.reason == StopReason::kDone);
  const EnergyReport& energy = *taylor.report.energy;
  const double bound = 1e-11 * (energy.turnover + energy.total_dissipated()) + 1e-14;
  CHECK(std::fabs(energy.residual()) <= bound);
  for (const double lost : energy.dissipated) CHECK(lost >= -bound);
  CHECK(greatest_friction_share(text, model, taylor) <= 1 + 1e-9);
  const Simulation cvode = simulate(model, CvodeOptions{0, kSeriesStop, 0.1, 1e-11, false});
  REQUIRE(cvode.report.reason == StopReason::kDone);
  for (const Deviation& d : motion_deviations(model, taylor, model, cvode)) {
    if (d.column[0] == 'p' || d.column.find(".phi") == std::string::npos) continue;
    INFO(d.column);
    CHECK(d.difference <= 1e-6 * std::max(d.peak, 1.0));
  }
}

}  // namespace

TEST_CASE("random series of dry frictions behind linkages keep their energy account") {
  std::size_t varying = 0;
  for (unsigned seed = 1; seed <= random_cases(12); ++seed) check_mechanism(seed, false, varying);
  CHECK(varying > random_cases(6));
}

TEST_CASE("the same with damped bodies without inertia") {
  std::size_t varying = 0;
  for (unsigned seed = 1; seed <= random_cases(12); ++seed) check_mechanism(seed, true, varying);
  CHECK(varying > random_cases(6));
}

}  // namespace luztar::test
