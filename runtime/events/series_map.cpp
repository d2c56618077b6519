#include "runtime/events/series_map.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "runtime/pwl/decompositions.h"
#include "runtime/pwl/gram.h"
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

/// How forces move all that slips depend on: rows are combinations of each other as the slips are.
MatrixXd slips_by_forces(const SettleNumbers& n) {
  return sum_at_scale(compliance_of_points(n), {&n.gram, &n.creep_gram});
}

}  // namespace

MatrixXd slips_by_massless(const SettleNumbers& n) {
  return sum_at_scale(compliance_of_points(n), {&n.creep_gram});
}

MatrixXd self_stresses(const SettleNumbers& n, const std::vector<Index>& members) {
  const MatrixXd gram = compliance_of_points(n);
  return null_basis(gram(members, members));
}

MatrixXd without_creep(const SettleNumbers& n, const std::vector<Index>& members,
                       const MatrixXd& Z) {
  if (!n.creeps() || Z.cols() == 0) return Z;
  return clean(regular_directions(n.creep_gram(members, members), Z).null);
}

MatrixXd idle_stresses(const SettleNumbers& n, const std::vector<Index>& members) {
  const MatrixXd N = without_creep(n, members, self_stresses(n, members));
  return regular_directions(n.gram(members, members), N).null;
}

SeriesMap series_map(const SettleNumbers& n, const SettleState& state) {
  const Index count = n.frictions();
  SeriesMap out;
  out.given = MatrixXd::Identity(count, count);
  out.hold = out.bound = MatrixXd::Zero(count, count);
  if (n.creeps()) out.creep_hold = MatrixXd::Zero(count, count);
  out.shared.assign(static_cast<std::size_t>(count), 0);
  std::vector<Index>& stuck = out.stuck;
  std::vector<Index> slipping, full;  // full: of the stuck ones, at their bounds
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
  // First the slips, by what moves damped bodies; then rates, by what does not move them either.
  const MatrixXd N = without_creep(n, stuck, Z);
  const MatrixXd slow = n.creeps() ? MatrixXd(n.gram - n.drag) : n.gram;
  const MatrixXd effects = n.gram(stuck, stuck);
  const auto [regular, open] = regular_directions(effects, N);  // of `open` the shortest are taken
  const MatrixXd& left_out = n.varies ? N : open;
  const MatrixXd none = MatrixXd::Zero(held, held);
  const MatrixXd hold = n.varies ? none : hold_along(effects, N, regular);
  const MatrixXd shortest = MatrixXd::Identity(held, held) - left_out * left_out.transpose();
  MatrixXd taken = shortest - hold * slow(stuck, stuck);
  out.given(stuck, slipping) = -hold * slow(stuck, slipping);
  if (n.creeps()) {
    const MatrixXd gram = n.creep_gram(stuck, stuck);
    const MatrixXd fast = hold_along(gram, Z);
    const MatrixXd creep_hold = taken * fast;
    out.creep_hold(stuck, stuck) = creep_hold;
    out.given(stuck, slipping) -= creep_hold * n.creep_gram(stuck, slipping);
    taken -= creep_hold * gram;
  }
  out.given(stuck, stuck) = taken * given;
  out.bound(stuck, stuck) = taken * bound;
  out.hold(stuck, stuck) = hold;
  out.regular = regular;
  out.open = open;
  // One that its bound alone makes unique is not.
  const MatrixXd idle = full.empty() ? open : idle_stresses(n, stuck);
  for (Index r = 0; r < held; ++r) {
    if (idle.cols() > 0 && idle.row(r).norm() > 1e-9) {
      out.shared[static_cast<std::size_t>(stuck[static_cast<std::size_t>(r)])] = 1;
    }
  }
  return out;
}

std::vector<std::vector<Index>> components(const SettleNumbers& n,
                                           const std::vector<Index>& members) {
  const auto count = static_cast<Index>(members.size());
  std::vector<Index> label(members.size());
  std::iota(label.begin(), label.end(), Index{0});
  const auto join = [&](auto is_in) {
    Index first = -1;
    for (Index m = 0; m < count; ++m) {
      if (!is_in(members[static_cast<std::size_t>(m)])) continue;
      const Index own = label[static_cast<std::size_t>(m)];
      if (first < 0) first = own;
      std::replace(label.begin(), label.end(), own, first);
    }
  };
  for (Index point = 0; point < n.points(); ++point) {
    join([&](Index i) { return n.directions(n.springs() + i, point) != 0; });
  }
  for (const Index j : members) {
    if (n.creeps()) join([&](Index i) { return n.creep_gram(i, j) != 0; });
  }
  std::vector<std::vector<Index>> out;
  for (Index m = 0; m < count; ++m) {
    std::vector<Index> same;
    for (Index o = 0; o < count; ++o) {
      if (label[static_cast<std::size_t>(o)] == m) same.push_back(o);
    }
    if (!same.empty()) out.push_back(std::move(same));
  }
  return out;
}

VectorXd series_impulse(const SettleNumbers& n, const std::vector<Index>& resting,
                        const VectorXd& slips) {
  VectorXd out = VectorXd::Zero(n.frictions());
  const MatrixXd N = without_creep(n, resting, self_stresses(n, resting));
  out(resting) = hold_along(n.gram(resting, resting), N) * slips;
  return out;
}

bool follows_resting(const SettleNumbers& n, std::vector<Index> resting, Index friction) {
  return depends_on_others(slips_by_forces(n), std::move(resting), friction);
}

VectorXd weights_of_resting(const SettleNumbers& n, const std::vector<Index>& resting,
                            Index friction) {
  const MatrixXd all = slips_by_forces(n);
  return HeldForces(all, resting).forces(all(resting, friction));
}

}  // namespace luztar
