#include "compiler/lowering/lower.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "compiler/lowering/flow_solution.h"
#include "compiler/lowering/inertia_solver.h"
#include "compiler/lowering/resolver.h"
#include "compiler/mechanics/parameter_point.h"
#include "compiler/mechanics/part_names.h"
#include "compiler/symbolic/operations.h"

namespace luztar {
namespace {

class Lowering {
 public:
  Lowering(ExprPool& pool, const FlatModel& flat, const ReducedMechanism& reduced,
           Diagnostics& diagnostics)
      : pool_(pool),
        flat_(flat),
        mechanism_(reduced.mechanism),
        diagnostics_(diagnostics),
        inertia_(pool, reduced.mechanism),
        resolver_(
            pool, [this](Symbol s, const Resolver& r) { return definition(s, r); },
            [this](const std::vector<Symbol>& circle) { report_circle(circle); }) {}

  std::optional<ExplicitSystem> run() {
    const std::size_t errors = diagnostics_.error_count();
    check_inertia();
    number_states();
    number_frictions();
    if (diagnostics_.error_count() > errors) return std::nullopt;
    solve_accelerations();
    FlowSolution flows = solve_flows(pool_, flat_, mechanism_);
    flows_ = std::move(flows.values);
    indeterminate_.insert(flows.indeterminate.begin(), flows.indeterminate.end());
    for (const DeferredDefinition& d : mechanism_.deferred) deferred_.emplace(d.variable, d.value);
    write_states();
    write_frictions();
    write_outputs();
    write_assertions();
    if (diagnostics_.error_count() > errors) return std::nullopt;
    check_starts();
    if (diagnostics_.error_count() > errors) return std::nullopt;
    return std::move(system_);
  }

 private:
  // Massless combinations of coordinates that have inertia one by one: no rule takes that limit.
  void check_inertia() {
    for (const auto& [q, pivot] : inertia_.pivots()) {
      const double inertia = nominal_value(pool_, flat_, mechanism_.inertia.at({q, q}));
      if (nominal_value(pool_, flat_, pivot) > 1e-14 * inertia) continue;
      const Coordinate& c = mechanism_.coordinates[q];
      part_error(diagnostics_, flat_, Code::kUnreducible, c.part, {},
                 "'" + c.name + "' can move without moving any inertia")
          .with_note("the rigid connections give more independent motions than bodies with inertia")
          .with_note(
              "give start values to the bodies with inertia only, or an inertia to every body");
    }
  }

  // --- states
  // ---------------------------------------------------------------------------------------------------

  void number_states() {
    for (const CoordinateId q : mechanism_.coordinates.ids()) {
      const Coordinate& c = mechanism_.coordinates[q];
      if (c.role == CoordinateRole::kEliminated) continue;
      add_state({SymbolKind::kCoordinate, q.value}, c.name, c.unit, c.start);
      if (c.role != CoordinateRole::kInertial) continue;
      add_state({SymbolKind::kVelocity, q.value}, c.velocity_name, c.velocity_unit,
                c.start_velocity);
    }
    for (const SignalState& z : mechanism_.signal_states) {
      const bool named = z.variable.value < flat_.variables.size();
      add_state({SymbolKind::kVariable, z.variable.value},
                named ? flat_.variables[z.variable].name : "signal",
                named ? flat_.variables[z.variable].unit : "", z.start);
    }
  }

  void add_state(Symbol symbol, std::string name, std::string unit, Expr start) {
    state_index_.emplace(symbol, static_cast<std::uint32_t>(system_.states.size()));
    state_symbols_.push_back(symbol);
    system_.states.push_back({std::move(name), std::move(unit), start, Expr{}});
  }

  Expr state(std::uint32_t index) { return pool_.symbol(SymbolKind::kState, index); }

  void write_states() {
    for (std::size_t i = 0; i < state_symbols_.size(); ++i) {
      const Symbol s = state_symbols_[i];
      Expr rate;
      switch (s.kind) {
        case SymbolKind::kCoordinate:
          rate = pool_.symbol(SymbolKind::kVelocity, s.index);
          break;
        case SymbolKind::kVelocity:
          rate = pool_.symbol(SymbolKind::kAcceleration, s.index);
          break;
        default:
          rate = signal_rate(VariableId{s.index});
          break;
      }
      system_.states[i].derivative = resolver_.resolve(rate);
    }
  }

  Expr signal_rate(VariableId z) {
    for (const SignalState& signal : mechanism_.signal_states) {
      if (signal.variable == z) return signal.derivative;
    }
    throw InternalError("lowering", "a signal state without a derivative");
  }

