#include "compiler/symbolic/node_map.h"
#include "compiler/symbolic/operations.h"

namespace luztar {

std::vector<Expr> substitute(ExprPool& pool, std::span<const Expr> expressions,
                             const SymbolMap& replacement) {
  NodeMap<Expr> result_of;
  std::vector<Expr> args;
  for (const Expr node : topological_order(pool, expressions)) {
    const ExprPool::Node n = pool[node];
    Expr result = node;
    if (n.op == Op::kSymbol) {
      const Expr replaced = replacement(n.symbol);
      if (replaced.valid()) result = replaced;
    } else if (n.count > 0) {
      args.assign(pool.args(node).begin(), pool.args(node).end());
      bool changed = false;
      for (Expr& arg : args) {
        const Expr replaced = result_of[arg];
        changed = changed || replaced != arg;
        arg = replaced;
      }
      if (changed) result = pool.call(n.op, args);
    }
    result_of.insert(node, result);
  }
  std::vector<Expr> results;
  results.reserve(expressions.size());
  for (const Expr e : expressions) results.push_back(result_of[e]);
  return results;
}

Expr substitute(ExprPool& pool, Expr e, const SymbolMap& replacement) {
  return substitute(pool, std::span(&e, 1), replacement).front();
}

}  // namespace luztar
