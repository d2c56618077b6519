#include "compiler/lowering/switches.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "compiler/symbolic/operations.h"
#include "compiler/symbolic/spline.h"

namespace luztar {
namespace {

constexpr std::size_t kLongestName = 200;  // characters of the expression that a switch watches

}  // namespace

SwitchRewriter::SwitchRewriter(ExprPool& pool, ExplicitSystem& system, const NominalPoint& nominal,
                               SymbolNames names)
    : pool_(pool), system_(system), nominal_(nominal), names_(std::move(names)) {
  std::set<std::uint32_t> stops;
  for (const ExplicitStop& stop : system.stops) stops.insert(stop.friction);
  for (std::uint32_t i = 0; i < system.frictions.size(); ++i) {
    if (stops.contains(i)) continue;  // their direction is the side of the contact
    const Expr slip = system.frictions[i].slip;
    slip_.insert(slip, {i, 1.0});
    slip_.insert(pool_.neg(slip), {i, -1.0});
  }
}

bool SwitchRewriter::varies(Expr root) {
  const auto known = [&](Expr e) { return varies_.find(e) != Varies::kUnknown; };
  if (known(root)) return varies_.find(root) == Varies::kYes;
  std::vector<std::pair<Expr, bool>> stack{{root, false}};  // node, arguments are done
  while (!stack.empty()) {
    const auto [e, ready] = stack.back();
    stack.pop_back();
    if (known(e)) continue;  // not entered again: roots share what is below them
    if (!ready) {
      stack.emplace_back(e, true);
      for (const Expr arg : pool_.args(e)) {
        if (!known(arg)) stack.emplace_back(arg, false);
      }
      continue;
    }
    bool any = false;
    if (pool_.is_symbol(e)) {
      const SymbolKind kind = pool_[e].symbol.kind;
      any = kind == SymbolKind::kState || kind == SymbolKind::kTime;
    }
    for (const Expr arg : pool_.args(e)) any = any || varies_.find(arg) == Varies::kYes;
    varies_.insert(e, any ? Varies::kYes : Varies::kNo);
  }
  return varies_.find(root) == Varies::kYes;
}

Expr SwitchRewriter::rewrite(Expr e, Edges edges) {
  switch (edges) {
    case Edges::kOfMotion:
    case Edges::kKnown:
      break;
    case Edges::kOfResult:
      watch(e);
  }
  return rewrite_in(e, edges);
}

SwitchRewriter::Memo& SwitchRewriter::memo_of(Edges edges, Place place) {
  const auto of = [&](Memo& anywhere, Memo& bases, Memo& divisors) -> Memo& {
    if (place == Place::kAnywhere) return anywhere;
    return place == Place::kInBase ? bases : divisors;
  };
  switch (edges) {
    case Edges::kOfMotion:
      return of(smooth_, smooth_bases_, smooth_divisors_);
    case Edges::kKnown:
      return of(known_, known_bases_, known_divisors_);
    case Edges::kOfResult:
      break;
  }
  return of(results_, result_bases_, result_divisors_);
}

// Gives switches to the edges of a result. What bends of bends of bends lead to goes without: what
// is written is not as deep as the positions along a chain of massless bodies that reductions give,
// and the form in a mode grows with each.
void SwitchRewriter::watch(Expr root) {
  constexpr std::uint8_t kDeepest = 4;
  const std::size_t before = system_.switches.size();
  std::vector<std::pair<Expr, bool>> stack{{root, false}};  // node, arguments are done
  while (!stack.empty()) {
    const auto [e, ready] = stack.back();
    stack.pop_back();
    if (depth_.find(e) != kUnseen) continue;
    if (pool_[e].count == 0 || pool_[e].op == Op::kNoEvent || !varies(e)) {
      depth_.insert(e, kUnseen + 1);
      continue;
    }
    if (!ready) {
      stack.emplace_back(e, true);
      for (const Expr arg : pool_.args(e)) stack.emplace_back(arg, false);
      continue;
    }
    std::uint8_t depth = kUnseen + 1;
    for (const Expr arg : pool_.args(e)) depth = std::max(depth, depth_.find(arg));
    const bool is_new = (jumps(e) || bends(e)) && !smooth_.find(e).valid();
    if (is_new && depth <= kDeepest) {
      std::ignore = rewrite_in(e, Edges::kOfMotion);
      depth = jumps(e) ? kUnseen + 1 : depth + 1;  // what jumps is a symbol of the mode
    }
    depth_.insert(e, depth);
  }
  system_.result_switches += system_.switches.size() - before;
}

bool SwitchRewriter::bends(Expr e) const {
  switch (pool_[e].op) {
    case Op::kLuz:
    case Op::kNas:
    case Op::kAbs:
    case Op::kMin:
    case Op::kMax:
    case Op::kTable:
    case Op::kSpline:
      return true;
    default:
      return false;
  }
}

Expr SwitchRewriter::rewrite_in(Expr root, Edges edges, Place place) {
  Memo& memo = memo_of(edges, place);
  std::vector<std::pair<Expr, bool>> stack{{root, false}};  // node, arguments are done
  while (!stack.empty()) {
    const auto [e, ready] = stack.back();
    stack.pop_back();
    if (memo.find(e).valid()) continue;
    if (pool_[e].op == Op::kNoEvent && edges != Edges::kOfMotion) {
      memo.insert(e, pool_.call(Op::kNoEvent, {rewrite_in(pool_.arg(e, 0), Edges::kKnown)}));
      continue;
    }
    if (pool_[e].count == 0 || pool_[e].op == Op::kNoEvent || !varies(e)) {
      memo.insert(e, e);
      continue;
    }
    if (!ready) {
      stack.emplace_back(e, true);
      for (const Expr arg : pool_.args(e)) {
        if (!memo.find(arg).valid()) stack.emplace_back(arg, false);
      }
      // The condition first: its switch says where a root in a branch has its edge.
      if (pool_[e].op == Op::kIf) stack.emplace_back(pool_.arg(e, 0), false);
      continue;
    }
    std::vector<Expr> args;
    for (const Expr arg : pool_.args(e)) args.push_back(memo.find(arg));
    const bool by_mode = edges != Edges::kOfMotion && jumps(e) && smooth_.find(e).valid();
    if (!by_mode) {
      memo.insert(e, node(e, std::move(args), edges, place));
    } else if (place == Place::kInBase && is_never_negative(e)) {
      memo.insert(e, pool_.call(Op::kAboveEdge, {smooth_.find(e), pool_.zero()}));
    } else {
      memo.insert(e, smooth_.find(e));
    }
  }
  return memo.find(root);
}

// Inside a mode the spline is a cubic: that of the cell.
struct SwitchRewriter::SplineSwitches {
  using Value = Expr;
  SwitchRewriter& rewriter;
  ExprPool& pool;
  Expr number(double x) { return pool.constant(x); }
  Expr add(Expr a, Expr b) { return pool.add(a, b); }
  Expr sub(Expr a, Expr b) { return pool.sub(a, b); }
  Expr mul(Expr a, Expr b) { return pool.mul(a, b); }
  Expr div(Expr a, Expr b) { return pool.div(a, b); }
  Expr choose(Expr x, Expr knot, Expr left, Expr right) {
    return pool.if_then_else(rewriter.above(SwitchKind::kPositive, pool.sub(knot, x)), left, right);
  }
};

// The arguments of e.
std::vector<Expr> SwitchRewriter::anywhere(Expr e, Edges edges) {
  std::vector<Expr> args(pool_.args(e).begin(), pool_.args(e).end());
  for (Expr& arg : args) arg = rewrite_in(arg, edges);
  return args;
}

// A bound that is infinite by its parameters is none, or all there is, and a relation with it is
// known: none of them has an edge. Invalid where neither argument is, or both are alike.
Expr SwitchRewriter::beside_infinity(Expr e, const std::vector<Expr>& args) {
  const auto infinite = [&](Expr arg) {
    const double value = nominal_.is_parametric(arg) ? nominal_.value(arg) : 0;
    return std::isinf(value) ? (value > 0 ? 1 : -1) : 0;
  };
  const int first = infinite(pool_.arg(e, 0)), second = infinite(pool_.arg(e, 1));
  if (first == second) return {};
  const bool less = first < second;
  switch (pool_[e].op) {
    case Op::kMin:
      return less ? args[0] : args[1];
    case Op::kMax:
      return less ? args[1] : args[0];
    default:
      return less ? pool_.one() : pool_.zero();
  }
}

// mod(x, y), y > 0.
bool SwitchRewriter::is_never_negative(Expr e) const {
  return pool_[e].op == Op::kMod && pool_.is_constant(pool_.arg(e, 1)) &&
         pool_[pool_.arg(e, 1)].value > 0;
}

// The side on which x is beyond what nas(x, a) carries: of luz(y, b) that on which y is beyond a +
// b.
Expr SwitchRewriter::side_beyond(Expr nas, const std::vector<Expr>& watched, Edges edges) {
  const Expr x = pool_.arg(nas, 0);
  if (pool_[x].op != Op::kLuz) return mode_of(SwitchKind::kZone, watched[0], watched[1], edges);
  return mode_of(SwitchKind::kZone, rewrite_in(pool_.arg(x, 0), edges),
                 pool_.add(rewrite_in(pool_.arg(x, 1), edges), watched[1]), edges);
}

// `args` are the rewritten arguments of e. Its switches watch these as they are anywhere: one that
// is exactly zero at an edge does not tell how it leaves it.
Expr SwitchRewriter::node(Expr e, std::vector<Expr> args, Edges edges, Place place) {
  const Op op = pool_[e].op;
  std::vector<Expr> elsewhere;
  if (place != Place::kAnywhere) elsewhere = anywhere(e, edges);
  const std::vector<Expr>& watched = place == Place::kAnywhere ? args : elsewhere;
  const auto mode = [&](SwitchKind kind, Expr x, Expr half_width = {}) {
    return mode_of(kind, x, half_width, edges);
  };
  Expr m, edge;  // made by itself: the order of a call's arguments depends on the compiler
  switch (op) {
    case Op::kLuz:  // |m| x - m a
      m = mode(SwitchKind::kZone, watched[0], watched[1]);
      if (!m.valid()) break;
      edge = pool_.mul(m, args[1]);
      return pool_.sub(pool_.mul(pool_.mul(m, m), args[0]), edge);
    case Op::kNas:  // (1 - |m|) x + m a
      m = side_beyond(e, watched, edges);
      if (!m.valid()) break;
      edge = pool_.mul(m, args[1]);
      return pool_.add(pool_.mul(pool_.sub(pool_.one(), pool_.mul(m, m)), args[0]), edge);
    case Op::kOutside:
      m = mode(SwitchKind::kZone, watched[0], watched[1]);
      if (!m.valid()) break;
      return pool_.mul(m, m);
    case Op::kSign:
      note_relation(pool_.arg(e, 0), edges);
      m = sign_of(pool_.arg(e, 0), watched[0], edges);
      if (!m.valid()) break;
      return m;
    case Op::kAbs:
      if (is_never_negative(pool_.arg(e, 0))) return args[0];
      m = sign_of(pool_.arg(e, 0), watched[0], edges);
      if (!m.valid()) break;
      edge = pool_.mul(m, args[0]);
      if (place == Place::kInDivisor) return pool_.call(Op::kAbs, {edge});
      return place == Place::kInBase ? above_edge(edge, m, edges) : edge;
    case Op::kMin:
    case Op::kMax:
      if (const Expr known = beside_infinity(e, args); known.valid()) return known;
      if (op == Op::kMax) {  // rounding of where it begins again is no switch of its own
        if (pool_.is_zero(args[0]) && is_never_negative(pool_.arg(e, 1))) return args[1];
        if (pool_.is_zero(args[1]) && is_never_negative(pool_.arg(e, 0))) return args[0];
      }
      m = compare(SwitchKind::kPositive, e, watched, edges);
      if (!m.valid()) break;
      return place == Place::kInBase ? extreme_in_base(op, args, m, edges) : extreme(op, args, m);
    case Op::kMul:
      return product(e, std::move(args), edges);
    case Op::kPow:
      return power(e, args, edges);
    case Op::kLess:
      if (const Expr known = beside_infinity(e, args); known.valid()) return known;
      note_relation(pool_.sub(pool_.arg(e, 1), pool_.arg(e, 0)), edges);
      m = compare(SwitchKind::kPositive, e, watched, edges);
      if (!m.valid()) break;
      return m;
    case Op::kLessEqual:
      if (const Expr known = beside_infinity(e, args); known.valid()) return known;
      note_relation(pool_.sub(pool_.arg(e, 1), pool_.arg(e, 0)), edges);
      m = compare(SwitchKind::kNotNegative, e, watched, edges);
      if (!m.valid()) break;
      return m;
    case Op::kFloor:
      m = mode(SwitchKind::kFloor, watched[0]);
      if (!m.valid()) break;
      return m;
    case Op::kCeil:
      m = mode(SwitchKind::kFloor, pool_.neg(watched[0]));
      if (!m.valid()) break;
      return pool_.neg(m);
    case Op::kMod:  // Modelica 3.6, 3.7.2: x - floor(x/y)*y
      m = mode(SwitchKind::kFloor, pool_.div(watched[0], watched[1]));
      if (!m.valid()) break;
      edge = pool_.sub(args[0], pool_.mul(m, args[1]));
      return place == Place::kInBase ? above_whole(edge, m, pool_.arg(e, 0), edges) : edge;
    case Op::kTable:
      if (edges != Edges::kOfMotion) break;
      return table(watched);
    case Op::kSpline: {
      if (edges != Edges::kOfMotion) break;
      SplineSwitches pieces{*this, pool_};
      const int order = static_cast<int>(pool_[watched[1]].value);
      return spline_of(pieces, watched, order, [](Expr arg) { return arg; });
    }
    default:
      break;
  }
  return pool_.call(op, std::move(args));
}

// min or max, where `mode` says that the second argument is the greater one.
Expr SwitchRewriter::extreme(Op op, const std::vector<Expr>& args, Expr mode) {
  return op == Op::kMin ? pool_.if_then_else(mode, args[0], args[1])
                        : pool_.if_then_else(mode, args[1], args[0]);
}

// Inside a mode the table is the line of one cell, held constant outside: there it is exactly what
// its knots say, where a sum of hinges would leave rounding of all. At a doubled knot it jumps, and
// has the second value there.
Expr SwitchRewriter::table(const std::vector<Expr>& args) {
  std::vector<Expr> terms;
  Expr line = args[2], here = pool_.one();  // of the cell on the left; 1 there and beyond
  for (std::size_t i = 1; i + 1 < args.size(); i += 2) {
    const Expr past = pool_.sub(args[0], args[i]);
    const Expr beyond = above(SwitchKind::kNotNegative, past);
    terms.push_back(pool_.mul(pool_.sub(here, beyond), line));
    here = beyond;
    line = args[i + 1];
    if (i + 3 >= args.size()) continue;
    const Expr rise = pool_.sub(args[i + 3], args[i + 1]);
    const Expr is_cell = pool_.call(Op::kLess, {args[i], args[i + 2]});
    const Expr slope =
        pool_.if_then_else(is_cell, pool_.div(rise, pool_.sub(args[i + 2], args[i])), pool_.zero());
    line = pool_.add(line, pool_.mul(slope, past));
  }
  terms.push_back(pool_.mul(here, line));
  return pool_.add(std::move(terms));
}

// Of two knots that are not known to be apart, the second one may double the first.
bool SwitchRewriter::may_jump(Expr table) const {
  const std::span<const Expr> args = pool_.args(table);
  for (std::size_t i = 1; i + 2 < args.size(); i += 2) {
    const ExprPool::Node &here = pool_[args[i]], &next = pool_[args[i + 2]];
    const bool known = here.op == Op::kConstant && next.op == Op::kConstant;
    if (!known || !(here.value < next.value)) return true;
  }
  return false;
}

bool SwitchRewriter::jumps(Expr e) const {
  switch (pool_[e].op) {
    case Op::kSign:
    case Op::kOutside:
    case Op::kLess:
    case Op::kLessEqual:
    case Op::kFloor:
    case Op::kCeil:
    case Op::kMod:
      return true;
    case Op::kSpline:
      return pool_[pool_.arg(e, 1)].value == kHighestSplineOrder;
    case Op::kTable:
      return may_jump(e);
    default:
      return false;
  }
}

Expr SwitchRewriter::mode_of(SwitchKind kind, Expr watched, Expr half_width, Edges edges,
                             Expr named) {
  if (!varies(watched) && !(half_width.valid() && varies(half_width))) return {};
  const auto [it, fresh] = index_.emplace(std::tuple{kind, watched, half_width},
                                          static_cast<std::uint32_t>(system_.switches.size()));
  if (fresh && edges != Edges::kOfMotion) {
    index_.erase(it);
    return {};
  }
  const std::size_t of_motion = system_.switches.size() - system_.result_switches;
  if (edges == Edges::kOfResult && it->second >= of_motion) return {};  // what bends
  if (fresh) {
    const bool zone = kind == SwitchKind::kZone;
    system_.switches.push_back(
        {kind, zone ? pool_.add(watched, half_width) : watched,
         zone ? pool_.sub(watched, half_width) : Expr{}, system_.slots++,
         beginning_of_text(pool_, named.valid() ? named : watched, names_, kLongestName)});
  }
  return pool_.symbol(SymbolKind::kMode, system_.switches[it->second].slot);
}

}  // namespace luztar
