// Hand-written systems whose motion is known in closed form, most of them with one dry friction;
// for the tests of all solvers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "runtime/system.h"

namespace luztar::analytic {

/// Slots of the mode of a system with one friction; its constants of the mode are copies of them.
enum FrictionSlot : std::uint32_t { kDirection, kMoving, kHold, kKineticForce, kStaticForce };
inline constexpr std::size_t kFrictionSlots = 5;

/// Rows of a friction, from its first one on.
enum FrictionRow : std::uint32_t { kSlip, kFree, kReserve, kKineticBound = 4 };
inline constexpr std::size_t kFrictionRows = 5;

/// Gives a system of `states` states its only friction, with its rows after them; G is constant 0.
inline void add_friction(System& s, std::size_t states, const char* name) {
  const auto row = static_cast<std::uint32_t>(states);
  s.state_count = states;
  s.row_count = states + kFrictionRows;
  s.slot_count = kFrictionSlots;
  s.constant_count = s.mode_constants + kFrictionSlots;
  Friction friction;
  friction.name = name;
  friction.slip_row = row + kSlip;
  friction.free_row = row + kFree;
  friction.reserve_row = row + kReserve;
  friction.kinetic_row = row + kKineticBound;
  friction.direction_slot = kDirection;
  friction.moving_slot = kMoving;
  s.frictions = {friction};
  FrictionIsland island;
  island.count = 1;
  island.gram = {{0, 0, 0}};
  island.hold_slot = kHold;
  island.kinetic_slot = kKineticForce;
  island.static_slot = kStaticForce;
  s.islands = {island};
  s.prepare_mode = [](const double*, const double* m, double* mode_c) {
    std::copy_n(m, kFrictionSlots, mode_c);
  };
}

/// One order of the rows of the friction from one order of what they follow from; its force.
inline double put_friction(double* rows, const double* mode, double slip, double free,
                           double kinetic, double bound) {
  const double force =
      mode[kHold] * free + mode[kKineticForce] * kinetic + mode[kStaticForce] * bound;
  rows[kSlip] = slip;
  rows[kFree] = free;
  rows[kReserve] = bound + force;
  rows[kReserve + 1] = bound - force;
  rows[kKineticBound] = kinetic;
  return force;
}

/// Coefficient k of a quantity that does not change.
inline double steady(double value, std::int64_t k) { return k == 0 ? value : 0.0; }

/// Mass on a spring with Coulomb friction, let go at x = A: M x'' + k x + T sgn(x') = 0.
/// Each half swing takes pi/omega and costs 2T/k of amplitude; it ends where |x| <= T/k.
struct CoulombOscillator {
  static constexpr double kMass = 2.0, kStiffness = 50.0, kFriction = 4.0, kRelease = 1.0;
  static constexpr double kLoss = kFriction / kStiffness;  // d = T/k [m]

  static double omega() { return std::sqrt(kStiffness / kMass); }
  /// Number of half swings until it rests: the first j with A - 2jd <= d.
  static int half_swings() {
    return static_cast<int>(std::ceil((kRelease - kLoss) / (2 * kLoss) - 1e-12));
  }
  static double rest() {
    const int j = half_swings();
    return (j % 2 == 0 ? 1 : -1) * (kRelease - 2 * j * kLoss);
  }
  static double position(double t) {
    const int j = static_cast<int>(t * omega() / std::numbers::pi);
    if (j >= half_swings()) return rest();
    const double side = j % 2 == 0 ? 1 : -1;
    const double start = side * (kRelease - 2 * j * kLoss), middle = side * kLoss;
    return middle + (start - middle) * std::cos(omega() * t - j * std::numbers::pi);
  }

  static System system() {
    System s;
    s.mode_constants = 1;
    add_friction(s, 2, "friction");
    s.frictions[0].velocity_state = 1;
    s.frictions[0].response = {{1, 0}};
    s.state_names = {"mass.s", "mass.v"};
    s.outputs = {{"mass.s", "m", false}, {"mass.v", "m/s", false}, {"friction.mode", "", true}};
    s.prepare = [](const double*, double* c, double* x0) {
      c[0] = 1 / kMass;
      x0[0] = kRelease;
      x0[1] = 0;
    };
    s.jets = [](double, const double* c, std::int64_t first, std::int64_t last, double* J,
                const std::uint8_t*) {
      constexpr std::size_t kRows = 2 + kFrictionRows;
      const double* mode = c + 1;
      J += first * kRows;
      for (std::int64_t k = first; k <= last; ++k, J += kRows) {
        const double bound = steady(kFriction, k), free = -kStiffness * J[0] / kMass;
        const double force = put_friction(J + 2, mode, J[1], free, bound, bound);
        const auto next = static_cast<double>(k + 1);
        J[kRows] = J[1] / next;
        J[kRows + 1] = mode[kMoving] * (free - force / kMass) / next;
      }
    };
    s.evaluate_outputs = [](double, const double* x, const double* c, double* y) {
      y[0] = x[0];
      y[1] = x[1];
      y[2] = c[1 + kDirection];
    };
    return s;
  }
};

/// Block on the ground under a growing force F = r t, static friction above kinetic: rests until t
/// = T_S/r, then M v' = r t - T_K.
struct RampedBlock {
  static constexpr double kMass = 3.0, kRate = 2.0, kKinetic = 1.0, kStatic = 2.5;

  static double breakaway() { return kStatic / kRate; }
  static double velocity(double t) {
    const double t0 = breakaway();
    if (t <= t0) return 0;
    return (kRate * (t * t - t0 * t0) / 2 - kKinetic * (t - t0)) / kMass;
  }

