#include "compiler/lowering/outputs.h"

#include <set>

#include "compiler/lowering/energy_terms.h"
#include "compiler/lowering/friction_forces.h"
#include "compiler/lowering/friction_shares.h"
#include "compiler/lowering/symbol_definitions.h"
#include "compiler/symbolic/operations.h"

namespace luztar {
namespace {

Expr oriented(Lowering& l, const ForceTerm& term, Expr e) {
  return term.reversed ? l.pool.neg(e) : e;
}

// Unknown itself, or defined by something unknown.
bool is_indeterminate(Lowering& l, VariableId v) {
  if (l.indeterminate.empty()) return false;
  std::vector<Symbol> work{{SymbolKind::kVariable, l.mechanism.representative[v.value].value}};
  std::set<Symbol> seen;
  while (!work.empty()) {
    const Symbol s = work.back();
    work.pop_back();
    if (!seen.insert(s).second) continue;
    if (l.indeterminate.contains(s)) return true;
    const bool followed = s.kind == SymbolKind::kVariable || s.kind == SymbolKind::kForce;
    if (!followed || l.state_index.contains(s)) continue;
    const Expr value = s.kind == SymbolKind::kForce ? force_of(l, ForceTermId{s.index})
                                                    : value_of_variable(l, VariableId{s.index});
    for (const Symbol next : symbols_of(l.pool, value)) work.push_back(next);
  }
  return false;
}

/// 1 where the force of a friction is one of many; invalid where that cannot be.
Expr indeterminacy(Lowering& l, ForceTermId id) {
  const ForceTermId whole = whole_of(l, id).term;
  const Expr shared = is_shared(l, whole) ? l.resolver.resolve(is_one_of_many(l, id)) : Expr{};
  const auto index = l.friction_index.find(whole);
  const std::uint32_t slot = index == l.friction_index.end()
                                 ? kNoIndex
                                 : l.system.frictions[index->second].indeterminate_slot;
  if (slot == kNoIndex) return shared;
  const Expr among_others = mode_symbol(l, slot);
  return shared.valid() ? l.pool.if_then_else(among_others, among_others, shared) : among_others;
}

/// What a failed assertion shows: the first of the quantities in its condition.
std::vector<ExplicitOperand> operands_of(Lowering& l, const FlatAssertion& assertion) {
  constexpr std::size_t kMost = 8;
  std::vector<ExplicitOperand> operands;
  for (const Symbol s : symbols_of(l.pool, assertion.condition)) {
    if (operands.size() == kMost) break;
    if (s.kind == SymbolKind::kVariable) {
      const VariableId v{s.index};
      const FlatVariable& variable = l.flat.variables[v];
      if (is_indeterminate(l, v)) continue;
      operands.push_back({variable.name, variable.unit, variable.type == ScalarType::kBoolean,
                          l.resolver.resolve(l.pool.symbol(s.kind, s.index)), variable.span});
    } else if (s.kind == SymbolKind::kParameter) {
      const FlatParameter& parameter = l.flat.parameters[ParameterId{s.index}];
      operands.push_back({parameter.name, parameter.unit, parameter.type == ScalarType::kBoolean,
                          l.pool.symbol(s.kind, s.index), parameter.span});
    }
  }
  return operands;
}

}  // namespace

void write_outputs(Lowering& l) {
  for (const VariableId v : l.flat.variables.ids()) {
    const FlatVariable& variable = l.flat.variables[v];
    const Expr value = l.resolver.resolve(l.pool.symbol(SymbolKind::kVariable, v.value));
    if (is_indeterminate(l, v)) {
      l.system.indeterminate.push_back(variable.name);
      continue;
    }
    l.system.outputs.push_back({variable.name, variable.unit, OutputKind::kVariable, value});
  }
  for (std::size_t i = 0; i < l.mechanism.written_terms; ++i) {
    const ForceTermId id{i};
    const ForceTerm& term = l.mechanism.terms[id];
    if (term.origin == TermKind::kFriction) {
      l.system.outputs.push_back({term.name + ".mode", "", OutputKind::kFrictionMode,
                                  l.resolver.resolve(oriented(l, term, friction_mode(l, id)))});
      if (const Expr flag = indeterminacy(l, id); flag.valid()) {
        l.system.outputs.push_back(
            {term.name + ".indeterminate", "", OutputKind::kIndeterminate, flag});
      }
    } else if (term.origin == TermKind::kStop) {
      const auto index = l.friction_index.find(id);
      if (index == l.friction_index.end()) continue;
      l.system.outputs.push_back(
          {term.name + ".zone", "", OutputKind::kFreeplayZone,
           oriented(l, term, mode_symbol(l, l.system.frictions[index->second].direction_slot))});
    } else if (term.origin == TermKind::kSpring && l.nominal.value(term.half_freeplay) > 0) {
      if (const Expr zone = l.settle.zone(id); zone.valid()) {
        l.system.outputs.push_back(
            {term.name + ".zone", "", OutputKind::kFreeplayZone, oriented(l, term, zone)});
        continue;
      }
      const Expr f = l.resolver.resolve(l.pool.symbol(SymbolKind::kForce, id.value));
      l.system.outputs.push_back({term.name + ".zone", "", OutputKind::kFreeplayZone,
                                  oriented(l, term, l.pool.call(Op::kSign, {f}))});
    }
  }
}

void write_assertions(Lowering& l) {
  for (std::size_t i = 0; i < l.flat.assertions.size(); ++i) {
    const FlatAssertion& assertion = l.flat.assertions[i];
    l.system.assertions.push_back({l.resolver.resolve(l.mechanism.assertions[i]), assertion.message,
                                   assertion.span, operands_of(l, assertion)});
  }
}

void write_energy(Lowering& l) {
  const EnergyTerms terms =
      energy_terms(l.pool, l.flat, l.mechanism.coordinates, l.written, l.signal_rates);
  ExplicitEnergy& energy = l.system.energy.emplace();
  energy.stored = l.resolver.resolve(terms.stored);
  energy.supplied = l.resolver.resolve(terms.supplied);
  for (const auto& [part, power] : terms.dissipated) {
    energy.dissipated.emplace_back(part, l.resolver.resolve(power));
  }
}

}  // namespace luztar
