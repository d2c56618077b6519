// Misspelt words of the language.
#pragma once

#include "compiler/base/diagnostics.h"
#include "compiler/syntax/expression_builder.h"
#include "compiler/syntax/parse_tree.h"

namespace luztar {

/// Reports names that stand where only a word of the language can, and are nearly one ("modle M",
/// "paramter Real k"), and makes that word of their tokens: what follows is read as it was meant,
/// and gives no errors of its own.
///   pre: the text is not in the language as it stands     cost: O(tokens)
void report_keyword_spelling(antlr4::CommonTokenStream& tokens, const TokenOffsets& offsets,
                             FileId file, Diagnostics& diagnostics);

}  // namespace luztar
