#include "compiler/lowering/held_accelerations.h"

#include <map>
#include <utility>

#include "compiler/lowering/accelerations.h"
#include "compiler/lowering/solved_island.h"
#include "compiler/lowering/symbol_definitions.h"

namespace luztar {
namespace {

// A slip that is one velocity is exactly zero while it is held, and so is its rate.
bool is_held_exactly(const Lowering& l, std::uint32_t friction) {
  return l.system.frictions[friction].velocity_state != kNoIndex;
}

// The forces that take slip rates away.
std::vector<Expr> holding_forces(Lowering& l, const ExplicitIsland& island,
                                 const std::vector<Expr>& rates) {
  if (island.is_solved) {
    return solve_forces(l.pool, island, rates, std::vector<Expr>(island.count, l.pool.zero()));
  }
  std::vector<Expr> forces;
  for (std::uint32_t i = 0; i < island.count; ++i) {
    std::vector<Expr> terms;
    for (std::uint32_t j = 0; j < island.count; ++j) {
      if (l.pool.is_zero(rates[j])) continue;
      terms.push_back(
          l.pool.mul(mode_symbol(l, island.hold_slot + i * island.count + j), rates[j]));
    }
    forces.push_back(l.pool.add(std::move(terms)));
  }
  return forces;
}

}  // namespace

void refine_accelerations(Lowering& l) {
  SymmetricSolver::Vector rounded;  // the accelerations as numbers: their rounding is what counts
  for (const auto& [q, a] : l.accelerations) {
    rounded.emplace(q, l.pool.call(Op::kEvaluated, {held(l, q, a)}));
  }
  std::map<CoordinateId, std::vector<Expr>> changes;
  for (const ExplicitIsland& island : l.system.islands) {
    const LoweredFriction* friction = l.frictions.data() + island.first;
    if (friction->bound || friction->kernel != Kernel::kGauss) continue;
    std::vector<Expr> rates;
    for (std::uint32_t i = 0; i < island.count; ++i) {
      const ForceTerm& term = l.mechanism.terms[friction[i].term];
      rates.push_back(is_held_exactly(l, island.first + i) ? l.pool.zero()
                                                           : slip_rate(l, term, rounded));
    }
    const std::vector<Expr> forces = holding_forces(l, island, rates);
    for (std::uint32_t i = 0; i < island.count; ++i) {
      // What it holds is at rest, whatever its force.
      const bool is_own = is_held_exactly(l, island.first + i) && friction[i].response.size() == 1;
      if (is_own || l.pool.is_zero(forces[i])) continue;
      for (const auto& [q, r] : friction[i].response) {
        changes[q].push_back(l.pool.neg(l.pool.mul(r, forces[i])));
      }
    }
  }
  for (auto& [q, terms] : changes) {
    terms.push_back(rounded.at(q));
    l.accelerations.at(q) = l.pool.add(std::move(terms));
  }
}

}  // namespace luztar
