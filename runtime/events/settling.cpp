#include "runtime/events/settling.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "runtime/events/series_forces.h"
#include "runtime/events/series_map.h"
#include "runtime/pwl/decompositions.h"
#include "runtime/pwl/settle.h"

namespace luztar {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// A sum this small against its terms is zero.
constexpr double kRounding = 1e-11;
constexpr double kRoundingOfForce = 1e-14, kRoundingOfTurn = 1e-9;
/// What an event says is at zero is so within the accuracy of roots, far below this.
constexpr double kRoundingOfRoot = 1e-11;
/// Pivots of rows that depend on others.
constexpr double kDependent = 1e-12;
/// Below this a coefficient is nothing at all, in any units.
constexpr double kNothing = 1e-200;

/// kRides: at its edge, and takes a point along that nothing else moves. kRidesInside: the one that
/// ends at this edge does.
enum class Spring : std::uint8_t { kDead, kActive, kEdge, kRides, kRidesInside };
enum class Rest : std::uint8_t { kStuck, kCritical, kSlips, kFree };

/// The problem of one order, put together element by element.
struct Elements {
  std::vector<Index> member;  // row of SettleNumbers::directions
  std::vector<double> compliance, lower, upper, offset;
  std::vector<double> terms;  // that the offset is the sum of: their sizes
  VectorXd load, start;

  void add(Index row, double gamma, double low, double high, double shift, double size = 0) {
    member.push_back(row);
    compliance.push_back(gamma);
    lower.push_back(low);
    upper.push_back(high);
    offset.push_back(std::fabs(shift) < kNothing ? 0.0 : shift);
    terms.push_back(size);
  }
};

VectorXd to_vector(const std::vector<double>& values) {
  return Eigen::Map<const VectorXd>(values.data(), static_cast<Index>(values.size()));
}

class Decision {
 public:
  Decision(const SettleNumbers& numbers, const SettleDrives& drives, const SettleHints& hints,
           SettleState& state, SettleZeros& zeros)
      : n_(numbers),
        d_(drives),
        hints_(hints),
        state_(state),
        zeros_(zeros),
        orders_(drives.load.cols() - 1),
        start_(state.position),
        spring_(static_cast<std::size_t>(numbers.springs())),
        side_(spring_.size()),
        touched_(spring_.size()),
        rest_(static_cast<std::size_t>(numbers.frictions())),
        bound_(rest_.size()),
        broken_(rest_.size()),
        slow_(rest_.size()),
        turned_(rest_.size()),
        from_(rest_.size(), 1),
        carries_(rest_.size()) {
    zeros_.edge.assign(spring_.size(), 0);
    zeros_.side.assign(spring_.size(), 0);
    zeros_.friction.assign(rest_.size(), 0);
    for (Index i = 0; i < n_.frictions(); ++i) {
      const std::int8_t direction = state_.friction[at(i)].direction;
      broken_[at(i)] = direction != 0 && !rests(i) ? direction : hints_.slid[at(i)];
    }
    if (n_.is_bound() && orders_ > 0) series_.emplace(n_, d_, hints_.rests);
  }

  bool run() {
    // Each round breaks a friction away, or takes points across their play.
    for (bool again = true; again;) {
      again = false;
      if (!solve_positions(again)) return false;
      for (Index k = 1; k <= orders_ && !again && open(); ++k) {
        if (solve_order(k, again)) continue;
        if (!cross_play(k)) return false;
        again = true;
      }
    }
    finish();
    return true;
  }

 private:
  static std::int8_t sign_of(double x) { return static_cast<std::int8_t>((x > 0) - (x < 0)); }
  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }
  [[nodiscard]] bool rests(Index i) const { return n_.is_bound() && hints_.rests[at(i)] != 0; }
  [[nodiscard]] bool is_linear(Index i) const { return n_.half_freeplay[i] < 0; }
  [[nodiscard]] bool drops(Index i) const {
    return broken_[at(i)] == 0 && d_.bound(i, 0) - d_.kinetic(i, 0) > kRounding * d_.bound(i, 0);
  }
  [[nodiscard]] double bound(Index i, Index k) const {
    if (broken_[at(i)] != 0) return d_.kinetic(i, k);
    if (!turned_[at(i)]) return d_.bound(i, k);
    return d_.kinetic(i, k) + (k == 0 ? n_.falling.at(i).fall : 0);
  }

