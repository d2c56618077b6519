// Dry frictions and hard stops in places where their force has no meaning, in words.
#pragma once

#include "compiler/mechanics/part_errors.h"
#include "compiler/semantics/flat_model.h"

namespace luztar {

class SetValuedErrors {
 public:
  SetValuedErrors(ExprPool& pool, const FlatModel& flat, PartErrors& errors)
      : pool_(pool), flat_(flat), errors_(errors) {}

  /// LT3007. `law`: what the set-valued operation is a part of, where that may say more.
  void report(PartId part, Span span, Expr law = {});
  /// False, with LT3007, when a size of the dry friction depends on the force of one: forces at
  /// rest follow from what frictions hold, and cannot set it.
  [[nodiscard]] bool has_known_bounds(Expr friction, PartId part, Span span);

 private:
  [[nodiscard]] bool has_varying_factor(Expr law) const;

  ExprPool& pool_;
  const FlatModel& flat_;
  PartErrors& errors_;
};

}  // namespace luztar
