#include "runtime/pwl/least_balance.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <optional>

#include "runtime/pwl/box_minimum.h"
#include "runtime/pwl/decompositions.h"
#include "runtime/pwl/falling_balance.h"
#include "runtime/pwl/held_forces.h"

namespace luztar {
namespace {

using Vector = Eigen::VectorXd;
using Index = Eigen::Index;

/// Rounds to the least balance.
class Climb {
 public:
  Climb(const NetworkBalance& network, const Vector& slip, std::span<const char> resting,
        std::span<const std::int8_t> way, const Vector& rounding)
      : network_(network),
        n_(network.gram.size()),
        slip_(slip),
        rounding_(rounding),
        way_(way.begin(), way.end()) {
    for (Index i = 0; i < n_; ++i) {
      const FrictionLaw& f = friction(i);
      const auto at = static_cast<std::size_t>(i);
      const double near = rounding_[i];
      const auto side = static_cast<std::int8_t>((slip[i] > 0) - (slip[i] < 0));
      const bool rests = resting[at] != 0 && way[at] == 0;
      side_.push_back(rests ? std::int8_t{0} : side != 0 ? side : way[at]);
      const double speed = std::fabs(slip[i]);
      const std::uint8_t beyond = f.parts_above(speed + near), before = f.parts_above(speed - near);
      const int grows = way[at] * side_.back();
      ahead_.push_back(grows > 0   ? beyond
                       : grows < 0 ? before
                                   : std::clamp(f.ahead, beyond, before));
    }
  }

  LeastBalance run() {
    const Vector from = slip_;
    solve();
    const bool kicked = std::any_of(way_.begin(), way_.end(), [](auto w) { return w != 0; });
    bool moves = kicked || differs(from);
    for (std::size_t left = most_rounds(); moves && left > 0; --left) {
      if (goes_on()) break;
      solve();
    }
    if (kicked) moves = differs(from);
    return {slip_, moves, side_, ahead_};
  }

 private:
  [[nodiscard]] const FrictionLaw& friction(Index i) const {
    return network_.frictions[static_cast<std::size_t>(i)];
  }
  [[nodiscard]] std::int8_t& side(Index i) { return side_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] std::int8_t side(Index i) const { return side_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] std::uint8_t& ahead(Index i) { return ahead_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] std::uint8_t ahead(Index i) const { return ahead_[static_cast<std::size_t>(i)]; }

  [[nodiscard]] std::size_t most_rounds() const {
    constexpr std::size_t kOfDecay = 1000;  // near a fold that the loads pass it goes on slowly
    std::size_t parts = 0;
    for (const FrictionLaw& f : network_.frictions) {
      parts += f.decay > 0 ? kOfDecay : f.falls.size();
    }
    return 64 + 16 * (network_.frictions.size() + parts);
  }

  // Of those that fall.
  [[nodiscard]] bool differs(const Vector& from) const {
    for (Index i = 0; i < n_; ++i) {
      if (friction(i).varies() && std::fabs(slip_[i] - from[i]) > rounding_[i]) return true;
    }
    return false;
  }

  /// By what its force falls with its speed, at a speed, on the lines that it is on.
  [[nodiscard]] double fall(Index i, double speed) const {
    const FrictionLaw& f = friction(i);
    if (side(i) == 0 || f.pushes != 0) return 0;
    return f.decay > 0 ? (f.force_at(speed) - f.beyond) / f.decay : f.slope(ahead(i));
  }

  // Slips under the frictions of those so far.
  void solve() {
    Vector lower(n_), upper(n_);
    const Vector& b = network_.offset;
    for (Index i = 0; i < n_; ++i) {
      const FrictionLaw& f = friction(i);
      const double kinetic = f.force_at(std::fabs(slip_[i]));
      lower[i] = f.pushes == 0 && side(i) < 0 ? -kinetic : f.lower();
      upper[i] = f.pushes == 0 && side(i) > 0 ? kinetic : f.upper();
      // One that lets go has this force, however others share theirs.
      if (slip_[i] != 0 || way_[static_cast<std::size_t>(i)] == 0 || f.pushes != 0) continue;
      lower[i] = upper[i] = side(i) * kinetic;
    }
    minimize_in_box(network_.gram, b, b.cwiseAbs(), lower, upper, box_);
    for (Index i = 0; i < n_; ++i) {
      const double slip = box_.residual[i], moved = slip - slip_[i];
      const auto at = static_cast<std::size_t>(i);
      if (slip == 0 && way_[at] != 0 && side(i) == way_[at]) continue;  // begins to slip
      side(i) = static_cast<std::int8_t>((slip > 0) - (slip < 0));
      if (std::fabs(moved) > rounding_[i]) {
        const double near = side(i) * moved > 0 ? rounding_[i] : -rounding_[i];
        ahead(i) = friction(i).parts_above(std::fabs(slip) + near);
      }
      slip_[i] = slip;
    }
  }

