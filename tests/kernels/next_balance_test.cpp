// The way of one speed without inertia between frictions that fall, against m x' = F(x) itself; and
// with bodies that follow it, against M v' = -dR(v) with several M.
#include "runtime/pwl/next_balance.h"

#include <doctest/doctest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <random>
#include <vector>

#include "tests/kernels/moreau_steps.h"
#include "tests/support/random_cases.h"

namespace luztar::test {
namespace {

/// No other bodies follow.
BodyBalance alone(const std::vector<SlipOnLine>& all) {
  const auto n = static_cast<Eigen::Index>(all.size());
  return {all, Gram(Eigen::MatrixXd::Zero(n, n))};
}

/// Explicit steps over F, each friction on the side of its slip; one that would be passed holds
/// when the force on it is not greater than what it takes.
double stepped(const std::vector<SlipOnLine>& all, double load, double x) {
  const auto force = [&](double at, std::size_t besides) {
    double sum = load - at;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i == besides) continue;
      const double slip = all[i].offset + all[i].ratio * at;
      sum -= all[i].weight * (slip > 0 ? 1 : -1) * kinetic_force(all[i], std::fabs(slip));
    }
    return sum;
  };
  constexpr double kStep = 1e-3;
  const double way = force(x, all.size()) > 0 ? 1 : -1;
  while (true) {
    const double next = x + way * kStep;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const double zero = -all[i].offset / all[i].ratio;
      if (way * (zero - x) <= 0 || way * (next - zero) < 0) continue;
      if (std::fabs(force(zero, i)) <= std::fabs(all[i].weight) * all[i].holds) return zero;
    }
    if (way * force(next, all.size()) <= 0) return next;
    x = next;
  }
}

/// Against small steps, from anywhere: of three frictions the last ones fall exponentially, or two
/// along lines, by at least `least` and at most `most` per slip; the first line by a share up to
/// `share` of that, where the second one makes up for it.
void check_ways(std::size_t decays, double least, double most, double share_of_first = 0.7) {
  std::mt19937 random(7);
  const auto draw = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  int held = 0, slides = 0;
  for (int n = 0; n < 300; ++n) {
    std::vector<std::vector<FallingPart>> falls(3);
    std::vector<SlipOnLine> all;
    for (std::size_t i = 0; i < 3; ++i) {
      SlipOnLine f;
      f.offset = draw(-2, 2);
      f.weight = f.ratio = draw(0.5, 1.5) * (draw(-1, 1) > 0 ? 1 : -1);
      f.beyond = draw(0.5, 2);
      f.at_rest = f.holds = f.beyond;
      if (i + decays > 2) {
        f.decay = draw(0.1, 1);
        f.at_rest = f.holds = f.beyond + draw(decays > 1 ? 0 : -0.3, 3);  // one alone may rise
        f.holds = std::fmax(f.holds, f.beyond);
      } else if (i > 0) {
        const double share = draw(1 - share_of_first, share_of_first), v = draw(0.2, 0.6);
        falls[i] = {{v, 1 - share}, {v / 2, share}};
        f.at_rest = f.holds = f.beyond + draw(least, most) * v;
      }
      f.falls = falls[i];
      all.push_back(f);
    }
    const double range = decays > 1 ? 10 : 6;  // where most fall for long fewer slides last
    const double load = draw(-range, range), from = draw(-6, 6);
    const NextBalance end =
        next_balance(alone(all), load, from, {std::vector<char>(3, 0)}, 0, 1e-9);
    REQUIRE(end.moves);
    CHECK(std::fabs(end.x - stepped(all, load, from)) <= 2e-3);
    const bool rests = end.side[0] == 0 || end.side[1] == 0 || end.side[2] == 0;
    ++(rests ? held : slides);
    // A balance stays.
    std::vector<char> resting;
    for (const std::int8_t side : end.side) resting.push_back(side == 0 ? 1 : 0);
    const NextBalance again = next_balance(alone(all), load, end.x, resting, 0, 1e-9);
    CHECK_FALSE(again.moves);
    CHECK(again.ahead == end.ahead);
    for (std::size_t i = 0; i < 3; ++i) {  // parts up to greater speeds than that of the slip
      const double slip = std::fabs(all[i].offset + all[i].ratio * end.x);
      int ahead = 0;
      for (const FallingPart& part : falls[i]) ahead += part.speed > slip ? 1 : 0;
      CHECK(int(end.ahead[i]) == (rests ? 0 : ahead));
    }
  }
  CHECK(held > 50);
  CHECK(slides > 50);
}

}  // namespace

