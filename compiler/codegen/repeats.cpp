#include "compiler/codegen/repeats.h"

#include <algorithm>
#include <bit>
#include <queue>
#include <string>
#include <tuple>
#include <unordered_map>

namespace luztar {
namespace {

/// A statement's operations and operands as bytes.
class ShapeText {
 public:
  ShapeText(const Tape& tape, const KindOf& kind)
      : tape_(tape), kind_(kind), number_(tape.nodes.size(), kNoTapeId) {}

  const std::string& of(const Statements& statements, std::size_t s) {
    text_.clear();
    for (const PlanStep& step : statements[s]) {
      if (step.store) {
        put('s', step.array);
        operand(step.node);
      } else {
        const TapeNode& node = tape_.nodes[step.node];
        put('c', static_cast<std::uint32_t>(node.op));
        for (const TapeId id : tape_.operands(step.node)) operand(id);
        put('k', kind_(step.node));
        name(step.node);
      }
    }
    for (const TapeId id : named_) number_[id] = kNoTapeId;
    named_.clear();
    return text_;
  }

 private:
  void put(char what, std::uint64_t value) {
    text_ += what;
    for (; value != 0; value >>= 8U) text_ += static_cast<char>(value & 0xffU);
    text_ += '.';
  }
  void name(TapeId id) {
    number_[id] = static_cast<std::uint32_t>(named_.size());
    named_.push_back(id);
  }
  /// What the statement has named already, or a new place with all that its code depends on.
  void operand(TapeId id) {
    if (number_[id] != kNoTapeId) return put('o', number_[id]);
    const TapeNode& node = tape_.nodes[id];
    name(id);
    put('n', kind_(id));
    if (node.op == TapeOp::kConstant) put('v', std::bit_cast<std::uint64_t>(node.value));
  }

  const Tape& tape_;
  const KindOf& kind_;
  std::vector<std::uint32_t> number_;  // by node, of those in named_
  std::vector<TapeId> named_;
  std::string text_;
};

/// Statements that wait for others, and those that are ready, by shape.
class Schedule {
 public:
  Schedule(const Tape& tape, const Statements& statements, const std::vector<std::uint32_t>& shapes,
           const PlanLimits& limits)
      : tape_(tape),
        statements_(statements),
        shapes_(shapes),
        limits_(limits),
        waits_(statements.size(), 0),
        position_(statements.size(), 0) {
    const std::uint32_t count = shapes.empty() ? 0 : *std::ranges::max_element(shapes) + 1;
    left_.assign(count, 0);
    ready_.resize(count);
    for (const std::uint32_t shape : shapes) ++left_[shape];
    total_ = left_;
    link();
    for (std::uint32_t s = 0; s < statements.size(); ++s) {
      if (waits_[s] == 0) make_ready(s);
    }
  }

  std::vector<Sequence> run() {
    while (true) {
      if (!single_.empty()) {
        place_singles();
      } else if (!offers_.empty()) {
        const auto [complete, size, negative] = offers_.top();
        offers_.pop();
        const std::uint32_t shape = ~negative;
        if (ready_[shape].size() == size) place_shape(shape);  // else an older offer
      } else {
        break;
      }
    }
    close_straight();
    return std::move(sequences_);
  }

