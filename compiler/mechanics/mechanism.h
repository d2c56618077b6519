// The primary model: Newton's equations of the whole mechanism in independent coordinates q,
//     M q'' + sum_t p_t F_t = 0,     F_t a spring, damper, dry friction or load,     z' = h(t, q,
//     q', z, F)
// (P1 sec. 4; M, V, R and F of the potential V(q) and the dissipation R(q')). Ideal gears and rods
// are eliminated: every position is an affine function of q, and constraint forces are gone by
// virtual work. Prescribed motions are coordinates of their own, whose balances give the forces
// that drive them.
//   contract: expressions hold symbols of kind kTime, kParameter, kCoordinate, kVelocity,
//   kAcceleration, kForce, kVariable (signal states; flows in flow equations and deferred
//   definitions only).
// The reduction passes work on the same structure: they fill in the fields marked "reduction".
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/semantics/flat_model.h"
#include "compiler/symbolic/expr.h"

namespace luztar {

using CoordinateId = Id<struct CoordinateTag>;
using ForceTermId = Id<struct ForceTermTag>;

/// sum_i coefficient_i * q_i + offset, or the same with velocities; sorted by coordinate,
/// coefficients over parameters (and over coordinates where linkages have been eliminated). In
/// reduced mechanisms offsets hold the prescribed coordinates.
struct LinearForm {
  std::vector<std::pair<CoordinateId, Expr>> terms;
  Expr offset;

