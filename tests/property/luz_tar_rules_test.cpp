// R1-R10 on the symbolic rules: each rule is built once from symbols and once from literals, both
// are evaluated, and the inclusion, equation or minimum that defines the rule is checked.
#include "compiler/symbolic/luz_tar_rules.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <limits>
#include <vector>

#include "compiler/symbolic/operations.h"

using namespace luztar;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kTolerance = 1e-12;

/// A closed interval: the value of a set-valued function.
struct Interval {
  double low, high;
};

Interval tar_set(double x, double a) {
  if (x > 0) return {x + a, x + a};
  if (x < 0) return {x - a, x - a};
  return {-a, a};
}

Interval operator*(double k, Interval s) { return {k * s.low, k * s.high}; }
Interval operator+(Interval a, Interval b) { return {a.low + b.low, a.high + b.high}; }

bool close(double a, double b, double scale) {
  return std::abs(a - b) <= kTolerance * std::max({1e-3, std::abs(a), std::abs(b), scale});
}

bool contains_value(Interval s, double y, double scale) {
  const double slack = kTolerance * std::max(1e-3, scale);
  return s.low - slack <= y && y <= s.high + slack;
}

bool intersect(Interval a, Interval b, double scale) {
  const double slack = kTolerance * std::max(1e-3, scale);
  return a.low <= b.high + slack && b.low <= a.high + slack;
}

double luz_value(double x, double a) { return x - std::clamp(x, -a, a); }

using Build = std::function<Expr(ExprPool&, const std::vector<Expr>&)>;

/// The rule's value from symbols; the same rule on literals must agree.
double value_of(const Build& build, const std::vector<double>& values) {
  ExprPool pool;
  std::vector<Expr> symbols, literals;
  double scale = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    symbols.push_back(pool.symbol(SymbolKind::kParameter, static_cast<std::uint32_t>(i)));
    literals.push_back(pool.constant(values[i]));
    if (std::isfinite(values[i])) scale = std::max(scale, std::abs(values[i]));
  }
  const SymbolValues lookup = [&](Symbol s) { return values[s.index]; };
  const double symbolic = evaluate(pool, build(pool, symbols), lookup);
  const double literal = evaluate(pool, build(pool, literals), lookup);
  RC_ASSERT(close(symbolic, literal, scale));
  return symbolic;
}

/// Numbers that are often equal, often 0 and often not short in binary.
rc::Gen<double> magnitude() {
  return rc::gen::oneOf(rc::gen::element(0.0, 0.5, 1.0, 2.0),
                        rc::gen::map(rc::gen::inRange(0, 5000), [](int i) { return i / 370.0; }));
}
rc::Gen<double> positive() {
  return rc::gen::oneOf(rc::gen::element(0.5, 1.0, 2.0),
                        rc::gen::map(rc::gen::inRange(1, 5000), [](int i) { return i / 370.0; }));
}
rc::Gen<double> real() {
  return rc::gen::map(rc::gen::inRange(-9000, 9000), [](int i) { return i / 230.0; });
}

/// Points to test at: the drawn one, zero, and both sides of each edge.
std::vector<double> points(double drawn, std::initializer_list<double> edges) {
  std::vector<double> result{drawn, 0.0};
  for (const double edge : edges) {
    if (!std::isfinite(edge)) continue;
    for (const double factor : {1.0, 0.75, 1.25}) {
      result.push_back(edge * factor);
      result.push_back(-edge * factor);
    }
  }
  return result;
}

}  // namespace

TEST_CASE("R1: luz inverts tar") {
  CHECK(rc::check([] {
    const double a = *magnitude();
    for (const double y : points(*real(), {a})) {
      const double x = value_of(
          [](ExprPool& p, const std::vector<Expr>& v) { return invert_tar(p, v[0], v[1]); },
          {y, a});
      RC_ASSERT(contains_value(tar_set(x, a), y, std::abs(y) + a));
      if (std::abs(y) <= a) RC_ASSERT(x == 0.0);
    }
    // The other direction: x is the luz of every value of tar(x, a).
    const double x = *real();
    const Interval set = tar_set(x, a);
    for (const double t : {0.0, 0.3, 1.0}) {
      RC_ASSERT(close(luz_value(set.low + t * (set.high - set.low), a), x, std::abs(x) + a));
    }
  }));
}

