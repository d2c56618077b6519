// Ranges of expressions, as far as their form tells.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "compiler/mechanics/parameter_point.h"

namespace luztar {

struct Range {
  double least = -std::numeric_limits<double>::infinity();
  double greatest = std::numeric_limits<double>::infinity();
};

/// Intervals that hold all values of the expressions, with the parameters of the compiled model:
/// states, time and modes may have any value.
///   cost: linear in the nodes
[[nodiscard]] std::vector<Range> ranges_of(const ExprPool& pool, const NominalPoint& nominal,
                                           std::span<const Expr> expressions);

}  // namespace luztar