  /// Having slid, it rests at this speed, as it falls with speed there.
  [[nodiscard]] bool is_slow(Index i, double speed) const {
    const auto f = n_.falling.find(i);
    return broken_[at(i)] != 0 && f != n_.falling.end() && speed < f->second.speed;
  }

  /// The spring that goes on where it stops, or nothing.
  [[nodiscard]] const SpringLimit* limit(Index i) const {
    const auto found = n_.limits.find(i);
    return found == n_.limits.end() ? nullptr : &found->second;
  }
  /// The side on which its force is at its greatest and may only fall; 0: none.
  [[nodiscard]] int full_side(Index i) const {
    const SpringLimit* end = limit(i);
    return end && spring_[at(end->next)] == Spring::kEdge ? side_[at(end->next)] : 0;
  }
  /// Its force follows its deflection, on one side at least.
  [[nodiscard]] bool carries(Index i) const {
    const Spring own = spring_[at(i)];
    if (own == Spring::kDead || own == Spring::kRidesInside || n_.stiffness[i] == 0) return false;
    const SpringLimit* end = limit(i);
    if (!end) return true;
    const Spring next = spring_[at(end->next)];
    return next != Spring::kActive && next != Spring::kRides;
  }
  /// The spring that stops where this one begins carries.
  [[nodiscard]] bool follows_one_that_carries(Index i) const {
    return std::any_of(n_.limits.begin(), n_.limits.end(), [&](const auto& l) {
      return l.second.next == i && spring_[at(l.first)] != Spring::kDead;
    });
  }

  /// Later orders have a say.
  [[nodiscard]] bool open() const {
    return loose_ || std::find(spring_.begin(), spring_.end(), Spring::kEdge) != spring_.end() ||
           std::find(rest_.begin(), rest_.end(), Rest::kCritical) != rest_.end();
  }

  /// Nothing keeps a point from where a load may take it that is still zero.
  [[nodiscard]] bool is_loose() const {
    std::vector<Index> held;
    bool pulled = !d_.load.isZero(0.0);
    for (Index i = 0; i < n_.springs(); ++i) {
      if (carries(i)) held.push_back(i);
    }
    for (Index i = 0; i < n_.frictions(); ++i) {
      pulled = pulled || rest_[at(i)] == Rest::kSlips;
      const bool holds = rest_[at(i)] == Rest::kStuck || rest_[at(i)] == Rest::kCritical;
      if (holds) held.push_back(n_.springs() + i);
    }
    if (!pulled || held.empty()) return pulled;
    Eigen::ColPivHouseholderQR<MatrixXd> factor(n_.directions(held, Eigen::all));
    factor.setThreshold(kDependent);
    return factor.rank() < n_.points();
  }

  std::optional<Settled> solve(const Elements& e) const {
    SettleProblem problem;
    problem.rows = n_.directions(e.member, Eigen::all);
    problem.compliance = to_vector(e.compliance);
    problem.lower = to_vector(e.lower);
    problem.upper = to_vector(e.upper);
    problem.offset = to_vector(e.offset);
    problem.load = e.load;
    problem.start = e.start;
    problem.weight = n_.weight;
    std::optional<Settled> out = settle(problem);
    if (out) out->size += to_vector(e.terms);
    return out;
  }

  /// The argument x of an element; exactly 0 when it is rounding.
  double argument(const Elements& e, std::size_t j, const Settled& s) const {
    const double x = n_.directions.row(e.member[j]).dot(s.position) + e.offset[j];
    return std::fabs(x) <= kRounding * s.size[static_cast<Index>(j)] ? 0.0 : x;
  }

