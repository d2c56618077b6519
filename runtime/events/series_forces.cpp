#include "runtime/events/series_forces.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "runtime/events/island_decision.h"
#include "runtime/events/series_map.h"
#include "runtime/pwl/lexicographic_minimum.h"

namespace luztar {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Within this of its bound a force is at it, while others move it along a self-stress.
constexpr double kAtBound = 1e-9;
/// A jump of a prescribed motion, against which nothing stays at rest.
constexpr double kJump = 1e-9;

/// Of the residuals of minimize_along: that of the terms, and of its penalties.
double rounding_of_slip(const MatrixXd& G, const VectorXd& size, const VectorXd& force) {
  constexpr double kPenalty = 1e-9;
  if (size.size() == 0) return 0;
  const double greatest = G.diagonal().maxCoeff();
  return kRoundingOfRate * size.maxCoeff() +
         kPenalty * (greatest > 0 ? greatest : 1.0) * force.lpNorm<Eigen::Infinity>();
}

/// Frictions that act on the same points, by place among `members`. One on no point is alone.
std::vector<std::vector<Index>> components(const SettleNumbers& n,
                                           const std::vector<Index>& members) {
  const auto count = static_cast<Index>(members.size());
  std::vector<Index> label(members.size());
  std::iota(label.begin(), label.end(), Index{0});
  for (Index point = 0; point < n.points(); ++point) {
    Index first = -1;
    for (Index m = 0; m < count; ++m) {
      if (n.directions(n.springs() + members[static_cast<std::size_t>(m)], point) == 0) continue;
      const Index own = label[static_cast<std::size_t>(m)];
      if (first < 0) first = own;
      std::replace(label.begin(), label.end(), own, first);
    }
  }
  std::vector<std::vector<Index>> out;
  for (Index m = 0; m < count; ++m) {
    std::vector<Index> same;
    for (Index o = 0; o < count; ++o) {
      if (label[static_cast<std::size_t>(o)] == m) same.push_back(o);
    }
    if (!same.empty()) out.push_back(std::move(same));
  }
  return out;
}

/// The minimum of s'G s/2 - b's over the points start + Z tau within the bounds.
struct Minimum {
  VectorXd force, residual;
};
Minimum minimize_along(const MatrixXd& G, const VectorXd& b, const VectorXd& size,
                       const MatrixXd& Z, const VectorXd& lower, const VectorXd& upper,
                       const VectorXd& start) {
  LexicographicMinimum m{start, VectorXd::Zero(start.size()), VectorXd::Zero(start.size()),
                         std::vector<BoxSide>(static_cast<std::size_t>(start.size()))};
  minimize_on_face(G, b, size, Z, lower, upper, m);
  for (Index i = 0; i < start.size(); ++i) {  // what no self-stress moves
    if (Z.row(i).isZero(0.0)) m.force[i] = start[i];
  }
  return {m.force, m.second};
}

}  // namespace

SeriesForces::SeriesForces(const SettleNumbers& numbers, const SettleDrives& drives,
                           const std::vector<std::int8_t>& rests)
    : n_(numbers), d_(drives) {
  find_velocities(rests);
}

// Those at rest slip with their points at most.
void SeriesForces::find_velocities(const std::vector<std::int8_t>& rests) {
  velocity_ = d_.travel.col(1);
  velocity_size_ = d_.velocity_size;
  fits_.assign(rests.size(), 0);
  std::vector<Index> resting;
  for (Index i = 0; i < velocity_.size(); ++i) {
    if (rests[static_cast<std::size_t>(i)] != 0) resting.push_back(i);
  }
  if (resting.empty()) return;
  const MatrixXd Z = self_stresses(n_, resting);
  const VectorXd apart = Z * (Z.transpose() * velocity_(resting));
  for (std::size_t r = 0; r < resting.size(); ++r) {
    const Index i = resting[r];
    const double left = apart[static_cast<Index>(r)];
    if (d_.driven[static_cast<std::size_t>(i)] != 0 &&
        std::fabs(left) > kJump * velocity_size_[i]) {
      return;
    }
  }
  velocity_(resting) -= apart;
  for (const Index i : resting) fits_[static_cast<std::size_t>(i)] = 1;
}

double SeriesForces::travel(Index i, Index k) const {
  if (k == 1) return velocity_[i];
  const double factor = 1.0 / static_cast<double>(k * (k - 1));
  return factor * rate_[static_cast<std::size_t>(k - 2)][i];
}

double SeriesForces::rounding(Index i, Index k) const {
  const auto own = [&](Index j) {
    if (k == 1) return kRoundingOfRate * velocity_size_[j];
    const double factor = 1.0 / static_cast<double>(k * (k - 1));
    return kRoundingOfRate * factor * rate_size_[static_cast<std::size_t>(k - 2)][j];
  };
  const auto length = [&](Index j) { return n_.directions.row(n_.springs() + j).norm(); };
  if (length(i) == 0) return own(i);
  double most = 0;  // points carry it from one to the other
  for (Index j = 0; j < velocity_.size(); ++j) {
    if (length(j) > 0) most = std::max(most, own(j) / length(j));
  }
  return most * length(i);
}

