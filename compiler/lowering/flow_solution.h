// Flows and constraint forces once motion and laws are known.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/reduction/reduction.h"

namespace luztar {

/// A law or balance that determines no flow: it must hold by itself, or it is one too many.
struct FlowCheck {
  Expr residual;
  PartId part;          // invalid for the balance of a connection
  std::size_t row = 0;  // among laws and balances
};

struct FlowSolution {
  std::vector<FlowCheck> checks;
  std::map<Symbol, Expr>
      values;  // kVariable flows and kForce constraint forces, in terms of other symbols
  std::vector<Symbol> indeterminate;  // not unique: redundant rigid connections
};

/// Solves part laws and connection balances for all flows: equations with one unknown first (trees
/// need no more), then elimination of what forms loops.
///   cost: linear for tree-like mechanisms; cubic in the size of rigid loops
[[nodiscard]] FlowSolution solve_flows(ExprPool& pool, const FlatModel& flat,
                                       const Mechanism& mechanism);

/// The laws and connections that a check follows from, itself among them, as text.
[[nodiscard]] std::vector<std::string> involved_in(ExprPool& pool, const FlatModel& flat,
                                                   const Mechanism& mechanism,
                                                   const FlowCheck& check);

}  // namespace luztar
