// Bodies without inertia and damping between several dry frictions: what these hold together when
// they stick in series.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "tests/support/friction_bounds.h"
#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

constexpr double kDryStop = 2, kDryInterval = 0.05;  // [s]

double value(double least, double greatest) {
  constexpr int kSteps = 997;
  return least + (greatest - least) * *rc::gen::inRange(0, kSteps + 1) / kSteps;
}

/// Blocks with inertia, and points without that dry frictions, springs and loads act on. One draw
/// by statement: the order in which arguments are evaluated is the compiler's.
class DryMechanism {
 public:
  /// damped: some points, at least one, have a damper of their own; stops: the first block has one.
  DryMechanism(bool damped, bool stops) {
    const int blocks = *rc::gen::inRange(1, 4), points = *rc::gen::inRange(1, 4);
    for (int i = 0; i < blocks; ++i) {
      const bool moves = *rc::gen::arbitrary<bool>();
      const double mass = value(0.5, 2), speed = moves ? value(-2, 2) : 0.0;
      declare("Translational.Mass b{}(m = {}, v(start = {}))", i, mass, speed);
      others_.push_back(fmt::format("b{}", i));
    }
    declare("Translational.Fixed wall");
    for (int i = 0; i < points; ++i) add_point(fmt::format("p{}", i));
    const int plates = damped ? *rc::gen::inRange(1, 3) : 0;
    for (int i = 0; i < plates; ++i) add_plate(fmt::format("u{}", i));
    for (int i = 0; damped && i < points; ++i) {  // between all of these
      if (*rc::gen::arbitrary<bool>()) add_friction(fmt::format("p{}", i));
    }
    for (int i = 0; i < blocks; ++i) add_block(fmt::format("b{}", i), i);
    if (stops) add_stop("b0");
    if (*rc::gen::arbitrary<bool>()) {  // less than the least friction
      const int at = *rc::gen::inRange(0, points);
      add_force("load", fmt::format("p{}", at), value(0.1, 0.4));
    }
  }

  [[nodiscard]] std::string text() const {
    return "model Random\n" + parts_ + "equation\n" + equations_ + "end Random;\n";
  }

 private:
  template <class... T>
  void declare(fmt::format_string<T...> format, T&&... values) {
    parts_ += "  " + fmt::format(format, std::forward<T>(values)...) + ";\n";
  }
  void connect(const std::string& a, const std::string& b) {
    equations_ += "  connect(" + a + ", " + b + ");\n";
  }
  std::string friction() {
    const double kinetic = value(0.5, 4);
    const double held = *rc::gen::arbitrary<bool>() ? kinetic : kinetic * value(1, 1.5);
    return fmt::format("f0 = {}, f0_static = {}", kinetic, held);
  }
  /// Not `own`, which may be among them.
  std::string other(const std::string& own) {
    const std::string& one = others_[*rc::gen::inRange<std::size_t>(0, others_.size())];
    return one == own ? others_.front() : one;
  }

