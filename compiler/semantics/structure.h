// What has to be known at compile time: sizes, subscripts, ranges of loops and conditions of
// equations and components.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/semantics/expressions.h"

namespace luztar {

/// The value of an Integer expression of parameters; `what` is "a size", "a subscript".
///   errors: LT2015 (not an Integer), LT2030 (it changes with time)
[[nodiscard]] std::optional<std::int64_t> structural_integer(Elaboration& elaboration,
                                                             const Value& value, Span span,
                                                             const std::string& what);

/// The value of a condition on parameters; `advice` says what to write where it changes with time.
///   errors: LT2015, LT2030
[[nodiscard]] std::optional<bool> structural_condition(Elaboration& elaboration,
                                                       const Source& condition,
                                                       const std::string& what,
                                                       const std::string& advice);

/// Sizes of a declaration, one expression for each dimension; `:` takes that of `binding`.
///   errors: LT2027 (negative, too large, `:` without a value), LT2026 and those of expressions
[[nodiscard]] std::optional<Shape> declared_shape(Elaboration& elaboration,
                                                  const std::vector<Source>& dimensions,
                                                  const Source& binding, const std::string& name);

/// The elements of an array of this shape that subscripts select; missing ones select all.
///   errors: LT2025 and those of structural_integer
[[nodiscard]] std::optional<Selection> select_elements(Elaboration& elaboration, const Scope& scope,
                                                       const std::vector<AstExprId>& subscripts,
                                                       const Shape& shape, const std::string& name,
                                                       Span span);

/// Values of an iterator: those of a range or of any vector.
///   errors: LT2015 (no vector), LT2027 (too many passes)
[[nodiscard]] std::optional<std::vector<Value>> iteration_values(Elaboration& elaboration,
                                                                 const Scope& scope,
                                                                 AstExprId range);

/// Counts a pass through a loop or function; false, after LT2027, when there are too many.
[[nodiscard]] bool count_repetition(Elaboration& elaboration, Span span);

/// Conversions that wait for others are nested on the C++ stack: this keeps them from becoming too
/// many.
class NestingGuard {
 public:
  explicit NestingGuard(Elaboration& elaboration);
  NestingGuard(const NestingGuard&) = delete;
  NestingGuard& operator=(const NestingGuard&) = delete;
  ~NestingGuard();
  /// False, after LT1006, when there are too many.
  [[nodiscard]] bool admits(Span span) const;

 private:
  Elaboration& e_;
};

}  // namespace luztar
