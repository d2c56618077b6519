// Symbolic expressions: canonical forms and text.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>
#include <utility>

#include "compiler/base/diagnostics.h"
#include "tests/support/symbolic_fixture.h"

namespace luztar::test {

TEST_CASE_FIXTURE(SymbolicFixture, "sums collect like terms and distribute numbers") {
  CHECK(pool.add(a, b) == pool.add(b, a));
  CHECK(pool.add(a, pool.mul(num(2), a)) == pool.mul(num(3), a));
  CHECK(pool.sub(a, a) == pool.zero());
  CHECK(pool.add({a, b, num(2), pool.neg(b), num(-2)}) == a);
  CHECK(pool.add(pool.add(a, b), c) == pool.add(a, pool.add(b, c)));
  CHECK(pool.mul(num(2), pool.add(x, y)) == pool.add(pool.mul(num(2), x), pool.mul(num(2), y)));
  CHECK(pool.neg(pool.sub(a, b)) == pool.sub(b, a));
  CHECK(pool.add(pool.mul(c, pool.sub(a, b)), pool.mul(c, pool.sub(b, a))) == pool.zero());
  CHECK(pool.add({}) == pool.zero());
  CHECK(pool.neg(pool.zero()) == pool.zero());
  CHECK(std::signbit(pool[pool.constant(-0.0)].value) == false);
}

TEST_CASE_FIXTURE(SymbolicFixture, "products collect powers") {
  CHECK(pool.mul(a, b) == pool.mul(b, a));
  CHECK(pool.mul(x, pool.pow(x, num(-1))) == pool.one());
  CHECK(pool.mul(pool.pow(x, num(2)), x) == pool.pow(x, num(3)));
  CHECK(pool.pow(x, num(0)) == pool.one());
  CHECK(pool.pow(x, num(1)) == x);
  CHECK(pool.pow(pool.pow(x, num(2)), num(3)) == pool.pow(x, num(6)));
  CHECK(pool.pow(pool.pow(x, a), num(-1)) == pool.pow(x, pool.neg(a)));
  CHECK(pool.mul(pool.pow(pool.mul(a, b), num(-1)), a) == pool.div(pool.one(), b));
  CHECK(pool.mul({num(2), a, num(0.5), b}) == pool.mul(a, b));
  CHECK(pool.mul({}) == pool.one());
  CHECK(pool.mul({a, num(0), b}) == pool.zero());
  CHECK(pool.mul(pool.sqrt(x), pool.sqrt(x)) == x);
  CHECK(pool.pow(pool.sqrt(x), num(2)) == x);
  const Expr root = pool.sqrt(pool.mul(a, b));
  CHECK(pool.mul({root, root, pool.pow(a, num(-1))}) == b);
  // proportional sums are one base
  const Expr sum = pool.add(a, b), twice = pool.mul(num(2), sum);
  CHECK(pool.div(twice, sum) == num(2));
  CHECK(pool.mul(pool.sub(a, b), pool.pow(pool.sub(b, a), num(-1))) == num(-1));
  CHECK(pool.pow(pool.sub(b, a), num(2)) == pool.pow(pool.sub(a, b), num(2)));
  const Expr wide_root = pool.sqrt(twice);
  CHECK(pool.mul({wide_root, wide_root, pool.pow(sum, num(-1))}) == num(2));
  CHECK(pool.mul({c, pool.pow(pool.mul(num(2), sum), num(-1)), sum}) == pool.mul(num(0.5), c));
}

TEST_CASE_FIXTURE(SymbolicFixture, "the root of a square is not its base") {
  const Expr e = pool.sqrt(pool.mul(x, x));
  CHECK(e != x);
  CHECK(value(e, {0, 0, 0, 0, -3, 0, 0}) == 3.0);
}

TEST_CASE_FIXTURE(SymbolicFixture, "literal quotients are those of floating point") {
  CHECK(pool[pool.div(num(0.3), num(0.1))].value == 0.3 / 0.1);
  CHECK(pool[pool.div(num(7), num(49))].value == 7.0 / 49.0);
  CHECK(pool.div(pool.add(pool.mul(num(49), x), y), num(49)) == pool.add(x, pool.div(y, num(49))));
  CHECK(pool.div(num(1), num(0)) == inf);
  CHECK(pool.div(a, inf) == pool.zero());
  CHECK(pool.div(a, pool.mul(inf, b)) == pool.zero());
}

TEST_CASE_FIXTURE(SymbolicFixture, "undefined literal operations stay as written") {
  const Expr difference = pool.sub(inf, inf), product = pool.mul(pool.zero(), inf);
  for (const Expr e : {difference, product, pool.div(inf, inf), pool.div(num(0), num(0)),
                       pool.sqrt(num(-2)), pool.call(Op::kLog, {num(-1)}),
                       pool.call(Op::kSin, {inf}), pool.sub(pool.mul(inf, x), pool.mul(inf, x)),
                       pool.mul({pool.zero(), inf, x}), pool.mul({pool.zero(), x, inf})}) {
    CAPTURE(text(e));
    CHECK(!pool.is_constant(e));
    CHECK(std::isnan(value(e, {1, 1, 1, 1, 1, 1, 1})));
  }
  CHECK(text(difference) == "inf - inf");
  CHECK(text(product) == "0*inf");
  CHECK(std::isnan(value(pool.add({difference, x, num(3)}))));
  CHECK(std::isnan(value(pool.mul({product, num(-2), pool.add(x, num(1))}))));
  CHECK(!pool.is_constant(pool.mul(num(0), product)));
  CHECK(pool.add(inf, num(5)) == inf);
  CHECK(pool.pow(pool.mul(num(1e-200), x), num(2)) != pool.zero());
  // A symbol may be infinite at run time; a literal 0 still removes it.
  CHECK(pool.mul(pool.zero(), x) == pool.zero());
}

TEST_CASE_FIXTURE(SymbolicFixture, "luz, nas, outside and dryfriction") {
  CHECK(pool.luz(x, pool.zero()) == x);
  CHECK(pool.luz(x, inf) == pool.zero());
  CHECK(pool.luz(pool.zero(), a) == pool.zero());
  CHECK(pool.luz(num(5), num(2)) == num(3));
  CHECK(pool.luz(inf, num(2)) == inf);
  CHECK(pool.luz(pool.luz(x, a), b) == pool.luz(x, pool.add(a, b)));
  CHECK(pool.luz(pool.mul(num(-2), pool.luz(x, a)), b) ==
        pool.mul(num(-2), pool.luz(x, pool.add(a, pool.mul(num(0.5), b)))));
  CHECK(pool.luz(pool.neg(x), a) == pool.neg(pool.luz(x, a)));
  CHECK(pool.add(pool.luz(pool.sub(x, y), a), pool.luz(pool.sub(y, x), a)) == pool.zero());
  CHECK(pool.luz(pool.mul(num(3), x), pool.mul(num(3), a)) == pool.mul(num(3), pool.luz(x, a)));
  CHECK(text(pool.luz(pool.mul(num(3), x), num(3))) == "luz(3*x, 3)");
  CHECK(pool.nas(x, pool.zero()) == pool.zero());
  CHECK(pool.nas(x, inf) == x);
  CHECK(pool.nas(num(-5), num(2)) == num(-2));
  CHECK(pool.nas(pool.neg(x), a) == pool.neg(pool.nas(x, a)));
  CHECK(pool.nas(pool.nas(x, a), a) == pool.nas(x, a));
  const Expr out = pool.call(Op::kOutside, {x, a});
  CHECK(pool.call(Op::kOutside, {pool.neg(x), a}) == out);
  CHECK(pool.call(Op::kOutside, {num(3), num(2)}) == pool.one());
  CHECK(pool.call(Op::kOutside, {x, inf}) == pool.zero());
  CHECK(pool.dry(x, pool.zero(), pool.zero()) == pool.zero());
  CHECK(pool.dry(pool.sub(y, x), a, b) == pool.neg(pool.dry(pool.sub(x, y), a, b)));
  CHECK(pool.tar(x, pool.zero()) == x);
  CHECK(pool.dry(num(-2), a, b) == pool.neg(a));
  CHECK(!pool.is_constant(pool.dry(pool.zero(), num(1), num(2))));
}

TEST_CASE_FIXTURE(SymbolicFixture, "other functions fold and keep their parity") {
  CHECK(pool.if_then_else(less(num(1), num(2)), a, b) == a);
  CHECK(pool.if_then_else(less(num(2), num(1)), a, b) == b);
  CHECK(pool.if_then_else(less(x, y), a, a) == a);
  CHECK(pool.if_then_else(pool.call(Op::kNot, {less(x, y)}), a, b) ==
        pool.if_then_else(less(x, y), b, a));
  CHECK(pool.call(Op::kMin, {num(1), num(2)}) == num(1));
  CHECK(pool.call(Op::kMax, {a, b}) == pool.call(Op::kMax, {b, a}));
  CHECK(pool.call(Op::kMin, {a, inf}) == a);
  CHECK(pool.call(Op::kMax, {inf, a}) == inf);
  CHECK(pool.call(Op::kSin, {pool.neg(x)}) == pool.neg(pool.call(Op::kSin, {x})));
  CHECK(pool.call(Op::kCos, {pool.neg(x)}) == pool.call(Op::kCos, {x}));
  CHECK(pool.call(Op::kAbs, {pool.sub(x, y)}) == pool.call(Op::kAbs, {pool.sub(y, x)}));
  CHECK(pool.call(Op::kLessEqual, {x, x}) == pool.one());
  CHECK(less(x, x) == pool.zero());
  CHECK(pool.call(Op::kAnd, {pool.one(), less(x, y)}) == less(x, y));
  CHECK(pool.call(Op::kOr, {less(x, y), pool.one()}) == pool.one());
  CHECK(pool.call(Op::kDer, {num(3)}) == pool.zero());
  CHECK(pool.call(Op::kDer, {pool.time()}) == pool.one());
  CHECK(pool.call(Op::kTable, {num(1.5), num(1), num(10), num(2), num(20)}) == num(15));
  CHECK(pool.call(Op::kMod, {num(-1), num(3)}) == num(2));
  CHECK_THROWS_AS(static_cast<void>(pool.call(Op::kSin, {x, y})), InternalError);
  CHECK_THROWS_AS(static_cast<void>(pool.call(Op::kSymbol, {})), InternalError);
}

TEST_CASE_FIXTURE(SymbolicFixture, "numeric factors") {
  CHECK(pool.numeric_factor(pool.mul({num(-3), a, b})) == std::pair(-3.0, pool.mul(a, b)));
  CHECK(pool.numeric_factor(num(4)) == std::pair(4.0, pool.one()));
  CHECK(pool.numeric_factor(x) == std::pair(1.0, x));
}

TEST_CASE_FIXTURE(SymbolicFixture, "text") {
  CHECK(text(pool.sub(a, b)) == "a - b");
  CHECK(text(pool.sub(b, a)) == "b - a");
  CHECK(text(pool.neg(pool.add(a, b))) == "-a - b");
  CHECK(text(pool.div(a, b)) == "a/b");
  CHECK(text(pool.div(a, pool.mul(b, c))) == "a/(b*c)");
  CHECK(text(pool.div(pool.mul(num(2), a), pool.mul(num(3), b))) == "2*a/(3*b)");
  CHECK(text(pool.div(a, num(3))) == "a/3");
  CHECK(text(pool.mul(num(0.5), a)) == "0.5*a");
  CHECK(text(pool.div(num(1), pool.sqrt(a))) == "1/sqrt(a)");
  CHECK(text(pool.sqrt(pool.add(a, b))) == "sqrt(a + b)");
  CHECK(text(pool.mul(a, pool.add(b, c))) == "a*(b + c)");
  CHECK(text(pool.sub(a, pool.mul(b, pool.sub(c, d)))) == "a - b*(c - d)");
  CHECK(text(pool.pow(pool.add(a, b), num(2))) == "(a + b)^2");
  CHECK(text(pool.pow(a, pool.neg(b))) == "a^(-b)");
  CHECK(text(pool.pow(num(-2), a)) == "(-2)^a");
  CHECK(text(pool.pow(pool.pow(a, b), c)) == "(a^b)^c");
  CHECK(text(pool.neg(pool.pow(a, num(2)))) == "-a^2");
  CHECK(text(pool.luz(a, b)) == "luz(a, b)");
  CHECK(text(pool.nas(a, num(-1))) == "nas(a, -1)");
  CHECK(text(pool.dry(a, b, c)) == "dryfriction(a, b, c)");
  CHECK(text(pool.call(Op::kOutside, {a, b})) == "outside(a, b)");
  CHECK(text(less(a, pool.neg(b))) == "a < -b");
  CHECK(text(pool.call(Op::kLessEqual, {pool.add(a, b), c})) == "a + b <= c");
  CHECK(text(pool.if_then_else(less(a, b), c, d)) == "if a < b then c else d");
  CHECK(text(pool.add(c, pool.if_then_else(less(a, b), c, d))) == "c + (if a < b then c else d)");
  CHECK(text(pool.if_then_else(less(a, b), c, pool.if_then_else(less(a, c), a, d))) ==
        "if a < b then c else if a < c then a else d");
  const Expr either = pool.call(Op::kOr, {less(a, b), less(b, c)});
  CHECK(text(pool.call(Op::kAnd, {either, less(c, d)})) == "(a < b or b < c) and c < d");
  CHECK(text(pool.call(Op::kNot, {either})) == "not (a < b or b < c)");
  CHECK(text(pool.call(Op::kNot, {less(a, b)})) == "not a < b");
  CHECK(text(pool.call(Op::kTable, {x, num(0), a, num(1), b})) == "table(x, {0, 1}, {a, b})");
  CHECK(text(pool.call(Op::kNoEvent, {pool.call(Op::kAbs, {x})})) == "noEvent(abs(x))");
  CHECK(text(pool.call(Op::kDer, {x})) == "der(x)");
  CHECK(text(pool.mul(inf, x)) == "inf*x");
}

TEST_CASE("number text") {
  CHECK(number_text(0) == "0");
  CHECK(number_text(-1.5) == "-1.5");
  CHECK(number_text(0.1) == "0.1");
  CHECK(number_text(100000) == "100000");
  CHECK(number_text(1e-5) == "1e-5");
  CHECK(number_text(0.0001) == "0.0001");
  CHECK(number_text(-2.5e30) == "-2.5e30");
  CHECK(number_text(kInf) == "inf");
  CHECK(number_text(-kInf) == "-inf");
  CHECK(number_text(std::numeric_limits<double>::quiet_NaN()) == "nan");
  std::mt19937_64 random(7);
  for (int i = 0; i < 2000; ++i) {
    const double v =
        std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 400) - 200);
    CHECK(std::stod(number_text(v)) == v);
  }
}

