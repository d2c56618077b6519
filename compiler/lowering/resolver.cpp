#include "compiler/lowering/resolver.h"

#include <algorithm>
#include <set>

#include "compiler/symbolic/operations.h"

namespace luztar {

Resolver::Resolver(ExprPool& pool, Definition definition, Circle circle)
    : pool_(pool), definition_(std::move(definition)), circle_(std::move(circle)) {}

Expr Resolver::value(Symbol symbol) const {
  const auto it = values_.find(symbol);
  return it == values_.end() ? Expr{} : it->second;
}

Expr Resolver::substitute_resolved(Expr e) {
  return substitute(pool_, e, [&](Symbol s) { return value(s); });
}

Expr Resolver::resolve(Expr e) {
  for (const Symbol s : symbols_of(pool_, e)) resolve_symbol(s);
  return substitute_resolved(e);
}

void Resolver::resolve_symbol(Symbol root) {
  std::vector<Symbol> stack{root};
  std::vector<Symbol> path;  // entered, not finished
  std::set<Symbol> on_path;
  while (!stack.empty()) {
    const Symbol s = stack.back();
    if (values_.contains(s)) {
      stack.pop_back();
      continue;
    }
    const SymbolDefinition definition = definition_(s, *this);
    std::vector<Symbol> open;
    const std::vector<Symbol> needs = definition.needs.empty() && definition.value.valid()
                                          ? symbols_of(pool_, definition.value)
                                          : definition.needs;
    for (const Symbol need : needs) {
      if (!values_.contains(need)) open.push_back(need);
    }
    if (open.empty()) {
      stack.pop_back();
      if (on_path.erase(s) > 0) path.pop_back();  // what was entered after it is finished
      values_.emplace(
          s, definition.value.valid() ? substitute_resolved(definition.value) : pool_.symbol(s));
      continue;
    }
    if (on_path.insert(s).second) path.push_back(s);
    for (const Symbol need : open) {
      if (!on_path.contains(need)) {
        stack.push_back(need);
        continue;
      }
      circle_({std::find(path.begin(), path.end(), need), path.end()});
      values_.emplace(need, pool_.zero());
    }
  }
}

}  // namespace luztar
