// What damping holds of nodes without inertia.
#pragma once

#include <vector>

#include "compiler/reduction/reduction.h"

namespace luztar {

/// z = u_pivot + sum of others, a direction in which damping acts.
struct DampedDirection {
  CoordinateId pivot;
  LinearForm others;  // massless coordinates without pivot
};

/// A basis of the rows of all dampers, each with a coordinate of its own (Gauss-Jordan).
///   massless   by coordinate
[[nodiscard]] std::vector<DampedDirection> damped_directions(const ReductionContext& context,
                                                             const Mechanism& mechanism,
                                                             const std::vector<char>& massless);

/// By coordinate, 1: massless, and held by damping whatever others do, so its position is a state.
/// Two nodes with a damper between them alone are not: both may go along without force.
[[nodiscard]] std::vector<char> creeping_coordinates(const ReductionContext& context,
                                                     const Mechanism& mechanism,
                                                     const std::vector<char>& massless);

}  // namespace luztar
