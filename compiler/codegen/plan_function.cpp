#include "compiler/codegen/plan_function.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "compiler/codegen/periods.h"
#include "compiler/codegen/repeats.h"
#include "compiler/codegen/statements.h"

namespace luztar {
namespace {

bool is_leaf(const Program& program, const FunctionPlan& plan, TapeId id) {
  const TapeNode& node = program.tape.nodes[id];
  return node.operand_count == 0 || node.variability < plan.level ||
         (plan.taylor && is_sine_of_line(program, id));
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
        const std::span<const TapeId> operands = program.tape.operands(id);
        if (entered < operands.size()) {
          const TapeId operand = operands[entered++];
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
  for (const TapeId operand : program.tape.operands(step.node)) {
    if (!is_leaf(program, plan, operand)) visit(operand);
  }
}

/// Numbers pieces of code that share registers: straight-line chunks, and rounds of loops.
template <class Visit>
void for_each_step(const FunctionPlan& plan, Visit visit) {
  std::uint32_t piece = 0;
  for (std::uint32_t c = 0; c < plan.chunks.size(); ++c) {
    const PlanChunk& chunk = plan.chunks[c];
    for (std::size_t i = 0; i < chunk.steps.size(); ++i) {
      if (i > 0 && i % chunk.steps_of_round() == 0) ++piece;
      visit(c, piece, chunk.steps[i]);
    }
    ++piece;
  }
}

/// Slots of scratch memory, of which those that were given back are used again. Values of a loop
/// get a block, so that rounds follow each other in memory.
class Slots {
 public:
  explicit Slots(std::uint32_t& size) : size_(size) {}

  std::uint32_t take(std::uint32_t count) {
    std::vector<std::uint32_t>& unused = free_[count];
    if (unused.empty()) {
      size_ += count;
      return size_ - count;
    }
    const std::uint32_t first = unused.back();
    unused.pop_back();
    return first;
  }
  void give_back(std::uint32_t first, std::uint32_t count) { free_[count].push_back(first); }

 private:
  std::uint32_t& size_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> free_;  // first slots, by size of the block
};

/// Gives every value that crosses pieces a slot; a slot is used again once its value has been read
/// for the last time.
void assign_scratch(const Program& program, FunctionPlan& plan, PlanWorkspace& w) {
  for_each_step(plan, [&](std::uint32_t c, std::uint32_t piece, const PlanStep& step) {
    if (!step.store) {
      w.home[step.node] = piece;
      w.last_use[step.node] = c;
      w.crosses[step.node] = false;
    }
    for_each_operand(program, plan, step, [&](TapeId operand) {
      w.last_use[operand] = c;
      if (w.home[operand] != piece) w.crosses[operand] = true;
    });
  });
  struct Block {
    std::uint32_t first = 0, count = 0;
  };
  std::vector<std::vector<Block>> ends(plan.chunks.size());  // blocks free after a chunk
  Slots slots(plan.scratch_size);
  for (std::uint32_t c = 0; c < plan.chunks.size(); ++c) {
    for (const Block& block : c > 0 ? ends[c - 1] : std::vector<Block>{}) {
      slots.give_back(block.first, block.count);
    }
    const PlanChunk& chunk = plan.chunks[c];
    std::vector<TapeId> crossing;
    for (const PlanStep& step : chunk.steps) {
      if (!step.store && w.crosses[step.node]) crossing.push_back(step.node);
    }
    const auto size = chunk.rounds > 1 ? static_cast<std::uint32_t>(crossing.size()) : 1U;
    for (std::size_t begin = 0; begin < crossing.size(); begin += size) {
      const Block block{slots.take(size), size};
      std::uint32_t last = c;
      for (std::uint32_t i = 0; i < size; ++i) {
        plan.scratch.push_back({crossing[begin + i], block.first + i});
        last = std::max(last, w.last_use[crossing[begin + i]]);
      }
      ends[last].push_back(block);
    }
  }
  std::sort(plan.scratch.begin(), plan.scratch.end(),
            [](const ScratchSlot& a, const ScratchSlot& b) { return a.node < b.node; });
}

std::vector<PlanChunk> straight_chunks(std::span<const PlanStep> steps, std::size_t size) {
  std::vector<PlanChunk> chunks;
  for (std::size_t begin = 0; begin < steps.size(); begin += size) {
    const auto part = steps.subspan(begin, std::min(size, steps.size() - begin));
    chunks.push_back({{part.begin(), part.end()}, 1});
  }
  return chunks;
}

/// Calls visit(id) for results and operands of the function's recurrences.
template <class Visit>
void for_each_recurrence_row(const Tape& tape, std::span<const PlanStep> steps, Visit visit) {
  for (const PlanStep& step : steps) {
    if (step.store || !has_recurrence(tape, step.node)) continue;
    visit(step.node);
    for (const TapeId operand : tape.operands(step.node)) visit(operand);
  }
}

/// Marks values that are used outside of the piece of code that computes them.
void mark_exported(const Program& program, const FunctionPlan& plan, const Statements& pieces,
                   std::vector<bool>& exported) {
  exported.assign(program.tape.nodes.size(), false);
  for (std::size_t s = 0; s < pieces.size(); ++s) {
    for (const PlanStep& step : pieces[s]) {
      for_each_operand(program, plan, step, [&](TapeId operand) {
        if (pieces.of_node[operand] != s) exported[operand] = true;
      });
    }
  }
}

/// Straight-line chunks of at most `size` steps, and loops as they are.
std::vector<PlanChunk> chunks_of(const Statements& statements,
                                 const std::vector<Sequence>& sequences, std::size_t size) {
  std::vector<PlanChunk> chunks;
  for (const Sequence& sequence : sequences) {
    chunks.emplace_back().rounds = sequence.rounds;
    for (const std::uint32_t s : sequence.statements) {
      const std::span<const PlanStep> steps = statements[s];
      const std::size_t after = chunks.back().steps.size() + steps.size();
      if (sequence.rounds == 1 && after > size && !chunks.back().steps.empty()) {
        chunks.emplace_back();
      }
      std::vector<PlanStep>& into = chunks.back().steps;
      into.insert(into.end(), steps.begin(), steps.end());
    }
  }
  return chunks;
}

/// Loops over what repeats, in place of the steps' own order.
std::vector<PlanChunk> find_loops(const Program& program, const FunctionPlan& plan,
                                  std::span<const PlanStep> steps, const PlanLimits& limits) {
  const Tape& tape = program.tape;
  const IsLeaf leaf = [&](TapeId id) { return is_leaf(program, plan, id); };
  const Statements statements = cut_statements(tape, steps, leaf);
  std::vector<bool> exported, in_row(tape.nodes.size());
  mark_exported(program, plan, statements, exported);
  if (plan.taylor) {
    for_each_recurrence_row(tape, steps, [&](TapeId id) { in_row[id] = true; });
  }
  const KindOf kind = [&](TapeId id) {
    const TapeNode& node = tape.nodes[id];
    const bool steady = node.variability < plan.level;
    const std::uint32_t symbol =
        steady || node.operand_count > 0 ? 0U : 1U + static_cast<std::uint32_t>(node.op);
    return (leaf(id) ? 1U : 0U) | (steady ? 2U : 0U) | (exported[id] ? 4U : 0U) |
           (in_row[id] ? 8U : 0U) | symbol << 4U;
  };
  const std::vector<std::uint32_t> shapes = shapes_of(tape, statements, kind);
  std::vector<Sequence> sequences = schedule(tape, statements, shapes, limits);
  sequences = with_periods(std::move(sequences), shapes, limits);
  const Statements rounds = rounds_of(statements, sequences);
  mark_exported(program, plan, rounds, exported);
  sequences = of_equal_rounds(std::move(sequences), shapes_of(tape, rounds, kind), limits);
  return chunks_of(statements, sequences, limits.chunk);
}

}  // namespace

bool is_sine_of_line(const Program& program, TapeId id) {
  const TapeNode& node = program.tape.nodes[id];
  const bool sine = node.op == TapeOp::kSin || node.op == TapeOp::kCos;
  return sine && node.variability == Variability::kTime &&
         program.line[program.tape.operands(id)[0]];
}

FunctionPlan plan_function(const Program& program, std::string_view name, Variability level,
                           const std::vector<OutputArray>& arrays, const PlanLimits& limits,
                           PlanWorkspace& workspace) {
  FunctionPlan plan;
  plan.name = name;
  plan.level = level;
  plan.taylor = name == "jets";
  const std::vector<PlanStep> steps = order_steps(program, plan, arrays, workspace.visited);
  plan.chunks = steps.size() > limits.loops_from ? find_loops(program, plan, steps, limits)
                                                 : straight_chunks(steps, limits.chunk);
  plan.short_recurrence = plan.taylor && program.state_count <= limits.short_recurrence &&
                          plan.chunks.size() == 1 && plan.chunks[0].rounds == 1;
  assign_scratch(program, plan, workspace);
  return plan;
}

}  // namespace luztar
