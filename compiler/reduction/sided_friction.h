#pragma once

#include "compiler/reduction/reduction.h"

namespace luztar {

/// A friction that is T+ in one direction of its own slip w and T- in the other, as that of a servo
/// brake or a ratchet, is one of the mean size beside a load:
///   T+ for w > 0, -T- for w < 0  =  (T+ + T-)/2 sgn(w) + (T+ - T-)/2.
/// So it holds loads from -T- to T+ at rest, where the size as written has one value alone.
/// Where T_S+ - T_S- is not T_K+ - T_K- there is another load at rest.
///   when:   relations of w with zero, or sgn(w), choose between the two; where they depend on w,
///           or the loads differ, the bodies have inertia. A size that depends on w is taken at -w
///           in the other direction. Where one becomes negative the run stops
///   post:   the friction has the mode of one with the mean size, and the force of that and a load
///   errors: LT4006 one of the two is infinite
///   cost:   O(size of what the sizes are made of)
[[nodiscard]] Mechanism sided_friction(Mechanism mechanism, const ReductionContext& context);

}  // namespace luztar
