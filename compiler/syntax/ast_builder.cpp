#include "compiler/syntax/ast_builder.h"

#include <utility>

#include "compiler/syntax/algorithm_builder.h"
#include "compiler/syntax/equation_builder.h"
#include "compiler/syntax/keyword_guess.h"
#include "compiler/syntax/modelica_names.h"
#include "compiler/syntax/study_builder.h"

namespace luztar {
namespace {

using P = LuzTarParser;

class Builder {
 public:
  Builder(const TokenOffsets& offsets, FileId file, Diagnostics& diagnostics)
      : diagnostics_(diagnostics), build_(ast_, offsets, diagnostics) {
    ast_.file = file;
  }

  Ast run(P::FileContext* tree) {
    if (tree->within()) {
      ast_.has_within = true;
      if (tree->within()->name()) ast_.within = build_.name(tree->within()->name());
    }
    for (P::Class_definitionContext* c : tree->class_definition()) {
      ast_.classes.push_back(class_definition(c));
    }
    return std::move(ast_);
  }

 private:
  AstClassId class_definition(P::Class_definitionContext* c) {
    if (c->study()) return study(c->study());
    AstClass result;
    result.span = build_.span(c);
    result.encapsulated = c->ENCAPSULATED() != nullptr;
    result.partial = c->PARTIAL() != nullptr;
    result.kind = class_kind(c->class_kind());
    P::Class_specifierContext* specifier = c->class_specifier();
    if (auto* full = dynamic_cast<P::LongClassContext*>(specifier)) {
      result.name = build_.identifier(full->identifier(0));
      result.description = build_.description(full->description());
      composition(full->composition(), result);
      check_end(result.name, full->identifier(1));
    } else if (auto* extending = dynamic_cast<P::ExtendingClassContext*>(specifier)) {
      result.name = build_.identifier(extending->identifier(0));
      build_.outside(build_.span(extending), "'class extends'",
                     "write a new class with an extends clause");
    } else if (auto* alias = dynamic_cast<P::ShortClassContext*>(specifier)) {
      result.name = build_.identifier(alias->identifier());
      result.alias_of = build_.name(alias->name());
      if (alias->base_prefix()) {
        result.alias_causality =
            alias->base_prefix()->INPUT() ? AstCausality::kInput : AstCausality::kOutput;
      }
      result.alias_dimensions = take_subscripts(*result.alias_of);
      result.alias_modifiers = build_.modifiers(alias->class_modification());
      build_.comment(alias->comment(), result.description, result.annotation);
    } else if (auto* enumeration = dynamic_cast<P::EnumerationClassContext*>(specifier)) {
      result.name = build_.identifier(enumeration->identifier());
      build_.outside(build_.span(enumeration), "an enumeration", "use an Integer parameter");
    }
    return ast_.class_table.push_back(std::move(result));
  }

  AstClassId study(P::StudyContext* c) {
    AstClass result = build_study(c, ast_, build_);
    check_end(result.name, c->identifier(1));
    return ast_.class_table.push_back(std::move(result));
  }

  AstClassKind class_kind(P::Class_kindContext* c) {
    const auto outside = [&](const char* what, const char* advice) {
      build_.outside(build_.span(c), what, advice);
    };
    if (c->EXPANDABLE()) outside("an expandable connector", "name the variables of the connector");
    if (c->PURE()) outside("'pure'", "leave the word out: every function is a formula");
    if (c->IMPURE()) {
      outside("'impure'", "a function is a formula: its value depends on its inputs alone");
    }
    if (c->OPERATOR()) {
      outside("an operator class", "write a function");
    } else if (c->RECORD()) {
      outside("a record", "declare its components in the model, or constants in a package");
    }
    if (c->RECORD()) return AstClassKind::kRecord;
    if (c->MODEL()) return AstClassKind::kModel;
    if (c->BLOCK()) return AstClassKind::kBlock;
    if (c->CONNECTOR()) return AstClassKind::kConnector;
    if (c->TYPE()) return AstClassKind::kType;
    if (c->FUNCTION()) return AstClassKind::kFunction;
    if (c->PACKAGE()) return AstClassKind::kPackage;
    return AstClassKind::kClass;
  }

