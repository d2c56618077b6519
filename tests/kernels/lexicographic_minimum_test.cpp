#include "runtime/pwl/lexicographic_minimum.h"

#include <doctest/doctest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "runtime/numbers.h"
#include "runtime/pwl/decompositions.h"
#include "runtime/pwl/minimum_along.h"

namespace luztar {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

struct Problem {
  MatrixXd G0, G1;
  VectorXd b0, b1, bound;
};

/// G0 of low rank, b0 in its range or not, as massless bodies and those with inertia give them.
Problem random_problem(std::mt19937& random) {
  std::uniform_real_distribution<double> draw(-1, 1);
  const Index n = 1 + static_cast<Index>(random() % 5);
  const Index rank = static_cast<Index>(random() % (static_cast<unsigned>(n) + 1));
  const MatrixXd D0 = MatrixXd::NullaryExpr(n, rank, [&] { return draw(random); });
  const MatrixXd D1 = MatrixXd::NullaryExpr(n, n, [&] { return draw(random); });
  Problem p;
  p.G0 = D0 * D0.transpose();
  p.G1 = D1 * D1.transpose();
  p.b0 = D0 * VectorXd::NullaryExpr(rank, [&] { return draw(random); });
  if (random() % 2 == 0) p.b0 += VectorXd::NullaryExpr(n, [&] { return draw(random); });
  p.b1 = VectorXd::NullaryExpr(n, [&] { return 3 * draw(random); });
  p.bound = VectorXd::NullaryExpr(n, [&] { return 0.1 + std::abs(draw(random)); });
  return p;
}

// The limit e -> 0 of one problem with G0 + e G1.
TEST_CASE("lexicographic minimum: limit of perturbed minima") {
  std::mt19937 random(5);
  int open = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    CAPTURE(trial);
    const Problem p = random_problem(random);
    const MatrixXd none = MatrixXd::Zero(p.b0.size(), p.b0.size());
    const LexicographicMinimum m =
        minimize_lexicographic(p.G0, p.b0, p.G1, p.b1, none, -p.bound, p.bound);
    constexpr double kE = 1e-7;
    const BoxMinimum near =
        minimize_in_box(MatrixXd(p.G0 + kE * p.G1), p.b0 + kE * p.b1, -p.bound, p.bound);
    CHECK((m.force - near.force).lpNorm<Eigen::Infinity>() < 2e-3);
    CHECK((m.force.cwiseAbs() - p.bound).maxCoeff() <= 0);
    CHECK((m.first - (p.b0 - p.G0 * m.force)).lpNorm<Eigen::Infinity>() < 1e-10);
    if (m.second.cwiseAbs().maxCoeff() > 0) ++open;
  }
  CHECK(open > 300);
}

TEST_CASE("lexicographic hold map: both residuals of what is held are zero") {
  std::mt19937 random(7);
  for (int trial = 0; trial < 300; ++trial) {
    CAPTURE(trial);
    const Problem p = random_problem(random);
    const Index n = p.b0.size();
    std::vector<Index> held, others;
    for (Index i = 0; i < n; ++i) (random() % 3 == 0 ? others : held).push_back(i);
    if (held.empty()) continue;
    const MatrixXd none = MatrixXd::Zero(n, n);
    const LexicographicHoldMap map = lexicographic_hold_map(p.G0, p.G1, none, held, others);
    VectorXd s = VectorXd::Zero(n);
    s(others) = p.bound(others);
    const VectorXd reachable = p.G0 * p.b1;  // in the range of G0
    s(held) = map.first * VectorXd(reachable(held)) + map.second * VectorXd(p.b1(held)) +
              map.from_forces * VectorXd(p.bound(others));
    const MatrixXd G0 = p.G0(held, held);
    const VectorXd slip = VectorXd((reachable - p.G0 * s)(held));
    const VectorXd rate = VectorXd((p.b1 - p.G1 * s)(held));
    CHECK((G0 * slip).lpNorm<Eigen::Infinity>() < 1e-8 * (1 + s.norm()));
    // Rates vanish in every direction in which G0 leaves the forces open.
    const MatrixXd open =
        MatrixXd::Identity(G0.rows(), G0.rows()) - pseudo_inverse(G0, 1e-12).matrix * G0;
    CHECK((open * rate).lpNorm<Eigen::Infinity>() < 1e-7 * (1 + s.norm()));
  }
}

