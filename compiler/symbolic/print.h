// Expressions as text in the syntax of the language.
#pragma once

#include <cstddef>
#include <string>

#include "compiler/symbolic/expr.h"

namespace luztar {

/// Valid source text for e; numbers print with the fewest digits that read back to the same value.
[[nodiscard]] std::string to_text(const ExprPool& pool, Expr e, const SymbolNames& names);

/// The beginning of that text, about `length` characters, then " ...": the text of an expression
/// that shares its parts may be exponentially longer than the expression.
[[nodiscard]] std::string beginning_of_text(const ExprPool& pool, Expr e, const SymbolNames& names,
                                            std::size_t length);

/// Shortest decimal text that reads back to the same double; "inf", "-inf", "nan".
[[nodiscard]] std::string number_text(double value);

}  // namespace luztar
