// Rank of sparse rows over coordinates, in numbers.
#pragma once

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "compiler/mechanics/mechanism.h"

namespace luztar {

/// Independent rows so far, by elimination. Coefficients are ratios of order one.
class RowBasis {
 public:
  using Row = std::map<CoordinateId, double>;

  /// Adds what is new in the row; false when it depends on those before it.
  ///   cost: linear in the rows that have to be subtracted
  bool add(Row row);
  /// The row is a sum of those so far.
  [[nodiscard]] bool spans(Row row) const { return rest_of(std::move(row)).empty(); }
  [[nodiscard]] std::size_t rank() const { return rows_.size(); }

 private:
  [[nodiscard]] Row rest_of(Row row) const;

  std::vector<Row> rows_;
  std::map<CoordinateId, std::size_t> by_pivot_;  // the first coordinate of a row: the row
};

}  // namespace luztar
