// Smooth interpolation as an expression.
#pragma once

#include <utility>
#include <vector>

#include "compiler/symbolic/expr.h"

namespace luztar {

/// The natural cubic spline through points (x_i, y_i), x_i ascending, continued by lines: value,
/// slope and curvature are continuous. A cubic in x whose coefficients, over those of the points,
/// are chosen by conditions on x; so slopes by `derivative` are exact, too.
///   pre: two points at least
///   ref: de Boor, A Practical Guide to Splines, ch. IV      cost: linear in the points
[[nodiscard]] Expr natural_spline(ExprPool& pool, Expr x,
                                  const std::vector<std::pair<Expr, Expr>>& points);

}  // namespace luztar
