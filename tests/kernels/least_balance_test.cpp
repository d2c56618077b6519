// The way of several bodies without inertia under frictions that fall with speed, against
// M v' = -dR(v) with several M.
#include "runtime/pwl/least_balance.h"

#include <doctest/doctest.h>

#include <Eigen/LU>
#include <cmath>
#include <random>
#include <vector>

#include "tests/kernels/moreau_steps.h"
#include "tests/support/random_cases.h"

namespace luztar::test {
namespace {

constexpr Eigen::Index kRowBodies = 4, kRowFrictions = 8;

NetworkBalance network_of(const DampedBodies& row, const Eigen::VectorXd& load) {
  const Eigen::MatrixXd inverse = row.damping.inverse();
  return {row.laws, row.slips(inverse * load),
          Gram(Eigen::MatrixXd(row.rows * inverse * row.rows.transpose()))};
}

class RowDraw {
 public:
  explicit RowDraw(unsigned seed) : random_(seed) {}
  double operator()(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }

  /// Damped bodies in a row, dampers and dry frictions between them; on the ground, or on belts,
  /// frictions that fall along lines, or exponentially, but for the last one.
  DampedBodies row(bool any_belt, bool any_decay) {
    RowDraw& draw = *this;
    DampedBodies row;
    row.damping = Eigen::MatrixXd::Zero(kRowBodies, kRowBodies);
    row.rows = Eigen::MatrixXd::Zero(kRowFrictions, kRowBodies);
    row.belts = Eigen::VectorXd::Zero(kRowFrictions);
    row.falls.resize(kRowFrictions);
    for (Eigen::Index a = 0; a < kRowBodies; ++a) {
      row.damping(a, a) += draw(0.3, 1);
      row.rows(a, a) = 1;
      row.rows(kRowBodies + a, a) = 1;
      if (a + 1 == kRowBodies) continue;
      Eigen::VectorXd d =
          Eigen::VectorXd::Unit(kRowBodies, a) - Eigen::VectorXd::Unit(kRowBodies, a + 1);
      row.damping += draw(0, 1) * d * d.transpose();
      row.rows.row(kRowBodies + a) = d;
    }
    for (Eigen::Index i = 0; i < kRowFrictions; ++i) {
      const auto at = static_cast<std::size_t>(i);
      FrictionLaw f;
      f.beyond = f.at_rest = f.holds = draw(0, 1) < 0.2 ? 0 : draw(0.2, 1.5);
      if (i < kRowBodies - 1) {
        const double v = draw(0.2, 0.6);
        row.falls[at] = {{v, 0.6}, {v / 2, 0.4}};
        f.at_rest = f.holds = f.beyond + draw(0.1, 3) * v;
        f.falls = row.falls[at];
        if (any_decay && draw(0, 1) < 0.6) {
          f.falls = {};
          f.decay = v / 2;
        }
        if (any_belt) row.belts[i] = draw(0, 1) < 0.5 ? 0 : draw(-1, 1);
      }
      row.laws.push_back(f);
    }
    return row;
  }

 private:
  std::mt19937 random_;
};

}  // namespace

namespace {

void check_rows(unsigned seed, bool any_decay) {
  RowDraw draw(seed);
  unsigned held = 0, slides = 0, far = 0, both = 0;
  for (unsigned n = 0; n < random_cases(300); ++n) {
    CAPTURE(n);
    const DampedBodies row = draw.row(n % 2 == 1, any_decay);
    Eigen::VectorXd load(kRowBodies), jump = Eigen::VectorXd::Zero(kRowBodies);
    for (Eigen::Index a = 0; a < kRowBodies; ++a) load[a] = draw(-2, 2);
    const Ended before =
        stepped(row, load, Eigen::VectorXd::Zero(kRowBodies), Eigen::VectorXd::Ones(kRowBodies));
    if (n % 3 == 0) {
      const double way = draw(-1, 1) > 0 ? 1 : -1;
      for (Eigen::Index a = 0; a < kRowBodies; ++a) jump[a] = way * draw(0, 2.5);
    } else {
      jump[n % kRowBodies] = draw(-4, 4);
    }
    const Eigen::VectorXd after_jump = load + jump;
    const Ended after = stepped(row, after_jump, before.v, Eigen::VectorXd::Ones(kRowBodies));
    for (const double ratio : {0.1, 10.0}) {
      Eigen::VectorXd mass(kRowBodies);
      for (Eigen::Index a = 0; a < kRowBodies; ++a) mass[a] = a % 2 == 0 ? ratio : 1 / ratio;
      const Ended other = stepped(row, after_jump, before.v, mass);
      REQUIRE((other.v - after.v).norm() <= 1e-4);
    }
    std::vector<char> resting;
    for (const std::int8_t side : before.side) resting.push_back(side == 0 ? 1 : 0);
    const std::vector<std::int8_t> no_way(kRowFrictions, 0);
    const Eigen::VectorXd rounding = Eigen::VectorXd::Constant(kRowFrictions, 1e-9);
    const NetworkBalance network = network_of(row, after_jump);
    const LeastBalance end = least_balance(network, row.slips(before.v), resting, no_way, rounding);
    CHECK((end.slip - row.slips(after.v)).lpNorm<Eigen::Infinity>() <= 1e-4);
    CHECK(end.side == after.side);
    far += (after.v - before.v).norm() > 0.5 ? 1 : 0;
    int slipping = 0;
    for (Eigen::Index i = 0; i < kRowBodies - 1; ++i) {
      slipping += end.side[static_cast<std::size_t>(i)] != 0 ? 1 : 0;
    }
    held += slipping == 0 ? 1 : 0;
    slides += slipping > 0 ? 1 : 0;
    both += slipping > 1 ? 1 : 0;
    // A balance stays.
    resting.clear();
    for (const std::int8_t side : end.side) resting.push_back(side == 0 ? 1 : 0);
    CHECK_FALSE(least_balance(network, end.slip, resting, no_way,
                              Eigen::VectorXd::Constant(kRowFrictions, 1e-7))
                    .moves);
  }
  CHECK(held > random_cases(20));
  CHECK(slides > random_cases(50));
  CHECK(both > random_cases(50));
  CHECK(far > random_cases(50));
}

}  // namespace

// The load of one body jumps; or the loads of all do, the same way.
TEST_CASE("several bodies whose frictions fall go to one balance, whatever their masses are") {
  check_rows(5, false);
}

TEST_CASE("several bodies whose frictions fall along lines and exponentially do so, too") {
  check_rows(6, true);
}

}  // namespace luztar::test