  // --- frictions
  // ------------------------------------------------------------------------------------------------

  struct Friction {
    ForceTermId term;
    InertiaSolver::Vector response;  // M^-1 d
    Expr compliance;                 // d M^-1 d
    Expr demand;                     // over symbols
  };

  void number_frictions() {
    std::map<CoordinateId, std::vector<std::size_t>> by_coordinate;
    for (const ForceTermId id : mechanism_.terms.ids()) {
      const ForceTerm& term = mechanism_.terms[id];
      if (term.status != TermStatus::kActive || term.kind != TermKind::kFriction) continue;
      if (term.argument.terms.empty()) continue;
      Friction friction;
      friction.term = id;
      InertiaSolver::Vector row;
      for (const auto& [q, c] : term.argument.terms) {
        if (mechanism_.coordinates[q].role != CoordinateRole::kInertial) {
          throw InternalError("lowering", "friction '" + term.name + "' on a massless coordinate");
        }
        row.emplace(q, c);
      }
      friction.response = inertia_.solve(row);
      friction.compliance = product(term.argument, friction.response);
      check_independent(friction, by_coordinate);
      for (const auto& [q, c] : term.argument.terms) by_coordinate[q].push_back(frictions_.size());
      friction_index_.emplace(id, static_cast<std::uint32_t>(frictions_.size()));
      frictions_.push_back(std::move(friction));
    }
  }

  Expr product(const LinearForm& row, const InertiaSolver::Vector& column) {
    std::vector<Expr> terms;
    for (const auto& [q, c] : row.terms) {
      const auto it = column.find(q);
      if (it != column.end()) terms.push_back(pool_.mul(c, it->second));
    }
    return pool_.add(std::move(terms));
  }

  // Frictions that act on each other's slip need the Gauss kernel: the componentwise clamp is wrong
  // for them.
  void check_independent(const Friction& friction,
                         const std::map<CoordinateId, std::vector<std::size_t>>& by_coordinate) {
    std::set<std::size_t> reported;
    for (const auto& [q, r] : friction.response) {
      const auto others = by_coordinate.find(q);
      if (others == by_coordinate.end()) continue;
      for (const std::size_t i : others->second) {
        const ForceTerm& other = mechanism_.terms[frictions_[i].term];
        const Expr coupling = product(other.argument, friction.response);
        if (std::abs(nominal_value(pool_, flat_, coupling)) <= 1e-14) continue;
        if (!reported.insert(i).second) continue;
        const ForceTerm& term = mechanism_.terms[friction.term];
        part_error(
            diagnostics_, flat_, Code::kCoupledFriction, term.part, term.span,
            "the frictions '" + other.name + "' and '" + term.name + "' can stick to each other")
            .with_label("acts on the slip of '" + other.name + "'")
            .with_note("the other friction is here", flat_.parts[other.part].span)
            .with_note("several frictions on one body are not supported yet");
      }
    }
  }

  // --- accelerations
  // --------------------------------------------------------------------------------------------

  // a0 = M^-1 f without friction; a friction i alone needs (d a0 + e'')/(d M^-1 d) to hold its slip
  // (R9, R10).
  void solve_accelerations() {
    std::map<CoordinateId, std::vector<Expr>> push;
    for (const ForceTermId id : mechanism_.terms.ids()) {
      const ForceTerm& term = mechanism_.terms[id];
      if (term.status != TermStatus::kActive || friction_index_.contains(id)) continue;
      const Expr force = pool_.symbol(SymbolKind::kForce, id.value);
      for (const auto& [q, c] : term.participation.terms) {
        if (mechanism_.coordinates[q].role != CoordinateRole::kInertial) continue;
        push[q].push_back(pool_.neg(pool_.mul(c, force)));
      }
    }
    InertiaSolver::Vector f;
    for (auto& [q, terms] : push) f.emplace(q, pool_.add(std::move(terms)));
    accelerations_ = inertia_.solve(f);
    const InertiaSolver::Vector free = accelerations_;
    for (std::size_t i = 0; i < frictions_.size(); ++i) {
      Friction& friction = frictions_[i];
      const ForceTerm& term = mechanism_.terms[friction.term];
      const Expr shift = time_derivative(pool_, term.argument.offset, [&](Symbol s) {
        return s.kind == SymbolKind::kTime ? pool_.one() : Expr{};
      });
      friction.demand =
          pool_.div(pool_.add(product(term.argument, free), shift), friction.compliance);
      const Expr force = pool_.symbol(SymbolKind::kForce, friction.term.value);
      for (const auto& [q, r] : friction.response) {
        const Expr change = pool_.neg(pool_.mul(r, force));
        const auto [it, fresh] = accelerations_.emplace(q, change);
        if (!fresh) it->second = pool_.add(it->second, change);
      }
    }
  }

