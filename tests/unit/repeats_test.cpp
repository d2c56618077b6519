// Loops over repeated structure: statements, their shapes and order, and that the machine code with
// loops gives the same bits as straight-line code.
#include "compiler/codegen/repeats.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "compiler/codegen/functions.h"
#include "compiler/codegen/jit.h"
#include "tests/support/model.h"
#include "tests/support/random_cases.h"

namespace luztar {
namespace {

using test::random_cases;

constexpr PlanLimits kStraight{1000, std::numeric_limits<std::size_t>::max(), 8, 0};
/// Loops wherever two statements are alike, and small chunks between.
constexpr PlanLimits kLoops{50, 0, 2, 0};

/// A system written by hand, with parameters 1.5 + i/8.
struct Bench {
  ExprPool pool;
  FlatModel flat;
  ExplicitSystem system;

  explicit Bench(std::size_t states, std::size_t parameters, std::uint32_t modes) {
    flat.name = "Bench";
    for (std::size_t i = 0; i < parameters; ++i) {
      FlatParameter parameter;
      parameter.name = "p" + std::to_string(i);
      parameter.value = 1.5 + 0.125 * static_cast<double>(i % 16);
      flat.parameters.push_back(parameter);
    }
    for (std::size_t i = 0; i < states; ++i) {
      system.states.push_back({"x" + std::to_string(i), "", par(i), pool.zero()});
    }
    system.slots = modes;
  }
  Expr par(std::size_t i) {
    return pool.symbol(SymbolKind::kParameter, std::uint32_t(i % flat.parameters.size()));
  }
  Expr state(std::size_t i) {
    return pool.symbol(SymbolKind::kState, std::uint32_t(i % system.states.size()));
  }
  Expr slot(std::size_t i) {
    return pool.symbol(SymbolKind::kMode, std::uint32_t(i % system.slots));
  }
  void output(Expr e) { system.outputs.push_back({"y", "", OutputKind::kVariable, e}); }
  Program plan(const PlanLimits& limits) { return plan_program(pool, system, limits); }
};

std::size_t loops(const FunctionPlan& plan) {
  return static_cast<std::size_t>(
      std::ranges::count_if(plan.chunks, [](const PlanChunk& chunk) { return chunk.rounds > 1; }));
}

/// Rows of Taylor coefficients that a solver reads, which do not depend on the plan.
std::vector<std::size_t> watched_rows(const System& s) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < s.state_count; ++i) rows.push_back(i);
  for (const Switch& w : s.switches) rows.push_back(w.row);
  for (const Friction& f : s.frictions) {
    rows.insert(rows.end(),
                {f.slip_row, f.free_row, f.reserve_row, f.reserve_row + 1U, f.kinetic_row});
    for (const ResponseEntry& entry : f.response) {
      if (entry.row != kNoIndex) rows.push_back(entry.row);
    }
  }
  const auto add_varying = [&](const auto& island) {
    for (const VaryingGramEntry& entry : island.varying_gram) rows.push_back(entry.row);
    for (const VaryingGramEntry& entry : island.varying_drag) rows.push_back(entry.row);
  };
  for (const FrictionIsland& island : s.islands) add_varying(island);
  for (const SettleIsland& island : s.settle_islands) add_varying(island);
  for (const SettleSpring& spring : s.settle_springs) rows.push_back(spring.drive_row);
  return rows;
}

/// All that the functions of a system compute at one point, in an order that no plan changes.
std::vector<double> everything(const System& s, std::mt19937 random) {
  std::uniform_real_distribution<double> draw(-2, 2);
  std::vector<double> c(s.constant_count), x(s.state_count), mode(s.slot_count);
  s.prepare(s.parameters.data(), c.data(), x.data());
  for (double& m : mode) m = std::floor(draw(random) + 0.5);
  s.prepare_mode(c.data(), mode.data(), c.data() + s.mode_constants);
  std::vector<double> values = x;
  for (const Friction& f : s.frictions) {
    for (const ResponseEntry& entry : f.response) {
      if (entry.row == kNoIndex) values.push_back(c[entry.constant]);
    }
  }
  for (const FrictionIsland& island : s.islands) {
    for (const GramEntry& entry : island.gram) values.push_back(c[entry.constant]);
  }
  for (double& value : x) value = draw(random);
  const double t = draw(random);
  const auto append = [&](std::size_t count, auto function) {
    std::vector<double> part(count);
    function(t, x.data(), c.data(), part.data());
    values.insert(values.end(), part.begin(), part.end());
  };
  append(s.outputs.size(), s.evaluate_outputs);
  append(s.assertion_messages.size(), s.assertions);
  if (s.energy != nullptr) append(2 + s.dissipators.size(), s.energy);
  constexpr std::int64_t kOrder = 6;
  std::vector<double> J((kOrder + 2) * s.row_count);
  const std::vector<std::uint8_t> idle(s.frictions.size());
  std::ranges::copy(x, J.begin());
  s.jets(t, c.data(), 0, 2, J.data(), idle.data());
  s.jets(t, c.data(), 3, kOrder, J.data(), idle.data());
  for (std::size_t k = 0; k <= kOrder; ++k) {
    for (const std::size_t row : watched_rows(s)) values.push_back(J[k * s.row_count + row]);
  }
  return values;
}

