#include "compiler/symbolic/luz_tar_rules.h"

namespace luztar {

// y = x + a*s: for |y| <= a the only solution is x = 0 with s = y/a, beyond it x = y -+ a.
Expr invert_tar(ExprPool& pool, Expr y, Expr a) { return pool.luz(y, a); }

Expr scale_luz(ExprPool& pool, Expr k, Expr x, Expr a) {
  return pool.luz(pool.mul(k, x), pool.mul(k, a));
}

Expr nest_luz(ExprPool& pool, Expr x, Expr a, Expr b) { return pool.luz(x, pool.add(a, b)); }

ScaledTar parallel_friction(ExprPool& pool, Expr k1, Expr a1, Expr k2, Expr a2) {
  const Expr factor = pool.add(k1, k2);
  const Expr bound = pool.add(pool.mul(k1, a1), pool.mul(k2, a2));
  return {factor, pool.div(bound, factor)};
}

Expr unravel_series(ExprPool& pool, Expr k, Expr x, Expr a, Expr b) {
  // k/(k + 1) is inf/inf in the rigid limit; 1/(1 + 1/k) is 1 there.
  const Expr compliance = pool.add(pool.one(), pool.div(pool.one(), k));
  return pool.div(pool.luz(x, pool.add(a, b)), compliance);
}

// The sheet's balance is  t20 s20 + c20 y = t12 s12 + c12 (x - y),  s20 in sgh(y), s12 in sgh(x -
// y).
//
// t12 >= t20. Claim y = x - luz(c20 x, t12 - t20)/(c12 + c20). By oddness let x >= 0.
//   c20 x <= t12 - t20: y = x, the sheet moves with the body. The force on the support is t20 s20 +
//   c20 x with
//     s20 = 1 (any s20 if x = 0), at most t12 in magnitude, so an s12 in [-1, 1] balances it.
//   c20 x > t12 - t20: x - y = (c20 x - t12 + t20)/(c12 + c20) > 0 and y = (c12 x + t12 - t20)/(c12
//   + c20) >= 0, so
//     s12 = 1, and s20 = 1 if y > 0:  c20 y + t20 = t12 + c12 (x - y)  is the definition of y. If y
//     = 0 then t12 = t20 and c12 x = 0, and s20 = 1 balances as well.
// t12 < t20: exchange the faces. The relative slip x - y takes the place of y with 1 and 2 swapped,
// so
//     x - y = x - luz(c12 x, t20 - t12)/(c12 + c20).
// No step divides by c12 or c20 alone, so one of them may be 0. With k = c12/c20, a = t12/c12 and b
// = t20/c20 the two branches are R7 by R3:  luz(c20 x, t12 - t20)/(c12 + c20) = luz(x, k a - b)/(k
// + 1)  and
//     luz(c12 x, t20 - t12)/(c12 + c20) = k luz(x, (b - k a)/k)/(k + 1).
// At t12 = t20 both branches give c12 x/(c12 + c20). The one that scales with the smaller damping
// is used there: it is exactly x for c20 = 0 and exactly 0 for c12 = 0, and not rounding dust whose
// sign would decide friction and modes.
Expr separation_sheet(ExprPool& pool, Expr c12, Expr t12, Expr c20, Expr t20, Expr x) {
  const Expr damping = pool.add(c12, c20);
  const Expr with_body =
      pool.sub(x, pool.div(pool.luz(pool.mul(c20, x), pool.sub(t12, t20)), damping));
  const Expr with_support = pool.div(pool.luz(pool.mul(c12, x), pool.sub(t20, t12)), damping);
  const Expr weaker = pool.call(Op::kLess, {t20, t12});
  const Expr equal_and_freer = pool.call(
      Op::kAnd, {pool.call(Op::kLessEqual, {t20, t12}), pool.call(Op::kLess, {c20, c12})});
  return pool.if_then_else(pool.call(Op::kOr, {weaker, equal_and_freer}), with_body, with_support);
}

Expr massless_friction(ExprPool& pool, Expr y, Expr k, Expr a) {
  return invert_tar(pool, pool.div(y, k), a);
}

// r in c tar(v, t/c) = tar(c v, t) by R3, hence c v = luz(r, t) by R1.
Expr massless_friction_velocity(ExprPool& pool, Expr r, Expr c, Expr t) {
  return pool.div(invert_tar(pool, r, t), c);
}

StickSlip stick_slip(ExprPool& pool, Expr y, Expr b, Expr x, Expr a, Expr direction) {
  const Expr friction = pool.mul(b, pool.add(x, pool.mul(a, direction)));
  // At x = 0 the friction y - x' is the element of [-b a, b a] with the least |x'|: R10 applied to
  // x'^2.
  return {pool.sub(y, friction), pool.luz(y, pool.mul(b, a))};
}

Expr box_minimiser(ExprPool& pool, Expr free_minimiser, Expr x0) {
  return pool.nas(free_minimiser, x0);
}

}  // namespace luztar
