// Random chains of bodies between hard stops, with springs, play, dry friction and prescribed
// motions: every run comes to its end, no body goes beyond a stop, stops push in contact only, and
// no energy is lost from the account.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/support/model.h"
#include "tests/support/random_cases.h"
#include "tests/support/random_draws.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

struct RandomStop {
  std::string name;
  double half_freeplay;
};

struct StopChain {
  std::string text;
  std::vector<RandomStop> stops;
};

/// A random model text, part by part.
class StopChainWriter : ModelDraws {
 public:
  explicit StopChainWriter(unsigned seed) : ModelDraws(seed) {}

  StopChain run() {
    parts_ = "model Chain\n  Translational.Fixed ground;\n";
    const int bodies = 1 + below(6);
    const bool driven = chance(0.25);
    if (driven) {
      parts_ += fmt::format(
          "  Translational.Position drive;\n"
          "  Blocks.Sine path(amplitude = {}, f = {});\n",
          number(0.02, 0.1), number(0.3, 3));
      equations_ += "  connect(path.y, drive.s_ref);\n";
    }
    for (int i = 0; i < bodies; ++i) {
      const std::string before = i > 0 ? fmt::format("m{}.flange_b", std::max(0, i - 1 - below(2)))
                                 : driven ? "drive.flange"
                                          : "ground.flange";
      write_body(i, before);
    }
    chain_.text = parts_ + "equation\n" + equations_ +
                  "  annotation(experiment(StopTime = 3, Interval = 0.01));\nend Chain;\n";
    return chain_;
  }

 private:
  std::string friction() {
    const double kinetic = number(0.2, 3);
    if (chance(0.5)) return fmt::format("f0 = {}", kinetic);
    return fmt::format("f0 = {}, f0_static = {}", kinetic, kinetic * number(1, 1.8));
  }

  void join(const std::string& part, int body, const std::string& before,
            const std::string& declaration) {
    parts_ += fmt::format("  Translational.{}{}({});\n", part, body, declaration);
    const std::string name = part.substr(part.find(' ') + 1) + std::to_string(body);
    equations_ +=
        fmt::format("  connect({}, {}.flange_a);\n  connect({}.flange_b, m{}.flange_a);\n", before,
                    name, name, body);
  }

  void write_body(int i, const std::string& before) {
    parts_ += fmt::format("  Translational.Mass m{}(m = {}, s(start = {}), v(start = {}));\n", i,
                          number(0.1, 3), chance(0.5) ? 0 : number(-0.02, 0.02),
                          chance(0.6) ? 0 : number(-1, 1));
    if (chance(0.6)) {
      parts_ += fmt::format("  Translational.SupportFriction rail{}({}, d = {});\n", i, friction(),
                            chance(0.6) ? 0 : number(0.1, 2));
      equations_ += fmt::format("  connect(m{}.flange_a, rail{}.flange_a);\n", i, i);
    }
    const double kind = number(0, 1);
    if (kind < 0.45) {
      const std::vector<double> restitution = {0, 0, 0.3, 0.5, 0.8, number(0, 0.99)};
      const double half_freeplay = number(0.03, 0.2);
      join("HardStop stop", i, before,
           fmt::format("half_freeplay = {}, e = {}", half_freeplay,
                       restitution[static_cast<std::size_t>(below(6))]));
      chain_.stops.push_back({"stop" + std::to_string(i), half_freeplay});
    }
    if (kind > 0.35 && kind < 0.7) {
      join("FreeplaySpring play", i, before,
           fmt::format("k = {}, half_freeplay = {}", number(10, 2000),
                       chance(0.5) ? 0 : number(0, 0.05)));
    }
    if (kind >= 0.7 || (kind < 0.45 && chance(0.4))) {
      join("SpringDamper spring", i, before,
           fmt::format("k = {}, d = {}", number(5, 500), chance(0.5) ? 0 : number(0, 3)));
    }
    if (chance(0.3)) join("CrossFriction cross", i, before, friction());
    if (i > 0 && chance(0.5)) return;
    const std::vector<std::string> loads = {
        fmt::format("Step load{}(height = {}, startTime = {})", i, number(-12, 12), number(0, 1)),
        fmt::format("Sine load{}(amplitude = {}, f = {})", i, number(1, 15), number(0.2, 3)),
        fmt::format("Ramp load{}(height = {}, duration = {})", i, number(-12, 12), number(0.5, 2)),
        fmt::format("Constant load{}(k = {})", i, number(-8, 8))};
    parts_ += fmt::format("  Blocks.{};\n  Translational.Force push{};\n",
                          loads[static_cast<std::size_t>(below(4))], i);
    equations_ += fmt::format(
        "  connect(load{}.y, push{}.f);\n  connect(push{}.flange, m{}.flange_b);\n", i, i, i, i);
  }

  std::string parts_, equations_;
  StopChain chain_;
};

TEST_CASE("random chains between hard stops") {
  std::size_t impacts = 0;
  for (unsigned seed = 0; seed < random_cases(60); ++seed) {
    const StopChain chain = StopChainWriter(seed).run();
    INFO("seed ", seed, "\n", chain.text);
    const Model model("chain.ltm", chain.text);
    const TaylorOptions options{0, 3, 0.01, 1e-11, true};
    const Simulation run = simulate(model, options);
    REQUIRE(run.report.reason == StopReason::kDone);
    for (const RandomStop& stop : chain.stops) {
      const std::vector<double>& distance = run.column(model, stop.name + ".s_rel");
      const std::vector<double>& force = run.column(model, stop.name + ".f");
      for (std::size_t row = 0; row < distance.size(); ++row) {
        const double gap = stop.half_freeplay - std::fabs(distance[row]);
        CHECK(gap > -1e-9);
        CHECK((gap < 1e-9 || force[row] == 0));
        CHECK(force[row] * distance[row] >= -1e-12);
      }
      impacts += run.report.changes[model.friction({stop.name})];
    }
    const RunReport report = audited(model, options);
    CHECK(std::fabs(report.energy->residual()) <= 1e-10 * report.energy->turnover);
  }
  CHECK(impacts > random_cases(500));
}

}  // namespace
}  // namespace luztar::test
