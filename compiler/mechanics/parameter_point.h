// Numerical points at which symbolic coefficients are inspected.
#pragma once

#include <cstdint>

#include "compiler/semantics/flat_model.h"
#include "compiler/symbolic/operations.h"
#include "compiler/symbolic/sized_point.h"
#include "compiler/symbolic/symbol_test.h"

namespace luztar {

/// Values at which an expression is an identity only if it is one symbolically: free parameters are
/// moved off their nominal values at random (0 and inf become positive numbers), bound parameters
/// follow their bindings, every other symbol gets a random value. Two runs give the same numbers.
[[nodiscard]] SymbolValues generic_values(const ExprPool& pool, const FlatModel& flat,
                                          std::uint64_t seed);

/// Those of the compiled model, and for all else random ones.
[[nodiscard]] SymbolValues values_at_parameters(const ExprPool& pool, const FlatModel& flat);

/// Parameter expressions in the compiled model, each node looked at once: for passes that ask about
/// expressions which share much.
class NominalPoint {
 public:
  NominalPoint(const ExprPool& pool, const FlatModel& flat);

  /// As `nominal_value` and `is_parametric`.
  [[nodiscard]] double value(Expr e) const { return value_(e); }
  [[nodiscard]] bool is_parametric(Expr e) const { return !varies_(e); }

 private:
  mutable PointEvaluator value_;
  mutable SymbolTest varies_;
};

/// True when e is zero as an expression: symbolically, or up to rounding at two generic points near
/// the present one and at two whose parameters are of order one, all of them positive at one.
/// Remembers the nodes it has evaluated.
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
  [[nodiscard]] const NominalPoint& nominal() const { return nominal_; }

 private:
  const ExprPool& pool_;
  const FlatModel& flat_;
  NominalPoint nominal_;
  mutable SizedPoint sizes_, first_sizes_, second_sizes_, sizes_at_one_, sizes_at_positive_;
  mutable PointEvaluator first_, second_;
};

/// The value of a parameter expression in the compiled model (may be infinite or NaN).
[[nodiscard]] double nominal_value(const ExprPool& pool, const FlatModel& flat, Expr e);

/// True when e depends on an infinite parameter: it stands for a limit that is taken by rule.
[[nodiscard]] bool holds_infinity(const ExprPool& pool, const FlatModel& flat, Expr e);

/// True when e holds parameters and constants only.
[[nodiscard]] bool is_parametric(const ExprPool& pool, Expr e);

}  // namespace luztar
