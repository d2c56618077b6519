#include "compiler/lowering/lower.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include "compiler/lowering/energy_terms.h"
#include "compiler/lowering/flow_solution.h"
#include "compiler/lowering/friction_groups.h"
#include "compiler/lowering/resolver.h"
#include "compiler/lowering/settle_islands.h"
#include "compiler/lowering/switches.h"
#include "compiler/lowering/symmetric_solver.h"
#include "compiler/lowering/varying_island.h"
#include "compiler/mechanics/parameter_point.h"
#include "compiler/mechanics/part_names.h"
#include "compiler/mechanics/structure.h"
#include "compiler/mechanics/union_find.h"
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

class Lowering {
 public:
  Lowering(ExprPool& pool, const FlatModel& flat, const ReducedMechanism& reduced,
           Diagnostics& diagnostics)
      : pool_(pool),
        flat_(flat),
        mechanism_(reduced.mechanism),
        written_(reduced.written),
        diagnostics_(diagnostics),
        inertia_(pool, inertia_of(reduced.mechanism)),
        damping_(pool, damping_of(pool, reduced.mechanism)),
        settle_(pool, reduced.mechanism),
        resolver_(
            pool, [this](Symbol s, const Resolver& r) { return definition(s, r); },
            [this](const std::vector<Symbol>& circle) { report_circle(circle); }) {}

  std::optional<ExplicitSystem> run() {
    const std::size_t errors = diagnostics_.error_count();
    check_inertia();
    number_states();
    number_islands();
    add_settle_islands();
    number_slip_states();
    if (diagnostics_.error_count() > errors) return std::nullopt;
    solve_creep();
    solve_accelerations();
    FlowSolution flows = solve_flows(pool_, flat_, mechanism_);
    flows_ = std::move(flows.values);
    flow_checks_ = std::move(flows.checks);
    indeterminate_.insert(flows.indeterminate.begin(), flows.indeterminate.end());
    for (const DeferredDefinition& d : mechanism_.deferred) deferred_.emplace(d.variable, d.value);
    write_states();
    write_frictions();
    write_outputs();
    write_assertions();
    write_energy();
    if (diagnostics_.error_count() > errors) return std::nullopt;
    check_starts();
    if (diagnostics_.error_count() > errors) return std::nullopt;
    check_flows();
    if (diagnostics_.error_count() > errors) return std::nullopt;
    write_in_modes();
    return std::move(system_);
  }

