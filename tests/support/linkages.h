// Linkages as a user writes them, and what every run of one has to keep.
#pragma once

#include <cmath>
#include <string>

#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {

/// class Gear: phi_a = phi_b + 0.3 sin phi_b.
extern const std::string kVariableGear;
/// d phi_a/d phi_b
inline double gear_ratio(double phi) { return 1 + 0.3 * std::cos(phi); }

/// A crank turns and a rod moves a piston, s = r cos phi + sqrt(l^2 - r^2 sin^2 phi).
constexpr double kRadius = 0.05, kRod = 0.16;    // r, l [m]
constexpr double kCrank = 0.004, kPiston = 0.6;  // [kg.m2], [kg]

template <class Real>
struct Slider {
  Real position, ratio, bend;  // s, s', s''
};

template <class Real>
Slider<Real> slider(Real phi) {
  const Real r = kRadius, l = kRod, s = std::sin(phi), c = std::cos(phi);
  const Real q = std::sqrt(l * l - r * r * s * s);
  return {r * c + q, -r * s - r * r * s * c / q,
          -r * c - r * r * (c * c - s * s) / q - r * r * r * r * s * s * c * c / (q * q * q)};
}

/// The energy account closes to 1e-12 of the turnover.
void check_energy(const Model& model, double stop);
/// CVODE moves alike, each column to `bound` of its peak.
void check_against_cvode(const Model& model, double stop, double bound);

}  // namespace luztar::test
