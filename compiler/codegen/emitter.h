// What the emission of plain functions and of Taylor coefficients shares. Includes LLVM headers:
// private to this folder.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <array>
#include <string>
#include <vector>

#include "compiler/codegen/functions.h"

namespace luztar {

/// What a function gets; a chunk of any function gets all of it.
enum Argument : std::size_t {
  kTime,
  kStates,     // x
  kConstants,  // c; p in `prepare`
  kModes,
  kFirstOut,
  kSecondOut,
  kJets,   // J
  kOrder,  // of the coefficients to compute
  kIdle,
  kScratch,
  kArgumentCount
};

/// What the IR of all functions shares.
struct Emitter {
  const Program& program;
  llvm::Module& module;
  llvm::IRBuilder<> ir;
  llvm::Type* real;
  llvm::Type* pointer;
  llvm::Type* index;
  // Values of the present chunk, by node: as a number, or as a truth value, or both.
  std::vector<llvm::Value*> number, truth;
  std::vector<TapeId> filled;

  Emitter(const Program& p, llvm::Module& m)
      : program(p),
        module(m),
        ir(m.getContext()),
        real(ir.getDoubleTy()),
        pointer(ir.getPtrTy()),
        index(ir.getInt64Ty()) {
    number.assign(p.tape.nodes.size(), nullptr);
    truth.assign(p.tape.nodes.size(), nullptr);
  }
  void forget_chunk() {
    for (const TapeId id : filled) number[id] = truth[id] = nullptr;
    filled.clear();
  }
};

class Rounds;
class ShortRecurrence;

/// Where the present chunk finds its inputs and puts its results.
struct Frame {
  const FunctionPlan& plan;
  std::uint32_t chunk = 0;
  std::array<llvm::Value*, kArgumentCount> arguments{};  // null: the function has no such argument
  bool values = false;                    // of Taylor coefficients: order 0, else any higher one
  const Rounds* loop = nullptr;           // where the chunk is one: places of the present round
  ShortRecurrence* recurrence = nullptr;  // of Taylor coefficients beyond order 0, where it pays
};

[[nodiscard]] llvm::Value* address(Emitter& e, llvm::Type* type, llvm::Value* base,
                                   llvm::Value* index);
[[nodiscard]] llvm::Value* load(Emitter& e, llvm::Value* base, llvm::Value* index,
                                const char* name);
/// Where the value of a node lives between chunks; null when it does not cross them.
[[nodiscard]] const ScratchSlot* scratch_slot(const FunctionPlan& plan, TapeId id);
/// Every order of Taylor coefficients sees the same value.
[[nodiscard]] inline bool is_steady(const Emitter& e, TapeId id) {
  return e.program.tape.nodes[id].variability < Variability::kTime;
}
/// Of what another operation, its first operand, finds as well.
[[nodiscard]] inline bool stands_beside(TapeOp op) {
  return op == TapeOp::kFallingSpeedBeside || op == TapeOp::kFallingSpeedEndBeside;
}
/// Its functions get their operands as one list.
[[nodiscard]] inline bool takes_list(TapeOp op) {
  return op == TapeOp::kFallingBalance || op == TapeOp::kFallingEnd ||
         op == TapeOp::kFallingSpeed || op == TapeOp::kFallingSpeedEnd || stands_beside(op);
}
/// Where values are, one after the other, on the stack.
[[nodiscard]] llvm::Value* stored_list(Emitter& e, llvm::Type* type,
                                       llvm::ArrayRef<llvm::Value*> values);
/// A value that every order sees: a number, a constant of the parameters or of the mode.
[[nodiscard]] llvm::Value* steady_value(Emitter& e, const Frame& frame, TapeId id);
[[nodiscard]] llvm::Function* declare(Emitter& e, const std::string& name,
                                      const std::vector<llvm::Type*>& arguments,
                                      llvm::GlobalValue::LinkageTypes linkage, bool hot);
[[nodiscard]] llvm::Type* type_of(const Emitter& e, Argument argument);

using EmitChunk = void (*)(Emitter&, const Frame&);
/// The chunks of a function at the insertion point: in place when there is one, else calls of one
/// function each, named after `name`, with the scratch array that they share.
void emit_chunks(Emitter& e, const Frame& whole, const std::string& name, llvm::Value* scratch,
                 EmitChunk emit_chunk);
/// The scratch array of a function, or null when it needs none. At the function's beginning; on the
/// stack, unless it is large.
[[nodiscard]] llvm::Value* make_scratch(Emitter& e, const FunctionPlan& plan);
/// At the function's end.
void free_scratch(Emitter& e, const FunctionPlan& plan, llvm::Value* scratch);
/// Where the place of a value between chunks is, in the scratch array.
[[nodiscard]] llvm::Value* scratch_address(Emitter& e, const Frame& frame, TapeId id);

/// System::jets
void emit_jets(Emitter& e);

}  // namespace luztar
