#pragma once

#include "compiler/reduction/reduction.h"

namespace luztar {

/// Leaves massless nodes with damping that no closed form takes to kernel A: their velocities
/// minimise  u'C u/2 - r'u + sum T |d u|  together (P1 sec. 4 in the massless limit).
///   pre:    the closed forms have been taken
///   post:   no damper and no viscous friction acts on a massless coordinate of role kInertial.
///           Nodes between which there is damping but not in every direction are written in new
///           coordinates: those that damping holds, and the rest
///   cost:   linear in the parts, cubic in the size of a group of coupled massless nodes
[[nodiscard]] Mechanism massless_kernel(Mechanism mechanism, const ReductionContext& context);

}  // namespace luztar
