// Code for the loops of a plan: the first round's code with indices from tables. Includes LLVM
// headers: private to this folder.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <unordered_map>
#include <vector>

#include "compiler/codegen/emitter.h"

namespace luztar {

/// Which node of a round corresponds to a node of the first one.
class Rounds {
 public:
  Rounds(const Program& program, const PlanChunk& chunk, llvm::Value* round);

  /// A column of indices, one for each round: index_of(node of the round).
  template <class IndexOf>
  [[nodiscard]] std::vector<std::uint32_t> column(TapeId id, const IndexOf& index_of) const {
    const Occurrence& place = occurrences_.at(id);
    std::vector<std::uint32_t> indices;
    indices.reserve(chunk_.rounds);
    for (std::size_t s = place.step; s < chunk_.steps.size(); s += chunk_.steps_of_round()) {
      const TapeId node = chunk_.steps[s].node;
      indices.push_back(
          index_of(place.operand == kResult ? node : program_.tape.operands(node)[place.operand]));
    }
    return indices;
  }
  /// Where the rounds store what the first one stores by `step`.
  [[nodiscard]] std::vector<std::uint32_t> stores(const PlanStep& step) const;
  /// The column's value in the present round: a line in the round's number where it is one, for
  /// direct access in strides, else from a table in the module.
  [[nodiscard]] llvm::Value* value(Emitter& e, const std::vector<std::uint32_t>& column) const;
  /// Code that `emit` writes is executed once, before the first round.
  template <class Emit>
  auto before(Emitter& e, const Emit& emit) const {
    const llvm::IRBuilderBase::InsertPointGuard here(e.ir);
    e.ir.SetInsertPoint(before_->getTerminator());
    return emit();
  }

 private:
  static constexpr std::size_t kResult = kNoTapeId;  // no operand
  struct Occurrence {
    std::size_t step = 0, operand = kResult;
  };

  const Program& program_;
  const PlanChunk& chunk_;
  llvm::Value* round_;
  llvm::BasicBlock* before_;
  std::unordered_map<TapeId, Occurrence> occurrences_;  // of the nodes of the first round
};

/// The frame's chunk, which is a loop, at the insertion point.
void emit_loop(Emitter& e, const Frame& whole, EmitChunk emit_chunk);

/// Index of a node's place in the present round: index_of(id), a constant, outside of loops.
template <class IndexOf>
[[nodiscard]] llvm::Value* place_of(Emitter& e, const Frame& frame, TapeId id,
                                    const IndexOf& index_of) {
  if (frame.loop == nullptr) return e.ir.getInt64(index_of(id));
  return frame.loop->value(e, frame.loop->column(id, index_of));
}
/// Index at which a step stores, likewise.
[[nodiscard]] llvm::Value* store_place(Emitter& e, const Frame& frame, const PlanStep& step);

}  // namespace luztar
