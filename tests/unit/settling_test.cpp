// The mode of an island of massless points right after an instant, order by order.
#include "runtime/events/settling.h"

#include <doctest/doctest.h>

#include <cmath>
#include <initializer_list>
#include <tuple>
#include <utility>
#include <vector>

namespace luztar {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

/// A point on one friction, held by a spring of stiffness 10 to a drive u, linear when b < 0:
/// the force of the spring is 10 (x + u), so u = -(position of its other end).
struct Play {
  SettleNumbers numbers;
  SettleDrives drives;
  SettleHints hints;
  SettleState state;
  SettleZeros zeros;

  explicit Play(double half_freeplay, Index orders = 3) {
    numbers.directions.resize(2, 1);
    numbers.directions << 1, 1;
    numbers.stiffness = VectorXd::Constant(1, 10);
    numbers.half_freeplay = VectorXd::Constant(1, half_freeplay);
    numbers.weight = settle_weight(numbers.directions, numbers.stiffness);
    for (Eigen::MatrixXd* m :
         {&drives.spring, &drives.travel, &drives.kinetic, &drives.bound, &drives.load}) {
      *m = Eigen::MatrixXd::Zero(1, orders + 1);
    }
    state.position = state.travel = state.force = VectorXd::Zero(1);
    state.zone = state.riding = {0};
    state.friction.resize(1);
    hints.edge = hints.bound = hints.slid = {0};
  }
  static void put(Eigen::MatrixXd& m, std::initializer_list<double> coefficients) {
    Index k = 0;
    for (const double c : coefficients) {
      if (k < m.cols()) m(0, k) = c;
      ++k;
    }
  }
  Play& spring(std::initializer_list<double> c) { return put(drives.spring, c), *this; }
  Play& load(std::initializer_list<double> c) { return put(drives.load, c), *this; }
  Play& travel(std::initializer_list<double> c) { return put(drives.travel, c), *this; }
  Play& friction(double kinetic, double held) {
    drives.kinetic(0, 0) = kinetic;
    drives.bound(0, 0) = held;
    return *this;
  }
  Play& at(double position) { return state.position[0] = position, *this; }

  bool decide() { return decide_settling(numbers, drives, hints, state, zeros); }
  [[nodiscard]] double position() const { return state.position[0]; }
  [[nodiscard]] double force() const { return state.force[0]; }
  [[nodiscard]] int slip() const { return state.friction[0].direction; }
  [[nodiscard]] int at_bound() const { return state.friction[0].at_bound; }
};

constexpr double kTight = 1e-14;

}  // namespace

TEST_CASE("a Jenkins element holds within its bound and slides beyond it") {
  for (const int side : {1, -1}) {
    CAPTURE(side);
    Play within = Play(-1).friction(4, 4).spring({-side * 0.3, -side * 1.0});
    REQUIRE(within.decide());
    CHECK(within.position() == 0);
    CHECK(within.force() == doctest::Approx(side * 3).epsilon(kTight));
    CHECK(within.slip() == 0);
    CHECK(within.at_bound() == 0);
    // Beyond it in a jump: the point follows at once, to where the spring has the bound.
    Play beyond = Play(-1).friction(4, 4).spring({-side * 0.7});
    REQUIRE(beyond.decide());
    CHECK(beyond.position() == doctest::Approx(side * 0.3).epsilon(kTight));
    CHECK(beyond.force() == side * 4.0);
    CHECK(beyond.slip() == 0);  // nothing moves any more
    CHECK(beyond.at_bound() == side);
  }
}

TEST_CASE("at the bound the first coefficient that is not zero decides") {
  struct Case {
    std::initializer_list<double> away;  // coefficients of the way of the spring's other end
    int slip, at_bound;
    std::uint32_t zeros;
  };
  // Leading zeros: of the slip velocity when it slides, of the reserve when it holds.
  const Case cases[] = {
      {{0.4, 2.0}, 1, 0, 0},       {{0.4, -2.0}, 0, 0, 1},       {{0.4, 0, 3.0}, 1, 0, 1},
      {{0.4, 0, -3.0}, 0, 0, 2},   {{0.4, 0, 0, 1e-3}, 1, 0, 2}, {{0.4, 0, 0, -1e-3}, 0, 0, 3},
      {{0.4, 2.0, -9.0}, 1, 0, 0}, {{0.4, 1e-9, -9.0}, 1, 0, 0}, {{0.4}, 0, 1, 0},
  };
  for (const Case& c : cases) {
    CAPTURE(std::vector<double>(c.away));
    for (const int side : {1, -1}) {
      Play play = Play(-1).friction(4, 4).spring(c.away);
      play.drives.spring *= -side;
      play.hints.bound[0] = static_cast<std::int8_t>(side);
      REQUIRE(play.decide());
      CHECK(std::fabs(play.position()) <= 1e-16);
      CHECK(play.force() == side * 4.0);
      CHECK(play.slip() == side * c.slip);
      CHECK(play.at_bound() == side * c.at_bound);
      CHECK(play.zeros.friction[0] == c.zeros);
    }
  }
}

