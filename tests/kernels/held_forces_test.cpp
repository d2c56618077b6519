// Matrices along a chain: their skyline storage, factors, null spaces and the forces that hold,
// against dense matrices.
#include "runtime/pwl/held_forces.h"

#include <doctest/doctest.h>

#include <Eigen/Core>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "compiler/lowering/band_order.h"
#include "runtime/pwl/decompositions.h"
#include "tests/kernels/box_problem.h"

namespace luztar {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Slips of frictions on the ground and between neighbours, of blocks in a row: rows of D.
MatrixXd train_slips(Index blocks, std::mt19937& random) {
  std::vector<VectorXd> rows;
  for (Index i = 0; i < blocks; ++i) {
    if (random() % 3 != 0) rows.push_back(VectorXd::Unit(blocks, i));
    if (i + 1 < blocks) {
      rows.push_back(VectorXd::Unit(blocks, i + 1) - VectorXd::Unit(blocks, i));
    }
    if (random() % 5 == 0 && i + 2 < blocks) {
      rows.push_back(VectorXd::Unit(blocks, i + 2) - VectorXd::Unit(blocks, i));
    }
  }
  MatrixXd D(static_cast<Index>(rows.size()), blocks);
  for (std::size_t r = 0; r < rows.size(); ++r) D.row(static_cast<Index>(r)) = rows[r].transpose();
  return D;
}

VectorXd masses(Index blocks, std::mt19937& random) {
  std::uniform_real_distribution<double> draw(-1, 1);
  return VectorXd::NullaryExpr(blocks, [&] { return std::pow(10.0, draw(random)); });
}

MatrixXd gram_of(const MatrixXd& D, const VectorXd& mass) {
  return D * mass.cwiseInverse().asDiagonal() * D.transpose();
}

std::vector<Index> random_subset(Index n, std::mt19937& random) {
  std::vector<Index> out;
  for (Index i = 0; i < n; ++i) {
    if (random() % 4 != 0) out.push_back(i);
  }
  std::shuffle(out.begin(), out.end(), random);
  return out;
}

}  // namespace

TEST_CASE("a matrix by its skyline is the matrix") {
  std::mt19937 random(3);
  std::normal_distribution<double> draw;
  for (int trial = 0; trial < 50; ++trial) {
    const Index blocks = 1 + static_cast<Index>(random() % 12);
    const MatrixXd G = gram_of(train_slips(blocks, random), masses(blocks, random));
    Gram sky(G);
    CHECK(sky.dense() == G);
    const std::vector<Index> members = random_subset(G.rows(), random);
    CHECK(sky.principal(members).dense() == MatrixXd(G(members, members)));
    const VectorXd x = VectorXd::NullaryExpr(G.rows(), [&] { return draw(random); });
    VectorXd product = VectorXd::Ones(G.rows()), sizes = product;
    sky.add_product(x, -2, product);
    sky.add_sizes(x, sizes);
    CHECK((product - (VectorXd::Ones(G.rows()) - 2 * G * x)).norm() <= 1e-13 * sizes.norm());
    CHECK((sizes - (VectorXd::Ones(G.rows()) + G.cwiseAbs() * x.cwiseAbs())).norm() <=
          1e-13 * sizes.norm());
  }
  Gram sky(4, std::vector<Gram::Entry>{{0, 0, 1}, {1, 3, 2}, {2, 2, 3}});
  CHECK(sky(3, 1) == 2);
  CHECK(sky(2, 1) == 0);
  CHECK(sky(0, 3) == 0);
  sky.set(1, 3, 7);
  CHECK(sky(3, 1) == 7);
  CHECK(sky(1, 3) == 7);
}

TEST_CASE("a factor along a chain stays one while members come and go") {
  std::mt19937 random(7);
  for (int trial = 0; trial < 60; ++trial) {
    const Index blocks = 2 + static_cast<Index>(random() % 20);
    const Gram G(gram_of(train_slips(blocks, random), masses(blocks, random)));
    PrincipalCholesky<Eigen::Dynamic> factor(G);
    for (int step = 0; step < 200; ++step) {
      const auto j = static_cast<Index>(random() % static_cast<unsigned>(G.size()));
      if (factor.has(j)) {
        Index place = 0;
        while (factor.member(place) != j) ++place;
        factor.remove(place);
        CHECK(!factor.has(j));
      } else if (const auto probe = factor.probe(j); !probe.dependent) {
        factor.append(j, probe);
      }
    }
    std::vector<Index> members;
    for (Index p = 0; p < factor.size(); ++p) members.push_back(factor.member(p));
    const MatrixXd own = G.dense()(members, members);
    VectorXd x = VectorXd::Random(own.rows());
    const VectorXd expected = own.fullPivLu().solve(x);
    factor.solve(x);
    CHECK((x - expected).norm() <= 1e-10 * expected.norm());
  }
}

