// Forward differentiation over the shared graph: one derivative per node.
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "compiler/base/diagnostics.h"
#include "compiler/symbolic/linear_solve.h"
#include "compiler/symbolic/node_map.h"
#include "compiler/symbolic/operations.h"
#include "compiler/symbolic/spline.h"
#include "compiler/symbolic/time_derivative.h"
#include "runtime/pwl/falling_balance.h"

namespace luztar {
namespace {

/// Derivative of a node from its arguments and theirs.
class Rules {
 public:
  explicit Rules(ExprPool& pool) : pool_(pool) {}

  Expr node(Expr e, const std::vector<Expr>& args, const std::vector<Expr>& rates) {
    const Op op = pool_[e].op;
    switch (op) {
      case Op::kAdd:
        return pool_.add(rates);
      case Op::kMul:
        return product(args, rates);
      case Op::kPow:
        return power(e, args, rates);
      case Op::kDer:
        throw InternalError("differentiate", "derivative of a time derivative that depends on it");
      case Op::kDry:
        throw InternalError("differentiate", "dryfriction is set-valued and has no derivative");
      case Op::kStop:
        throw InternalError("differentiate", "hardstop is set-valued and has no derivative");
      case Op::kAtan2: {
        const Expr radius = pool_.add(square(args[0]), square(args[1]));
        const Expr turn = pool_.sub(pool_.mul(args[1], rates[0]), pool_.mul(args[0], rates[1]));
        return pool_.div(turn, radius);
      }
      case Op::kFallingBalance:
        return falling_balance(e, args, rates);
      case Op::kFallingSpeed:
        return falling_speed(args, rates);
      case Op::kFallingEnd:
      case Op::kFallingSpeedEnd:
        throw InternalError("differentiate", "the end of a fall is watched, not differentiated");
      case Op::kMin:
        return pool_.if_then_else(less_equal(args[0], args[1]), rates[0], rates[1]);
      case Op::kMax:
        return pool_.if_then_else(less_equal(args[1], args[0]), rates[0], rates[1]);
      case Op::kMod: {
        const Expr whole = pool_.call(Op::kFloor, {pool_.div(args[0], args[1])});
        return pool_.sub(rates[0], pool_.mul(whole, rates[1]));
      }
      case Op::kLuz: {  // outside*(x - sign(x) a)'
        return pool_.mul(outside(args), pool_.sub(rates[0], edge_rate(args, rates)));
      }
      case Op::kNas: {
        const Expr out = outside(args);
        return pool_.add(pool_.mul(pool_.sub(pool_.one(), out), rates[0]),
                         pool_.mul(out, edge_rate(args, rates)));
      }
      case Op::kTable:
        return table(args, rates);
      case Op::kSpline:
        return spline(args, rates);
      case Op::kIf:
        return pool_.if_then_else(args[0], rates[1], rates[2]);
      case Op::kNoEvent:
        return pool_.call(op, {rates[0]});
      case Op::kEvaluated:
        return rates[0];
      case Op::kSign:
      case Op::kFloor:
      case Op::kCeil:
      case Op::kOutside:
      case Op::kLess:
      case Op::kLessEqual:
      case Op::kAnd:
      case Op::kOr:
      case Op::kNot:
        return pool_.zero();
      default:
        return pool_.mul(slope(op, e, args[0]), rates[0]);
    }
  }

 private:
  Expr square(Expr x) { return pool_.pow(x, pool_.constant(2)); }
  Expr one_minus(Expr x) { return pool_.sub(pool_.one(), x); }
  Expr reciprocal(Expr x) { return pool_.pow(x, pool_.constant(-1)); }
  Expr less_equal(Expr a, Expr b) { return pool_.call(Op::kLessEqual, {a, b}); }
  Expr outside(const std::vector<Expr>& args) {
    return pool_.call(Op::kOutside, {args[0], args[1]});
  }
  /// Rate of the edge of the dead zone that x is beyond.
  Expr edge_rate(const std::vector<Expr>& args, const std::vector<Expr>& rates) {
    return pool_.mul(pool_.call(Op::kSign, {args[0]}), rates[1]);
  }

