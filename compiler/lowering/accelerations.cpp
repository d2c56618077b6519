#include "compiler/lowering/accelerations.h"

#include <algorithm>
#include <map>

#include "compiler/lowering/friction_forces.h"
#include "compiler/lowering/friction_islands.h"

namespace luztar {
namespace {

bool belongs_to(Lowering& l, ForceTermId id, Kernel kernel) {
  const auto index = l.friction_index.find(id);
  return index != l.friction_index.end() && l.frictions[index->second].kernel == kernel;
}

bool creeps(Lowering& l, ForceTermId id) {
  const auto index = l.friction_index.find(id);
  return index != l.friction_index.end() && l.frictions[index->second].creeps();
}

// rates -= response * s
void subtract_friction(Lowering& l, const LoweredFriction& friction,
                       SymmetricSolver::Vector& rates) {
  const Expr force = l.pool.symbol(SymbolKind::kForce, friction.term.value);
  for (const auto& [q, r] : friction.response) {
    const Expr change = l.pool.neg(l.pool.mul(r, force));
    const auto [it, fresh] = rates.emplace(q, change);
    if (!fresh) it->second = l.pool.add(it->second, change);
  }
}

// The rate of a slip velocity without accelerations.
Expr rate_shift(Lowering& l, const LinearForm& velocity) {
  std::vector<Expr> terms{l.rate_of_motion(velocity.offset)};
  for (const auto& [q, c] : velocity.terms) {
    if (l.nominal.is_parametric(c)) continue;
    terms.push_back(l.pool.mul(l.rate_of_motion(c), l.pool.symbol(SymbolKind::kVelocity, q.value)));
  }
  return l.pool.add(std::move(terms));
}

// Slip rates in bound groups without any force of theirs: neither on bodies with inertia nor, by
// way of dampers, on the massless ones.
void solve_bound_rates(Lowering& l) {
  if (std::none_of(l.frictions.begin(), l.frictions.end(),
                   [](const LoweredFriction& f) { return f.bound; }))
    return;
  std::map<CoordinateId, std::vector<Expr>> push;
  for (const ForceTermId id : l.mechanism.terms.ids()) {
    const ForceTerm& term = l.mechanism.terms[id];
    const auto index = l.friction_index.find(id);
    const bool bound = index != l.friction_index.end() && l.frictions[index->second].bound;
    if (term.status != TermStatus::kActive || bound || belongs_to(l, id, Kernel::kGauss)) continue;
    Expr force = l.pool.symbol(SymbolKind::kForce, id.value);
    if (term.kind == TermKind::kDamper) {
      LinearForm known = term.argument;
      std::erase_if(known.terms,
                    [&](const auto& t) { return is_creep_kernel(l.mechanism, t.first); });
      force =
          l.pool.mul(term.coefficient, l.pool.add(to_expr(l.pool, known, true),
                                                  product(l.pool, term.argument, l.unbound_creep)));
    }
    for (const auto& [q, c] : term.participation.terms) {
      if (l.mechanism.coordinates[q].role != CoordinateRole::kInertial) continue;
      push[q].push_back(l.pool.neg(l.pool.mul(c, force)));
    }
  }
  SymmetricSolver::Vector f;
  for (auto& [q, terms] : push) f.emplace(q, l.pool.add(std::move(terms)));
  const SymmetricSolver::Vector free = l.inertia.solve(f);
  for (LoweredFriction& friction : l.frictions) {
    if (friction.bound) friction.rate = slip_rate(l, l.mechanism.terms[friction.term], free);
  }
}

// In bound settle islands: the points' part is what the forces make of it.
void divide_slips(Lowering& l) {
  for (LoweredFriction& friction : l.frictions) {
    if (!friction.creeps() || !l.in_series.contains(friction.term)) continue;
    const ForceTerm& term = l.mechanism.terms[friction.term];
    friction.creep_slip = product(l.pool, term.argument, l.unbound_creep);
    friction.body_slip = slip_of_bodies(l, term);
  }
}

}  // namespace

Expr slip_rate(Lowering& l, const ForceTerm& term, const SymmetricSolver::Vector& accelerations) {
  return l.pool.add(product(l.pool, term.argument, accelerations),
                    rate_shift(l, velocity_of(l, term)));
}

void solve_creep(Lowering& l) {
  if (l.damping.pivots().empty()) return;
  std::map<CoordinateId, std::vector<Expr>> push;
  for (const ForceTermId id : l.mechanism.terms.ids()) {
    const ForceTerm& term = l.mechanism.terms[id];
    if (term.status != TermStatus::kActive || creeps(l, id)) continue;
    Expr force = l.pool.symbol(SymbolKind::kForce, id.value);
    if (term.kind == TermKind::kDamper) {
      LinearForm known = term.argument;
      std::erase_if(known.terms,
                    [&](const auto& t) { return is_creep_kernel(l.mechanism, t.first); });
      force = l.pool.mul(term.coefficient, to_expr(l.pool, known, true));
    }
    for (const auto& [q, c] : term.participation.terms) {
      if (!is_creep_kernel(l.mechanism, q)) continue;
      push[q].push_back(l.pool.neg(l.pool.mul(c, force)));
    }
  }
  SymmetricSolver::Vector r;
  for (const auto& [q, pivot] : l.damping.pivots()) r.emplace(q, l.pool.add(std::move(push[q])));
  const SymmetricSolver::Vector free = l.damping.solve(r);
  l.creep = l.unbound_creep = free;
  for (LoweredFriction& friction : l.frictions) {
    if (!friction.creeps()) continue;
    LinearForm known = velocity_of(l, l.mechanism.terms[friction.term]);
    std::erase_if(known.terms,
                  [&](const auto& t) { return is_creep_kernel(l.mechanism, t.first); });
    if (!l.in_series.contains(friction.term)) {
      friction.free = l.pool.add(product(l.pool, l.mechanism.terms[friction.term].argument, free),
                                 to_expr(l.pool, known, true));
    }
    subtract_friction(l, friction, l.creep);
    if (!friction.bound) subtract_friction(l, friction, l.unbound_creep);
  }
  divide_slips(l);
}

void solve_accelerations(Lowering& l) {
  std::map<CoordinateId, std::vector<Expr>> push;
  for (const ForceTermId id : l.mechanism.terms.ids()) {
    const ForceTerm& term = l.mechanism.terms[id];
    if (term.status != TermStatus::kActive || belongs_to(l, id, Kernel::kGauss)) continue;
    const Expr force = l.pool.symbol(SymbolKind::kForce, id.value);
    for (const auto& [q, c] : term.participation.terms) {
      if (l.mechanism.coordinates[q].role != CoordinateRole::kInertial) continue;
      push[q].push_back(l.pool.neg(l.pool.mul(c, force)));
    }
  }
  SymmetricSolver::Vector f;
  for (auto& [q, terms] : push) f.emplace(q, l.pool.add(std::move(terms)));
  l.accelerations = l.inertia.solve(f);
  const SymmetricSolver::Vector free = l.accelerations;
  for (std::size_t i = 0; i < l.frictions.size(); ++i) {
    LoweredFriction& friction = l.frictions[i];
    if (friction.kernel != Kernel::kGauss) continue;
    friction.free = slip_rate(l, l.mechanism.terms[friction.term], free);
    subtract_friction(l, friction, l.accelerations);
  }
  solve_bound_rates(l);
}

}  // namespace luztar
