#pragma once

#include "compiler/reduction/reduction.h"

namespace luztar {

/// Rigid freeplay at massless bodies with damping is a contact of kernel A: its force only pushes,
/// and follows with the velocities. Nothing there has momentum, so there is no impact: the limit of
/// small inertia, whatever the restitution of a hard stop is but where a rebound, however short,
/// lets a friction with T_S > T_K stick; then that of a stop without rebound.
///   pre:    massless bodies with damping have role kCreep
///   post:   hard stops act between coordinates with inertia or of kernel A; springs with k = inf
///           and play on the latter have become hard stops
///   errors: LT4003 a contact on a massless body without damping, or several that pass an impact
///           through massless bodies, as all can be closed at once
///   ref:    theory sec. 3, kernel A: u' minimises u'.C u'/2 - r.u' + sum T |d.u'| over the
///           velocities that part the closed contacts or keep them (Moreau 1977)
///   cost:   linear in the nonzeros of the contacts' rows
[[nodiscard]] Mechanism rigid_contact(Mechanism mechanism, const ReductionContext& context);

}  // namespace luztar
