#include "runtime/events/pulls.h"

#include <algorithm>
#include <cmath>

#include "runtime/events/modes.h"
#include "runtime/events/series_map.h"
#include "runtime/pwl/decompositions.h"
#include "runtime/pwl/held_forces.h"
#include "runtime/pwl/lexicographic_minimum.h"

namespace luztar {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Parts of forces without effect that are rounding.
constexpr double kPart = 1e-9;

/// Columns of the projection onto forces of `members` with G z = 0: those of the places `of`.
MatrixXd idle_columns(const Gram& G, const std::vector<Index>& members,
                      const std::vector<Index>& of) {
  const HeldForces forces(G, members);
  const auto count = static_cast<Index>(members.size());
  MatrixXd out(count, static_cast<Index>(of.size()));
  for (std::size_t c = 0; c < of.size(); ++c) {
    const VectorXd unit = VectorXd::Unit(count, of[c]);
    out.col(static_cast<Index>(c)) = unit - forces.in_range(unit);
  }
  return out;
}

}  // namespace

// Of an island of massless bodies: by place among those at rest.
MatrixXd Modes::idle_projection(std::size_t index, std::span<const Index> resting) const {
  const IslandMatrices& m = matrices_[index];
  const MatrixXd gram = m.gram.principal(resting).dense();
  if (system_.islands[index].stresses.count > 0) {
    const MatrixXd open = first_hold_map(m.creep_gram, resting, {}).open;
    const MatrixXd idle = regular_directions(gram, open).null;
    return idle * idle.transpose();
  }
  const LexicographicHoldMap map =
      lexicographic_hold_map(m.creep_gram, m.gram.dense(), m.drag, resting, {});
  return MatrixXd::Identity(gram.rows(), gram.cols()) - map.first * m.creep_gram(resting, resting) -
         map.second * gram;
}

// A force of those at rest is unique when no force without effect has a part in it, whatever the
// others and their bounds are.
void Modes::mark_indeterminate(std::size_t index) {
  const FrictionIsland& island = system_.islands[index];
  bool any = false;
  for (std::uint32_t i = island.first; i < island.first + island.count; ++i) {
    const std::uint32_t slot = system_.frictions[i].indeterminate_slot;
    if (slot == kNoIndex) continue;
    slots_[slot] = 0;
    any = true;
  }
  if (!any) return;
  const std::vector<Index> members = resting(island.first, island.count).members;
  if (members.size() < 2) return;
  MatrixXd idle;
  std::vector<char> shared;
  if (island.bound) {
    idle = idle_projection(index, members);
  } else {
    shared = dependence_of(matrices_[index].gram, members).shared;
  }
  for (std::size_t r = 0; r < members.size(); ++r) {
    const auto own = static_cast<std::size_t>(members[r]);
    const auto place = static_cast<Index>(r);
    const std::uint32_t slot = system_.frictions[island.first + own].indeterminate_slot;
    const bool is_idle = island.bound ? idle(place, place) > kPart : shared[own] != 0;
    if (slot != kNoIndex && is_idle) slots_[slot] = 1;
  }
}

// The multipliers r of those at their bounds, S: Z'(t + r) = 0 with r = 0 for others, so
// r = -P_SS^-1 P_S t for the projection P = Z Z'. Where P_SS is singular, forces that depend on
// each other have reached their bounds together: their multipliers are not unique.
//   projection   columns of P of those at their bounds, by member at rest
void Modes::add_pulls(std::uint32_t first, const Resting& resting, const MatrixXd& projection,
                      bool varies, std::vector<Pull>& out) const {
  constexpr double kSingular = 1e-9;
  const auto& [members, at_bound] = resting;
  const MatrixXd columns = (projection.array().abs() <= kPart).select(0, projection);
  const MatrixXd among = columns(at_bound, Eigen::all);
  const PseudoInverse inverse = pseudo_inverse(among, kSingular);
  const MatrixXd unique = inverse.matrix * among;
  const MatrixXd weights = -inverse.matrix * columns.transpose();
  const auto friction = [&](Index place) {
    return first + static_cast<std::uint32_t>(members[static_cast<std::size_t>(place)]);
  };
  for (Index s = 0; s < among.rows(); ++s) {
    if (1 - unique(s, s) > kPart) continue;
    const std::uint32_t own = friction(at_bound[static_cast<std::size_t>(s)]);
    // A contact pushes with no less than zero.
    const double side = system_.frictions[own].stop == kNoIndex ? 1.0 : -1.0;
    Pull& pull = out.emplace_back();
    pull.of = own;
    pull.varies = varies;
    for (Index r = 0; r < weights.cols(); ++r) {
      const double weight = side * frictions_[own].at_bound * weights(s, r);
      if (std::fabs(weight) <= kPart) continue;
      const std::uint32_t other = friction(r);
      pull.add_force(system_.frictions[other].reserve_row, weight);
      pull.frictions.push_back(other);
    }
  }
}

