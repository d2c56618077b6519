#include "compiler/syntax/expression_builder.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace luztar {
namespace {

using P = LuzTarParser;

std::string unescape(const std::string& quoted) {
  std::string text;
  for (std::size_t i = 1; i + 1 < quoted.size(); ++i) {
    if (quoted[i] != '\\') {
      text += quoted[i];
      continue;
    }
    switch (quoted[++i]) {
      case 'n':
        text += '\n';
        break;
      case 't':
        text += '\t';
        break;
      case 'r':
        text += '\r';
        break;
      case 'a':
        text += '\a';
        break;
      case 'b':
        text += '\b';
        break;
      case 'f':
        text += '\f';
        break;
      case 'v':
        text += '\v';
        break;
      default:
        text += quoted[i];
        break;
    }
  }
  return text;
}

const antlr4::Token* token_at(antlr4::ParserRuleContext* c, std::size_t i) {
  auto* terminal = dynamic_cast<antlr4::tree::TerminalNode*>(c->children[i]);
  return terminal ? terminal->getSymbol() : nullptr;
}

}  // namespace

TokenOffsets::TokenOffsets(const std::string& text)
    : size_(static_cast<std::uint32_t>(text.size())) {
  for (const char c : text) ascii_ = ascii_ && static_cast<unsigned char>(c) < 0x80U;
  if (ascii_) return;
  for (std::uint32_t i = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U) bytes_.push_back(i);
  }
}

std::uint32_t TokenOffsets::byte(std::size_t code_point) const {
  if (ascii_) return static_cast<std::uint32_t>(std::min<std::size_t>(code_point, size_));
  return code_point < bytes_.size() ? bytes_[code_point] : size_;
}

Span TokenOffsets::span(FileId file, const antlr4::Token* first, const antlr4::Token* last) const {
  const std::uint32_t begin = byte(first->getStartIndex());
  if (!last || last->getStopIndex() + 1 < first->getStartIndex()) return {file, begin, begin};
  return {file, begin, byte(last->getStopIndex() + 1)};
}

Span ExpressionBuilder::span(antlr4::ParserRuleContext* c) const {
  return offsets_.span(ast_.file, c->getStart(), c->getStop());
}

Span ExpressionBuilder::span(const antlr4::Token* token) const {
  return offsets_.span(ast_.file, token, token);
}

void ExpressionBuilder::outside(Span span, const std::string& construct,
                                const std::string& advice) {
  diagnostics_.error(Code::kOutsideSubset, span, construct + " is not part of the language")
      .with_note(advice);
}

AstIdentifier ExpressionBuilder::identifier(P::IdentifierContext* c) {
  std::string text = c->getText();
  if (text.size() >= 2 && text.front() == '\'') text = text.substr(1, text.size() - 2);
  return {std::move(text), span(c)};
}

std::string ExpressionBuilder::description(P::DescriptionContext* c) {
  std::string text;
  if (!c) return text;
  for (antlr4::tree::TerminalNode* s : c->STRING()) text += unescape(s->getText());
  return text;
}

void ExpressionBuilder::comment(P::CommentContext* c, std::string& text,
                                std::vector<AstModifier>& annotation) {
  if (!c) return;
  text = description(c->description());
  if (c->annotation()) annotation = modifiers(c->annotation()->class_modification());
}

std::vector<AstExprId> ExpressionBuilder::subscripts(P::SubscriptsContext* c) {
  std::vector<AstExprId> result;
  if (!c) return result;
  for (P::SubscriptContext* s : c->subscript()) {
    if (s->expression()) {
      result.push_back(expression(s->expression()));
    } else {
      AstExpr colon;
      colon.kind = AstExprKind::kColon;
      colon.span = span(s);
      result.push_back(add(std::move(colon)));
    }
  }
  return result;
}

AstName ExpressionBuilder::path(const std::vector<P::Reference_partContext*>& parts, Span where) {
  AstName result;
  result.span = where;
  for (P::Reference_partContext* part : parts) {
    result.parts.push_back({identifier(part->identifier()), subscripts(part->subscripts())});
  }
  return result;
}

AstName ExpressionBuilder::name(P::NameContext* c) { return path(c->reference_part(), span(c)); }

AstName ExpressionBuilder::keyword_name(const antlr4::Token* token) {
  AstName result;
  result.span = span(token);
  result.parts.push_back({{token->getText(), result.span}, {}});
  return result;
}

AstExprId ExpressionBuilder::reference(P::Component_referenceContext* c) {
  AstExpr e;
  e.kind = AstExprKind::kName;
  e.span = span(c);
  e.name = path(c->reference_part(), e.span);
  return add(std::move(e));
}

AstExprId ExpressionBuilder::binary(const std::string& op, AstExprId left, AstExprId right,
                                    Span where) {
  AstExpr e;
  e.kind = AstExprKind::kBinary;
  e.text = op;
  e.args = {left, right};
  e.span = where;
  return add(std::move(e));
}

