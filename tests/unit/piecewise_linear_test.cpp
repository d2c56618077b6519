// Piecewise linear functions against what they are made of, point by point.
#include "compiler/reduction/piecewise_linear.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

namespace luztar {
namespace {

using Function = std::function<double(double)>;

/// The same function twice.
struct Pair {
  PiecewiseLinear lines;
  Function value;
};

class Draws {
 public:
  double number(double size) {
    return size * std::uniform_real_distribution<double>(-1, 1)(engine_);
  }
  int pick(int n) { return static_cast<int>(engine_() % static_cast<unsigned>(n)); }

  Pair pair(int depth) {
    if (depth == 0) {
      const Line line{number(3), number(1)};
      return {linear(line), [=](double x) { return line.slope * x + line.intercept; }};
    }
    const Pair f = pair(depth - 1), g = pair(depth - 1);
    const double a = std::fabs(number(1)), c = number(2);
    const Line line{a + 0.1, c};
    switch (pick(6)) {
      case 0:
        return {sum(f.lines, g.lines), [=](double x) { return f.value(x) + g.value(x); }};
      case 1:
        return {scaled(c, f.lines), [=](double x) { return c * f.value(x); }};
      case 2:
        return {greater(f.lines, g.lines),
                [=](double x) { return std::max(f.value(x), g.value(x)); }};
      case 3:
        return {limited(f.lines, -a, a), [=](double x) { return std::clamp(f.value(x), -a, a); }};
      case 4:
        return {luz(f.lines, a),
                [=](double x) { return f.value(x) - std::clamp(f.value(x), -a, a); }};
      default:
        return {of_line(f.lines, line),
                [=](double x) { return f.value(line.slope * x + line.intercept); }};
    }
  }

 private:
  std::mt19937 engine_{3};
};

double force(const ParallelSprings& law, double x) {
  double sum = law.force;
  for (const PlaySpring& s : law.springs) sum += s(x);
  return sum;
}

}  // namespace

TEST_CASE("operations on piecewise linear functions are those on their values") {
  Draws draws;
  for (int i = 0; i < 2000; ++i) {
    const Pair f = draws.pair(1 + i % 4);
    REQUIRE(f.lines.lines.size() == f.lines.edges.size() + 1);
    REQUIRE(std::is_sorted(f.lines.edges.begin(), f.lines.edges.end()));
    for (int k = 0; k < 20; ++k) {
      const double x = draws.number(k < 10 ? 1 : 10);
      REQUIRE(f.lines(x) == doctest::Approx(f.value(x)).epsilon(1e-9));
    }
  }
}

TEST_CASE("parallel springs have the law, and none falls where the law does not") {
  Draws draws;
  int odd = 0, others = 0, one_sided = 0;
  for (int i = 0; i < 4000; ++i) {
    const Pair f = draws.pair(1 + i % 4);
    const double a = std::fabs(draws.number(1));
    // Of any law a saturation has one stiffness beyond all edges.
    const bool saturates = i % 8 < 4;
    const PiecewiseLinear law =
        saturates ? sum(limited(f.lines, -a, a), linear({1, 0.3})) : f.lines;
    const ParallelSprings springs = parallel_springs(law);
    const auto sides = std::count_if(springs.springs.begin(), springs.springs.end(),
                                     [](const PlaySpring& s) { return s.side != 0; });
    REQUIRE((sides > 0) == (law.lines.front().slope != law.lines.back().slope));
    (sides > 0 ? one_sided : springs.springs.size() > 2 ? others : odd) += 1;
    for (int k = 0; k < 20; ++k) {
      const double x = draws.number(k < 10 ? 1 : 10);
      REQUIRE(force(springs, x) == doctest::Approx(law(x)).epsilon(1e-9));
    }
  }
  CHECK(odd > 100);
  CHECK(others > 100);
  CHECK(one_sided > 100);
}

TEST_CASE("a law that is not odd is a sum of saturations and one spring with play") {
  // Slopes 1, 3, 0, 1 with edges at -1, 0, 2.
  const PiecewiseLinear law{{-1, 0, 2}, {{1, 0}, {3, 2}, {0, 2}, {1, 0}}};
  const ParallelSprings springs = parallel_springs(law);
  REQUIRE(springs.springs.size() == 3);
  CHECK(springs.springs[0].stiffness == 1);  // beyond [-1, 2]
  CHECK(springs.springs[0].centre == 0.5);
  CHECK(springs.springs[0].half_freeplay == 1.5);
  CHECK(springs.springs[1].stiffness == 3);  // 3 nas(x + 0.5, 0.5)
  CHECK(springs.springs[1].centre == -0.5);
  CHECK(springs.springs[1].half_freeplay == 0);
  CHECK(springs.springs[2].stiffness == -3);
  CHECK(springs.springs[2].half_freeplay == 0.5);
}

TEST_CASE("a law that is steeper on one side has a spring of each side") {
  const ParallelSprings contact = parallel_springs(greater(linear({5, -2}), linear({})));
  REQUIRE(contact.springs.size() == 1);
  CHECK(contact.force == 0);
  CHECK(contact.springs[0].stiffness == 5);
  CHECK(contact.springs[0].centre == 0.4);
  CHECK(contact.springs[0].side == 1);
  // Slopes 7, 1, 3 with edges at -1, 2.
  const ParallelSprings law = parallel_springs({{-1, 2}, {{7, 6}, {1, 0}, {3, -4}}});
  REQUIRE(law.springs.size() == 3);
  CHECK(law.springs[0].stiffness == 1);
  CHECK(law.springs[0].side == 0);
  CHECK(law.springs[1].stiffness == 6);
  CHECK(law.springs[1].centre == -1);
  CHECK(law.springs[1].side == -1);
  CHECK(law.springs[2].stiffness == 2);
  CHECK(law.springs[2].centre == 2);
  CHECK(law.springs[2].side == 1);
}

}  // namespace luztar
