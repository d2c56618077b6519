// Constraints between positions: q_all = S q + e(t).
#pragma once

#include <optional>
#include <vector>

#include "compiler/base/diagnostics.h"
#include "compiler/mechanics/definitions.h"

namespace luztar {

/// Positions of all potentials in independent coordinates.
struct PositionSolution {
  std::vector<VariableId> coordinates;  // independent potentials, CoordinateId order
  std::vector<LinearForm> form;         // by variable: potentials only
};

/// Eliminates the linear constraints by sparse symbolic elimination. Kept as coordinates are, in
/// this order, positions with a start value, positions that carry inertia, and the rest.
///   errors: LT3001 contradiction, LT3004 nonlinear, LT3006 superfluous, LT3010, LT3012 prescribed
///   motion cost: linear in the nonzeros of S
[[nodiscard]] PositionSolution solve_constraints(ExprPool& pool, const FlatModel& flat,
                                                 const VariableClasses& classes,
                                                 const Definitions& definitions,
                                                 Diagnostics& diagnostics);

}  // namespace luztar
