#include "runtime/events/series_forces.h"

#include <algorithm>
#include <cmath>

#include "runtime/events/island_decision.h"
#include "runtime/events/series_map.h"
#include "runtime/pwl/box_minimum.h"
#include "runtime/pwl/lexicographic_minimum.h"
#include "runtime/pwl/minimum_along.h"

namespace luztar {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// A jump of a prescribed motion, against which nothing stays at rest.
constexpr double kDriveJump = 1e-9;
/// By friction: what forces are the sum of. Along self-stresses they have the rounding of each
/// other.
VectorXd terms_of(const SeriesForces::Order& o) {
  constexpr double kRounding = 1e-15;
  VectorXd out = o.given.cwiseAbs();
  if (o.members.empty()) return out;
  const double others = kRounding / kRoundingOfRate * o.force.lpNorm<Eigen::Infinity>();
  out(o.members) = o.force.cwiseAbs().cwiseMax(others);
  return out;
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
  const MatrixXd N = without_creep(n_, resting, self_stresses(n_, resting));
  const VectorXd apart = N * (N.transpose() * velocity_(resting));
  for (std::size_t r = 0; r < resting.size(); ++r) {
    const Index i = resting[r];
    const double left = apart[static_cast<Index>(r)];
    const double error = std::max(kDriveJump * velocity_size_[i], d_.velocity_at_turn[i]);
    if (d_.driven[static_cast<std::size_t>(i)] != 0 && std::fabs(left) > error) return;
  }
  velocity_(resting) -= apart;
  for (const Index i : resting) fits_[static_cast<std::size_t>(i)] = 1;
}

// Coefficient k of the slip that bodies with inertia make.
double SeriesForces::body_slip(Index i, Index k) const {
  if (k == 0) return velocity_[i];
  return rate_[static_cast<std::size_t>(k - 1)][i] / static_cast<double>(k);
}

double SeriesForces::body_slip_size(Index i, Index k) const {
  if (k == 0) return velocity_size_[i];
  return rate_size_[static_cast<std::size_t>(k - 1)][i] / static_cast<double>(k);
}

double SeriesForces::travel(Index i, Index k) const {
  const double creep = n_.creeps() ? creep_[static_cast<std::size_t>(k - 1)][i] : 0.0;
  return (body_slip(i, k - 1) + creep) / static_cast<double>(k);
}

// What damped bodies add to slips, with the forces of those that are no members.
void SeriesForces::begin_creep(Index k, const Order& o) {
  if (!n_.creeps()) return;
  creep_.resize(static_cast<std::size_t>(k));
  creep_size_.resize(static_cast<std::size_t>(k));
  creep_.push_back(d_.creep.col(k) - n_.creep_gram * o.given);
  creep_size_.push_back(d_.creep_size.col(k) + n_.creep_gram.cwiseAbs() * o.given.cwiseAbs());
}

// The same with those of the members. What holds fits together: rounding of the forces apart.
//   held   members whose slip the forces of damped bodies leave at zero
void SeriesForces::end_creep(Index k, const Order& o, const std::vector<Index>& held) {
  if (!n_.creeps()) return;
  VectorXd& creep = creep_.back();
  VectorXd& size = creep_size_.back();
  creep -= n_.creep_gram(Eigen::all, o.members) * o.force;
  size += n_.creep_gram.cwiseAbs() * terms_of(o);
  creep = (creep.array().abs() <= rounding_of_creep(k) * size.array()).select(0, creep);
  if (held.empty()) return;
  const MatrixXd Z = self_stresses(n_, held);
  VectorXd slip(static_cast<Index>(held.size()));
  for (std::size_t r = 0; r < held.size(); ++r) {
    slip[static_cast<Index>(r)] = body_slip(held[r], k) + creep[held[r]];
  }
  slip -= Z * (Z.transpose() * slip);
  for (std::size_t r = 0; r < held.size(); ++r) {
    creep[held[r]] = slip[static_cast<Index>(r)] - body_slip(held[r], k);
  }
}

//   own   self-stresses of the group
SeriesForces::Fastest SeriesForces::pose_fastest(Index k, const std::vector<Index>& frictions,
                                                 const MatrixXd& own) const {
  const auto count = static_cast<Index>(frictions.size());
  Fastest out;
  out.gram = MatrixXd::Zero(count, count);
  if (n_.creeps()) out.gram = n_.creep_gram(frictions, frictions);
  out.slip = out.rounding = out.of_bodies = out.rounding_of_bodies = VectorXd(count);
  out.N = without_creep(n_, frictions, own);
  for (Index r = 0; r < count; ++r) {
    const Index i = frictions[static_cast<std::size_t>(r)];
    out.of_bodies[r] = body_slip(i, k);
    out.slip[r] = out.of_bodies[r] + (n_.creeps() ? creep_.back()[i] : 0.0);
    out.rounding[r] = rounding(i, k + 1) * static_cast<double>(k + 1);
    out.rounding_of_bodies[r] = std::max(rounding_of_bodies(i, k), kOfCreep * out.rounding[r]);
  }
  return out;
}

// 2.: on each group of frictions on the same points and damped bodies. Of the latter `held` gets
// those that do not slip. No force holds contacts of points that prescribed motions close in on.
//   returns   by member: slips on which forces that move neither points nor damped bodies have
//   power
VectorXd SeriesForces::find_fastest(Index k, const MatrixXd& Z, bool parting, Order& o,
                                    std::vector<Index>& held) const {
  VectorXd with_power = VectorXd::Zero(static_cast<Index>(o.members.size()));
  for (const std::vector<Index>& part : components(n_, o.members)) {
    std::vector<Index> frictions;
    for (const Index m : part) frictions.push_back(o.members[static_cast<std::size_t>(m)]);
    const MatrixXd own = part.size() == o.members.size() ? Z : self_stresses(n_, frictions);
    const bool creeps = n_.creeps() && !n_.creep_gram(frictions, frictions).isZero(0.0);
    const bool fit = std::all_of(frictions.begin(), frictions.end(),
                                 [&](Index i) { return fits_[static_cast<std::size_t>(i)] != 0; });
    const bool parts = parting && !(k == 0 && fit);
    if ((!parts && !creeps) || own.cols() == 0) continue;
    Fastest problem = pose_fastest(k, frictions, own);
    const MatrixXd& N = problem.N;
    const VectorXd apart =
        N.transpose() * problem.of_bodies;  // what damped bodies add has no part in it
    const bool is_rounding =
        (apart.array().abs() <= (N.cwiseAbs().transpose() * problem.rounding_of_bodies).array())
            .all();
    problem.slip -= N * (N.transpose() * problem.slip);
    if (!parts || is_rounding) {
      if (!creeps) continue;
    } else {
      const VectorXd slip = N * apart;
      problem.slip += slip;
      with_power(part) = (slip.array().abs() <= problem.rounding_of_bodies.array()).select(0, slip);
    }
    const std::vector<char> slips = take_fastest(problem, part, own, o);
    for (std::size_t r = 0; r < part.size(); ++r) {
      const bool pressed = slips[r] != 0 && o.lower[part[r]] != o.upper[part[r]];
      if (pressed && n_.contacts.contains(frictions[r])) throw UnboundedMinimum(o.force);
    }
    for (std::size_t r = 0; creeps && r < part.size(); ++r) {
      if (slips[r] == 0) held.push_back(frictions[r]);
    }
  }
  return with_power;
}

// By place in the part: 1 for those whose slip is different from zero. They are at their bounds
// from then on.
std::vector<char> SeriesForces::take_fastest(Fastest p, const std::vector<Index>& part,
                                             const MatrixXd& own, Order& o) {
  constexpr double kFar = 1e3;  // of the forces: where no bound would end the way of rounding
  VectorXd lower = o.lower(part), upper = o.upper(part);
  const auto finite = [](double x) { return std::isfinite(x) ? std::fabs(x) : 0.0; };
  double force = VectorXd(o.force(part)).lpNorm<Eigen::Infinity>();
  for (Index r = 0; r < lower.size(); ++r) {
    force = std::max({force, finite(lower[r]), finite(upper[r])});
  }
  const double greatest = p.gram.diagonal().maxCoeff();
  if (force == 0 && !(greatest > 0)) force = 1;
  const double unit =
      greatest > 0 ? 1 / greatest : force / (own.transpose() * p.slip).cwiseAbs().maxCoeff();
  p.gram *= unit;
  p.slip *= unit;
  p.rounding *= unit;
  p.rounding_of_bodies *= unit;
  if (greatest > 0) force = std::max(force, p.slip.lpNorm<Eigen::Infinity>());
  lower = lower.cwiseMax(-kFar * force);
  upper = upper.cwiseMin(kFar * force);
  const VectorXd size = p.slip.cwiseAbs();
  const MinimumAlong fastest =
      minimize_along(p.gram, p.slip, size, own, lower, upper, VectorXd(o.force(part)));
  o.force(part) = fastest.force;
  const double left = rounding_of_residual(p.gram, size, VectorXd(o.force(part)));
  const VectorXd parting = p.N * (p.N.transpose() * fastest.residual);
  const double dust = kProjected * fastest.residual.lpNorm<Eigen::Infinity>();
  std::vector<char> slips(part.size(), 0);
  for (std::size_t r = 0; r < part.size(); ++r) {
    const auto row = static_cast<Index>(r);
    const double slip = fastest.residual[row];
    const bool parts = std::fabs(parting[row]) > std::max(p.rounding_of_bodies[row], dust);
    const bool is_slip = parts || std::fabs(slip) > p.rounding[row];
    if (std::fabs(slip) <= left || !is_slip) continue;
    slips[r] = 1;
    const Index m = part[r];
    const double bound = slip > 0 ? o.upper[m] : o.lower[m];
    if (std::isfinite(bound)) o.lower[m] = o.upper[m] = bound;
  }
  return slips;
}

// Members at their bounds that no self-stress can take away from there.
void SeriesForces::find_exhausted(Index k, const MatrixXd& Z, const Order& o) {
  const auto count = static_cast<Index>(o.members.size());
  exhausted_.assign(o.members.size(), 1);
  double greatest = count > 0 ? o.force.lpNorm<Eigen::Infinity>() : 0;
  const double noise = k > 0 ? o.rounding + rounding_of_force(k) : 0;
  greatest = std::max(greatest, noise / kReachesBound);
  if (greatest == 0) greatest = 1;  // forces and finite bounds are zero: any measure will do
  VectorXd lower(count), upper(count), near(count);  // far enough to tell
  for (Index m = 0; m < count; ++m) {
    const bool boxed = std::isfinite(o.lower[m]) && std::isfinite(o.upper[m]);
    lower[m] = std::isfinite(o.lower[m]) ? o.lower[m] : o.force[m] - greatest;
    upper[m] = std::isfinite(o.upper[m]) ? o.upper[m] : o.force[m] + greatest;
    near[m] =
        kReachesBound * (boxed ? std::max(std::fabs(lower[m]), std::fabs(upper[m])) : greatest);
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

// Rates without the forces of order k, and the sizes of their terms. Where G varies those of lower
// orders have a part in them: less the sum over j > 0 of (G - drag)_j t_(k-j).
std::pair<VectorXd, VectorXd> SeriesForces::free_rate(Index k) const {
  VectorXd rate = d_.rate.col(k), size = d_.rate_size.col(k);
  for (Index j = 1; n_.varies && j <= k; ++j) {
    const VectorXd& force = forces_[static_cast<std::size_t>(k - j)];
    rate -= d_.slow[static_cast<std::size_t>(j)] * force;
    size += d_.slow_size[static_cast<std::size_t>(j)] * force.cwiseAbs();
  }
  return {rate, size};
}

void SeriesForces::note_rates(Index k, const Order& o) {
  VectorXd force = o.given;
  force(o.members) = o.force;
  // Forces have the rounding of what they balance, too.
  const double noise = std::max(o.rounding, rounding_of_creeping_force(k));
  VectorXd terms = terms_of(o);
  for (const Index i : o.members) terms[i] = std::max(terms[i], noise / kRoundingOfRate);
  rate_.resize(static_cast<std::size_t>(k));
  rate_size_.resize(static_cast<std::size_t>(k));
  auto [rate, size] = free_rate(k);
  rate -= n_.gram * force;
  size += n_.gram.cwiseAbs() * terms;
  if (n_.creeps()) {
    rate += n_.drag * force;
    size += n_.drag.cwiseAbs() * terms;
  }
  rate = (rate.array().abs() <= kRoundingOfRate * size.array()).select(0, rate);
  rate_.push_back(rate);
  rate_size_.push_back(size);
}

// What holds fits together: its rates have no part that next orders could part by.
void SeriesForces::fit_rates(const Order& o, double rounding) {
  VectorXd& rate = rate_.back();
  std::vector<Index> held;
  for (Index m = 0; m < slip_.size(); ++m) {
    if (slip_[m] == 0) held.push_back(o.members[static_cast<std::size_t>(m)]);
  }
  if (held.empty()) return;
  const MatrixXd N = without_creep(n_, held, self_stresses(n_, held));
  const VectorXd apart = N * (N.transpose() * rate(held));
  if (apart.lpNorm<Eigen::Infinity>() <= rounding) rate(held) -= apart;
  for (const Index i : held) {
    if (std::fabs(rate[i]) <= rounding) rate[i] = 0;
  }
}

// 3.: along N, of what 2. leaves. Where G varies, how slips depend on each other does: beyond order
// 0 that holds for the rates once they are those of the mode that is decided here, which rounds of
// the event come to.
//   same      forces that change no slip, orthonormal by column
//   returns   rates of slips on which these have power
VectorXd SeriesForces::find_least(Index k, const MatrixXd& N, const MatrixXd& same, Order& o) {
  const MatrixXd gram = n_.gram(o.members, o.members);
  auto [rate, terms] = free_rate(k);
  rate -= n_.gram * o.given;
  terms += n_.gram.cwiseAbs() * o.given.cwiseAbs();
  if (n_.creeps()) {  // N does not change what dampers take
    Vector force = o.given;
    force(o.members) = o.force;
    rate += n_.drag * force;
    terms += n_.drag.cwiseAbs() * force.cwiseAbs();
  }
  VectorXd b = rate(o.members), size = terms(o.members);
  if (n_.varies && k > 0) {
    const MatrixXd idle = clean(without_effect(gram, N, o.lower, o.upper));
    VectorXd apart = idle.transpose() * b;
    const VectorXd terms_of_apart = idle.cwiseAbs().transpose() * size;
    apart = (apart.array().abs() <= kRoundingOfRate * terms_of_apart.array()).select(0, apart);
    b -= idle * apart;
    size += idle.cwiseAbs() * apart.cwiseAbs();
  }
  const MinimumAlong least = minimize_along(gram, b, size, N, o.lower, o.upper, o.force);
  o.force = least.force;
  slip_ = least.residual;
  return same * power_of(same, b, size);
}

// Where G varies, forces z(x) that move nothing do: z_0 = open, and G_0 z_j = -sum over i > 0 of
// G_i z_(j-i). The shortest forces are across them at all x: what z_0 has of those of order k is
// less the sum over j > 0 of z_j.t_(k-j).
//   hold   see hold_along
VectorXd SeriesForces::turned(Index k, const MatrixXd& open, const MatrixXd& hold,
                              const Order& o) const {
  std::vector<MatrixXd> z{open};
  Vector part = Vector::Zero(open.cols());
  for (Index j = 1; j <= k; ++j) {
    MatrixXd effect = MatrixXd::Zero(open.rows(), open.cols());
    for (Index i = 1; i <= j; ++i) {
      const MatrixXd& slow = d_.slow[static_cast<std::size_t>(i)];
      effect += slow(o.members, o.members) * z[static_cast<std::size_t>(j - i)];
    }
    z.emplace_back(-hold * effect);
    part -= z.back().transpose() * forces_[static_cast<std::size_t>(k - j)](o.members);
  }
  return open * part;
}

// A prescribed motion has a part in the slip of a member.
bool SeriesForces::is_driven(const Order& o) const {
  return std::any_of(o.members.begin(), o.members.end(),
                     [this](Index i) { return d_.driven[static_cast<std::size_t>(i)] != 0; });
}

// 4.: of t = t_0 + t_1 x + .., the shortest at all small x > 0. So t_k has the least t_0.t_k, then
// the least t_1.t_k and so on, and of what these leave the least t_k.t_k. Along forces that give
// the same motion, t_j.t_k changes as -pull_j.t_k does: what only its bound keeps from being longer
// stays there. Where the motion does not let all of these stay, that is a linear program, of which
// the multipliers are the pulls from then on. What the motion leaves at its bound at this order may
// leave it at a later one: it has a pull, too. Before all that come the forces between prescribed
// motions that part at a later order, whatever holds: the greatest against that, as they jump.
//   same          forces that give the same motion, orthonormal by column
//   lower, upper  bounds of the order, whatever slips
void SeriesForces::find_shortest(Index k, const MatrixXd& N, MatrixXd same, const VectorXd& lower,
                                 const VectorXd& upper, Order& o) {
  constexpr double kOfForces = 1e-9;
  const auto count = static_cast<Index>(o.members.size());
  const MatrixXd gram = n_.gram(o.members, o.members);
  Vector low = o.lower, high = o.upper;
  const auto fix = [&](const Vector& residual) {  // what leaves a minimum where it is
    for (Index m = 0; m < count; ++m) {
      if (residual[m] != 0) low[m] = high[m] = o.force[m];
    }
    return without_effect(gram, N, low, high);
  };
  const auto near = [&] {
    return std::max(kOfForces * o.force.lpNorm<Eigen::Infinity>(),
                    o.rounding + rounding_of_force(k));
  };
  MatrixXd open = fix(slip_);
  const MatrixXd none = MatrixXd::Zero(count, count);
  // The greatest b.t, b at the scale of the forces; returns that scale.
  const auto maximize = [&](Vector& b) {
    double force = o.force.lpNorm<Eigen::Infinity>();  // there and where it goes
    for (Index m = 0; m < count; ++m) {
      const double bound = b[m] > 0 ? upper[m] : lower[m];
      if (b[m] != 0 && std::isfinite(bound)) force = std::max(force, std::fabs(bound));
    }
    if (force < kNothing) force = 1;
    const double unit = b.lpNorm<Eigen::Infinity>() / force;
    b /= unit;
    if (open.cols() == 0) return unit;
    const MinimumAlong most = minimize_along(none, b, b.cwiseAbs(), open, low, high, o.force);
    o.force = most.force;
    open = fix(without(rounding_of_residual(none, b, o.force), most.residual));
    return unit;
  };
  for (Index later = k + 1; is_driven(o) && later < d_.rate.cols(); ++later) {
    const Vector rate = d_.rate.col(later)(o.members), size = d_.rate_size.col(later)(o.members);
    Vector b = same * power_of(same, rate, size);
    if (b.isZero(0.0)) continue;
    maximize(b);
    same = without_power(same, b);
  }
  pull_.resize(static_cast<std::size_t>(k), Vector::Zero(n_.frictions()));
  for (Vector& pull : pull_) {
    Vector b = pull(o.members);
    for (Index m = 0; m < count; ++m) {  // has left its bound
      if (!std::isfinite(b[m] > 0 ? upper[m] : lower[m])) b[m] = 0;
    }
    if (b.isZero(0.0) || same.cols() == 0) continue;
    const double unit = maximize(b);
    pull(o.members) = without(rounding_of_residual(none, b, o.force),
                              multipliers(same, b, lower, upper, o.force, near())) *
                      unit;
    same = without_power(same, b);
  }
  pull_.emplace_back(Vector::Zero(n_.frictions()));
  if (same.cols() == 0) return;
  Vector target = Vector::Zero(count);
  if (open.cols() > 0) {
    if (n_.varies && k > 0) {
      target = turned(k, open, hold_along(gram, between_bounds(N, low, high)), o);
    }
    const MinimumAlong shortest = minimize_along(MatrixXd::Identity(count, count), target,
                                                 target.cwiseAbs(), open, low, high, o.force);
    const bool longer = ((shortest.force - o.force).array().abs() > near()).any();
    if (longer) o.force = shortest.force;
  }
  pull_.back()(o.members) =
      without(near(), multipliers(same, target - o.force, lower, upper, o.force, near()));
}

void SeriesForces::distribute(Index k, Order& o) {
  const MatrixXd Z = self_stresses(n_, o.members);
  const MatrixXd N = without_creep(n_, o.members, Z);
  const bool parting = k == 0 || !slip_.isZero(0.0);  // the order before leaves slips
  slip_ = VectorXd::Zero(static_cast<Index>(o.members.size()));
  begin_creep(k, o);
  const VectorXd lower = o.lower, upper = o.upper;
  MatrixXd same = clean(regular_directions(n_.gram(o.members, o.members), N).null);
  std::vector<Index> held;
  if (Z.cols() > 0) same = without_power(same, find_fastest(k, Z, parting, o, held));
  if (N.cols() > 0) same = without_power(same, find_least(k, N, same, o));
  end_creep(k, o, held);
  note_rates(k, o);
  // What points carry from one to the other has the rounding of all.
  const double rounding =
      rounding_of_residual(n_.gram(o.members, o.members), rate_size_.back()(o.members), o.force);
  slip_ = without(std::max(rounding, kNothing), slip_);
  fit_rates(o, rounding);
  if (N.cols() > 0) find_shortest(k, N, same, lower, upper, o);
  find_exhausted(k, N, o);
  if (!n_.varies) return;
  forces_.resize(static_cast<std::size_t>(k));
  forces_.push_back(o.given);
  forces_.back()(o.members) = o.force;
}

}  // namespace luztar
