// Constraints between positions: q_all = S q + e, where some q move as prescribed.
#pragma once

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/mechanics/definitions.h"
#include "compiler/mechanics/part_errors.h"

namespace luztar {

/// d = sum_i c_i p_i moves as an equation says: a flange in the usual case, the relative position
/// of two otherwise.
struct PrescribedMotion {
  std::vector<std::pair<VariableId, Expr>> row;  // potentials p_i and c_i, over parameters
  std::array<Expr, 3> law;  // by MotionOrder; over time, parameters and signal states, or invalid
  PartId part;
  Span span;
  FlatEquationId source;
};

/// A coordinate that follows others by a smooth law, p = n(q).
struct Linkage {
  CoordinateId coordinate;
  Expr law;  // over parameters and other coordinates
  PartId part;
  Span span;
};

/// Positions of all potentials in coordinates.
struct PositionSolution {
  std::vector<VariableId> coordinates;       // CoordinateId order: independent potentials, ...
  std::vector<PrescribedMotion> prescribed;  // ... then these
  std::vector<LinearForm> form;  // by variable: potentials only; offsets over parameters
  std::vector<Linkage> linkages;

  [[nodiscard]] bool is_prescribed(CoordinateId q) const { return q.value >= coordinates.size(); }
};

/// Eliminates the linear constraints by sparse symbolic elimination; others become linkages between
/// what is left. Kept as coordinates are, in this order, positions of bodies with infinite inertia,
/// which nothing moves, with a start value, positions that carry inertia, and the rest. A
/// constraint that varies with time or signals prescribes a motion; a part may give the rates of
/// the motion it prescribes, too.
///   errors: LT3001 contradiction, LT3004 nonlinear, LT3006 superfluous, LT3007, LT3010, LT3012
///           motion prescribed by other motion
///   cost:   linear in the nonzeros of S
[[nodiscard]] PositionSolution solve_constraints(ExprPool& pool, const FlatModel& flat,
                                                 const VariableClasses& classes,
                                                 const Definitions& definitions,
                                                 PartErrors& errors);

}  // namespace luztar
