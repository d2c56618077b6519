// Expressions as written to symbolic expressions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/semantics/elaboration.h"

namespace luztar {

/// Converts expressions in the scope where they are written; array operations are carried out on
/// the elements. Long sums and deep nesting cost no stack.
///   errors: LT2002, LT2003, LT2014-LT2016, LT2023-LT2030
[[nodiscard]] Value build_expression(Elaboration& elaboration, const Scope& scope, AstExprId root);

/// The value of a source; for an element of an array of components, the part of the value that
/// belongs to it. The whole value is converted once.
///   errors: LT2026 when the sizes do not fit, and those of expressions
[[nodiscard]] Value build_value(Elaboration& elaboration, const Source& source);

/// The same, with a report (LT2015, LT2026) unless the value is one number; invalid then.
[[nodiscard]] Value build_number(Elaboration& elaboration, const Source& source);
/// The same for true and false.
[[nodiscard]] Expr build_condition(Elaboration& elaboration, const Source& source);

/// What a name leads to: one component, or those of an array.
struct Components {
  Shape shape;
  std::vector<InstanceId> items;  // row by row; one for a single component
  bool valid = false;             // else it has been reported
};

/// The components a name leads to.
///   errors: LT2002, LT2025, LT2026 and those of subscripts
[[nodiscard]] Components resolve_name(Elaboration& elaboration, const Scope& scope,
                                      const AstName& name);

/// True when the value of `e` is known before the simulation.
[[nodiscard]] bool is_known_before_start(const ExprPool& pool, Expr e);

}  // namespace luztar
