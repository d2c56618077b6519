#include "compiler/mechanics/definitions.h"

#include <cmath>
#include <deque>

#include "compiler/mechanics/parameter_point.h"
#include "compiler/symbolic/operations.h"

namespace luztar {
namespace {

enum class State : std::uint8_t { kUnknown, kKnown, kFlow };

class Closure {
 public:
  Closure(ExprPool& pool, const FlatModel& flat, const VariableClasses& classes)
      : pool_(pool), flat_(flat), classes_(classes), state_(classes.count(), State::kUnknown) {
    result_.value.resize(classes.count());
    result_.source.resize(classes.count(), Definitions::kNoSource);
    users_.resize(classes.count());
  }

  Definitions run() {
    seed_motion();
    for (const WorkEquation& equation : classes_.equations) add_equation(equation);
    drain();
    promote_states();
    drain();
    collect();
    return std::move(result_);
  }

 private:
  struct Entry {
    WorkEquation equation;
    std::size_t unknowns = 0;  // not yet known, flows not counted
    bool flow = false;         // holds a flow: a force law, never a definition
    bool motion = false;       // holds a derivative: second choice
    bool derived = false;      // the derivative of a definition, no equation of a part
    bool used = false;
  };

  Expr variable(VariableId v) { return pool_.symbol(SymbolKind::kVariable, v.value); }

  void seed_motion() {
    for (std::uint32_t i = 0; i < classes_.count(); ++i) {
      const VariableId v{i};
      if (classes_.representative[i] != v) continue;
      if (classes_.flow[i]) {
        state_[i] = State::kFlow;
      } else if (classes_.position[i]) {
        mark_known(v, variable(v));
        const VariableId w = classes_.derivative[i];
        if (!w.valid()) continue;
        mark_known(w, pool_.symbol(SymbolKind::kVelocity, i));
        const VariableId a = classes_.derivative[w.value];
        if (a.valid()) mark_known(a, pool_.symbol(SymbolKind::kAcceleration, i));
      }
    }
  }

  void mark_known(VariableId v, Expr value) {
    if (state_[v.value] != State::kUnknown) return;
    state_[v.value] = State::kKnown;
    result_.value[v.value] = value;
    for (const std::size_t user : users_[v.value]) {
      if (--entries_[user].unknowns == 1) enqueue(user);
    }
    users_[v.value].clear();
  }

  void add_equation(const WorkEquation& equation, bool derived = false) {
    Entry entry{equation};
    entry.derived = derived;
    const std::size_t index = entries_.size();
    for (const Symbol s : symbols_of(pool_, equation.residual)) {
      if (s.kind != SymbolKind::kVariable) continue;
      if (classes_.integral[s.index].valid()) entry.motion = true;
      if (state_[s.index] == State::kFlow) entry.flow = true;
      if (state_[s.index] == State::kUnknown) {
        ++entry.unknowns;
        users_[s.index].push_back(index);
      }
    }
    entries_.push_back(std::move(entry));
    if (entries_[index].unknowns == 1) enqueue(index);
  }

  void enqueue(std::size_t index) {
    const Entry& entry = entries_[index];
    if (!entry.flow) (entry.motion ? motion_queue_ : position_queue_).push_back(index);
  }

  void drain() {
    while (!position_queue_.empty() || !motion_queue_.empty()) {
      std::deque<std::size_t>& queue = position_queue_.empty() ? motion_queue_ : position_queue_;
      const std::size_t index = queue.front();
      queue.pop_front();
      solve(index);
    }
  }

  void solve(std::size_t index) {
    const Expr residual = entries_[index].equation.residual;
    if (entries_[index].unknowns != 1) return;
    VariableId unknown;
    for (const Symbol s : symbols_of(pool_, residual)) {
      if (s.kind == SymbolKind::kVariable && state_[s.index] == State::kUnknown) {
        unknown = VariableId{s.index};
      }
    }
    if (!entries_[index].derived && only_received(entries_[index].equation.part, unknown)) return;
    const Symbol symbol{SymbolKind::kVariable, unknown.value};
    AffineForm form;
    if (!affine_form(
            pool_, residual, [&](Symbol s) { return s == symbol; }, form))
      return;
    if (form.coefficients.empty() || !solvable(form.coefficients[0].second)) return;
    entries_[index].used = true;
    if (index < classes_.equations.size()) result_.source[unknown.value] = index;
    define(unknown, resolve(pool_.div(pool_.neg(form.rest), form.coefficients[0].second)));
  }