  // No element in contact resists a load that just changes its sign: the points go to where others
  // touch, at once and without force. They touch first under a load that is negligible, and then
  // are there without it.
  bool cross_play(Index k) {
    constexpr double kNegligible = 1e-7;  // of what takes a spring through its play
    if (++crossings_ > n_.directions.rows() || n_.springs() == 0) return false;
    const double change = d_.load.col(k).cwiseAbs().maxCoeff();
    if (!(change > 0)) return false;
    Elements e = elements_of_positions();
    double force = (n_.stiffness.cwiseProduct(n_.half_freeplay.cwiseMax(0))).maxCoeff();
    for (const auto& [i, end] : n_.limits) {
      force = std::max(force, n_.stiffness[i] * end.deflection);
    }
    e.load += kNegligible * force / change * d_.load.col(k);
    const auto pushed = solve(e);
    if (!pushed) return false;
    if (breaks_away(*pushed)) {  // goes further, with a force that is not negligible
      --crossings_;
      return true;
    }
    start_ = pushed->position;
    place_at_edges(*pushed);
    return true;
  }

  // True when a friction slides on the way that has held with T_S so far.
  bool breaks_away(const Settled& pushed) {
    bool any = false;
    Index j = pushed.force.size() - n_.frictions();
    j += std::count(rest_.begin(), rest_.end(), Rest::kFree);
    for (Index i = 0; i < n_.frictions(); ++i) {
      if (rest_[at(i)] == Rest::kFree) continue;
      const std::int8_t side = sign_of(pushed.excess[j++]);
      if (side == 0 || !drops(i)) continue;
      broken_[at(i)] = side;
      any = true;
    }
    return any;
  }

  // The push has strained springs a little. What slides on the way is no hold against their edges.
  void place_at_edges(const Settled& pushed) {
    Elements exact = elements_of_positions();
    Index j = 0;
    for (Index i = 0; i < n_.springs(); j += is_linear(i++) ? 1 : 2) {
      const SpringLimit* end = limit(i);
      const double force = pushed.force[j] + (is_linear(i) ? 0.0 : pushed.force[j + 1]);
      if (end && spring_[at(end->next)] == Spring::kActive &&
          std::fabs(force) < greatest_force(i)) {  // has come back from beyond its limit
        touched_[at(end->next)] = side_[at(end->next)];
        const double edge = side_[at(end->next)] * n_.half_freeplay[end->next];
        exact.add(end->next, 0, -kInfinity, kInfinity, d_.spring(end->next, 0) - edge);
      }
      // One that has left its edge may be at the other one.
      if (is_linear(i) || spring_[at(i)] == Spring::kActive) continue;
      const std::int8_t side = sign_of(force);
      touched_[at(i)] = side;
      if (side == 0) continue;
      exact.add(i, 0, -kInfinity, kInfinity, d_.spring(i, 0) - side * n_.half_freeplay[i]);
    }
    for (; j < pushed.force.size(); ++j) {
      if (pushed.excess[j] != 0) exact.lower[at(j)] = exact.upper[at(j)] = pushed.force[j];
    }
    const auto there = solve(exact);
    if (there) start_ = there->position;
  }

  [[nodiscard]] double compliance(Index i) const {
    return n_.stiffness[i] > 0 ? 1 / n_.stiffness[i] : 0.0;
  }

  [[nodiscard]] double greatest_force(Index i) const {
    if (n_.stiffness[i] == 0) return 0;
    const SpringLimit* end = limit(i);
    if (!end) return kInfinity;
    return n_.stiffness[i] * (end->deflection - std::max(n_.half_freeplay[i], 0.0));
  }

