#pragma once

#include "compiler/reduction/reduction.h"

namespace luztar {

/// Rigid freeplay at massless bodies is a contact: its force only pushes. Of those with damping it
/// is one of kernel A, and follows with the velocities; of others it is one of kernel B, and
/// follows from the balance of forces. Nothing there has momentum, so it closes without impact: the
/// limit of small inertia, whatever the restitution of a hard stop is but where a rebound, however
/// short, lets a friction stick that falls with speed, or has T_S > T_K; then that of a stop
/// without rebound. Impacts of bodies with inertia pass through contacts in series
/// (runtime/events/impact_paths.h).
///   pre:    massless bodies with damping have role kCreep
///   post:   springs with k = inf and play on massless bodies have become hard stops
///           restitutions that decide what compiles are fixed
///   errors: LT4003 contacts in series at massless bodies along what no other force acts on, their
///           restitutions neither all 0 nor all 1: rows that depend on each other, modulo those of
///           the other forces
///   ref:    theory sec. 3, kernel A: u' minimises u'.C u'/2 - r.u' + sum T |d.u'| over the
///           velocities that part the closed contacts or keep them (Moreau 1977); kernel B: the
///           points minimise V - F.y + sum T |d.(y - y_before)| where no contact is beyond its gap
///   cost:   linear in the nonzeros of the contacts' rows
[[nodiscard]] Mechanism rigid_contact(Mechanism mechanism, const ReductionContext& context);

}  // namespace luztar
