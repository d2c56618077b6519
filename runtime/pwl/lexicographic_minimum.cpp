#include "runtime/pwl/lexicographic_minimum.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "runtime/numbers.h"
#include "runtime/pwl/decompositions.h"
#include "runtime/pwl/held_forces.h"

namespace luztar {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// A residual this small against its terms is zero.
constexpr double kZeroResidual = 1e-12;

/// size: of the terms of the diagonal, which its rounding is relative to
[[nodiscard]] MatrixXd null_basis(const MatrixXd& G, const VectorXd& size) {
  constexpr double kNull = 1e-12;
  const Index n = G.rows();
  if (n == 0) return MatrixXd(0, 0);
  const VectorXd unit = (size.array() > 0).select(size.array().sqrt().inverse(), 1);
  const SymmetricEigen eigen = symmetric_eigen(unit.asDiagonal() * G * unit.asDiagonal());
  const Index nullity = (eigen.values.array() < kNull).count();
  if (nullity == 0) return MatrixXd(n, 0);
  return clean(orthonormal_factor(unit.asDiagonal() * eigen.vectors.leftCols(nullity)));
}

/// One step of refinement in the active set of `out`: the penalty takes as many digits off the
/// forces as it is greater than what G says along N.
///   terms  that b is the sum of: their sizes
void refine_on_face(const MatrixXd& G, const VectorXd& b, const VectorXd& terms, const MatrixXd& N,
                    const VectorXd& lower, const VectorXd& upper, LexicographicMinimum& out) {
  constexpr double kOfForces = 1e-4;  // more is not rounding: the rank was decided otherwise
  std::vector<Index> at_bounds;
  for (Index i = 0; i < N.rows(); ++i) {
    const bool inside = out.side[static_cast<std::size_t>(i)] == BoxSide::kInside;
    if (!inside && !N.row(i).isZero(0.0)) at_bounds.push_back(i);
  }
  const MatrixXd open = without_members(N, at_bounds);
  if (open.cols() == 0) return;
  const VectorXd step = hold_along(G, open) * (b - G * out.force);
  const double most = kOfForces * out.force.lpNorm<Eigen::Infinity>();
  if (!(step.lpNorm<Eigen::Infinity>() <= most)) return;
  double length = 1;  // one at its bound ends it for all: they stay on the face together
  for (Index i = 0; i < step.size(); ++i) {
    const double way = (step[i] > 0 ? upper[i] : lower[i]) - out.force[i];
    if (step[i] != 0) length = std::min(length, std::max(way / step[i], 0.0));
  }
  out.force = (out.force + length * step).cwiseMax(lower).cwiseMin(upper);
  // What those at their bounds are left with has the same digits back.
  const VectorXd taken = length * (G * step), size = terms + G.cwiseAbs() * out.force.cwiseAbs();
  for (const Index i : at_bounds) {
    if (out.second[i] == 0) continue;
    out.second[i] -= taken[i];
    if (std::fabs(out.second[i]) <= kZeroResidual * size[i]) out.second[i] = 0;
  }
}

/// The columns of N, those first on which the others depend: rows that differ by little are no
/// basis where there is a better one.
[[nodiscard]] MatrixXd by_pivots(const MatrixXd& G, const MatrixXd& N) {
  if (N.cols() < 2) return N;
  const Eigen::LDLT<MatrixXd> factor(reduced_gram(G, N));
  return N * factor.transpositionsP().transpose();
}

/// How many times the last change of the multipliers is still to come: at a sharp angle the misses
/// become a geometric sequence, slower the sharper it is. 0 where they are none.
[[nodiscard]] double still_to_come(const VectorXd& miss, const VectorXd& last) {
  constexpr double kSlow = 0.5, kStraight = 1e-2, kFastest = 1 - 1e-9;
  if (last.isZero(0.0)) return 0;
  const double ratio = miss.dot(last) / last.squaredNorm();
  const bool geometric = (miss - ratio * last).norm() <= kStraight * miss.norm();
  return geometric && ratio > kSlow && ratio < kFastest ? ratio / (1 - ratio) : 0;
}

/// Where the misses stay the same, the residuals at bounds change by the same in every step: how
/// many steps until a member leaves its bound. 0 where none ever does.
[[nodiscard]] double until_one_leaves(const BoxMinimum& m, const VectorXd& last_residual) {
  constexpr double kRoundingOfFall = 1e-4;
  double steps = kInfinity;
  for (Index i = 0; i < m.residual.size(); ++i) {
    const double left = std::fabs(m.residual[i]), fall = std::fabs(last_residual[i]) - left;
    if (left > 0 && fall > kRoundingOfFall * left) steps = std::min(steps, left / fall);
  }
  return std::isfinite(steps) ? steps : 0;
}

/// What slopes change by per force from one bound to another; 0 where forces have none, or are what
/// decay has left of such.
[[nodiscard]] double slope_between_bounds(const VectorXd& slope, const MatrixXd& N,
                                          const VectorXd& lower, const VectorXd& upper,
                                          const VectorXd& start) {
  constexpr double kMost = 1e100;
  double force = start.lpNorm<Eigen::Infinity>();
  for (Index i = 0; i < slope.size(); ++i) {
    if (N.row(i).isZero(0.0)) continue;
    if (std::isfinite(lower[i])) force = std::max(force, std::fabs(lower[i]));
    if (std::isfinite(upper[i])) force = std::max(force, std::fabs(upper[i]));
  }
  const double ratio = slope.lpNorm<Eigen::Infinity>() / force;
  return ratio <= kMost ? ratio : 0;
}

/// minimize_on_face by steps of the multipliers, with a penalty.
///   returns   what is left of the miss, of the forces
double step_on_face(const MatrixXd& G, const VectorXd& b, const VectorXd& size, const MatrixXd& N,
                    const VectorXd& lower, const VectorXd& upper, double penalty,
                    LexicographicMinimum& out) {
  constexpr int kSteps = 1000;  // five or six, more where bounds meet at sharp angles
  constexpr int kStalls = 4, kBetweenLeaps = 4;
  constexpr double kExact = 1e-15, kRest = 1e-10;  // of the forces; the latter may be rounding
  const Index n = b.size();
  const MatrixXd fixed = clean(MatrixXd::Identity(n, n) - N * N.transpose());
  const Gram gram = MatrixXd(G + 0.5 * penalty * (fixed + fixed.transpose()));
  const VectorXd start = out.force;
  VectorXd multiplier = VectorXd::Zero(n), last_miss = multiplier, last_residual = multiplier;
  double before = kInfinity;
  int stalls = 0;
  BoxMinimum m;
  for (int step = 0; step < kSteps; ++step) {
    const VectorXd push = multiplier + penalty * start;
    // Multipliers come to cancel what they hold: rounding is that of both.
    minimize_in_box(gram, b + fixed * push, size + fixed.cwiseAbs() * push.cwiseAbs(), lower, upper,
                    m);
    const VectorXd miss = fixed * (start - m.force);
    out.force = m.force;
    for (Index i = 0; i < n; ++i) {
      if (N.row(i).isZero(0.0)) continue;
      out.second[i] = m.residual[i];
      out.side[static_cast<std::size_t>(i)] = m.side[static_cast<std::size_t>(i)];
    }
    const double greatest_force =
        std::max(start.lpNorm<Eigen::Infinity>(), m.force.lpNorm<Eigen::Infinity>());
    const double left = miss.lpNorm<Eigen::Infinity>();
    if (left <= kExact * greatest_force) return 0;
    if (left > 0.9 * before && left <= kRest * greatest_force) {
      out.force = (out.force + miss).cwiseMax(lower).cwiseMin(upper);
      return 0;
    }
    stalls = left >= 0.999999 * before ? stalls + 1 : 0;
    double leap = 0;
    if (stalls >= kStalls) {
      leap = until_one_leaves(m, last_residual);
      if (leap == 0) return left / greatest_force;  // rounding has put the start beyond a bound
    } else if (step % kBetweenLeaps == kBetweenLeaps - 1) {
      leap = still_to_come(miss, last_miss);
    }
    before = left;
    multiplier += (1 + leap) * penalty * miss;
    last_miss = miss;
    last_residual = m.residual;
  }
  return last_miss.lpNorm<Eigen::Infinity>() / out.force.lpNorm<Eigen::Infinity>();
}

}  // namespace