  // Order 0: positions. Travels count from where the points were.
  Elements elements_of_positions() {
    Elements e;
    e.load = d_.load.col(0);
    // A load no greater than what rounding makes of the springs' forces is none: it is at its zero.
    // One that has just taken points across their play is certainly there; one that lets go of a
    // spring is so when nothing else acts on its points.
    const bool lets_go = std::any_of(hints_.edge.begin(), hints_.edge.end(),
                                     [](std::int8_t edge) { return edge != 0; });
    const double rounding = crossings_ > 0 ? kRoundingOfTurn
                            : lets_go      ? kRoundingOfRoot
                                           : kRoundingOfForce;
    const VectorXd reach = n_.half_freeplay.cwiseMax(0) + d_.spring.col(0).cwiseAbs() +
                           n_.directions.topRows(n_.springs()).cwiseAbs() * start_.cwiseAbs();
    const VectorXd noise = n_.directions.topRows(n_.springs()).cwiseAbs().transpose() *
                           n_.stiffness.cwiseProduct(reach);
    for (Index i = 0; i < n_.points(); ++i) {
      if (std::fabs(e.load[i]) <= rounding * noise[i]) e.load[i] = 0;
    }
    e.start = start_;
    for (Index i = 0; i < n_.springs(); ++i) {
      const double u = d_.spring(i, 0), b = n_.half_freeplay[i], greatest = greatest_force(i);
      if (is_linear(i)) {
        e.add(i, compliance(i), -greatest, greatest, u);
      } else {
        e.add(i, compliance(i), 0, greatest, u - b, std::fabs(u) + b);
        e.add(i, compliance(i), -greatest, 0, u + b, std::fabs(u) + b);
      }
    }
    for (Index i = 0; i < n_.frictions(); ++i) {
      const Index row = n_.springs() + i;
      const bool free = d_.bound.row(i).cwiseAbs().maxCoeff() == 0;
      rest_[at(i)] = free ? Rest::kFree : Rest::kStuck;
      if (free) continue;
      const double t = std::max(bound(i, 0), 0.0);
      e.add(row, 0, -t, t, d_.travel(i, 0) - state_.travel[i] - n_.directions.row(row).dot(start_));
    }
    return e;
  }

  bool solve_positions(bool& again) {
    const Elements e = elements_of_positions();
    auto solution = solve(e);
    if (!solution) return false;
    distribute(0, e, *solution);
    state_.position = solution->position;
    std::size_t j = 0;
    for (Index i = 0; i < n_.springs(); ++i) {
      spring_[at(i)] = Spring::kActive;
      if (is_linear(i)) {
        ++j;
        continue;
      }
      classify_spring(i, e, j, *solution);
      j += 2;
    }
    for (Index i = 0; i < n_.frictions(); ++i) {
      state_.force[i] = 0;
      if (rest_[at(i)] == Rest::kFree) continue;
      again = classify_friction(i, e, j, *solution) || again;
      note_bound(i, 0);
      ++j;
    }
    loose_ = is_loose();
    saturate(0);
    return true;
  }

  // Its elements are j (from above) and j + 1.
  void classify_spring(Index i, const Elements& e, std::size_t j, const Settled& s) {
    spring_[at(i)] = Spring::kDead;
    for (const int side : {1, -1}) {
      const std::size_t element = side > 0 ? j : j + 1;
      const double x = argument(e, element, s);
      // A load that goes through zero may have taken points away from the edge.
      const bool reached = crossings_ == 0 && hints_.edge[at(i)] == side &&
                           std::fabs(x) <= kRoundingOfTurn * s.size[static_cast<Index>(element)];
      const bool touched = touched_[at(i)] == side &&
                           std::fabs(x) <= kRoundingOfRoot * s.size[static_cast<Index>(element)];
      if (x == 0 || reached || touched) {
        spring_[at(i)] = Spring::kEdge;
      } else if (side * x > 0) {
        spring_[at(i)] = Spring::kActive;
      } else {
        continue;
      }
      side_[at(i)] = static_cast<std::int8_t>(side);
      return;
    }
  }

  // True when it broke away and its force drops.
  bool classify_friction(Index i, const Elements& e, std::size_t j, const Settled& s) {
    const double force = s.force[static_cast<Index>(j)];
    const double t = e.upper[j];
    const double travel = s.excess[static_cast<Index>(j)];
    // What slides has been at its bound so far.
    const bool touches = hints_.bound[at(i)] != 0 || broken_[at(i)] != 0;
    const double near = touches ? 1e-9 : kRounding;
    state_.force[i] = force;
    if (slow_[at(i)] != 0 || std::fabs(force) < t * (1 - near)) return false;
    // Without capacity at this instant, but not for ever, it is at both bounds.
    bound_[at(i)] = sign_of(t > 0 ? force : travel);
    rest_[at(i)] = Rest::kCritical;
    state_.force[i] = bound_[at(i)] * t;
    if (travel == 0) return false;
    if (n_.falling.contains(i) && broken_[at(i)] == -bound_[at(i)] && !turned_[at(i)]) {
      broken_[at(i)] = 0;
      turned_[at(i)] = 1;
      return true;
    }
    if (drops(i)) {
      broken_[at(i)] = bound_[at(i)];
      return true;
    }
    const bool slides = orders_ == 0 && !is_slow(i, std::fabs(travel) / hints_.step);
    if (slides) rest_[at(i)] = Rest::kSlips;
    return false;
  }

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

