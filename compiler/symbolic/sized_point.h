// Values of expressions beside what their rounding is relative to.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "compiler/symbolic/node_map.h"
#include "compiler/symbolic/operations.h"

namespace luztar {

/// Values at a point, and the sums of the sizes of their terms, also of those in sums within them:
/// each node is looked at once. Sums, products and powers are extended: through divisions by sums
/// sizes grow far beyond values, which must not look like rounding.
class SizedPoint {
 public:
  struct Sized {
    long double value = 0;
    double size = 0;
  };

  SizedPoint(const ExprPool& pool, SymbolValues values) : pool_(pool), values_(std::move(values)) {}

  [[nodiscard]] Sized operator()(Expr e);
  /// |e| is no more than the rounding of its terms; false where it has no value.
  [[nodiscard]] bool cancels(Expr e, double rounding);

 private:
  [[nodiscard]] Sized of(Expr e) const;

  const ExprPool& pool_;
  SymbolValues values_;
  NodeMap<Sized> known_;
  std::vector<Sized> args_;  // of one node
  std::vector<double> numbers_;
};

}  // namespace luztar
