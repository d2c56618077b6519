#pragma once

#include "compiler/reduction/reduction.h"

namespace luztar {

/// A massless sheet between two frictions turns them into one friction between its neighbours.
///   when:   a massless node with two frictions without a higher static bound, their dampers and no
///           other load
///   ref:    R7, P2 sec. 4 case 4      cost: O(parts)
[[nodiscard]] Mechanism separation_sheet(Mechanism mechanism, const ReductionContext& context);

}  // namespace luztar
