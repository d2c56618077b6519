#include "compiler/symbolic/linear_solve.h"

namespace luztar {

Expr solve_linear(ExprPool& pool, std::vector<std::vector<Expr>> a,
                  std::vector<std::vector<Expr>>& x) {
  const std::size_t n = a.size();
  const auto subtract = [&](std::vector<Expr>& from, Expr factor, const std::vector<Expr>& row,
                            std::size_t first) {
    for (std::size_t c = first; c < from.size(); ++c) {
      from[c] = pool.sub(from[c], pool.mul(factor, row[c]));
    }
  };
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t r = k + 1; r < n; ++r) {
      const Expr factor = pool.div(a[r][k], a[k][k]);
      subtract(a[r], factor, a[k], k + 1);
      subtract(x[r], factor, x[k], 0);
    }
  }
  Expr determinant = pool.one();
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t c = k + 1; c < n; ++c) subtract(x[k], a[k][c], x[c], 0);
    for (Expr& of : x[k]) of = pool.div(of, a[k][k]);
    determinant = pool.mul(determinant, a[k][k]);
  }
  return determinant;
}

}  // namespace luztar