MatrixXd clean(const MatrixXd& matrix) {
  return (matrix.array().abs() < kZeroResidual).select(0.0, matrix);
}

MatrixXd null_basis(const MatrixXd& G) { return null_basis(G, G.diagonal()); }

MatrixXd without_members(const MatrixXd& Z, const std::vector<Index>& fixed) {
  if (fixed.empty()) return Z;
  const MatrixXd rows = Z(fixed, Eigen::all);
  return clean(Z * null_basis(rows.transpose() * rows));
}

MatrixXd reduced_gram(const MatrixXd& G, const MatrixXd& Z) {
  constexpr double kRoundingOfTerms = 1e-13;
  const MatrixXd product = Z.transpose() * G * Z;
  const MatrixXd size = Z.cwiseAbs().transpose() * G.cwiseAbs() * Z.cwiseAbs();
  return (product.array().abs() <= kRoundingOfTerms * size.array()).select(0.0, product);
}

RegularDirections regular_directions(const MatrixXd& G, const MatrixXd& N) {
  const MatrixXd terms = N.cwiseAbs().transpose() * G.cwiseAbs() * N.cwiseAbs();
  const MatrixXd reduced = reduced_gram(G, N);
  MatrixXd null = null_basis(reduced);
  const MatrixXd against_terms = null_basis(reduced, terms.diagonal());
  if (against_terms.cols() != null.cols()) null = against_terms;
  const Index rank = N.cols() - null.cols();
  if (null.cols() == 0) return {N, MatrixXd(N.rows(), 0)};
  const MatrixXd others = MatrixXd::Identity(N.cols(), N.cols()) - null * null.transpose();
  return {clean(N * symmetric_eigen(others).vectors.rightCols(rank)), N * null};
}

