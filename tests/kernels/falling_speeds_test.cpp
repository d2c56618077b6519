// Speeds of several bodies under frictions that fall exponentially: against balances that are known
// before, and the ends of slips against what is left of them beside these.
#include "runtime/pwl/falling_speeds.h"

#include <doctest/doctest.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <cmath>
#include <random>
#include <vector>

namespace luztar {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

/// Bodies between dampers, at a random place of theirs. In some, other dampers have levers of both
/// signs.
struct Drawn {
  FallingNetwork network;
  std::vector<Vector> weights;
  Matrix compliance;
  Vector x;
  bool stable = false;
};

Drawn drawn(std::mt19937& draw, bool any_sign) {
  std::uniform_real_distribution<double> unit(0, 1);
  const int n = 2 + static_cast<int>(3 * unit(draw));
  Matrix damping = Matrix::Zero(n, n);
  for (int b = 0; b < n; ++b) damping(b, b) = 0.3 + unit(draw);
  const int dampers = any_sign ? 2 * n : n - 1;
  for (int d = 0; d < dampers; ++d) {
    const int a = any_sign ? static_cast<int>(n * unit(draw)) : d;
    const int b = any_sign ? static_cast<int>(n * unit(draw)) : d + 1;
    if (a == b) continue;
    Vector row = Vector::Zero(n);
    row[a] = 1;
    row[b] = (unit(draw) < 0.5 ? -1 : 1) * std::exp(unit(draw) - 0.5);
    damping += std::exp(4 * unit(draw) - 2) * row * row.transpose();
  }
  Drawn out{{}, {}, damping.inverse(), Vector(n), false};
  for (int b = 0; b < n; ++b) {
    out.x[b] = 4 * unit(draw) - 2;
    const int forces = 1 + static_cast<int>(2 * unit(draw));
    for (int f = 0; f < forces; ++f) {
      const double side = f == 0                               ? (unit(draw) < 0.5 ? -1 : 1)
                          : out.network.forces.back().rate > 0 ? 1
                                                               : -1;
      const bool turned = f > 0 && unit(draw) < 0.3;
      const double rate = (turned ? -side : side) * std::exp(2 * unit(draw) - 1);
      const double slip = 3 * unit(draw);
      out.network.forces.push_back({b, slip - rate * out.x[b], rate, nullptr});
      out.weights.push_back(out.compliance.col(b) * (rate > 0 ? 1 : -1) *
                            std::exp(3 * unit(draw) - 1));
    }
  }
  out.network.y = out.x;
  Vector fall = Vector::Zero(n);
  for (std::size_t f = 0; f < out.weights.size(); ++f) {
    FallingForce& force = out.network.forces[f];
    force.weight = out.weights[f].data();
    const double left = std::exp(-(force.exponent + force.rate * out.x[force.body]));
    out.network.y += left * out.weights[f];
    fall[force.body] +=
        out.weights[f][force.body] / out.compliance(force.body, force.body) * force.rate * left;
  }
  const Vector root = fall.cwiseSqrt();
  const Matrix left =
      Matrix::Identity(n, n) - root.asDiagonal() * out.compliance * root.asDiagonal();
  out.stable = Eigen::SelfAdjointEigenSolver<Matrix>(left).eigenvalues()[0] > 1e-3;
  return out;
}

}  // namespace

TEST_CASE("falling speeds: the balance that a network was made for") {
  std::mt19937 draw(3);
  for (const bool any_sign : {false, true}) {
    int stable = 0, missed = 0;
    for (int i = 0; i < 20000; ++i) {
      const Drawn d = drawn(draw, any_sign);
      if (!d.stable) continue;
      ++stable;
      const FallingSpeeds found = falling_speeds(d.network);
      CAPTURE(i);
      if (!found.lasts || (found.x - d.x).norm() > 1e-9) ++missed;
    }
    MESSAGE(any_sign << ": " << stable << " stable, " << missed << " missed");
    CHECK(stable > 1000);
    CHECK(missed == 0);
  }
}

TEST_CASE("falling speeds: where slips end") {
  std::mt19937 draw(5);
  int folds = 0, rests = 0, follows = 0;
  for (int i = 0; i < 5000; ++i) {
    const Drawn d = drawn(draw, false);
    if (!d.stable) continue;
    for (std::size_t f = 0; f < d.network.forces.size(); ++f) {
      const FallingForce& force = d.network.forces[f];
      const FallingSpeedsEnd end = falling_speeds_end(d.network, f, falling_speeds(d.network));
      CAPTURE(i);
      CAPTURE(f);
      FallingNetwork there = d.network;
      const double towards = force.rate > 0 ? 1 : -1;
      CHECK(towards * (d.network.y[force.body] - end.y) >= 0);
      const double slip = force.exponent + force.rate * end.x[force.body];
      if (end.kind == FallingSpeedsEnd::Kind::kFollows) {
        ++follows;
        CHECK(std::fabs(d.network.y[force.body] - end.y - d.x[force.body] -
                        force.exponent / force.rate) < 1e-9);
        continue;
      }
      there.y[force.body] = end.y + towards * 1e-4;
      const FallingSpeeds before = falling_speeds(there);
      CHECK(before.lasts);
      CHECK((before.x - end.x).norm() < 0.3);
      there.y[force.body] = end.y - towards * 1e-4;
      const FallingSpeeds beyond = falling_speeds(there);
      if (end.kind == FallingSpeedsEnd::Kind::kFold) {
        ++folds;
        CHECK(slip >= 0);
        CHECK((falling_slope(d.network, end.x) * end.way).norm() < 1e-6);
        CHECK(!beyond.lasts);
      } else {
        ++rests;
        CHECK(std::fabs(slip) < 1e-12);
        CHECK((!beyond.lasts || force.exponent + force.rate * beyond.x[force.body] < 0));
      }
    }
  }
  MESSAGE(folds << " folds, " << rests << " at rest, " << follows << " follow");
  CHECK(folds > 500);
  CHECK(rests > 500);
  CHECK(follows > 50);
}

}  // namespace luztar
