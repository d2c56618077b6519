// Equations of the parse tree.
#pragma once

#include "compiler/base/diagnostics.h"
#include "compiler/syntax/ast.h"
#include "compiler/syntax/expression_builder.h"
#include "compiler/syntax/parse_tree.h"

namespace luztar {

/// Adds the equations of a section to `result`; `build` adds expressions to `ast`, too.
///   errors: LT1001 no equation, LT1008 Modelica constructs outside the subset
void build_equations(LuzTarParser::Equation_sectionContext* section, Ast& ast,
                     ExpressionBuilder& build, Diagnostics& diagnostics, AstClass& result);

}  // namespace luztar
