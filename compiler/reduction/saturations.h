#pragma once

#include "compiler/reduction/reduction.h"

namespace luztar {

/// Of springs of one part and one deflection x, one with play takes off what another has beyond:
///     k luz(x, a) - c luz(x, b) = (k - c) luz(x, a) + c nas(luz(x, a), b - a),   0 < c <= k,
/// of which the right-hand side keeps its digits where x is large against b, as in nas(K*x, F) of a
/// large gain K. Writes such springs as loads with an energy.
///   pre:    springs on coordinates of kernel B are left: there the law is needed
///   post:   the springs are replaced, their own forces as they were
///   ref:    the luz/tar calculus (P1 sec. 2), nas(x, w) = x - luz(x, w) and luz(luz(x, a), w) =
///           luz(x, a + w); the energy of a saturation is Huber's (1964)
///   cost:   linear, but for springs of one part on the same coordinates
[[nodiscard]] Table<ForceTermId, ForceTerm> saturations(
    Table<ForceTermId, ForceTerm> terms, const Table<CoordinateId, Coordinate>& coordinates,
    const ReductionContext& context);

}  // namespace luztar