  // Forces of frictions that the balance of the points leaves open: by what they hold together.
  void distribute(Index k, const Elements& e, Settled& s) {
    if (!series_) return;
    SeriesForces::Order& order = order_;
    order = {};
    order.given = VectorXd::Zero(n_.frictions());
    order.rounding = k > 0 ? rounding_of_force(k, e, s) : 0;
    if (k == 0) {
      saturated_.assign(rest_.size(), 0);
      carries_.assign(rest_.size(), 0);
    }
    for (Index i = 0; i < n_.frictions(); ++i) {
      const bool member = k == 0 ? rest_[at(i)] != Rest::kFree : is_element(i, k);
      if (member) order.members.push_back(i);
      if (!member && rest_[at(i)] == Rest::kSlips) order.given[i] = bound_[at(i)] * bound(i, k);
    }
    const auto count = static_cast<Index>(order.members.size());
    const auto first = static_cast<Index>(e.member.size()) - count;
    for (const Index i : order.members) order.saturated.push_back(saturated_[at(i)]);
    order.lower.resize(count);
    order.upper.resize(count);
    order.force = s.force.tail(count);
    for (Index m = 0; m < count; ++m) {
      const Index i = order.members[at(m)];
      double& low = order.lower[m];
      double& high = order.upper[m];
      low = e.lower[at(first + m)];
      high = e.upper[at(first + m)];
      if (k == 0) continue;
      const double held = bound_[at(i)] * bound(i, k);
      const bool critical = rest_[at(i)] == Rest::kCritical && bound_[at(i)] != 0;
      if (critical && bound_[at(i)] > 0) high = held;
      if (critical && bound_[at(i)] < 0) low = held;
      if (rest_[at(i)] == Rest::kSlips) low = high = held;
      const double excess = without_rounding(s.excess[first + m], n_.springs() + i, k);
      if (excess != 0) low = high = order.force[m];
    }
    series_->distribute(k, order);
    s.force.tail(count) = order.force;
    later_.assign(rest_.size(), 0);
    exhausted_.assign(rest_.size(), 1);
    for (Index m = 0; m < count; ++m) {
      later_[at(order.members[at(m)])] = sign_of(series_->slip()[m]);
      exhausted_[at(order.members[at(m)])] = series_->is_exhausted(at(m)) ? 1 : 0;
    }
  }

  // Those at their bounds that stay there for the length of the forces alone.
  void saturate(Index k) {
    if (!series_) return;
    std::vector<std::int8_t> side;
    for (const Index i : order_.members) {
      const bool parts = later_[at(i)] != 0 && exhausted_[at(i)] == 0;
      const bool stays = rest_[at(i)] == Rest::kCritical && !parts;
      side.push_back(stays ? bound_[at(i)] : std::int8_t{0});
    }
    series_->saturate(k, side, order_);
    for (std::size_t m = 0; m < side.size(); ++m) {
      saturated_[at(order_.members[m])] = side[m] != 0 ? order_.saturated[m] : char{0};
    }
  }

  // Of a bound island: a friction at its bound that would slip back, were the point not held by it,
  // carries the point along from now on. As nothing else moves that, there is no force by which
  // later orders could tell.
  //   open   those that were free to slip at order k
  void find_carried(Index k, std::vector<Index> open) {
    std::erase_if(open, [&](Index i) { return rest_[at(i)] != Rest::kCritical; });
    while (!open.empty()) {
      Elements e = elements_of_order(k, true);
      for (const Index i : open) {
        const auto j = std::find(e.member.begin(), e.member.end(), n_.springs() + i);
        const std::size_t place = static_cast<std::size_t>(j - e.member.begin());
        e.lower[place] = e.upper[place] = bound_[at(i)] * bound(i, k);
      }
      const auto solution = solve(e);
      if (!solution) return;
      const std::size_t before = open.size();
      std::erase_if(open, [&](Index i) {
        const Index row = n_.springs() + i;
        const double slip = n_.directions.row(row).dot(solution->position) + travel(i, k);
        carries_[at(i)] = bound_[at(i)] * without_rounding(slip, row, k) < 0 ? 1 : 0;
        return carries_[at(i)] != 0;
      });
      if (open.size() == before) return;
    }
  }

