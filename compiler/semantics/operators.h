// Operators on values: of scalars, and of arrays element by element or as in linear algebra.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/semantics/elaboration.h"

namespace luztar {

/// Operands of one operator; each is valid.
struct Operands {
  std::vector<Value> values;
  std::vector<Span> spans;
};

/// `-a`, `+a`, `not a`
///   errors: LT2015
[[nodiscard]] Value apply_unary(Elaboration& elaboration, const std::string& op,
                                const Operands& operands);

/// A chain a op b op c of sums or products, or two operands of any other operator; `ops` are the
/// operators between the operands, `.*` the element-wise one.
///   errors: LT2003, LT2015, LT2026
[[nodiscard]] Value apply_operators(Elaboration& elaboration, const std::vector<std::string>& ops,
                                    const Operands& operands, Span span);

/// [condition, value]..., else
///   errors: LT2003, LT2015, LT2026
[[nodiscard]] Value apply_if(Elaboration& elaboration, const Operands& operands);

/// {a, b}: the operands are the elements, scalars or arrays of one size.
///   errors: LT2015, LT2026
[[nodiscard]] Value array_of(Elaboration& elaboration, const Operands& operands, Span span);

/// The size that arrays among the operands share, scalars left aside; nothing, after LT2026, when
/// they differ. `what` is "'sin'" or "the condition".
[[nodiscard]] std::optional<Shape> common_shape(Elaboration& elaboration, const Operands& operands,
                                                const std::string& what);

/// Integer when all values are, else Real or Boolean.
[[nodiscard]] ScalarType common_type(const std::vector<Value>& values);

/// Every element of `value` through a function of expressions that keeps the unit.
template <class Function>
[[nodiscard]] Value map_elements(const Value& value, ScalarType type, Function function) {
  Value result = value;
  result.type = type;
  if (!value.is_array()) result.e = function(value.e);
  for (Expr& element : result.elements) element = function(element);
  return result;
}

}  // namespace luztar
