// Energy of a mechanism as written, before any limit was taken.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "compiler/reduction/reduction.h"

namespace luztar {

/// Over kCoordinate, kVelocity and kForce symbols.
struct EnergyTerms {
  bool complete = true;  // false: prescribed motions do work, too, which no force law shows
  Expr stored;           // kinetic and elastic energy [J]
  Expr supplied;         // power of loads [W]
  std::vector<std::pair<std::string, Expr>> dissipated;  // power lost in each part [W]
};

/// P1 sec. 4:  d/dt (v'Mv/2 + V(q)) + sum of F d.v over dampers and frictions = sum of loads'
/// power. Infinite masses do not move and infinite stiffnesses store nothing.
///   cost: linear in the force terms and the nonzeros of M
[[nodiscard]] EnergyTerms energy_terms(ExprPool& pool, const FlatModel& flat,
                                       const WrittenMechanism& written);

}  // namespace luztar
