// The recurrence of Taylor coefficients in small functions. Private to this folder.
#pragma once

#include <vector>

#include "compiler/codegen/emitter.h"

namespace luztar {

/// Each order waits for the one before. So in a function too small to do other things meanwhile,
/// few operations lie between a state and its rate, and states stay in registers: rates are sums of
/// sources (states, sines, results of recurrences) times factors that all orders share, although
/// that may be more operations in all.
class ShortRecurrence {
 public:
  struct Term {
    TapeId source = kNoTapeId;
    llvm::Value* factor = nullptr;
  };

  /// The factors, at the insertion point; none where the plan has no short recurrence.
  ShortRecurrence(Emitter& e, const Frame& frame);

  [[nodiscard]] bool pays() const { return !rates_.empty(); }
  /// At the beginning of the loop over the orders.
  void begin_loop(Emitter& e);
  /// Coefficients of the states for the first round, where control comes from this block.
  void enter_loop(llvm::BasicBlock* from, const std::vector<llvm::Value*>& states);
  /// Of the rate of a state; none where its operations are as short.
  [[nodiscard]] const std::vector<Term>& rate(std::uint32_t state) const { return rates_[state]; }
  /// A state whose rate is a sum itself.
  [[nodiscard]] bool is_late(const Emitter& e, TapeId source) const {
    const bool is_state = e.program.tape.nodes[source].op == TapeOp::kState;
    return is_state && !rates_[e.program.row_of[source]].empty();
  }
  /// The coefficient of a state in the next round of the loop.
  void set_next(std::uint32_t state, llvm::Value* value) { next_[state] = value; }
  /// Before the loop goes back from the present block.
  void end_loop(Emitter& e);

 private:
  std::vector<std::vector<Term>> rates_;  // by state
  std::vector<llvm::PHINode*> states_;
  std::vector<llvm::Value*> next_;
};

}  // namespace luztar