// Three conditions on five forces; the shortest ones that meet them have 0.528 for the first, which
// its bound does not allow. Rounding of one entry must not hide that others are shorter.
TEST_CASE("lexicographic minimum: the shortest forces, whatever rounding makes of the matrices") {
  constexpr double g = 2.8, h = 19.4;
  VectorXd v(5), bound(5), b1(5);
  v << 0, 1, -1, -1, 0;
  bound << 0.5, 0.13, 0.841, 2.714, 1.2645;
  b1 << -1.2, -1.2, 0, 14.4, -14.4;
  const MatrixXd G0 = 1.9 * v * v.transpose(), none = MatrixXd::Zero(5, 5);
  MatrixXd G1 = MatrixXd::Zero(5, 5);
  G1.topLeftCorner(2, 2).setConstant(g);
  G1.bottomRightCorner(2, 2) << h, -h, -h, h;
  // f1 - f2 - f3 = 0.676, f0 + f1 = -1.2/g, f3 - f4 = 14.4/h and f0 = -0.5; f3 makes it shortest.
  VectorXd expected(5);
  const double f1 = 0.5 - 1.2 / g, f3 = (f1 - 0.676 + 14.4 / h) / 3;
  expected << -0.5, f1, f1 - f3 - 0.676, f3, f3 - 14.4 / h;
  for (const Index i : {0, 1, 2, 3}) {
    VectorXd b0 = 0.676 * 1.9 * v;
    b0[i] *= 1 + 3e-16;
    G1(3, 4) = G1(4, 3) = -h * (1 + 2e-16 * static_cast<double>(i));
    const LexicographicMinimum m = minimize_lexicographic(G0, b0, G1, b1, none, -bound, bound);
    CHECK((m.force - expected).lpNorm<Eigen::Infinity>() < 1e-9);
  }
}

// Gears of ratios p and q side by side on one body, both on a plate that g holds: forces (1, -1)
// move the body by p - q alone.
TEST_CASE("lexicographic minimum: forces that gears of almost equal ratios make a difference of") {
  constexpr double p = 1.2724, q = 1.2478, ground = 3.4961, load = 4.4565;
  VectorXd plate(2), body(2);
  plate << 1, 1;
  body << p, q;
  const MatrixXd G0 = plate * plate.transpose(), G1 = body * body.transpose();
  const VectorXd bound = VectorXd::Constant(2, 9);
  const LexicographicMinimum m = minimize_lexicographic(G0, ground * plate, G1, load * body,
                                                        MatrixXd::Zero(2, 2), -bound, bound);
  const double first = (load - q * ground) / (p - q);
  CHECK(std::fabs(m.force[0] - first) < 1e-11);
  CHECK(std::fabs(m.force[1] - (ground - first)) < 1e-11);
}

TEST_CASE("lexicographic minimum: rounding does not couple forces that act on different bodies") {
  constexpr double g = 1 / 0.0733;
  VectorXd v(5), b1(5), expected(5);
  v << 0, 1, 0, 1, -1;
  const double rate = 685.07575021856826, f = rate / g / 4;
  b1 << 0, -rate, rate, 0, 0;
  MatrixXd G1 = MatrixXd::Zero(5, 5);
  G1.block(1, 1, 2, 2) << g, -g, -g, g;
  G1(0, 0) = G1(0, 4) = G1(4, 0) = G1(4, 4) = 10;
  const VectorXd lower = VectorXd::Constant(5, -kInfinity);
  VectorXd upper = -lower;
  upper[3] = 0;
  const LexicographicMinimum m = minimize_lexicographic(5 * v * v.transpose(), VectorXd::Zero(5),
                                                        G1, b1, MatrixXd::Zero(5, 5), lower, upper);
  expected << f, -f, 3 * f, 0, -f;
  CHECK((m.force - expected).lpNorm<Eigen::Infinity>() < 1e-11 * f);
}

