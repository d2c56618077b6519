// Matching and dependent rows against brute force.
#include <doctest/doctest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "compiler/mechanics/dependent_rows.h"
#include "compiler/mechanics/matching.h"

namespace luztar {
namespace {

using Rows = std::vector<std::vector<std::uint32_t>>;

Incidence incidence(const Rows& rows, std::size_t columns) {
  Incidence result(columns);
  for (const auto& row : rows) result.add_row(row);
  return result;
}

Rows random_rows(std::mt19937& random, std::size_t columns) {
  std::uniform_int_distribution<std::size_t> count(1, 7), size(0, 3);
  std::uniform_int_distribution<std::uint32_t> column(0, static_cast<std::uint32_t>(columns - 1));
  Rows rows(count(random));
  for (auto& row : rows) {
    std::set<std::uint32_t> distinct;
    for (std::size_t n = size(random); n > 0; --n) distinct.insert(column(random));
    row.assign(distinct.begin(), distinct.end());
  }
  return rows;
}

/// Rows that can be matched, by trying every assignment.
std::size_t most_matched(const Rows& rows, std::size_t i, std::uint32_t used) {
  if (i == rows.size()) return 0;
  std::size_t best = most_matched(rows, i + 1, used);
  for (const std::uint32_t c : rows[i]) {
    if ((used >> c & 1U) != 0) continue;
    best = std::max(best, 1 + most_matched(rows, i + 1, used | 1U << c));
  }
  return best;
}

std::size_t most_matched(const Rows& rows, const std::vector<std::uint32_t>& chosen) {
  Rows part;
  for (const std::uint32_t r : chosen) part.push_back(rows[r]);
  return most_matched(part, 0, 0);
}

TEST_CASE("a maximum matching is as large as the best assignment") {
  std::mt19937 random(5);
  for (int draw = 0; draw < 2000; ++draw) {
    const Rows rows = random_rows(random, 6);
    const Matching matching = maximum_matching(incidence(rows, 6));
    std::size_t matched = 0;
    for (std::uint32_t r = 0; r < rows.size(); ++r) {
      const std::uint32_t c = matching.column_of[r];
      if (c == kUnmatched) continue;
      ++matched;
      CHECK(matching.row_of[c] == r);
      CHECK(std::find(rows[r].begin(), rows[r].end(), c) != rows[r].end());
    }
    CHECK(matched == most_matched(rows, 0, 0));
  }
}

TEST_CASE("rows that are matched stay so when others join them") {
  std::mt19937 random(7);
  for (int draw = 0; draw < 2000; ++draw) {
    const Rows rows = random_rows(random, 6);
    Rows first = rows;
    for (std::size_t r = 0; r < first.size(); r += 2) first[r].clear();
    const Matching start = maximum_matching(incidence(first, 6));
    const Matching matching = maximum_matching(incidence(rows, 6), start);
    std::size_t matched = 0;
    for (std::uint32_t r = 0; r < rows.size(); ++r) {
      if (start.column_of[r] != kUnmatched) CHECK(matching.column_of[r] != kUnmatched);
      if (matching.column_of[r] == kUnmatched) continue;
      ++matched;
      CHECK(matching.row_of[matching.column_of[r]] == r);
    }
    CHECK(matched == most_matched(rows, 0, 0));
  }
}

TEST_CASE("a surplus has one row too many and none that could stay") {
  std::mt19937 random(6);
  int seen = 0;
  for (int draw = 0; draw < 2000; ++draw) {
    const Rows rows = random_rows(random, 5);
    const Incidence graph = incidence(rows, 5);
    const Matching matching = maximum_matching(graph);
    for (std::uint32_t r = 0; r < rows.size(); ++r) {
      if (matching.column_of[r] != kUnmatched) continue;
      ++seen;
      const std::vector<std::uint32_t> surplus = AlternatingPaths(graph, matching.row_of).from(r);
      CHECK(most_matched(rows, surplus) == surplus.size() - 1);
      for (const std::uint32_t left_out : surplus) {
        std::vector<std::uint32_t> others = surplus;
        std::erase(others, left_out);
        CHECK(most_matched(rows, others) == others.size());
      }
    }
  }
  CHECK(seen > 1000);
}

TEST_CASE("a deficit has one column too many for the rows it occurs in") {
  // x + y = z, z = f: two unknowns are left with one equation.
  const Incidence graph = incidence({{0, 1, 2}, {2}}, 3);
  const Matching matching = maximum_matching(graph);
  const Incidence users = graph.transposed();
  AlternatingPaths paths(users, matching.column_of);
  for (const int walk : {1, 2}) {  // a walk leaves nothing behind for the next
    CAPTURE(walk);
    std::vector<std::uint32_t> lacking;
    for (std::uint32_t c = 0; c < 3; ++c) {
      if (matching.row_of[c] == kUnmatched) lacking = paths.from(c);
    }
    CHECK(lacking == std::vector<std::uint32_t>{0, 1});
  }
}

TEST_CASE("circles are the strong components of the matched rows") {
  // a <- b <- c <- b and d alone: b and c wait for each other.
  const Incidence graph = incidence({{0, 1}, {1, 2}, {2, 1}, {3, 0}}, 4);
  const Matching matching = maximum_matching(graph);
  const auto found = circles(graph, matching);
  REQUIRE(found.size() == 1);
  CHECK(found[0] == std::vector<std::uint32_t>{1, 2});
}

TEST_CASE("long chains need no deep stack") {
  constexpr std::uint32_t kLength = 200000;
  // Row i may take column i or i + 1; the last row forces everybody to the left.
  Rows rows;
  for (std::uint32_t i = 0; i + 1 < kLength; ++i) rows.push_back({i + 1, i});
  rows.push_back({kLength - 1});
  const Incidence graph = incidence(rows, kLength);
  const Matching matching = maximum_matching(graph);
  CHECK(matching.column_of[0] == 0);
  CHECK(matching.column_of[kLength - 2] == kLength - 2);
  rows.push_back({0});
  const Incidence more = incidence(rows, kLength);
  const Matching full = maximum_matching(more);
  const auto left = std::find(full.column_of.begin(), full.column_of.end(), kUnmatched);
  REQUIRE(left != full.column_of.end());
  const auto row = static_cast<std::uint32_t>(left - full.column_of.begin());
  CHECK(AlternatingPaths(more, full.row_of).from(row).size() == kLength + 1);
  Rows ring;
  for (std::uint32_t i = 0; i < kLength; ++i) ring.push_back({i, (i + 1) % kLength});
  const Incidence closed = incidence(ring, kLength);
  const auto circle = circles(closed, maximum_matching(closed));
  REQUIRE(circle.size() == 1);
  CHECK(circle[0].size() == kLength);
}

std::ptrdiff_t rank_of(const std::vector<NumberRow>& rows, const std::vector<std::size_t>& chosen) {
  if (chosen.empty()) return 0;
  Eigen::MatrixXd m = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(chosen.size()), 6);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    for (const auto& [c, x] : rows[chosen[i]]) m(static_cast<Eigen::Index>(i), c) = x;
  }
  return Eigen::FullPivLU<Eigen::MatrixXd>(m).rank();
}

