// Energy of a mechanism as written, before any limit was taken.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compiler/reduction/reduction.h"

namespace luztar {

/// Of signal states.
using SignalRates = std::map<VariableId, Expr>;

/// Over kCoordinate, kVelocity and kForce symbols, and signals.
struct EnergyTerms {
  Expr stored;    // kinetic and elastic energy [J]
  Expr supplied;  // power of loads, prescribed motions, and laws that move by themselves [W]
  std::vector<std::pair<std::string, Expr>> dissipated;  // power lost in each part [W]
};

/// P1 sec. 4:  d/dt (v'Mv/2 + V(q)) + sum of F d.v over dampers and frictions = sum of loads'
/// power + sum of Q_i v_i over prescribed motions, each driven by Q_i = (M a)_i + sum of p_i F,
/// + sum of F u over laws of a rate d.v + u or a deflection d.q + integral of u, u given.
/// An infinite mass is a motion prescribed by its start values; its own energy is left out.
/// Infinite stiffnesses store nothing.
///   cost: linear in the force terms and the nonzeros of M
[[nodiscard]] EnergyTerms energy_terms(ExprPool& pool, const FlatModel& flat,
                                       const Table<CoordinateId, Coordinate>& coordinates,
                                       const WrittenMechanism& written, const SignalRates& rates);

}  // namespace luztar
