// Kinds of tokens, for what is said about a text that is not in the language.
#pragma once

#include "compiler/syntax/keyword_names.h"
#include "compiler/syntax/parse_tree.h"

namespace luztar {

/// A word that cannot be a name.
[[nodiscard]] inline bool is_keyword(std::size_t type) {
  return type < LuzTarLexer::ASSIGN && !keyword_is_name(type);
}

/// What an operand can end with.
[[nodiscard]] inline bool ends_value(std::size_t type) {
  return type == LuzTarLexer::IDENTIFIER || type == LuzTarLexer::NUMBER ||
         type == LuzTarLexer::RPAREN || type == LuzTarLexer::RBRACKET ||
         type == LuzTarLexer::RBRACE || type == LuzTarLexer::TRUE || type == LuzTarLexer::FALSE;
}

/// A word that begins an equation that has an end of its own.
[[nodiscard]] inline bool opens_block(std::size_t type) {
  return type == LuzTarLexer::FOR || type == LuzTarLexer::IF || type == LuzTarLexer::WHEN ||
         type == LuzTarLexer::WHILE;
}

}  // namespace luztar
