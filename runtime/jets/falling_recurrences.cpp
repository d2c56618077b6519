// Recurrences of balances of forces that fall exponentially.
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <vector>

#include "runtime/jets/recurrences.h"
#include "runtime/jets/series.h"
#include "runtime/pwl/falling_balance.h"
#include "runtime/pwl/falling_speeds.h"

namespace luztar {
namespace {

using jets::as_real;
using jets::convolve;
using jets::convolve_rate;
using jets::Row;
using jets::Rows;
using Index = std::int64_t;

/// What is left of a force that falls exponentially, E = exp(-z), z = exponent + rate x: E' = -z'
/// E.
struct Decay {
  Row exponent, rate;  // the latter does not vary in a mode
  Row left, z;         // E, where its weight counts

  /// E_k but for what x_k adds.
  [[nodiscard]] double known_left(Index k) const {
    return -convolve_rate(z, left, k, 1, k - 1) / as_real(k) - left[0] * exponent[k];
  }
  void set(Index k, double x) const {
    constexpr double kMost = 300;  // of a slip that is far on its other side
    z[k] = exponent[k] + rate[0] * x;
    left[k] = k == 0 ? std::exp(std::min(-z[0], kMost)) : known_left(k) - left[0] * rate[0] * x;
  }
};

/// Coefficient k of weight E, but for what x_k adds.
double known_product(Row weight, const Decay& decay, Index k) {
  return convolve(weight, decay.left, k, 1, k) + weight[0] * decay.known_left(k);
}

/// Of one body.
class Decays {
 public:
  Decays(const Rows& r, const Index* operands, Index count, Index companions) {
    for (Index i = 0; i + 2 < count; i += 3, companions += 2) {
      weights_.push_back(r[operands[i]]);
      decays_.push_back({r[operands[i + 1]], r[operands[i + 2]], r[companions], r[companions + 1]});
    }
  }

  [[nodiscard]] std::vector<DecayingForce> at_order_0() const {
    std::vector<DecayingForce> forces;
    for (std::size_t j = 0; j < decays_.size(); ++j) {
      forces.push_back({weights_[j][0], decays_[j].exponent[0], decays_[j].rate[0]});
    }
    return forces;
  }
  /// Coefficient k of the sum of weight E, for each by its rate to a power, but for what x_k adds.
  [[nodiscard]] double known(Index k, int power) const {
    double sum = 0;
    for (std::size_t j = 0; j < decays_.size(); ++j) {
      const double own = known_product(weights_[j], decays_[j], k);
      sum += power == 0 ? own : decays_[j].rate[0] * own;
    }
    return sum;
  }
  /// What x_k takes from the sum of rate weight E.
  [[nodiscard]] double curvature() const {
    double sum = 0;
    for (std::size_t j = 0; j < decays_.size(); ++j) {
      const double rate = decays_[j].rate[0];
      sum += rate * rate * weights_[j][0] * decays_[j].left[0];
    }
    return sum;
  }
  void set(Index k, double x) {
    for (const Decay& d : decays_) d.set(k, x);
  }

 private:
  std::vector<Row> weights_;
  std::vector<Decay> decays_;
};

/// Of several bodies that act on each other.
class NetworkDecays {
 public:
  /// Companions: of each force E and z, then those of x.
  NetworkDecays(const Rows& r, const Index* operands, Index count, Index companions)
      : r_(r),
        operands_(operands),
        count_(count),
        n_(static_cast<Index>(r[operands[0]][0])),
        forces_((count - 1 - n_) / (3 + n_)),
        companions_(companions) {}