  Expr mode(std::uint32_t friction) { return pool_.symbol(SymbolKind::kMode, friction); }

  Expr is_stuck(std::uint32_t friction) {
    return pool_.call(Op::kLess, {pool_.call(Op::kAbs, {mode(friction)}), pool_.constant(0.5)});
  }

  // R9: kinetic friction against the slip, clamp(demand, -T_S, T_S) at zero slip.
  Expr friction_force(std::uint32_t index) {
    const Friction& friction = frictions_[index];
    const ForceTerm& term = mechanism_.terms[friction.term];
    return pool_.if_then_else(is_stuck(index), pool_.nas(friction.demand, term.static_bound),
                              pool_.mul(mode(index), term.kinetic));
  }

  // A friction merged by R5 carries its share: in proportion to the bounds at rest, its own force
  // in slip.
  Expr share_of_merged(const ForceTerm& term) {
    const auto index = friction_index_.find(term.merged_into);
    const Expr whole = pool_.symbol(SymbolKind::kForce, term.merged_into.value);
    const ForceTerm& merged = mechanism_.terms[term.merged_into];
    const Expr at_rest = pool_.mul(whole, pool_.div(term.static_bound, merged.static_bound));
    if (index == friction_index_.end()) return pool_.mul(term.merged_sign, at_rest);
    return pool_.mul(term.merged_sign,
                     pool_.if_then_else(is_stuck(index->second), at_rest,
                                        pool_.mul(mode(index->second), term.kinetic)));
  }

  void write_frictions() {
    for (std::size_t i = 0; i < frictions_.size(); ++i) {
      const Friction& friction = frictions_[i];
      const ForceTerm& term = mechanism_.terms[friction.term];
      ExplicitFriction out;
      out.name = term.name;
      out.slip = resolver_.resolve(to_expr(pool_, term.argument, true));
      out.demand = resolver_.resolve(friction.demand);
      out.static_bound = resolver_.resolve(term.static_bound);
      out.kinetic = resolver_.resolve(term.kinetic);
      for (const auto& [q, r] : friction.response) {
        out.reaction.emplace_back(state_index_.at({SymbolKind::kVelocity, q.value}),
                                  resolver_.resolve(pool_.div(r, friction.compliance)));
      }
      system_.frictions.push_back(std::move(out));
    }
  }

  // --- definitions of symbols
  // -----------------------------------------------------------------------------------

  SymbolDefinition definition(Symbol s, const Resolver& resolver) {
    const auto own_state = state_index_.find(s);
    if (own_state != state_index_.end()) return {state(own_state->second), {}};
    switch (s.kind) {
      case SymbolKind::kCoordinate:
        return {mechanism_.coordinates[CoordinateId{s.index}].position, {}};
      case SymbolKind::kVelocity:
        return velocity(CoordinateId{s.index}, resolver);
      case SymbolKind::kAcceleration:
        return acceleration(CoordinateId{s.index}, resolver);
      case SymbolKind::kForce:
        return {force(ForceTermId{s.index}), {}};
      case SymbolKind::kVariable:
        return {variable(VariableId{s.index}), {}};
      default:
        return {};
    }
  }

  SymbolDefinition velocity(CoordinateId q, const Resolver& resolver) {
    const Coordinate& c = mechanism_.coordinates[q];
    if (c.role == CoordinateRole::kCreep) return {c.velocity, {}};
    return rate_of({SymbolKind::kCoordinate, q.value}, resolver);
  }

  SymbolDefinition acceleration(CoordinateId q, const Resolver& resolver) {
    if (mechanism_.coordinates[q].role == CoordinateRole::kInertial) {
      const auto it = accelerations_.find(q);
      return {it == accelerations_.end() ? pool_.zero() : it->second, {}};
    }
    return rate_of({SymbolKind::kVelocity, q.value}, resolver);
  }

  // The time derivative of a symbol's resolved value, by the rates of the states in it.
  SymbolDefinition rate_of(Symbol s, const Resolver& resolver) {
    const Expr value = resolver.value(s);
    if (!value.valid()) return {Expr{}, {s}};
    return {time_derivative(pool_, value,
                            [&](Symbol base) {
                              if (base.kind == SymbolKind::kTime) return pool_.one();
                              if (base.kind != SymbolKind::kState) return Expr{};
                              return state_rate(state_symbols_[base.index]);
                            }),
            {}};
  }

