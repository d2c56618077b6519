// Numerical points at which symbolic coefficients are inspected.
#pragma once

#include <cstdint>

#include "compiler/semantics/flat_model.h"
#include "compiler/symbolic/expr.h"

namespace luztar {

/// Values at which an expression is an identity only if it is one symbolically: free parameters are
/// moved off their nominal values at random (0 and inf become positive numbers), bound parameters
/// follow their bindings, every other symbol gets a random value. Two runs give the same numbers.
[[nodiscard]] SymbolValues generic_values(const ExprPool& pool, const FlatModel& flat,
                                          std::uint64_t seed);

/// True when e is zero as an expression: symbolically, or at two generic points up to rounding.
class IdentityTest {
 public:
  IdentityTest(const ExprPool& pool, const FlatModel& flat);

  [[nodiscard]] bool is_zero(Expr e) const;
  /// Zero as an expression, or for the present parameter values, relative to the terms it is the
  /// sum of: ratios may be of any size. The compliance 1/k of an infinite
  /// stiffness k does not vanish: its limit is taken by rule.
  [[nodiscard]] bool vanishes(Expr e) const;
  /// a = b, relative to the size of both.
  [[nodiscard]] bool equal(Expr a, Expr b) const;
  /// e at the first generic point.
  [[nodiscard]] double sample(Expr e) const;

 private:
  const ExprPool& pool_;
  const FlatModel& flat_;
  SymbolValues first_, second_;
};

/// The value of a parameter expression in the compiled model (may be infinite or NaN).
[[nodiscard]] double nominal_value(const ExprPool& pool, const FlatModel& flat, Expr e);

/// True when e holds parameters and constants only.
[[nodiscard]] bool is_parametric(const ExprPool& pool, Expr e);

}  // namespace luztar