AstExprId ExpressionBuilder::expression(P::ExpressionContext* c) {
  if (c->range()) return range(c->range());
  AstExpr e;
  e.kind = AstExprKind::kIf;
  e.span = span(c);
  for (P::ExpressionContext* part : c->expression()) e.args.push_back(expression(part));
  return add(std::move(e));
}

AstExprId ExpressionBuilder::range(P::RangeContext* c) {
  if (c->disjunction().size() == 1) return disjunction(c->disjunction(0));
  AstExpr e;
  e.kind = AstExprKind::kRange;
  e.span = span(c);
  for (P::DisjunctionContext* part : c->disjunction()) e.args.push_back(disjunction(part));
  return add(std::move(e));
}

AstExprId ExpressionBuilder::disjunction(P::DisjunctionContext* c) {
  const std::vector<P::ConjunctionContext*> parts = c->conjunction();
  AstExprId left = conjunction(parts[0]);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    left = binary("or", left, conjunction(parts[i]),
                  offsets_.span(ast_.file, c->getStart(), parts[i]->getStop()));
  }
  return left;
}

AstExprId ExpressionBuilder::conjunction(P::ConjunctionContext* c) {
  const std::vector<P::NegationContext*> parts = c->negation();
  AstExprId left = negation(parts[0]);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    left = binary("and", left, negation(parts[i]),
                  offsets_.span(ast_.file, c->getStart(), parts[i]->getStop()));
  }
  return left;
}

AstExprId ExpressionBuilder::negation(P::NegationContext* c) {
  const AstExprId value = relation(c->relation());
  if (!c->NOT()) return value;
  AstExpr e;
  e.kind = AstExprKind::kUnary;
  e.text = "not";
  e.args = {value};
  e.span = span(c);
  return add(std::move(e));
}

AstExprId ExpressionBuilder::relation(P::RelationContext* c) {
  const AstExprId left = sum(c->sum(0));
  if (c->sum().size() == 1) return left;
  return binary(token_at(c, 1)->getText(), left, sum(c->sum(1)), span(c));
}

AstExprId ExpressionBuilder::sum(P::SumContext* c) {
  std::size_t child = 0;
  AstExprId left;
  if (const antlr4::Token* sign = token_at(c, 0)) {
    AstExpr e;
    e.kind = AstExprKind::kUnary;
    e.text = sign->getText().back() == '-' ? "-" : "+";
    e.args = {product(c->product(0))};
    e.span = offsets_.span(ast_.file, sign, c->product(0)->getStop());
    left = add(std::move(e));
    child = 2;
  } else {
    left = product(c->product(0));
    child = 1;
  }
  // children: product (operator product)*, indexed directly to stay linear in long sums
  for (; child + 1 < c->children.size(); child += 2) {
    auto* term = dynamic_cast<P::ProductContext*>(c->children[child + 1]);
    left = binary(token_at(c, child)->getText(), left, product(term),
                  offsets_.span(ast_.file, c->getStart(), term->getStop()));
  }
  return left;
}

AstExprId ExpressionBuilder::product(P::ProductContext* c) {
  auto* first = dynamic_cast<P::PowerContext*>(c->children[0]);
  AstExprId left = power(first);
  for (std::size_t child = 1; child + 1 < c->children.size(); child += 2) {
    auto* factor = dynamic_cast<P::PowerContext*>(c->children[child + 1]);
    left = binary(token_at(c, child)->getText(), left, power(factor),
                  offsets_.span(ast_.file, c->getStart(), factor->getStop()));
  }
  return left;
}

AstExprId ExpressionBuilder::power(P::PowerContext* c) {
  const AstExprId base = primary(c->primary(0));
  if (c->primary().size() == 1) return base;
  return binary(token_at(c, 1)->getText(), base, primary(c->primary(1)), span(c));
}

// A number that is rounded to inf or 0 would select a limit that nobody asked for.
void ExpressionBuilder::check_size(double number, const std::string& text, Span at) {
  const std::size_t digits = std::min(text.find_first_of("eE"), text.size());
  const bool zero = text.find_first_of("123456789") >= digits;
  if (std::isfinite(number) && (number != 0 || zero)) return;
  diagnostics_
      .error(Code::kSyntax, at,
             "the number " + text + " is " + (number != 0 ? "too large" : "too small"))
      .with_note(number != 0 ? "numbers go up to 1.8e308; write inf for an infinite one"
                             : "numbers below 5e-324 cannot be told from 0; write 0 for a zero");
}

