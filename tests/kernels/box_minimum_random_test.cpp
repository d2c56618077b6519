// Gauss' principle in a box on random problems: brute force over all active sets, the KKT
// conditions, the hold map.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <vector>

#include "runtime/numbers.h"
#include "runtime/pwl/box_minimum.h"
#include "runtime/pwl/decompositions.h"
#include "runtime/pwl/held_forces.h"
#include "tests/kernels/box_problem.h"
#include "tests/support/random_cases.h"

namespace luztar::test {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// All active sets: the minimum norm point is found with its own active set, every vertex of the
/// set of minimisers with one whose G_FF is regular.
struct Brute {
  VectorXd residual;
  double violation = kInfinity;  // of the KKT conditions, relative, of the residual kept
  double norm = kInfinity;       // least among the minimisers found
  bool unique = true;
};

/// How far s is from fulfilling the KKT conditions, relative.
double kkt_violation(const BoxProblem& p, const VectorXd& s, const std::vector<int>& state) {
  const VectorXd r = p.b - p.G * s;
  const VectorXd scale = mixed_scale(p, s);
  double out = 0.0;
  for (Index i = 0; i < s.size(); ++i) {
    const int at = state[static_cast<std::size_t>(i)];
    const double slack = std::max({0.0, p.lower[i] - s[i], s[i] - p.upper[i]});
    const double wrong = p.lower[i] == p.upper[i] ? 0.0
                         : at == 0                ? std::abs(r[i])
                         : at > 0                 ? std::max(0.0, -r[i])
                                                  : std::max(0.0, r[i]);
    if (slack > 0.0) {
      const double force = p.G(i, i) > 0.0 ? scale[i] / p.G(i, i) : std::abs(s[i]);
      out = std::max(out, slack / force);
    }
    if (wrong > 0.0) out = std::max(out, wrong / scale[i]);
  }
  return out;
}

using Inverses = std::map<std::vector<Index>, PseudoInverse>;

/// The forces of an active set (state -1, 0, 1 per member), minimum norm; nothing when infinite.
/// `inverses`: of G by free members, which many active sets share.
std::optional<VectorXd> forces_of(const BoxProblem& p, const std::vector<int>& state,
                                  Inverses& inverses, bool& regular) {
  const Index n = p.b.size();
  VectorXd s = VectorXd::Zero(n);
  std::vector<Index> free;
  for (Index i = 0; i < n; ++i) {
    const int at = state[static_cast<std::size_t>(i)];
    if (at == 0) free.push_back(i);
    if (at != 0) s[i] = at > 0 ? p.upper[i] : p.lower[i];
  }
  if (!s.allFinite()) return std::nullopt;
  regular = true;
  if (free.empty()) return s;
  const VectorXd right = (p.b - p.G * s)(free);
  const MatrixXd G = p.G(free, free);
  PseudoInverse& inverse = inverses[free];
  if (inverse.matrix.size() == 0) inverse = pseudo_inverse(G, 1e-10);
  VectorXd solution = inverse.matrix * right;
  solution += inverse.matrix * (right - G * solution);
  for (std::size_t k = 0; k < free.size(); ++k) s[free[k]] = solution[static_cast<Index>(k)];
  regular = inverse.rank == static_cast<Index>(free.size());
  return s;
}

Brute brute_force(const BoxProblem& p) {
  constexpr double kGood = 1e-12;
  const auto n = static_cast<std::size_t>(p.b.size());
  Brute out;
  std::vector<VectorXd> vertices;
  std::vector<int> state(n, -1);
  Inverses inverses;
  for (bool more = true; more;) {
    bool regular = true;
    if (const auto s = forces_of(p, state, inverses, regular)) {
      const double violation = kkt_violation(p, *s, state);
      if (violation < out.violation) {
        out.violation = violation;
        out.residual = p.b - p.G * *s;
      }
      if (violation <= kGood) out.norm = std::min(out.norm, s->norm());
      if (violation <= kGood && regular) vertices.push_back(*s);
    }
    more = false;
    for (int& digit : state) {
      more = ++digit <= 1;
      if (more) break;
      digit = -1;
    }
  }
  for (const VectorXd& v : vertices) {
    const VectorXd apart = (v - vertices[0]).cwiseAbs();
    for (Index i = 0; i < v.size(); ++i) {
      out.unique = out.unique && apart[i] <= 1e-9 * (v.cwiseAbs().maxCoeff() + 1e-300);
    }
  }
  return out;
}

/// Members strictly between their bounds.
std::vector<Index> inside(const BoxMinimum& m) {
  std::vector<Index> members;
  for (Index i = 0; i < m.force.size(); ++i) {
    if (m.side[static_cast<std::size_t>(i)] == BoxSide::kInside) members.push_back(i);
  }
  return members;
}

double objective(const BoxProblem& p, const VectorXd& s) { return s.dot(0.5 * p.G * s - p.b); }

using Random = std::mt19937_64;

double uniform(Random& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

int integer(Random& random, int low, int high) {
  return std::uniform_int_distribution<int>(low, high)(random);
}

/// Real rows, some of them combinations of the others when `dependent`.
BoxProblem real_problem(Random& random, Index n, bool dependent) {
  const Index bodies = n + integer(random, 0, 1);
  MatrixXd D = MatrixXd::NullaryExpr(n, bodies, [&] { return uniform(random, -1, 1); });
  if (dependent) {
    const Index rank = integer(random, 0, static_cast<int>(n) - 1);
    for (Index i = rank; i < n; ++i) {
      if (rank > 0 && integer(random, 0, 1) == 0) {
        D.row(i) = D.row(integer(random, 0, static_cast<int>(rank) - 1));
      } else {
        const Eigen::RowVectorXd mix =
            Eigen::RowVectorXd::NullaryExpr(rank, [&] { return uniform(random, -1, 1); });
        D.row(i) = mix * D.topRows(rank);
      }
    }
  }
  const VectorXd mass = VectorXd::NullaryExpr(bodies, [&] { return uniform(random, 0.1, 3); });
  const VectorXd load = VectorXd::NullaryExpr(bodies, [&] { return uniform(random, -5, 5); });
  const VectorXd bound = VectorXd::NullaryExpr(n, [&] { return uniform(random, 0, 4); });
  return frictions(D, mass, load, bound);
}

/// Small whole numbers: ties, zero rows, zero bounds, solutions exactly at bounds abound.
BoxProblem whole_problem(Random& random, Index n) {
  const Index bodies = integer(random, 1, static_cast<int>(n));
  const MatrixXd D = MatrixXd::NullaryExpr(n, bodies, [&] { return integer(random, -1, 1); });
  const VectorXd mass =
      VectorXd::NullaryExpr(bodies, [&] { return std::ldexp(1.0, integer(random, -1, 1)); });
  const VectorXd load = VectorXd::NullaryExpr(bodies, [&] { return integer(random, -3, 3); });
  BoxProblem p = frictions(D, mass, load, VectorXd::Zero(n));
  for (Index i = 0; i < n; ++i) {
    p.lower[i] = integer(random, -3, 1);
    p.upper[i] = p.lower[i] + integer(random, 0, 3);
    const int kind = integer(random, 0, 9);
    if (kind == 0) p.upper[i] = kInfinity;
    if (kind == 1) p.lower[i] = -kInfinity;
    if (kind == 2) p.lower[i] = p.upper[i];
  }
  for (Index i = 0; i < n; ++i) {
    if (p.lower[i] == kInfinity) p.lower[i] = 0.0;
  }
  return p;
}

BoxProblem random_problem(Random& random, Index n) {
  switch (integer(random, 0, 5)) {
    case 0:
    case 1:
      return real_problem(random, n, false);
    case 2:
    case 3:
      return real_problem(random, n, true);
    default:
      return whole_problem(random, n);
  }
}

void check_against_brute_force(const BoxProblem& p) {
  CAPTURE(p.G);
  CAPTURE(p.b);
  CAPTURE(p.lower);
  CAPTURE(p.upper);
  // Far bounds instead of infinite ones give an unbounded set of minimisers its vertices.
  BoxProblem far = p;
  far.lower = p.lower.cwiseMax(-1000.0);
  far.upper = p.upper.cwiseMin(1000.0);
  const Brute brute = brute_force(far);
  REQUIRE(brute.violation <= 1e-11);
  const BoxMinimum m = solve(p);
  CAPTURE(m.force);
  REQUIRE(keeps_its_promises(p, m));
  const VectorXd scale = mixed_scale(p, m.force);
  for (Index i = 0; i < p.b.size(); ++i) {
    REQUIRE(std::abs(m.residual[i] - brute.residual[i]) <= 1e-11 * scale[i]);
  }
  REQUIRE(m.force.norm() <= brute.norm * (1 + 1e-10) + 1e-14);
  if (!brute.unique) return;
  const std::vector<Index> held = inside(m);
  REQUIRE(hold_map(p.G, held, {}).rank == static_cast<Index>(held.size()));
}

}  // namespace

TEST_CASE("10,000 random problems against all 3^n active sets") {
  Random random(20240607);
  for (unsigned trial = 0; trial < random_cases(10000); ++trial) {
    CAPTURE(trial);
    check_against_brute_force(random_problem(random, 1 + trial % 5));
  }
}

TEST_CASE("a force never leads to a higher energy than another one in the box") {
  rc::check([](std::uint64_t seed) {
    Random random(seed);
    const BoxProblem p = random_problem(random, integer(random, 1, 12));
    const BoxMinimum m = solve(p);
    RC_ASSERT(keeps_its_promises(p, m));
    const double size = m.force.cwiseAbs().dot(row_scale(p, m.force));
    for (int trial = 0; trial < 20; ++trial) {
      VectorXd other(p.b.size());
      for (Index i = 0; i < other.size(); ++i) {
        other[i] = uniform(random, std::max(p.lower[i], -9.0), std::min(p.upper[i], 9.0));
      }
      RC_ASSERT(objective(p, m.force) <= objective(p, other) + 1e-12 * size);
    }
  });
}

TEST_CASE("the start does not matter") {
  rc::check([](std::uint64_t seed) {
    Random random(seed);
    const BoxProblem p = random_problem(random, integer(random, 1, 10));
    std::vector<BoxSide> start;
    for (Index i = 0; i < p.b.size(); ++i) {
      start.push_back(static_cast<BoxSide>(integer(random, -1, 1)));
    }
    const BoxMinimum cold = solve(p);
    const BoxMinimum warm = minimize_in_box(p.G, p.b, p.lower, p.upper, start);
    RC_ASSERT(keeps_its_promises(p, warm));
    const VectorXd scale = mixed_scale(p, cold.force);
    RC_ASSERT((((warm.residual - cold.residual).cwiseAbs() - 1e-11 * scale).array() <= 0.0).all());
    RC_ASSERT((warm.force - cold.force).norm() <= 1e-8 * (1 + cold.force.norm()));
  });
}

TEST_CASE("the motion does not depend on the units of the rows") {
  Random random(7);
  int compared = 0;
  for (unsigned trial = 0; trial < random_cases(3000); ++trial) {
    CAPTURE(trial);
    const BoxProblem p = random_problem(random, 1 + trial % 6);
    const VectorXd c =
        VectorXd::NullaryExpr(p.b.size(), [&] { return std::pow(10.0, uniform(random, -6, 6)); });
    BoxProblem q;
    q.G = c.asDiagonal() * p.G * c.asDiagonal();
    q.b = c.cwiseProduct(p.b);
    q.lower = p.lower.cwiseQuotient(c);
    q.upper = p.upper.cwiseQuotient(c);
    const BoxMinimum m = solve(p);
    const BoxMinimum scaled = solve(q);
    CAPTURE(q.G);
    CAPTURE(q.b);
    CAPTURE(q.lower);
    CAPTURE(q.upper);
    CAPTURE(scaled.force);
    CAPTURE(scaled.residual);
    REQUIRE(keeps_its_promises(q, scaled));
    // No other forces give the same motion: G is regular in what may move.
    std::vector<Index> free;
    for (Index i = 0; i < p.b.size(); ++i) {
      if (m.residual[i] == 0.0 && p.lower[i] < p.upper[i]) free.push_back(i);
    }
    const bool unique = hold_map(p.G, free, {}).rank == static_cast<Index>(free.size());
    if (unique) ++compared;
    const VectorXd scale = row_scale(p, m.force);
    for (Index i = 0; i < p.b.size(); ++i) {
      REQUIRE(std::abs(scaled.residual[i] / c[i] - m.residual[i]) <= 1e-11 * scale[i]);
      if (!unique) continue;
      const double force = p.G(i, i) > 0.0 ? scale[i] / p.G(i, i) : 1.0;
      REQUIRE(std::abs(scaled.force[i] * c[i] - m.force[i]) <= 1e-7 * force);
    }
  }
  CHECK(compared > random_cases(1000));
}

TEST_CASE("minimum norm with rows in different units against all active sets") {
  Random random(11);
  for (unsigned trial = 0; trial < random_cases(1500); ++trial) {
    CAPTURE(trial);
    BoxProblem p = random_problem(random, 2 + trial % 4);
    for (Index i = 0; i < p.b.size(); ++i) {
      const double c = std::ldexp(1.0, integer(random, -4, 4));
      p.G.row(i) *= c;
      p.G.col(i) *= c;
      p.b[i] *= c;
      p.lower[i] /= c;
      p.upper[i] /= c;
    }
    check_against_brute_force(p);
  }
}

TEST_CASE("a degenerate solution is recognised: load made from forces at their bounds") {
  Random random(5);
  for (unsigned trial = 0; trial < random_cases(3000); ++trial) {
    CAPTURE(trial);
    BoxProblem p = real_problem(random, 1 + trial % 5, trial % 2 == 0);
    VectorXd s(p.b.size());
    for (Index i = 0; i < s.size(); ++i) {
      const double inside = uniform(random, p.lower[i], p.upper[i]);
      const int at = integer(random, -1, 1);
      s[i] = at < 0 ? p.lower[i] : at > 0 ? p.upper[i] : inside;
    }
    p.b = p.G * s;
    const BoxMinimum m = solve(p);
    REQUIRE(keeps_its_promises(p, m));
    REQUIRE(m.residual.isZero(0.0));
    REQUIRE(m.force.norm() <= s.norm() * (1 + 1e-7));
  }
}

TEST_CASE("the hold map is what the minimum does while its active set stays") {
  Random random(3);
  int compared = 0;
  for (unsigned trial = 0; trial < random_cases(3000); ++trial) {
    CAPTURE(trial);
    const BoxProblem p = random_problem(random, 1 + trial % 6);
    const BoxMinimum m = solve(p);
    std::vector<Index> held, others;
    bool beside_bounds = false;  // held at a bound: the map would leave the box
    for (Index i = 0; i < p.b.size(); ++i) {
      const bool inside = m.side[static_cast<std::size_t>(i)] == BoxSide::kInside;
      beside_bounds = beside_bounds || (!inside && m.residual[i] == 0.0);
      (inside ? held : others).push_back(i);
    }
    const HoldMap map = hold_map(p.G, held, others);
    const MatrixXd G = p.G(held, held);
    const MatrixXd& P = map.from_residual;
    const double size = 1e-9 * (1 + G.norm()) * (1 + P.norm());
    REQUIRE((G * P * G - G).norm() <= size * G.norm());
    REQUIRE((P * G * P - P).norm() <= size * P.norm());
    REQUIRE((P - P.transpose()).norm() == 0.0);
    REQUIRE((G * P - (G * P).transpose()).norm() <= size);
    if (beside_bounds) continue;
    ++compared;
    const VectorXd expected = P * p.b(held) + map.from_forces * m.force(others);
    const VectorXd force = m.force(held);
    REQUIRE((expected - force).norm() <= size * (1 + force.norm()));
  }
  CHECK(compared > random_cases(1000));
}

TEST_CASE("hundreds of frictions") {
  Random random(1);
  for (const Index n : {60, 300}) {
    for (const bool dependent : {false, true}) {
      CAPTURE(n);
      CAPTURE(dependent);
      const Index bodies = dependent ? n / 2 : n + 10;
      const MatrixXd D = MatrixXd::NullaryExpr(
          n, bodies, [&] { return integer(random, 0, 9) < 7 ? 0.0 : uniform(random, -1, 1); });
      const VectorXd mass = VectorXd::NullaryExpr(bodies, [&] { return uniform(random, 0.5, 2); });
      const VectorXd load = VectorXd::NullaryExpr(bodies, [&] { return uniform(random, -3, 3); });
      const VectorXd bound = VectorXd::NullaryExpr(n, [&] { return uniform(random, 0, 2); });
      const BoxProblem p = frictions(D, mass, load, bound);
      const BoxMinimum m = solve(p);
      CHECK(keeps_its_promises(p, m));
      const BoxMinimum warm = minimize_in_box(p.G, p.b, p.lower, p.upper, m.side);
      CHECK((warm.force - m.force).norm() <= 1e-9 * m.force.norm());
      CHECK((warm.residual - m.residual).norm() <= 1e-11 * row_scale(p, m.force).norm());
    }
  }
}

}  // namespace luztar::test
