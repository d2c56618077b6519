#include "compiler/syntax/parse.h"

#include <utility>

#include "compiler/syntax/ast_builder.h"
#include "compiler/syntax/keyword_names.h"
#include "compiler/syntax/keyword_spelling.h"
#include "compiler/syntax/parse_tree.h"
#include "compiler/syntax/scan.h"
#include "compiler/syntax/statement_recovery.h"
#include "compiler/syntax/syntax_errors.h"

namespace luztar {
namespace {

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

/// LT1001 for each `;;`, which then counts as one.
void report_empty_statements(antlr4::CommonTokenStream& tokens, const TokenOffsets& offsets,
                             FileId file, Diagnostics& diagnostics) {
  std::size_t before = antlr4::Token::EOF;
  for (antlr4::Token* token : tokens.getTokens()) {
    auto* semicolon = dynamic_cast<antlr4::WritableToken*>(token);
    const std::size_t last = std::exchange(before, token->getType());
    if (semicolon == nullptr || before != LuzTarLexer::SEMI || last != before) continue;
    diagnostics.error(Code::kSyntax, offsets.span(file, token, token), "one ';' is enough");
    semicolon->setChannel(antlr4::Token::HIDDEN_CHANNEL);
  }
}

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
    SyntaxErrors collector(file, offsets, diagnostics);
    tokens.fill();
    report_empty_statements(tokens, offsets, file, diagnostics);
    report_keyword_spelling(tokens, offsets, file, diagnostics);
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
