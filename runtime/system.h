// What a solver sees of a model: sizes, names and plain functions. JIT-compiled or compiled ahead
// of time alike.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace luztar {

/// Taylor coefficients of higher orders are not to be had.
inline constexpr std::int64_t kMostOrder = 62;

inline constexpr std::uint32_t kNoIndex = std::numeric_limits<std::uint32_t>::max();

struct OutputColumn {
  std::string name;
  std::string unit;
  bool integral = false;  // friction modes and freeplay zones: -1, 0, 1
};

/// The quantity z in a row, by the exponential of which Taylor coefficients are multiplied: where
/// it is still small the first of these say nothing about what it becomes. A divisor z is the
/// exponential of its logarithm.
struct Exponent {
  enum class Of : std::uint8_t {
    kExp,         // exp(z)
    kDecay,       // exp(-z)
    kTanh,        // tanh z
    kHyperbolic,  // sinh z, cosh z
    kDivisor,     // 1/z
  };
  std::uint32_t row = 0;
  Of of = Of::kExp;
};

/// What a switch does with the sign of what it watches.
enum class SwitchKind : std::uint8_t {
  kZone,         // luz(x, a): -1 for x < -a, 0, 1 for x > a; rows x + a and x - a
  kSide,         // sign of x: -1, 1, and 0 while x stays 0
  kPositive,     // x > 0: 1 or 0; 0 while x stays 0
  kNotNegative,  // x >= 0: 1 or 0; 1 while x stays 0
  kFloor,        // greatest integer not above x
  kRoot,         // 0, always: a power whose series says something else beyond a zero
};

/// Of what a switch watches.
enum class Edge : std::uint8_t {
  kAway,   // not at its edge
  kAt,     // there now, and leaves it
  kStays,  // there now and later
};

struct Switch {
  SwitchKind kind = SwitchKind::kSide;
  std::uint32_t row = 0;               // of x, or x + a with x - a in the next row
  std::uint32_t slot = 0;              // of its value in the mode
  std::string name;                    // what it watches, for reports
  std::uint32_t edge_slot = kNoIndex;  // of its Edge, where a power of it has no series
  bool is_watched = false;             // another switch watches what its value is part of
};

/// An impulse of size s on a friction adds -s*constants[constant] to state `state`; -s times the
/// watched quantity `row` where that varies with the state.
struct ResponseEntry {
  std::uint32_t state = 0;
  std::uint32_t constant = 0;
  std::uint32_t row = kNoIndex;
};

/// A part of what a friction falls by as its slip grows from zero to a speed: T_K is that at rest,
/// less what is beyond all of these speeds times sum share * min(|w|, speed)/speed.
struct FallingShare {
  std::uint32_t speed = 0, share = 0;  // constants
  std::uint32_t slot = 0;  // 1 where it slips more slowly and nothing holds its body, else 0
};