  /// Arguments of falling_network.
  [[nodiscard]] std::vector<double> at_order_0() const {
    std::vector<double> arguments(static_cast<std::size_t>(count_));
    for (Index i = 0; i < count_; ++i) arguments[static_cast<std::size_t>(i)] = operand(i)[0];
    return arguments;
  }
  [[nodiscard]] Index bodies() const { return n_; }
  [[nodiscard]] Index forces() const { return forces_; }
  [[nodiscard]] Index body(Index j) const { return static_cast<Index>(operand(at(j))[0]); }
  [[nodiscard]] Decay force(Index j) const {
    const Index own = companions_ + 2 * j;
    return {operand(at(j) + 1), operand(at(j) + 2), r_[own], r_[own + 1]};
  }
  [[nodiscard]] Row weight(Index j, Index b) const { return operand(at(j) + 3 + b); }
  [[nodiscard]] Index next_companion() const { return companions_ + 2 * forces_ + n_; }
  [[nodiscard]] Row y(Index b) const { return operand(1 + b); }
  [[nodiscard]] Row x(Index b) const { return r_[companions_ + 2 * forces_ + b]; }

  /// d (left side) / dx.
  [[nodiscard]] BodyMatrix slope() const {
    BodyMatrix slope = BodyMatrix::Identity(n_, n_);
    for (Index j = 0; j < forces_; ++j) {
      const Decay own = force(j);
      const double fall = own.rate[0] * own.left[0];
      if (fall == 0) continue;
      for (Index b = 0; b < n_; ++b) slope(b, body(j)) -= fall * weight(j, b)[0];
    }
    return slope;
  }
  /// Coefficient k of y less the sum of weight E, by body, but for what x_k adds.
  [[nodiscard]] BodyVector known(Index k) const {
    BodyVector known(n_);
    for (Index b = 0; b < n_; ++b) known[b] = y(b)[k];
    for (Index j = 0; j < forces_; ++j) {
      const Decay own = force(j);
      const double known_left = own.known_left(k);
      for (Index b = 0; b < n_; ++b) {
        const Row by = weight(j, b);
        known[b] -= convolve(by, own.left, k, 1, k) + by[0] * known_left;
      }
    }
    return known;
  }
  void set(Index k, const BodyVector& x) {
    for (Index b = 0; b < n_; ++b) this->x(b)[k] = x[b];
    for (Index j = 0; j < forces_; ++j) force(j).set(k, x[body(j)]);
  }

 private:
  [[nodiscard]] Row operand(Index i) const { return r_[operands_[i]]; }
  /// Where the operands of a force begin: its body, exponent, rate and weights.
  [[nodiscard]] Index at(Index j) const { return 1 + n_ + j * (3 + n_); }

  Rows r_;
  const Index* operands_;
  Index count_, n_, forces_, companions_;
};

/// x with a x = b; zero where that has no value.
template <class Matrix, class Vector>
Vector solved(const Matrix& a, const Vector& b) {
  Vector x = a.partialPivLu().solve(b);
  if (!x.allFinite()) x.setZero();
  return x;
}

/// The end of a slip, and how all go through it.
class NetworkEnd {
 public:
  /// Companions after those of the network: `way` of each body, E way of each force.
  NetworkEnd(const Rows& r, NetworkDecays& network, Index own)
      : r_(r), network_(network), own_(own), body_(network.body(own)), n_(network.bodies()) {}

  using Kind = FallingSpeedsEnd::Kind;

  void begin(Row kind) {
    const std::vector<double> arguments = network_.at_order_0();
    const auto count = static_cast<Index>(arguments.size());
    const FallingSpeedsEnd end =
        falling_speeds_end(falling_network(arguments.data(), count), static_cast<std::size_t>(own_),
                           falling_speeds_at(arguments.data(), count));
    kind[0] = static_cast<double>(end.kind);
    network_.set(0, end.x);
    set_way(0, end.way);
  }
  void go_on(Row kind, Index k) {
    kind[k] = 0;
    if (network_.force(own_).rate[0] == 0) {  // it does not slip: there is no end
      network_.set(k, BodyVector::Zero(n_));
      return set_way(k, BodyVector::Zero(n_));
    }
    switch (static_cast<Kind>(static_cast<int>(kind[0]))) {
      case Kind::kRest:
        return go_on_at_rest(k);
      case Kind::kFold:
        return go_on_at_fold(k);
      case Kind::kFollows:
        network_.set(k, solved(network_.slope(), network_.known(k)));
        return set_way(k, BodyVector::Zero(n_));
    }
  }
  /// x of a body, or, of one more than there are, y of its own.
  [[nodiscard]] double result(Row kind, Index body, Index k) const {
    return body < n_ ? x(kind, body, k) : y(kind, k);
  }

