// Expressions, names and modifications of the parse tree.
#pragma once

#include <string>
#include <vector>

#include "compiler/base/diagnostics.h"
#include "compiler/syntax/ast.h"
#include "compiler/syntax/parse_tree.h"

namespace luztar {

/// Byte offsets of the characters of a text: ANTLR counts code points, spans count bytes.
class TokenOffsets {
 public:
  explicit TokenOffsets(const std::string& text);
  [[nodiscard]] std::uint32_t byte(std::size_t code_point) const;
  [[nodiscard]] Span span(FileId file, const antlr4::Token* first, const antlr4::Token* last) const;

 private:
  bool ascii_ = true;
  std::uint32_t size_ = 0;
  std::vector<std::uint32_t> bytes_;  // by code point, empty for ASCII texts
};

class ExpressionBuilder {
 public:
  ExpressionBuilder(Ast& ast, const TokenOffsets& offsets, Diagnostics& diagnostics)
      : ast_(ast), offsets_(offsets), diagnostics_(diagnostics) {}

  AstExprId expression(LuzTarParser::ExpressionContext* c);
  AstExprId reference(LuzTarParser::Component_referenceContext* c);
  AstName name(LuzTarParser::NameContext* c);
  AstIdentifier identifier(LuzTarParser::IdentifierContext* c);
  std::vector<AstExprId> subscripts(LuzTarParser::SubscriptsContext* c);
  std::string description(LuzTarParser::DescriptionContext* c);
  /// The text and the annotation after a declaration, if there is one.
  void comment(LuzTarParser::CommentContext* c, std::string& text,
               std::vector<AstModifier>& annotation);
  /// `(...)` and `= value` of a component or nested modifier
  void modification(LuzTarParser::ModificationContext* c, std::vector<AstModifier>& nested,
                    AstExprId& value);
  std::vector<AstModifier> modifiers(LuzTarParser::Class_modificationContext* c);

  void check_size(double number, const std::string& text, Span at);
  [[nodiscard]] Span span(antlr4::ParserRuleContext* c) const;
  [[nodiscard]] Span span(const antlr4::Token* token) const;
  /// LT1008 with advice.
  void outside(Span span, const std::string& construct, const std::string& advice);
  /// The values of an iterator. LT1008 for `for i loop`, where Modelica would find the range in the
  /// subscripts; LT1001 for `for i = 1:n`.
  AstExprId iterator_range(LuzTarParser::For_indexContext* c);

 private:
  AstExprId add(AstExpr e) { return ast_.exprs.push_back(std::move(e)); }
  AstExprId range(LuzTarParser::RangeContext* c);
  AstExprId disjunction(LuzTarParser::DisjunctionContext* c);
  AstExprId conjunction(LuzTarParser::ConjunctionContext* c);
  AstExprId negation(LuzTarParser::NegationContext* c);
  AstExprId relation(LuzTarParser::RelationContext* c);
  AstExprId sum(LuzTarParser::SumContext* c);
  AstExprId product(LuzTarParser::ProductContext* c);
  AstExprId power(LuzTarParser::PowerContext* c);
  AstExprId primary(LuzTarParser::PrimaryContext* c);
  AstExprId call(AstName function, LuzTarParser::Call_argumentsContext* c, Span span);
  AstExprId binary(const std::string& op, AstExprId left, AstExprId right, Span span);
  AstName path(const std::vector<LuzTarParser::Reference_partContext*>& parts, Span span);
  AstName keyword_name(const antlr4::Token* token);
  AstExpr iterated(AstExprId body, const std::vector<LuzTarParser::For_indexContext*>& indices,
                   Span span);

  Ast& ast_;
  const TokenOffsets& offsets_;
  Diagnostics& diagnostics_;
};

}  // namespace luztar
