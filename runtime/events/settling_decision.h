// The decision of one settle island, for settling.cpp, settling_loads.cpp and settling_orders.cpp
// alone.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/events/series_forces.h"
#include "runtime/events/settling.h"
#include "runtime/numbers.h"
#include "runtime/pwl/settle.h"

namespace luztar {

/// What is tried in turn.
enum class Settling : std::uint8_t {
  kPlain,
  kVanishingHold,  // a capacity that is zero in this instant keeps what nothing else does
  kTouchingOpen,   // a contact that is open, and touches without force, has its impact first
};

class SettlingDecision {
 public:
  SettlingDecision(const SettleNumbers& numbers, const SettleDrives& drives,
                   const SettleHints& hints, SettleMaps& maps, SettleState& state,
                   SettleZeros& zeros, Settling way);
  [[nodiscard]] bool run();

 private:
  using Index = Eigen::Index;
  using MatrixXd = Eigen::MatrixXd;
  using VectorXd = Eigen::VectorXd;

  /// A sum this small against its terms is zero.
  static constexpr double kRounding = 1e-11;
  static constexpr double kRoundingOfForce = 1e-14;
  static constexpr double kRoundingOfTurn = 1e-9;
  /// What an event says is at zero is so within the accuracy of roots, far below this.
  static constexpr double kRoundingOfRoot = 1e-11;
  /// Pivots of rows that depend on others.
  static constexpr double kDependent = 1e-12;

  /// kRides: at its edge, and takes a point along that nothing else moves. kRidesInside: the one
  /// that ends at this edge does.
  enum class Spring : std::uint8_t { kDead, kActive, kEdge, kRides, kRidesInside };
  enum class Rest : std::uint8_t { kStuck, kCritical, kSlips, kFree };

  /// The problem of one order, put together element by element.
  struct Elements {
    std::vector<Index> member;  // row of SettleNumbers::directions
    std::vector<double> compliance, lower, upper, offset;
    std::vector<double> terms;  // that the offset is the sum of: their sizes
    VectorXd load, load_terms, start;

    void add(Index row, double gamma, double low, double high, double shift, double size) {
      member.push_back(row);
      compliance.push_back(gamma);
      lower.push_back(low);
      upper.push_back(high);
      offset.push_back(std::fabs(shift) < kNothing ? 0.0 : shift);
      terms.push_back(std::max(size, std::fabs(shift)));
    }
  };

