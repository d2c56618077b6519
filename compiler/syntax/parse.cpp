#include "compiler/syntax/parse.h"

#include <map>
#include <set>

#include "compiler/syntax/ast_builder.h"
#include "compiler/syntax/keyword_names.h"
#include "compiler/syntax/parse_tree.h"
#include "compiler/syntax/scan.h"

namespace luztar {
namespace {

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
    if (type == LuzTarLexer::IDENTIFIER) {
      name = true;
    } else if (type == LuzTarLexer::NUMBER) {
      value = true;
    } else if (type == LuzTarLexer::STRING) {
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
std::string instead_of(const std::string& character) {
  if (character == "#" || character == "%") return "comments begin with //";
  if (character == "&") return "write 'and'";
  if (character == "|") return "write 'or'";
  if (character == "!") return "write 'not', or '<>' for different numbers";
  return "";
}

// "if" where the end of such an equation is expected, else "".
std::string unclosed(const antlr4::misc::IntervalSet& expected) {
  if (expected.contains(static_cast<ssize_t>(LuzTarLexer::IF))) return "if";
  if (expected.contains(static_cast<ssize_t>(LuzTarLexer::FOR))) return "for";
  return "";
}

// Recovery that never drops the end of a statement: one mistake shall not spoil the next statement.
class StatementRecovery : public antlr4::DefaultErrorStrategy {
 protected:
  antlr4::Token* singleTokenDeletion(antlr4::Parser* parser) override {
    const std::size_t type = parser->getCurrentToken()->getType();
    if (type == LuzTarLexer::SEMI || type == LuzTarLexer::END) return nullptr;
    return antlr4::DefaultErrorStrategy::singleTokenDeletion(parser);
  }
};

class ErrorCollector : public antlr4::BaseErrorListener {
 public:
  ErrorCollector(FileId file, const TokenOffsets& offsets, Diagnostics& diagnostics)
      : file_(file), offsets_(offsets), diagnostics_(diagnostics) {}

  void syntaxError(antlr4::Recognizer* recognizer, antlr4::Token* token, size_t, size_t,
                   const std::string&, std::exception_ptr) override {
    if (!token) return;
    const Span at = offsets_.span(file_, token, token);
    // One message for each place: recovery may stumble again over the same token.
    if (!places_.insert(at.begin).second) return;
    if (!closed_ && token->getType() == antlr4::Token::EOF) return;  // that is why
    auto* parser = static_cast<antlr4::Parser*>(recognizer);
    const std::string expected =
        expected_text(parser->getExpectedTokens(), parser->getVocabulary());
    if (token->getType() == LuzTarLexer::OTHER) {
      Diagnostic& error = diagnostics_.error(
          Code::kBadCharacter, at, "the character '" + token->getText() + "' cannot stand here");
      if (const std::string advice = instead_of(token->getText()); !advice.empty()) {
        error.with_note(advice);
      }
      return;
    }
    const std::string found = token->getType() == antlr4::Token::EOF ? "the end of the file"
                                                                     : "'" + token->getText() + "'";
    const bool keyword = token->getType() < LuzTarLexer::ASSIGN;
    const bool name_expected =
        parser->getExpectedTokens().contains(static_cast<size_t>(LuzTarLexer::IDENTIFIER));
    if (keyword && name_expected && token->getType() != LuzTarLexer::END) {
      diagnostics_
          .error(Code::kSyntax, at, found + " is a word of the language and cannot be a name")
          .with_note("choose another name");
      return;
    }
    // At the end of a line the place is where the line lacks it.
    antlr4::Token* before = parser->getTokenStream()->LT(-1);
    if (before != nullptr && before->getLine() < token->getLine() &&
        parser->getExpectedTokens().contains(static_cast<size_t>(LuzTarLexer::SEMI))) {
      diagnostics_.error(Code::kSyntax, offsets_.span(file_, before, before), "a ';' is missing")
          .with_label("expected ';' after this");
      return;
    }
    Diagnostic& error = diagnostics_.error(Code::kSyntax, at, found + " cannot stand here");
    if (!expected.empty()) error.with_label("expected " + expected);
    if (before == nullptr || before->getType() != LuzTarLexer::END) return;
    if (const std::string open = unclosed(parser->getExpectedTokens()); !open.empty()) {
      antlr4::Token* begin = parser->getRuleContext()->getStart();
      error.with_note("the '" + open + "' that begins here is not closed: 'end " + open +
                          ";' is missing" +
                          (open == "if" ? ", or 'elseif' is written in two words" : ""),
                      offsets_.span(file_, begin, begin));
      closed_ = false;
    }
  }

 private:
  FileId file_;
  const TokenOffsets& offsets_;
  Diagnostics& diagnostics_;
  std::set<std::uint32_t> places_;
  bool closed_ = true;  // false: an equation has been found that is not
};

/// Stops the parser at the component that is one too many: trees take far more memory than text.
class ComponentCounter : public antlr4::tree::ParseTreeListener {
 public:
  /// Thrown at the declaration it holds.
  struct Full {
    antlr4::Token* declaration;
  };

  explicit ComponentCounter(std::size_t most) : left_(most) {}

  void enterEveryRule(antlr4::ParserRuleContext* rule) override {
    if (rule->getRuleIndex() != LuzTarParser::RuleComponent_declaration) return;
    auto* clause = static_cast<LuzTarParser::Component_clauseContext*>(rule->parent);
    if (is_scalar(clause->name()->getStart()->getText())) return;
    if (left_ == 0) throw Full{rule->getStart()};
    --left_;
  }
  void exitEveryRule(antlr4::ParserRuleContext*) override {}
  void visitTerminal(antlr4::tree::TerminalNode*) override {}
  void visitErrorNode(antlr4::tree::ErrorNode*) override {}

 private:
  static bool is_scalar(const std::string& type) {
    return type == "Real" || type == "Integer" || type == "Boolean";
  }

  std::size_t left_;
};

}  // namespace

std::optional<Ast> parse(const SourceMap& sources, FileId file, Diagnostics& diagnostics,
                         std::size_t most_components) {
  const std::size_t errors = diagnostics.error_count();
  if (!scan_text(sources, file, diagnostics)) return std::nullopt;

  const std::string& text = sources.text(file);
  const TokenOffsets offsets(text);
  antlr4::ANTLRInputStream input(text);
  LuzTarLexer lexer(&input);
  lexer.removeErrorListeners();
  antlr4::CommonTokenStream tokens(&lexer);
  LuzTarParser parser(&tokens);
  parser.removeErrorListeners();
  // Strong LL(1)-like prediction first: it is fast, and a text it accepts is accepted. Only a text
  // that fails is parsed again with full prediction, for its diagnostics.
  parser.getInterpreter<antlr4::atn::ParserATNSimulator>()->setPredictionMode(
      antlr4::atn::PredictionMode::SLL);
  parser.setErrorHandler(std::make_shared<antlr4::BailErrorStrategy>());
  ComponentCounter counter(most_components);
  parser.addParseListener(&counter);
  LuzTarParser::FileContext* tree = nullptr;
  try {
    tree = parser.file();
  } catch (const ComponentCounter::Full& full) {
    report_too_many_components(diagnostics, offsets.span(file, full.declaration, full.declaration),
                               "the file", most_components);
    return std::nullopt;
  } catch (const antlr4::ParseCancellationException&) {
    ErrorCollector collector(file, offsets, diagnostics);
    tokens.fill();
    report_keyword_names(tokens, offsets, file, diagnostics);
    tokens.seek(0);
    parser.reset();
    parser.removeParseListener(&counter);  // the error lies before its end
    parser.getInterpreter<antlr4::atn::ParserATNSimulator>()->setPredictionMode(
        antlr4::atn::PredictionMode::LL);
    parser.setErrorHandler(std::make_shared<StatementRecovery>());
    parser.addErrorListener(&collector);
    tree = parser.file();
    if (diagnostics.error_count() > errors) return std::nullopt;
  }
  Ast ast = build_ast(tree, offsets, file, diagnostics);
  if (diagnostics.error_count() > errors) return std::nullopt;
  return ast;
}

}  // namespace luztar
