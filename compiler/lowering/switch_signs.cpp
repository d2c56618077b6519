// Signs and comparisons inside one mode: by switches, or by what a mode knows of a slip or a zone.
#include <vector>

#include "compiler/lowering/switches.h"
#include "compiler/symbolic/operations.h"

namespace luztar {

// The direction of a friction whose slip is e, rewritten x: exactly 0 while it holds, where the
// difference of two velocities is rounding. While it has no capacity it has none, but x a sign.
Expr SwitchRewriter::direction_of(Expr e, Expr x, Edges edges) {
  const auto* friction = slip_.find(e);
  if (!friction) return {};
  const ExplicitFriction& f = system_.frictions[friction->first];
  const Expr own = pool_.symbol(SymbolKind::kMode, f.direction_slot);
  const Expr direction = pool_.mul(pool_.constant(friction->second), own);
  if (!f.varies) return direction;
  const Expr moving = pool_.symbol(SymbolKind::kMode, f.moving_slot);
  const Expr free = pool_.mul({moving, pool_.sub(pool_.one(), pool_.mul(own, own)), x});
  return pool_.add(direction, sign_by_switches(free, x, edges));
}

// What is as great when a slip begins as at rest needs no such note: min, max and abs.
void SwitchRewriter::note_relation(Expr slip, Edges edges) {
  const auto* friction = edges == Edges::kOfMotion ? slip_.find(slip) : nullptr;
  if (friction) system_.frictions[friction->first].sets_relations = true;
}

// 1 where the second argument of e is greater than the first; `args` are its rewritten arguments.
Expr SwitchRewriter::compare(SwitchKind kind, Expr e, const std::vector<Expr>& args, Edges edges) {
  const Expr x = pool_.sub(args[1], args[0]);
  const Expr direction = direction_of(pool_.sub(pool_.arg(e, 1), pool_.arg(e, 0)), x, edges);
  if (!direction.valid()) return mode_of(kind, x, {}, edges);
  return relation(kind, direction);
}

// The sign of x, known from a friction's direction or from a dead zone; e is x before rewriting.
Expr SwitchRewriter::sign_of(Expr e, Expr x, Edges edges) {
  if (const Expr direction = direction_of(e, x, edges); direction.valid()) return direction;
  std::vector<Expr> factors{e};
  if (pool_[e].op == Op::kMul) factors.assign(pool_.args(e).begin(), pool_.args(e).end());
  const auto rewritten = [&](Expr arg) { return rewrite_in(arg, edges); };
  std::vector<Expr> signs;
  bool of_zone = false;
  for (const Expr factor : factors) {
    if (!varies(factor)) {
      signs.push_back(pool_.call(Op::kSign, {factor}));
    } else if (pool_[factor].op == Op::kLuz && !of_zone) {
      of_zone = true;
      const Expr y = rewritten(pool_.arg(factor, 0));
      const Expr a = rewritten(pool_.arg(factor, 1));
      const Expr m = sign_of_luz(y, a, edges);
      if (!m.valid()) return {};
      signs.push_back(m);
    } else {
      of_zone = false;
      break;
    }
  }
  if (of_zone) return pool_.mul(std::move(signs));
  return mode_of(SwitchKind::kSide, x, {}, edges);
}

// That of luz(x, a): the side of the zone, which is no side where there is no play. Whether a
// parameter is zero is known.
Expr SwitchRewriter::sign_of_luz(Expr x, Expr a, Edges edges) {
  const bool no_play = nominal_.is_parametric(a) && !(nominal_.value(a) > 0);
  return no_play ? mode_of(SwitchKind::kSide, x, {}, edges)
                 : mode_of(SwitchKind::kZone, x, a, edges);
}

// The sign of x, which may stay zero: no decision waits for it. named: as of mode_of.
Expr SwitchRewriter::sign_by_switches(Expr x, Expr named, Edges edges) {
  if (edges != Edges::kOfMotion) return pool_.call(Op::kSign, {x});
  const Expr above = mode_of(SwitchKind::kPositive, x, {}, edges, named);
  const Expr below = mode_of(SwitchKind::kPositive, pool_.neg(x), {}, edges, pool_.neg(named));
  return above.valid() && below.valid() ? pool_.sub(above, below) : pool_.call(Op::kSign, {x});
}

// 1 where x is above zero, or not below it, by a switch; without one where x does not change within
// a mode.
Expr SwitchRewriter::above(SwitchKind kind, Expr x) {
  const Expr m = mode_of(kind, x, {}, Edges::kOfMotion);
  return m.valid() ? m : relation(kind, x);
}

// As it is written: 0 < x, or 0 <= x.
Expr SwitchRewriter::relation(SwitchKind kind, Expr x) {
  return pool_.call(kind == SwitchKind::kPositive ? Op::kLess : Op::kLessEqual, {pool_.zero(), x});
}

}  // namespace luztar
