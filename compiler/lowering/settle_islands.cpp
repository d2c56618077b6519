#include "compiler/lowering/settle_islands.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "compiler/lowering/solved_island.h"
#include "compiler/lowering/solved_series.h"
#include "compiler/mechanics/union_find.h"
#include "compiler/symbolic/operations.h"

namespace luztar {

SettleIslands::SettleIslands(ExprPool& pool, const Mechanism& mechanism)
    : pool_(pool), mechanism_(mechanism) {
  UnionFind groups(mechanism.coordinates.size());
  const auto each_point = [&](const LinearForm& form, auto visit) {
    for (const auto& [q, c] : form.terms) {
      if (is_settled(mechanism, q)) visit(q);
    }
  };
  for (const ForceTerm& term : mechanism.terms) {
    if (term.status != TermStatus::kActive) continue;
    CoordinateId first;
    each_point(term.argument, [&](CoordinateId q) {
      if (first.valid()) groups.unite(first.value, q.value);
      first = q;
    });
  }
  std::map<std::size_t, std::size_t> island_of;
  for (const CoordinateId q : mechanism.coordinates.ids()) {
    if (!is_settled(mechanism, q)) continue;
    const auto [it, fresh] = island_of.emplace(groups.find(q.value), islands_.size());
    if (fresh) islands_.emplace_back();
    islands_[it->second].points.push_back(q);
    points_.emplace(q, Place{it->second, 0});
  }
  for (const ForceTermId id : mechanism.terms.ids()) {
    const ForceTerm& term = mechanism.terms[id];
    if (term.status != TermStatus::kActive) continue;
    if (term.kind == TermKind::kSpring || term.kind == TermKind::kFriction ||
        term.kind == TermKind::kStop) {
      CoordinateId point;
      each_point(term.argument, [&](CoordinateId q) { point = q; });
      if (!point.valid()) continue;
      Island& island = islands_[points_.at(point).island];
      (term.kind == TermKind::kSpring ? island.springs : island.frictions).push_back(id);
    } else {
      for (const auto& [q, c] : term.participation.terms) {
        if (is_settled(mechanism, q)) loads_[q].emplace_back(id, c);
      }
    }
  }
  for (std::size_t i = 0; i < islands_.size(); ++i) place(i);
}

// Where its points, springs and frictions are.
void SettleIslands::place(std::size_t index) {
  const Island& island = islands_[index];
  const auto note = [&](const auto& list, auto& places) {
    for (std::uint32_t i = 0; i < list.size(); ++i) places[list[i]] = Place{index, i};
  };
  note(island.points, points_);
  note(island.springs, springs_);
  note(island.frictions, frictions_);
}

void SettleIslands::bind(const std::vector<ForceTermId>& members, FrictionGroup group) {
  std::set<std::size_t> parts;
  for (const ForceTermId id : members) {
    if (const auto at = frictions_.find(id); at != frictions_.end())
      parts.insert(at->second.island);
  }
  Island whole;
  for (const std::size_t i : parts) {
    const Island& part = islands_[i];
    whole.points.insert(whole.points.end(), part.points.begin(), part.points.end());
    whole.springs.insert(whole.springs.end(), part.springs.begin(), part.springs.end());
  }
  whole.frictions = members;
  whole.bound = true;
  whole.group = std::move(group);
  islands_[*parts.begin()] = std::move(whole);
  for (auto i = parts.rbegin(); std::next(i) != parts.rend(); ++i) {
    islands_.erase(islands_.begin() + static_cast<std::ptrdiff_t>(*i));
  }
  for (std::size_t i = 0; i < islands_.size(); ++i) place(i);
}

std::vector<std::vector<ForceTermId>> SettleIslands::frictions_by_island() const {
  std::vector<std::vector<ForceTermId>> out;
  for (const Island& island : islands_) out.push_back(island.frictions);
  return out;
}

std::vector<ForceTermId> SettleIslands::frictions() const {
  std::vector<ForceTermId> out;
  for (const Island& island : islands_) {
    out.insert(out.end(), island.frictions.begin(), island.frictions.end());
  }
  return out;
}

void SettleIslands::number_series(ExplicitSystem& system, Island& island,
                                  ExplicitSettleIsland& out) {
  const auto take = [&](std::uint32_t& own, std::uint32_t& of_system) {
    own = of_system = system.slots;
    system.slots += out.frictions * out.frictions;
  };
  take(island.given_slot, out.given_slot);
  if (!island.group.varies) take(island.hold_slot, out.hold_slot);
  take(island.static_slot, out.static_slot);
  if (!island.group.creep_gram.empty()) take(island.creep_hold_slot, out.creep_hold_slot);
  if (island.group.varies) number_stresses(system, island.group, island.stresses);
  out.stresses = island.stresses;
}

void SettleIslands::number(ExplicitSystem& system, std::uint32_t first) {
  for (Island& island : islands_) {
    ExplicitSettleIsland out;
    out.first_spring = static_cast<std::uint32_t>(system.settle_springs.size());
    out.springs = static_cast<std::uint32_t>(island.springs.size());
    out.first_friction = first;
    out.frictions = static_cast<std::uint32_t>(island.frictions.size());
    first += out.frictions;
    for (const ForceTermId id : island.springs) {
      ExplicitSettleSpring spring;
      spring.name = mechanism_.terms[id].name;
      spring.one_sided = mechanism_.terms[id].one_sided;
      if (!is_linear(mechanism_.terms[id])) {
        spring.zone_slot = system.slots++;
        zone_slots_.emplace(id, spring.zone_slot);
      }
      system.settle_springs.push_back(std::move(spring));
    }
    const auto points = static_cast<std::uint32_t>(island.points.size());
    const std::uint32_t inputs = out.springs + 2 * out.frictions + points;
    const std::uint32_t results = points + out.frictions;
    out.map_slot = island.map_slot = system.slots;
    out.offset_slot = island.offset_slot = system.slots + inputs * results;
    system.slots = island.offset_slot + results;
    out.bound = island.bound;
    if (island.bound) number_series(system, island, out);
    last_slot_ = system.slots;
    system.settle_islands.push_back(std::move(out));
  }
}

Expr SettleIslands::mode(std::uint32_t slot) const { return pool_.symbol(SymbolKind::kMode, slot); }

bool SettleIslands::is_linear(const ForceTerm& spring) const {
  return pool_.is_zero(spring.half_freeplay) && !spring.one_sided;
}

// A form without the island's own points.
Expr SettleIslands::known_part(const LinearForm& form) const {
  LinearForm known = form;
  std::erase_if(known.terms, [&](const auto& t) { return is_settled(mechanism_, t.first); });
  return to_expr(pool_, known, false);
}

// A stop has no force of its own.
Expr SettleIslands::own_bound(ForceTermId id, Expr bound) const {
  return mechanism_.terms[id].kind == TermKind::kStop ? pool_.zero() : bound;
}

Expr SettleIslands::load(CoordinateId point) const {
  const auto terms = loads_.find(point);
  if (terms == loads_.end()) return pool_.zero();
  std::vector<Expr> sum;
  for (const auto& [id, c] : terms->second) {
    sum.push_back(pool_.neg(pool_.mul(c, pool_.symbol(SymbolKind::kForce, id.value))));
  }
  return pool_.add(std::move(sum));
}

// Row `row` of the map times what drives the island.
Expr SettleIslands::result(const Island& island, std::uint32_t row) const {
  std::vector<Expr> inputs;
  for (const ForceTermId id : island.springs) {
    inputs.push_back(known_part(mechanism_.terms[id].argument));
  }
  for (const ForceTermId id : island.frictions) inputs.push_back(travel(id));
  for (const ForceTermId id : island.frictions) {
    inputs.push_back(own_bound(id, mechanism_.terms[id].kinetic));
  }
  for (const CoordinateId q : island.points) inputs.push_back(load(q));
  const auto count = static_cast<std::uint32_t>(inputs.size());
  std::vector<Expr> sum{mode(island.offset_slot + row)};
  for (std::uint32_t k = 0; k < count; ++k) {
    sum.push_back(pool_.mul(mode(island.map_slot + row * count + k), inputs[k]));
  }
  return pool_.add(std::move(sum));
}

Expr SettleIslands::position(CoordinateId q) const {
  const Place& place = points_.at(q);
  return result(islands_[place.island], place.index);
}

// A force by the balance of the points, one of many where frictions act in series.
Expr SettleIslands::balancing_force(const Island& island, std::uint32_t friction) const {
  return result(island, static_cast<std::uint32_t>(island.points.size()) + friction);
}

Expr SettleIslands::friction_force(ForceTermId id, const std::function<Expr(ForceTermId)>& slip,
                                   const std::function<Expr(ForceTermId)>& rate) {
  const Place& place = frictions_.at(id);
  Island& island = islands_[place.island];
  if (!island.bound) return balancing_force(island, place.index);
  if (!island.group.varies) return force_by_tables(island, place.index, slip, rate);
  if (island.solved.empty()) {
    std::vector<Expr> rates, given;
    for (std::uint32_t i = 0; i < island.frictions.size(); ++i) {
      rates.push_back(rate(island.frictions[i]));
      given.push_back(force_by_tables(island, i, slip, rate));
    }
    island.solved =
        solve_series(pool_, island.stresses, island.group.gram, island.group.drag, rates, given);
  }
  return island.solved[place.index];
}

// By the tables of the mode; where G varies, what does not depend on rates.
Expr SettleIslands::force_by_tables(const Island& island, std::uint32_t friction,
                                    const std::function<Expr(ForceTermId)>& slip,
                                    const std::function<Expr(ForceTermId)>& rate) const {
  const auto count = static_cast<std::uint32_t>(island.frictions.size());
  std::vector<Expr> sum;
  for (std::uint32_t j = 0; j < count; ++j) {
    const std::uint32_t entry = friction * count + j;
    const ForceTermId other = island.frictions[j];
    sum.push_back(pool_.mul(mode(island.given_slot + entry), balancing_force(island, j)));
    sum.push_back(pool_.mul(mode(island.static_slot + entry),
                            own_bound(other, mechanism_.terms[other].static_bound)));
    if (island.hold_slot != kNoIndex) {
      sum.push_back(pool_.mul(mode(island.hold_slot + entry), rate(other)));
    }
    if (island.creep_hold_slot != kNoIndex) {
      sum.push_back(pool_.mul(mode(island.creep_hold_slot + entry), slip(other)));
    }
  }
  return pool_.add(std::move(sum));
}

std::vector<SettleIslands::Series> SettleIslands::series() const {
  std::vector<Series> out;
  for (const Island& island : islands_) {
    if (!island.bound) continue;
    out.push_back({island.frictions, island.hold_slot, island.stresses, &island.group});
  }
  return out;
}

Expr SettleIslands::spring_force(ForceTermId id) const {
  if (!springs_.contains(id)) return {};
  const ForceTerm& spring = mechanism_.terms[id];
  const Expr x = to_expr(pool_, spring.argument, false);
  const Expr z = zone(id);
  if (!z.valid()) return pool_.mul(spring.coefficient, x);
  return pool_.mul(spring.coefficient,
                   pool_.sub(pool_.mul({z, z, x}), pool_.mul(z, spring.half_freeplay)));
}

Expr SettleIslands::zone(ForceTermId id) const {
  const auto slot = zone_slots_.find(id);
  return slot == zone_slots_.end() ? Expr{} : mode(slot->second);
}

Expr SettleIslands::travel(ForceTermId id) const {
  if (!acts_on_settled(mechanism_, mechanism_.terms[id])) return pool_.zero();
  return known_part(mechanism_.terms[id].travel);
}

bool SettleIslands::takes_part(Expr e) const {
  if (islands_.empty()) return false;
  return depends_on(pool_, e, [&](Symbol s) {
    return s.kind == SymbolKind::kMode && s.index >= islands_.front().map_slot &&
           s.index < last_slot_;
  });
}

void SettleIslands::write(ExplicitSystem& system, const std::function<Expr(Expr)>& resolve) const {
  for (std::size_t k = 0; k < islands_.size(); ++k) {
    const Island& island = islands_[k];
    ExplicitSettleIsland& out = system.settle_islands[k];
    for (const auto* group : {&island.springs, &island.frictions}) {
      for (const ForceTermId id : *group) {
        for (const CoordinateId q : island.points) {
          const Expr* c = mechanism_.terms[id].argument.coefficient(q);
          out.directions.push_back(c ? resolve(*c) : pool_.zero());
        }
      }
    }
    out.gram = island.group.gram;
    for (ExplicitGramEntry& entry : out.gram) entry.value = resolve(entry.value);
    for (const Expr entry : island.group.creep_gram) out.creep_gram.push_back(resolve(entry));
    for (const Expr entry : island.group.drag) out.drag.push_back(resolve(entry));
    separate_varying(pool_, out.gram, out.varying_gram);
    separate_varying(pool_, out.drag, out.varying_drag);
    for (const CoordinateId q : island.points) {
      out.loads.push_back(resolve(load(q)));
      out.starts.push_back(resolve(mechanism_.coordinates[q].start));
    }
    for (std::uint32_t i = 0; i < out.springs; ++i) {
      const ForceTerm& term = mechanism_.terms[island.springs[i]];
      ExplicitSettleSpring& spring = system.settle_springs[out.first_spring + i];
      spring.drive = resolve(known_part(term.argument));
      if (term.law.valid()) {
        spring.law = out.first_spring + springs_.at(term.law).index;
        spring.ratio = resolve(term.law_ratio);
      }
      spring.stiffness = resolve(term.coefficient);
      spring.half_freeplay = resolve(term.half_freeplay);
      if (is_linear(term)) continue;
      const Expr x = resolve(to_expr(pool_, term.argument, false));
      spring.edge_below = pool_.add(x, spring.half_freeplay);
      spring.edge_above = pool_.sub(x, spring.half_freeplay);
    }
  }
}

}  // namespace luztar