  [[nodiscard]] const Expr* coefficient(CoordinateId id) const;
};

enum class CoordinateRole : std::uint8_t {
  kInertial,    // second order: q and q' are states
  kCreep,       // reduction: first order, q is a state, q' = `velocity` (R8) or, where that is
                // invalid, given by kernel A together with others
  kSettled,     // reduction: q is where kernel B finds the balance of forces, not a state
  kEliminated,  // reduction: q = `position`, not a state
  kGuided,      // q = `position`, a smooth function of other coordinates; reduction eliminates it
                // last, so that force laws keep constant coefficients
  kPrescribed,  // q, q' or q'' is given: `position`, `velocity`, `acceleration`; what lies below
                // the first that is given is a state, what lies above the last one is its
                // derivative
};

struct Coordinate {
  std::string name;           // "wheel.phi"
  std::string velocity_name;  // "wheel.w", or "der(wheel.phi)"
  std::string unit, velocity_unit;
  VariableId variable;  // one of its flat variables
  PartId part;
  Span span;
  Expr start, start_velocity;  // over parameters
  StartGiven start_given = StartGiven::kNo, start_velocity_given = StartGiven::kNo;
  CoordinateRole role = CoordinateRole::kInertial;
  bool constrained =
      false;            // reduction: eliminated by a rigid connection, not by a balance of forces
  bool guides = false;  // reduction: another one follows it by a linkage, and brings its inertia
  Expr position;      // reduction: kEliminated, over the other coordinates; or kGuided, kPrescribed
  Expr velocity;      // reduction: kCreep; or kPrescribed
  Expr acceleration;  // kPrescribed
};

enum class TermKind : std::uint8_t {
  kSpring,    // F = coefficient * luz(argument(q), half_freeplay), or of one side, which pushes
              // alone: coefficient * max(argument(q), 0)
  kDamper,    // F = coefficient * argument(q')
  kFriction,  // F = dryfriction(argument(q'), kinetic, static_bound)
  kStop,      // F that keeps |argument(q)| <= half_freeplay, with Newton's restitution
  kLoad,      // F = value
};

enum class TermStatus : std::uint8_t {
  kActive,    // enters the balances of its coordinates
  kReplaced,  // reduction: its force is `value`, its effect on the balances is in other terms
  kRigid,     // reduction: its force is a constraint force
};

/// Of a friction that falls with the speed w of its slip: a part of what it falls by altogether,
/// and the speed up to which it falls by that.
struct FallingLine {
  Expr speed, share;  // over parameters; [m/s or rad/s] and [1]
};

struct ForceTerm {
  TermKind kind = TermKind::kLoad;
  TermKind origin =
      TermKind::kLoad;  // the kind of the law as written, whatever reduction makes of it
  TermStatus status = TermStatus::kActive;
  std::string name;  // "column.spring": the part and, where it has several, a number
  PartId part;
  Span span;
  Expr coefficient;     // k [N.m/rad], c [N.m.s/rad] or 1
  LinearForm argument;  // relative position or slip velocity; of the row a.q - e
  Expr half_freeplay;   // kSpring; zero: linear, or of one side
  Expr more_play;  // of a kSpring that makes another one saturate: half_freeplay less that one's
  bool one_sided = false;      // reduction: of a kSpring
  Expr kinetic, static_bound;  // kFriction [N.m or N]
  Expr restitution;            // kStop: e
  Expr lent_share;  // kFriction: of its force, what laws of other parts made of it: their load, no
                    // loss of its own; invalid: nothing
  Expr value;       // kLoad, or the force of a replaced term
  Expr energy;      // reduction: what a kLoad has stored that is a function of the argument alone
  bool reversed = false;  // the part's own relative position or slip velocity is minus the argument
  Expr mode;              // reduction: -1, 0, 1 of a friction that is no longer kFriction
  ForceTermId merged_into;  // reduction: the friction this one is a share of (R5); one with a
                            // `value` as well has the mode of that alone
  Expr merged_ratio;        // reduction: its slip velocity by that of the merged one
  Expr beside;  // reduction: of a friction that is the mean of two sizes, the load beside it
  std::vector<Expr> sides;  // reduction: of one that has been split so, the sizes that must not be
                            // negative
  ForceTermId law;  // reduction: of springs of one deflection that soften, the first of them
  Expr law_ratio;   // reduction: argument = law_ratio * argument of the first
  Expr rest_speed;  // reduction: of a friction of massless bodies that falls with speed, the
                    // one at which it comes to rest; `kinetic` is that beyond
  Expr at_rest;     // of such a friction: what `kinetic` falls from
  Expr least_fall;  // of such a friction that falls along lines: how much at least, by speed,
                    // but for a factor; over parameters. Not above 0: it does not throughout
  std::vector<FallingLine> falls;  // of such a friction: T_K = at_rest - (at_rest - kinetic) *
                                   // sum share * nas(|w|, speed)/speed
  Expr decay;  // of such a friction that falls exponentially, in place of `falls`: T_K = kinetic +
               // (at_rest - kinetic) exp(-|w|/decay)
  bool drive_jumps = false;  // reduction: of a friction, the velocity that its slip is taken
                             // against jumps at times
  LinearForm travel;  // reduction: in kernel B, of a friction a form whose rate is argument; of a
                      // stop the argument
  LinearForm participation;  // generalized force on coordinate i is -participation_i * F (offset
                             // unused, zero)
};

struct SignalState {
  VariableId variable;
  Expr start;
  Expr derivative;
};

/// flow = value, where value may hold other flows (kVariable) that balances determine.
struct FlowEquation {
  VariableId flow;
  Expr value;
  PartId part;
};

/// sum of sign * flow = 0 over one connection set.
struct FlowBalance {
  std::vector<std::pair<VariableId, int>> flows;
};

struct DeferredDefinition {
  VariableId variable;
  Expr value;  // may hold flows and other deferred variables
};

/// What the user wrote about the start of a dependent variable: checked against the coordinates'
/// start values.
struct StartCheck {
  VariableId variable;
  Expr value;  // the variable as a function of q or q' at the start
  bool velocity = false;
};

struct Mechanism {
  Table<CoordinateId, Coordinate> coordinates;
  Table<ForceTermId, ForceTerm> terms;
  std::size_t written_terms = 0;  // terms of the model as written; later ones are made by reduction
  std::map<std::pair<CoordinateId, CoordinateId>, Expr>
      inertia;  // upper triangle, structural nonzeros
  std::vector<SignalState> signal_states;
  std::vector<VariableId>
      representative;                // of every flat variable: the variable that carries its value
  std::vector<VariableId> integral;  // of a representative: what it is the rate of, or invalid
  std::vector<Expr> definitions;  // by variable: its value when known without forces, else invalid
  std::vector<Expr> assertions;   // conditions of the flat model's, in representatives, without der
  std::vector<DeferredDefinition> deferred;  // representatives defined by forces
  std::vector<FlowEquation> flow_equations;
  std::vector<FlowBalance> flow_balances;
  std::vector<StartCheck> start_checks;
  std::set<Expr> limits;    // coefficients of 0 or inf that a limit has been taken for
  std::vector<Expr> fixed;  // over parameters whose present values have been relied on
};

/// A variable of reduction's own, which no equation of the model defines.
[[nodiscard]] VariableId add_variable(Mechanism& mechanism);

/// The argument of such a law is a velocity, not a position.
[[nodiscard]] constexpr bool takes_velocity(TermKind kind) {
  return kind == TermKind::kDamper || kind == TermKind::kFriction;
}

[[nodiscard]] inline bool is_settled(const Mechanism& mechanism, CoordinateId q) {
  return mechanism.coordinates[q].role == CoordinateRole::kSettled;
}

/// The argument of the term depends on a coordinate of kernel B.
[[nodiscard]] bool acts_on_settled(const Mechanism& mechanism, const ForceTerm& term);
/// The same of kernel A.
[[nodiscard]] bool acts_on_creeping(const Mechanism& mechanism, const ForceTerm& term);

/// First order, with a velocity that kernel A gives.
[[nodiscard]] bool is_creep_kernel(const Mechanism& mechanism, CoordinateId q);

enum class MotionOrder : std::uint8_t { kPosition, kVelocity, kAcceleration };

/// q (or q') is a state of the explicit system.
[[nodiscard]] bool is_state(const Coordinate& coordinate, MotionOrder order);

/// Rates of the symbols of known motions: q' of q, q'' of q'.
[[nodiscard]] SymbolMap motion_rates(ExprPool& pool);
/// The time derivative of a known motion: over time, parameters, coordinates and velocities.
[[nodiscard]] Expr rate_of_motion(ExprPool& pool, Expr e);

/// The value of a linear form with q (or q' when `velocity`) as symbols.
[[nodiscard]] Expr to_expr(ExprPool& pool, const LinearForm& form, bool velocity);

/// Of a spring, what its force is proportional to.
[[nodiscard]] Expr strain(ExprPool& pool, const ForceTerm& spring);

/// Names of all symbols of a mechanism.
[[nodiscard]] SymbolNames symbol_names(const Mechanism& mechanism, const FlatModel& flat);

/// Coordinates, inertia, balances and force terms as text.
[[nodiscard]] std::string print(const Mechanism& mechanism, const FlatModel& flat,
                                const ExprPool& pool);

}  // namespace luztar