  static VectorXd to_vector(const std::vector<double>& values) {
    return Eigen::Map<const VectorXd>(values.data(), static_cast<Index>(values.size()));
  }
  static std::int8_t sign_of(double x) { return static_cast<std::int8_t>((x > 0) - (x < 0)); }
  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }
  [[nodiscard]] bool rests(Index i) const { return n_.is_bound() && hints_.rests[at(i)] != 0; }
  /// A rigid contact of the points: closed where these are at its gap.
  [[nodiscard]] bool is_contact(Index i) const { return n_.contacts.contains(i); }
  /// The side of a closed contact that i is, which only pushes, else 0.
  [[nodiscard]] int contact(Index i) const { return contact_[at(i)]; }
  [[nodiscard]] bool is_linear(Index i) const { return n_.half_freeplay[i] < 0; }
  [[nodiscard]] bool acts_on(Index i, int side) const {
    return side > 0 || !n_.one_sided.contains(i);
  }
  /// T_K < T_S.
  [[nodiscard]] bool holds_more(Index i) const {
    return d_.bound(i, 0) - d_.kinetic(i, 0) > kRounding * d_.bound(i, 0);
  }
  [[nodiscard]] bool drops(Index i) const { return broken_[at(i)] == 0 && holds_more(i); }
  [[nodiscard]] double bound(Index i, Index k) const {
    if (k == 0 && vanishes_[at(i)] != 0) return 0;
    if (broken_[at(i)] != 0) return d_.kinetic(i, k);
    if (!turned_[at(i)]) return d_.bound(i, k);
    return d_.at_rest(i, k);
  }
  /// Having slid, it rests at this speed, as it falls with speed there.
  [[nodiscard]] bool is_slow(Index i, double speed) const {
    const auto f = n_.rest_speed.find(i);
    return broken_[at(i)] != 0 && f != n_.rest_speed.end() && speed < f->second;
  }
  /// The spring that goes on where it stops, or nothing.
  [[nodiscard]] const SpringLimit* limit(Index i) const {
    const auto found = n_.limits.find(i);
    return found == n_.limits.end() ? nullptr : &found->second;
  }
  /// The side on which its force is at its greatest and may only fall; 0: none.
  [[nodiscard]] int full_side(Index i) const {
    const SpringLimit* end = limit(i);
    const bool full = end && spring_[at(end->next)] == Spring::kEdge;
    return full ? end->sense * side_[at(end->next)] : 0;
  }
  [[nodiscard]] bool carries(Index i) const;
  [[nodiscard]] bool is_at_contact(Index i) const;
  /// The spring that stops where this one begins carries.
  [[nodiscard]] bool follows_one_that_carries(Index i) const {
    return std::any_of(n_.limits.begin(), n_.limits.end(), [&](const auto& l) {
      return l.second.next == i && spring_[at(l.first)] != Spring::kDead;
    });
  }
  /// Later orders have a say.
  [[nodiscard]] bool open() const {
    return loose_ || std::find(spring_.begin(), spring_.end(), Spring::kEdge) != spring_.end() ||
           may_unload() || std::find(rest_.begin(), rest_.end(), Rest::kCritical) != rest_.end();
  }
  /// A load that is still zero may press what rides at its edge, or take the points away from it.
  [[nodiscard]] bool may_unload() const {
    return !load_.isZero(0.0) &&
           std::find(spring_.begin(), spring_.end(), Spring::kRides) != spring_.end();
  }
  [[nodiscard]] std::vector<Index> holding_rows(bool with_edges) const;
  [[nodiscard]] bool is_loose() const;
  [[nodiscard]] Index later_load() const;
  [[nodiscard]] bool is_still() const;
  [[nodiscard]] bool return_to_rest();
  [[nodiscard]] bool slides_on(Index i) const;
  void find_leaders();
  void slide_with_leaders();
  [[nodiscard]] std::optional<Settled> solve(const Elements& e) const;
  /// The argument x of an element, as it is.
  [[nodiscard]] double plain_argument(const Elements& e, std::size_t j, const Settled& s) const {
    return n_.directions.row(e.member[j]).dot(s.position) + e.offset[j];
  }
  /// Exactly 0 when it is rounding.
  double argument(const Elements& e, std::size_t j, const Settled& s) const {
    const double x = plain_argument(e, j, s);
    return std::fabs(x) <= kRounding * s.size[static_cast<Index>(j)] ? 0.0 : x;
  }
  [[nodiscard]] bool cross_play(Index k);
  [[nodiscard]] bool breaks_away(const Settled& pushed);
  void place_at_edges(const Settled& pushed, Index k);
  [[nodiscard]] double compliance(Index i) const {
    return n_.stiffness[i] > 0 ? 1 / n_.stiffness[i] : 0.0;
  }
  /// A spring comes off its edge in this event.
  [[nodiscard]] bool lets_go() const {
    return std::any_of(hints_.edge.begin(), hints_.edge.end(),
                       [](std::int8_t edge) { return edge != 0; });
  }
  void clear_near_roots();
  [[nodiscard]] VectorXd size_of_forces() const;
  void find_vanishing();
  [[nodiscard]] VectorXd load_at_positions() const;
  [[nodiscard]] Elements elements_of_positions();
  [[nodiscard]] bool solve_positions(bool& again);
  [[nodiscard]] double strain_left(Index i, int side, const Elements& e, std::size_t j,
                                   const Settled& s) const;
  void classify_spring(Index i, const Elements& e, std::size_t j, const Settled& s);
  void add_friction(Index i, Elements& e);
  void find_contacts(const Elements& e, const Settled& s);
  /// Of the problem of positions: that of the side on which a contact is closed.
  [[nodiscard]] std::size_t place_of(Index i) const {
    return at(element_[at(i)]) + (is_contact(i) && contact(i) < 0 ? 1 : 0);
  }
  void classify_contact(Index i, const Elements& e, std::size_t j, const Settled& s);
  [[nodiscard]] bool classify_friction(Index i, const Elements& e, std::size_t j, const Settled& s);
  // In the problems of orders k >= 1.
  [[nodiscard]] bool takes_part(Index i, bool with_edges) const {
    const bool edge = spring_[at(i)] == Spring::kEdge;
    if (edge || full_side(i) != 0) return with_edges && (edge || carries(i));
    return carries(i);
  }
  /// It is an element at order k >= 1, which holds: it slips at a later order, if at all.
  [[nodiscard]] bool holds_until_later(Index i, Index k) const {
    return rest_[at(i)] != Rest::kFree && rest_[at(i)] != Rest::kStuck && k < held_at(i);
  }
  /// The order up to which it holds, at least, although it is at its bound.
  [[nodiscard]] Index held_at(Index i) const {
    return carries_[at(i)] != 0 ? orders_ + 1 : from_[at(i)];
  }
  [[nodiscard]] bool is_element(Index i, Index k) const {
    if (rest_[at(i)] == Rest::kFree) return false;
    return rest_[at(i)] != Rest::kSlips || holds_until_later(i, k);
  }
  [[nodiscard]] double travel(Index i, Index k) const {
    return series_ && k > 0 ? series_->travel(i, k) : d_.travel(i, k);
  }
  void distribute(Index k, const Elements& e, Settled& s);
  void find_carried(Index k, std::vector<Index> open, const VectorXd& moved);
  void part_carried(Index k);
  void note_bound(Index i, Index k);
  [[nodiscard]] Elements elements_of_order(Index k, bool with_edges, bool pressed = false) const;
  void close_gaps(Elements& e) const;
  void clear_rounding(Index k, Elements& e) const;
  void find_riding(Index k);
  [[nodiscard]] bool stays_on(Index i, Index k, double force, double rounding);
  void hold_vanishing(Index k);
  [[nodiscard]] std::optional<Settled> solve_forces(Index k, Elements& e);
  [[nodiscard]] bool release_beyond(Index k, const Elements& e, const VectorXd& balanced,
                                    const Settled& s);
  [[nodiscard]] bool solve_order(Index k, bool& again);
  /// Drives that cancel leave no more of an argument than the rounding of each.
  [[nodiscard]] double rounding_of_drives(Index row, Index k) const {
    double rounding = k < d_.rounding.size() ? d_.rounding[k] * n_.directions.row(row).norm() : 0;
    if (series_ && row >= n_.springs()) rounding += series_->rounding(row - n_.springs(), k);
    return rounding;
  }
  [[nodiscard]] double without_rounding(double x, Index row, Index k) const {
    return std::fabs(x) <= rounding_of_drives(row, k) ? 0.0 : x;
  }
  /// What that is the rounding of.
  [[nodiscard]] double terms_of_drives(Index row, Index k) const {
    return rounding_of_drives(row, k) / kRounding;
  }
  [[nodiscard]] double rounding_of_force(Index k, const Elements& e, const Settled& s) const;
  void leave_edge_as(Spring what, Index i, Index k);
  void leave_edge(Index i, Index k, const Elements& e, std::size_t j, const Settled& s);
  [[nodiscard]] bool leave_bound(Index i, Index k, Index j, const Settled& s, double rounding);
  void finish();
  [[nodiscard]] FrictionState state_of(Index i) const;
  void place_riding();

