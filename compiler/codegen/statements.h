// Cuts the operations of a function into statements: what one round of a loop can do.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "compiler/codegen/plan.h"

namespace luztar {

/// Trees of operations with one result each.
///   contract: the steps of statement s are steps[begin[s]] to steps[begin[s + 1]], operands before
///   their users and stores last; only the last computed node of a statement, its result, is used
///   by other statements, and these have a higher number.
struct Statements {
  std::vector<PlanStep> steps;
  std::vector<std::uint32_t> begin;
  std::vector<std::uint32_t> of_node;  // statement that computes a node, or kNoTapeId

  [[nodiscard]] std::size_t size() const { return begin.size() - 1; }
  [[nodiscard]] std::span<const PlanStep> operator[](std::size_t s) const {
    return std::span(steps).subspan(begin[s], begin[s + 1] - begin[s]);
  }
};

/// True for an operand that the function does not compute.
using IsLeaf = std::function<bool(TapeId)>;

/// Cuts `steps`, which are in an order of execution, where a value has users in several statements,
/// between the terms of long sums, and where a statement would become too large.
///   cost: linear in the steps
[[nodiscard]] Statements cut_statements(const Tape& tape, std::span<const PlanStep> steps,
                                        const IsLeaf& is_leaf);

}  // namespace luztar