void check_same_bits(const System& straight, const System& looped, unsigned seed) {
  const std::vector<double> expected = everything(straight, std::mt19937(seed));
  const std::vector<double> actual = everything(looped, std::mt19937(seed));
  REQUIRE(expected.size() == actual.size());
  std::size_t different = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (std::isnan(expected[i]) && std::isnan(actual[i])) continue;
    if (std::bit_cast<std::uint64_t>(expected[i]) != std::bit_cast<std::uint64_t>(actual[i])) {
      ++different;
    }
  }
  CHECK(different == 0);
}

void check_same_bits(const ExprPool& pool, const FlatModel& flat, const ExplicitSystem& system) {
  const JitProgram straight = compile(pool, flat, system, kStraight);
  const JitProgram looped = compile(pool, flat, system, kLoops);
  for (const unsigned seed : {1U, 2U, 3U})
    check_same_bits(straight.system(), looped.system(), seed);
}

/// A random expression of the places around `at`; the same draws give the same shape.
Expr random_expression(Bench& b, std::mt19937& random, std::size_t at,
                       const std::vector<Expr>& shared, int depth) {
  const auto part = [&] { return random_expression(b, random, at, shared, depth - 1); };
  if (depth == 0) {
    const std::size_t near = at + random() % 3;
    switch (random() % 6) {
      case 0:
        return b.pool.constant(0.25 * static_cast<double>(random() % 5));
      case 1:
        return b.pool.time();
      case 2:
        return b.par(near);
      case 3:
        return b.slot(near);
      case 4:
        return shared.empty() ? b.state(near) : shared[near % shared.size()];
      default:
        return b.state(near);
    }
  }
  const Expr x = part(), y = part();
  switch (random() % 12) {
    case 0:
      return b.pool.mul(x, y);
    case 1:
      return b.pool.call(Op::kSin, {x});
    case 2:
      return b.pool.luz(x, b.pool.call(Op::kAbs, {y}));
    case 3:
      return b.pool.call(Op::kMax, {x, y});
    case 4:
      return b.pool.if_then_else(b.pool.call(Op::kLess, {x, y}), x, b.par(at));
    case 5:
      return b.pool.pow(b.pool.add(b.pool.mul(x, x), b.pool.constant(1)), b.pool.constant(-1));
    case 6:
      return b.pool.call(Op::kExp, {b.pool.call(Op::kCos, {y})});
    case 7:
      return b.pool.add({x, b.pool.mul(b.pool.constant(-1), y)});
    default:
      return b.pool.add(x, y);
  }
}

/// Parts of a few random kinds, with values that several parts use, running values and a long sum.
void random_system(Bench& b, unsigned seed, std::size_t parts) {
  std::mt19937 kinds(seed);
  const auto force_kind = kinds(), rate_kind = kinds(), output_kind = kinds();
  const auto expression = [&](std::mt19937::result_type kind, std::size_t at,
                              const std::vector<Expr>& shared, int depth) {
    std::mt19937 draws(kind + (at % 17 == 5 ? 1 : 0));  // some parts are of another kind
    return random_expression(b, draws, at, shared, depth);
  };
  std::vector<Expr> forces;
  for (std::size_t i = 0; i < parts; ++i) forces.push_back(expression(force_kind, i, {}, 4));
  Expr running = b.state(0);
  for (std::size_t i = 0; i < parts; ++i) {
    b.system.states[i].derivative = expression(rate_kind, i, forces, 4);
    b.output(expression(output_kind, i, forces, 3));
    running = b.pool.call(Op::kSin, {b.pool.add(b.pool.mul(b.par(i), running), b.state(i))});
  }
  b.output(running);
  b.output(b.pool.add(forces));
}

