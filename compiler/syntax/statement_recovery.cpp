#include "compiler/syntax/statement_recovery.h"

#include "compiler/syntax/token_kinds.h"

namespace luztar {
namespace {

using P = LuzTarParser;
using L = LuzTarLexer;

/// The innermost statement or declaration around a place in the text, and whether that place is in
/// the head of a loop or if equation.
struct Enclosing {
  bool found = false;
  bool in_head = false;
};

Enclosing enclosing_statement(antlr4::ParserRuleContext* context) {
  Enclosing result;
  antlr4::RuleContext* at = context;
  for (; at != nullptr; at = dynamic_cast<antlr4::RuleContext*>(at->parent)) {
    auto* rule = dynamic_cast<antlr4::ParserRuleContext*>(at);
    if (rule == nullptr) return {};
    switch (rule->getRuleIndex()) {
      case P::RuleFor_equation:
      case P::RuleWhile_equation:
        result.in_head = rule->getTokens(L::LOOP).empty();
        break;
      case P::RuleIf_equation:
      case P::RuleWhen_equation:
        result.in_head = rule->getTokens(L::THEN).empty();
        break;
      case P::RuleEquation:
        // `if` and what cannot follow it: the rule of the block has not begun yet
        if (rule == context && opens_block(rule->getStart()->getType())) result.in_head = true;
        result.found = true;
        return result;
      case P::RuleElement_section:
      case P::RuleStatement:
      case P::RuleStudy_item:
      case P::RuleExternal_clause:
        result.found = true;
        return result;
      case P::RuleClass_specifier:
      case P::RuleComposition:
      case P::RuleEquation_list:
      case P::RuleStudy:
        return {};
      default:
        break;
    }
  }
  return {};
}

/// Whether a statement begins behind a token.
bool ends_statement(std::size_t type) {
  return type == L::SEMI || type == L::LOOP || type == L::THEN || type == L::ELSE;
}

/// `end` of a class or block, not the last element of an array.
bool is_closing(antlr4::TokenStream& tokens) {
  const std::size_t next = tokens.LA(2);
  return tokens.LA(1) == L::END && (next == L::IDENTIFIER || opens_block(next) || next == L::SEMI);
}

/// To the ';' of this statement, or to where it can go on without one.
void skip_statement(antlr4::TokenStream& tokens) {
  while (true) {
    const std::size_t type = tokens.LA(1);
    const bool section =
        type == L::EQUATION || type == L::ALGORITHM || type == L::PUBLIC || type == L::PROTECTED;
    if (type == L::SEMI || type == antlr4::Token::EOF || section || is_closing(tokens)) return;
    tokens.consume();
  }
}

/// Behind the `end for` or `end if` of the equation whose head is being read.
void skip_block(antlr4::TokenStream& tokens) {
  std::size_t depth = 1;
  while (tokens.LA(1) != antlr4::Token::EOF) {
    if (is_closing(tokens)) {
      if (!opens_block(tokens.LA(2))) return;
      tokens.consume();
      if (--depth == 0) return tokens.consume();
    } else if (opens_block(tokens.LA(1)) && ends_statement(tokens.LA(-1))) {
      ++depth;
    }
    tokens.consume();
  }
}

}  // namespace

void StatementRecovery::recover(antlr4::Parser* parser, std::exception_ptr error) {
  antlr4::TokenStream& tokens = *parser->getTokenStream();
  const Enclosing around = enclosing_statement(parser->getContext());
  if (!around.found || tokens.index() == last_) {
    antlr4::DefaultErrorStrategy::recover(parser, error);
  } else if (around.in_head) {
    skip_block(tokens);
  } else {
    skip_statement(tokens);
  }
  last_ = tokens.index();
}

// A statement that goes on where only its ';' can stand: the section around it goes on behind it.
antlr4::Token* StatementRecovery::recoverInline(antlr4::Parser* parser) {
  const antlr4::atn::ATN& atn = parser->getATN();
  const antlr4::misc::IntervalSet wanted = atn.nextTokens(atn.states[parser->getState()]);
  if (wanted.size() != 1 || !wanted.contains(static_cast<ssize_t>(L::SEMI))) {
    return antlr4::DefaultErrorStrategy::recoverInline(parser);
  }
  if (antlr4::Token* matched = singleTokenDeletion(parser)) {
    parser->consume();
    return matched;
  }
  antlr4::TokenStream& tokens = *parser->getTokenStream();
  const bool next_line = tokens.LT(-1)->getLine() < tokens.LT(1)->getLine();
  if (next_line && singleTokenInsertion(parser)) return getMissingSymbol(parser);
  reportUnwantedToken(parser);
  skip_statement(tokens);
  antlr4::Token* end = parser->getCurrentToken();
  if (end->getType() != L::SEMI) return getMissingSymbol(parser);
  parser->consume();
  return end;
}

// Never drops the end of a statement.
antlr4::Token* StatementRecovery::singleTokenDeletion(antlr4::Parser* parser) {
  const std::size_t type = parser->getCurrentToken()->getType();
  if (type == L::SEMI || type == L::END) return nullptr;
  return antlr4::DefaultErrorStrategy::singleTokenDeletion(parser);
}

}  // namespace luztar
