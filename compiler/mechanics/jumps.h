// Places where a function of time and signals is not continuous.
#pragma once

#include "compiler/semantics/flat_model.h"
#include "compiler/symbolic/expr.h"

namespace luztar {

/// True when e jumps at one of its edges (sign, relations, floor, mod, doubled knots of tables)
/// during the experiment, with the parameters of the model. Found numerically: each edge is
/// searched along time or, where it does not depend on time, along one of its symbols, while all
/// others have generic values; then the values of e on both sides of it are compared. An edge that
/// opens and closes between two of the kSamples places is missed.
///   cost: kSamples evaluations for each edge
[[nodiscard]] bool has_jump(const ExprPool& pool, const FlatModel& flat, Expr e);

}  // namespace luztar
