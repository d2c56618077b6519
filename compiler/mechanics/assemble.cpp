#include "compiler/mechanics/assemble.h"

#include <algorithm>
#include <cmath>

#include "compiler/mechanics/connection_sets.h"
#include "compiler/mechanics/constraints.h"
#include "compiler/mechanics/definitions.h"
#include "compiler/mechanics/floating_pieces.h"
#include "compiler/mechanics/force_system.h"
#include "compiler/mechanics/force_terms.h"
#include "compiler/mechanics/parameter_point.h"
#include "compiler/mechanics/start_values.h"
#include "compiler/mechanics/structure_errors.h"
#include "compiler/mechanics/unconnected.h"
#include "compiler/mechanics/variable_classes.h"
#include "compiler/symbolic/operations.h"

namespace luztar {
namespace {

class Assembler {
 public:
  Assembler(ExprPool& pool, const FlatModel& flat, Diagnostics& diagnostics)
      : pool_(pool), flat_(flat), diagnostics_(diagnostics) {}

  // pre: incidence shows nothing wrong that `errors` do not know
  std::optional<Mechanism> run(const ConnectionSets& connections, PartErrors& errors) {
    const VariableClasses classes = classify_variables(pool_, flat_, connections);
    if (!check_floating_pieces(pool_, flat_, connections, classes, errors)) return std::nullopt;
    errors.next_pass();
    Definitions definitions = define_variables(pool_, flat_, classes);
    const PositionSolution positions =
        solve_constraints(pool_, flat_, classes, definitions, errors);
    errors.next_pass();
    ForceSystem forces =
        solve_forces(pool_, flat_, classes, definitions, positions, connections.balances, errors);
    errors.next_pass();

    mechanism_.representative = classes.representative;
    mechanism_.integral = classes.integral;
    mechanism_.definitions = definitions.value;
    mechanism_.assertions = classes.assertions;
    mechanism_.deferred = std::move(forces.deferred);
    for (const FlowBalance& balance : connections.balances) {
      FlowBalance& out = mechanism_.flow_balances.emplace_back(balance);
      for (auto& [flow, sign] : out.flows) flow = classes.representative[flow.value];
    }
    add_coordinates(classes, positions);
    split_laws(pool_, flat_, classes, definitions, positions, forces, mechanism_, errors);
    mechanism_.written_terms = mechanism_.terms.size();
    add_signal_states(classes, definitions);
    add_start_checks(classes);
    errors.next_pass();
    check_determined(classes, errors);
    check_connected(pool_, flat_, classes, connections, forces, mechanism_, errors);
    return std::move(mechanism_);
  }

 private:
  // Among equal variables the one a part names for itself ("wheel.phi"), else the first.
  VariableId speaking_member(const std::vector<VariableId>& members) const {
    for (const VariableId v : members) {
      if (flat_.variables[v].role == VariableRole::kLocal) return v;
    }
    return members.empty() ? VariableId{} : members.front();
  }

  GivenStart start_of(const VariableClasses& classes, VariableId v) {
    return start_of_class(pool_, flat_, classes.members[v.value], diagnostics_);
  }

  Coordinate coordinate_of(const VariableClasses& classes, VariableId p) {
    Coordinate c;
    c.variable = speaking_member(classes.members[p.value]);
    const FlatVariable& variable = flat_.variables[c.variable];
    c.name = variable.name;
    c.unit = variable.unit;
    c.part = variable.part;
    c.span = variable.span;
    const GivenStart position = start_of(classes, p);
    c.start = position.value;
    c.start_given = position.given;
    c.start_velocity = pool_.zero();
    c.velocity_name = "der(" + c.name + ")";
    const VariableId w = classes.derivative[p.value];
    if (w.valid() && !classes.members[w.value].empty()) {
      const FlatVariable& velocity = flat_.variables[speaking_member(classes.members[w.value])];
      c.velocity_name = velocity.name;
      c.velocity_unit = velocity.unit;
      const GivenStart speed = start_of(classes, w);
      c.start_velocity = speed.value;
      c.start_velocity_given = speed.given;
    }
    return c;
  }

