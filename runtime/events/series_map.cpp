#include "runtime/events/series_map.h"

#include <numeric>
#include <utility>

#include "runtime/pwl/decompositions.h"
#include "runtime/pwl/held_forces.h"
#include "runtime/pwl/lexicographic_minimum.h"

namespace luztar {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd compliance_of_points(const SettleNumbers& n) {
  const MatrixXd rows = n.directions.bottomRows(n.frictions());
  return rows * n.weight.cwiseInverse().asDiagonal() * rows.transpose();
}

/// Forces that take residual rates out of all, where they can: G^-1 on the range of G.
MatrixXd hold_all(const MatrixXd& G) {
  std::vector<Index> every(static_cast<std::size_t>(G.cols()));
  std::iota(every.begin(), every.end(), Index{0});
  return hold_map(G, every, {}).from_residual;
}

}  // namespace

MatrixXd self_stresses(const SettleNumbers& n, const std::vector<Index>& members) {
  const MatrixXd gram = compliance_of_points(n);
  return null_basis(gram(members, members));
}

MatrixXd without_members(const MatrixXd& Z, const std::vector<Index>& fixed) {
  constexpr double kRounding = 1e-12;  // Z is orthonormal
  if (fixed.empty()) return Z;
  const MatrixXd rows = Z(fixed, Eigen::all);
  const MatrixXd free = Z * null_basis(rows.transpose() * rows);
  return (free.array().abs() <= kRounding).select(0.0, free);
}

MatrixXd reduced_gram(const MatrixXd& G, const MatrixXd& Z) {
  constexpr double kRounding = 1e-13;
  const MatrixXd product = Z.transpose() * G * Z;
  const MatrixXd size = Z.cwiseAbs().transpose() * G.cwiseAbs() * Z.cwiseAbs();
  return (product.array().abs() <= kRounding * size.array()).select(0.0, product);
}

SeriesMap series_map(const SettleNumbers& n, const SettleState& state) {
  const Index count = n.frictions();
  SeriesMap out;
  out.given = MatrixXd::Identity(count, count);
  out.hold = out.bound = MatrixXd::Zero(count, count);
  out.shared.assign(static_cast<std::size_t>(count), 0);
  std::vector<Index> stuck, slipping, full;  // full: of the stuck ones, at their bounds
  for (Index i = 0; i < count; ++i) {
    const FrictionState& f = state.friction[static_cast<std::size_t>(i)];
    const bool sticks = f.direction == 0 && !f.free;
    if (sticks && f.at_bound != 0) full.push_back(static_cast<Index>(stuck.size()));
    (sticks ? stuck : slipping).push_back(i);
  }
  const MatrixXd all = self_stresses(n, stuck);
  if (all.cols() == 0) return out;
  // t = fixed(t of the map) + Z tau: those at their bounds stay there.
  const auto held = static_cast<Index>(stuck.size());
  MatrixXd given = MatrixXd::Identity(held, held), bound = MatrixXd::Zero(held, held);
  MatrixXd Z = all;
  if (!full.empty()) {
    const MatrixXd rows = all(full, Eigen::all);
    const MatrixXd fix = all * pseudo_inverse(rows, 1e-12).matrix;  // held x full
    for (std::size_t j = 0; j < full.size(); ++j) {
      const auto column = fix.col(static_cast<Index>(j));
      const Index i = stuck[static_cast<std::size_t>(full[j])];
      given.col(full[j]) -= column;
      bound.col(full[j]) = column * double(state.friction[static_cast<std::size_t>(i)].at_bound);
    }
    Z = without_members(all, full);
  }
  const MatrixXd gram = n.gram(stuck, stuck);
  const MatrixXd reduced = reduced_gram(gram, Z);
  const MatrixXd hold = Z * hold_all(reduced) * Z.transpose();
  const MatrixXd open = Z * null_basis(reduced);  // the shortest are taken
  const MatrixXd shortest = MatrixXd::Identity(held, held) - open * open.transpose();
  const MatrixXd taken = shortest - hold * gram;
  out.given(stuck, stuck) = taken * given;
  out.bound(stuck, stuck) = taken * bound;
  out.hold(stuck, stuck) = hold;
  out.given(stuck, slipping) = -hold * n.gram(stuck, slipping);
  for (Index r = 0; r < held; ++r) {
    if (open.cols() > 0 && open.row(r).norm() > 1e-9) {
      out.shared[static_cast<std::size_t>(stuck[static_cast<std::size_t>(r)])] = 1;
    }
  }
  return out;
}

VectorXd series_impulse(const SettleNumbers& n, const std::vector<Index>& resting,
                        const VectorXd& slips) {
  VectorXd out = VectorXd::Zero(n.frictions());
  const MatrixXd Z = self_stresses(n, resting);
  const MatrixXd reduced = reduced_gram(n.gram(resting, resting), Z);
  out(resting) = Z * (hold_all(reduced) * (Z.transpose() * slips));
  return out;
}

bool follows_resting(const SettleNumbers& n, std::vector<Index> resting, Index friction) {
  MatrixXd both = compliance_of_points(n);
  const double fast = both.diagonal().maxCoeff(), slow = n.gram.diagonal().maxCoeff();
  both += n.gram * (fast > 0 && slow > 0 ? fast / slow : 1.0);
  return depends_on_others(both, std::move(resting), friction);
}

}  // namespace luztar
