#include "compiler/semantics/array_functions.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "compiler/semantics/parameters.h"
#include "compiler/semantics/structure.h"
#include "compiler/semantics/unit_rules.h"
#include "compiler/symbolic/print.h"

namespace luztar {
namespace {

constexpr std::size_t kAny = 8;

enum class ArrayForm : std::uint8_t {
  kSum,
  kProduct,
  kMin,
  kMax,
  kTranspose,
  kDimensions,
  kDiagonal,
  kIdentity,
  kLinspace,
  kZeros,
  kOnes,
  kFill
};

struct ArrayFunction {
  const char* name;
  std::size_t least, most;
  ArrayForm form;
};

constexpr ArrayFunction kArrayFunctions[] = {
    {"sum", 1, 1, ArrayForm::kSum},
    {"product", 1, 1, ArrayForm::kProduct},
    {"min", 1, 1, ArrayForm::kMin},
    {"max", 1, 1, ArrayForm::kMax},
    {"transpose", 1, 1, ArrayForm::kTranspose},
    {"ndims", 1, 1, ArrayForm::kDimensions},
    {"diagonal", 1, 1, ArrayForm::kDiagonal},
    {"identity", 1, 1, ArrayForm::kIdentity},
    {"linspace", 3, 3, ArrayForm::kLinspace},
    {"zeros", 1, kAny, ArrayForm::kZeros},
    {"ones", 1, kAny, ArrayForm::kOnes},
    {"fill", 2, kAny, ArrayForm::kFill},
};

const ArrayFunction* find(const std::string& name) {
  for (const ArrayFunction& function : kArrayFunctions) {
    if (name == function.name) return &function;
  }
  return nullptr;
}

class ArrayCall {
 public:
  ArrayCall(Elaboration& e, const Call& call) : e_(e), pool_(e.pool), call_(call) {}

  Value build(const ArrayFunction& function) {
    const std::size_t count = call_.arguments.size();
    if (count < function.least || count > function.most) {
      const std::string wanted = function.least == function.most
                                     ? std::to_string(function.least)
                                     : std::to_string(function.least) + " or more";
      e_.report.error(Code::kWrongArguments, call_.span,
                      "'" + call_.name + "' takes " + wanted +
                          (function.most == 1 ? " argument, not " : " arguments, not ") +
                          std::to_string(count));
      return {};
    }
    switch (function.form) {
      case ArrayForm::kLinspace:
        return linspace();
      case ArrayForm::kZeros:
        return filled({pool_.zero(), ScalarType::kInteger}, 0);
      case ArrayForm::kOnes:
        return filled({pool_.one(), ScalarType::kInteger}, 0);
      case ArrayForm::kFill:
        return filled(call_.arguments[0], 1);
      case ArrayForm::kIdentity:
        return identity();
      case ArrayForm::kDimensions:
        return {pool_.constant(static_cast<double>(call_.arguments[0].shape.size())),
                ScalarType::kInteger};
      default:
        return of_array(function.form);
    }
  }

 private:
  Value fail(Code code, Span span, const std::string& message) {
    e_.report.error(code, span, message);
    return {};
  }

  Value of_array(ArrayForm form) {
    const Value& array = call_.arguments[0];
    const Span span = call_.argument_spans[0];
    if (!array.is_array() || array.type == ScalarType::kBoolean) {
      return fail(Code::kTypeMismatch, span,
                  "'" + call_.name + "' needs an array of numbers, and this is " +
                      (array.type == ScalarType::kBoolean ? "true or false" : "a single value"));
    }
    if (form == ArrayForm::kTranspose || form == ArrayForm::kDiagonal) {
      const std::size_t wanted = form == ArrayForm::kTranspose ? 2 : 1;
      if (array.shape.size() == wanted) {
        return form == ArrayForm::kTranspose ? transpose(array) : diagonal(array);
      }
      return fail(Code::kSizeMismatch, span,
                  std::string("'") + call_.name + "' needs " +
                      (wanted == 2 ? "a matrix" : "a vector") + ", and this has the size " +
                      shape_text(array.shape));
    }
    if (form == ArrayForm::kProduct) {
      return {pool_.mul(array.elements), array.type, {}, {}, unit_of_product(array), {}};
    }
    if (form != ArrayForm::kSum && array.elements.empty()) {
      return fail(Code::kSizeMismatch, span, "the array has no elements");
    }
    const UnitId unit = common_unit_of_elements(
        e_, array, span, "the elements of '" + call_.name + "' have different units");
    const Expr value = form == ArrayForm::kSum
                           ? pool_.add(array.elements)
                           : extreme(form == ArrayForm::kMin ? Op::kMin : Op::kMax, array.elements);
    return {value, array.type, {}, {}, unit, {}};
  }

