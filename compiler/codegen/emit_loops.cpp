#include "compiler/codegen/emit_loops.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalVariable.h>

namespace luztar {

using llvm::Value;

Rounds::Rounds(const Program& program, const PlanChunk& chunk, Value* round)
    : program_(program),
      chunk_(chunk),
      round_(round),
      before_(llvm::cast<llvm::PHINode>(round)->getIncomingBlock(0)) {
  for (std::size_t s = 0; s < chunk.steps_of_round(); ++s) {
    const PlanStep& step = chunk.steps[s];
    const std::span<const TapeId> operands = program.tape.operands(step.node);
    for (std::size_t i = 0; !step.store && i < operands.size(); ++i) {
      occurrences_.try_emplace(operands[i], Occurrence{s, i});
    }
    occurrences_.try_emplace(step.node, Occurrence{s, kResult});
  }
}

std::vector<std::uint32_t> Rounds::stores(const PlanStep& step) const {
  std::vector<std::uint32_t> indices;
  indices.reserve(chunk_.rounds);
  const auto first = static_cast<std::size_t>(&step - chunk_.steps.data());
  for (std::size_t s = first; s < chunk_.steps.size(); s += chunk_.steps_of_round()) {
    indices.push_back(chunk_.steps[s].index);
  }
  return indices;
}

Value* Rounds::value(Emitter& e, const std::vector<std::uint32_t>& column) const {
  const auto at = [&](std::size_t i) { return static_cast<std::int64_t>(column[i]); };
  const std::int64_t stride = at(1) - at(0);
  bool line = true;
  for (std::size_t i = 2; i < column.size() && line; ++i) line = at(i) - at(i - 1) == stride;
  if (line) {
    Value* first = e.ir.getInt64(column[0]);
    if (stride == 0) return first;
    Value* way = stride == 1
                     ? round_
                     : e.ir.CreateMul(round_, llvm::ConstantInt::getSigned(e.index, stride));
    return column[0] == 0 ? way : e.ir.CreateAdd(way, first);
  }
  llvm::Constant* numbers = llvm::ConstantDataArray::get(e.module.getContext(), column);
  auto* table = new llvm::GlobalVariable(e.module, numbers->getType(), true,
                                         llvm::GlobalValue::PrivateLinkage, numbers, "places");
  llvm::Type* type = e.ir.getInt32Ty();
  return e.ir.CreateZExt(e.ir.CreateLoad(type, e.ir.CreateInBoundsGEP(type, table, round_)),
                         e.index);
}

void emit_loop(Emitter& e, const Frame& whole, EmitChunk emit_chunk) {
  const PlanChunk& chunk = whole.plan.chunks[whole.chunk];
  llvm::BasicBlock* before = e.ir.GetInsertBlock();
  llvm::Function* function = before->getParent();
  llvm::LLVMContext& context = e.module.getContext();
  auto* body = llvm::BasicBlock::Create(context, "round", function);
  auto* after = llvm::BasicBlock::Create(context, "rounds_end", function);
  e.ir.CreateBr(body);
  e.ir.SetInsertPoint(body);
  llvm::PHINode* round = e.ir.CreatePHI(e.index, 2, "i");
  round->addIncoming(e.ir.getInt64(0), before);
  const Rounds rounds(e.program, chunk, round);
  Frame frame = whole;
  frame.loop = &rounds;
  emit_chunk(e, frame);
  Value* next = e.ir.CreateAdd(round, e.ir.getInt64(1));
  round->addIncoming(next, e.ir.GetInsertBlock());
  e.ir.CreateCondBr(e.ir.CreateICmpULT(next, e.ir.getInt64(chunk.rounds)), body, after);
  e.ir.SetInsertPoint(after);
}

Value* store_place(Emitter& e, const Frame& frame, const PlanStep& step) {
  if (frame.loop == nullptr) return e.ir.getInt64(step.index);
  return frame.loop->value(e, frame.loop->stores(step));
}

}  // namespace luztar
