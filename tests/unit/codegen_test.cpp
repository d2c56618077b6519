#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "compiler/base/diagnostics.h"
#include "compiler/codegen/functions.h"
#include "compiler/codegen/jit.h"
#include "compiler/symbolic/operations.h"

namespace luztar {
namespace {

constexpr std::size_t kParameters = 4, kStates = 3, kModes = 2;

/// A model of a few parameters and states whose outputs are expressions under test.
struct Bench {
  ExprPool pool;
  FlatModel flat;
  ExplicitSystem system;
  std::array<double, kParameters> p{1.25, 0.4, 3.5, 0.75};
  std::array<double, kStates> x{0.6, -1.7, 2.3};
  std::array<std::int32_t, kModes> mode{1, -1};
  double t = 0.37;

  Bench() {
    for (std::size_t i = 0; i < kParameters; ++i) {
      FlatParameter parameter;
      parameter.name = "p" + std::to_string(i);
      parameter.value = p[i];
      flat.parameters.push_back(parameter);
    }
    flat.name = "Bench";
    for (std::size_t i = 0; i < kStates; ++i) {
      system.states.push_back({"x" + std::to_string(i), "", par(i), pool.zero()});
    }
  }
  Expr par(std::size_t i) { return pool.symbol(SymbolKind::kParameter, std::uint32_t(i)); }
  Expr state(std::size_t i) { return pool.symbol(SymbolKind::kState, std::uint32_t(i)); }
  Expr friction_mode(std::size_t i) { return pool.symbol(SymbolKind::kMode, std::uint32_t(i)); }
  void output(Expr e) { system.outputs.push_back({"y", "", OutputKind::kVariable, e}); }
  [[nodiscard]] SymbolValues values() const {
    return [this](Symbol s) {
      switch (s.kind) {
        case SymbolKind::kTime:
          return t;
        case SymbolKind::kParameter:
          return p[s.index];
        case SymbolKind::kState:
          return x[s.index];
        default:
          return static_cast<double>(mode[s.index]);
      }
    };
  }
  /// Outputs as machine code computes them.
  std::vector<double> run(const JitProgram& program) const {
    const System& s = program.system();
    std::vector<double> c(s.constant_count), x0(s.state_count), y(s.outputs.size());
    s.prepare(p.data(), c.data(), x0.data());
    s.evaluate_outputs(t, x.data(), c.data(), mode.data(), y.data());
    return y;
  }
};

void check_equal(double actual, double expected, double tolerance) {
  if (std::isnan(expected)) {
    CHECK(std::isnan(actual));
  } else if (std::isinf(expected)) {
    CHECK(actual == expected);
  } else {
    CHECK(std::fabs(actual - expected) <= tolerance * std::max(1.0, std::fabs(expected)));
  }
}

TEST_CASE("codegen: every operation agrees with the interpreter") {
  Bench b;
  ExprPool& pool = b.pool;
  const Expr x = b.state(0), y = b.state(1), z = b.state(2), p = b.par(1), m = b.friction_mode(1);
  const Expr t = pool.time();
  for (const Op op : {Op::kAbs, Op::kSign, Op::kExp, Op::kLog, Op::kLog10, Op::kSin, Op::kCos,
                      Op::kTan, Op::kAsin, Op::kAcos, Op::kAtan, Op::kSinh, Op::kCosh, Op::kTanh,
                      Op::kFloor, Op::kCeil, Op::kNoEvent}) {
    for (const Expr e : {x, y, z, m, p, t}) b.output(pool.call(op, {e}));
  }
  for (const Op op : {Op::kAtan2, Op::kMin, Op::kMax, Op::kMod, Op::kLess, Op::kLessEqual, Op::kLuz,
                      Op::kNas, Op::kOutside}) {
    for (const Expr e : {x, y, z, m, t}) {
      b.output(pool.call(op, {e, b.par(0)}));
      b.output(pool.call(op, {e, pool.call(Op::kAbs, {z})}));
    }
  }
  for (const double n : {2.0, 3.0, 7.0, -1.0, -4.0, 0.5, -0.5, 1.5, -2.5, 40.0, 1.7, 32.0}) {
    b.output(pool.pow(x, pool.constant(n)));
    b.output(pool.pow(y, pool.constant(n)));
  }
  b.output(pool.pow(x, z));
  const Expr less = pool.call(Op::kLess, {y, x}), more = pool.call(Op::kLess, {x, y});
  b.output(pool.call(Op::kAnd, {less, more}));
  b.output(pool.call(Op::kOr, {less, more}));
  b.output(pool.call(Op::kNot, {pool.call(Op::kAnd, {less, more})}));
  b.output(pool.mul(less, z));
  b.output(pool.if_then_else(less, z, t));
  b.output(pool.if_then_else(more, z, t));
  b.output(pool.if_then_else(m, z, t));
  const JitProgram program = compile(b.pool, b.flat, b.system);
  const std::vector<double> actual = b.run(program);
  for (std::size_t i = 0; i < actual.size(); ++i) {
    INFO("output ", i);
    check_equal(actual[i], evaluate(b.pool, b.system.outputs[i].value, b.values()), 1e-14);
  }
}

TEST_CASE("codegen: luz is exactly zero in its dead zone, and everywhere when that is infinite") {
  Bench b;
  const Expr x = b.state(0);
  b.output(b.pool.luz(x, b.par(0)));
  b.output(b.pool.luz(x, b.par(1)));
  b.output(b.pool.nas(x, b.par(1)));
  const JitProgram program = compile(b.pool, b.flat, b.system);
  b.x[0] = 0.1 + 0.2;
  CHECK(b.run(program)[0] == 0.0);
  b.x[0] = -b.p[1];
  CHECK(b.run(program)[1] == 0.0);
  b.p[1] = std::numeric_limits<double>::infinity();
  for (const double value : {-1e9, 0.0, 3.0}) {
    b.x[0] = value;
    CHECK(b.run(program)[1] == 0.0);
    CHECK(b.run(program)[2] == value);
  }
}

TEST_CASE("codegen: the branch not taken cannot spoil the result") {
  Bench b;
  ExprPool& pool = b.pool;
  const Expr x = b.state(0), root = pool.sqrt(x);  // not a number for x < 0
  b.output(pool.if_then_else(pool.call(Op::kLess, {x, pool.zero()}), pool.neg(x), root));
  const JitProgram program = compile(b.pool, b.flat, b.system);
  b.x[0] = -4;
  CHECK(b.run(program)[0] == 4.0);
  b.x[0] = 4;
  CHECK(b.run(program)[0] == 2.0);
}

TEST_CASE("codegen: tables interpolate, jump and are constant outside") {
  Bench b;
  ExprPool& pool = b.pool;
  const auto n = [&](double v) { return pool.constant(v); };
  b.output(pool.call(Op::kTable, {b.state(0), n(-1), n(2), n(0), n(4), n(0), n(5), n(2), n(1)}));
  b.output(pool.call(Op::kTable, {b.state(0), b.par(1), b.par(0), b.par(2), b.par(3)}));
  b.output(pool.call(Op::kTable, {b.state(0), n(3), n(7)}));
  const JitProgram program = compile(b.pool, b.flat, b.system);
  for (const double value : {-9.0, -1.0, -0.25, 0.125, 0.4, 1.0, 1.5, 2.0, 3.5, 99.0}) {
    b.x[0] = value;
    const std::vector<double> y = b.run(program);
    for (std::size_t i = 0; i < y.size(); ++i) {
      INFO("x = ", value, ", table ", i);
      check_equal(y[i], evaluate(b.pool, b.system.outputs[i].value, b.values()), 1e-14);
    }
  }
}

TEST_CASE("codegen: parameter-only subexpressions are computed once, in prepare") {
  Bench b;
  ExprPool& pool = b.pool;
  const Expr k = pool.div(b.par(0), pool.add(b.par(1), b.par(2)));  // p0/(p1 + p2)
  b.output(pool.mul({k, b.par(3), b.state(0)}));
  b.output(pool.add({b.par(1), b.par(3), b.state(1)}));
  b.output(k);
  const Program program = plan_program(b.pool, b.system, 100);
  CHECK(program.constant_count == 3);  // p3*p0/(p1+p2), p1+p3, p0/(p1+p2)
  const JitProgram code = compile(b.pool, b.flat, b.system);
  const std::vector<double> y = b.run(code);
  CHECK(y[0] == doctest::Approx(1.25 / 3.9 * 0.75 * 0.6).epsilon(1e-15));
  CHECK(y[1] == doctest::Approx(0.4 + 0.75 - 1.7).epsilon(1e-15));
  CHECK(y[2] == doctest::Approx(1.25 / 3.9).epsilon(1e-15));
}

TEST_CASE("codegen: start values, derivatives, slips, demands, reactions and assertions") {
  Bench b;
  ExprPool& pool = b.pool;
  b.system.states[0].start = pool.mul(b.par(0), b.par(1));
  b.system.states[1].start = pool.constant(-2);
  b.system.states[0].derivative = b.state(1);
  b.system.states[1].derivative = pool.neg(b.state(0));
  b.system.states[2].derivative = pool.mul(b.friction_mode(0), b.par(2));
  for (std::size_t i = 0; i < kModes; ++i) {
    ExplicitFriction friction;
    friction.name = "f" + std::to_string(i);
    friction.slip = pool.sub(b.state(i), b.state(2));
    friction.demand = pool.mul(b.state(0), b.par(i));
    friction.static_bound = b.par(2);
    friction.kinetic = b.par(2);
    friction.reaction = {{0, pool.div(b.par(0), b.par(1))}, {1, pool.constant(0.5)}};
    b.system.frictions.push_back(friction);
  }
  b.system.assertions = {{pool.call(Op::kLess, {b.state(0), b.state(2)}), "below", {}},
                         {pool.call(Op::kLess, {b.state(2), b.state(0)}), "above", {}}};
  const JitProgram program = compile(b.pool, b.flat, b.system);
  const System& s = program.system();
  REQUIRE(s.state_count == 3);
  REQUIRE(s.friction_count == 2);
  CHECK(s.parameters == std::vector<double>{1.25, 0.4, 3.5, 0.75});
  std::vector<double> c(s.constant_count), x0(3), dx(3), slip(2), demand(2), bound(2), holds(2);
  s.prepare(b.p.data(), c.data(), x0.data());
  CHECK(x0 == std::vector<double>{0.5, -2, 3.5});
  s.derivatives(b.t, b.x.data(), c.data(), b.mode.data(), dx.data());
  CHECK(dx == std::vector<double>{-1.7, -0.6, 3.5});
  s.slips(b.t, b.x.data(), c.data(), slip.data());
  CHECK(slip == std::vector<double>{0.6 - 2.3, -1.7 - 2.3});
  s.demands(b.t, b.x.data(), c.data(), b.mode.data(), demand.data(), bound.data());
  CHECK(demand == std::vector<double>{0.6 * 1.25, 0.6 * 0.4});
  CHECK(bound == std::vector<double>{3.5, 3.5});
  s.assertions(b.t, b.x.data(), c.data(), b.mode.data(), holds.data());
  CHECK(holds == std::vector<double>{1, 0});
  REQUIRE(s.reactions[1].size() == 2);
  CHECK(c[s.reactions[1][0].constant] == doctest::Approx(3.125));
  CHECK(c[s.reactions[1][1].constant] == 0.5);
}

/// A random expression of about `size` operations on everything that can occur.
struct RandomExpressions {
  Bench& b;
  std::mt19937 random{11};

