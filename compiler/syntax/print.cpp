#include <charconv>
#include <cmath>

#include "compiler/base/diagnostics.h"
#include "compiler/syntax/ast.h"
#include "compiler/syntax/print_text.h"

namespace luztar {
namespace {

// Binding strength: a child weaker than its place gets parentheses.
enum Level : int {
  kExpression,
  kRange,
  kOr,
  kAnd,
  kNot,
  kRelation,
  kSum,
  kProduct,
  kPower,
  kPrimary
};

std::string number(double value) {
  if (std::isinf(value)) return "1e999";
  char buffer[32];
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
  return {buffer, result.ptr};
}

class Printer {
 public:
  explicit Printer(const Ast& ast) : ast_(ast) {}

  std::string run() {
    if (ast_.has_within) {
      out_ += ast_.within.parts.empty() ? "within ;\n" : "within " + name(ast_.within) + ";\n";
    }
    for (const AstClassId id : ast_.classes) {
      class_definition(ast_.class_table[id], 0, false);
      out_ += ";\n";
    }
    return std::move(out_);
  }

 private:
  // --- expressions

  std::string name(const AstName& n) const {
    std::string text;
    for (const AstNamePart& part : n.parts) {
      if (!text.empty()) text += ".";
      text += identifier_text(part.name.text) + subscripts(part.subscripts);
    }
    return text;
  }

  /// Of a call: der(x), final(x), initial() and pure(f(x)) begin with keywords.
  std::string function_name(const AstName& n) const {
    const std::string& first = n.parts.front().name.text;
    const bool keyword =
        first == "der" || first == "final" || first == "initial" || first == "pure";
    return n.parts.size() == 1 && keyword ? first : name(n);
  }

  std::string subscripts(const std::vector<AstExprId>& list) const {
    return list.empty() ? "" : "[" + join(list, ", ") + "]";
  }

  std::string join(const std::vector<AstExprId>& list, const char* separator) const {
    std::string text;
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i > 0) text += separator;
      text += expression(list[i], kExpression);
    }
    return text;
  }

  static Level level_of(const AstExpr& e) {
    switch (e.kind) {
      case AstExprKind::kIf:
        return kExpression;
      case AstExprKind::kRange:
        return kRange;
      case AstExprKind::kUnary:
        return e.text == "not" ? kNot : kSum;
      case AstExprKind::kBinary:
        if (e.text == "or") return kOr;
        if (e.text == "and") return kAnd;
        switch (e.text.back()) {
          case '+':
          case '-':
            return kSum;
          case '*':
          case '/':
            return kProduct;
          default:
            return e.text.back() == '^' ? kPower : kRelation;
        }
      default:
        return kPrimary;
    }
  }

  std::string expression(AstExprId id, Level place) const {
    const AstExpr& e = ast_.exprs[id];
    const Level level = level_of(e);
    std::string text = bare(id, level);
    return level < place ? "(" + text + ")" : text;
  }

  // A left-deep chain of one level (1 + 2 + 3 ...) is printed by a loop: it may be very long.
  std::string bare(AstExprId id, Level level) const {
    std::vector<AstExprId> chain;
    AstExprId first = id;
    if (level == kSum || level == kProduct || level == kOr || level == kAnd) {
      while (ast_.exprs[first].kind == AstExprKind::kBinary &&
             level_of(ast_.exprs[first]) == level) {
        chain.push_back(first);
        first = ast_.exprs[first].args[0];
      }
    }
    if (chain.empty()) return single(ast_.exprs[id]);
    const auto next = static_cast<Level>(level + 1);
    const bool signed_first = level == kSum && ast_.exprs[first].kind == AstExprKind::kUnary;
    std::string text = expression(first, signed_first ? kSum : next);
    for (auto it = chain.rbegin(); it != chain.rend(); ++it) {
      const AstExpr& e = ast_.exprs[*it];
      // 2.*3 would be 2. and *.
      const bool tight = level == kProduct && e.text.size() == 1;
      text += (tight ? e.text : " " + e.text + " ") + expression(e.args[1], next);
    }
    return text;
  }

