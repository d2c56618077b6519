// Expressions as written to symbolic expressions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/semantics/elaboration.h"

namespace luztar {

/// The meaning of an expression; without a valid `e` it has none, and that has been reported.
struct Value {
  Expr e;
  ScalarType type = ScalarType::kReal;
  [[nodiscard]] bool valid() const { return e.valid(); }
};

/// Converts expressions in the scope where they are written. Long sums and deep nesting cost no
/// stack.
///   errors: LT1009, LT2002, LT2015, LT2016, LT2023, LT2024
[[nodiscard]] Value build_expression(Elaboration& elaboration, const Scope& scope, AstExprId root);

/// The same, with a report (LT2015) unless the value is a number; invalid then.
[[nodiscard]] Expr build_number(Elaboration& elaboration, const Source& source);
/// The same for true and false.
[[nodiscard]] Expr build_condition(Elaboration& elaboration, const Source& source);

/// The component a name leads to; invalid or of kind kUnknown when that has been reported.
///   errors: LT1009, LT2002
[[nodiscard]] InstanceId resolve_component(Elaboration& elaboration, const Scope& scope,
                                           const AstName& name);

/// True when the value of `e` is known before the simulation.
[[nodiscard]] bool is_known_before_start(const ExprPool& pool, Expr e);

}  // namespace luztar
