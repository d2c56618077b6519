#include "compiler/mechanics/definitions.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <utility>

#include "compiler/mechanics/parameter_point.h"
#include "compiler/mechanics/stepwise_values.h"
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
    by_force_.resize(classes.count());
  }

  Definitions run() {
    seed_motion();
    for (const WorkEquation& equation : classes_.equations) add_equation(equation);
    drain();
    derive_forces();
    promote_states(true);
    derive_forces();
    promote_states(false);
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
    if (!may_give(entries_[index], unknown)) return;
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

  [[nodiscard]] bool may_give(const Entry& entry, VariableId v) const {
    return entry.derived || !only_received(flat_, classes_, entry.equation.part, v);
  }

  // A zero coefficient cannot be divided by, unless it is the reciprocal of an infinite stiffness:
  // the quotient is then the stiffness itself, whose limit is taken later by rule.
  bool solvable(Expr coefficient) {
    if (!is_parametric(pool_, coefficient)) return true;
    return nominal_value(pool_, flat_, coefficient) != 0 ||
           holds_infinity(pool_, flat_, coefficient);
  }

  void define(VariableId v, Expr value) {
    mark_known(v, value);
    if (classes_.derivative[v.value].valid() && has_rate(value)) add_rate(v, value);
  }

  // The derivative of a known variable is one more equation: a definition in the usual case, a
  // check when the model defines both.
  void add_rate(VariableId v, Expr value) {
    const VariableId rate = classes_.derivative[v.value];
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

  // Variables that have a derivative but no definition: those first whose derivative an equation
  // holds, with a start value or in place. Others may follow from them.
  void promote_states(bool differential) {
    std::vector<std::pair<int, VariableId>> candidates;
    for (std::uint32_t i = 0; i < classes_.count(); ++i) {
      const VariableId v{i};
      const VariableId rate = classes_.derivative[i];
      if (classes_.representative[i] != v || !rate.valid() || !may_be_state(v)) continue;
      if (differential && users_[rate.value].empty()) continue;
      const std::vector<VariableId>& members = classes_.members[i];
      const bool starts = std::any_of(members.begin(), members.end(), [&](VariableId member) {
        return flat_.variables[member].start_given != StartGiven::kNo;
      });
      const bool in_place = classes_.members[rate.value].empty();
      candidates.emplace_back(starts ? 0 : in_place ? 1 : 2, v);
    }
    std::sort(candidates.begin(), candidates.end());
    for (const auto& [order, v] : candidates) {
      if (!may_be_state(v)) continue;
      result_.signal_states.push_back(v);
      mark_known(v, variable(v));
      drain();
    }
  }

  [[nodiscard]] bool may_be_state(VariableId v) const {
    return state_[v.value] == State::kUnknown && !by_force_[v.value].valid();
  }

  // What equations give one after the other when forces count as unknowns, too. Nothing is defined
  // by that but rates: der(spring.tau) follows from the velocities.
  void derive_forces() {
    if (!wants_rates_of_forces()) return;
    const auto is_open = [&](Symbol s) {
      return s.kind == SymbolKind::kVariable && state_[s.index] != State::kKnown &&
             !by_force_[s.index].valid();
    };
    std::vector<Expr> residuals;
    for (const Entry& entry : entries_) {
      residuals.push_back(entry.used ? pool_.zero() : entry.equation.residual);
    }
    const auto accept = [&](std::size_t i, Symbol s, Expr coefficient, Expr) {
      return solvable(coefficient) && may_give(entries_[i], VariableId{s.index});
    };
    const StepwiseValues found(pool_, std::move(residuals), is_open, accept);
    for (const auto& [symbol, given] : found.values()) {
      by_force_[symbol.index] = with_forces(given.value);
    }
    for (std::uint32_t i = 0; i < classes_.count(); ++i) {
      const VariableId rate = classes_.derivative[i];
      if (!by_force_[i].valid() || !rate.valid() || state_[rate.value] == State::kKnown) continue;
      if (has_rate(by_force_[i]) && !holds_infinity(pool_, flat_, by_force_[i]))
        add_rate(VariableId{i}, by_force_[i]);
    }
    drain();
  }

  [[nodiscard]] bool wants_rates_of_forces() const {
    for (std::uint32_t i = 0; i < classes_.count(); ++i) {
      const VariableId rate = classes_.derivative[i];
      if (!rate.valid() || state_[rate.value] == State::kKnown) continue;
      if (state_[i] != State::kKnown && !by_force_[i].valid()) return true;
    }
    return false;
  }

  Expr with_forces(Expr e) {
    return substitute(pool_, e, [&](Symbol s) {
      if (s.kind != SymbolKind::kVariable) return Expr{};
      return result_.value[s.index].valid() ? result_.value[s.index] : by_force_[s.index];
    });
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
  std::vector<Expr> by_force_;  // by variable: see derive_forces
  Definitions result_;
};

}  // namespace

Definitions define_variables(ExprPool& pool, const FlatModel& flat,
                             const VariableClasses& classes) {
  return Closure(pool, flat, classes).run();
}

}  // namespace luztar
