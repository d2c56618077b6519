#include "compiler/syntax/keyword_names.h"

#include <set>
#include <string>
#include <vector>

namespace luztar {
namespace {

/// A keyword that is always followed by a name or another keyword.
bool introduces_name(std::size_t type) {
  switch (type) {
    case LuzTarLexer::BLOCK:
    case LuzTarLexer::CLASS:
    case LuzTarLexer::CONNECTOR:
    case LuzTarLexer::CONSTANT:
    case LuzTarLexer::DISCRETE:
    case LuzTarLexer::EACH:
    case LuzTarLexer::ENCAPSULATED:
    case LuzTarLexer::EXPANDABLE:
    case LuzTarLexer::EXTENDS:
    case LuzTarLexer::FINAL:
    case LuzTarLexer::FLOW:
    case LuzTarLexer::FUNCTION:
    case LuzTarLexer::IMPORT:
    case LuzTarLexer::INITIAL:
    case LuzTarLexer::INNER:
    case LuzTarLexer::INPUT:
    case LuzTarLexer::MODEL:
    case LuzTarLexer::OPERATOR:
    case LuzTarLexer::OUTER:
    case LuzTarLexer::OUTPUT:
    case LuzTarLexer::PACKAGE:
    case LuzTarLexer::PARAMETER:
    case LuzTarLexer::PARTIAL:
    case LuzTarLexer::RECORD:
    case LuzTarLexer::REDECLARE:
    case LuzTarLexer::REPLACEABLE:
    case LuzTarLexer::STREAM:
    case LuzTarLexer::TYPE:
      return true;
    default:
      return false;
  }
}

/// A sign that goes on from a name, or ends it. Not '.': `parameter .Units.Mass m`.
bool follows_name(std::size_t type) {
  return type >= LuzTarLexer::ASSIGN && type != LuzTarLexer::IDENTIFIER &&
         type != LuzTarLexer::NUMBER && type != LuzTarLexer::STRING && type != LuzTarLexer::OTHER &&
         type != LuzTarLexer::LBRACE && type != LuzTarLexer::DOT && type != antlr4::Token::EOF;
}

/// The call final(x) or initial(), not a declaration as in `Real final(start = 1)`.
bool is_call(const std::vector<antlr4::Token*>& all, std::size_t i) {
  const std::size_t type = all[i]->getType();
  if (type != LuzTarLexer::FINAL && type != LuzTarLexer::INITIAL) return false;
  if (i == 0 || all[i + 1]->getType() != LuzTarLexer::LPAREN) return false;
  const std::size_t before = all[i - 1]->getType();
  return before != LuzTarLexer::IDENTIFIER && before != LuzTarLexer::RBRACKET;
}

}  // namespace

bool keyword_is_name(std::size_t type) {
  switch (type) {
    case LuzTarLexer::STUDY:
    case LuzTarLexer::VARY:
    case LuzTarLexer::MEASURE:
    case LuzTarLexer::CARRY:
    case LuzTarLexer::UPDOWN:
    case LuzTarLexer::OF:
    case LuzTarLexer::WITH:
      return true;
    default:
      return false;
  }
}

void report_keyword_names(antlr4::CommonTokenStream& tokens, const TokenOffsets& offsets,
                          FileId file, Diagnostics& diagnostics) {
  std::set<std::string> reported;
  const std::vector<antlr4::Token*> all = tokens.getTokens();
  for (std::size_t i = 0; i + 1 < all.size(); ++i) {
    auto* token = dynamic_cast<antlr4::WritableToken*>(all[i]);
    if (token == nullptr || token->getType() >= LuzTarLexer::ASSIGN) continue;
    if (keyword_is_name(token->getType())) continue;
    const std::size_t next = all[i + 1]->getType();
    const bool member = i > 0 && all[i - 1]->getType() == LuzTarLexer::DOT;
    // "input.flange_a", without a space: `in .5` has one
    const bool has_member =
        next == LuzTarLexer::DOT && all[i + 1]->getStartIndex() == token->getStopIndex() + 1;
    const bool alone = introduces_name(token->getType()) && follows_name(next) && !is_call(all, i);
    if (!member && !has_member && !alone) continue;
    if (reported.insert(token->getText()).second) {
      diagnostics
          .error(Code::kSyntax, offsets.span(file, token, token),
                 "'" + token->getText() + "' is a word of the language and cannot be a name")
          .with_note("choose another name");
    }
    token->setType(LuzTarLexer::IDENTIFIER);
  }
}

}  // namespace luztar
