// What the dry frictions of an island do from an event on: Gauss' principle, order by order of
// their Taylor coefficients (P2 sec. 4; theory sec. 3, 4).
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "runtime/events/friction_state.h"
#include "runtime/jets/coefficients.h"
#include "runtime/pwl/held_forces.h"
#include "runtime/pwl/least_balance.h"
#include "runtime/pwl/lexicographic_minimum.h"
#include "runtime/pwl/next_balance.h"
#include "runtime/system.h"

namespace luztar {

/// A slip rate this small against the terms it is the sum of is zero.
inline constexpr double kRoundingOfRate = 1e-12;
/// So are the derivatives of a creeping slip that is rounding itself: they have its rates of decay,
/// which may be those of the stiffest spring against the softest.
inline constexpr double kRoundingOfCreep = 1e-10;
/// A force this near to its bound is at it.
inline constexpr double kRoundingOfForce = 1e-13;
/// One that has reached its bound by an event is this near at least.
inline constexpr double kNear = 1e-9;
/// So are the derivatives of what tends to a limit: rates of decay carry the errors of steps along.
inline constexpr double kErrorOfSteps = 1e-10;

/// Taylor coefficients of a slip that is zero, by as many of its rate. Those that are rounding are
/// zero, too: against these all others would last for ever.
[[nodiscard]] inline std::vector<double> slip_by_rates(Coefficients& J, std::uint32_t rate_row,
                                                       std::int64_t orders) {
  std::vector<double> slip{0};
  for (std::int64_t k = 0; k < orders; ++k) {
    const double rate = J.at(k, rate_row);
    const bool is_known = std::fabs(rate) > kRoundingOfRate * J.size(k, rate_row);
    slip.push_back(is_known ? rate / static_cast<double>(k + 1) : 0);
  }
  return slip;
}

/// How forces of an island act on its slips, count x count.
struct IslandMatrices {
  Gram gram;                                    // G = D M^-1 D^T
  Eigen::MatrixXd creep_gram, drag;             // of a bound island, else empty
  std::vector<std::vector<FallingPart>> falls;  // by friction, where some fall with speed
  std::vector<double> decay;                    // likewise; 0: not exponentially
  [[nodiscard]] bool is_bound() const { return creep_gram.size() > 0; }
  /// Slip of i by a force on j, of two that creep.
  [[nodiscard]] double creep_entry(Eigen::Index i, Eigen::Index j) const {
    return is_bound() ? creep_gram(i, j) : gram(i, j);
  }
  /// Those entries.
  [[nodiscard]] Gram creep_entries() const { return is_bound() ? Gram(creep_gram) : gram; }
};

/// Decides one island, again and again: it keeps its storage.
class IslandDecision {
 public:
  enum class Rest : std::uint8_t {
    kSlips,
    kHeld,
    kCritical,   // its force is at a bound, and coefficients so far do not tell where it goes
    kSaturated,  // its force stays at a bound, and others hold it
  };

  /// What a friction does, by order of the island.
  struct Member {
    Rest rest = Rest::kHeld;
    std::int8_t side = 0;     // of slip, or of the bound while critical
    std::int8_t came = 0;     // the direction of its slip before the instant
    std::int8_t contact = 0;  // of a stop: the side on which it pushes, else 0
    std::uint8_t ahead = 0;   // see FrictionState
    bool slides = false;      // of massless bodies: its bound is T_K
    bool slips_on = false;    // it slips, or has broken away to a smaller force
    bool passes = false;      // its slip comes to zero in this instant, and may go through
    bool broke = false;       // the latter
    bool crossed = false;     // in this instant its slip has gone through zero
    bool returned = false;    // it did, and did not slip after all
    bool ended = false;       // its slip has come to an end in this instant
    // Bodies that hold it part at this order, and it would slip on; but `follows` if the next order
    // says that it is taken along.
    bool creeps_on = false, follows = false;
    // Order at which its bound was what keeps it from being longer, and from which on that is not
    // so as the motion needs a force below the bound.
    Eigen::Index saturated_at = 0, falls_from = std::numeric_limits<Eigen::Index>::max();
    double excess = 0;        // of the force beyond that bound, were it let loose there
    std::uint32_t zeros = 0;  // leading coefficients of the slip, or of the reserve, that are zero
    Eigen::Index known_zeros = 0;  // of the slip, of massless bodies: from an earlier round
    // Leading coefficients of the rate that are what the place of a multiple root of the slip
    // leaves of them.
    Eigen::Index dust = 0;

    /// Whatever has let it go in this instant.
    void hold() {
      rest = Rest::kHeld;
      side = 0;
      slides = slips_on = broke = false;
    }
    [[nodiscard]] bool is_at_bound() const {
      return rest == Rest::kCritical || rest == Rest::kSaturated;
    }
  };

