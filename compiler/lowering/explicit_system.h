// The explicit system: derivatives, margins and outputs as expressions of time, state, parameters
// and mode.
//   contract: expressions hold symbols of kind kTime, kParameter, kState and kMode only, no kDer
//   and no kDry; nothing is implicit, every expression can be evaluated from left to right. Outside
//   noEvent, what derivatives depend on has no luz, abs, min, ... left: in one mode it is smooth,
//   and switches and frictions say where the mode ends.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/base/diagnostics.h"
#include "compiler/reduction/reduction.h"
#include "compiler/semantics/flat_model.h"
#include "compiler/symbolic/expr.h"
#include "runtime/system.h"

namespace luztar {

struct ExplicitState {
  std::string name;  // the flat variable it stands for
  std::string unit;
  Expr start;  // over parameters
  Expr derivative;
};

/// A place where the right-hand side has an edge. Its value is the mode symbol `slot`.
struct ExplicitSwitch {
  SwitchKind kind = SwitchKind::kSide;
  Expr watched;  // x, or x + a of a zone
  Expr upper;    // x - a of a zone, else invalid
  std::uint32_t slot = 0;
  std::string name;  // x in the model's names
  /// A root or power has what is watched as its base: the mode symbol of Edge; or kNoIndex.
  std::uint32_t edge_slot = kNoIndex;
  bool is_watched = false;  // another switch watches what its value is part of
};

/// A part of what a friction of kernel A falls by as its slip grows to a speed.
struct ExplicitFallingLine {
  Expr speed, share;       // over parameters
  std::uint32_t slot = 0;  // 1 where it slips more slowly and nothing holds its body, else 0
};

/// One dry friction that can stick, and its mode symbols. Its force is that of R9 (P2 sec. 2):
///   s = sum_j hold_ij * free_j + kinetic_ij * T_K,j + static_ij * T_S,j   over its island,
/// which in a varying island gives what the force is when it is not held.
struct ExplicitFriction {
  std::string name;    // the part: "kingpin_l"
  Expr slip;           // slip velocity [rad/s or m/s]
  bool creep = false;  // of kernel A: forces give its slip, not its rate
  Expr free;           // its rate (creep: itself) without frictions of the island
  Expr rate;           // in a bound island: its rate likewise, less that of creep
  /// In a bound settle island, of one that creeps: the slip without frictions of the island that
  /// damped bodies without inertia make, and that of bodies with inertia. Else invalid.
  Expr creep_slip, body_slip;
  Expr drive;  // of a creeping one: the velocity that is prescribed of its slip, where it jumps
  Expr reserve_below, reserve_above;  // T_S + s and T_S - s
  Expr kinetic;                       // T_K at the present slip
  /// Over parameters: slips are faster than this, since the friction falls below; or invalid.
  Expr rest_speed;
  Expr at_rest;  // of such a friction: T_K at rest
  Expr beyond;   // of such a friction of kernel A: T_K where it has fallen
  std::vector<ExplicitFallingLine> falls;  // likewise
  /// Of one of kernel A that falls exponentially, in place of a rest speed: T_K = beyond + (at_rest
  /// - beyond) exp(-slip/decay); over parameters.
  Expr decay;
  /// Of such a one, where nothing else holds its body: zero where its slip ends, and that slip over
  /// `decay`, which is not positive where it ends at rest.
  Expr ahead, end;
  /// Of a snapping body that none follow, where some fall: 1 for the one that holds, of several
  /// one.
  std::uint32_t holder_slot = kNoIndex;
  std::uint32_t direction_slot = 0;  // -1, 1, or 0 when it does not slip, or has no capacity
  std::uint32_t moving_slot = 0;     // 0 when the slip is held at zero, else 1
  /// 1 when its force is one of many that give the same motion; kNoIndex when that cannot be.
  std::uint32_t indeterminate_slot = kNoIndex;
  bool is_shared = false;  // stands for several frictions, whose forces at rest are of many
  /// Zero slip has to be exactly zero: the state that it is a multiple of, or one more state that
  /// is the slip velocity by itself.
  std::uint32_t velocity_state = kNoIndex;
  std::uint32_t slip_state = kNoIndex;
  bool driven = false;          // a prescribed motion is part of the slip
  bool varies = false;          // there may be no capacity for a while: T_S varies, or is zero
  bool sets_relations = false;  // what moves compares its slip with zero, or takes the sign
  /// Slip velocity taken out by a unit of impulse: x_i += -impulse * response_i.
  std::vector<std::pair<std::uint32_t, Expr>> response;          // over parameters
  std::vector<std::pair<std::uint32_t, Expr>> varying_response;  // likewise, over states
};

/// A friction that is a hard stop: contact at x = -a or x = a, where its force only pushes.
struct ExplicitStop {
  std::uint32_t friction = 0;
  Expr gap_below, gap_above;  // x + a and a - x
  Expr restitution;           // over parameters
  bool on_points = false;     // of a settle island
};

/// An entry of G over states, and its mirror image.
struct ExplicitGramEntry {
  std::uint32_t i = 0, j = 0;
  Expr value;
};

/// A damped body without inertia on which frictions fall with speed, or hold with more than they
/// slide with; see SnappingBody.
struct ExplicitSnappingBody {
  std::vector<std::uint32_t> frictions;  // by place in the island, the `own` ones first
  std::uint32_t own = 0;
  std::uint32_t network = 0;
  std::uint32_t share_slot = kNoIndex;
  Expr speed;  // what is its own of the slip of the first
};

/// Frictions that act on each other's slip, with the matrix G = D M^-1 D^T of P2 sec. 4; in kernel
/// A with the damping in place of M, where slip velocities stand in place of their rates.
struct ExplicitIsland {
  std::uint32_t first = 0, count = 0;   // frictions
  std::vector<ExplicitGramEntry> gram;  // over parameters; others vary or are zero
  std::vector<ExplicitGramEntry> varying_gram;
  /// Of a bound island, where frictions in series through massless bodies can hold others: D C^-1
  /// D' of those in kernel A, while gram holds D M^-1 D' of all.
  std::vector<Expr> creep_gram;
  // Of a bound island: rates by what forces take from dampers. Entries that vary are zero here;
  // they have no mirror image.
  std::vector<Expr> drag;
  std::vector<ExplicitGramEntry> varying_drag;
  std::vector<ExplicitSnappingBody> snapping;
  std::uint32_t rate_hold_slot = kNoIndex;  // of a bound island: forces by `rate`; or
  SeriesStresses stresses;
  // Mode symbols: count x count each, row by row. Of an island whose forces that hold are solved
  // for in the right-hand side, as it is large or G varies, their diagonals: `hold` is 1 for
  // frictions that are held and do not depend on each other.
  std::uint32_t hold_slot = 0, kinetic_slot = 0, static_slot = 0;
  bool is_solved = false;
  /// Of a solved island with frictions that may depend on each other: 1 for all that are held.
  std::uint32_t share_slot = kNoIndex;

