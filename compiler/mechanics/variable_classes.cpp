#include "compiler/mechanics/variable_classes.h"

#include <optional>
#include <unordered_map>
#include <utility>

#include "compiler/mechanics/union_find.h"
#include "compiler/symbolic/operations.h"

namespace luztar {
namespace {

// Classes of equal variables that keep derivatives consistent: x = y implies der(x) = der(y).
class Classes {
 public:
  explicit Classes(std::size_t count) : sets_(count), derivative_(count, kNone) {}

  std::size_t find(std::size_t i) { return sets_.find(i); }
  [[nodiscard]] std::size_t count() const { return sets_.size(); }

  void equate(std::size_t a, std::size_t b) {
    std::vector<std::pair<std::size_t, std::size_t>> work{{a, b}};
    while (!work.empty()) {
      const auto [x, y] = work.back();
      work.pop_back();
      const std::size_t rx = sets_.find(x);
      const std::size_t ry = sets_.find(y);
      if (rx == ry) continue;
      const std::size_t dx = derivative_[rx];
      const std::size_t dy = derivative_[ry];
      sets_.unite(rx, ry);
      derivative_[sets_.find(rx)] = dx != kNone ? dx : dy;
      if (dx != kNone && dy != kNone) work.emplace_back(dx, dy);
    }
  }

  void set_derivative(std::size_t x, std::size_t dx) {
    const std::size_t r = sets_.find(x);
    if (derivative_[r] == kNone) {
      derivative_[r] = dx;
    } else {
      equate(derivative_[r], dx);
    }
  }

  std::size_t derivative(std::size_t x) {
    const std::size_t r = sets_.find(x);
    if (derivative_[r] == kNone) {
      const std::size_t fresh = sets_.add();
      derivative_.push_back(kNone);
      derivative_[r] = fresh;
    }
    return sets_.find(derivative_[r]);
  }

  /// b is a, or its derivative, or one of a higher order.
  [[nodiscard]] bool leads_to(std::size_t a, std::size_t b) {
    const std::size_t end = find(b);
    std::size_t steps = 0;  // chains that equal variables have closed go round and round
    for (std::size_t r = find(a); steps <= derivative_.size(); ++steps) {
      if (r == end) return true;
      if (derivative_[r] == kNone) return false;
      r = find(derivative_[r]);
    }
    return false;
  }

  [[nodiscard]] bool has_derivative(std::size_t root) const { return derivative_[root] != kNone; }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  UnionFind sets_;
  std::vector<std::size_t> derivative_;
};

// Variables of which an equation takes the rate.
std::vector<std::size_t> variables_with_rates(const ExprPool& pool, const FlatModel& flat) {
  std::vector<Expr> sides;
  for (const FlatEquation& equation : flat.equations) {
    for (const Expr side : {equation.left, equation.right}) {
      if (contains(pool, side, Op::kDer)) sides.push_back(side);
    }
  }
  std::vector<std::size_t> result;
  for (const Expr e : topological_order(pool, sides)) {
    if (pool[e].op != Op::kDer) continue;
    if (const auto v = pool.variable_of(pool.arg(e, 0))) result.push_back(*v);
  }
  return result;
}

// Expressions without kDer: der of a variable is its derivative's variable, der of an expression
// its total derivative.
class DerivativeFree {
 public:
  DerivativeFree(ExprPool& pool, Classes& classes) : pool_(pool), classes_(classes) {}

  Expr operator()(Expr root) {
    if (!contains(pool_, root, Op::kDer)) return root;
    const Expr roots[] = {root};
    for (const Expr e : topological_order(pool_, roots)) {
      if (done_.contains(e)) continue;
      std::vector<Expr> args;
      for (const Expr a : pool_.args(e)) args.push_back(done_.at(a));
      Expr result = e;
      if (pool_[e].op == Op::kDer) {
        result = rate_of(args[0]);
      } else if (!args.empty()) {
        result = pool_.call(pool_[e].op, args);
      }
      done_.emplace(e, result);
    }
    return done_.at(root);
  }

 private:
  Expr rate_of(Expr e) {
    return time_derivative(pool_, e, [&](Symbol s) {
      if (s.kind != SymbolKind::kVariable) return Expr{};
      return pool_.symbol(SymbolKind::kVariable,
                          static_cast<std::uint32_t>(classes_.derivative(s.index)));
    });
  }

