// Values of expressions: numbers, truth values and arrays of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/semantics/flat_model.h"
#include "compiler/semantics/unit_table.h"
#include "compiler/symbolic/expr.h"

namespace luztar {

/// Sizes of an array, outermost dimension first; empty: a scalar.
using Shape = std::vector<std::size_t>;

/// Larger arrays are a mistake: they would fill the memory.
inline constexpr std::size_t kMostElements = 1'000'000;

/// The meaning of an expression; an invalid one has none, and that has been reported.
struct Value {
  Expr e;  // of a scalar
  ScalarType type = ScalarType::kReal;
  Shape shape = {};
  std::vector<Expr> elements = {};  // of an array, row by row
  UnitId unit = {};                 // also that of all elements, unless they differ
  std::vector<UnitId> units = {};   // of the elements when they differ

  [[nodiscard]] bool is_array() const { return !shape.empty(); }
  [[nodiscard]] bool valid() const { return e.valid() || is_array(); }
  /// An element; of a scalar, the scalar itself.
  [[nodiscard]] Expr element(std::size_t i) const { return is_array() ? elements[i] : e; }
  [[nodiscard]] std::size_t count() const { return is_array() ? elements.size() : 1; }
  [[nodiscard]] UnitId unit_of(std::size_t i) const { return units.empty() ? unit : units[i]; }
  /// An element as a value of its own.
  [[nodiscard]] Value single(std::size_t i) const {
    return {element(i), type, {}, {}, unit_of(i), {}};
  }
  /// Gives every element its unit; one is kept when all are the same.
  void set_units(std::vector<UnitId> each);
};

/// A loop variable, an argument or variable of a function, or `end` within subscripts.
struct Local {
  std::string_view name;
  Value value;
  const Local* outer = nullptr;
};

[[nodiscard]] const Local* find_local(const Local* innermost, std::string_view name);

/// Number of elements; more than kMostElements counts as kMostElements + 1.
[[nodiscard]] std::size_t element_count(const Shape& shape);
/// "[3]", "[2, 3]"; "a single value" for a scalar.
[[nodiscard]] std::string shape_text(const Shape& shape);
/// "[2,3]": the subscripts of element `index`, as they stand in names.
[[nodiscard]] std::string subscript_text(const Shape& shape, std::size_t index);

/// An array, or the scalar when `shape` is empty.
[[nodiscard]] Value make_value(Shape shape, std::vector<Expr> elements, ScalarType type);
/// The elements of `array` with first subscripts that lead to `index` of the first dimensions
/// `leading`; a scalar when these are all.
[[nodiscard]] Value leading_element(const Value& array, std::size_t leading, std::size_t index);

/// Which elements subscripts select; one list of positions for each dimension.
struct Selection {
  std::vector<std::vector<std::size_t>> positions;
  Shape shape;  // of the dimensions that are left
};
/// Row by row the selected elements of an array of this shape.
[[nodiscard]] std::vector<std::size_t> selected(const Selection& selection, const Shape& shape);

}  // namespace luztar
