// The rules R1-R10 of the luz/tar calculus on expressions. [P1] JTAM 44(1), [P2] JTAM 44(2), [P4]
// KONES 2009.
//   luz(x, a) = x - clamp(x, -a, a)      tar(x, a) = x + a*s, s = sign(x) for x != 0, any s in [-1,
//   1] at x = 0
// All half widths, stiffnesses, damping constants and friction bounds are >= 0. R2-R4 are also
// applied by the constructors of ExprPool where the numbers in them are literal.
#pragma once

#include "compiler/symbolic/expr.h"

namespace luztar {

/// R1: luz is the inverse of tar. The x for which y in tar(x, a).
[[nodiscard]] Expr invert_tar(ExprPool& pool, Expr y, Expr a);

/// R3: k*luz(x, a) = luz(k*x, k*a) for k >= 0.
[[nodiscard]] Expr scale_luz(ExprPool& pool, Expr k, Expr x, Expr a);

/// R4: luz(luz(x, a), b) = luz(x, a + b).
[[nodiscard]] Expr nest_luz(ExprPool& pool, Expr x, Expr a, Expr b);

/// factor*tar(x, half_width)
struct ScaledTar {
  Expr factor;
  Expr half_width;
};

/// R5, parallel frictions: k1 tar(x, a1) + k2 tar(x, a2) = (k1 + k2) tar(x, (k1 a1 + k2 a2)/(k1 +
/// k2)).
[[nodiscard]] ScaledTar parallel_friction(ExprPool& pool, Expr k1, Expr a1, Expr k2, Expr a2);

/// R6, unravelling ([P1] Th. 4.3): the value luz(y, b) of the solution y of luz(y, b) = k luz(x -
/// y, a), which is k/(k + 1) luz(x, a + b). Written with 1/(1 + 1/k), so that k = inf gives luz(x,
/// a + b) and k = 0 gives 0.
[[nodiscard]] Expr unravel_series(ExprPool& pool, Expr k, Expr x, Expr a, Expr b);

/// R7, separation sheet ([P2] sec. 4, case 4), in friction forces: the velocity y of a massless
/// unloaded sheet between a support (damping c20, bound t20) and a body that slips by x against the
/// support (damping c12, bound t12 between body and sheet):  c20 tar(y, t20/c20) meets c12 tar(x -
/// y, t12/c12).
[[nodiscard]] Expr separation_sheet(ExprPool& pool, Expr c12, Expr t12, Expr c20, Expr t20, Expr x);

/// R8, massless limit ([P2] Th. 5.3): the x with 0 in y - k tar(x, a), k > 0.
[[nodiscard]] Expr massless_friction(ExprPool& pool, Expr y, Expr k, Expr a);

/// R8 in forces: the slip velocity under the load r with damping c > 0 and friction bound t, luz(r,
/// t)/c.
[[nodiscard]] Expr massless_friction_velocity(ExprPool& pool, Expr r, Expr c, Expr t);

/// The two branches of a stick-slip law x' in y - b tar(x, a).
struct StickSlip {
  Expr slip;   // x != 0: y - b (x + a*direction)
  Expr stick;  // x == 0: luz(y, b a)
};

/// R9, stick-slip form ([P2] sec. 2); `direction` is the sign of x while it slips.
[[nodiscard]] StickSlip stick_slip(ExprPool& pool, Expr y, Expr b, Expr x, Expr a, Expr direction);

/// R10: the minimiser over |x| <= x0 of a convex function of ONE variable whose free minimiser is
/// `free_minimiser`, x - luz(x, x0). It does not hold componentwise for several variables.
[[nodiscard]] Expr box_minimiser(ExprPool& pool, Expr free_minimiser, Expr x0);

}  // namespace luztar
