#include "compiler/codegen/idle_steps.h"

#include <span>

#include "compiler/codegen/short_recurrence.h"

namespace luztar {
namespace {

using Rows = std::vector<std::uint32_t>;  // by row: a friction, or kNoIndex

/// The rows that only a decision or a margin of the reserve asks for. No two quantities share one.
Rows friction_of_rows(const Program& program) {
  Rows friction(program.row_count, kNoIndex);
  for (std::uint32_t i = 0; i < program.frictions.size(); ++i) {
    const Friction& f = program.frictions[i];
    for (const std::uint32_t row : {f.free_row, f.reserve_row, f.reserve_row + 1, f.kinetic_row}) {
      friction[row] = i;
    }
  }
  return friction;
}

/// Of what two steps are for.
StepPurpose join(StepPurpose a, StepPurpose b) {
  if (!a || !b) return a ? a : b;
  return *a == *b ? a : kNoIndex;
}

}  // namespace

std::vector<StepPurpose> purposes_of_steps(const Program& program, const Frame& frame) {
  const Rows friction_of_row = friction_of_rows(program);
  const std::span<const PlanStep> steps = frame.plan.chunks[frame.chunk].first_round();
  std::vector<StepPurpose> result(steps.size());
  std::vector<StepPurpose> of_node(program.tape.nodes.size());
  const auto serve = [&](TapeId node, StepPurpose purpose) {
    of_node[node] = join(of_node[node], purpose);
  };
  for (std::size_t s = steps.size(); s-- > 0;) {
    const PlanStep& step = steps[s];
    if (step.store) {
      const bool is_rate = step.array == 0;
      result[s] = is_rate ? kNoIndex : friction_of_row[program.state_count + step.index];
      const bool is_sum = is_rate && !frame.recurrence->rate(step.index).empty();
      if (is_sum) {
        for (const auto& term : frame.recurrence->rate(step.index)) serve(term.source, kNoIndex);
      } else {
        serve(step.node, result[s]);
      }
      continue;
    }
    const bool has_row = program.row_of[step.node] != kNoTapeId;
    result[s] = has_row ? kNoIndex : of_node[step.node];
    for (const TapeId operand : program.tape.operands(step.node)) serve(operand, result[s]);
  }
  return result;
}

}  // namespace luztar
