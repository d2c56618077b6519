#include "runtime/pwl/settle.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "runtime/numbers.h"
#include "runtime/pwl/box_minimum.h"
#include "runtime/pwl/decompositions.h"

namespace luztar {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Conditions hold when they are violated by no more than this share of their terms.
constexpr double kCertified = 1e-11;
constexpr double kPositionRounding = 1e-14;
constexpr double kDependent = 1e-12;  // pivots of rows that depend on others
/// Proximal steps weigh the way from the last point this much less than the springs; more so with
/// every step, as points may have a long way to go under a small load.
constexpr double kReach = 100.0, kGrowth = 4.0;
constexpr int kSteps = 30;

/// Members whose force is free, and those at a bound.
struct ActiveSet {
  std::vector<Index> free, bound;
};

ActiveSet active_set(const std::vector<BoxSide>& side) {
  ActiveSet out;
  for (std::size_t j = 0; j < side.size(); ++j) {
    (side[j] == BoxSide::kInside ? out.free : out.bound).push_back(static_cast<Index>(j));
  }
  return out;
}

/// The exact solution of an active set, from w on. Forces at bounds stay as they are in `force`.
Settled solve_active(const SettleProblem& p, SettleMaps& maps, const ActiveSet& set,
                     const VectorXd& force, const VectorXd& w, VectorXd& force_size) {
  const auto n = p.rows.cols();
  const auto free = static_cast<Index>(set.free.size());
  const MatrixXd rows = p.rows(set.free, Eigen::all);
  const MatrixXd bound = p.rows(set.bound, Eigen::all);
  const VectorXd pulls = force(set.bound);
  VectorXd right(free + n), right_size(free + n);
  right << -(p.offset(set.free) + rows * w), p.load - bound.transpose() * pulls;
  right_size << p.offset_size(set.free) + rows.cwiseAbs() * w.cwiseAbs(),
      p.load_size + bound.cwiseAbs().transpose() * pulls.cwiseAbs();
  const MatrixXd& map = maps(rows, p.compliance(set.free), p.weight);
  VectorXd solution = map * right;
  // Small entries of the map, as of soft springs beside stiff ones, have the rounding of great
  // ones.
  VectorXd left = right;
  left.head(free) -=
      rows * solution.head(n) - p.compliance(set.free).cwiseProduct(solution.tail(free));
  left.tail(n) -= rows.transpose() * solution.tail(free);
  solution += map * left;
  const VectorXd terms = map.cwiseAbs() * right_size;  // that make up the solution
  Settled out;
  out.position = w + solution.head(n);
  out.force = force;
  force_size = force.cwiseAbs();
  for (Index k = 0; k < free; ++k) {
    const Index j = set.free[static_cast<std::size_t>(k)];
    out.force[j] = solution[n + k];
    force_size[j] = terms[n + k];
  }
  const VectorXd strain = p.compliance.cwiseProduct(out.force);
  out.excess = p.rows * out.position + p.offset - strain;
  out.size = p.rows.cwiseAbs() * (terms.head(n) + w.cwiseAbs()) + p.offset_size + strain.cwiseAbs();
  for (Index j = 0; j < out.excess.size(); ++j) {
    if (std::fabs(out.excess[j]) <= kCertified * out.size[j]) out.excess[j] = 0;
  }
  for (const Index j : set.free) {  // what rounding of the positions makes of the forces
    if (p.compliance[j] == 0) continue;
    force_size[j] += kPositionRounding / kCertified * out.size[j] / p.compliance[j];
  }
  return out;
}

/// By point: what rounding may leave of the balance.
VectorXd rounding_of_balance(const SettleProblem& p, const VectorXd& force_size) {
  return kCertified * (p.rows.cwiseAbs().transpose() * force_size + p.load_size);
}

/// The loads are balanced.
bool is_balanced(const SettleProblem& p, const Settled& s, const VectorXd& force_size) {
  const VectorXd pull = p.rows.transpose() * s.force - p.load;
  return (pull.cwiseAbs().array() <= rounding_of_balance(p, force_size).array()).all();
}

/// What is free does not fit together: its misfit is a self-stress without compliance, along which
/// the forces do work. They follow it until the first of them is at its bound.
///   false   no bound ends it
bool slide(const SettleProblem& p, const ActiveSet& set, const Settled& s,
           std::vector<BoxSide>& side, VectorXd& force) {
  const double greatest = s.excess(set.free).lpNorm<Eigen::Infinity>();
  double least = kInfinity;
  Index first = -1;
  for (const Index j : set.free) {
    const double way = s.excess[j] / greatest;
    if (std::fabs(way) <= kDependent) continue;
    const double left = (way > 0 ? p.upper[j] : p.lower[j]) - s.force[j];
    const double length = std::max(left / way, 0.0);
    if (length >= least) continue;
    least = length;
    first = j;
  }
  if (first < 0) return false;
  const bool up = s.excess[first] > 0;
  side[static_cast<std::size_t>(first)] = up ? BoxSide::kUpper : BoxSide::kLower;
  force[first] = up ? p.upper[first] : p.lower[first];
  return true;
}

/// Members that violate a condition change sides. False: none does. One whose bounds rounding does
/// not tell apart goes from one to the other: between them its place might be taken for that of
/// the others, and its force for beyond the bound, again and again.
bool exchange(const SettleProblem& p, const Settled& s, const VectorXd& force_size,
              std::vector<BoxSide>& side, VectorXd& force) {
  const auto is_narrow = [&](Index j) {  // rarely asked for
    const VectorXd width = (p.upper[j] - p.lower[j]) * p.rows.row(j).cwiseAbs().transpose();
    return (width.array() <= rounding_of_balance(p, force_size).array()).all();
  };
  bool any = false;
  for (Index j = 0; j < s.force.size(); ++j) {
    BoxSide& now = side[static_cast<std::size_t>(j)];
    if (now == BoxSide::kInside) {
      const double slack = kCertified * force_size[j];
      if (s.force[j] > p.upper[j] + slack) {
        now = BoxSide::kUpper;
      } else if (s.force[j] < p.lower[j] - slack) {
        now = BoxSide::kLower;
      } else {
        continue;
      }
      force[j] = now == BoxSide::kUpper ? p.upper[j] : p.lower[j];
      any = true;
    } else if ((s.excess[j] > 0 && force[j] != p.upper[j]) ||
               (s.excess[j] < 0 && force[j] != p.lower[j])) {
      if (!is_narrow(j)) {
        now = BoxSide::kInside;
      } else {
        now = s.excess[j] > 0 ? BoxSide::kUpper : BoxSide::kLower;
        force[j] = now == BoxSide::kUpper ? p.upper[j] : p.lower[j];
      }
      any = true;
    }
  }
  return any;
}

/// What does not slip at its bound may have any force up to that. False: all of them slip.
bool release_still(const SettleProblem& p, const Settled& s, std::vector<BoxSide>& side) {
  bool any = false;
  for (Index j = 0; j < s.excess.size(); ++j) {
    BoxSide& now = side[static_cast<std::size_t>(j)];
    if (now == BoxSide::kInside || s.excess[j] != 0 || p.lower[j] == p.upper[j]) continue;
    now = BoxSide::kInside;
    any = true;
  }
  return any;
}

/// Solves from an active set that may be wrong in a few members (a primal-dual active set). The
/// result, if any, fulfils all conditions, to the rounding of where it is: w may be far away.
std::optional<Settled> certified(const SettleProblem& p, SettleMaps& maps,
                                 std::vector<BoxSide> side, VectorXd force, VectorXd w) {
  const Index exchanges = 8 + p.rows.rows();
  bool near = false;
  VectorXd force_size;
  for (Index round = 0; round < exchanges; ++round) {
    const ActiveSet set = active_set(side);
    Settled s = solve_active(p, maps, set, force, w, force_size);
    if (!is_balanced(p, s, force_size)) {
      if (!release_still(p, s, side)) return std::nullopt;
      continue;
    }
    const bool fits =
        std::all_of(set.free.begin(), set.free.end(), [&](Index j) { return s.excess[j] == 0; });
    if (!fits) {
      if (!slide(p, set, s, side, force)) return std::nullopt;
    } else if (!exchange(p, s, force_size, side, force)) {
      if (near) return s;
      near = true;
      w = s.position;
    }
  }
  return std::nullopt;
}

/// Points can move along `way` for ever: no forces within the bounds do the work of the loads
/// (Farkas). Such a way is the limit of the steps of points that never come to rest; a few are
/// enough to tell the springs that it does not strain.
bool falls_along(const SettleProblem& p, const VectorXd& way) {
  constexpr double kStrained = 1e-2;
  const VectorXd unit = p.weight.cwiseSqrt().cwiseInverse();
  const MatrixXd rows = p.rows * unit.asDiagonal();
  const VectorXd load = unit.cwiseProduct(p.load), length = rows.rowwise().norm();
  const auto resistance = [&](Index j, double x) { return x > 0 ? p.upper[j] : -p.lower[j]; };
  VectorXd direction = way.cwiseQuotient(unit).normalized();
  VectorXd change = rows * direction;
  std::vector<Index> resisting;
  for (Index j = 0; j < change.size(); ++j) {
    if (std::isfinite(resistance(j, change[j]))) continue;
    if (std::fabs(change[j]) > kStrained * length[j]) return false;
    resisting.push_back(j);
  }
  if (!resisting.empty()) {
    const MatrixXd held = rows(resisting, Eigen::all);
    direction -= pseudo_inverse(held, kDependent).matrix * change(resisting);
    change = rows * direction;
  }
  double work = load.dot(direction), size = unit.cwiseProduct(p.load_size).norm();
  for (Index j = 0; j < change.size(); ++j) {
    if (std::fabs(change[j]) <= kCertified * length[j]) continue;
    const double resisted = resistance(j, change[j]) * std::fabs(change[j]);
    work -= resisted;
    size += resisted;
  }
  return work > kCertified * size;
}

}  // namespace

