// Parse tree to syntax tree.
#pragma once

#include "compiler/base/diagnostics.h"
#include "compiler/syntax/ast.h"
#include "compiler/syntax/expression_builder.h"
#include "compiler/syntax/parse_tree.h"

namespace luztar {

/// Builds the tree of a file that parsed without errors.
///   errors: LT1004 end name, LT1008 Modelica constructs outside the subset
[[nodiscard]] Ast build_ast(LuzTarParser::FileContext* tree, const TokenOffsets& offsets,
                            FileId file, Diagnostics& diagnostics);

}  // namespace luztar
