#include "compiler/syntax/study_builder.h"

#include <string>

namespace luztar {
namespace {

using P = LuzTarParser;

AstVary vary_item(const Ast& ast, ExpressionBuilder& build, P::VaryItemContext* c) {
  AstVary vary;
  vary.span = build.span(c);
  for (P::NameContext* n : c->name()) vary.targets.push_back(build.name(n));
  vary.values = build.expression(c->expression());
  const AstExpr& value = ast.exprs[vary.values];
  if (value.kind == AstExprKind::kCall && value.name.parts.size() == 1) {
    const std::string& function = value.name.parts.front().name.text;
    if (function == "normal") vary.kind = AstVaryKind::kNormal;
    if (function == "uniform") vary.kind = AstVaryKind::kUniform;
  }
  if (vary.kind != AstVaryKind::kValues) {
    for (std::size_t i = 0; i < value.args.size(); ++i) {
      if (value.arg_names[i].text.empty()) {
        vary.arguments.push_back(value.args[i]);
      } else {
        vary.options.emplace_back(value.arg_names[i], value.args[i]);
      }
    }
  }
  for (P::Study_optionContext* option : c->study_option()) {
    vary.options.emplace_back(build.identifier(option->identifier()),
                              build.expression(option->expression()));
  }
  vary.carry = c->CARRY() != nullptr;
  vary.updown = c->UPDOWN() != nullptr;
  return vary;
}

}  // namespace

AstClass build_study(LuzTarParser::StudyContext* study, const Ast& ast, ExpressionBuilder& build) {
  AstClass result;
  result.kind = AstClassKind::kStudy;
  result.span = build.span(study);
  result.name = build.identifier(study->identifier(0));
  result.description = build.description(study->description());
  result.study_of = build.name(study->name());
  for (P::Study_itemContext* item : study->study_item()) {
    if (auto* vary = dynamic_cast<P::VaryItemContext*>(item)) {
      result.varies.push_back(vary_item(ast, build, vary));
    } else if (auto* measure = dynamic_cast<P::MeasureItemContext*>(item)) {
      result.measures.push_back({build.identifier(measure->identifier()),
                                 build.expression(measure->expression()), build.span(measure)});
    } else if (auto* note = dynamic_cast<P::StudyAnnotationContext*>(item)) {
      result.annotation = build.modifiers(note->annotation()->class_modification());
    }
  }
  return result;
}

}  // namespace luztar
