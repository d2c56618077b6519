#include "compiler/codegen/functions.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "compiler/base/diagnostics.h"

namespace luztar {
namespace {

/// One output array of a function: root k goes to place k.
using OutputArray = std::vector<TapeId>;

bool is_leaf(const Program& program, const FunctionPlan& plan, TapeId id) {
  const TapeNode& node = program.tape.nodes[id];
  if (operand_count(node.op) == 0) return true;
  return node.parametric && !plan.uses_parameters;
}

/// Steps of a function in the order of a depth-first walk, so that a value is used soon after it is
/// computed.
std::vector<PlanStep> order_steps(const Program& program, const FunctionPlan& plan,
                                  const std::vector<OutputArray>& arrays,
                                  std::vector<bool>& visited) {
  std::vector<PlanStep> steps;
  std::vector<std::pair<TapeId, std::size_t>> stack;  // node, operands already entered
  for (std::uint32_t array = 0; array < arrays.size(); ++array) {
    for (std::uint32_t index = 0; index < arrays[array].size(); ++index) {
      const TapeId root = arrays[array][index];
      if (!visited[root] && !is_leaf(program, plan, root)) {
        visited[root] = true;
        stack.emplace_back(root, 0);
      }
      while (!stack.empty()) {
        auto& [id, entered] = stack.back();
        const TapeNode& node = program.tape.nodes[id];
        if (entered < operand_count(node.op)) {
          const TapeId operand = node.operands[entered++];
          if (!visited[operand] && !is_leaf(program, plan, operand)) {
            visited[operand] = true;
            stack.emplace_back(operand, 0);
          }
        } else {
          steps.push_back({false, id, 0, 0});
          stack.pop_back();
        }
      }
      steps.push_back({true, root, array, index});
    }
  }
  for (const PlanStep& step : steps) visited[step.node] = false;  // ready for the next function
  return steps;
}

/// Calls visit(operand) for every operand of a step that is no leaf.
template <class Visit>
void for_each_operand(const Program& program, const FunctionPlan& plan, const PlanStep& step,
                      Visit visit) {
  if (step.store) {
    if (!is_leaf(program, plan, step.node)) visit(step.node);
    return;
  }
  const TapeNode& node = program.tape.nodes[step.node];
  for (std::size_t i = 0; i < operand_count(node.op); ++i) {
    if (!is_leaf(program, plan, node.operands[i])) visit(node.operands[i]);
  }
}

/// Gives every value that crosses chunks a slot; a slot is used again once its value has been read
/// for the last time.
void assign_scratch(const Program& program, FunctionPlan& plan, std::vector<std::uint32_t>& home,
                    std::vector<std::uint32_t>& last_use) {
  for (std::uint32_t c = 0; c < plan.chunks.size(); ++c) {
    for (const PlanStep& step : plan.chunks[c]) {
      if (!step.store) home[step.node] = last_use[step.node] = c;
      for_each_operand(program, plan, step, [&](TapeId operand) { last_use[operand] = c; });
    }
  }
  std::vector<std::vector<std::uint32_t>> ends(plan.chunks.size());  // slots free after a chunk
  std::vector<std::uint32_t> free_slots;
  for (std::uint32_t c = 0; c < plan.chunks.size(); ++c) {
    if (c > 0) free_slots.insert(free_slots.end(), ends[c - 1].begin(), ends[c - 1].end());
    for (const PlanStep& step : plan.chunks[c]) {
      if (step.store || last_use[step.node] == c) continue;
      std::uint32_t slot = plan.scratch_size;
      if (free_slots.empty()) {
        ++plan.scratch_size;
      } else {
        slot = free_slots.back();
        free_slots.pop_back();
      }
      plan.scratch.push_back({step.node, c, slot});
      ends[last_use[step.node]].push_back(slot);
    }
  }
  std::sort(plan.scratch.begin(), plan.scratch.end(),
            [](const ScratchSlot& a, const ScratchSlot& b) { return a.node < b.node; });
}

/// State shared by the functions of one program, so that each costs what it contains.
struct Workspace {
  std::vector<bool> visited;
  std::vector<std::uint32_t> home, last_use;
};

FunctionPlan plan_function(const Program& program, std::string_view name, bool uses_parameters,
                           const std::vector<OutputArray>& arrays, std::size_t chunk_size,
                           Workspace& workspace) {
  FunctionPlan plan;
  plan.name = name;
  plan.uses_parameters = uses_parameters;
  const std::vector<PlanStep> steps = order_steps(program, plan, arrays, workspace.visited);
  for (std::size_t begin = 0; begin < steps.size(); begin += chunk_size) {
    const std::size_t end = std::min(steps.size(), begin + chunk_size);
    plan.chunks.emplace_back(steps.begin() + static_cast<std::ptrdiff_t>(begin),
                             steps.begin() + static_cast<std::ptrdiff_t>(end));
  }
  if (plan.chunks.size() > 1) {
    assign_scratch(program, plan, workspace.home, workspace.last_use);
  }
  return plan;
}

/// Hands out root expressions for lowering and finds their nodes again afterwards.
struct RootList {
  std::vector<Expr> roots;
  std::size_t add(Expr e) {
    roots.push_back(e);
    return roots.size() - 1;
  }
};

/// Numbers the parameter-only nodes that the steps of a function use.
void collect_constants(Program& program, const FunctionPlan& plan, std::vector<TapeId>& constants) {
  const auto take = [&](TapeId id) {
    const TapeNode& node = program.tape.nodes[id];
    if (!node.parametric || node.op == TapeOp::kConstant) return;
    if (program.constant_of[id] != kNoTapeId) return;
    program.constant_of[id] = static_cast<std::uint32_t>(constants.size());
    constants.push_back(id);
  };
  for (const PlanChunk& chunk : plan.chunks) {
    for (const PlanStep& step : chunk) {
      if (step.store) take(step.node);
      if (step.store) continue;
      const TapeNode& node = program.tape.nodes[step.node];
      for (std::size_t i = 0; i < operand_count(node.op); ++i) take(node.operands[i]);
    }
  }
}

void require_parametric(const Program& program, const OutputArray& nodes, const char* what) {
  for (const TapeId id : nodes) {
    if (!program.tape.nodes[id].parametric) {
      throw InternalError("codegen", std::string(what) + " depends on more than parameters");
    }
  }
}

}  // namespace

Program plan_program(const ExprPool& pool, const ExplicitSystem& system, std::size_t chunk_size) {
  RootList list;
  for (const ExplicitState& state : system.states) list.add(state.start);
  for (const ExplicitState& state : system.states) list.add(state.derivative);
  for (const ExplicitFriction& friction : system.frictions) list.add(friction.slip);
  for (const ExplicitFriction& friction : system.frictions) list.add(friction.demand);
  for (const ExplicitFriction& friction : system.frictions) list.add(friction.static_bound);
  for (const ExplicitOutput& output : system.outputs) list.add(output.value);
  for (const ExplicitAssertion& assertion : system.assertions) list.add(assertion.condition);
  for (const ExplicitFriction& friction : system.frictions) {
    for (const auto& [state, reaction] : friction.reaction) list.add(reaction);
  }

  Program program;
  program.tape = lower_to_tape(pool, list.roots);
  program.constant_of.assign(program.tape.nodes.size(), kNoTapeId);
  auto next = program.tape.roots.begin();
  const auto take = [&next](std::size_t count) {
    const auto begin = next;
    next += static_cast<std::ptrdiff_t>(count);
    return OutputArray(begin, next);
  };
  const OutputArray starts = take(system.states.size());
  const OutputArray derivatives = take(system.states.size());
  const OutputArray slips = take(system.frictions.size());
  const OutputArray demands = take(system.frictions.size());
  const OutputArray bounds = take(system.frictions.size());
  const OutputArray outputs = take(system.outputs.size());
  const OutputArray assertions = take(system.assertions.size());
  require_parametric(program, starts, "a start value");

  const std::size_t size = program.tape.nodes.size();
  Workspace workspace{std::vector<bool>(size, false), std::vector<std::uint32_t>(size, 0),
                      std::vector<std::uint32_t>(size, 0)};
  const auto plan = [&](std::string_view name, const std::vector<OutputArray>& arrays) {
    return plan_function(program, name, false, arrays, chunk_size, workspace);
  };
  program.derivatives = plan("derivatives", {derivatives});
  program.slips = plan("slips", {slips});
  program.demands = plan("demands", {demands, bounds});
  program.outputs = plan("evaluate_outputs", {outputs});
  program.assertions = plan("assertions", {assertions});
  program.outputs.hot = false;

  std::vector<TapeId> constants;
  for (const FunctionPlan* function : {&program.derivatives, &program.slips, &program.demands,
                                       &program.outputs, &program.assertions}) {
    collect_constants(program, *function, constants);
  }
  for (const ExplicitFriction& friction : system.frictions) {
    const OutputArray values = take(friction.reaction.size());
    require_parametric(program, values, "a friction's reaction");
    std::vector<ReactionEntry>& entries = program.reactions.emplace_back();
    for (std::size_t i = 0; i < values.size(); ++i) {
      std::uint32_t& slot = program.constant_of[values[i]];
      if (slot == kNoTapeId) {  // numbers too: the solver reads reactions from c alone
        slot = static_cast<std::uint32_t>(constants.size());
        constants.push_back(values[i]);
      }
      entries.push_back({friction.reaction[i].first, slot});
    }
  }
  program.constant_count = static_cast<std::uint32_t>(constants.size());
  program.prepare =
      plan_function(program, "prepare", true, {constants, starts}, chunk_size, workspace);
  program.prepare.hot = false;
  return program;
}

}  // namespace luztar