/// A dry friction. Frictions of islands come first, then those of settle islands.
struct Friction {
  std::string name;
  std::uint32_t slip_row = 0;  // slip velocity
  bool creep = false;  // of massless bodies with damping: forces give its slip, not its rate
  std::uint32_t free_row = 0;  // its rate (creep: itself) without the frictions of the island; in
                               // a settle island the part of its travel that is not the points'
  std::uint32_t rate_row = kNoIndex;  // in a bound island: rate of the slip without its frictions
                                      // and without what massless bodies add to it
  /// In a bound settle island, of one that creeps: the slip without frictions of the island that
  /// damped bodies without inertia make, and that of bodies with inertia in the next row.
  std::uint32_t creep_slip_row = kNoIndex;
  /// Of a creeping one: what is prescribed of its slip, where that jumps.
  std::uint32_t drive_row = kNoIndex;
  std::uint32_t reserve_row = 0;            // T_S + s, and T_S - s in the next row
  std::uint32_t kinetic_row = 0;            // T_K
  std::uint32_t slip_state = kNoIndex;      // state that equals the slip velocity, or ...
  std::uint32_t velocity_state = kNoIndex;  // ... the one it is a multiple of
  std::uint32_t direction_slot = 0, moving_slot = 0;
  std::uint32_t stop = kNoIndex;  // index of the hard stop that it is
  /// Constant: the speed at which it comes to rest, as it falls with speed below; none: zero.
  std::uint32_t rest_speed = kNoIndex;
  std::uint32_t at_rest_row = kNoIndex;  // of such a friction: T_K at rest
  std::uint32_t beyond_row = kNoIndex;   // likewise, in kernel A: T_K beyond that speed
  std::vector<FallingShare> falls;       // likewise
  /// Constant: of one in kernel A that falls exponentially, in place of a rest speed and shares,
  /// T_K = beyond + (at_rest - beyond) exp(-slip/decay).
  std::uint32_t decay = kNoIndex;
  std::uint32_t ahead_row = kNoIndex;  // of such a one, and that of `end`: see ExplicitFriction
  /// Of a snapping body that none follow, where some fall: 1 for the one that holds, of several
  /// one; else 0.
  std::uint32_t holder_slot = kNoIndex;
  bool driven = false;  // a prescribed motion is part of the slip, which may jump
  std::uint32_t indeterminate_slot = kNoIndex;  // of 1 where its force is one of many; may be none
  bool is_shared = false;       // stands for several frictions, whose forces at rest are of many
  bool sets_relations = false;  // laws take its direction, and may jump with it
  std::vector<ResponseEntry> response;

  /// The state that is zero when the slip velocity is; kNoIndex for frictions of massless bodies.
  [[nodiscard]] std::uint32_t state() const {
    return slip_state != kNoIndex ? slip_state : velocity_state;
  }
};

/// A friction that is a hard stop: contact where a gap is zero, with a force that only pushes.
struct Stop {
  std::uint32_t friction = 0;
  std::uint32_t gap_row = 0;      // x + a, and a - x in the next row
  std::uint32_t restitution = 0;  // constant: Newton's coefficient
  /// On points of a settle island, which decides where it is closed: they have no momentum, so
  /// there is no impact.
  bool on_points = false;
};

/// An entry of G, and its mirror image.
struct GramEntry {
  std::uint32_t i = 0, j = 0;
  std::uint32_t constant = 0;
};

/// One that varies with the state: the watched quantity `row`.
struct VaryingGramEntry {
  std::uint32_t i = 0, j = 0;
  std::uint32_t row = 0;
};

/// Frictions in series on bodies without inertia, where G varies with the state. Their forces are
///   s = t + N y,   N'G N y = N' (rate rows - (G - drag) t),
/// with t by the island's other slots, and N, orthonormal, the forces that move no body without
/// inertia while the frictions of the mode hold. The right-hand side solves for the shortest y.
struct SeriesStresses {
  std::uint32_t count =
      0;  // columns of N, at most; 0: there are no such frictions, or G is constant
  std::uint32_t slot = 0;        // frictions x count, row by row: N, zero beyond the columns in use
  std::uint32_t basis_slot = 0;  // count: 1 for independent rows of N'G N
  std::uint32_t share_slot = kNoIndex;  // count: 1 for columns in use; none: these are independent
};

/// A damped body without inertia on which frictions fall with speed, or hold with more than they
/// slide with.
struct SnappingBody {
  /// By place in the island: the `own` ones, whose slips its speed makes, and those of other such
  /// bodies that dampers and frictions connect with it.
  std::vector<std::uint32_t> frictions;
  std::uint32_t own = 0;
  std::uint32_t network = 0;  // the same for bodies in a row that act on each other at once
  std::uint32_t row = 0;      // what is its own of the slip of the first
  /// Where there are others, else none: what the frictions add to that slip, by the slips of all
  /// `frictions` without these, by their T_K, and by their T_S, one slot each; and 1 where they
  /// hold the body, else 0.
  std::uint32_t share_slot = kNoIndex;

  [[nodiscard]] std::uint32_t held_slot() const {
    return share_slot + 3 * static_cast<std::uint32_t>(frictions.size());
  }
};

