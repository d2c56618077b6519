#pragma once

#include "compiler/reduction/reduction.h"

namespace luztar {

/// Writes loads on massless bodies that are piecewise linear in one deflection as springs with
/// play, one of one side and, where these leave a rest, a constant load: nas(5*nas(x, a), b),
/// max(k*x, 0), tables.
///   pre:    no rule has been applied yet: the springs' energy is the mechanism's
///   post:   such a load is replaced; others are left
///   ref:    the luz/tar calculus (P1 sec. 2): sums of luz(x - m, h) have every such law, with one
///           edge at infinity where it is not as steep on both sides
///   cost:   loads times the nodes of their expressions
[[nodiscard]] Mechanism elastic_loads(Mechanism mechanism, const ReductionContext& context);

}  // namespace luztar
