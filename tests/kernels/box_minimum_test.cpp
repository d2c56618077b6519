// Gauss' principle in a box: closed forms.
#include "runtime/pwl/box_minimum.h"

#include <doctest/doctest.h>

#include <Eigen/Core>
#include <random>
#include <stdexcept>
#include <vector>

#include "runtime/numbers.h"
#include "runtime/pwl/held_forces.h"
#include "tests/kernels/box_problem.h"

namespace luztar::test {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

const MatrixXd kOnes = MatrixXd::Ones(2, 2);

}  // namespace

TEST_CASE("one friction: the clamp of rule R10") {
  const auto one = [](double G, double b, double lower, double upper) {
    return minimize_in_box(MatrixXd(MatrixXd::Constant(1, 1, G)), vec({b}), vec({lower}),
                           vec({upper}));
  };
  BoxMinimum m = one(2.0, 1.0, -3.0, 3.0);
  CHECK(m.force[0] == 0.5);
  CHECK(m.residual[0] == 0.0);
  CHECK(m.side[0] == BoxSide::kInside);
  m = one(2.0, -8.0, -3.0, 3.0);
  CHECK(m.force[0] == -3.0);
  CHECK(m.residual[0] == -2.0);
  CHECK(m.side[0] == BoxSide::kLower);
  m = one(3.0, 0.3, -0.1, 0.1);  // exactly at the bound, but for rounding
  CHECK(m.force[0] == 0.1);
  CHECK(m.residual[0] == 0.0);
  CHECK(m.side[0] == BoxSide::kUpper);
  m = one(1.0, -2.0, 0.0, 0.0);
  CHECK(m.force[0] == 0.0);
  CHECK(m.residual[0] == -2.0);
  CHECK(m.side[0] == BoxSide::kLower);
}

TEST_CASE("a slip that no force changes gets the smallest force") {
  const MatrixXd zero = MatrixXd::Zero(1, 1);
  const BoxMinimum m = minimize_in_box(zero, vec({0}), vec({-2}), vec({2}));
  CHECK(m.force[0] == 0.0);
  CHECK(minimize_in_box(zero, vec({0}), vec({1}), vec({2})).force[0] == 1.0);
  const std::vector<BoxSide> start{BoxSide::kUpper};
  CHECK(minimize_in_box(zero, vec({0}), vec({-2}), vec({2}), start).force[0] == 0.0);
}

// P2 sec. 4 prints the componentwise clamp, (1, 5), and the bottom block goes backwards at -4.
// By hand: s1 = 1 leaves 10 - 1 = 9 on the top block; the bottom block gets 1 and needs s2 = 1.
TEST_CASE("two blocks: the box minimum, not the componentwise clamp") {
  const MatrixXd D{{1, -1}, {0, 1}};
  const BoxProblem p = frictions(D, vec({1, 1}), vec({10, 0}), vec({1, 5}));
  const BoxMinimum m = solve(p);
  CHECK(m.force[0] == 1.0);
  CHECK(m.force[1] == doctest::Approx(1.0).epsilon(1e-15));
  CHECK(m.residual[0] == doctest::Approx(9.0).epsilon(1e-15));
  CHECK(m.residual[1] == 0.0);
  CHECK(m.side[0] == BoxSide::kUpper);
  CHECK(m.side[1] == BoxSide::kInside);
}

TEST_CASE("parallel clutches share the force equally as far as their bounds allow") {
  const MatrixXd D = MatrixXd::Ones(3, 1);
  BoxMinimum m = solve(frictions(D, vec({2}), vec({6}), vec({4, 4, 4})));
  CHECK((m.force - vec({2, 2, 2})).norm() <= 1e-15);
  CHECK(m.residual.isZero(0.0));
  m = solve(frictions(D, vec({2}), vec({6}), vec({1, 4, 4})));
  CHECK((m.force - vec({1, 2.5, 2.5})).norm() <= 1e-15);
  CHECK(m.side[0] == BoxSide::kUpper);
  CHECK(m.residual.isZero(0.0));
  m = solve(frictions(D, vec({2}), vec({9}), vec({1, 4, 4})));  // all bounds are needed
  CHECK(m.force == vec({1, 4, 4}));
  CHECK(m.residual.isZero(0.0));
  m = solve(frictions(D, vec({2}), vec({10}), vec({1, 4, 4})));  // and not enough
  CHECK(m.force == vec({1, 4, 4}));
  CHECK(m.residual == vec({0.5, 0.5, 0.5}));
  m = solve(frictions(D, vec({2}), vec({2}), vec({0, 0, 4})));
  CHECK((m.force - vec({0, 0, 2})).norm() <= 1e-15);
}

TEST_CASE("loads that cancel leave dust outside the range of G, which moves nothing") {
  const MatrixXd D = MatrixXd::Ones(2, 1);
  BoxProblem p = frictions(D, vec({1}), vec({1}), vec({3, 3}));
  p.b[1] += 1e-11;
  const BoxMinimum m = solve(p);
  CHECK((m.force - vec({0.5, 0.5})).norm() <= 1e-10);
  CHECK(m.residual.isZero(0.0));
}

// A row that others hold has their rounding, however small its own terms are: two bodies between
// bearings, one of them under great load.
TEST_CASE("the slip of a row that others hold is exactly zero") {
  MatrixXd D(5, 3);
  D << 0, -1, 1, 1.4, 0, 0, 1, -1, 0, 0, 1, 0, 0, 0, 1;
  std::mt19937 random(5);
  std::uniform_real_distribution<double> draw(0.02, 0.5);
  for (int i = 0; i < 1000; ++i) {
    const VectorXd mass = vec({draw(random), draw(random), draw(random)});
    BoxProblem p =
        frictions(D, mass, vec({0, 200 * draw(random), 0}), VectorXd::Constant(5, kInfinity));
    p.upper[3] = p.upper[4] = 0;
    CHECK(solve(p).residual.isZero(0.0));
  }
}

