// Impacts of several contacts at once, against impacts of two bodies in turn.
#include "runtime/events/impact.h"

#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <vector>

namespace luztar {
namespace {

/// Bodies in a row: contact i closes when body i is faster than body i + 1.
struct BodyRow {
  Eigen::VectorXd mass;

  [[nodiscard]] Eigen::MatrixXd closing() const {
    const Eigen::Index n = mass.size() - 1;
    Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(n, mass.size());
    for (Eigen::Index i = 0; i < n; ++i) {
      rows(i, i) = 1;
      rows(i, i + 1) = -1;
    }
    return rows;
  }
  [[nodiscard]] Eigen::VectorXd strike(const Eigen::VectorXd& speed,
                                       const Eigen::VectorXd& restitution,
                                       std::vector<std::uint8_t> opens = {}) const {
    const Eigen::MatrixXd rows = closing();
    const Eigen::MatrixXd response = mass.cwiseInverse().asDiagonal() * rows.transpose();
    const Eigen::MatrixXd gram = rows * response;
    const std::vector<std::int8_t> sides(static_cast<std::size_t>(rows.rows()), 1);
    opens.resize(sides.size());
    const ImpactResult result = solve_impact(Gram(gram), sides, opens, rows * speed, restitution);
    const Eigen::VectorXd after = speed - response * result.impulse;
    const double terms = (gram.cwiseAbs() * result.impulse.cwiseAbs()).maxCoeff() + 1;
    CHECK((rows * after - result.after).cwiseAbs().maxCoeff() < 1e-14 * terms);
    return after;
  }
  [[nodiscard]] double energy(const Eigen::VectorXd& speed) const {
    return speed.dot(mass.asDiagonal() * speed) / 2;
  }
  [[nodiscard]] double momentum(const Eigen::VectorXd& speed) const { return mass.dot(speed); }
};

/// The first contact that approaches is struck alone, until none does.
Eigen::VectorXd strike_in_turn(const BodyRow& row, Eigen::VectorXd speed,
                               const Eigen::VectorXd& restitution) {
  for (Eigen::Index i = 0; i < restitution.size();) {
    const double closing = speed[i] - speed[i + 1];
    const double a = row.mass[i], b = row.mass[i + 1];
    if (closing <= 0) {
      ++i;
      continue;
    }
    speed[i] -= (1 + restitution[i]) * closing * b / (a + b);
    speed[i + 1] += (1 + restitution[i]) * closing * a / (a + b);
    i = 0;
  }
  return speed;
}

TEST_CASE("a body that bounces to and fro between two has the impacts of two bodies in turn") {
  const BodyRow row{Eigen::Vector3d(1, 0.01, 2)};
  const Eigen::Vector3d speed(1, -3, -2);
  for (const double e : {0.8, 0.95, 1.0}) {
    const Eigen::Vector2d restitution(e, 1 - (1 - e) / 2);
    const Eigen::VectorXd after = row.strike(speed, restitution);
    const Eigen::VectorXd expected = strike_in_turn(row, speed, restitution);
    CHECK((after - expected).cwiseAbs().maxCoeff() < 1e-12);
  }
}

TEST_CASE("bodies that close in on a light one with a loss stay together") {
  const Eigen::Vector3d speed(1, 4, -2);
  for (const double light : {1e-2, 1e-4, 1e-8}) {
    const BodyRow row{Eigen::Vector3d(1, light, 2)};
    const Eigen::VectorXd after = row.strike(speed, Eigen::Vector2d(1, 0.2));
    const double common = row.momentum(speed) / row.mass.sum();
    const double rounding = 1e-13 + 1e-15 / light;  // of the light body's response
    CHECK((after.array() - common).abs().maxCoeff() < rounding);
  }
}

// The light body has a loss on one side and stays with the other one, from which a force draws it
// before it comes back: that one is not there when it is hit again. It is without such a force.
TEST_CASE("a light body that a force draws from another one is hit alone") {
  const BodyRow row{Eigen::Vector3d(100, 0.1, 2)};
  const Eigen::Vector3d speed(1, -2, -1.9);
  const Eigen::Vector2d restitution(0.6, 0);
  const Eigen::VectorXd alone = row.strike(speed, restitution, {0, 1});
  CHECK((alone.array() - row.momentum(speed) / row.mass.sum()).abs().maxCoeff() < 1e-12);
  const Eigen::VectorXd together = row.strike(speed, restitution, {0, 0});
  CHECK(together[2] - together[0] > 0.5);
}

TEST_CASE("bodies that close in on a light one without a loss turn back") {
  const BodyRow row{Eigen::Vector3d(1, 1e-5, 2)};
  const Eigen::Vector3d speed(1, 0, -2);
  const Eigen::VectorXd after = row.strike(speed, Eigen::Vector2d(1, 1));
  CHECK(row.energy(after) == doctest::Approx(row.energy(speed)).epsilon(1e-11));
  CHECK(after[0] == doctest::Approx(-3).epsilon(0.01));  // of the two heavy ones alone
  CHECK(after[2] == doctest::Approx(0).scale(1).epsilon(0.01));
}

TEST_CASE("impacts of any restitutions lose energy, keep momentum and leave nothing approaching") {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> unit(0, 1), speeds(-1, 1), decades(-4, 1);
  for (int k = 0; k < 400; ++k) {
    const Eigen::Index n = 2 + k % 5;
    BodyRow row{Eigen::VectorXd(n)};
    Eigen::VectorXd speed(n), restitution(n - 1);
    for (double& m : row.mass) m = std::pow(10, decades(random));
    for (double& v : speed) v = speeds(random);
    for (double& e : restitution) e = k % 3 == 0 ? 1 : unit(random);
    const Eigen::VectorXd after = row.strike(speed, restitution);
    CAPTURE(k);
    CHECK(row.energy(after) <= row.energy(speed) * (1 + 1e-11));
    CHECK(std::fabs(row.momentum(after) - row.momentum(speed)) < 1e-11 * row.mass.sum());
    CHECK((row.closing() * after).maxCoeff() < 1e-11);
    if (k % 3 == 0) CHECK(row.energy(after) >= row.energy(speed) * (1 - 1e-11));
  }
}

}  // namespace
}  // namespace luztar
