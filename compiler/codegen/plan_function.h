// The plan of one function: the order of its operations, loops over what repeats, scratch memory.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "compiler/codegen/program.h"

namespace luztar {

/// One output array of a function: root k goes to place k.
using OutputArray = std::vector<TapeId>;

/// A sine or cosine of a + b*t, whose row is filled before all others.
[[nodiscard]] bool is_sine_of_line(const Program& program, TapeId id);

/// State shared by the functions of one program, so that each costs what it contains.
struct PlanWorkspace {
  std::vector<bool> visited, crosses;
  std::vector<std::uint32_t> home, last_use;

  explicit PlanWorkspace(std::size_t nodes)
      : visited(nodes), crosses(nodes), home(nodes), last_use(nodes) {}
};

/// Plans the function that computes `arrays`.
///   pre    program.tape and program.line are filled
///   level  what the function computes; values of lower variability are constants to it
///   cost   linear in the operations of the function, sorting of its values apart
[[nodiscard]] FunctionPlan plan_function(const Program& program, std::string_view name,
                                         Variability level, const std::vector<OutputArray>& arrays,
                                         const PlanLimits& limits, PlanWorkspace& workspace);

/// Visits the steps of loops first, so that what they number follows each other in memory.
template <class Visit>
void for_each_step_loops_first(const FunctionPlan& plan, Visit visit) {
  for (const bool loops : {true, false}) {
    for (const PlanChunk& chunk : plan.chunks) {
      if ((chunk.rounds > 1) != loops) continue;
      for (const PlanStep& step : chunk.steps) visit(step);
    }
  }
}

}  // namespace luztar