TEST_CASE("R2: luz, nas and dryfriction are odd, outside is even") {
  CHECK(rc::check([] {
    ExprPool pool;
    const Expr x = pool.symbol(SymbolKind::kVariable, 0), y = pool.symbol(SymbolKind::kVariable, 1);
    const Expr a = pool.symbol(SymbolKind::kParameter, 0);
    const double c = *rc::gen::oneOf(real(), rc::gen::just(-1.0));
    const Expr u = pool.sub(pool.mul(pool.constant(c), x), y);
    RC_ASSERT(pool.luz(pool.neg(u), a) == pool.neg(pool.luz(u, a)));
    RC_ASSERT(pool.nas(pool.neg(u), a) == pool.neg(pool.nas(u, a)));
    RC_ASSERT(pool.dry(pool.neg(u), a, a) == pool.neg(pool.dry(u, a, a)));
    RC_ASSERT(pool.tar(pool.neg(u), a) == pool.neg(pool.tar(u, a)));
    RC_ASSERT(pool.call(Op::kOutside, {pool.neg(u), a}) == pool.call(Op::kOutside, {u, a}));
    const double xv = *real(), yv = *real(), av = *magnitude();
    const auto values = [&](Symbol s) {
      return s.kind == SymbolKind::kParameter ? av : s.index == 0 ? xv : yv;
    };
    const double uv = c * xv - yv;
    RC_ASSERT(close(evaluate(pool, pool.luz(pool.neg(u), a), values), -luz_value(uv, av),
                    std::abs(c * xv) + std::abs(yv) + av));
  }));
}

TEST_CASE("R3: scaling") {
  CHECK(rc::check([] {
    const double k = *magnitude(), a = *magnitude();
    for (const double x : points(*real(), {a})) {
      const double scaled = value_of(
          [](ExprPool& p, const std::vector<Expr>& v) { return scale_luz(p, v[0], v[1], v[2]); },
          {k, x, a});
      RC_ASSERT(close(scaled, k * luz_value(x, a), k * (std::abs(x) + a)));
      // tar as sets
      const Interval left = k * tar_set(x, a), right = tar_set(k * x, k * a);
      if (k > 0) {
        RC_ASSERT(close(left.low, right.low, k * (std::abs(x) + a)));
        RC_ASSERT(close(left.high, right.high, k * (std::abs(x) + a)));
      }
    }
  }));
}

TEST_CASE("R4: nesting") {
  CHECK(rc::check([] {
    const double a = *magnitude(), b = *rc::gen::oneOf(magnitude(), rc::gen::just(a));
    for (const double x : points(*real(), {a, b, a + b})) {
      const auto nested = [](ExprPool& p, const std::vector<Expr>& v) {
        return nest_luz(p, v[0], v[1], v[2]);
      };
      const auto constructed = [](ExprPool& p, const std::vector<Expr>& v) {
        return p.luz(p.luz(v[0], v[1]), v[2]);
      };
      const double exact = luz_value(luz_value(x, a), b);
      RC_ASSERT(close(value_of(nested, {x, a, b}), exact, std::abs(x) + a + b));
      RC_ASSERT(close(value_of(constructed, {x, a, b}), exact, std::abs(x) + a + b));
    }
    ExprPool pool;
    const Expr x = pool.symbol(SymbolKind::kVariable, 0);
    const Expr p = pool.symbol(SymbolKind::kParameter, 0),
               q = pool.symbol(SymbolKind::kParameter, 1);
    RC_ASSERT(pool.luz(pool.luz(x, p), q) == pool.luz(x, pool.add(p, q)));
  }));
}

TEST_CASE("R5: parallel frictions") {
  CHECK(rc::check([] {
    const double k1 = *positive(), k2 = *rc::gen::oneOf(magnitude(), rc::gen::just(k1));
    const double a1 = *magnitude(), a2 = *rc::gen::oneOf(magnitude(), rc::gen::just(a1));
    const std::vector<double> values{k1, a1, k2, a2};
    const double k = value_of(
        [](ExprPool& p, const std::vector<Expr>& v) {
          return parallel_friction(p, v[0], v[1], v[2], v[3]).factor;
        },
        values);
    const double a = value_of(
        [](ExprPool& p, const std::vector<Expr>& v) {
          return parallel_friction(p, v[0], v[1], v[2], v[3]).half_width;
        },
        values);
    for (const double x : points(*real(), {})) {
      const Interval sum = k1 * tar_set(x, a1) + k2 * tar_set(x, a2), one = k * tar_set(x, a);
      const double scale = (k1 + k2) * (std::abs(x) + a1 + a2);
      RC_ASSERT(close(sum.low, one.low, scale));
      RC_ASSERT(close(sum.high, one.high, scale));
    }
  }));
}

