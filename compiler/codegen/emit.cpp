#include "compiler/codegen/emit.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "compiler/base/diagnostics.h"

namespace luztar {
namespace {

using llvm::Value;

/// What a function gets; a chunk of any function gets all of it.
enum Argument : std::size_t {
  kTime,
  kStates,     // x
  kConstants,  // c; p in `prepare`
  kModes,
  kFirstOut,
  kSecondOut,
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
  // Values of the present chunk, by node: as a number, or as a truth value, or both.
  std::vector<Value*> number, truth;
  std::vector<TapeId> filled;

  Emitter(const Program& p, llvm::Module& m)
      : program(p), module(m), ir(m.getContext()), real(ir.getDoubleTy()), pointer(ir.getPtrTy()) {
    number.assign(p.tape.nodes.size(), nullptr);
    truth.assign(p.tape.nodes.size(), nullptr);
  }
};

/// Where the present chunk finds its inputs and puts its results.
struct Frame {
  const FunctionPlan& plan;
  std::uint32_t chunk = 0;
  std::array<Value*, kArgumentCount> arguments{};  // null: the function has no such argument
};

Value* address(Emitter& e, llvm::Type* type, Value* base, std::uint32_t index) {
  return index == 0 ? base : e.ir.CreateConstInBoundsGEP1_64(type, base, index);
}

Value* load(Emitter& e, Value* base, std::uint32_t index, const char* name) {
  return e.ir.CreateLoad(e.real, address(e, e.real, base, index), name);
}

const ScratchSlot* scratch_slot(const FunctionPlan& plan, TapeId id) {
  const auto place =
      std::lower_bound(plan.scratch.begin(), plan.scratch.end(), id,
                       [](const ScratchSlot& slot, TapeId node) { return slot.node < node; });
  return place != plan.scratch.end() && place->node == id ? &*place : nullptr;
}

/// The value of a node that the present chunk does not compute.
Value* load_leaf(Emitter& e, const Frame& frame, TapeId id) {
  const TapeNode& node = e.program.tape.nodes[id];
  if (node.op == TapeOp::kConstant) return llvm::ConstantFP::get(e.real, node.value);
  if (!frame.plan.uses_parameters && e.program.constant_of[id] != kNoTapeId) {
    return load(e, frame.arguments[kConstants], e.program.constant_of[id], "c");
  }
  switch (node.op) {
    case TapeOp::kTime:
      return frame.arguments[kTime];
    case TapeOp::kParameter:
      return load(e, frame.arguments[kConstants], node.operands[0], "p");
    case TapeOp::kState:
      return load(e, frame.arguments[kStates], node.operands[0], "x");
    case TapeOp::kMode: {
      Value* place = address(e, e.ir.getInt32Ty(), frame.arguments[kModes], node.operands[0]);
      return e.ir.CreateSIToFP(e.ir.CreateLoad(e.ir.getInt32Ty(), place, "mode"), e.real);
    }
    default:
      break;
  }
  const ScratchSlot* slot = scratch_slot(frame.plan, id);
  if (slot == nullptr) throw InternalError("codegen", "an operand is used before it is computed");
  return load(e, frame.arguments[kScratch], slot->slot, "s");
}

Value* number_of(Emitter& e, const Frame& frame, TapeId id) {
  Value*& value = e.number[id];
  if (value == nullptr) {
    value =
        e.truth[id] != nullptr ? e.ir.CreateUIToFP(e.truth[id], e.real) : load_leaf(e, frame, id);
    e.filled.push_back(id);
  }
  return value;
}

Value* truth_of(Emitter& e, const Frame& frame, TapeId id) {
  if (e.truth[id] == nullptr) {
    Value* number = number_of(e, frame, id);
    e.truth[id] = e.ir.CreateFCmpUNE(number, llvm::ConstantFP::get(e.real, 0.0));
    e.filled.push_back(id);
  }
  return e.truth[id];
}

const char* library_name(TapeOp op) {
  switch (op) {
    case TapeOp::kPow:
      return "pow";
    case TapeOp::kExp:
      return "exp";
    case TapeOp::kLog:
      return "log";
    case TapeOp::kLog10:
      return "log10";
    case TapeOp::kSin:
      return "sin";
    case TapeOp::kCos:
      return "cos";
    case TapeOp::kTan:
      return "tan";
    case TapeOp::kAsin:
      return "asin";
    case TapeOp::kAcos:
      return "acos";
    case TapeOp::kAtan:
      return "atan";
    case TapeOp::kAtan2:
      return "atan2";
    case TapeOp::kSinh:
      return "sinh";
    case TapeOp::kCosh:
      return "cosh";
    case TapeOp::kTanh:
      return "tanh";
    default:
      throw InternalError("codegen", "operation without code");
  }
}

Value* call_library(Emitter& e, TapeOp op, llvm::ArrayRef<Value*> arguments) {
  const std::vector<llvm::Type*> types(arguments.size(), e.real);
  auto* type = llvm::FunctionType::get(e.real, types, false);
  llvm::FunctionCallee callee = e.module.getOrInsertFunction(library_name(op), type);
  auto* function = llvm::cast<llvm::Function>(callee.getCallee());
  function->setDoesNotAccessMemory();  // errno is not read
  function->setDoesNotThrow();
  function->setWillReturn();
  return e.ir.CreateCall(callee, arguments);
}

/// x > 0 gives 1, x < 0 gives -1, else 0.
Value* sign(Emitter& e, Value* x) {
  Value* zero = llvm::ConstantFP::get(e.real, 0.0);
  Value* negative =
      e.ir.CreateSelect(e.ir.CreateFCmpOLT(x, zero), llvm::ConstantFP::get(e.real, -1.0), zero);
  return e.ir.CreateSelect(e.ir.CreateFCmpOGT(x, zero), llvm::ConstantFP::get(e.real, 1.0),
                           negative);
}

Value* real_operation(Emitter& e, TapeOp op, llvm::ArrayRef<Value*> v) {
  switch (op) {
    case TapeOp::kAdd:
      return e.ir.CreateFAdd(v[0], v[1]);
    case TapeOp::kSub:
      return e.ir.CreateFSub(v[0], v[1]);
    case TapeOp::kMul:
      return e.ir.CreateFMul(v[0], v[1]);
    case TapeOp::kDiv:
      return e.ir.CreateFDiv(v[0], v[1]);
    case TapeOp::kNeg:
      return e.ir.CreateFNeg(v[0]);
    case TapeOp::kSqrt:
      return e.ir.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, v[0]);
    case TapeOp::kAbs:
      return e.ir.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, v[0]);
    case TapeOp::kFloor:
      return e.ir.CreateUnaryIntrinsic(llvm::Intrinsic::floor, v[0]);
    case TapeOp::kCeil:
      return e.ir.CreateUnaryIntrinsic(llvm::Intrinsic::ceil, v[0]);
    case TapeOp::kSign:
      return sign(e, v[0]);
    case TapeOp::kMin:
      return e.ir.CreateSelect(e.ir.CreateFCmpOLT(v[0], v[1]), v[0], v[1]);
    case TapeOp::kMax:
      return e.ir.CreateSelect(e.ir.CreateFCmpOGT(v[0], v[1]), v[0], v[1]);
    default:
      return call_library(e, op, v);
  }
}

