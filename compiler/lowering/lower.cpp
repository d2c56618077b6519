#include "compiler/lowering/lower.h"

#include "compiler/lowering/accelerations.h"
#include "compiler/lowering/falling_forces.h"
#include "compiler/lowering/flow_checks.h"
#include "compiler/lowering/friction_bounds.h"
#include "compiler/lowering/friction_islands.h"
#include "compiler/lowering/held_accelerations.h"
#include "compiler/lowering/mode_form.h"
#include "compiler/lowering/outputs.h"
#include "compiler/lowering/prescribed_stops.h"
#include "compiler/lowering/start_checks.h"
#include "compiler/lowering/symbol_definitions.h"
#include "compiler/mechanics/parameter_point.h"
#include "compiler/mechanics/part_names.h"
#include "compiler/symbolic/operations.h"

namespace luztar {
namespace {

/// The part of M that belongs to second-order coordinates.
SymmetricMatrix inertia_of(const Mechanism& mechanism) {
  SymmetricMatrix result;
  for (const auto& [key, value] : mechanism.inertia) {
    const auto inertial = [&](CoordinateId q) {
      return mechanism.coordinates[q].role == CoordinateRole::kInertial;
    };
    if (inertial(key.first) && inertial(key.second)) result.emplace(key, value);
  }
  return result;
}

/// Damping of the coordinates whose velocities kernel A gives.
SymmetricMatrix damping_of(ExprPool& pool, const Mechanism& mechanism) {
  SymmetricMatrix result;
  for (const ForceTerm& term : mechanism.terms) {
    if (term.status != TermStatus::kActive || term.kind != TermKind::kDamper) continue;
    for (const auto& [i, ci] : term.participation.terms) {
      if (!is_creep_kernel(mechanism, i)) continue;
      for (const auto& [j, cj] : term.argument.terms) {
        if (j < i || !is_creep_kernel(mechanism, j)) continue;
        const Expr c = pool.mul({term.coefficient, ci, cj});
        const auto [it, fresh] = result.emplace(std::pair{i, j}, c);
        if (!fresh) it->second = pool.add(it->second, c);
      }
    }
  }
  return result;
}

// Massless combinations of coordinates that have inertia one by one: no rule takes that limit.
void check_inertia(Lowering& l) {
  PointEvaluator value(l.pool, values_at_parameters(l.pool, l.flat));
  for (const auto& [q, pivot] : l.inertia.pivots()) {
    const double inertia = value(l.mechanism.inertia.at({q, q}));
    if (value(pivot) > 1e-14 * inertia) continue;
    const Coordinate& c = l.mechanism.coordinates[q];
    part_error(l.diagnostics, l.flat, Code::kUnreducible, c.part, {},
               "'" + c.name + "' can move without moving any inertia")
        .with_note("the rigid connections give more independent motions than bodies with inertia")
        .with_note(
            "give start values to the bodies with inertia only, or an inertia to every body");
  }
}

void add_state(Lowering& l, Symbol symbol, std::string name, std::string unit, Expr start) {
  l.state_index.emplace(symbol, static_cast<std::uint32_t>(l.system.states.size()));
  l.state_symbols.push_back(symbol);
  l.system.states.push_back({std::move(name), std::move(unit), start, Expr{}});
}

void number_states(Lowering& l) {
  for (const CoordinateId q : l.mechanism.coordinates.ids()) {
    const Coordinate& c = l.mechanism.coordinates[q];
    if (!is_state(c, MotionOrder::kPosition)) continue;
    add_state(l, {SymbolKind::kCoordinate, q.value}, c.name, c.unit, c.start);
    if (!is_state(c, MotionOrder::kVelocity)) continue;
    add_state(l, {SymbolKind::kVelocity, q.value}, c.velocity_name, c.velocity_unit,
              c.start_velocity);
  }
  for (const SignalState& z : l.mechanism.signal_states) {
    const bool named = z.variable.value < l.flat.variables.size();
    add_state(l, {SymbolKind::kVariable, z.variable.value},
              named ? l.flat.variables[z.variable].name : "signal",
              named ? l.flat.variables[z.variable].unit : "", z.start);
    l.signal_rates.emplace(z.variable, z.derivative);
  }
}

void write_states(Lowering& l) {
  for (std::uint32_t i = 0; i < l.state_symbols.size(); ++i) {
    l.system.states[i].derivative = l.resolver.resolve(rate_of_state(l, i));
  }
}

void take_flows(Lowering& l) {
  FlowSolution flows = solve_flows(l.pool, l.flat, l.mechanism);
  l.flows = std::move(flows.values);
  l.flow_checks = std::move(flows.checks);
  l.indeterminate.insert(flows.indeterminate.begin(), flows.indeterminate.end());
  for (const DeferredDefinition& d : l.mechanism.deferred) l.deferred.emplace(d.variable, d.value);
}

}  // namespace

Lowering::Lowering(ExprPool& p, const FlatModel& f, const ReducedMechanism& reduced, Diagnostics& d)
    : pool(p),
      flat(f),
      mechanism(reduced.mechanism),
      written(reduced.written),
      diagnostics(d),
      nominal(p, f),
      rate_of_motion(p, motion_rates(p)),
      rate_of_states(p,
                     [this](Symbol s) {
                       return s.kind == SymbolKind::kState ? rate_of_state(*this, s.index) : Expr{};
                     }),
      is_no_motion(p,
                   [](Symbol s) {
                     return s.kind != SymbolKind::kCoordinate && s.kind != SymbolKind::kTime &&
                            s.kind != SymbolKind::kParameter;
                   }),
      inertia(p, inertia_of(mechanism)),
      damping(p, damping_of(p, mechanism)),
      settle(p, mechanism),
      resolver(
          p, [this](Symbol s, const Resolver& r) { return define_symbol(*this, s, r); },
          [this](const std::vector<Symbol>& circle) { report_circle(*this, circle); }) {}

std::optional<ExplicitSystem> lower(ExprPool& pool, const FlatModel& flat,
                                    const ReducedMechanism& reduced, Diagnostics& diagnostics) {
  const std::size_t errors = diagnostics.error_count();
  Lowering l(pool, flat, reduced, diagnostics);
  check_inertia(l);
  number_states(l);
  number_islands(l);
  add_settle_islands(l);
  number_slip_states(l);
  if (diagnostics.error_count() > errors) return std::nullopt;
  solve_creep(l);
  write_falling_forces(l);
  solve_accelerations(l);
  refine_accelerations(l);
  take_flows(l);
  write_states(l);
  write_frictions(l);
  write_outputs(l);
  write_assertions(l);
  watch_friction_bounds(l);
  watch_prescribed_stops(l);
  write_energy(l);
  if (diagnostics.error_count() > errors) return std::nullopt;
  check_starts(l);
  if (diagnostics.error_count() > errors) return std::nullopt;
  check_flows(l);
  if (diagnostics.error_count() > errors) return std::nullopt;
  write_in_modes(l);
  return std::move(l.system);
}

}  // namespace luztar
