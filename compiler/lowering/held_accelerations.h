// Accelerations of bodies that frictions hold, to the last digits.
#pragma once

#include "compiler/lowering/lowering.h"

namespace luztar {

/// Takes out of the accelerations what the rounding of the holding forces leaves of the slip rates
/// that these forces make zero: one step of iterative refinement (Higham, Accuracy and Stability of
/// Numerical Algorithms, ch. 12). What holds a body of mass m to heavier ones is a force with a
/// rounding of eps F, or eps F/m where several do, and m makes an acceleration of that: errors of
/// eps F/m^2 become eps of the acceleration.
///   pre:  `accelerations` is complete
void refine_accelerations(Lowering& l);

}  // namespace luztar
