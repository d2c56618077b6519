// The forces of frictions that are held: those that leave their slips at rest, the shortest ones
// where they are not unique.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "runtime/pwl/gram.h"
#include "runtime/pwl/null_projection.h"
#include "runtime/pwl/principal_cholesky.h"

namespace luztar {

/// Which of some rows of G depend on each other. The rank is decided as in minimize_in_box.
struct Dependence {
  std::vector<Eigen::Index> basis;  ///< independent rows of G, as many as the rank, as they came
  std::vector<char> shared;         ///< n, by row of G: 1 for rows that depend on others, and those
  Eigen::Index nullity = 0;         ///< rows that depend on the basis
  Eigen::VectorXd null_vector;      ///< n: z with G z = 0, of the first of these
};

/// Adds independent rows among `rows` to the factor, as long as there are any. Rows of the factor
/// are independent already.
template <int kMax>
[[nodiscard]] Dependence complete_basis(const Gram& G, std::span<const Eigen::Index> rows,
                                        PrincipalCholesky<kMax>& factor);

/// The dependence of rows among themselves.
[[nodiscard]] Dependence dependence_of(const Gram& G, std::span<const Eigen::Index> rows);

/// The row `own`, which is not among `others`, is a combination of theirs.
[[nodiscard]] bool depends_on_others(const Gram& G, std::vector<Eigen::Index> others,
                                     Eigen::Index own);

/// Solves  G_HH s = r  for the held members H.
class HeldForces {
 public:
  using Index = Eigen::Index;
  /// `held`: rows of G, no index twice.           cost: linear where G is a band, else O(n^3)
  HeldForces(const Gram& G, std::span<const Index> held);

  [[nodiscard]] Index rank() const { return static_cast<Index>(dependence_.basis.size()); }
  /// Independent rows of G among `held`, as many as the rank.
  [[nodiscard]] std::vector<Index> basis() const;
  /// The force of the r-th held member is one of many that give the same motion.
  [[nodiscard]] bool is_shared(std::size_t r) const { return dependence_.shared[r] != 0; }
  /// The s of least norm, of `residual` (held) without its part outside the range of G_HH. That is
  /// the pseudo-inverse of G_HH, which is symmetric: of a unit vector, its row.
  [[nodiscard]] Eigen::VectorXd forces(const Eigen::VectorXd& residual) const;
  /// The part of residuals (held) that such forces take away.
  [[nodiscard]] Eigen::VectorXd in_range(Eigen::VectorXd residual) const;

 private:
  std::shared_ptr<const Gram> gram_;  // G_HH; the factor refers to it, also that of a copy
  std::vector<Index> held_;
  PrincipalCholesky<Eigen::Dynamic> factor_;
  Dependence dependence_;               // of rows of G_HH
  std::optional<NullProjection> null_;  // where some depend on others
};

/// The forces of the `held` members as an affine map of what the others do:
/// s_held = P b_held + Q s_others, with r_held = 0. Minimum norm when indeterminate.
struct HoldMap {
  Eigen::MatrixXd from_residual;  ///< P, held x held: pseudo-inverse of G_HH, symmetric
  Eigen::MatrixXd from_forces;    ///< Q = -P G_HO, held x others
  Eigen::Index rank = 0;          ///< of G_HH; held.size() when the forces are determinate
};

/// The hold map of one active set. The map ignores the bounds: it equals minimize_in_box as long as
/// the minimum-norm forces stay inside theirs.
///   held, others   indices of rows of G, no index twice; rows in neither carry no force
///   errors  std::invalid_argument for an index out of range
///   cost    n times that of HeldForces::forces
[[nodiscard]] HoldMap hold_map(const Gram& G, std::span<const Eigen::Index> held,
                               std::span<const Eigen::Index> others);

}  // namespace luztar
