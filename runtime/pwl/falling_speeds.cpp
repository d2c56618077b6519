#include "runtime/pwl/falling_speeds.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <utility>

#include "runtime/numbers.h"
#include "runtime/pwl/falling_balance.h"
#include "runtime/pwl/rising_root.h"

namespace luztar {
namespace {

using Index = Eigen::Index;

/// Gauss without exchanges: while speeds are stable no pivot is zero, as the matrix is, but for a
/// scale of rows and of columns, that of a minimum.
class Elimination {
 public:
  explicit Elimination(BodyMatrix a) : a_(std::move(a)) {
    for (Index k = 0; k < a_.rows(); ++k) {
      if (!(a_(k, k) > 0)) stable_ = false;
      for (Index r = k + 1; r < a_.rows(); ++r) {
        a_(r, k) /= a_(k, k);
        for (Index c = k + 1; c < a_.cols(); ++c) a_(r, c) -= a_(r, k) * a_(k, c);
      }
    }
  }
  [[nodiscard]] bool is_stable() const { return stable_; }
  [[nodiscard]] BodyVector solve(BodyVector b) const {
    a_.triangularView<Eigen::UnitLower>().solveInPlace(b);
    a_.triangularView<Eigen::Upper>().solveInPlace(b);
    return b;
  }
  [[nodiscard]] BodyVector solve_transposed(BodyVector b) const {
    a_.triangularView<Eigen::Upper>().transpose().solveInPlace(b);
    a_.triangularView<Eigen::UnitLower>().transpose().solveInPlace(b);
    return b;
  }

 private:
  BodyMatrix a_;
  bool stable_ = true;
};

double left_at(const FallingForce& f, const BodyVector& x) {
  constexpr double kMost = 300;  // of a slip that is far on its other side
  return std::exp(std::min(-(f.exponent + f.rate * x[f.body]), kMost));
}

/// Adds what the forces add to the left sides.
void add_forces(const FallingNetwork& network, const BodyVector& x, BodyVector& sum) {
  for (const FallingForce& f : network.forces) {
    const double left = left_at(f, x);
    for (Index b = 0; b < sum.size(); ++b) {
      if (f.weight[b] != 0) sum[b] += f.weight[b] * left;
    }
  }
}

/// Steps to the balance, of all, or with the speed of one body given.
class Search {
 public:
  explicit Search(const FallingNetwork& network)
      : network_(network), n_(network.y.size()), scale_(BodyVector::Ones(n_)) {
    for (Index b = 0; b < n_; ++b) {
      double rate = 0;
      for (const FallingForce& f : network.forces) {
        if (f.body == b) rate = std::max(rate, std::fabs(f.rate));
      }
      if (rate > 0) scale_[b] = rate;
    }
  }

  [[nodiscard]] FallingSpeeds run() const { return find(-1, 0); }
  [[nodiscard]] FallingSpeeds beside(Index body, double x) const { return find(body, x); }
  /// The same by the least steps, from a balance nearby: some may be missed.
  [[nodiscard]] FallingSpeeds beside(Index body, double x, BodyVector from) const {
    from[body] = x;
    return to_balance(std::move(from), body);
  }

  struct Fold {
    BodyVector x, way;
    bool found = false;
  };
  /// Where all but one body are in balance, and  slope way = 0,  by Newton's steps from nearby.
  [[nodiscard]] Fold fold_near(Index body, BodyVector x, BodyVector way) const {
    constexpr int kMostSteps = 20;
    constexpr double kFar = 2,
                     kLast = 1e-7;  // of what bends: the step after the last is its square
    for (int i = 0; i < kMostSteps; ++i) {
      const PairVector step = fold_step(body, x, way);
      const BodyVector ahead = step.head(n_), turns = step.tail(n_);
      const double length = size_of(ahead), part = std::min(1.0, kFar / length);
      x += part * ahead;
      way += part * turns;
      const double turned = turns.lpNorm<Eigen::Infinity>();
      if (length <= kLast && turned <= kLast * way.lpNorm<Eigen::Infinity>()) {
        return {x, way, slope(x, body).is_stable()};
      }
    }
    return {};
  }

 private:
  static constexpr int kPairs = 2 * kMostFallingBodies;
  using PairMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kPairs, kPairs>;
  using PairVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kPairs, 1>;

