// Machine code of single operations, functions and systems.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "compiler/base/diagnostics.h"
#include "compiler/codegen/functions.h"
#include "compiler/codegen/jit.h"
#include "compiler/symbolic/operations.h"
#include "tests/support/codegen_bench.h"

namespace luztar::test {
namespace {

TEST_CASE("codegen: every operation agrees with the interpreter") {
  Bench b;
  ExprPool& pool = b.pool;
  const Expr x = b.state(0), y = b.state(1), z = b.state(2), p = b.par(1), m = b.slot(1);
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

TEST_CASE("codegen: the branch that a mode does not take cannot spoil Taylor coefficients") {
  Bench b;
  ExprPool& pool = b.pool;
  const Expr taken = pool.call(Op::kLess, {b.slot(1), pool.zero()});
  b.x[0] = -4;  // its root is not a number
  b.system.states[0].derivative = pool.zero();
  b.system.states[1].derivative =
      pool.if_then_else(taken, pool.neg(b.state(1)), pool.mul(b.par(0), pool.sqrt(b.state(0))));
  b.system.states[2].derivative = pool.zero();
  const JitProgram program = compile(b.pool, b.flat, b.system);
  constexpr std::int64_t kOrder = 6;
  const std::vector<double> J = b.jets(program, kOrder);
  double expected = b.x[1];
  for (std::size_t k = 1; k <= kOrder; ++k) {
    expected /= -static_cast<double>(k);
    check_equal(J[k * program.system().row_count + 1], expected, 1e-15);
  }
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
  const Program program = plan_program(b.pool, b.system, {.chunk = 100});
  CHECK(program.constant_count == 3);  // p3*p0/(p1+p2), p1+p3, p0/(p1+p2)
  const JitProgram code = compile(b.pool, b.flat, b.system);
  const std::vector<double> y = b.run(code);
  CHECK(y[0] == doctest::Approx(1.25 / 3.9 * 0.75 * 0.6).epsilon(1e-15));
  CHECK(y[1] == doctest::Approx(0.4 + 0.75 - 1.7).epsilon(1e-15));
  CHECK(y[2] == doctest::Approx(1.25 / 3.9).epsilon(1e-15));
}

TEST_CASE("codegen: subexpressions of parameters and mode are computed once, in prepare_mode") {
  Bench b;
  ExprPool& pool = b.pool;
  const Expr force = pool.mul(b.slot(0), pool.add(b.par(0), b.par(1)));  // m0*(p0 + p1)
  const Expr angle = pool.call(Op::kSin, {pool.add(b.slot(1), b.par(2))});
  b.output(pool.mul({force, b.state(0)}));
  b.output(pool.add({angle, b.state(1), pool.time()}));
  b.output(force);
  const Program program = plan_program(b.pool, b.system, {.chunk = 100});
  // Of the parameters p0 + p1 and p2; of the mode the force and the sine.
  CHECK(program.mode_constants == 2);
  CHECK(program.constant_count == 4);
  for (const FunctionPlan* plan : {&program.jets, &program.outputs, &program.assertions}) {
    for (const PlanChunk& chunk : plan->chunks) {
      for (const PlanStep& step : chunk.steps) {
        if (!step.store) {
          CHECK(program.tape.nodes[step.node].variability == Variability::kTime);
        }
      }
    }
  }
  std::size_t computed = 0;
  for (const PlanChunk& chunk : program.prepare_mode.chunks) {
    for (const PlanStep& step : chunk.steps) {
      if (step.store) continue;
      ++computed;
      CHECK(program.tape.nodes[step.node].variability == Variability::kMode);
    }
  }
  CHECK(computed == 3);  // a product, a sum and its sine

  const JitProgram code = compile(b.pool, b.flat, b.system);
  REQUIRE(code.system().mode_constants == 2);
  REQUIRE(code.system().slot_count == kModes);
  std::vector<double> y = b.run(code);
  CHECK(y[0] == doctest::Approx(1.65 * 0.6).epsilon(1e-15));
  CHECK(y[1] == doctest::Approx(std::sin(2.5) - 1.7 + 0.37).epsilon(1e-15));
  CHECK(y[2] == doctest::Approx(1.65).epsilon(1e-15));
  // Another mode changes the constants of the mode alone, and slots may be any numbers.
  const std::vector<double> before = b.constants(code);
  b.mode = {-0.25, 7.5};
  const std::vector<double> after = b.constants(code);
  for (std::size_t i = 0; i < before.size(); ++i) CHECK((before[i] == after[i]) == (i < 2));
  y = b.run(code);
  CHECK(y[0] == doctest::Approx(-0.25 * 1.65 * 0.6).epsilon(1e-15));
  CHECK(y[1] == doctest::Approx(std::sin(11.0) - 1.7 + 0.37).epsilon(1e-15));
}

TEST_CASE("codegen: start values, jets of order 0, switches, frictions, islands and assertions") {
  Bench b;
  ExprPool& pool = b.pool;
  b.system.states[0].start = pool.mul(b.par(0), b.par(1));
  b.system.states[1].start = pool.constant(-2);
  b.system.states[0].derivative = b.state(1);
  b.system.states[1].derivative = pool.neg(b.state(0));
  b.system.states[2].derivative = pool.mul(b.slot(0), b.par(2));
  b.system.slip_states = 1;
  b.system.switches.push_back(
      {SwitchKind::kZone, pool.add(b.state(0), b.par(3)), pool.sub(b.state(0), b.par(3)), 1, "x0"});
  b.system.switches.push_back({SwitchKind::kPositive, b.state(2), Expr{}, 0, "x2"});
  for (std::uint32_t i = 0; i < kModes; ++i) {
    ExplicitFriction friction;
    friction.name = "f" + std::to_string(i);
    friction.slip = pool.sub(b.state(i), b.state(2));
    friction.free = pool.mul(b.state(0), b.par(i));
    friction.reserve_below = pool.add(b.par(2), b.state(1));
    friction.reserve_above = pool.sub(b.par(2), b.state(1));
    friction.kinetic = b.par(3);
    friction.direction_slot = i;
    friction.moving_slot = 1 - i;
    (i == 0 ? friction.velocity_state : friction.slip_state) = i + 1;
    friction.response = {{0, pool.div(b.par(0), b.par(1))}, {1, pool.constant(0.5)}};
    b.system.frictions.push_back(friction);
  }
  ExplicitIsland island;
  island.count = kModes;
  island.gram = {{0, 0, b.par(0)}, {0, 1, pool.mul(b.par(0), b.par(1))}, {1, 1, pool.constant(4)}};
  island.hold_slot = 1;
  b.system.islands = {island};
  b.system.assertions = {{pool.call(Op::kLess, {b.state(0), b.state(2)}), "below", {}},
                         {pool.call(Op::kLess, {b.state(2), b.state(0)}), "above", {}}};
  const JitProgram program = compile(b.pool, b.flat, b.system);
  const System& s = program.system();
  REQUIRE(s.state_count == 3);
  CHECK(s.slip_state_count == 1);
  REQUIRE(s.switches.size() == 2);
  REQUIRE(s.frictions.size() == 2);
  REQUIRE(s.islands.size() == 1);
  CHECK(s.parameters == std::vector<double>{1.25, 0.4, 3.5, 0.75});
  std::vector<double> c = b.constants(program), x0(3), holds(2);
  s.prepare(b.p.data(), c.data(), x0.data());
  CHECK(x0 == std::vector<double>{0.5, -2, 3.5});

  const std::vector<double> J = b.jets(program, 0);
  CHECK(std::vector<double>(J.begin(), J.begin() + 3) == std::vector<double>{0.6, -1.7, 2.3});
  const double* dx = J.data() + s.row_count;
  CHECK(std::vector<double>(dx, dx + 3) == std::vector<double>{-1.7, -0.6, 3.5});
  CHECK(s.switches[0].kind == SwitchKind::kZone);
  CHECK(s.switches[0].slot == 1);
  CHECK(s.switches[0].name == "x0");
  CHECK(J[s.switches[0].row] == 0.6 + 0.75);
  CHECK(J[s.switches[0].row + 1] == 0.6 - 0.75);
  CHECK(s.switches[1].kind == SwitchKind::kPositive);
  CHECK(J[s.switches[1].row] == 2.3);
  for (std::uint32_t i = 0; i < kModes; ++i) {
    const Friction& f = s.frictions[i];
    for (const std::uint32_t row : {f.slip_row, f.free_row, f.reserve_row, f.kinetic_row}) {
      CHECK(row >= s.state_count);
      CHECK(row < s.row_count);
    }
    CHECK(f.name == b.system.frictions[i].name);
    CHECK(J[f.slip_row] == b.x[i] - 2.3);
    CHECK(J[f.free_row] == 0.6 * b.p[i]);
    CHECK(J[f.reserve_row] == 3.5 - 1.7);
    CHECK(J[f.reserve_row + 1] == 3.5 + 1.7);
    CHECK(J[f.kinetic_row] == 0.75);
    CHECK(f.direction_slot == i);
    CHECK(f.moving_slot == 1 - i);
    CHECK(f.velocity_state == (i == 0 ? 1 : kNoIndex));
    CHECK(f.slip_state == (i == 0 ? kNoIndex : 2));
    REQUIRE(f.response.size() == 2);
    CHECK(f.response[0].state == 0);
    CHECK(c[f.response[0].constant] == doctest::Approx(3.125));
    CHECK(f.response[1].state == 1);
    CHECK(c[f.response[1].constant] == 0.5);
  }
  CHECK(s.islands[0].count == 2);
  CHECK(s.islands[0].hold_slot == 1);
  REQUIRE(s.islands[0].gram.size() == 3);
  const std::vector<double> gram{1.25, 0.5, 4};
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(s.islands[0].gram[i].constant < s.mode_constants);
    CHECK(c[s.islands[0].gram[i].constant] == gram[i]);
  }
  CHECK(s.islands[0].gram[1].i == 0);
  CHECK(s.islands[0].gram[1].j == 1);
  s.assertions(b.t, b.x.data(), c.data(), holds.data());
  CHECK(holds == std::vector<double>{1, 0});
}

TEST_CASE("codegen: jets of known solutions") {
  Bench b;
  ExprPool& pool = b.pool;
  // x0' = x0^2; x1' = m1*x1/p1; x2' = t*cos(p0*t): coefficients by hand.
  b.system.states[0].derivative = pool.mul(b.state(0), b.state(0));
  b.system.states[1].derivative = pool.div(pool.mul(b.slot(1), b.state(1)), b.par(1));
  b.system.states[2].derivative =
      pool.mul(pool.time(), pool.call(Op::kCos, {pool.mul(b.par(0), pool.time())}));
  b.system.switches.push_back(
      {SwitchKind::kSide, pool.div(pool.one(), b.state(0)), Expr{}, 0, "w"});
  const JitProgram program = compile(b.pool, b.flat, b.system);
  const std::int64_t order = 12;
  const std::vector<double> J = b.jets(program, order);
  const std::size_t rows = program.system().row_count;
  const double rate = -1 / 0.4;
  double geometric = 0.6, exponential = -1.7, factorial = 1;  // factorial: (k - 1)!
  double cosine_before = 0;                                   // coefficient k - 2 of cos(p0*t)
  for (std::size_t k = 1; k <= static_cast<std::size_t>(order) + 1; ++k) {
    INFO("order ", k);
    const auto n = static_cast<double>(k);
    geometric *= 0.6;
    exponential *= rate / n;
    if (k > 1) factorial *= n - 1;
    const double phase = 1.25 * 0.37 + (n - 1) * std::acos(-1.0) / 2;
    const double cosine = std::pow(1.25, n - 1) * std::cos(phase) / factorial;
    check_equal(J[k * rows], geometric, 1e-14);
    check_equal(J[k * rows + 1], exponential, 1e-14);
    check_equal(J[k * rows + 2], (0.37 * cosine + cosine_before) / n, 1e-14);
    cosine_before = cosine;
  }
  // 1/x0 = 1/0.6 - t
  const std::size_t watched = program.system().switches[0].row;
  check_equal(J[watched], 1 / 0.6, 1e-15);
  check_equal(J[rows + watched], -1, 1e-15);
  for (std::size_t k = 2; k <= static_cast<std::size_t>(order); ++k) {
    CHECK(std::fabs(J[k * rows + watched]) < 1e-14);
  }
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
  for (const char* name :
       {"@prepare", "@prepare_mode", "@jets", "@evaluate_outputs", "@assertions"}) {
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
}  // namespace luztar::test
