// One function as a plan for code generation: which operation goes where.
//   contract: every operation stands in exactly one chunk of a function, after its operands; a
//   value that a later chunk or another round of a loop needs has a scratch slot.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "compiler/codegen/tape.h"

namespace luztar {

/// One thing a function does: compute a node, or store a node in an output array.
struct PlanStep {
  bool store = false;
  TapeId node = kNoTapeId;
  std::uint32_t array = 0;  // store: which output array (0 or 1) ...
  std::uint32_t index = 0;  // ... and where
};

/// A piece of a function small enough for the code generator, whose time grows faster than the size
/// of a block: straight-line code, or a loop.
struct PlanChunk {
  std::vector<PlanStep> steps;  // of a loop: those of every round, one after the other
  /// More than one: a loop. Every round has the same operations in the same order, on other places.
  std::uint32_t rounds = 1;

  [[nodiscard]] std::size_t steps_of_round() const { return steps.size() / rounds; }
  /// What code is written for: a loop's first round stands for all.
  [[nodiscard]] std::span<const PlanStep> first_round() const {
    return std::span(steps).first(steps_of_round());
  }
};

/// Where a value lives between chunks, and between the rounds of a loop.
struct ScratchSlot {
  TapeId node = kNoTapeId;
  std::uint32_t slot = 0;
};

struct FunctionPlan {
  std::string_view name;
  /// What the function computes; values of lower variability come from the constants c.
  Variability level = Variability::kTime;
  bool taylor = false;            // computes Taylor coefficients, one order at a time
  bool hot = true;                // called at every step: worth a better code generator
  bool short_recurrence = false;  // of Taylor coefficients: see short_recurrence.h
  std::vector<PlanChunk> chunks;
  std::vector<ScratchSlot> scratch;  // sorted by node
  std::uint32_t scratch_size = 0;
};

/// What bounds the size of the code of one function.
struct PlanLimits {
  /// Steps of one chunk: the code generator's time per instruction rises above, calls and scratch
  /// cost more below.
  std::size_t chunk = 200;
  /// Functions of more steps than this get loops over repeated structure; smaller ones are faster
  /// without.
  std::size_t loops_from = 1000;
  /// Rounds that are worth a loop.
  std::size_t repeats = 8;
  /// States of a function with a short recurrence: more keep the processor busy.
  std::size_t short_recurrence = 12;
};

}  // namespace luztar