TEST_CASE("the forces that hold are those of the pseudo-inverse") {
  std::mt19937 random(11);
  int singular = 0;
  for (int trial = 0; trial < 100; ++trial) {
    CAPTURE(trial);
    const Index blocks = 2 + static_cast<Index>(random() % 25);
    const MatrixXd D = train_slips(blocks, random);
    const Gram G(gram_of(D, masses(blocks, random)));
    const std::vector<Index> held = random_subset(G.size(), random);
    if (held.empty()) continue;
    const MatrixXd own = G.dense()(held, held);
    const PseudoInverse inverse = pseudo_inverse(own, 1e-10);
    const HeldForces forces(G, held);
    CHECK(forces.rank() == inverse.rank);
    if (inverse.rank < own.rows()) ++singular;
    const VectorXd right = VectorXd::Random(own.rows());  // also what no force can do
    const VectorXd expected = inverse.matrix * right;
    CHECK((forces.forces(right) - expected).norm() <= 1e-9 * inverse.matrix.norm() * right.norm());
    // A force is unique when it is its own projection onto the forces that do anything.
    const MatrixXd range = inverse.matrix * own;
    for (std::size_t r = 0; r < held.size(); ++r) {
      const auto i = static_cast<Index>(r);
      CHECK(forces.is_shared(r) == (1 - range(i, i) > 1e-9));
    }
    const std::vector<Index> basis = forces.basis();
    const MatrixXd basic = D(basis, Eigen::all);
    CHECK(basic.fullPivLu().rank() == inverse.rank);
  }
  CHECK(singular > 50);
  CHECK(HeldForces(Gram(MatrixXd::Identity(2, 2).eval()), {}).forces(VectorXd(0)).size() == 0);
}

TEST_CASE("frictions of a long train: any order of their rows gives the same forces") {
  std::mt19937 random(13);
  std::uniform_real_distribution<double> draw(-1, 1);
  for (int trial = 0; trial < 12; ++trial) {
    CAPTURE(trial);
    constexpr Index kBlocks = 60;
    const MatrixXd D = train_slips(kBlocks, random);
    const Index n = D.rows();
    const VectorXd load = VectorXd::NullaryExpr(kBlocks, [&] { return 3 * draw(random); });
    const VectorXd bound = VectorXd::NullaryExpr(n, [&] { return 1 + 0.7 * draw(random); });
    const test::BoxProblem p = test::frictions(D, masses(kBlocks, random), load, bound);
    const BoxMinimum m = test::solve(p);
    CHECK(test::keeps_its_promises(p, m));
    std::vector<Index> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), Index{0});
    std::shuffle(order.begin(), order.end(), random);
    const BoxMinimum other =
        test::solve({p.G(order, order), p.b(order), p.lower(order), p.upper(order)});
    CHECK((other.force - m.force(order)).lpNorm<Eigen::Infinity>() <= 1e-9);
    CHECK((other.residual - m.residual(order)).lpNorm<Eigen::Infinity>() <= 1e-9);
    CHECK((m.side == std::vector<BoxSide>(m.side.size(), BoxSide::kInside)) == false);
  }
}

TEST_CASE("a chain is numbered along itself, whatever the order of its parts") {
  std::mt19937 random(17);
  for (const std::size_t count : {1U, 2U, 50U}) {
    std::vector<std::uint32_t> name(count);
    std::iota(name.begin(), name.end(), 0U);
    std::shuffle(name.begin(), name.end(), random);
    std::set<std::pair<std::uint32_t, std::uint32_t>> edges;
    for (std::size_t i = 0; i < count; ++i) {
      edges.insert({name[i], name[i]});
      if (i + 1 < count) edges.insert(std::minmax(name[i], name[i + 1]));
    }
    const std::vector<std::uint32_t> order = band_order(count, edges);
    REQUIRE(order.size() == count);
    for (std::size_t i = 0; i + 1 < count; ++i) {
      CHECK(edges.count(std::minmax(order[i], order[i + 1])) == 1);
    }
  }
}

}  // namespace luztar
