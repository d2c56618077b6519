// Random laws that only push or only pull on massless bodies: against the root of their balance,
// and in chains with bodies of inertia by both solvers.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "tests/support/model.h"
#include "tests/support/random_cases.h"
#include "tests/support/random_draws.h"
#include "tests/support/simulation.h"
#include "tests/support/solver_agreement.h"

namespace luztar::test {
namespace {

/// A sum of k max(x - a, 0), k min(x - a, 0) and k nas(x - a, b), as text and as a function.
struct RandomLaw {
  struct Piece {
    int kind = 0;
    double k = 0, a = 0, b = 0;
  };
  std::vector<Piece> pieces;

  explicit RandomLaw(ModelDraws& draws) {
    for (int i = 1 + draws.below(4); i > 0; --i) {
      pieces.push_back(
          {draws.below(3), draws.number(1, 40), draws.number(-0.4, 0.4), draws.number(0.02, 0.3)});
    }
  }
  [[nodiscard]] std::string text() const {
    std::string out;
    for (const Piece& p : pieces) {
      const char* forms[] = {"max({0}*(s_rel - ({1})), 0)", "min({0}*(s_rel - ({1})), 0)",
                             "{0}*nas(s_rel - ({1}), {2})"};
      out += (out.empty() ? "" : " + ") + fmt::format(fmt::runtime(forms[p.kind]), p.k, p.a, p.b);
    }
    return out;
  }
  [[nodiscard]] double force(double x) const {
    double sum = 0;
    for (const Piece& p : pieces) {
      const double u = x - p.a;
      sum += p.k * (p.kind == 0   ? std::max(u, 0.0)
                    : p.kind == 1 ? std::min(u, 0.0)
                                  : std::clamp(u, -p.b, p.b));
    }
    return sum;
  }
};

/// The s with f(s) = 0, f rising.
template <class F>
double root(const F& f) {
  double low = -100, high = 100;
  for (int i = 0; i < 200; ++i) {
    const double middle = (low + high) / 2;
    (f(middle) > 0 ? high : low) = middle;
  }
  return high;
}

/// A chain from a drive on: bodies with and without inertia, dry and viscous friction, links that
/// only pull, only push, or have play; a body without inertia may be held by friction alone.
std::string random_chain(ModelDraws& draws) {
  std::string parts = R"(
model Tendon
  extends Translational.Interfaces.TwoFlanges;
  parameter Real k = 50;
  parameter Real slack = 0;
equation
  f = max(k*(s_rel - slack), 0);
end Tendon;
model Chain
  Translational.Fixed ground;
)";
  std::string equations;
  std::string before = "ground.flange";
  const int bodies = 2 + draws.below(4);
  for (int i = 0; i < bodies; ++i) {
    const bool massless = i > 0 && draws.chance(0.6);
    parts += massless
                 ? fmt::format("  Translational.Mass m{}(m = 0);\n", i)
                 : fmt::format("  Translational.Mass m{}(m = {}, v(start = {}));\n", i,
                               draws.number(0.3, 2), draws.chance(0.5) ? draws.number(-1, 1) : 0);
    const auto link = [&](const std::string& name, const std::string& declaration) {
      parts += fmt::format("  {} {}({});\n", declaration.substr(0, declaration.find('|')), name,
                           declaration.substr(declaration.find('|') + 1));
      equations +=
          fmt::format("  connect({}, {}.flange_a);\n  connect({}.flange_b, m{}.flange_a);\n",
                      before, name, name, i);
    };
    const double k = draws.number(20, 200);
    switch (draws.below(5)) {
      case 0:
        link(fmt::format("tendon{}", i),
             fmt::format("Tendon|k = {}, slack = {}", k,
                         draws.chance(0.5) ? 0 : draws.number(0, 0.05)));
        break;
      case 1:
        link(fmt::format("tip{}", i), fmt::format("Translational.ElastoGap|k = {}, s_rel0 = {}", k,
                                                  draws.chance(0.5) ? 0 : draws.number(-0.05, 0)));
        break;
      case 2:
        link(fmt::format("tendon{}", i), fmt::format("Tendon|k = {}, slack = 0.02", k));
        link(fmt::format("tip{}", i),
             fmt::format("Translational.ElastoGap|k = {}, s_rel0 = -0.01", draws.number(20, 200)));
        break;
      case 3:
        link(fmt::format("play{}", i),
             fmt::format("Translational.FreeplaySpring|k = {}, half_freeplay = 0.02", k));
        break;
      default:
        link(fmt::format("spring{}", i), fmt::format("Translational.Spring|k = {}", k));
    }
    if (i == 0) link("anchor", "Translational.Spring|k = 60");
    if (massless || draws.chance(0.5)) {
      const double kinetic = draws.number(0.2, 2);
      parts +=
          fmt::format("  Translational.SupportFriction rail{}(f0 = {}, f0_static = {}, d = {});\n",
                      i, kinetic, draws.chance(0.6) ? kinetic : 1.5 * kinetic,
                      draws.chance(0.6) ? 0 : draws.number(0.1, 1));
      equations += fmt::format("  connect(m{}.flange_a, rail{}.flange_a);\n", i, i);
    }
    before = fmt::format("m{}.flange_b", i);
  }
  parts +=
      fmt::format("  Translational.Force push;\n  Blocks.Sine signal(amplitude = {}, f = {});\n",
                  draws.number(3, 12), draws.number(0.5, 2));
  equations += "  connect(signal.y, push.f);\n  connect(push.flange, m0.flange_b);\n";
  return parts + "equation\n" + equations + "  annotation(experiment(StopTime = 2));\nend Chain;\n";
}

}  // namespace