 private:
  /// Counts what each statement waits for and lists who waits for it.
  void link() {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;  // producer, user
    for (std::uint32_t s = 0; s < statements_.size(); ++s) {
      for (const PlanStep& step : statements_[s]) {
        if (step.store) continue;
        for (const TapeId operand : tape_.operands(step.node)) {
          const std::uint32_t from = statements_.of_node[operand];
          if (from != kNoTapeId && from != s) edges.emplace_back(from, s);
        }
      }
    }
    first_user_.assign(statements_.size() + 1, 0);
    for (const auto& [from, to] : edges) {
      ++first_user_[from + 1];
      ++waits_[to];
    }
    for (std::size_t s = 0; s < statements_.size(); ++s) first_user_[s + 1] += first_user_[s];
    users_.resize(edges.size());
    std::vector<std::uint32_t> next(first_user_.begin(), first_user_.end() - 1);
    for (const auto& [from, to] : edges) users_[next[from]++] = to;
  }
  void make_ready(std::uint32_t s) {
    const std::uint32_t shape = shapes_[s];
    if (total_[shape] < limits_.repeats) {
      single_.push_back(s);
      return;
    }
    ready_[shape].push_back(s);
    if (shape == draining_) return;
    const std::size_t size = ready_[shape].size();
    offers_.emplace(size == left_[shape], size, ~shape);
  }
  void finish(std::uint32_t s) {
    position_[s] = placed_++;
    --left_[shapes_[s]];
    for (std::uint32_t u = first_user_[s]; u < first_user_[s + 1]; ++u) {
      if (--waits_[users_[u]] == 0) make_ready(users_[u]);
    }
  }
  void place_singles() {
    std::vector<std::uint32_t> now;
    now.swap(single_);
    std::ranges::sort(now);
    for (const std::uint32_t s : now) {
      straight_.push_back(s);
      finish(s);
    }
  }
  /// A number that grows with the place of an operand, as far as that is known.
  [[nodiscard]] std::uint32_t place_of(TapeId operand) const {
    const TapeNode& node = tape_.nodes[operand];
    if (node.op == TapeOp::kConstant) return 0;
    const std::uint32_t from = statements_.of_node[operand];
    if (from != kNoTapeId) return position_[from];
    return node.operand_count == 0 ? node.symbol : operand;
  }
  /// Puts statements of one shape in the order of the first place in which they differ: neighbours
  /// in memory, where parts of a kind are neighbours.
  void sort_by_place(std::vector<std::uint32_t>& statements) const {
    std::ranges::sort(statements);
    const std::size_t steps = statements_[statements[0]].size();
    for (std::size_t i = 0; i < steps; ++i) {
      const PlanStep& step = statements_[statements[0]][i];
      const std::size_t operands = step.store ? 1 : tape_.nodes[step.node].operand_count;
      for (std::size_t k = 0; k < operands; ++k) {
        const auto place = [&](std::uint32_t s) {
          const TapeId node = statements_[s][i].node;
          const TapeId operand = step.store ? node : tape_.operands(node)[k];
          return statements_.of_node[operand] == s ? 0 : place_of(operand);
        };
        const std::uint32_t first = place(statements[0]);
        if (std::ranges::all_of(statements, [&](std::uint32_t s) { return place(s) == first; })) {
          continue;
        }
        std::ranges::stable_sort(statements, {}, place);
        return;
      }
    }
  }
  /// All statements of the shape that are ready, and those that become so on the way.
  void place_shape(std::uint32_t shape) {
    std::vector<std::uint32_t>& ready = ready_[shape];
    sort_by_place(ready);
    draining_ = shape;
    for (std::size_t i = 0; i < ready.size(); ++i) finish(ready[i]);
    draining_ = kNoTapeId;
    if (ready.size() < limits_.repeats) {
      straight_.insert(straight_.end(), ready.begin(), ready.end());
    } else {
      close_straight();
      sequences_.push_back({ready, static_cast<std::uint32_t>(ready.size())});
    }
    ready.clear();
  }
  void close_straight() {
    if (straight_.empty()) return;
    sequences_.push_back({std::move(straight_), 1});
    straight_ = {};
  }

  const Tape& tape_;
  const Statements& statements_;
  const std::vector<std::uint32_t>& shapes_;
  const PlanLimits& limits_;
  std::vector<std::uint32_t> waits_;     // by statement: operands not yet computed
  std::vector<std::uint32_t> position_;  // by statement: its place in the order
  std::uint32_t placed_ = 0;
  std::vector<std::uint32_t> first_user_, users_;
  std::vector<std::size_t> total_, left_;          // by shape: statements, those not placed
  std::vector<std::vector<std::uint32_t>> ready_;  // by shape
  std::vector<std::uint32_t> single_;              // ready, of shapes too rare for a loop
  /// Shapes by what they have ready, those without any left to wait for first.
  std::priority_queue<std::tuple<bool, std::size_t, std::uint32_t>> offers_;
  std::uint32_t draining_ = kNoTapeId;
  std::vector<std::uint32_t> straight_;
  std::vector<Sequence> sequences_;
};

}  // namespace

std::vector<std::uint32_t> shapes_of(const Tape& tape, const Statements& statements,
                                     const KindOf& kind) {
  ShapeText text(tape, kind);
  std::unordered_map<std::string, std::uint32_t> numbers;
  std::vector<std::uint32_t> shapes;
  shapes.reserve(statements.size());
  for (std::size_t s = 0; s < statements.size(); ++s) {
    const auto next = static_cast<std::uint32_t>(numbers.size());
    shapes.push_back(numbers.try_emplace(text.of(statements, s), next).first->second);
  }
  return shapes;
}

std::vector<Sequence> schedule(const Tape& tape, const Statements& statements,
                               const std::vector<std::uint32_t>& shapes, const PlanLimits& limits) {
  return Schedule(tape, statements, shapes, limits).run();
}

}  // namespace luztar