 private:
  [[nodiscard]] double x(Row kind, Index body, Index k) const {
    return follows(kind) && body == body_ ? at_rest(k) : network_.x(body)[k];
  }
  /// y of its body.
  [[nodiscard]] double y(Row kind, Index k) const {
    if (follows(kind)) return network_.y(body_)[k] - network_.x(body_)[k] + at_rest(k);
    double y = network_.x(body_)[k];
    for (Index j = 0; j < network_.forces(); ++j) {
      y += convolve(network_.weight(j, body_), network_.force(j).left, k, 0, k);
    }
    return y;
  }
  static bool follows(Row kind) { return kind[0] == static_cast<double>(Kind::kFollows); }
  /// x of its body where its slip is zero.
  [[nodiscard]] double at_rest(Index k) const {
    const Decay force = network_.force(own_);
    return force.rate[0] != 0 ? -force.exponent[k] / force.rate[0] : 0.0;
  }
  /// At rest, exponent + rate x is zero; the others follow.
  void go_on_at_rest(Index k) {
    BodyMatrix slope = network_.slope();
    BodyVector known = network_.known(k);
    slope.row(body_) = BodyVector::Unit(n_, body_);
    known[body_] = at_rest(k);
    network_.set(k, solved(slope, known));
    set_way(k, BodyVector::Zero(n_));
  }
  /// At a fold  slope way = 0  as well, where `way` of the body is 1.
  void go_on_at_fold(Index k) {
    const BodyMatrix slope = network_.slope();
    const BodyVector known = network_.known(k);
    PairMatrix all = PairMatrix::Zero(2 * n_, 2 * n_);
    PairVector right = PairVector::Zero(2 * n_);
    all.topLeftCorner(n_, n_) = slope;
    all.row(body_).setZero();
    all(body_, n_ + body_) = 1;
    right.head(n_) = known;
    right[body_] = 0;
    all.bottomRightCorner(n_, n_) = slope;
    for (Index j = 0; j < network_.forces(); ++j) {
      const Decay force = network_.force(j);
      const Row way = way_of(network_.body(j)), passes_by = passes_of(j);
      const double rate = force.rate[0], left = force.left[0];
      const double passes = convolve(force.left, way, k, 1, k - 1) + force.known_left(k) * way[0];
      for (Index b = 0; b < n_; ++b) {
        const Row weight = network_.weight(j, b);
        all(n_ + b, network_.body(j)) += rate * rate * weight[0] * left * way[0];
        right[n_ + b] += rate * (convolve(weight, passes_by, k, 1, k) + weight[0] * passes);
      }
    }
    const PairVector out = solved(all, right);
    network_.set(k, out.head(n_));
    set_way(k, out.tail(n_));
  }
  void set_way(Index k, const BodyVector& way) {
    for (Index b = 0; b < n_; ++b) way_of(b)[k] = way[b];
    for (Index j = 0; j < network_.forces(); ++j) {
      passes_of(j)[k] = convolve(network_.force(j).left, way_of(network_.body(j)), k, 0, k);
    }
  }
  [[nodiscard]] Row way_of(Index b) const { return r_[network_.next_companion() + b]; }
  [[nodiscard]] Row passes_of(Index j) const { return r_[network_.next_companion() + n_ + j]; }

  static constexpr int kPairs = 2 * kMostFallingBodies;
  using PairMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kPairs, kPairs>;
  using PairVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kPairs, 1>;