TEST_CASE("a massless body between random laws is where they are in balance") {
  for (unsigned seed = 0; seed < random_cases(60); ++seed) {
    ModelDraws draws(seed);
    const RandomLaw near(draws), far(draws);
    const double own = draws.number(1, 10), A = draws.number(0.3, 1.5);
    const std::string text = fmt::format(R"(
model Near
  extends Translational.Interfaces.TwoFlanges;
equation
  f = {};
end Near;
model Far
  extends Translational.Interfaces.TwoFlanges;
equation
  f = {};
end Far;
model Balance
  Translational.Position drive;
  Blocks.Sine signal(amplitude = {}, f = 1);
  Near near;
  Translational.Mass body(m = 0);
  Far far;
  Translational.Spring spring(k = {});
  Translational.Fixed ground;
equation
  connect(signal.y, drive.s_ref);
  connect(drive.flange, near.flange_a);
  connect(near.flange_b, body.flange_a);
  connect(ground.flange, far.flange_a);
  connect(far.flange_b, body.flange_a);
  connect(ground.flange, spring.flange_a);
  connect(spring.flange_b, body.flange_a);
  annotation(experiment(StopTime = 1.2));
end Balance;
)",
                                         near.text(), far.text(), A, own);
    INFO("seed ", seed, "\n", text);
    const Model model("balance.ltm", text);
    const Simulation run = simulate(model, TaylorOptions{0, 1.2, 0.01, 1e-13, false, true});
    const Simulation bdf = simulate(model, CvodeOptions{0, 1.2, 0.01, 1e-10, false});
    for (const Simulation* each : {&run, &bdf}) {
      REQUIRE(each->report.reason == StopReason::kDone);
      for (std::size_t i = 0; i < each->time.size(); ++i) {
        const double q = A * std::sin(2 * std::numbers::pi * each->time[i]);
        const double expected =
            root([&](double s) { return near.force(s - q) + far.force(s) + own * s; });
        REQUIRE(std::fabs(each->column(model, "body.s")[i] - expected) <= 1e-11);
      }
    }
    REQUIRE(run.report.energy.has_value());
    const EnergyReport& energy = *run.report.energy;
    CHECK(std::fabs(energy.residual()) <= 1e-11 * energy.turnover);
  }
}

TEST_CASE("random chains with links of one side move alike in both solvers") {
  for (unsigned seed = 0; seed < random_cases(60); ++seed) {
    ModelDraws draws(seed);
    const std::string text = random_chain(draws);
    INFO("seed ", seed, "\n", text);
    const Model model("chain.ltm", text);
    check_agrees(model);
    const RunReport report = audited(model, TaylorOptions{0, 2, 0.1, 1e-13, false});
    REQUIRE(report.energy.has_value());
    const EnergyReport& energy = *report.energy;
    CHECK(std::fabs(energy.residual()) <= 1e-11 * (energy.turnover + energy.total_dissipated()));
  }
}

}  // namespace luztar::test
