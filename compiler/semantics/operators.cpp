#include "compiler/semantics/operators.h"

#include <algorithm>
#include <optional>

#include "compiler/semantics/expressions.h"
#include "compiler/semantics/unit_rules.h"

namespace luztar {
namespace {

const char* kind_of_value(ScalarType type) {
  return type == ScalarType::kBoolean ? "true or false" : "a number";
}

/// LT2015 unless all operands of an operator are of one kind.
bool all_are(Elaboration& e, ScalarType type, const std::string& what, const Operands& operands) {
  const bool boolean = type == ScalarType::kBoolean;
  for (std::size_t i = 0; i < operands.values.size(); ++i) {
    if ((operands.values[i].type == ScalarType::kBoolean) == boolean) continue;
    e.report.error(Code::kTypeMismatch, operands.spans[i],
                   what + " needs " + kind_of_value(type) + ", and this is " +
                       kind_of_value(operands.values[i].type));
    return false;
  }
  return true;
}

/// LT2015 when an operand is an array.
bool all_scalar(Elaboration& e, const std::string& what, const Operands& operands) {
  for (std::size_t i = 0; i < operands.values.size(); ++i) {
    if (!operands.values[i].is_array()) continue;
    e.report.error(Code::kTypeMismatch, operands.spans[i],
                   what + " needs single values, and this is an array of size " +
                       shape_text(operands.values[i].shape));
    return false;
  }
  return true;
}

Quantities quantities(const Operands& operands) { return {operands.values, operands.spans}; }

class Arithmetic {
 public:
  Arithmetic(Elaboration& e, const std::vector<std::string>& ops, const Operands& operands,
             Span span)
      : e_(e), pool_(e.pool), ops_(ops), operands_(operands), span_(span) {}

  /// `+` and `-` want equal sizes; `.+` and `.-` take a scalar for an array as well.
  Value sum() {
    const std::vector<Value>& values = operands_.values;
    const bool spread = std::all_of(ops_.begin(), ops_.end(),
                                    [](const std::string& op) { return op.front() == '.'; });
    const std::optional<Shape> shape = common_shape(e_, operands_, "'" + ops_.front() + "'");
    if (!shape) return {};
    for (std::size_t i = 0; !spread && i < values.size(); ++i) {
      if (values[i].shape == *shape) continue;
      e_.report
          .error(Code::kSizeMismatch, operands_.spans[i],
                 "a single value stands beside arrays of size " + shape_text(*shape))
          .with_note("'.+' and '.-' take it for every element");
      return {};
    }
    const ScalarType type = common_type(values);
    std::vector<Expr> elements;
    const std::size_t count = element_count(*shape);
    elements.reserve(count);
    for (std::size_t k = 0; k < count; ++k) elements.push_back(add(k));
    Value result = make_value(*shape, std::move(elements), type);
    give_common_unit(e_, quantities(operands_), "the terms of a sum have different units", result);
    return result;
  }

  Value product() {
    const std::vector<Value>& values = operands_.values;
    const bool scalars = std::none_of(values.begin(), values.end(),
                                      [](const Value& value) { return value.is_array(); });
    if (scalars) {
      std::vector<Expr> factors;
      UnitId unit = values.front().unit;
      for (std::size_t i = 0; i < values.size(); ++i) {
        factors.push_back(values[i].e);
        if (i > 0) unit = e_.units.product(unit, values[i].unit);
      }
      return {pool_.mul(std::move(factors)), common_type(values), {}, {}, unit, {}};
    }
    Value result = values.front();
    for (std::size_t i = 1; i < values.size() && result.valid(); ++i) {
      result = ops_[i - 1] == "*" ? multiply(result, values[i])
                                  : element_wise(ops_[i - 1], result, values[i]);
    }
    return result;
  }

