// A question about the symbols of many expressions.
#pragma once

#include <functional>

#include "compiler/symbolic/node_map.h"

namespace luztar {

/// As `depends_on`, for one expression after the other: each node is looked at once.
class SymbolTest {
 public:
  SymbolTest(const ExprPool& pool, std::function<bool(Symbol)> predicate)
      : pool_(pool), predicate_(std::move(predicate)) {}

  /// The predicate holds for some symbol of e.
  [[nodiscard]] bool operator()(Expr e);

 private:
  const ExprPool& pool_;
  std::function<bool(Symbol)> predicate_;
  NodeMap<char> known_;
};

}  // namespace luztar
