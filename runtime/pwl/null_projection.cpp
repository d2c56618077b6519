#include "runtime/pwl/null_projection.h"

#include <algorithm>
#include <cmath>

namespace luztar {

/// R, upper triangular, by rows from the diagonal on; rows that are empty have not come yet.
struct NullProjection::Factor {
  std::vector<std::vector<double>> rows;
};

NullProjection::NullProjection(const Gram& G, std::span<const Index> members,
                               std::span<const Index> basis, const Eigen::VectorXd& weight)
    : members_(members.begin(), members.end()), columns_(basis.size()) {
  std::sort(members_.begin(), members_.end());
  std::vector<Index> columns(basis.begin(), basis.end());
  std::sort(columns.begin(), columns.end());
  std::vector<std::size_t> column_of(static_cast<std::size_t>(G.size()), kNone);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    column_of[static_cast<std::size_t>(columns[c])] = c;
  }
  Factor factor{std::vector<std::vector<double>>(columns_)};
  std::vector<double> row(columns_, 0.0);
  for (const Index i : members_) {
    std::size_t begin = columns_, end = 0;
    for (Index j = G.begin(i); j < G.end(i); ++j) {
      const std::size_t c = column_of[static_cast<std::size_t>(j)];
      if (c == kNone) continue;
      row[c] = G(i, j) / weight[i];
      begin = std::min(begin, c);
      end = c + 1;
    }
    insert(factor, row, begin, end);
    rotations_end_.push_back(rotations_.size());
  }
}

// Rotates the row, of entries begin <= c < end, into R; leaves it zero.
void NullProjection::insert(Factor& factor, std::vector<double>& row, std::size_t begin,
                            std::size_t end) {
  column_.push_back(kNone);
  for (std::size_t c = begin; c < end; ++c) {
    if (row[c] == 0.0) continue;
    std::vector<double>& pivot = factor.rows[c];
    if (pivot.empty()) {
      const auto first = row.begin() + static_cast<std::ptrdiff_t>(c);
      const auto last = row.begin() + static_cast<std::ptrdiff_t>(end);
      pivot.assign(first, last);
      std::fill(first, last, 0.0);
      column_.back() = c;
      return;
    }
    end = std::max(end, c + pivot.size());
    pivot.resize(end - c, 0.0);
    const double radius = std::hypot(pivot[0], row[c]);
    const Rotation rotation{c, pivot[0] / radius, row[c] / radius};
    for (std::size_t k = 0; k < pivot.size(); ++k) {
      const double upper = pivot[k], lower = row[c + k];
      pivot[k] = rotation.cosine * upper + rotation.sine * lower;
      row[c + k] = rotation.cosine * lower - rotation.sine * upper;
    }
    row[c] = 0.0;
    rotations_.push_back(rotation);
  }
}

// The rotations take v to its parts in the range and in the null space; back without the first.
Eigen::VectorXd NullProjection::onto(const Eigen::VectorXd& v) const {
  std::vector<double> range(columns_, 0.0), null(members_.size(), 0.0);
  std::size_t next = 0;
  for (std::size_t r = 0; r < members_.size(); ++r) {
    double x = v[members_[r]];
    for (; next < rotations_end_[r]; ++next) {
      const Rotation& rotation = rotations_[next];
      double& y = range[rotation.column];
      const double upper = y;
      y = rotation.cosine * upper + rotation.sine * x;
      x = rotation.cosine * x - rotation.sine * upper;
    }
    (column_[r] == kNone ? null[r] : range[column_[r]]) = x;
  }
  std::fill(range.begin(), range.end(), 0.0);
  Eigen::VectorXd out = Eigen::VectorXd::Zero(v.size());
  for (std::size_t r = members_.size(); r-- > 0;) {
    double x = null[r];
    if (column_[r] != kNone) std::swap(x, range[column_[r]]);
    const std::size_t first = r > 0 ? rotations_end_[r - 1] : 0;
    for (std::size_t k = rotations_end_[r]; k-- > first;) {
      const Rotation& rotation = rotations_[k];
      double& y = range[rotation.column];
      const double upper = y;
      y = rotation.cosine * upper - rotation.sine * x;
      x = rotation.sine * upper + rotation.cosine * x;
    }
    out[members_[r]] = x;
  }
  return out;
}

}  // namespace luztar