  /// Those that hold, and those at a bound that others hold.
  void find_resting() {
    held_.clear();
    at_bound_.clear();
    for (Index i = 0; i < n_; ++i) {
      if (side(i) != 0) continue;
      (box_.side[static_cast<std::size_t>(i)] == BoxSide::kInside ? held_ : at_bound_).push_back(i);
    }
  }

  /// How slips and forces go on from here.
  struct Way {
    Vector slip, force;
    bool lasts = false;       // as far as the lines do; else by as much as these are
    double most = kInfinity;  // of such a way, as exponentials have no ends
    bool is_open = false;     // pushes that lead apart tell no way: the next round does
  };

  /// Those that slip with forces that change: with their speed, or as they are not yet those of it.
  struct Moving {
    std::vector<Index> at;
    Eigen::MatrixXd reach;  // slips by forces
    Eigen::MatrixXd root;   // reach = root root'
    Vector push;            // what their forces are so far beyond those of their slips
  };
  [[nodiscard]] Moving find_moving(const HeldForces& held) const {
    Moving moving;
    std::vector<double> push;
    for (Index i = 0; i < n_; ++i) {
      if (side(i) == 0 || friction(i).pushes != 0) continue;
      const double speed = std::fabs(slip_[i]);
      const double left = side(i) * box_.force[i] - friction(i).force_at(speed);
      if (fall(i, speed) == 0 && left == 0 && way_[static_cast<std::size_t>(i)] == 0) continue;
      moving.at.push_back(i);
      push.push_back(side(i) * left);
    }
    const auto m = static_cast<Index>(moving.at.size());
    moving.push = Eigen::Map<const Vector>(push.data(), m);
    moving.reach.resize(m, m);
    for (Index c = 0; c < m; ++c) {
      Vector force = Vector::Zero(n_);
      force[moving.at[static_cast<std::size_t>(c)]] = 1;
      moving.reach.col(c) = led_by(force, held)(moving.at);
    }
    moving.reach = (moving.reach + moving.reach.transpose()).eval() / 2;
    if (m == 0) return moving;
    const SymmetricEigen parts = symmetric_eigen(moving.reach);
    moving.root = parts.vectors * parts.values.cwiseMax(0.0).cwiseSqrt().asDiagonal();
    return moving;
  }

  // By what their forces fall with their slips, after these have changed.
  [[nodiscard]] Vector falls_of(const Moving& moving, const Vector& change) const {
    Vector falls(change.size());
    for (Index c = 0; c < change.size(); ++c) {
      const Index i = moving.at[static_cast<std::size_t>(c)];
      falls[c] = fall(i, std::fabs(slip_[i]) + side(i) * change[c]);
    }
    return falls;
  }

  /// The eigenvector of  reach diag(falls)  that grows fastest, and by how much.
  struct Growth {
    double factor = 0;
    Vector way;
  };
  [[nodiscard]] static Growth growth_of(const Moving& moving, const Vector& falls) {
    const SymmetricEigen growth =
        symmetric_eigen(moving.root.transpose() * falls.asDiagonal() * moving.root);
    const Index last = falls.size() - 1;
    return {growth.values[last], moving.root * growth.vectors.col(last)};
  }

  // What a change of its slip adds to its force.
  [[nodiscard]] double gain(Index i, double change) const {
    const FrictionLaw& f = friction(i);
    const double speed = std::fabs(slip_[i]);
    if (!(f.decay > 0)) return -fall(i, speed) * change;
    return side(i) * (f.force_at(speed + side(i) * change) - f.force_at(speed));
  }

