// Accelerations and creep velocities as expressions of forces.
#pragma once

#include "compiler/lowering/lowering.h"

namespace luztar {

/// u' = C^-1 (r - D^T s) of the massless coordinates of kernel A; r holds all other forces.
void solve_creep(Lowering& l);
/// a = M^-1 (f - D^T s): without friction first, then what the frictions change.
void solve_accelerations(Lowering& l);
/// The rate of a slip velocity.
[[nodiscard]] Expr slip_rate(Lowering& l, const ForceTerm& term,
                             const SymmetricSolver::Vector& accelerations);

}  // namespace luztar