AstExprId ExpressionBuilder::primary(P::PrimaryContext* c) {
  AstExpr e;
  e.span = span(c);
  if (c->component_reference()) {
    if (!c->call_arguments()) return reference(c->component_reference());
    return call(path(c->component_reference()->reference_part(), span(c->component_reference())),
                c->call_arguments(), e.span);
  }
  if (c->call_arguments()) return call(keyword_name(c->getStart()), c->call_arguments(), e.span);
  if (c->NUMBER()) {
    e.kind = AstExprKind::kNumber;
    const std::string text = c->NUMBER()->getText();
    // from_chars wants a digit before the point and overflows to inf by errc: both as strtod
    e.number = std::strtod(text.c_str(), nullptr);
    check_size(e.number, text, e.span);
  } else if (c->STRING()) {
    e.kind = AstExprKind::kString;
    e.text = unescape(c->STRING()->getText());
  } else if (c->TRUE() || c->FALSE()) {
    e.kind = AstExprKind::kBoolean;
    e.number = c->TRUE() ? 1 : 0;
  } else if (c->END()) {
    e.kind = AstExprKind::kEnd;
  } else if (c->LPAREN()) {
    if (c->expression().size() != 1 || !c->COMMA().empty()) {
      outside(e.span, "a tuple", "write one expression");
    }
    return expression(c->expression(0));
  } else if (c->LBRACKET()) {
    e.kind = AstExprKind::kMatrix;
    for (P::Expression_listContext* row : c->expression_list()) {
      e.columns = static_cast<std::uint32_t>(row->expression().size());
      for (P::ExpressionContext* part : row->expression()) e.args.push_back(expression(part));
    }
    if (e.columns * c->expression_list().size() != e.args.size()) {
      diagnostics_.error(Code::kSyntax, e.span, "the rows of a matrix must have the same length");
    }
  } else if (c->LBRACE()) {
    e.kind = AstExprKind::kArray;
    for (P::ExpressionContext* part : c->expression()) e.args.push_back(expression(part));
    if (!c->for_index().empty()) e = iterated(e.args.front(), c->for_index(), e.span);
  } else {
    e.kind = AstExprKind::kColon;
  }
  return add(std::move(e));
}

// {body for i in r, j in s} is {{body for i in r} for j in s}: the last iterator is the outermost.
AstExpr ExpressionBuilder::iterated(AstExprId body,
                                    const std::vector<P::For_indexContext*>& indices, Span where) {
  AstExpr e;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (i > 0) body = add(std::move(e));
    e = AstExpr{};
    e.kind = AstExprKind::kIterated;
    e.span = where;
    e.text = identifier(indices[i]->identifier()).text;
    e.args = {body};
    const AstExprId range = iterator_range(indices[i]);
    if (range.valid()) e.args.push_back(range);
  }
  return e;
}

AstExprId ExpressionBuilder::iterator_range(P::For_indexContext* c) {
  if (!c->expression()) {
    outside(span(c), "an iterator without a range", "write 'for i in 1:n'");
    return {};
  }
  if (c->EQUAL()) {
    diagnostics_.error(Code::kSyntax, span(c->EQUAL()->getSymbol()), "'=' does not give a range")
        .with_label("expected 'in'")
        .with_note("write 'for i in 1:n'");
  }
  return expression(c->expression());
}

AstExprId ExpressionBuilder::call(AstName function, P::Call_argumentsContext* c, Span where) {
  AstExpr e;
  e.kind = AstExprKind::kCall;
  e.name = std::move(function);
  e.span = where;
  for (P::Call_argumentContext* argument : c->call_argument()) {
    if (argument->FUNCTION()) {
      outside(span(argument), "a function as an argument", "pass values instead");
      continue;
    }
    e.arg_names.push_back(argument->identifier() ? identifier(argument->identifier())
                                                 : AstIdentifier{});
    e.args.push_back(expression(argument->expression()));
  }
  // sum(body for i in r) is sum({body for i in r}).
  if (!c->for_index().empty() && e.args.size() == 1) {
    e.args = {add(iterated(e.args.front(), c->for_index(), where))};
    e.arg_names = {{}};
  }
  return add(std::move(e));
}

void ExpressionBuilder::modification(P::ModificationContext* c, std::vector<AstModifier>& nested,
                                     AstExprId& value) {
  if (!c) return;
  if (c->class_modification()) nested = modifiers(c->class_modification());
  if (c->expression()) value = expression(c->expression());
}

std::vector<AstModifier> ExpressionBuilder::modifiers(P::Class_modificationContext* c) {
  std::vector<AstModifier> result;
  if (!c) return result;
  for (P::ArgumentContext* argument : c->argument()) {
    AstModifier m;
    m.span = span(argument);
    m.each = argument->EACH() != nullptr;
    m.is_final = argument->FINAL() != nullptr;
    if (argument->REDECLARE() || argument->REPLACEABLE()) {
      m.redeclare = true;
      outside(m.span, argument->REDECLARE() ? "'redeclare'" : "'replaceable'",
              "write a new model that uses the other class, or extend a common base model");
    } else {
      m.name = name(argument->name());
      modification(argument->modification(), m.nested, m.value);
      m.description = description(argument->description());
    }
    result.push_back(std::move(m));
  }
  return result;
}

}  // namespace luztar