TEST_CASE_FIXTURE(SymbolicFixture, "luz is exactly 0 in the dead zone") {
  const Expr e = pool.luz(x, a);
  for (const double half : {0.1, 0.3, 1e-9, 1e9}) {
    for (const double part : {0.0, 0.1, 1.0 / 3, 0.7, 1.0}) {
      CHECK(value(e, {half, 0, 0, 0, part * half, 0, 0}) == 0.0);
      CHECK(value(e, {half, 0, 0, 0, -part * half, 0, 0}) == 0.0);
    }
  }
  CHECK(value(e, {0.25, 0, 0, 0, 1, 0, 0}) == 0.75);
  CHECK(value(e, {kInf, 0, 0, 0, 1, 0, 0}) == 0.0);
  CHECK(value(pool.nas(x, a), {kInf, 0, 0, 0, 1, 0, 0}) == 1.0);
  CHECK(value(pool.dry(x, a, b), {2, 3, 0, 0, 0, 0, 0}) == 0.0);
  CHECK(value(pool.dry(x, a, b), {2, 3, 0, 0, -1, 0, 0}) == -2.0);
  CHECK_THROWS_AS(static_cast<void>(value(pool.call(Op::kDer, {x}))), InternalError);
}

TEST_CASE_FIXTURE(SymbolicFixture, "tables interpolate and stay constant outside") {
  const Expr e = pool.call(Op::kTable, {x, num(0), num(1), num(1), num(3), num(4), num(0)});
  const auto at = [&](double v) { return value(e, {0, 0, 0, 0, v, 0, 0}); };
  CHECK(at(-5) == 1.0);
  CHECK(at(0.5) == 2.0);
  CHECK(at(1) == 3.0);
  CHECK(at(2.5) == 1.5);
  CHECK(at(9) == 0.0);
}

}  // namespace luztar::test
