// Cholesky factor of a growing and shrinking principal submatrix of a semidefinite matrix.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "runtime/pwl/gram.h"

namespace luztar {

/// An eigenvalue below this, in the matrix scaled to a unit diagonal, counts as 0. A product
/// D M^-1 D' of dependent rows leaves about 1e-15 there.
inline constexpr double kRankTolerance = 1e-12;

/// G_BB = L L' for a list B of members (rows of G), with G_BB regular at all times: a member whose
/// row depends on those of B is recognised by probe() and never enters. Members enter and leave one
/// by one; a member leaves by plane rotations, which is backward stable (Golub, Van Loan sec. 6.5).
/// Rows of L are stored from their first entry that is not zero; no fill lies before it.
///   G       symmetric positive semidefinite, n x n; must outlive this object
///   kMax    greatest n when the storage is to be in place, or Eigen::Dynamic
///   cost    probe, append, remove and solve: that of the rows of L, O(|B|^2) at worst
template <int kMax>
class PrincipalCholesky {
 public:
  using Vector = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, kMax, 1>;

  explicit PrincipalCholesky(const Gram& G)
      : g_(G),
        rows_(std::min<Eigen::Index>(G.size(), kFirstWidth), G.size()),
        first_(G.size()),
        members_(G.size()),
        position_(Places::Constant(G.size(), -1)) {}

  /// What row j is relative to the members.
  struct Probe {
    Vector weights;          ///< of a dependent row: row j = sum of weights * rows of B
    Vector row;              ///< L^-1 G_Bj, the new row of L
    Eigen::Index first = 0;  ///< entries of `row` before this one are 0
    double schur = 0.0;      ///< G_jj - G_jB G_BB^-1 G_Bj, the curvature left to j
    bool dependent = false;
  };

  [[nodiscard]] Eigen::Index size() const { return size_; }
  [[nodiscard]] Eigen::Index member(Eigen::Index p) const { return members_[p]; }
  [[nodiscard]] bool has(Eigen::Index j) const { return position_[j] >= 0; }

  void clear() {
    for (Eigen::Index p = 0; p < size_; ++p) position_[members_[p]] = -1;
    size_ = 0;
  }

  /// pre: j is not a member. The null vector d = (-weights, 1) of a dependent row is judged by its
  /// Rayleigh quotient in the matrix scaled to a unit diagonal: independent of the units of the
  /// rows and, unlike the bare pivot, of the order in which the members came. Where much curvature
  /// is left, the row is independent whatever the weights are.
  [[nodiscard]] Probe probe(Eigen::Index j) const {
    constexpr double kClear = 1e-2;
    Probe out;
    out.row.setZero(size_);
    out.first = size_;
    double diagonal = 0.0;
    const auto column = g_.column(j);
    for (Eigen::Index k = 0; k < column.size(); ++k) {
      const Eigen::Index i = g_.begin(j) + k;
      if (i == j) diagonal = column[k];
      const Eigen::Index p = position_[i];
      if (p < 0) continue;
      out.row[p] = column[k];
      out.first = std::min(out.first, p);
    }
    solve_lower(out.row, out.first);
    out.schur = diagonal - out.row.tail(size_ - out.first).squaredNorm();
    if (out.schur > kClear * diagonal) return out;
    out.weights = weights(out);
    double length = diagonal;  // d' diag(G) d
    for (Eigen::Index p = 0; p < size_; ++p) {
      if (out.weights[p] == 0.0) continue;
      length += out.weights[p] * out.weights[p] * g_(members_[p], members_[p]);
    }
    out.dependent = !(out.schur > kRankTolerance * length);
    return out;
  }

  /// G_BB^-1 G_Bj: how forces of the members answer one of the row that was probed.
  [[nodiscard]] Vector weights(const Probe& probe) const {
    Vector out = probe.row;
    solve_upper(out);
    return out;
  }

  /// pre: `probe` is probe(j) of the present members and not dependent.
  void append(Eigen::Index j, const Probe& probe) {
    const Eigen::Index length = size_ - probe.first;
    if (length >= rows_.rows()) {
      rows_.conservativeResize(std::min(g_.size(), 2 * (length + 1)), Eigen::NoChange);
    }
    rows_.col(size_).head(length) = probe.row.tail(length);
    rows_(length, size_) = std::sqrt(probe.schur);
    first_[size_] = probe.first;
    members_[size_] = j;
    position_[j] = size_;
    ++size_;
  }

  /// Takes the member at `position` out; later members move up by one.
  void remove(Eigen::Index position) {
    --size_;
    position_[members_[position]] = -1;
    // Rows that move up have one element right of the diagonal; rotations of columns clear it.
    Vector cosine(size_), sine(size_), row(size_ + 1);
    for (Eigen::Index p = position; p < size_; ++p) {
      members_[p] = members_[p + 1];
      position_[members_[p]] = p;
      const Eigen::Index first = first_[p + 1];
      const Eigen::Index length = p + 2 - first;
      const Eigen::Index fill = first > position ? first - 1 : first;  // its first entry from now
      row[fill] = 0.0;
      row.segment(first, length) = rows_.col(p + 1).head(length);
      for (Eigen::Index c = std::max(fill, position); c < p; ++c) {
        const double left = row[c], right = row[c + 1];
        row[c] = cosine[c] * left + sine[c] * right;
        row[c + 1] = cosine[c] * right - sine[c] * left;
      }
      const double left = row[p], right = row[p + 1];
      row[p] = std::hypot(left, right);
      cosine[p] = left / row[p];
      sine[p] = right / row[p];
      first_[p] = fill;
      rows_.col(p).head(p + 1 - fill) = row.segment(fill, p + 1 - fill);
    }
  }

  /// x <- G_BB^-1 x, in the order of the members.
  void solve(Vector& x) const {
    solve_lower(x, 0);
    solve_upper(x);
  }

 private:
  static constexpr Eigen::Index kFirstWidth = kMax == Eigen::Dynamic ? 8 : kMax;
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, kMax, kMax>;
  using Places = Eigen::Matrix<Eigen::Index, Eigen::Dynamic, 1, Eigen::ColMajor, kMax, 1>;

  // pre: x is zero before `first`.
  void solve_lower(Vector& x, Eigen::Index first) const {
    for (Eigen::Index p = first; p < size_; ++p) {
      const Eigen::Index from = std::max(first, first_[p]), skipped = from - first_[p];
      const auto row = rows_.col(p);
      const double sum = row.segment(skipped, p - from).dot(x.segment(from, p - from));
      x[p] = (x[p] - sum) / row[p - first_[p]];
    }
  }

  void solve_upper(Vector& x) const {
    for (Eigen::Index p = size_ - 1; p >= 0; --p) {
      const Eigen::Index length = p - first_[p];
      const auto row = rows_.col(p);
      x[p] /= row[length];
      if (x[p] != 0.0) x.segment(first_[p], length) -= x[p] * row.head(length);
    }
  }

  const Gram& g_;
  Rows rows_;                  // row p of L from its first entry to the diagonal, in column p
  Places first_;               // by row
  Places members_, position_;  // G's row by position, and the other way round; -1: no member
  Eigen::Index size_ = 0;
};

}  // namespace luztar