  ExprPool& pool_;
  Classes& classes_;
  std::unordered_map<Expr, Expr> done_;
};

// The variable v and the argument x of an equation v = der(x) or der(x) = v.
std::optional<std::pair<std::size_t, std::size_t>> derivative_pair(const ExprPool& pool, Expr left,
                                                                   Expr right) {
  for (const auto& [v, d] : {std::pair{left, right}, std::pair{right, left}}) {
    const auto variable = pool.variable_of(v);
    if (!variable || pool[d].op != Op::kDer) continue;
    const auto argument = pool.variable_of(pool.arg(d, 0));
    if (argument) return std::pair{*variable, *argument};
  }
  return std::nullopt;
}

bool is_within(const FlatModel& flat, PartId part, PartId whole) {
  for (PartId p = flat.parts[part].parent; p.valid(); p = flat.parts[p].parent) {
    if (p == whole) return true;
  }
  return false;
}

// Classes that move: those of potentials and their derivatives.
class MotionClasses {
 public:
  MotionClasses(const FlatModel& flat, Classes& classes)
      : classes_(classes), moves_(classes.count(), 0), in_chain_(classes.count(), 0) {
    for (const VariableId v : flat.variables.ids()) {
      const std::size_t i = v.value;
      if (flat.variables[v].role == VariableRole::kPotential) mark(moves_, i);
      if (classes_.has_derivative(classes_.find(i))) mark(in_chain_, i);
    }
  }

  [[nodiscard]] bool moves(std::size_t i) { return moves_[classes_.find(i)] != 0; }
  /// It moves, or is the relative position or velocity of what does as far as is known.
  [[nodiscard]] bool may_move(std::size_t i) {
    return moves(i) || in_chain_[classes_.find(i)] != 0;
  }
  void equate(std::size_t a, std::size_t b) {
    const bool motion = moves(a) || moves(b), chain = may_move(a) || may_move(b);
    classes_.equate(a, b);
    if (motion) mark(moves_, a);
    if (chain) mark(in_chain_, a);
  }

 private:
  void mark(std::vector<char>& flags, std::size_t i) {
    std::size_t root = classes_.find(i);
    flags[root] = 1;
    while (classes_.has_derivative(root)) {
      root = classes_.derivative(root);
      if (flags[root] != 0) break;  // x'' = x is a class that is its own derivative
      flags[root] = 1;
    }
  }

