// What a run tells about itself on standard error.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "compiler/driver/options.h"
#include "compiler/reduction/reduction.h"
#include "runtime/solvers/run.h"
#include "runtime/system.h"

namespace luztar {

/// Wall times of the stages, in order.
class Timings {
 public:
  /// Runs `stage` and notes its time under `name`.
  template <class Stage>
  decltype(auto) measure(const char* name, Stage&& stage) {
    const Note note{*this, name, std::chrono::steady_clock::now()};
    return std::forward<Stage>(stage)();
  }
  [[nodiscard]] const std::vector<std::pair<const char*, double>>& stages() const {
    return stages_;
  }
  /// [s]
  [[nodiscard]] double total() const;

 private:
  struct Note {  // notes the time when its scope is left
    Timings& timings;
    const char* name;
    std::chrono::steady_clock::time_point begin;
    ~Note();
  };
  std::vector<std::pair<const char*, double>> stages_;  // [s]
};

struct RunSummary {
  std::string model;
  const ReductionLog* reductions = nullptr;
  std::size_t primary_states = 0, reduced_states = 0;
  const System* system = nullptr;
  std::vector<std::string> indeterminate;  // variables without a unique value, not in the result
  RunReport report;
  std::string stiff_signal;  // RunReport::stiff_state, where that is the state of a signal
  bool stiff_without_inertia = false;  // it is a body that springs move against a damping
  double start = 0;                    // [s]
  std::string solver;                  // and its settings
  std::size_t rows = 0, columns = 0;
  std::string file;
};

[[nodiscard]] std::string text_of(const RunSummary& summary);
/// One line, or with `detailed` one line for each stage.
[[nodiscard]] std::string text_of(const Timings& timings, bool detailed);

}  // namespace luztar
