#include "tests/support/tree_text.h"

#include <sstream>

namespace luztar::test {
namespace {

class TreeWriter {
 public:
  explicit TreeWriter(const Ast& ast) : ast_(ast) { out_.precision(17); }

  std::string write() {
    field("within", ast_.has_within);
    name(ast_.within);
    for (const AstClassId c : ast_.classes) cls(c);
    return out_.str();
  }

 private:
  template <class Value>
  void field(const char* what, const Value& value) {
    out_ << what << '=' << value << ' ';
  }
  void begin(const char* what) { out_ << what << "{ "; }
  void end() { out_ << "}\n"; }

  void name(const AstName& n) {
    begin("name");
    for (const AstNamePart& part : n.parts) {
      field("part", part.name.text);
      for (const AstExprId subscript : part.subscripts) expr(subscript);
    }
    end();
  }

  void expr(AstExprId id) {
    if (!id.valid()) {
      out_ << "none ";
      return;
    }
    const AstExpr& e = ast_.exprs[id];
    begin("expr");
    field("kind", static_cast<int>(e.kind));
    field("number", e.number);
    field("text", e.text);
    field("columns", e.columns);
    name(e.name);
    for (const AstExprId arg : e.args) expr(arg);
    for (const AstIdentifier& arg : e.arg_names) field("arg", arg.text);
    end();
  }

  void exprs(const std::vector<AstExprId>& ids) {
    begin("list");
    for (const AstExprId id : ids) expr(id);
    end();
  }

  void modifiers(const std::vector<AstModifier>& all) {
    for (const AstModifier& m : all) {
      begin("modifier");
      field("each", m.each);
      field("final", m.is_final);
      field("redeclare", m.redeclare);
      name(m.name);
      modifiers(m.nested);
      expr(m.value);
      field("description", m.description);
      end();
    }
  }

  void component(const AstComponent& c) {
    begin("component");
    name(c.type);
    field("variability", static_cast<int>(c.variability));
    field("causality", static_cast<int>(c.causality));
    field("prefix", static_cast<int>(c.prefix));
    for (const bool flag :
         {c.is_final, c.is_protected, c.inner, c.outer, c.replaceable, c.redeclare}) {
      field("flag", flag);
    }
    field("name", c.name.text);
    exprs(c.dimensions);
    modifiers(c.modifiers);
    expr(c.binding);
    expr(c.condition);
    field("description", c.description);
    end();
  }

  void equation(AstEquationId id) {
    const AstEquation& e = ast_.equations[id];
    begin("equation");
    field("kind", static_cast<int>(e.kind));
    expr(e.left);
    expr(e.right);
    exprs(e.extra);
    field("iterator", e.iterator.text);
    expr(e.range);
    exprs(e.conditions);
    for (const std::vector<AstEquationId>& body : e.bodies) equations(body);
    field("description", e.description);
    end();
  }

  void equations(const std::vector<AstEquationId>& ids) {
    begin("equations");
    for (const AstEquationId id : ids) equation(id);
    end();
  }

  void vary(const AstVary& v) {
    begin("vary");
    for (const AstName& target : v.targets) name(target);
    field("kind", static_cast<int>(v.kind));
    expr(v.values);
    exprs(v.arguments);
    for (const auto& [option, value] : v.options) {
      field("option", option.text);
      expr(value);
    }
    field("carry", v.carry);
    field("updown", v.updown);
    end();
  }

  void element(const AstClass& c, const AstElement& e) {
    switch (e.kind) {
      case AstElement::Kind::kComponent:
        return component(c.components[e.index]);
      case AstElement::Kind::kClass:
        return cls(c.nested[e.index]);
      case AstElement::Kind::kExtends:
        begin("extends");
        name(c.extends[e.index].base);
        modifiers(c.extends[e.index].modifiers);
        return end();
      case AstElement::Kind::kImport:
        begin("import");
        name(c.imports[e.index].path);
        field("alias", c.imports[e.index].alias);
        field("wildcard", c.imports[e.index].wildcard);
        return end();
    }
  }

  void cls(AstClassId id) {
    const AstClass& c = ast_.class_table[id];
    begin("class");
    field("kind", static_cast<int>(c.kind));
    for (const bool flag : {c.partial, c.encapsulated, c.is_final, c.has_algorithm}) {
      field("flag", flag);
    }
    field("name", c.name.text);
    field("description", c.description);
    for (const AstElement& e : c.elements) element(c, e);
    equations(c.equations);
    equations(c.initial_equations);
    for (const AstAssignment& assignment : c.algorithm) {
      name(assignment.target);
      expr(assignment.value);
    }
    modifiers(c.annotation);
    if (c.alias_of) name(*c.alias_of);
    field("causality", static_cast<int>(c.alias_causality));
    exprs(c.alias_dimensions);
    modifiers(c.alias_modifiers);
    name(c.study_of);
    for (const AstVary& v : c.varies) vary(v);
    for (const AstMeasure& measure : c.measures) {
      field("measure", measure.name.text);
      expr(measure.value);
    }
    end();
  }

  const Ast& ast_;
  std::ostringstream out_;
};

}  // namespace

std::string tree_text(const Ast& ast) { return TreeWriter(ast).write(); }

}  // namespace luztar::test
