// An island of one massless point, for tests of its mode.
#pragma once

#include <Eigen/Core>
#include <initializer_list>

#include "runtime/events/settling.h"

namespace luztar::test {

inline constexpr double kTight = 1e-14;  // a few roundings

/// A point on one friction, held by a spring of stiffness 10 to a drive u, linear when b < 0:
/// the force of the spring is 10 (x + u), so u = -(position of its other end).
struct Play {
  SettleNumbers numbers;
  SettleDrives drives;
  SettleHints hints;
  SettleState state;
  SettleZeros zeros;

  explicit Play(double half_freeplay, Eigen::Index orders = 3) {
    numbers.directions.resize(2, 1);
    numbers.directions << 1, 1;
    numbers.stiffness = Eigen::VectorXd::Constant(1, 10);
    numbers.half_freeplay = Eigen::VectorXd::Constant(1, half_freeplay);
    numbers.weight = settle_weight(numbers.directions, numbers.stiffness);
    for (Eigen::MatrixXd* m :
         {&drives.spring, &drives.travel, &drives.kinetic, &drives.bound, &drives.load}) {
      *m = Eigen::MatrixXd::Zero(1, orders + 1);
    }
    state.position = state.travel = state.force = Eigen::VectorXd::Zero(1);
    state.zone = state.riding = {0};
    state.friction.resize(1);
    hints.edge = hints.bound = hints.slid = {0};
  }
  static void put(Eigen::MatrixXd& m, std::initializer_list<double> coefficients) {
    Eigen::Index k = 0;
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

  bool decide() {
    SettleMaps maps;
    return decide_settling(numbers, drives, hints, maps, state, zeros);
  }
  [[nodiscard]] double position() const { return state.position[0]; }
  [[nodiscard]] double force() const { return state.force[0]; }
  [[nodiscard]] int slip() const { return state.friction[0].direction; }
  [[nodiscard]] int at_bound() const { return state.friction[0].at_bound; }
};

}  // namespace luztar::test
