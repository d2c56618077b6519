// Networks of massless bodies that act on each other at once, and whose frictions fall with speed:
// where all of them go together (P3, Stribeck, in the limit M -> 0).
#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <utility>

#include "runtime/events/island_decision.h"
#include "runtime/pwl/held_forces.h"

namespace luztar {
namespace {

std::size_t place_of(std::span<const Eigen::Index> acting, Eigen::Index i) {
  return static_cast<std::size_t>(std::find(acting.begin(), acting.end(), i) - acting.begin());
}

}  // namespace

// Slips and states of the mode in J; those that slip do so, however little.
IslandDecision::NetworkStart IslandDecision::start_of(const SnappingNetwork& network,
                                                      std::span<const FrictionState> states) const {
  const std::vector<Index>& acting = network.front().acting;
  const auto n = static_cast<Index>(acting.size());
  NetworkStart start;
  Eigen::MatrixXd gram(n, n);
  Vector force(n);
  start.balance.offset.resize(n);
  for (Index r = 0; r < n; ++r) {
    const Index i = acting[static_cast<std::size_t>(r)];
    start.balance.frictions.push_back(law_of(i));
    force[r] = start.balance.frictions.back().at_rest;
    start.balance.offset[r] = free(i, 0);
    for (Index c = 0; c < n; ++c) {
      gram(r, c) = matrices_->creep_entry(i, acting[static_cast<std::size_t>(c)]);
    }
  }
  start.balance.gram = gram;
  start.rounding = start.balance.offset.cwiseAbs();
  start.balance.gram.add_sizes(force, start.rounding);
  start.slip.resize(n);
  start.way.resize(acting.size(), 0);
  for (Index r = 0; r < n; ++r) {
    const Index i = acting[static_cast<std::size_t>(r)];
    double& rounding = start.rounding[r];
    rounding = kNear * rounding + kRoundingOfRate * J_->size(0, friction_[i].free_row);
    const double speed = std::fabs(J_->at(0, friction_[i].slip_row));
    start.slip[r] = states[i].direction * std::max(speed, 2 * rounding);
    start.resting.push_back(states[i].direction == 0 ? 1 : 0);
  }
  return start;
}

// What the end is for one of the bodies, where it is by the acting frictions of another one.
NextBalance IslandDecision::end_of(const Snapping& body, const Snapping& of,
                                   const LeastBalance& end) const {
  NextBalance out{present_speed(body), end.moves, {}, {}};
  std::vector<char> rests;
  for (std::size_t c = 0; c < body.acting.size(); ++c) {
    const Index i = body.acting[c];
    const std::size_t at = place_of(of.acting, i);
    out.side.push_back(end.side[at]);
    out.ahead.push_back(end.ahead[at]);
    rests.push_back(end.side[at] == 0 ? 1 : 0);
    if (!falls(i) || c >= body.own_acting) continue;
    out.x = (end.slip[static_cast<Index>(at)] - free(i, 0)) / ratio(body, i);
  }
  if (is_held(body, rests)) std::fill(out.ahead.begin(), out.ahead.end(), std::uint8_t{0});
  return out;
}

// Of equal slips that come to their bends together, and keep each other there, the first one goes
// on alone. False where no others do.
bool IslandDecision::leave_one_way(std::vector<std::int8_t>& way) {
  const auto first = std::find_if(way.begin(), way.end(), [](std::int8_t w) { return w != 0; });
  if (first == way.end() || std::all_of(first + 1, way.end(), [](std::int8_t w) { return w == 0; }))
    return false;
  std::fill(first + 1, way.end(), std::int8_t{0});
  return true;
}

// The same for all bodies of a network at once.
bool IslandDecision::jump(SnappingNetwork& network, std::span<const FrictionHint> hints,
                          std::span<const FrictionState> states) try {
  if (network.size() == 1) return jump(network.front(), hints, states);
  const Snapping& all = network.front();
  NetworkStart from = start_of(network, states);
  std::vector<Start> starts;
  bool follows = true, any_way = false;
  for (Snapping& body : network) {
    const Start& start = starts.emplace_back(start_of(body, hints, states));
    follows = follows && start.follows;
    any_way = any_way || start.way != 0;
    for (std::size_t c = 0; c < body.own_acting; ++c) {
      const Index i = body.acting[c];
      const std::size_t at = place_of(all.acting, i);
      const SlipOnLine& own = start.balance.frictions[c];
      from.resting[at] = start.resting[c];
      const double slip = start.resting[c] != 0 ? 0 : own.offset + own.ratio * start.x;
      from.slip[static_cast<Index>(at)] = slip;
      if (hints[i].fall != 0 && falls(i)) {
        from.way[at] = static_cast<std::int8_t>(own.ratio > 0 ? start.way : -start.way);
      }
    }
  }
  LeastBalance end = least_balance(from.balance, from.slip, from.resting, from.way, from.rounding);
  if (!end.moves && leave_one_way(from.way)) {
    LeastBalance alone =
        least_balance(from.balance, from.slip, from.resting, from.way, from.rounding);
    if (alone.moves) end = std::move(alone);
  }
  if (!end.moves && follows && !any_way) return false;
  std::vector<NextBalance> ends;
  bool changed = false;
  for (const Snapping& body : network) {
    ends.push_back(end_of(body, all, end));
    changed = changed || changes(body, ends.back(), states);
  }
  for (std::size_t b = 0; b < network.size(); ++b) {
    Snapping& body = network[b];
    if (changed) {
      take(body, ends[b], starts[b].x);
    } else {
      body.speed += ends[b].x - starts[b].x;
    }
  }
  if (changed) basis_.clear();
  return changed;
} catch (const UnboundedMinimum&) {
  return false;
}

// The same for all bodies of a network at once: each friction that lets go leads its body on.
void IslandDecision::leave_fall(SnappingNetwork& network, std::span<const FrictionState> states) {
  if (network.size() == 1) return leave_fall(network.front(), states);
  const Snapping& all = network.front();
  const auto lets_go = [&](Index i) {
    return members_[i].rest == Rest::kSlips && states[i].direction != members_[i].side;
  };
  if (std::none_of(all.acting.begin(), all.acting.end(), lets_go)) return;
  NetworkStart from = start_of(network, states);
  for (std::size_t c = 0; c < all.acting.size(); ++c) {
    if (lets_go(all.acting[c])) from.way[c] = members_[all.acting[c]].side;
  }
  const LeastBalance end =
      least_balance(from.balance, from.slip, from.resting, from.way, from.rounding);
  if (!end.moves && let_one_go(all, from)) return;
  for (Snapping& body : network) {
    const NextBalance own = end_of(body, all, end);
    if (end.moves) {
      take(body, own, present_speed(body));
    } else {
      take_lines(body, own);
    }
  }
  if (end.moves) basis_.clear();
}

// Of several that let go at the same instant, at equal bounds, the first one takes the bodies along
// where all of them would fall by more than the damping rises: of the others the forces fall with
// its own. False where they do not, or one alone lets go.
bool IslandDecision::let_one_go(const Snapping& all, const NetworkStart& from) {
  std::vector<Index> places, held;  // of those that slip, and that hold others
  std::vector<double> fall;
  Index first = -1;
  bool several = false;
  for (std::size_t c = 0; c < all.acting.size(); ++c) {
    const Member& m = members_[all.acting[c]];
    if (m.rest == Rest::kHeld) held.push_back(static_cast<Index>(c));
    if (m.rest != Rest::kSlips) continue;
    const FrictionLaw& law = from.balance.frictions[c];
    places.push_back(static_cast<Index>(c));
    fall.push_back(from.way[c] != 0 ? law.slope_at_rest() : law.slope(m.ahead));
    if (from.way[c] == 0) continue;
    several = several || first >= 0;
    if (first < 0) first = all.acting[c];
  }
  if (!several) return false;
  const auto n = static_cast<Index>(fall.size());
  const Vector root = Eigen::Map<const Vector>(fall.data(), n).cwiseMax(0.0).cwiseSqrt();
  const Eigen::MatrixXd gram = from.balance.gram.dense();
  Eigen::MatrixXd reach = gram(places, places);
  const HeldForces forces(from.balance.gram, held);
  for (Index c = 0; c < n; ++c) {
    const Vector row = gram(held, places[static_cast<std::size_t>(c)]);
    reach.col(c) -= gram(places, held) * forces.forces(row);
  }
  const Eigen::MatrixXd rise =
      Eigen::MatrixXd::Identity(n, n) - root.asDiagonal() * reach * root.asDiagonal();
  if (Eigen::LLT<Eigen::MatrixXd>(rise).info() == Eigen::Success) return false;
  for (std::size_t c = 0; c < all.acting.size(); ++c) {
    const Index i = all.acting[c];
    Member& m = members_[i];
    if (from.way[c] == 0 || m.rest != Rest::kSlips || i == first) continue;
    m.hold();
  }
  return true;
}

}  // namespace luztar
