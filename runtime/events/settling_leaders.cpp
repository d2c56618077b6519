// Points between frictions that all slide: which body beyond they follow.
#include <algorithm>
#include <cmath>

#include "runtime/events/settling_decision.h"
#include "runtime/pwl/decompositions.h"

namespace luztar {

// Frictions alone cannot all slide on a point without inertia unless their forces balance, and then
// its place is open: it follows one of the bodies beyond, as it would under a little more friction
// there. The force of that one is at its bound by the balance.
void SettlingDecision::find_leaders() {
  const auto slides = [&](Index i) { return state_of(i).direction != 0; };
  std::vector<Index> held;
  for (Index i = 0; i < n_.springs(); ++i) {
    if (carries(i)) held.push_back(i);
  }
  bool any = false;
  for (Index i = 0; i < n_.frictions(); ++i) {
    const bool holds = rest_[at(i)] == Rest::kStuck || rest_[at(i)] == Rest::kCritical;
    if (holds && !slides(i)) held.push_back(n_.springs() + i);
    any = any || (slides(i) && !holds_more(i));
  }
  if (!any) return;
  MatrixXd rows = n_.directions(held, Eigen::all);
  Index known = rank(rows, kDependent);
  const auto is_new = [&](Index row) {
    const MatrixXd before = rows;
    rows.conservativeResize(rows.rows() + 1, Eigen::NoChange);
    rows.row(before.rows()) = n_.directions.row(row);
    if (rank(rows, kDependent) > known) return true;
    rows = before;
    return false;
  };
  for (Index i = 0; i < n_.frictions() && known < n_.points(); ++i) {
    if (!slides(i) || holds_more(i) || !is_new(n_.springs() + i)) continue;
    ++known;
    rest_[at(i)] = Rest::kCritical;
    leads_[at(i)] = 1;
  }
  if (std::find(leads_.begin(), leads_.end(), 1) != leads_.end()) slide_with_leaders();
}

// Points that follow a leader have its speed: what was at its bound without a slip, while they were
// held to have none, slides with them.
void SettlingDecision::slide_with_leaders() {
  std::vector<Index> held;
  for (Index i = 0; i < n_.frictions(); ++i) {
    const bool holds = rest_[at(i)] == Rest::kStuck || rest_[at(i)] == Rest::kCritical;
    if (holds && (leads_[at(i)] != 0 || state_of(i).direction == 0)) held.push_back(i);
  }
  const auto on_points = n_.directions.bottomRows(n_.frictions());
  const MatrixXd follow = pseudo_inverse(on_points(held, Eigen::all), kDependent).matrix;
  for (Index i = 0; orders_ > 0 && i < n_.frictions(); ++i) {
    if (rest_[at(i)] != Rest::kCritical || leads_[at(i)] != 0 || !slides_on(i)) continue;
    const VectorXd weight = (on_points.row(i) * follow).transpose();
    const VectorXd left =
        on_points.row(i).transpose() - on_points(held, Eigen::all).transpose() * weight;
    if (left.norm() > kDependent * on_points.row(i).norm()) continue;  // springs have a say
    double slip = travel(i, 1), size = rounding_of_drives(n_.springs() + i, 1);
    for (Index r = 0; r < weight.size(); ++r) {
      slip -= weight[r] * travel(held[at(r)], 1);
      size += std::fabs(weight[r]) * rounding_of_drives(n_.springs() + held[at(r)], 1);
    }
    if (bound_[at(i)] * slip > size) rest_[at(i)] = Rest::kSlips;
  }
}

}  // namespace luztar