TEST_CASE("repeats: equal parts become loops, whatever their places") {
  Bench b(40, 40, 1);
  for (std::size_t i = 0; i < 40; ++i) b.output(b.pool.mul(b.par(7 * i), b.state(3 * i)));
  b.output(b.pool.mul(b.state(0), b.state(1)));
  const FunctionPlan plan = b.plan({100, 0, 8}).outputs;
  REQUIRE(loops(plan) == 1);
  for (const PlanChunk& chunk : plan.chunks) {
    CHECK(chunk.rounds == (chunk.rounds > 1 ? 40 : 1));
    CHECK(chunk.steps_of_round() == 2);  // a product and its store
  }
  CHECK(loops(b.plan({100, 0, 41}).outputs) == 0);
  CHECK(loops(b.plan({100, 100, 8}).outputs) == 0);
}

TEST_CASE("repeats: operands that coincide, numbers and kinds of places tell shapes apart") {
  Bench b(16, 16, 16);
  for (std::size_t i = 0; i < 8; ++i) {
    b.output(b.pool.mul(b.state(2 * i), b.state(2 * i + 1)));
    b.output(b.pool.call(Op::kAtan2, {b.state(i), b.state(i)}));
    b.output(b.pool.mul(b.pool.constant(2), b.pool.call(Op::kSin, {b.state(i)})));
    b.output(b.pool.mul(b.pool.constant(3), b.pool.call(Op::kSin, {b.state(i)})));
    b.output(b.pool.call(Op::kAtan2, {b.state(i), b.par(i)}));
  }
  // sin(x) is used twice: a loop of its own.
  const FunctionPlan plan = b.plan({100, 0, 8}).outputs;
  CHECK(loops(plan) == 6);
  for (const PlanChunk& chunk : plan.chunks) CHECK(chunk.rounds == 8);
}

TEST_CASE("repeats: a long sum is a loop, and so is a chain of equal links with users") {
  Bench b(4, 100, 1);
  std::vector<Expr> terms;
  Expr link = b.state(1);
  for (std::size_t i = 0; i < 100; ++i) {
    terms.push_back(
        b.pool.mul(b.par(i), b.pool.call(Op::kSin, {b.pool.mul(b.par(i), b.state(0))})));
    link = b.pool.call(Op::kSin, {b.pool.add(b.pool.mul(b.par(i), link), b.state(i))});
    b.output(b.pool.neg(link));
  }
  b.output(b.pool.add(terms));
  const FunctionPlan plan = b.plan({1000, 0, 8}).outputs;
  std::size_t straight = 0, looped = 0;
  for (const PlanChunk& chunk : plan.chunks) {
    (chunk.rounds > 1 ? looped : straight) += chunk.steps.size();
  }
  CHECK(looped > 10 * straight);
  CHECK(plan.chunks.size() <= 8);
  check_same_bits(b.pool, b.flat, b.system);
}

TEST_CASE("repeats: a chain of links of two kinds in turn is a loop of longer rounds") {
  Bench b(4, 100, 1);
  Expr link = b.state(1);
  for (std::size_t i = 0; i < 3000; ++i) {
    const Expr side = b.pool.mul(link, b.state(2));
    link = i % 2 == 0 ? b.pool.call(Op::kSin, {b.pool.add(side, link)})
                      : b.pool.call(Op::kCos, {b.pool.mul(side, link)});
  }
  b.output(link);
  const FunctionPlan plan = b.plan({.chunk = 1000}).outputs;
  CHECK(loops(plan) == 1);
  CHECK(plan.chunks.size() < 4);
  std::size_t steps = 0;
  for (const PlanChunk& chunk : plan.chunks) steps += chunk.steps.size();
  CHECK(steps == 9001);
  CHECK(plan.scratch_size < 300);
  check_same_bits(b.pool, b.flat, b.system);
}

TEST_CASE("repeats: the elimination along a chain is loops, there and back") {
  constexpr std::size_t kLinks = 4000;
  Bench b(kLinks, kLinks, 1);
  const auto reduce = [&](Expr left, Expr pivot, Expr by) {
    return b.pool.sub(left, b.pool.mul(b.pool.div(b.pool.one(), pivot), by));
  };
  std::vector<Expr> pivots, right;
  for (std::size_t i = 0; i < kLinks; ++i) {
    Expr pivot = b.pool.add(b.pool.constant(3), b.state(i)),
         load = b.pool.call(Op::kSin, {b.state(i)});
    if (i > 0) {
      pivot = reduce(pivot, pivots.back(), b.pool.one());
      load = reduce(load, pivots.back(), right.back());
    }
    pivots.push_back(pivot);
    right.push_back(load);
  }
  Expr x = b.pool.zero();
  for (std::size_t i = kLinks; i-- > 0;) {
    x = b.pool.div(b.pool.sub(right[i], x), pivots[i]);
    b.output(x);
  }
  const FunctionPlan plan = b.plan({1000, 0, 8}).outputs;
  std::size_t straight = 0, looped = 0;
  for (const PlanChunk& chunk : plan.chunks) {
    (chunk.rounds > 1 ? looped : straight) += chunk.steps.size();
  }
  CHECK(looped > 20 * straight);
  CHECK(loops(plan) <= 4);
  check_same_bits(b.pool, b.flat, b.system);
}

