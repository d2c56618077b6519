#include "compiler/mechanics/dependent_rows.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace luztar {
namespace {

constexpr double kZeroEntry = 1e-9;  // coefficients are ratios of order one

// Rows without a column of their own: no other row can be in a combination.
std::vector<char> core_of(const std::vector<NumberRow>& rows) {
  std::map<std::uint32_t, std::vector<std::size_t>> users;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const auto& [c, x] : rows[i]) users[c].push_back(i);
  }
  std::vector<char> in_core(rows.size(), 1);
  std::map<std::uint32_t, std::size_t> count;
  std::vector<std::uint32_t> lonely;
  for (const auto& [c, in] : users) {
    count[c] = in.size();
    if (in.size() == 1) lonely.push_back(c);
  }
  while (!lonely.empty()) {
    const std::uint32_t column = lonely.back();
    lonely.pop_back();
    for (const std::size_t i : users[column]) {
      if (!in_core[i]) continue;
      in_core[i] = 0;
      for (const auto& [c, x] : rows[i]) {
        if (--count[c] == 1) lonely.push_back(c);
      }
    }
  }
  return in_core;
}

struct Combination {
  std::map<std::uint32_t, double> row;
  std::map<std::size_t, double> of;  // rows of the input and their factors
};

template <class Key>
void subtract(std::map<Key, double>& from, const std::map<Key, double>& row, double factor) {
  for (const auto& [key, x] : row) {
    double& entry = from[key];
    entry -= factor * x;
    if (std::abs(entry) <= kZeroEntry) from.erase(key);
  }
}

void reduce(Combination& row, const std::vector<std::pair<std::uint32_t, Combination>>& pivots) {
  for (const auto& [column, pivot] : pivots) {
    const auto entry = row.row.find(column);
    if (entry == row.row.end()) continue;
    const double factor = entry->second / pivot.row.at(column);
    subtract(row.row, pivot.row, factor);
    row.row.erase(column);
    subtract(row.of, pivot.of, factor);
  }
}

}  // namespace

std::vector<std::size_t> dependent_rows(const std::vector<NumberRow>& rows, std::size_t target) {
  const std::vector<char> in_core = core_of(rows);
  std::vector<std::pair<std::uint32_t, Combination>> pivots;
  const auto reduced = [&](std::size_t i) {
    Combination result;
    double size = 0;
    for (const auto& [c, x] : rows[i]) size = std::max(size, std::abs(x));
    for (const auto& [c, x] : rows[i]) result.row.emplace(c, x / size);
    result.of.emplace(i, 1.0);
    reduce(result, pivots);
    return result;
  };
  if (!in_core[target]) return {};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i == target || !in_core[i]) continue;
    Combination row = reduced(i);
    if (row.row.empty()) continue;
    const auto largest = std::max_element(
        row.row.begin(), row.row.end(),
        [](const auto& a, const auto& b) { return std::abs(a.second) < std::abs(b.second); });
    const std::uint32_t column = largest->first;
    pivots.emplace_back(column, std::move(row));
  }
  const Combination last = reduced(target);
  if (!last.row.empty()) return {};
  std::vector<std::size_t> result;
  for (const auto& [i, factor] : last.of) result.push_back(i);
  return result;
}

}  // namespace luztar
