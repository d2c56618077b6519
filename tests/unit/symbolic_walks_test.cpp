// Walks over symbolic expressions: substitution, expansion, affine forms, derivatives, and their
// cost.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "compiler/base/diagnostics.h"
#include "tests/support/symbolic_fixture.h"

namespace luztar::test {
namespace {

/// Random smooth-almost-everywhere expression and the value it must have, computed beside it in
/// plain arithmetic.
class RandomWalkExpressions {
 public:
  RandomWalkExpressions(ExprPool& pool, std::uint32_t seed) : pool_(pool), random_(seed) {
    for (std::uint32_t i = 0; i < 3; ++i) {
      values.push_back(real(-2, 2));
      pairs_.emplace_back(pool.symbol(SymbolKind::kVariable, i), values.back());
    }
    for (const double v : {-1.0, 0.5, 2.0, 3.0}) pairs_.emplace_back(pool.constant(v), v);
  }

  std::vector<double> values;  // of the symbols

  std::pair<Expr, double> grow(int operations) {
    for (int i = 0; i < operations; ++i) pairs_.push_back(step());
    return pairs_.back();
  }

 private:
  using Pair = std::pair<Expr, double>;

  double real(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  /// Mostly recent expressions, so that they nest.
  Pair pick() {
    const std::size_t window = std::min<std::size_t>(pairs_.size(), 6);
    const std::size_t i =
        random_() % 3 == 0 ? random_() % pairs_.size() : pairs_.size() - 1 - random_() % window;
    return pairs_[i];
  }
  Pair call(Op op, const Pair& p) {
    return {pool_.call(op, {p.first}), luztar::apply(op, std::array{p.second})};
  }
  Pair call(Op op, const Pair& p, const Pair& q) {
    return {pool_.call(op, {p.first, q.first}), luztar::apply(op, std::array{p.second, q.second})};
  }

  Pair step() {
    const Pair p = pick(), q = pick();
    switch (random_() % 16) {
      case 0:
      case 1:
        return {pool_.add(p.first, q.first), p.second + q.second};
      case 2:
      case 3:
        return {pool_.sub(p.first, q.first), p.second - q.second};
      case 4:
      case 5:
        return {pool_.mul(p.first, q.first), p.second * q.second};
      case 6: {  // a divisor away from 0
        const Expr divisor = pool_.add(pool_.one(), pool_.pow(q.first, pool_.constant(2)));
        return {pool_.div(p.first, divisor), p.second / (1 + q.second * q.second)};
      }
      case 7:
        return {pool_.neg(p.first), -p.second};
      case 8:
        return call(Op::kSin, p);
      case 9:
        return call(Op::kTanh, p);
      case 10:
        return call(Op::kAbs, p);
      case 11:
        return call(Op::kLuz, p, call(Op::kAbs, q));
      case 12:
        return call(Op::kNas, p, call(Op::kAbs, q));
      case 13:
        return call(random_() % 2 == 0 ? Op::kMin : Op::kMax, p, q);
      case 14: {
        const Pair root = {pool_.sqrt(pool_.add(pool_.one(), pool_.mul(p.first, p.first))),
                           std::sqrt(1 + p.second * p.second)};
        return root;
      }
      default: {
        const Pair condition = call(Op::kLess, p, q), other = pick();
        return {pool_.if_then_else(condition.first, p.first, other.first),
                condition.second != 0 ? p.second : other.second};
      }
    }
  }

  ExprPool& pool_;
  std::mt19937 random_;
  std::vector<Pair> pairs_;
};

}  // namespace

TEST_CASE_FIXTURE(SymbolicFixture, "substitution, symbols and dependence") {
  const Expr e = pool.add({pool.mul(x, a), pool.luz(pool.sub(x, y), b), num(1)});
  const auto replace_x = [&](Symbol s) { return s == symbol(x) ? pool.add(y, num(2)) : Expr{}; };
  CHECK(substitute(pool, e, replace_x) ==
        pool.add({pool.mul(a, pool.add(y, num(2))), pool.luz(num(2), b), num(1)}));
  CHECK(substitute(pool, e, [](Symbol) { return Expr{}; }) == e);
  const auto both = substitute(pool, std::array{x, e}, replace_x);
  CHECK(both.size() == 2);
  CHECK(both[0] == pool.add(y, num(2)));
  // R6's limit appears when a stiffness becomes infinite
  const Expr series = pool.div(x, pool.add(pool.one(), pool.div(pool.one(), a)));
  CHECK(substitute(pool, series, [&](Symbol s) { return s == symbol(a) ? inf : Expr{}; }) == x);
  CHECK(symbols_of(pool, e).size() == 4);
  CHECK(symbols_of(pool, pool.sub(a, pool.mul(c, b))) ==
        std::vector{symbol(a), symbol(b), symbol(c)});
  CHECK(depends_on(pool, e, [&](Symbol s) { return s == symbol(y); }));
  CHECK(!depends_on(pool, e, [&](Symbol s) { return s == symbol(z); }));
  CHECK(contains(pool, e, Op::kLuz));
  CHECK(!contains(pool, e, Op::kDry));
}

TEST_CASE_FIXTURE(SymbolicFixture, "topological order has arguments before users") {
  const Expr e = pool.mul(pool.call(Op::kSin, {pool.add(x, y)}), pool.add(x, y));
  const auto order = topological_order(pool, std::array{e, x});
  std::vector<bool> seen(pool.size());
  for (const Expr node : order) {
    for (const Expr arg : pool.args(node)) CHECK(seen[arg.value]);
    CHECK(!seen[node.value]);
    seen[node.value] = true;
  }
  CHECK(order.size() == 5);
}

TEST_CASE_FIXTURE(SymbolicFixture, "expansion") {
  CHECK(expand(pool, pool.mul(a, pool.add(b, c))) == pool.add(pool.mul(a, b), pool.mul(a, c)));
  const Expr square = pool.pow(pool.add(a, b), num(2));
  CHECK(expand(pool, square) ==
        pool.add({pool.mul(a, a), pool.mul({num(2), a, b}), pool.mul(b, b)}));
  CHECK(expand(pool, pool.sub(square, pool.mul(pool.add(a, b), pool.add(a, b)))) == pool.zero());
  const Expr sine = pool.call(Op::kSin, {pool.mul(a, pool.add(b, c))});
  CHECK(expand(pool, sine) == sine);
  const Expr product = pool.mul(pool.add(a, b), pool.sub(a, b));
  CHECK(expand(pool, product) == pool.sub(pool.mul(a, a), pool.mul(b, b)));
}

TEST_CASE_FIXTURE(SymbolicFixture, "affine forms") {
  const auto unknown = [&](Symbol s) { return s == symbol(x) || s == symbol(y); };
  AffineForm form;
  SUBCASE("a scaled difference") {
    REQUIRE(affine_form(pool, pool.add(pool.mul(c, pool.sub(x, y)), a), unknown, form));
    REQUIRE(form.coefficients.size() == 2);
    CHECK(form.coefficients[0] == std::pair(symbol(x), c));
    CHECK(form.coefficients[1] == std::pair(symbol(y), pool.neg(c)));
    CHECK(form.rest == a);
  }
  SUBCASE("nested factors, quotients and cancellation") {
    const Expr inner = pool.add(pool.mul(a, pool.add(x, b)), y);
    const Expr e = pool.sub(pool.div(inner, c), pool.div(y, c));
    REQUIRE(affine_form(pool, e, unknown, form));
    REQUIRE(form.coefficients.size() == 1);
    CHECK(form.coefficients[0] == std::pair(symbol(x), pool.div(a, c)));
    CHECK(form.rest == pool.div(pool.mul(a, b), c));
  }
  SUBCASE("branches stay apart") {
    const Expr condition = less(num(0), d);
    const Expr e = pool.mul(b, pool.if_then_else(condition, pool.div(x, d), y));
    REQUIRE(affine_form(pool, e, unknown, form));
    REQUIRE(form.coefficients.size() == 2);
    CHECK(form.coefficients[0].second ==
          pool.mul(b, pool.if_then_else(condition, pool.div(pool.one(), d), pool.zero())));
    CHECK(form.coefficients[1].second ==
          pool.mul(b, pool.if_then_else(condition, pool.zero(), pool.one())));
    CHECK(form.rest == pool.zero());
    CHECK(value(form.coefficients[0].second, {0, 1, 0, 0, 0, 0, 0}) == 0.0);
  }
  SUBCASE("noEvent") {
    REQUIRE(
        affine_form(pool, pool.call(Op::kNoEvent, {pool.add(pool.mul(a, x), b)}), unknown, form));
    CHECK(form.coefficients[0] == std::pair(symbol(x), a));
    CHECK(form.rest == b);
  }
  SUBCASE("no unknowns at all") {
    const Expr e = pool.call(Op::kSin, {a});
    REQUIRE(affine_form(pool, e, unknown, form));
    CHECK(form.coefficients.empty());
    CHECK(form.rest == e);
  }
  SUBCASE("not affine") {
    for (const Expr e :
         {pool.mul(x, y), pool.mul(x, x), pool.div(a, x), pool.call(Op::kSin, {x}), pool.luz(x, a),
          pool.pow(a, y), pool.if_then_else(less(x, a), x, y),
          pool.call(Op::kNoEvent, {pool.call(Op::kAbs, {x})}), pool.call(Op::kDer, {x})}) {
      CAPTURE(text(e));
      CHECK(!affine_form(pool, e, unknown, form));
    }
  }
}

TEST_CASE("affine forms reproduce the expression") {
  std::mt19937 random(11);
  for (int run = 0; run < 300; ++run) {
    ExprPool pool;
    std::vector<Expr> affine, free;
    for (std::uint32_t i = 0; i < 3; ++i) affine.push_back(pool.symbol(SymbolKind::kVariable, i));
    for (std::uint32_t i = 0; i < 3; ++i) free.push_back(pool.symbol(SymbolKind::kParameter, i));
    for (int step = 0; step < 15; ++step) {
      const Expr p = affine[random() % affine.size()], q = affine[random() % affine.size()];
      const Expr f = free[random() % free.size()], g = free[random() % free.size()];
      switch (random() % 4) {
        case 0:
          affine.push_back(pool.sub(p, q));
          break;
        case 1:
          affine.push_back(pool.mul(f, pool.add(p, g)));
          break;
        case 2:
          affine.push_back(pool.if_then_else(pool.call(Op::kLess, {f, g}), p, q));
          break;
        default:
          free.push_back(pool.call(Op::kSin, {pool.mul(f, g)}));
      }
    }
    const auto unknown = [](Symbol s) { return s.kind == SymbolKind::kVariable; };
    AffineForm form;
    REQUIRE(affine_form(pool, affine.back(), unknown, form));
    std::vector<double> v;
    for (int i = 0; i < 6; ++i) v.push_back(std::uniform_real_distribution<double>(-2, 2)(random));
    const auto values = [&](Symbol s) { return v[s.index + (unknown(s) ? 0 : 3)]; };
    double sum = evaluate(pool, form.rest, values);
    CHECK(!depends_on(pool, form.rest, unknown));
    for (const auto& [s, coefficient] : form.coefficients) {
      CHECK(!depends_on(pool, coefficient, unknown));
      sum += evaluate(pool, coefficient, values) * values(s);
    }
    CHECK(sum == doctest::Approx(evaluate(pool, affine.back(), values)).epsilon(1e-10));
  }
}

TEST_CASE_FIXTURE(SymbolicFixture, "derivatives") {
  const Symbol s = symbol(x);
  const Expr out = pool.call(Op::kOutside, {x, a});
  CHECK(derivative(pool, pool.pow(x, num(3)), s) == pool.mul(num(3), pool.pow(x, num(2))));
  CHECK(derivative(pool, pool.luz(x, a), s) == out);
  CHECK(derivative(pool, pool.nas(x, a), s) == pool.sub(pool.one(), out));
  CHECK(derivative(pool, pool.call(Op::kAbs, {x}), s) == pool.call(Op::kSign, {x}));
  CHECK(derivative(pool, pool.call(Op::kSign, {x}), s) == pool.zero());
  CHECK(derivative(pool, pool.luz(x, a), symbol(a)) ==
        pool.neg(pool.mul(out, pool.call(Op::kSign, {x}))));
  CHECK(derivative(pool, pool.dry(a, b, c), s) == pool.zero());
  CHECK_THROWS_AS(static_cast<void>(derivative(pool, pool.dry(x, b, c), s)), InternalError);
  CHECK_THROWS_AS(static_cast<void>(derivative(pool, pool.call(Op::kDer, {x}), s)), InternalError);
  const Expr table = pool.call(Op::kTable, {x, num(0), num(1), num(1), num(3), num(4), num(0)});
  const Expr slope = derivative(pool, table, s);
  const auto at = [&](double v) { return value(slope, {0, 0, 0, 0, v, 0, 0}); };
  CHECK(at(-1) == 0.0);
  CHECK(at(0.5) == 2.0);
  CHECK(at(2) == -1.0);
  CHECK(at(5) == 0.0);
  const auto rate = [&](Symbol r) { return r == symbol(x) ? y : Expr{}; };
  CHECK(time_derivative(pool, pool.add(pool.mul(a, x), pool.mul(b, pool.time())), rate) ==
        pool.add(pool.mul(a, y), b));
}

TEST_CASE("construction keeps values and derivatives agree with differences") {
  int compared = 0;
  for (std::uint32_t seed = 0; seed < 1500; ++seed) {
    CAPTURE(seed);
    ExprPool pool;
    RandomWalkExpressions source(pool, seed);
    const auto [e, expected] = source.grow(12);
    if (!(std::abs(expected) < 1e4)) continue;
    const auto value_at = [&](Expr f, double shift) {
      return evaluate(
          pool, f, [&](Symbol s) { return source.values[s.index] + (s.index == 0 ? shift : 0); });
    };
    const double value = value_at(e, 0);
    CHECK(value == doctest::Approx(expected).epsilon(1e-9).scale(1));
    CHECK(value_at(expand(pool, e), 0) == doctest::Approx(expected).epsilon(1e-7).scale(10));

    const double slope = value_at(derivative(pool, e, Symbol{SymbolKind::kVariable, 0}), 0);
    const auto difference = [&](double h) { return (value_at(e, h) - value_at(e, -h)) / (2 * h); };
    const double coarse = difference(1e-4), fine = difference(1e-5);
    const double scale = 1 + std::abs(fine) + std::abs(value);
    // At a kink the two sides differ and no derivative is defined.
    const double h = 1e-5;
    const double left = (value - value_at(e, -h)) / h, right = (value_at(e, h) - value) / h;
    if (std::abs(coarse - fine) > 1e-6 * scale || std::abs(left - right) > 1e-2 * scale) continue;
    CHECK(slope == doctest::Approx(fine).epsilon(1e-5).scale(scale));
    ++compared;
  }
  CHECK(compared > 1000);
}

TEST_CASE_FIXTURE(SymbolicFixture, "long products") {
  std::vector<Expr> factors;
  std::vector<Expr> inverses;
  double expected = 6;
  for (std::uint32_t i = 0; i < 150; ++i) {
    factors.push_back(pool.symbol(SymbolKind::kVariable, i));
    inverses.push_back(pool.pow(factors.back(), num(-1)));
    expected *= 1 + i / 1000.0;
  }
  const Expr whole = pool.mul(factors);
  CHECK(pool.mul(whole, pool.mul(inverses)).valid());
  const Expr more = pool.mul({pool.mul(num(2), whole), num(3)});
  const auto values = [](Symbol s) { return 1 + s.index / 1000.0; };
  CHECK(evaluate(pool, more, values) == doctest::Approx(expected));
  CHECK(evaluate(pool, pool.mul({more, more, x}), values) ==
        doctest::Approx(expected * expected * 1.004));
  // beyond the length of flattening equal values need not be equal ids
  CHECK(evaluate(pool, pool.mul(more, pool.pow(more, num(-1))), values) == doctest::Approx(1));
  CHECK(pool.mul(pool.neg(more), num(-1)) == more);
}

TEST_CASE_FIXTURE(SymbolicFixture, "long sums") {
  std::vector<Expr> terms;
  double expected = 0;
  for (std::uint32_t i = 0; i < 150; ++i) {
    terms.push_back(pool.mul(num(i % 2 == 0 ? -1 : 2), pool.symbol(SymbolKind::kVariable, i)));
    expected += (i % 2 == 0 ? -1 : 2) * (1 + i / 1000.0);
  }
  const auto values = [](Symbol s) { return 1 + s.index / 1000.0; };
  const Expr whole = pool.add(terms);
  CHECK(evaluate(pool, pool.add({whole, x, whole}), values) ==
        doctest::Approx(2 * expected + 1.004));
  CHECK(pool.is_zero(pool.sub(whole, whole)));
  CHECK(pool.add(pool.neg(whole), pool.mul(num(3), whole)) == pool.mul(num(2), whole));
  CHECK(pool.neg(pool.neg(whole)) == whole);
  CHECK(pool.div(pool.mul(num(3), whole), num(3)) == whole);
  CHECK(pool.luz(pool.neg(whole), a) == pool.neg(pool.luz(whole, a)));
  CHECK(pool.mul(whole, pool.pow(whole, num(-1))) == pool.one());
  CHECK(evaluate(pool, derivative(pool, pool.mul(whole, whole), Symbol{SymbolKind::kVariable, 1}),
                 values) == doctest::Approx(4 * expected));
}

TEST_CASE_FIXTURE(SymbolicFixture, "terms that are added one after the other take linear memory") {
  const auto arguments_of = [](std::uint32_t count) {
    ExprPool own;
    Expr sum = own.zero(), product = own.one();
    for (std::uint32_t i = 0; i < count; ++i) {
      sum = own.neg(own.add(sum, own.symbol(SymbolKind::kVariable, i)));
      product = own.mul(product, own.symbol(SymbolKind::kVariable, i));
    }
    return own.argument_count();
  };
  const std::size_t few = arguments_of(2000), many = arguments_of(4000);
  CHECK(10 * many < 21 * few);
  CHECK(many < std::size_t{4000} * 200);
}

TEST_CASE_FIXTURE(SymbolicFixture, "depth does not matter") {
  constexpr int kDepth = 200'000;
  Expr e = x;
  for (int i = 0; i < kDepth; ++i) {
    e = i % 2 == 0 ? pool.call(Op::kSin, {e}) : pool.add(pool.mul(a, e), y);
  }
  CHECK(std::isfinite(value(e, {0.5, 0, 0, 0, 1, 0.25, 0})));
  CHECK(contains(pool, e, Op::kMul));
  CHECK(symbols_of(pool, e).size() == 3);
  CHECK(text(e).size() > kDepth);
  CHECK(substitute(pool, e, [&](Symbol s) { return s == symbol(x) ? z : Expr{}; }) != e);
  CHECK(std::isfinite(value(derivative(pool, e, symbol(x)), {0.5, 0, 0, 0, 1, 0.25, 0})));
  AffineForm form;
  CHECK(affine_form(
      pool, e, [&](Symbol s) { return s == symbol(z); }, form));
  CHECK(form.rest == e);

  Expr chain = x;  // affine all the way down
  Expr polynomial = x;
  for (int i = 0; i < kDepth / 4; ++i) {
    chain = pool.mul(i % 2 == 0 ? a : b, pool.add(chain, y));
    polynomial = pool.pow(pool.add(polynomial, y), num(i % 2 == 0 ? -1 : -2));
  }
  const auto unknown = [&](Symbol s) { return s == symbol(d); };
  CHECK(affine_form(pool, pool.add(chain, d), unknown, form));
  CHECK(expand(pool, polynomial).valid());

  Expr branches = x;
  for (int i = 0; i < kDepth / 4; ++i) {
    branches = pool.if_then_else(less(a, num(i)), pool.mul(num(2), x), branches);
  }
  CHECK(affine_form(
      pool, branches, [&](Symbol s) { return s == symbol(x); }, form));
  CHECK(form.coefficients.size() == 1);
}

TEST_CASE_FIXTURE(SymbolicFixture, "the beginning of a text costs what it prints") {
  Expr e = x;  // the whole text would have 2^60 letters
  for (int i = 0; i < 60; ++i)
    e = pool.call(Op::kMin, {pool.call(Op::kSin, {e}), pool.call(Op::kCos, {e})});
  const auto names = [](Symbol) { return std::string("x"); };
  const std::string text = beginning_of_text(pool, e, names, 100);
  CHECK(text.substr(0, 20) == "min(sin(min(sin(min(");
  CHECK(text.size() < 120);
  CHECK(text.ends_with(" ..."));
  CHECK(beginning_of_text(pool, pool.add(x, num(2)), names, 100) == "x + 2");
}

TEST_CASE("many nodes are found again") {
  ExprPool pool;
  const auto build = [&] {
    std::vector<Expr> row;
    for (std::uint32_t i = 0; i < 500; ++i) row.push_back(pool.symbol(SymbolKind::kState, i));
    for (std::size_t round = 0; round < 40; ++round) {
      for (std::size_t i = 0; i < row.size(); ++i) {
        row[i] = pool.luz(pool.sub(row[i], row[(i + 1) % row.size()]), pool.constant(0.5));
      }
    }
    return row;
  };
  const auto first = build();
  const std::size_t size = pool.size();
  CHECK(build() == first);
  CHECK(pool.size() == size);
}

TEST_CASE("a spline and its derivatives") {
  SymbolicFixture f;
  // Through (0, 0), (1, 2), (3, 1) and (4, 5), with the curvatures 0, -4.5, 6 and 0 there.
  const Expr spline = f.pool.call(Op::kSpline, {f.x, f.num(0), f.num(0), f.num(0), f.num(1),
                                                f.num(2), f.num(3), f.num(1), f.num(4), f.num(5)});
  CHECK(f.text(spline) == "spline(x, {0, 1, 3, 4}, {0, 2, 1, 5})");
  const std::array<std::array<double, 5>, 3> expected{
      {{-1, -2.75, 2.75, 0, 0}, {2.2, 0.872, -1.12, 1.8, 5.25}, {5, 10, 5, 0, 0}}};
  for (const auto& [at, value, slope, curvature, third] : expected) {
    Expr e = spline;
    for (const double v : {value, slope, curvature, third, 0.0}) {
      CHECK(evaluate(f.pool, e, [x = at](Symbol) { return x; }) ==
            doctest::Approx(v).epsilon(1e-14));
      e = derivative(f.pool, e, f.pool[f.x].symbol);
    }
    CHECK(f.pool.is_zero(e));
  }
  const Expr twice = f.pool.call(
      Op::kSpline, {f.pool.mul(f.num(2), f.x), f.num(0), f.num(0), f.num(0), f.num(1), f.a});
  CHECK(f.text(derivative(f.pool, twice, f.pool[f.x].symbol)) ==
        "2*spline(2*x, {0, 1}, {0, a}, 1)");
}

}  // namespace luztar::test