TEST_CASE("the next balance is where small steps along the force end") {
  check_ways(0, 0.5, 4, 3);
  for (const std::size_t decays : {0, 1, 2, 3}) {
    CAPTURE(decays);
    check_ways(decays, 3, 6);
    check_ways(decays, 0.1, 1.5);
  }
}

// At rest it holds with more than what it slips with there, also where the way ends in it.
TEST_CASE("a friction that holds with more than it falls from") {
  const std::vector<FallingPart> falls{{0.5, 1}};
  const std::vector<SlipOnLine> one{{{7, 5, 9, falls}, 0, 1, 1}};
  const std::vector<char> rests{1}, slips{0};
  CHECK_FALSE(next_balance(alone(one), 8, 0, rests, 0, 1e-9).moves);
  CHECK(next_balance(alone(one), 9.5, 0, rests, 0, 1e-9).x == doctest::Approx(4.5));
  CHECK(next_balance(alone(one), 9, 0, rests, 1, 1e-9).x == doctest::Approx(4));
  CHECK(next_balance(alone(one), 6.5, 3, slips, 0, 1e-9).x == doctest::Approx(1.5));
  CHECK(next_balance(alone(one), -8.5, 3, slips, 0, 1e-9).x == 0);
  CHECK(next_balance(alone(one), -9.5, 3, slips, 0, 1e-9).x == doctest::Approx(-4.5));
  CHECK(next_balance(alone(one), 5.5, 0.5, slips, -1, 1e-9).x == 0);
}

TEST_CASE("a contact ends the way to it with any force, and none that leads away") {
  const std::vector<FallingPart> falls{{0.5, 1}};
  SlipOnLine contact;  // at x = 1
  contact.offset = -1;
  contact.ratio = contact.weight = 1;
  contact.pushes = 1;
  const std::vector<SlipOnLine> both{{{7, 5, 7, falls}, 0, 1, 1}, contact};
  const NextBalance stopped = next_balance(alone(both), 9, 0, {std::vector<char>{1, 0}}, 0, 1e-9);
  CHECK(stopped.moves);
  CHECK(stopped.x == 1);
  CHECK(stopped.side == std::vector<std::int8_t>{1, 0});
  const std::vector<char> touches{0, 1};
  CHECK_FALSE(next_balance(alone(both), 90, 1, touches, 0, 1e-9).moves);
  const NextBalance back = next_balance(alone(both), 3, 1, touches, 0, 1e-9);
  CHECK(back.x == 0);
  CHECK(back.side == std::vector<std::int8_t>{0, -1});
  // On the other side of it the friction is the one that ends the way.
  const NextBalance beyond = next_balance(alone(both), -9, 1, touches, 0, 1e-9);
  CHECK(beyond.x == doctest::Approx(-4));
  CHECK(beyond.side == std::vector<std::int8_t>{-1, -1});
}

namespace {

constexpr Eigen::Index kBodies = 3;
using Velocities = Eigen::Vector3d;

/// Three damped bodies, dampers between them; the first `own` frictions are on the first body,
/// where they fall up to speeds of `falls`.
struct Bodies : DampedBodies {
  Eigen::Index own = 0;

  /// Forces on the bodies at these velocities and loads, and where they balance.
  [[nodiscard]] BodyBalance balance(const Velocities& load) const {
    const Eigen::MatrixXd inverse = damping.inverse();
    const Eigen::MatrixXd gram = rows * inverse * rows.transpose();
    const Eigen::VectorXd free = rows * inverse * load - belts;
    BodyBalance out;
    Eigen::MatrixXd coupling = Eigen::MatrixXd::Zero(gram.rows(), gram.rows());
    for (Eigen::Index i = 0; i < gram.rows(); ++i) {
      const FrictionLaw& law = laws[static_cast<std::size_t>(i)];
      out.frictions.push_back({law, free[i], gram(0, i) / gram(0, 0), gram(0, i)});
      for (Eigen::Index j = 0; i >= own && j < gram.rows(); ++j) {
        if (j >= own) coupling(i, j) = gram(i, j) - gram(0, i) * gram(0, j) / gram(0, 0);
      }
    }
    out.coupling = coupling;
    return out;
  }
};

}  // namespace