  static System system() {
    System s = CoulombOscillator::system();
    s.prepare = [](const double*, double* c, double* x0) {
      c[0] = 1 / kMass;
      x0[0] = x0[1] = 0;
    };
    s.jets = [](double t, const double* c, std::int64_t first, std::int64_t last, double* J,
                const std::uint8_t*) {
      constexpr std::size_t kRows = 2 + kFrictionRows;
      const double* mode = c + 1;
      J += first * kRows;
      for (std::int64_t k = first; k <= last; ++k, J += kRows) {
        const double free = kRate * (k == 0 ? t : steady(1, k - 1)) / kMass;
        const double force =
            put_friction(J + 2, mode, J[1], free, steady(kKinetic, k), steady(kStatic, k));
        const auto next = static_cast<double>(k + 1);
        J[kRows] = J[1] / next;
        J[kRows + 1] = mode[kMoving] * (free - force / kMass) / next;
      }
    };
    return s;
  }
};

/// Two free masses with friction between them (P2 sec. 3): the slip dies out at a constant rate,
/// then both go on with their common momentum.
struct SlidingPair {
  static constexpr double kTop = 1.0, kBottom = 3.0, kFriction = 0.7, kTopSpeed = 2.0,
                          kBottomSpeed = -0.4;

  static double stick_time() {
    return (kTopSpeed - kBottomSpeed) / (kFriction * (1 / kTop + 1 / kBottom));
  }
  static double common_speed() {
    return (kTop * kTopSpeed + kBottom * kBottomSpeed) / (kTop + kBottom);
  }
  static double top_speed(double t) {
    return t >= stick_time() ? common_speed() : kTopSpeed - kFriction / kTop * t;
  }

  static System system() {
    System s;
    s.mode_constants = 3;
    add_friction(s, 3, "face");
    s.slip_state_count = 1;
    s.frictions[0].slip_state = 2;
    s.frictions[0].response = {{0, 1}, {1, 2}};
    s.state_names = {"top.v", "bottom.v", "face.slip"};
    s.outputs = {{"top.v", "m/s", false}, {"bottom.v", "m/s", false}, {"face.mode", "", true}};
    s.prepare = [](const double*, double* c, double* x0) {
      c[0] = 1 / kTop + 1 / kBottom;
      c[1] = 1 / kTop;
      c[2] = -1 / kBottom;
      x0[0] = kTopSpeed;
      x0[1] = kBottomSpeed;
      x0[2] = 0;
    };
    s.jets = [](double, const double* c, std::int64_t first, std::int64_t last, double* J,
                const std::uint8_t*) {
      constexpr std::size_t kRows = 3 + kFrictionRows;
      const double* mode = c + 3;
      J += first * kRows;
      for (std::int64_t k = first; k <= last; ++k, J += kRows) {
        const double bound = steady(kFriction, k), free = 0;
        const double force = put_friction(J + 3, mode, J[0] - J[1], free, bound, bound);
        const auto next = static_cast<double>(k + 1);
        J[kRows] = -force / kTop / next;
        J[kRows + 1] = force / kBottom / next;
        J[kRows + 2] = mode[kMoving] * (free - c[0] * force) / next;
      }
    };
    s.evaluate_outputs = [](double, const double* x, const double* c, double* y) {
      y[0] = x[0];
      y[1] = x[1];
      y[2] = c[3 + kDirection];
    };
    return s;
  }
};

/// x' = x^2 from 1: x = 1/(1 - t). Beside it the time as a state, c' = 1, with an assertion
/// c < 0.25 that `with_assertion` adds.
struct Explosion {
  static System system() {
    System s;
    s.state_count = s.row_count = 2;
    s.state_names = {"clock", "x"};
    s.outputs = {{"clock", "s", false}, {"x", "", false}};
    s.prepare = [](const double*, double*, double* x0) { x0[0] = 0, x0[1] = 1; };
    s.prepare_mode = [](const double*, const double*, double*) {};
    s.jets = [](double, const double*, std::int64_t first, std::int64_t last, double* J,
                const std::uint8_t*) {
      for (std::int64_t k = first; k <= last; ++k) put_rates(J, 2, k);
    };
    s.evaluate_outputs = [](double, const double* x, const double*, double* y) {
      y[0] = x[0], y[1] = x[1];
    };
    return s;
  }

  static System with_assertion() {
    System s = system();
    s.row_count = 3;
    s.slot_count = s.constant_count = 1;
    s.switches = {{SwitchKind::kPositive, 2, 0, "0.25 - clock"}};
    s.assertion_messages = {"fine", "clock stays below 0.25"};
    s.prepare_mode = [](const double*, const double* m, double* mode_c) { mode_c[0] = m[0]; };
    s.jets = [](double, const double*, std::int64_t first, std::int64_t last, double* J,
                const std::uint8_t*) {
      for (std::int64_t k = first; k <= last; ++k) {
        put_rates(J, 3, k);
        J[k * 3 + 2] = steady(0.25, k) - J[k * 3];
      }
    };
    s.assertions = [](double, const double*, const double* c, double* holds) {
      holds[0] = 1;
      holds[1] = c[0];
    };
    return s;
  }

 private:
  static void put_rates(double* J, std::int64_t rows, std::int64_t k) {
    double square = 0;
    for (std::int64_t j = 0; j <= k; ++j) square += J[j * rows + 1] * J[(k - j) * rows + 1];
    J[(k + 1) * rows] = steady(1, k);
    J[(k + 1) * rows + 1] = square / static_cast<double>(k + 1);
  }
};

}  // namespace luztar::analytic