double SeriesForces::rounding_of_force(Index k) const {
  double most = 0;
  for (Index i = 0; i < d_.rate_size.rows(); ++i) {
    const double g = n_.gram(i, i);
    if (g > 0) most = std::max(most, rate_size_[static_cast<std::size_t>(k)][i] / g);
  }
  return kRoundingOfRate * most;
}

// 2.: a linear program on each group of frictions on the same points. Those whose slip it leaves
// different from zero are at their bounds from then on.
void SeriesForces::find_fastest(Index k, const MatrixXd& Z, Order& o) const {
  constexpr double kFar = 1e3;  // of the forces: where no bound would end the way of rounding
  for (const std::vector<Index>& part : components(n_, o.members)) {
    std::vector<Index> frictions;
    for (const Index m : part) frictions.push_back(o.members[static_cast<std::size_t>(m)]);
    const MatrixXd own = part.size() == o.members.size() ? Z : self_stresses(n_, frictions);
    const bool fit = std::all_of(frictions.begin(), frictions.end(),
                                 [&](Index i) { return fits_[static_cast<std::size_t>(i)] != 0; });
    if ((k == 0 && fit) || own.cols() == 0) continue;
    VectorXd c(own.rows()), doubt(own.rows());
    for (Index r = 0; r < c.size(); ++r) {
      c[r] = travel(frictions[static_cast<std::size_t>(r)], k + 1);
      doubt[r] = rounding(frictions[static_cast<std::size_t>(r)], k + 1);
    }
    const VectorXd apart = own.transpose() * c;
    if ((apart.array().abs() <= (own.cwiseAbs().transpose() * doubt).array()).all()) continue;
    VectorXd lower = o.lower(part), upper = o.upper(part);
    const auto finite = [](double x) { return std::isfinite(x) ? std::fabs(x) : 0.0; };
    double force = VectorXd(o.force(part)).lpNorm<Eigen::Infinity>();
    for (Index r = 0; r < c.size(); ++r) {
      force = std::max({force, finite(lower[r]), finite(upper[r])});
    }
    if (force == 0) force = 1;
    lower = lower.cwiseMax(-kFar * force);
    upper = upper.cwiseMin(kFar * force);
    c *= force / apart.cwiseAbs().maxCoeff();
    const MatrixXd none = MatrixXd::Zero(c.size(), c.size());
    const Minimum fastest =
        minimize_along(none, c, c.cwiseAbs(), own, lower, upper, VectorXd(o.force(part)));
    o.force(part) = fastest.force;
    const double left = rounding_of_slip(none, c.cwiseAbs(), VectorXd(o.force(part)));
    for (std::size_t r = 0; r < part.size(); ++r) {
      const double slip = fastest.residual[static_cast<Index>(r)];
      if (std::fabs(slip) <= left) continue;
      const Index m = part[r];
      const double bound = slip > 0 ? o.upper[m] : o.lower[m];
      if (std::isfinite(bound)) o.lower[m] = o.upper[m] = bound;
    }
  }
}

// Members at their bounds that no self-stress can take away from there.
void SeriesForces::find_exhausted(Index k, const MatrixXd& Z, const Order& o) {
  const auto count = static_cast<Index>(o.members.size());
  exhausted_.assign(o.members.size(), 1);
  double greatest = count > 0 ? o.force.lpNorm<Eigen::Infinity>() : 0;
  const double noise = k > 0 ? o.rounding + rounding_of_force(k) : 0;
  greatest = std::max(greatest, noise / kAtBound);
  if (greatest == 0) greatest = 1;  // forces and finite bounds are zero: any measure will do
  VectorXd lower(count), upper(count), near(count);  // far enough to tell
  for (Index m = 0; m < count; ++m) {
    const bool boxed = std::isfinite(o.lower[m]) && std::isfinite(o.upper[m]);
    lower[m] = std::isfinite(o.lower[m]) ? o.lower[m] : o.force[m] - greatest;
    upper[m] = std::isfinite(o.upper[m]) ? o.upper[m] : o.force[m] + greatest;
    near[m] = kAtBound * (boxed ? std::max(std::fabs(lower[m]), std::fabs(upper[m])) : greatest);
    near[m] = std::max(near[m], noise);
  }
  const auto side_of = [&](Index m, const VectorXd& force) {
    if (upper[m] - force[m] <= near[m]) return 1;
    return force[m] - lower[m] <= near[m] ? -1 : 0;
  };
  VectorXd force = o.force;
  for (bool more = Z.cols() > 0; more;) {
    more = false;
    VectorXd inward = VectorXd::Zero(count);
    for (Index m = 0; m < count; ++m) {
      const int side = side_of(m, force);
      if (side == 0) exhausted_[static_cast<std::size_t>(m)] = 0;
      const bool candidate = exhausted_[static_cast<std::size_t>(m)] != 0 && lower[m] < upper[m];
      if (candidate && !Z.row(m).isZero(0.0)) inward[m] = -side * near[m];
    }
    if (inward.isZero(0.0)) break;
    inward *= greatest / inward.cwiseAbs().maxCoeff();
    const MatrixXd none = MatrixXd::Zero(count, count);
    const VectorXd moved =
        minimize_along(none, inward, inward.cwiseAbs(), Z, lower, upper, force).force;
    force = 0.5 * (force + moved);  // between two points of a convex set
    for (Index m = 0; m < count; ++m) {
      char& exhausted = exhausted_[static_cast<std::size_t>(m)];
      if (exhausted == 0 || side_of(m, force) != 0) continue;
      exhausted = 0;
      more = true;
    }
  }
  for (Index m = 0; m < count; ++m) {
    if (side_of(m, o.force) == 0) exhausted_[static_cast<std::size_t>(m)] = 0;
  }
}

