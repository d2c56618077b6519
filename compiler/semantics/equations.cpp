#include "compiler/semantics/equations.h"

#include <cmath>
#include <optional>

#include "compiler/semantics/connections.h"
#include "compiler/semantics/expressions.h"
#include "compiler/semantics/parameters.h"
#include "compiler/semantics/structure.h"
#include "compiler/semantics/unit_rules.h"
#include "compiler/symbolic/node_map.h"
#include "compiler/symbolic/operations.h"
#include "compiler/symbolic/print.h"

namespace luztar {
namespace {

class EquationBuilder {
 public:
  explicit EquationBuilder(Elaboration& e) : e_(e) {}

  void part(InstanceId id) {
    const ClassId cls = e_.instances[id].cls;
    for (const ClassId ancestor : e_.classes.info(cls).lineage) {
      const AstClass& definition = e_.classes.definition(ancestor);
      const Scope scope{e_.classes[ancestor].ast, id, ancestor};
      for (const AstEquationId equation : definition.equations) {
        build(scope, scope.ast->equations[equation]);
      }
    }
  }

  void binding(const VariableBinding& binding) {
    const Instance instance = e_.instances[binding.instance];
    const FlatVariable& variable = e_.flat.variables[instance.variable];
    const ScalarType type = variable.type;
    const std::string name = variable.name;
    const Value value = build_value(e_, binding.value);
    if (!value.valid()) return;
    if (value.is_array()) {
      e_.report.error(Code::kSizeMismatch, binding.value.span(),
                      "'" + name + "' is a single value, and this is an array of size " +
                          shape_text(value.shape));
      return;
    }
    if (!same_kind(type, value.type)) {
      e_.report.error(Code::kTypeMismatch, binding.value.span(),
                      type == ScalarType::kBoolean
                          ? "'" + name + "' is true or false, and this is a number"
                          : "'" + name + "' is a number, and this is true or false");
      return;
    }
    if (!fits_integer(instance.variable, value, 0, binding.value.span())) return;
    check_value_unit(e_, declared(e_, instance.variable), value, binding.value.span(),
                     "the binding of '" + name + "'");
    // A binding from a modifier belongs to the part in which it is written.
    const InstanceId writer = binding.value.scope.instance;
    const PartId part = writer.valid() ? e_.instances[writer].part : instance.part;
    const Expr left = e_.pool.symbol(SymbolKind::kVariable, instance.variable.value);
    e_.flat.equations.push_back({left, value.e, part, binding.value.span()});
    e_.bound_inputs.push_back(instance.variable);
  }

 private:
  static bool same_kind(ScalarType a, ScalarType b) {
    return (a == ScalarType::kBoolean) == (b == ScalarType::kBoolean);
  }

  /// The variable that an expression consists of, if it is one.
  [[nodiscard]] VariableId variable_of(Expr e) const {
    if (!e_.pool.is_symbol(e)) return {};
    const Symbol symbol = e_.pool[e].symbol;
    return symbol.kind == SymbolKind::kVariable ? VariableId{symbol.index} : VariableId{};
  }

  /// True when an expression has integer values only, as floor(x) and sums and products of such.
  [[nodiscard]] bool is_integral(Expr root) const {
    NodeMap<bool> seen;
    std::vector<Expr> open{root};
    while (!open.empty()) {
      const Expr e = open.back();
      open.pop_back();
      if (!seen.insert(e, true)) continue;
      const ExprPool::Node& node = e_.pool[e];
      const auto args = e_.pool.args(e);
      switch (node.op) {
        case Op::kConstant:
          if (node.value != std::floor(node.value)) return false;
          break;
        case Op::kSymbol:
          if (!is_integer(node.symbol)) return false;
          break;
        case Op::kFloor:
        case Op::kCeil:
        case Op::kSign:
          break;
        case Op::kPow:
          if (!e_.pool.is_constant(args[1]) || e_.pool[args[1]].value < 0) return false;
          [[fallthrough]];
        case Op::kAdd:
        case Op::kMul:
        case Op::kAbs:
        case Op::kMin:
        case Op::kMax:
        case Op::kMod:
        case Op::kNoEvent:
          open.insert(open.end(), args.begin(), args.end());
          break;
        case Op::kIf:
          open.insert(open.end(), args.begin() + 1, args.end());
          break;
        default:
          return false;
      }
    }
    return true;
  }

