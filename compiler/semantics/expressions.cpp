#include "compiler/semantics/expressions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "compiler/semantics/array_functions.h"
#include "compiler/semantics/function_calls.h"
#include "compiler/semantics/functions.h"
#include "compiler/semantics/operators.h"
#include "compiler/semantics/structure.h"
#include "compiler/semantics/studies.h"
#include "compiler/symbolic/operations.h"

namespace luztar {
namespace {

bool is_sum(const AstExpr& e) {
  return e.kind == AstExprKind::kBinary && (e.text.back() == '+' || e.text.back() == '-');
}

bool is_product(const AstExpr& e) { return e.kind == AstExprKind::kBinary && e.text.back() == '*'; }

/// Walks a syntax tree with a stack of its own: operands are visited first, then their values are
/// taken from the stack of values. Only what has a scope of its own is built by another walk.
class Builder {
 public:
  Builder(Elaboration& e, const Scope& scope) : e_(e), pool_(e.pool), scope_(scope) {}

  Value build(AstExprId root) {
    work_.push_back({root, false, {}});
    while (!work_.empty()) {
      Step step = std::move(work_.back());
      work_.pop_back();
      const AstExpr& expr = scope_.ast->exprs[step.id];
      if (step.operands_done) {
        combine(expr, step.operands);
      } else {
        visit(step.id, expr);
      }
    }
    return std::move(values_.back());
  }

 private:
  struct Step {
    AstExprId id;
    bool operands_done = false;
    std::vector<AstExprId> operands;
  };

  void give(Expr e, ScalarType type) { values_.push_back({e, type}); }
  void fail() { values_.push_back({}); }

  void fail(Code code, Span span, const std::string& message) {
    e_.report.error(code, span, message);
    fail();
  }

  void visit(AstExprId id, const AstExpr& expr) {
    switch (expr.kind) {
      case AstExprKind::kNumber:
        return give(pool_.constant(expr.number),
                    is_integer_literal(expr) ? ScalarType::kInteger : ScalarType::kReal);
      case AstExprKind::kBoolean:
        return give(pool_.constant(expr.number), ScalarType::kBoolean);
      case AstExprKind::kName:
        return name(expr);
      case AstExprKind::kString:
        return fail(Code::kTypeMismatch, expr.span, "a text stands where a value is needed");
      case AstExprKind::kUnary:
      case AstExprKind::kArray:
      case AstExprKind::kMatrix:
      case AstExprKind::kRange:
        return descend(id, expr.args);
      case AstExprKind::kBinary:
        return descend(id, operands_of(expr));
      case AstExprKind::kIf:
        return visit_if(expr);
      case AstExprKind::kCall:
        return visit_call(id, expr);
      case AstExprKind::kIterated:
        return visit_iterated(expr);
      case AstExprKind::kColon:
        return fail(Code::kSubscript, expr.span,
                    "':' stands for all elements in subscripts and for an open size only");
      case AstExprKind::kEnd:
        if (const Local* end = find_local(scope_.locals, "end")) {
          values_.push_back(end->value);
          return;
        }
        return fail(Code::kSubscript, expr.span, "'end' is the last subscript of an array");
    }
  }

  void descend(AstExprId id, std::vector<AstExprId> operands) {
    // The last pushed is visited first: values come in the order of the operands.
    work_.push_back({id, true, operands});
    for (auto it = operands.rbegin(); it != operands.rend(); ++it) {
      work_.push_back({*it, false, {}});
    }
  }

  /// `a + b - c` and `a*b*c` are one sum and one product, so that their cost is linear in length.
  std::vector<AstExprId> operands_of(const AstExpr& expr) {
    const Table<AstExprId, AstExpr>& exprs = scope_.ast->exprs;
    const auto same_chain = is_sum(expr) ? is_sum : is_product(expr) ? is_product : nullptr;
    if (same_chain == nullptr) return expr.args;
    std::vector<AstExprId> operands;
    const AstExpr* at = &expr;
    while (true) {
      operands.push_back(at->args[1]);
      const AstExpr& left = exprs[at->args[0]];
      if (!same_chain(left)) break;
      at = &left;
    }
    operands.push_back(at->args[0]);
    return {operands.rbegin(), operands.rend()};
  }

  [[nodiscard]] bool is_integer_literal(const AstExpr& expr) const {
    return std::fabs(expr.number) < 9e15 && expr.number == std::floor(expr.number);
  }

  // --- names

