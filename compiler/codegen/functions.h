// The functions of a System as a plan for code generation: which operation goes where.
//   contract: every operation stands in exactly one chunk of a function, after its operands; a
//   value that a later chunk needs has a scratch slot; parameter-only operations occur in `prepare`
//   alone, those of parameters and mode in `prepare_mode` alone.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "compiler/codegen/tape.h"
#include "compiler/lowering/explicit_system.h"
#include "runtime/system.h"

namespace luztar {

/// One thing a function does: compute a node, or store a node in an output array.
struct PlanStep {
  bool store = false;
  TapeId node = kNoTapeId;
  std::uint32_t array = 0;  // store: which output array (0 or 1) ...
  std::uint32_t index = 0;  // ... and where
};

/// A piece of a function small enough for the code generator, whose time grows faster than the size
/// of a block.
using PlanChunk = std::vector<PlanStep>;

/// Where a value lives between chunks.
struct ScratchSlot {
  TapeId node = kNoTapeId;
  std::uint32_t chunk = 0;  // that computes it
  std::uint32_t slot = 0;
};

struct FunctionPlan {
  std::string_view name;
  /// What the function computes; values of lower variability come from the constants c.
  Variability level = Variability::kTime;
  bool taylor = false;  // computes Taylor coefficients, one order at a time
  bool hot = true;      // called at every step: worth a better code generator
  std::vector<PlanChunk> chunks;
  std::vector<ScratchSlot> scratch;  // sorted by node
  std::uint32_t scratch_size = 0;
};

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
  std::vector<bool> line;     // by node: a + b*t
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
/// functions, in chunks of at most `chunk_size` steps.
///   errors: InternalError when a start value, response or entry of G depends on more than
///   parameters
[[nodiscard]] Program plan_program(const ExprPool& pool, const ExplicitSystem& system,
                                   std::size_t chunk_size);

}  // namespace luztar