  [[nodiscard]] bool is_integer(Symbol symbol) const {
    if (symbol.kind == SymbolKind::kVariable) {
      return e_.flat.variables[VariableId{symbol.index}].type == ScalarType::kInteger;
    }
    return symbol.kind == SymbolKind::kParameter &&
           e_.flat.parameters[ParameterId{symbol.index}].type == ScalarType::kInteger;
  }

  /// False, after LT2015, when an Integer variable gets a value that may lie between integers.
  bool fits_integer(VariableId id, const Value& value, std::size_t element, Span span) {
    const FlatVariable& variable = e_.flat.variables[id];
    if (variable.type != ScalarType::kInteger || value.type == ScalarType::kInteger) return true;
    const Expr e = value.element(element);
    if (is_integral(e)) return true;
    const bool constant = e_.pool.is_constant(e);
    Diagnostic& error = e_.report.error(Code::kTypeMismatch, span,
                                        "'" + variable.name + "' is an Integer, and " +
                                            (constant ? number_text(e_.pool[e].value) + " is not"
                                                      : std::string("this is a Real expression")));
    if (!constant) error.with_note("write integer(..), or declare the variable Real");
    return false;
  }

  void build(const Scope& scope, const AstEquation& equation) {
    switch (equation.kind) {
      case AstEquationKind::kEquality:
        return equality(scope, equation);
      case AstEquationKind::kConnect:
        return build_connection(e_, scope, equation);
      case AstEquationKind::kAssert:
        return assertion(scope, equation);
      case AstEquationKind::kFor:
        return loop(scope, equation);
      case AstEquationKind::kIf:
        return branch(scope, equation);
      case AstEquationKind::kWhen:
      case AstEquationKind::kCall:
        // Reported by the parser as outside the language.
        return;
    }
  }

  void equality(const Scope& scope, const AstEquation& equation) {
    if (!equation.left.valid() || !equation.right.valid()) return;
    const Value left = build_expression(e_, scope, equation.left);
    const Value right = build_expression(e_, scope, equation.right);
    if (!left.valid() || !right.valid()) return;
    if (!same_kind(left.type, right.type)) {
      e_.report.error(Code::kTypeMismatch, equation.span,
                      "one side of the equation is a number, the other one true or false");
      return;
    }
    if (left.shape != right.shape) {
      const auto text = [](const Value& value) {
        return value.is_array() ? "has the size " + shape_text(value.shape) : "is a single value";
      };
      e_.report
          .error(Code::kSizeMismatch, equation.span, "the sides of the equation differ in size")
          .with_note("the left one " + text(left), scope.ast->exprs[equation.left].span)
          .with_note("the right one " + text(right), scope.ast->exprs[equation.right].span);
      return;
    }
    const Table<AstExprId, AstExpr>& exprs = scope.ast->exprs;
    check_equation_units(e_,
                         {{left, right}, {exprs[equation.left].span, exprs[equation.right].span}});
    const PartId part = e_.instances[scope.instance].part;
    for (std::size_t i = 0; i < left.count(); ++i) {
      const VariableId defined = variable_of(left.element(i));
      if (defined.valid() && !fits_integer(defined, right, i, exprs[equation.right].span)) return;
      e_.flat.equations.push_back({left.element(i), right.element(i), part, equation.span});
    }
  }

  void body(const Scope& scope, const std::vector<AstEquationId>& equations) {
    for (const AstEquationId id : equations) build(scope, scope.ast->equations[id]);
  }

  void loop(const Scope& scope, const AstEquation& equation) {
    if (!equation.range.valid()) return;  // reported by the parser
    const auto passes = iteration_values(e_, scope, equation.range);
    if (!passes) return;
    for (const Value& pass : *passes) {
      if (!count_repetition(e_, equation.iterator.span)) return;
      const Local iterator{equation.iterator.text, pass, scope.locals};
      Scope inner = scope;
      inner.locals = &iterator;
      body(inner, equation.bodies.front());
    }
  }

