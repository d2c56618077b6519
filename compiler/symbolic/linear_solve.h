// Small dense systems of linear equations, by formula.
#pragma once

#include <vector>

#include "compiler/symbolic/expr.h"

namespace luztar {

/// By Gauss, without exchanges: no pivot is zero where the matrix is, but for scales of its rows
/// and columns, that of a minimum.
///   a     n x n
///   x     n x m: right sides, which become the solutions
///   returns the determinant
///   cost  O(n^2 (n + m)) operations, in the expressions too
Expr solve_linear(ExprPool& pool, std::vector<std::vector<Expr>> a,
                  std::vector<std::vector<Expr>>& x);

}  // namespace luztar