  /// Slots from one entry of a diagonal to the next.
  [[nodiscard]] std::uint32_t diagonal() const { return is_solved ? 1 : count + 1; }
};

/// A spring of a settle island: force k luz(x, b) with x = directions.w + drive; one of one side, k
/// max(x, 0), has b = 0. Where some of one deflection soften they are one law: x = ratio * x of its
/// first spring, the index `law`.
struct ExplicitSettleSpring {
  std::string name;
  bool one_sided = false;
  std::uint32_t law = kNoIndex;
  Expr ratio;  // of a law; over parameters
  Expr drive;
  Expr edge_below, edge_above;  // x + b and x - b; invalid: linear
  std::uint32_t zone_slot = kNoIndex;
  Expr stiffness, half_freeplay;  // over parameters
};

/// Massless points in the balance of springs, frictions and loads (kernel B): their positions and
/// the forces of the frictions are an affine map, with slots for its entries, of the drives of the
/// springs, the travels of the frictions (`free`), their T_K, and the loads.
struct ExplicitSettleIsland {
  std::uint32_t first_spring = 0, springs = 0;
  std::uint32_t first_friction = 0, frictions = 0;
  std::vector<Expr> loads;       // by point
  std::vector<Expr> directions;  // springs then frictions, by points; over parameters
  std::vector<Expr> starts;      // by point; over parameters
  std::uint32_t map_slot = 0, offset_slot = 0;
  /// Some of the frictions act in series and can hold bodies with inertia. Then all frictions that
  /// act on these are in the island, some of them on no point, and
  ///   s = given * (s of the map) + hold * (`rate` of the frictions) + static * T_S
  ///       + creep_hold * (slips of the frictions, without frictions of the island and points),
  /// with slots of frictions x frictions each; the last term where some creep, and in place of that
  /// with the rates there are stresses where G varies.
  bool bound = false;
  std::vector<ExplicitGramEntry> gram;  // D M^-1 D^T; others vary or are zero
  std::vector<Expr> creep_gram, drag;   // where some creep; see ExplicitIsland
  std::vector<ExplicitGramEntry> varying_gram, varying_drag;
  std::uint32_t given_slot = 0, hold_slot = kNoIndex, static_slot = 0, creep_hold_slot = kNoIndex;
  SeriesStresses stresses;
};

enum class OutputKind : std::uint8_t {
  kVariable,
  kFrictionMode,
  kFreeplayZone,
  kIndeterminate,
};

struct ExplicitOutput {
  std::string name;
  std::string unit;
  OutputKind kind = OutputKind::kVariable;
  Expr value;
};

/// A variable or parameter that a condition compares, as the model writes it.
struct ExplicitOperand {
  std::string name;
  std::string unit;
  bool is_condition = false;  // true or false, not a number
  Expr value;
  Span span;  // of the declaration, or the binding of a parameter
};

struct ExplicitAssertion {
  Expr condition;
  std::string message;
  Span span;
  std::vector<ExplicitOperand> operands = {};
  Code code = Code::kAssertionStopped;  // of the model; others follow from laws of a part
  PartId part = {};
};

/// Energies for the audit.
struct ExplicitEnergy {
  Expr stored;                                           // [J]
  Expr supplied;                                         // power [W]
  std::vector<std::pair<std::string, Expr>> dissipated;  // by part: power [W]
};

struct ExplicitSystem {
  std::vector<ExplicitState> states;  // slip states last
  std::size_t slip_states = 0;
  std::uint32_t slots = 0;  // mode symbols
  std::vector<ExplicitSwitch> switches;
  std::size_t result_switches = 0;  // the last so many: only results and assertions depend on them
  std::vector<ExplicitFriction> frictions;
  std::vector<ExplicitStop> stops;
  std::vector<ExplicitIsland> islands;
  std::vector<ExplicitSettleSpring> settle_springs;
  std::vector<ExplicitSettleIsland> settle_islands;
  std::vector<ExplicitOutput> outputs;
  std::vector<ExplicitAssertion> assertions;
  std::optional<ExplicitEnergy> energy;
  ReductionLog log;  ///< limits that are taken here, beside those of the reduction
  /// Variables without a unique value (constraint forces of redundant rigid connections): no
  /// output.
  std::vector<std::string> indeterminate;
};

}  // namespace luztar