  std::string single(const AstExpr& e) const {
    switch (e.kind) {
      case AstExprKind::kNumber:
        return number(e.number);
      case AstExprKind::kString:
        return quoted_text(e.text);
      case AstExprKind::kBoolean:
        return e.number != 0 ? "true" : "false";
      case AstExprKind::kName:
        return name(e.name);
      case AstExprKind::kUnary:
        return e.text == "not" ? "not " + expression(e.args[0], kRelation)
                               : e.text + expression(e.args[0], kProduct);
      case AstExprKind::kBinary:
        if (e.text.back() == '^') {
          const std::string op = e.text.size() == 1 ? e.text : " " + e.text + " ";
          return expression(e.args[0], kPrimary) + op + expression(e.args[1], kPrimary);
        }
        return expression(e.args[0], kSum) + " " + e.text + " " + expression(e.args[1], kSum);
      case AstExprKind::kCall:
        return function_name(e.name) + "(" + arguments(e) + ")";
      case AstExprKind::kIf:
        return if_text(e);
      case AstExprKind::kArray:
        return "{" + join(e.args, ", ") + "}";
      case AstExprKind::kMatrix:
        return matrix_text(e);
      case AstExprKind::kRange: {
        std::string text;
        for (const AstExprId a : e.args) text += (text.empty() ? "" : ":") + expression(a, kOr);
        return text;
      }
      case AstExprKind::kColon:
        return ":";
      case AstExprKind::kEnd:
        return "end";
      case AstExprKind::kIterated:
        return "{" + expression(e.args[0], kExpression) + " for " + identifier_text(e.text) +
               " in " + expression(e.args[1], kExpression) + "}";
    }
    return {};
  }

  std::string arguments(const AstExpr& e) const {
    std::string text;
    for (std::size_t i = 0; i < e.args.size(); ++i) {
      if (i > 0) text += ", ";
      if (i < e.arg_names.size() && !e.arg_names[i].text.empty()) {
        text += identifier_text(e.arg_names[i].text) + " = ";
      }
      text += expression(e.args[i], kExpression);
    }
    return text;
  }

  std::string if_text(const AstExpr& e) const {
    std::string text;
    for (std::size_t i = 0; i + 1 < e.args.size(); i += 2) {
      text += (i == 0 ? "if " : " elseif ") + expression(e.args[i], kExpression) + " then " +
              expression(e.args[i + 1], kExpression);
    }
    return text + " else " + expression(e.args.back(), kExpression);
  }

  std::string matrix_text(const AstExpr& e) const {
    std::string text = "[";
    for (std::size_t i = 0; i < e.args.size(); ++i) {
      if (i > 0) text += i % e.columns == 0 ? "; " : ", ";
      text += expression(e.args[i], kExpression);
    }
    return text + "]";
  }

  // --- modifiers

  std::string modifiers(const std::vector<AstModifier>& list) const {
    if (list.empty()) return {};
    std::string text;
    for (const AstModifier& m : list) {
      if (!text.empty()) text += ", ";
      text += std::string(m.each ? "each " : "") + (m.is_final ? "final " : "") + name(m.name) +
              modifiers(m.nested);
      if (m.value.valid()) text += " = " + expression(m.value, kExpression);
      if (!m.description.empty()) text += " " + quoted_text(m.description);
    }
    return "(" + text + ")";
  }

  static std::string described(const std::string& text) {
    return text.empty() ? "" : " " + quoted_text(text);
  }

  // --- classes

  void line(int depth) { out_.append(static_cast<std::size_t>(2 * depth), ' '); }