TEST_CASE("dependent rows are dependent, and independent without any one of them") {
  std::mt19937 random(7);
  std::uniform_int_distribution<int> count(2, 6), value(-3, 3);
  int dependent = 0;
  for (int draw = 0; draw < 3000; ++draw) {
    std::vector<NumberRow> rows;
    std::vector<std::size_t> before;
    for (int i = count(random); i > 0; --i) {
      NumberRow row;
      for (std::uint32_t c = 0; c < 6; ++c) {
        // Few entries, so that rows depend on some of the others only.
        if (const int x = value(random); x != 0 && value(random) > 0) row.emplace_back(c, x);
      }
      rows.push_back(std::move(row));
      before.push_back(rows.size() - 1);
      if (rank_of(rows, before) == static_cast<std::ptrdiff_t>(before.size())) continue;
      const std::vector<std::size_t> found = dependent_rows(rows, rows.size() - 1);
      ++dependent;
      REQUIRE(!found.empty());
      CHECK(found.back() == rows.size() - 1);
      CHECK(rank_of(rows, found) == static_cast<std::ptrdiff_t>(found.size()) - 1);
      for (const std::size_t left_out : found) {
        std::vector<std::size_t> others = found;
        std::erase(others, left_out);
        CHECK(rank_of(rows, others) == static_cast<std::ptrdiff_t>(others.size()));
      }
      rows.pop_back();
      before.pop_back();
    }
    if (rows.size() < 2) continue;
    CHECK(dependent_rows(rows, rows.size() - 1).empty());
  }
  CHECK(dependent > 300);
}

}  // namespace
}  // namespace luztar