  /// f'(x) of a smooth function e = f(x).
  Expr slope(Op op, Expr e, Expr x) {
    switch (op) {
      case Op::kAbs:
        return pool_.call(Op::kSign, {x});
      case Op::kExp:
        return e;
      case Op::kLog:
        return reciprocal(x);
      case Op::kLog10:
        return pool_.div(reciprocal(x), pool_.constant(std::log(10.0)));
      case Op::kSin:
        return pool_.call(Op::kCos, {x});
      case Op::kCos:
        return pool_.neg(pool_.call(Op::kSin, {x}));
      case Op::kTan:
        return pool_.add(pool_.one(), square(e));
      case Op::kAsin:
        return reciprocal(pool_.sqrt(one_minus(square(x))));
      case Op::kAcos:
        return pool_.neg(reciprocal(pool_.sqrt(one_minus(square(x)))));
      case Op::kAtan:
        return reciprocal(pool_.add(pool_.one(), square(x)));
      case Op::kSinh:
        return pool_.call(Op::kCosh, {x});
      case Op::kCosh:
        return pool_.call(Op::kSinh, {x});
      case Op::kTanh:
        return one_minus(square(e));
      default:
        throw InternalError("differentiate", "operation without a rule");
    }
  }

  Expr product(const std::vector<Expr>& args, const std::vector<Expr>& rates) {
    std::vector<Expr> terms;
    for (std::size_t i = 0; i < args.size(); ++i) {
      if (pool_.is_zero(rates[i])) continue;
      std::vector<Expr> factors = args;
      factors[i] = rates[i];
      terms.push_back(pool_.mul(std::move(factors)));
    }
    return pool_.add(std::move(terms));
  }

  Expr power(Expr e, const std::vector<Expr>& args, const std::vector<Expr>& rates) {
    const Expr lower = pool_.pow(args[0], pool_.sub(args[1], pool_.one()));
    const Expr by_base = pool_.mul({args[1], lower, rates[0]});
    if (pool_.is_zero(rates[1])) return by_base;
    return pool_.add(by_base, pool_.mul({e, pool_.call(Op::kLog, {args[0]}), rates[1]}));
  }

  /// x' (1 - sum of w k E) = y' - sum of (w' - w (c' + k' x)) E, E = exp(-(c + k x)); no rate where
  /// it has come to its end.
  Expr falling_balance(Expr x, const std::vector<Expr>& args, const std::vector<Expr>& rates) {
    std::vector<Expr> slope{pool_.one()}, sum{rates[0]};
    for (std::size_t i = 1; i + 2 < args.size(); i += 3) {
      const Expr weight = args[i], rate = args[i + 2];
      const Expr z = pool_.add(args[i + 1], pool_.mul(rate, x));
      const Expr left = pool_.call(Op::kExp, {pool_.neg(z)});
      const Expr z_rate = pool_.add(rates[i + 1], pool_.mul(rates[i + 2], x));
      slope.push_back(pool_.neg(pool_.mul({weight, rate, left})));
      sum.push_back(pool_.mul(left, pool_.sub(pool_.mul(weight, z_rate), rates[i])));
    }
    const Expr by_x = pool_.add(std::move(slope));
    const Expr lasts = pool_.call(Op::kLess, {pool_.constant(kLeastStiffness), by_x});
    const Expr rate = pool_.div(pool_.add(std::move(sum)), by_x);
    return pool_.call(Op::kNoEvent, {pool_.if_then_else(lasts, rate, pool_.zero())});
  }

  /// The same for n bodies, by the system of their rates.
  Expr falling_speed(const std::vector<Expr>& args, const std::vector<Expr>& rates) {
    const auto number = [&](Expr e) { return static_cast<std::size_t>(pool_[e].value); };
    const std::size_t body = number(args[0]), n = number(args[1]);
    std::vector<Expr> x;
    std::vector<std::vector<Expr>> slope(n), rate(n);
    for (std::size_t b = 0; b < n; ++b) {
      std::vector<Expr> of_body = args;
      of_body[0] = pool_.constant(static_cast<double>(b));
      x.push_back(pool_.call(Op::kFallingSpeed, std::move(of_body)));
      slope[b].assign(n, pool_.zero());
      slope[b][b] = pool_.one();
      rate[b] = {rates[2 + b]};
    }
    for (std::size_t i = 2 + n; i + 3 + n <= args.size(); i += 3 + n) {
      const std::size_t own = number(args[i]);
      const Expr z = pool_.add(args[i + 1], pool_.mul(args[i + 2], x[own]));
      const Expr left = pool_.call(Op::kExp, {pool_.neg(z)});
      const Expr z_rate = pool_.add(rates[i + 1], pool_.mul(rates[i + 2], x[own]));
      for (std::size_t b = 0; b < n; ++b) {
        const Expr weight = args[i + 3 + b];
        const Expr push = pool_.sub(pool_.mul(weight, z_rate), rates[i + 3 + b]);
        slope[b][own] = pool_.sub(slope[b][own], pool_.mul({weight, args[i + 2], left}));
        rate[b][0] = pool_.add(rate[b][0], pool_.mul(left, push));
      }
    }
    const Expr stays = solve_linear(pool_, std::move(slope), rate);
    const Expr lasts = pool_.call(Op::kLess, {pool_.constant(kLeastStiffness), stays});
    return pool_.call(Op::kNoEvent, {pool_.if_then_else(lasts, rate[body][0], pool_.zero())});
  }

