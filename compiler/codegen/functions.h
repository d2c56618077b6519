// The functions of a System as plans for code generation.
//   contract: parameter-only operations occur in `prepare` alone, those of parameters and mode in
//   `prepare_mode` alone.
#pragma once

#include <vector>

#include "compiler/codegen/program.h"
#include "compiler/lowering/explicit_system.h"

namespace luztar {

/// Nodes that are a + b*t, by node.
[[nodiscard]] std::vector<bool> lines_in_time(const Tape& tape);

/// Splits an explicit system: what depends on parameters alone goes to `prepare`, as the largest
/// such subexpressions, what depends on the mode to `prepare_mode`, the rest to the other
/// functions, in pieces that `limits` bounds.
///   errors: InternalError when a start value, response or entry of G depends on more than
///   parameters
[[nodiscard]] Program plan_program(const ExprPool& pool, const ExplicitSystem& system,
                                   const PlanLimits& limits);

}  // namespace luztar