void compute(Emitter& e, const Frame& frame, TapeId id) {
  const TapeNode& node = e.program.tape.nodes[id];
  const auto number = [&](std::size_t i) { return number_of(e, frame, node.operands[i]); };
  const auto truth = [&](std::size_t i) { return truth_of(e, frame, node.operands[i]); };
  Value* condition = nullptr;
  Value* value = nullptr;
  switch (node.op) {
    case TapeOp::kLess:
      condition = e.ir.CreateFCmpOLT(number(0), number(1));
      break;
    case TapeOp::kLessEqual:
      condition = e.ir.CreateFCmpOLE(number(0), number(1));
      break;
    case TapeOp::kAnd:
      condition = e.ir.CreateAnd(truth(0), truth(1));
      break;
    case TapeOp::kOr:
      condition = e.ir.CreateOr(truth(0), truth(1));
      break;
    case TapeOp::kNot:
      condition = e.ir.CreateNot(truth(0));
      break;
    case TapeOp::kSelect:
      value = e.ir.CreateSelect(truth(0), number(1), number(2));
      break;
    default: {
      llvm::SmallVector<Value*, 3> operands;
      for (std::size_t i = 0; i < operand_count(node.op); ++i) operands.push_back(number(i));
      value = real_operation(e, node.op, operands);
    }
  }
  e.number[id] = value;
  e.truth[id] = condition;
  e.filled.push_back(id);
}

