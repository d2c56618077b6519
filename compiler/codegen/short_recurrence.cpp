#include "compiler/codegen/short_recurrence.h"

#include <algorithm>
#include <map>
#include <span>

namespace luztar {
namespace {

using llvm::Value;
using Term = ShortRecurrence::Term;
using Terms = std::vector<Term>;

constexpr std::size_t kMostTerms = 8;  // of a sum

Value* one(const Emitter& e) { return llvm::ConstantFP::get(e.real, 1.0); }

/// Where a sum ends: a state, a sine, time, or what a recurrence gives or looks back at.
bool is_source(const Emitter& e, TapeId id) {
  const TapeOp op = e.program.tape.nodes[id].op;
  return op == TapeOp::kTime || e.program.row_of[id] != kNoTapeId;
}

/// The factors of a + b, or of a - b.
Terms sum(Emitter& e, const Terms& a, const Terms& b, bool minus) {
  Terms result = a;
  for (const Term& term : b) {
    const auto same = std::ranges::find(result, term.source, &Term::source);
    if (same == result.end()) {
      result.push_back({term.source, minus ? e.ir.CreateFNeg(term.factor) : term.factor});
    } else {
      same->factor = minus ? e.ir.CreateFSub(same->factor, term.factor)
                           : e.ir.CreateFAdd(same->factor, term.factor);
    }
  }
  return result;
}

template <class Change>
Terms each(Terms terms, Change change) {
  for (Term& term : terms) term.factor = change(term.factor);
  return terms;
}

/// Its coefficients are numbers, whatever the states are.
bool is_always_finite(const Emitter& e, const Term& term) {
  const TapeNode& node = e.program.tape.nodes[term.source];
  const bool sine = node.op == TapeOp::kSin || node.op == TapeOp::kCos;
  return node.op == TapeOp::kTime || node.op == TapeOp::kState ||
         (sine && e.program.line[e.program.tape.operands(term.source)[0]]);
}

/// Of a node whose operands are in `known`.
Terms terms_of(Emitter& e, const Frame& frame, TapeId id, const std::map<TapeId, Terms>& known) {
  const TapeNode& node = e.program.tape.nodes[id];
  const std::span<const TapeId> operands = e.program.tape.operands(id);
  const auto of = [&](std::size_t i) -> const Terms& { return known.at(operands[i]); };
  const auto steady = [&](std::size_t i) { return steady_value(e, frame, operands[i]); };
  switch (node.op) {
    case TapeOp::kAdd:
    case TapeOp::kSub:
      return sum(e, of(0), of(1), node.op == TapeOp::kSub);
    case TapeOp::kNeg:
      return each(of(0), [&](Value* factor) { return e.ir.CreateFNeg(factor); });
    case TapeOp::kMul: {
      const std::size_t constant = is_steady(e, operands[0]) ? 0 : 1;
      Value* scale = steady(constant);
      return each(of(1 - constant), [&](Value* factor) { return e.ir.CreateFMul(scale, factor); });
    }
    case TapeOp::kDiv: {
      Value* scale = steady(1);
      return each(of(0), [&](Value* factor) { return e.ir.CreateFDiv(factor, scale); });
    }
    default: {  // kSelect
      const auto finite = [&e](const Term& term) { return is_always_finite(e, term); };
      if (!std::ranges::all_of(of(1), finite) || !std::ranges::all_of(of(2), finite)) {
        return {{id, one(e)}};  // zero times what the branch not taken gives is not zero
      }
      Value* none = llvm::ConstantFP::get(e.real, 0.0);
      Value* first = e.ir.CreateFCmpUNE(steady(0), none);
      const auto taken = [&](Value* f) { return e.ir.CreateSelect(first, f, none); };
      const auto other = [&](Value* f) { return e.ir.CreateSelect(first, none, f); };
      const Terms one_branch = each(of(1), taken), other_branch = each(of(2), other);
      return sum(e, one_branch, other_branch, false);
    }
  }
}

/// Operands that are part of the sum.
std::span<const TapeId> summands(const Emitter& e, TapeId id) {
  const std::span<const TapeId> operands = e.program.tape.operands(id);
  return e.program.tape.nodes[id].op == TapeOp::kSelect ? operands.subspan(1) : operands;
}

Terms fold(Emitter& e, const Frame& frame, TapeId root, std::map<TapeId, Terms>& known) {
  std::vector<TapeId> stack{root};
  while (!stack.empty()) {
    const TapeId id = stack.back();
    if (known.contains(id)) {
      stack.pop_back();
    } else if (is_steady(e, id)) {
      known[id] = {};
    } else if (is_source(e, id)) {
      known[id] = {{id, one(e)}};
    } else {
      bool ready = true;
      for (const TapeId operand : summands(e, id)) {
        if (known.contains(operand)) continue;
        stack.push_back(operand);
        ready = false;
      }
      if (ready) known[id] = terms_of(e, frame, id, known);
    }
  }
  return known.at(root);
}

}  // namespace

ShortRecurrence::ShortRecurrence(Emitter& e, const Frame& frame) {
  if (!frame.plan.short_recurrence) return;
  rates_.resize(e.program.state_count);
  std::map<TapeId, Terms> known;
  for (const PlanStep& step : frame.plan.chunks[0].steps) {
    if (!step.store || step.array != 0) continue;
    if (is_steady(e, step.node) || is_source(e, step.node)) continue;
    Terms terms = fold(e, frame, step.node, known);
    if (terms.size() <= kMostTerms) rates_[step.index] = std::move(terms);
  }
}

void ShortRecurrence::begin_loop(Emitter& e) {
  next_.assign(rates_.size(), nullptr);
  for (std::size_t i = 0; i < rates_.size(); ++i) {
    states_.push_back(e.ir.CreatePHI(e.real, 3, "x"));
  }
  for (TapeId id = 0; id < e.program.tape.nodes.size(); ++id) {
    if (e.program.tape.nodes[id].op != TapeOp::kState) continue;
    e.number[id] = states_[e.program.row_of[id]];
    e.filled.push_back(id);
  }
}

void ShortRecurrence::enter_loop(llvm::BasicBlock* from, const std::vector<Value*>& states) {
  for (std::size_t i = 0; i < states_.size(); ++i) states_[i]->addIncoming(states[i], from);
}

void ShortRecurrence::end_loop(Emitter& e) {
  for (std::size_t i = 0; i < states_.size(); ++i) {
    states_[i]->addIncoming(next_[i], e.ir.GetInsertBlock());
  }
}

}  // namespace luztar
