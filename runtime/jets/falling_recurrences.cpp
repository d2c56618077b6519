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
      : n_(static_cast<Index>(r[operands[0]][0])) {
    for (Index b = 0; b < n_; ++b) y_.push_back(r[operands[1 + b]]);
    for (Index at = 1 + n_; at + 3 + n_ <= count; at += 3 + n_, companions += 2) {
      body_.push_back(static_cast<Index>(r[operands[at]][0]));
      decays_.push_back(
          {r[operands[at + 1]], r[operands[at + 2]], r[companions], r[companions + 1]});
      for (Index b = 0; b < n_; ++b) weights_.push_back(r[operands[at + 3 + b]]);
    }
    for (Index b = 0; b < n_; ++b) x_.push_back(r[companions + b]);
    for (Index i = 0; i < count; ++i) at_order_0_.push_back(r[operands[i]][0]);
    next_ = companions + n_;
  }

  [[nodiscard]] FallingNetwork at_order_0() const {
    return falling_network(at_order_0_.data(), static_cast<Index>(at_order_0_.size()));
  }
  [[nodiscard]] Index bodies() const { return n_; }
  [[nodiscard]] std::size_t forces() const { return decays_.size(); }
  [[nodiscard]] Index body(std::size_t j) const { return body_[j]; }
  [[nodiscard]] const Decay& force(std::size_t j) const { return decays_[j]; }
  [[nodiscard]] Row weight(std::size_t j, Index b) const {
    return weights_[j * static_cast<std::size_t>(n_) + static_cast<std::size_t>(b)];
  }
  [[nodiscard]] Index next_companion() const { return next_; }
  [[nodiscard]] Row y(Index b) const { return y_[static_cast<std::size_t>(b)]; }
  [[nodiscard]] Row x(Index b) const { return x_[static_cast<std::size_t>(b)]; }

  [[nodiscard]] BodyMatrix slope() const {
    BodyVector x(n_);
    for (Index b = 0; b < n_; ++b) x[b] = this->x(b)[0];
    return falling_slope(at_order_0(), x);
  }
  /// Coefficient k of y less the sum of weight E, by body, but for what x_k adds.
  [[nodiscard]] BodyVector known(Index k) const {
    BodyVector known(n_);
    for (Index b = 0; b < n_; ++b) {
      known[b] = y(b)[k];
      for (std::size_t j = 0; j < forces(); ++j) {
        known[b] -= known_product(weight(j, b), force(j), k);
      }
    }
    return known;
  }
  void set(Index k, const BodyVector& x) {
    for (Index b = 0; b < n_; ++b) this->x(b)[k] = x[b];
    for (std::size_t j = 0; j < forces(); ++j) force(j).set(k, x[body(j)]);
  }

 private:
  Index n_;
  std::vector<Row> y_, x_;
  std::vector<Index> body_;
  std::vector<Decay> decays_;
  std::vector<Row> weights_;
  std::vector<double> at_order_0_;
  Index next_ = 0;
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
  NetworkEnd(const Rows& r, NetworkDecays& network, std::size_t own)
      : network_(network), own_(own), body_(network.body(own)), n_(network.bodies()) {
    Index companion = network.next_companion();
    for (Index b = 0; b < n_; ++b) way_.push_back(r[companion++]);
    for (std::size_t j = 0; j < network.forces(); ++j) passes_.push_back(r[companion++]);
  }

  using Kind = FallingSpeedsEnd::Kind;

  void begin(Row kind) {
    const FallingSpeedsEnd end = falling_speeds_end(network_.at_order_0(), own_);
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
  [[nodiscard]] double x(Row kind, Index body, Index k) const {
    return follows(kind) && body == body_ ? at_rest(k) : network_.x(body)[k];
  }
  /// y of its body.
  [[nodiscard]] double y(Row kind, Index k) const {
    if (follows(kind)) return network_.y(body_)[k] - network_.x(body_)[k] + at_rest(k);
    double y = network_.x(body_)[k];
    for (std::size_t j = 0; j < network_.forces(); ++j) {
      y += convolve(network_.weight(j, body_), network_.force(j).left, k, 0, k);
    }
    return y;
  }

 private:
  static bool follows(Row kind) { return kind[0] == static_cast<double>(Kind::kFollows); }
  /// x of its body where its slip is zero.
  [[nodiscard]] double at_rest(Index k) const {
    const Decay& force = network_.force(own_);
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
    Eigen::MatrixXd all = Eigen::MatrixXd::Zero(2 * n_, 2 * n_);
    Eigen::VectorXd right = Eigen::VectorXd::Zero(2 * n_);
    all.topLeftCorner(n_, n_) = slope;
    all.row(body_).setZero();
    all(body_, n_ + body_) = 1;
    right.head(n_) = known;
    right[body_] = 0;
    all.bottomRightCorner(n_, n_) = slope;
    for (std::size_t j = 0; j < network_.forces(); ++j) {
      const Decay& force = network_.force(j);
      const Row way = way_[static_cast<std::size_t>(network_.body(j))];
      const double rate = force.rate[0], left = force.left[0];
      const double passes = convolve(force.left, way, k, 1, k - 1) + force.known_left(k) * way[0];
      for (Index b = 0; b < n_; ++b) {
        const Row weight = network_.weight(j, b);
        all(n_ + b, network_.body(j)) += rate * rate * weight[0] * left * way[0];
        right[n_ + b] += rate * (convolve(weight, passes_[j], k, 1, k) + weight[0] * passes);
      }
    }
    const Eigen::VectorXd out = solved(all, right);
    network_.set(k, out.head(n_));
    set_way(k, out.tail(n_));
  }
  void set_way(Index k, const BodyVector& way) {
    for (Index b = 0; b < n_; ++b) way_[static_cast<std::size_t>(b)][k] = way[b];
    for (std::size_t j = 0; j < network_.forces(); ++j) {
      const Row of_body = way_[static_cast<std::size_t>(network_.body(j))];
      passes_[j][k] = convolve(network_.force(j).left, of_body, k, 0, k);
    }
  }

  NetworkDecays& network_;
  std::size_t own_;
  Index body_, n_;
  std::vector<Row> way_, passes_;
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
    const FallingSpeeds speeds = falling_speeds(network.at_order_0());
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
  NetworkEnd end(r, network, static_cast<std::size_t>(r[operands[0]][0]));
  k == 0 ? end.begin(kind) : end.go_on(kind, k);
  const auto body = static_cast<Index>(r[operands[1]][0]);
  r[result][k] = body < network.bodies() ? end.x(kind, body, k) : end.y(kind, k);
}

}  // namespace luztar