TEST_CASE("a bound that falls or rises with time takes part in the decision") {
  // The spring pulls at the bound 4 with the rate 10; the bound grows at 20, 10 or 5.
  for (const auto& [rate, slip, at_bound] : {std::tuple{20.0, 0, 0}, {10.0, 0, 1}, {5.0, 1, 0}}) {
    CAPTURE(rate);
    Play play = Play(-1).spring({-0.4, -1});
    Play::put(play.drives.kinetic, {4, rate});
    Play::put(play.drives.bound, {4, rate});
    REQUIRE(play.decide());
    CHECK(play.slip() == slip);
    CHECK(play.at_bound() == at_bound);
  }
}

TEST_CASE("a slide that turns is held") {
  Play play = Play(-1).friction(4, 4).spring({-0.4, 1.0});  // the spring's end comes back
  play.state.friction[0].direction = 1;
  play.state.force[0] = 4;
  REQUIRE(play.decide());
  CHECK(play.slip() == 0);
  CHECK(play.zeros.friction[0] == 1);
  // And goes on when it does not turn.
  Play on = Play(-1).friction(4, 6).spring({-0.4, 0, -1.0});
  on.state.friction[0].direction = 1;
  REQUIRE(on.decide());
  CHECK(on.slip() == 1);
  CHECK(on.force() == 4);
}

TEST_CASE("a slide without a rate in any order tends to rest and is never there") {
  // Held, it would take on the force of what tends there with it: slower than errors of steps.
  Play equal = Play(-1).friction(4, 4).spring({-0.4});
  equal.state.friction[0].direction = 1;
  REQUIRE(equal.decide());
  CHECK(equal.slip() == 1);
  CHECK(equal.at_bound() == 1);
  Play play = Play(-1).friction(4, 6).spring({-0.4});
  play.state.friction[0].direction = 1;
  REQUIRE(play.decide());
  CHECK(play.slip() == 1);  // so T_K stays its bound
  CHECK(play.at_bound() == 1);
  // It goes on as soon as something pushes it, and holds with T_S from where something holds it.
  play.spring({-0.4, -1});
  REQUIRE(play.decide());
  CHECK(play.slip() == 1);
  CHECK(play.at_bound() == 0);
  play.state.friction[0].at_bound = 1;
  play.spring({-0.4, 1});
  REQUIRE(play.decide());
  CHECK(play.slip() == 0);
  CHECK(play.at_bound() == 0);
  // One that a snap has taken there is at rest.
  Play snap = Play(-1).friction(4, 6).spring({-0.7});
  REQUIRE(snap.decide());
  CHECK(snap.position() == doctest::Approx(0.3).epsilon(kTight));
  CHECK(snap.slip() == 0);
  CHECK(snap.at_bound() == 1);
}

// Bodies that the jump pushes have other rates after it: they decide, with T_K.
TEST_CASE("what has slid in this instant slides on by the rates after its jump") {
  Play play = Play(-1).friction(4, 6).spring({-0.7, 1});
  REQUIRE(play.decide());
  CHECK(play.slip() == 0);
  REQUIRE(play.zeros.slid[0] == 1);
  play.hints.slid = play.zeros.slid;
  play.spring({-0.7, -1});
  REQUIRE(play.decide());
  CHECK(play.slip() == 1);
  CHECK(play.force() == 4);
  // In another instant it holds up to T_S.
  Play later = Play(-1).friction(4, 6).spring({-0.7, -1}).at(0.3);
  REQUIRE(later.decide());
  CHECK(later.slip() == 0);
}

TEST_CASE("a static excess snaps to the equilibrium of the kinetic friction") {
  Play play = Play(-1).friction(4, 6).spring({-0.6, -1});
  play.hints.bound[0] = 1;
  REQUIRE(play.decide());
  CHECK(play.position() == doctest::Approx(0.2).epsilon(kTight));
  CHECK(play.force() == 4);
  CHECK(play.slip() == 1);  // and goes on with the spring's end
  // The spring's end turns in the very instant at which the bound is reached.
  Play back = Play(-1).friction(4, 6).spring({-0.6, 1});
  REQUIRE(back.decide());
  CHECK(std::fabs(back.position()) <= 1e-15);
  CHECK(back.force() == 6);
  CHECK(back.slip() == 0);
  // Between the two it holds.
  Play between = Play(-1).friction(4, 6).spring({-0.5, -1});
  REQUIRE(between.decide());
  CHECK(between.position() == 0);
  CHECK(between.force() == doctest::Approx(5).epsilon(kTight));
}

