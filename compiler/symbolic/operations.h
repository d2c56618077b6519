// Walks over expressions: evaluation, differentiation, substitution, dependence. None recurses on
// the C++ stack.
#pragma once

#include <functional>
#include <vector>

#include "compiler/symbolic/expr.h"
#include "compiler/symbolic/node_map.h"

namespace luztar {

/// Numerical value; luz inside its dead zone is exactly 0. dryfriction is evaluated as
/// kinetic*sign(w) (0 at w = 0). kDer is not allowed: throws InternalError.
[[nodiscard]] double evaluate(const ExprPool& pool, Expr e, const SymbolValues& values);

/// The same for many expressions that share subexpressions.
[[nodiscard]] std::vector<double> evaluate(const ExprPool& pool, std::span<const Expr> expressions,
                                           const SymbolValues& values);

/// The same for one expression after the other at one point, each node once.
class PointEvaluator {
 public:
  PointEvaluator(const ExprPool& pool, SymbolValues values)
      : pool_(pool), values_(std::move(values)) {}
  [[nodiscard]] double operator()(Expr e);

 private:
  const ExprPool& pool_;
  SymbolValues values_;
  NodeMap<double> known_;
  std::vector<Expr> stack_;  // of one walk, empty between two
  std::vector<double> args_;
};

/// The value of one operation on evaluated arguments (shared by the interpreter and constant
/// folding). Call it as luztar::apply: with a std::vector, std::apply would be found as well.
[[nodiscard]] double apply(Op op, std::span<const double> args);

/// e with symbols replaced.
[[nodiscard]] Expr substitute(ExprPool& pool, Expr e, const SymbolMap& replacement);

/// The same for many expressions that share subexpressions.
[[nodiscard]] std::vector<Expr> substitute(ExprPool& pool, std::span<const Expr> expressions,
                                           const SymbolMap& replacement);

/// Partial derivative, piecewise smooth: d luz(x, a)/dx = outside(x, a), d sign/dx = 0, jumps of
/// if, floor and relations have derivative 0.
[[nodiscard]] Expr derivative(ExprPool& pool, Expr e, Symbol with_respect_to);

/// Total time derivative: `rate(s)` is the rate of a symbol (an invalid Expr or zero: constant in
/// time; the rate of time itself is 1 unless `rate` gives another).
[[nodiscard]] Expr time_derivative(ExprPool& pool, Expr e, const SymbolMap& rate);

/// The symbols that occur in e, each once, in the order of first occurrence from the left.
[[nodiscard]] std::vector<Symbol> symbols_of(const ExprPool& pool, Expr e);

/// True when `predicate` holds for some symbol of e.
[[nodiscard]] bool depends_on(const ExprPool& pool, Expr e,
                              const std::function<bool(Symbol)>& predicate);

/// True when e or one of its subexpressions is such an operation.
[[nodiscard]] bool contains(const ExprPool& pool, Expr e, Op op);

/// True when e holds a set-valued operation: dryfriction or hardstop.
[[nodiscard]] bool is_set_valued(const ExprPool& pool, Expr e);

/// e as sum of products: distributes products over sums and integer powers up to 16 of sums
/// (not below functions).
[[nodiscard]] Expr expand(ExprPool& pool, Expr e);

/// e = sum_i coefficient_i * symbol_i + rest, for the symbols accepted by `is_unknown`.
struct AffineForm {
  std::vector<std::pair<Symbol, Expr>> coefficients;  // sorted by symbol
  Expr rest;
};
/// Returns false when e is not affine in the accepted symbols. Coefficients and rest are free of
/// them.
[[nodiscard]] bool affine_form(ExprPool& pool, Expr e,
                               const std::function<bool(Symbol)>& is_unknown, AffineForm& form);

/// Nodes reachable from `roots`, arguments before users.
[[nodiscard]] std::vector<Expr> topological_order(const ExprPool& pool,
                                                  std::span<const Expr> roots);

}  // namespace luztar