  // How slips change to the balance of all that move, where that is stable. Of exponentials by
  // Newton's steps: what falls is convex, so that these come from beyond, if there is one.
  [[nodiscard]] std::optional<Vector> change_to_balance(const Moving& moving) const {
    constexpr int kMostNewtonSteps = 60;
    const auto m = static_cast<Index>(moving.at.size());
    const bool any_decays = std::any_of(moving.at.begin(), moving.at.end(),
                                        [&](Index i) { return friction(i).decay > 0; });
    Vector change = Vector::Zero(m);
    for (int left = kMostNewtonSteps; left > 0; --left) {
      const Vector falls = falls_of(moving, change);
      if (growth_of(moving, falls).factor >= 1 - kLeastStiffness) return std::nullopt;
      Vector beyond = moving.push;  // of the forces so far, over those of the changed slips
      for (Index c = 0; c < m; ++c) {
        beyond[c] -= gain(moving.at[static_cast<std::size_t>(c)], change[c]);
      }
      const Eigen::MatrixXd stays =
          Eigen::MatrixXd::Identity(m, m) - moving.reach * falls.asDiagonal();
      const Vector step = stays.partialPivLu().solve(moving.reach * beyond - change);
      // Where a slip ends on the way the rest of it does not count.
      double part = 1;
      for (Index c = 0; c < m; ++c) {
        const Index i = moving.at[static_cast<std::size_t>(c)];
        const double decay = friction(i).decay, rate = side(i) * step[c];
        const double room = std::fabs(slip_[i]) + side(i) * change[c] + decay;
        if (decay > 0 && room + rate < 0) part = std::min(part, -room / rate);
      }
      change += part * step;
      if (part < 1 || !any_decays || step.norm() <= 1e-14 * change.norm()) return change;
    }
    return change;
  }

  // A slip has come to the end of an exponential fall.
  [[nodiscard]] bool leaves_fold(const Moving& moving) const {
    return std::any_of(moving.at.begin(), moving.at.end(), [&](Index i) {
      const int way = way_[static_cast<std::size_t>(i)];
      return friction(i).decay > 0 && slip_[i] != 0 && way * side(i) < 0;
    });
  }

  // On the lines of the mode; the forces of those that hold keep them at rest.
  [[nodiscard]] Way find_way() {
    const HeldForces held(network_.gram, held_);
    const Moving moving = find_moving(held);
    const auto m = static_cast<Index>(moving.at.size());
    Way way{Vector::Zero(n_), Vector::Zero(n_), false};
    if (m == 0) return way;
    std::optional<Vector> change;
    if (!leaves_fold(moving)) change = change_to_balance(moving);
    const Vector& push = moving.push;
    if (!change) {
      way.lasts = true;
      const Growth growth = growth_of(moving, falls_of(moving, Vector::Zero(m)));
      change = growth.way;
      constexpr double kLeadsApart = 0.1;
      const Vector pushed = moving.reach * push;
      double along = change->dot(pushed), led = 0;
      for (Index c = 0; c < m; ++c) {
        led +=
            way_[static_cast<std::size_t>(moving.at[static_cast<std::size_t>(c)])] * (*change)[c];
      }
      way.is_open = led == 0 && std::fabs(along) < kLeadsApart * change->norm() * pushed.norm();
      if (led != 0) along = led;
      if (along < 0) change = -*change;
      way.most = most_along(moving, *change, growth.factor);
    }
    for (Index c = 0; c < m; ++c) {
      const Index i = moving.at[static_cast<std::size_t>(c)];
      way.force[i] = way.lasts ? -fall(i, std::fabs(slip_[i])) * (*change)[c]
                               : gain(i, (*change)[c]) - push[c];
    }
    way.slip = -led_by(way.force, held);
    return way;
  }

  // How far exponentials let forces grow along a way: up to where half of what they grow by is
  // left; or a share of the speed in which they decay.
  [[nodiscard]] double most_along(const Moving& moving, const Vector& way, double growth) const {
    constexpr double kShare = 0.25;
    double most = kInfinity;
    for (Index c = 0; c < way.size(); ++c) {
      const Index i = moving.at[static_cast<std::size_t>(c)];
      const double rate = side(i) * way[c];
      if (!(friction(i).decay > 0) || rate == 0) continue;
      const bool grows = rate > 0 && growth > 1;
      const double left = grows ? std::log1p((growth - 1) / (growth + 1)) : kShare;
      most = std::min(most, std::min(left, kShare) * friction(i).decay / std::fabs(rate));
    }
    return most;
  }

