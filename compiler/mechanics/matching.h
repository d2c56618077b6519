// Which equations can determine which unknowns, by incidence alone.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace luztar {

/// Rows (equations) and the columns (unknowns) that occur in each.
class Incidence {
 public:
  explicit Incidence(std::size_t columns) : columns_(columns) {}

  void add_row(std::span<const std::uint32_t> columns) {
    entries_.insert(entries_.end(), columns.begin(), columns.end());
    first_.push_back(static_cast<std::uint32_t>(entries_.size()));
  }
  [[nodiscard]] std::size_t rows() const { return first_.size() - 1; }
  [[nodiscard]] std::size_t columns() const { return columns_; }
  [[nodiscard]] std::span<const std::uint32_t> row(std::size_t i) const {
    return std::span(entries_).subspan(first_[i], first_[i + 1] - first_[i]);
  }
  [[nodiscard]] Incidence transposed() const;

 private:
  std::size_t columns_;
  std::vector<std::uint32_t> first_{0}, entries_;
};

constexpr std::uint32_t kUnmatched = static_cast<std::uint32_t>(-1);

struct Matching {
  std::vector<std::uint32_t> column_of;  // by row
  std::vector<std::uint32_t> row_of;     // by column
};

/// As many rows as possible, each with a column of its own (Hopcroft and Karp 1973). Rows that are
/// matched in `start` stay matched.
///   cost: entries times the root of the rows at worst, linear in practice
[[nodiscard]] Matching maximum_matching(const Incidence& incidence, Matching start = {});

/// Where alternating paths lead, for walks from many places.
class AlternatingPaths {
 public:
  /// Rows through a column to the row it belongs to: `owner` is Matching::row_of. The same with
  /// columns for rows: the transposed incidence and Matching::column_of.
  AlternatingPaths(const Incidence& incidence, const std::vector<std::uint32_t>& owner)
      : incidence_(incidence), owner_(owner), seen_(incidence.rows(), 0) {}

  /// The rows in reach of unmatched ones, in order. Of a single row they are one more than they
  /// have columns, and not after any one of them is taken away; the union over all unmatched rows
  /// is the over-determined part of Dulmage and Mendelsohn (1958). The columns in reach of an
  /// unmatched column occur in one row fewer than they are.
  ///   cost: the entries of the rows in reach
  [[nodiscard]] std::vector<std::uint32_t> from(std::span<const std::uint32_t> unmatched);
  [[nodiscard]] std::vector<std::uint32_t> from(std::uint32_t unmatched) {
    return from(std::span(&unmatched, 1));
  }

 private:
  const Incidence& incidence_;
  const std::vector<std::uint32_t>& owner_;
  std::vector<char> seen_;  // 0 between two walks
};

/// Rows whose columns wait for each other in a circle: the strong components of more than one row
/// of the matched rows (Tarjan 1972).
[[nodiscard]] std::vector<std::vector<std::uint32_t>> circles(const Incidence& incidence,
                                                              const Matching& matching);

}  // namespace luztar
