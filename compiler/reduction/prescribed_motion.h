// Prescribed motions as known functions in the balances of the others.
#pragma once

#include "compiler/reduction/reduction.h"

namespace luztar {

/// Takes prescribed coordinates out of all rows: they stay as symbols in offsets, and what their
/// acceleration does to other coordinates is a load.
///   post: no participation, argument row or inertia holds a coordinate of role kPrescribed
///   cost: linear in the nonzeros of the rows
[[nodiscard]] Mechanism prescribed_motion(Mechanism mechanism, const ReductionContext& context);

/// e with prescribed coordinates replaced by their laws, where these give the position.
[[nodiscard]] Expr known_position(ExprPool& pool, const Mechanism& mechanism, Expr e);

/// Where a prescribed position jumps its velocity is an impulse, where a velocity jumps its
/// acceleration is one. Springs, and frictions in the second case, follow such a jump; what would
/// need the impulse is an error. `inertia` is that of the mechanism as written.
///   post:   frictions know whether the velocity they are driven with jumps
///   errors: LT3013
[[nodiscard]] Mechanism check_jumps(
    Mechanism mechanism, const std::map<std::pair<CoordinateId, CoordinateId>, Expr>& inertia,
    const ReductionContext& context);

}  // namespace luztar