  /// `system` outlives this.
  IslandDecision(const System& system, const FrictionIsland& island);

  /// Up to J.highest(). Those at rest are held if forces within their bounds can do it, and break
  /// away together where not; a force exactly at its bound is decided by the first coefficient that
  /// leaves it.
  ///   hints, states   of this island: what the event tells, and what was before it
  ///   zeros           likewise: of those that broke away in earlier rounds of this event
  void run(const IslandMatrices& matrices, Coefficients& J, std::span<const FrictionHint> hints,
           std::span<const FrictionState> states, std::span<const std::uint32_t> zeros);

  /// The last decision followed from values alone, no coefficients of higher order, and those in J
  /// are the same.
  [[nodiscard]] bool stands(const Coefficients& J) const;
  /// Another instant begins.
  void forget() {
    basis_.clear();
    rested_.assign(members_.size(), 0);
  }
  /// See Modes::set_tie_break.
  void set_tie_break(double share) { tie_break_ = share; }
  /// The last decision was that of one friction, by its own values and those of its reserve's rate.
  [[nodiscard]] bool decided_alone() const { return decided_alone_; }
  /// Massless bodies that snap have the speeds in J before an event.
  void note_speeds(const Coefficients& J) {
    for (SnappingNetwork& network : snapping_) {
      for (Snapping& body : network) body.speed = J[body.row];
    }
  }

  [[nodiscard]] const std::vector<Member>& members() const { return members_; }
  /// It has no capacity, or loses the last of it, and so neither holds nor resists.
  [[nodiscard]] bool is_free(std::size_t i) const;
  /// It slides on in this direction with a slip that tends to zero.
  [[nodiscard]] bool tends_to_rest(std::size_t i, std::int8_t direction) const;

 private:
  using Vector = Eigen::VectorXd;
  using Index = Eigen::Index;

  struct OrderSolution {
    BoxMinimum box;  // residual: rates, of creep slips
    Vector slip;     // of a bound island: slips of creeping members, 0 where only rates tell
    // Of a bound island, by member at rest: what the slips follow from.
    Eigen::MatrixXd creep_gram, drag;
    Vector creep_slip;
  };
  /// What a friction of bodies with inertia is decided by at order 0.
  struct Values {
    double free, kinetic, bound;
  };
  /// See SnappingBody.
  struct Snapping {
    std::uint32_t row;
    std::vector<Index> frictions;  // and stops, `own` ones first
    std::size_t own;
    std::vector<Index> acting = {};  // of these, without open contacts
    std::size_t own_acting = 0;
    double speed = 0;  // before the event, of `row`
  };
  /// Bodies that act on each other at once: each has the frictions of all, its own first.
  using SnappingNetwork = std::vector<Snapping>;
  /// Where such a body begins its way in an event.
  struct Start {
    BodyBalance balance;
    double x = 0, rounding = 0;
    std::vector<char> resting = {};
    std::int8_t way = 0;  // of x beyond a bend that a slip has come to
    bool follows = true;  // the states are those of x
  };
  /// The same for all bodies of a network, by the acting frictions of the first one.
  struct NetworkStart {
    NetworkBalance balance;
    Vector slip, rounding;
    std::vector<char> resting;
    std::vector<std::int8_t> way;
  };
  /// Members at rest by what their forces follow from: those held from the motion, the others are
  /// given.
  struct ActiveSet {
    std::vector<Index> held, others;   // among those at rest
    std::optional<HeldForces> forces;  // of the held ones, and in a bound island ...
    LexicographicHoldMap map;
  };

  /// Greatest multiplicity of a root that is looked for, and orders that tell.
  static constexpr std::size_t kRootOrders = 5;
  static constexpr Index kOrdersOfRoot = 9;