  Rows r_;
  NetworkDecays& network_;
  Index own_, body_, n_;
};

}  // namespace

void jet_falling_balance(double* J, Index rows, Index k, Index result, const Index* operands,
                         Index count) {
  const Rows r{J, rows};
  const Row x = r[result], y = r[operands[0]], slope = r[result + 1];
  Decays decays(r, operands + 1, count - 1, result + 2);
  if (k == 0) {
    const FallingBalance balance = falling_balance(y[0], decays.at_order_0());
    x[0] = balance.x;
    slope[0] = balance.slope;
  } else {
    x[k] = slope[0] > 0 ? (y[k] - decays.known(k, 0)) / slope[0] : 0.0;
    slope[k] = 0;
  }
  decays.set(k, x[k]);
}

void jet_falling_end(double* J, Index rows, Index k, Index result, const Index* operands,
                     Index count) {
  const Rows r{J, rows};
  const Row x = r[result], is_fold = r[result + 1];
  Decays decays(r, operands, count, result + 2);
  if (k == 0) {
    const std::vector<DecayingForce> forces = decays.at_order_0();
    const FallingEnd end = falling_end(forces.front(), forces);
    x[0] = end.x;
    is_fold[0] = end.is_fold ? 1 : 0;
  } else {
    const double curvature = decays.curvature(), rate = r[operands[2]][0];
    if (is_fold[0] != 0) {  // there the sum of rate weight E is 1
      x[k] = curvature != 0 ? decays.known(k, 1) / curvature : 0.0;
    } else {
      x[k] = rate != 0 ? -r[operands[1]][k] / rate : 0.0;
    }
    is_fold[k] = 0;
  }
  decays.set(k, x[k]);
}

void jet_falling_speed(double* J, Index rows, Index k, Index result, const Index* operands,
                       Index count) {
  const Rows r{J, rows};
  const Row lasts = r[result + 1];
  NetworkDecays network(r, operands + 1, count - 1, result + 2);
  if (k == 0) {
    const std::vector<double> arguments = network.at_order_0();
    const FallingSpeeds& speeds =
        falling_speeds_at(arguments.data(), static_cast<Index>(arguments.size()));
    lasts[0] = speeds.lasts ? 1 : 0;
    network.set(0, speeds.x);
  } else {
    lasts[k] = 0;
    BodyVector x = BodyVector::Zero(network.bodies());
    if (lasts[0] != 0) x = solved(network.slope(), network.known(k));
    network.set(k, x);
  }
  r[result][k] = network.x(static_cast<Index>(r[operands[0]][0]))[k];
}

void jet_falling_speed_end(double* J, Index rows, Index k, Index result, const Index* operands,
                           Index count) {
  const Rows r{J, rows};
  const Row kind = r[result + 1];
  NetworkDecays network(r, operands + 2, count - 2, result + 2);
  NetworkEnd end(r, network, static_cast<Index>(r[operands[0]][0]));
  k == 0 ? end.begin(kind) : end.go_on(kind, k);
  r[result][k] = end.result(kind, static_cast<Index>(r[operands[1]][0]), k);
}

void jet_falling_speed_beside(double* J, Index rows, Index k, Index result, const Index* operands,
                              Index count) {
  const Rows r{J, rows};
  const NetworkDecays network(r, operands + 2, count - 2, operands[0] + 2);
  r[result][k] = network.x(static_cast<Index>(r[operands[1]][0]))[k];
}

void jet_falling_speed_end_beside(double* J, Index rows, Index k, Index result,
                                  const Index* operands, Index count) {
  const Rows r{J, rows};
  NetworkDecays network(r, operands + 3, count - 3, operands[0] + 2);
  const NetworkEnd end(r, network, static_cast<Index>(r[operands[1]][0]));
  r[result][k] = end.result(r[operands[0] + 1], static_cast<Index>(r[operands[2]][0]), k);
}

}  // namespace luztar
