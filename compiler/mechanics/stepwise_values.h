// Unknowns that equations give one after the other.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <vector>

#include "compiler/symbolic/operations.h"

namespace luztar {

/// From equations `residual = 0`: the value of the single unknown of one that is linear in it makes
/// it known in the others, and so on.
///   cost: linear in the size of the equations
class StepwiseValues {
 public:
  struct Value {
    Expr value;  // without unknowns
    std::size_t equation = 0;
  };
  /// Whether the value is to be taken: from `equation`, where the unknown has this coefficient.
  using Accept =
      std::function<bool(std::size_t equation, Symbol unknown, Expr coefficient, Expr value)>;

  StepwiseValues(ExprPool& pool, std::vector<Expr> equations,
                 std::function<bool(Symbol)> is_unknown, Accept accept);

  [[nodiscard]] const std::map<Symbol, Value>& values() const { return values_; }
  /// An equation with the values that others give.
  [[nodiscard]] Expr insert(std::size_t equation) const;

 private:
  void solve(std::size_t equation);
  [[nodiscard]] std::vector<Symbol> unknowns(Expr e) const;

  ExprPool& pool_;
  std::vector<Expr> equations_;
  std::function<bool(Symbol)> is_unknown_;
  Accept accept_;
  std::map<Symbol, std::vector<std::size_t>> users_;  // equations that hold the unknown
  std::vector<std::size_t> open_;                     // unknowns of an equation without a value
  std::vector<std::size_t> work_;                     // equations with one open unknown
  std::map<Symbol, Value> values_;
};

}  // namespace luztar
