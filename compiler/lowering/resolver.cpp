#include "compiler/lowering/resolver.h"

#include <algorithm>
#include <span>
#include <utility>

namespace luztar {

Resolver::Resolver(ExprPool& pool, Definition definition, Circle circle)
    : pool_(pool), definition_(std::move(definition)), circle_(std::move(circle)) {}

Expr Resolver::value(Symbol symbol) const { return values_.find(symbol); }

std::vector<Symbol> Resolver::unresolved(Expr root) {
  std::vector<Symbol> symbols;
  ++walk_;
  resolved_.resize(pool_.size());
  seen_.resize(pool_.size(), 0);
  const auto is_known = [&](Expr e) { return resolved(e).valid() || seen_[e.value] == kKnown; };
  const auto enter = [&](Expr e) {
    if (is_known(e) || seen_[e.value] == walk_) return;
    seen_[e.value] = walk_;
    if (!pool_.is_symbol(e)) {
      walk_stack_.emplace_back(e, 0);
    } else if (value(pool_[e].symbol).valid()) {
      seen_[e.value] = kKnown;
    } else {
      symbols.push_back(pool_[e].symbol);
    }
  };
  enter(root);
  while (!walk_stack_.empty()) {
    auto& [e, next] = walk_stack_.back();
    if (next == pool_[e].count) {
      const std::span<const Expr> args = pool_.args(e);
      if (std::all_of(args.begin(), args.end(), is_known)) seen_[e.value] = kKnown;
      walk_stack_.pop_back();
    } else {
      enter(pool_.arg(e, next++));
    }
  }
  return symbols;
}

Expr Resolver::substitute_resolved(Expr root) {
  resolved_.resize(pool_.size());
  const auto is_done = [&](Expr e) {
    if (e.value >= resolved_.size()) resolved_.resize(pool_.size());
    if (resolved(e).valid()) return true;
    if (pool_.is_symbol(e)) {
      const Expr known = value(pool_[e].symbol);
      resolved_[e.value] = known.valid() ? known : e;
    } else if (pool_[e].count == 0) {
      resolved_[e.value] = e;
    }
    return resolved(e).valid();
  };
  if (!is_done(root)) walk_stack_.emplace_back(root, 0);
  while (!walk_stack_.empty()) {
    auto& [e, next] = walk_stack_.back();
    if (next < pool_[e].count) {
      const Expr arg = pool_.arg(e, next++);
      if (!is_done(arg)) walk_stack_.emplace_back(arg, 0);
      continue;
    }
    const Expr node = e;
    walk_stack_.pop_back();
    arguments_.clear();
    bool changed = false;
    for (const Expr arg : pool_.args(node)) {
      arguments_.push_back(resolved(arg));
      changed = changed || arguments_.back() != arg;
    }
    resolved_[node.value] = changed ? pool_.call(pool_[node].op, arguments_) : node;
  }
  return resolved(root);
}

Expr Resolver::resolve(Expr e) {
  for (const Symbol s : unresolved(e)) resolve_symbol(s);
  return substitute_resolved(e);
}

// Its definition, and what of that has no value yet.
Resolver::Open Resolver::define(Symbol s) {
  SymbolDefinition definition = definition_(s, *this);
  Open open{s, definition.value, std::move(definition.needs)};
  if (!open.needs.empty()) {
    open.value = {};
    std::erase_if(open.needs, [&](Symbol need) { return value(need).valid(); });
  } else if (open.value.valid()) {
    open.needs = unresolved(open.value);
    // What its values share first, lest each of them comes by it anew.
    std::reverse(open.needs.begin(), open.needs.end());
  }
  return open;
}

void Resolver::look_for_circles(Open& open) {
  std::erase_if(open.needs, [&](Symbol need) {
    if (on_path_.find(need) == 0) return false;
    std::vector<Symbol> circle;
    for (const Open& on_path : stack_) {
      if (!circle.empty() || on_path.symbol == need) circle.push_back(on_path.symbol);
    }
    circle_(circle);
    values_[need] = pool_.zero();
    return true;
  });
}

void Resolver::finish(const Open& open) {
  if (value(open.symbol).valid()) return;  // in a circle
  values_[open.symbol] =
      open.value.valid() ? substitute_resolved(open.value) : pool_.symbol(open.symbol);
}

void Resolver::resolve_symbol(Symbol root) {
  if (value(root).valid()) return;
  const std::size_t bottom = stack_.size();
  const auto enter = [&](Symbol s) {
    Open open = define(s);
    if (open.needs.empty()) return finish(open);
    on_path_[s] = 1;
    stack_.push_back(std::move(open));
    look_for_circles(stack_.back());
  };
  enter(root);
  while (stack_.size() > bottom) {
    Open& open = stack_.back();
    if (!open.needs.empty()) {
      const Symbol need = open.needs.back();
      open.needs.pop_back();
      if (!value(need).valid()) enter(need);
      continue;
    }
    // What had to wait for others to be defined may need more now.
    Open now = open.value.valid() ? std::move(open) : define(open.symbol);
    if (!now.needs.empty()) {
      open = std::move(now);
      look_for_circles(open);
      continue;
    }
    on_path_[now.symbol] = 0;
    stack_.pop_back();
    finish(now);
  }
}

}  // namespace luztar