  Classes& classes_;
  std::vector<char> moves_, in_chain_;
};

// Potentials first, then flows, then the order of declaration.
std::vector<VariableId> choose_representatives(const FlatModel& flat, Classes& classes) {
  const auto rank = [&](std::size_t i) {
    if (i >= flat.variables.size()) return 3;
    switch (flat.variables[VariableId{i}].role) {
      case VariableRole::kPotential:
        return 0;
      case VariableRole::kFlow:
        return 1;
      default:
        return 2;
    }
  };
  std::vector<VariableId> best(classes.count());
  for (std::size_t i = 0; i < classes.count(); ++i) {
    VariableId& current = best[classes.find(i)];
    if (!current.valid() || rank(i) < rank(current.value)) current = VariableId{i};
  }
  std::vector<VariableId> result(classes.count());
  for (std::size_t i = 0; i < classes.count(); ++i) result[i] = best[classes.find(i)];
  return result;
}

// Parts' own positions: see VariableClasses::position.
void find_own_positions(const ExprPool& pool, const FlatModel& flat, VariableClasses& classes) {
  // A position may be the derivative of a signal (its integral), but of no other position: that has
  // it as its velocity.
  const auto candidate = [&](std::size_t i) {
    const VariableId w = classes.derivative[i], integral = classes.integral[i];
    return w.valid() && classes.derivative[w.value].valid() &&
           !(integral.valid() && classes.position[integral.value]) && !classes.flow[i];
  };
  std::vector<std::vector<std::size_t>> own;    // by equation between positions and candidates
  std::vector<std::vector<std::size_t>> users;  // of a candidate: such equations
  users.resize(classes.count());
  std::vector<std::size_t> tied;  // equations with a position
  for (const WorkEquation& equation : classes.equations) {
    bool only_positions = true, has_position = false;
    std::vector<std::size_t> candidates;
    for (const Symbol s : symbols_of(pool, equation.residual)) {
      if (s.kind != SymbolKind::kVariable) continue;
      if (classes.position[s.index]) {
        has_position = true;
      } else if (only_received(flat, classes, equation.part, VariableId{s.index})) {
        only_positions = false;  // a signal that the motion follows, with rates of its own
      } else if (candidate(s.index)) {
        candidates.push_back(s.index);
      } else {
        only_positions = false;
      }
    }
    if (!only_positions || candidates.empty()) continue;
    for (const std::size_t i : candidates) users[i].push_back(own.size());
    if (has_position) tied.push_back(own.size());
    own.push_back(std::move(candidates));
  }
  while (!tied.empty()) {
    const std::vector<std::size_t> found = std::move(own[tied.back()]);
    tied.pop_back();
    for (const std::size_t i : found) {
      if (classes.position[i]) continue;
      classes.position[i] = 1;
      tied.insert(tied.end(), users[i].begin(), users[i].end());
    }
  }
}

}  // namespace

bool is_received(const FlatModel& flat, PartId part, VariableId v) {
  const FlatVariable& variable = flat.variables[v];
  return (variable.input && variable.part == part) ||
         (variable.output && is_within(flat, variable.part, part));
}

bool only_received(const FlatModel& flat, const VariableClasses& classes, PartId part,
                   VariableId v) {
  bool received = false;
  for (const VariableId member : classes.members[v.value]) {
    const FlatVariable& variable = flat.variables[member];
    if (variable.part == part && !variable.input) return false;
    received = received || is_received(flat, part, member);
  }
  return received;
}

VariableClasses classify_variables(ExprPool& pool, const FlatModel& flat,
                                   const ConnectionSets& connections) {
  Classes classes(flat.variables.size());
  for (const auto& [a, b] : connections.equalities) classes.equate(a.value, b.value);

  std::vector<WorkEquation> pending;
  const auto keep = [&](FlatEquationId id) {
    const FlatEquation& equation = flat.equations[id];
    pending.push_back({pool.sub(equation.left, equation.right), equation.part, equation.span, id});
  };
  struct Assignment {  // of a received signal to another variable
    std::size_t signal, other;
    FlatEquationId equation;
  };
  std::vector<Assignment> assignments, forces;  // or: of a flow
  const auto is_flow = [&](std::size_t v) {
    return flat.variables[VariableId{v}].role == VariableRole::kFlow;
  };
  for (const FlatEquationId id : flat.equations.ids()) {
    const FlatEquation& equation = flat.equations[id];
    const auto received = [&](std::size_t v) {
      return is_received(flat, equation.part, VariableId{v});
    };
    const auto a = pool.variable_of(equation.left);
    const auto b = pool.variable_of(equation.right);
    if (a && b) {
      if (received(*a) == received(*b)) {
        if (is_flow(*a) == is_flow(*b)) {
          classes.equate(*a, *b);
        } else {
          forces.push_back({is_flow(*a) ? *a : *b, is_flow(*a) ? *b : *a, id});
        }
      } else {
        assignments.push_back({received(*a) ? *a : *b, received(*a) ? *b : *a, id});
      }
      continue;
    }
    const auto pair = derivative_pair(pool, equation.left, equation.right);
    if (pair && !received(pair->first) && !classes.leads_to(pair->first, pair->second)) {
      classes.set_derivative(pair->second, pair->first);
    } else {
      keep(id);
    }
  }
  // A force that is a state of the part's own, der(F) = .., is no name of the flow that follows it.
  std::vector<char> has_rate(classes.count(), 0);
  for (const std::size_t v : variables_with_rates(pool, flat)) has_rate[classes.find(v)] = 1;
  for (const auto& [flow, other, equation] : forces) {
    if (has_rate[classes.find(other)] != 0) {
      keep(equation);
    } else {
      const bool of_flow = has_rate[classes.find(flow)] != 0;
      classes.equate(flow, other);
      if (of_flow) has_rate[classes.find(flow)] = 1;
    }
  }
  // A signal that a motion follows keeps its own law, which may have states.
  MotionClasses motion(flat, classes);
  for (const auto& [signal, other, equation] : assignments) {
    if (motion.may_move(other) && !motion.moves(signal)) {
      keep(equation);
    } else {
      motion.equate(signal, other);
    }
  }
  DerivativeFree derivative_free(pool, classes);
  for (WorkEquation& equation : pending) equation.residual = derivative_free(equation.residual);

  VariableClasses result;
  for (const FlatAssertion& assertion : flat.assertions) {
    result.assertions.push_back(derivative_free(assertion.condition));
  }
  result.representative = choose_representatives(flat, classes);
  const std::size_t count = classes.count();
  result.derivative.resize(count);
  result.integral.resize(count);
  result.position.resize(count, 0);
  result.flow.resize(count, 0);
  result.members.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const VariableId r = result.representative[i];
    if (r.value == i && classes.has_derivative(classes.find(i))) {
      const VariableId d = result.representative[classes.derivative(i)];
      result.derivative[i] = d;
      result.integral[d.value] = r;
    }
    if (i >= flat.variables.size()) continue;
    const FlatVariable& variable = flat.variables[VariableId{i}];
    result.members[r.value].push_back(VariableId{i});
    if (variable.role == VariableRole::kPotential) result.position[r.value] = 1;
    if (variable.role == VariableRole::kFlow) result.flow[r.value] = 1;
  }
  const SymbolMap to_representative = [&](Symbol s) {
    if (s.kind != SymbolKind::kVariable) return Expr{};
    return pool.symbol(SymbolKind::kVariable, result.representative[s.index].value);
  };
  for (const WorkEquation& equation : pending) {
    const Expr residual = substitute(pool, equation.residual, to_representative);
    if (!pool.is_zero(residual))
      result.equations.push_back({residual, equation.part, equation.span, equation.source});
  }
  for (Expr& condition : result.assertions) {
    condition = substitute(pool, condition, to_representative);
  }
  find_own_positions(pool, flat, result);
  return result;
}

}  // namespace luztar
