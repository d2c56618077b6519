#include "compiler/lowering/falling_islands.h"

#include <algorithm>
#include <optional>

#include "compiler/lowering/friction_forces.h"
#include "compiler/mechanics/part_names.h"
#include "compiler/reduction/nodes.h"
#include "runtime/pwl/falling_arguments.h"

namespace luztar {
namespace {

Diagnostic& falling_error(Lowering& l, const ForceTerm& term, const std::string& message) {
  return part_error(
      l.diagnostics, l.flat, Code::kUnreducible, term.part, term.span,
      "the friction '" + term.name + "' of a body without inertia falls with speed, " + message);
}

void report_many(Lowering& l, const ForceTerm& term) {
  falling_error(l, term, "and acts together with many others, or with ones whose lever varies")
      .with_note("give that body a small inertia");
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

// Others follow a body where its levers to them do not vary, and tables of all are small.
bool can_snap(Lowering& l, const ExplicitIsland& island, const FrictionGroup& group,
              const SnappingGroup& body) {
  const std::vector<std::uint32_t> frictions = numbered(island, body.places);
  const auto others = frictions.begin() + body.own;
  if (others == frictions.end()) return true;
  const auto first =
      std::find_if(frictions.begin(), others, [&](std::uint32_t i) { return falls(l, i); });
  static_assert(kMostInTables <= kMostFallingBodies);
  if (!group.varies && island.count <= kMostInTables) return true;
  report_many(l, l.mechanism.terms[l.frictions[*first].term]);
  return false;
}

void log_followers(Lowering& l, const ExplicitIsland& island, const SnappingGroup& body) {
  std::vector<std::string> falling, others;
  bool any_falls_beside = false;
  for (std::uint32_t c = 0; c < body.places.size(); ++c) {
    const std::uint32_t i = island.first + body.places[c];
    const std::string& name = l.mechanism.terms[l.frictions[i].term].name;
    if (falls(l, i)) {
      falling.push_back(name);
      any_falls_beside = any_falls_beside || c >= body.own;
    } else if (c >= body.own) {
      others.push_back(name);
    }
  }
  const std::string theorem = "M v' = -dR(v) is cooperative (Kamke)";
  if (any_falls_beside) {
    l.system.log.push_back(
        {"falling frictions of several bodies", theorem,
         "one of them lets go, or loads that jump at once do so the same way; otherwise the limit "
         "depends on how the inertias compare, and this is one of them",
         "the bodies of " + list_of(falling) + " go on to the next balance of all"});
    return;
  }
  l.system.log.push_back(
      {"falling friction beside others", theorem,
       list_of(falling) + " lets go, or the load of its body alone jumps; otherwise the inertia of "
                          "that body counts "
                          "as the greatest",
       "the bodies of " + list_of(others) + " follow that of " + list_of(falling) + " at once"});
}

// Slots of frictions of one body.
void number_lines(Lowering& l, const std::vector<std::uint32_t>& creeping, bool any_follows) {
  for (const std::uint32_t i : creeping) {
    ExplicitFriction& friction = l.system.frictions[i];
    if (!any_follows) friction.holder_slot = l.system.slots++;
    if (!falls(l, i)) continue;
    const ForceTerm& term = l.mechanism.terms[l.frictions[i].term];
    friction.decay = term.decay;
    if (term.decay.valid()) continue;
    for (const FallingLine& line : term.falls) {
      friction.falls.push_back({line.speed, line.share, l.system.slots++});
    }
  }
}

}  // namespace

std::optional<Expr> compliance(const ExplicitIsland& island, std::uint32_t i, std::uint32_t j) {
  if (!island.creep_gram.empty()) return island.creep_gram[i * island.count + j];
  for (const ExplicitGramEntry& entry : island.gram) {
    if (entry.i == std::min(i, j) && entry.j == std::max(i, j)) return entry.value;
  }
  return std::nullopt;
}

LinearForm creeping_part(Lowering& l, const ForceTerm& term) {
  LinearForm part{{}, l.pool.zero()};
  for (const auto& [q, c] : term.argument.terms) {
    if (is_creep_kernel(l.mechanism, q)) part.terms.emplace_back(q, c);
  }
  return part;
}

std::vector<std::uint32_t> numbered(const ExplicitIsland& island,
                                    const std::vector<std::uint32_t>& places) {
  std::vector<std::uint32_t> frictions;
  for (const std::uint32_t k : places) frictions.push_back(island.first + k);
  return frictions;
}

bool falls(const Lowering& l, std::uint32_t i) {
  return l.mechanism.terms[l.frictions[i].term].rest_speed.valid();
}
bool any_falls(const Lowering& l, const std::vector<std::uint32_t>& frictions) {
  return std::any_of(frictions.begin(), frictions.end(),
                     [&](std::uint32_t i) { return falls(l, i); });
}

void report_falling_in_series(Lowering& l, const ForceTerm& term) {
  falling_error(l, term, "and is in series with others")
      .with_note("give that body a small inertia or a small damping");
}

void report_rising(Lowering& l, const ForceTerm& term) {
  part_error(l.diagnostics, l.flat, Code::kUnreducible, term.part, term.span,
             "the friction '" + term.name +
                 "' of a body without inertia and damping does not fall with speed throughout")
      .with_note("give that body a small inertia or a small damping");
}

void write_falling(Lowering& l, ExplicitIsland& island, const FrictionGroup& group) {
  for (const SnappingGroup& snapping : group.snapping) {
    if (!can_snap(l, island, group, snapping)) return;
    std::vector<std::uint32_t> creeping = numbered(island, snapping.places);
    const bool falling = any_falls(l, creeping);
    if (!falling && !is_steady(l, island, creeping)) continue;
    const ForceTerm& first = l.mechanism.terms[l.frictions[creeping.front()].term];
    ExplicitSnappingBody body{snapping.places, snapping.own, snapping.network, kNoIndex,
                              to_expr(l.pool, creeping_part(l, first), true)};
    const bool any_follows = snapping.own < creeping.size();
    creeping.resize(snapping.own);
    if (falling) number_lines(l, creeping, any_follows);
    if (any_follows) {
      const bool is_first =
          island.snapping.empty() || island.snapping.back().network != snapping.network;
      if (is_first) log_followers(l, island, snapping);
      body.share_slot = l.system.slots;
      l.system.slots += 3 * static_cast<std::uint32_t>(snapping.places.size()) + 1;
    }
    island.snapping.push_back(std::move(body));
  }
}

}  // namespace luztar
