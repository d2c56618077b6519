// The limits of the primary model, by formula.
#pragma once

#include <optional>

#include "compiler/reduction/reduction.h"

namespace luztar {

/// Takes the limits J = 0, J = inf, k = inf that the parameter values select, rule by rule.
///   errors: LT3002 node with nothing attached, LT4xxx limits without a closed form
[[nodiscard]] std::optional<ReducedMechanism> reduce(ExprPool& pool, const FlatModel& flat,
                                                     const Mechanism& mechanism,
                                                     Diagnostics& diagnostics);

}  // namespace luztar
