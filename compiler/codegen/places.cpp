#include "compiler/codegen/places.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "compiler/base/diagnostics.h"

namespace luztar {

void require_parametric(const Program& program, TapeId id, const char* what) {
  if (program.tape.nodes[id].variability == Variability::kParameters) return;
  throw InternalError("codegen", std::string(what) + " depends on more than parameters");
}

namespace {

// What margins are made of.
void add_margins(const ExplicitSystem& system, Roots& roots) {
  for (const ExplicitSwitch& s : system.switches) {
    roots.add(s.watched);
    if (s.kind == SwitchKind::kZone) roots.add(s.upper);
  }
  for (const ExplicitFriction& f : system.frictions) roots.add(f.slip);
  for (const ExplicitFriction& f : system.frictions) {
    roots.add(f.reserve_below);
    roots.add(f.reserve_above);
  }
  for (const ExplicitFriction& f : system.frictions) {
    if (!f.ahead.valid()) continue;
    roots.add(f.ahead);
    roots.add(f.end);
  }
  for (const ExplicitStop& stop : system.stops) {
    roots.add(stop.gap_below);
    roots.add(stop.gap_above);
  }
  for (const ExplicitSettleSpring& spring : system.settle_springs) {
    if (!spring.edge_below.valid()) continue;
    roots.add(spring.edge_below);
    roots.add(spring.edge_above);
  }
}

// How forces act on each other's slip. Island: ExplicitIsland or ExplicitSettleIsland.
template <class Island>
void add_varying(const Island& island, Roots& roots) {
  for (const ExplicitGramEntry& entry : island.varying_gram) roots.add(entry.value);
  for (const ExplicitGramEntry& entry : island.varying_drag) roots.add(entry.value);
}

// What events are decided by.
void add_decisions(const ExplicitSystem& system, Roots& roots) {
  for (const ExplicitFriction& f : system.frictions) {
    roots.add(f.free);
    roots.add(f.kinetic);
    if (f.rate.valid()) roots.add(f.rate);
    if (f.at_rest.valid()) roots.add(f.at_rest);
    if (f.beyond.valid()) roots.add(f.beyond);
    if (f.creep_slip.valid()) {
      roots.add(f.creep_slip);
      roots.add(f.body_slip);
    }
    if (f.drive.valid()) roots.add(f.drive);
    for (const auto& [state, response] : f.varying_response) roots.add(response);
  }
  for (const ExplicitIsland& island : system.islands) {
    for (const ExplicitSnappingBody& body : island.snapping) roots.add(body.speed);
    add_varying(island, roots);
  }
  for (const ExplicitSettleSpring& spring : system.settle_springs) roots.add(spring.drive);
  for (const ExplicitSettleIsland& island : system.settle_islands) {
    for (const Expr load : island.loads) roots.add(load);
    add_varying(island, roots);
  }
}

}  // namespace

Roots list_roots(const ExplicitSystem& system) {
  Roots roots;
  for (const ExplicitState& state : system.states) roots.add(state.start);
  for (const ExplicitState& state : system.states) roots.add(state.derivative);
  add_margins(system, roots);
  add_decisions(system, roots);
  for (const ExplicitOutput& output : system.outputs) roots.add(output.value);
  for (const ExplicitAssertion& assertion : system.assertions) roots.add(assertion.condition);
  if (system.energy) {
    roots.add(system.energy->stored);
    roots.add(system.energy->supplied);
    for (const auto& [part, power] : system.energy->dissipated) roots.add(power);
  }
  for (const ExplicitFriction& friction : system.frictions) {
    for (const auto& [state, response] : friction.response) roots.add(response);
    if (friction.rest_speed.valid()) roots.add(friction.rest_speed);
    if (friction.decay.valid()) roots.add(friction.decay);
    for (const ExplicitFallingLine& line : friction.falls) {
      roots.add(line.speed);
      roots.add(line.share);
    }
  }
  for (const ExplicitIsland& island : system.islands) {
    for (const ExplicitGramEntry& entry : island.gram) roots.add(entry.value);
    for (const Expr entry : island.creep_gram) roots.add(entry);
    for (const Expr entry : island.drag) roots.add(entry);
  }
  for (const ExplicitStop& stop : system.stops) roots.add(stop.restitution);
  for (const ExplicitSettleSpring& spring : system.settle_springs) {
    roots.add(spring.stiffness);
    roots.add(spring.half_freeplay);
    if (spring.ratio.valid()) roots.add(spring.ratio);
  }
  for (const ExplicitSettleIsland& island : system.settle_islands) {
    for (const Expr entry : island.directions) roots.add(entry);
    for (const Expr start : island.starts) roots.add(start);
    for (const ExplicitGramEntry& entry : island.gram) roots.add(entry.value);
    for (const Expr entry : island.creep_gram) roots.add(entry);
    for (const Expr entry : island.drag) roots.add(entry);
  }
  return roots;
}

namespace {

/// `count` rows with the next roots; the first of them.
using TakeRows = std::function<std::uint32_t(std::size_t count)>;

Friction without_rows(const ExplicitFriction& from) {
  Friction friction;
  friction.name = from.name;
  friction.creep = from.creep;
  friction.slip_state = from.slip_state;
  friction.driven = from.driven;
  friction.velocity_state = from.velocity_state;
  friction.direction_slot = from.direction_slot;
  friction.moving_slot = from.moving_slot;
  friction.indeterminate_slot = from.indeterminate_slot;
  friction.is_shared = from.is_shared;
  friction.sets_relations = from.sets_relations;
  friction.holder_slot = from.holder_slot;
  return friction;
}

// In the order of add_margins.
void place_margins(Program& program, const ExplicitSystem& system, const TakeRows& rows) {
  for (const ExplicitSwitch& s : system.switches) {
    const std::uint32_t row = rows(s.kind == SwitchKind::kZone ? 2 : 1);
    program.switches.push_back({s.kind, row, s.slot, s.name, s.edge_slot, s.is_watched});
  }
  for (const ExplicitFriction& f : system.frictions) {
    program.frictions.push_back(without_rows(f));
    program.frictions.back().slip_row = rows(1);
  }
  for (Friction& friction : program.frictions) friction.reserve_row = rows(2);
  for (std::size_t i = 0; i < system.frictions.size(); ++i) {
    if (system.frictions[i].ahead.valid()) program.frictions[i].ahead_row = rows(2);
  }
  for (const ExplicitStop& stop : system.stops) {
    program.frictions[stop.friction].stop = static_cast<std::uint32_t>(program.stops.size());
    program.stops.push_back({stop.friction, rows(2), 0, stop.on_points});
  }
  for (const ExplicitSettleSpring& from : system.settle_springs) {
    SettleSpring& spring = program.settle_springs.emplace_back();
    spring.name = from.name;
    spring.one_sided = from.one_sided;
    spring.zone_slot = from.zone_slot;
    spring.law = from.law;
    if (from.edge_below.valid()) spring.edge_row = rows(2);
  }
}

// In the order of add_varying.
template <class Explicit, class Island>
void place_varying(const Explicit& from, const TakeRows& rows, Island& island) {
  for (const ExplicitGramEntry& entry : from.varying_gram) {
    island.varying_gram.push_back({entry.i, entry.j, rows(1)});
  }
  for (const ExplicitGramEntry& entry : from.varying_drag) {
    island.varying_drag.push_back({entry.i, entry.j, rows(1)});
  }
}

// In the order of add_decisions.
void place_decisions(Program& program, const ExplicitSystem& system, const TakeRows& rows) {
  for (std::size_t i = 0; i < system.frictions.size(); ++i) {
    Friction& friction = program.frictions[i];
    friction.free_row = rows(1);
    friction.kinetic_row = rows(1);
    const ExplicitFriction& from = system.frictions[i];
    if (from.rate.valid()) friction.rate_row = rows(1);
    if (from.at_rest.valid()) friction.at_rest_row = rows(1);
    if (from.beyond.valid()) friction.beyond_row = rows(1);
    if (from.creep_slip.valid()) friction.creep_slip_row = rows(2);
    if (from.drive.valid()) friction.drive_row = rows(1);
    for (const auto& [state, response] : from.varying_response) {
      friction.response.push_back({state, kNoIndex, rows(1)});
    }
  }
  for (const ExplicitIsland& from : system.islands) {
    FrictionIsland& island = program.islands.emplace_back();
    for (const ExplicitSnappingBody& body : from.snapping) {
      island.snapping.push_back({body.frictions, body.own, body.network, rows(1), body.share_slot});
    }
    place_varying(from, rows, island);
  }
  for (SettleSpring& spring : program.settle_springs) spring.drive_row = rows(1);
  for (const ExplicitSettleIsland& from : system.settle_islands) {
    SettleIsland& island = program.settle_islands.emplace_back();
    island.count = static_cast<std::uint32_t>(from.starts.size());
    island.first_spring = from.first_spring;
    island.springs = from.springs;
    island.first_friction = from.first_friction;
    island.frictions = from.frictions;
    island.load_row = rows(from.loads.size());
    place_varying(from, rows, island);
    island.map_slot = from.map_slot;
    island.offset_slot = from.offset_slot;
    island.bound = from.bound;
    island.given_slot = from.given_slot;
    island.hold_slot = from.hold_slot;
    island.static_slot = from.static_slot;
    island.creep_hold_slot = from.creep_hold_slot;
    island.stresses = from.stresses;
  }
}

}  // namespace

/// Rows begin after the states. Those of margins are neighbours: each step looks at them together.
OutputArray place_watched(Program& program, const ExplicitSystem& system, Roots& roots) {
  OutputArray watched;
  const TakeRows rows = [&](std::size_t count) {
    const auto first = static_cast<std::uint32_t>(program.state_count + watched.size());
    for (std::size_t i = 0; i < count; ++i) watched.push_back(roots.take());
    return first;
  };
  place_margins(program, system, rows);
  place_decisions(program, system, rows);
  program.row_count = static_cast<std::uint32_t>(program.state_count + watched.size());
  return watched;
}

SteadyRoots take_steady(const Program& program, const ExplicitSystem& system, Roots& roots,
                        const std::function<void(TapeId)>& take_constant) {
  const auto take_parametric = [&](std::size_t count, const char* what) {
    OutputArray nodes = roots.take(count);
    for (const TapeId id : nodes) {
      require_parametric(program, id, what);
      take_constant(id);
    }
    return nodes;
  };
  SteadyRoots steady;
  for (const ExplicitFriction& f : system.frictions) {
    steady.responses.push_back(take_parametric(f.response.size(), "a friction's response"));
    const std::size_t single = f.rest_speed.valid() || f.decay.valid() ? 1 : 0;
    const std::size_t falls = single + 2 * f.falls.size();
    steady.falls.push_back(take_parametric(falls, "how a friction falls with speed"));
  }
  for (const ExplicitIsland& island : system.islands) {
    steady.grams.push_back(take_parametric(island.gram.size(), "an entry of G"));
    steady.creep_grams.push_back(take_parametric(island.creep_gram.size(), "an entry of G"));
    steady.drags.push_back(take_parametric(island.drag.size(), "an entry of G"));
  }
  steady.restitutions = take_parametric(system.stops.size(), "a restitution");
  for (const ExplicitSettleSpring& spring : system.settle_springs) {
    const std::size_t count = spring.ratio.valid() ? 3 : 2;
    steady.springs.push_back(take_parametric(count, "a spring's stiffness or freeplay"));
  }
  for (const ExplicitSettleIsland& island : system.settle_islands) {
    steady.directions.push_back(take_parametric(island.directions.size(), "a spring's direction"));
    steady.points.push_back(take_parametric(island.starts.size(), "a start value"));
    steady.settle_grams.push_back(take_parametric(island.gram.size(), "an entry of G"));
    steady.settle_creep_grams.push_back(take_parametric(island.creep_gram.size(), "an entry of G"));
    steady.settle_drags.push_back(take_parametric(island.drag.size(), "an entry of G"));
  }
  return steady;
}

void place_constants(Program& program, const ExplicitSystem& system, const SteadyRoots& steady) {
  for (std::size_t i = 0; i < system.frictions.size(); ++i) {
    for (std::size_t k = 0; k < steady.responses[i].size(); ++k) {
      program.frictions[i].response.push_back({system.frictions[i].response[k].first,
                                               program.constant_of[steady.responses[i][k]],
                                               kNoIndex});
    }
    if (steady.falls[i].empty()) continue;
    const bool decays = system.frictions[i].decay.valid();
    (decays ? program.frictions[i].decay : program.frictions[i].rest_speed) =
        program.constant_of[steady.falls[i][0]];
    for (std::size_t k = 0; k < system.frictions[i].falls.size(); ++k) {
      program.frictions[i].falls.push_back({program.constant_of[steady.falls[i][2 * k + 1]],
                                            program.constant_of[steady.falls[i][2 * k + 2]],
                                            system.frictions[i].falls[k].slot});
    }
  }
  for (std::size_t i = 0; i < system.stops.size(); ++i) {
    program.stops[i].restitution = program.constant_of[steady.restitutions[i]];
  }
  const auto constants_of = [&](const OutputArray& nodes) {
    std::vector<std::uint32_t> indices;
    for (const TapeId id : nodes) indices.push_back(program.constant_of[id]);
    return indices;
  };
  for (std::size_t i = 0; i < system.islands.size(); ++i) {
    const ExplicitIsland& from = system.islands[i];
    FrictionIsland& island = program.islands[i];
    island.bound = from.rate_hold_slot != kNoIndex || from.stresses.count > 0;
    island.first = from.first;
    island.count = from.count;
    const std::vector<std::uint32_t> constant = constants_of(steady.grams[i]);
    for (std::size_t k = 0; k < constant.size(); ++k) {
      island.gram.push_back({from.gram[k].i, from.gram[k].j, constant[k]});
    }
    island.creep_gram = constants_of(steady.creep_grams[i]);
    island.drag = constants_of(steady.drags[i]);
    island.rate_hold_slot = from.rate_hold_slot;
    island.stresses = from.stresses;
    island.hold_slot = from.hold_slot;
    island.kinetic_slot = from.kinetic_slot;
    island.static_slot = from.static_slot;
    island.is_solved = from.is_solved;
    island.share_slot = from.share_slot;
  }
  for (std::size_t i = 0; i < steady.springs.size(); ++i) {
    program.settle_springs[i].stiffness = program.constant_of[steady.springs[i][0]];
    program.settle_springs[i].half_freeplay = program.constant_of[steady.springs[i][1]];
    if (system.settle_springs[i].law == kNoIndex) continue;
    program.settle_springs[i].ratio = program.constant_of[steady.springs[i][2]];
  }
  for (std::size_t i = 0; i < steady.directions.size(); ++i) {
    program.settle_islands[i].directions = constants_of(steady.directions[i]);
    program.settle_islands[i].starts = constants_of(steady.points[i]);
    const std::vector<std::uint32_t> constant = constants_of(steady.settle_grams[i]);
    for (std::size_t k = 0; k < constant.size(); ++k) {
      const ExplicitGramEntry& from = system.settle_islands[i].gram[k];
      program.settle_islands[i].gram.push_back({from.i, from.j, constant[k]});
    }
    program.settle_islands[i].creep_gram = constants_of(steady.settle_creep_grams[i]);
    program.settle_islands[i].drag = constants_of(steady.settle_drags[i]);
  }
}

}  // namespace luztar
