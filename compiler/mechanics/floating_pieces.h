// Pieces of the model that could move in any way.
#pragma once

#include "compiler/mechanics/connection_sets.h"
#include "compiler/mechanics/part_errors.h"
#include "compiler/mechanics/variable_classes.h"

namespace luztar {

/// LT3002 for positions that hang together and on nothing else: every equation still holds when all
/// of them are shifted, each by its ratio times one arbitrary function of time, so that no equation
/// determines their motion. They have no inertia and no law that depends on more than their
/// relative motion. Dry friction counts as a hold: it keeps what nothing moves at rest.
///   A position that hangs on no other is left to check_connected, and equations between more
///   positions than two are taken to hold all of them, unless they follow from the others.
///   returns false when one is so large that it would keep later passes busy, with nothing to find
///   cost: linear in the size of the equations
[[nodiscard]] bool check_floating_pieces(ExprPool& pool, const FlatModel& flat,
                                         const ConnectionSets& connections,
                                         const VariableClasses& classes, PartErrors& errors);

}  // namespace luztar