void SeriesForces::note_rates(Index k, const Order& o) {
  VectorXd force = o.given;
  force(o.members) = o.force;
  rate_.resize(static_cast<std::size_t>(k));
  rate_size_.resize(static_cast<std::size_t>(k));
  VectorXd rate = d_.rate.col(k) - n_.gram * force;
  const VectorXd size = d_.rate_size.col(k) + n_.gram.cwiseAbs() * force.cwiseAbs();
  rate = (rate.array().abs() <= kRoundingOfRate * size.array()).select(0, rate);
  rate_.push_back(rate);
  rate_size_.push_back(size);
}

void SeriesForces::distribute(Index k, Order& o) {
  const auto count = static_cast<Index>(o.members.size());
  const MatrixXd Z = self_stresses(n_, o.members);
  const bool parting = k == 0 || !slip_.isZero(0.0);  // the order before leaves slips
  slip_ = VectorXd::Zero(count);
  if (Z.cols() > 0) {
    if (parting) find_fastest(k, Z, o);
    const MatrixXd gram = n_.gram(o.members, o.members);
    const VectorXd b = (d_.rate.col(k) - n_.gram * o.given)(o.members);
    const VectorXd size =
        (d_.rate_size.col(k) + n_.gram.cwiseAbs() * o.given.cwiseAbs())(o.members);
    const Vector start = o.force;
    for (bool again = true; again;) {
      again = false;
      Vector lower = o.lower, upper = o.upper;
      for (Index m = 0; m < count; ++m) {
        if (o.saturated[static_cast<std::size_t>(m)] == 0) continue;
        (std::isfinite(upper[m]) ? lower[m] : upper[m]) =
            std::isfinite(upper[m]) ? upper[m] : lower[m];
      }
      const Minimum least = minimize_along(gram, b, size, Z, lower, upper, start);
      o.force = least.force;
      slip_ = least.residual;
      const double rounding = rounding_of_slip(gram, size, o.force);
      for (Index m = 0; m < count; ++m) {
        char& saturated = o.saturated[static_cast<std::size_t>(m)];
        const double inward = std::isfinite(o.upper[m]) ? -slip_[m] : slip_[m];
        if (saturated == 0 || inward <= rounding) continue;
        saturated = 0;
        again = true;
      }
    }
  }
  note_rates(k, o);
  // What points carry from one to the other has the rounding of all.
  const double rounding =
      rounding_of_slip(n_.gram(o.members, o.members), rate_size_.back()(o.members), o.force);
  slip_ = (slip_.array().abs() <= rounding).select(0, slip_);
  find_exhausted(k, Z, o);
}

void SeriesForces::saturate(Index k, const std::vector<std::int8_t>& side, Order& o) const {
  constexpr double kBeyond = 1e-9;  // of the forces
  const MatrixXd Z = self_stresses(n_, o.members);
  if (Z.cols() == 0) return;
  const MatrixXd gram = n_.gram(o.members, o.members);
  const double beyond =
      std::max(kBeyond * o.force.lpNorm<Eigen::Infinity>(), o.rounding + rounding_of_force(k));
  for (Index worst = 0; worst >= 0;) {
    std::vector<Index> fixed;
    for (Index m = 0; m < o.force.size(); ++m) {
      if (o.lower[m] == o.upper[m] || o.saturated[static_cast<std::size_t>(m)] != 0) {
        fixed.push_back(m);
      }
    }
    const MatrixXd free = without_members(Z, fixed);
    const MatrixXd open = free * null_basis(reduced_gram(gram, free));
    const Vector change = -open * (open.transpose() * o.force);  // to the shortest
    double most = beyond;
    worst = -1;
    for (Index m = 0; m < change.size(); ++m) {
      const double excess = side[static_cast<std::size_t>(m)] * change[m];
      if (excess <= most || o.saturated[static_cast<std::size_t>(m)] != 0) continue;
      most = excess;
      worst = m;
    }
    if (worst >= 0) o.saturated[static_cast<std::size_t>(worst)] = 1;
  }
}

}  // namespace luztar
