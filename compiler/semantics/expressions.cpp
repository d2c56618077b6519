#include "compiler/semantics/expressions.h"

#include <limits>
#include <numbers>

#include "compiler/semantics/functions.h"
#include "compiler/symbolic/operations.h"

namespace luztar {
namespace {

const char* type_text(ScalarType type) {
  return type == ScalarType::kBoolean ? "true or false" : "a number";
}

bool is_sum(const AstExpr& e) {
  return e.kind == AstExprKind::kBinary && (e.text == "+" || e.text == "-");
}

bool is_product(const AstExpr& e) { return e.kind == AstExprKind::kBinary && e.text == "*"; }

/// Walks a syntax tree with a stack of its own: operands are visited first, then their values are
/// taken from the stack of values.
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
    return values_.back();
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
      case AstExprKind::kIf:
        return descend(id, expr.args);
      case AstExprKind::kBinary:
        return descend(id, operands_of(expr));
      case AstExprKind::kCall:
        return visit_call(id, expr);
      case AstExprKind::kArray:
      case AstExprKind::kIterated:
        e_.report.not_supported(expr.span, "arrays");
        return fail();
      case AstExprKind::kMatrix:
        e_.report.not_supported(expr.span, "matrices");
        return fail();
      case AstExprKind::kRange:
        e_.report.not_supported(expr.span, "ranges");
        return fail();
      case AstExprKind::kColon:
      case AstExprKind::kEnd:
        e_.report.not_supported(expr.span, "subscripts");
        return fail();
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
    return expr.number == static_cast<double>(static_cast<std::int64_t>(
                              std::min(std::max(expr.number, -9e15), 9e15)));
  }

  void name(const AstExpr& expr) {
    if (expr.name.parts.size() == 1 && expr.name.parts[0].subscripts.empty()) {
      const std::string& text = expr.name.parts[0].name.text;
      if (text == "time") return give(pool_.time(), ScalarType::kReal);
      const bool hidden = scope_.instance.valid() && e_.instances[scope_.instance].cls.valid() &&
                          e_.classes.info(e_.instances[scope_.instance].cls).find(text) != nullptr;
      if (!hidden && text == "pi") {
        return give(pool_.constant(std::numbers::pi), ScalarType::kReal);
      }
      if (!hidden && text == "inf") {
        return give(pool_.constant(std::numeric_limits<double>::infinity()), ScalarType::kReal);
      }
    }
    const InstanceId id = resolve_component(e_, scope_, expr.name);
    if (!id.valid()) return fail();
    const Instance& instance = e_.instances[id];
    switch (instance.kind) {
      case Instance::Kind::kParameter:
        return give(pool_.symbol(SymbolKind::kParameter, instance.parameter.value),
                    e_.flat.parameters[instance.parameter].type);
      case Instance::Kind::kVariable:
        return give(pool_.symbol(SymbolKind::kVariable, instance.variable.value),
                    e_.flat.variables[instance.variable].type);
      case Instance::Kind::kUnknown:
        return fail();
      case Instance::Kind::kPart:
      case Instance::Kind::kConnector:
      case Instance::Kind::kConstants:
        break;
    }
    const bool connector = instance.kind == Instance::Kind::kConnector;
    fail(Code::kTypeMismatch, expr.span,
         "'" + name_text(expr.name) + "' is a " + (connector ? "connector" : "part") +
             ", not a value");
  }

  // --- calls

  void visit_call(AstExprId id, const AstExpr& expr) {
    const std::string function = name_text(expr.name);
    if (function == "table") return visit_table(id, expr);
    if (!is_scalar_function(function)) {
      report_unknown_function(e_, scope_, expr.name);
      return fail();
    }
    for (const AstIdentifier& argument : expr.arg_names) {
      if (argument.text.empty()) continue;
      return fail(Code::kWrongArguments, argument.span,
                  "the arguments of '" + function + "' have no names");
    }
    descend(id, expr.args);
  }

