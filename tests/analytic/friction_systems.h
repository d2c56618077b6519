// Hand-written systems with dry friction whose motion is known in closed form; for the tests of all
// solvers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "runtime/pwl/luz.h"
#include "runtime/system.h"

namespace luztar::analytic {

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
    s.state_count = 2;
    s.constant_count = 1;
    s.friction_count = 1;
    s.state_names = {"mass.s", "mass.v"};
    s.friction_names = {"friction"};
    s.outputs = {{"mass.s", "m", false}, {"mass.v", "m/s", false}, {"friction.mode", "", true}};
    s.reactions = {{{1, 0}}};
    s.prepare = [](const double*, double* c, double* x0) {
      c[0] = 1;
      x0[0] = kRelease;
      x0[1] = 0;
    };
    s.derivatives = [](double, const double* x, const double*, const std::int32_t* mode,
                       double* dx) {
      const double spring = -kStiffness * x[0];
      dx[0] = x[1];
      dx[1] = (mode[0] == 0 ? luz(spring, kFriction) : spring - kFriction * mode[0]) / kMass;
    };
    s.slips = [](double, const double* x, const double*, double* slip) { slip[0] = x[1]; };
    s.demands = [](double, const double* x, const double*, const std::int32_t*, double* demand,
                   double* bound) {
      demand[0] = -kStiffness * x[0];
      bound[0] = kFriction;
    };
    s.evaluate_outputs = [](double, const double* x, const double*, const std::int32_t* mode,
                            double* y) {
      y[0] = x[0];
      y[1] = x[1];
      y[2] = mode[0];
    };
    s.assertions = [](double, const double*, const double*, const std::int32_t*, double*) {};
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
      c[0] = 1;
      x0[0] = x0[1] = 0;
    };
    s.derivatives = [](double t, const double* x, const double*, const std::int32_t* mode,
                       double* dx) {
      const double force = kRate * t;
      dx[0] = x[1];
      dx[1] = (mode[0] == 0 ? luz(force, kStatic) : force - kKinetic * mode[0]) / kMass;
    };
    s.demands = [](double t, const double*, const double*, const std::int32_t*, double* demand,
                   double* bound) {
      demand[0] = kRate * t;
      bound[0] = kStatic;
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
    s.state_count = 2;
    s.constant_count = 2;
    s.friction_count = 1;
    s.state_names = {"top.v", "bottom.v"};
    s.friction_names = {"face"};
    s.outputs = {{"top.v", "m/s", false}, {"bottom.v", "m/s", false}, {"face.mode", "", true}};
    s.reactions = {{{0, 0}, {1, 1}}};
    s.prepare = [](const double*, double* c, double* x0) {
      c[0] = kBottom / (kTop + kBottom);
      c[1] = -kTop / (kTop + kBottom);
      x0[0] = kTopSpeed;
      x0[1] = kBottomSpeed;
    };
    s.derivatives = [](double, const double*, const double*, const std::int32_t* mode, double* dx) {
      dx[0] = -kFriction * mode[0] / kTop;
      dx[1] = kFriction * mode[0] / kBottom;
    };
    s.slips = [](double, const double* x, const double*, double* slip) { slip[0] = x[0] - x[1]; };
    s.demands = [](double, const double*, const double*, const std::int32_t*, double* demand,
                   double* bound) {
      demand[0] = 0;
      bound[0] = kFriction;
    };
    s.evaluate_outputs = CoulombOscillator::system().evaluate_outputs;
    s.assertions = CoulombOscillator::system().assertions;
    return s;
  }
};

}  // namespace luztar::analytic