TEST_CASE("contacts and free forces: infinite bounds") {
  const MatrixXd G{{2, 1}, {1, 2}};
  BoxMinimum m = minimize_in_box(G, vec({3, -1}), vec({0, 0}), vec({kInfinity, kInfinity}));
  CHECK((m.force - vec({1.5, 0})).norm() <= 1e-15);
  CHECK((m.residual - vec({0, -2.5})).norm() <= 1e-15);
  CHECK(m.side[1] == BoxSide::kLower);
  m = minimize_in_box(kOnes, vec({4, 4}), vec({-kInfinity, -1}), vec({kInfinity, 1}));
  CHECK((m.force - vec({3, 1})).norm() <= 1e-14);
  try {
    (void)minimize_in_box(kOnes, vec({1, -1}), vec({0, -kInfinity}), vec({kInfinity, 0}));
    FAIL("no minimum, yet no error");
  } catch (const UnboundedMinimum& error) {
    CHECK((error.direction() - vec({1, -1})).norm() <= 1e-15);
  }
}

// A light body between two heavy ones, which a third friction joins: what is uncertain of the light
// body's acceleration cancels in how the heavy ones part.
TEST_CASE("rows of a light body have their errors in common") {
  MatrixXd D(3, 3);  // by friction: of the first heavy body, the light one, the other heavy one
  D << 1, -1, 0, 0, 1, -1, 1, 0, -1;
  const VectorXd inverse_mass = vec({0.5, 1e6, 1}), acceleration = vec({2, 7.6e6, -17.25});
  const MatrixXd G = D * inverse_mass.asDiagonal() * D.transpose();
  const VectorXd b = D * acceleration, uncertain = vec({1, 8.8e13, 1});
  const VectorXd size = D.cwiseAbs() * uncertain;
  const VectorXd lower = vec({-kInfinity, -kInfinity, -kInfinity});
  const VectorXd upper = vec({kInfinity, kInfinity, 0});
  BoxMinimum m;
  minimize_in_box(G, b, size, lower, upper, m, D * uncertain);
  for (Index i = 0; i < 3; ++i) CHECK(m.residual[i] == 0);
  // The common acceleration, and what takes each body to it: the third would have to push for less.
  const double common = (2 * 2 + 7.6 - 17.25) / 3.000001;
  CHECK(m.force[0] == doctest::Approx(2 * (2 - common)).epsilon(1e-9));
  CHECK(m.force[1] == doctest::Approx(17.25 + common).epsilon(1e-9));
  CHECK(m.force[2] == 0);
  minimize_in_box(G, b, size, lower, upper, m);
  CHECK(m.residual[2] > 1);  // sizes alone leave it open
  CHECK_THROWS_AS(minimize_in_box(G, b, size, lower, upper, m, vec({1})), std::invalid_argument);
}

TEST_CASE("a load outside the range of G runs to the bounds when there are some") {
  const BoxMinimum m = minimize_in_box(kOnes, vec({1, -1}), vec({-2, -2}), vec({2, 3}));
  CHECK((m.force - vec({2, -2})).norm() <= 1e-15);
}

TEST_CASE("wrong arguments are refused") {
  const MatrixXd G = MatrixXd::Identity(2, 2);
  const VectorXd zero = VectorXd::Zero(2);
  const VectorXd nan = vec({0, std::nan("")});
  CHECK_THROWS_AS((void)minimize_in_box(G, vec({1}), zero, zero), std::invalid_argument);
  CHECK_THROWS_AS((void)minimize_in_box(G, zero, vec({0, 1}), zero), std::invalid_argument);
  CHECK_THROWS_AS((void)minimize_in_box(G, zero, nan, zero), std::invalid_argument);
  CHECK_THROWS_AS((void)minimize_in_box(G, nan, zero, zero), std::invalid_argument);
  CHECK_THROWS_AS((void)minimize_in_box(G, zero, vec({kInfinity, 0}), vec({kInfinity, 0})),
                  std::invalid_argument);
  const std::vector<BoxSide> start(3);
  CHECK_THROWS_AS((void)minimize_in_box(G, zero, zero, zero, start), std::invalid_argument);
  const std::vector<Index> outside{2};
  CHECK_THROWS_AS((void)hold_map(G, outside, {}), std::invalid_argument);
  CHECK(minimize_in_box(MatrixXd(0, 0), VectorXd(0), VectorXd(0), VectorXd(0)).force.size() == 0);
}

TEST_CASE("many parallel clutches: the highest indeterminacy") {
  const Index n = 100;
  const VectorXd bound = VectorXd::LinSpaced(n, 0.01, 1.0);
  const BoxMinimum m = solve(frictions(MatrixXd::Ones(n, 1), vec({1}), vec({20}), bound));
  // Water filling: s_i = min(bound_i, level). Bounds k/100 up to `filled` are used up.
  double level = 0.0;
  for (Index filled = 0; filled < n; ++filled) {
    level = (20.0 - bound.head(filled).sum()) / static_cast<double>(n - filled);
    if (level < bound[filled]) break;
  }
  CHECK((m.force - bound.cwiseMin(level)).cwiseAbs().maxCoeff() <= 1e-13);
  CHECK(m.residual.isZero(0.0));
}

}  // namespace luztar::test
