#include "compiler/reduction/prescribed_motion.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "compiler/mechanics/jumps.h"
#include "compiler/mechanics/part_names.h"
#include "compiler/reduction/nodes.h"
#include "compiler/symbolic/operations.h"

namespace luztar {
namespace {

using Inertia = std::map<std::pair<CoordinateId, CoordinateId>, Expr>;

/// What is the first to jump in a motion; nothing that forces depend on above velocities.
enum class Jump : std::uint8_t { kPosition, kVelocity, kNone };

class JumpCheck {
 public:
  JumpCheck(const Mechanism& mechanism, const ReductionContext& context)
      : mechanism_(mechanism),
        context_(context),
        jump_(mechanism.coordinates.size(), Jump::kNone),
        stops_(std::any_of(mechanism.terms.begin(), mechanism.terms.end(), [](const auto& term) {
          return term.status == TermStatus::kActive && term.kind == TermKind::kStop;
        })) {
    for (const SignalState& z : mechanism.signal_states) rates_.emplace(z.variable, z.derivative);
  }

  void run(const Inertia& inertia) {
    find_jumps();
    for (const ForceTerm& term : mechanism_.terms) {
      if (term.status == TermStatus::kActive) check_term(term);
    }
    for (const CoordinateId q : mechanism_.coordinates.ids()) check_coordinate(q, inertia);
    for (const SignalState& z : mechanism_.signal_states) {
      const bool named = z.variable.value < context_.flat.variables.size();
      if (!named) continue;
      const FlatVariable& variable = context_.flat.variables[z.variable];
      check_rates(z.derivative, variable.part, variable.span, "the signal '" + variable.name + "'");
    }
  }

  /// The velocity of what the slip of a friction is taken against may jump.
  bool drive_jumps(const ForceTerm& friction) {
    const Expr drive = friction.argument.offset;
    const bool unsteady = depends_on(context_.pool, drive, [&](Symbol s) {
      if (s.kind == SymbolKind::kVelocity) return jump_[s.index] != Jump::kNone;
      return s.kind == SymbolKind::kVariable && !rates_.contains(VariableId{s.index});
    });
    return unsteady || has_jump(context_.pool, context_.flat, drive);
  }

 private:
  // Motions may follow signals that follow other motions: repeated until nothing changes.
  void find_jumps() {
    for (bool changed = true; changed;) {
      changed = false;
      for (const CoordinateId q : mechanism_.coordinates.ids()) {
        const Jump jump = jump_of(mechanism_.coordinates[q]);
        changed = changed || jump != jump_[q.value];
        jump_[q.value] = jump;
      }
    }
  }

  Jump jump_of(const Coordinate& c) {
    if (c.role == CoordinateRole::kEliminated) {
      Jump first = Jump::kNone;
      for (const Symbol s : symbols_of(context_.pool, c.position)) {
        if (s.kind == SymbolKind::kCoordinate) first = std::min(first, jump_[s.index]);
      }
      return first;
    }
    if (c.role != CoordinateRole::kPrescribed) return Jump::kNone;
    if (c.position.valid() && jumps(c.position)) return Jump::kPosition;
    if (is_state(c, MotionOrder::kVelocity)) return Jump::kNone;
    return jumps(c.velocity.valid() ? c.velocity : rate(c.position)) ? Jump::kVelocity
                                                                     : Jump::kNone;
  }

  Expr rate(Expr e) {
    return time_derivative(context_.pool, e, [&](Symbol s) {
      const auto z = rates_.find(VariableId{s.index});
      return s.kind == SymbolKind::kVariable && z != rates_.end() ? z->second : Expr{};
    });
  }

  // Forces and what follows from them may jump at any event, velocities at impacts.
  bool jumps(Expr e) {
    const bool unsteady = depends_on(context_.pool, e, [&](Symbol s) {
      switch (s.kind) {
        case SymbolKind::kVariable:
          return !rates_.contains(VariableId{s.index});
        case SymbolKind::kVelocity:
          return stops_ || jump_[s.index] != Jump::kNone;
        case SymbolKind::kCoordinate:
          return jump_[s.index] == Jump::kPosition;
        default:
          return s.kind == SymbolKind::kAcceleration || s.kind == SymbolKind::kForce;
      }
    });
    return unsteady || has_jump(context_.pool, context_.flat, e);
  }

