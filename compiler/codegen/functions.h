// The functions of a System as plans for code generation.
//   contract: parameter-only operations occur in `prepare` alone, those of parameters and mode in
//   `prepare_mode` alone.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/codegen/plan.h"
#include "compiler/codegen/tape.h"
#include "compiler/lowering/explicit_system.h"
#include "runtime/system.h"

namespace luztar {

/// Nodes that are a + b*t, by node.
[[nodiscard]] std::vector<bool> lines_in_time(const Tape& tape);

struct Program {
  Tape tape;
  std::vector<std::uint32_t> constant_of;  // by node: index into c, kNoTapeId for none
  std::uint32_t constant_count = 0;
  std::uint32_t mode_constants = 0;   // index of the first constant of the mode
  std::vector<std::uint32_t> row_of;  // by node: its row of Taylor coefficients, or kNoTapeId
  std::uint32_t state_count = 0;
  std::uint32_t row_count = 0;
  std::vector<bool> line;     // by node: a + b*t; none where there are too many sines of them
  std::vector<TapeId> sines;  // sin or cos of a line: their rows are filled before all others
  /// Places of what the solver reads by itself.
  std::vector<Switch> switches;
  std::vector<Friction> frictions;
  std::vector<Stop> stops;
  std::vector<FrictionIsland> islands;
  std::vector<SettleSpring> settle_springs;
  std::vector<SettleIsland> settle_islands;
  std::size_t operations = 0, recurrences = 0;  // as in System
  FunctionPlan prepare, prepare_mode, jets, outputs, energy, assertions;
};

/// Splits an explicit system: what depends on parameters alone goes to `prepare`, as the largest
/// such subexpressions, what depends on the mode to `prepare_mode`, the rest to the other
/// functions, in pieces that `limits` bounds.
///   errors: InternalError when a start value, response or entry of G depends on more than
///   parameters
[[nodiscard]] Program plan_program(const ExprPool& pool, const ExplicitSystem& system,
                                   const PlanLimits& limits);

}  // namespace luztar
