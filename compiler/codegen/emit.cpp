#include "compiler/codegen/emit.h"

#include <llvm/IR/Intrinsics.h>

#include <utility>

#include "compiler/base/diagnostics.h"
#include "compiler/codegen/emit_loops.h"
#include "compiler/codegen/emitter.h"

namespace luztar {
namespace {

using llvm::Value;

/// The value of a node that the present chunk does not compute.
Value* load_leaf(Emitter& e, const Frame& frame, TapeId id) {
  const TapeNode& node = e.program.tape.nodes[id];
  if (node.op == TapeOp::kConstant || node.variability < frame.plan.level) {
    return steady_value(e, frame, id);
  }
  const auto symbol = [&](Argument array, const char* name) {
    const auto index = [&e](TapeId leaf) { return e.program.tape.nodes[leaf].symbol; };
    return load(e, frame.arguments[array], place_of(e, frame, id, index), name);
  };
  switch (node.op) {
    case TapeOp::kTime:
      return frame.arguments[kTime];
    case TapeOp::kParameter:
      return symbol(kConstants, "p");
    case TapeOp::kState:
      return symbol(kStates, "x");
    case TapeOp::kMode:
      return symbol(kModes, "m");
    default:
      break;
  }
  if (scratch_slot(frame.plan, id) == nullptr) {
    throw InternalError("codegen", "an operand is used before it is computed");
  }
  return e.ir.CreateLoad(e.real, scratch_address(e, frame, id), "s");
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
    case TapeOp::kFallingBalance:
      return "falling_balance";
    case TapeOp::kFallingEnd:
      return "falling_end";
    case TapeOp::kFallingSpeed:
    case TapeOp::kFallingSpeedBeside:
      return "falling_speed";
    case TapeOp::kFallingSpeedEnd:
    case TapeOp::kFallingSpeedEndBeside:
      return "falling_speed_end";
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
  llvm::SmallVector<Value*, 4> passed(arguments.begin(), arguments.end());
  if (takes_list(op)) passed = {stored_list(e, e.real, arguments), e.ir.getInt64(arguments.size())};
  llvm::SmallVector<llvm::Type*, 4> types;
  for (const Value* value : passed) types.push_back(value->getType());
  auto* type = llvm::FunctionType::get(e.real, types, false);
  llvm::FunctionCallee callee = e.module.getOrInsertFunction(library_name(op), type);
  auto* function = llvm::cast<llvm::Function>(callee.getCallee());
  takes_list(op) ? function->setOnlyReadsMemory()
                 : function->setDoesNotAccessMemory();  // errno is not read
  function->setDoesNotThrow();
  function->setWillReturn();
  return e.ir.CreateCall(callee, passed);
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
    case TapeOp::kAboveEdge: {
      Value* zero = llvm::ConstantFP::get(e.real, 0.0);
      Value* at_edge = e.ir.CreateFCmpUNE(v[1], zero);
      return e.ir.CreateSelect(e.ir.CreateOr(at_edge, e.ir.CreateFCmpOLT(v[0], zero)), zero, v[0]);
    }
    default:
      return call_library(e, op, v);
  }
}

// Operands are loaded one by one, the last one first: the order of a call's arguments would depend
// on the compiler of this file.
void compute(Emitter& e, const Frame& frame, TapeId id) {
  const TapeNode& node = e.program.tape.nodes[id];
  const std::span<const TapeId> operands = e.program.tape.operands(id);
  const auto number = [&](std::size_t i) { return number_of(e, frame, operands[i]); };
  const auto truth = [&](std::size_t i) { return truth_of(e, frame, operands[i]); };
  Value* condition = nullptr;
  Value* value = nullptr;
  Value* right = nullptr;
  switch (node.op) {
    case TapeOp::kLess:
      right = number(1);
      condition = e.ir.CreateFCmpOLT(number(0), right);
      break;
    case TapeOp::kLessEqual:
      right = number(1);
      condition = e.ir.CreateFCmpOLE(number(0), right);
      break;
    case TapeOp::kAnd:
      right = truth(1);
      condition = e.ir.CreateAnd(truth(0), right);
      break;
    case TapeOp::kOr:
      right = truth(1);
      condition = e.ir.CreateOr(truth(0), right);
      break;
    case TapeOp::kNot:
      condition = e.ir.CreateNot(truth(0));
      break;
    case TapeOp::kSelect: {
      right = number(2);
      Value* left = number(1);
      value = e.ir.CreateSelect(truth(0), left, right);
      break;
    }
    default: {
      llvm::SmallVector<Value*, 4> values;
      for (std::size_t i = stands_beside(node.op) ? 1 : 0; i < operands.size(); ++i) {
        values.push_back(number(i));
      }
      value = real_operation(e, node.op, values);
    }
  }
  e.number[id] = value;
  e.truth[id] = condition;
  e.filled.push_back(id);
}

void emit_chunk(Emitter& e, const Frame& frame) {
  for (const PlanStep& step : frame.plan.chunks[frame.chunk].first_round()) {
    if (step.store) {
      Value* place =
          address(e, e.real, frame.arguments[kFirstOut + step.array], store_place(e, frame, step));
      e.ir.CreateStore(number_of(e, frame, step.node), place);
      continue;
    }
    compute(e, frame, step.node);
    if (scratch_slot(frame.plan, step.node) == nullptr) continue;
    e.ir.CreateStore(number_of(e, frame, step.node), scratch_address(e, frame, step.node));
  }
  e.forget_chunk();
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
  Value* scratch = make_scratch(e, plan);
  emit_chunks(e, frame, std::string(plan.name), scratch, emit_chunk);
  free_scratch(e, plan, scratch);
  e.ir.CreateRetVoid();
}

}  // namespace

void emit(const Program& program, llvm::Module& module) {
  Emitter e(program, module);
  const std::pair time{kTime, "t"}, states{kStates, "x"}, constants{kConstants, "c"},
      modes{kModes, "mode"};
  emit_function(e, program.prepare, {{kConstants, "p"}, {kFirstOut, "c"}, {kSecondOut, "x0"}});
  emit_function(e, program.prepare_mode, {constants, modes, {kFirstOut, "mode_c"}});
  emit_jets(e);
  emit_function(e, program.outputs, {time, states, constants, {kFirstOut, "y"}});
  emit_function(e, program.energy, {time, states, constants, {kFirstOut, "energy"}});
  emit_function(e, program.assertions, {time, states, constants, {kFirstOut, "holds"}});
}

}  // namespace luztar
