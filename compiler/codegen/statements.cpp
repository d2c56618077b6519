#include "compiler/codegen/statements.h"

#include <algorithm>

namespace luztar {
namespace {

/// Operations of one statement: all that one part contributes to an acceleration, and its code
/// still fits into registers and a small block.
constexpr std::uint32_t kLargestStatement = 200;
/// Sums of more terms than this are added up in a loop of their own.
constexpr std::uint32_t kLongSum = 32;

constexpr std::uint32_t kNone = kNoTapeId, kSeveral = kNoTapeId - 1;

bool is_sum(TapeOp op) { return op == TapeOp::kAdd || op == TapeOp::kSub; }

/// Statement of each node by its users, and what has to be a statement of its own.
struct Cutter {
  const Tape& tape;
  std::span<const PlanStep> steps;
  const IsLeaf& is_leaf;
  std::vector<std::uint32_t> sum_terms;  // by node: length of the chain of sums that ends there
  std::vector<bool> long_sum, forced;    // by node
  std::vector<std::uint32_t> owner;      // by node: the statement that uses it
  std::vector<std::uint32_t> sizes;      // by statement

  Cutter(const Tape& t, std::span<const PlanStep> s, const IsLeaf& leaf)
      : tape(t),
        steps(s),
        is_leaf(leaf),
        sum_terms(t.nodes.size(), 0),
        long_sum(t.nodes.size()),
        forced(t.nodes.size()),
        owner(t.nodes.size(), kNone) {}

  void measure_sums() {
    for (const PlanStep& step : steps) {
      const TapeNode& node = tape.nodes[step.node];
      if (step.store || !is_sum(node.op)) continue;
      sum_terms[step.node] =
          sum_terms[tape.operands(step.node)[0]] + 1;  // 0 of what is no sum or a leaf
    }
  }
  /// Every partial sum of a long one, and every term of it.
  void force_terms(TapeId id) {
    if (sum_terms[id] >= kLongSum) long_sum[id] = true;
    if (!long_sum[id]) return;
    forced[id] = true;
    const std::span<const TapeId> terms = tape.operands(id);
    if (sum_terms[terms[0]] > 0) long_sum[terms[0]] = true;
    for (const TapeId term : terms) forced[term] = true;
  }
  /// Users come before operands here.
  void assign_owners() {
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
      if (step->store) continue;
      const TapeId id = step->node;
      force_terms(id);
      std::uint32_t& statement = owner[id];
      const bool shared = statement == kNone || statement == kSeveral;
      if (shared || forced[id] || sizes[statement] >= kLargestStatement) {
        statement = static_cast<std::uint32_t>(sizes.size());
        sizes.push_back(0);
      }
      ++sizes[statement];
      for (const TapeId operand : tape.operands(id)) {
        if (is_leaf(operand)) continue;
        std::uint32_t& user = owner[operand];
        user = user == kNone || user == statement ? statement : kSeveral;
      }
    }
  }
};

/// Steps by statement, statements in the order of their last step.
Statements collect(const Cutter& cut) {
  constexpr std::uint32_t kUnnumbered = kNoTapeId;
  // A statement's place is that of its result, so that it comes after what it uses.
  std::vector<std::uint32_t> last(cut.sizes.size(), 0);
  for (std::uint32_t i = 0; i < cut.steps.size(); ++i) {
    if (!cut.steps[i].store) last[cut.owner[cut.steps[i].node]] = i;
  }
  std::vector<std::uint32_t> number(cut.sizes.size(), kUnnumbered);
  std::vector<std::uint32_t> counts, of_step(cut.steps.size());
  for (std::uint32_t i = 0; i < cut.steps.size(); ++i) {
    const PlanStep& step = cut.steps[i];
    const bool leaf = step.store && cut.is_leaf(step.node);
    if (leaf || (!step.store && last[cut.owner[step.node]] == i)) {
      if (!leaf) number[cut.owner[step.node]] = static_cast<std::uint32_t>(counts.size());
      if (leaf) of_step[i] = static_cast<std::uint32_t>(counts.size());
      counts.push_back(0);
    }
  }
  Statements result;
  result.of_node.assign(cut.tape.nodes.size(), kNoTapeId);
  for (std::uint32_t i = 0; i < cut.steps.size(); ++i) {
    const PlanStep& step = cut.steps[i];
    if (!step.store || !cut.is_leaf(step.node)) of_step[i] = number[cut.owner[step.node]];
    if (!step.store) result.of_node[step.node] = of_step[i];
    ++counts[of_step[i]];
  }
  result.begin.assign(counts.size() + 1, 0);
  for (std::size_t s = 0; s < counts.size(); ++s) result.begin[s + 1] = result.begin[s] + counts[s];
  result.steps.resize(cut.steps.size());
  std::vector<std::uint32_t> next(result.begin.begin(), result.begin.end() - 1);
  for (const bool stores : {false, true}) {
    for (std::uint32_t i = 0; i < cut.steps.size(); ++i) {
      if (cut.steps[i].store == stores) result.steps[next[of_step[i]]++] = cut.steps[i];
    }
  }
  return result;
}

}  // namespace

Statements cut_statements(const Tape& tape, std::span<const PlanStep> steps,
                          const IsLeaf& is_leaf) {
  Cutter cut(tape, steps, is_leaf);
  cut.measure_sums();
  cut.assign_owners();
  return collect(cut);
}

}  // namespace luztar
