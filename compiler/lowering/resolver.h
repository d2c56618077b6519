// Symbols replaced by their definitions, down to base symbols.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "compiler/symbolic/symbol_table.h"

namespace luztar {

/// Definition of a symbol: `value` in terms of other symbols (invalid: a base symbol, kept as it
/// is), or, when `needs` is not empty, symbols that must be resolved before the definition can be
/// formed.
struct SymbolDefinition {
  Expr value;
  std::vector<Symbol> needs;
};

/// Resolves definitions in dependency order, each once, with an explicit stack. What expressions
/// share is looked at once, too: the cost is that of the nodes, however many are built on them.
class Resolver {
 public:
  using Definition = std::function<SymbolDefinition(Symbol, const Resolver&)>;
  /// Called with the symbols of a circle; the resolver goes on with zero in place of the first.
  using Circle = std::function<void(const std::vector<Symbol>&)>;

  Resolver(ExprPool& pool, Definition definition, Circle circle);

  /// e in base symbols.
  [[nodiscard]] Expr resolve(Expr e);
  /// The resolved value of a symbol that was resolved before, or an invalid Expr.
  [[nodiscard]] Expr value(Symbol symbol) const;

 private:
  /// A symbol on the way to others, with what is to be resolved before it, the last one first.
  struct Open {
    Symbol symbol;
    Expr value;
    std::vector<Symbol> needs;
  };
  void resolve_symbol(Symbol root);
  [[nodiscard]] Open define(Symbol s);
  void look_for_circles(Open& open);
  void finish(const Open& open);
  /// Symbols of e without a value, in the order of first occurrence.
  [[nodiscard]] std::vector<Symbol> unresolved(Expr e);
  /// e with all its symbols replaced; each node once for all calls.
  [[nodiscard]] Expr substitute_resolved(Expr e);
  [[nodiscard]] Expr resolved(Expr e) const { return resolved_[e.value]; }

  ExprPool& pool_;
  Definition definition_;
  Circle circle_;
  SymbolTable<Expr> values_;
  std::vector<Expr> resolved_;                                // by expression; invalid: not yet
  static constexpr std::uint32_t kKnown = ~std::uint32_t{0};  // all symbols have values
  std::vector<std::uint32_t> seen_;  // by expression: the last walk that came by, or kKnown
  std::uint32_t walk_ = 0;
  std::vector<std::pair<Expr, std::uint32_t>> walk_stack_;  // node, next argument
  std::vector<Expr> arguments_;
  std::vector<Open> stack_;
  SymbolTable<char> on_path_;  // not 0: the symbol is in stack_
};

}  // namespace luztar