// The speeds of the points are the v above: D v = -u where rows D hold them at what acts, of the
// rates u, so W v = D'l with l = -(D W^-1 D')^-1 u. Where rows depend on each other, multipliers
// are not unique.
void Modes::add_carriers(std::size_t index, std::vector<Pull>& out) const {
  constexpr double kSingular = 1e-9;
  const SettleIsland& island = system_.settle_islands[index];
  const SettleNumbers& n = numbers_[index];
  const SettleState& state = settled_[index];
  const std::vector<Carrier> carriers = carriers_of(n, state);
  if (carriers.empty()) return;
  const std::vector<Index> rows = holding_rows(n, state);
  const VectorXd unit = n.weight.cwiseSqrt().cwiseInverse();
  const MatrixXd D = n.directions(rows, Eigen::all) * unit.asDiagonal();
  const MatrixXd inverse = pseudo_inverse(D, kSingular).matrix;
  for (const Carrier& carrier : carriers) {
    const auto own = std::find(rows.begin(), rows.end(), carrier.row) - rows.begin();
    if (1 - D.row(own).dot(inverse.col(own)) > kPart) continue;
    const VectorXd weights = carrier.side * (inverse.transpose() * inverse.col(own));
    const double least = kPart * weights.lpNorm<Eigen::Infinity>();
    Pull& pull = out.emplace_back();
    pull.is_spring = carrier.row < n.springs();
    pull.of = static_cast<std::uint32_t>(pull.is_spring ? carrier.row : carrier.row - n.springs()) +
              (pull.is_spring ? island.first_spring : island.first_friction);
    pull.order = 1;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const double weight = weights[static_cast<Index>(r)];
      if (std::fabs(weight) <= least) continue;
      const auto row = static_cast<std::uint32_t>(rows[r]);
      if (row < island.springs) {
        pull.terms.push_back({system_.settle_springs[island.first_spring + row].drive_row, weight});
      } else {
        const std::uint32_t friction = island.first_friction + row - island.springs;
        pull.terms.push_back({system_.frictions[friction].free_row, weight});
        pull.frictions.push_back(friction);
      }
    }
  }
}

Modes::Resting Modes::resting(std::uint32_t first, std::uint32_t count) const {
  Resting out;
  for (std::uint32_t i = 0; i < count; ++i) {
    const FrictionState& state = frictions_[first + i];
    if (state.direction != 0 || state.free) continue;
    if (state.at_bound != 0) out.at_bound.push_back(static_cast<Index>(out.members.size()));
    out.members.push_back(i);
  }
  return out;
}

// That it is beside another one, too: alone it has no pull.
bool Modes::any_at_bound(std::uint32_t first, std::uint32_t count) const {
  const auto begin = frictions_.begin() + first;
  return count > 1 && std::any_of(begin, begin + count, [](const FrictionState& state) {
           return state.at_bound != 0 && state.direction == 0 && !state.free;
         });
}

std::vector<Pull> Modes::pulls() const {
  std::vector<Pull> out;
  for (std::size_t k = 0; k < system_.islands.size(); ++k) {
    const FrictionIsland& island = system_.islands[k];
    if (!any_at_bound(island.first, island.count)) continue;
    const Resting rest = resting(island.first, island.count);
    const bool varies = !island.varying_gram.empty() || !island.varying_drag.empty();
    const MatrixXd projection =
        island.bound ? MatrixXd(idle_projection(k, rest.members)(Eigen::all, rest.at_bound))
                     : idle_columns(matrices_[k].gram, rest.members, rest.at_bound);
    add_pulls(island.first, rest, projection, varies, out);
  }
  for (std::size_t k = 0; k < system_.settle_islands.size(); ++k) {
    const SettleIsland& island = system_.settle_islands[k];
    add_carriers(k, out);
    if (!island.bound || !any_at_bound(island.first_friction, island.frictions)) continue;
    const Resting rest = resting(island.first_friction, island.frictions);
    const SettleNumbers& n = numbers_[k];
    const MatrixXd idle = idle_stresses(n, rest.members);
    add_pulls(island.first_friction, rest, idle * idle(rest.at_bound, Eigen::all).transpose(),
              n.varies, out);
  }
  return out;
}

}  // namespace luztar
