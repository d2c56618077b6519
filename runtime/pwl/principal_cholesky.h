// Cholesky factor of a growing and shrinking principal submatrix of a semidefinite matrix.
#pragma once

#include <Eigen/Core>
#include <cmath>

namespace luztar {

/// An eigenvalue below this, in the matrix scaled to a unit diagonal, counts as 0. A product
/// D M^-1 D' of dependent rows leaves about 1e-15 there.
inline constexpr double kRankTolerance = 1e-12;

/// G_BB = L L' for a list B of members (rows of G), with G_BB regular at all times: a member whose
/// row depends on those of B is recognised by probe() and never enters. Members enter and leave one
/// by one; a member leaves by plane rotations, which is backward stable (Golub, Van Loan sec. 6.5).
///   G       symmetric positive semidefinite, n x n; must outlive this object
///   kMax    greatest n when the storage is to be in place, or Eigen::Dynamic
///   cost    probe, append, remove and solve: O(|B|^2)
template <int kMax>
class PrincipalCholesky {
 public:
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, kMax, kMax>;
  using Vector = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, kMax, 1>;
  using Members = Eigen::Matrix<Eigen::Index, Eigen::Dynamic, 1, Eigen::ColMajor, kMax, 1>;

  explicit PrincipalCholesky(const Eigen::MatrixXd& G)
      : g_(G), lower_(G.rows(), G.rows()), members_(G.rows()) {}

  /// What row j is relative to the members.
  struct Probe {
    Vector weights;      ///< G_BB^-1 G_Bj: row j = sum of weights * rows of B when dependent
    Vector row;          ///< L^-1 G_Bj, the new row of L
    double schur = 0.0;  ///< G_jj - G_jB G_BB^-1 G_Bj, the curvature left to j
    bool dependent = false;
  };

  [[nodiscard]] Eigen::Index size() const { return size_; }
  [[nodiscard]] Eigen::Index member(Eigen::Index p) const { return members_[p]; }

  void clear() { size_ = 0; }

  /// pre: j is not a member. The null vector d = (-weights, 1) of a dependent row is judged by its
  /// Rayleigh quotient in the matrix scaled to a unit diagonal: independent of the units of the
  /// rows and, unlike the bare pivot, of the order in which the members came.
  [[nodiscard]] Probe probe(Eigen::Index j) const {
    Probe out{Vector(size_), Vector(size_)};
    for (Eigen::Index p = 0; p < size_; ++p) out.row[p] = g_(members_[p], j);
    solve_lower(out.row);
    out.weights = out.row;
    solve_upper(out.weights);
    out.schur = g_(j, j) - out.row.squaredNorm();
    double length = g_(j, j);  // d' diag(G) d
    for (Eigen::Index p = 0; p < size_; ++p) {
      length += out.weights[p] * out.weights[p] * g_(members_[p], members_[p]);
    }
    out.dependent = !(out.schur > kRankTolerance * length);
    return out;
  }

  /// pre: `probe` is probe(j) of the present members and not dependent.
  void append(Eigen::Index j, const Probe& probe) {
    for (Eigen::Index p = 0; p < size_; ++p) lower_(size_, p) = probe.row[p];
    lower_(size_, size_) = std::sqrt(probe.schur);
    members_[size_] = j;
    ++size_;
  }

  /// Takes the member at `position` out; later members move up by one.
  void remove(Eigen::Index position) {
    --size_;
    for (Eigen::Index p = position; p < size_; ++p) {
      members_[p] = members_[p + 1];
      for (Eigen::Index c = 0; c <= p + 1; ++c) lower_(p, c) = lower_(p + 1, c);
    }
    // The rows that moved up have one element right of the diagonal; rotations of columns clear it.
    for (Eigen::Index c = position; c < size_; ++c) {
      const double radius = std::hypot(lower_(c, c), lower_(c, c + 1));
      const double cosine = lower_(c, c) / radius;
      const double sine = lower_(c, c + 1) / radius;
      for (Eigen::Index p = c; p < size_; ++p) {
        const double left = lower_(p, c);
        const double right = lower_(p, c + 1);
        lower_(p, c) = cosine * left + sine * right;
        lower_(p, c + 1) = cosine * right - sine * left;
      }
    }
  }

  /// x <- G_BB^-1 x, in the order of the members.
  void solve(Vector& x) const {
    solve_lower(x);
    solve_upper(x);
  }

 private:
  void solve_lower(Vector& x) const {
    for (Eigen::Index c = 0; c < size_; ++c) {
      x[c] /= lower_(c, c);
      for (Eigen::Index p = c + 1; p < size_; ++p) x[p] -= lower_(p, c) * x[c];
    }
  }

  void solve_upper(Vector& x) const {
    for (Eigen::Index c = size_ - 1; c >= 0; --c) {
      for (Eigen::Index p = c + 1; p < size_; ++p) x[c] -= lower_(p, c) * x[p];
      x[c] /= lower_(c, c);
    }
  }

  const Eigen::MatrixXd& g_;
  Matrix lower_;  // only the lower triangle of the first size_ rows is meant
  Members members_;
  Eigen::Index size_ = 0;
};

}  // namespace luztar
