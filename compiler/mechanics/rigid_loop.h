// The way around a loop of rigid connections, for errors about it.
#pragma once

#include <vector>

#include "compiler/base/diagnostics.h"
#include "compiler/mechanics/mechanism.h"

namespace luztar {

/// Notes on `error`: the constraints and rigid connections along a shortest way from one flange of
/// the rigid connection `closing` to the other.
///   rigid   terms that are rigid connections
///   cost    as the first steps of the assembly, which are done again
void note_rigid_loop(Diagnostic& error, ExprPool& pool, const FlatModel& flat,
                     const std::vector<const ForceTerm*>& rigid, const ForceTerm& closing);

}  // namespace luztar
