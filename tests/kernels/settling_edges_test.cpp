// Springs with freeplay of an island of massless points right after an instant: which of them are
// in contact, order by order.
#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include "runtime/events/settling.h"
#include "tests/support/play.h"

namespace luztar {
namespace {

using Eigen::Index;
using Eigen::VectorXd;
using test::kTight;
using test::Play;

/// A point between two freeplay springs, and a friction to the body of the first.
struct BetweenPlays : Play {
  BetweenPlays(double k, double u, double b, double other_k, double other_u, double other_b)
      : Play(0) {
    numbers.directions.resize(3, 1);
    numbers.directions << 1, 1, 1;
    numbers.stiffness.resize(2);
    numbers.stiffness << k, other_k;
    numbers.half_freeplay.resize(2);
    numbers.half_freeplay << b, other_b;
    numbers.weight = settle_weight(numbers.directions, numbers.stiffness);
    drives.spring = Eigen::MatrixXd::Zero(2, 4);
    drives.spring.col(0) << u, other_u;
    state.zone = state.riding = {0, 0};
    hints.edge = {0, 0};
  }
};

}  // namespace

TEST_CASE("the edge of a play: contact by the first coefficient that is not zero") {
  struct Case {
    std::initializer_list<double> way;  // of the spring's other end, from its edge
    int zone;
    std::uint32_t zeros;
  };
  const Case cases[] = {{{1.0}, 1, 1},     {{-1.0}, 0, 1},      {{0, 2.0}, 1, 2},
                        {{0, -2.0}, 0, 2}, {{0, 0, 1.0}, 1, 3}, {{0, 0, -1.0}, 0, 3}};
  for (const Case& c : cases) {
    CAPTURE(std::vector<double>(c.way));
    for (const int side : {1, -1}) {
      Play play = Play(0.2).friction(4, 4);
      std::vector<double> way(c.way);
      play.drives.spring(0, 0) = side * 0.2;
      for (std::size_t k = 0; k < way.size(); ++k) {
        play.drives.spring(0, static_cast<Index>(k) + 1) = side * way[k];
      }
      REQUIRE(play.decide());
      CHECK(play.state.zone[0] == side * c.zone);
      CHECK(play.state.riding[0] == 0);
      CHECK(play.zeros.edge[0] == c.zeros);
      CHECK(play.zeros.side[0] == side);
      CHECK(play.slip() == 0);
    }
  }
  // At the edge for all orders: contact without force.
  Play rides = Play(0.2).friction(4, 4).spring({0.2});
  REQUIRE(rides.decide());
  CHECK(rides.state.riding[0] == 1);
  CHECK(rides.state.zone[0] == 1);
}

TEST_CASE("a loaded point without friction crosses its play when the load changes sign") {
  for (const int side : {1, -1}) {
    CAPTURE(side);
    Play play = Play(0.2).at(side * 0.2).load({0, -side * 3.0});
    play.state.zone[0] = static_cast<std::int8_t>(side);
    REQUIRE(play.decide());
    CHECK(play.position() == doctest::Approx(-side * 0.2).epsilon(1e-6));
    CHECK(play.state.zone[0] == -side);
  }
}

TEST_CASE("a load that begins takes a point in its play to the edge at once") {
  for (const auto& [coefficients, side] :
       {std::pair{std::vector{0.0, 3.0}, 1}, {{0, -1e-6, 9}, -1}, {{0, 0, 2}, 1}, {{0, 0, 0}, 0}}) {
    CAPTURE(coefficients);
    Play play = Play(0.2).at(0.05);
    for (std::size_t k = 0; k < coefficients.size(); ++k) {
      play.drives.load(0, static_cast<Index>(k)) = coefficients[k];
    }
    REQUIRE(play.decide());
    CHECK(play.state.zone[0] == side);
    CHECK(play.position() == doctest::Approx(side == 0 ? 0.05 : side * 0.2).epsilon(1e-6));
  }
}

TEST_CASE("rounding of a load at its zero does not matter") {
  for (const double dust : {0.0, 3e-15, -3e-15, 2e-13, -2e-13}) {
    CAPTURE(dust);
    Play play = Play(0.2).at(0.2).load({dust, -3});
    play.state.zone[0] = 1;
    play.hints.edge[0] = 1;
    REQUIRE(play.decide());
    CHECK(play.state.zone[0] == -1);
  }
}

TEST_CASE("a load that vanishes without a change of sign leaves the point in contact") {
  Play play = Play(0.2).at(0.2).load({0, 0, 3.0});
  play.state.zone[0] = 1;
  REQUIRE(play.decide());
  CHECK(play.position() == doctest::Approx(0.2).epsilon(kTight));
  CHECK(play.state.zone[0] == 1);
}

TEST_CASE("a point that nothing holds is taken along at the edge, whatever the later orders") {
  // A loaded point on a spring to the ground, with an unloaded one behind a play.
  SettleNumbers numbers;
  numbers.directions.resize(2, 2);
  numbers.directions << 1, 0, -1, 1;
  numbers.stiffness = VectorXd::Constant(2, 100);
  numbers.half_freeplay = VectorXd::Zero(2);
  numbers.half_freeplay << -1, 0.02;
  numbers.weight = settle_weight(numbers.directions, numbers.stiffness);
  SettleDrives drives;
  drives.spring = drives.load = Eigen::MatrixXd::Zero(2, 5);
  drives.travel = drives.kinetic = drives.bound = Eigen::MatrixXd::Zero(0, 5);
  drives.load.row(0) << 2, 30, -60, -200, 9;
  SettleHints hints;
  hints.edge = {0, -1};
  SettleState state;
  state.position = VectorXd::Zero(2);
  state.position << 0.02, 0;
  state.travel = state.force = VectorXd(0);
  state.zone = state.riding = {0, 0};
  SettleZeros zeros;
  SettleMaps maps;
  REQUIRE(decide_settling(numbers, drives, hints, maps, state, zeros));
  CHECK(state.zone[1] == -1);
  CHECK(state.riding[1] == 1);
  // On the other way it stays behind.
  drives.load.rightCols(4) *= -1;
  REQUIRE(decide_settling(numbers, drives, hints, maps, state, zeros));
  CHECK(state.zone[1] == 0);
  CHECK(zeros.edge[1] == 1);
}

TEST_CASE("a load that nothing can hold has no mode") {
  Play play = Play(0.2).friction(4, 4).load({5});
  CHECK(play.decide());  // the spring takes the rest
  CHECK(play.position() == doctest::Approx(0.3).epsilon(kTight));
  Play alone = Play(0.2).friction(4, 4).load({5});
  alone.numbers.directions(0, 0) = 0;
  CHECK_FALSE(alone.decide());
  Play growing = Play(0.2).friction(4, 4).load({4, 1});
  growing.numbers.directions(0, 0) = 0;
  CHECK_FALSE(growing.decide());
}

// The load has gone through zero, but for the error of the root: the point is at the other spring.
TEST_CASE("an edge that has just been reached is left when a load takes the point away") {
  BetweenPlays play(100, 0.0022169, 0.02, 100, -0.0221413, 0.02);
  play.load({1e-9, 12.8}).at(0.0021413);
  play.drives.spring.col(1) << 0.158931778, -0.4234134506;
  play.state.zone = {0, -1};
  play.hints.edge = {0, -1};
  REQUIRE(play.decide());
  CHECK(play.position() == doctest::Approx(0.0177831).epsilon(1e-6));
  CHECK(play.state.zone[0] == 1);
  CHECK(play.state.zone[1] == 0);
}

// All bodies move with one speed: forces do not change at order 1, where their rounding is that of
// stiff springs times positions, not that of nothing.
TEST_CASE("forces that do not change leave it to the next order who slides") {
  BetweenPlays play(100, 0.2488, 0.0046, 232.1, -0.05, 0.05484);
  play.numbers.directions << -1, 1, -1;
  play.friction(0.5, 0.7).travel({0.2488, 0.5, -291});
  play.drives.spring.col(1) << 0.5, -0.5;
  play.drives.spring(0, 2) = -291;
  play.state.travel[0] = 0.2488;
  REQUIRE(play.decide());
  CHECK(play.force() == -0.5);
  CHECK(play.slip() == -1);
}

// One point is held on the ground just where the spring touches it, at a turning point of the
// spring's other end, whose speed is not zero but for rounding. Another point moves meanwhile.
TEST_CASE("rounding of a speed does not take a spring along") {
  SettleNumbers numbers;
  numbers.directions.resize(3, 2);
  numbers.directions << 1, 0, 0, 1, 1, 0;
  numbers.stiffness = VectorXd::Constant(2, 10);
  numbers.half_freeplay = (VectorXd(2) << 0.1, -1).finished();
  numbers.weight = settle_weight(numbers.directions, numbers.stiffness);
  SettleDrives drives;
  drives.spring.resize(2, 4);
  drives.spring << 0.1, 2e-14, -65, 0, 0, -1, 0, 0;
  drives.travel = Eigen::MatrixXd::Zero(1, 4);
  drives.kinetic = drives.bound = (Eigen::MatrixXd(1, 4) << 9, 0, 0, 0).finished();
  drives.load = Eigen::MatrixXd::Zero(2, 4);
  drives.rounding = VectorXd::Constant(4, 1e-12);
  SettleState state;
  state.position = VectorXd::Zero(2);
  state.travel = state.force = VectorXd::Zero(1);
  state.zone = state.riding = {0, 0};
  state.friction.resize(1);
  SettleZeros zeros;
  SettleMaps maps;
  REQUIRE(decide_settling(numbers, drives, {{0, 0}, {0}, {0}, 0, {}, {}}, maps, state, zeros));
  CHECK(state.zone[0] == 0);
  CHECK(state.riding[0] == 0);
  CHECK(zeros.edge[0] == 2);
}

TEST_CASE("a law that softens is one of springs in turn") {
  // 30 x - 20 luz(x, 0.1) + 15 luz(x, 0.2) - 25 luz(x, 0.45), one term in 2 x.
  SettleNumbers numbers;
  numbers.directions = Eigen::MatrixXd::Ones(4, 1);
  numbers.stiffness = (VectorXd(4) << 30, -25.0 / 4, 15, -20).finished();
  numbers.half_freeplay = (VectorXd(4) << -1, 0.9, 0.2, 0.1).finished();
  join_in_turn(numbers, {{0, 1, 2, 3}, {1, 2, 1, 1}});
  CHECK(numbers.stiffness == (VectorXd(4) << 30, 0, 25, 10).finished());
  REQUIRE(numbers.limits.size() == 3);
  CHECK(numbers.limits.at(0).next == 3);
  CHECK(numbers.limits.at(0).deflection == 0.1);
  CHECK(numbers.limits.at(3).next == 2);
  CHECK(numbers.limits.at(3).deflection == 0.2);
  CHECK(numbers.limits.at(2).next == 1);
  CHECK(numbers.limits.at(2).deflection == doctest::Approx(0.45).epsilon(kTight));
}

}  // namespace luztar
