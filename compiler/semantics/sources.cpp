// Values of sources: see expressions.h.
#include <algorithm>
#include <tuple>

#include "compiler/semantics/expressions.h"

namespace luztar {
namespace {

/// LT2015, LT2026 unless the value is a single number, or true or false; invalid then.
Value single(Elaboration& e, const Value& value, Span span, bool boolean) {
  if (!value.valid()) return {};
  const std::string wanted = boolean ? "true or false" : "a number";
  if (value.is_array()) {
    e.report.error(Code::kSizeMismatch, span,
                   wanted + " is needed, and this is an array of size " + shape_text(value.shape));
    return {};
  }
  if ((value.type == ScalarType::kBoolean) == boolean) return value;
  e.report.error(Code::kTypeMismatch, span,
                 wanted + " is needed, and this is " + (boolean ? "a number" : "true or false"));
  return {};
}

/// The part of a value that belongs to one element of arrays of components.
Value part_of(Elaboration& e, const Source& source, const Value& whole) {
  Shape around;
  std::size_t index = 0;
  std::vector<ElementStep> path;
  for (ElementId at = source.element; at.valid(); at = e.elements[at].outer) {
    path.push_back(e.elements[at]);
  }
  for (auto step = path.rbegin(); step != path.rend(); ++step) {
    const Shape& shape = e.instances[step->array].shape;
    index = index * element_count(shape) + step->index;
    around.insert(around.end(), shape.begin(), shape.end());
  }
  const bool fits = whole.shape.size() >= around.size() &&
                    std::equal(around.begin(), around.end(), whole.shape.begin());
  if (fits) return leading_element(whole, around.size(), index);
  const Instance& array = e.instances[path.front().array];
  Diagnostic& error = e.report.error(
      Code::kSizeMismatch, source.span(),
      "values for the elements of '" + array.name + "' must have the size " + shape_text(around) +
          ", and this is " +
          (whole.is_array() ? "of size " + shape_text(whole.shape) : "a single value"));
  if (!whole.is_array()) error.with_label("write 'each' before the name, or a value for each one");
  error.with_note("'" + array.name + "' is declared here", array.span);
  return {};
}

}  // namespace

Value build_value(Elaboration& e, const Source& source) {
  if (!source.element.valid()) return build_expression(e, source.scope, source.value);
  const std::tuple key{source.scope.ast, source.value, source.scope.instance};
  auto known = e.distributed.find(key);
  if (known == e.distributed.end()) {
    Value whole = build_expression(e, source.scope, source.value);
    known = e.distributed.emplace(key, std::move(whole)).first;
  }
  if (!known->second.valid()) return {};
  return part_of(e, source, known->second);
}

Value build_number(Elaboration& e, const Source& source) {
  return single(e, build_value(e, source), source.span(), false);
}

Expr build_condition(Elaboration& e, const Source& source) {
  return single(e, build_value(e, source), source.span(), true).e;
}

}  // namespace luztar