// Forces (1, -1, -1) move neither massless bodies nor others: what rounding makes of that is no
// motion that forces could take out.
TEST_CASE("lexicographic hold map: forces in a loop are not unique, and stay small") {
  constexpr double a = 1 / 0.9765, b = 1 / 5.6261, g = 1 / 0.9937;
  MatrixXd G0(3, 3), G1(3, 3);
  G0 << a + b, -a, -b, -a, a, 0, -b, 0, b;
  G1 << g, -g, 0, -g, g, 0, 0, 0, 0;
  const MatrixXd none = MatrixXd::Zero(3, 3);
  const std::vector<Index> held{0, 1, 2};
  const LexicographicHoldMap map = lexicographic_hold_map(G0, G1, none, held, {});
  CHECK(map.first.cwiseAbs().maxCoeff() < 10);
  CHECK(map.second.isZero(1e-9));
  CHECK((G0 * map.first * G0 - G0).lpNorm<Eigen::Infinity>() < 1e-12);
}

// A load goes to the ground over one force, or over the first one and then along two ways in
// parallel. The penalty of what the first minimum fixes is 1e4 times what takes part in the other.
TEST_CASE("lexicographic minimum: the shortest forces where the first one is at its bound") {
  constexpr double g = 10.0 / 3, load = 93.3053;
  VectorXd body(6), damped(6), other(6), light(6);
  body << 1, 0, -1, 1, 0, 0;
  damped << 0, 1, 0, -1, 1, -1;
  other << 0, 0, 1, 0, 0, 1;
  light << 0, 0, 0, 0, 1, 0;
  const MatrixXd G0 = g * damped * damped.transpose() + 10 * other * other.transpose();
  const MatrixXd G1 = body * body.transpose() + 10 * light * light.transpose();
  const VectorXd zero = VectorXd::Zero(6);
  VectorXd upper = VectorXd::Constant(6, kInfinity);
  for (const double bound : {40.0, 18.2, 5.0, 0.1}) {
    CAPTURE(bound);
    upper[0] = bound;
    const LexicographicMinimum m = minimize_lexicographic(G0, zero, G1, -10 * load * light,
                                                          MatrixXd::Zero(6, 6), -upper, upper);
    const double first = std::min(bound, 3 * load / 8);
    VectorXd expected(6);
    expected << first, load - first, first / 3, -2 * first / 3, -load, -first / 3;
    CHECK((m.force - expected).lpNorm<Eigen::Infinity>() < 1e-9);
    CHECK(m.first.isZero(0.0));
    CHECK(m.second.isZero(0.0));
  }
}

TEST_CASE("lexicographic minimum: terms that cancel leave rounding, along which nothing falls") {
  MatrixXd G0(3, 3);
  G0 << 3, 1, 2, 1, 1, 0, 2, 0, 2;  // (1, -1, -1) changes no slip
  VectorXd b0(3);
  b0 << 0, -8.9e-16, 6.7e-16;
  const VectorXd zero = VectorXd::Zero(3), infinite = VectorXd::Constant(3, kInfinity);
  const MatrixXd none = MatrixXd::Zero(3, 3);
  const LexicographicTerms terms{VectorXd::Constant(3, 2.0), zero};
  const LexicographicMinimum m =
      minimize_lexicographic(G0, b0, none, zero, none, -infinite, infinite, terms);
  CHECK(m.force.lpNorm<Eigen::Infinity>() < 1e-14);
  CHECK(m.first.isZero(0.0));
  CHECK_THROWS_AS((void)minimize_lexicographic(G0, b0, none, zero, none, -infinite, infinite),
                  UnboundedMinimum);
}

