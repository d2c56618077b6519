// Balances of frictions that fall exponentially with speed, against their own residual, slope and
// the other side of their folds.
#include "runtime/pwl/falling_balance.h"

#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <vector>

namespace luztar {
namespace {

long double left_side(const std::vector<DecayingForce>& forces, long double x) {
  long double sum = x;
  for (const DecayingForce& f : forces) sum += f.weight * std::exp(-(f.exponent + f.rate * x));
  return sum;
}
long double slope_at(const std::vector<DecayingForce>& forces, long double x) {
  long double sum = 1;
  for (const DecayingForce& f : forces) {
    sum -= f.weight * static_cast<long double>(f.rate) * std::exp(-(f.exponent + f.rate * x));
  }
  return sum;
}

/// One to five forces, on one side or on both; weights over several decades.
std::vector<DecayingForce> drawn_forces(std::mt19937& draw) {
  std::uniform_real_distribution<double> unit(0, 1);
  std::vector<DecayingForce> forces;
  const bool both = unit(draw) < 0.5;
  const int count = 1 + static_cast<int>(5 * unit(draw));
  for (int i = 0; i < count; ++i) {
    const double side = both && unit(draw) < 0.5 ? -1 : 1;
    const double rate = side * std::exp(4 * unit(draw) - 2);
    forces.push_back({side * std::exp(8 * unit(draw) - 6), 3 * unit(draw) - 0.5 - side, rate});
  }
  return forces;
}

}  // namespace

TEST_CASE("falling balance: in the stable range, at its folds, and near them") {
  std::mt19937 draw(7);
  std::uniform_real_distribution<double> unit(0, 1);
  int with_both = 0, empty = 0;
  for (int i = 0; i < 5000; ++i) {
    const std::vector<DecayingForce> forces = drawn_forces(draw);
    const auto [begin, end] = stable_range(forces);
    CAPTURE(i);
    if (begin > end) {  // nowhere, as far as a grid tells
      ++empty;
      for (double x = -20; x < 20; x += 0.01) CHECK(slope_at(forces, x) <= 1e-9);
      continue;
    }
    with_both += std::isfinite(begin) && std::isfinite(end) ? 1 : 0;
    for (const double fold : {begin, end}) {
      if (!std::isfinite(fold)) continue;
      CHECK(std::fabs(slope_at(forces, fold)) <= 1e-11L);
      const double outwards = fold == begin ? -1e-3 : 1e-3;
      CHECK(slope_at(forces, fold + outwards) < 0);
      const auto beyond = static_cast<double>(left_side(forces, fold)) + 100 * outwards;
      CHECK(falling_balance(beyond, forces).x == fold);
      CHECK(falling_balance(beyond, forces).slope == 0);
    }
    const double low = std::isfinite(begin) ? begin : std::min(end, 5.0) - 10;
    const double high = std::isfinite(end) ? end : low + 10;
    for (const double share : {1e-5, 1e-3, 0.1, 0.5, 0.9, 0.999, unit(draw)}) {
      const double x = low + share * (high - low);
      const auto y = static_cast<double>(left_side(forces, x));
      const FallingBalance found = falling_balance(y, forces);
      const long double slope = slope_at(forces, x);
      if (slope < 1e-6) {  // nearer to a fold than rounding tells
        CHECK(std::fabs(found.x - x) <= 1e-5);
        continue;
      }
      long double size = std::fabs(x);
      for (const DecayingForce& f : forces) {
        size += std::fabs(f.weight) * std::exp(-(f.exponent + f.rate * x));
      }
      CHECK(std::fabs(found.x - x) <= 1e-14L * size / slope + 1e-15L * size);
      CHECK(std::fabs(found.slope - slope) <= 1e-6L * slope + 1e-14L * size / slope);
    }
  }
  CHECK(with_both > 500);
  CHECK(empty > 100);
}

TEST_CASE("falling balance: the slip of a force ends at rest where it falls by less") {
  const std::vector<DecayingForce> weak{{0.5, 1, 1}}, strong{{2, 1, 1}};
  CHECK(falling_end(weak.front(), weak).x == -1);
  CHECK_FALSE(falling_end(weak.front(), weak).is_fold);
  CHECK(falling_end(strong.front(), strong).x == doctest::Approx(std::log(2.0) - 1));
  CHECK(falling_end(strong.front(), strong).is_fold);
  // Two that do so by less each, and by more together.
  const std::vector<DecayingForce> two{{0.75, 0, 1}, {0.375, 0, 2}};
  const FallingEnd end = falling_end(two.front(), two);
  CHECK(end.is_fold);
  CHECK(0.75 * std::exp(-end.x) + 0.75 * std::exp(-2 * end.x) == doctest::Approx(1));
}

// Of two from both sides, which take more than the whole slope everywhere, that ends where they
// take the least: e^-(a + x) + e^-(a - x) in the middle.
TEST_CASE("falling balance: a range that has closed from both sides is the point where it did") {
  for (const double middle : {0.0, 0.3, -2.0}) {
    const std::vector<DecayingForce> both{{1, 0.1 - middle, 1}, {-1, 0.1 + middle, -1}};
    REQUIRE(stable_range(both).begin > stable_range(both).end);
    CHECK(falling_balance(0.7, both).x == doctest::Approx(middle).epsilon(1e-9));
    CHECK(falling_balance(0.7, both).slope == 0);
    for (const DecayingForce& own : both) {
      CHECK(falling_end(own, both).is_fold);
      CHECK(falling_end(own, both).x == doctest::Approx(middle).epsilon(1e-9));
    }
  }
}

TEST_CASE("falling balance: one that rises alone ends at rest") {
  const std::vector<DecayingForce> rising{{-2, 0, 1}};
  CHECK(falling_balance(-3, rising).x == 0);
  const double x = falling_balance(1, rising).x;
  CHECK(x - 2 * std::exp(-x) == doctest::Approx(1));
}

}  // namespace luztar
