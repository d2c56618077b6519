#include "compiler/syntax/algorithm_builder.h"

#include <utility>

namespace luztar {
namespace {

using P = LuzTarParser;

void outside_statement(ExpressionBuilder& build, P::StatementContext* s) {
  const Span where = build.span(s);
  if (!s->IF().empty()) {
    return build.outside(where, "an if statement", "write y := if .. then .. else ..;");
  }
  if (!s->FOR().empty()) {
    return build.outside(where, "a for statement",
                         "write sum(.. for i in 1:n), or an array {.. for i in 1:n}");
  }
  if (!s->WHILE().empty()) {
    return build.outside(where, "a while statement",
                         "functions are formulas that are inlined; write the formula");
  }
  if (!s->WHEN().empty()) {
    return build.outside(
        where, "a when statement",
        "write an if expression on time or state; its switching is located exactly");
  }
  if (s->BREAK() || s->RETURN()) {
    return build.outside(where, s->BREAK() ? "'break'" : "'return'",
                         "a function ends with the last of its assignments");
  }
  if (s->LPAREN()) {
    return build.outside(where, "an assignment to several variables",
                         "write one function for each value");
  }
  const bool assertion = s->component_reference()->getText() == "assert";
  build.outside(where, assertion ? "'assert' in a function" : "a call as a statement",
                assertion ? "write it in the equations of the model that calls the function"
                          : "assign its value: y := f(x);");
}

}  // namespace

void build_algorithm(LuzTarParser::Algorithm_sectionContext* section, const Ast& ast,
                     ExpressionBuilder& build, Diagnostics& diagnostics, AstClass& result) {
  result.has_algorithm = true;
  if (section->INITIAL() || result.kind != AstClassKind::kFunction) {
    build.outside(build.span(section->getStart()), "an algorithm section",
                  "write equations; algorithms are for functions");
    return;
  }
  for (P::StatementContext* s : section->statement()) {
    const bool assignment = s->component_reference() && (s->ASSIGN() || s->EQUAL()) &&
                            s->expression().size() == 1 && !s->LPAREN();
    if (!assignment) {
      outside_statement(build, s);
      continue;
    }
    if (s->EQUAL()) {
      diagnostics.error(Code::kSyntax, build.span(s->EQUAL()->getSymbol()), "'=' assigns nothing")
          .with_note("functions assign with ':='; '=' is for equations");
    }
    AstAssignment a;
    a.span = build.span(s);
    a.target = ast.exprs[build.reference(s->component_reference())].name;
    a.value = build.expression(s->expression(0));
    result.algorithm.push_back(std::move(a));
  }
}

}  // namespace luztar
