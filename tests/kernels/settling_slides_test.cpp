// Frictions of an island of massless points right after an instant: which of them slide, order by
// order.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <tuple>
#include <vector>

#include "runtime/events/settling.h"
#include "tests/support/play.h"

namespace luztar {
namespace {

using Eigen::VectorXd;
using test::kTight;
using test::Play;

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

TEST_CASE("a slide whose rates are rounding tends to rest and is never there") {
  // Held, it would take on the force of what tends there with it: slower than errors of steps.
  Play equal = Play(-1).friction(4, 4).spring({-0.4, 0, -1e-305});
  equal.state.friction[0].direction = 1;
  REQUIRE(equal.decide());
  CHECK(equal.slip() == 1);
  CHECK(equal.at_bound() == 1);
  Play play = Play(-1).friction(4, 6).spring({-0.4, 0, -1e-305});
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

TEST_CASE("a slide ends where what moves it is still") {
  Play play = Play(-1).friction(4, 6).spring({-0.4, 0, 0});
  play.state.friction[0].direction = 1;
  REQUIRE(play.decide());
  CHECK(play.slip() == 0);
  CHECK(play.at_bound() == 0);  // T_S is
  CHECK(play.force() == doctest::Approx(4).epsilon(kTight));
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
  SettleMaps maps;
  const Eigen::MatrixXd map = settling_map(play.numbers, maps, play.state);
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
  SettleMaps maps;
  const Eigen::MatrixXd map = settling_map(play.numbers, maps, play.state);
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

}  // namespace luztar