TEST_CASE("lexicographic minimum: without inertia the shortest forces of the first minimum") {
  const MatrixXd none = MatrixXd::Zero(2, 2);
  const VectorXd bound = VectorXd::Constant(2, 10);
  const LexicographicMinimum m =
      minimize_lexicographic(MatrixXd::Ones(2, 2), VectorXd::Constant(2, -3), none,
                             VectorXd::Zero(2), none, -bound, bound);
  CHECK((m.force + VectorXd::Constant(2, 1.5)).lpNorm<Eigen::Infinity>() < 1e-14);
  CHECK(m.first.isZero(0.0));
}

// G = d d' along columns of which one is nearly across d: what it has of d is the difference of
// terms that are far greater, and no independent row.
TEST_CASE("hold along columns: a row that is the rounding of others depends on them") {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> draw(-1, 1);
  for (int round = 0; round < 200; ++round) {
    const MatrixXd N =
        orthonormal_factor(MatrixXd::NullaryExpr(8, 3, [&] { return draw(random); }));
    VectorXd d = VectorXd::NullaryExpr(8, [&] { return draw(random); });
    d -= (1 - 1e-4) * N.col(2).dot(d) * N.col(2);
    const VectorXd g = N.transpose() * d, along = N * g;
    const MatrixXd G = d * d.transpose();
    const RegularDirections directions = regular_directions(G, N);
    CHECK(directions.regular.cols() == 1);
    CHECK(directions.null.cols() == 2);
    const double scale = 1 / std::pow(g.squaredNorm(), 2);
    const MatrixXd expected = scale * along * along.transpose();
    CHECK((hold_along(G, N) - expected).lpNorm<Eigen::Infinity>() <
          1e-12 * expected.lpNorm<Eigen::Infinity>());
  }
}

// Three frictions on one body, two on another, one of them between both. The eigenvectors of a null
// space have parts in each other that are small and no rounding: rows that differ by these alone
// are independent, but no basis for the others.
TEST_CASE("hold along columns: rows that are next to dependent are no basis") {
  MatrixXd rows(5, 2);
  rows << 1, -1, 1, 0, 0, 1, 1, 0, 0, 1;
  const Eigen::Vector2d inertia(1.133, 1.494);
  const MatrixXd G = rows * inertia.cwiseInverse().asDiagonal() * rows.transpose();
  const double turn = 2e-5;
  MatrixXd N = MatrixXd::Zero(5, 5);
  N(1, 0) = N(0, 2) = N(4, 4) = 1;
  N(3, 1) = N(2, 3) = std::cos(turn);
  N(2, 1) = std::sin(turn);
  N(3, 3) = -std::sin(turn);
  const VectorXd b = rows * Eigen::Vector2d(0.0141, -0.919);
  const VectorXd force = hold_along(G, N) * b;
  CHECK((G * force - b).lpNorm<Eigen::Infinity>() < 1e-14);
  const VectorXd shortest = pseudo_inverse(G, 1e-12).matrix * b;
  CHECK((force - shortest).lpNorm<Eigen::Infinity>() < 1e-14);
}

}  // namespace
// Loads that have died out leave forces of 1e-306 behind, against which any slope is infinite.
TEST_CASE("minimum along columns: what decay has left of forces is no measure of slopes") {
  const Eigen::MatrixXd none = Eigen::MatrixXd::Zero(3, 3);
  const Eigen::MatrixXd along = Eigen::Vector3d(1, -1, 1) / std::sqrt(3.0);
  const Eigen::Vector3d b(0, 1, 0), lower(-kInfinity, -kInfinity, -kInfinity),
      upper(kInfinity, 0, kInfinity), start(2.7e-306, 0, 0);
  const MinimumAlong most = minimize_along(none, b, b, along, lower, upper, start);
  CHECK(most.force.lpNorm<Eigen::Infinity>() < 1e-300);
  CHECK(most.residual[1] > 0);  // at its bound
}

}  // namespace luztar
