// Loads that have no rigid limit, and capacities that have no value.
#pragma once

#include "compiler/reduction/reduction.h"

namespace luztar {

/// A force that is not one of a spring, damper, friction or hard stop is taken as it is written.
/// Where an infinite parameter multiplies what moves it has no value: inf*x at x = 0.
/// So has a friction whose capacity is a signal times such a parameter, and a spring that gives way
/// at a force of such a product.
///   errors: LT4007 a load or spring with such a product, LT4006 a capacity; one error for a term
///   cost:   linear in the size of the loads and capacities
void check_infinite_loads(const Mechanism& mechanism, const ReductionContext& context);

}  // namespace luztar
