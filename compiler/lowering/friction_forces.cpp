#include "compiler/lowering/friction_forces.h"

#include "compiler/lowering/friction_islands.h"
#include "compiler/lowering/solved_island.h"
#include "compiler/lowering/solved_series.h"
#include "compiler/symbolic/operations.h"

namespace luztar {
namespace {

Expr solved_force(Lowering& l, const ExplicitIsland& island, std::uint32_t index) {
  std::vector<Expr>& forces = l.solved_forces[island.first];
  if (forces.empty()) {
    std::vector<Expr> free, given;
    for (std::uint32_t j = 0; j < island.count; ++j) {
      const LoweredFriction& friction = l.frictions[island.first + j];
      const ForceTerm& term = l.mechanism.terms[friction.term];
      const bool stop = term.kind == TermKind::kStop;  // no force of its own
      free.push_back(friction.free);
      given.push_back(
          stop ? l.pool.zero()
               : l.pool.add(l.pool.mul(mode_symbol(l, island.kinetic_slot + j), friction.kinetic),
                            l.pool.mul(mode_symbol(l, island.static_slot + j), term.static_bound)));
    }
    forces = solve_forces(l.pool, island, free, given);
  }
  return forces[index - island.first];
}

// By the tables of the mode; where G varies, in series, what does not depend on rates.
Expr force_by_tables(Lowering& l, const ExplicitIsland& island, std::uint32_t index) {
  std::vector<Expr> terms;
  for (std::uint32_t j = 0; j < island.count; ++j) {
    const LoweredFriction& other = l.frictions[island.first + j];
    const ForceTerm& term = l.mechanism.terms[other.term];
    const std::uint32_t entry = (index - island.first) * island.count + j;
    if (!other.bound || other.kernel == Kernel::kCreep) {
      terms.push_back(l.pool.mul(mode_symbol(l, island.hold_slot + entry), other.free));
    }
    if (island.rate_hold_slot != kNoIndex) {
      terms.push_back(l.pool.mul(mode_symbol(l, island.rate_hold_slot + entry), other.rate));
    }
    if (term.kind == TermKind::kStop) continue;  // no force of its own
    terms.push_back(l.pool.mul(mode_symbol(l, island.kinetic_slot + entry), other.kinetic));
    terms.push_back(l.pool.mul(mode_symbol(l, island.static_slot + entry), term.static_bound));
  }
  return l.pool.add(std::move(terms));
}

Expr force_in_series(Lowering& l, const ExplicitIsland& island, std::uint32_t index) {
  std::vector<Expr>& forces = l.solved_forces[island.first];
  if (forces.empty()) {
    std::vector<Expr> rates, given;
    for (std::uint32_t j = island.first; j < island.first + island.count; ++j) {
      rates.push_back(l.frictions[j].rate);
      given.push_back(force_by_tables(l, island, j));
    }
    forces = solve_series(l.pool, island.stresses, island.gram, island.drag, rates, given);
  }
  return forces[index - island.first];
}

// Of a friction in a bound settle island: its slip without frictions of the island, less what the
// points add to it.
Expr free_slip(Lowering& l, const LoweredFriction& friction) {
  if (friction.creep_slip.valid()) return l.pool.add(friction.creep_slip, friction.body_slip);
  return slip_of_bodies(l, l.mechanism.terms[friction.term]);
}

}  // namespace

Expr friction_force(Lowering& l, std::uint32_t index) {
  const ForceTermId id = l.frictions[index].term;
  if (l.frictions[index].kernel == Kernel::kSettle || l.in_series.contains(id)) {
    const auto member = [&](ForceTermId other) -> const LoweredFriction& {
      return l.frictions[l.friction_index.at(other)];
    };
    return l.settle.friction_force(
        id, [&](ForceTermId other) { return free_slip(l, member(other)); },
        [&](ForceTermId other) { return member(other).rate; });
  }
  const ExplicitIsland& island = l.system.islands[l.island_of[index]];
  if (island.is_solved) return solved_force(l, island, index);
  if (island.stresses.count > 0) return force_in_series(l, island, index);
  return force_by_tables(l, island, index);
}

Expr slip_of_bodies(Lowering& l, const ForceTerm& term) {
  LinearForm bodies = velocity_of(l, term);
  std::erase_if(bodies.terms, [&](const auto& t) {
    return is_creep_kernel(l.mechanism, t.first) || is_settled(l.mechanism, t.first);
  });
  return to_expr(l.pool, bodies, true);
}

Whole whole_of(Lowering& l, ForceTermId id) {
  Whole result{id, l.pool.one()};
  while (l.mechanism.terms[result.term].merged_into.valid()) {
    const ForceTerm& term = l.mechanism.terms[result.term];
    result = {term.merged_into, l.pool.mul(result.ratio, term.merged_ratio)};
  }
  return result;
}

Expr friction_mode(Lowering& l, ForceTermId id) {
  const Whole whole = whole_of(l, id);
  const Expr sign = l.pool.call(Op::kSign, {whole.ratio});
  const auto index = l.friction_index.find(whole.term);
  if (index != l.friction_index.end()) {
    return l.pool.mul(sign, mode_symbol(l, l.system.frictions[index->second].direction_slot));
  }
  const ForceTerm& term = l.mechanism.terms[whole.term];
  if (term.mode.valid()) return l.pool.mul(sign, term.mode);
  return l.pool.mul(sign, l.pool.call(Op::kSign, {to_expr(l.pool, term.argument, true)}));
}

}  // namespace luztar
