// Where a mode ends, and what follows.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/events/margin.h"
#include "runtime/events/mode_history.h"
#include "runtime/events/modes.h"
#include "runtime/events/pulls.h"
#include "runtime/events/repeated_margins.h"
#include "runtime/system.h"

namespace luztar {

/// Decides modes at the start and at events, and lists the margins of the present mode.
class EventEngine {
 public:
  /// `peaks`: by row, the greatest values of the run so far of those that margins watch; kept.
  EventEngine(const System& system, Modes& modes, std::int64_t order,
              const std::vector<double>& peaks);

  /// The mode at the start. x: the initial state; states that are slip velocities are set.
  ///   false when no consistent mode was found
  [[nodiscard]] bool start(double t, std::span<double> x);
  /// The mode after the margins `fired` have reached zero at (t, x) together. Slip
  /// velocities that came to rest are exactly zero in x afterwards.
  ///   false when no consistent mode was found
  [[nodiscard]] bool resolve(double t, std::span<double> x, std::span<const FiredMargin> fired);

  /// Nothing that moves depends on these margins.
  [[nodiscard]] bool is_of_results(std::span<const FiredMargin> fired) const;
  /// The values of such switches after the margins `fired` have reached zero at (t, x): the motion
  /// goes on in its mode.
  void resolve_results(double t, std::span<const double> x, std::span<const FiredMargin> fired);

  [[nodiscard]] const std::vector<Margin>& margins() const { return margins_; }
  /// What keeps forces at their bounds that are not unique: the mode ends where one falls below
  /// zero by more than its slack, as a margin does, with no margin fired. The forces have no
  /// jump there, and the motion does not change.
  [[nodiscard]] const std::vector<Pull>& pulls() const { return pulls_; }
  /// Follows pulls whose weights vary with the state. True when one is below zero: the forces are
  /// to be decided again.
  [[nodiscard]] bool lets_go(double t, std::span<const double> x);
  /// The mode has been taken because rounding leaves no other: it is to be decided again as soon as
  /// the motion has gone on.
  [[nodiscard]] bool is_provisional() const { return contradicts_ || repeated_.any(); }
  /// The same, or what some friction does follows from rounding alone, and no margin tells when
  /// that has changed.
  [[nodiscard]] bool rests_on_rounding() const;
  /// After a decision: what a switch watches leaves zero without a Taylor series, so that only the
  /// next instants can tell where to.
  [[nodiscard]] bool lacks_series();
  /// A margin that has been left to tend to the edge of its zone is away from it by more than the
  /// errors of steps.
  [[nodiscard]] bool tends_away(double t, std::span<const double> x);
  /// The zeros hold for the first step after an event only.
  void forget_zeros();
  /// After a failure: what the switches watch that do not settle.
  [[nodiscard]] const std::vector<std::string>& unsettled() const { return unsettled_; }
  /// After a failure: what was not the same in the modes that were tried last, empty where one
  /// mode alone failed.
  [[nodiscard]] std::vector<VisitedModes> visited() const { return history_.changing(system_); }
  /// After a failure: the points of a settle island have no equilibrium. A spring or friction of
  /// it.
  [[nodiscard]] const std::string& unbalanced() const { return unbalanced_; }
  /// After a failure: a friction that would hold with less than what it slips with.
  [[nodiscard]] const std::string& weak_at_rest() const { return weak_at_rest_; }
  /// After a failure: hard stops that prescribed motions close in on.
  [[nodiscard]] const std::vector<std::string>& blocked() const { return blocked_; }
  /// Impacts so far, by friction.
  [[nodiscard]] const std::vector<std::uint64_t>& impacts() const { return impacts_; }
  /// The work that prescribed motions did by the impulses of this instant [J].
  [[nodiscard]] double impulse_work() const { return impulse_work_; }
  /// What the margin watches, for reports.
  [[nodiscard]] std::string name(const Margin& margin) const;

 private:
  /// Rounds of mutual decisions: more means that the model has no consistent mode.
  static constexpr int kRounds = 100;

