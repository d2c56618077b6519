// Forces of frictions that act as one (R5).
#pragma once

#include "compiler/lowering/lowering.h"

namespace luztar {

/// Force of a friction that was merged by R5: its own in slip; at rest, where any forces within the
/// bounds that add up to that of the whole give the same motion, those of least norm.
///   pre:  the frictions have their slots
///   cost: the square of the number of frictions merged, once for each of them
[[nodiscard]] Expr share_of_merged(Lowering& l, ForceTermId id);

/// 1 where the force of a friction that was merged is one of many, else 0.
[[nodiscard]] Expr is_one_of_many(Lowering& l, ForceTermId id);

/// The friction stands for several that can hold.
[[nodiscard]] bool is_shared(Lowering& l, ForceTermId id);

}  // namespace luztar
