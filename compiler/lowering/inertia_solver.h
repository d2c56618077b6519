// Symbolic solution of M a = f.
#pragma once

#include <map>
#include <vector>

#include "compiler/reduction/reduction.h"

namespace luztar {

/// Sparse factors M = L D L^T of the inertia of all inertial coordinates, as expressions of the
/// parameters. M is positive definite, so no pivoting is needed. Coordinates that no inertia
/// couples cost one division each.
class InertiaSolver {
 public:
  using Vector = std::map<CoordinateId, Expr>;  // structural nonzeros

  InertiaSolver(ExprPool& pool, const Mechanism& mechanism);

  /// Pivots D by coordinate; one that is zero means that M is singular.
  [[nodiscard]] const std::map<CoordinateId, Expr>& pivots() const { return diagonal_; }

  /// M^-1 f
  [[nodiscard]] Vector solve(const Vector& f) const;

 private:
  ExprPool& pool_;
  std::map<CoordinateId, Expr> diagonal_;  // D
  std::map<CoordinateId, std::vector<std::pair<CoordinateId, Expr>>>
      columns_;                                                              // L below the diagonal
  std::map<CoordinateId, std::vector<std::pair<CoordinateId, Expr>>> rows_;  // L by row
};

}  // namespace luztar
