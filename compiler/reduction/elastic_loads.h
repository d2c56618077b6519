#pragma once

#include "compiler/reduction/reduction.h"

namespace luztar {

/// Writes loads on massless bodies that are piecewise linear in one deflection as springs with play
/// and, where these leave a rest, a constant load: nas(5*nas(x, a), b), max(min(k*x, b), -b),
/// tables.
///   pre:    no rule has been applied yet: the springs' energy is the mechanism's
///   post:   such a load is replaced; others, and those whose outermost slopes differ, are left
///   ref:    the luz/tar calculus (P1 sec. 2): sums of luz(x - m, h) have every such law
///   cost:   loads times the nodes of their expressions
[[nodiscard]] Mechanism elastic_loads(Mechanism mechanism, const ReductionContext& context);

}  // namespace luztar