  /// Of x and `way`, which is 1 of the body.
  [[nodiscard]] PairVector fold_step(Index body, const BodyVector& x, const BodyVector& way) const {
    const BodyMatrix slope = falling_slope(network_, x);
    PairMatrix all = PairMatrix::Zero(2 * n_, 2 * n_);
    PairVector right(2 * n_);
    right << -excess(x, body), -(slope * way);
    all.topLeftCorner(n_, n_) = slope;
    all.row(body).setZero();
    all(body, n_ + body) = 1;
    all.bottomRightCorner(n_, n_) = slope;
    for (const FallingForce& f : network_.forces) {
      const double bends = f.rate * f.rate * left_at(f, x) * way[f.body];
      all.col(f.body).tail(n_) += bends * Eigen::Map<const BodyVector>(f.weight, n_);
    }
    return all.partialPivLu().solve(right);
  }

  // The least steps may lead out of the set where slips have both signs.
  [[nodiscard]] FallingSpeeds find(Index given, double at) const {
    const BodyVector begin = start(given, at);
    FallingSpeeds found = to_balance(begin, given);
    if (!found.lasts && slope(begin, given).is_stable()) {
      found = to_balance(through_middle(begin, given), given);
    }
    return found;
  }

  // Where all forces have fallen at least as far as in any balance, and so far that each is stable:
  // where there is no balance the search ends at the edge of the set.
  [[nodiscard]] BodyVector start(Index given, double at) const {
    BodyVector x = network_.y;
    if (given >= 0) x[given] = at;
    double falls = 0;
    for (const FallingForce& f : network_.forces) {
      for (Index b = 0; b < n_; ++b) falls += std::fabs(f.weight[b] * f.rate);
    }
    const double least = std::log(std::max(2 * falls, 1.0));  // exponent + rate x
    for (Index b = 0; b < n_; ++b) {
      if (b == given) continue;
      double most = 0;
      std::vector<DecayingForce> own;
      bool slips_up = false, slips_down = false;
      for (const FallingForce& f : network_.forces) {
        const double left = f.body == given ? std::max(left_at(f, x), 1.0) : 1.0;
        most += std::fabs(f.weight[b]) * left;
        if (f.body != b || f.weight[b] == 0) continue;
        own.push_back({f.weight[b], f.exponent, f.rate});
        (f.rate > 0 ? slips_up : slips_down) = true;
      }
      if (slips_up && slips_down) {
        x[b] = least_fall(own);
      } else if (!own.empty()) {
        x[b] += slips_up ? most : -most;
        for (const DecayingForce& f : own) {
          const double fallen = (least - f.exponent) / f.rate;
          x[b] = slips_up ? std::max(x[b], fallen) : std::min(x[b], fallen);
        }
      }
    }
    return x;
  }

  [[nodiscard]] BodyVector excess(const BodyVector& x, Index given) const {
    BodyVector excess = x - network_.y;
    add_forces(network_, x, excess);
    if (given >= 0) excess[given] = 0;
    return excess;
  }
  [[nodiscard]] Elimination slope(const BodyVector& x, Index given) const {
    BodyMatrix slope = falling_slope(network_, x);
    if (given >= 0) slope.row(given) = BodyVector::Unit(n_, given);
    return Elimination(std::move(slope));
  }
  [[nodiscard]] double size_of(const BodyVector& x) const {
    return x.cwiseProduct(scale_).lpNorm<Eigen::Infinity>();
  }

  [[nodiscard]] FallingSpeeds to_balance(BodyVector x, Index given) const {
    constexpr double kLeastPart = 1e-4, kDescends = 1e-4, kRounding = 1e-12;
    Elimination at = slope(x, given);
    if (!at.is_stable()) return {x, false};
    BodyVector left = excess(x, given);
    for (int i = 0; i < kMostNewtonSteps; ++i) {
      const BodyVector step = at.solve(-left);
      if (size_of(step) <= kLastNewtonStep) return {x + step, true};
      double part = 1;
      for (; part >= kLeastPart; part /= 2) {
        const BodyVector next = x + part * step;
        Elimination there = slope(next, given);
        if (!there.is_stable()) continue;
        BodyVector left_there = excess(next, given);
        if (!(size_of(left_there) <= (1 - kDescends * part) * size_of(left))) continue;
        x = next;
        at = std::move(there);
        left = std::move(left_there);
        break;
      }
      if (part < kLeastPart) break;
    }
    return {x, size_of(left) <= kRounding * (1 + size_of(x))};  // at a fold, as near as rounding
  }

