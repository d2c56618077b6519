#include "compiler/mechanics/row_basis.h"

#include <cmath>
#include <utility>

namespace luztar {
namespace {

constexpr double kRounding = 1e-12;  // of ratios of order one

}  // namespace

bool RowBasis::add(Row row) {
  const auto clean = [&] {
    std::erase_if(row, [](const auto& entry) { return std::fabs(entry.second) <= kRounding; });
  };
  for (const Row& known : rows_) {
    const auto [pivot, value] = *known.begin();
    const auto entry = row.find(pivot);
    if (entry == row.end()) continue;
    const double factor = entry->second / value;
    for (const auto& [q, c] : known) row[q] -= factor * c;
    clean();
  }
  clean();
  if (row.empty()) return false;
  rows_.push_back(std::move(row));
  return true;
}

}  // namespace luztar
