// Forces that follow from the motion alone, where other laws depend on them other than linearly.
#pragma once

#include <functional>
#include <vector>

#include "compiler/mechanics/definitions.h"
#include "compiler/mechanics/parameter_point.h"

namespace luztar {

/// Replaces, in the equations `nonlinear`, flows and signals by what other equations give them as
/// functions of positions, velocities, signals and time: the torque of a spring, the friction that
/// it loads. Forces of dry frictions, inertia and rigid connections are none.
///   is_unknown: a flow, or a variable that depends on forces
///   cost: linear in the size of the equations
void insert_known_forces(ExprPool& pool, const FlatModel& flat, const IdentityTest& identity,
                         const std::function<bool(Symbol)>& is_unknown,
                         const std::vector<std::size_t>& nonlinear,
                         std::vector<WorkEquation>& equations);

}  // namespace luztar