  // Frictions act through these, up to a scale in common: W_cj = compliance_cb t_j, of one of b.
  [[nodiscard]] BodyMatrix compliance(Index given) const {
    BodyMatrix by_own = BodyMatrix::Zero(n_, n_);  // W_cj/W_bj
    for (const FallingForce& f : network_.forces) {
      if (f.body == given || f.rate == 0 || f.weight[f.body] == 0) continue;
      by_own.col(f.body) = Eigen::Map<const BodyVector>(f.weight, n_) / f.weight[f.body];
    }
    BodyVector own = by_own.diagonal();  // made symmetric from one body to the next
    std::vector<Index> reached;
    std::vector<char> is_reached(static_cast<std::size_t>(n_), 0);
    for (Index root = 0; root < n_; ++root) {
      if (is_reached[static_cast<std::size_t>(root)] != 0 || own[root] == 0) continue;
      is_reached[static_cast<std::size_t>(root)] = 1;
      reached.assign(1, root);
      while (!reached.empty()) {
        const Index b = reached.back();
        reached.pop_back();
        for (Index c = 0; c < n_; ++c) {
          if (is_reached[static_cast<std::size_t>(c)] != 0 || !(by_own(c, b) * by_own(b, c) > 0)) {
            continue;
          }
          own[c] = own[b] * by_own(c, b) / by_own(b, c);
          is_reached[static_cast<std::size_t>(c)] = 1;
          reached.push_back(c);
        }
      }
    }
    for (Index b = 0; b < n_; ++b) {
      if (own[b] == 0) by_own.row(b).setZero();
    }
    return by_own * own.asDiagonal();
  }

  /// Derivatives by its speed of what forces on a body fall by with it.
  struct Falls {
    BodyVector first, second;
  };
  [[nodiscard]] Falls falls_at(const BodyVector& x, const BodyMatrix& compliance) const {
    Falls falls{BodyVector::Zero(n_), BodyVector::Zero(n_)};
    for (const FallingForce& f : network_.forces) {
      const double own = compliance(f.body, f.body);
      if (own == 0) continue;
      const double fall = f.weight[f.body] / own * f.rate * left_at(f, x);
      falls.first[f.body] -= f.rate * fall;
      falls.second[f.body] += f.rate * f.rate * fall;
    }
    return falls;
  }

  // To near the balance, or the least of the set, through its middle: by Newton's steps to the
  // minimum with a share of  -log det(1 - compliance falls)  added, which is convex as well.
  [[nodiscard]] BodyVector through_middle(BodyVector x, Index given) const {
    constexpr double kNear = 0.3, kNext = 0.2, kLeastShare = 1e-12;
    const BodyMatrix c = compliance(given);
    Elimination at = slope(x, given);
    double share = 1, first = 0;
    for (int i = 0; i < 3 * kMostNewtonSteps; ++i) {
      const Falls falls = falls_at(x, c);
      BodyMatrix through(n_, n_);
      for (Index b = 0; b < n_; ++b) through.col(b) = at.solve(c.col(b));
      const BodyVector along = through.diagonal();
      BodyMatrix bends = falls.first.asDiagonal() * through.cwiseProduct(through.transpose()) *
                         falls.first.asDiagonal();
      bends.diagonal() += along.cwiseProduct(falls.second);
      const BodyVector left = excess(x, given), outwards = c * along.cwiseProduct(falls.first);
      if (i == 0) {
        share = first = size_of(outwards) > 0 ? size_of(left) / size_of(outwards) : 0;
        if (!(first > 0)) return x;
      }
      BodyMatrix all = falling_slope(network_, x) + share * c * bends;
      if (given >= 0) all.row(given) = BodyVector::Unit(n_, given);
      const BodyVector step = all.partialPivLu().solve(-left - share * outwards);
      double part = std::min(1.0, 2 / size_of(step));
      Elimination there = slope(x + part * step, given);
      while (!there.is_stable() && part > 1e-12) {
        part /= 2;
        there = slope(x + part * step, given);
      }
      if (!there.is_stable()) return x;
      x += part * step;
      at = std::move(there);
      if (part * size_of(step) > kNear) continue;
      if (share <= kLeastShare * first) return x;
      share *= kNext;
    }
    return x;
  }