  void check_end(const AstIdentifier& name, P::IdentifierContext* end) {
    const AstIdentifier last = build_.identifier(end);
    if (last.text == name.text) return;
    diagnostics_
        .error(Code::kEndName, last.span,
               "the class '" + name.text + "' ends with 'end " + last.text + "'")
        .with_label("expected '" + name.text + "'")
        .with_note("the class begins here", name.span);
  }

  void composition(P::CompositionContext* c, AstClass& result) {
    bool is_protected = false;
    for (antlr4::tree::ParseTree* child : c->children) {
      if (auto* section = dynamic_cast<P::Element_sectionContext*>(child)) {
        if (section->PROTECTED()) is_protected = true;
        if (section->PUBLIC()) is_protected = false;
        if (section->element()) element(section->element(), is_protected, result);
      } else if (auto* equations = dynamic_cast<P::Equation_sectionContext*>(child)) {
        build_equations(equations, ast_, build_, diagnostics_, result);
      } else if (auto* algorithm = dynamic_cast<P::Algorithm_sectionContext*>(child)) {
        build_algorithm(algorithm, ast_, build_, diagnostics_, result);
      } else if (auto* external = dynamic_cast<P::External_clauseContext*>(child)) {
        build_.outside(build_.span(external), "an external function", "write it in the language");
      } else if (auto* annotation = dynamic_cast<P::AnnotationContext*>(child)) {
        for (AstModifier& m : build_.modifiers(annotation->class_modification())) {
          result.annotation.push_back(std::move(m));
        }
      }
    }
  }

  void element(P::ElementContext* c, bool is_protected, AstClass& result) {
    if (c->import_clause()) {
      import_clause(c->import_clause(), result);
    } else if (c->extends_clause()) {
      P::Extends_clauseContext* e = c->extends_clause();
      result.elements.push_back(
          {AstElement::Kind::kExtends, static_cast<std::uint32_t>(result.extends.size())});
      result.extends.push_back(
          {build_.name(e->name()), build_.modifiers(e->class_modification()), build_.span(e)});
    } else if (c->class_definition()) {
      prefixes(c);
      const AstClassId nested = class_definition(c->class_definition());
      result.elements.push_back(
          {AstElement::Kind::kClass, static_cast<std::uint32_t>(result.nested.size())});
      result.nested.push_back(nested);
    } else if (c->component_clause()) {
      const Prefixes p = prefixes(c);
      component_clause(c->component_clause(), p, is_protected, result);
    }
  }

  /// Subscripts after the name of a class are sizes, not part of the name.
  static std::vector<AstExprId> take_subscripts(AstName& name) {
    return std::exchange(name.parts.back().subscripts, {});
  }

  struct Prefixes {
    bool is_final = false, redeclare = false, inner = false, outer = false, replaceable = false;
  };

  /// One report for each construct, not one for each of its words.
  Prefixes prefixes(P::ElementContext* element) {
    Prefixes p;
    for (P::Element_prefixContext* c : element->element_prefix()) {
      const Span where = build_.span(c);
      if (c->FINAL()) p.is_final = true;
      if (c->REDECLARE()) {
        p.redeclare = true;
        build_.outside(
            where, "'redeclare'",
            "write a new model that uses the other class, or extend a common base model");
      }
      if (c->REPLACEABLE()) {
        p.replaceable = true;
        if (p.redeclare) continue;
        build_.outside(where, "'replaceable'",
                       "use the class itself, or a parameter that selects a limit");
      }
      if (c->INNER() || c->OUTER()) {
        const bool second = p.inner || p.outer;
        (c->INNER() ? p.inner : p.outer) = true;
        if (second) continue;
        build_.outside(where, c->INNER() ? "'inner'" : "'outer'",
                       "pass the value as a parameter, or connect it");
      }
    }
    if (element->constraining_clause() && !p.replaceable && !p.redeclare) {
      build_.outside(build_.span(element->constraining_clause()), "'constrainedby'",
                     "no class can be exchanged for another one: leave the clause out");
    }
    return p;
  }

