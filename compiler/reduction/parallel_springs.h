#pragma once

#include "compiler/reduction/piecewise_linear.h"
#include "compiler/reduction/reduction.h"

namespace luztar {

/// Adds springs in the deflection `x` and, for a constant force, a load: parts of the term
/// `written`, which a pass replaces.
void add_springs(ExprPool& pool, Mechanism& mechanism, const ForceTerm& written,
                 const LinearForm& x, const ParallelSprings& law);

}  // namespace luztar
