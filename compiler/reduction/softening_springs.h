#pragma once

#include "compiler/reduction/reduction.h"

namespace luztar {

/// Joins springs of kernel B that soften with all others of the same deflection to one law: a
/// saturation k nas(x, b) is a spring less one with play, whose energy is not convex by itself.
/// Where that takes springs whose plays lie at other places, all are written anew as saturations.
///   pre:    massless points of kernel B have role kSettled
///   post:   terms of one law have `law` and `law_ratio`, and its slope is never negative
///   errors: LT4007 when the slope is negative somewhere
///   ref:    theory sec. 3, kernel B; the energy of a saturation is Huber's (1964)
///   cost:   springs that soften times springs
[[nodiscard]] Mechanism softening_springs(Mechanism mechanism, const ReductionContext& context);

}  // namespace luztar