  [[nodiscard]] static Values values_of(const Friction& friction, const Coefficients& J);
  void note_basis();
  [[nodiscard]] double free(Index i, Index k) const;
  [[nodiscard]] double kinetic(Index i, Index k) const;
  [[nodiscard]] double sliding_force(Index i) const;
  [[nodiscard]] double static_bound(Index i, Index k) const;
  [[nodiscard]] double bound(Index i, Index k) const;
  [[nodiscard]] bool falls(Index i) const { return friction_[i].beyond_row != kNoIndex; }
  [[nodiscard]] bool is_open_contact(Index i) const;
  [[nodiscard]] FrictionLaw law_of(Index i) const;
  [[nodiscard]] BodyBalance balance_of(const Snapping& body) const;
  [[nodiscard]] double ratio(const Snapping& body, Index i) const;
  [[nodiscard]] double rounding_of_speed(const Snapping& body, const BodyBalance& balance,
                                         double x) const;
  [[nodiscard]] double present_speed(const Snapping& body) const;
  [[nodiscard]] bool is_held(const Snapping& body, std::span<const char> rests) const;
  [[nodiscard]] std::int8_t way_at_bend(const Snapping& body, const BodyBalance& balance,
                                        std::span<const FrictionHint> hints,
                                        std::span<const FrictionState> states, double& x) const;
  void stop_at_contacts(Snapping& body, const BodyBalance& balance, double rounding, double& x);
  void take_lines(const Snapping& body, const NextBalance& end);
  void take(Snapping& body, const NextBalance& end, double x);
  [[nodiscard]] bool changes(const Snapping& body, const NextBalance& end,
                             std::span<const FrictionState> states) const;
  [[nodiscard]] Start start_of(Snapping& body, std::span<const FrictionHint> hints,
                               std::span<const FrictionState> states);
  [[nodiscard]] bool jump(Snapping& body, std::span<const FrictionHint> hints,
                          std::span<const FrictionState> states);
  [[nodiscard]] bool jump(SnappingNetwork& network, std::span<const FrictionHint> hints,
                          std::span<const FrictionState> states);
  [[nodiscard]] bool jump(std::span<const FrictionHint> hints,
                          std::span<const FrictionState> states);
  [[nodiscard]] NetworkStart start_of(const SnappingNetwork& network,
                                      std::span<const FrictionState> states) const;
  [[nodiscard]] NextBalance end_of(const Snapping& body, const Snapping& of,
                                   const LeastBalance& end) const;
  void leave_fall(SnappingNetwork& network, std::span<const FrictionState> states);
  [[nodiscard]] static bool leave_one_way(std::vector<std::int8_t>& way);
  [[nodiscard]] bool let_one_go(const Snapping& all, const NetworkStart& from);
  void leave_fall(Snapping& body, std::span<const FrictionState> states);
  void leave_fall_beside(Snapping& body, std::span<const FrictionState> states,
                         std::span<const char> broken);
  void hold_one_side(const Snapping& body, const BodyBalance& balance, double x,
                     std::span<const Index> broken);
  /// Of all orders below k.
  [[nodiscard]] bool lacks_capacity(Index i, Index k) const;
  [[nodiscard]] bool is_at_both_bounds(Index i, Index k) const {
    return members_[i].contact == 0 && lacks_capacity(i, k);
  }
  [[nodiscard]] double returning_capacity(Index i, Index k) const;
  [[nodiscard]] bool resists(Index i) const;
  [[nodiscard]] bool drops(Index i) const;
  [[nodiscard]] std::uint32_t rate_row(Index i) const {
    return matrices_->is_bound() ? friction_[i].rate_row : friction_[i].free_row;
  }
  [[nodiscard]] bool creeps(Index i) const { return friction_[i].creep; }
  [[nodiscard]] bool leaves_bound(Index i, const FrictionHint& hint);
  [[nodiscard]] bool leave_by_reserve(std::span<const FrictionHint> hints);
  [[nodiscard]] bool break_away(Index i, Index zeros);
  [[nodiscard]] bool decide_alone(const FrictionHint& hint);
  [[nodiscard]] bool any_critical() const;
  [[nodiscard]] bool is_undecided(Index k) const;
  [[nodiscard]] bool has_series(Index k) const;
  [[nodiscard]] double rounding_of_rate(Index i, Index k) const;
  [[nodiscard]] double rounding_of_return(Index i) const;
  [[nodiscard]] double rounding_of_load(Index i, Index k) const;
  [[nodiscard]] double rounding_of_end(Index i, Index k) const;
  [[nodiscard]] Index near_root(Index i) const;
  [[nodiscard]] double noise_of_slip(Index i) const;
  [[nodiscard]] Index dust_of_parting(const std::vector<Index>& rows, const Eigen::MatrixXd& reach,
                                      Index r) const;
  [[nodiscard]] static Index orders_of_dust(std::span<const double> slip, double noise);
  [[nodiscard]] bool find_push();
  [[nodiscard]] bool rest_on_contacts(std::span<const FrictionHint> hints,
                                      std::span<const FrictionState> states);
  [[nodiscard]] bool solve_orders(std::span<const FrictionHint> hints);
  void find_at_rest();
  void find_sliding_forces(Index k);
  [[nodiscard]] bool varies() const { return !varying_gram_.empty() || !varying_drag_.empty(); }
  void subtract_turning(Index k);
  void clear_rates_of_contacts();
  void find_rates(Index k);
  void find_creep_slips(Index k, Vector& slip, Vector& size);
  [[nodiscard]] std::pair<double, double> slip_rate(Index i) const;
  [[nodiscard]] bool rests_until(Index k) const;
  void review_zeros(Index k);
  void set_active(std::vector<Index> held, std::vector<Index> others, ActiveSet& set) const;
  [[nodiscard]] Vector shortest(const ActiveSet& set, const Vector& residual) const;
  template <class Measure>
  [[nodiscard]] double terms_of_held(const ActiveSet& set, Index h, Measure measure) const;
  [[nodiscard]] double size_of_balance(const ActiveSet& set, Index h) const;
  [[nodiscard]] double size_of_held(const ActiveSet& set, Index k, Index h) const;
  [[nodiscard]] std::vector<Index> staying() const;
  [[nodiscard]] bool turns(Index k);
  void find_parting(Index k, const std::vector<Index>& rows, const Eigen::MatrixXd& gram);
  void take_parting(Index k);
  void bound_forces(Index k);
  void bound_force(Index k, Index r, Rest rest);
  /// Rounding of rates, of higher orders, is told by what they have in common.
  [[nodiscard]] bool follows_shifts() const {
    return size_ > 1 && !matrices_->is_bound() && !varies();
  }
  void find_shifts(Index k);
  void leave_shifts();
  [[nodiscard]] double rounding_of_instant();
  void solve_box(Index k);
  void clear_rounding(const Eigen::MatrixXd& creep_gram, const Vector& size, bool contacts_alone,
                      Vector& slip) const;
  void saturate(Index k);
  [[nodiscard]] double unit(Index r) const { return std::sqrt(gram_(r, r)); }
  [[nodiscard]] bool lets_go(Index r) const;
  [[nodiscard]] double creep_unit(Index r) const;
  void find_greatest();
  [[nodiscard]] double own_terms(Index r) const;
  [[nodiscard]] double size_of_rate(Index r) const;
  [[nodiscard]] double rounding_of_left(Index r) const;
  [[nodiscard]] bool release_saturated(Index k);
  [[nodiscard]] Index falling_by_creep() const;
  [[nodiscard]] Index falling_by_rate(Index k);
  [[nodiscard]] Vector way_let_loose(Index k);
  [[nodiscard]] Index place_inside(Index r);
  [[nodiscard]] double size_of_force(Index k, Index r);
  [[nodiscard]] double instant_of_force(Index r);
  [[nodiscard]] std::int8_t side_of_contact(Index r);
  [[nodiscard]] std::int8_t side_within_rounding(Index k, Index r, const FrictionHint& hint);
  [[nodiscard]] bool crosses(Index i) const;
  [[nodiscard]] bool read_member(Index k, Index r, const FrictionHint& hint);
  [[nodiscard]] bool read_members(Index k, std::span<const FrictionHint> hints);
  [[nodiscard]] bool return_to_rest();
  [[nodiscard]] bool solve_order(Index k, std::span<const FrictionHint> hints);

