// Algorithms of the parse tree: only the assignments of functions.
#pragma once

#include "compiler/base/diagnostics.h"
#include "compiler/syntax/ast.h"
#include "compiler/syntax/expression_builder.h"
#include "compiler/syntax/parse_tree.h"

namespace luztar {

/// Adds the assignments of a section to the function `result`; `build` adds expressions to `ast`.
///   errors: LT1001 '=' for ':=', LT1008 Modelica constructs outside the subset
void build_algorithm(LuzTarParser::Algorithm_sectionContext* section, const Ast& ast,
                     ExpressionBuilder& build, Diagnostics& diagnostics, AstClass& result);

}  // namespace luztar