  /// Two operands, element by element; a scalar is taken for every element.
  Value element_wise(const std::string& op, const Value& a, const Value& b) {
    const Operands both{{a, b}, operands_.spans};
    const std::optional<Shape> shape = common_shape(e_, both, "'" + op + "'");
    if (!shape) return {};
    const ScalarType type = op == ".*" ? common_type({a, b}) : ScalarType::kReal;
    std::vector<Expr> elements;
    for (std::size_t k = 0; k < element_count(*shape); ++k) {
      elements.push_back(scalar(op, a.element(k), b.element(k)));
    }
    Value result = make_value(*shape, std::move(elements), type);
    // A literal exponent has no unit and yet decides that of each element.
    const bool power = op.back() == '^';
    const bool alike = a.units.empty() && b.units.empty() && !(power && b.is_array());
    std::vector<UnitId> units(alike ? 1 : result.count());
    for (std::size_t k = 0; k < units.size(); ++k) {
      units[k] = power              ? unit_of_power(e_, quantities(both), k)
                 : op.back() == '/' ? e_.units.quotient(a.unit_of(k), b.unit_of(k))
                                    : e_.units.product(a.unit_of(k), b.unit_of(k));
    }
    result.set_units(std::move(units));
    return result;
  }

 private:
  Expr add(std::size_t k) {
    std::vector<Expr> terms(operands_.values.size());
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const Expr term = operands_.values[i].element(k);
      terms[i] = i > 0 && ops_[i - 1].back() == '-' ? pool_.neg(term) : term;
    }
    return pool_.add(std::move(terms));
  }

  Expr scalar(const std::string& op, Expr a, Expr b) {
    if (op == "*" || op == ".*") return pool_.mul(a, b);
    if (op == "/" || op == "./") return pool_.div(a, b);
    return pool_.pow(a, b);
  }

  /// Scalar times array, or the products of linear algebra.
  Value multiply(const Value& a, const Value& b) {
    if (!a.is_array() || !b.is_array()) return element_wise("*", a, b);
    const std::size_t inner = a.shape.back();
    if (a.shape.size() > 2 || b.shape.size() > 2 || inner != b.shape.front()) {
      e_.report
          .error(Code::kSizeMismatch, span_,
                 "the sizes " + shape_text(a.shape) + " and " + shape_text(b.shape) +
                     " cannot be multiplied")
          .with_note("'.*' multiplies element by element");
      return {};
    }
    const std::size_t rows = a.shape.size() == 2 ? a.shape[0] : 1;
    const std::size_t columns = b.shape.size() == 2 ? b.shape[1] : 1;
    Shape shape;
    if (a.shape.size() == 2) shape.push_back(rows);
    if (b.shape.size() == 2) shape.push_back(columns);
    std::vector<Expr> elements;
    std::vector<UnitId> units;
    const bool alike = a.units.empty() && b.units.empty();
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j) {
        Value terms{Expr{}, ScalarType::kReal, {inner}, {}};
        std::vector<UnitId> of_terms;
        for (std::size_t k = 0; k < inner; ++k) {
          const std::size_t left = i * inner + k, right = k * columns + j;
          terms.elements.push_back(pool_.mul(a.elements[left], b.elements[right]));
          if (!alike) of_terms.push_back(e_.units.product(a.unit_of(left), b.unit_of(right)));
        }
        if (!alike) {
          terms.set_units(std::move(of_terms));
          units.push_back(
              common_unit_of_elements(e_, terms, span_, "the terms of a sum have different units"));
        }
        elements.push_back(pool_.add(std::move(terms.elements)));
      }
    }
    if (alike) units.push_back(e_.units.product(a.unit, b.unit));
    Value result = make_value(std::move(shape), std::move(elements), common_type({a, b}));
    result.set_units(std::move(units));
    return result;
  }

  Elaboration& e_;
  ExprPool& pool_;
  const std::vector<std::string>& ops_;
  const Operands& operands_;
  Span span_;
};

void check_comparison(Elaboration& e, const Operands& operands) {
  Value unused;
  give_common_unit(e, quantities(operands), "quantities of different units are compared", unused);
}

