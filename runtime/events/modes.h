// The mode of a system: values of its switches and states of its frictions, and what follows them.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/events/friction_state.h"
#include "runtime/events/island_decision.h"
#include "runtime/events/pulls.h"
#include "runtime/events/settling.h"
#include "runtime/jets/coefficients.h"
#include "runtime/numbers.h"
#include "runtime/system.h"

namespace luztar {

/// Holds one mode and the constants that follow from it.
class Modes {
 public:
  /// `parameters`: System::parameter_count values. `x0` receives the initial state.
  Modes(const System& system, std::span<const double> parameters, std::span<double> x0);

  /// c for the functions of System; up to date after `apply`.
  [[nodiscard]] const double* constants() const { return constants_.data(); }
  /// Change of a state by a unit of impulse, at the state that J is expanded about.
  [[nodiscard]] double response(const ResponseEntry& entry, const Coefficients& J) const {
    return entry.row == kNoIndex ? constants_[entry.constant] : J[entry.row];
  }
  [[nodiscard]] std::int32_t value(std::size_t s) const { return values_[s]; }
  [[nodiscard]] const FrictionState& friction(std::size_t i) const { return frictions_[i]; }
  [[nodiscard]] const std::vector<FrictionState>& frictions() const { return frictions_; }

  /// Entry of G of friction i with itself: slip velocity taken out by a unit of impulse. Entries
  /// that vary are those at the last `expand`.
  [[nodiscard]] double compliance(std::size_t i) const;
  /// Likewise of one that creeps: slip [m/s, rad/s] per force.
  [[nodiscard]] double slip_by_force(std::size_t i) const;
  /// Springs in the zones of where massless points start, for the values in J. True: there are
  /// some.
  bool begin_settled(Coefficients& J);
  /// Where massless points are for the values in J, before these jump: the next `settle` begins
  /// there.
  void keep_settled(Coefficients& J);
  /// The slip of a friction of a settle island is at its end: whether it holds is to be decided
  /// with T_S.
  void end_settled_slip(std::size_t i);
  /// The slip of a friction of a settle island comes to rest from this speed, as it falls with
  /// speed below; else zero.
  [[nodiscard]] double rest_speed(std::size_t i) const;
  /// Slips between which a friction of kernel A falls as it does now; `begin` of one that falls
  /// exponentially by the capacity in J. From zero on where something holds its body.
  struct FallRange {
    double begin = 0, end = kInfinity;
  };
  [[nodiscard]] FallRange fall_range(std::size_t i, const Coefficients& J) const;
  /// A friction of kernel A that falls exponentially, and nothing else holds its body.
  [[nodiscard]] bool decays_alone(std::size_t i) const;
  /// Massless bodies that snap have the speeds in J before what comes next.
  void note_speeds(const Coefficients& J);

  /// Its force is one of many that give the same motion.
  [[nodiscard]] bool is_indeterminate(std::size_t i) const;
  /// A friction of massless bodies (kernels A and B): forces move it at once, it has no slip state.
  [[nodiscard]] bool is_massless(std::size_t i) const;
  /// pre: not of a settle island.
  [[nodiscard]] std::size_t island_of(std::size_t i) const { return island_of_[i]; }
  /// A friction of a settle island.
  [[nodiscard]] bool settles(std::size_t i) const { return i >= island_of_.size(); }
  /// All coefficients of the force of friction i at its bound are zero but for rounding: others of
  /// a later time may tell what follows.
  [[nodiscard]] bool is_undecided(std::size_t i) const {
    return undecided_[i] != 0 && frictions_[i].at_bound != 0;
  }
  /// By its last decision it is held, by a force to the other side of the one with which it has
  /// slid so far: it is at rest now, and holds with T_S.
  [[nodiscard]] bool has_turned(std::size_t i) const { return turned_[i] != 0; }
  /// A hard stop of points of a settle island.
  [[nodiscard]] bool is_contact_of_points(std::size_t i) const {
    const std::uint32_t stop = system_.frictions[i].stop;
    return stop != kNoIndex && system_.stops[stop].on_points;
  }
  /// True when the slip of friction i is a combination of slips of its island that are zero, by
  /// friction of the system, others than i: then it is zero, too.
  [[nodiscard]] bool depends_on(std::size_t i, std::span<const char> rests) const;
  /// Of a friction of bodies with inertia: its slip in J is not that combination of theirs, but for
  /// rounding, as prescribed motions are part of it.
  [[nodiscard]] bool moves_beside(std::size_t i, std::span<const char> rests,
                                  Coefficients& J) const;
  /// The same of friction `own` of a settle island, beside those of `resting`, all by order of the
  /// island.
  [[nodiscard]] bool moves_beside(std::size_t island, Eigen::Index own,
                                  const std::vector<Eigen::Index>& resting, Coefficients& J) const;

