// Time derivatives of many expressions.
#pragma once

#include "compiler/symbolic/node_map.h"

namespace luztar {

/// As `time_derivative` with one rate for each symbol, for one expression after the other: each
/// node is differentiated once.
class TimeDerivative {
 public:
  TimeDerivative(ExprPool& pool, SymbolMap rate) : pool_(pool), rate_(std::move(rate)) {}

  [[nodiscard]] Expr operator()(Expr e);

 private:
  ExprPool& pool_;
  SymbolMap rate_;
  NodeMap<Expr> known_;
};

}  // namespace luztar
