#pragma once

#include "compiler/reduction/reduction.h"

namespace luztar {

/// Dry frictions with the same slip velocity (up to a constant factor) become one.
///   when:   the slip rows of two frictions are proportional, and where they vary with the speed of
///           a body without inertia, their sum has a form that a single one may have
///   errors: -
///   ref:    R5, P2 sec. 2      cost: O(parts)
[[nodiscard]] Mechanism parallel_friction(Mechanism mechanism, const ReductionContext& context);

/// The rest of them becomes one where bodies settle: without damping no slip lasts on any fall.
///   pre:    the bodies without inertia that are left have no damping
///   when:   each falls with speed throughout, up to where it is constant
///   errors: -      cost: O(parts)
[[nodiscard]] Mechanism parallel_falls(Mechanism mechanism, const ReductionContext& context);

}  // namespace luztar
