// Islands of frictions on the way of a prescribed motion.
#pragma once

#include <cstdint>

#include "runtime/system.h"

namespace luztar {

/// note(first, count) for the frictions of each.
template <class Note>
void for_each_driven_island(const System& system, Note note) {
  const auto look_at = [&](std::uint32_t first, std::uint32_t count) {
    if (is_driven(system, first, count)) note(first, count);
  };
  for (const FrictionIsland& island : system.islands) look_at(island.first, island.count);
  for (const SettleIsland& island : system.settle_islands) {
    look_at(island.first_friction, island.frictions);
  }
}

}  // namespace luztar