TEST_CASE("a friction without capacity resists nothing") {
  Play play = Play(-1).spring({-0.5, -1});
  REQUIRE(play.decide());
  CHECK(play.position() == doctest::Approx(0.5).epsilon(kTight));
  CHECK(play.force() == 0);
  CHECK(play.state.friction[0].free);
  // Of one that gets its capacity only now the rates count.
  Play growing = Play(-1).spring({0, -1});
  Play::put(growing.drives.kinetic, {0, 15});
  Play::put(growing.drives.bound, {0, 15});
  REQUIRE(growing.decide());
  CHECK_FALSE(growing.state.friction[0].free);
  CHECK(growing.slip() == 0);
  Play slow = Play(-1).spring({0, -1});
  Play::put(slow.drives.kinetic, {0, 5});
  Play::put(slow.drives.bound, {0, 5});
  REQUIRE(slow.decide());
  CHECK(slow.slip() == 1);
}

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
  REQUIRE(decide_settling(numbers, drives, hints, state, zeros));
  CHECK(state.zone[1] == -1);
  CHECK(state.riding[1] == 1);
  // On the other way it stays behind.
  drives.load.rightCols(4) *= -1;
  REQUIRE(decide_settling(numbers, drives, hints, state, zeros));
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

TEST_CASE("without higher orders the way since the last instant tells who slides (Euler)") {
  Play play = Play(-1, 0).friction(4, 4).spring({-0.7});
  REQUIRE(play.decide());
  CHECK(play.slip() == 1);
  CHECK(play.position() == doctest::Approx(0.3).epsilon(kTight));
  // One step on.
  play.spring({-0.8});
  REQUIRE(play.decide());
  CHECK(play.slip() == 1);
  CHECK(play.position() == doctest::Approx(0.4).epsilon(kTight));
  // And back: it holds.
  play.spring({-0.75});
  REQUIRE(play.decide());
  CHECK(play.slip() == 0);
  CHECK(play.position() == doctest::Approx(0.4).epsilon(kTight));
  CHECK(play.force() == doctest::Approx(3.5).epsilon(1e-13));
}

TEST_CASE("a friction on a moving belt takes its point along") {
  // The belt, not the spring's end, moves: x' = belt while the friction holds.
  Play play = Play(-1).friction(4, 4).spring({0.1}).travel({-5, -1});
  play.state.travel[0] = -5;
  REQUIRE(play.decide());
  CHECK(play.slip() == 0);
  CHECK(play.force() == doctest::Approx(-1).epsilon(kTight));
  const Eigen::MatrixXd map = settling_map(play.numbers, play.state);
  CHECK((map * play.drives.values())[0] == doctest::Approx(5).epsilon(kTight));  // up to an offset
  // The way of the belt in between counts.
  play.travel({-5.1, -1});
  REQUIRE(play.decide());
  CHECK(play.position() == doctest::Approx(0.1).epsilon(kTight));
  CHECK(play.force() == doctest::Approx(-2).epsilon(kTight));
}

TEST_CASE("the map of a mode follows the slide") {
  Play play = Play(-1).friction(4, 4).spring({-0.7, -1});
  REQUIRE(play.decide());
  REQUIRE(play.slip() == 1);
  const Eigen::MatrixXd map = settling_map(play.numbers, play.state);
  const VectorXd result = map * play.drives.values();
  CHECK(result[0] == doctest::Approx(0.3).epsilon(kTight));
  CHECK(result[1] == doctest::Approx(4).epsilon(kTight));
}

TEST_CASE("what slides has been at its bound so far, whatever errors of steps make of its force") {
  for (const int side : {1, -1}) {
    Play play = Play(-1).friction(4, 5).spring({-side * 0.4 * (1 - 1e-10), -side * 2.0});
    play.state.friction[0].direction = static_cast<std::int8_t>(side);
    REQUIRE(play.decide());
    CHECK(play.slip() == side);
  }
}

TEST_CASE("drives that cancel leave no more of a slip than the rounding of each") {
  // The slip velocity of 3.6e-11 is rounding; that it falls decides.
  Play play = Play(-1).friction(4, 4).spring({-0.4, -3.6e-11, 5});
  play.drives.rounding = VectorXd::Constant(4, 1e-10);
  REQUIRE(play.decide());
  CHECK(play.slip() == 0);
  CHECK(play.at_bound() == 0);
  play.drives.rounding.setConstant(1e-11);
  REQUIRE(play.decide());
  CHECK(play.slip() == 1);
}

namespace {

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
  REQUIRE(decide_settling(numbers, drives, {{0, 0}, {0}, {0}, 0, {}, {}}, state, zeros));
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
