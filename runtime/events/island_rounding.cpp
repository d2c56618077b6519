// What rounding, and the errors of events, leave of rates and slips of an island's members.
#include <algorithm>
#include <cmath>

#include "runtime/events/island_decision.h"
#include "runtime/numbers.h"
#include "runtime/pwl/first_crossing.h"
#include "runtime/pwl/minimum_along.h"

namespace luztar {

double IslandDecision::rounding_of_rate(Index i, Index k) const {
  return k > 0 && creeps(i) && !matrices_->is_bound() ? kRoundingOfCreep : kRoundingOfRate;
}

// Of the rate of one whose capacity is just coming back: it holds whatever load is no more than
// what rounding of the instant makes of its capacity, or of the load.
double IslandDecision::rounding_of_return(Index i) const {
  if (creeps(i) || members_[i].contact != 0 || J_->highest() == 0 || bound(i, 0) > 0) return 0;
  const double of_capacity = J_->error_of_instant(std::max(bound(i, 1), 0.0));
  const double of_load = J_->rounding_of_instant(0, rate_row(i));
  return std::max(matrices_->gram(i, i) * of_capacity, of_load);
}

// Of a load, relative to its terms. An event leaves some of that of a friction which has come to
// its bound: without capacity it tells no direction, what follows does.
double IslandDecision::rounding_of_load(Index i, Index k) const {
  const bool lacks = k == 0 && !creeps(i) && members_[i].contact == 0 && !(bound(i, 0) > 0);
  return lacks && any_reaches_ ? kNear : rounding_of_rate(i, k);
}

// Nothing but the rounding of what it is the difference of is left of a slip that has ended.
double IslandDecision::rounding_of_end(Index i, Index k) const {
  if (k > 0 || !members_[i].ended) return 0;
  return kRoundingOfRate * J_->size(0, friction_[i].free_row);
}

// Where a prescribed motion has a multiple root, events are near it: as far as the slip is lost in
// its noise. Leading coefficients of its rate are what that leaves of the first one that tells.
//   slip: as of slip_by_rates
IslandDecision::Index IslandDecision::orders_of_dust(std::span<const double> slip, double noise) {
  const std::size_t zeros = zeros_near_root(slip, kRootOrders, noise);
  return zeros > 0 ? static_cast<Index>(zeros) - 1 : 0;
}

IslandDecision::Index IslandDecision::near_root(Index i) const {
  if (creeps(i) && !matrices_->is_bound()) return 0;  // these are slips, without its own force
  const Index orders = std::min(kOrdersOfRoot, J_->highest());
  return orders_of_dust(slip_by_rates(*J_, rate_row(i), orders), noise_of_slip(i));
}

// Of what no force changes of a slip: leading orders of its rate that a multiple root near by
// leaves.
IslandDecision::Index IslandDecision::dust_of_parting(const std::vector<Index>& rows,
                                                      const Eigen::MatrixXd& reach, Index r) const {
  const auto is_damped = [&](Index c) { return creeps(at_rest_[static_cast<std::size_t>(c)]); };
  if (std::any_of(rows.begin(), rows.end(), is_damped)) return 0;  // they follow at once
  std::vector<double> slip{0};
  Vector rate(static_cast<Index>(rows.size())), size(rate.size());
  for (Index k = 0; k < std::min(kOrdersOfRoot, J_->highest() + 1); ++k) {
    for (Index c = 0; c < rate.size(); ++c) {
      const Index i = at_rest_[static_cast<std::size_t>(rows[static_cast<std::size_t>(c)])];
      rate[c] = J_->at(k, rate_row(i));
      size[c] = J_->size(k, rate_row(i));
    }
    const double left = rate[r] - reach.row(r).dot(rate);
    const double terms = size[r] + reach.row(r).cwiseAbs().dot(size);
    const bool is_known = std::fabs(left) > kRoundingOfRate * terms;
    slip.push_back(is_known ? left / static_cast<double>(k + 1) : 0);
  }
  return orders_of_dust(slip, 0);
}

double IslandDecision::noise_of_slip(Index i) const {
  constexpr double kNoise = 64 * kEpsilon;
  return kNoise * J_->size(0, friction_[i].slip_row);
}

// Rates of a light body are as uncertain as its forces make them, and all that is on it has that in
// common: sizes of rows alone would say that nothing is known of the bodies beside it, either.
void IslandDecision::find_shifts(Index k) {
  Vector sliding = Vector::Zero(size_);
  shift_.resize(size_);
  for (Index i = 0; i < size_; ++i) {
    if (force_[i] != 0) sliding[i] = members_[i].side * J_->shift(k, friction_[i].kinetic_row);
    shift_[i] = J_->shift(k, friction_[i].free_row);
  }
  matrices_->gram.add_product(sliding, -1, shift_);
}

void IslandDecision::leave_shifts() {
  shift_left_ = shift_;
  if (shift_.size() == 0) return;
  (void)place_inside(0);
  Vector held(static_cast<Index>(inside_->held.size()));
  for (Index h = 0; h < held.size(); ++h) held[h] = shift_[at_rest_[inside_->held[h]]];
  const Vector by_held = inside_->forces->forces(held);
  Vector force = Vector::Zero(size_);
  for (Index h = 0; h < held.size(); ++h) force[at_rest_[inside_->held[h]]] = by_held[h];
  matrices_->gram.add_product(force, -1, shift_left_);
}

// Of a bound island: how a slip of r follows from forces of massless bodies.
double IslandDecision::creep_unit(Index r) const {
  return matrices_->is_bound() ? std::sqrt(solution_.creep_gram(r, r)) : 0;
}

// Of those that the rate of r is the sum of.
double IslandDecision::own_terms(Index r) const { return rate_size_[at_rest_[r]] + terms_[r]; }

// A row that others hold has their rounding, however small its own terms are.
void IslandDecision::find_greatest() {
  greatest_ = greatest_in_series_ = rounding_of_face_ = 0;
  for (Index r = 0; r < terms_.size(); ++r) {
    const double own = own_terms(r);
    if (unit(r) > 0) greatest_ = std::max(greatest_, own / unit(r));
    if (creep_unit(r) > 0) greatest_in_series_ = std::max(greatest_in_series_, own / creep_unit(r));
  }
  if (!matrices_->is_bound()) return;
  rounding_of_face_ = rounding_of_residual(gram_.dense(), terms_, solution_.box.force);
}

// Of terms. The rate of a massless body is that of others, in a series with it.
double IslandDecision::size_of_rate(Index r) const {
  const double size = unit(r) > 0 ? greatest_ * unit(r) : greatest_in_series_ * creep_unit(r);
  return shift_left_.size() > 0 ? size + std::fabs(shift_left_[at_rest_[r]]) : size;
}

// Of the rate that is left of r.
double IslandDecision::rounding_of_left(Index r) const {
  return std::max(kRoundingOfRate * size_of_rate(r), rounding_of_face_);
}

// A contact without force opens by its slip at once: not by what the terms of slips, of these
// sizes, leave where they cancel. So in all slips of members that a contact is among, or in those
// of the contacts alone.
void IslandDecision::clear_rounding(const Eigen::MatrixXd& creep_gram, const Vector& size,
                                    bool contacts_alone, Vector& slip) const {
  const auto is_contact = [&](Index i) { return members_[i].contact != 0; };
  if (std::none_of(at_rest_.begin(), at_rest_.end(), is_contact)) return;
  const Vector unit = creep_gram.diagonal().cwiseSqrt();
  const double greatest = (unit.array() > 0).select(size.array() / unit.array(), 0).maxCoeff();
  for (Index r = 0; r < slip.size(); ++r) {
    if (contacts_alone && !is_contact(at_rest_[r])) continue;
    if (std::fabs(slip[r]) <= kRoundingOfRate * greatest * unit[r]) slip[r] = 0;
  }
}

// Of the slips of those at rest that creep: bodies with inertia have it, each by its rate.
double IslandDecision::rounding_of_instant() {
  double most = 0;
  for (const Index i : at_rest_) {
    if (creeps(i)) most = std::max(most, J_->rounding_of_instant(0, friction_[i].free_row));
  }
  return most;
}

}  // namespace luztar
