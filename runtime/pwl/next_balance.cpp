#include "runtime/pwl/next_balance.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace luztar {
namespace {

double force_at(const SlipOnLine& f, double speed) {
  if (f.decay > 0) return f.beyond + (f.at_rest - f.beyond) * std::exp(-speed / f.decay);
  double fallen = 0;
  for (const FallingPart& part : f.falls) {
    fallen += part.share * std::min(speed / part.speed, 1.0);
  }
  return f.at_rest - (f.at_rest - f.beyond) * fallen;
}

/// Parts with a speed above this one.
std::uint8_t parts_above(const SlipOnLine& f, double speed) {
  const auto passed = std::find_if(f.falls.begin(), f.falls.end(),
                                   [&](const FallingPart& part) { return part.speed <= speed; });
  return static_cast<std::uint8_t>(passed - f.falls.begin());
}

/// Where a friction's slip is zero, or its force bends.
struct Bend {
  double x;
  std::size_t friction;
  bool at_rest;  // the former
};

std::vector<Bend> bends_ahead(std::span<const SlipOnLine> frictions, double x, double direction) {
  std::vector<Bend> bends;
  for (std::size_t i = 0; i < frictions.size(); ++i) {
    const SlipOnLine& f = frictions[i];
    const auto add = [&](double slip) {
      const double at = (slip - f.offset) / f.ratio;
      if (direction * (at - x) > 0) bends.push_back({at, i, slip == 0});
    };
    add(0);
    for (const FallingPart& part : f.falls) {
      add(part.speed);
      add(-part.speed);
    }
  }
  std::stable_sort(bends.begin(), bends.end(),
                   [&](const Bend& a, const Bend& b) { return direction * (a.x - b.x) < 0; });
  return bends;
}

/// Of its slip, on this side.
double speed_at(const SlipOnLine& f, double x, std::int8_t side) {
  return std::max(side * (f.offset + f.ratio * x), 0.0);
}

/// F at x, on the sides that the slips have.
double residual(std::span<const SlipOnLine> frictions, double load, double x,
                std::span<const std::int8_t> side) {
  double sum = load - x;
  for (std::size_t i = 0; i < frictions.size(); ++i) {
    const SlipOnLine& f = frictions[i];
    if (side[i] == 0) continue;
    sum -= f.weight * side[i] * force_at(f, speed_at(f, x, side[i]));
  }
  return sum;
}

/// What one with a `decay` adds to the left side of  x + ... = y  on this side of its slip, where F
/// falls by `stiffness` without those.
DecayingForce decaying_force(const SlipOnLine& f, std::int8_t side, double stiffness) {
  return {f.weight * side * (f.at_rest - f.beyond) / stiffness, side * f.offset / f.decay,
          side * f.ratio / f.decay};
}

std::vector<DecayingForce> decaying_forces(std::span<const SlipOnLine> frictions,
                                           std::span<const std::int8_t> side, double stiffness) {
  std::vector<DecayingForce> forces;
  for (std::size_t i = 0; i < frictions.size(); ++i) {
    if (side[i] == 0 || !(frictions[i].decay > 0)) continue;
    forces.push_back(decaying_force(frictions[i], side[i], stiffness));
  }
  return forces;
}

class Walk {
 public:
  Walk(std::span<const SlipOnLine> frictions, double load, double x, double direction,
       std::vector<std::int8_t> side, double rounding)
      : frictions_(frictions),
        load_(load),
        x_(x),
        direction_(direction),
        side_(std::move(side)),
        rounding_(rounding) {}

  /// From x in a direction, on sides as they are just beyond x.
  NextBalance run() {
    const double start = x_;
    for (const Bend& bend : bends_ahead(frictions_, x_, direction_)) {
      if (std::fabs(bend.x - start) > rounding_) {
        if (const auto x = balance(bend.x)) return slipping(*x, bend.x);
      }
      x_ = bend.x;
      if (!bend.at_rest) continue;
      const SlipOnLine& f = frictions_[bend.friction];
      side_[bend.friction] = 0;
      if (direction_ * residual(x_) <= f.most_against(direction_)) return at_rest();
      side_[bend.friction] = direction_ * f.ratio > 0 ? 1 : -1;
    }
    // All forces are constant beyond, but for what is left of those that decay.
    double most = std::max(direction_ * residual(x_), 0.0);
    for (std::size_t i = 0; i < frictions_.size(); ++i) {
      const SlipOnLine& f = frictions_[i];
      if (f.decay > 0) most += std::fabs(f.weight * (force_at(f, speed(i, x_)) - f.beyond));
    }
    const double to = x_ + direction_ * 2 * (most + rounding_);
    return slipping(balance(to).value_or(x_), to);
  }

