// The experiment of an example, and its columns.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {

struct ExampleRun {
  Model model;
  Simulation simulation;

  /// To the end of the experiment, which `options` need not give.
  template <class Options>
  ExampleRun(const std::string& file, Options options) : model(load_example(file)) {
    options.stop = model.stages().flat->experiment.stop;
    simulation = simulate(model, options);
    REQUIRE(simulation.report.reason == StopReason::kDone);
  }

  [[nodiscard]] const std::vector<double>& column(std::string_view name) const {
    return simulation.column(model, name);
  }
  [[nodiscard]] double last(std::string_view name) const { return column(name).back(); }
  [[nodiscard]] double greatest(std::string_view name) const {
    return *std::max_element(column(name).begin(), column(name).end());
  }
  [[nodiscard]] double least(std::string_view name) const {
    return *std::min_element(column(name).begin(), column(name).end());
  }
  [[nodiscard]] bool always_zero(std::string_view name) const {
    return greatest(name) == 0 && least(name) == 0;
  }
};

}  // namespace luztar::test
