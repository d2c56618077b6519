// Expressions as text in the syntax of the language.
#pragma once

#include <string>

#include "compiler/symbolic/expr.h"

namespace luztar {

/// Valid source text for e; numbers print with the fewest digits that read back to the same value.
[[nodiscard]] std::string to_text(const ExprPool& pool, Expr e, const SymbolNames& names);

/// Shortest decimal text that reads back to the same double; "inf", "-inf", "nan".
[[nodiscard]] std::string number_text(double value);

}  // namespace luztar
