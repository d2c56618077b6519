// Equations of a surplus that depend on each other in numbers.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "compiler/mechanics/parameter_point.h"
#include "compiler/mechanics/structure.h"

namespace luztar {

struct DependentEquations {
  std::vector<FlatEquationId> equations;
  SurplusKind kind = SurplusKind::kIncidence;
};

/// The equations among `set` that `target` is a linear combination of, itself among them; `set` as
/// it is when it is none, or when it is large.
///   unknown   the column of a variable, none for what counts as known
[[nodiscard]] DependentEquations dependent_equations(
    ExprPool& pool, const FlatModel& flat, const IdentityTest& identity,
    const std::vector<FlatEquationId>& set, FlatEquationId target,
    const std::function<std::optional<std::uint32_t>(VariableId)>& unknown);

}  // namespace luztar