  Expr state_rate(Symbol s) {
    switch (s.kind) {
      case SymbolKind::kCoordinate:
        return pool_.symbol(SymbolKind::kVelocity, s.index);
      case SymbolKind::kVelocity:
        return pool_.symbol(SymbolKind::kAcceleration, s.index);
      default:
        return signal_rate(VariableId{s.index});
    }
  }

  Expr force(ForceTermId id) {
    const ForceTerm& term = mechanism_.terms[id];
    if (term.status == TermStatus::kRigid) return solved_flow({SymbolKind::kForce, id.value});
    if (term.merged_into.valid()) return share_of_merged(term);
    if (term.status == TermStatus::kReplaced) return term.value;
    switch (term.kind) {
      case TermKind::kSpring:
        return pool_.mul(term.coefficient,
                         pool_.luz(to_expr(pool_, term.argument, false), term.half_freeplay));
      case TermKind::kDamper:
        return pool_.mul(term.coefficient, to_expr(pool_, term.argument, true));
      case TermKind::kLoad:
        return term.value;
      case TermKind::kFriction:
        break;
    }
    const auto index = friction_index_.find(id);
    if (index != friction_index_.end()) return friction_force(index->second);
    // Both sides move as prescribed: the slip velocity is a function of time.
    return pool_.mul(term.kinetic, pool_.call(Op::kSign, {term.argument.offset}));
  }

  Expr variable(VariableId v) {
    const VariableId r = mechanism_.representative[v.value];
    if (r != v) return pool_.symbol(SymbolKind::kVariable, r.value);
    if (mechanism_.definitions[r.value].valid()) return mechanism_.definitions[r.value];
    const auto deferred = deferred_.find(r);
    if (deferred != deferred_.end()) return deferred->second;
    return solved_flow({SymbolKind::kVariable, r.value});
  }

  Expr solved_flow(Symbol s) {
    const auto it = flows_.find(s);
    if (it != flows_.end()) return it->second;
    indeterminate_.insert(s);
    return pool_.zero();
  }

  void report_circle(const std::vector<Symbol>& circle) {
    const SymbolNames names = symbol_names(mechanism_, flat_);
    std::string list;
    Span span;
    for (const Symbol s : circle) {
      if (s.kind == SymbolKind::kForce) {
        const ForceTerm& term = mechanism_.terms[ForceTermId{s.index}];
        list += (list.empty() ? "" : ", ") + ("the force of '" + term.name + "'");
        if (!span.valid()) span = flat_.parts[term.part].span;
      } else {
        list += (list.empty() ? "'" : ", '") + names(s) + "'";
        if (s.kind == SymbolKind::kVariable && s.index < flat_.variables.size() && !span.valid()) {
          span = flat_.variables[VariableId{s.index}].span;
        }
      }
    }
    diagnostics_.error(Code::kAlgebraicLoop, span, "quantities depend on each other in a circle")
        .with_note("the circle is " + list)
        .with_note("a state in between (a FirstOrder block, an inertia) breaks it");
  }

  // --- outputs
  // --------------------------------------------------------------------------------------------------

  void write_outputs() {
    for (const VariableId v : flat_.variables.ids()) {
      const FlatVariable& variable = flat_.variables[v];
      const Expr value = resolver_.resolve(pool_.symbol(SymbolKind::kVariable, v.value));
      if (is_indeterminate(v)) {
        system_.indeterminate.push_back(variable.name);
        continue;
      }
      system_.outputs.push_back({variable.name, variable.unit, OutputKind::kVariable, value});
    }
    for (std::size_t i = 0; i < mechanism_.written_terms; ++i) {
      const ForceTermId id{i};
      const ForceTerm& term = mechanism_.terms[id];
      if (term.origin == TermKind::kFriction) {
        system_.outputs.push_back({term.name + ".mode", "", OutputKind::kFrictionMode,
                                   resolver_.resolve(oriented(term, friction_mode(id)))});
      } else if (term.origin == TermKind::kSpring &&
                 nominal_value(pool_, flat_, term.half_freeplay) > 0) {
        const Expr f = resolver_.resolve(pool_.symbol(SymbolKind::kForce, id.value));
        system_.outputs.push_back({term.name + ".zone", "", OutputKind::kFreeplayZone,
                                   oriented(term, pool_.call(Op::kSign, {f}))});
      }
    }
  }