  const Friction* friction_;  // first of the island
  Index size_;
  std::vector<SnappingNetwork> snapping_;
  std::span<const VaryingGramEntry> varying_gram_, varying_drag_;
  const IslandMatrices* matrices_ = nullptr;
  Coefficients* J_ = nullptr;
  std::vector<Member> members_;
  std::vector<char> rested_;   // 1: has come to rest on a way of massless bodies in this instant
  std::vector<Values> basis_;  // that the last decision followed from; empty: not from them alone
  // Of the order that is solved at present, by member:
  Vector force_;             // of those that slip
  Vector rate_, rate_size_;  // slip rates that these leave (of creep: slips), and of their terms
  // Where rates follow shifts, else empty: how they move (see Coefficients::shift), and what those
  // at rest leave of that.
  Vector shift_, shift_left_;
  std::vector<Vector> forces_;  // of all members, by order; where G or the drag varies
  Vector rate_left_;  // of a bound island: slip rates that the forces of the order before leave
  bool driven_;       // by prescribed motions
  double tie_break_ = 0;
  bool is_alone_;  // one friction between bodies with inertia
  bool decided_alone_ = false;
  bool any_reaches_ = false;  // by the event, its bound
  // By member at rest:
  std::vector<Index> at_rest_;
  // The way in which a prescribed motion pushes those of `pushed_` at rest, which cannot follow it:
  // part of their rates. Empty: none.
  Vector push_;
  std::vector<Index> pushed_;
  Vector parting_;           // by member at rest: rates that no force changes; at the first ...
  Index parting_order_ = 0;  // ... later order at which there are any, 0 for none
  Gram gram_;
  Vector b_, b_size_, lower_, upper_, terms_;
  double greatest_ = 0, greatest_in_series_ = 0;  // of the terms of all rates, in units of rows
  // Of a bound island: multipliers of what massless bodies fix take digits off the rates beside.
  double rounding_of_face_ = 0;
  std::optional<ActiveSet> inside_;  // of the solution: those within their bounds, when asked for
  OrderSolution solution_;
};

}  // namespace luztar