  void visit_table(AstExprId id, const AstExpr& expr) {
    const Table<AstExprId, AstExpr>& exprs = scope_.ast->exprs;
    const bool shape = expr.args.size() == 3 && exprs[expr.args[1]].kind == AstExprKind::kArray &&
                       exprs[expr.args[2]].kind == AstExprKind::kArray;
    if (!shape) {
      return fail(Code::kWrongArguments, expr.span,
                  "a table is written table(x, {x1, x2, ..}, {y1, y2, ..})");
    }
    const std::vector<AstExprId>& x = exprs[expr.args[1]].args;
    const std::vector<AstExprId>& y = exprs[expr.args[2]].args;
    if (x.size() != y.size() || x.size() < 2) {
      return fail(Code::kWrongArguments, expr.span,
                  x.size() < 2 ? std::string("a table needs two points at least")
                               : "the columns of the table have " + std::to_string(x.size()) +
                                     " and " + std::to_string(y.size()) + " numbers");
    }
    std::vector<AstExprId> operands{expr.args[0]};
    operands.insert(operands.end(), x.begin(), x.end());
    operands.insert(operands.end(), y.begin(), y.end());
    descend(id, std::move(operands));
  }

  // --- combination

  void combine(const AstExpr& expr, const std::vector<AstExprId>& operands) {
    const std::size_t first = values_.size() - operands.size();
    std::vector<Value> values(values_.begin() + static_cast<std::ptrdiff_t>(first), values_.end());
    values_.resize(first);
    for (const Value& value : values) {
      if (!value.valid()) return fail();
    }
    if (expr.kind == AstExprKind::kCall) return combine_call(expr, operands, values);
    if (expr.kind == AstExprKind::kIf) return combine_if(operands, values);
    if (expr.kind == AstExprKind::kUnary) return combine_unary(expr, operands, values[0]);
    combine_binary(expr, operands, values);
  }

  [[nodiscard]] Span span(AstExprId id) const { return scope_.ast->exprs[id].span; }