/// Equality of values that change with time is true at single instants at most.
Value equality(Elaboration& e, const std::string& op, const Operands& operands, Span span) {
  const Value& left = operands.values[0];
  const Value& right = operands.values[1];
  if (!all_scalar(e, "'" + op + "'", operands)) return {};
  if ((left.type == ScalarType::kBoolean) != (right.type == ScalarType::kBoolean)) {
    e.report.error(Code::kTypeMismatch, span, "a number cannot be compared with true or false");
    return {};
  }
  const bool real = common_type(operands.values) == ScalarType::kReal;
  if (real && !(is_known_before_start(e.pool, left.e) && is_known_before_start(e.pool, right.e))) {
    e.report.error(Code::kTypeMismatch, span,
                   "'" + op + "' compares real values that change with time; use <, <=, > or >=");
    return {};
  }
  check_comparison(e, operands);
  const Expr at_most = e.pool.call(Op::kLessEqual, {left.e, right.e});
  const Expr at_least = e.pool.call(Op::kLessEqual, {right.e, left.e});
  const Expr equal = e.pool.call(Op::kAnd, {at_most, at_least});
  return {op == "==" ? equal : e.pool.call(Op::kNot, {equal}), ScalarType::kBoolean};
}

Value relation(Elaboration& e, const std::string& op, const Operands& operands) {
  const bool logical = op == "and" || op == "or";
  if (!all_are(e, logical ? ScalarType::kBoolean : ScalarType::kReal, "'" + op + "'", operands) ||
      !all_scalar(e, "'" + op + "'", operands)) {
    return {};
  }
  check_comparison(e, operands);
  const Expr a = operands.values[0].e;
  const Expr b = operands.values[1].e;
  const auto give = [&](Op symbol, Expr left, Expr right) -> Value {
    return {e.pool.call(symbol, {left, right}), ScalarType::kBoolean};
  };
  if (op == "<") return give(Op::kLess, a, b);
  if (op == "<=") return give(Op::kLessEqual, a, b);
  if (op == ">") return give(Op::kLess, b, a);
  if (op == ">=") return give(Op::kLessEqual, b, a);
  if (op == "and") return give(Op::kAnd, a, b);
  if (op == "or") return give(Op::kOr, a, b);
  throw InternalError("semantics", "unknown operator " + op);
}

}  // namespace

ScalarType common_type(const std::vector<Value>& values) {
  for (const Value& value : values) {
    if (value.type != ScalarType::kInteger) return value.type;
  }
  return ScalarType::kInteger;
}

std::optional<Shape> common_shape(Elaboration& e, const Operands& operands,
                                  const std::string& what) {
  std::optional<std::size_t> first;
  for (std::size_t i = 0; i < operands.values.size(); ++i) {
    const Shape& shape = operands.values[i].shape;
    if (shape.empty()) continue;
    if (!first) {
      first = i;
    } else if (operands.values[*first].shape != shape) {
      e.report
          .error(Code::kSizeMismatch, operands.spans[i],
                 what + " needs arrays of one size, and this has the size " + shape_text(shape))
          .with_note("this one has the size " + shape_text(operands.values[*first].shape),
                     operands.spans[*first]);
      return std::nullopt;
    }
  }
  return first ? operands.values[*first].shape : Shape{};
}

Value apply_unary(Elaboration& e, const std::string& op, const Operands& operands) {
  const bool negation = op == "not";
  const Value& value = operands.values.front();
  if (!all_are(e, negation ? ScalarType::kBoolean : ScalarType::kReal, "'" + op + "'", operands)) {
    return {};
  }
  if (op.back() == '+') return value;
  return map_elements(value, value.type, [&](Expr x) {
    return negation ? e.pool.call(Op::kNot, {x}) : e.pool.neg(x);
  });
}

