#include "compiler/lowering/energy_terms.h"

#include <cmath>
#include <map>

#include "compiler/mechanics/parameter_point.h"
#include "compiler/mechanics/part_names.h"
#include "compiler/symbolic/operations.h"

namespace luztar {
namespace {

Expr elastic_energy(ExprPool& pool, const ForceTerm& term) {
  const Expr x = strain(pool, term);
  return pool.mul({pool.constant(0.5), term.coefficient, x, x});
}

/// The part of an inertia that follows from parameters, where it is finite, and that which varies.
struct Inertia {
  Expr constant, varying;
};

Inertia inertia_parts(ExprPool& pool, const FlatModel& flat, Expr inertia) {
  const auto args = pool.args(inertia);
  const std::vector<Expr> terms = pool[inertia].op == Op::kAdd
                                      ? std::vector<Expr>(args.begin(), args.end())
                                      : std::vector<Expr>{inertia};
  std::vector<Expr> constant, varying;
  for (const Expr term : terms) {
    (is_parametric(pool, term) ? constant : varying).push_back(term);
  }
  const Expr sum = pool.add(std::move(constant));
  const bool finite = std::isfinite(nominal_value(pool, flat, sum));
  return {finite ? sum : pool.zero(), pool.add(std::move(varying))};
}

Expr kinetic_energy(ExprPool& pool, const FlatModel& flat, const WrittenMechanism& written) {
  std::vector<Expr> terms;
  for (const auto& [key, mass] : written.inertia) {
    const Expr constant = inertia_parts(pool, flat, mass).constant;
    const Expr a = pool.symbol(SymbolKind::kVelocity, key.first.value);
    const Expr b = pool.symbol(SymbolKind::kVelocity, key.second.value);
    terms.push_back(pool.mul({pool.constant(key.first == key.second ? 0.5 : 1.0), constant, a, b}));
  }
  return pool.add(std::move(terms));
}

// A force that reduction has written anew is no term of the mechanism's: it has no symbol.
Expr force_of(ExprPool& pool, const WrittenMechanism& written, ForceTermId id) {
  const ForceTerm& term = written.terms[id];
  return term.energy.valid() ? term.value : pool.symbol(SymbolKind::kForce, id.value);
}

// A law whose argument moves by itself, as the friction on a belt u(t), draws on what moves it:
// time, or a signal.
Expr offset_rate(ExprPool& pool, const ForceTerm& term, const SignalRates& rates) {
  const Expr offset = term.argument.offset;
  if (takes_velocity(term.kind)) return offset;
  std::vector<Expr> sum{derivative(pool, offset, {SymbolKind::kTime, 0})};
  for (const Symbol s : symbols_of(pool, offset)) {
    if (s.kind != SymbolKind::kVariable) continue;
    const auto rate = rates.find(VariableId{s.index});
    if (rate != rates.end()) sum.push_back(pool.mul(derivative(pool, offset, s), rate->second));
  }
  return pool.add(std::move(sum));
}

// Of laws that take the acceleration times what varies: nothing tells what these store.
void add_powers_of_accelerations(ExprPool& pool, const FlatModel& flat,
                                 const WrittenMechanism& written, std::vector<Expr>& supplied) {
  for (const auto& [key, mass] : written.inertia) {
    const auto [i, j] = key;
    const Expr varying = inertia_parts(pool, flat, mass).varying;
    const auto take = [&](CoordinateId moving, CoordinateId accelerated) {
      const Expr velocity = pool.symbol(SymbolKind::kVelocity, moving.value);
      const Expr acceleration = pool.symbol(SymbolKind::kAcceleration, accelerated.value);
      supplied.push_back(pool.neg(pool.mul({varying, velocity, acceleration})));
    };
    take(i, j);
    if (i != j) take(j, i);
  }
}

// Q_i v_i of the coordinates that move as prescribed.
std::vector<Expr> driving_powers(ExprPool& pool, const FlatModel& flat,
                                 const Table<CoordinateId, Coordinate>& coordinates,
                                 const WrittenMechanism& written) {
  std::map<CoordinateId, std::vector<Expr>> force;
  for (const CoordinateId q : coordinates.ids()) {
    const auto diagonal = written.inertia.find({q, q});
    const bool infinite = diagonal != written.inertia.end() &&
                          is_parametric(pool, diagonal->second) &&
                          std::isinf(nominal_value(pool, flat, diagonal->second));
    if (infinite || coordinates[q].role == CoordinateRole::kPrescribed) force[q];
  }
  if (force.empty()) return {};
  for (const auto& [p, law] : written.linkages) force[p];
  const auto add = [&](CoordinateId q, Expr f) {
    const auto it = force.find(q);
    if (it != force.end()) it->second.push_back(f);
  };
  for (const auto& [key, mass] : written.inertia) {
    const Inertia parts = inertia_parts(pool, flat, mass);
    const Expr finite = pool.add(parts.constant, parts.varying);
    const auto [i, j] = key;
    add(i, pool.mul(finite, pool.symbol(SymbolKind::kAcceleration, j.value)));
    if (i != j) add(j, pool.mul(finite, pool.symbol(SymbolKind::kAcceleration, i.value)));
  }
  for (const ForceTermId id : written.terms.ids()) {
    if (written.terms[id].status == TermStatus::kReplaced) continue;
    for (const auto& [q, c] : written.terms[id].participation.terms) {
      add(q, pool.mul(c, force_of(pool, written, id)));
    }
  }
  for (const auto& [p, law] : written.linkages) {  // what acts on p = n(q) acts on q with dn/dq
    const auto balance = force.extract(p);
    const Expr total = pool.add(balance.mapped());
    for (const Symbol s : symbols_of(pool, law)) {
      if (s.kind != SymbolKind::kCoordinate) continue;
      add(CoordinateId{s.index}, pool.mul(derivative(pool, law, s), total));
    }
  }
  std::vector<Expr> powers;
  for (auto& [q, terms] : force) {
    powers.push_back(
        pool.mul(pool.add(std::move(terms)), pool.symbol(SymbolKind::kVelocity, q.value)));
  }
  return powers;
}

}  // namespace

EnergyTerms energy_terms(ExprPool& pool, const FlatModel& flat,
                         const Table<CoordinateId, Coordinate>& coordinates,
                         const WrittenMechanism& written, const SignalRates& rates) {
  EnergyTerms result;
  std::vector<Expr> stored{kinetic_energy(pool, flat, written)};
  std::vector<Expr> supplied = driving_powers(pool, flat, coordinates, written);
  add_powers_of_accelerations(pool, flat, written, supplied);
  std::map<PartId, std::vector<Expr>> lost;
  for (const ForceTermId id : written.terms.ids()) {
    const ForceTerm& term = written.terms[id];
    if (term.status == TermStatus::kReplaced) continue;
    const Expr force = force_of(pool, written, id);
    if (term.energy.valid()) {
      supplied.push_back(pool.mul(force, offset_rate(pool, term, rates)));
      stored.push_back(term.energy);
      continue;
    }
    if (term.kind == TermKind::kLoad) {
      const Expr velocity = to_expr(pool, term.participation, true);
      supplied.push_back(pool.neg(pool.mul(force, velocity)));
      continue;
    }
    supplied.push_back(pool.mul(force, offset_rate(pool, term, rates)));
    if (term.kind == TermKind::kSpring) {
      if (std::isfinite(nominal_value(pool, flat, term.coefficient))) {
        stored.push_back(elastic_energy(pool, term));
      }
    } else if (term.kind != TermKind::kStop) {  // stops lose energy at impacts alone
      const Expr power = pool.mul(force, to_expr(pool, term.argument, true));
      lost[term.part].push_back(power);
      if (term.lent_share.valid()) {
        const Expr lent = pool.neg(pool.mul(term.lent_share, power));
        lost[term.part].push_back(lent);
        supplied.push_back(lent);
      }
    }
  }
  result.stored = pool.add(std::move(stored));
  result.supplied = pool.add(std::move(supplied));
  for (auto& [part, terms] : lost) {
    const std::string& name = flat.parts[part].name;
    result.dissipated.emplace_back(name.empty() ? flat.name : name, pool.add(std::move(terms)));
  }
  return result;
}

}  // namespace luztar
