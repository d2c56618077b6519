// Finds statements that do the same on other places, and orders all so that those of one kind run
// in one loop.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "compiler/codegen/statements.h"

namespace luztar {

/// What tells values apart besides the operations of a statement: where it finds an operand, and
/// where its own values go. Code for one kind cannot serve another.
using KindOf = std::function<std::uint32_t(TapeId)>;

/// Number of the shape of every statement: equal when their operations are equal in order, with
/// operands that are equal numbers, the same results of each other, or places of the same kind
/// that coincide in the same way.
///   cost: linear in the steps
[[nodiscard]] std::vector<std::uint32_t> shapes_of(const Tape& tape, const Statements& statements,
                                                   const KindOf& kind);

/// Statements in the order in which they run.
struct Sequence {
  std::vector<std::uint32_t> statements;
  std::uint32_t rounds = 1;  // more than one: a loop, over as many equal parts of the statements

  [[nodiscard]] std::size_t statements_of_round() const { return statements.size() / rounds; }
};

/// The statements, each after what it uses: loops of at least `limits.repeats` statements of one
/// shape, and straight-line code for the rest. A loop may contain statements that use results of
/// its earlier rounds.
///   cost: n log n in the statements; a chain in which each statement waits for one of another
///   shape becomes straight-line code
[[nodiscard]] std::vector<Sequence> schedule(const Tape& tape, const Statements& statements,
                                             const std::vector<std::uint32_t>& shapes,
                                             const PlanLimits& limits);

}  // namespace luztar
