// Studies of the parse tree.
#pragma once

#include "compiler/syntax/ast.h"
#include "compiler/syntax/expression_builder.h"
#include "compiler/syntax/parse_tree.h"

namespace luztar {

/// `build` adds expressions to `ast`.
[[nodiscard]] AstClass build_study(LuzTarParser::StudyContext* study, const Ast& ast,
                                   ExpressionBuilder& build);

}  // namespace luztar
