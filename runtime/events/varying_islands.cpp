// Islands whose matrix G varies with the state: forces that hold are solved for in the right-hand
// side, and a mode says which frictions these are.
#include <vector>

#include "runtime/events/modes.h"
#include "runtime/pwl/box_minimum.h"

namespace luztar {

void Modes::expand(double t, std::span<const double> x, Coefficients& J,
                   std::span<const KnownZeros> zeros) {
  apply();
  J.begin(t, x, constants(), zeros);
  if (!follow(J)) return;
  apply();
  J.begin(t, x, constants(), zeros);
}

// True when what is held depends on each other in another way than so far: at the start, or where
// the last decision was made in a singular position.
bool Modes::follow(const Coefficients& J) {
  bool any = false;
  for (std::size_t i = 0; i < matrices_.size(); ++i) {
    const FrictionIsland& island = system_.islands[i];
    if (!island.varies()) continue;
    for (const GramEntry& entry : island.varying_gram) {
      matrices_[i].gram(entry.i, entry.j) = matrices_[i].gram(entry.j, entry.i) = J[entry.row];
    }
    if (changed_[i] != 0 || has_basis(i)) continue;
    changed_[i] = 1;
    stale_ = any = true;
  }
  return any;
}

// As many independent frictions as are held, and no more.
bool Modes::has_basis(std::size_t index) const {
  const FrictionIsland& island = system_.islands[index];
  std::vector<Eigen::Index> held, basis;
  for (std::uint32_t i = 0; i < island.count; ++i) {
    const FrictionState& state = frictions_[island.first + i];
    if (state.direction == 0 && !state.free && state.at_bound == 0) held.push_back(i);
    if (slots_[island.hold_slot + i] != 0) basis.push_back(i);
  }
  const Eigen::Index rank = hold_map(matrices_[index].gram, held, {}).rank;
  return rank == static_cast<Eigen::Index>(basis.size()) &&
         rank == hold_map(matrices_[index].gram, basis, {}).rank;
}

void Modes::write_basis(std::size_t index, std::span<const Eigen::Index> held,
                        std::span<const Eigen::Index> others) {
  const FrictionIsland& island = system_.islands[index];
  const HoldMap map = hold_map(matrices_[index].gram, held, others);
  mark_indeterminate(index, held, map.from_residual * matrices_[index].gram(held, held));
  for (const Eigen::Index i : map.basis) slots_[island.hold_slot + i] = 1;
  if (island.share_slot == kNoIndex) return;
  std::fill_n(slots_.begin() + island.share_slot, island.count, 0.0);
  for (const Eigen::Index i : held) slots_[island.share_slot + i] = 1;
}

}  // namespace luztar