TEST_CASE("R6: unravelling of series freeplay") {
  CHECK(rc::check([] {
    const double k = *rc::gen::oneOf(magnitude(), rc::gen::just(kInf));
    const double a = *magnitude(), b = *rc::gen::oneOf(magnitude(), rc::gen::just(a));
    for (const double x : points(*real(), {a, b, a + b})) {
      const double v = value_of(
          [](ExprPool& p, const std::vector<Expr>& u) {
            return unravel_series(p, u[0], u[1], u[2], u[3]);
          },
          {k, x, a, b});
      const double scale = std::abs(x) + a + b;
      // The y behind the value: unique beyond the dead zone; inside it any point that both zones
      // allow.
      double y = std::clamp(x, -b, b);
      if (v != 0) {
        y = v + std::copysign(b, v);
      } else if (k == 0 && std::abs(x) > a + b) {
        y = b == 0 ? 0 : std::clamp(x, -b, b);
      }
      RC_ASSERT(close(luz_value(y, b), v, scale));
      if (std::isinf(k)) {
        RC_ASSERT(std::abs(luz_value(x - y, a)) <= kTolerance * std::max(1e-3, scale));
      } else {
        RC_ASSERT(close(k * luz_value(x - y, a), v, (k + 1) * scale));
      }
      if (std::abs(x) < (a + b) * (1 - 1e-15)) RC_ASSERT(v == 0.0);
    }
  }));
}

TEST_CASE("R7: separation sheet") {
  CHECK(rc::check([] {
    const double c12 = *magnitude();
    const double c20 = c12 == 0 ? *positive() : *magnitude();
    const double t12 = *magnitude(), t20 = *rc::gen::oneOf(magnitude(), rc::gen::just(t12));
    const double edge = std::abs(t12 - t20) / (t12 >= t20 ? c20 : c12);
    for (const double x : points(*real(), {edge})) {
      const double y = value_of(
          [](ExprPool& p, const std::vector<Expr>& v) {
            return separation_sheet(p, v[0], v[1], v[2], v[3], v[4]);
          },
          {c12, t12, c20, t20, x});
      // Forces, so that a damping of 0 needs no quotient: c tar(v, t/c) = c v + t s.
      const auto force = [](double c, double t, double v) {
        const Interval s = v > 0 ? Interval{1, 1} : v < 0 ? Interval{-1, -1} : Interval{-1, 1};
        return Interval{c * v + t * s.low, c * v + t * s.high};
      };
      const double scale = (c12 + c20) * std::abs(x) + t12 + t20;
      RC_ASSERT(intersect(force(c20, t20, y), force(c12, t12, x - y), scale));
      if (t12 == t20 && c12 == 0) RC_ASSERT(y == 0.0);
      if (t12 == t20 && c20 == 0) RC_ASSERT(y == x);
      // The sheet moves between rest and the body.
      RC_ASSERT(y * x >= 0);
      RC_ASSERT(std::abs(y) <= std::abs(x) * (1 + 1e-15));
      if (c12 == 0 || c20 == 0) continue;
      // The printed form of R7.
      const double k = c12 / c20, a = t12 / c12, b = t20 / c20;
      const double printed = k * a >= b ? x - luz_value(x, std::max(0.0, k * a - b)) / (k + 1)
                                        : k / (k + 1) * luz_value(x, (b - k * a) / k);
      RC_ASSERT(close(y, printed, std::abs(x) + a + b + (k > 1 ? k * a : b / k)));
      RC_ASSERT(intersect(tar_set(y, b), k * tar_set(x - y, a), (1 + k) * (std::abs(x) + a) + b));
    }
  }));
}

TEST_CASE("R8: massless friction") {
  CHECK(rc::check([] {
    const double k = *positive(), a = *magnitude();
    for (const double y : points(*real(), {k * a})) {
      const double x = value_of(
          [](ExprPool& p, const std::vector<Expr>& v) {
            return massless_friction(p, v[0], v[1], v[2]);
          },
          {y, k, a});
      RC_ASSERT(contains_value(k * tar_set(x, a), y, std::abs(y) + k * a));
      // Force form: friction bound t = k a.
      const double t = k * a;
      const double v = value_of(
          [](ExprPool& p, const std::vector<Expr>& u) {
            return massless_friction_velocity(p, u[0], u[1], u[2]);
          },
          {y, k, t});
      RC_ASSERT(contains_value(tar_set(k * v, t), y, std::abs(y) + t));
      RC_ASSERT(close(v, x, (std::abs(y) + t) / k));
    }
  }));
}