  // What is at its bound after order k may slip at the next order by the points alone, if nothing
  // can take it from its bound; else two orders later, by what the bodies beyond do.
  void note_bound(Index i, Index k) {
    if (!series_ || rest_[at(i)] != Rest::kCritical) return;
    from_[at(i)] = exhausted_[at(i)] != 0 ? k + 1 : k + 2;
    // Without capacity at this instant it is at both bounds: velocities tell first.
    if (bound_[at(i)] == 0 && exhausted_[at(i)] == 0) bound_[at(i)] = later_[at(i)];
  }

  // Order k >= 1 of what the lower orders left at an edge or a bound.
  Elements elements_of_order(Index k, bool with_edges) const {
    Elements e;
    e.load = d_.load.col(k);
    e.start = VectorXd::Zero(n_.points());
    for (Index i = 0; i < n_.springs(); ++i) {
      if (!takes_part(i, with_edges)) continue;
      const int begins = spring_[at(i)] == Spring::kEdge ? side_[at(i)] : 0, ends = full_side(i);
      const double most = n_.stiffness[i] > 0 ? kInfinity : 0;
      e.add(i, compliance(i), begins > 0 || ends < 0 ? 0 : -most, begins < 0 || ends > 0 ? 0 : most,
            d_.spring(i, k));
    }
    for (Index i = 0; i < n_.frictions(); ++i) {
      const Index row = n_.springs() + i;
      const double t = bound(i, k);
      const int side = bound_[at(i)];
      if (rest_[at(i)] == Rest::kSlips && !holds_until_later(i, k)) {
        e.load -= n_.directions.row(row).transpose() * (side * t);
      } else if (rest_[at(i)] != Rest::kFree) {
        const bool critical = rest_[at(i)] == Rest::kCritical && !holds_until_later(i, k);
        const double greatest = side == 0 ? std::max(t, 0.0) : t;
        e.add(row, 0, critical && side <= 0 ? -greatest : -kInfinity,
              critical && side >= 0 ? greatest : kInfinity, travel(i, k));
      }
    }
    if (series_) close_gaps(e);
    return e;
  }

  // Rounding apart, what holds fits together.
  void close_gaps(Elements& e) const {
    std::vector<Index> frictions, place;
    for (std::size_t j = 0; j < e.member.size(); ++j) {
      if (e.member[j] < n_.springs() || std::isfinite(e.lower[j]) || std::isfinite(e.upper[j])) {
        continue;
      }
      frictions.push_back(e.member[j] - n_.springs());
      place.push_back(static_cast<Index>(j));
    }
    if (frictions.empty()) return;
    const MatrixXd Z = self_stresses(n_, frictions);
    const VectorXd offset = to_vector(e.offset)(place);
    const VectorXd fitting = offset - Z * (Z.transpose() * offset);
    for (std::size_t r = 0; r < place.size(); ++r) {
      e.offset[at(place[r])] = fitting[static_cast<Index>(r)];
    }
  }

  // A spring at its edge that would be strained without its contact takes a point along that
  // nothing else moves. There is no force by which later orders could tell.
  void find_riding(Index k) {
    for (bool more = true; more;) {
      more = false;
      const auto solution = solve(elements_of_order(k, false));
      if (!solution) return;
      for (Index i = 0; i < n_.springs(); ++i) {
        if (spring_[at(i)] != Spring::kEdge) continue;
        const double size = n_.directions.row(i).cwiseAbs().dot(solution->position.cwiseAbs()) +
                            std::fabs(d_.spring(i, k));
        const double x =
            without_rounding(n_.directions.row(i).dot(solution->position) + d_.spring(i, k), i, k);
        const bool outwards = side_[at(i)] * x > 0;
        const bool strains = outwards ? n_.stiffness[i] > 0 : follows_one_that_carries(i);
        if (!strains || std::fabs(x) <= kRounding * size) continue;
        spring_[at(i)] = outwards ? Spring::kRides : Spring::kRidesInside;
        more = true;
      }
    }
  }

