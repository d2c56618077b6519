// Constraints that are not linear: a position as a smooth function of others, p = n(q).
#pragma once

#include <map>
#include <vector>

#include "compiler/mechanics/constraint_errors.h"
#include "compiler/mechanics/constraints.h"

namespace luztar {

/// Motion in coordinates that no linkage gives: p -> n(q), p' -> n'(q) q', and so on.
class LinkageMap {
 public:
  LinkageMap(ExprPool& pool, const std::vector<Linkage>& linkages);

  [[nodiscard]] Expr operator()(Expr e) const;
  void add(const Linkage& linkage);

 private:
  ExprPool& pool_;
  std::map<Symbol, Expr> value_;  // of positions, velocities and accelerations that linkages give
};

/// Solves the constraints `nonlinear` of `constraints`, one after the other, for a coordinate that
/// they hold linearly with a constant coefficient, the one of lowest `rank`, later before earlier.
///   pre:    the linear constraints are solved: `positions` gives every potential in coordinates
///   post:   no law holds a coordinate of a linkage
///   errors: LT3004
///   cost:   linear in the size of the laws
[[nodiscard]] std::vector<Linkage> solve_linkages(
    ExprPool& pool, const FlatModel& flat, const VariableClasses& classes,
    const std::vector<WorkEquation>& constraints, const std::vector<std::size_t>& nonlinear,
    const PositionSolution& positions, const std::vector<unsigned>& rank, ConstraintErrors& report);

}  // namespace luztar