  void name(const AstExpr& expr) {
    const AstNamePart& first = expr.name.parts.front();
    if (const Local* local = find_local(scope_.locals, first.name.text)) {
      return local_value(expr, *local);
    }
    if (expr.name.parts.size() == 1 && first.subscripts.empty()) {
      const std::string& text = first.name.text;
      if (text == "time") {
        return values_.push_back({pool_.time(), ScalarType::kReal, {}, {}, {}});
      }
      const bool hidden = scope_.instance.valid() && e_.instances[scope_.instance].cls.valid() &&
                          e_.classes.info(e_.instances[scope_.instance].cls).find(text) != nullptr;
      if (!hidden && text == "pi") {
        return give(pool_.constant(std::numbers::pi), ScalarType::kReal);
      }
      if (!hidden && text == "inf") {
        return give(pool_.constant(std::numeric_limits<double>::infinity()), ScalarType::kReal);
      }
    }
    const Components found = resolve_name(e_, scope_, expr.name);
    if (!found.valid) return fail();
    Value value{Expr{}, ScalarType::kReal, found.shape, {}};
    std::vector<UnitId> units;
    for (const InstanceId id : found.items) {
      const Value element = component_value(expr, id);
      if (!element.valid()) return fail();
      value.type = element.type;
      if (found.shape.empty()) return values_.push_back(element);
      value.elements.push_back(element.e);
      units.push_back(element.unit);
    }
    value.set_units(std::move(units));
    values_.push_back(std::move(value));
  }

  Value component_value(const AstExpr& expr, InstanceId id) {
    const Instance& instance = e_.instances[id];
    switch (instance.kind) {
      case Instance::Kind::kParameter:
        return {pool_.symbol(SymbolKind::kParameter, instance.parameter.value),
                e_.flat.parameters[instance.parameter].type,
                {},
                {},
                e_.parameters[instance.parameter].unit,
                {}};
      case Instance::Kind::kVariable:
        return {pool_.symbol(SymbolKind::kVariable, instance.variable.value),
                e_.flat.variables[instance.variable].type,
                {},
                {},
                e_.variable_units[instance.variable],
                {}};
      case Instance::Kind::kUnknown:
        return {};
      case Instance::Kind::kAbsent:
        e_.report
            .error(Code::kAbsentComponent, expr.span,
                   "'" + name_text(expr.name) + "' does not exist: the condition of '" +
                       instance.name + "' is false")
            .with_note("'" + instance.name + "' is declared here; only connect may name it then",
                       instance.span);
        return {};
      case Instance::Kind::kPart:
      case Instance::Kind::kConnector:
      case Instance::Kind::kArray:
      case Instance::Kind::kConstants:
        break;
    }
    const bool connector = instance.kind == Instance::Kind::kConnector;
    Diagnostic& error = e_.report.error(Code::kTypeMismatch, expr.span,
                                        "'" + name_text(expr.name) + "' is a " +
                                            (connector ? "connector" : "part") + ", not a value");
    if (connector) error.with_note("connectors are joined by connect(.., ..)");
    return {};
  }

  void local_value(const AstExpr& expr, const Local& local) {
    const std::string text(local.name);
    if (expr.name.parts.size() > 1) {
      return fail(
          Code::kUnknownName, expr.name.parts[1].name.span,
          "'" + text + "' is a number and has no element '" + expr.name.parts[1].name.text + "'");
    }
    const std::vector<AstExprId>& subscripts = expr.name.parts.front().subscripts;
    const std::vector<Expr>& all = local.value.elements;
    const bool complete = std::all_of(all.begin(), all.end(), [](Expr x) { return x.valid(); });
    if (!local.value.valid() || (subscripts.empty() && !complete)) {
      return fail(Code::kFunctionBody, expr.span, "'" + text + "' has no value here yet");
    }
    if (subscripts.empty()) return values_.push_back(local.value);
    const std::optional<Selection> selection =
        select_elements(e_, scope_, subscripts, local.value.shape, text, expr.span);
    if (!selection) return fail();
    std::vector<Expr> elements;
    std::vector<UnitId> units;
    for (const std::size_t i : selected(*selection, local.value.shape)) {
      if (!local.value.elements[i].valid()) {
        return fail(Code::kFunctionBody, expr.span,
                    "'" + text + subscript_text(local.value.shape, i) + "' has no value here yet");
      }
      elements.push_back(local.value.elements[i]);
      units.push_back(local.value.unit_of(i));
    }
    Value value = make_value(selection->shape, std::move(elements), local.value.type);
    value.set_units(std::move(units));
    values_.push_back(std::move(value));
  }

  // --- what has a scope or an order of its own

  Value build_inner(const Scope& scope, AstExprId id) {
    const NestingGuard nesting(e_);
    if (!nesting.admits(span(id))) return {};
    return Builder(e_, scope).build(id);
  }