  // The part takes v from elsewhere, and has no variable of its own that is equal to it.
  bool only_received(PartId part, VariableId v) const {
    bool received = false;
    for (const VariableId member : classes_.members[v.value]) {
      const FlatVariable& variable = flat_.variables[member];
      if (variable.part == part && !variable.input) return false;
      received = received || is_received(flat_, part, member);
    }
    return received;
  }

  // A zero coefficient cannot be divided by, unless it is the reciprocal of an infinite stiffness:
  // the quotient is then the stiffness itself, whose limit is taken later by rule.
  bool solvable(Expr coefficient) {
    if (!is_parametric(pool_, coefficient)) return true;
    const double value = nominal_value(pool_, flat_, coefficient);
    if (value != 0) return true;
    for (const Symbol s : symbols_of(pool_, coefficient)) {
      if (std::isinf(flat_.parameters[ParameterId{s.index}].value)) return true;
    }
    return false;
  }

  void define(VariableId v, Expr value) {
    mark_known(v, value);
    const VariableId rate = classes_.derivative[v.value];
    if (!rate.valid() || !has_rate(value)) return;
    // The derivative of a known variable is one more equation: a definition in the usual case, a
    // check when the model defines both.
    const Expr total = time_derivative(pool_, value, [&](Symbol s) { return rate_of(s); });
    add_equation({pool_.sub(variable(rate), total), PartId{0}, span_of(v), {}}, true);
  }

  // Accelerations and dry friction jump; nothing gives their rates.
  bool has_rate(Expr value) const {
    return !is_set_valued(pool_, value) &&
           !depends_on(pool_, value, [](Symbol s) { return s.kind == SymbolKind::kAcceleration; });
  }

  Span span_of(VariableId v) const {
    return v.value < flat_.variables.size() ? flat_.variables[v].span : Span{};
  }

  Expr rate_of(Symbol s) {
    switch (s.kind) {
      case SymbolKind::kTime:
        return pool_.one();
      case SymbolKind::kVelocity:
        return pool_.symbol(SymbolKind::kAcceleration, s.index);
      case SymbolKind::kVariable:
        if (classes_.position[s.index]) return pool_.symbol(SymbolKind::kVelocity, s.index);
        return variable(classes_.derivative[s.index]);
      default:
        return Expr{};
    }
  }

  void promote_states() {
    for (std::uint32_t i = 0; i < classes_.count(); ++i) {
      const VariableId v{i};
      if (classes_.representative[i] != v || state_[i] != State::kUnknown) continue;
      if (!classes_.derivative[i].valid()) continue;
      result_.signal_states.push_back(v);
      mark_known(v, variable(v));
    }
  }

  Expr resolve(Expr e) {
    return substitute(pool_, e, [&](Symbol s) {
      return s.kind == SymbolKind::kVariable ? result_.value[s.index] : Expr{};
    });
  }

  void collect() {
    for (const Entry& entry : entries_) {
      if (entry.used) continue;
      WorkEquation equation = entry.equation;
      equation.residual = resolve(equation.residual);
      if (pool_.is_zero(equation.residual)) continue;
      const bool forces = entry.flow || entry.unknowns > 0;
      (forces ? result_.force_equations : result_.constraints).push_back(equation);
    }
  }

  ExprPool& pool_;
  const FlatModel& flat_;
  const VariableClasses& classes_;
  std::vector<State> state_;
  std::vector<std::vector<std::size_t>> users_;  // equations waiting for a variable
  std::vector<Entry> entries_;
  std::deque<std::size_t> position_queue_, motion_queue_;
  Definitions result_;
};

}  // namespace

Definitions define_variables(ExprPool& pool, const FlatModel& flat,
                             const VariableClasses& classes) {
  return Closure(pool, flat, classes).run();
}

}  // namespace luztar