  // What forces add to the slips, less those that hold for that, which are added.
  [[nodiscard]] Vector led_by(Vector& force, const HeldForces& held) const {
    Vector slip = Vector::Zero(n_);
    network_.gram.add_product(force, 1, slip);
    const Vector added = held.forces(slip(held_));
    force(held_) = -added;
    slip.setZero();
    network_.gram.add_product(force, 1, slip);
    slip(held_).setZero();
    return slip;
  }

  // Those at a bound that the way leads away from it hold again.
  [[nodiscard]] bool any_returns(const Way& way) {
    const auto returns = [&](Index i) {
      const double moves = way.slip[i] * static_cast<int>(box_.side[static_cast<std::size_t>(i)]);
      return moves < -1e-9 * way.slip.lpNorm<Eigen::Infinity>();
    };
    const auto stay = std::stable_partition(at_bound_.begin(), at_bound_.end(), returns);
    if (stay == at_bound_.begin()) return false;
    held_.insert(held_.end(), at_bound_.begin(), stay);
    at_bound_.erase(at_bound_.begin(), stay);
    return true;
  }

  // To the balance of the lines that it is on, where that is; else to where one of these ends, or
  // a friction lets go or comes to rest.
  bool goes_on() {
    find_resting();
    Way way = find_way();
    while (any_returns(way)) way = find_way();
    if (way.is_open) return false;
    double length = way.lasts ? way.most : 1;
    Index first = -1;
    bool bends = false;
    const auto end_at = [&](double at, Index i, bool is_bend) {
      if (at >= length) return;
      length = std::max(at, 0.0);
      first = i;
      bends = is_bend;
    };
    for (Index i = 0; i < n_; ++i) {
      const FrictionLaw& f = friction(i);
      if (side(i) == 0) continue;
      const double speed = std::fabs(slip_[i]), rate = side(i) * way.slip[i];
      if (!way.lasts && std::fabs(rate) <= rounding_[i]) continue;  // it has come to the balance
      if (rate < 0) end_at(-speed / rate, i, false);
      if (rate < 0 && ahead(i) < f.falls.size()) {
        end_at((f.falls[ahead(i)].speed - speed) / rate, i, true);
      }
      if (rate > 0 && ahead(i) > 0) {
        end_at((f.falls[ahead(i) - std::size_t{1}].speed - speed) / rate, i, true);
      }
    }
    for (const Index i : held_) {
      const FrictionLaw& f = friction(i);
      const double rate = way.force[i];
      const double room = rate > 0 ? f.upper() - box_.force[i] : box_.force[i] - f.lower();
      if (rate != 0 && room < kInfinity) end_at(room / std::fabs(rate), -1, false);
    }
    if (length == kInfinity) return true;
    std::fill(way_.begin(), way_.end(), std::int8_t{0});
    slip_ += length * way.slip;
    if (length == 1 && !way.lasts) return true;
    if (first < 0) return false;
    if (bends) {
      const bool grows = side(first) * way.slip[first] > 0;
      const double speed = friction(first).falls[ahead(first) - (grows ? 1U : 0U)].speed;
      slip_[first] = side(first) * speed;
      ahead(first) = static_cast<std::uint8_t>(ahead(first) + (grows ? -1 : 1));
    } else {
      slip_[first] = 0;
      side(first) = 0;
    }
    return false;
  }

  const NetworkBalance& network_;
  Index n_;
  Vector slip_, rounding_;
  std::vector<std::int8_t> side_, way_;
  std::vector<std::uint8_t> ahead_;
  BoxMinimum box_;
  std::vector<Index> held_, at_bound_;  // of those at rest
};

}  // namespace

LeastBalance least_balance(const NetworkBalance& network, const Eigen::VectorXd& slip,
                           std::span<const char> resting, std::span<const std::int8_t> way,
                           const Eigen::VectorXd& rounding) {
  return Climb(network, slip, resting, way, rounding).run();
}

}  // namespace luztar
