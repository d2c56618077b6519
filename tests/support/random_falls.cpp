#include "tests/support/random_falls.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "tests/support/model.h"
#include "tests/support/random_draws.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

constexpr double kFallsStop = 3;  // [s]

/// The law of a contact between two bodies, times `n`.
constexpr const char* kContacts = R"(
partial model Contact
  extends Translational.Interfaces.TwoFlanges;
  parameter Real f0, f0_static;
  parameter Real d = 0;
  Real n;
end Contact;
model Steady
  extends Contact;
equation
  f = d*v_rel + dryfriction(v_rel, n*f0, n*f0_static);
end Steady;
model Line
  extends Contact;
  parameter Real v0;
equation
  f = d*v_rel + dryfriction(v_rel, n*(f0_static - (f0_static - f0)*nas(abs(v_rel), v0)/v0), n*f0_static);
end Line;
model Bent
  extends Contact;
  parameter Real v0, f1;
equation
  f = d*v_rel + dryfriction(v_rel, n*table(abs(v_rel), {0, v0/3, v0}, {f0_static, f1, f0}), n*f0_static);
end Bent;
model Smooth
  extends Contact;
  parameter Real v0;
equation
  f = d*v_rel + dryfriction(v_rel, n*(f0 + (f0_static - f0)*exp(-abs(v_rel)/v0)), n*f0_static);
end Smooth;
)";

class Fall {
 public:
  Fall(unsigned number, const std::string& mass) : draws_(number) {
    declare("Mass", "slider", "m = " + mass);
    bodies_.emplace_back("ground");
    declare("Fixed", "ground", "");
    if (draws_.chance(0.7)) add_belt();
    if (draws_.chance(0.4)) add_body();
    const int frictions = 1 + draws_.below(3);
    const int smooth = draws_.chance(0.75) ? draws_.below(frictions) : -1;
    for (int i = 0; i < frictions; ++i) add_friction(i == smooth || draws_.chance(0.3));
    if (draws_.chance(0.5)) add_spring();
    declare("Force", "load", "");
    equations_ += fmt::format("  load.f = {};\n", signal(draws_.number(1, 9)));
    connect("load.flange", "slider.flange_a");
    if (draws_.chance(0.5)) add_stop();
    if (draws_.chance(0.5)) add_follower(mass);
  }

  [[nodiscard]] std::string text() const {
    return std::string(kContacts) + "model Fall\n" + parts_ + "equation\n" + equations_ +
           "end Fall;\n";
  }

 private:
  void declare(const std::string& type, const std::string& name, const std::string& values) {
    parts_ += "  Translational." + type + " " + name + "(" + values + ");\n";
  }
  void connect(const std::string& a, const std::string& b) {
    equations_ += "  connect(" + a + ", " + b + ");\n";
  }
  [[nodiscard]] std::string flange_of(const std::string& body) const {
    return body == "ground" || body == "belt" ? body + ".flange" : body + ".flange_b";
  }
  const std::string& any() { return bodies_[draws_.below(int(bodies_.size()))]; }

  /// A function of time, up to this size.
  std::string signal(double size) {
    const double w = draws_.number(1, 5), a = draws_.number(0.4, 1), t = draws_.number(0.3, 2.7);
    switch (draws_.below(5)) {
      case 0:
        return fmt::format("{}*{}*sin({}*time)", size, a, w);
      case 1:
        return fmt::format("{}*(1 - 2*abs(time/{} - 1))", size, t);
      case 2:
        return fmt::format("{}*(sin({}*time) + {})/2", size, w, a);
      case 3:
        return fmt::format("if time < {} then {}*time else {}*({} - time)", t, size, a * size,
                           2 * t);
      default:
        return fmt::format("{}*time", draws_.chance(0.5) ? size * a / 2 : -size * a / 2);
    }
  }
  /// A strength about 1, not below 0.
  std::string strength() {
    if (draws_.chance(0.6)) return "1";
    const double w = draws_.number(1, 5), a = draws_.number(0.2, 0.6), t = draws_.number(0.3, 2.7);
    switch (draws_.below(4)) {
      case 0:
        return fmt::format("1 + {}*sin({}*time)", a, w);
      case 1:
        return fmt::format("max(0, 1 - time/{})", t);
      case 2:
        return fmt::format("abs(1 - time/{})", t);
      default:
        return fmt::format("{} + {}*time", a, a);
    }
  }

