// A parameter that is not structural can be changed without another compilation.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

using Values = std::vector<std::pair<std::string, double>>;

/// All free Real parameters that are not structural, by a factor that keeps their order.
Values moved_values(const Model& model, double factor) {
  const Stages& stages = model.stages();
  const std::vector<ParameterId>& structural = stages.reduced->structural;
  Values values;
  for (const ParameterId id : stages.flat->parameters.ids()) {
    const FlatParameter& p = stages.flat->parameters[id];
    const bool bound = p.binding.valid() && !stages.pool.is_constant(p.binding);
    if (bound || p.constant || p.type != ScalarType::kReal) continue;
    if (std::binary_search(structural.begin(), structural.end(), id)) continue;
    values.emplace_back(p.name, factor * p.value);
  }
  return values;
}

std::vector<Setting> settings(const Values& values) {
  std::vector<Setting> result;
  for (const auto& [name, value] : values) {
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", value);
    result.push_back({name, text});
  }
  return result;
}

Simulation short_run(const Model& model) {
  const double stop = model.stages().flat->experiment.stop / 5;
  return simulate(model, TaylorOptions{0, stop, stop / 20, 1e-13, false});
}

TEST_CASE("parameters that are not structural may change in the compiled model") {
  for (const char* file : {"steering.ltm", "gear_train.ltm", "gear_train_3.ltm", "two_mass.ltm",
                           "two_mass_massless.ltm", "separation_sheet.ltm", "disc_chain.ltm",
                           "static_indeterminacy.ltm", "variable_gear.ltm", "rattling_gear.ltm"}) {
    CAPTURE(file);
    Model model = load_example(file);
    const Values values = moved_values(model, 1.01);
    CHECK(values.size() > 3);
    const Model compiled = load_example(file, settings(values));
    const Simulation before = short_run(model);
    model.set(values);
    const Simulation run = short_run(model), expected = short_run(compiled);
    REQUIRE(run.time == expected.time);
    for (const Deviation& d : motion_deviations(compiled, expected, model, run)) {
      INFO(d.column);
      CHECK(d.difference <= 1e-9 * d.peak);
    }
    const std::vector<Deviation> changes = motion_deviations(model, before, model, run);
    CHECK(std::any_of(changes.begin(), changes.end(),
                      [](const Deviation& d) { return d.difference > 1e-4 * d.peak; }));
  }
}

TEST_CASE("another value of a structural parameter gives another system") {
  const Model massless = load_example("two_mass_massless.ltm");
  const ParameterId mass{massless.parameter("mass_1.m")};
  CHECK(massless.stages().reduced->structural == std::vector{mass});
  const Model heavier = load_example("two_mass_massless.ltm", {{"mass_1.m", "0.5"}});
  CHECK(heavier.stages().reduced->structural.empty());
  CHECK(own_states(heavier) == own_states(massless) + 1);
}

}  // namespace
}  // namespace luztar::test