  /// Branches that a constant condition rules out are not looked at: `if i > 1 then x[i - 1] ..`
  void visit_if(const AstExpr& expr) {
    Operands operands;
    bool failed = false;
    const auto add = [&](const Value& value, AstExprId id) {
      failed = failed || !value.valid();
      operands.values.push_back(value);
      operands.spans.push_back(span(id));
    };
    std::size_t i = 0;
    for (; i + 1 < expr.args.size(); i += 2) {
      const Value condition = build_inner(scope_, expr.args[i]);
      const bool known = condition.valid() && !condition.is_array() &&
                         condition.type == ScalarType::kBoolean && pool_.is_constant(condition.e);
      if (known && pool_.is_zero(condition.e)) continue;
      if (known) break;
      add(condition, expr.args[i]);
      add(build_inner(scope_, expr.args[i + 1]), expr.args[i + 1]);
    }
    const AstExprId last = i + 1 < expr.args.size() ? expr.args[i + 1] : expr.args.back();
    add(build_inner(scope_, last), last);
    if (failed) return fail();
    values_.push_back(apply_if(e_, operands));
  }

  /// {body for i in range}
  void visit_iterated(const AstExpr& expr) {
    if (expr.args.size() < 2) return fail();  // reported by the parser
    const auto passes = iteration_values(e_, scope_, expr.args[1]);
    if (!passes) return fail();
    Operands elements;
    Scope inner = scope_;
    for (const Value& pass : *passes) {
      const Local iterator{expr.text, pass, scope_.locals};
      inner.locals = &iterator;
      if (!count_repetition(e_, expr.span)) return fail();
      Value element = build_inner(inner, expr.args[0]);
      if (!element.valid()) return fail();
      elements.values.push_back(std::move(element));
      elements.spans.push_back(span(expr.args[0]));
    }
    values_.push_back(array_of(e_, elements, expr.span));
  }

  // --- calls

  void visit_call(AstExprId id, const AstExpr& expr) {
    const std::string function = name_text(expr.name);
    if (function == "size") return visit_size(expr);
    const bool scalar = is_scalar_function(function);
    const bool measure = is_measure_function(function);
    if (measure && !e_.in_measure) {
      e_.report
          .error(Code::kStudyMeasure, expr.name.span,
                 "'" + function + "' is taken from a whole run and has no meaning in a model")
          .with_note("write it in a study: measure name = " + function + "(..);");
      return fail();
    }
    const bool built_in = scalar || measure || is_array_function(function) || function == "table" ||
                          function == "spline" || function == "slope";
    if (!built_in && !find_function(e_, scope_, expr.name).valid()) {
      report_unknown_function(e_, scope_, expr.name);
      return fail();
    }
    for (const AstIdentifier& argument : expr.arg_names) {
      if (argument.text.empty() || !built_in) continue;
      return fail(Code::kWrongArguments, argument.span,
                  "the arguments of '" + function + "' have no names");
    }
    descend(id, expr.args);
  }

  /// size(a, 1): the array itself is not converted, it may consist of parts.
  void visit_size(const AstExpr& expr) {
    if (expr.args.empty() || expr.args.size() > 2) {
      return fail(Code::kWrongArguments, expr.span, "write size(array, dimension) or size(array)");
    }
    const AstExpr& array = scope_.ast->exprs[expr.args[0]];
    const bool component = array.kind == AstExprKind::kName &&
                           find_local(scope_.locals, array.name.parts[0].name.text) == nullptr;
    Shape shape;
    if (component) {
      const Components found = resolve_name(e_, scope_, array.name);
      if (!found.valid) return fail();
      shape = found.shape;
    } else {
      const Value value = build_inner(scope_, expr.args[0]);
      if (!value.valid()) return fail();
      shape = value.shape;
    }
    std::vector<Expr> sizes;
    for (const std::size_t size : shape) {
      sizes.push_back(pool_.constant(static_cast<double>(size)));
    }
    if (expr.args.size() == 1) {
      const std::size_t count = sizes.size();
      return values_.push_back(make_value({count}, std::move(sizes), ScalarType::kInteger));
    }
    const Value which = build_inner(scope_, expr.args[1]);
    if (!which.valid()) return fail();
    const auto dimension = structural_integer(e_, which, span(expr.args[1]), "the dimension");
    if (!dimension) return fail();
    if (*dimension < 1 || static_cast<std::size_t>(*dimension) > shape.size()) {
      return fail(Code::kSubscript, span(expr.args[1]),
                  "there is no dimension " + std::to_string(*dimension) + ": this is " +
                      (shape.empty() ? "a single value" : "of size " + shape_text(shape)));
    }
    give(sizes[static_cast<std::size_t>(*dimension - 1)], ScalarType::kInteger);
  }