  void add_belt() {
    bodies_.emplace_back("belt");
    declare("Speed", "belt", "");
    const std::string speed =
        draws_.chance(0.5) ? fmt::format("{}", draws_.number(-1, 1)) : signal(1);
    equations_ += "  belt.v_ref = " + speed + ";\n";
  }
  void add_body() {
    bodies_.emplace_back("body");
    declare("Mass", "body",
            fmt::format("m = {}, v(start = {})", draws_.number(0.3, 2), draws_.number(-1, 1)));
    declare("Spring", "holds", fmt::format("k = {}", draws_.number(5, 40)));
    connect("holds.flange_a", "ground.flange");
    connect("holds.flange_b", "body.flange_a");
  }
  void add_spring() {
    declare("Spring", "spring", fmt::format("k = {}", draws_.number(5, 60)));
    connect("spring.flange_a", flange_of(any()));
    connect("spring.flange_b", "slider.flange_a");
  }
  // Not to the belt, whose speed may jump.
  void add_stop() {
    declare("HardStop", "stop", fmt::format("half_freeplay = {}", draws_.number(0, 0.3)));
    connect("stop.flange_a", flange_of(bodies_.back() == "belt" ? "ground" : bodies_.back()));
    connect("stop.flange_b", "slider.flange_a");
  }
  // Another body without inertia, of whose frictions one may fall.
  void add_follower(const std::string& mass) {
    declare("Mass", "follower", "m = " + mass);
    const auto rub = [&](const std::string& name, const std::string& to, double d) {
      const double f0 = draws_.chance(0.3) ? 0 : draws_.number(0.1, 1.5);
      declare("CrossFriction", name, fmt::format("f0 = {}, d = {}", f0, d));
      connect(name + ".flange_a", to);
      connect(name + ".flange_b", "follower.flange_a");
    };
    rub("guides", flange_of(any()), draws_.number(0.1, 2));
    rub("couples", "slider.flange_b", draws_.chance(0.3) ? 0 : draws_.number(0.1, 2));
    if (draws_.chance(0.3)) rub("brushes", flange_of(any()), 0);
    if (draws_.chance(0.5)) {
      declare("Force", "pull", "");
      equations_ +=
          fmt::format("  pull.f = {}*sin({}*time);\n", draws_.number(-5, 5), draws_.number(1, 5));
      connect("pull.flange", "follower.flange_a");
    }
    if (draws_.chance(0.3)) {
      declare("Spring", "returns", fmt::format("k = {}", draws_.number(5, 60)));
      connect("returns.flange_a", "ground.flange");
      connect("returns.flange_b", "follower.flange_b");
    }
    if (!draws_.chance(0.4)) return;
    const double beyond = draws_.number(0.1, 1.5), excess = draws_.number(0.1, 2);
    const double v0 = draws_.number(0.1, 1);
    parts_ += fmt::format("  {} seat(f0 = {}, f0_static = {}, v0 = {}, n = 1);\n",
                          draws_.chance(0.5) ? "Smooth" : "Line", beyond, beyond + excess, v0);
    connect("seat.flange_a", flange_of(any()));
    connect("seat.flange_b", "follower.flange_b");
  }
  void add_friction(bool smooth) {
    const std::string name = fmt::format("friction{}", count_++);
    const bool first = count_ == 1;  // the one that damps the slider
    const double beyond = draws_.number(0.2, 3), excess = draws_.number(0.1, 3);
    const double most = draws_.chance(0.5) ? 2 : 15;  // up to what makes up for lines
    double d = 0;
    if (first) {
      d = draws_.number(0.1, most);
    } else if (draws_.chance(0.3)) {
      d = draws_.number(0.1, 1);
    }
    std::string values = fmt::format("f0 = {}, d = {}", beyond, d);
    const char* type = "Steady";
    if (smooth || draws_.chance(0.4)) {
      type = smooth ? "Smooth" : "Line";
      const double v0 = draws_.number(0.05, 1);
      values += fmt::format(", f0_static = {}, v0 = {}", beyond + excess, v0);
      if (!smooth && draws_.chance(0.4)) {
        type = "Bent";
        values += fmt::format(", f1 = {}", draws_.number(0.1, 4));
      }
    } else {
      values += fmt::format(", f0_static = {}", draws_.chance(0.3) ? beyond + excess : beyond);
    }
    parts_ += fmt::format("  {} {}({});\n", type, name, values);
    equations_ += fmt::format("  {}.n = {};\n", name, strength());
    connect(name + ".flange_a", flange_of(any()));
    connect(name + ".flange_b", "slider.flange_a");
  }

