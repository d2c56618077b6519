// The functions of a System as a plan for code generation: which operation goes where.
//   contract: every operation stands in exactly one chunk of a function, after its operands; a
//   value that a later chunk needs has a scratch slot; parameter-only operations occur in `prepare`
//   alone.
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
  bool uses_parameters = false;  // `prepare`: leaves are parameters, not derived constants
  bool hot = true;               // called at every step: worth a better code generator
  std::vector<PlanChunk> chunks;
  std::vector<ScratchSlot> scratch;  // sorted by node
  std::uint32_t scratch_size = 0;
};

struct Program {
  Tape tape;
  std::vector<std::uint32_t> constant_of;  // by node: index into c, kNoTapeId for none
  std::uint32_t constant_count = 0;
  std::vector<std::vector<ReactionEntry>> reactions;
  FunctionPlan prepare, derivatives, slips, demands, outputs, assertions;
};

/// Splits an explicit system: what depends on parameters alone goes to `prepare`, as the largest
/// such subexpressions; the rest to the other functions, in chunks of at most `chunk_size` steps.
///   errors: InternalError when a start value or reaction depends on more than parameters
[[nodiscard]] Program plan_program(const ExprPool& pool, const ExplicitSystem& system,
                                   std::size_t chunk_size);

}  // namespace luztar
