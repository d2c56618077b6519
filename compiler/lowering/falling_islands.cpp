#include "compiler/lowering/falling_islands.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "compiler/lowering/friction_forces.h"
#include "compiler/mechanics/part_names.h"

namespace luztar {
namespace {

Diagnostic& falling_error(Lowering& l, const ForceTerm& term, const std::string& message) {
  return part_error(
      l.diagnostics, l.flat, Code::kUnreducible, term.part, term.span,
      "the friction '" + term.name + "' of a body without inertia falls with speed, " + message);
}

void report_falling(Lowering& l, const ForceTerm& term, const std::string& message) {
  falling_error(l, term, message).with_note("give that body a small inertia");
}

// M v' = -dR(v) of two masses and one function R goes to different minima for different ratios of
// the masses: say R = sum of r(v_i) - f_i v_i and a damper between, at a jump of both f_i.
void report_several_speeds(Lowering& l, const ForceTerm& term) {
  falling_error(l, term, "and acts together with others on several bodies without inertia")
      .with_note(
          "once it lets go, which friction holds these bodies next depends on how their inertias "
          "compare, however small these are")
      .with_note("give all of these bodies but one a small inertia");
}

void report_falling_beside(Lowering& l, const ForceTerm& term) {
  falling_error(l, term, "and exponentially, as does another one that acts on it")
      .with_note("of several with another slip or decay no speed has a closed form")
      .with_note(
          "give that body a small inertia, or let all but one fall along lines, as a "
          "StribeckFriction does");
}

// The slip jumps where the friction falls by more than the damping rises: share > 1. Where a signal
// brings that to an end, cycles of stick-slip get ever shorter: the run stops a little before.
void check_outweighs(Lowering& l, const ForceTerm& term, Expr share) {
  constexpr double kEnough = 1.001;
  if (!l.nominal.is_parametric(share)) {
    l.system.assertions.push_back(
        {l.pool.call(Op::kLess, {l.pool.constant(kEnough), l.resolver.resolve(share)}),
         "the friction '" + term.name +
             "' of a body without inertia falls with speed by hardly more than the damping there "
             "rises: give that body a small inertia",
         term.span});
  } else if (!(l.nominal.value(share) > 1)) {
    report_falling(l, term, "but less than the damping there rises");
  }
}

// d_i C^-1 d_j' of frictions of an island.
std::optional<Expr> compliance(const ExplicitIsland& island, std::uint32_t i, std::uint32_t j) {
  if (!island.creep_gram.empty()) return island.creep_gram[i * island.count + j];
  for (const ExplicitGramEntry& entry : island.gram) {
    if (entry.i == std::min(i, j) && entry.j == std::max(i, j)) return entry.value;
  }
  return std::nullopt;
}

// False when there is no limit, or none of this form.
bool check_falling(Lowering& l, const ExplicitIsland& island, const FrictionGroup& group,
                   const ForceTerm& term, std::uint32_t own) {
  const std::size_t errors = l.diagnostics.error_count();
  const auto is_stop = [&](std::uint32_t i) {
    return l.mechanism.terms[l.frictions[island.first + i].term].kind == TermKind::kStop;
  };
  bool stops = false;
  for (std::uint32_t i = 0; i < island.count; ++i) stops = stops || is_stop(i);
  const auto share = compliance(island, own, own);
  if (!share) throw InternalError("lowering", "friction '" + term.name + "' has no compliance");
  if (!group.has_one_speed) {
    report_several_speeds(l, term);
  } else if (stops) {
    report_falling(l, term, "and acts together with a rigid contact");
  } else if (!term.decay.valid()) {
    check_outweighs(l, term, l.pool.mul(term.fall, *share));
  }
  return l.diagnostics.error_count() == errors;
}

// What damped bodies without inertia make of a slip.
LinearForm creeping_part(Lowering& l, const ForceTerm& term) {
  LinearForm part{{}, l.pool.zero()};
  for (const auto& [q, c] : term.argument.terms) {
    if (is_creep_kernel(l.mechanism, q)) part.terms.emplace_back(q, c);
  }
  return part;
}

// The slip of one while another one holds: what other bodies add, less what the held one has of
// theirs, by how the slips follow from the speed in common.
Expr slip_when_held(Lowering& l, const ForceTerm& term, const ForceTerm& held) {
  const auto [q, own] = creeping_part(l, term).terms.front();
  const LinearForm other = creeping_part(l, held);
  for (const auto& [p, c] : other.terms) {
    if (p != q) continue;
    return l.pool.sub(slip_of_bodies(l, term),
                      l.pool.mul(l.pool.div(own, c), slip_of_bodies(l, held)));
  }
  throw InternalError("lowering", "the slips of '" + term.name + "' and '" + held.name +
                                      "' do not follow from one speed");
}

/// Whether others hold the body of a friction, 1 or 0, and the speed of its slip then: 0 at rest.
struct HeldSlip {
  Expr held, speed;
};

HeldSlip held_slip(Lowering& l, const std::vector<std::uint32_t>& creeping, std::uint32_t own) {
  const ForceTerm& term = l.mechanism.terms[l.frictions[own].term];
  std::vector<Expr> holds, slip;
  for (const std::uint32_t j : creeping) {
    const Expr holder = mode_symbol(l, l.system.frictions[j].holder_slot);
    holds.push_back(holder);
    if (j == own) continue;
    slip.push_back(
        l.pool.mul(holder, slip_when_held(l, term, l.mechanism.terms[l.frictions[j].term])));
  }
  return {l.pool.add(std::move(holds)),
          l.pool.mul(mode_symbol(l, l.system.frictions[own].direction_slot),
                     l.pool.add(std::move(slip)))};
}

// T_K: its fall at the slip that others leave while they hold, or at rest; all of it otherwise.
Expr kinetic_in_mode(Lowering& l, const std::vector<std::uint32_t>& creeping, std::uint32_t own) {
  const ForceTerm& term = l.mechanism.terms[l.frictions[own].term];
  const auto [held, speed] = held_slip(l, creeping, own);
  std::vector<Expr> fallen{l.pool.sub(l.pool.one(), held)};
  for (const FallingLine& line : term.falls) {
    fallen.push_back(l.pool.mul(line.share, l.pool.div(l.pool.nas(speed, line.speed), line.speed)));
  }
  return l.pool.sub(term.at_rest, l.pool.mul(l.pool.sub(term.at_rest, term.kinetic),
                                             l.pool.add(std::move(fallen))));
}

std::vector<std::uint32_t> creeping_frictions(const Lowering& l, const ExplicitIsland& island) {
  std::vector<std::uint32_t> creeping;
  for (std::uint32_t i = island.first; i < island.first + island.count; ++i) {
    if (l.frictions[i].kernel == Kernel::kCreep) creeping.push_back(i);
  }
  return creeping;
}

// Dry frictions, and what the speed in common makes of their slips does not vary.
bool is_steady(Lowering& l, const ExplicitIsland& island,
               const std::vector<std::uint32_t>& creeping) {
  return std::all_of(creeping.begin(), creeping.end(), [&](std::uint32_t i) {
    const auto share = compliance(island, i - island.first, i - island.first);
    return l.mechanism.terms[l.frictions[i].term].kind == TermKind::kFriction && share &&
           l.nominal.is_parametric(*share);
  });
}

// The slip at which the forces of all that slip leave the body in balance.
void write_decay(Lowering& l, const ExplicitIsland& island,
                 const std::vector<std::uint32_t>& creeping, std::uint32_t own) {
  ExprPool& pool = l.pool;
  const ForceTerm& term = l.mechanism.terms[l.frictions[own].term];
  ExplicitFriction& out = l.system.frictions[own];
  std::vector<Expr> slip{l.frictions[own].free};
  for (const std::uint32_t j : creeping) {
    const auto by_force = compliance(island, own - island.first, j - island.first);
    if (j == own || !by_force) continue;
    const Expr direction = mode_symbol(l, l.system.frictions[j].direction_slot);
    slip.push_back(pool.neg(pool.mul({*by_force, direction, l.frictions[j].kinetic})));
  }
  const Expr own_compliance = *compliance(island, own - island.first, own - island.first);
  const Expr speed = pool.mul(mode_symbol(l, out.direction_slot), pool.add(std::move(slip)));
  const Expr y = pool.div(pool.sub(speed, pool.mul(own_compliance, term.kinetic)), term.decay);
  const Expr excess = pool.sub(term.at_rest, term.kinetic);
  const Expr a = pool.div(pool.mul(own_compliance, excess), term.decay);
  // the least of v + a exp(-v) for v >= 0: 1 + log a where it falls, a otherwise
  const Expr falls = pool.call(Op::kMax, {a, pool.one()});
  const Expr least = pool.add({pool.sub(a, falls), pool.one(), pool.call(Op::kLog, {falls})});
  out.ahead = pool.sub(y, least);
  const auto [held, held_speed] = held_slip(l, creeping, own);
  const auto left = [&](Expr v) { return pool.call(Op::kExp, {pool.neg(v)}); };
  const Expr share =
      pool.add(pool.mul(held, left(pool.div(held_speed, term.decay))),
               pool.mul(pool.sub(pool.one(), held), left(pool.call(Op::kBeyondFall, {y, a}))));
  l.frictions[own].kinetic = pool.add(term.kinetic, pool.mul(excess, share));
}

void write_speed(Lowering& l, ExplicitIsland& island, const std::vector<std::uint32_t>& creeping) {
  const ForceTerm& first = l.mechanism.terms[l.frictions[creeping.front()].term];
  island.speed = to_expr(l.pool, creeping_part(l, first), true);
}

}  // namespace

void report_falling_in_series(Lowering& l, const ForceTerm& term) {
  falling_error(l, term, "and is in series with others")
      .with_note("give that body a small inertia or a small damping");
}

void write_decays(Lowering& l) {
  for (const ExplicitIsland& island : l.system.islands) {
    const std::vector<std::uint32_t> creeping = creeping_frictions(l, island);
    for (const std::uint32_t i : creeping) {
      if (l.system.frictions[i].decay.valid()) write_decay(l, island, creeping, i);
    }
  }
}

void write_falling(Lowering& l, ExplicitIsland& island, const FrictionGroup& group) {
  const std::vector<std::uint32_t> creeping = creeping_frictions(l, island);
  std::vector<std::uint32_t> falling;
  for (const std::uint32_t i : creeping) {
    if (l.mechanism.terms[l.frictions[i].term].rest_speed.valid()) falling.push_back(i);
  }
  if (falling.empty()) {
    if (group.has_one_speed && is_steady(l, island, creeping)) write_speed(l, island, creeping);
    return;
  }
  for (const std::uint32_t i : falling) {
    const ForceTerm& term = l.mechanism.terms[l.frictions[i].term];
    if (!check_falling(l, island, group, term, i - island.first)) return;
  }
  std::vector<std::uint32_t> decaying;
  std::copy_if(falling.begin(), falling.end(), std::back_inserter(decaying), [&](std::uint32_t i) {
    return l.mechanism.terms[l.frictions[i].term].decay.valid();
  });
  if (decaying.size() > 1) {
    report_falling_beside(l, l.mechanism.terms[l.frictions[decaying.back()].term]);
    return;
  }
  for (const std::uint32_t i : creeping) l.system.frictions[i].holder_slot = l.system.slots++;
  for (const std::uint32_t i : falling) {
    const ForceTerm& term = l.mechanism.terms[l.frictions[i].term];
    l.system.frictions[i].decay = term.decay;
    if (term.decay.valid()) continue;  // T_K follows the slip: see write_decays
    l.frictions[i].kinetic = kinetic_in_mode(l, creeping, i);
    for (const FallingLine& line : term.falls) {
      l.system.frictions[i].falls.emplace_back(line.speed, line.share);
    }
  }
  write_speed(l, island, creeping);
}

}  // namespace luztar