  void import_clause(P::Import_clauseContext* c, AstClass& result) {
    AstImport import;
    import.span = build_.span(c);
    import.path = build_.name(c->name());
    import.wildcard = c->DOT_STAR() != nullptr;
    if (c->EQUAL()) import.alias = build_.identifier(c->identifier(0)).text;
    if (import.path.parts.front().name.text == "Modelica") {
      build_.outside(import.span, "the Modelica Standard Library",
                     instead_of_modelica(name_text(import.path)));
    }
    if (!c->LBRACE()) return add_import(std::move(import), result);
    // import A.{b, c} is import A.b and import A.c.
    for (P::IdentifierContext* name : c->identifier()) {
      AstImport single = import;
      single.path.parts.push_back({build_.identifier(name), {}});
      add_import(std::move(single), result);
    }
  }

  static void add_import(AstImport import, AstClass& result) {
    result.elements.push_back(
        {AstElement::Kind::kImport, static_cast<std::uint32_t>(result.imports.size())});
    result.imports.push_back(std::move(import));
  }

  /// `equatoin` on a line of its own, and below it `x = 1;`: read as a declaration of x.
  bool is_misspelt_section(P::Component_clauseContext* c) {
    const antlr4::Token* type = c->name()->getStart();
    const bool alone = c->getStart() == type && c->name()->getStop() == type &&
                       c->component_declaration(0)->getStart()->getLine() > type->getLine();
    const std::string section = alone ? nearest_section(type->getText()) : "";
    if (section.empty()) return false;
    diagnostics_
        .error(Code::kSyntax, build_.span(type),
               "'" + type->getText() + "' is not a word of the language")
        .with_label("did you mean '" + section + "'?");
    return true;
  }

  void component_clause(P::Component_clauseContext* c, const Prefixes& p, bool is_protected,
                        AstClass& result) {
    if (is_misspelt_section(c)) return;
    AstComponent common;
    for (P::Type_prefixContext* prefix : c->type_prefix()) {
      if (prefix->FLOW()) common.prefix = AstPrefix::kFlow;
      if (prefix->PARAMETER()) common.variability = AstVariability::kParameter;
      if (prefix->CONSTANT()) common.variability = AstVariability::kConstant;
      if (prefix->INPUT()) common.causality = AstCausality::kInput;
      if (prefix->OUTPUT()) common.causality = AstCausality::kOutput;
      if (prefix->STREAM()) {
        common.prefix = AstPrefix::kStream;
        build_.outside(build_.span(prefix), "'stream'", "there is no fluid in these models");
      }
      if (prefix->DISCRETE()) {
        common.variability = AstVariability::kDiscrete;
        build_.outside(build_.span(prefix), "'discrete'",
                       "write an if expression on time or state; its switching is an event");
      }
    }
    common.is_final = p.is_final;
    common.inner = p.inner;
    common.outer = p.outer;
    common.replaceable = p.replaceable;
    common.redeclare = p.redeclare;
    common.is_protected = is_protected;
    const AstName type_name = build_.name(c->name());
    for (P::Component_declarationContext* d : c->component_declaration()) {
      AstComponent component = common;
      component.type = type_name;
      component.span = build_.span(d);
      component.name = build_.identifier(d->identifier());
      component.dimensions = build_.subscripts(d->subscripts());
      // Real[3] x[2] is x[2, 3].
      for (const AstExprId dimension : take_subscripts(component.type)) {
        component.dimensions.push_back(dimension);
      }
      build_.modification(d->modification(), component.modifiers, component.binding);
      if (d->expression()) component.condition = build_.expression(d->expression());
      std::vector<AstModifier> ignored;
      build_.comment(d->comment(), component.description, ignored);
      result.elements.push_back(
          {AstElement::Kind::kComponent, static_cast<std::uint32_t>(result.components.size())});
      result.components.push_back(std::move(component));
    }
  }

  Ast ast_;
  Diagnostics& diagnostics_;
  ExpressionBuilder build_;
};

}  // namespace

Ast build_ast(LuzTarParser::FileContext* tree, const TokenOffsets& offsets, FileId file,
              Diagnostics& diagnostics) {
  return Builder(offsets, file, diagnostics).run(tree);
}

}  // namespace luztar
