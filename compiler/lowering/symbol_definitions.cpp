#include "compiler/lowering/symbol_definitions.h"

#include "compiler/lowering/friction_forces.h"
#include "compiler/lowering/friction_shares.h"
#include "compiler/mechanics/part_names.h"
#include "compiler/symbolic/operations.h"

namespace luztar {
namespace {

Expr state(Lowering& l, std::uint32_t index) { return l.pool.symbol(SymbolKind::kState, index); }

// The time derivative of a symbol's resolved value, by the rates of the states in it.
SymbolDefinition rate_of(Lowering& l, Symbol s, const Resolver& resolver) {
  const Expr value = resolver.value(s);
  if (!value.valid()) return {Expr{}, {s}};
  return {l.rate_of_states(value), {}};
}

// What q follows is a function of coordinates and time alone: its rates need no values of others.
bool follows_motions(Lowering& l, const Coordinate& c) {
  return c.role == CoordinateRole::kEliminated && c.constrained && !l.is_no_motion(c.position);
}

SymbolDefinition velocity(Lowering& l, CoordinateId q, const Resolver& resolver) {
  const Coordinate& c = l.mechanism.coordinates[q];
  if (is_creep_kernel(l.mechanism, q)) return {held(l, q, l.creep.at(q)), {}};
  if (c.velocity.valid()) return {c.velocity, {}};
  if (follows_motions(l, c)) return {l.rate_of_motion(c.position), {}};
  return rate_of(l, {SymbolKind::kCoordinate, q.value}, resolver);
}

SymbolDefinition acceleration(Lowering& l, CoordinateId q, const Resolver& resolver) {
  const Expr prescribed = l.mechanism.coordinates[q].acceleration;
  if (prescribed.valid()) return {prescribed, {}};
  if (l.mechanism.coordinates[q].role == CoordinateRole::kInertial) {
    const auto it = l.accelerations.find(q);
    if (it == l.accelerations.end()) return {l.pool.zero(), {}};
    return {held(l, q, it->second), {}};
  }
  const Coordinate& c = l.mechanism.coordinates[q];
  if (follows_motions(l, c)) {
    return {l.rate_of_motion(l.rate_of_motion(c.position)), {}};
  }
  return rate_of(l, {SymbolKind::kVelocity, q.value}, resolver);
}

Expr solved_flow(Lowering& l, Symbol s) {
  const auto it = l.flows.find(s);
  if (it != l.flows.end()) return it->second;
  l.indeterminate.insert(s);
  return l.pool.zero();
}

}  // namespace

Expr held(Lowering& l, CoordinateId q, Expr rate) {
  std::vector<Expr> factors{rate};
  const auto slots = l.holding.find(q);
  if (slots != l.holding.end()) {
    for (const std::uint32_t slot : slots->second) factors.push_back(mode_symbol(l, slot));
  }
  return l.pool.mul(std::move(factors));
}

Expr force_of(Lowering& l, ForceTermId id) {
  const ForceTerm& term = l.mechanism.terms[id];
  if (term.status == TermStatus::kRigid) return solved_flow(l, {SymbolKind::kForce, id.value});
  if (term.status == TermStatus::kReplaced) {
    return term.value.valid() ? term.value : share_of_merged(l, id);
  }
  switch (term.kind) {
    case TermKind::kSpring:
      if (const Expr settled = l.settle.spring_force(id); settled.valid()) return settled;
      return l.pool.mul(term.coefficient, strain(l.pool, term));
    case TermKind::kDamper:
      return l.pool.mul(term.coefficient, to_expr(l.pool, term.argument, true));
    case TermKind::kLoad:
      return term.value;
    case TermKind::kFriction:
    case TermKind::kStop:
      break;
  }
  const auto index = l.friction_index.find(id);
  if (index != l.friction_index.end()) return friction_force(l, index->second);
  if (term.kind == TermKind::kStop) return l.pool.zero();  // nothing can push
  // Both sides move as prescribed: the slip velocity is a function of time.
  return l.pool.mul(term.kinetic, l.pool.call(Op::kSign, {term.argument.offset}));
}

Expr value_of_variable(Lowering& l, VariableId v) {
  const VariableId r = l.mechanism.representative[v.value];
  if (r != v) return l.pool.symbol(SymbolKind::kVariable, r.value);
  if (l.mechanism.definitions[r.value].valid()) return l.mechanism.definitions[r.value];
  const auto deferred = l.deferred.find(r);
  if (deferred != l.deferred.end()) return deferred->second;
  return solved_flow(l, {SymbolKind::kVariable, r.value});
}

Expr rate_of_state(Lowering& l, std::uint32_t index) {
  const Symbol s = l.state_symbols[index];
  switch (s.kind) {
    case SymbolKind::kCoordinate:
      return l.pool.symbol(SymbolKind::kVelocity, s.index);
    case SymbolKind::kVelocity:
      return l.pool.symbol(SymbolKind::kAcceleration, s.index);
    default:
      return signal_rate(l, VariableId{s.index});
  }
}

Expr signal_rate(Lowering& l, VariableId z) {
  const auto rate = l.signal_rates.find(z);
  if (rate != l.signal_rates.end()) return rate->second;
  throw InternalError("lowering", "a signal state without a derivative");
}

SymbolDefinition define_symbol(Lowering& l, Symbol s, const Resolver& resolver) {
  const auto own_state = l.state_index.find(s);
  if (own_state != l.state_index.end()) return {state(l, own_state->second), {}};
  switch (s.kind) {
    case SymbolKind::kCoordinate:
      if (is_settled(l.mechanism, CoordinateId{s.index})) {
        return {l.settle.position(CoordinateId{s.index}), {}};
      }
      return {l.mechanism.coordinates[CoordinateId{s.index}].position, {}};
    case SymbolKind::kVelocity:
      return velocity(l, CoordinateId{s.index}, resolver);
    case SymbolKind::kAcceleration:
      return acceleration(l, CoordinateId{s.index}, resolver);
    case SymbolKind::kForce:
      return {force_of(l, ForceTermId{s.index}), {}};
    case SymbolKind::kVariable:
      return {value_of_variable(l, VariableId{s.index}), {}};
    default:
      return {};
  }
}

// Where what it stands for is declared.
Span place_of(const Lowering& l, Symbol s) {
  switch (s.kind) {
    case SymbolKind::kForce:
      return l.flat.parts[l.mechanism.terms[ForceTermId{s.index}].part].span;
    case SymbolKind::kVariable:
      return s.index < l.flat.variables.size() ? l.flat.variables[VariableId{s.index}].span
                                               : Span{};
    case SymbolKind::kCoordinate:
    case SymbolKind::kVelocity:
    case SymbolKind::kAcceleration:
      return l.flat.parts[l.mechanism.coordinates[CoordinateId{s.index}].part].span;
    default:
      return {};
  }
}

void report_circle(Lowering& l, const std::vector<Symbol>& circle) {
  const SymbolNames names = symbol_names(l.mechanism, l.flat);
  std::string list;
  Span span;
  for (const Symbol s : circle) {
    if (!list.empty()) list += " -> ";
    list += s.kind == SymbolKind::kForce
                ? "the force of '" + l.mechanism.terms[ForceTermId{s.index}].name + "'"
                : "'" + names(s) + "'";
    if (!span.valid()) span = place_of(l, s);
  }
  Diagnostic& error = l.diagnostics.error(Code::kAlgebraicLoop, span,
                                          "quantities depend on each other in a circle");
  error.with_note("the circle is " + list + ": each needs the next");
  for (const Symbol s : circle) {
    if (s.kind != SymbolKind::kCoordinate || !is_settled(l.mechanism, CoordinateId{s.index})) {
      continue;
    }
    error.with_note("'" + names(s) +
                    "' has no inertia and no damping: it is where all forces on it"
                    " are in balance, and none of their sizes may depend on it but for springs: "
                    "laws of one deflection made of straight lines");
    break;
  }
  error.with_note("a state in between (a FirstOrder block, an inertia) breaks it");
}

}  // namespace luztar
