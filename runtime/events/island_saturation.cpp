// Members at rest whose bound is all that keeps their force from being longer, where forces are not
// unique.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "runtime/events/island_decision.h"

namespace luztar {

// Of many forces with the same motion the shortest are taken. Those that only their bound keeps
// from being longer stay at it, whatever their rates: let loose, they would be beyond it at once.
// The same of their derivatives, while those before leave forces at their bounds.
void IslandDecision::saturate(Index k) {
  for (Index r = 0; matrices_->is_bound() && r < static_cast<Index>(at_rest_.size()); ++r) {
    Member& m = members_[at_rest_[r]];
    const double rate = m.side * solution_.box.residual[r];
    m.creeps_on = creeps(at_rest_[r]) && rate > kRoundingOfRate * size_of_rate(r);
  }
  if (at_rest_.size() < 2) return;
  const Vector& force = solution_.box.force;
  constexpr double kBeyond = 1e-9;  // of the forces
  const double beyond = kBeyond * force.cwiseAbs().maxCoeff();
  const Vector taken = b_ - solution_.box.residual;  // without what rounding leaves at the bounds
  for (Index worst = 0; worst >= 0;) {
    std::vector<Index> held, others;
    for (Index r = 0; r < force.size(); ++r) {
      const Rest rest = members_[at_rest_[r]].rest;
      const bool holds = rest == Rest::kHeld || (rest == Rest::kCritical && !lets_go(r));
      (holds ? held : others).push_back(r);
    }
    ActiveSet free;
    set_active(std::move(held), std::move(others), free);
    const Vector loose = shortest(free, taken);
    double most = beyond;
    std::int8_t side_of_worst = 0;
    worst = -1;
    for (std::size_t h = 0; h < free.held.size(); ++h) {
      const Index i = at_rest_[free.held[h]];
      if (members_[i].rest != Rest::kCritical || k >= members_[i].falls_from) continue;
      const double way = loose[static_cast<Index>(h)] - force[free.held[h]];
      const bool at_both = is_at_both_bounds(i, k + 1);
      const std::int8_t side = at_both ? direction_of(way) : members_[i].side;
      const double excess = side * way;
      if (excess <= most) continue;
      const auto at = static_cast<Index>(h);
      const double size = size_of_held(free, k, at) + size_of_balance(free, at);
      const double rounding = at_both ? rounding_of_load(i, k) : kRoundingOfRate;
      if (excess <= rounding * size) continue;  // no force at all
      most = excess;
      worst = i;
      side_of_worst = side;
    }
    if (worst < 0) break;
    members_[worst].side = side_of_worst;
    members_[worst].rest = Rest::kSaturated;
    members_[worst].saturated_at = k;
    members_[worst].excess = most;
  }
}

// Its bound is what lets it go at a later order, as prescribed motions part there; or, in a bound
// island, as the bodies that hold a massless one part at this rate, and it slips with that from the
// next order on.
bool IslandDecision::lets_go(Index r) const {
  if (parting_order_ > 0 && parting_[r] != 0) return true;
  const Index i = at_rest_[r];
  return members_[i].creeps_on && !members_[i].follows;
}

// A force that is kept at its bound for its length alone falls where the motion needs that. True
// when one does so at this order: then another one has to be kept at its bound, perhaps.
bool IslandDecision::release_saturated(Index k) {
  Index worst = falling_by_creep();
  if (worst < 0) worst = falling_by_rate(k);
  if (worst >= 0) members_[worst].falls_from = members_[worst].saturated_at;
  return worst >= 0;
}

// The one that would slip inwards most, where massless bodies slip; -1 for none.
IslandDecision::Index IslandDecision::falling_by_creep() const {
  Index worst = -1;
  double most = 0;  // slips have been rid of their rounding
  for (Index r = 0; matrices_->is_bound() && r < solution_.slip.size(); ++r) {
    const Member& m = members_[at_rest_[r]];
    if (m.rest != Rest::kSaturated || solution_.slip[r] == 0) continue;
    const double inward = -m.side * solution_.slip[r] / std::sqrt(solution_.creep_gram(r, r));
    if (inward <= most) continue;
    most = inward;
    worst = at_rest_[r];
  }
  return worst;
}

// Of those that would slip inwards the one that is kept at its bound by least: where forces at
// their bounds alone hold a body, slip rates are what their multipliers may be changed by, and this
// one is the first that comes to zero.
IslandDecision::Index IslandDecision::falling_by_rate(Index k) {
  Index first = -1;
  double least = kInfinity;
  std::optional<Vector> way;
  for (Index r = 0; r < terms_.size(); ++r) {
    const Member& m = members_[at_rest_[r]];
    const double size = size_of_rate(r);
    if (m.rest != Rest::kSaturated || size == 0) continue;
    const double inward = -m.side * solution_.box.residual[r];
    if (inward <= rounding_of_left(r) || m.excess >= least * inward) continue;
    if (matrices_->is_bound()) {
      if (!way) way = way_let_loose(k);
      if (m.side * (*way)[r] >= 0) continue;
    }
    least = m.excess / inward;
    first = at_rest_[r];
  }
  return first;
}

// What forces change by when none is kept at its bound for its length, if the motion needs that. In
// a bound island multipliers of what massless bodies fix are in the rates, too, and are not unique
// where only bounds keep forces: that they point inwards tells nothing, the power of such a way
// does.
IslandDecision::Vector IslandDecision::way_let_loose(Index k) {
  const OrderSolution kept = solution_;
  const Vector lower = lower_, upper = upper_, parting = parting_;
  const Index parting_order = parting_order_;
  for (Index r = 0; r < lower.size(); ++r) {
    const Rest rest = members_[at_rest_[r]].rest;
    if (rest == Rest::kSaturated) bound_force(k, r, Rest::kCritical);
  }
  solve_box(k);
  Vector way = solution_.box.force - kept.box.force;
  solution_ = kept;
  lower_ = lower;
  upper_ = upper;
  parting_ = parting;
  parting_order_ = parting_order;
  double power = 0, rounding = 0;
  for (Index r = 0; r < way.size(); ++r) {
    power += kept.box.residual[r] * way[r];
    rounding += rounding_of_left(r) * std::fabs(way[r]);
  }
  return power > rounding ? way : Vector::Zero(way.size());
}

}  // namespace luztar