MatrixXd settle_map(const MatrixXd& rows, const VectorXd& compliance, const VectorXd& weight) {
  const Index m = rows.rows(), n = rows.cols();
  // In units that make every entry of the order of one.
  const VectorXd unit = weight.cwiseSqrt().cwiseInverse();
  VectorXd force_unit(m);
  for (Index j = 0; j < m; ++j) {
    const double length = rows.row(j).cwiseProduct(unit.transpose()).norm();
    const double size = std::max(length, std::sqrt(compliance[j]));
    force_unit[j] = size > 0 ? 1 / size : 1.0;  // a friction that no point can move
  }
  MatrixXd system = MatrixXd::Zero(m + n, n + m);
  system.topLeftCorner(m, n) = force_unit.asDiagonal() * rows * unit.asDiagonal();
  system.bottomRightCorner(n, m) = system.topLeftCorner(m, n).transpose();
  for (Index j = 0; j < m; ++j) {
    system(j, n + j) = -compliance[j] * force_unit[j] * force_unit[j];
  }
  MatrixXd inverse = pseudo_inverse(system, kDependent).matrix;
  const double dust = 1e-14 * inverse.cwiseAbs().maxCoeff();
  inverse = (inverse.array().abs() < dust).select(0.0, inverse);
  inverse.topRows(n) = (unit.asDiagonal() * inverse.topRows(n)).eval();
  inverse.bottomRows(m) = (force_unit.asDiagonal() * inverse.bottomRows(m)).eval();
  inverse.leftCols(m) = (inverse.leftCols(m) * force_unit.asDiagonal()).eval();
  inverse.rightCols(n) = (inverse.rightCols(n) * unit.asDiagonal()).eval();
  return inverse;
}

