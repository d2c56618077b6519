// Equilibria of massless points: the conditions of each, forces by enumeration of the faces of the
// dual problem, units, and the linear map of an active set.
#include "runtime/pwl/settle.h"

#include <doctest/doctest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "runtime/numbers.h"
#include "runtime/pwl/decompositions.h"
#include "tests/support/random_cases.h"

namespace luztar {
namespace {

using test::random_cases;

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

using Random = std::mt19937_64;

double uniform(Random& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

int integer(Random& random, int low, int high) {
  return std::uniform_int_distribution<int>(low, high)(random);
}

std::optional<Settled> settle(SettleProblem problem) {
  SettleMaps maps;
  return luztar::settle(std::move(problem), maps);
}

SettleProblem empty_problem(Index elements, Index points) {
  SettleProblem p;
  p.rows = MatrixXd::Zero(elements, points);
  p.compliance = p.offset = VectorXd::Zero(elements);
  p.lower = VectorXd::Constant(elements, -kInfinity);
  p.upper = VectorXd::Constant(elements, kInfinity);
  p.load = p.start = VectorXd::Zero(points);
  p.weight = VectorXd::Ones(points);
  return p;
}

/// Draws numbers from a grid, where ties and dependent rows abound, or from an interval.
struct Draw {
  Random& random;
  bool whole;
  double operator()(double low, double high) const {
    if (!whole) return uniform(random, low, high);
    return integer(random, static_cast<int>(low), static_cast<int>(high));
  }
};

SettleProblem random_problem(Random& random) {
  const Draw draw{random, integer(random, 0, 1) == 0};
  const Index n = integer(random, 1, 6), m = integer(random, 1, 10);
  SettleProblem p = empty_problem(m, n);
  int sets = 1;  // active sets to enumerate
  constexpr int kSets = 250;
  for (Index j = 0; j < m; ++j) {
    const int points = integer(random, 1, 2);  // an element is between two points, or one and more
    for (int i = 0; i < points; ++i) p.rows(j, integer(random, 0, int(n) - 1)) = draw(-2, 2);
    p.offset[j] = draw(-3, 3);
    p.compliance[j] = draw.whole ? std::ldexp(1.0, integer(random, -2, 2)) : uniform(random, .1, 4);
    const int kind = integer(random, 0, 4);
    if (kind >= 3 && 3 * sets <= kSets) {
      p.compliance[j] = 0;
      p.upper[j] = draw(0, 3);
      p.lower[j] = -p.upper[j];
      if (integer(random, 0, 1) == 0) p.offset[j] = 0;
      sets *= 3;
    } else if (kind >= 1 && 2 * sets <= kSets) {
      (kind == 1 ? p.lower : p.upper)[j] = 0;
      sets *= 2;
    }
  }
  const int loads = integer(random, 0, 3);
  if (loads == 1) {
    for (Index i = 0; i < n; ++i) p.load[i] = draw(-2, 2);
  } else if (loads > 1) {  // that forces within bounds do balance
    for (Index j = 0; j < m; ++j) {
      const double f =
          std::clamp(draw(-2, 2), std::max(p.lower[j], -9.0), std::min(p.upper[j], 9.0));
      p.load += f * p.rows.row(j).transpose();
    }
  }
  for (Index i = 0; i < n; ++i) {
    p.start[i] = draw(-2, 2);
    p.weight[i] = uniform(random, 0.3, 3);
  }
  return p;
}

/// The minimum of 1/2 f'C f - offset.f over rows'f = load and the bounds, the dual of the problem:
/// the least of the minima of all faces. The positions do not occur in it.
struct Enumerated {
  bool feasible = false;
  double energy = kInfinity;
  VectorXd force;
};

/// Calls visit(at) for all sides -1, 0, 1 of the members with such bounds.
template <typename Visit>
void each_face(const SettleProblem& p, Visit visit) {
  const auto m = static_cast<std::size_t>(p.rows.rows());
  std::vector<int> at(m, 0);
  const auto allowed = [&](std::size_t j) {
    const auto i = static_cast<Index>(j);
    return at[j] == 0 || std::isfinite(at[j] > 0 ? p.upper[i] : p.lower[i]);
  };
  while (true) {
    visit(at);
    std::size_t j = 0;
    for (; j < m; ++j) {
      do {
        at[j] = at[j] == 0 ? 1 : at[j] == 1 ? -1 : 2;
      } while (at[j] != 2 && !allowed(j));
      if (at[j] != 2) break;
      at[j] = 0;
    }
    if (j == m) return;
  }
}

/// Of what makes the forces of free members stationary: C f - offset = -rows lambda, rows'f = pull.
MatrixXd stationary_inverse(const SettleProblem& p, const std::vector<Index>& free) {
  const Index n = p.rows.cols();
  const auto count = static_cast<Index>(free.size());
  const MatrixXd rows = p.rows(free, Eigen::all);
  MatrixXd system = MatrixXd::Zero(count + n, count + n);
  system.topLeftCorner(count, count).diagonal() = p.compliance(free);
  system.topRightCorner(count, n) = rows;
  system.bottomLeftCorner(n, count) = rows.transpose();
  return pseudo_inverse(system, 1e-10).matrix;
}

Enumerated enumerate(const SettleProblem& p) {
  constexpr double kGood = 1e-8;
  const Index n = p.rows.cols();
  Enumerated best;
  std::map<std::vector<Index>, MatrixXd> inverses;  // by free members, which many faces share
  each_face(p, [&](const std::vector<int>& at) {
    VectorXd f = VectorXd::Zero(p.rows.rows());
    std::vector<Index> free;
    for (Index j = 0; j < f.size(); ++j) {
      const int side = at[static_cast<std::size_t>(j)];
      if (side == 0) free.push_back(j);
      if (side != 0) f[j] = side > 0 ? p.upper[j] : p.lower[j];
    }
    const auto count = static_cast<Index>(free.size());
    const VectorXd pull = p.load - p.rows.transpose() * f;
    MatrixXd& inverse = inverses[free];
    if (inverse.size() == 0) inverse = stationary_inverse(p, free);
    VectorXd right(count + n);
    right << p.offset(free), pull;
    const VectorXd solution = inverse * right;
    for (Index k = 0; k < count; ++k) f[free[static_cast<std::size_t>(k)]] = solution[k];
    const bool balanced = (p.rows.transpose() * f - p.load).cwiseAbs().maxCoeff() <= kGood;
    const bool within =
        ((f - p.lower).array() >= -kGood).all() && ((p.upper - f).array() >= -kGood).all();
    if (!balanced || !within) return;
    best.feasible = true;
    const double energy = f.dot(0.5 * p.compliance.cwiseProduct(f) - p.offset);
    if (energy >= best.energy) return;
    best.energy = energy;
    best.force = f;
  });
  return best;
}

/// Checks what Settled promises.
void check_conditions(const SettleProblem& p, const Settled& s) {
  constexpr double kRounding = 2e-11;
  const VectorXd strain = p.compliance.cwiseProduct(s.force);
  const VectorXd excess = p.rows * s.position + p.offset - strain;
  double forces = s.force.cwiseAbs().maxCoeff() + p.load.cwiseAbs().maxCoeff();
  for (Index j = 0; j < excess.size(); ++j) {  // and what rounding of the positions makes of them
    if (p.compliance[j] > 0) forces = std::max(forces, 1e-3 * s.size[j] / p.compliance[j]);
  }
  const VectorXd pull = p.rows.transpose() * s.force - p.load;
  REQUIRE(pull.cwiseAbs().maxCoeff() <= kRounding * forces);
  for (Index j = 0; j < excess.size(); ++j) {
    CAPTURE(j);
    REQUIRE(std::fabs(excess[j] - s.excess[j]) <= kRounding * s.size[j]);
    REQUIRE(s.force[j] >= p.lower[j] - kRounding * forces);
    REQUIRE(s.force[j] <= p.upper[j] + kRounding * forces);
    if (s.excess[j] > 0) REQUIRE(s.force[j] == p.upper[j]);
    if (s.excess[j] < 0) REQUIRE(s.force[j] == p.lower[j]);
  }
}

bool is_spring(const SettleProblem& p, Index j) { return p.compliance[j] > 0; }

double difference_of_springs(const SettleProblem& p, const VectorXd& a, const VectorXd& b) {
  double out = 0;
  for (Index j = 0; j < a.size(); ++j) {
    if (is_spring(p, j)) out = std::max(out, std::fabs(a[j] - b[j]));
  }
  return out;
}

}  // namespace

TEST_CASE("random points settle where the dual problem has its minimum, or nowhere") {
  Random random(1);
  int settled = 0, loose = 0, critical = 0;
  for (unsigned trial = 0; trial < random_cases(4000); ++trial) {
    const SettleProblem p = random_problem(random);
    CAPTURE(trial);
    CAPTURE(p.rows);
    CAPTURE(p.compliance);
    CAPTURE(p.lower);
    CAPTURE(p.upper);
    CAPTURE(p.offset);
    CAPTURE(p.load);
    CAPTURE(p.start);
    const Enumerated expected = enumerate(p);
    const auto s = settle(p);
    REQUIRE(s.has_value() == expected.feasible);
    if (!s) continue;
    ++settled;
    check_conditions(p, *s);
    const double size = 1 + s->force.cwiseAbs().maxCoeff();
    REQUIRE(difference_of_springs(p, s->force, expected.force) <= 1e-9 * size);

    // A loose point may rest elsewhere, but no spring notices.
    SettleProblem moved = p;
    for (double& w : moved.start) w += uniform(random, -5, 5);
    const auto other = settle(moved);
    REQUIRE(other.has_value());
    check_conditions(moved, *other);
    REQUIRE(difference_of_springs(p, s->force, other->force) <= 1e-10 * size);
    if ((other->position - s->position).cwiseAbs().maxCoeff() > 1e-6) ++loose;

    // Points in equilibrium stay.
    SettleProblem again = p;
    again.start = s->position;
    const auto same = settle(again);
    REQUIRE(same.has_value());
    const double reach = 1 + s->position.cwiseAbs().maxCoeff();
    REQUIRE((same->position - s->position).cwiseAbs().maxCoeff() <= 1e-10 * reach);

    for (Index j = 0; j < p.rows.rows(); ++j) {
      const bool at_bound = s->force[j] == p.upper[j] || s->force[j] == p.lower[j];
      if (at_bound && s->excess[j] == 0) ++critical;
    }
  }
  MESSAGE(settled, " settled, ", loose, " with a loose point, ", critical, " critical members");
  CHECK(settled > random_cases(2000));
  CHECK(settled < random_cases(3900));
  CHECK(loose > random_cases(500));
  CHECK(critical > random_cases(200));
}

TEST_CASE("units of lengths, forces and single elements do not matter") {
  Random random(2);
  for (unsigned trial = 0; trial < random_cases(1500); ++trial) {
    CAPTURE(trial);
    const SettleProblem p = random_problem(random);
    const auto expected = settle(p);
    const auto power = [&] { return std::pow(10.0, uniform(random, -6, 6)); };
    const double length = power(), force = power();
    const VectorXd element = VectorXd::NullaryExpr(p.rows.rows(), [&] { return power(); });
    const VectorXd point = VectorXd::NullaryExpr(p.rows.cols(), [&] { return power(); });
    // x' = length element x, f' = force f / element, w' = length point w.
    const VectorXd per_element = element.cwiseInverse(), per_point = point.cwiseInverse();
    SettleProblem q = p;
    q.rows = element.asDiagonal() * p.rows * per_point.asDiagonal();
    q.compliance = length / force * element.cwiseAbs2().cwiseProduct(p.compliance);
    q.lower = force * per_element.cwiseProduct(p.lower);
    q.upper = force * per_element.cwiseProduct(p.upper);
    q.offset = length * element.cwiseProduct(p.offset);
    q.load = force * per_point.cwiseProduct(p.load);
    q.start = length * point.cwiseProduct(p.start);
    q.weight = force / length * per_point.cwiseAbs2().cwiseProduct(p.weight);
    CAPTURE(length);
    CAPTURE(force);
    CAPTURE(element);
    CAPTURE(point);
    CAPTURE(p.rows);
    CAPTURE(p.compliance);
    CAPTURE(p.lower);
    CAPTURE(p.upper);
    CAPTURE(p.offset);
    CAPTURE(p.load);
    CAPTURE(p.start);
    const auto s = settle(q);
    REQUIRE(s.has_value() == expected.has_value());
    if (!s) continue;
    const VectorXd back = element.cwiseProduct(s->force) / force;
    const double size = 1 + expected->force.cwiseAbs().maxCoeff();
    REQUIRE(difference_of_springs(p, back, expected->force) <= 1e-9 * size);
    const VectorXd position = per_point.cwiseProduct(s->position) / length;
    const double reach = 1 + expected->position.cwiseAbs().maxCoeff();
    REQUIRE((position - expected->position).cwiseAbs().maxCoeff() <= 1e-8 * reach);
  }
}

// What holds a point is a rounding apart from what slips on it with hardly any capacity: a clutch
// that has just come back. Members: a spring, a friction that no point can move, what holds, the
// clutch.
TEST_CASE("bounds that the rounding of forces does not tell apart are no reason for a cycle") {
  SettleProblem p = empty_problem(4, 1);
  p.rows << 1, 0, -1, 1;
  p.compliance[0] = 0.126904;
  p.offset[0] = -0.0689053;
  p.load_size = VectorXd::Constant(1, 0.242106);
  p.weight[0] = 1 / p.compliance[0];
  for (const double apart : {1e-13, 5e-13, 1e-12, 1.47376e-12, 2e-12, 1e-11}) {
    CAPTURE(apart);
    for (const double capacity : {1e-14, 1e-13, 1.73315e-12, 1e-11}) {
      p.offset[2] = -apart;
      p.offset_size = VectorXd::Constant(4, 0.0530465);
      p.lower[3] = -capacity;
      p.upper[3] = capacity;
      const auto s = settle(p);
      REQUIRE(s.has_value());
      CHECK(std::fabs(s->position[0]) <= 2 * apart);
      CHECK(std::fabs(s->force[3]) <= capacity);
      CHECK(s->force[0] == doctest::Approx(-0.0689053 / 0.126904).epsilon(1e-9));
    }
  }
}

TEST_CASE("a point in its play stays exactly where it is") {
  SettleProblem p = empty_problem(2, 2);
  p.rows << 1, 0, 1, 0;
  p.compliance << 0.5, 0.5;
  p.offset << -1, 1;  // half freeplay 1
  p.lower[0] = 0;
  p.upper[1] = 0;
  for (const double start : {0.3, -1.0, 1.0, 0.1}) {
    p.start << start, 7;  // nothing at all acts on the second point
    const auto s = settle(p);
    REQUIRE(s.has_value());
    CHECK(s->position == p.start);
    CHECK(s->force.isZero(0.0));
  }
  p.start << 3, 7;  // it springs back to the edge and no further
  const auto s = settle(p);
  REQUIRE(s.has_value());
  CHECK(s->position[0] == doctest::Approx(1).epsilon(1e-14));
  CHECK(s->force.isZero(1e-14));
}

TEST_CASE("a friction gives way no further than it must") {
  // Spring 1/2 to 0 and friction 3: from 10 the point slides to where the spring has 3.
  SettleProblem p = empty_problem(2, 1);
  p.rows << 1, 1;
  p.compliance << 0.5, 0;
  p.lower[1] = -3;
  p.upper[1] = 3;
  const auto from = [&](double start) {
    p.start << start;
    p.offset << 0, -start;
    return settle(p).value();
  };
  CHECK(from(10).position[0] == doctest::Approx(1.5).epsilon(1e-14));
  CHECK(from(10).force[1] == -3);
  CHECK(from(10).excess[1] == doctest::Approx(-8.5).epsilon(1e-14));
  CHECK(from(1.25).position[0] == 1.25);
  CHECK(from(1.25).force[1] == doctest::Approx(-2.5).epsilon(1e-14));
  CHECK(from(1.25).excess[1] == 0);
}

TEST_CASE("without equilibrium there is no result") {
  SettleProblem p = empty_problem(1, 1);
  p.rows << 1;
  p.lower << -2;
  p.upper << 2;
  for (const double load : {2.0, -2.0, 1.999999}) {
    p.load << load;
    CHECK(settle(p).has_value());
  }
  for (const double load : {2.000001, -3.0, 1e9}) {
    p.load << load;
    CHECK_FALSE(settle(p).has_value());
  }
  // Two frictions that hold for ever, and do not fit.
  SettleProblem held = empty_problem(2, 1);
  held.rows << 1, 1;
  held.offset << 1, 2;
  CHECK_FALSE(settle(held).has_value());
  held.offset << 2, 2;
  CHECK(settle(held).value().position[0] == doctest::Approx(-2).epsilon(1e-14));
  // Nothing acts.
  SettleProblem none = empty_problem(0, 2);
  none.start << 1, 2;
  CHECK(settle(none).value().position == none.start);
  none.load << 0, 1e-300;
  CHECK_FALSE(settle(none).has_value());
}

// Frictions hold a point at rest in a derivative that cancels: what is left of it is rounding.
TEST_CASE("what contradicts itself by rounding of its terms is met as nearly as can be") {
  SettleProblem p = empty_problem(4, 1);
  p.rows << 1, 1, 1, 1;
  p.compliance << 0.5, 0, 0, 0;
  p.upper << kInfinity, kInfinity, 0, 0;
  p.offset << 0, 4.4408920985006262e-15, 1.0628465103551525, 4.3298697960381097e-15;
  p.load << -0.36444732629712667;
  p.weight << 2;
  p.offset_size = VectorXd::Constant(4, 1);
  const auto s = settle(p);
  REQUIRE(s.has_value());
  CHECK(std::abs(s->position[0]) < 1e-14);
  CHECK(s->force.sum() == doctest::Approx(p.load[0]).epsilon(1e-14));
  CHECK(s->excess[2] == doctest::Approx(p.offset[2]).epsilon(1e-13));
  CHECK(s->excess[3] == 0);
  p.offset[3] = -1e-6;  // no rounding: the last one would be inside its bound
  CHECK_FALSE(settle(p).has_value());
}

TEST_CASE("offsets decide which frictions hold, however far loads would take the point") {
  for (double offset : {1.0, 1e-6, 4.5e-9, 1e-15, 1e-30}) {
    for (const double side : {1.0, -1.0}) {
      CAPTURE(side * offset);
      SettleProblem p = empty_problem(3, 1);
      p.rows << 0, 1, 1;  // the first one moves no point
      p.lower << 0, -kInfinity, side > 0 ? -kInfinity : 0.0;
      p.upper << kInfinity, kInfinity, side > 0 ? 0.0 : kInfinity;
      p.offset << -offset, 0, side * offset;
      p.load << -0.25;
      const auto s = settle(p);
      REQUIRE(s.has_value());
      CHECK(s->position[0] == 0);
      CHECK(s->force[0] == 0);
      CHECK(s->force[1] == doctest::Approx(-0.25).epsilon(1e-14));
      CHECK(s->force[2] == 0);
      CHECK(s->excess[2] == side * offset);
      p.offset[2] = -p.offset[2];  // held by one, it would be inside the bound of the other
      CHECK_FALSE(settle(p).has_value());
    }
  }
}

TEST_CASE("loads that cancel are none, those that do not are too much") {
  SettleProblem p = empty_problem(0, 1);
  p.load << 1e-16;
  CHECK_FALSE(settle(p).has_value());
  p.load_size = VectorXd::Constant(1, 2.0);
  CHECK(settle(p).has_value());
  p.load << 1e-9;
  CHECK_FALSE(settle(p).has_value());
  SettleProblem slipping = empty_problem(1, 1);
  slipping.rows << 1;
  slipping.lower << -1;
  slipping.upper << 1;
  slipping.load << 1 + 1e-14;
  slipping.load_size = VectorXd::Constant(1, 1e3);
  CHECK(settle(slipping).has_value());
  slipping.load << 1 + 1e-7;
  CHECK_FALSE(settle(slipping).has_value());
}

TEST_CASE("a small load takes a point a long way") {
  // Through a play of 1e6 to a spring of 1e3, in units where the load gives 1e-9 of strain.
  SettleProblem p = empty_problem(1, 1);
  p.rows << 1;
  p.compliance << 1e-3;
  p.lower << 0;
  p.offset << -1e6;
  p.load << 1e-6;
  p.weight << 1e3;
  const auto s = settle(p);
  REQUIRE(s.has_value());
  CHECK(s->position[0] == doctest::Approx(1e6).epsilon(1e-13));
  CHECK(s->force[0] == doctest::Approx(1e-6).epsilon(1e-13));
}

TEST_CASE("the map of an active set solves its equations with the least change") {
  Random random(3);
  for (unsigned trial = 0; trial < random_cases(2000); ++trial) {
    CAPTURE(trial);
    const SettleProblem p = random_problem(random);
    const Index m = p.rows.rows(), n = p.rows.cols();
    const MatrixXd map = settle_map(p.rows, p.compliance, p.weight);
    MatrixXd system = MatrixXd::Zero(m + n, n + m);
    system.topLeftCorner(m, n) = p.rows;
    system.topRightCorner(m, m).diagonal() = -p.compliance;
    system.bottomRightCorner(n, m) = p.rows.transpose();
    const double size = 1e-11 * (1 + map.cwiseAbs().maxCoeff());
    REQUIRE((system * map * system - system).cwiseAbs().maxCoeff() <= size);
    REQUIRE((map * system * map - map).cwiseAbs().maxCoeff() <= size * (1 + map.norm()));
    // The change of positions is orthogonal, in the metric, to those nothing notices.
    const PseudoInverse inverse = pseudo_inverse(p.rows, 1e-12);
    if (inverse.rank == n) continue;
    const MatrixXd unnoticed = MatrixXd::Identity(n, n) - inverse.matrix * p.rows;
    const MatrixXd inner = unnoticed.transpose() * p.weight.asDiagonal() * map.topRows(n);
    REQUIRE(inner.cwiseAbs().maxCoeff() <= size * (1 + unnoticed.cwiseAbs().maxCoeff()));
  }
}

TEST_CASE("maps that are known already change nothing") {
  Random random(9);
  for (int trial = 0; trial < 50; ++trial) {
    const SettleProblem drawn = random_problem(random);
    SettleMaps maps;
    for (int instant = 0; instant < 40; ++instant) {
      SettleProblem p = drawn;
      for (double& x : p.offset) x += uniform(random, -2, 2);
      for (double& f : p.load) f *= uniform(random, -2, 2);
      const auto expected = settle(p);
      const auto s = luztar::settle(p, maps);
      REQUIRE(s.has_value() == expected.has_value());
      if (!s) continue;
      REQUIRE(s->position == expected->position);
      REQUIRE(s->force == expected->force);
    }
  }
}

}  // namespace luztar