 private:
  // Massless combinations of coordinates that have inertia one by one: no rule takes that limit.
  void check_inertia() {
    const SymbolValues parameters = flat_.parameter_values();
    const SymbolValues generic = generic_values(pool_, flat_, 1);
    const SymbolValues values = [&](Symbol s) {
      return s.kind == SymbolKind::kParameter ? parameters(s) : generic(s);
    };
    for (const auto& [q, pivot] : inertia_.pivots()) {
      const double inertia = evaluate(pool_, mechanism_.inertia.at({q, q}), values);
      if (evaluate(pool_, pivot, values) > 1e-14 * inertia) continue;
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
      if (!is_state(c, MotionOrder::kPosition)) continue;
      add_state({SymbolKind::kCoordinate, q.value}, c.name, c.unit, c.start);
      if (!is_state(c, MotionOrder::kVelocity)) continue;
      add_state({SymbolKind::kVelocity, q.value}, c.velocity_name, c.velocity_unit,
                c.start_velocity);
    }
    for (const SignalState& z : mechanism_.signal_states) {
      const bool named = z.variable.value < flat_.variables.size();
      add_state({SymbolKind::kVariable, z.variable.value},
                named ? flat_.variables[z.variable].name : "signal",
                named ? flat_.variables[z.variable].unit : "", z.start);
      signal_rates_.emplace(z.variable, z.derivative);
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
    const auto rate = signal_rates_.find(z);
    if (rate != signal_rates_.end()) return rate->second;
    throw InternalError("lowering", "a signal state without a derivative");
  }

  // --- frictions
  // ------------------------------------------------------------------------------------------------

  using Kernel = FrictionKernel;

  struct Friction : GroupedFriction {
    Expr free;  // rate of the slip, or slip, without friction; over symbols
    Expr rate;  // of a bound group: rate of the slip without its frictions
  };

  // Islands of frictions that act on each other, with contiguous numbers and slots for their modes.
  void number_islands() {
    FrictionGroups grouped = group_frictions(pool_, flat_, mechanism_, inertia_, damping_);
    for (GroupedFriction& friction : grouped.frictions) add_friction(std::move(friction));
    for (FrictionGroup& group : grouped.groups) {
      ExplicitIsland island;
      island.first = static_cast<std::uint32_t>(group.first);
      island.count = static_cast<std::uint32_t>(group.count);
      island.gram = std::move(group.gram);
      island.creep_gram = std::move(group.creep_gram);
      island.drag = std::move(group.drag);
      island.varying = !std::all_of(island.gram.begin(), island.gram.end(),
                                    [&](Expr g) { return is_parametric(pool_, g); });
      if (island.varying && group.bound) report_varying(island);
      island_of_.resize(group.first + group.count, system_.islands.size());
      for (std::size_t i = group.first; group.singular && i < group.first + group.count; ++i) {
        system_.frictions[i].indeterminate_slot = system_.slots++;
      }
      const auto take = [&](std::uint32_t& slot) {
        slot = system_.slots;
        system_.slots += island.varying ? island.count : island.count * island.count;
      };
      take(island.hold_slot);
      take(island.kinetic_slot);
      take(island.static_slot);
      if (group.bound) take(island.rate_hold_slot);
      if (island.varying && group.singular) take(island.share_slot);
      system_.islands.push_back(std::move(island));
    }
  }

  // What frictions in series through massless bodies hold is decided on two time scales, for which
  // a mode has constant entries.
  void report_varying(const ExplicitIsland& island) {
    const Friction& first = frictions_[island.first];
    std::string names;
    for (std::uint32_t i = island.first; i < island.first + island.count; ++i) {
      names += (names.empty() ? "'" : ", '") + mechanism_.terms[frictions_[i].term].name + "'";
    }
    const ForceTerm& term = mechanism_.terms[first.term];
    part_error(diagnostics_, flat_, Code::kNonlinearConstraint, term.part, term.span,
               "the frictions " + names + " hold bodies together through a linkage")
        .with_note(
            "some of them act in series on a body without inertia, and how a force on one moves "
            "the others changes with the position")
        .with_note(
            "give that body an inertia, or let frictions act on bodies that a spring separates "
            "from the linkage");
  }

  void add_friction(GroupedFriction friction) {
    friction_index_.emplace(friction.term, static_cast<std::uint32_t>(frictions_.size()));
    ExplicitFriction out;
    out.creep = friction.kernel == Kernel::kCreep;
    out.direction_slot = system_.slots++;
    out.moving_slot = system_.slots++;
    system_.frictions.push_back(std::move(out));
    frictions_.push_back({std::move(friction), {}, {}});
  }

  // Frictions on points that kernel B settles come after all others.
  void add_settle_islands() {
    const auto first = static_cast<std::uint32_t>(frictions_.size());
    for (const ForceTermId id : settle_.frictions()) {
      add_friction({id, Kernel::kSettle, false, {}, {}});
    }
    settle_.number(system_, first);
  }

  // A slip velocity that is a multiple of one velocity is exactly zero when that is.
  bool is_own_velocity(const ForceTerm& term) {
    return term.argument.terms.size() == 1 && pool_.is_zero(velocity_of(term).offset);
  }

  // The row of the slip velocity: of a stop, the rate of its distance.
  LinearForm velocity_of(const ForceTerm& term) {
    if (term.kind != TermKind::kStop) return term.argument;
    return {term.argument.terms, rate_of_motion(pool_, term.argument.offset)};
  }

  void number_slip_states() {
    for (std::size_t i = 0; i < frictions_.size(); ++i) {
      if (frictions_[i].kernel == Kernel::kSettle) continue;
      const ForceTerm& term = mechanism_.terms[frictions_[i].term];
      const std::uint32_t moving = system_.frictions[i].moving_slot;
      const bool creep = frictions_[i].kernel == Kernel::kCreep;
      if (is_own_velocity(term)) {
        const CoordinateId q = term.argument.terms.front().first;
        holding_[q].push_back(moving);
        if (creep) continue;
        system_.frictions[i].velocity_state = state_index_.at({SymbolKind::kVelocity, q.value});
        continue;
      }
      system_.frictions[i].driven = !pool_.is_zero(velocity_of(term).offset);
      if (creep || term.kind == TermKind::kStop) continue;
      system_.frictions[i].slip_state = static_cast<std::uint32_t>(system_.states.size());
      system_.states.push_back({term.name + ".slip", "", pool_.zero(), Expr{}});
      ++system_.slip_states;
    }
  }

  // --- accelerations
  // --------------------------------------------------------------------------------------------

  // u' = C^-1 (r - D^T s) of the massless coordinates of kernel A; r holds all other forces.
  void solve_creep() {
    if (damping_.pivots().empty()) return;
    std::map<CoordinateId, std::vector<Expr>> push;
    for (const ForceTermId id : mechanism_.terms.ids()) {
      const ForceTerm& term = mechanism_.terms[id];
      if (term.status != TermStatus::kActive || belongs_to(id, Kernel::kCreep)) continue;
      Expr force = pool_.symbol(SymbolKind::kForce, id.value);
      if (term.kind == TermKind::kDamper) {
        LinearForm known = term.argument;
        std::erase_if(known.terms,
                      [&](const auto& t) { return is_creep_kernel(mechanism_, t.first); });
        force = pool_.mul(term.coefficient, to_expr(pool_, known, true));
      }
      for (const auto& [q, c] : term.participation.terms) {
        if (!is_creep_kernel(mechanism_, q)) continue;
        push[q].push_back(pool_.neg(pool_.mul(c, force)));
      }
    }
    SymmetricSolver::Vector r;
    for (const auto& [q, pivot] : damping_.pivots()) r.emplace(q, pool_.add(std::move(push[q])));
    const SymmetricSolver::Vector free = damping_.solve(r);
    creep_ = unbound_creep_ = free;
    for (Friction& friction : frictions_) {
      if (friction.kernel != Kernel::kCreep) continue;
      LinearForm known = mechanism_.terms[friction.term].argument;
      std::erase_if(known.terms,
                    [&](const auto& t) { return is_creep_kernel(mechanism_, t.first); });
      friction.free = pool_.add(product(pool_, mechanism_.terms[friction.term].argument, free),
                                to_expr(pool_, known, true));
      subtract_friction(friction, creep_);
      if (!friction.bound) subtract_friction(friction, unbound_creep_);
    }
  }

  // rates -= response * s
  void subtract_friction(const Friction& friction, SymmetricSolver::Vector& rates) {
    const Expr force = pool_.symbol(SymbolKind::kForce, friction.term.value);
    for (const auto& [q, r] : friction.response) {
      const Expr change = pool_.neg(pool_.mul(r, force));
      const auto [it, fresh] = rates.emplace(q, change);
      if (!fresh) it->second = pool_.add(it->second, change);
    }
  }

  bool belongs_to(ForceTermId id, Kernel kernel) const {
    const auto index = friction_index_.find(id);
    return index != friction_index_.end() && frictions_[index->second].kernel == kernel;
  }

  // a = M^-1 (f - D^T s): without friction first, then what the frictions change.
  void solve_accelerations() {
    std::map<CoordinateId, std::vector<Expr>> push;
    for (const ForceTermId id : mechanism_.terms.ids()) {
      const ForceTerm& term = mechanism_.terms[id];
      if (term.status != TermStatus::kActive || belongs_to(id, Kernel::kGauss)) continue;
      const Expr force = pool_.symbol(SymbolKind::kForce, id.value);
      for (const auto& [q, c] : term.participation.terms) {
        if (mechanism_.coordinates[q].role != CoordinateRole::kInertial) continue;
        push[q].push_back(pool_.neg(pool_.mul(c, force)));
      }
    }
    SymmetricSolver::Vector f;
    for (auto& [q, terms] : push) f.emplace(q, pool_.add(std::move(terms)));
    accelerations_ = inertia_.solve(f);
    const SymmetricSolver::Vector free = accelerations_;
    for (std::size_t i = 0; i < frictions_.size(); ++i) {
      Friction& friction = frictions_[i];
      if (friction.kernel != Kernel::kGauss) continue;
      const ForceTerm& term = mechanism_.terms[friction.term];
      friction.free = pool_.add(product(pool_, term.argument, free), rate_shift(velocity_of(term)));
      subtract_friction(friction, accelerations_);
    }
    solve_bound_rates();
  }

  // The rate of a slip velocity without accelerations.
  Expr rate_shift(const LinearForm& velocity) {
    std::vector<Expr> terms{rate_of_motion(pool_, velocity.offset)};
    for (const auto& [q, c] : velocity.terms) {
      if (is_parametric(pool_, c)) continue;
      terms.push_back(
          pool_.mul(rate_of_motion(pool_, c), pool_.symbol(SymbolKind::kVelocity, q.value)));
    }
    return pool_.add(std::move(terms));
  }

  // Slip rates in bound groups without any force of theirs: neither on bodies with inertia nor, by
  // way of dampers, on the massless ones.
  void solve_bound_rates() {
    if (std::none_of(frictions_.begin(), frictions_.end(),
                     [](const Friction& f) { return f.bound; }))
      return;
    std::map<CoordinateId, std::vector<Expr>> push;
    for (const ForceTermId id : mechanism_.terms.ids()) {
      const ForceTerm& term = mechanism_.terms[id];
      const auto index = friction_index_.find(id);
      const bool bound = index != friction_index_.end() && frictions_[index->second].bound;
      if (term.status != TermStatus::kActive || bound || belongs_to(id, Kernel::kGauss)) continue;
      Expr force = pool_.symbol(SymbolKind::kForce, id.value);
      if (term.kind == TermKind::kDamper) {
        LinearForm known = term.argument;
        std::erase_if(known.terms,
                      [&](const auto& t) { return is_creep_kernel(mechanism_, t.first); });
        force = pool_.mul(
            term.coefficient,
            pool_.add(to_expr(pool_, known, true), product(pool_, term.argument, unbound_creep_)));
      }
      for (const auto& [q, c] : term.participation.terms) {
        if (mechanism_.coordinates[q].role != CoordinateRole::kInertial) continue;
        push[q].push_back(pool_.neg(pool_.mul(c, force)));
      }
    }
    SymmetricSolver::Vector f;
    for (auto& [q, terms] : push) f.emplace(q, pool_.add(std::move(terms)));
    const SymmetricSolver::Vector free = inertia_.solve(f);
    for (Friction& friction : frictions_) {
      if (!friction.bound) continue;
      const ForceTerm& term = mechanism_.terms[friction.term];
      friction.rate = pool_.add(product(pool_, term.argument, free), rate_shift(velocity_of(term)));
    }
  }

  Expr mode(std::uint32_t slot) { return pool_.symbol(SymbolKind::kMode, slot); }

  // The affine map of the island's mode (R9; P2 sec. 4).
  Expr friction_force(std::uint32_t index) {
    if (frictions_[index].kernel == Kernel::kSettle) {
      return settle_.friction_force(frictions_[index].term);
    }
    const ExplicitIsland& island = system_.islands[island_of_[index]];
    if (island.varying) return varying_force(island, index);
    std::vector<Expr> terms;
    for (std::uint32_t j = 0; j < island.count; ++j) {
      const Friction& other = frictions_[island.first + j];
      const ForceTerm& term = mechanism_.terms[other.term];
      const std::uint32_t entry = (index - island.first) * island.count + j;
      if (!other.bound || other.kernel == Kernel::kCreep) {
        terms.push_back(pool_.mul(mode(island.hold_slot + entry), other.free));
      }
      if (other.bound) {
        terms.push_back(pool_.mul(mode(island.rate_hold_slot + entry), other.rate));
      }
      if (term.kind == TermKind::kStop) continue;  // no force of its own
      terms.push_back(pool_.mul(mode(island.kinetic_slot + entry), term.kinetic));
      terms.push_back(pool_.mul(mode(island.static_slot + entry), term.static_bound));
    }
    return pool_.add(std::move(terms));
  }

  Expr varying_force(const ExplicitIsland& island, std::uint32_t index) {
    std::vector<Expr>& forces = varying_forces_[island.first];
    if (forces.empty()) {
      std::vector<Expr> free, given;
      for (std::uint32_t j = 0; j < island.count; ++j) {
        const Friction& friction = frictions_[island.first + j];
        const ForceTerm& term = mechanism_.terms[friction.term];
        const bool stop = term.kind == TermKind::kStop;  // no force of its own
        free.push_back(friction.free);
        given.push_back(
            stop ? pool_.zero()
                 : pool_.add(pool_.mul(mode(island.kinetic_slot + j), term.kinetic),
                             pool_.mul(mode(island.static_slot + j), term.static_bound)));
      }
      forces = varying_forces(pool_, island, free, given);
    }
    return forces[index - island.first];
  }

  /// The friction that one is a share of, which may be a share itself, and the sign of its slip.
  struct Whole {
    ForceTermId term;
    Expr sign;
  };

  Whole whole_of(ForceTermId id) {
    Whole result{id, pool_.one()};
    while (mechanism_.terms[result.term].merged_into.valid()) {
      const ForceTerm& term = mechanism_.terms[result.term];
      result = {term.merged_into, pool_.mul(result.sign, term.merged_sign)};
    }
    return result;
  }

  // A friction merged by R5 carries its share: in proportion to the bounds at rest, its own force
  // in slip.
  Expr share_of_merged(ForceTermId id) {
    const ForceTerm& term = mechanism_.terms[id];
    const auto [into, sign] = whole_of(id);
    const auto index = friction_index_.find(into);
    const Expr whole = pool_.symbol(SymbolKind::kForce, into.value);
    const ForceTerm& merged = mechanism_.terms[into];
    const Expr at_rest = pool_.mul(whole, pool_.div(term.static_bound, merged.static_bound));
    if (index == friction_index_.end()) return pool_.mul(sign, at_rest);
    const ExplicitFriction& friction = system_.frictions[index->second];
    return pool_.mul(
        sign, pool_.if_then_else(mode(friction.moving_slot),
                                 pool_.mul(mode(friction.direction_slot), term.kinetic), at_rest));
  }

  void write_frictions() {
    for (std::size_t i = 0; i < frictions_.size(); ++i) {
      const Friction& friction = frictions_[i];
      const ForceTerm& term = mechanism_.terms[friction.term];
      ExplicitFriction& out = system_.frictions[i];
      out.name = term.name;
      out.slip = resolver_.resolve(to_expr(pool_, velocity_of(term), true));
      const bool settles = friction.kernel == Kernel::kSettle;
      out.free = resolver_.resolve(settles ? settle_.travel(friction.term) : friction.free);
      const Expr force = pool_.symbol(SymbolKind::kForce, friction.term.value);
      const bool stop = term.kind == TermKind::kStop;
      const Expr bound = stop ? pool_.zero() : term.static_bound;
      out.reserve_below = resolver_.resolve(pool_.add(bound, force));
      out.reserve_above = resolver_.resolve(pool_.sub(bound, force));
      out.kinetic = stop ? pool_.zero() : resolver_.resolve(term.kinetic);
      if (stop) write_stop(static_cast<std::uint32_t>(i), term);
      if (friction.bound) out.rate = resolver_.resolve(friction.rate);
      const bool creep = friction.kernel == Kernel::kCreep;
      for (const auto& [q, r] : creep ? friction.rate_response : friction.response) {
        auto& entries = is_parametric(pool_, r) ? out.response : out.varying_response;
        entries.emplace_back(state_index_.at({SymbolKind::kVelocity, q.value}),
                             resolver_.resolve(r));
      }
      if (out.slip_state == kNoIndex) continue;
      const Expr rate = rate_of_motion(pool_, to_expr(pool_, term.argument, true));
      system_.states[out.slip_state].derivative =
          pool_.mul(mode(out.moving_slot), resolver_.resolve(rate));
    }
    for (ExplicitIsland& island : system_.islands) {
      for (auto* matrix : {&island.gram, &island.creep_gram, &island.drag}) {
        for (Expr& entry : *matrix) entry = resolver_.resolve(entry);
      }
      if (island.varying) separate_varying(pool_, island);
    }
    settle_.write(system_, [this](Expr e) { return resolver_.resolve(e); });
  }

  void write_stop(std::uint32_t friction, const ForceTerm& term) {
    const Expr x = to_expr(pool_, term.argument, false);
    system_.stops.push_back({friction, resolver_.resolve(pool_.add(x, term.half_freeplay)),
                             resolver_.resolve(pool_.sub(term.half_freeplay, x)),
                             resolver_.resolve(term.restitution)});
  }

  // --- definitions of symbols
  // -----------------------------------------------------------------------------------

  SymbolDefinition definition(Symbol s, const Resolver& resolver) {
    const auto own_state = state_index_.find(s);
    if (own_state != state_index_.end()) return {state(own_state->second), {}};
    switch (s.kind) {
      case SymbolKind::kCoordinate:
        if (is_settled(mechanism_, CoordinateId{s.index})) {
          return {settle_.position(CoordinateId{s.index}), {}};
        }
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
    if (is_creep_kernel(mechanism_, q)) return {held(q, creep_.at(q)), {}};
    if (c.velocity.valid()) return {c.velocity, {}};
    return rate_of({SymbolKind::kCoordinate, q.value}, resolver);
  }

  SymbolDefinition acceleration(CoordinateId q, const Resolver& resolver) {
    const Expr prescribed = mechanism_.coordinates[q].acceleration;
    if (prescribed.valid()) return {prescribed, {}};
    if (mechanism_.coordinates[q].role == CoordinateRole::kInertial) {
      const auto it = accelerations_.find(q);
      if (it == accelerations_.end()) return {pool_.zero(), {}};
      return {held(q, it->second), {}};
    }
    return rate_of({SymbolKind::kVelocity, q.value}, resolver);
  }

  // A rate that is exactly zero while a friction holds the coordinate.
  Expr held(CoordinateId q, Expr rate) {
    std::vector<Expr> factors{rate};
    const auto slots = holding_.find(q);
    if (slots != holding_.end()) {
      for (const std::uint32_t slot : slots->second) factors.push_back(mode(slot));
    }
    return pool_.mul(std::move(factors));
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
    if (term.merged_into.valid()) return share_of_merged(id);
    if (term.status == TermStatus::kReplaced) return term.value;
    switch (term.kind) {
      case TermKind::kSpring:
        if (const Expr settled = settle_.spring_force(id); settled.valid()) return settled;
        return pool_.mul(term.coefficient,
                         pool_.luz(to_expr(pool_, term.argument, false), term.half_freeplay));
      case TermKind::kDamper:
        return pool_.mul(term.coefficient, to_expr(pool_, term.argument, true));
      case TermKind::kLoad:
        return term.value;
      case TermKind::kFriction:
      case TermKind::kStop:
        break;
    }
    const auto index = friction_index_.find(id);
    if (index != friction_index_.end()) return friction_force(index->second);
    if (term.kind == TermKind::kStop) return pool_.zero();  // nothing can push
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
      if (!list.empty()) list += " -> ";
      if (s.kind == SymbolKind::kForce) {
        const ForceTerm& term = mechanism_.terms[ForceTermId{s.index}];
        list += "the force of '" + term.name + "'";
        if (!span.valid()) span = flat_.parts[term.part].span;
      } else {
        list += "'" + names(s) + "'";
        if (s.kind == SymbolKind::kVariable && s.index < flat_.variables.size() && !span.valid()) {
          span = flat_.variables[VariableId{s.index}].span;
        }
      }
    }
    diagnostics_.error(Code::kAlgebraicLoop, span, "quantities depend on each other in a circle")
        .with_note("the circle is " + list + ": each needs the next")
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
        const auto index = friction_index_.find(whole_of(id).term);
        if (index == friction_index_.end()) continue;
        const std::uint32_t slot = system_.frictions[index->second].indeterminate_slot;
        if (slot == kNoIndex) continue;
        system_.outputs.push_back(
            {term.name + ".indeterminate", "", OutputKind::kIndeterminate, mode(slot)});
      } else if (term.origin == TermKind::kStop) {
        const auto index = friction_index_.find(id);
        if (index == friction_index_.end()) continue;
        system_.outputs.push_back(
            {term.name + ".zone", "", OutputKind::kFreeplayZone,
             oriented(term, mode(system_.frictions[index->second].direction_slot))});
      } else if (term.origin == TermKind::kSpring &&
                 nominal_value(pool_, flat_, term.half_freeplay) > 0) {
        if (const Expr zone = settle_.zone(id); zone.valid()) {
          system_.outputs.push_back(
              {term.name + ".zone", "", OutputKind::kFreeplayZone, oriented(term, zone)});
          continue;
        }
        const Expr f = resolver_.resolve(pool_.symbol(SymbolKind::kForce, id.value));
        system_.outputs.push_back({term.name + ".zone", "", OutputKind::kFreeplayZone,
                                   oriented(term, pool_.call(Op::kSign, {f}))});
      }
    }
  }

  Expr oriented(const ForceTerm& term, Expr e) { return term.reversed ? pool_.neg(e) : e; }

  Expr friction_mode(ForceTermId id) {
    const Whole whole = whole_of(id);
    const auto index = friction_index_.find(whole.term);
    if (index != friction_index_.end()) {
      return pool_.mul(whole.sign, mode(system_.frictions[index->second].direction_slot));
    }
    const ForceTerm& term = mechanism_.terms[whole.term];
    if (term.mode.valid()) return pool_.mul(whole.sign, term.mode);
    return pool_.mul(whole.sign, pool_.call(Op::kSign, {to_expr(pool_, term.argument, true)}));
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

  void write_energy() {
    const EnergyTerms terms = energy_terms(pool_, flat_, mechanism_.coordinates, written_);
    if (!terms.complete) return;
    ExplicitEnergy& energy = system_.energy.emplace();
    energy.stored = resolver_.resolve(terms.stored);
    energy.supplied = resolver_.resolve(terms.supplied);
    for (const auto& [part, power] : terms.dissipated) {
      energy.dissipated.emplace_back(part, resolver_.resolve(power));
    }
  }

  void write_assertions() {
    for (const FlatAssertion& assertion : flat_.assertions) {
      system_.assertions.push_back(
          {resolver_.resolve(assertion.condition), assertion.message, assertion.span});
    }
  }

  // --- laws that determine nothing

  // Every law of forces must hold in the motion that was found. One that does not is one too many,
  // or a constraint for which the model has no force: evaluated at random states, while everything
  // slips forwards.
  void check_flows() {
    const std::vector<double> modes = slipping_modes();
    const std::vector<Instant> instants = random_instants();
    for (const FlowCheck& check : flow_checks_) {
      const Expr residual = resolver_.resolve(check.residual);
      if (pool_.is_zero(residual) || settle_.takes_part(residual)) continue;
      if (holds(residual, modes, instants)) continue;
      report_superfluous(check);
      return;
    }
  }

  // The equation that is in surplus where incidence shows it, else what does not go together.
  void report_superfluous(const FlowCheck& check) {
    PartErrors errors(diagnostics_, flat_);
    bool said = false;
    for (const Surplus& surplus : analyze_structure(pool_, flat_).surplus) {
      if (!surplus.reaches_out) continue;
      report_surplus(pool_, flat_, surplus, errors);
      said = true;
    }
    if (said) return;
    const std::vector<std::string> involved = involved_in(pool_, flat_, mechanism_, check);
    Diagnostic& error =
        errors.error(Code::kOverdetermined, check.part.valid() ? check.part : PartId{0}, {},
                     "there are more equations than forces: these do not hold together");
    for (const std::string& name : involved) error.with_note(name);
    error.with_note(
        "an equation on a force or torque is one too many, or positions are tied by "
        "an equation that no force of a part belongs to (connect the flanges)");
  }

  std::vector<double> slipping_modes() const {
    std::vector<double> modes(system_.slots, 0.0);
    for (const ExplicitFriction& friction : system_.frictions) {
      modes[friction.direction_slot] = modes[friction.moving_slot] = 1;
    }
    for (const ExplicitIsland& island : system_.islands) {
      for (std::uint32_t i = 0; i < island.count; ++i) {
        modes[island.kinetic_slot + i * island.diagonal()] = 1;
      }
    }
    return modes;
  }

  /// A time and a state at random.
  struct Instant {
    double time = 0;
    std::vector<double> states;
  };

  std::vector<Instant> random_instants() const {
    std::mt19937 random(17);
    std::uniform_real_distribution<double> draw(0.5, 1.5);
    std::vector<Instant> instants(2);
    for (Instant& instant : instants) {
      instant.states.resize(system_.states.size());
      for (double& x : instant.states) x = draw(random);
      instant.time = flat_.experiment.start + draw(random);
    }
    return instants;
  }

  bool holds(Expr residual, const std::vector<double>& modes,
             const std::vector<Instant>& instants) {
    const SymbolValues parameters = flat_.parameter_values();
    for (const Instant& instant : instants) {
      const SymbolValues values = [&](Symbol s) {
        if (s.kind == SymbolKind::kState) return instant.states[s.index];
        if (s.kind == SymbolKind::kTime) return instant.time;
        if (s.kind == SymbolKind::kMode) return modes[s.index];
        return parameters(s);
      };
      double sum = 0, size = 0;
      std::vector<Expr> terms{residual};
      if (pool_[residual].op == Op::kAdd) {
        terms.assign(pool_.args(residual).begin(), pool_.args(residual).end());
      }
      for (const Expr term : terms) {
        const double value = evaluate(pool_, term, values);
        sum += value;
        size += std::abs(value);
      }
      if (!(std::abs(sum) > 1e-6 * size)) return true;  // also where it has no value
    }
    return false;
  }

  // --- modes
  // ----------------------------------------------------------------------------------------------------

  // Edges that the motion depends on become switches; results and assertions follow them.
  void write_in_modes() {
    SwitchRewriter rewriter(pool_, system_, [this](Symbol s) {
      if (s.kind == SymbolKind::kState) return system_.states[s.index].name;
      if (s.kind == SymbolKind::kParameter) return flat_.parameters[ParameterId{s.index}].name;
      return std::string(s.kind == SymbolKind::kTime ? "time" : "mode");
    });
    for (ExplicitState& state : system_.states) {
      state.derivative = rewriter.rewrite(state.derivative, true);
    }
    for (ExplicitFriction& friction : system_.frictions) {
      for (Expr* e : {&friction.slip, &friction.free, &friction.rate, &friction.reserve_below,
                      &friction.reserve_above, &friction.kinetic}) {
        if (e->valid()) *e = rewriter.rewrite(*e, true);
      }
      for (auto& [state, response] : friction.varying_response) {
        response = rewriter.rewrite(response, true);
      }
    }
    for (ExplicitIsland& island : system_.islands) {
      for (ExplicitGramEntry& entry : island.varying_gram) {
        entry.value = rewriter.rewrite(entry.value, true);
      }
    }
    for (ExplicitSettleSpring& spring : system_.settle_springs) {
      for (Expr* e : {&spring.drive, &spring.edge_below, &spring.edge_above}) {
        if (e->valid()) *e = rewriter.rewrite(*e, true);
      }
    }
    for (ExplicitSettleIsland& island : system_.settle_islands) {
      for (Expr& load : island.loads) load = rewriter.rewrite(load, true);
    }
    for (ExplicitStop& stop : system_.stops) {
      stop.gap_below = rewriter.rewrite(stop.gap_below, true);
      stop.gap_above = rewriter.rewrite(stop.gap_above, true);
    }
    for (ExplicitAssertion& assertion : system_.assertions) {
      assertion.condition = rewriter.rewrite(assertion.condition, true);
    }
    if (system_.energy) {
      ExplicitEnergy& energy = *system_.energy;
      // What drives a prescribed motion may have edges that nothing else has: the power is
      // integrated between them.
      energy.supplied = rewriter.rewrite(energy.supplied, true);
      energy.stored = rewriter.rewrite(energy.stored, false);
      for (auto& [part, power] : energy.dissipated) power = rewriter.rewrite(power, false);
    }
    for (ExplicitOutput& output : system_.outputs) {
      output.value = rewriter.rewrite(output.value, false);
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
    for (const ExplicitStop& stop : system_.stops) {
      const double below = evaluate(pool_, stop.gap_below, at_start);
      const double above = evaluate(pool_, stop.gap_above, at_start);
      if (std::min(below, above) >= -1e-12 * std::max(std::abs(below), std::abs(above))) continue;
      const ForceTerm& term = mechanism_.terms[frictions_[stop.friction].term];
      part_error(diagnostics_, flat_, Code::kInconsistentStart, term.part, term.span,
                 "the start values lie beyond the hard stop '" + term.name + "'")
          .with_note("it is passed by " + std::to_string(-std::min(below, above)));
    }
    for (const StartCheck& check : mechanism_.start_checks) {
      const bool solved = depends_on(pool_, check.value, [&](Symbol s) {
        if (s.kind != SymbolKind::kCoordinate && s.kind != SymbolKind::kVelocity) return false;
        const Coordinate& c = mechanism_.coordinates[CoordinateId{s.index}];
        // Positions and velocities that a balance of forces determines have no start value of their
        // own.
        return (c.role == CoordinateRole::kEliminated && !c.constrained) ||
               c.role == CoordinateRole::kSettled ||
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
  const WrittenMechanism& written_;
  Diagnostics& diagnostics_;
  SymmetricSolver inertia_, damping_;
  SettleIslands settle_;
  Resolver resolver_;
  std::map<Symbol, std::uint32_t> state_index_;
  std::vector<Symbol> state_symbols_;
  std::map<VariableId, Expr> signal_rates_;
  std::vector<Friction> frictions_;
  std::vector<std::size_t> island_of_;                         // by friction
  std::map<std::uint32_t, std::vector<Expr>> varying_forces_;  // by first friction of the island
  std::map<ForceTermId, std::uint32_t> friction_index_;
  std::map<CoordinateId, std::vector<std::uint32_t>> holding_;  // slots that are 0 while q' is held
  SymmetricSolver::Vector accelerations_, creep_;
  SymmetricSolver::Vector unbound_creep_;  // velocities without the frictions of bound groups
  std::map<Symbol, Expr> flows_;
  std::vector<FlowCheck> flow_checks_;
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