  void add_coordinates(const VariableClasses& classes, const PositionSolution& positions) {
    for (const VariableId p : positions.coordinates) {
      mechanism_.coordinates.push_back(coordinate_of(classes, p));
    }
    for (const Linkage& linkage : positions.linkages) {
      Coordinate& c = mechanism_.coordinates[linkage.coordinate];
      c.role = CoordinateRole::kGuided;
      c.position = linkage.law;
    }
    for (const PrescribedMotion& motion : positions.prescribed) {
      mechanism_.coordinates.push_back(prescribed_coordinate(classes, motion));
    }
    solve_starts(pool_, flat_, classes, positions, diagnostics_, mechanism_);
    for (Coordinate& c : mechanism_.coordinates) integrate_constant_rates(c);
  }

  // A relative motion is a coordinate of the part that prescribes it.
  Coordinate prescribed_coordinate(const VariableClasses& classes, const PrescribedMotion& motion) {
    Coordinate c = coordinate_of(classes, motion.row.front().first);
    if (motion.row.size() > 1) {
      const std::string& part = flat_.parts[motion.part].name;
      c.name = (part.empty() ? flat_.name : part) + ".motion";
      c.velocity_name = "der(" + c.name + ")";
      c.start = c.start_velocity = pool_.zero();
      c.start_given = c.start_velocity_given = StartGiven::kYes;
      for (const auto& [p, factor] : motion.row) {
        const Coordinate end = coordinate_of(classes, p);
        c.start = pool_.add(c.start, pool_.mul(factor, end.start));
        c.start_velocity = pool_.add(c.start_velocity, pool_.mul(factor, end.start_velocity));
      }
    }
    c.part = motion.part;
    c.span = motion.span;
    c.role = CoordinateRole::kPrescribed;
    c.position = motion.law[0];
    c.velocity = motion.law[1];
    c.acceleration = motion.law[2];
    return c;
  }

  // Of a constant speed or acceleration the motion is known without an integration.
  void integrate_constant_rates(Coordinate& c) {
    if (c.role != CoordinateRole::kPrescribed || c.position.valid()) return;
    const Expr elapsed = pool_.sub(pool_.time(), pool_.constant(flat_.experiment.start));
    if (c.velocity.valid()) {
      if (!is_parametric(pool_, c.velocity)) return;
      c.position = pool_.add(c.start, pool_.mul(c.velocity, elapsed));
    } else if (is_parametric(pool_, c.acceleration)) {
      const Expr gained = pool_.mul(c.acceleration, elapsed);
      c.velocity = pool_.add(c.start_velocity, gained);
      const Expr mean = pool_.add(c.start_velocity, pool_.mul(pool_.constant(0.5), gained));
      c.position = pool_.add(c.start, pool_.mul(mean, elapsed));
    }
  }

  void add_signal_states(const VariableClasses& classes, const Definitions& definitions) {
    for (const VariableId z : definitions.signal_states) {
      SignalState state{z, pool_.zero(), Expr{}};
      state.start = start_of(classes, z).value;
      const VariableId rate = classes.derivative[z.value];
      const Expr known = mechanism_.definitions[rate.value];
      state.derivative = known.valid() ? known : pool_.symbol(SymbolKind::kVariable, rate.value);
      mechanism_.signal_states.push_back(state);
    }
  }

  void add_start_checks(const VariableClasses& classes) {
    const auto only = [&](Expr e, SymbolKind kind) {
      return !depends_on(pool_, e, [&](Symbol s) {
        return s.kind != kind && s.kind != SymbolKind::kParameter && s.kind != SymbolKind::kTime;
      });
    };
    for (std::uint32_t i = 0; i < classes.count(); ++i) {
      const VariableId v{i};
      if (classes.representative[i] != v || !mechanism_.definitions[i].valid()) continue;
      const Expr value = mechanism_.definitions[i];
      const bool position = only(value, SymbolKind::kCoordinate);
      if (!position && !only(value, SymbolKind::kVelocity)) continue;
      for (const VariableId member : classes.members[i]) {
        if (flat_.variables[member].start_given == StartGiven::kYes) {
          mechanism_.start_checks.push_back({member, value, !position});
        }
      }
    }
  }

