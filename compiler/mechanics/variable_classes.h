// Equal variables and chains of derivatives.
#pragma once

#include <string>
#include <vector>

#include "compiler/mechanics/connection_sets.h"
#include "compiler/mechanics/equation_names.h"

namespace luztar {

/// residual = 0
struct WorkEquation {
  Expr residual;
  PartId part;
  Span span;
  FlatEquationId source;  // invalid for derivatives of others

  [[nodiscard]] EquationPlace place() const { return {part, span, source}; }
};

/// Variables up to equality. Ids at or above the flat model's count are derivatives that no
/// variable names.
///   contract: residuals hold representatives only and no kDer; `v = der(x)` and `x = y` are no
///   equations any more, unless they give a motion the value of a signal
struct VariableClasses {
  std::vector<VariableId> representative;  // by variable
  std::vector<VariableId>
      derivative;  // of a representative: its time derivative's representative, or invalid
  std::vector<VariableId> integral;  // the inverse of `derivative`
  /// Of representatives: some member is a connector's potential, or a position of a part's own (it
  /// has a velocity and an acceleration) that an equation ties to potentials: s = flange_a.s + L/2.
  std::vector<char> position;
  std::vector<char> flow;  // of representatives: some member is a flow
  std::vector<std::vector<VariableId>>
      members;  // of representatives: the flat variables in id order
  std::vector<WorkEquation> equations;
  std::vector<Expr> assertions;  // conditions of the flat model's, in their order and as residuals

  [[nodiscard]] std::size_t count() const { return representative.size(); }
};

/// The value of v comes into the part from elsewhere: its own input, or an output of a part in it.
/// No equation of the part determines it.
[[nodiscard]] bool is_received(const FlatModel& flat, PartId part, VariableId v);

/// The part takes v, a representative, from elsewhere, and has no variable of its own that is equal
/// to it.
[[nodiscard]] bool only_received(const FlatModel& flat, const VariableClasses& classes, PartId part,
                                 VariableId v);

[[nodiscard]] VariableClasses classify_variables(ExprPool& pool, const FlatModel& flat,
                                                 const ConnectionSets& connections);

}  // namespace luztar