  Expr oriented(const ForceTerm& term, Expr e) { return term.reversed ? pool_.neg(e) : e; }

  Expr friction_mode(ForceTermId id) {
    const ForceTerm& term = mechanism_.terms[id];
    if (term.merged_into.valid()) {
      return pool_.mul(term.merged_sign, friction_mode_of_whole(term.merged_into));
    }
    return friction_mode_of_whole(id);
  }

  Expr friction_mode_of_whole(ForceTermId id) {
    const auto index = friction_index_.find(id);
    if (index != friction_index_.end()) return mode(index->second);
    const ForceTerm& term = mechanism_.terms[id];
    if (term.mode.valid()) return term.mode;
    return pool_.call(Op::kSign, {to_expr(pool_, term.argument, true)});
  }

  // Unknown itself, or defined by something unknown.
  bool is_indeterminate(VariableId v) {
    if (indeterminate_.empty()) return false;
    std::vector<Symbol> work{{SymbolKind::kVariable, mechanism_.representative[v.value].value}};
    std::set<Symbol> seen;
    while (!work.empty()) {
      const Symbol s = work.back();
      work.pop_back();
      if (!seen.insert(s).second) continue;
      if (indeterminate_.contains(s)) return true;
      const bool followed = s.kind == SymbolKind::kVariable || s.kind == SymbolKind::kForce;
      if (!followed || state_index_.contains(s)) continue;
      const Expr value = s.kind == SymbolKind::kForce ? force(ForceTermId{s.index})
                                                      : variable(VariableId{s.index});
      for (const Symbol next : symbols_of(pool_, value)) work.push_back(next);
    }
    return false;
  }

  void write_assertions() {
    for (const FlatAssertion& assertion : flat_.assertions) {
      system_.assertions.push_back(
          {resolver_.resolve(assertion.condition), assertion.message, assertion.span});
    }
  }

  // --- start values
  // ---------------------------------------------------------------------------------------------

  void check_starts() {
    const SymbolValues parameters = flat_.parameter_values();
    const SymbolValues at_start = [&](Symbol s) {
      if (s.kind == SymbolKind::kState) {
        return evaluate(pool_, system_.states[s.index].start, parameters);
      }
      if (s.kind == SymbolKind::kTime) return flat_.experiment.start;
      if (s.kind == SymbolKind::kMode) return 0.0;
      return parameters(s);
    };
    for (const StartCheck& check : mechanism_.start_checks) {
      const bool solved = depends_on(pool_, check.value, [&](Symbol s) {
        if (s.kind != SymbolKind::kCoordinate && s.kind != SymbolKind::kVelocity) return false;
        const Coordinate& c = mechanism_.coordinates[CoordinateId{s.index}];
        // Positions and velocities that a balance of forces determines have no start value of their
        // own.
        return (c.role == CoordinateRole::kEliminated && !c.constrained) ||
               (c.role == CoordinateRole::kCreep && s.kind == SymbolKind::kVelocity);
      });
      if (solved) continue;
      const FlatVariable& variable = flat_.variables[check.variable];
      const double wanted = evaluate(pool_, variable.start, parameters);
      const double actual = evaluate(pool_, resolver_.resolve(check.value), at_start);
      if (std::abs(wanted - actual) <= 1e-9 * std::max({1.0, std::abs(wanted), std::abs(actual)})) {
        continue;
      }
      diagnostics_
          .error(Code::kInconsistentStart, variable.start_span,
                 "the start value of '" + variable.name +
                     "' contradicts those of rigidly connected parts")
          .with_note("the connections make it " + std::to_string(actual) + ", not " +
                     std::to_string(wanted));
    }
  }

  ExprPool& pool_;
  const FlatModel& flat_;
  const Mechanism& mechanism_;
  Diagnostics& diagnostics_;
  InertiaSolver inertia_;
  Resolver resolver_;
  std::map<Symbol, std::uint32_t> state_index_;
  std::vector<Symbol> state_symbols_;
  std::vector<Friction> frictions_;
  std::map<ForceTermId, std::uint32_t> friction_index_;
  InertiaSolver::Vector accelerations_;
  std::map<Symbol, Expr> flows_;
  std::map<VariableId, Expr> deferred_;
  std::set<Symbol> indeterminate_;
  ExplicitSystem system_;
};

}  // namespace

std::optional<ExplicitSystem> lower(ExprPool& pool, const FlatModel& flat,
                                    const ReducedMechanism& reduced, Diagnostics& diagnostics) {
  return Lowering(pool, flat, reduced, diagnostics).run();
}

}  // namespace luztar
