#include "runtime/pwl/next_balance.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "runtime/pwl/falling_balance.h"
#include "runtime/pwl/principal_cholesky.h"

namespace luztar {
namespace {

/// Of its slip, on this side.
double speed_at(const SlipOnLine& f, double x, std::int8_t side) {
  return std::max(side * (f.offset + f.ratio * x), 0.0);
}

/// What those with a `decay` add to the left side of  x + ... = y  on these sides of their slips,
/// where F falls by `stiffness` without them.
std::vector<DecayingForce> decaying_forces(std::span<const SlipOnLine> frictions,
                                           std::span<const std::int8_t> side, double stiffness) {
  std::vector<DecayingForce> forces;
  for (std::size_t i = 0; i < frictions.size(); ++i) {
    const SlipOnLine& f = frictions[i];
    if (side[i] == 0 || !(f.decay > 0)) continue;
    forces.push_back({f.weight * side[i] * (f.at_rest - f.beyond) / stiffness,
                      side[i] * f.offset / f.decay, side[i] * f.ratio / f.decay});
  }
  return forces;
}

using Member = BalanceMember;
using Rest = Member::Rest;

std::vector<std::int8_t> sides_of(std::span<const Member> members) {
  std::vector<std::int8_t> side;
  for (const Member& m : members) {
    side.push_back(m.rest == Rest::kSlips ? m.side : std::int8_t{0});
  }
  return side;
}

/// Frictions on the body at this speed.
std::vector<Member> members_at(const BodyBalance& body, double x, std::span<const char> resting) {
  std::vector<Member> members;
  for (std::size_t i = 0; i < body.frictions.size(); ++i) {
    const SlipOnLine& f = body.frictions[i];
    const double slip = f.offset + f.ratio * x;
    const auto side = static_cast<std::int8_t>((slip > 0) - (slip < 0));
    const bool rests = resting[i] != 0 || side == 0;
    members.push_back({rests ? Rest::kHeld : Rest::kSlips, rests ? std::int8_t{0} : side, 0});
  }
  return members;
}

/// Parts ahead at x; where x is at the speed of one, as so far.
std::vector<std::uint8_t> parts_ahead(std::span<const SlipOnLine> frictions, double x,
                                      double rounding) {
  std::vector<std::uint8_t> ahead;
  for (const SlipOnLine& f : frictions) {
    const double speed = std::fabs(f.offset + f.ratio * x), near = std::fabs(f.ratio) * rounding;
    ahead.push_back(std::clamp(f.ahead, f.parts_above(speed + near), f.parts_above(speed - near)));
  }
  return ahead;
}

/// Along the curve of balances from x on.
class Walk {
 public:
  using Index = Eigen::Index;
  /// lets_go: what holds the body at x does so no longer.
  Walk(const BodyBalance& body, double load, double x, double direction,
       std::vector<Member> members, bool lets_go, double rounding)
      : body_(body),
        all_(body.frictions),
        load_(load),
        start_(x),
        x_(x),
        direction_(direction),
        members_(std::move(members)),
        lets_go_(lets_go),
        rounding_(rounding),
        factor_(body.coupling) {}

  NextBalance run() {
    for (std::size_t left = most_pieces(); left > 0; --left) {
      curve_ = balance_curve(body_, members_, direction_, factor_);
      if (curve_.holds_x) {
        if (push()) return at_rest();
        continue;
      }
      find_forces();
      if (leaves_bounds()) continue;
      const Bend bend = next_bend();
      const double to = bend.distance < kInfinity ? bend.at : end_of_all();
      if (direction_ * (to - start_) > rounding_) {
        if (const auto x = balance(to)) return slipping(*x, to);
      }
      if (bend.distance == kInfinity) return slipping(x_, to);
      pass(bend);
    }
    return slipping(x_, x_);  // never seen: rounding leads round in circles
  }

  /// x is held where it is.
  [[nodiscard]] bool is_held() {
    return balance_curve(body_, members_, direction_, factor_).holds_x;
  }