  const SettleNumbers& n_;
  const SettleDrives& d_;
  const SettleHints& hints_;
  SettleMaps& maps_;
  SettleState& state_;
  SettleZeros& zeros_;
  Settling way_;
  MatrixXd load_;  // of the drives, without what errors of an event leave of its zeros
  Index orders_, crossings_ = 0;
  bool loose_ = false;  // see is_loose
  VectorXd start_;
  std::vector<Spring> spring_;
  std::vector<std::int8_t> side_;     // of the edge or zone, by spring
  std::vector<std::int8_t> touched_;  // edge to which points have crossed the play, by spring
  std::vector<char> pressed_;         // there, by a load that begins at an order beyond the first
  std::vector<Rest> rest_;
  // Side of the force while critical or slipping, by friction; 0: critical without capacity.
  std::vector<std::int8_t> bound_;
  std::vector<std::int8_t> broken_;  // direction in which it has slid, with T_K from then on
  std::vector<char> slow_;           // has slid to where it rests, as it would be too slow there
  std::vector<char> returned_;       // has come to rest after a jump of this instant
  std::vector<char> leads_;          // a point that frictions alone slide on follows its other body
  std::vector<char> turned_;         // falls with speed, and rests before it slides the other way
  std::vector<std::int8_t> contact_;  // see contact
  // By friction: its element in the problem of positions, of a contact the upper one; -1: none.
  std::vector<Index> element_;
  std::vector<char> vanishes_;  // see find_vanishing
  // Of a bound island:
  std::optional<SeriesForces> series_;
  std::vector<Index> from_;             // first order at which a friction at its bound may slip
  std::vector<std::int8_t> later_;      // side to which it slips two orders later, by its force
  std::vector<std::int8_t> exhausted_;  // see SeriesForces::is_exhausted
  std::vector<char> carries_;           // see find_carried
  VectorXd press_;                      // of points against what carries them, as a load
};

}  // namespace luztar