/// Frictions that act on each other's slip. In a bound island frictions in series through massless
/// bodies can hold bodies with inertia: forces give slip velocities by creep_gram, and what these
/// leave open is decided by the rates.
struct FrictionIsland {
  bool bound = false;
  std::uint32_t first = 0, count = 0;  // frictions
  std::vector<GramEntry> gram;  // G = D M^-1 D^T; of creep D C^-1 D^T; others vary or are zero
  std::vector<VaryingGramEntry> varying_gram;
  std::vector<std::uint32_t> creep_gram;  // of a bound island: D C^-1 D^T, zero for others
  // Of a bound island: rates by what forces take from dampers. Entries that vary have no mirror
  // image.
  std::vector<std::uint32_t> drag;
  std::vector<VaryingGramEntry> varying_drag;
  std::vector<SnappingBody> snapping;
  std::uint32_t rate_hold_slot = kNoIndex;  // of a bound island: forces by the rate rows; or
  SeriesStresses stresses;
  std::uint32_t hold_slot = 0, kinetic_slot = 0, static_slot = 0;  // count x count each
  /// The forces that hold are solved for in the right-hand side, as the island is large or G
  /// varies. The slots have `count` entries each then, and `hold` is 1 for frictions that are held
  /// and do not depend on each other.
  bool is_solved = false;
  std::uint32_t share_slot = kNoIndex;  // count entries: 1 for all that are held; may be none
};

/// A spring between points of a settle island, of argument x = direction.w + drive; one of one side
/// acts where x > 0, and has no play. Those of one law, where some soften, have x = ratio * x of
/// the spring `law`.
struct SettleSpring {
  std::string name;
  bool one_sided = false;
  std::uint32_t drive_row = 0;
  std::uint32_t edge_row = kNoIndex;               // x + b, and x - b in the next row; none: linear
  std::uint32_t zone_slot = kNoIndex;              // -1, 0, 1
  std::uint32_t stiffness = 0, half_freeplay = 0;  // constants
  std::uint32_t law = kNoIndex, ratio = 0;         // the first spring of its law; constant
};

/// Massless points that follow the balance of forces: kernel B. In a mode their positions and the
/// forces of the frictions are an affine map of what drives them,
///   (w, s) = map * (drives of springs, travels of frictions, T_K of frictions, loads) + offset.
struct SettleIsland {
  std::uint32_t count = 0;  // points
  std::uint32_t first_spring = 0, springs = 0;
  std::uint32_t first_friction = 0, frictions = 0;
  std::uint32_t load_row = 0;             // of the first point's load
  std::vector<std::uint32_t> directions;  // constants: springs then frictions, by points
  std::vector<std::uint32_t> starts;      // constants: positions at the start
  std::uint32_t map_slot = 0, offset_slot = 0;
  /// Some frictions act in series and can hold bodies with inertia. The island has all frictions
  /// that act on these, some of them on no point: such a one has the slip as its travel's rate.
  /// Then
  ///   forces = given * (s of the map) + hold * (rate rows) + static * T_S + creep_hold * (slips
  ///            without frictions of the island and points), the last where some creep. In place
  /// of the term of the rate rows there are stresses where G varies.
  bool bound = false;
  std::vector<GramEntry> gram;                  // D M^-1 D^T by frictions; others vary or are zero
  std::vector<std::uint32_t> creep_gram, drag;  // where some creep; see FrictionIsland
  std::vector<VaryingGramEntry> varying_gram, varying_drag;
  // frictions x frictions each
  std::uint32_t given_slot = 0, hold_slot = kNoIndex, static_slot = 0, creep_hold_slot = kNoIndex;
  SeriesStresses stresses;

  [[nodiscard]] std::uint32_t inputs() const { return springs + 2 * frictions + count; }
  [[nodiscard]] std::uint32_t results() const { return count + frictions; }
};

