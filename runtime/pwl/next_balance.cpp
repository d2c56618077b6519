#include "runtime/pwl/next_balance.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "runtime/pwl/beyond_fall.h"

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
    if (f.decay == 0) continue;
    if (const double end = end_of_fall(f.fall(), f.decay); end > 0) {
      add(end);
      add(-end);
    }
  }
  std::stable_sort(bends.begin(), bends.end(),
                   [&](const Bend& a, const Bend& b) { return direction * (a.x - b.x) < 0; });
  return bends;
}

class Walk {
 public:
  Walk(std::span<const SlipOnLine> frictions, double load) : frictions_(frictions), load_(load) {}

  /// F at x, on the sides that the slips have.
  [[nodiscard]] double residual(double x, std::span<const std::int8_t> side) const {
    double sum = load_ - x;
    for (std::size_t i = 0; i < frictions_.size(); ++i) {
      const SlipOnLine& f = frictions_[i];
      if (side[i] == 0) continue;
      const double speed = std::max(side[i] * (f.offset + f.ratio * x), 0.0);
      sum -= f.weight * side[i] * force_at(f, speed);
    }
    return sum;
  }

  /// From x in a direction, on sides as they are just beyond x. F is not zero beyond what rounding
  /// leaves between x and where F begins to rise.
  NextBalance run(double x, double direction, std::vector<std::int8_t> side,
                  double rounding) const {
    const double start = x;
    double here = direction * residual(x, side);
    const std::vector<Bend> bends = bends_ahead(frictions_, x, direction);
    for (std::size_t k = 0; k < bends.size(); ++k) {
      const Bend& bend = bends[k];
      const double next = direction * residual(bend.x, side);
      const bool leaves = std::fabs(bend.x - start) <= rounding;
      if (next <= 0 && !leaves) return {root(x, here, bend.x, next, side), true, std::move(side)};
      x = bend.x;
      here = next;
      if (!bend.at_rest) continue;
      const SlipOnLine& f = frictions_[bend.friction];
      const auto beyond = static_cast<std::int8_t>(direction * f.ratio > 0 ? 1 : -1);
      const double taken = std::fabs(f.weight) * f.holds;
      side[bend.friction] = 0;
      here = direction * residual(x, side) - taken;
      if (here <= 0) return {x, true, std::move(side)};
      side[bend.friction] = beyond;
    }
    // All forces are constant beyond, but for what is left of one that decays.
    const double to = x + direction * std::max(here, 0.0);
    return {root_of_decay(x, side).value_or(to), true, std::move(side)};
  }

 private:
  // Between bends F goes through zero from x, where direction * F is `here`, to `to`.
  [[nodiscard]] double root(double x, double here, double to, double there,
                            std::span<const std::int8_t> side) const {
    if (!(here > 0)) return x;
    return root_of_decay(x, side).value_or(x + (to - x) * (here / (here - there)));
  }

  // F goes through zero where it falls, which no line lets it do: beside the one that decays all
  // others are constant there.
  [[nodiscard]] std::optional<double> root_of_decay(double x,
                                                    std::span<const std::int8_t> side) const {
    const auto found = std::find_if(frictions_.begin(), frictions_.end(),
                                    [](const SlipOnLine& f) { return f.decay > 0; });
    if (found == frictions_.end()) return std::nullopt;
    const SlipOnLine& f = *found;
    const double sign = side[static_cast<std::size_t>(found - frictions_.begin())];
    if (sign == 0) return std::nullopt;
    const double force = sign * force_at(f, std::max(sign * (f.offset + f.ratio * x), 0.0));
    const double others = residual(x, side) + f.weight * force;
    const double compliance = f.weight * f.ratio;
    const double y = sign * (f.offset + f.ratio * (x + others)) - compliance * f.beyond;
    const double slip = f.decay * beyond_fall(y / f.decay, f.fall());
    return (sign * slip - f.offset) / f.ratio;
  }

  std::span<const SlipOnLine> frictions_;
  double load_;
};

}  // namespace

NextBalance next_balance(std::span<const SlipOnLine> frictions, double load, double x,
                         std::span<const char> resting, std::int8_t direction, double rounding) {
  const Walk walk(frictions, load);
  std::vector<std::int8_t> side;
  double held = 0;
  for (std::size_t i = 0; i < frictions.size(); ++i) {
    const SlipOnLine& f = frictions[i];
    const double slip = f.offset + f.ratio * x;
    side.push_back(static_cast<std::int8_t>(resting[i] != 0 ? 0 : (slip > 0) - (slip < 0)));
    if (side.back() == 0) held += std::fabs(f.weight) * f.holds;
  }
  if (direction == 0) {
    const double residual = walk.residual(x, side);
    if (std::fabs(residual) <= held + rounding) return {x, false, std::move(side)};
    direction = residual > 0 ? 1 : -1;
  }
  for (std::size_t i = 0; i < frictions.size(); ++i) {
    if (side[i] == 0) side[i] = direction * frictions[i].ratio > 0 ? 1 : -1;
  }
  NextBalance end = walk.run(x, direction, std::move(side), rounding);
  end.moves = std::fabs(end.x - x) > rounding;
  return end;
}

}  // namespace luztar
