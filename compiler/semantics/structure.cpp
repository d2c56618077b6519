#include "compiler/semantics/structure.h"

#include <cmath>

#include "compiler/semantics/parameters.h"
#include "compiler/symbolic/operations.h"
#include "compiler/symbolic/print.h"

namespace luztar {
namespace {

/// Deeper chains are a mistake; each link needs some kilobytes of the stack.
constexpr std::size_t kDeepestConversion = 400;
/// Passes through loops and inlined functions: more are a mistake, and would take minutes.
constexpr std::size_t kRepetitionsPerComponent = 10;

/// LT2030 unless the value depends on parameters only.
bool is_structural(Elaboration& e, Expr value, Span span, const std::string& what,
                   const std::string& advice) {
  for (const Symbol s : symbols_of(e.pool, value)) {
    if (s.kind == SymbolKind::kParameter) continue;
    Diagnostic& error = e.report.error(Code::kStructureVaries, span,
                                       what + " is decided at compile time and cannot depend on '" +
                                           e.flat.symbol_name(s) + "', which changes with time");
    if (!advice.empty()) error.with_note(advice);
    return false;
  }
  return true;
}

std::optional<std::size_t> declared_size(Elaboration& e, const Source& dimension,
                                         const std::string& name) {
  const Value value = build_expression(e, dimension.scope, dimension.value);
  if (!value.valid()) return std::nullopt;
  const Span span = dimension.span();
  const auto size = structural_integer(e, value, span, "the size of '" + name + "'");
  if (!size) return std::nullopt;
  if (*size >= 0) return static_cast<std::size_t>(*size);
  e.report.error(Code::kArraySize, span,
                 "the size of '" + name + "' is negative: " + std::to_string(*size));
  return std::nullopt;
}

std::optional<std::vector<std::size_t>> positions(Elaboration& e, const Scope& scope,
                                                  AstExprId subscript, std::size_t size,
                                                  const std::string& name, bool& is_scalar) {
  const AstExpr& expr = scope.ast->exprs[subscript];
  std::vector<std::size_t> result;
  is_scalar = false;
  if (expr.kind == AstExprKind::kColon) {
    for (std::size_t i = 0; i < size; ++i) result.push_back(i);
    return result;
  }
  const Local end{
      "end", {e.pool.constant(static_cast<double>(size)), ScalarType::kInteger}, scope.locals};
  Scope inner = scope;
  inner.locals = &end;
  const Value value = build_expression(e, inner, subscript);
  if (!value.valid()) return std::nullopt;
  is_scalar = !value.is_array();
  if (value.shape.size() > 1) {
    e.report.error(
        Code::kSubscript, expr.span,
        "a subscript is a number or a vector, and this has the size " + shape_text(value.shape));
    return std::nullopt;
  }
  for (std::size_t i = 0; i < value.count(); ++i) {
    const Value one{value.element(i), value.type};
    const auto index = structural_integer(e, one, expr.span, "a subscript");
    if (!index) return std::nullopt;
    if (*index < 1 || static_cast<std::size_t>(*index) > size) {
      e.report.error(Code::kSubscript, expr.span,
                     "the subscript " + std::to_string(*index) + " is outside '" + name + "', " +
                         (size == 0 ? "which has no elements"
                                    : "whose elements are 1 to " + std::to_string(size)));
      return std::nullopt;
    }
    result.push_back(static_cast<std::size_t>(*index - 1));
  }
  return result;
}

}  // namespace

std::optional<std::int64_t> structural_integer(Elaboration& e, const Value& value, Span span,
                                               const std::string& what) {
  if (!value.is_array() && !is_structural(e, value.e, span, what, "")) return std::nullopt;
  if (value.type != ScalarType::kInteger || value.is_array()) {
    const std::string found = value.is_array() ? "an array of size " + shape_text(value.shape)
                              : value.type == ScalarType::kBoolean ? "true or false"
                                                                   : "a Real expression";
    Diagnostic& error = e.report.error(Code::kTypeMismatch, span,
                                       what + " must be an Integer, and this is " + found);
    if (!value.is_array() && value.type == ScalarType::kReal) {
      error.with_note("declare an Integer parameter, or write integer(..) or div(.., ..)");
    }
    return std::nullopt;
  }
  const std::optional<double> number = structural_value(e, value.e);
  if (!number) return std::nullopt;
  if (*number == std::floor(*number) && std::abs(*number) < 9e15) {
    return static_cast<std::int64_t>(*number);
  }
  e.report.error(Code::kTypeMismatch, span,
                 what + " must be an Integer, and this is " + number_text(*number));
  return std::nullopt;
}

std::optional<bool> structural_condition(Elaboration& e, const Source& condition,
                                         const std::string& what, const std::string& advice) {
  const Expr value = build_condition(e, condition);
  if (!value.valid() || !is_structural(e, value, condition.span(), what, advice)) {
    return std::nullopt;
  }
  const std::optional<double> number = structural_value(e, value);
  if (!number) return std::nullopt;
  return *number != 0;
}

std::optional<Shape> declared_shape(Elaboration& e, const std::vector<Source>& dimensions,
                                    const Source& binding, const std::string& name) {
  Shape shape;
  std::optional<Value> given;  // converted when a `:` asks for its size
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    const Source& dimension = dimensions[d];
    if (dimension.scope.ast->exprs[dimension.value].kind != AstExprKind::kColon) {
      const auto size = declared_size(e, dimension, name);
      if (!size) return std::nullopt;
      shape.push_back(*size);
      continue;
    }
    if (!binding.valid()) {
      e.report.error(Code::kArraySize, dimension.span(), "nothing gives '" + name + "' its size")
          .with_note("write the size, or a value: " + name + "[:] = {..}");
      return std::nullopt;
    }
    if (!given) given = build_value(e, binding);
    if (!given->valid()) return std::nullopt;
    if (given->shape.size() < dimensions.size()) {
      e.report.error(Code::kSizeMismatch, binding.span(),
                     "'" + name + "' has " + std::to_string(dimensions.size()) +
                         " dimensions, and this has the size " + shape_text(given->shape));
      return std::nullopt;
    }
    shape.push_back(given->shape[d]);
  }
  if (element_count(shape) <= kMostElements) return shape;
  e.report.error(Code::kArraySize, dimensions.front().span(),
                 "'" + name + "' would have the size " + shape_text(shape) + "; at most " +
                     std::to_string(kMostElements) + " elements are possible");
  return std::nullopt;
}