MatrixXd hold_along(const MatrixXd& G, const MatrixXd& N) {
  return hold_along(G, N, regular_directions(G, N).regular);
}

MatrixXd hold_along(const MatrixXd& G, const MatrixXd& N, const MatrixXd& regular) {
  const auto map_of = [&](const MatrixXd& columns) {
    std::vector<Index> all(static_cast<std::size_t>(columns.cols()));
    std::iota(all.begin(), all.end(), Index{0});
    return hold_map(reduced_gram(G, columns), all, {});
  };
  const MatrixXd columns = by_pivots(G, N);
  const HoldMap map = map_of(columns);
  if (map.rank == regular.cols()) return columns * map.from_residual * columns.transpose();
  // Entries that are the rounding of others pass for independent rows.
  return regular * map_of(regular).from_residual * regular.transpose();
}

void minimize_on_face(const MatrixXd& G, const VectorXd& b, const VectorXd& size, const MatrixXd& N,
                      const VectorXd& lower, const VectorXd& upper, LexicographicMinimum& out) {
  // Greater ones bury what G says of forces that are not unique in the rounding of `fixed`.
  constexpr double kPenalty = 1e3, kSteep = 10, kLost = 1e-6;
  const VectorXd start = out.force;
  const double greatest = G.diagonal().maxCoeff();
  if (greatest > 0) {
    const double left = step_on_face(G, b, size, N, lower, upper, kPenalty * greatest, out);
    // A small one never comes up against what pushes forces from one bound to another.
    const double slope =
        kSteep * slope_between_bounds(N * (N.transpose() * b), N, lower, upper, start);
    if (left > kLost && slope > kPenalty * greatest) {
      out.force = start;
      (void)step_on_face(G, b, size, N, lower, upper, slope, out);
    }
  } else {
    const double slope = slope_between_bounds(size, N, lower, upper, start);
    (void)step_on_face(G, b, size, N, lower, upper, kPenalty * (slope > 0 ? slope : 1), out);
  }
  refine_on_face(G, b, size, N, lower, upper, out);
}

LexicographicMinimum minimize_lexicographic(const MatrixXd& G0, const VectorXd& b0,
                                            const MatrixXd& G1, const VectorXd& b1,
                                            const MatrixXd& K, const VectorXd& lower,
                                            const VectorXd& upper) {
  return minimize_lexicographic(G0, b0, G1, b1, K, lower, upper, {b0.cwiseAbs(), b1.cwiseAbs()});
}

LexicographicMinimum minimize_lexicographic(const MatrixXd& G0, const VectorXd& b0,
                                            const MatrixXd& G1, const VectorXd& b1,
                                            const MatrixXd& K, const VectorXd& lower,
                                            const VectorXd& upper,
                                            const LexicographicTerms& terms) {
  BoxMinimum fast;
  minimize_in_box(G0, b0, terms.first, lower, upper, fast);
  LexicographicMinimum out{fast.force, fast.residual, VectorXd::Zero(b0.size()), fast.side};
  std::vector<Index> open;
  for (Index i = 0; i < b0.size(); ++i) {
    const double size = terms.first[i] + G0.row(i).cwiseAbs().dot(fast.force.cwiseAbs());
    if (std::fabs(out.first[i]) <= kZeroResidual * size) out.first[i] = 0;
    if (out.first[i] == 0) open.push_back(i);
  }
  const MatrixXd own = null_basis(G0(open, open));
  if (own.cols() == 0) return out;
  MatrixXd N = MatrixXd::Zero(b0.size(), own.cols());
  N(open, Eigen::all) = own;
  VectorXd low = fast.force, high = fast.force;  // of those that slip: their bound
  for (const Index i : open) {
    low[i] = lower[i];
    high[i] = upper[i];
  }
  const VectorXd b = b1 + K * fast.force;
  const VectorXd size = terms.second + K.cwiseAbs() * fast.force.cwiseAbs();
  minimize_on_face(G1, b, size, N, low, high, out);
  return out;
}

FirstHoldMap first_hold_map(const MatrixXd& G0, std::span<const Index> held,
                            std::span<const Index> others) {
  HoldMap map = hold_map(G0, held, others);
  return {std::move(map.from_residual), std::move(map.from_forces), null_basis(G0(held, held))};
}

LexicographicHoldMap lexicographic_hold_map(const MatrixXd& G0, const MatrixXd& G1,
                                            const MatrixXd& K, std::span<const Index> held,
                                            std::span<const Index> others) {
  const auto [fast, from_fast, N] = first_hold_map(G0, held, others);
  LexicographicHoldMap out;
  out.second = hold_along(G1(held, held), N);
  const auto n = static_cast<Index>(held.size());
  const MatrixXd slow = G1 - K;
  out.first = (MatrixXd::Identity(n, n) - out.second * slow(held, held)) * fast;
  out.from_forces = -(out.first * G0(held, others) + out.second * slow(held, others));
  return out;
}

}  // namespace luztar
