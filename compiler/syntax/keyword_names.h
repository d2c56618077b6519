// Words of the language that a text uses as names.
#pragma once

#include "compiler/base/diagnostics.h"
#include "compiler/syntax/expression_builder.h"
#include "compiler/syntax/parse_tree.h"

namespace luztar {

/// A keyword that is a name, too, outside of studies.
[[nodiscard]] bool keyword_is_name(std::size_t token_type);

/// Reports each word that stands as a name where it cannot be a keyword, once, and makes names of
/// its tokens: what follows is read as it was meant, and gives no errors of its own.
void report_keyword_names(antlr4::CommonTokenStream& tokens, const TokenOffsets& offsets,
                          FileId file, Diagnostics& diagnostics);

}  // namespace luztar
