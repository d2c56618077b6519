// Gauss' principle on two time scales: velocities of massless bodies follow the forces at once,
// accelerations of the others decide what these leave open (theory sec. 3, kernels A and G).
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "runtime/pwl/box_minimum.h"

namespace luztar {

struct LexicographicMinimum {
  Eigen::VectorXd force;   // s, n
  Eigen::VectorXd first;   // b0 - G0 s: slip velocities; 0 for members that are held
  Eigen::VectorXd second;  // slip accelerations where the first minimum leaves forces open; 0 for
                           // members held, and where it does not
  std::vector<BoxSide> side;
};

/// Entries of an orthonormal basis, or of a projection, without their rounding: it would couple
/// what has nothing to do with each other.
[[nodiscard]] Eigen::MatrixXd clean(const Eigen::MatrixXd& matrix);

/// An orthonormal basis of the null space of a semidefinite G: eigenvalues below 1e-12, with rows
/// in units that make the diagonal one.
[[nodiscard]] Eigen::MatrixXd null_basis(const Eigen::MatrixXd& G);

/// Those along the orthonormal columns Z in which `fixed` members have no part; without rounding,
/// which would be all that they do.
[[nodiscard]] Eigen::MatrixXd without_members(const Eigen::MatrixXd& Z,
                                              const std::vector<Eigen::Index>& fixed);

/// Z'G Z. What forces do that move nothing is rounding of the terms.
[[nodiscard]] Eigen::MatrixXd reduced_gram(const Eigen::MatrixXd& G, const Eigen::MatrixXd& Z);

/// Of a semidefinite G along orthonormal columns N: the directions in which N'G N is regular, and
/// those in which it is zero: as `null_basis` finds them, unless the rounding of terms that cancel
/// has a say in that. Orthonormal together, they span N; without any of the latter, `regular` is N.
struct RegularDirections {
  Eigen::MatrixXd regular, null;
};
[[nodiscard]] RegularDirections regular_directions(const Eigen::MatrixXd& G,
                                                   const Eigen::MatrixXd& N);

/// The shortest forces along N, by residuals of all members, that take these away along N:
/// N (N'G N)^+ N'.
[[nodiscard]] Eigen::MatrixXd hold_along(const Eigen::MatrixXd& G, const Eigen::MatrixXd& N);
/// The same, of which the regular directions are known.
[[nodiscard]] Eigen::MatrixXd hold_along(const Eigen::MatrixXd& G, const Eigen::MatrixXd& N,
                                         const Eigen::MatrixXd& regular);

/// The minimum of s'G s/2 - b's on the points out.force + N t within the bounds, by multipliers for
/// what N leaves fixed (augmented Lagrangian). The penalty is a projection, so each step takes the
/// same factor off the error, and the shortest of many minimisers is the shortest here, too. What
/// the penalty buries of G is put right in the active set that is found.
///   size  of the terms that b is the sum of, at least |b|
///   N     orthonormal columns
///   out   `second` and `side` of members that N moves are those of this minimum
void minimize_on_face(const Eigen::MatrixXd& G, const Eigen::VectorXd& b,
                      const Eigen::VectorXd& size, const Eigen::MatrixXd& N,
                      const Eigen::VectorXd& lower, const Eigen::VectorXd& upper,
                      LexicographicMinimum& out);

/// Minimises  s'G0 s/2 - b0's  over lower <= s <= upper, and among its minimisers  s'G1 s/2 - b1's.
/// That is the limit e -> 0 of the box minimum of G0 + e G1, b0 + e b1.
///   G0, G1  n x n, symmetric positive semidefinite
///   K       n x n, added to b1 as K s; it must be a function of G0 s, so the same for all
///   minimisers
///           of the first
///   errors  as minimize_in_box
///   method  the second minimum by multipliers for what the first fixes, a few box problems
///   cost    O(n^3)
[[nodiscard]] LexicographicMinimum minimize_lexicographic(
    const Eigen::MatrixXd& G0, const Eigen::VectorXd& b0, const Eigen::MatrixXd& G1,
    const Eigen::VectorXd& b1, const Eigen::MatrixXd& K, const Eigen::VectorXd& lower,
    const Eigen::VectorXd& upper);

/// Sizes of the terms that b0 and b1 are sums of, which their rounding is relative to.
struct LexicographicTerms {
  Eigen::VectorXd first, second;  // n, at least |b0|, |b1|
};
[[nodiscard]] LexicographicMinimum minimize_lexicographic(
    const Eigen::MatrixXd& G0, const Eigen::VectorXd& b0, const Eigen::MatrixXd& G1,
    const Eigen::VectorXd& b1, const Eigen::MatrixXd& K, const Eigen::VectorXd& lower,
    const Eigen::VectorXd& upper, const LexicographicTerms& terms);

/// The forces of the held members with both residuals zero, as an affine map:
/// s_held = first b0_held + second b1_held + from_forces s_others. Least norm when indeterminate.
struct LexicographicHoldMap {
  Eigen::MatrixXd first, second;  // held x held
  Eigen::MatrixXd from_forces;    // held x others
};
[[nodiscard]] LexicographicHoldMap lexicographic_hold_map(const Eigen::MatrixXd& G0,
                                                          const Eigen::MatrixXd& G1,
                                                          const Eigen::MatrixXd& K,
                                                          std::span<const Eigen::Index> held,
                                                          std::span<const Eigen::Index> others);

/// The part of it that depends on G0 alone: forces that the first residual leaves open are zero.
struct FirstHoldMap {
  Eigen::MatrixXd first;        // held x held
  Eigen::MatrixXd from_forces;  // held x others
  Eigen::MatrixXd open;         // held x so many, orthonormal: forces without a first residual
};
[[nodiscard]] FirstHoldMap first_hold_map(const Eigen::MatrixXd& G0,
                                          std::span<const Eigen::Index> held,
                                          std::span<const Eigen::Index> others);

}  // namespace luztar