const MatrixXd& SettleMaps::operator()(const MatrixXd& rows, const VectorXd& compliance,
                                       const VectorXd& weight) {
  constexpr std::size_t kKept = 16;
  const auto known = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) {
    return e.rows.rows() == rows.rows() && e.rows == rows && e.compliance == compliance;
  });
  if (known == entries_.end()) {
    if (entries_.size() == kKept) entries_.pop_back();
    entries_.insert(entries_.begin(), {rows, compliance, settle_map(rows, compliance, weight)});
  } else {
    std::rotate(entries_.begin(), known, known + 1);
  }
  return entries_.front().map;
}

std::optional<Settled> settle(SettleProblem p, SettleMaps& maps) {
  if (p.offset_size.size() == 0) p.offset_size = p.offset.cwiseAbs();
  if (p.load_size.size() == 0) p.load_size = p.load.cwiseAbs();
  if (p.rows.rows() == 0) {  // nothing acts on the points
    if ((p.load.cwiseAbs().array() > kCertified * p.load_size.array()).any()) return std::nullopt;
    return Settled{p.start, VectorXd(), VectorXd(), VectorXd()};
  }
  VectorXd w = p.start;
  VectorXd mobility = kReach * p.weight.cwiseInverse();
  std::vector<BoxSide> sides;
  for (int step = 0; step < kSteps; ++step) {
    MatrixXd gram = p.rows * mobility.asDiagonal() * p.rows.transpose();
    gram.diagonal() += p.compliance;
    const VectorXd b = p.offset + p.rows * (w + mobility.cwiseProduct(p.load));
    const VectorXd size =
        p.offset_size + p.rows.cwiseAbs() * (w.cwiseAbs() + mobility.cwiseProduct(p.load_size));
    BoxMinimum minimum;
    try {
      minimize_in_box(gram, b, size, p.lower, p.upper, sides, minimum);
    } catch (const UnboundedMinimum&) {
      return std::nullopt;
    }
    if (auto result = certified(p, maps, minimum.side, minimum.force, w)) return result;
    sides = minimum.side;
    const VectorXd way = mobility.cwiseProduct(p.load - p.rows.transpose() * minimum.force);
    if (falls_along(p, way)) return std::nullopt;
    w += way;
    mobility *= kGrowth;
  }
  return std::nullopt;
}

}  // namespace luztar