  UnitId unit_of_product(const Value& array) {
    UnitId unit = e_.units.one();
    for (std::size_t k = 0; k < array.count(); ++k) {
      unit = e_.units.product(unit, array.unit_of(k));
    }
    return unit;
  }

  /// Pairs of pairs: a chain would be as deep as the array is long.
  Expr extreme(Op op, std::vector<Expr> values) {
    while (values.size() > 1) {
      std::vector<Expr> next;
      for (std::size_t i = 0; i + 1 < values.size(); i += 2) {
        next.push_back(pool_.call(op, {values[i], values[i + 1]}));
      }
      if (values.size() % 2 == 1) next.push_back(values.back());
      values = std::move(next);
    }
    return values.front();
  }

  static Value transpose(const Value& matrix) {
    const std::size_t rows = matrix.shape[0];
    const std::size_t columns = matrix.shape[1];
    std::vector<Expr> elements;
    std::vector<UnitId> units;
    elements.reserve(matrix.elements.size());
    units.reserve(matrix.elements.size());
    for (std::size_t j = 0; j < columns; ++j) {
      for (std::size_t i = 0; i < rows; ++i) {
        elements.push_back(matrix.elements[i * columns + j]);
        units.push_back(matrix.unit_of(i * columns + j));
      }
    }
    Value result = make_value({columns, rows}, std::move(elements), matrix.type);
    result.set_units(std::move(units));
    return result;
  }

  Value diagonal(const Value& vector) {
    const std::size_t n = vector.shape[0];
    if (!admits({n, n})) return {};
    std::vector<Expr> elements(n * n, pool_.zero());
    std::vector<UnitId> units(n * n);
    for (std::size_t i = 0; i < n; ++i) {
      elements[i * n + i] = vector.elements[i];
      units[i * n + i] = vector.unit_of(i);
    }
    Value result = make_value({n, n}, std::move(elements), vector.type);
    result.set_units(std::move(units));
    return result;
  }

  Value identity() {
    const std::optional<std::size_t> n = size(0);
    if (!n || !admits({*n, *n})) return {};
    std::vector<Expr> ones(*n, pool_.one());
    return diagonal(make_value({*n}, std::move(ones), ScalarType::kInteger));
  }

  Value filled(const Value& value, std::size_t first_size) {
    Shape shape;
    for (std::size_t i = first_size; i < call_.arguments.size(); ++i) {
      const std::optional<std::size_t> n = size(i);
      if (!n) return {};
      shape.push_back(*n);
    }
    if (value.is_array()) {
      return fail(Code::kTypeMismatch, call_.argument_spans[0],
                  "'fill' repeats a single value, and this is an array");
    }
    if (!admits(shape)) return {};
    std::vector<Expr> elements(element_count(shape), value.e);
    Value result = make_value(std::move(shape), std::move(elements), value.type);
    result.unit = value.unit;
    return result;
  }

