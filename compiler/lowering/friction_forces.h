// Forces of frictions by the mode of their island.
#pragma once

#include "compiler/lowering/lowering.h"

namespace luztar {

/// The affine map of the island's mode (R9; P2 sec. 4).
[[nodiscard]] Expr friction_force(Lowering& l, std::uint32_t index);

/// The part of a slip that is not that of massless bodies of kernels A and B.
[[nodiscard]] Expr slip_of_bodies(Lowering& l, const ForceTerm& term);

/// The friction that one is a share of, which may be a share itself, and its slip velocity by that
/// of the whole.
struct Whole {
  ForceTermId term;
  Expr ratio;
};
[[nodiscard]] Whole whole_of(Lowering& l, ForceTermId id);

/// -1, 0 or 1: the direction of the slip of a friction as written.
[[nodiscard]] Expr friction_mode(Lowering& l, ForceTermId id);

}  // namespace luztar
