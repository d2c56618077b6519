// Symbols replaced by their definitions, down to base symbols.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "compiler/symbolic/expr.h"

namespace luztar {

/// Definition of a symbol: `value` in terms of other symbols (invalid: a base symbol, kept as it
/// is), or, when `needs` is not empty, symbols that must be resolved before the definition can be
/// formed.
struct SymbolDefinition {
  Expr value;
  std::vector<Symbol> needs;
};

/// Resolves definitions in dependency order, each once, with an explicit stack.
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
  void resolve_symbol(Symbol root);
  [[nodiscard]] Expr substitute_resolved(Expr e);

  ExprPool& pool_;
  Definition definition_;
  Circle circle_;
  std::map<Symbol, Expr> values_;
};

}  // namespace luztar
