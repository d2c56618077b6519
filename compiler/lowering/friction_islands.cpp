#include "compiler/lowering/friction_islands.h"

#include <algorithm>
#include <numeric>

#include "compiler/lowering/falling_islands.h"
#include "compiler/lowering/friction_forces.h"
#include "compiler/lowering/friction_shares.h"
#include "compiler/lowering/solved_island.h"
#include "compiler/lowering/solved_series.h"

namespace luztar {
namespace {

/// The group is an island of bodies that settle.
void bind_settled(Lowering& l, const FrictionGroups& grouped, const FrictionGroup& group) {
  std::vector<ForceTermId> members;
  for (std::size_t i = group.first; i < group.first + group.count; ++i) {
    members.push_back(grouped.frictions[i].term);
    const ForceTerm& term = l.mechanism.terms[members.back()];
    if (term.rest_speed.valid()) report_falling_in_series(l, term);
    l.in_series.emplace(members.back(), SeriesFriction{grouped.frictions[i], group.singular});
  }
  l.settle.bind(members, group);
}

// Tables of how forces act on each other take the square of the island's size. An elimination takes
// the squares of its rows' lengths, which are short where frictions form a chain; for forces that
// are shared rows of twice the length, and two passes (measured: as fast at 35 to 43 frictions of a
// chain, where tables take a third of the time to compile).
bool is_cheaper_solved(const ExplicitIsland& island, bool singular) {
  const std::size_t n = island.count;
  if (n <= kMostInTables) return false;
  std::vector<std::size_t> first(n);  // entry that is not zero, by row
  std::iota(first.begin(), first.end(), std::size_t{0});
  for (const ExplicitGramEntry& entry : island.gram) {
    first[entry.j] = std::min<std::size_t>(first[entry.j], entry.i);
  }
  std::size_t cost = 0;
  for (std::size_t row = 0; row < n; ++row) cost += (row - first[row]) * (row - first[row]);
  return cost * (singular ? 18 : 1) <= n * n;
}

void add_friction(Lowering& l, GroupedFriction friction) {
  l.friction_index.emplace(friction.term, static_cast<std::uint32_t>(l.frictions.size()));
  ExplicitFriction out;
  out.creep = friction.kernel == Kernel::kCreep && !l.in_series.contains(friction.term);
  out.direction_slot = l.system.slots++;
  out.moving_slot = l.system.slots++;
  out.is_shared = is_shared(l, friction.term);
  l.system.frictions.push_back(std::move(out));
  const Expr kinetic = l.mechanism.terms[friction.term].kinetic;
  l.frictions.push_back({std::move(friction), {}, kinetic, {}, {}, {}});
}

// A slip velocity that is a multiple of one velocity is exactly zero when that is.
bool is_own_velocity(Lowering& l, const ForceTerm& term) {
  return term.argument.terms.size() == 1 && l.pool.is_zero(velocity_of(l, term).offset);
}

void write_stop(Lowering& l, std::uint32_t friction, const ForceTerm& term) {
  const Expr x = to_expr(l.pool, term.argument, false);
  l.system.stops.push_back({friction, l.resolver.resolve(l.pool.add(x, term.half_freeplay)),
                            l.resolver.resolve(l.pool.sub(term.half_freeplay, x)),
                            l.resolver.resolve(term.restitution),
                            acts_on_settled(l.mechanism, term)});
}

}  // namespace

void number_islands(Lowering& l) {
  FrictionGroups grouped = group_frictions(l.pool, l.flat, l.mechanism,
                                           l.settle.frictions_by_island(), l.inertia, l.damping);
  for (FrictionGroup& group : grouped.groups) {
    if (group.settles) {
      bind_settled(l, grouped, group);
      continue;
    }
    ExplicitIsland island;
    island.first = static_cast<std::uint32_t>(l.frictions.size());
    island.count = static_cast<std::uint32_t>(group.count);
    for (std::size_t i = 0; i < group.count; ++i) {
      add_friction(l, grouped.frictions[group.first + i]);
    }
    island.gram = std::move(group.gram);
    island.creep_gram = std::move(group.creep_gram);
    island.drag = std::move(group.drag);
    write_falling(l, island, group);
    island.is_solved = !group.bound && (group.varies || is_cheaper_solved(island, group.singular));
    l.island_of.resize(l.frictions.size(), l.system.islands.size());
    for (std::size_t i = island.first; group.singular && i < l.frictions.size(); ++i) {
      l.system.frictions[i].indeterminate_slot = l.system.slots++;
    }
    const auto take = [&](std::uint32_t& slot) {
      slot = l.system.slots;
      l.system.slots += island.is_solved ? island.count : island.count * island.count;
    };
    take(island.hold_slot);
    take(island.kinetic_slot);
    take(island.static_slot);
    if (group.bound && !group.varies) take(island.rate_hold_slot);
    if (group.bound && group.varies) number_stresses(l.system, group, island.stresses);
    if (island.is_solved && group.singular) take(island.share_slot);
    l.system.islands.push_back(std::move(island));
  }
}

void add_settle_islands(Lowering& l) {
  const auto first = static_cast<std::uint32_t>(l.frictions.size());
  for (const ForceTermId id : l.settle.frictions()) {
    const auto series = l.in_series.find(id);
    const bool bound = series != l.in_series.end();
    const ForceTerm& term = l.mechanism.terms[id];
    if (term.least_fall.valid() && !(l.nominal.value(term.least_fall) > 0)) report_rising(l, term);
    add_friction(
        l, bound ? series->second.friction : GroupedFriction{id, Kernel::kSettle, false, {}, {}});
    if (!bound || !series->second.shares) continue;
    l.system.frictions.back().indeterminate_slot = l.system.slots++;
  }
  l.settle.number(l.system, first);
}

void number_slip_states(Lowering& l) {
  for (std::size_t i = 0; i < l.frictions.size(); ++i) {
    const ForceTerm& term = l.mechanism.terms[l.frictions[i].term];
    if (l.frictions[i].kernel == Kernel::kSettle) {
      l.system.frictions[i].driven = !l.pool.is_zero(velocity_of(l, term).offset);
      continue;
    }
    const std::uint32_t moving = l.system.frictions[i].moving_slot;
    const bool creep = l.frictions[i].kernel == Kernel::kCreep;
    if (is_own_velocity(l, term)) {
      const CoordinateId q = term.argument.terms.front().first;
      l.holding[q].push_back(moving);
      if (creep) continue;
      l.system.frictions[i].velocity_state = l.state_index.at({SymbolKind::kVelocity, q.value});
      continue;
    }
    l.system.frictions[i].driven = !l.pool.is_zero(velocity_of(l, term).offset);
    if (creep || l.in_series.contains(l.frictions[i].term) || term.kind == TermKind::kStop)
      continue;
    l.system.frictions[i].slip_state = static_cast<std::uint32_t>(l.system.states.size());
    l.system.states.push_back({term.name + ".slip", "", l.pool.zero(), Expr{}});
    ++l.system.slip_states;
  }
}

LinearForm velocity_of(Lowering& l, const ForceTerm& term) {
  if (term.kind != TermKind::kStop) return term.argument;
  return {term.argument.terms, l.rate_of_motion(term.argument.offset)};
}

// At times: where T_S is zero for good, T_K is once the slip has gone through zero.
bool may_lack_capacity(const Lowering& l, Expr bound, Expr kinetic) {
  if (!l.nominal.is_parametric(bound)) return true;
  return !l.nominal.is_parametric(kinetic) && l.nominal.value(bound) == 0;
}

void write_frictions(Lowering& l) {
  for (std::size_t i = 0; i < l.frictions.size(); ++i) {
    const LoweredFriction& friction = l.frictions[i];
    const ForceTerm& term = l.mechanism.terms[friction.term];
    ExplicitFriction& out = l.system.frictions[i];
    out.name = term.name;
    out.slip = l.resolver.resolve(to_expr(l.pool, velocity_of(l, term), true));
    const bool settles = friction.kernel == Kernel::kSettle || l.in_series.contains(friction.term);
    out.free = l.resolver.resolve(settles ? l.settle.travel(friction.term) : friction.free);
    const Expr force = l.pool.symbol(SymbolKind::kForce, friction.term.value);
    const bool stop = term.kind == TermKind::kStop;
    const Expr bound = stop ? l.pool.zero() : term.static_bound;
    out.varies = !stop && may_lack_capacity(l, bound, friction.kinetic);
    out.reserve_below = l.resolver.resolve(l.pool.add(bound, force));
    out.reserve_above = l.resolver.resolve(l.pool.sub(bound, force));
    out.kinetic = stop ? l.pool.zero() : l.resolver.resolve(friction.kinetic);
    if (term.rest_speed.valid()) {
      if (!out.decay.valid()) out.rest_speed = l.resolver.resolve(term.rest_speed);
      out.at_rest = l.resolver.resolve(term.at_rest);
    }
    if (!out.falls.empty() || out.decay.valid()) out.beyond = l.resolver.resolve(term.kinetic);
    if (out.decay.valid()) {
      out.decay = l.resolver.resolve(out.decay);
      out.ahead = l.resolver.resolve(out.ahead);
      out.end = l.resolver.resolve(out.end);
    }
    if (stop) write_stop(l, static_cast<std::uint32_t>(i), term);
    if (friction.bound) out.rate = l.resolver.resolve(friction.rate);
    if (friction.creep_slip.valid()) {
      out.creep_slip = l.resolver.resolve(friction.creep_slip);
      out.body_slip = l.resolver.resolve(friction.body_slip);
    }
    if (term.drive_jumps && friction.kernel == Kernel::kCreep) {
      out.drive = l.resolver.resolve(velocity_of(l, term).offset);
    }
    const bool gauss = friction.kernel == Kernel::kGauss;
    for (const auto& [q, r] : gauss ? friction.response : friction.rate_response) {
      auto& entries = l.nominal.is_parametric(r) ? out.response : out.varying_response;
      entries.emplace_back(l.state_index.at({SymbolKind::kVelocity, q.value}),
                           l.resolver.resolve(r));
    }
    if (out.slip_state == kNoIndex) continue;
    const Expr rate = l.rate_of_motion(to_expr(l.pool, term.argument, true));
    l.system.states[out.slip_state].derivative =
        l.pool.mul(mode_symbol(l, out.moving_slot), l.resolver.resolve(rate));
  }
  for (ExplicitIsland& island : l.system.islands) {
    for (ExplicitSnappingBody& body : island.snapping) {
      body.speed = l.resolver.resolve(body.speed);
    }
    for (auto* matrix : {&island.creep_gram, &island.drag}) {
      for (Expr& entry : *matrix) entry = l.resolver.resolve(entry);
    }
    for (ExplicitGramEntry& entry : island.gram) entry.value = l.resolver.resolve(entry.value);
    separate_varying(l.pool, island.gram, island.varying_gram);
    separate_varying(l.pool, island.drag, island.varying_drag);
  }
  l.settle.write(l.system, [&](Expr e) { return l.resolver.resolve(e); });
}

}  // namespace luztar