  void add_friction(const std::string& a) {
    const int i = count_++;
    if (*rc::gen::inRange(0, 3) == 0) {
      declare("Translational.SupportFriction g{}({})", i, friction());
      return connect(a + ".flange_b", fmt::format("g{}.flange_a", i));
    }
    const std::string b = other(a);
    declare("Translational.CrossFriction c{}({})", i, friction());
    connect(a + ".flange_b", fmt::format("c{}.flange_a", i));
    connect(fmt::format("c{}.flange_b", i), b + ".flange_a");
  }
  void add_spring(const std::string& a, const std::string& flange) {
    const int i = count_++;
    const bool linear = *rc::gen::arbitrary<bool>();
    const double stiffness = value(2, 40);
    if (linear) {
      declare("Translational.Spring k{}(k = {})", i, stiffness);
    } else {
      declare("Translational.FreeplaySpring k{}(k = {}, half_freeplay = {})", i, stiffness,
              value(0.01, 0.2));
    }
    connect(a + ".flange_b", fmt::format("k{}.flange_a", i));
    connect(fmt::format("k{}.flange_b", i), flange);
  }
  void add_stop(const std::string& block) {
    const double half = value(0.05, 0.4);
    const double restitution = *rc::gen::arbitrary<bool>() ? value(0.1, 0.6) : 0.0;
    declare("Translational.HardStop stop(half_freeplay = {}, e = {})", half, restitution);
    connect("wall.flange", "stop.flange_a");
    connect("stop.flange_b", block + ".flange_a");
  }
  void add_force(const std::string& name, const std::string& body, double size) {
    declare("Translational.Force {}", name);
    declare("Blocks.Sine {}_signal(amplitude = {}, f = {})", name, size, value(0.3, 1.2));
    connect(name + "_signal.y", name + ".f");
    connect(name + ".flange", body + ".flange_a");
  }
  void add_point(const std::string& point) {
    declare("Translational.Mass {}(m = 0)", point);
    const int frictions = *rc::gen::inRange(2, 4);
    for (int k = 0; k < frictions; ++k) add_friction(point);
    if (*rc::gen::arbitrary<bool>()) {
      add_spring(point, *rc::gen::arbitrary<bool>() ? "wall.flange" : other(point) + ".flange_a");
    }
    others_.push_back(point);
  }
  void add_plate(const std::string& plate) {
    declare("Translational.Mass {}(m = 0)", plate);
    const int frictions = *rc::gen::inRange(1, 4);
    for (int k = 0; k < frictions; ++k) add_friction(plate);
    const int i = count_++;
    declare("Translational.Damper d{}(d = {})", i, value(0.2, 6));
    connect(plate + ".flange_b", fmt::format("d{}.flange_a", i));
    const bool fixed = *rc::gen::inRange(0, 4) == 0;
    connect(fmt::format("d{}.flange_b", i), fixed ? "wall.flange" : other(plate) + ".flange_a");
    if (*rc::gen::arbitrary<bool>()) add_spring(plate, "wall.flange");
    others_.push_back(plate);
  }
  void add_block(const std::string& block, int i) {
    if (*rc::gen::arbitrary<bool>()) {
      declare("Translational.SupportFriction s{}({})", i, friction());
      connect(block + ".flange_b", fmt::format("s{}.flange_a", i));
    }
    if (*rc::gen::arbitrary<bool>()) add_spring(block, "wall.flange");
    if (i == 0 || *rc::gen::arbitrary<bool>()) {
      add_force(fmt::format("push{}", i), block, value(2, 9));
    }
  }

  int count_ = 0;
  std::string parts_, equations_;
  std::vector<std::string> others_;
};

void check_mechanism(const DryMechanism& mechanism, double tolerance) {
  const std::string text = mechanism.text();
  RC_LOG() << text;
  const Model model("random.ltm", text);
  const Simulation run =
      simulate(model, TaylorOptions{0, kDryStop, kDryInterval, tolerance, false, true});
  RC_ASSERT(run.report.reason == StopReason::kDone);
  RC_ASSERT(run.report.energy.has_value());
  const EnergyReport& energy = *run.report.energy;
  constexpr double kOfRest = 1e-14;  // [J]: forces of some N at velocities that are rounding
  const double bound = 1e-11 * (energy.turnover + energy.total_dissipated()) + kOfRest;
  RC_ASSERT(std::fabs(energy.residual()) <= bound);
  for (const double lost : energy.dissipated) RC_ASSERT(lost >= -bound);
  RC_ASSERT(greatest_friction_share(text, model, run) <= 1 + 1e-9);
  const Simulation cvode = simulate(model, CvodeOptions{0, kDryStop, kDryInterval, 1e-11, false});
  RC_ASSERT(cvode.report.reason == StopReason::kDone);
  for (const Deviation& d : motion_deviations(model, run, model, cvode)) {
    if (d.column[0] != 'b' || d.column.find(".s") == std::string::npos) continue;
    RC_ASSERT(d.difference <= 1e-5 * std::max(d.peak, 1.0));
  }
}

}  // namespace

TEST_CASE("dry frictions in series: both solvers give one motion, and energy is kept") {
  CHECK(rc::check([] { check_mechanism({false, false}, 1e-10); }));
}

TEST_CASE("the same with damped bodies without inertia among them") {
  CHECK(rc::check([] { check_mechanism({true, false}, 1e-12); }));
}

TEST_CASE("the same with a hard stop at a body that they hold") {
  CHECK(rc::check([] { check_mechanism({false, true}, 1e-12); }));
}

}  // namespace luztar::test