 private:
  [[nodiscard]] double speed(std::size_t i, double x) const {
    return speed_at(frictions_[i], x, side_[i]);
  }

  [[nodiscard]] double residual(double x) const {
    return luztar::residual(frictions_, load_, x, side_);
  }

  // Where F is zero and falls between x_ and a bend: of exponentials on one part of the way.
  [[nodiscard]] std::optional<double> balance(double to) const {
    const double between = x_ + (to - x_) / 2;
    double stiffness = 1, on_lines = load_ - x_;
    for (std::size_t i = 0; i < frictions_.size(); ++i) {
      const SlipOnLine& f = frictions_[i];
      if (side_[i] == 0) continue;
      stiffness -= f.fall(parts_above(f, speed(i, between)));
      on_lines -= f.weight * side_[i] * (f.decay > 0 ? f.beyond : force_at(f, speed(i, x_)));
    }
    if (stiffness <= kLeastStiffness) return std::nullopt;
    const std::vector<DecayingForce> decays = decaying_forces(frictions_, side_, stiffness);
    const auto [begin, end] = stable_range(decays);
    const double low = std::max(begin, std::min(x_, to)), high = std::min(end, std::max(x_, to));
    const bool whole = high - low == std::fabs(to - x_);
    if (!(whole ? high >= low : high - low > rounding_)) return std::nullopt;
    const double nearest = direction_ > 0 ? low : high, farthest = direction_ > 0 ? high : low;
    if (direction_ * residual(farthest) > 0) return std::nullopt;
    if (!(direction_ * residual(nearest) > 0)) return nearest;
    return std::clamp(falling_balance(x_ + on_lines / stiffness, decays).x, low, high);
  }

  [[nodiscard]] NextBalance slipping(double x, double to) const {
    NextBalance end{x, true, side_, {}};
    for (std::size_t i = 0; i < frictions_.size(); ++i) {
      end.ahead.push_back(parts_above(frictions_[i], speed(i, x_ + (to - x_) / 2)));
    }
    return end;
  }
  [[nodiscard]] NextBalance at_rest() const {
    return {x_, true, side_, std::vector<std::uint8_t>(frictions_.size(), 0)};
  }

  std::span<const SlipOnLine> frictions_;
  double load_;
  double x_;  // the last bend
  double direction_;
  std::vector<std::int8_t> side_;
  double rounding_;
};

/// Parts ahead at x; where x is at the speed of one, as so far.
std::vector<std::uint8_t> parts_ahead(std::span<const SlipOnLine> frictions, double x,
                                      double rounding) {
  std::vector<std::uint8_t> ahead;
  for (const SlipOnLine& f : frictions) {
    const double speed = std::fabs(f.offset + f.ratio * x), near = std::fabs(f.ratio) * rounding;
    ahead.push_back(
        std::clamp(f.ahead, parts_above(f, speed + near), parts_above(f, speed - near)));
  }
  return ahead;
}

}  // namespace

FallingEnd end_of_decay(std::span<const SlipOnLine> frictions, std::span<const std::int8_t> side,
                        std::size_t own) {
  double stiffness = 1;
  for (const SlipOnLine& f : frictions) stiffness -= f.fall(f.ahead);
  return falling_end(decaying_force(frictions[own], side[own], stiffness),
                     decaying_forces(frictions, side, stiffness));
}

NextBalance next_balance(std::span<const SlipOnLine> frictions, double load, double x,
                         std::span<const char> resting, std::int8_t direction, double rounding) {
  std::vector<std::int8_t> side;
  for (std::size_t i = 0; i < frictions.size(); ++i) {
    const SlipOnLine& f = frictions[i];
    const double slip = f.offset + f.ratio * x;
    side.push_back(static_cast<std::int8_t>(resting[i] != 0 ? 0 : (slip > 0) - (slip < 0)));
  }
  if (direction == 0) {
    const double force = residual(frictions, load, x, side);
    double held = 0;
    for (std::size_t i = 0; i < frictions.size(); ++i) {
      if (side[i] == 0) held += frictions[i].most_against(force);
    }
    if (std::fabs(force) <= held + rounding) {
      const bool rests = std::find(side.begin(), side.end(), 0) != side.end();
      std::vector<std::uint8_t> ahead(frictions.size(), 0);
      if (!rests) ahead = parts_ahead(frictions, x, rounding);
      return {x, false, std::move(side), std::move(ahead)};
    }
    direction = force > 0 ? 1 : -1;
  }
  for (std::size_t i = 0; i < frictions.size(); ++i) {
    if (side[i] == 0) side[i] = direction * frictions[i].ratio > 0 ? 1 : -1;
  }
  NextBalance end = Walk(frictions, load, x, direction, std::move(side), rounding).run();
  end.moves = std::fabs(end.x - x) > rounding;
  return end;
}

}  // namespace luztar