TEST_CASE("R9: stick-slip form") {
  CHECK(rc::check([] {
    const double b = *magnitude(), a = *magnitude(), x = *real();
    for (const double y : points(*real(), {b * a})) {
      const double scale = std::abs(y) + b * (std::abs(x) + a);
      const double stick = value_of(
          [](ExprPool& p, const std::vector<Expr>& v) {
            return stick_slip(p, v[0], v[1], p.zero(), v[2], p.one()).stick;
          },
          {y, b, a});
      // Gauss' principle: the element of y - b tar(0, a) with the least |x'|.
      double least = std::min(std::abs(y - b * a), std::abs(y + b * a));
      for (int i = 0; i <= 1000; ++i)
        least = std::min(least, std::abs(y - b * a * (i - 500) / 500));
      RC_ASSERT(std::abs(stick) <= least + kTolerance * scale);
      RC_ASSERT(contains_value({y - b * a, y + b * a}, stick, scale));
      if (std::abs(y) <= b * a) RC_ASSERT(stick == 0.0);
      if (x == 0) continue;
      const double slip = value_of(
          [](ExprPool& p, const std::vector<Expr>& v) {
            return stick_slip(p, v[0], v[1], v[2], v[3], v[4]).slip;
          },
          {y, b, x, a, std::copysign(1.0, x)});
      RC_ASSERT(close(slip, y - b * tar_set(x, a).low, scale));
    }
  }));
}

TEST_CASE("R10: minimiser of a convex function in a box") {
  CHECK(rc::check([] {
    // f(x) = q/2 (x - m)^2 + sum_i c_i |x - d_i|, convex with kinks.
    const double q = *positive(), m = *real(), x0 = *magnitude();
    std::vector<double> c, d;
    for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
      c.push_back(*magnitude());
      d.push_back(*real());
    }
    const auto f = [&](double x) {
      double sum = q / 2 * (x - m) * (x - m);
      for (std::size_t i = 0; i < c.size(); ++i) sum += c[i] * std::abs(x - d[i]);
      return sum;
    };
    // The free minimiser is a kink or the stationary point of a piece.
    std::vector<double> candidates = d;
    for (std::size_t signs = 0; signs < (std::size_t{1} << c.size()); ++signs) {
      double slope = 0;
      for (std::size_t i = 0; i < c.size(); ++i) slope += (signs >> i & 1) != 0 ? c[i] : -c[i];
      candidates.push_back(m - slope / q);
    }
    const double free_minimiser = *std::min_element(
        candidates.begin(), candidates.end(), [&](double a, double b) { return f(a) < f(b); });
    const double minimiser = value_of(
        [](ExprPool& p, const std::vector<Expr>& v) { return box_minimiser(p, v[0], v[1]); },
        {free_minimiser, x0});
    RC_ASSERT(std::abs(minimiser) <= x0);
    RC_ASSERT(
        close(minimiser, free_minimiser - luz_value(free_minimiser, x0), std::abs(free_minimiser)));
    double least = f(x0);
    for (int i = 0; i <= 1000; ++i) least = std::min(least, f(x0 * (i - 500) / 500.0));
    RC_ASSERT(f(minimiser) <= least + kTolerance * (f(free_minimiser) + std::abs(least) + 1));
  }));
}

TEST_CASE("the rules in their limits") {
  ExprPool pool;
  const Expr x = pool.symbol(SymbolKind::kVariable, 0);
  const Expr a = pool.symbol(SymbolKind::kParameter, 0), b = pool.symbol(SymbolKind::kParameter, 1);
  const Expr c = pool.symbol(SymbolKind::kParameter, 2);
  const Expr inf = pool.constant(kInf);
  CHECK(unravel_series(pool, inf, x, a, b) == pool.luz(x, pool.add(a, b)));
  CHECK(unravel_series(pool, pool.zero(), x, a, b) == pool.zero());
  CHECK(unravel_series(pool, inf, x, pool.zero(), pool.zero()) == x);
  CHECK(invert_tar(pool, x, pool.zero()) == x);
  CHECK(box_minimiser(pool, x, inf) == x);
  CHECK(box_minimiser(pool, x, pool.zero()) == pool.zero());
  CHECK(massless_friction_velocity(pool, x, c, pool.zero()) == pool.div(x, c));
  CHECK(stick_slip(pool, x, c, x, pool.zero(), pool.one()).stick == x);
  const ScaledTar both = parallel_friction(pool, c, a, pool.zero(), b);
  CHECK(both.factor == c);
  CHECK(both.half_width == a);
  // No friction at all: the sheet divides the slip in the ratio of the dampings.
  CHECK(separation_sheet(pool, pool.one(), pool.zero(), pool.constant(3), pool.zero(), x) ==
        pool.div(x, pool.constant(4)));
  // A sheet without damping against the support, weaker friction there: it moves with the body.
  CHECK(separation_sheet(pool, a, pool.one(), pool.zero(), pool.zero(), x) == x);
}