  void class_definition(const AstClass& c, int depth, bool indent) {
    if (indent) line(depth);
    if (c.kind == AstClassKind::kStudy) return study(c, depth);
    out_ += std::string(c.encapsulated ? "encapsulated " : "") + (c.partial ? "partial " : "") +
            kind_text(c.kind) + " " + identifier_text(c.name.text);
    if (c.alias_of) {
      out_ += " = ";
      if (c.alias_causality == AstCausality::kInput) out_ += "input ";
      if (c.alias_causality == AstCausality::kOutput) out_ += "output ";
      out_ += name(*c.alias_of) + subscripts(c.alias_dimensions) + modifiers(c.alias_modifiers) +
              described(c.description);
      if (!c.annotation.empty()) out_ += " annotation" + modifiers(c.annotation);
      return;
    }
    out_ += described(c.description) + "\n";
    elements(c, depth + 1);
    equations(c.initial_equations, "initial equation", depth);
    equations(c.equations, "equation", depth);
    algorithm(c, depth);
    annotation(c, depth + 1);
    line(depth);
    out_ += "end " + identifier_text(c.name.text);
  }

  void annotation(const AstClass& c, int depth) {
    if (c.annotation.empty()) return;
    line(depth);
    out_ += "annotation" + modifiers(c.annotation) + ";\n";
  }

  void elements(const AstClass& c, int depth) {
    bool is_protected = false;
    for (const AstElement& element : c.elements) {
      switch (element.kind) {
        case AstElement::Kind::kComponent: {
          const AstComponent& component = c.components[element.index];
          if (component.is_protected != is_protected) {
            is_protected = component.is_protected;
            line(depth - 1);
            out_ += is_protected ? "protected\n" : "public\n";
          }
          line(depth);
          out_ += component_text(component) + ";\n";
          break;
        }
        case AstElement::Kind::kExtends:
          line(depth);
          out_ += "extends " + name(c.extends[element.index].base) +
                  modifiers(c.extends[element.index].modifiers) + ";\n";
          break;
        case AstElement::Kind::kImport: {
          const AstImport& import = c.imports[element.index];
          line(depth);
          out_ += "import " + (import.alias.empty() ? "" : identifier_text(import.alias) + " = ") +
                  name(import.path) + (import.wildcard ? ".*" : "") + ";\n";
          break;
        }
        case AstElement::Kind::kClass:
          class_definition(ast_.class_table[c.nested[element.index]], depth, true);
          out_ += ";\n";
          break;
      }
    }
  }

  std::string component_text(const AstComponent& c) const {
    std::string text;
    if (c.redeclare) text += "redeclare ";
    if (c.is_final) text += "final ";
    if (c.inner) text += "inner ";
    if (c.outer) text += "outer ";
    if (c.replaceable) text += "replaceable ";
    if (c.prefix == AstPrefix::kFlow) text += "flow ";
    if (c.prefix == AstPrefix::kStream) text += "stream ";
    if (c.variability == AstVariability::kDiscrete) text += "discrete ";
    if (c.variability == AstVariability::kParameter) text += "parameter ";
    if (c.variability == AstVariability::kConstant) text += "constant ";
    if (c.causality == AstCausality::kInput) text += "input ";
    if (c.causality == AstCausality::kOutput) text += "output ";
    text += name(c.type) + " " + identifier_text(c.name.text) + subscripts(c.dimensions) +
            modifiers(c.modifiers);
    if (c.binding.valid()) text += " = " + expression(c.binding, kExpression);
    if (c.condition.valid()) text += " if " + expression(c.condition, kExpression);
    return text + described(c.description);
  }

  void equations(const std::vector<AstEquationId>& list, const char* section, int depth) {
    if (list.empty()) return;
    line(depth);
    out_ += std::string(section) + "\n";
    for (const AstEquationId id : list) equation(ast_.equations[id], depth + 1);
  }

  void body(const std::vector<AstEquationId>& list, int depth) {
    for (const AstEquationId id : list) equation(ast_.equations[id], depth);
  }

