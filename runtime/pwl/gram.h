// How forces of frictions act on each other's slip: a symmetric matrix with few entries per row.
#pragma once

#include <Eigen/Core>
#include <initializer_list>
#include <span>
#include <vector>

namespace luztar {

/// A symmetric matrix whose columns are stored from their first to their last entry that is not
/// zero ("skyline"): memory and time are linear where members are numbered along a chain, and those
/// of a dense matrix at worst.
class Gram {
 public:
  using Index = Eigen::Index;
  /// Entry (i, j) and its mirror image.
  struct Entry {
    Index i = 0, j = 0;
    double value = 0;
  };

  Gram() = default;
  /// n x n. An entry whose value is 0 has its place and may be set later; the last one of several
  /// for the same place counts.
  Gram(Index n, std::span<const Entry> entries);
  /// pre: symmetric. Implicit: kernels take either.
  Gram(const Eigen::MatrixXd& matrix);  // NOLINT(google-explicit-constructor)

  [[nodiscard]] Index size() const { return static_cast<Index>(first_.size()); }
  /// Rows of column j that may not be zero: begin(j) <= i < end(j).
  [[nodiscard]] Index begin(Index j) const { return first_[static_cast<std::size_t>(j)]; }
  [[nodiscard]] Index end(Index j) const {
    const auto c = static_cast<std::size_t>(j);
    return first_[c] + offset_[c + 1] - offset_[c];
  }
  /// Those rows.
  [[nodiscard]] Eigen::Map<const Eigen::VectorXd> column(Index j) const {
    const auto c = static_cast<std::size_t>(j);
    return {values_.data() + offset_[c], offset_[c + 1] - offset_[c]};
  }
  [[nodiscard]] double operator()(Index i, Index j) const {
    return i < begin(j) || i >= end(j) ? 0.0 : values_[place(i, j)];
  }

  /// pre: (i, j) has a place.
  void set(Index i, Index j, double value);
  /// This becomes the rows and columns `members` of G, in their order; storage is kept.
  void take_principal(const Gram& G, std::span<const Index> members);
  [[nodiscard]] Gram principal(std::span<const Index> members) const;
  [[nodiscard]] Eigen::MatrixXd dense() const;
  [[nodiscard]] bool all_finite() const;

  /// result += factor * G x, and += |G| |x|.
  void add_product(const Eigen::VectorXd& x, double factor, Eigen::VectorXd& result) const;
  void add_sizes(const Eigen::VectorXd& x, Eigen::VectorXd& result) const;

 private:
  [[nodiscard]] std::size_t place(Index i, Index j) const {
    return static_cast<std::size_t>(offset_[static_cast<std::size_t>(j)] + i - begin(j));
  }
  void allocate();

  std::vector<Index> first_;            // by column
  std::vector<Index> offset_;           // of its first entry in values_, and one past the last
  std::vector<Index> last_, position_;  // while a pattern is found
  std::vector<double> values_;
};

/// The sum of symmetric positive semidefinite matrices, the others at the scale of the first, by
/// the greatest entries of their diagonals: what it takes to zero, each of them does. Empty ones
/// add nothing.
[[nodiscard]] Eigen::MatrixXd sum_at_scale(Eigen::MatrixXd first,
                                           std::initializer_list<const Eigen::MatrixXd*> others);

}  // namespace luztar