  const FallingNetwork& network_;
  Index n_;
  BodyVector scale_;
};

/// The speed of one body is given, and the others follow.
struct SlopeBeside {
  Line line{-1, 0};  ///< by how much its left side rises, by the zero of its slip, and that does
  BodyVector x, way;
  double share = 0;  ///< of force `own` in what takes the slope from here on
};

/// Along the slips of force `own` from a balance down to where they end.
class Descent {
 public:
  Descent(const FallingNetwork& network, std::size_t own, const FallingSpeeds& balance)
      : network_(network), own_(own), search_(network), now_(balance) {}

  [[nodiscard]] const BodyVector& balance() const { return now_.x; }
  [[nodiscard]] double slip() const { return force().exponent + force().rate * now_.x[body()]; }

  /// At rest, or the last one that is stable.
  [[nodiscard]] SlopeBeside run() {
    constexpr double kNearZero = 1e-6;
    const double most = std::max(slip(), 0.0);
    for (const bool thorough : {false, true}) {
      from_ = now_.x;
      const auto at = [&](double z) { return slope_at(z, thorough); };
      const Line there = straightened(at(most).line);
      const double first = there.slope > 0 ? most - there.value / there.slope : 0;
      SlopeBeside end;
      if (!(first > 0) && (end = at(0)).line.value >= 0) return end;
      is_fold_ = true;
      if (!thorough && is_at_fold(first, most, end)) return end;
      const double fold = rising_root(
          0, most, std::clamp(first, 0.0, most), [&](double z) { return straightened(at(z).line); },
          [](double) { return 1; });
      end = at(fold);
      if (end.way.size() > 0 && end.line.value <= kNearZero) return end;
      if ((end = slope_at(0, true)).line.value >= 0) {
        is_fold_ = false;
        return end;
      }
    }
    return slope_at(0, true);
  }
  [[nodiscard]] bool is_fold() const { return is_fold_; }

 private:
  [[nodiscard]] const FallingForce& force() const { return network_.forces[own_]; }
  [[nodiscard]] Index body() const { return force().body; }

  /// What takes the slope is next to exponential: the same root, of its logarithm.
  [[nodiscard]] static Line straightened(const Line& slope) {
    const double taken = 1 - slope.value;
    return slope.slope > 0 && taken > 0 ? Line{-std::log(taken), slope.slope / taken} : slope;
  }

  /// By steps of all at once from beside it: the others are in balance with one slip at most for
  /// each speed of the body, so that what is found on the way down is the only fold there.
  [[nodiscard]] bool is_at_fold(double guess, double most, SlopeBeside& end) {
    constexpr int kMostTries = 4;
    constexpr double kFirstPart = 1.0 / 16;
    double z = std::max(guess, 0.0), part = kFirstPart;
    for (int tries = 0; tries < kMostTries; ++tries, part *= 2) {
      if (const SlopeBeside beside = slope_at(z, false); beside.way.size() > 0) {
        const Search::Fold fold = search_.fold_near(body(), beside.x, beside.way);
        if (!fold.found) return false;
        const double slip = force().exponent + force().rate * fold.x[body()];
        if (!(slip >= 0 && slip <= most)) return false;
        end = rise_at(fold.x);
        return true;
      }
      z += part * (most - z);
    }
    return false;
  }

  [[nodiscard]] SlopeBeside slope_at(double z, bool thorough) {
    const double at = (z - force().exponent) / force().rate;
    const FallingSpeeds others =
        thorough ? search_.beside(body(), at) : search_.beside(body(), at, from_);
    if (!others.lasts) return {{-1, 0}, others.x, {}, 0};
    from_ = others.x;
    return rise_at(others.x);
  }