  void equation(const AstEquation& e, int depth) {
    line(depth);
    switch (e.kind) {
      case AstEquationKind::kEquality:
        out_ += expression(e.left, kExpression) + " = " + expression(e.right, kExpression);
        break;
      case AstEquationKind::kConnect:
        out_ += "connect(" + expression(e.left, kExpression) + ", " +
                expression(e.right, kExpression) + ")";
        break;
      case AstEquationKind::kAssert:
        out_ += "assert(" + expression(e.left, kExpression) + ", " +
                expression(e.right, kExpression) +
                (e.extra.empty() ? "" : ", " + join(e.extra, ", ")) + ")";
        break;
      case AstEquationKind::kFor:
        out_ += "for " + identifier_text(e.iterator.text) + " in " +
                expression(e.range, kExpression) + " loop\n";
        body(e.bodies[0], depth + 1);
        line(depth);
        out_ += "end for";
        break;
      case AstEquationKind::kIf:
        for (std::size_t i = 0; i < e.bodies.size(); ++i) {
          if (i > 0) line(depth);
          out_ += i < e.conditions.size() ? (i == 0 ? "if " : "elseif ") +
                                                expression(e.conditions[i], kExpression) + " then\n"
                                          : "else\n";
          body(e.bodies[i], depth + 1);
        }
        line(depth);
        out_ += "end if";
        break;
      case AstEquationKind::kWhen:
      case AstEquationKind::kCall:
        out_ += expression(e.left, kExpression);
        break;
    }
    out_ += described(e.description) + ";\n";
  }

  void algorithm(const AstClass& c, int depth) {
    if (!c.has_algorithm) return;
    line(depth);
    out_ += "algorithm\n";
    for (const AstAssignment& a : c.algorithm) {
      line(depth + 1);
      out_ += name(a.target) + " := " + expression(a.value, kExpression) + ";\n";
    }
  }

  void study(const AstClass& c, int depth) {
    out_ += "study " + identifier_text(c.name.text) + described(c.description) + " of " +
            name(c.study_of) + "\n";
    for (const AstVary& vary : c.varies) {
      line(depth + 1);
      out_ += "vary ";
      for (std::size_t i = 0; i < vary.targets.size(); ++i) {
        out_ += (i > 0 ? ", " : "") + name(vary.targets[i]);
      }
      out_ += " = " + expression(vary.values, kExpression);
      std::string options;
      for (const auto& [option, value] : vary.options) {
        if (is_argument(vary, value)) continue;
        options += (options.empty() ? " with " : ", ") + identifier_text(option.text) + " = " +
                   expression(value, kExpression);
      }
      out_ += options + (vary.carry ? " carry" : "") + (vary.updown ? " updown" : "") + ";\n";
    }
    for (const AstMeasure& measure : c.measures) {
      line(depth + 1);
      out_ += "measure " + identifier_text(measure.name.text) + " = " +
              expression(measure.value, kExpression) + ";\n";
    }
    annotation(c, depth + 1);
    line(depth);
    out_ += "end " + identifier_text(c.name.text);
  }

  // normal(0, 1, samples = 5) carries its options among the arguments of the call.
  bool is_argument(const AstVary& vary, AstExprId value) const {
    const AstExpr& call = ast_.exprs[vary.values];
    for (const AstExprId a : call.args) {
      if (a == value) return true;
    }
    return false;
  }

  const Ast& ast_;
  std::string out_;
};

}  // namespace

std::string print(const Ast& ast) { return Printer(ast).run(); }

std::string name_text(const AstName& name) {
  std::string text;
  for (const AstNamePart& part : name.parts) {
    if (!text.empty()) text += '.';
    text += part.name.text;
  }
  return text;
}

std::string kind_text(AstClassKind kind) {
  switch (kind) {
    case AstClassKind::kModel:
      return "model";
    case AstClassKind::kBlock:
      return "block";
    case AstClassKind::kConnector:
      return "connector";
    case AstClassKind::kType:
      return "type";
    case AstClassKind::kFunction:
      return "function";
    case AstClassKind::kPackage:
      return "package";
    case AstClassKind::kRecord:
      return "record";
    case AstClassKind::kClass:
      return "class";
    case AstClassKind::kStudy:
      return "study";
  }
  throw InternalError("syntax", "unknown kind of class");
}

}  // namespace luztar