  [[nodiscard]] double residual(double x) const {
    double sum = load_ - x;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const double change = curve_.change.size() > 0 ? curve_.change[static_cast<Index>(i)] : 0.0;
      sum -= all_[i].weight * (members_[i].rest == Rest::kSlips
                                   ? members_[i].side * all_[i].force_at(speed(i, x))
                                   : members_[i].force + change * (x - x_));
    }
    return sum;
  }

 private:
  enum class Event : std::uint8_t { kBends, kEndsSlip, kReachesBound };
  struct Bend {
    double at = 0, distance = kInfinity;
    std::size_t friction = 0;
    Event event = Event::kBends;
  };

  [[nodiscard]] std::size_t most_pieces() const {
    std::size_t parts = 0;
    for (const SlipOnLine& f : all_) parts += 2 * f.falls.size();
    return 16 + parts + 16 * all_.size();
  }

  [[nodiscard]] bool slips(std::size_t i) const { return members_[i].rest == Rest::kSlips; }
  [[nodiscard]] double speed(std::size_t i, double x) const {
    return speed_at(all_[i], x, members_[i].side);
  }

  [[nodiscard]] double force(std::size_t i) const {
    if (!slips(i)) return members_[i].force;
    return members_[i].side * all_[i].force_at(speed(i, x_));
  }

  // What other frictions add to a slip.
  [[nodiscard]] double by_others(std::size_t i) const {
    double sum = 0;
    const auto row = static_cast<Index>(i);
    for (Index j = body_.coupling.begin(row); j < body_.coupling.end(row); ++j) {
      sum -= body_.coupling(row, j) * force(static_cast<std::size_t>(j));
    }
    return sum;
  }
  [[nodiscard]] double slip(std::size_t i) const {
    return all_[i].offset + all_[i].ratio * x_ + by_others(i);
  }
  // By x, while the others move along the curve.
  [[nodiscard]] double slip_by_x(std::size_t i) const {
    double sum = all_[i].ratio;
    const auto row = static_cast<Index>(i);
    for (Index j = body_.coupling.begin(row); j < body_.coupling.end(row); ++j) {
      sum -= body_.coupling(row, j) * curve_.change[j];
    }
    return sum;
  }
  // What of a slip is rounding, by x.
  [[nodiscard]] double rounding_by_x(std::size_t i) const {
    constexpr double kRounding = 1e-9;
    double size = std::fabs(all_[i].ratio);
    const auto row = static_cast<Index>(i);
    for (Index j = body_.coupling.begin(row); j < body_.coupling.end(row); ++j) {
      size += std::fabs(body_.coupling(row, j) * curve_.change[j]);
    }
    return kRounding * size;
  }

  // Those of the basis, as the others have changed.
  void find_forces() {
    PrincipalCholesky<Eigen::Dynamic>::Vector force(factor_.size());
    for (Index p = 0; p < factor_.size(); ++p) {
      const auto i = static_cast<std::size_t>(factor_.member(p));
      members_[i].force = 0;
    }
    for (Index p = 0; p < factor_.size(); ++p) {
      force[p] = slip(static_cast<std::size_t>(factor_.member(p)));
    }
    factor_.solve(force);
    for (Index p = 0; p < factor_.size(); ++p) {
      members_[static_cast<std::size_t>(factor_.member(p))].force = force[p];
    }
  }

  // Those at their bounds hold again, or slip where the others no longer hold them. Where forces
  // drop from T_S to T_K the bodies that follow do so anew.
  bool leaves_bounds() {
    std::vector<std::size_t> inward, outward;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (members_[i].rest != Rest::kAtBound) continue;
      const double moves = direction_ * members_[i].side * slip_by_x(i);
      if (std::fabs(moves) <= rounding_by_x(i)) continue;
      (moves < 0 ? inward : outward).push_back(i);
    }
    for (const std::size_t i : inward) members_[i].rest = Rest::kHeld;
    if (!inward.empty()) return true;
    bool drops = false;
    for (const std::size_t i : outward) {
      members_[i].rest = Rest::kSlips;
      drops = drops || (all_[i].pushes == 0 && all_[i].holds > all_[i].at_rest);
    }
    if (drops) {
      std::vector<char> resting;
      for (std::size_t i = 0; i < all_.size(); ++i) resting.push_back(slips(i) ? 0 : 1);
      x_ += direction_ * rounding_;  // where those that have held it here slip
      Following(body_, resting).take(x_, members_);
    }
    return !outward.empty();
  }