  // Every variable must be a motion, follow from motions, be a flow, or follow from forces.
  void check_determined(const VariableClasses& classes, const PartErrors& errors) {
    std::vector<char> determined(classes.count(), 0);
    for (const DeferredDefinition& definition : mechanism_.deferred) {
      determined[definition.variable.value] = 1;
    }
    for (std::uint32_t i = 0; i < classes.count(); ++i) {
      if (classes.representative[i].value != i) continue;
      if (mechanism_.definitions[i].valid() || classes.flow[i] || classes.position[i]) continue;
      if (determined[i]) continue;
      const VariableId named = speaking_member(classes.members[i]);
      const VariableId base = classes.integral[i];
      const VariableId owner =
          named.valid() || !base.valid() ? named : speaking_member(classes.members[base.value]);
      if (owner.valid() && errors.is_silent(owner)) continue;
      const std::string name = quoted_name(classes, VariableId{i});
      const Span span =
          named.valid() ? flat_.variables[named].span : use_of(classes, VariableId{i});
      Diagnostic& error =
          diagnostics_.error(Code::kUnderdetermined, span, "no equation determines " + name);
      if (base.valid() && !is_signal_state(base)) {
        error
            .with_note("it is the derivative of " + quoted_name(classes, base) +
                       "; forces and accelerations may jump and have no derivative")
            .with_note(
                "let a Blocks.FirstOrder follow them: the derivative of its output is known");
      } else {
        error.with_note(
            "every variable of a part needs one equation; flanges get theirs by connect");
      }
    }
  }

  bool is_signal_state(VariableId v) const {
    return std::any_of(mechanism_.signal_states.begin(), mechanism_.signal_states.end(),
                       [&](const SignalState& z) { return z.variable == v; });
  }

  // Where a derivative that no variable names is written.
  Span use_of(const VariableClasses& classes, VariableId v) const {
    const auto holds_it = [&](Expr e) {
      return depends_on(pool_, e, [&](Symbol s) {
        return s.kind == SymbolKind::kVariable && s.index == v.value;
      });
    };
    for (const WorkEquation& equation : classes.equations) {
      if (holds_it(equation.residual)) return equation.span;
    }
    for (std::size_t i = 0; i < classes.assertions.size(); ++i) {
      if (holds_it(classes.assertions[i])) return flat_.assertions[i].span;
    }
    return {};
  }

  std::string quoted_name(const VariableClasses& classes, VariableId v) const {
    const VariableId named = speaking_member(classes.members[v.value]);
    return named.valid() ? "'" + flat_.variables[named].name + "'" : derivative_name(classes, v);
  }

  std::string derivative_name(const VariableClasses& classes, VariableId v) const {
    const VariableId base = classes.integral[v.value];
    if (!base.valid()) return "a derivative";
    const VariableId named = speaking_member(classes.members[base.value]);
    return named.valid() ? "der(" + flat_.variables[named].name + ")" : "a derivative";
  }

  ExprPool& pool_;
  const FlatModel& flat_;
  Diagnostics& diagnostics_;
  Mechanism mechanism_;
};

}  // namespace

std::optional<Mechanism> assemble(ExprPool& pool, const FlatModel& flat, Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.error_count();
  PartErrors errors(pool, flat, diagnostics);
  const ConnectionSets connections = connection_sets(flat);
  check_given_forces(pool, flat, connections, errors);
  errors.next_pass();
  const Structure structure = analyze_structure(pool, flat);
  report_deficits(pool, flat, structure, errors);
  report_surplus(pool, flat, structure, errors);
  errors.next_pass();
  std::optional<Mechanism> mechanism =
      structure.surplus.empty() && structure.deficits.empty()
          ? Assembler(pool, flat, diagnostics).run(connections, errors)
          : Assembler(pool, balanced(pool, flat, structure), diagnostics).run(connections, errors);
  if (diagnostics.error_count() > before) return std::nullopt;
  return mechanism;
}

}  // namespace luztar