  bool solve_order(Index k, bool& again) {
    const Elements e = elements_of_order(k, true);
    auto solution = solve(e);
    if (!solution) return false;
    distribute(k, e, *solution);
    std::vector<Index> open;
    for (Index i = 0; series_ && i < n_.frictions(); ++i) {
      const bool at_bound = rest_[at(i)] == Rest::kCritical && bound_[at(i)] != 0;
      if (at_bound && k >= held_at(i)) open.push_back(i);
    }
    double rounding = rounding_of_force(k, e, *solution);
    if (series_) rounding += series_->rounding_of_force(k);
    std::vector<char> taking(spring_.size());  // before some of them leave their edges
    for (Index i = 0; i < n_.springs(); ++i) taking[at(i)] = takes_part(i, true) ? 1 : 0;
    std::size_t j = 0;
    for (Index i = 0; i < n_.springs(); ++i) {
      if (!taking[at(i)]) continue;
      if (spring_[at(i)] == Spring::kEdge) leave_edge(i, k, e, j, *solution);
      ++j;
    }
    const bool moves = !solution->position.isZero(0.0);
    if (moves && std::count(spring_.begin(), spring_.end(), Spring::kEdge) > 0) find_riding(k);
    for (Index i = 0; i < n_.frictions(); ++i) {
      if (!is_element(i, k)) continue;
      if (rest_[at(i)] == Rest::kCritical) {
        again = leave_bound(i, k, static_cast<Index>(j), *solution, rounding) || again;
        note_bound(i, k);
      }
      ++j;
    }
    saturate(k);
    find_carried(k, std::move(open));
    return true;
  }

  /// Drives that cancel leave no more of an argument than the rounding of each.
  [[nodiscard]] double without_rounding(double x, Index row, Index k) const {
    double rounding = k < d_.rounding.size() ? d_.rounding[k] * n_.directions.row(row).norm() : 0;
    if (series_ && row >= n_.springs()) rounding += series_->rounding(row - n_.springs(), k);
    return std::fabs(x) <= rounding ? 0.0 : x;
  }

  /// Of forces at order k, with what the rounding of positions and of their drives makes.
  [[nodiscard]] double rounding_of_force(Index k, const Elements& e, const Settled& s) const {
    double size = s.force.lpNorm<1>() + e.load.lpNorm<1>(), stiffness = 0;
    for (std::size_t i = 0; i < e.member.size(); ++i) {
      if (e.compliance[i] == 0) continue;
      size += s.size[static_cast<Index>(i)] / e.compliance[i];
      stiffness += n_.directions.row(e.member[i]).norm() / e.compliance[i];
    }
    return kRounding * size + (k < d_.rounding.size() ? d_.rounding[k] * stiffness : 0);
  }

  void leave_edge(Index i, Index k, const Elements& e, std::size_t j, const Settled& s) {
    const double x = without_rounding(argument(e, j, s), i, k);
    if (x == 0) return;
    spring_[at(i)] = side_[at(i)] * x > 0 ? Spring::kActive : Spring::kDead;
    zeros_.edge[at(i)] = static_cast<std::uint32_t>(k);
    zeros_.side[at(i)] = side_[at(i)];
  }

  bool leave_bound(Index i, Index k, Index j, const Settled& s, double rounding) {
    std::int8_t& side = bound_[at(i)];
    const double excess = without_rounding(s.excess[j], n_.springs() + i, k);
    if (side == 0) side = sign_of(excess);
    if (side * excess > 0) {
      if (is_slow(i, k == 1 ? std::fabs(excess) : 0.0)) {
        slow_[at(i)] = 1;
        return true;
      }
      rest_[at(i)] = Rest::kSlips;
      zeros_.friction[at(i)] = static_cast<std::uint32_t>(k - 1);
      if (!drops(i)) return false;
      broken_[at(i)] = side;
      return true;
    }
    const double t = bound(i, k);
    const double force = side == 0 ? std::fabs(s.force[j]) : side * s.force[j];
    if (t - force > kRounding * std::fabs(t) + rounding) {
      rest_[at(i)] = Rest::kStuck;
      zeros_.friction[at(i)] = static_cast<std::uint32_t>(k);
    } else if (t > 0 && side == 0) {
      side = sign_of(s.force[j]);
    }
    return false;
  }