  /// LT2015 unless all operands of an operator are of one kind.
  bool all_are(ScalarType type, const std::string& what, const std::vector<AstExprId>& operands,
               const std::vector<Value>& values) {
    const bool boolean = type == ScalarType::kBoolean;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if ((values[i].type == ScalarType::kBoolean) == boolean) continue;
      e_.report.error(
          Code::kTypeMismatch, span(operands[i]),
          what + " needs " + type_text(type) + ", and this is " + type_text(values[i].type));
      return false;
    }
    return true;
  }

  static ScalarType common_type(const std::vector<Value>& values) {
    for (const Value& value : values) {
      if (value.type != ScalarType::kInteger) return value.type;
    }
    return ScalarType::kInteger;
  }

  void combine_unary(const AstExpr& expr, const std::vector<AstExprId>& operands,
                     const Value& value) {
    const bool negation = expr.text == "not";
    if (!all_are(negation ? ScalarType::kBoolean : ScalarType::kReal, "'" + expr.text + "'",
                 operands, {value})) {
      return fail();
    }
    if (negation) return give(pool_.call(Op::kNot, {value.e}), value.type);
    give(expr.text == "-" ? pool_.neg(value.e) : value.e, value.type);
  }

  void combine_binary(const AstExpr& expr, const std::vector<AstExprId>& operands,
                      const std::vector<Value>& values) {
    const std::string& op = expr.text;
    if (op == "==" || op == "<>") return equality(expr, values);
    const bool logical = op == "and" || op == "or";
    if (!all_are(logical ? ScalarType::kBoolean : ScalarType::kReal, "'" + op + "'", operands,
                 values)) {
      return fail();
    }
    const Expr a = values[0].e;
    const Expr b = values[1].e;
    if (op == "+" || op == "-") return sum(expr, values);
    if (op == "*") {
      std::vector<Expr> factors;
      for (const Value& value : values) factors.push_back(value.e);
      return give(pool_.mul(std::move(factors)), common_type(values));
    }
    if (op == "/") return give(pool_.div(a, b), ScalarType::kReal);
    if (op == "^") return give(pool_.pow(a, b), ScalarType::kReal);
    if (op == "<") return give(pool_.call(Op::kLess, {a, b}), ScalarType::kBoolean);
    if (op == "<=") return give(pool_.call(Op::kLessEqual, {a, b}), ScalarType::kBoolean);
    if (op == ">") return give(pool_.call(Op::kLess, {b, a}), ScalarType::kBoolean);
    if (op == ">=") return give(pool_.call(Op::kLessEqual, {b, a}), ScalarType::kBoolean);
    if (op == "and") return give(pool_.call(Op::kAnd, {a, b}), ScalarType::kBoolean);
    if (op == "or") return give(pool_.call(Op::kOr, {a, b}), ScalarType::kBoolean);
    throw InternalError("semantics", "unknown operator " + op);
  }

  /// The operators of a chain stand at its left spine, the last one at `expr` itself.
  void sum(const AstExpr& expr, const std::vector<Value>& values) {
    std::vector<Expr> terms(values.size());
    const AstExpr* at = &expr;
    for (std::size_t i = values.size() - 1; i > 0; --i) {
      terms[i] = at->text == "-" ? pool_.neg(values[i].e) : values[i].e;
      at = &scope_.ast->exprs[at->args[0]];
    }
    terms[0] = values[0].e;
    give(pool_.add(std::move(terms)), common_type(values));
  }

  /// Equality of values that change with time is true at single instants at most.
  void equality(const AstExpr& expr, const std::vector<Value>& values) {
    const Expr a = values[0].e;
    const Expr b = values[1].e;
    if ((values[0].type == ScalarType::kBoolean) != (values[1].type == ScalarType::kBoolean)) {
      return fail(Code::kTypeMismatch, expr.span, "a number cannot be compared with true or false");
    }
    const bool real = common_type(values) == ScalarType::kReal;
    if (real && !(is_known_before_start(pool_, a) && is_known_before_start(pool_, b))) {
      return fail(
          Code::kTypeMismatch, expr.span,
          "'" + expr.text + "' compares real values that change with time; use <, <=, > or >=");
    }
    const Expr at_most = pool_.call(Op::kLessEqual, {a, b});
    const Expr at_least = pool_.call(Op::kLessEqual, {b, a});
    const Expr equal = pool_.call(Op::kAnd, {at_most, at_least});
    give(expr.text == "==" ? equal : pool_.call(Op::kNot, {equal}), ScalarType::kBoolean);
  }

  /// [condition, value]..., else
  void combine_if(const std::vector<AstExprId>& operands, const std::vector<Value>& values) {
    for (std::size_t i = 0; i + 1 < values.size(); i += 2) {
      if (!all_are(ScalarType::kBoolean, "the condition of 'if'", {operands[i]}, {values[i]})) {
        return fail();
      }
    }
    Value result = values.back();
    for (std::size_t i = values.size() - 1; i >= 2; i -= 2) {
      const Value& then_value = values[i - 1];
      if ((then_value.type == ScalarType::kBoolean) != (result.type == ScalarType::kBoolean)) {
        return fail(Code::kTypeMismatch, span(operands[i - 1]),
                    "the branches of 'if' are a number and true or false");
      }
      result.e = pool_.if_then_else(values[i - 2].e, then_value.e, result.e);
      result.type = common_type({then_value, result});
    }
    values_.push_back(result);
  }

  void combine_call(const AstExpr& expr, const std::vector<AstExprId>& operands,
                    const std::vector<Value>& values) {
    std::vector<Span> spans;
    for (const AstExprId operand : operands) spans.push_back(span(operand));
    const std::string function = name_text(expr.name);
    const Call call{function, expr.span, values, spans};
    values_.push_back(function == "table" ? build_table(e_, call, (values.size() - 1) / 2)
                                          : build_call(e_, call));
  }

  Elaboration& e_;
  ExprPool& pool_;
  const Scope& scope_;
  std::vector<Step> work_;
  std::vector<Value> values_;
};

}  // namespace

Value build_expression(Elaboration& e, const Scope& scope, AstExprId root) {
  return Builder(e, scope).build(root);
}

Expr build_number(Elaboration& e, const Source& source) {
  const Value value = build_expression(e, source.scope, source.value);
  if (!value.valid() || value.type != ScalarType::kBoolean) return value.e;
  e.report.error(Code::kTypeMismatch, source.span(),
                 "a number is needed, and this is true or false");
  return {};
}

Expr build_condition(Elaboration& e, const Source& source) {
  const Value value = build_expression(e, source.scope, source.value);
  if (!value.valid() || value.type == ScalarType::kBoolean) return value.e;
  e.report.error(Code::kTypeMismatch, source.span(),
                 "true or false is needed, and this is a number");
  return {};
}

bool is_known_before_start(const ExprPool& pool, Expr e) {
  return !depends_on(pool, e, [](Symbol s) { return s.kind != SymbolKind::kParameter; });
}

}  // namespace luztar