TEST_CASE("repeats: hundreds of drives by sines of time become loops too") {
  constexpr std::size_t kDrives = 300;
  Bench b(kDrives, kDrives, 1);
  for (std::size_t i = 0; i < kDrives; ++i) {
    b.system.states[i].derivative = b.pool.call(Op::kSin, {b.pool.mul(b.par(i), b.pool.time())});
  }
  const Program program = b.plan({100, 0, 8});
  CHECK(program.sines.empty());
  CHECK(loops(program.jets) == 1);
  const JitProgram code = compile(b.pool, b.flat, b.system, {100, 0, 8});
  const System& s = code.system();
  std::vector<double> c(s.constant_count), x(kDrives), J(4 * s.row_count);
  const std::vector<std::uint8_t> idle(s.frictions.size());
  s.prepare(s.parameters.data(), c.data(), x.data());
  s.prepare_mode(c.data(), nullptr, c.data() + s.mode_constants);
  const double t = 0.3;
  s.jets(t, c.data(), 0, 2, J.data(), idle.data());
  for (std::size_t i = 0; i < kDrives; ++i) {
    const double p = s.parameters[i];
    CHECK(J[s.row_count + i] == doctest::Approx(std::sin(p * t)).epsilon(1e-15));
    CHECK(J[2 * s.row_count + i] == doctest::Approx(p * std::cos(p * t) / 2).epsilon(1e-14));
    CHECK(J[3 * s.row_count + i] == doctest::Approx(-p * p * std::sin(p * t) / 6).epsilon(1e-14));
  }
}

TEST_CASE("repeats: loops give the bits of straight-line code, random systems") {
  for (unsigned seed = 1; seed <= random_cases(12); ++seed) {
    CAPTURE(seed);
    Bench b(30 + seed % 11, 23, 13);
    random_system(b, seed, 30 + seed % 11);
    REQUIRE(loops(b.plan(kLoops).jets) > 0);
    check_same_bits(b.pool, b.flat, b.system);
  }
}

TEST_CASE("repeats: loops give the bits of straight-line code, examples") {
  std::size_t looped = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(test::project_dir() / "library/examples")) {
    const std::string file = entry.path().filename().string();
    CAPTURE(file);
    const auto stages = test::run_stages(file, test::example_text(file), test::Stage::kExplicit);
    if (!stages->explicit_system) continue;  // a base class
    const Program program = plan_program(stages->pool, *stages->explicit_system, kLoops);
    looped += loops(program.jets) + loops(program.outputs);
    check_same_bits(stages->pool, *stages->flat, *stages->explicit_system);
  }
  CHECK(looped > 50);
}

TEST_CASE("short recurrence: the coefficients of the operations one by one, but for rounding") {
  std::size_t different = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(test::project_dir() / "library/examples")) {
    const std::string file = entry.path().filename().string();
    CAPTURE(file);
    const auto stages = test::run_stages(file, test::example_text(file), test::Stage::kExplicit);
    if (!stages->explicit_system) continue;
    const auto compiled = [&](std::size_t most_states) {
      PlanLimits limits = kStraight;
      limits.short_recurrence = most_states;
      return compile(stages->pool, *stages->flat, *stages->explicit_system, limits);
    };
    const JitProgram plain = compiled(0), quick = compiled(1000);
    for (const unsigned seed : {1U, 2U, 3U}) {
      const std::vector<double> expected = everything(plain.system(), std::mt19937(seed));
      const std::vector<double> actual = everything(quick.system(), std::mt19937(seed));
      double size = 0;
      REQUIRE(expected.size() == actual.size());
      for (std::size_t i = 0; i < expected.size(); ++i) {
        if (std::isnan(expected[i]) && std::isnan(actual[i])) continue;
        size = std::max(size, std::fabs(expected[i]));  // coefficients of higher orders are greater
        CHECK(std::fabs(actual[i] - expected[i]) <= 1e-13 * size);
        different += actual[i] != expected[i] ? 1 : 0;
      }
    }
  }
  CHECK(different > 100);  // it is another way
}

}  // namespace
}  // namespace luztar