  [[nodiscard]] Bend next_bend() const {
    Bend next;
    const auto add = [&](double at, std::size_t i, Event event) {
      const double distance = std::max(direction_ * (at - x_), 0.0);
      if (distance < next.distance) next = {distance > 0 ? at : x_, distance, i, event};
    };
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const SlipOnLine& f = all_[i];
      const Member& m = members_[i];
      if (slips(i)) {
        const double by_x = slip_by_x(i);
        if (approaches_rest(i)) {
          const double others = by_others(i) + f.ratio * x_ - by_x * x_;
          add(-(f.offset + others) / by_x, i, Event::kEndsSlip);
        }
        for (const FallingPart& part : f.falls) {
          for (const double slip : {part.speed, -part.speed}) {
            const double at = (slip - f.offset) / f.ratio;
            if (direction_ * (at - x_) > 0) add(at, i, Event::kBends);
          }
        }
      } else if (m.rest == Rest::kHeld) {
        const double rate = direction_ * curve_.change[static_cast<Index>(i)];
        const double room = rate > 0 ? f.upper() - m.force : m.force - f.lower();
        if (rate == 0 || room == kInfinity) continue;
        add(x_ + direction_ * std::max(room, 0.0) / std::fabs(rate), i, Event::kReachesBound);
      }
    }
    return next;
  }

  // Forces at rest go on along the curve.
  void lead_forces(double by) {
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (!slips(i)) members_[i].force += curve_.change[static_cast<Index>(i)] * by;
    }
  }

  void pass(const Bend& bend) {
    lead_forces(bend.at - x_);
    x_ = bend.at;
    if (bend.event == Event::kReachesBound) {
      reach_bound(bend.friction, direction_ * curve_.change[static_cast<Index>(bend.friction)]);
    } else if (bend.event == Event::kEndsSlip) {
      come_to_rest(bend.friction);
      // At one speed they hold together.
      for (std::size_t i = 0; i < all_.size(); ++i) {
        if (approaches_rest(i) && std::fabs(slip(i)) <= rounding_ * std::fabs(slip_by_x(i))) {
          come_to_rest(i);
        }
      }
    }
  }

  void come_to_rest(std::size_t i) {
    Member& m = members_[i];
    m.force = std::clamp(m.side * all_[i].at_rest, all_[i].lower(), all_[i].upper());
    m.rest = Rest::kHeld;
  }
  [[nodiscard]] bool approaches_rest(std::size_t i) const {
    return slips(i) && members_[i].side * direction_ * slip_by_x(i) < -rounding_by_x(i);
  }

  void reach_bound(std::size_t i, double rate) {
    Member& m = members_[i];
    m.side = rate > 0 ? 1 : -1;
    m.force = rate > 0 ? all_[i].upper() : all_[i].lower();
    m.rest = Rest::kAtBound;
  }

  // The forces that hold x grow against F. True when they can hold it, else one is at its bound.
  bool push() {
    double taken = 0;
    double room = kInfinity;
    std::size_t first = 0;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const double rate = curve_.change[static_cast<Index>(i)];
      taken += direction_ * all_[i].weight * rate;
      if (rate == 0) continue;
      const double force = members_[i].force;
      const double own =
          (rate > 0 ? all_[i].upper() - force : force - all_[i].lower()) / std::fabs(rate);
      if (own < room) {
        room = std::max(own, 0.0);
        first = i;
      }
    }
    const bool at_start = x_ == start_;
    const double left = direction_ * residual(x_) - (at_start ? rounding_ : 0.0);
    const bool lets_go = lets_go_ && at_start;
    if (room == kInfinity || (!lets_go && left <= taken * room)) return true;
    lead_forces(room);
    reach_bound(first, curve_.change[static_cast<Index>(first)]);
    return false;
  }

  // Where F is zero and falls between x_ and a bend: of exponentials on one part of the way.
  [[nodiscard]] std::optional<double> balance(double to) const {
    const double between = x_ + (to - x_) / 2;
    double stiffness = stiffness_of(body_, curve_), on_lines = load_ - x_;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const SlipOnLine& f = all_[i];
      if (!slips(i)) {
        on_lines -= f.weight * members_[i].force;
        continue;
      }
      stiffness -= f.fall(f.parts_above(speed(i, between)));
      on_lines -= f.weight * members_[i].side * (f.decay > 0 ? f.beyond : f.force_at(speed(i, x_)));
    }
    if (stiffness <= kLeastStiffness) return std::nullopt;
    const std::vector<DecayingForce> decays = decaying_forces(all_, sides_of(members_), stiffness);
    const auto [begin, end] = stable_range(decays);
    const double low = std::max(begin, std::min(x_, to)), high = std::min(end, std::max(x_, to));
    const bool whole = high - low == std::fabs(to - x_);
    if (!(whole ? high >= low : high - low > rounding_)) return std::nullopt;
    const double nearest = direction_ > 0 ? low : high, farthest = direction_ > 0 ? high : low;
    if (direction_ * residual(farthest) > 0) return std::nullopt;
    if (!(direction_ * residual(nearest) > 0)) return nearest;
    return std::clamp(falling_balance(x_ + on_lines / stiffness, decays).x, low, high);
  }

  // All forces are constant from x_ on, but for what is left of those that decay.
  [[nodiscard]] double end_of_all() const {
    double most = std::max(direction_ * residual(x_), 0.0);
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const SlipOnLine& f = all_[i];
      if (f.decay > 0) most += std::fabs(f.weight * (f.force_at(speed(i, x_)) - f.beyond));
    }
    return x_ + direction_ * 2 * (most + rounding_);
  }

  [[nodiscard]] NextBalance slipping(double x, double to) const {
    NextBalance end{x, true, sides_of(members_), {}};
    for (std::size_t i = 0; i < all_.size(); ++i) {
      end.ahead.push_back(all_[i].parts_above(speed(i, x_ + (to - x_) / 2)));
    }
    return end;
  }
  [[nodiscard]] NextBalance at_rest() const {
    return {x_, true, sides_of(members_), std::vector<std::uint8_t>(all_.size(), 0)};
  }

  const BodyBalance& body_;
  const std::vector<SlipOnLine>& all_;
  double load_;
  double start_;
  double x_;  // the last bend
  double direction_;
  std::vector<Member> members_;
  bool lets_go_;
  double rounding_;
  PrincipalCholesky<Eigen::Dynamic> factor_;  // of those that hold
  BalanceCurve curve_;
};

}  // namespace

