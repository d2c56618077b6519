// Powers and quotients inside one mode: a base is exactly zero at its edge, a divisor has the sign of its side.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "compiler/lowering/switches.h"
#include "compiler/symbolic/operations.h"

namespace luztar {

// One of zero and x has the sign of what it picks.
Expr SwitchRewriter::extreme_in_base(Op op, std::vector<Expr> args, Expr mode, Edges edges) {
  const bool first_is_zero = pool_.is_zero(args[0]);
  if (first_is_zero || pool_.is_zero(args[1])) {
    Expr& x = args[first_is_zero ? 1 : 0];
    x = op == Op::kMax ? above_edge(x, mode, edges)
                       : pool_.neg(above_edge(pool_.neg(x), mode, edges));
  }
  return extreme(op, args, mode);
}

// Rounding would make |x| = m x negative at the edge, which has no root, or next to zero, where the
// series of a power is of no use: its base is exactly zero there. The power has a zero of its own
// where the base touches zero: (a - t)^2 has the root a - t up to t = a only. The inverse of |x|
// has its sign, and x/|x| a value.
Expr SwitchRewriter::power(Expr e, const std::vector<Expr>& args, Edges edges) {
  const bool literal = pool_.is_constant(args[1]);
  if (literal) {
    const double n = pool_[args[1]].value;
    if (n < 0) return pool_.pow(rewrite_in(pool_.arg(e, 0), edges, Place::kInDivisor), args[1]);
    if (n == std::floor(n)) return pool_.pow(args[0], args[1]);
  }
  const Expr written = rewrite_in(pool_.arg(e, 0), edges, Place::kInBase);
  const Expr watched = rewrite_in(pool_.arg(e, 0), edges);
  Expr base = known_sign(written, watched, edges);
  if (base == args[0] && literal) {  // negative, it would have no value
    std::ignore = mode_of(SwitchKind::kNotNegative, watched, {}, edges);
    base = known_sign(written, watched, edges);
  }
  const Expr result = pool_.pow(base, args[1]);
  if (base != args[0]) std::ignore = mode_of(SwitchKind::kRoot, result, {}, edges);
  return result;
}

// x/|x| is the sign of x in its mode, also where x is zero. `args` are the rewritten factors of e.
Expr SwitchRewriter::product(Expr e, std::vector<Expr> args, Edges edges) {
  const std::vector<Expr> factors(pool_.args(e).begin(), pool_.args(e).end());
  for (std::size_t i = 0; i < factors.size(); ++i) {
    if (pool_[factors[i]].op != Op::kPow || pool_.arg(factors[i], 1) != pool_.constant(-1))
      continue;
    const Expr size = pool_.arg(factors[i], 0);
    if (pool_[size].op != Op::kAbs) continue;
    const auto found = std::find(factors.begin(), factors.end(), pool_.arg(size, 0));
    if (found == factors.end()) continue;
    const auto x = args.begin() + (found - factors.begin());
    const Expr m = sign_of(*found, *x, edges);
    if (!m.valid()) continue;
    *x = m;
    args.erase(args.begin() + static_cast<std::ptrdiff_t>(i));
    break;
  }
  return pool_.mul(std::move(args));
}

// x, which is not negative in the modes of a switch that watches it: in `if x > 0 then sqrt(x)`.
//   watched   x as it is anywhere
Expr SwitchRewriter::known_sign(Expr x, Expr watched, Edges edges) {
  const Expr negative = pool_.neg(watched);
  for (const SwitchKind kind :
       {SwitchKind::kSide, SwitchKind::kPositive, SwitchKind::kNotNegative}) {
    for (const Expr side_of : {watched, negative}) {
      const auto known = index_.find({kind, side_of, Expr{}});
      if (known == index_.end()) continue;
      const Expr m = pool_.symbol(SymbolKind::kMode, system_.switches[known->second].slot);
      Expr holds = m;
      if (kind == SwitchKind::kSide) {
        const Expr side = side_of == watched ? m : pool_.neg(m);
        holds = pool_.call(Op::kLessEqual, {pool_.zero(), side});
      } else if (side_of != watched) {
        holds = pool_.call(Op::kNot, {m});
      }
      const Expr above = above_edge(x, m, edges);
      return pool_.if_then_else(holds, above, x);
    }
  }
  return x;
}

// What x has above a whole number of periods: it begins again at zero as x grows, which is known of
// time, and ends there as x falls.
Expr SwitchRewriter::above_whole(Expr part, Expr mode, Expr x, Edges edges) {
  const bool grows = pool_.is_symbol(x) && pool_[x].symbol.kind == SymbolKind::kTime;
  if (grows) return above_edge(part, mode, edges);
  return pool_.call(Op::kAboveEdge, {part, pool_.zero()});
}

// x, which a switch with the value `mode` keeps from falling below zero. Results are values of all
// instants in a step: for them x is what it is, also in the step that begins at the edge.
Expr SwitchRewriter::above_edge(Expr x, Expr mode, Edges edges) {
  if (edges != Edges::kOfMotion) return pool_.call(Op::kAboveEdge, {x, pool_.zero()});
  std::vector<Expr> factors{mode}, at_edge;
  if (pool_[mode].op == Op::kMul) {
    factors.assign(pool_.args(mode).begin(), pool_.args(mode).end());
  }
  for (ExplicitSwitch& s : system_.switches) {
    const Expr value = pool_.symbol(SymbolKind::kMode, s.slot);
    if (std::ranges::find(factors, value) == factors.end()) continue;
    if (s.edge_slot == kNoIndex) s.edge_slot = system_.slots++;
    at_edge.push_back(pool_.symbol(SymbolKind::kMode, s.edge_slot));
  }
  const Expr sum = pool_.add(at_edge);
  return pool_.call(Op::kAboveEdge, {x, sum});
}

}  // namespace luztar
