// Forces that give no motion: the orthogonal projection onto them, where friction is statically
// indeterminate.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "runtime/pwl/gram.h"

namespace luztar {

/// The orthogonal projection of vectors v = weight .* z onto {G z = 0, z = 0 but for `members`}.
///   members  rows of G; the forces of all others are left out
///   basis    independent rows of G among the members, as many as the rank of G there
///   weight   by row of G, > 0: the metric
///   method   QR by plane rotations, row by row ([George, Heath] Lin. Alg. Appl. 34, 1980): the
///            range of the columns is orthonormal to rounding, however near to dependent they are
///   cost     linear where G is a band, both here and in `onto`; n^2 rank, and n rank, if dense
class NullProjection {
 public:
  using Index = Eigen::Index;
  NullProjection(const Gram& G, std::span<const Index> members, std::span<const Index> basis,
                 const Eigen::VectorXd& weight);

  [[nodiscard]] const std::vector<Index>& members() const { return members_; }
  /// The part of v that gives no motion; v and the result by row of G.
  [[nodiscard]] Eigen::VectorXd onto(const Eigen::VectorXd& v) const;

 private:
  /// Of a row with row `column` of R.
  struct Rotation {
    std::size_t column = 0;
    double cosine = 0, sine = 0;
  };
  struct Factor;

  void insert(Factor& factor, std::vector<double>& row, std::size_t begin, std::size_t end);

  std::vector<Index> members_;              // increasing
  std::vector<Rotation> rotations_;         // of the first member, then of the second one, ...
  std::vector<std::size_t> rotations_end_;  // by member
  std::vector<std::size_t> column_;         // by member: the row of R that it became, or ...
  static constexpr std::size_t kNone = ~std::size_t{0};
  std::size_t columns_ = 0;
};

}  // namespace luztar
