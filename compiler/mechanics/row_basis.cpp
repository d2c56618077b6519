#include "compiler/mechanics/row_basis.h"

#include <cmath>
#include <set>
#include <utility>

namespace luztar {
namespace {

constexpr double kZeroRatio = 1e-12;  // of ratios of order one

}  // namespace

/// What is new in the row.
RowBasis::Row RowBasis::rest_of(Row row) const {
  const auto clean = [&] {
    std::erase_if(row, [](const auto& entry) { return std::fabs(entry.second) <= kZeroRatio; });
  };
  // Rows before others first: none of them holds the pivot of an earlier one.
  std::set<std::size_t> known;
  const auto look_at = [&](CoordinateId q) {
    const auto place = by_pivot_.find(q);
    if (place != by_pivot_.end()) known.insert(place->second);
  };
  for (const auto& [q, c] : row) look_at(q);
  for (auto next = known.begin(); next != known.end(); ++next) {
    const Row& earlier = rows_[*next];
    const auto [pivot, value] = *earlier.begin();
    const auto entry = row.find(pivot);
    if (entry == row.end()) continue;
    const double factor = entry->second / value;
    for (const auto& [q, c] : earlier) {
      row[q] -= factor * c;
      look_at(q);
    }
    clean();
  }
  clean();
  return row;
}

bool RowBasis::add(Row row) {
  row = rest_of(std::move(row));
  if (row.empty()) return false;
  by_pivot_.emplace(row.begin()->first, rows_.size());
  rows_.push_back(std::move(row));
  return true;
}

}  // namespace luztar
