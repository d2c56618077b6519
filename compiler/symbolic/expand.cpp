#include <cmath>

#include "compiler/symbolic/node_map.h"
#include "compiler/symbolic/operations.h"

namespace luztar {
namespace {

// Beyond this power a sum stays as it is: the number of terms would explode without helping any
// elimination.
constexpr double kLargestExpandedPower = 16;

bool is_polynomial(Op op) { return op == Op::kAdd || op == Op::kMul || op == Op::kPow; }

std::vector<Expr> terms_of(const ExprPool& pool, Expr e) {
  if (pool[e].op != Op::kAdd) return {e};
  return {pool.args(e).begin(), pool.args(e).end()};
}

Expr multiply_out(ExprPool& pool, Expr a, Expr b) {
  if (pool[a].op != Op::kAdd && pool[b].op != Op::kAdd) return pool.mul(a, b);
  const std::vector<Expr> left = terms_of(pool, a), right = terms_of(pool, b);
  std::vector<Expr> products;
  products.reserve(left.size() * right.size());
  for (const Expr l : left) {
    for (const Expr r : right) products.push_back(pool.mul(l, r));
  }
  return pool.add(std::move(products));
}

Expr expand_power(ExprPool& pool, Expr base, Expr exponent) {
  const bool literal = pool.is_constant(exponent);
  const double n = literal ? pool[exponent].value : 0;
  if (pool[base].op != Op::kAdd || std::trunc(n) != n || n < 2 || n > kLargestExpandedPower) {
    return pool.pow(base, exponent);
  }
  Expr result = base;
  for (double i = 1; i < n; ++i) result = multiply_out(pool, result, base);
  return result;
}

/// Nodes below root that are reached through sums, products and powers only, arguments first.
std::vector<Expr> polynomial_order(const ExprPool& pool, Expr root) {
  std::vector<Expr> order;
  NodeMap<char> seen;
  std::vector<std::pair<Expr, std::uint32_t>> stack{{root, 0}};
  seen.insert(root, 0);
  while (!stack.empty()) {
    auto& [e, next] = stack.back();
    if (next == pool[e].count || !is_polynomial(pool[e].op)) {
      order.push_back(e);
      stack.pop_back();
      continue;
    }
    const Expr arg = pool.arg(e, next++);
    if (seen.insert(arg, 0)) stack.emplace_back(arg, 0);
  }
  return order;
}

}  // namespace

Expr expand(ExprPool& pool, Expr e) {
  NodeMap<Expr> result_of;
  for (const Expr node : polynomial_order(pool, e)) {
    const Op op = pool[node].op;
    Expr result = node;
    if (is_polynomial(op)) {
      std::vector<Expr> args(pool.args(node).begin(), pool.args(node).end());
      for (Expr& arg : args) arg = result_of[arg];
      if (op == Op::kAdd) {
        result = pool.add(std::move(args));
      } else if (op == Op::kPow) {
        result = expand_power(pool, args[0], args[1]);
      } else {
        result = args[0];
        for (std::size_t i = 1; i < args.size(); ++i) result = multiply_out(pool, result, args[i]);
      }
    }
    result_of.insert(node, result);
  }
  return result_of[e];
}

}  // namespace luztar
