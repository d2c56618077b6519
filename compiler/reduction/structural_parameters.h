// Parameters that the structure of a model follows from: another value takes another compilation.
#pragma once

#include <set>
#include <vector>

#include "compiler/semantics/flat_model.h"

namespace luztar {

/// Parameters, in id order, that can be set and
///   - that sizes, ranges and conditions of parts or equations follow from,
///   - or that `fixed` depends on: their present values have been relied on,
///   - or that are 0 or inf and make a coefficient of `limits` so: a limit was taken (theory sec.
///   3).
/// Of one that is bound to others, those.
///   cost: linear in the bindings
[[nodiscard]] std::vector<ParameterId> structural_parameters(const ExprPool& pool,
                                                             const FlatModel& flat,
                                                             const std::set<Expr>& limits,
                                                             const std::vector<Expr>& fixed);

}  // namespace luztar
