// The printed equations of the papers, written out by hand and independent of the compiler.
//   P1 = Zardecki, JTAM 44(1) part 2, sec. 4.1;  P4 = Zardecki, KONES 2009, sec. 4;
//   P5 = two-mass model with freeplay and friction, eq. (16)-(50);  P2 = JTAM 44(2), sec. 2.
// Misprints are corrected and noted where they stand. A friction that can stick has a mode: -1 or 1
// while it slips in that direction, 0 when the slip velocity is zero. C tar(v, T/C) in mode s is C
// v + T s.
#pragma once

#include <array>

#include "tests/support/tracked.h"

namespace luztar::test {

using Real = Tracked;

// ----------------------------------------------------------------------------------------------------
// P2, single mass

struct SingleMassParameters {
  Real M, C, FT0;
};

/// M z'' in P2 sec. 2 (M missing on the left of some printed forms), divided by M.
inline Real single_mass_acceleration(const SingleMassParameters& p, Real F, Real v, int mode) {
  if (mode == 0) return luz(F, p.FT0) / p.M;
  return (F - (p.C * v + p.FT0 * Real(mode))) / p.M;
}

/// C z' = luz(F, FT0), M = 0.
inline Real single_mass_massless_velocity(const SingleMassParameters& p, Real F) {
  return luz(F, p.FT0) / p.C;
}

// ------------------------------------------------------------------ P2 sec. 4 case 4, separation
// sheet

struct SheetParameters {
  Real M1, C12, T12, C20, T20;
};

/// Velocity of a massless sheet between a block of velocity v1 and the ground (R7):
/// C20 tar(z2', T20/C20) = C12 tar(z1' - z2', T12/C12).
inline Real sheet_velocity(const SheetParameters& p, Real v1) {
  const Real k = p.C12 / p.C20, ka = p.T12 / p.C20, b = p.T20 / p.C20;
  if (p.T12.value >= p.T20.value) return v1 - luz(v1, ka - b) / (k + Real(1.0));
  return k / (k + Real(1.0)) * luz(v1, (b - ka) / k);
}

/// z1''. The same force passes both faces of the sheet: its static bound is the smaller of the two,
/// and in slip it is that of the face that slips. Mode of z1'.
inline Real sheet_block_acceleration(const SheetParameters& p, Real F, Real v1, int mode) {
  if (mode == 0) return luz(F, p.T12.value < p.T20.value ? p.T12 : p.T20) / p.M1;
  const Real v2 = sheet_velocity(p, v1);
  const Real friction = p.T12.value >= p.T20.value ? p.C20 * v2 + p.T20 * Real(mode)
                                                   : p.C12 * (v1 - v2) + p.T12 * Real(mode);
  return (F - friction) / p.M1;
}

// ------------------------------------------------------------------------------------------------------
// P5, two masses

struct TwoMassParameters {
  Real M1, M2, K, z0, C, FT0;
};

struct TwoMassState {
  Real z1, v1, z2, v2;
};

/// (25), (26): z1'', z2''. Mode of the slip z1' - z2'.
inline std::array<Real, 2> two_mass(const TwoMassParameters& p, const TwoMassState& x, Real F1,
                                    Real F2, int mode) {
  const Real spring = p.K * luz(x.z1 - x.z2, p.z0);
  if (mode != 0) {
    const Real friction = p.C * (x.v1 - x.v2) + p.FT0 * Real(mode);
    return {(-friction - spring + F1) / p.M1, (friction + spring + F2) / p.M2};
  }
  const Real sum = p.M1 + p.M2;
  const Real breakaway = luz(-spring + (p.M2 * F1 - p.M1 * F2) / sum, p.FT0);
  return {(p.M1 / sum * (F1 + F2) + breakaway) / p.M1, (p.M2 / sum * (F1 + F2) - breakaway) / p.M2};
}

/// (31), (32): at rest of the slip and M2 F1 = M1 F2.
inline std::array<Real, 2> two_mass_balanced(const TwoMassParameters& p, const TwoMassState& x,
                                             Real F1, Real F2) {
  const Real sum = p.M1 + p.M2;
  const Real spring = p.K * luz(x.z1 - x.z2, p.z0 + p.FT0 / p.K);
  return {(p.M1 / sum * (F1 + F2) - spring) / p.M1, (p.M2 / sum * (F1 + F2) + spring) / p.M2};
}

/// (33)-(36): without external forces.
inline std::array<Real, 2> two_mass_free(const TwoMassParameters& p, const TwoMassState& x,
                                         int mode) {
  if (mode != 0) return two_mass(p, x, 0.0, 0.0, mode);  // (33), (34)
  const Real spring = p.K * luz(x.z1 - x.z2, p.z0 + p.FT0 / p.K);
  return {-spring / p.M1, spring / p.M2};
}

/// (39): M2 -> inf, z2 = 0; z1''. Mode of z1'.
inline Real two_mass_blocked(const TwoMassParameters& p, Real z1, Real v1, Real F1, int mode) {
  const Real spring = p.K * luz(z1, p.z0);
  if (mode == 0) return luz(-spring + F1, p.FT0) / p.M1;
  return (-(p.C * v1 + p.FT0 * Real(mode)) - spring + F1) / p.M1;
}

/// (40): (39) at rest without external force.
inline Real two_mass_blocked_free_at_rest(const TwoMassParameters& p, Real z1) {
  return -p.K * luz(z1, p.z0 + p.FT0 / p.K) / p.M1;
}

/// (44): M1 -> 0; z1'.
inline Real two_mass_massless_velocity(const TwoMassParameters& p, Real z1, Real z2, Real v2,
                                       Real F1) {
  return v2 + luz(-p.K * luz(z1 - z2, p.z0) + F1, p.FT0) / p.C;
}

/// (46): M1 -> 0; z2''.
inline Real two_mass_massless_acceleration(const TwoMassParameters& p, Real F1, Real F2) {
  return (F1 + F2) / p.M2;
}

/// (48): M1 -> 0, M2 -> inf; z1'.
inline Real two_mass_massless_blocked(const TwoMassParameters& p, Real z1, Real F1) {
  return luz(-p.K * luz(z1, p.z0) + F1, p.FT0) / p.C;
}

/// (49), (50): (48) without external force, with the parameter ff = z0 + FT0/K.
inline Real two_mass_massless_blocked_free(const TwoMassParameters& p, Real z1) {
  return -p.K / p.C * luz(z1, p.z0 + p.FT0 / p.K);
}

// ------------------------------------------------------------------------------------------------------
// P1, gear train

struct GearTrainParameters {
  Real I_psi, I_delta, I_gamma, I_phi;
  Real mu_psi, mu_delta, mu_gamma, mu_phi;       // viscous
  Real T_psi, T_delta, T_gamma, T_phi;           // dry
  Real k_psi_delta, k_delta_gamma, k_gamma_phi;  // stiffness
  Real b_psi_delta, b_delta_gamma, b_gamma_phi;  // half freeplay
  Real p;
};

struct GearTrainState {
  Real psi, psi_dot, delta, delta_dot, gamma, gamma_dot, phi, phi_dot;
};

struct GearTrainModes {
  int psi = 0, delta = 0, gamma = 0, phi = 0;
};

/// I x'' = M - mu tar(x', T/mu) for x' != 0 and luz(M, T) for x' = 0.
inline Real bearing_acceleration(Real I, Real mu, Real T, Real torque, Real velocity, int mode) {
  if (mode == 0) return luz(torque, T) / I;
  return (torque - (mu * velocity + T * Real(mode))) / I;
}

/// Primary model: psi'', delta'', gamma'', phi'' (printed I_delta gamma', I_phi phi' are I_gamma
/// gamma'', I_phi phi'').
inline std::array<Real, 4> gear_train(const GearTrainParameters& p, const GearTrainState& x,
                                      Real M_psi, Real M_phi, GearTrainModes mode) {
  const Real s1 = p.k_psi_delta * luz(x.psi - x.delta, p.b_psi_delta);
  const Real s2 = p.k_delta_gamma * luz(x.delta - p.p * x.gamma, p.b_delta_gamma);
  const Real s3 = p.k_gamma_phi * luz(x.gamma - x.phi, p.b_gamma_phi);
  return {bearing_acceleration(p.I_psi, p.mu_psi, p.T_psi, M_psi - s1, x.psi_dot, mode.psi),
          bearing_acceleration(p.I_delta, p.mu_delta, p.T_delta, s1 - s2, x.delta_dot, mode.delta),
          bearing_acceleration(p.I_gamma, p.mu_gamma, p.T_gamma, p.p * s2 - s3, x.gamma_dot,
                               mode.gamma),
          bearing_acceleration(p.I_phi, p.mu_phi, p.T_phi, M_phi + s3, x.phi_dot, mode.phi)};
}

/// Simplification 1: psi'', delta', gamma', phi''.
inline std::array<Real, 4> gear_train_1(const GearTrainParameters& p, const GearTrainState& x,
                                        Real M_psi, Real M_phi, GearTrainModes mode) {
  const Real s1 = p.k_psi_delta * luz(x.psi - x.delta, p.b_psi_delta);
  const Real s2 = p.k_delta_gamma * luz(x.delta - p.p * x.gamma, p.b_delta_gamma);
  const Real s3 = p.k_gamma_phi * luz(x.gamma - x.phi, p.b_gamma_phi);
  return {bearing_acceleration(p.I_psi, p.mu_psi, p.T_psi, M_psi - s1, x.psi_dot, mode.psi),
          -luz(-s1 + s2, p.T_delta) / p.mu_delta, -luz(-p.p * s2 + s3, p.T_gamma) / p.mu_gamma,
          bearing_acceleration(p.I_phi, p.mu_phi, p.T_phi, M_phi + s3, x.phi_dot, mode.phi)};
}

/// Simplification 2: psi'', phi''. The printed (psi - p phi)_0 is the sum of all three freeplays.
inline std::array<Real, 2> gear_train_2(const GearTrainParameters& p, const GearTrainState& x,
                                        Real M_psi, Real M_phi, GearTrainModes mode) {
  const Real k = Real(1.0) / (Real(1.0) / p.k_psi_delta + Real(1.0) / p.k_delta_gamma +
                              p.p * p.p / p.k_gamma_phi);
  const Real b = p.b_psi_delta + p.b_delta_gamma + p.p * p.b_gamma_phi;
  const Real spring = k * luz(x.psi - p.p * x.phi, b);
  return {
      bearing_acceleration(p.I_psi, p.mu_psi, p.T_psi, M_psi - spring, x.psi_dot, mode.psi),
      bearing_acceleration(p.I_phi, p.mu_phi, p.T_phi, M_phi + p.p * spring, x.phi_dot, mode.phi)};
}

/// Simplification 3: psi'', phi''; k_delta_gamma -> inf, no freeplay, no dry friction.
inline std::array<Real, 2> gear_train_3(const GearTrainParameters& p, const GearTrainState& x,
                                        Real M_psi, Real M_phi) {
  const Real k = Real(1.0) / (Real(1.0) / p.k_psi_delta + p.p * p.p / p.k_gamma_phi);
  const Real spring = k * (x.psi - p.p * x.phi);
  return {(M_psi - p.mu_psi * x.psi_dot - spring) / p.I_psi,
          (M_phi - p.mu_phi * x.phi_dot + p.p * spring) / p.I_phi};
}

// --------------------------------------------------------------------------------------------------------
// P4, steering

struct SteeringParameters {
  Real I_psi, I_phi1, I_phi2;
  Real K_psi_delta, mu_psi_delta;         // steering column
  Real mu_delta, T_delta;                 // damper of the mechanism
  Real K1, K2, n1, n2;                    // linkage: K_gamma_lambda 1 and 2, ratios
  Real p, freeplay;                       // steering gear: ratio, (delta - p gamma)_0
  Real mu_phi1, mu_phi2, T_phi1, T_phi2;  // kingpins
};

struct SteeringState {
  Real psi, psi_dot, delta, phi1, phi1_dot, phi2, phi2_dot;
};

struct SteeringLoads {
  Real M_psi, M_delta, M_gamma, M_phi1, M_phi2;
};

struct SteeringDerivatives {
  Real psi_dot_dot, delta_dot, phi1_dot_dot, phi2_dot_dot;
};

/// (46)-(49). Modes of the kingpins' velocities phi1', phi2'.
inline SteeringDerivatives steering(const SteeringParameters& p, const SteeringState& x,
                                    const SteeringLoads& M, int mode1, int mode2) {
  const Real K = p.K1 + p.K2;
  const Real g = (p.K1 * p.n1 * x.phi1 + p.K2 * p.n2 * x.phi2 + M.M_gamma) / K;
  // (47)
  const Real delta_dot = luz(p.mu_psi_delta * x.psi_dot + p.K_psi_delta * (x.psi - x.delta) -
                                 K / (p.p * p.p) * luz(x.delta - p.p * g, p.freeplay) + M.M_delta,
                             p.T_delta) /
                         (p.mu_delta + p.mu_psi_delta);
  // (46)
  const Real psi_dot_dot =
      (M.M_psi - p.mu_psi_delta * (x.psi_dot - delta_dot) - p.K_psi_delta * (x.psi - x.delta)) /
      p.I_psi;
  // (48), (49)
  const Real contact = luz(x.delta / p.p - g, p.freeplay / p.p);
  const Real torque1 =
      p.n1 * p.K1 * (contact + (p.K2 * (p.n2 * x.phi2 - p.n1 * x.phi1) + M.M_gamma) / K) + M.M_phi1;
  const Real torque2 =
      p.n2 * p.K2 * (contact + (p.K1 * (p.n1 * x.phi1 - p.n2 * x.phi2) + M.M_gamma) / K) + M.M_phi2;
  return {psi_dot_dot, delta_dot,
          bearing_acceleration(p.I_phi1, p.mu_phi1, p.T_phi1, torque1, x.phi1_dot, mode1),
          bearing_acceleration(p.I_phi2, p.mu_phi2, p.T_phi2, torque2, x.phi2_dot, mode2)};
}

}  // namespace luztar::test