void emit_chunk(Emitter& e, const Frame& frame) {
  for (const PlanStep& step : frame.plan.chunks[frame.chunk]) {
    if (step.store) {
      Value* place = address(e, e.real, frame.arguments[kFirstOut + step.array], step.index);
      e.ir.CreateStore(number_of(e, frame, step.node), place);
      continue;
    }
    compute(e, frame, step.node);
    const ScratchSlot* slot = scratch_slot(frame.plan, step.node);
    if (slot == nullptr) continue;
    e.ir.CreateStore(number_of(e, frame, step.node),
                     address(e, e.real, frame.arguments[kScratch], slot->slot));
  }
  for (const TapeId id : e.filled) e.number[id] = e.truth[id] = nullptr;
  e.filled.clear();
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
  return argument == kTime ? e.real : e.pointer;
}

/// One chunk function for each chunk, called in turn with a scratch array on the stack.
void emit_in_chunks(Emitter& e, const Frame& whole, llvm::Function* function) {
  std::vector<llvm::Type*> types;
  for (std::size_t i = 0; i < kArgumentCount; ++i) types.push_back(type_of(e, Argument(i)));
  std::vector<llvm::Function*> parts;
  for (std::uint32_t c = 0; c < whole.plan.chunks.size(); ++c) {
    const std::string name = std::string(whole.plan.name) + "." + std::to_string(c);
    llvm::Function* part =
        declare(e, name, types, llvm::GlobalValue::InternalLinkage, whole.plan.hot);
    part->addFnAttr(llvm::Attribute::NoInline);
    e.ir.SetInsertPoint(llvm::BasicBlock::Create(e.module.getContext(), "", part));
    Frame frame{whole.plan, c, {}};
    for (unsigned i = 0; i < kArgumentCount; ++i) frame.arguments[i] = part->getArg(i);
    emit_chunk(e, frame);
    e.ir.CreateRetVoid();
    parts.push_back(part);
  }
  e.ir.SetInsertPoint(&function->getEntryBlock());
  const std::uint32_t slots = std::max<std::uint32_t>(whole.plan.scratch_size, 1);
  std::vector<Value*> arguments(whole.arguments.begin(), whole.arguments.end());
  arguments[kScratch] = e.ir.CreateAlloca(e.real, e.ir.getInt32(slots), "scratch");
  for (std::size_t i = 0; i < kArgumentCount; ++i) {
    if (arguments[i] == nullptr) arguments[i] = llvm::Constant::getNullValue(types[i]);
  }
  for (llvm::Function* part : parts) e.ir.CreateCall(part, arguments);
}

/// A function of System: its arguments in order, with their names.
void emit_function(Emitter& e, const FunctionPlan& plan,
                   std::initializer_list<std::pair<Argument, const char*>> arguments) {
  std::vector<llvm::Type*> types;
  for (const auto& [argument, name] : arguments) types.push_back(type_of(e, argument));
  llvm::Function* function =
      declare(e, std::string(plan.name), types, llvm::GlobalValue::ExternalLinkage, plan.hot);
  Frame frame{plan, 0, {}};
  unsigned i = 0;
  for (const auto& [argument, name] : arguments) {
    frame.arguments[argument] = function->getArg(i++);
    frame.arguments[argument]->setName(name);
  }
  e.ir.SetInsertPoint(llvm::BasicBlock::Create(e.module.getContext(), "", function));
  if (plan.chunks.size() > 1) {
    emit_in_chunks(e, frame, function);
  } else if (!plan.chunks.empty()) {
    emit_chunk(e, frame);
  }
  e.ir.CreateRetVoid();
}

}  // namespace

void emit(const Program& program, llvm::Module& module) {
  Emitter e(program, module);
  const std::pair time{kTime, "t"}, states{kStates, "x"}, constants{kConstants, "c"},
      modes{kModes, "mode"};
  emit_function(e, program.prepare, {{kConstants, "p"}, {kFirstOut, "c"}, {kSecondOut, "x0"}});
  emit_function(e, program.derivatives, {time, states, constants, modes, {kFirstOut, "dx"}});
  emit_function(e, program.slips, {time, states, constants, {kFirstOut, "slip"}});
  emit_function(
      e, program.demands,
      {time, states, constants, modes, {kFirstOut, "demand"}, {kSecondOut, "static_bound"}});
  emit_function(e, program.outputs, {time, states, constants, modes, {kFirstOut, "y"}});
  emit_function(e, program.assertions, {time, states, constants, modes, {kFirstOut, "holds"}});
}

}  // namespace luztar
