// Islands that are large, or whose matrix G varies with the state: forces that hold are solved for
// in the right-hand side, and a mode says which frictions these are, or, in series, along which
// stresses.
#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "runtime/events/modes.h"
#include "runtime/pwl/held_forces.h"
#include "runtime/pwl/lexicographic_minimum.h"

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
  bool any = follow_settled(J);
  for (std::size_t i = 0; i < matrices_.size(); ++i) {
    const FrictionIsland& island = system_.islands[i];
    if (island.varying_gram.empty() && island.varying_drag.empty()) continue;
    IslandMatrices& matrices = matrices_[i];
    for (const VaryingGramEntry& entry : island.varying_gram) {
      matrices.gram.set(entry.i, entry.j, J[entry.row]);
    }
    for (const VaryingGramEntry& entry : island.varying_drag) {
      matrices.drag(entry.i, entry.j) = J[entry.row];
    }
    if (changed_[i] != 0) continue;
    if (island.bound ? has_basis(island.stresses, matrices.gram.dense()) : has_basis(i)) continue;
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
  for (const Eigen::Index i : dependence.basis) slots_[island.hold_slot + i] = 1;
  if (island.share_slot == kNoIndex) return;
  std::fill_n(slots_.begin() + island.share_slot, island.count, 0.0);
  for (const Eigen::Index i : held) slots_[island.share_slot + i] = 1;
}

// The same of frictions in series on points.
bool Modes::follow_settled(const Coefficients& J) {
  bool any = false;
  for (std::size_t k = 0; k < numbers_.size(); ++k) {
    const SettleIsland& island = system_.settle_islands[k];
    SettleNumbers& numbers = numbers_[k];
    if (!numbers.varies) continue;
    for (const VaryingGramEntry& entry : island.varying_gram) {
      numbers.gram(entry.i, entry.j) = numbers.gram(entry.j, entry.i) = J[entry.row];
    }
    for (const VaryingGramEntry& entry : island.varying_drag) {
      numbers.drag(entry.i, entry.j) = J[entry.row];
    }
    if (maps_[k].size() == 0 || has_basis(island.stresses, numbers.gram)) continue;
    write_series(k);
    stale_ = any = true;
  }
  return any;
}

// N'G N is regular along the columns of the basis, and has no greater rank.
bool Modes::has_basis(const SeriesStresses& stresses, const Eigen::MatrixXd& gram) const {
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Rows N = Eigen::Map<const Rows>(slots_.data() + stresses.slot, gram.rows(), stresses.count);
  std::vector<Eigen::Index> basis;
  for (std::uint32_t a = 0; a < stresses.count; ++a) {
    if (slots_[stresses.basis_slot + a] != 0) basis.push_back(a);
  }
  const auto rank = static_cast<Eigen::Index>(basis.size());
  return regular_directions(gram, N).regular.cols() == rank &&
         regular_directions(gram, N(Eigen::all, basis)).null.cols() == 0;
}

// The columns of N, by row of the held ones, of `count` frictions.
void Modes::write_stresses(const SeriesStresses& stresses, Eigen::Index count,
                           std::span<const Eigen::Index> held, const Eigen::MatrixXd& regular,
                           const Eigen::MatrixXd& open) {
  const auto rank = static_cast<std::uint32_t>(regular.cols());
  const auto used = rank + static_cast<std::uint32_t>(open.cols());
  if (used > stresses.count) {
    throw std::logic_error("frictions depend on each other that did not when this was compiled");
  }
  std::fill_n(slots_.begin() + stresses.slot, count * stresses.count, 0.0);
  for (std::size_t r = 0; r < held.size(); ++r) {
    const auto from = static_cast<Eigen::Index>(r);
    double* row = slots_.data() + stresses.slot + held[r] * stresses.count;
    for (Eigen::Index a = 0; a < regular.cols(); ++a) row[a] = regular(from, a);
    for (Eigen::Index a = 0; a < open.cols(); ++a) row[regular.cols() + a] = open(from, a);
  }
  for (std::uint32_t a = 0; a < stresses.count; ++a) {
    slots_[stresses.basis_slot + a] = a < rank ? 1 : 0;
    if (stresses.share_slot != kNoIndex) slots_[stresses.share_slot + a] = a < used ? 1 : 0;
  }
}

void Modes::write_held_in_series(std::size_t index, std::span<const Eigen::Index> held,
                                 std::span<const Eigen::Index> others) {
  const IslandMatrices& matrices = matrices_[index];
  const FrictionIsland& island = system_.islands[index];
  const Eigen::MatrixXd gram = matrices.gram.principal(held).dense();
  FirstHoldMap map = first_hold_map(matrices.creep_gram, held, others);
  const auto [regular, open] = regular_directions(gram, map.open);
  write_stresses(island.stresses, island.count, held, regular, open);
  write_tables(index, held, others, {std::move(map.first), {}, std::move(map.from_forces)});
}

}  // namespace luztar