  /// Where the others are in balance.
  [[nodiscard]] SlopeBeside rise_at(const BodyVector& x) const {
    SlopeBeside out;
    out.x = x;
    const Index n = network_.y.size();
    const BodyMatrix slope = falling_slope(network_, x);
    BodyMatrix rows = slope, columns = slope;
    rows.row(body()) = BodyVector::Unit(n, body());
    columns.col(body()) = BodyVector::Unit(n, body());
    out.way = Elimination(std::move(rows)).solve(BodyVector::Unit(n, body()));
    const BodyVector pulls =
        Elimination(std::move(columns)).solve_transposed(BodyVector::Unit(n, body()));
    out.line = {slope.row(body()).dot(out.way), 0};
    double takes = 0;
    for (const FallingForce& f : network_.forces) {
      const double along = f.rate * out.way[f.body];
      const Eigen::Map<const BodyVector> weight(f.weight, n);
      const double rises = pulls.dot(weight) * left_at(f, x) * along * along / force().rate;
      out.line.slope += rises;
      takes += std::max(rises, 0.0);
      if (&f == &force()) out.share = rises;
    }
    if (takes > 0) out.share /= takes;
    return out;
  }

  const FallingNetwork& network_;
  std::size_t own_;
  Search search_;
  FallingSpeeds now_;
  BodyVector from_;
  bool is_fold_ = false;
};

}  // namespace

FallingNetwork falling_network(const double* arguments, std::int64_t count) {
  const auto n = static_cast<Index>(arguments[0]);
  FallingNetwork network{Eigen::Map<const BodyVector>(arguments + 1, n), {}};
  for (std::int64_t at = 1 + n; at + 3 + n <= count; at += 3 + n) {
    const double* own = arguments + at;
    network.forces.push_back({static_cast<Index>(own[0]), own[1], own[2], own + 3});
  }
  return network;
}

BodyMatrix falling_slope(const FallingNetwork& network, const BodyVector& x) {
  const Index n = x.size();
  BodyMatrix slope = BodyMatrix::Identity(n, n);
  for (const FallingForce& f : network.forces) {
    if (f.rate == 0) continue;
    slope.col(f.body) -= f.rate * left_at(f, x) * Eigen::Map<const BodyVector>(f.weight, n);
  }
  return slope;
}

FallingSpeeds falling_speeds(const FallingNetwork& network) { return Search(network).run(); }

FallingSpeedsEnd falling_speeds_end(const FallingNetwork& network, std::size_t own,
                                    const FallingSpeeds& balance) {
  using Kind = FallingSpeedsEnd::Kind;
  constexpr double kLeastShare = 0.01;  // one of all forces at a fold has more
  const FallingForce& force = network.forces[own];
  const Index n = network.y.size(), body = force.body;
  FallingSpeedsEnd end{Kind::kRest, network.y, network.y[body], BodyVector::Unit(n, body)};
  if (force.rate == 0) return end;
  Descent descent(network, own, balance);
  const SlopeBeside there = descent.run();
  if (descent.is_fold()) {
    if (!(there.share >= kLeastShare)) {
      end.kind = Kind::kFollows;
      end.x = descent.balance();
      end.y -= descent.slip() / force.rate;
      return end;
    }
    end.kind = Kind::kFold;
  }
  end.x = there.x;
  end.way = there.way;
  BodyVector left_side = end.x;
  add_forces(network, end.x, left_side);
  end.y = left_side[body];
  return end;
}

// All results of a network are asked for one after the other.
const FallingSpeeds& falling_speeds_at(const double* arguments, std::int64_t count) {
  struct Last {
    std::vector<double> arguments;
    FallingSpeeds speeds;
  };
  thread_local Last last;
  if (!std::equal(arguments, arguments + count, last.arguments.begin(), last.arguments.end())) {
    last.speeds = falling_speeds(falling_network(arguments, count));
    last.arguments.assign(arguments, arguments + count);
  }
  return last.speeds;
}

double falling_speed_of(const double* arguments, std::int64_t count) {
  return falling_speeds_at(arguments + 1, count - 1).x[static_cast<Index>(arguments[0])];
}

double falling_speed_end_of(const double* arguments, std::int64_t count) {
  const auto own = static_cast<std::size_t>(arguments[0]);
  const auto body = static_cast<Index>(arguments[1]);
  const FallingNetwork network = falling_network(arguments + 2, count - 2);
  const FallingSpeedsEnd end =
      falling_speeds_end(network, own, falling_speeds_at(arguments + 2, count - 2));
  if (body == end.x.size()) return end.y;
  const FallingForce& force = network.forces[own];
  const bool follows = end.kind == FallingSpeedsEnd::Kind::kFollows && body == force.body;
  return follows ? -force.exponent / force.rate : end.x[body];
}

}  // namespace luztar