std::optional<Selection> select_elements(Elaboration& e, const Scope& scope,
                                         const std::vector<AstExprId>& subscripts,
                                         const Shape& shape, const std::string& name, Span span) {
  if (subscripts.size() > shape.size()) {
    e.report.error(Code::kSubscript, span,
                   shape.empty() ? "'" + name + "' is no array and has no elements"
                                 : "'" + name + "' has " + std::to_string(shape.size()) +
                                       " dimensions, and here are " +
                                       std::to_string(subscripts.size()) + " subscripts");
    return std::nullopt;
  }
  Selection selection;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (d >= subscripts.size()) {
      selection.shape.push_back(shape[d]);
      std::vector<std::size_t>& all = selection.positions.emplace_back();
      for (std::size_t i = 0; i < shape[d]; ++i) all.push_back(i);
      continue;
    }
    bool is_scalar = false;
    auto chosen = positions(e, scope, subscripts[d], shape[d], name, is_scalar);
    if (!chosen) return std::nullopt;
    if (!is_scalar) selection.shape.push_back(chosen->size());
    selection.positions.push_back(std::move(*chosen));
  }
  return selection;
}

std::optional<std::vector<Value>> iteration_values(Elaboration& e, const Scope& scope,
                                                   AstExprId range) {
  const Span span = scope.ast->exprs[range].span;
  const Value values = build_expression(e, scope, range);
  if (!values.valid()) return std::nullopt;
  if (values.shape.size() != 1) {
    e.report
        .error(Code::kTypeMismatch, span,
               "an iterator runs over a range or a vector, and this is " +
                   (values.is_array() ? "an array of size " + shape_text(values.shape)
                                      : std::string("a single value")))
        .with_note("write a range: 1:n");
    return std::nullopt;
  }
  std::vector<Value> result;
  result.reserve(values.elements.size());
  for (std::size_t k = 0; k < values.count(); ++k) result.push_back(values.single(k));
  return result;
}

bool count_repetition(Elaboration& e, Span span) {
  const std::size_t most = kRepetitionsPerComponent * e.most_components;
  if (++e.repetitions <= most) return true;
  if (e.repetitions > most + 1) return false;  // said once: all that comes is one too many
  e.report
      .error(Code::kArraySize, span,
             "loops and functions are passed through more than " + std::to_string(most) + " times")
      .with_note("where that is meant, --max-components N lets " +
                 std::to_string(kRepetitionsPerComponent) + " N passes go");
  return false;
}

NestingGuard::NestingGuard(Elaboration& e) : e_(e) { ++e_.nesting; }
NestingGuard::~NestingGuard() { --e_.nesting; }

bool NestingGuard::admits(Span span) const {
  if (e_.nesting <= kDeepestConversion) return true;
  e_.report.error(Code::kTooDeep, span, "this takes too many steps that wait for each other");
  return false;
}

}  // namespace luztar