  double real(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  }
  std::size_t below(std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  }
  Expr leaf() {
    switch (below(5)) {
      case 0:
        return b.pool.constant(real(-2, 2));
      case 1:
        return b.par(below(kParameters));
      case 2:
        return b.friction_mode(below(kModes));
      case 3:
        return b.pool.time();
      default:
        return b.state(below(kStates));
    }
  }
  /// Operations on two of `known` that keep values and rounding errors small.
  Expr operation(const std::vector<Expr>& known) {
    ExprPool& pool = b.pool;
    const Expr u = known[below(known.size())], v = known[below(known.size())];
    const Expr size = pool.add(pool.one(), pool.call(Op::kAbs, {v}));  // >= 1
    switch (below(14)) {
      case 0:
        return pool.call(Op::kTanh, {pool.add({u, v, leaf()})});
      case 1:
        return pool.mul({u, pool.call(Op::kSin, {v}), leaf()});
      case 2:
        return pool.div(u, size);
      case 3:
        return pool.luz(u, size);
      case 4:
        return pool.nas(u, size);
      case 5:
        return pool.sqrt(size);
      case 6:
        return pool.call(Op::kAtan2, {u, size});
      case 7:
        return pool.if_then_else(pool.call(Op::kLess, {u, v}), leaf(), u);
      case 8:
        return pool.call(Op::kMax, {u, v});
      case 9:
        return pool.call(Op::kMin, {u, v});
      case 10:
        return pool.pow(pool.call(Op::kCos, {u}), pool.constant(3));
      case 11:
        return pool.call(Op::kLog, {size});
      case 12:
        return pool.sub(u, pool.mul(leaf(), v));
      default:
        return pool.call(Op::kAtan, {u});
    }
  }
};

void check_random(Bench& b, std::size_t operations, double tolerance) {
  RandomExpressions random{b};
  std::vector<Expr> known;
  for (int i = 0; i < 10; ++i) known.push_back(random.leaf());
  for (std::size_t i = 0; i < operations; ++i) {
    known.push_back(random.operation(known));
    if (known.size() > 40) known.erase(known.begin());
    b.output(known.back());
  }
  const JitProgram program = compile(b.pool, b.flat, b.system);
  for (int point = 0; point < 5; ++point) {
    for (double& value : b.x) value = random.real(-2, 2);
    for (double& value : b.p) value = random.real(0.1, 2);
    b.t = random.real(0, 2);
    const std::vector<double> y = b.run(program);
    for (std::size_t i = 0; i < y.size(); ++i) {
      INFO("output ", i);
      check_equal(y[i], evaluate(b.pool, b.system.outputs[i].value, b.values()), tolerance);
    }
  }
}

TEST_CASE("codegen: random expressions agree with the interpreter") {
  Bench b;
  check_random(b, 30, 1e-13);
}

TEST_CASE("codegen: long functions, split into chunks, agree with the interpreter") {
  Bench b;
  check_random(b, 3000, 1e-10);
  const Program program = plan_program(b.pool, b.system, 1000);
  CHECK(program.outputs.chunks.size() > 3);
  for (const PlanChunk& chunk : program.outputs.chunks) CHECK(chunk.size() <= 1000);
}

TEST_CASE("codegen: a sum of thousands of terms is split too") {
  Bench b;
  std::vector<Expr> terms;
  double expected = 0;
  for (int i = 1; i <= 5000; ++i) {
    terms.push_back(b.pool.call(Op::kSin, {b.pool.mul(b.pool.constant(i), b.state(0))}));
    expected += std::sin(i * 0.6);
  }
  b.output(b.pool.add(terms));
  const JitProgram program = compile(b.pool, b.flat, b.system);
  CHECK(b.run(program)[0] == doctest::Approx(expected).epsilon(1e-11));
}

TEST_CASE("codegen: the IR as text") {
  Bench b;
  b.output(b.pool.luz(b.state(0), b.par(0)));
  const std::string text = llvm_text(b.pool, b.flat, b.system);
  for (const char* name : {"@prepare", "@derivatives", "@slips", "@demands", "@evaluate_outputs"}) {
    CHECK(text.find(name) != std::string::npos);
  }
  CHECK(text.find("fast") == std::string::npos);
}

TEST_CASE("codegen: what an explicit system must not hold is an internal error") {
  Bench b;
  b.output(b.pool.symbol(SymbolKind::kVariable, 0));
  CHECK_THROWS_AS(static_cast<void>(llvm_text(b.pool, b.flat, b.system)), InternalError);
  Bench dry;
  dry.output(dry.pool.dry(dry.state(0), dry.par(0), dry.par(0)));
  CHECK_THROWS_AS(static_cast<void>(llvm_text(dry.pool, dry.flat, dry.system)), InternalError);
  Bench start;
  start.system.states[0].start = start.pool.time();
  CHECK_THROWS_AS(static_cast<void>(llvm_text(start.pool, start.flat, start.system)),
                  InternalError);
}

}  // namespace
}  // namespace luztar
