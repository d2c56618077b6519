#include "compiler/semantics/arrays.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace luztar {

void Value::set_units(std::vector<UnitId> each) {
  const bool alike =
      std::adjacent_find(each.begin(), each.end(), std::not_equal_to<>{}) == each.end();
  if (alike) {
    unit = each.empty() ? UnitId{} : each.front();
    units.clear();
  } else {
    units = std::move(each);
  }
}

const Local* find_local(const Local* innermost, std::string_view name) {
  while (innermost != nullptr && innermost->name != name) innermost = innermost->outer;
  return innermost;
}

std::size_t element_count(const Shape& shape) {
  std::size_t count = 1;
  bool too_many = false;
  for (const std::size_t size : shape) {
    if (size == 0) return 0;
    too_many = too_many || size > kMostElements / count;
    if (!too_many) count *= size;
  }
  return too_many ? kMostElements + 1 : count;
}

std::string shape_text(const Shape& shape) {
  if (shape.empty()) return "a single value";
  std::string text = "[";
  for (const std::size_t size : shape) {
    if (text.size() > 1) text += ", ";
    text += std::to_string(size);
  }
  return text + "]";
}

std::string subscript_text(const Shape& shape, std::size_t index) {
  std::string text;
  for (std::size_t d = shape.size(); d-- > 0;) {
    const std::string subscript = std::to_string(index % shape[d] + 1);
    text = text.empty() ? subscript : subscript + "," + text;
    index /= shape[d];
  }
  return "[" + text + "]";
}

Value make_value(Shape shape, std::vector<Expr> elements, ScalarType type) {
  if (shape.empty()) return {elements.front(), type};
  return {Expr{}, type, std::move(shape), std::move(elements)};
}

Value leading_element(const Value& array, std::size_t leading, std::size_t index) {
  const auto dimensions = static_cast<std::ptrdiff_t>(leading);
  Shape rest(array.shape.begin() + dimensions, array.shape.end());
  if (rest.empty()) return array.single(index);
  const std::size_t count = element_count(rest);
  const auto first = array.elements.begin() + static_cast<std::ptrdiff_t>(index * count);
  Value result =
      make_value(std::move(rest), {first, first + static_cast<std::ptrdiff_t>(count)}, array.type);
  result.unit = array.unit;
  if (!array.units.empty()) {
    const auto unit = array.units.begin() + static_cast<std::ptrdiff_t>(index * count);
    result.set_units({unit, unit + static_cast<std::ptrdiff_t>(count)});
  }
  return result;
}

std::vector<std::size_t> selected(const Selection& selection, const Shape& shape) {
  std::vector<std::size_t> result{0};
  for (std::size_t d = 0; d < shape.size(); ++d) {
    std::vector<std::size_t> next;
    next.reserve(result.size() * selection.positions[d].size());
    for (const std::size_t row : result) {
      for (const std::size_t position : selection.positions[d]) {
        next.push_back(row * shape[d] + position);
      }
    }
    result = std::move(next);
  }
  return result;
}

}  // namespace luztar
