#include "compiler/lowering/held_accelerations.h"

#include <map>
#include <numeric>
#include <utility>

#include "compiler/lowering/accelerations.h"
#include "compiler/lowering/solved_island.h"
#include "compiler/lowering/solved_series.h"
#include "compiler/lowering/symbol_definitions.h"

namespace luztar {
namespace {

/// Frictions that hold together, by their numbers, and the slots of forces by slip rates.
struct HeldGroup {
  std::vector<std::uint32_t> frictions;
  std::uint32_t hold_slot = kNoIndex;      // rows and columns of `frictions`, or ...
  const ExplicitIsland* solved = nullptr;  // ... solved for, or ...
  SeriesStresses stresses;                 // ... solved for in series
  const std::vector<ExplicitGramEntry>* gram = nullptr;
  const std::vector<Expr>* drag = nullptr;
};

std::vector<HeldGroup> held_groups(const Lowering& l) {
  std::vector<HeldGroup> groups;
  for (const ExplicitIsland& island : l.system.islands) {
    const LoweredFriction& first = l.frictions[island.first];
    if (!first.bound && first.kernel != Kernel::kGauss) continue;  // velocities, not their rates
    HeldGroup& group = groups.emplace_back();
    group.frictions.resize(island.count);
    std::iota(group.frictions.begin(), group.frictions.end(), island.first);
    group.hold_slot = first.bound ? island.rate_hold_slot : island.hold_slot;
    if (island.is_solved) group.solved = &island;
    group.stresses = island.stresses;
    group.gram = &island.gram;
    group.drag = &island.drag;
  }
  for (const SettleIslands::Series& series : l.settle.series()) {
    HeldGroup& group = groups.emplace_back();
    for (const ForceTermId id : series.frictions) {
      group.frictions.push_back(l.friction_index.at(id));
    }
    group.hold_slot = series.hold_slot;
    group.stresses = series.stresses;
    group.gram = &series.group->gram;
    group.drag = &series.group->drag;
  }
  return groups;
}

// A slip that is one velocity is exactly zero while it is held, and so is its rate.
bool is_held_exactly(const Lowering& l, std::uint32_t friction) {
  return l.system.frictions[friction].velocity_state != kNoIndex;
}

// The forces that take slip rates away.
std::vector<Expr> holding_forces(Lowering& l, const HeldGroup& group,
                                 const std::vector<Expr>& rates) {
  const auto n = static_cast<std::uint32_t>(rates.size());
  const std::vector<Expr> none(n, l.pool.zero());
  if (group.solved) return solve_forces(l.pool, *group.solved, rates, none);
  if (group.hold_slot == kNoIndex) {
    return solve_series(l.pool, group.stresses, *group.gram, *group.drag, rates, none);
  }
  std::vector<Expr> forces;
  for (std::uint32_t i = 0; i < n; ++i) {
    std::vector<Expr> terms;
    for (std::uint32_t j = 0; j < n; ++j) {
      if (l.pool.is_zero(rates[j])) continue;
      terms.push_back(l.pool.mul(mode_symbol(l, group.hold_slot + i * n + j), rates[j]));
    }
    forces.push_back(l.pool.add(std::move(terms)));
  }
  return forces;
}

/// What is to be added to accelerations.
using Changes = std::map<CoordinateId, std::vector<Expr>>;

void add_force(Lowering& l, const LoweredFriction& friction, Expr force, Changes& changes) {
  const bool gauss = friction.kernel == Kernel::kGauss;
  for (const auto& [q, r] : gauss ? friction.response : friction.rate_response) {
    changes[q].push_back(l.pool.neg(l.pool.mul(r, force)));
  }
  for (const auto& [q, r] : friction.drag_response) changes[q].push_back(l.pool.mul(r, force));
}

}  // namespace

void refine_accelerations(Lowering& l) {
  SymmetricSolver::Vector rounded;  // the accelerations as numbers: their rounding is what counts
  for (const auto& [q, a] : l.accelerations) {
    rounded.emplace(q, l.pool.call(Op::kEvaluated, {held(l, q, a)}));
  }
  Changes changes;
  for (const HeldGroup& group : held_groups(l)) {
    std::vector<Expr> rates;
    for (const std::uint32_t i : group.frictions) {
      const ForceTerm& term = l.mechanism.terms[l.frictions[i].term];
      rates.push_back(is_held_exactly(l, i) ? l.pool.zero() : slip_rate(l, term, rounded));
    }
    const std::vector<Expr> forces = holding_forces(l, group, rates);
    for (std::size_t k = 0; k < forces.size(); ++k) {
      const LoweredFriction& friction = l.frictions[group.frictions[k]];
      // What it holds is at rest, whatever its force.
      const bool is_own = is_held_exactly(l, group.frictions[k]) && friction.response.size() == 1;
      if (!is_own && !l.pool.is_zero(forces[k])) add_force(l, friction, forces[k], changes);
    }
  }
  for (auto& [q, terms] : changes) {
    terms.push_back(rounded.at(q));
    l.accelerations.at(q) = l.pool.add(std::move(terms));
  }
}

}  // namespace luztar