  bool start_motion(double t, std::span<double> x);
  bool resolve_motion(double t, std::span<double> x, std::span<const FiredMargin> fired);
  void begin_switches(double t, std::span<const double> x);
  void follow_results(double t, std::span<const double> x);
  void keep_rows_of_results();
  void find_zeros_of_results();
  void list_results();
  void evaluate(double t, std::span<const double> x);
  [[nodiscard]] bool is_mere_edge(double t, std::span<const FiredMargin> fired) const;
  void pass_edge(double t, const FiredMargin& fired);
  void find_tending(double t, std::span<const double> x, std::span<const FiredMargin> fired);
  [[nodiscard]] std::int64_t coefficient_that_tells(std::uint32_t row);
  [[nodiscard]] bool still_tends(const Switch& zone);
  void note_speeds(double t, std::span<const double> x);
  [[nodiscard]] bool any_jumps(std::span<const FiredMargin> fired) const;
  void keep_before_jump(double t, std::span<const double> x, std::span<const FiredMargin> fired);
  void note_error_of_instant(double t, std::span<const FiredMargin> fired);
  void keep_rows();
  [[nodiscard]] bool is_off_edge(const Switch& s);
  void fire(const FiredMargin& fired);
  [[nodiscard]] bool has_no_play(const Switch& zone);
  bool passes_rest(std::uint32_t friction, std::span<double> x);
  bool is_held_by_others(double t, std::uint32_t friction, std::span<double> x);
  void come_to_rest(std::uint32_t friction, std::span<double> x);
  [[nodiscard]] bool ends_at_rest(const Margin& margin) const;
  void stop_island(std::size_t island);
  [[nodiscard]] std::span<const FiredMargin> add_ending_slips(double t, std::span<const double> x,
                                                              std::span<const FiredMargin> fired);
  void stop_together(double t, std::span<double> x, std::span<const FiredMargin> fired);
  void rest_in_series(double t, std::span<double> x, std::span<const FiredMargin> fired);
  void note_holding(const SettleIsland& island);
  void end_holds_at_jumps(double t, const SettleIsland& island, std::span<const double> x);
  void rest_on_points(double t, std::size_t island, std::span<double> x);
  void take_out_slips(std::size_t island, const std::vector<Eigen::Index>& resting,
                      std::span<double> x);
  void take_out_slips(double t, std::size_t settle_island, const std::vector<Eigen::Index>& resting,
                      std::span<double> x);
  void find_resting_in_series(std::size_t index, std::span<const double> x,
                              std::vector<Eigen::Index>& resting);
  [[nodiscard]] bool slips_with_motion(const Friction& f, std::span<const double> x);
  /// `closing`: contacts that close in this instant, and impacts, take massless bodies along,
  /// whatever held these.
  void find_resting(const FrictionIsland& island, std::span<const double> x, bool closing = false);
  void find_ended();
  [[nodiscard]] bool passes_zero(std::uint32_t i);
  [[nodiscard]] bool ends_with_others(std::uint32_t i);
  template <class TakeOut>
  void take_out_exactly(std::uint32_t first, std::uint32_t count, std::span<double> x,
                        TakeOut take_out) const;
  void rest_together(double t, std::size_t island, std::span<double> x);
  bool hold_together(double t, std::size_t island, const std::vector<Eigen::Index>& resting,
                     std::span<double> x);
  void hold_on_points(double t, std::size_t settle_island, const std::vector<Eigen::Index>& resting,
                      std::span<double> x);
  void begin_instant(double t);
  [[nodiscard]] bool is_zone(std::uint32_t index) const {
    return system_.switches[index].kind == SwitchKind::kZone;
  }
  void start_stop(std::uint32_t friction);
  void note_approaches(double t, std::span<const double> x);
  void note_stopped(double t, std::span<const double> x);
  void hit_massless(std::uint32_t friction, std::int8_t side);
  void close_contact(std::uint32_t friction, std::int8_t side);
  void note_settled(double t, std::span<const double> x);
  [[nodiscard]] bool is_zero_in_mode(std::uint32_t row);
  bool impact(double t, std::span<double> x);
  [[nodiscard]] bool is_hit(std::uint32_t first, std::uint32_t count, bool bound) const;
  /// Of damped bodies without inertia, also where undamped ones are in series with them.
  [[nodiscard]] static bool creeps(const Friction& f) {
    return f.creep || f.creep_slip_row != kNoIndex;
  }
  [[nodiscard]] bool is_massless_contact(std::uint32_t friction) const {
    const Friction& f = system_.frictions[friction];
    return f.stop != kNoIndex && (creeps(f) || modes_.is_contact_of_points(friction));
  }
  /// Frictions on the way of a prescribed motion.
  struct DrivenFrictions {
    std::uint32_t first = 0, count = 0;
    double speed = 0;  // the greatest of their slips so far, or of what these are the difference of
  };
  struct Struck {
    bool blocked = false;              // prescribed motions close in on the contacts
    std::vector<Eigen::Index> closed;  // members of paths that have no speed afterwards
    Eigen::VectorXd impulse;           // by member
  };
  [[nodiscard]] Struck strike(std::uint32_t first, const Gram& gram,
                              const Eigen::MatrixXd& massless, std::span<double> x);
  [[nodiscard]] double work_of_motions(double t, std::uint32_t first,
                                       const Eigen::VectorXd& impulse, std::span<const double> x);
  [[nodiscard]] double restitution_of_path(std::uint32_t first, const Eigen::VectorXd& path,
                                           const Eigen::VectorXd& restitution, double speed) const;
  [[nodiscard]] bool is_rounding_of_path(std::uint32_t first, const Eigen::VectorXd& path,
                                         double slip);
  bool leave_folds(double t, std::span<double> x);
  bool decide_islands(int round, bool massless);
  bool decide(std::size_t island);
  void name_blocked(std::uint32_t first, std::size_t count);
  void apply_impulse(std::uint32_t friction, double impulse, std::span<double> x);
  void follow_impact(std::uint32_t friction, double slip, std::int8_t side, double after,
                     std::span<double> x);
  [[nodiscard]] std::int8_t side_that_touches(std::uint32_t friction);
  [[nodiscard]] bool is_rounding_of_gap(const Friction& stop, double height, double rounding);
  [[nodiscard]] bool has_no_play(const Friction& stop);
  bool rest_on_contacts(double t, std::size_t index, std::span<double> x);
  bool rest_points_on_contacts(double t, std::size_t settle_island, std::span<double> x);
  bool end_bounces(double t, std::span<double> x);
  [[nodiscard]] bool end_bounce(std::uint32_t friction, double t);
  void turn_slips(const FrictionIsland& island, std::span<const double> x);
  void list_stop(std::uint32_t friction);
  bool settle(double t, std::span<double> x);
  bool settle_rounds(double t, std::span<double> x, bool& ends);
  bool settle_points();
  void list_edges(std::size_t island);
  [[nodiscard]] std::uint32_t row_between(std::uint32_t index, std::int32_t value) const;
  bool leaves_zone(std::uint32_t index, std::int32_t value);
  void forget_jumped_zeros();
  bool take_for_zero(const Switch& s, std::uint32_t row);
  [[nodiscard]] bool is_held_at_zero(const Switch& s, double t);
  [[nodiscard]] bool follows_rounding(const Switch& s);
  void note_held_switch(std::uint32_t index, double t);
  void wait_for_slips(std::span<const FiredMargin> fired);
  bool stop_waiting();
  [[nodiscard]] bool is_zero_now(const Switch& s) const;
  bool mark_edges();
  void check_touches();
  void note_edges();
  bool follow_jumped_values();
  [[nodiscard]] bool jumps_away(const Switch& s);
  bool follow_switches(double t, std::span<const double> x);
  [[nodiscard]] bool is_rounding_of_slip(const Friction& friction, double slip);
  [[nodiscard]] double instant_of_slip(const Friction& friction);
  [[nodiscard]] static double velocity_scale(const Friction& friction, std::span<const double> x);
  [[nodiscard]] bool slip_jumps(std::uint32_t friction, std::span<const double> x);
  [[nodiscard]] bool drive_jumps(std::uint32_t i);
  void follow_jumps(std::span<double> x);
  void slide_at_jumps(double t, std::span<const double> x);
  void leave_rest(const FrictionIsland& island);
  void leave_stop(std::uint32_t friction);
  void follow_contact(std::uint32_t friction, std::int8_t opens, std::uint32_t zeros);
  bool static_bounds_suffice();
  bool some_undecided() const;
  [[nodiscard]] bool any_base_is_zero() const;
  [[nodiscard]] bool lacks_capacity(std::uint32_t friction) const {
    return modes_.friction(friction).free && system_.frictions[friction].stop == kNoIndex;
  }
  [[nodiscard]] bool any_lacks_capacity() const;
  bool only_own_decision() const;
  [[nodiscard]] bool holds_within_bounds();
  [[nodiscard]] bool is_cycle() const;
  [[nodiscard]] bool is_tie() const;
  [[nodiscard]] bool fits();
  [[nodiscard]] bool fits(std::uint32_t friction);
  [[nodiscard]] int sign_that_tells(std::uint32_t row, std::uint32_t zeros);
  void note_round(int round);
  bool needs_decision(const FrictionIsland& island) const;
  void list_margins();
  void list_pulls();
  [[nodiscard]] double size_of(const Pull& pull);
  std::uint32_t zeros_of(std::uint32_t row);
  std::uint32_t zeros_in_zone(std::uint32_t row, double sign);
  std::array<std::uint32_t, 2> zeros_of_reserves(std::uint32_t friction);
  [[nodiscard]] std::uint32_t true_zeros(std::uint32_t row, double sign, std::uint32_t zeros);
  void list_switch(std::uint32_t index);
  void list_held(DrivenFrictions& driven);
  void list_slip(std::uint32_t friction, std::uint32_t row);
  void list_tending(std::uint32_t friction, std::uint32_t row);
  [[nodiscard]] bool never_resists(std::uint32_t friction);
  void list_bend(std::uint32_t friction, std::uint32_t row, double speed, std::int8_t side);

