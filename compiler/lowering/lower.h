// Reduced mechanism to explicit system.
#pragma once

#include <optional>

#include "compiler/base/diagnostics.h"
#include "compiler/lowering/explicit_system.h"
#include "compiler/reduction/reduction.h"

namespace luztar {

/// Chooses the states, solves M a = f and C u' = r symbolically, gives every friction its
/// variable-structure form (R9) in its island and every variable of the flat model an explicit
/// expression, and turns edges into switches.
///   errors: LT3009 algebraic loop, LT5001 inconsistent start values
///   cost:   linear in parts and in the nonzeros of the factors of M and C, quadratic in the size
///   of
///           an island
[[nodiscard]] std::optional<ExplicitSystem> lower(ExprPool& pool, const FlatModel& flat,
                                                  const ReducedMechanism& reduced,
                                                  Diagnostics& diagnostics);

}  // namespace luztar