  /// The rate in each cell, chosen by nested conditions from the right.
  Expr table(const std::vector<Expr>& args, const std::vector<Expr>& rates) {
    const Expr x = args[0];
    Expr result = rates.back();  // beyond the last knot
    for (std::size_t right = args.size() - 2; right > 1; right -= 2) {
      const std::size_t left = right - 2;
      const Expr width = pool_.sub(args[right], args[left]);
      const Expr cell_slope = pool_.div(pool_.sub(args[right + 1], args[left + 1]), width);
      const Expr slope_rate =
          pool_.div(pool_.sub(pool_.sub(rates[right + 1], rates[left + 1]),
                              pool_.mul(cell_slope, pool_.sub(rates[right], rates[left]))),
                    width);
      const Expr rate =
          pool_.add({rates[left + 1], pool_.mul(cell_slope, pool_.sub(rates[0], rates[left])),
                     pool_.mul(slope_rate, pool_.sub(x, args[left]))});
      result = pool_.if_then_else(pool_.call(Op::kLess, {x, args[right]}), rate, result);
    }
    return pool_.if_then_else(pool_.call(Op::kLess, {x, args[1]}), rates[2], result);
  }

  /// Points depend on parameters alone.
  Expr spline(std::vector<Expr> args, const std::vector<Expr>& rates) {
    const int order = static_cast<int>(pool_[args[1]].value) + 1;
    if (order > kHighestSplineOrder) return pool_.zero();
    args[1] = pool_.constant(order);
    return pool_.mul(rates[0], pool_.call(Op::kSpline, std::move(args)));
  }

  ExprPool& pool_;
};

/// The rates of root and of all below it that are not known yet.
template <class Seed>
Expr differentiate(ExprPool& pool, Expr root, const Seed& seed, NodeMap<Expr>& rate_of) {
  Rules rules(pool);
  std::vector<Expr> args, rates;
  std::vector<std::pair<Expr, std::uint32_t>> stack;  // node, next argument to look at
  if (!rate_of.find(root)) stack.emplace_back(root, 0);
  while (!stack.empty()) {
    auto& [node, next] = stack.back();
    if (next < pool[node].count) {
      const Expr arg = pool.arg(node, next++);
      if (!rate_of.find(arg)) stack.emplace_back(arg, 0);
      continue;
    }
    const Expr e = node;
    stack.pop_back();
    Expr rate = pool.zero();
    if (pool.is_symbol(e)) {
      rate = seed(pool[e].symbol);
    } else if (pool[e].count > 0) {
      args.assign(pool.args(e).begin(), pool.args(e).end());
      rates.clear();
      bool moves = false;
      for (const Expr arg : args) {
        rates.push_back(rate_of[arg]);
        moves = moves || !pool.is_zero(rates.back());
      }
      if (moves) rate = rules.node(e, args, rates);
    }
    rate_of.insert(e, rate);
  }
  return rate_of[root];
}

}  // namespace

Expr derivative(ExprPool& pool, Expr e, Symbol with_respect_to) {
  NodeMap<Expr> rate_of;
  return differentiate(
      pool, e, [&](Symbol s) { return s == with_respect_to ? pool.one() : pool.zero(); }, rate_of);
}

Expr TimeDerivative::operator()(Expr e) {
  return differentiate(
      pool_, e,
      [&](Symbol s) {
        const Expr r = rate_(s);
        if (r.valid()) return r;
        return s.kind == SymbolKind::kTime ? pool_.one() : pool_.zero();
      },
      known_);
}

Expr time_derivative(ExprPool& pool, Expr e, const SymbolMap& rate) {
  return TimeDerivative(pool, rate)(e);
}

}  // namespace luztar
