#include "runtime/events/impact.h"

#include <algorithm>
#include <cmath>

#include "runtime/numbers.h"
#include "runtime/pwl/box_minimum.h"

namespace luztar {
namespace {

/// Without a loss a body of 1e-6 of those that close in on it turns them back in pi/2 * 1e3
/// impacts.
constexpr int kMostInTurn = 2000;

/// The fastest approach of a contact; 0 where none approaches.
double fastest_approach(const std::vector<std::int8_t>& contacts, const Eigen::VectorXd& slip) {
  double fastest = 0;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    fastest = std::max(fastest, contacts[i] * slip[static_cast<Eigen::Index>(i)]);
  }
  return fastest;
}

/// Contacts that approach, and those that are closed and not `open`.
std::vector<Eigen::Index> approaching(const std::vector<std::int8_t>& contacts,
                                      const std::vector<std::uint8_t>& open,
                                      const Eigen::VectorXd& slip) {
  std::vector<Eigen::Index> members;
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    const double speed = contacts[k] * slip[i];
    if (speed > 0 || (contacts[k] != 0 && speed == 0 && open[k] == 0)) members.push_back(i);
  }
  return members;
}

/// One impact of these contacts.
void strike_once(const Gram& gram, const std::vector<std::int8_t>& contacts,
                 const std::vector<Eigen::Index>& members, const Eigen::VectorXd& restitution,
                 ImpactResult& result) {
  const auto n = static_cast<Eigen::Index>(members.size());
  Eigen::VectorXd b(n), lower(n), upper(n);
  for (Eigen::Index r = 0; r < n; ++r) {
    const Eigen::Index i = members[static_cast<std::size_t>(r)];
    const int side = contacts[static_cast<std::size_t>(i)];
    const bool approaches = side * result.after[i] > 0;
    b[r] = approaches ? (1 + restitution[i]) * result.after[i] : result.after[i];
    lower[r] = side > 0 ? 0 : -kInfinity;
    upper[r] = side > 0 ? kInfinity : 0;
  }
  const BoxMinimum solution = minimize_in_box(gram.principal(members), b, lower, upper);
  const Eigen::VectorXd before = result.after;
  Eigen::VectorXd impulse = Eigen::VectorXd::Zero(gram.size());
  for (Eigen::Index r = 0; r < n; ++r) {
    impulse[members[static_cast<std::size_t>(r)]] = solution.force[r];
  }
  gram.add_product(impulse, -1, result.after);
  Eigen::VectorXd size = before.cwiseAbs();
  gram.add_sizes(impulse, size);
  for (Eigen::Index i = 0; i < size.size(); ++i) {
    if (std::fabs(result.after[i]) <= kSpeedRounding * size[i]) result.after[i] = 0;
  }
  // Of a contact the law says it, without rounding.
  for (Eigen::Index r = 0; r < n; ++r) {
    const Eigen::Index i = members[static_cast<std::size_t>(r)];
    result.after[i] = solution.residual[r] - (b[r] - before[i]);
  }
  result.impulse += impulse;
}

}  // namespace

ImpactResult solve_impact(const Gram& gram, const std::vector<std::int8_t>& contacts,
                          const std::vector<std::uint8_t>& opens, const Eigen::VectorXd& slip,
                          const Eigen::VectorXd& restitution) {
  ImpactResult result{Eigen::VectorXd::Zero(gram.size()), slip};
  const double at_first = fastest_approach(contacts, slip);
  // What is together in the instant of the first impact takes part in it.
  const std::vector<std::uint8_t> none(contacts.size(), 0);
  for (int turn = 0; turn < kMostInTurn; ++turn) {
    const std::vector<std::uint8_t>& open = turn == 0 ? none : opens;
    strike_once(gram, contacts, approaching(contacts, open, result.after), restitution, result);
    const double left = fastest_approach(contacts, result.after);
    if (left == 0) return result;
    if (left <= kSpeedRounding * at_first) break;
  }
  std::vector<Eigen::Index> all;
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    if (contacts[k] != 0) all.push_back(static_cast<Eigen::Index>(k));
  }
  strike_once(gram, contacts, all, Eigen::VectorXd::Zero(slip.size()), result);
  return result;
}

}  // namespace luztar