  /// The branch whose condition holds, or else the last one.
  void branch(const Scope& scope, const AstEquation& equation) {
    for (std::size_t i = 0; i < equation.conditions.size(); ++i) {
      const std::optional<bool> holds = structural_condition(
          e_, {scope, equation.conditions[i], ElementId{}}, "an if equation",
          "write an if expression: x = if .. then .. else ..; its switching is an event");
      if (!holds) return;
      if (*holds) return body(scope, equation.bodies[i]);
    }
    if (equation.bodies.size() > equation.conditions.size()) body(scope, equation.bodies.back());
  }

  void assertion(const Scope& scope, const AstEquation& equation) {
    const Expr condition = build_condition(e_, {scope, equation.left, ElementId{}});
    const AstExpr& message = scope.ast->exprs[equation.right];
    if (message.kind != AstExprKind::kString) {
      e_.report
          .error(Code::kTypeMismatch, message.span,
                 "the second argument of assert is a text in quotes")
          .with_note("a failed assertion shows the values of its condition without being told");
      return;
    }
    if (!equation.extra.empty()) {
      e_.report
          .error(Code::kWrongArguments, scope.ast->exprs[equation.extra.front()].span,
                 "'assert' takes 2 arguments, not " + std::to_string(2 + equation.extra.size()))
          .with_note("there are no levels: an assertion that fails ends the run");
      return;
    }
    if (!condition.valid()) return;
    const Span span = scope.ast->exprs[equation.left].span;
    if (is_set_valued(e_.pool, condition)) {
      e_.report
          .error(Code::kSetValuedPlace, span, "an assertion on a dry friction or hard stop itself")
          .with_note(
              "let it stand in the law of a force or torque, and write the variable of that force "
              "here");
      return;
    }
    e_.flat.assertions.push_back(
        {condition, message.text, e_.instances[scope.instance].part, span});
  }

  Elaboration& e_;
};

void report_failed(Elaboration& e, const FlatAssertion& assertion) {
  const FlatPart& part = e.flat.parts[assertion.part];
  const bool model = !part.parent.valid();
  // Many parts may fail in the same assertion; what is wrong with each stands where it is declared.
  Diagnostic& error = e.report.error(Code::kAssertFailed, model ? assertion.span : part.span,
                                     (model ? "" : "'" + part.name + "': ") + assertion.message);
  for (const Symbol s : symbols_of(e.pool, assertion.condition)) {
    const FlatParameter& parameter = e.flat.parameters[ParameterId{s.index}];
    std::string value = parameter.type == ScalarType::kBoolean
                            ? (parameter.value != 0 ? "true" : "false")
                            : number_text(parameter.value);
    if (!parameter.unit.empty() && parameter.unit != "1") value += " " + parameter.unit;
    error.with_note(parameter.name + " = " + value, parameter.span);
  }
  if (!model) error.with_note("the assertion is here", assertion.span);
}

}  // namespace

void build_equations(Elaboration& e) {
  EquationBuilder builder(e);
  for (std::size_t i = 0; i < e.bindings.size(); ++i) builder.binding(e.bindings[i]);
  // Instances in id order; constants that come into use are no parts.
  for (std::size_t i = 0; i < e.instances.size(); ++i) {
    const InstanceId id{i};
    if (e.instances[id].kind == Instance::Kind::kPart) builder.part(id);
  }
}

void check_assertions(Elaboration& e) {
  std::vector<FlatAssertion> kept;
  for (FlatAssertion& assertion : e.flat.assertions) {
    if (!is_known_before_start(e.pool, assertion.condition)) {
      kept.push_back(std::move(assertion));
    } else if (has_value(e, assertion.condition) &&
               evaluate(e.pool, assertion.condition, e.flat.parameter_values()) == 0) {
      report_failed(e, assertion);
    }
  }
  e.flat.assertions = std::move(kept);
}

}  // namespace luztar