  /// Matrix G = D M^-1 D^T of an island, likewise.
  [[nodiscard]] const Gram& gram(std::size_t island) const { return matrices_[island].gram; }

  /// How forces on massless bodies act on slips, D C^-1 D^T; empty where these do not hold others.
  [[nodiscard]] const Eigen::MatrixXd& creep_gram(std::size_t island) const {
    return matrices_[island].creep_gram;
  }

  /// Impulses, by member of `resting`, that take the slip velocities `slips` of these members of an
  /// island out of the bodies: of bodies with inertia alone, where massless ones follow at once.
  [[nodiscard]] Eigen::VectorXd rest_impulse(std::size_t island,
                                             std::span<const Eigen::Index> resting,
                                             const Eigen::VectorXd& slips) const;

  /// Values of the mode symbols.
  [[nodiscard]] const std::vector<double>& slots() const { return slots_; }

  void set_value(std::size_t s, std::int32_t value);
  /// Of what the switch watches, the base of a power.
  ///   pre: it has an edge slot
  void set_edge(std::size_t s, Edge edge);
  [[nodiscard]] Edge edge(std::size_t s) const {
    return static_cast<Edge>(slots_[system_.switches[s].edge_slot]);
  }
  void set_friction(std::size_t i, const FrictionState& state);
  /// Brings constants and island matrices up to date; false when nothing has changed since.
  bool apply();
  /// Expands J about (t, x) in this mode, and brings the matrices that vary with x up to date.
  void expand(double t, std::span<const double> x, Coefficients& J,
              std::span<const KnownZeros> zeros = {});

  /// Decides all frictions of an island by Gauss' principle (P2 sec. 4) from the coefficients of
  /// their rows in J, in the present switch values and up to J.highest(): those at rest are
  /// held if forces within their bounds can do it, and break away together where not; a force
  /// exactly at its bound is decided by the first Taylor coefficient that leaves it.
  ///   hints:  by friction of the system; a friction not at rest keeps its direction. In a creep
  ///           island forces move the bodies at once: all of its frictions are decided anew, and
  ///           those that are held so far stay so up to T_S
  ///   zeros:  by friction of the system; for one that breaks away, now or in an earlier round of
  ///           the same event, how many leading Taylor coefficients of its slip are zero; for one
  ///           that is held, of the reserve to the bound that its force touches
  void decide(std::size_t island, Coefficients& J, std::span<const FrictionHint> hints,
              std::span<std::uint32_t> zeros);

  /// The last decision of an island follows from the coefficients in J, too. None stands after
  /// `forget_decisions`.
  [[nodiscard]] bool stands(std::size_t island, const Coefficients& J) const {
    return decisions_[island].stands(J);
  }
  void forget_decisions();
  /// From now on T_S of the i-th friction of an island is greater by i + 1 times this share of it.
  void set_tie_break(double share) {
    for (IslandDecision& decision : decisions_) decision.set_tie_break(share);
  }
  /// What keeps forces at their bounds that are not unique, in the present mode at the state of the
  /// last `expand`. Sizes and slacks are left to the caller.
  [[nodiscard]] std::vector<Pull> pulls() const;
  /// The last decision of an island is that of one friction, by the values at the instant and its
  /// own coefficients.
  [[nodiscard]] bool decided_alone(std::size_t island) const {
    return decisions_[island].decided_alone();
  }

  /// Zones and frictions of a settle island, from all orders of J.
  ///   followed:  the points have moved with their map so far; else they are where they were at the
  ///              last decision
  ///   hints:     of this island
  ///   false when the loads exceed what the frictions can hold: no equilibrium
  [[nodiscard]] bool settle(std::size_t island, Coefficients& J, bool followed,
                            const SettleHints& hints, SettleZeros& zeros);
  [[nodiscard]] const SettleState& settled(std::size_t island) const { return settled_[island]; }
  [[nodiscard]] const SettleNumbers& settle_numbers(std::size_t island) const {
    return numbers_[island];
  }