// Whatever their masses are to each other, they end at the same speeds when the load of the body
// jumps on which frictions fall. Where others hold with more than they slide with these have a say
// in few cases.
TEST_CASE("other bodies without inertia follow one to the next balance") {
  std::mt19937 random(11);
  const auto draw = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  int held = 0, slides = 0, far = 0, several = 0;
  for (int n = 0; n < static_cast<int>(random_cases(200)); ++n) {
    CAPTURE(n);
    const bool snaps = n % 2 == 1;  // others hold with more than they slide with
    Bodies bodies;
    bodies.damping = Velocities(draw(0.3, 1), draw(0.3, 1), draw(0.3, 1)).asDiagonal();
    for (const auto& [a, b] : {std::pair{0, 1}, std::pair{1, 2}}) {
      Velocities d = Velocities::Unit(a) - Velocities::Unit(b);
      bodies.damping += draw(0, 1) * d * d.transpose();
    }
    const Velocities directions[] = {Velocities::Unit(0),
                                     Velocities::Unit(0),
                                     Velocities::Unit(1),
                                     Velocities::Unit(2),
                                     Velocities::Unit(0) - Velocities::Unit(1),
                                     Velocities::Unit(1) - Velocities::Unit(2)};
    bodies.own = 2;
    bodies.rows.resize(6, kBodies);
    bodies.belts.resize(6);
    bodies.falls.resize(6);
    for (Eigen::Index i = 0; i < 6; ++i) {
      const auto at = static_cast<std::size_t>(i);
      bodies.rows.row(i) = directions[at].transpose();
      bodies.belts[i] = draw(0, 1) < 0.5 || i > 3 ? 0 : draw(-1, 1);
      FrictionLaw f;
      f.beyond = f.at_rest = f.holds = draw(0, 1) < 0.2 ? 0 : draw(0.2, 1.5);
      if (i < bodies.own) {
        const double v = draw(0.2, 0.6);
        bodies.falls[at] = {{v, 0.6}, {v / 2, 0.4}};
        f.at_rest = f.holds = f.beyond + draw(0.5, 4) * v;
        f.falls = bodies.falls[at];
      } else if (snaps) {
        f.holds *= draw(1, 1.8);
      }
      bodies.laws.push_back(f);
    }
    Velocities load(draw(-2, 2), draw(-2, 2), draw(-2, 2));
    const Ended before = stepped(bodies, load, Velocities::Zero(), Velocities::Ones());
    load[0] += draw(-4, 4);
    const Ended after = stepped(bodies, load, before.v, Velocities::Ones());
    bool is_unique = true;
    for (const Velocities& mass : {Velocities(10, 0.3, 0.1), Velocities(0.1, 3, 0.3)}) {
      const Ended other = stepped(bodies, load, before.v, mass);
      is_unique = is_unique && (other.v - after.v).norm() <= 1e-4;
    }
    if (snaps) {
      several += is_unique ? 0 : 1;
      if (!is_unique) continue;
    }
    CHECK(is_unique);
    const BodyBalance balance = bodies.balance(load);
    std::vector<char> resting;
    for (const std::int8_t side : before.side) resting.push_back(side == 0 ? 1 : 0);
    const double from = bodies.slips(before.v)[0] - balance.frictions[0].offset;
    const NextBalance end = next_balance(balance, 0, from, resting, 0, 1e-9);
    const double x = bodies.slips(after.v)[0] - balance.frictions[0].offset;
    CHECK(std::fabs(end.x - x) <= 1e-4);
    CHECK(end.side == after.side);
    const bool rests = after.side[0] == 0 || after.side[1] == 0;
    ++(rests ? held : slides);
    far += (after.v - before.v).norm() > 0.5 ? 1 : 0;
    // A balance stays.
    resting.clear();
    for (const std::int8_t side : end.side) resting.push_back(side == 0 ? 1 : 0);
    const NextBalance again = next_balance(balance, 0, end.x, resting, 0, 1e-7);
    CHECK_FALSE(again.moves);
    CHECK(again.ahead == end.ahead);
  }
  const auto least = static_cast<int>(random_cases(50));
  CHECK(held > least);
  CHECK(slides > least);
  CHECK(far > least);
  CHECK(several <= 4);
}

}  // namespace luztar::test
