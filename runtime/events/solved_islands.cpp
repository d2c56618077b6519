// Islands that are large, or whose matrix G varies with the state: forces that hold are solved for
// in the right-hand side, and a mode says which frictions these are.
#include <vector>

#include "runtime/events/modes.h"
#include "runtime/pwl/held_forces.h"

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
    if (island.varying_gram.empty()) continue;
    for (const VaryingGramEntry& entry : island.varying_gram) {
      matrices_[i].gram.set(entry.i, entry.j, J[entry.row]);
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
  const std::size_t rank = dependence_of(matrices_[index].gram, held).basis.size();
  return rank == basis.size() && rank == dependence_of(matrices_[index].gram, basis).basis.size();
}

void Modes::write_basis(std::size_t index, std::span<const Eigen::Index> held) {
  const FrictionIsland& island = system_.islands[index];
  const Dependence dependence = dependence_of(matrices_[index].gram, held);
  for (const Eigen::Index i : held) {
    const auto k = static_cast<std::size_t>(i);
    const std::uint32_t slot = system_.frictions[island.first + k].indeterminate_slot;
    if (slot != kNoIndex && dependence.shared[k] != 0) slots_[slot] = 1;
  }
  for (const Eigen::Index i : dependence.basis) slots_[island.hold_slot + i] = 1;
  if (island.share_slot == kNoIndex) return;
  std::fill_n(slots_.begin() + island.share_slot, island.count, 0.0);
  for (const Eigen::Index i : held) slots_[island.share_slot + i] = 1;
}

}  // namespace luztar
