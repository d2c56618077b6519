// Taylor coefficients: code for order 0 and a loop over the others, in which steady values have
// none. Linear operations act on the coefficients, nonlinear ones call their recurrence.
#include <algorithm>

#include "compiler/base/diagnostics.h"
#include "compiler/codegen/emit_loops.h"
#include "compiler/codegen/emitter.h"
#include "compiler/codegen/idle_steps.h"
#include "compiler/codegen/recurrence_names.h"
#include "compiler/codegen/short_recurrence.h"

namespace luztar {
namespace {

using llvm::Value;

Value* zero(const Emitter& e) { return llvm::ConstantFP::get(e.real, 0.0); }

bool is_zero(const Value* value) {
  const auto* number = llvm::dyn_cast<llvm::ConstantFP>(value);
  return number != nullptr && number->isZero();
}

/// Row `row` at the order of the frame, `ahead` orders on.
Value* place_in_row(Emitter& e, const Frame& frame, Value* row, std::uint32_t ahead) {
  const std::uint64_t rows = e.program.row_count;
  Value* begin = e.ir.CreateMul(frame.arguments[kOrder], e.ir.getInt64(rows));
  Value* base = e.ir.CreateInBoundsGEP(e.real, frame.arguments[kJets], begin);
  Value* offset = ahead == 0 ? row : e.ir.CreateAdd(row, e.ir.getInt64(ahead * rows));
  return address(e, e.real, base, offset);
}
Value* place_in_row(Emitter& e, const Frame& frame, std::uint32_t row, std::uint32_t ahead) {
  return place_in_row(e, frame, e.ir.getInt64(row), ahead);
}

Value* load_row(Emitter& e, const Frame& frame, std::uint32_t row) {
  return e.ir.CreateLoad(e.real, place_in_row(e, frame, row, 0));
}

/// The row of a node.
Value* row(Emitter& e, const Frame& frame, TapeId id) {
  return place_of(e, frame, id, [&e](TapeId node) { return e.program.row_of[node]; });
}

/// Coefficient of a node at the order of the frame that the present chunk does not compute.
Value* load_coefficient(Emitter& e, const Frame& frame, TapeId id) {
  const TapeNode& node = e.program.tape.nodes[id];
  if (is_steady(e, id)) return frame.values ? steady_value(e, frame, id) : zero(e);
  if (node.op == TapeOp::kTime) {
    if (frame.values) return frame.arguments[kTime];
    Value* first = e.ir.CreateICmpEQ(frame.arguments[kOrder], e.ir.getInt64(1));
    return e.ir.CreateSelect(first, llvm::ConstantFP::get(e.real, 1.0), zero(e));
  }
  if (e.program.row_of[id] != kNoTapeId) {  // a state, a recurrence, or an operand of one
    return e.ir.CreateLoad(e.real, place_in_row(e, frame, row(e, frame, id), 0));
  }
  if (scratch_slot(frame.plan, id) == nullptr) {
    throw InternalError("codegen", "an operand is used before it is computed");
  }
  return e.ir.CreateLoad(e.real, scratch_address(e, frame, id), "s");
}

Value* coefficient(Emitter& e, const Frame& frame, TapeId id) {
  Value*& value = e.number[id];
  if (value == nullptr) {
    value = load_coefficient(e, frame, id);
    e.filled.push_back(id);
  }
  return value;
}

Value* call_recurrence(Emitter& e, const Frame& frame, TapeId id) {
  const TapeNode& node = e.program.tape.nodes[id];
  std::vector<Value*> rows;
  for (const TapeId operand : e.program.tape.operands(id)) {
    rows.push_back(row(e, frame, operand));
    const TapeOp op = e.program.tape.nodes[operand].op;
    // Computed operands are in their rows; numbers and time are put there.
    if (is_steady(e, operand) || op == TapeOp::kTime) {
      Value* place = place_in_row(e, frame, row(e, frame, operand), 0);
      e.ir.CreateStore(load_coefficient(e, frame, operand), place);
    }
  }
  std::vector<Value*> arguments{frame.arguments[kJets], e.ir.getInt64(e.program.row_count),
                                frame.arguments[kOrder], row(e, frame, id)};
  if (takes_list(node.op)) {
    arguments.push_back(stored_list(e, e.index, rows));
    arguments.push_back(e.ir.getInt64(rows.size()));
  } else {
    if (rows.size() == 1) rows.push_back(rows.front());
    arguments.insert(arguments.end(), rows.begin(), rows.end());
  }
  std::vector<llvm::Type*> types;
  for (const Value* argument : arguments) types.push_back(argument->getType());
  auto* type = llvm::FunctionType::get(e.ir.getVoidTy(), types, false);
  llvm::FunctionCallee callee = e.module.getOrInsertFunction(recurrence_name(node.op), type);
  llvm::cast<llvm::Function>(callee.getCallee())->setDoesNotThrow();
  e.ir.CreateCall(callee, arguments);
  return e.ir.CreateLoad(e.real, place_in_row(e, frame, row(e, frame, id), 0));
}

// Operands are loaded one by one, the last one first: the order of a call's arguments would depend
// on the compiler of this file.
Value* linear_operation(Emitter& e, const Frame& frame, TapeId id) {
  const std::span<const TapeId> operands = e.program.tape.operands(id);
  const auto of = [&](std::size_t i) { return coefficient(e, frame, operands[i]); };
  const auto steady = [&](std::size_t i) { return steady_value(e, frame, operands[i]); };
  switch (e.program.tape.nodes[id].op) {
    case TapeOp::kAdd:
      if (is_zero(of(0))) return of(1);
      return is_zero(of(1)) ? of(0) : e.ir.CreateFAdd(of(0), of(1));
    case TapeOp::kSub:
      if (is_zero(of(0))) return e.ir.CreateFNeg(of(1));
      return is_zero(of(1)) ? of(0) : e.ir.CreateFSub(of(0), of(1));
    case TapeOp::kNeg:
      return e.ir.CreateFNeg(of(0));
    case TapeOp::kMul: {
      const bool steady_first = is_steady(e, operands[0]);
      Value* right = steady_first ? of(1) : steady(1);
      return e.ir.CreateFMul(steady_first ? steady(0) : of(0), right);
    }
    case TapeOp::kDiv: {
      Value* right = steady(1);
      return e.ir.CreateFDiv(of(0), right);
    }
    case TapeOp::kSelect: {
      Value* otherwise = of(2);
      Value* then = of(1);
      return e.ir.CreateSelect(e.ir.CreateFCmpUNE(steady(0), zero(e)), then, otherwise);
    }
    default:
      throw InternalError("codegen", "an operation without Taylor coefficients");
  }
}

/// 1/k for k > 0, from a table.
Value* inverse(Emitter& e, Value* k) {
  llvm::GlobalVariable* table = e.module.getNamedGlobal("inverses");
  if (table == nullptr) {
    std::vector<double> inverses(kMostOrder + 2);
    for (std::size_t i = 1; i < inverses.size(); ++i) inverses[i] = 1 / static_cast<double>(i);
    llvm::Constant* values = llvm::ConstantDataArray::get(e.module.getContext(), inverses);
    table = new llvm::GlobalVariable(e.module, values->getType(), true,
                                     llvm::GlobalValue::PrivateLinkage, values, "inverses");
  }
  return load(e, table, k, "");
}

/// 1/(k + 1) for k > 0.
Value* make_step_factor(Emitter& e, const Frame& frame) {
  if (frame.values) return nullptr;
  if (frame.loop != nullptr) {
    Frame outside = frame;
    outside.loop = nullptr;
    return frame.loop->before(e, [&] { return make_step_factor(e, outside); });
  }
  return inverse(e, e.ir.CreateAdd(frame.arguments[kOrder], e.ir.getInt64(1)));
}

/// In pairs, for short chains; null for none.
Value* sum_in_pairs(Emitter& e, std::vector<Value*> values) {
  for (std::size_t width = 1; width < values.size(); width *= 2) {
    for (std::size_t i = 0; i + width < values.size(); i += 2 * width) {
      values[i] = e.ir.CreateFAdd(values[i], values[i + width]);
    }
  }
  return values.empty() ? nullptr : values.front();
}

/// What is known early first: sums wait for other sums.
Value* sum_of(Emitter& e, const Frame& frame, const std::vector<ShortRecurrence::Term>& terms) {
  std::vector<Value*> early, late;
  for (const ShortRecurrence::Term& term : terms) {
    Value* value = e.ir.CreateFMul(term.factor, coefficient(e, frame, term.source));
    (frame.recurrence->is_late(e, term.source) ? late : early).push_back(value);
  }
  Value *first = sum_in_pairs(e, early), *last = sum_in_pairs(e, late);
  if (first == nullptr || last == nullptr) return first == nullptr ? last : first;
  return e.ir.CreateFAdd(first, last);
}

/// Coefficient of the rate of a state, and from it the next one of the state.
void store_rate(Emitter& e, const Frame& frame, const PlanStep& step, Value* step_factor) {
  ShortRecurrence* recurrence = frame.recurrence;
  const bool is_sum = recurrence != nullptr && !recurrence->rate(step.index).empty();
  Value* value =
      is_sum ? sum_of(e, frame, recurrence->rate(step.index)) : coefficient(e, frame, step.node);
  if (!frame.values && !is_zero(value)) value = e.ir.CreateFMul(value, step_factor);
  e.ir.CreateStore(value, place_in_row(e, frame, store_place(e, frame, step), 1));
  if (recurrence != nullptr) recurrence->set_next(step.index, value);
}

void store(Emitter& e, const Frame& frame, const PlanStep& step, Value* step_factor) {
  if (step.array == 0) return store_rate(e, frame, step, step_factor);
  Value* value = coefficient(e, frame, step.node);
  Value* watched =
      e.ir.CreateAdd(store_place(e, frame, step), e.ir.getInt64(e.program.state_count));
  e.ir.CreateStore(value, place_in_row(e, frame, watched, 0));
}

void emit_step(Emitter& e, const Frame& frame, const PlanStep& step, Value* step_factor) {
  if (step.store) return store(e, frame, step, step_factor);
  const bool recurrence = has_recurrence(e.program.tape, step.node);
  Value* value =
      recurrence ? call_recurrence(e, frame, step.node) : linear_operation(e, frame, step.node);
  e.number[step.node] = value;
  e.filled.push_back(step.node);
  if (e.program.row_of[step.node] != kNoTapeId && !recurrence) {
    e.ir.CreateStore(value, place_in_row(e, frame, row(e, frame, step.node), 0));
  }
  if (scratch_slot(frame.plan, step.node) == nullptr) return;
  e.ir.CreateStore(value, scratch_address(e, frame, step.node));
}

/// Code that `emit` writes is executed unless the friction is idle; no other code uses its values.
template <class Emit>
void unless_idle(Emitter& e, const Frame& frame, std::uint32_t friction, const Emit& emit) {
  llvm::Function* function = e.ir.GetInsertBlock()->getParent();
  llvm::LLVMContext& context = e.module.getContext();
  llvm::BasicBlock* needed = llvm::BasicBlock::Create(context, "", function);
  llvm::BasicBlock* next = llvm::BasicBlock::Create(context, "", function);
  Value* place = address(e, e.ir.getInt8Ty(), frame.arguments[kIdle], e.ir.getInt64(friction));
  Value* idle = e.ir.CreateLoad(e.ir.getInt8Ty(), place);
  e.ir.CreateCondBr(e.ir.CreateICmpEQ(idle, e.ir.getInt8(0)), needed, next);
  e.ir.SetInsertPoint(needed);
  const std::size_t filled = e.filled.size();
  emit();
  for (; e.filled.size() > filled; e.filled.pop_back()) e.number[e.filled.back()] = nullptr;
  e.ir.CreateBr(next);
  e.ir.SetInsertPoint(next);
}

/// Last what only those frictions need that are not idle.
void emit_purposes(Emitter& e, const Frame& frame, Value* step_factor) {
  const std::span<const PlanStep> steps = frame.plan.chunks[frame.chunk].first_round();
  const std::vector<StepPurpose> purposes = purposes_of_steps(e.program, frame);
  const auto emit_all = [&](std::uint32_t purpose) {
    for (std::size_t s = 0; s < steps.size(); ++s) {
      if (purposes[s] == purpose) emit_step(e, frame, steps[s], step_factor);
    }
  };
  emit_all(kNoIndex);
  for (std::uint32_t i = 0; i < e.program.frictions.size(); ++i) {
    if (std::ranges::find(purposes, StepPurpose(i)) == purposes.end()) continue;
    unless_idle(e, frame, i, [&] { emit_all(i); });
  }
}

void emit_jets_chunk(Emitter& e, const Frame& frame) {
  Value* step_factor = make_step_factor(e, frame);
  if (frame.recurrence != nullptr) {
    emit_purposes(e, frame, step_factor);
  } else {
    for (const PlanStep& step : frame.plan.chunks[frame.chunk].first_round()) {
      emit_step(e, frame, step, step_factor);
    }
  }
  e.forget_chunk();
}

/// Value and slope of a line in time, from its leaves up.
std::pair<Value*, Value*> line(Emitter& e, const Frame& frame, TapeId root) {
  std::vector<std::pair<TapeId, std::pair<Value*, Value*>>> known;
  const auto find = [&known](TapeId id) -> std::pair<Value*, Value*>* {
    for (auto& [node, value] : known) {
      if (node == id) return &value;
    }
    return nullptr;
  };
  std::vector<TapeId> stack{root};
  while (!stack.empty()) {
    const TapeId id = stack.back();
    const TapeNode& node = e.program.tape.nodes[id];
    std::pair<Value*, Value*> result;
    if (is_steady(e, id)) {
      result = {steady_value(e, frame, id), zero(e)};
    } else if (node.op == TapeOp::kTime) {
      result = {frame.arguments[kTime], llvm::ConstantFP::get(e.real, 1.0)};
    } else {
      bool ready = true;
      const std::span<const TapeId> operands = e.program.tape.operands(id);
      for (const TapeId operand : operands) {
        if (find(operand)) continue;
        stack.push_back(operand);
        ready = false;
      }
      if (!ready) continue;
      const auto x = *find(operands[0]);
      const auto y = operands.size() > 1 ? *find(operands[1]) : x;
      switch (node.op) {
        case TapeOp::kAdd:
          result = {e.ir.CreateFAdd(x.first, y.first), e.ir.CreateFAdd(x.second, y.second)};
          break;
        case TapeOp::kSub:
          result = {e.ir.CreateFSub(x.first, y.first), e.ir.CreateFSub(x.second, y.second)};
          break;
        case TapeOp::kNeg:
          result = {e.ir.CreateFNeg(x.first), e.ir.CreateFNeg(x.second)};
          break;
        case TapeOp::kDiv:
          result = {e.ir.CreateFDiv(x.first, y.first), e.ir.CreateFDiv(x.second, y.first)};
          break;
        default:  // one factor is steady
          result = {e.ir.CreateFMul(x.first, y.first), is_steady(e, operands[0])
                                                           ? e.ir.CreateFMul(x.first, y.second)
                                                           : e.ir.CreateFMul(x.second, y.first)};
      }
    }
    stack.pop_back();
    if (!find(id)) known.emplace_back(id, result);
  }
  return *find(root);
}

/// Sine and cosine of a line in time: rows, argument at the instant and its slope.
struct Sine {
  std::uint32_t sine, cosine;
  Value *value, *slope;
  // Those of the order before, where a short recurrence does not wait for memory.
  llvm::PHINode *sine_before = nullptr, *cosine_before = nullptr;
  Value *sine_now = nullptr, *cosine_now = nullptr;
};

std::vector<Sine> list_sines(Emitter& e, const Frame& frame) {
  std::vector<Sine> sines;
  for (const TapeId id : e.program.sines) {
    const TapeNode& node = e.program.tape.nodes[id];
    const std::uint32_t row = e.program.row_of[id];
    const bool sine = node.op == TapeOp::kSin;
    const auto [value, slope] = line(e, frame, e.program.tape.operands(id)[0]);
    sines.push_back({sine ? row : row + 1, sine ? row + 1 : row, value, slope});
  }
  return sines;
}

/// Their rows at the order of the frame: s_k = a c_{k-1} / k, c_k = -a s_{k-1} / k for the slope a.
void fill_sines(Emitter& e, const Frame& frame, std::vector<Sine>& sines) {
  if (sines.empty()) return;
  if (frame.values) {
    auto* type = llvm::FunctionType::get(e.ir.getVoidTy(), {e.real, e.pointer, e.pointer}, false);
    llvm::FunctionCallee callee = e.module.getOrInsertFunction("sine_and_cosine", type);
    llvm::cast<llvm::Function>(callee.getCallee())->setDoesNotThrow();
    for (const Sine& s : sines) {
      e.ir.CreateCall(callee, {s.value, place_in_row(e, frame, s.sine, 0),
                               place_in_row(e, frame, s.cosine, 0)});
    }
    return;
  }
  Frame before = frame;
  before.arguments[kOrder] = e.ir.CreateSub(frame.arguments[kOrder], e.ir.getInt64(1));
  Value* step_factor = inverse(e, frame.arguments[kOrder]);
  for (Sine& s : sines) {
    const auto last = [&](Value* known, std::uint32_t row) {
      return known != nullptr ? known : load_row(e, before, row);
    };
    Value* rate = e.ir.CreateFMul(s.slope, step_factor);
    s.cosine_now = e.ir.CreateFMul(e.ir.CreateFNeg(rate), last(s.sine_before, s.sine));
    s.sine_now = e.ir.CreateFMul(rate, last(s.cosine_before, s.cosine));
    e.ir.CreateStore(s.sine_now, place_in_row(e, frame, s.sine, 0));
    e.ir.CreateStore(s.cosine_now, place_in_row(e, frame, s.cosine, 0));
  }
}

/// What a short recurrence begins with, at the order of the frame, and where control comes from.
struct Given {
  std::vector<Value*> states, sines, cosines;  // sines: of the order before
  llvm::BasicBlock* from = nullptr;
};

Given load_given(Emitter& e, const Frame& frame, const std::vector<Sine>& sines) {
  Given given;
  given.from = e.ir.GetInsertBlock();
  for (std::uint32_t i = 0; i < e.program.state_count; ++i) {
    given.states.push_back(load_row(e, frame, i));
  }
  Frame before = frame;
  before.arguments[kOrder] = e.ir.CreateSub(frame.arguments[kOrder], e.ir.getInt64(1));
  for (const Sine& s : sines) {
    given.sines.push_back(load_row(e, before, s.sine));
    given.cosines.push_back(load_row(e, before, s.cosine));
  }
  return given;
}

/// At the beginning of the loop: the sines of the order before, of which the next ones come from
/// the loop.
void keep_sines(Emitter& e, const std::vector<Given>& given, std::vector<Sine>& sines) {
  for (std::size_t i = 0; i < sines.size(); ++i) {
    sines[i].sine_before = e.ir.CreatePHI(e.real, 3, "s");
    sines[i].cosine_before = e.ir.CreatePHI(e.real, 3, "c");
    for (const Given& g : given) {
      sines[i].sine_before->addIncoming(g.sines[i], g.from);
      sines[i].cosine_before->addIncoming(g.cosines[i], g.from);
    }
  }
}

}  // namespace

void emit_jets(Emitter& e) {
  const FunctionPlan& plan = e.program.jets;
  llvm::Function* function =
      declare(e, "jets", {e.real, e.pointer, e.index, e.index, e.pointer, e.pointer},
              llvm::GlobalValue::ExternalLinkage, plan.hot);
  Frame frame{plan, 0, {}};
  frame.arguments[kTime] = function->getArg(0);
  frame.arguments[kConstants] = function->getArg(1);
  frame.arguments[kJets] = function->getArg(4);
  frame.arguments[kIdle] = function->getArg(5);
  Value *first = function->getArg(2), *last = function->getArg(3);
  llvm::LLVMContext& context = e.module.getContext();
  const auto block = [&](const char* name) {
    return llvm::BasicBlock::Create(context, name, function);
  };
  llvm::BasicBlock *entry = block(""), *values = block("values"), *computed = block("");
  llvm::BasicBlock *given = block("given"), *loop = block("order"), *end = block("end");
  Value *none = e.ir.getInt64(0), *one = e.ir.getInt64(1);

  e.ir.SetInsertPoint(entry);
  Value* scratch = make_scratch(e, plan);
  std::vector<Sine> sines = list_sines(e, frame);
  ShortRecurrence recurrence(e, frame);
  std::vector<Given> begin;
  e.ir.CreateCondBr(e.ir.CreateICmpEQ(first, none), values, given);

  e.ir.SetInsertPoint(values);
  frame.values = true;
  frame.arguments[kOrder] = none;
  fill_sines(e, frame, sines);
  emit_chunks(e, frame, "jets.values", scratch, emit_jets_chunk);
  e.ir.CreateBr(computed);
  e.ir.SetInsertPoint(computed);
  frame.arguments[kOrder] = one;
  if (recurrence.pays()) begin.push_back(load_given(e, frame, sines));
  e.ir.CreateCondBr(e.ir.CreateICmpEQ(last, none), end, loop);

  e.ir.SetInsertPoint(given);
  frame.arguments[kOrder] = first;
  if (recurrence.pays()) begin.push_back(load_given(e, frame, sines));
  e.ir.CreateBr(loop);

  e.ir.SetInsertPoint(loop);
  llvm::PHINode* k = e.ir.CreatePHI(e.index, 3, "k");
  k->addIncoming(first, given);
  k->addIncoming(one, computed);
  frame.values = false;
  if (recurrence.pays()) {
    keep_sines(e, begin, sines);
    recurrence.begin_loop(e);
    for (const Given& g : begin) recurrence.enter_loop(g.from, g.states);
    frame.recurrence = &recurrence;
  }
  frame.arguments[kOrder] = k;
  fill_sines(e, frame, sines);
  emit_chunks(e, frame, "jets.order", scratch, emit_jets_chunk);
  for (const Sine& s : sines) {
    if (s.sine_before == nullptr) continue;
    s.sine_before->addIncoming(s.sine_now, e.ir.GetInsertBlock());
    s.cosine_before->addIncoming(s.cosine_now, e.ir.GetInsertBlock());
  }
  recurrence.end_loop(e);
  Value* next = e.ir.CreateAdd(k, one);
  k->addIncoming(next, e.ir.GetInsertBlock());
  e.ir.CreateCondBr(e.ir.CreateICmpSLE(next, last), loop, end);

  e.ir.SetInsertPoint(end);
  free_scratch(e, plan, scratch);
  e.ir.CreateRetVoid();
}

}  // namespace luztar
