// Machine code of random expressions against the interpreter.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "compiler/codegen/functions.h"
#include "compiler/codegen/jit.h"
#include "compiler/symbolic/operations.h"
#include "tests/support/codegen_bench.h"

namespace luztar::test {
namespace {

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
        return b.slot(below(kModes));
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
    // The interpreter begins anew for each of them.
    for (std::size_t i = 0; i < y.size(); i += 1 + operations / 300) {
      INFO("output ", i);
      check_equal(y[i], evaluate(b.pool, b.system.outputs[i].value, b.values()), tolerance);
    }
  }
}

TEST_CASE("codegen: random expressions agree with the interpreter") {
  Bench b;
  check_random(b, 30, 1e-13);
}

/// Watched quantities whose jets in any chunks agree with the interpreter on the way they describe.
void check_random_jets(std::size_t operations) {
  Bench b;
  RandomExpressions random{b};
  std::vector<Expr> known;
  for (int i = 0; i < 10; ++i) known.push_back(random.leaf());
  for (std::size_t i = 0; i < operations; ++i) {
    known.push_back(random.operation(known));
    if (known.size() > 20) known.erase(known.begin());
    b.system.switches.push_back({SwitchKind::kSide, known.back(), Expr{}, 0, "w"});
  }
  for (std::size_t i = 0; i < kStates; ++i) {
    b.system.states[i].derivative = b.pool.call(Op::kTanh, {known[i]});
  }
  const JitProgram program = compile(b.pool, b.flat, b.system);
  const System& s = program.system();
  const std::vector<double> J = b.jets(program, 3);
  for (std::size_t i = 0; i < kStates; ++i) {
    check_equal(J[s.row_count + i], evaluate(b.pool, b.system.states[i].derivative, b.values()),
                1e-10);
  }
  std::size_t smooth = 0;
  const auto at = [&](std::size_t row, double h) {
    double value = 0;
    for (std::size_t k = 4; k-- > 0;) value = value * h + J[k * s.row_count + row];
    return value;
  };
  const std::array<double, kStates> x = b.x;
  const double t = b.t, h = 1e-4;
  for (std::size_t i = 0; i < s.switches.size(); ++i) {
    INFO("watched quantity ", i);
    const Expr e = b.system.switches[i].watched;
    const std::uint32_t row = s.switches[i].row;
    check_equal(J[row], evaluate(b.pool, e, b.values()), 1e-10);
    double after[2];
    for (const int side : {0, 1}) {
      const double elapsed = side == 0 ? -h : h;
      b.t = t + elapsed;
      for (std::size_t k = 0; k < kStates; ++k) b.x[k] = at(k, elapsed);
      after[side] = evaluate(b.pool, e, b.values());
    }
    b.t = t, b.x = x;
    // Central differences, where no edge is near.
    const double rate = (after[1] - after[0]) / (2 * h);
    const double size = std::max(1.0, std::fabs(rate));
    if (std::fabs(J[s.row_count + row] - rate) <= 1e-4 * size) ++smooth;
  }
  CHECK(smooth > s.switches.size() * 9 / 10);
}

TEST_CASE("codegen: jets of random expressions agree with the interpreter") {
  check_random_jets(30);
  check_random_jets(1500);
}

TEST_CASE("codegen: long functions, split into chunks, agree with the interpreter") {
  Bench b;
  check_random(b, 3000, 1e-10);
  const Program program = plan_program(b.pool, b.system, {.chunk = 1000});
  CHECK(program.outputs.chunks.size() > 3);
  for (const PlanChunk& chunk : program.outputs.chunks) CHECK(chunk.steps_of_round() <= 1000);
}

}  // namespace
}  // namespace luztar::test
