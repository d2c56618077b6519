#include "compiler/codegen/emitter.h"

#include <algorithm>

#include "compiler/base/diagnostics.h"
#include "compiler/codegen/emit_loops.h"

namespace luztar {

using llvm::Value;

namespace {

/// A scratch array above this size [doubles] comes from the heap: threads have small stacks.
constexpr std::uint32_t kLargeScratch = 1U << 14U;

/// The chunk of a frame where the code is.
void emit_here(Emitter& e, const Frame& frame, EmitChunk emit_chunk) {
  const bool loop = frame.plan.chunks[frame.chunk].rounds > 1;
  loop ? emit_loop(e, frame, emit_chunk) : emit_chunk(e, frame);
}

}  // namespace

Value* address(Emitter& e, llvm::Type* type, Value* base, Value* index) {
  const auto* number = llvm::dyn_cast<llvm::ConstantInt>(index);
  if (number != nullptr && number->isZero()) return base;
  return e.ir.CreateInBoundsGEP(type, base, index);
}

Value* load(Emitter& e, Value* base, Value* index, const char* name) {
  return e.ir.CreateLoad(e.real, address(e, e.real, base, index), name);
}

const ScratchSlot* scratch_slot(const FunctionPlan& plan, TapeId id) {
  const auto place =
      std::lower_bound(plan.scratch.begin(), plan.scratch.end(), id,
                       [](const ScratchSlot& slot, TapeId node) { return slot.node < node; });
  return place != plan.scratch.end() && place->node == id ? &*place : nullptr;
}

Value* steady_value(Emitter& e, const Frame& frame, TapeId id) {
  const TapeNode& node = e.program.tape.nodes[id];
  if (node.op == TapeOp::kConstant) return llvm::ConstantFP::get(e.real, node.value);
  if (e.program.constant_of[id] == kNoTapeId) {
    throw InternalError("codegen", "a steady value without a constant");
  }
  const auto constant = [&e](TapeId steady) { return e.program.constant_of[steady]; };
  return load(e, frame.arguments[kConstants], place_of(e, frame, id, constant), "c");
}

Value* stored_list(Emitter& e, llvm::Type* type, llvm::ArrayRef<Value*> values) {
  Value* list = nullptr;
  {  // at the beginning of the function, for code in loops
    const llvm::IRBuilderBase::InsertPointGuard here(e.ir);
    llvm::BasicBlock& entry = e.ir.GetInsertBlock()->getParent()->getEntryBlock();
    e.ir.SetInsertPoint(&entry, entry.getFirstInsertionPt());
    list = e.ir.CreateAlloca(type, e.ir.getInt64(values.size()), "list");
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    e.ir.CreateStore(values[i], address(e, type, list, e.ir.getInt64(i)));
  }
  return list;
}

llvm::Function* declare(Emitter& e, const std::string& name,
                        const std::vector<llvm::Type*>& arguments,
                        llvm::GlobalValue::LinkageTypes linkage, bool hot) {
  auto* type = llvm::FunctionType::get(e.ir.getVoidTy(), arguments, false);
  llvm::Function* function = llvm::Function::Create(type, linkage, name, e.module);
  function->setDoesNotThrow();
  if (!hot) {  // a fifth of the time to compile, half the speed
    function->addFnAttr(llvm::Attribute::NoInline);
    function->addFnAttr(llvm::Attribute::OptimizeNone);
  }
  for (llvm::Argument& argument : function->args()) {
    if (!argument.getType()->isPointerTy()) continue;
    argument.addAttr(llvm::Attribute::NoAlias);
    argument.addAttr(llvm::Attribute::NoCapture);
  }
  return function;
}

llvm::Type* type_of(const Emitter& e, Argument argument) {
  if (argument == kTime) return e.real;
  return argument == kOrder ? e.index : e.pointer;
}

Value* make_scratch(Emitter& e, const FunctionPlan& plan) {
  const std::uint32_t slots = plan.scratch_size;
  if (slots == 0) return nullptr;
  if (slots <= kLargeScratch) {
    return e.ir.CreateAlloca(e.real, e.ir.getInt32(slots), "scratch");
  }
  auto* type = llvm::FunctionType::get(e.pointer, {e.index}, false);
  llvm::FunctionCallee callee = e.module.getOrInsertFunction("take_scratch", type);
  return e.ir.CreateCall(callee, {e.ir.getInt64(slots)}, "scratch");
}

void free_scratch(Emitter& e, const FunctionPlan& plan, Value* scratch) {
  if (plan.scratch_size <= kLargeScratch) return;
  auto* type = llvm::FunctionType::get(e.ir.getVoidTy(), {e.pointer}, false);
  e.ir.CreateCall(e.module.getOrInsertFunction("give_scratch_back", type), {scratch});
}

Value* scratch_address(Emitter& e, const Frame& frame, TapeId id) {
  const auto slot = [&frame](TapeId node) { return scratch_slot(frame.plan, node)->slot; };
  return address(e, e.real, frame.arguments[kScratch], place_of(e, frame, id, slot));
}

void emit_chunks(Emitter& e, const Frame& whole, const std::string& name, Value* scratch,
                 EmitChunk emit_chunk) {
  if (whole.plan.chunks.empty()) return;
  if (whole.plan.chunks.size() == 1) {
    Frame frame = whole;
    frame.arguments[kScratch] = scratch;
    return emit_here(e, frame, emit_chunk);
  }
  std::vector<llvm::Type*> types;
  for (std::size_t i = 0; i < kArgumentCount; ++i) types.push_back(type_of(e, Argument(i)));
  const llvm::IRBuilderBase::InsertPoint here = e.ir.saveIP();
  // Values are asked for once in a step, higher coefficients thirty times.
  const bool hot = whole.plan.hot && !whole.values;
  std::vector<llvm::Function*> parts;
  for (std::uint32_t c = 0; c < whole.plan.chunks.size(); ++c) {
    llvm::Function* part =
        declare(e, name + "." + std::to_string(c), types, llvm::GlobalValue::InternalLinkage, hot);
    part->addFnAttr(llvm::Attribute::NoInline);
    e.ir.SetInsertPoint(llvm::BasicBlock::Create(e.module.getContext(), "", part));
    Frame frame{whole.plan, c, {}, whole.values};
    for (unsigned i = 0; i < kArgumentCount; ++i) frame.arguments[i] = part->getArg(i);
    emit_here(e, frame, emit_chunk);
    e.ir.CreateRetVoid();
    parts.push_back(part);
  }
  e.ir.restoreIP(here);
  std::vector<Value*> arguments(whole.arguments.begin(), whole.arguments.end());
  arguments[kScratch] = scratch;
  for (std::size_t i = 0; i < kArgumentCount; ++i) {
    if (arguments[i] == nullptr) arguments[i] = llvm::Constant::getNullValue(types[i]);
  }
  for (llvm::Function* part : parts) e.ir.CreateCall(part, arguments);
}

}  // namespace luztar
