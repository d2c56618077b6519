// Linkages p = n(q): the ratio n'(q) changes with the position.
#pragma once

#include "compiler/reduction/reduction.h"

namespace luztar {

/// Takes what the rigid limits eliminated out of the laws of linkages, and marks the coordinates
/// that guide others: no limit J = 0 takes them, since they move the inertia of what they guide.
///   pre:    the rigid limits have been taken
///   errors: LT4003 a hard stop on a guided coordinate, LT4007 a loop of linkages and rigid parts
///   cost:   linear in the size of the laws
[[nodiscard]] Mechanism join_linkages(Mechanism mechanism, const ReductionContext& context);

/// Eliminates guided coordinates by virtual work: with p' = n' q', p'' = n' q'' + n'' q'^2 a force
/// F on p acts on q as n' F, an inertia J adds n'^2 J, and n' n'' J q'^2 is a load. Rows hold
/// ratios over coordinates from here on. A dry friction T on one coordinate alone is one of |n'| T
/// in its own motion, which then may be added to others.
///   post:   no coordinate of role kGuided is left
///   errors: LT4007 nothing along the linkage has inertia
///   ref:    virtual work, P4 (n1, n2)      cost: O(parts)
[[nodiscard]] Mechanism eliminate_linkages(Mechanism mechanism, const ReductionContext& context);

}  // namespace luztar
