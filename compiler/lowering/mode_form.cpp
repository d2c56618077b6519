#include "compiler/lowering/mode_form.h"

#include <set>
#include <span>
#include <tuple>
#include <vector>

#include "compiler/lowering/switches.h"

namespace luztar {
namespace {

// Island: ExplicitIsland or ExplicitSettleIsland.
template <class Island>
void write_varying(Island& island, SwitchRewriter& rewriter) {
  for (auto* entries : {&island.varying_gram, &island.varying_drag}) {
    for (ExplicitGramEntry& entry : *entries) {
      entry.value = rewriter.rewrite(entry.value, Edges::kOfMotion);
    }
  }
}

// Massless bodies on springs jump with their loads, and so does what the springs store: at events,
// also where no motion depends on it.
void note_jumps(Lowering& l, Expr stored, SwitchRewriter& rewriter) {
  for (const Expr e : topological_order(l.pool, std::span(&stored, 1))) {
    if (!rewriter.jumps(e)) continue;
    const bool moves = depends_on(l.pool, e, [](Symbol s) { return s.kind == SymbolKind::kState; });
    if (!moves) std::ignore = rewriter.rewrite(e, Edges::kOfMotion);
  }
}

// What a switch watches may be zero throughout the mode beyond an edge of another.
void note_watched(Lowering& l) {
  std::vector<Expr> watched;
  for (const ExplicitSwitch& s : l.system.switches) {
    watched.push_back(s.watched);
    if (s.upper.valid()) watched.push_back(s.upper);
  }
  std::set<std::uint32_t> slots;
  for (const Expr e : topological_order(l.pool, watched)) {
    const bool is_mode = l.pool.is_symbol(e) && l.pool[e].symbol.kind == SymbolKind::kMode;
    if (is_mode) slots.insert(l.pool[e].symbol.index);
  }
  for (ExplicitSwitch& s : l.system.switches) s.is_watched = slots.contains(s.slot);
}

}  // namespace

void write_in_modes(Lowering& l) {
  SwitchRewriter rewriter(l.pool, l.system, l.nominal, [&](Symbol s) {
    if (s.kind == SymbolKind::kState) return l.system.states[s.index].name;
    if (s.kind == SymbolKind::kParameter) return l.flat.parameters[ParameterId{s.index}].name;
    return std::string(s.kind == SymbolKind::kTime ? "time" : "mode");
  });
  for (ExplicitState& state : l.system.states) {
    state.derivative = rewriter.rewrite(state.derivative, Edges::kOfMotion);
  }
  for (ExplicitFriction& friction : l.system.frictions) {
    for (Expr* e :
         {&friction.slip, &friction.free, &friction.rate, &friction.creep_slip, &friction.body_slip,
          &friction.drive, &friction.reserve_below, &friction.reserve_above, &friction.kinetic,
          &friction.at_rest, &friction.beyond, &friction.ahead, &friction.end}) {
      if (e->valid()) *e = rewriter.rewrite(*e, Edges::kOfMotion);
    }
    for (auto& [state, response] : friction.varying_response) {
      response = rewriter.rewrite(response, Edges::kOfMotion);
    }
  }
  for (ExplicitIsland& island : l.system.islands) {
    for (ExplicitSnappingBody& body : island.snapping) {
      body.speed = rewriter.rewrite(body.speed, Edges::kOfMotion);
    }
    write_varying(island, rewriter);
  }
  for (ExplicitSettleSpring& spring : l.system.settle_springs) {
    for (Expr* e : {&spring.drive, &spring.edge_below, &spring.edge_above}) {
      if (e->valid()) *e = rewriter.rewrite(*e, Edges::kOfMotion);
    }
  }
  for (ExplicitSettleIsland& island : l.system.settle_islands) {
    for (Expr& load : island.loads) load = rewriter.rewrite(load, Edges::kOfMotion);
    write_varying(island, rewriter);
  }
  for (ExplicitStop& stop : l.system.stops) {
    stop.gap_below = rewriter.rewrite(stop.gap_below, Edges::kOfMotion);
    stop.gap_above = rewriter.rewrite(stop.gap_above, Edges::kOfMotion);
  }
  if (l.system.energy) {
    ExplicitEnergy& energy = *l.system.energy;
    // What drives a prescribed motion may have edges that nothing else has: the power is
    // integrated between them.
    std::ignore = rewriter.rewrite(energy.supplied, Edges::kOfMotion);
    note_jumps(l, energy.stored, rewriter);
    energy.supplied = rewriter.rewrite(energy.supplied, Edges::kKnown);
    energy.stored = rewriter.rewrite(energy.stored, Edges::kKnown);
    for (auto& [part, power] : energy.dissipated) power = rewriter.rewrite(power, Edges::kKnown);
  }
  for (ExplicitAssertion& assertion : l.system.assertions) {
    assertion.condition = rewriter.rewrite(assertion.condition, Edges::kOfResult);
    for (ExplicitOperand& operand : assertion.operands) {
      operand.value = rewriter.rewrite(operand.value, Edges::kKnown);
    }
  }
  for (ExplicitOutput& output : l.system.outputs) {
    output.value = rewriter.rewrite(output.value, Edges::kOfResult);
  }
  note_watched(l);
}

}  // namespace luztar