  /// A value this great against what it is the difference of is no error of steps.
  static constexpr double kJump = 1e-9;
  /// [s] Of an event at t and the coarsest tolerance.
  [[nodiscard]] static double greatest_error_of(double t) {
    return 1e-8 * std::max(1.0, std::fabs(t));
  }

  const System& system_;
  Modes& modes_;
  const std::vector<double>& peaks_;
  Coefficients J_;
  std::vector<std::uint32_t> row_zeros_;  // by row: leading coefficients known to be zero
  std::vector<char> row_tends_;           // by row: the margin of a zone that tends to its edge
  std::vector<double> tending_size_;      // likewise: size of its terms
  std::vector<FrictionHint> hints_;
  std::vector<std::uint32_t> zeros_;
  std::vector<KnownZeros> slip_zeros_;
  std::vector<std::int8_t> hit_;  // by friction: side of a stop that is hit or left in this instant
  // By friction: the side of a stop whose gap is zero in this instant, whatever events it has, and
  // the leading coefficients that are.
  std::vector<std::int8_t> touching_;
  std::vector<std::uint32_t> gap_zeros_;
  std::vector<char> bounced_;  // by friction: left its stop by an impact in this instant
  std::vector<char> idle_;     // by friction: without capacity throughout the mode
  std::vector<char> pushed_;   // by friction: an impact has changed the speeds of its bodies
  std::vector<double>
      approach_;  // by friction: slip of an open contact at massless bodies [m/s, rad/s]
  std::vector<char> settled_;  // by friction: a light body would have come to rest on this stop
  std::vector<double>
      rebound_;  // by friction: speed of the last rebound from its stop [m/s, rad/s]
  std::vector<std::int8_t> contact_before_;  // by friction: of a stop, before the next decision
  std::vector<char> rests_;           // by friction: in islands where one stops, its slip is zero
  std::vector<std::size_t> decided_;  // islands, in this round
  std::vector<std::size_t> stopped_;  // islands where a slip has come to zero in this instant
  std::vector<FiredMargin> with_slips_;  // see add_ending_slips
  std::vector<std::uint32_t> tending_;   // rows of zones that may tend to their edge
  std::vector<std::uint64_t> impacts_;
  // By zone: coefficients of the margin that was left from inside in this instant.
  std::vector<std::vector<double>> inside_;
  std::vector<std::int8_t> edge_reached_;  // by spring of settle islands: in this instant
  std::vector<std::int8_t> edge_left_;
  std::vector<std::uint32_t> edge_zeros_;  // of the edge left
  // Switches that watch the base of a power; of these, those at their edge that leave it; by
  // switch, how far from its edge rounding put one that is exactly there.
  std::vector<std::uint32_t> base_switches_, leaving_;
  std::vector<double> dust_;
  bool leaves_roots_ = false;                // there were such in the last decision
  std::vector<std::uint8_t> held_switches_;  // by switch: of a speed that frictions hold at zero
  std::vector<std::uint8_t> waits_;  // by switch: until what ends in this instant has been decided
  std::vector<Margin> margins_;      // those of results last
  std::vector<Pull> pulls_;
  RepeatedMargins repeated_;
  std::size_t motion_switches_;  // the first so many switches: motion depends on them
  std::size_t motion_margins_ = 0;
  std::vector<double> row_before_;          // of results: before a jump, or at the first look
  std::vector<double> before_jump_;         // of the motion: likewise; none: not looked at yet
  std::vector<double> slip_before_jump_;    // at the event of a switch, by friction; or none
  std::vector<double> drive_before_jump_;   // likewise, of Friction::drive_row
  std::vector<double> travel_before_jump_;  // likewise, of settle islands: rates of travels
  double impulse_work_ = 0;                 // [J]
  double instant_ = 0;                      // of the last event of the motion [s]
  std::vector<std::vector<FrictionState>> decided_states_;  // by round of an event
  ModeHistory history_;  // of the last rounds, when they come near kRounds
  std::vector<std::string> unsettled_;
  std::string unbalanced_, weak_at_rest_;
  std::vector<std::string> blocked_;
  bool creeps_ = false;  // some friction is one of massless bodies ...
  bool snaps_ = false;   // ... that falls with speed, or holds with more than it slides with
  std::vector<DrivenFrictions> driven_;  // of islands with more than one friction
  bool holds_all_the_same_ = false;      // that slips say otherwise has changed nothing
  bool any_zeros_ = false;
  bool contradicts_ = false;  // the mode is one of two that follow from each other
  bool any_tends_ = false;    // some zone may tend to its edge
};

}  // namespace luztar