std::int8_t way_of_release(const BodyBalance& body, std::span<const char> rests, std::size_t own,
                           std::int8_t side) {
  std::vector<Member> members;
  for (const char r : rests) members.push_back({r != 0 ? Rest::kHeld : Rest::kSlips, 0, 0});
  PrincipalCholesky<Eigen::Dynamic> factor(body.coupling);
  const BalanceCurve curve = balance_curve(body, members, 1, factor);
  const double change = side * curve.change[static_cast<Eigen::Index>(own)];
  const double least = 1e-9 * curve.change.lpNorm<Eigen::Infinity>();
  return static_cast<std::int8_t>((change > least) - (change < -least));
}

NextBalance next_balance(const BodyBalance& body, double load, double x,
                         std::span<const char> resting, std::int8_t direction, double rounding) {
  const double from = x;
  std::vector<Member> members = members_at(body, x, resting);
  Following(body, resting).take(x, members);
  const bool lets_go = direction != 0;
  if (direction == 0) {
    Walk here(body, load, x, 1, members, false, rounding);
    const double force = here.residual(x);
    if (std::fabs(force) <= rounding && x == from) {
      std::vector<std::uint8_t> ahead(members.size(), 0);
      if (!here.is_held()) ahead = parts_ahead(body.frictions, x, rounding);
      return {x, false, sides_of(members), std::move(ahead)};
    }
    direction = force > 0 ? 1 : -1;
  }
  NextBalance end = Walk(body, load, x, direction, std::move(members), lets_go, rounding).run();
  end.moves = std::fabs(end.x - from) > rounding;
  return end;
}

}  // namespace luztar
