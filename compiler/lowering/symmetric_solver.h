// Symbolic solution of M a = f, M symmetric and positive definite.
#pragma once

#include <map>
#include <vector>

#include "compiler/reduction/reduction.h"

namespace luztar {

/// Upper triangle, structural nonzeros.
using SymmetricMatrix = std::map<std::pair<CoordinateId, CoordinateId>, Expr>;

/// Sparse factors M = L D L^T, as expressions of the parameters. M is positive definite, so no
/// pivoting is needed. Coordinates that M does not couple cost one division each.
class SymmetricSolver {
 public:
  using Vector = std::map<CoordinateId, Expr>;  // structural nonzeros

  SymmetricSolver(ExprPool& pool, const SymmetricMatrix& matrix);

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