  void finish() {
    state_.travel = d_.travel.col(0);
    zeros_.slid = broken_;
    for (Index i = 0; i < n_.springs(); ++i) {
      if (is_linear(i)) continue;
      // What stays at its edge for all orders keeps contact: without force, as far as is known.
      const bool stays = spring_[at(i)] == Spring::kEdge && orders_ > 0;
      const bool inside = spring_[at(i)] == Spring::kRidesInside ||
                          (stays && n_.stiffness[i] == 0 && follows_one_that_carries(i));
      const bool riding = stays || inside || spring_[at(i)] == Spring::kRides;
      state_.riding[at(i)] = riding ? 1 : 0;
      const bool active = spring_[at(i)] == Spring::kActive || (riding && !inside);
      state_.zone[at(i)] = active ? side_[at(i)] : std::int8_t{0};
    }
    place_riding();
    for (Index i = 0; i < n_.frictions(); ++i) {
      FrictionState out;
      out.free = rest_[at(i)] == Rest::kFree;
      if (rest_[at(i)] == Rest::kSlips) out.direction = bound_[at(i)];
      const bool critical = rest_[at(i)] == Rest::kCritical && orders_ > 0 && !is_slow(i, 0);
      if (critical) out.at_bound = bound_[at(i)];
      // One that slides, with no rate in any order, tends to rest and is never there.
      if (out.at_bound != 0 && state_.friction[at(i)].direction == out.at_bound && !rests(i)) {
        out.direction = out.at_bound;
      }
      state_.friction[at(i)] = out;
    }
  }

  // What keeps contact without force is at its edge exactly: rounding of its place would be a
  // force, which takes what is damped along, and the spring off its edge.
  void place_riding() {
    std::vector<Index> riding;
    std::vector<double> gap;
    for (Index i = 0; i < n_.springs(); ++i) {
      if (is_linear(i) || state_.riding[at(i)] == 0) continue;
      const double edge = side_[at(i)] * n_.half_freeplay[i];
      riding.push_back(i);
      gap.push_back(n_.directions.row(i).dot(state_.position) + d_.spring(i, 0) - edge);
    }
    if (riding.empty()) return;
    const VectorXd unit = n_.weight.cwiseSqrt().cwiseInverse();
    const MatrixXd rows = n_.directions(riding, Eigen::all) * unit.asDiagonal();
    state_.position -= unit.cwiseProduct(pseudo_inverse(rows, kDependent).matrix * to_vector(gap));
  }

  const SettleNumbers& n_;
  const SettleDrives& d_;
  const SettleHints& hints_;
  SettleState& state_;
  SettleZeros& zeros_;
  Index orders_, crossings_ = 0;
  bool loose_ = false;  // see is_loose
  VectorXd start_;
  std::vector<Spring> spring_;
  std::vector<std::int8_t> side_;     // of the edge or zone, by spring
  std::vector<std::int8_t> touched_;  // edge to which points have crossed the play, by spring
  std::vector<Rest> rest_;
  // Side of the force while critical or slipping, by friction; 0: critical without capacity.
  std::vector<std::int8_t> bound_;
  std::vector<std::int8_t> broken_;  // direction in which it has slid, with T_K from then on
  std::vector<char> slow_;           // has slid to where it rests, as it would be too slow there
  std::vector<char> turned_;         // falls with speed, and rests before it slides the other way
  // Of a bound island:
  std::optional<SeriesForces> series_;
  std::vector<Index> from_;             // first order at which a friction at its bound may slip
  std::vector<std::int8_t> later_;      // side to which it slips two orders later, by its force
  std::vector<std::int8_t> exhausted_;  // see SeriesForces::is_exhausted
  SeriesForces::Order order_;           // the last one
  std::vector<char> saturated_;         // see SeriesForces::saturate
  std::vector<char> carries_;           // see find_carried
};

}  // namespace

bool decide_settling(const SettleNumbers& numbers, const SettleDrives& drives,
                     const SettleHints& hints, SettleState& state, SettleZeros& zeros) {
  return Decision(numbers, drives, hints, state, zeros).run();
}

}  // namespace luztar