/// An explicit piecewise-smooth system  dx/dt = f(t, x, c), smooth in each mode.
///
/// The mode is an array of slots: values of the switches, states of the frictions, and the matrices
/// of the islands' affine force maps. `prepare_mode` folds it into the constants c, so that the
/// other functions see numbers only. All arrays are dense and of the sizes given here; SI units.
struct System {
  std::size_t state_count = 0;
  std::size_t slip_state_count = 0;  // of these, the last so many: slip velocities kept besides
  std::size_t row_count = 0;         // states, then watched quantities and intermediate results
  std::size_t slot_count = 0;        // of a mode
  std::size_t parameter_count = 0;
  std::size_t constant_count = 0;  // first those of the parameters, then those of the mode
  std::size_t mode_constants = 0;  // index of the first that depends on the mode
  std::vector<std::string> state_names;
  std::vector<Switch> switches;
  std::size_t result_switches = 0;  // the last so many switch results, and nothing that moves
  std::vector<Friction> frictions;
  std::vector<Stop> stops;
  std::vector<FrictionIsland> islands;
  std::vector<SettleSpring> settle_springs;
  std::vector<SettleIsland> settle_islands;
  std::vector<OutputColumn> outputs;
  std::vector<std::string> assertion_messages;
  std::vector<std::string> dissipators;  // parts that dissipate energy
  std::vector<double> parameters;        // values of the compiled model

  /// Constants of the parameters p, and the initial state x0.
  void (*prepare)(const double* p, double* c, double* x0) = nullptr;
  /// Constants of the mode m, from c + mode_constants on, by those of the parameters.
  void (*prepare_mode)(const double* c, const double* m, double* mode_c) = nullptr;
  /// Taylor coefficients. J[k*row_count + r] is coefficient k of row r; those below order `first`
  /// are given, and the states of order `first`; last <= kMostOrder. Fills rows of watched
  /// quantities of the orders `first` to `last` >= first, and states up to last + 1. Beyond order 0
  /// it may leave out free_row, kinetic_row and both of the reserve for frictions that are idle:
  /// idle[i] != 0 for frictions[i].
  /// No row of order 0 depends on what a friction does that is alone in its island, between bodies
  /// with inertia, but for its own reserves: no law may depend on the force of a friction (LT3007).
  /// One that `sets_relations` is another matter.
  void (*jets)(double t, const double* c, std::int64_t first, std::int64_t last, double* J,
               const std::uint8_t* idle) = nullptr;
  std::vector<Exponent> exponents;  // of what `jets` computes, by row
  std::size_t operations = 1;       // of `jets` at each order
  std::size_t recurrences = 0;      // of these, how many look back at all lower orders
  /// Values of all output columns.
  void (*evaluate_outputs)(double t, const double* x, const double* c, double* y) = nullptr;
  /// Stored energy [J], supplied power [W] and the power lost in each dissipator [W]; null:
  /// there is no audit. Compiled models have one.
  void (*energy)(double t, const double* x, const double* c, double* values) = nullptr;
  /// 1 where an assertion holds, 0 where it fails.
  void (*assertions)(double t, const double* x, const double* c, double* holds) = nullptr;
};

/// A prescribed motion is part of some slip of these frictions, or of an island's.
[[nodiscard]] inline bool is_driven(const System& system, std::uint32_t first,
                                    std::uint32_t count) {
  const auto begin = system.frictions.begin() + first;
  return std::any_of(begin, begin + count, [](const Friction& f) { return f.driven; });
}
[[nodiscard]] inline bool is_driven(const System& system, const FrictionIsland& island) {
  return is_driven(system, island.first, island.count);
}

/// A spring or friction that acts on a point of the island, for reports.
[[nodiscard]] inline const std::string& name_of(const System& system, const SettleIsland& island,
                                                const double* constants) {
  std::uint32_t i = 0;
  const auto acts = [&](std::uint32_t direction) { return constants[direction] != 0; };
  for (auto row = island.directions.begin(); i + 1 < island.springs + island.frictions; ++i) {
    const auto end = row + island.count;
    if (std::any_of(row, end, acts)) break;
    row = end;
  }
  return i < island.springs ? system.settle_springs[island.first_spring + i].name
                            : system.frictions[island.first_friction + i - island.springs].name;
}

}  // namespace luztar