 private:
  /// Constants by index, row by row: n x n, or nothing when there are none.
  [[nodiscard]] Eigen::MatrixXd square(std::span<const std::uint32_t> entries,
                                       Eigen::Index n) const;
  [[nodiscard]] std::uint32_t holder(std::size_t i) const;
  [[nodiscard]] bool is_body_held(std::size_t i) const;
  [[nodiscard]] static std::vector<Eigen::Index> resting(const FrictionIsland& island,
                                                         std::span<const char> rests);
  [[nodiscard]] Gram slips_by_forces(std::size_t island) const;
  void write_island(std::size_t island);
  void write_forces(std::size_t island);
  void write_shares(std::size_t island, const SnappingBody& body);
  bool follow(const Coefficients& J);
  bool follow_settled(const Coefficients& J);
  [[nodiscard]] bool has_basis(const SeriesStresses& stresses, const Eigen::MatrixXd& gram) const;
  void write_stresses(const SeriesStresses& stresses, Eigen::Index count,
                      std::span<const Eigen::Index> held, const Eigen::MatrixXd& regular,
                      const Eigen::MatrixXd& open);
  [[nodiscard]] bool has_basis(std::size_t island) const;
  void write_basis(std::size_t island, std::span<const Eigen::Index> held);
  void write_held(std::size_t island, std::span<const Eigen::Index> held,
                  std::span<const Eigen::Index> others);
  void write_tables(std::size_t island, std::span<const Eigen::Index> held,
                    std::span<const Eigen::Index> others, const LexicographicHoldMap& map);
  void write_held_in_series(std::size_t island, std::span<const Eigen::Index> held,
                            std::span<const Eigen::Index> others);
  [[nodiscard]] bool is_apart(std::uint32_t first, Eigen::Index own,
                              std::span<const Eigen::Index> others, const Eigen::VectorXd& weight,
                              Coefficients& J) const;
  [[nodiscard]] bool follows_motions(std::uint32_t first, Eigen::Index own,
                                     std::span<const Eigen::Index> others, const HeldForces& held,
                                     const Eigen::VectorXd& weight, Coefficients& J) const;
  void number_settle_islands();
  [[nodiscard]] Eigen::VectorXd followed_position(std::size_t island,
                                                  const SettleDrives& drives) const;
  void write_settled(std::size_t island, const SettleDrives& drives);
  [[nodiscard]] bool is_well_within(std::size_t island, Coefficients& J,
                                    const SettleHints& hints) const;
  void write_series(std::size_t island);
  void mark_indeterminate(std::size_t island);
  [[nodiscard]] Eigen::MatrixXd idle_projection(std::size_t island,
                                                std::span<const Eigen::Index> resting) const;
  /// Members at rest, and the places among them of those at their bounds.
  struct Resting {
    std::vector<Eigen::Index> members, at_bound;
  };
  [[nodiscard]] Resting resting(std::uint32_t first, std::uint32_t count) const;
  [[nodiscard]] bool any_at_bound(std::uint32_t first, std::uint32_t count) const;
  void add_pulls(std::uint32_t first, const Resting& resting, const Eigen::MatrixXd& projection,
                 bool varies, std::vector<Pull>& out) const;
  void add_carriers(std::size_t settle_island, std::vector<Pull>& out) const;

  const System& system_;
  std::vector<double> constants_, slots_;
  std::vector<std::int32_t> values_;
  std::vector<FrictionState> frictions_;
  std::vector<char> undecided_;  // by friction
  std::vector<char> turned_;     // likewise
  // By friction, those of settle islands have none: slots of its lines, the greatest speed first.
  std::vector<std::vector<std::uint32_t>> line_slots_;
  std::vector<IslandMatrices> matrices_;       // by island
  std::vector<IslandDecision> decisions_;      // by island
  std::vector<std::size_t> island_of_;         // by friction; those of settle islands have none
  std::vector<const SnappingBody*> snapping_;  // likewise; null: on none
  std::vector<char> changed_;                  // by island
  std::vector<SettleNumbers> numbers_;         // by settle island
  std::vector<SettleState> settled_;
  std::vector<Eigen::MatrixXd> maps_;  // of the mode
  std::vector<SettleMaps> known_maps_;
  std::vector<char> kept_;  // where points were before a jump is known
  std::vector<char> held_;  // see are_held
  bool stale_ = true;
};

}  // namespace luztar
