// One evaluation of a compiled model: states and modes set by name, derivatives compared by name.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "tests/support/model.h"
#include "tests/support/tracked.h"

namespace luztar::test {

using Names = std::initializer_list<std::string_view>;

class Probe {
 public:
  explicit Probe(const Model& model)
      : model_(&model),
        state_(model.system().state_count, 0.0),
        mode_(model.system().frictions.size(), 0) {}

  double& operator[](Names names) { return state_[model_->state(names)]; }

  /// Modes as the signs of the slip velocities of the state set so far: exactly zero is mode 0.
  void modes_from_slips() {
    const std::vector<double> slips = model_->slips(0, state_);
    for (std::size_t i = 0; i < slips.size(); ++i) mode_[i] = (slips[i] > 0) - (slips[i] < 0);
  }

  void evaluate(double time) {
    const Model::Evaluation result = model_->evaluate(time, state_, mode_);
    derivatives_ = result.derivatives;
    outputs_ = result.outputs;
  }

  /// The derivative of a state agrees with a reference to 1e-12 relative.
  void check_derivative(Names names, Tracked reference) const {
    check(derivatives_[model_->state(names)], reference, *names.begin(), "derivative");
  }
  void check_output(std::string_view name, Tracked reference) const {
    check(outputs_[model_->output(name)], reference, name, "output");
  }

 private:
  static void check(double computed, Tracked reference, std::string_view name,
                    std::string_view what) {
    INFO(what, " ", name, ": computed ", computed, ", printed formula ", reference.value,
         ", difference ", computed - reference.value, ", size of the terms ", reference.size);
    CHECK(agrees(computed, reference));
  }

  const Model* model_;
  std::vector<double> state_, derivatives_, outputs_;
  std::vector<std::int32_t> mode_;
};

/// Counts which of the three zones of luz and which modes were visited: a comparison must see all
/// of them.
class Coverage {
 public:
  void zone(double x, double half_width) {
    seen_[x > half_width ? 2 : x < -half_width ? 0 : 1] = true;
  }
  void mode(int value) { mode_seen_[value + 1] = true; }

  [[nodiscard]] bool all_zones() const { return seen_[0] && seen_[1] && seen_[2]; }
  [[nodiscard]] bool all_modes() const { return mode_seen_[0] && mode_seen_[1] && mode_seen_[2]; }

 private:
  bool seen_[3] = {};
  bool mode_seen_[3] = {};
};

}  // namespace luztar::test
