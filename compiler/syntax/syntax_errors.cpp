#include "compiler/syntax/syntax_errors.h"

#include "compiler/syntax/token_kinds.h"

namespace luztar {
namespace {

using L = LuzTarLexer;

// What the parser expected, in words.
std::string expected_text(const antlr4::misc::IntervalSet& expected,
                          const antlr4::dfa::Vocabulary& vocabulary) {
  // A long list means that an expression or element may begin here; naming that says more.
  std::set<std::string> words;
  bool name = false, value = false;
  for (const ssize_t token : expected.toList()) {
    if (token == static_cast<ssize_t>(antlr4::Token::EOF)) {
      words.insert("the end of the file");
      continue;
    }
    const auto type = static_cast<std::size_t>(token);
    if (type == L::IDENTIFIER) {
      name = true;
    } else if (type == L::NUMBER) {
      value = true;
    } else if (type == L::STRING) {
      words.insert("a string");
    } else if (!keyword_is_name(type)) {
      words.insert(vocabulary.getDisplayName(type));
    }
  }
  if (value) return "a value";
  if (name) words.insert("a name");
  if (words.empty() || words.size() > 6) return name ? "a name" : "";
  std::string text;
  std::size_t i = 0;
  for (const std::string& word : words) {
    text += i == 0 ? "" : i + 1 == words.size() ? " or " : ", ";
    text += word;
    ++i;
  }
  return text;
}

// What other languages use the character for.
std::string instead_of(const std::string& character, bool after_value) {
  if (character == "%" && after_value) return "the remainder is mod(a, b)";
  if (character == "#" || character == "%") return "comments begin with //";
  if (character == "&") return "write 'and'";
  if (character == "|") return "write 'or'";
  if (character == "!") return "write 'not', or '<>' for different numbers";
  if (character == "~") return "write '<>' for different numbers, 'not' for the opposite";
  if (character == "?") return "write 'if condition then a else b'";
  return "";
}

// "if" where the end of such an equation is expected, else "".
std::string unclosed(const antlr4::misc::IntervalSet& expected) {
  if (expected.contains(static_cast<ssize_t>(L::IF))) return "if";
  if (expected.contains(static_cast<ssize_t>(L::FOR))) return "for";
  return "";
}

bool is_comparison(std::size_t type) {
  return type == L::LESS || type == L::LESS_EQUAL || type == L::GREATER ||
         type == L::GREATER_EQUAL || type == L::EQUAL_EQUAL || type == L::NOT_EQUAL;
}

bool is_operator(std::size_t type) {
  return type == L::PLUS || type == L::MINUS || type == L::STAR || type == L::SLASH ||
         type == L::CARET || is_comparison(type);
}

// What the token was meant for, and how that is written here; "" when nobody knows.
std::string advice(const antlr4::Token& before, const antlr4::Token& token,
                   const antlr4::misc::IntervalSet& expected) {
  const std::size_t type = token.getType();
  const std::size_t last = before.getType();
  const auto expects = [&](std::size_t t) { return expected.contains(static_cast<ssize_t>(t)); };
  const bool value = expects(L::NUMBER);
  const bool adjacent = before.getStopIndex() + 1 == token.getStartIndex();
  if (value && type == L::STAR && last == L::STAR) return "powers are written a^b";
  if (value && type == L::GREATER && last == L::MINUS) return "members are written a.b";
  if (value && (type == L::MINUS || type == L::PLUS) && is_operator(last)) {
    return "a sign behind an operator needs parentheses: 2*(-x)";
  }
  if (type == L::EQUAL && (expects(L::THEN) || expects(L::RPAREN))) {
    return "numbers are compared with ==";
  }
  if (is_comparison(type) && ends_value(last)) {
    return "comparisons are joined by 'and': a < x and x < b";
  }
  if (type == L::LBRACKET && (last == L::RBRACE || last == L::RPAREN || last == L::RBRACKET)) {
    return "only names have subscripts: give the array a name first";
  }
  if (type == L::SEMI && expects(L::ELSE)) return "an if expression has a value for each case";
  if (ends_value(last) && type == L::SEMI && expects(L::EXTENDS)) {
    return "no ';' stands behind the name of the class that begins";
  }
  if (type == L::SEMI && last == L::END) return "the name of what ends stands behind 'end'";
  if (type == L::NUMBER && last == L::COMMA && !value) return "decimals are written 1.5";
  if (type == L::NUMBER && !value && expects(L::IDENTIFIER)) return "a name begins with a letter";
  if (last != L::NUMBER || before.getLine() < token.getLine()) return "";
  if (type == L::NUMBER && adjacent && token.getText().front() == '.') {
    return "a range is written 1:3";
  }
  if (type != L::IDENTIFIER) return "";
  return adjacent ? "numbers are written as in 1000, 0.5 or 1e-3"
                  : "a number stands without a unit; that of the variable counts";
}

// An equation that begins with `if`, up to here without `then`.
bool lacks_then(antlr4::Parser& parser, const antlr4::Token& token) {
  antlr4::ParserRuleContext* rule = parser.getContext();
  const antlr4::Token* start = rule->getStart();
  if (rule->getRuleIndex() != LuzTarParser::RuleEquation || start->getType() != L::IF) return false;
  for (std::size_t i = start->getTokenIndex(); i < token.getTokenIndex(); ++i) {
    if (parser.getTokenStream()->get(i)->getType() == L::THEN) return false;
  }
  return true;
}

}  // namespace

void SyntaxErrors::syntaxError(antlr4::Recognizer* recognizer, antlr4::Token* token, std::size_t,
                               std::size_t, const std::string&, std::exception_ptr) {
  if (!token) return;
  const Span at = offsets_.span(file_, token, token);
  // One message for each place: recovery may stumble again over the same token.
  if (!places_.insert(at.begin).second) return;
  if (!closed_ && token->getType() == antlr4::Token::EOF) return;  // that is why
  auto* parser = static_cast<antlr4::Parser*>(recognizer);
  // Behind a class that cannot be read nothing can be.
  const bool between = parser->getContext()->getRuleIndex() == LuzTarParser::RuleFile;
  if (between && places_.size() > 1) return;
  if (goes_on(*parser->getTokenStream(), *token)) return;
  if (explained(*parser, token, at)) return;
  const antlr4::misc::IntervalSet expectation = parser->getExpectedTokens();
  std::string expected = expected_text(expectation, parser->getVocabulary());
  if (lacks_then(*parser, *token)) expected = "'then'";
  const std::string found =
      token->getType() == antlr4::Token::EOF ? "the end of the file" : "'" + token->getText() + "'";
  Diagnostic& error = diagnostics_.error(Code::kSyntax, at, found + " cannot stand here");
  if (!expected.empty()) error.with_label("expected " + expected);
  antlr4::Token* before = parser->getTokenStream()->LT(-1);
  if (between) error.with_note("a file holds classes: model M .. end M;");
  if (before == nullptr) return;
  if (const std::string note = advice(*before, *token, expectation); !note.empty()) {
    error.with_note(note);
  }
  if (before->getType() != L::END) return;
  if (const std::string open = unclosed(expectation); !open.empty()) {
    antlr4::Token* begin = parser->getRuleContext()->getStart();
    error.with_note("the '" + open + "' that begins here is not closed: 'end " + open +
                        ";' is missing" +
                        (open == "if" ? ", or 'elseif' is written in two words" : ""),
                    offsets_.span(file_, begin, begin));
    closed_ = false;
  }
}

bool SyntaxErrors::goes_on(antlr4::TokenStream& tokens, const antlr4::Token& token) {
  const std::size_t here = token.getTokenIndex();
  bool same = last_ < here;
  for (std::size_t i = last_; same && i < here; ++i) {
    const std::size_t type = tokens.get(i)->getType();
    same = type != L::SEMI && type != L::END;
  }
  last_ = here;
  return same;
}

bool SyntaxErrors::explained(antlr4::Parser& parser, antlr4::Token* token, Span at) {
  const antlr4::misc::IntervalSet expected = parser.getExpectedTokens();
  antlr4::Token* before = parser.getTokenStream()->LT(-1);
  if (token->getType() == L::OTHER) {
    Diagnostic& error = diagnostics_.error(
        Code::kBadCharacter, at, "the character '" + token->getText() + "' cannot stand here");
    const bool after_value = before != nullptr && ends_value(before->getType());
    if (const std::string note = instead_of(token->getText(), after_value); !note.empty()) {
      error.with_note(note);
    }
    return true;
  }
  if (token->getType() == antlr4::Token::EOF && before != nullptr && before->getType() == L::SEMI &&
      parser.getTokenStream()->LT(-2)->getType() == L::END) {
    diagnostics_.error(Code::kSyntax, offsets_.span(file_, before, before), "';' cannot stand here")
        .with_label("expected a name")
        .with_note("the name of what ends stands behind 'end'");
    return true;
  }
  const bool name_expected = expected.contains(static_cast<ssize_t>(L::IDENTIFIER));
  if (is_keyword(token->getType()) && name_expected && token->getType() != L::END) {
    diagnostics_
        .error(Code::kSyntax, at,
               "'" + token->getText() + "' is a word of the language and cannot be a name")
        .with_note("choose another name");
    return true;
  }
  // At the end of a line the place is where the line lacks it.
  if (before != nullptr && before->getLine() < token->getLine() &&
      expected.contains(static_cast<ssize_t>(L::SEMI))) {
    diagnostics_.error(Code::kSyntax, offsets_.span(file_, before, before), "a ';' is missing")
        .with_label("expected ';' after this");
    return true;
  }
  return false;
}

}  // namespace luztar
