#pragma once

#include "compiler/reduction/reduction.h"

namespace luztar {

/// Takes coordinates out of rows in which their coefficients cancel, symbolically or for the
/// present parameters: a friction between parts that a gear of ratio 1 makes move alike has no
/// slip.
///   post:   no coefficient of an argument or participation is zero
///   cost:   O(nonzeros)
[[nodiscard]] Mechanism cancelled_rows(Mechanism mechanism, const ReductionContext& context);

}  // namespace luztar