  /// Both ends exactly, the others at equal distances.
  Value linspace() {
    for (std::size_t i = 0; i < 2; ++i) {
      const Value& end = call_.arguments[i];
      if (!end.is_array() && end.type != ScalarType::kBoolean) continue;
      return fail(Code::kTypeMismatch, call_.argument_spans[i],
                  "'linspace' goes from one number to another: linspace(first, last, count)");
    }
    const std::optional<std::size_t> n = size(2);
    if (!n || !admits({*n})) return {};
    if (*n < 2) {
      return fail(Code::kWrongArguments, call_.argument_spans[2],
                  "'linspace' gives two values at least, and this is " + std::to_string(*n));
    }
    const Expr first = call_.arguments[0].e;
    const Expr last = call_.arguments[1].e;
    const Expr range = pool_.sub(last, first);
    std::vector<Expr> elements;
    for (std::size_t i = 0; i + 1 < *n; ++i) {
      const double part = static_cast<double>(i) / static_cast<double>(*n - 1);
      elements.push_back(pool_.add(first, pool_.mul(pool_.constant(part), range)));
    }
    elements.push_back(last);
    Value result = make_value({*n}, std::move(elements), ScalarType::kReal);
    give_common_unit(e_, {call_.arguments, call_.argument_spans}, 0, 2,
                     "the ends of 'linspace' have different units", result);
    return result;
  }

  std::optional<std::size_t> size(std::size_t argument) {
    const Span span = call_.argument_spans[argument];
    const auto n = structural_integer(e_, call_.arguments[argument], span, "a size");
    if (!n) return std::nullopt;
    if (*n >= 0) return static_cast<std::size_t>(*n);
    e_.report.error(Code::kArraySize, span, "a size is negative: " + std::to_string(*n));
    return std::nullopt;
  }

  bool admits(const Shape& shape) {
    if (element_count(shape) <= kMostElements) return true;
    e_.report.error(Code::kArraySize, call_.span,
                    "the array would have the size " + shape_text(shape) + "; at most " +
                        std::to_string(kMostElements) + " elements are possible");
    return false;
  }

  Elaboration& e_;
  ExprPool& pool_;
  const Call& call_;
};

/// The values of the bounds of a range; nothing after a report.
std::optional<std::vector<double>> range_bounds(Elaboration& e, const Operands& bounds) {
  std::vector<double> numbers;
  for (std::size_t i = 0; i < bounds.values.size(); ++i) {
    const Value& value = bounds.values[i];
    if (value.is_array() || value.type == ScalarType::kBoolean) {
      e.report.error(Code::kTypeMismatch, bounds.spans[i],
                     "the bounds of a range are single numbers");
      return std::nullopt;
    }
    if (!is_known_before_start(e.pool, value.e)) {
      e.report.error(Code::kStructureVaries, bounds.spans[i],
                     "a range is known at compile time and cannot change with time");
      return std::nullopt;
    }
    const std::optional<double> number = structural_value(e, value.e);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

}  // namespace

bool is_array_function(const std::string& name) { return find(name) != nullptr; }

bool is_array_call(const std::string& name, const std::vector<Value>& arguments) {
  const ArrayFunction* function = find(name);
  if (function == nullptr) return false;
  return !is_scalar_function(name) || arguments.size() == 1;
}

Value build_array_call(Elaboration& e, const Call& call) {
  return ArrayCall(e, call).build(*find(call.name));
}

Value build_range(Elaboration& e, const Operands& bounds, Span span) {
  const auto numbers = range_bounds(e, bounds);
  if (!numbers) return {};
  const double first = numbers->front();
  const double last = numbers->back();
  const double step = numbers->size() == 3 ? (*numbers)[1] : 1;
  if (step == 0 || !std::isfinite(first) || !std::isfinite(last) || !std::isfinite(step)) {
    e.report.error(Code::kWrongArguments, span,
                   step == 0 ? "the step of a range is zero" : "a range has finite bounds");
    return {};
  }
  // Half a rounding error more, so that 0:0.1:1 ends with 1.
  const double steps = std::floor((last - first) / step * (1 + 1e-15) + 1e-12);
  if (steps >= static_cast<double>(kMostElements)) {
    e.report.error(Code::kArraySize, span,
                   "the range would have " + number_text(steps + 1) + " values; at most " +
                       std::to_string(kMostElements) + " are possible");
    return {};
  }
  std::vector<Expr> elements;
  for (double i = 0; i <= steps; ++i) elements.push_back(e.pool.constant(first + i * step));
  const ScalarType type = common_type(bounds.values);
  const std::size_t count = elements.size();
  return make_value({count}, std::move(elements), type);
}

}  // namespace luztar