  /// The first coordinate in e whose velocity, or whose acceleration, is an impulse.
  CoordinateId impulsive(Expr e) const {
    if (!e.valid()) return {};
    for (const Symbol s : symbols_of(context_.pool, e)) {
      const bool velocity = s.kind == SymbolKind::kVelocity;
      if (!velocity && s.kind != SymbolKind::kAcceleration) continue;
      if (jump_[s.index] <= (velocity ? Jump::kPosition : Jump::kVelocity)) {
        return CoordinateId{s.index};
      }
    }
    return {};
  }

  void check_term(const ForceTerm& term) {
    const std::string name = "the force of '" + term.name + "'";
    if (term.kind == TermKind::kStop) {
      // An impact that the motion itself causes, without a gap that closes.
      const Expr acceleration =
          rate_of_motion(context_.pool, rate_of_motion(context_.pool, term.argument.offset));
      check_rates(acceleration, term.part, term.span, name);
    } else {
      check_rates(takes_velocity(term.kind) ? term.argument.offset : term.value, term.part,
                  term.span, name);
    }
  }

  void check_coordinate(CoordinateId q, const Inertia& inertia) {
    const Coordinate& c = mechanism_.coordinates[q];
    if (c.role == CoordinateRole::kCreep)
      check_rates(c.velocity, c.part, c.span, "'" + c.name + "'");
    const auto mass = inertia.find({q, q});
    if (jump_[q.value] != Jump::kPosition || mass == inertia.end()) return;
    if (value_of(context_, mass->second) == 0) return;
    report(q, c.part, c.span, "the body at '" + c.name + "'");
  }

  void check_rates(Expr e, PartId part, Span span, const std::string& what) {
    const CoordinateId q = impulsive(e);
    if (q.valid()) report(q, part, span, what);
  }

  void report(CoordinateId q, PartId part, Span span, const std::string& what) {
    if (!reported_.insert(part).second) return;
    const Coordinate& c = mechanism_.coordinates[q];
    const bool position = jump_[q.value] == Jump::kPosition;
    part_error(
        context_.diagnostics, context_.flat, Code::kPrescribedJump, part, span,
        what + (position ? " cannot follow the position '" + c.name + "', which jumps"
                         : " cannot follow the velocity '" + c.velocity_name + "', which jumps"))
        .with_note(position ? "a position that jumps has an infinite velocity"
                            : "a velocity that jumps has an infinite acceleration")
        .with_note(position
                       ? "springs alone can follow it: let the position rise in a ramp or through "
                         "a FirstOrder block"
                       : "let the velocity rise in a ramp or through a FirstOrder block, or put a "
                         "spring in between");
  }

  const Mechanism& mechanism_;
  const ReductionContext& context_;
  std::vector<Jump> jump_;  // by coordinate
  bool stops_;
  std::map<VariableId, Expr> rates_;
  std::set<PartId> reported_;
};

}  // namespace

Mechanism prescribed_motion(Mechanism mechanism, const ReductionContext& context) {
  NodeTerms nodes = node_terms(mechanism);
  for (const CoordinateId q : mechanism.coordinates.ids()) {
    if (mechanism.coordinates[q].role != CoordinateRole::kPrescribed) continue;
    const Expr motion = context.pool.symbol(SymbolKind::kCoordinate, q.value);
    substitute_coordinate(context, mechanism, nodes, q, motion_by(context.pool, {{}, motion}));
  }
  return mechanism;
}

Expr known_position(ExprPool& pool, const Mechanism& mechanism, Expr e) {
  return substitute(pool, e, [&](Symbol s) {
    if (s.kind != SymbolKind::kCoordinate) return Expr{};
    const Coordinate& c = mechanism.coordinates[CoordinateId{s.index}];
    return c.role == CoordinateRole::kPrescribed ? c.position : Expr{};
  });
}

Mechanism check_jumps(Mechanism mechanism, const Inertia& inertia,
                      const ReductionContext& context) {
  const bool prescribed =
      std::any_of(mechanism.coordinates.begin(), mechanism.coordinates.end(),
                  [](const Coordinate& c) { return c.role == CoordinateRole::kPrescribed; });
  JumpCheck check(mechanism, context);
  if (prescribed) check.run(inertia);
  for (ForceTerm& term : mechanism.terms) {
    if (term.kind == TermKind::kFriction) term.drive_jumps = check.drive_jumps(term);
  }
  return mechanism;
}

}  // namespace luztar
