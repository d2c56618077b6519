// A syntax tree as text with every field but the spans, for comparing trees.
#pragma once

#include <string>

#include "compiler/syntax/ast.h"

namespace luztar::test {

/// Equal for two trees that differ in spans and in the numbering of their nodes at most.
[[nodiscard]] std::string tree_text(const Ast& ast);

}  // namespace luztar::test
