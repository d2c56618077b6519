// Flow laws, solved part by part, and virtual work.
#pragma once

#include <map>
#include <vector>

#include "compiler/mechanics/constraints.h"

namespace luztar {

/// A flow that its part's laws give: flow = sum c_g g + known, over the part's free flows g.
///   `known` holds base symbols of definitions.h (accelerations included).
struct FlowLaw {
  VariableId flow;
  std::vector<std::pair<VariableId, Expr>> free;
  Expr known;
  PartId part;
  Span span;
  FlatEquationId source;
};

struct ForceSystem {
  std::vector<FlowLaw> laws;
  std::vector<DeferredDefinition> deferred;
  /// By flow variable: its generalized lever in every coordinate, sum over connection sets of sign
  /// * d(potential)/dq.
  std::map<VariableId, LinearForm> lever;
};

/// Solves the force equations of each part for its flows and forms the virtual work of all flows.
/// The connection equations alone make sum_f lever_f f = 0 for every coordinate; laws turn f into
/// known forces; flows that stay free are constraint forces and must drop out.
///   errors: LT3003 constraint does work, LT3005 flow without a law, LT3006, LT3009, LT3010, LT3012
///   cost: linear in the number of parts for parts of bounded size
[[nodiscard]] ForceSystem solve_forces(ExprPool& pool, const FlatModel& flat,
                                       const VariableClasses& classes,
                                       const Definitions& definitions,
                                       const PositionSolution& positions,
                                       const std::vector<FlowBalance>& balances,
                                       PartErrors& errors);

}  // namespace luztar
