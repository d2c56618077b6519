#include <utility>

#include "compiler/symbolic/node_map.h"
#include "compiler/symbolic/operations.h"
#include "compiler/symbolic/symbol_test.h"

namespace luztar {
namespace {

/// Calls visit(e) for every node below `root` once, in no particular order, until it returns true.
template <class Visit>
bool any_node(const ExprPool& pool, Expr root, const Visit& visit) {
  if (pool[root].count == 0) return visit(root);  // the most frequent case needs no memory
  NodeMap<char> seen;
  std::vector<Expr> stack{root};
  seen.insert(root, 0);
  while (!stack.empty()) {
    const Expr e = stack.back();
    stack.pop_back();
    if (visit(e)) return true;
    for (const Expr arg : pool.args(e)) {
      if (seen.insert(arg, 0)) stack.push_back(arg);
    }
  }
  return false;
}

}  // namespace

std::vector<Expr> topological_order(const ExprPool& pool, std::span<const Expr> roots) {
  std::vector<Expr> order;
  NodeMap<char> seen;
  std::vector<std::pair<Expr, std::uint32_t>> stack;  // node, next argument to look at
  order.reserve(8);  // most expressions are small, and there are many
  stack.reserve(8);
  for (const Expr root : roots) {
    if (!seen.insert(root, 0)) continue;
    stack.emplace_back(root, 0);
    while (!stack.empty()) {
      auto& [e, next] = stack.back();
      if (next == pool[e].count) {
        order.push_back(e);
        stack.pop_back();
        continue;
      }
      const Expr arg = pool.arg(e, next++);
      if (seen.insert(arg, 0)) stack.emplace_back(arg, 0);
    }
  }
  return order;
}

std::vector<Symbol> symbols_of(const ExprPool& pool, Expr e) {
  std::vector<Symbol> symbols;
  if (pool[e].count == 0) {  // the most frequent case
    if (pool.is_symbol(e)) symbols.push_back(pool[e].symbol);
    return symbols;
  }
  for (const Expr node : topological_order(pool, std::span(&e, 1))) {
    if (pool.is_symbol(node)) symbols.push_back(pool[node].symbol);
  }
  return symbols;
}

bool depends_on(const ExprPool& pool, Expr e, const std::function<bool(Symbol)>& predicate) {
  return any_node(pool, e,
                  [&](Expr node) { return pool.is_symbol(node) && predicate(pool[node].symbol); });
}

bool SymbolTest::operator()(Expr root) {
  std::vector<Expr> stack{root};
  while (!stack.empty()) {
    const Expr e = stack.back();
    if (known_.find(e)) {
      stack.pop_back();
      continue;
    }
    bool holds = pool_.is_symbol(e) && predicate_(pool_[e].symbol);
    for (const Expr arg : pool_.args(e)) {
      if (const char* known = known_.find(arg)) {
        holds = holds || *known != 0;
      } else {
        stack.push_back(arg);
      }
    }
    if (stack.back() != e) continue;  // e comes again after what it needs
    stack.pop_back();
    known_.insert(e, holds ? 1 : 0);
  }
  return known_[root] != 0;
}

bool is_set_valued(const ExprPool& pool, Expr e) {
  return any_node(
      pool, e, [&](Expr node) { return pool[node].op == Op::kDry || pool[node].op == Op::kStop; });
}

bool contains(const ExprPool& pool, Expr e, Op op) {
  return any_node(pool, e, [&](Expr node) { return pool[node].op == op; });
}

}  // namespace luztar