  // --- combination

  [[nodiscard]] Span span(AstExprId id) const { return scope_.ast->exprs[id].span; }

  void combine(const AstExpr& expr, const std::vector<AstExprId>& ids) {
    const auto first = values_.end() - static_cast<std::ptrdiff_t>(ids.size());
    Operands operands;
    operands.values.assign(std::make_move_iterator(first), std::make_move_iterator(values_.end()));
    values_.erase(first, values_.end());
    for (const Value& value : operands.values) {
      if (!value.valid()) return fail();
    }
    for (const AstExprId id : ids) operands.spans.push_back(span(id));
    switch (expr.kind) {
      case AstExprKind::kCall:
        return values_.push_back(call(expr, operands));
      case AstExprKind::kUnary:
        return values_.push_back(apply_unary(e_, expr.text, operands));
      case AstExprKind::kArray:
        return values_.push_back(array_of(e_, operands, expr.span));
      case AstExprKind::kMatrix:
        return values_.push_back(matrix(expr, operands));
      case AstExprKind::kRange:
        return values_.push_back(build_range(e_, operands, expr.span));
      default:
        return values_.push_back(apply_operators(e_, operators_of(expr), operands, expr.span));
    }
  }

  /// The operators between the operands of a chain; they stand at its left spine.
  std::vector<std::string> operators_of(const AstExpr& expr) {
    std::vector<std::string> ops{expr.text};
    const auto same_chain = is_sum(expr) ? is_sum : is_product(expr) ? is_product : nullptr;
    if (same_chain == nullptr) return ops;
    const AstExpr* left = &scope_.ast->exprs[expr.args[0]];
    for (; same_chain(*left); left = &scope_.ast->exprs[left->args[0]]) ops.push_back(left->text);
    return {ops.rbegin(), ops.rend()};
  }

  Value matrix(const AstExpr& expr, const Operands& operands) {
    Value value = array_of(e_, operands, expr.span);
    if (!value.valid() || expr.columns == 0) return {};
    if (value.shape.size() > 1) {
      e_.report
          .error(Code::kTypeMismatch, expr.span,
                 "a matrix is written with its numbers, row by row: [a, b; c, d]")
          .with_note("rows that are vectors already are put together with {row_1, row_2}");
      return {};
    }
    value.shape = {value.elements.size() / expr.columns, expr.columns};
    return value;
  }

  Value call(const AstExpr& expr, const Operands& operands) {
    const std::string function = name_text(expr.name);
    const Call call{function, expr.span, operands.values, operands.spans};
    const bool extreme = (function == "min" || function == "max") && operands.values.size() == 1 &&
                         !operands.values[0].is_array();
    if (is_measure_function(function) || (e_.in_measure && extreme)) {
      return build_measure(e_, call);
    }
    if (function == "table")
      return build_table(e_, call, {element_spans(expr, 1), element_spans(expr, 2)});
    if (function == "spline")
      return build_spline(e_, call, {element_spans(expr, 1), element_spans(expr, 2)});
    if (function == "slope") return build_slope(e_, call);
    if (is_array_call(function, operands.values)) return build_array_call(e_, call);
    if (is_scalar_function(function)) return build_call(e_, call);
    return inline_call(e_, find_function(e_, scope_, expr.name), call, expr.arg_names);
  }

  /// Where the numbers of a column stand, if they are written out.
  std::vector<Span> element_spans(const AstExpr& expr, std::size_t argument) {
    std::vector<Span> spans;
    if (expr.args.size() <= argument) return spans;
    const AstExpr& column = scope_.ast->exprs[expr.args[argument]];
    if (column.kind != AstExprKind::kArray) return spans;
    for (const AstExprId element : column.args) spans.push_back(span(element));
    return spans;
  }

  Elaboration& e_;
  ExprPool& pool_;
  const Scope& scope_;
  std::vector<Step> work_;
  std::vector<Value> values_;
};

}  // namespace

Value build_expression(Elaboration& e, const Scope& scope, AstExprId root) {
  const NestingGuard nesting(e);
  if (!nesting.admits(scope.ast->exprs[root].span)) return {};
  return Builder(e, scope).build(root);
}

bool is_known_before_start(const ExprPool& pool, Expr e) {
  return !depends_on(pool, e, [](Symbol s) { return s.kind != SymbolKind::kParameter; });
}

}  // namespace luztar