  ModelDraws draws_;
  int count_ = 0;
  std::vector<std::string> bodies_;
  std::string parts_, equations_;
};

std::optional<Simulation> run_with(const Model& model, double tolerance, bool bdf) {
  constexpr double kInterval = kFallsStop / 50;
  Simulation run = bdf ? simulate(model, CvodeOptions{0, kFallsStop, kInterval, tolerance, false})
                       : simulate(model, TaylorOptions{0, kFallsStop, kInterval, tolerance, false});
  if (run.report.reason != StopReason::kDone) return std::nullopt;
  return run;
}

/// Greatest deviation of the place of the slider.
double apart(const Model& a, const Simulation& expected, const Model& b, const Simulation& run) {
  double greatest = 0;
  const auto& x = expected.column(a, "slider.s");
  const auto& y = run.column(b, "slider.s");
  for (std::size_t i = 0; i < x.size(); ++i) {
    greatest = std::max(greatest, std::fabs(x[i] - y[i]) / (1 + std::fabs(x[i])));
  }
  return greatest;
}

/// The run to rounding, and what the others show that must not be.
struct Checked {
  std::optional<Simulation> exact;
  std::string problem;
};

Checked by_all_solvers(const Model& model) {
  Checked result;
  result.exact = run_with(model, 1e-11, false);
  if (!result.exact) return {std::nullopt, "does not come to the end"};
  const auto coarse = run_with(model, 1e-6, false);
  if (!coarse) return {std::nullopt, "does not come to the end at 1e-6"};
  const auto bdf = run_with(model, 1e-10, true);
  if (!bdf) return {std::nullopt, "does not come to the end by CVODE"};
  if (const double e = apart(model, *result.exact, model, *coarse); e > 1e-2) {
    result.problem = fmt::format("{:.1e} apart at 1e-6", e);
  }
  if (const double e = apart(model, *result.exact, model, *bdf); e > 1e-4) {
    result.problem = fmt::format("{:.1e} apart by CVODE", e);
  }
  return result;
}

}  // namespace

std::string random_fall(unsigned number, const std::string& mass) {
  return Fall(number, mass).text();
}

FallRun run_fall(unsigned number) {
  for (const char* mass : {"0.3", "1e-3"}) {
    const Checked heavy = by_all_solvers({"heavy.ltm", random_fall(number, mass)});
    if (!heavy.problem.empty()) return {false, fmt::format("{} kg: {}", mass, heavy.problem)};
  }
  std::unique_ptr<Stages> stages =
      run_stages("fall.ltm", random_fall(number, "0"), Stage::kProgram);
  if (!stages->program) return {true, {}};
  const Model model(std::move(stages));
  const Simulation first = simulate(model, TaylorOptions{0, kFallsStop, kFallsStop, 1e-10, false});
  if (first.report.reason == StopReason::kAssertion) return {true, {}};
  const Checked limit = by_all_solvers(model);
  if (!limit.problem.empty()) return {false, limit.problem};
  std::array<double, 3> error{};
  const std::array<const char*, 3> masses = {"1e-5", "1e-6", "1e-7"};
  for (std::size_t i = 0; i < masses.size(); ++i) {
    const Model light("light.ltm", random_fall(number, masses[i]));
    const auto run = run_with(light, 1e-9, false);
    if (!run) return {false, fmt::format("does not come to the end with {} kg", masses[i])};
    error[i] = apart(model, *limit.exact, light, *run);
  }
  // Of first order, or of m^(2/3) where slips end at folds; the phase of many short cycles of
  // stick-slip takes the smallest masses.
  constexpr double kPhase = 1e-3, kGreatest = 1e-2;
  if (error[2] > kGreatest || (error[2] > kPhase && error[2] > 0.5 * error[0])) {
    return {false,
            fmt::format("{:.1e}, {:.1e}, {:.1e} from the limit", error[0], error[1], error[2])};
  }
  return {};
}

}  // namespace luztar::test