Value apply_operators(Elaboration& e, const std::vector<std::string>& ops, const Operands& operands,
                      Span span) {
  const std::string& op = ops.front();
  if (op == "==" || op == "<>") return equality(e, op, operands, span);
  const char last = op.back();
  const bool arithmetic = last == '+' || last == '-' || last == '*' || last == '/' || last == '^';
  if (!arithmetic) return relation(e, op, operands);
  if (!all_are(e, ScalarType::kReal, "'" + op + "'", operands)) return {};
  Arithmetic apply(e, ops, operands, span);
  if (last == '+' || last == '-') return apply.sum();
  if (last == '*') return apply.product();
  const Value& right = operands.values[1];
  const bool plain = op.size() == 1;
  if (plain && (right.is_array() || (op == "^" && operands.values[0].is_array()))) {
    e.report
        .error(Code::kTypeMismatch, span,
               op == "/" ? "nothing can be divided by an array" : "'^' needs single values")
        .with_note("'." + op + "' works element by element");
    return {};
  }
  return apply.element_wise(op, operands.values[0], right);
}

Value apply_if(Elaboration& e, const Operands& operands) {
  const std::vector<Value>& values = operands.values;
  Operands branches;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool condition = i % 2 == 0 && i + 1 < values.size();
    if (!condition) {
      branches.values.push_back(values[i]);
      branches.spans.push_back(operands.spans[i]);
      continue;
    }
    const Operands one{{values[i]}, {operands.spans[i]}};
    if (!all_are(e, ScalarType::kBoolean, "the condition of 'if'", one) ||
        !all_scalar(e, "the condition of 'if'", one)) {
      return {};
    }
  }
  const std::optional<Shape> shape = common_shape(e, branches, "'if'");
  if (!shape) return {};
  Value result = values.back();
  for (std::size_t i = values.size() - 1; i >= 2; i -= 2) {
    const Value& then_value = values[i - 1];
    if ((then_value.type == ScalarType::kBoolean) != (result.type == ScalarType::kBoolean)) {
      e.report.error(Code::kTypeMismatch, operands.spans[i - 1],
                     "the branches of 'if' are a number and true or false");
      return {};
    }
    if (then_value.shape != result.shape) {
      e.report.error(Code::kSizeMismatch, operands.spans[i - 1],
                     "one branch of 'if' is a single value, the other one an array of size " +
                         shape_text(*shape));
      return {};
    }
    result.type = common_type({then_value, result});
    const Expr condition = values[i - 2].e;
    if (!result.is_array()) {
      result.e = e.pool.if_then_else(condition, then_value.e, result.e);
    }
    for (std::size_t k = 0; k < result.elements.size(); ++k) {
      result.elements[k] =
          e.pool.if_then_else(condition, then_value.elements[k], result.elements[k]);
    }
  }
  give_common_unit(e, quantities(branches), "the branches of 'if' have different units", result);
  return result;
}

Value array_of(Elaboration& e, const Operands& operands, Span span) {
  const std::vector<Value>& values = operands.values;
  Shape shape{values.size()};
  if (values.empty()) return make_value(std::move(shape), {}, ScalarType::kReal);
  std::vector<Expr> elements;
  std::vector<UnitId> units;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Value& value = values[i];
    if ((value.type == ScalarType::kBoolean) != (values[0].type == ScalarType::kBoolean)) {
      e.report.error(Code::kTypeMismatch, operands.spans[i],
                     "numbers stand beside true and false in one array");
      return {};
    }
    if (value.shape != values[0].shape) {
      e.report
          .error(Code::kSizeMismatch, operands.spans[i],
                 "the elements of an array have one size, and this is " + shape_text(value.shape))
          .with_note("this one is " + shape_text(values[0].shape), operands.spans[0]);
      return {};
    }
    if (elements.size() + value.count() > kMostElements) {
      e.report.error(Code::kArraySize, span,
                     "the array has more than " + std::to_string(kMostElements) + " elements");
      return {};
    }
    for (std::size_t k = 0; k < value.count(); ++k) {
      elements.push_back(value.element(k));
      units.push_back(value.unit_of(k));
    }
  }
  shape.insert(shape.end(), values[0].shape.begin(), values[0].shape.end());
  Value result = make_value(std::move(shape), std::move(elements), common_type(values));
  result.set_units(std::move(units));
  return result;
}

}  // namespace luztar
