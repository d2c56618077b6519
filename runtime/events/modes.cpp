#include "runtime/events/modes.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "runtime/pwl/decompositions.h"
#include "runtime/pwl/held_forces.h"
#include "runtime/pwl/lexicographic_minimum.h"

namespace luztar {

Modes::Modes(const System& system, std::span<const double> parameters, std::span<double> x0)
    : system_(system),
      constants_(system.constant_count),
      slots_(system.slot_count, 0.0),
      values_(system.switches.size(), 0),
      frictions_(system.frictions.size()),
      undecided_(system.frictions.size()),
      turned_(system.frictions.size()),
      changed_(system.islands.size(), 1) {
  system.prepare(parameters.data(), constants_.data(), x0.data());
  for (std::size_t i = 0; i < system.islands.size(); ++i) {
    const FrictionIsland& island = system.islands[i];
    const auto n = static_cast<Eigen::Index>(island.count);
    IslandMatrices& matrices = matrices_.emplace_back();
    std::vector<Gram::Entry> entries;
    for (const GramEntry& entry : island.gram) {
      entries.push_back({entry.i, entry.j, constants_[entry.constant]});
    }
    for (const VaryingGramEntry& entry : island.varying_gram) {
      entries.push_back({entry.i, entry.j, 0});
    }
    matrices.gram = Gram(n, entries);
    for (std::uint32_t k = 0; k < island.count; ++k) {
      const std::uint32_t decay = system.frictions[island.first + k].decay;
      matrices.decay.push_back(decay != kNoIndex ? constants_[decay] : 0.0);
      matrices.falls.emplace_back();
      line_slots_.emplace_back();
      std::vector<FallingShare> falls = system.frictions[island.first + k].falls;
      std::stable_sort(falls.begin(), falls.end(),
                       [&](const FallingShare& a, const FallingShare& b) {
                         return constants_[a.speed] > constants_[b.speed];
                       });
      for (const FallingShare& part : falls) {
        matrices.falls.back().push_back({constants_[part.speed], constants_[part.share]});
        line_slots_.back().push_back(part.slot);
      }
    }
    matrices.creep_gram = square(island.creep_gram, n);
    matrices.drag = square(island.drag, n);
    decisions_.emplace_back(system, island);
    island_of_.resize(island.first + island.count, i);
    snapping_.resize(island.first + island.count, nullptr);
    for (const SnappingBody& body : island.snapping) {
      for (std::uint32_t c = 0; c < body.frictions.size(); ++c) {
        const SnappingBody*& of = snapping_[island.first + body.frictions[c]];
        if (c < body.own || !of) of = &body;
      }
    }
  }
  number_settle_islands();
}

Eigen::MatrixXd Modes::square(std::span<const std::uint32_t> entries, Eigen::Index n) const {
  if (entries.empty()) return {};
  Eigen::MatrixXd out(n, n);
  for (Eigen::Index k = 0; k < n * n; ++k) {
    out(k / n, k % n) = constants_[entries[static_cast<std::size_t>(k)]];
  }
  return out;
}

void Modes::note_speeds(const Coefficients& J) {
  for (IslandDecision& decision : decisions_) decision.note_speeds(J);
}

double Modes::compliance(std::size_t i) const {
  const auto k = static_cast<Eigen::Index>(i - system_.islands[island_of_[i]].first);
  return matrices_[island_of_[i]].gram(k, k);
}

double Modes::slip_by_force(std::size_t i) const {
  const auto k = static_cast<Eigen::Index>(i - system_.islands[island_of_[i]].first);
  return slips_by_forces(island_of_[i])(k, k);
}

bool Modes::depends_on(std::size_t i, std::span<const char> rests) const {
  const FrictionIsland& island = system_.islands[island_of_[i]];
  std::vector<Eigen::Index> others = resting(island, rests);
  const auto own = static_cast<Eigen::Index>(i - island.first);
  return !others.empty() &&
         depends_on_others(slips_by_forces(island_of_[i]), std::move(others), own);
}

bool Modes::moves_beside(std::size_t i, std::span<const char> rests, Coefficients& J) const {
  const FrictionIsland& island = system_.islands[island_of_[i]];
  const std::vector<Eigen::Index> others = resting(island, rests);
  const Gram gram = slips_by_forces(island_of_[i]);
  const auto n = static_cast<Eigen::Index>(others.size());
  const auto own = static_cast<Eigen::Index>(i - island.first);
  Eigen::VectorXd row(n);
  for (Eigen::Index r = 0; r < n; ++r) row[r] = gram(others[static_cast<std::size_t>(r)], own);
  const HeldForces held(gram, others);
  const Eigen::VectorXd weight = held.forces(row);
  return is_apart(island.first, own, others, weight, J) &&
         !follows_motions(island.first, own, others, held, weight, J);
}

// Others that depend on each other, but for prescribed motions, say what these are in this instant:
// a slip whose motions are a combination of theirs, in all orders, is as zero as they are.
//   weight   of the others in the combination without motions
bool Modes::follows_motions(std::uint32_t first, Eigen::Index own,
                            std::span<const Eigen::Index> others, const HeldForces& held,
                            const Eigen::VectorXd& weight, Coefficients& J) const {
  constexpr Eigen::Index kOrders = 9, kSpare = 3;  // more orders than motions tell them apart
  constexpr double kErrors = 1e-9;
  const auto row = [&](Eigen::Index friction) {
    return system_.frictions[first + static_cast<std::size_t>(friction)].slip_row;
  };
  const Eigen::Index n = weight.size(), orders = std::min(kOrders, J.highest() + 1);
  Eigen::MatrixXd motions(orders, n);  // of the others, as far as no force changes them
  Eigen::VectorXd left(orders);        // of the slip, less the combination
  for (Eigen::Index k = 0; k < orders; ++k) {
    Eigen::VectorXd slips(n);
    double size = J.size(k, row(own));
    for (Eigen::Index r = 0; r < n; ++r) {
      const std::uint32_t other = row(others[static_cast<std::size_t>(r)]);
      slips[r] = J.at(k, other);
      size += std::fabs(weight[r]) * J.size(k, other);
    }
    const double scale = size > 0 ? 1 / size : 0;
    motions.row(k) = scale * (slips - held.in_range(slips));
    left[k] = scale * (J.at(k, row(own)) - weight.dot(slips));
  }
  if (!(motions.lpNorm<Eigen::Infinity>() > kErrors)) return false;
  const PseudoInverse inverse = pseudo_inverse(motions, kErrors);
  if (orders < inverse.rank + kSpare) return false;
  return (motions * (inverse.matrix * left) - left).lpNorm<Eigen::Infinity>() <= kErrors;
}

// Less the combination of theirs, a slip is that of prescribed motions alone, as it is once theirs
// have been taken out: the errors of steps are in both. Where the motions turn back, no more than
// the rounding of these terms is left.
//   first    of the island; own and others: by its order
//   weight   of the others in the combination
bool Modes::is_apart(std::uint32_t first, Eigen::Index own, std::span<const Eigen::Index> others,
                     const Eigen::VectorXd& weight, Coefficients& J) const {
  constexpr double kRounding = 1e-12;
  double slip = 0, size = 0;
  const auto add = [&](Eigen::Index friction, double factor) {
    const std::uint32_t row =
        system_.frictions[first + static_cast<std::size_t>(friction)].slip_row;
    slip += factor * J[row];
    size += std::fabs(factor) * J.size(0, row);
  };
  add(own, 1);
  for (std::size_t r = 0; r < others.size(); ++r) {
    add(others[r], -weight[static_cast<Eigen::Index>(r)]);
  }
  return std::fabs(slip) > kRounding * size;
}

std::vector<Eigen::Index> Modes::resting(const FrictionIsland& island,
                                         std::span<const char> rests) {
  std::vector<Eigen::Index> result;
  for (std::uint32_t k = 0; k < island.count; ++k) {
    if (rests[island.first + k] != 0) result.push_back(k);
  }
  return result;
}

// Forces that move neither bodies with inertia nor massless ones belong to slips that depend on
// each other.
Gram Modes::slips_by_forces(std::size_t island) const {
  const IslandMatrices& m = matrices_[island];
  return m.is_bound() ? Gram(sum_at_scale(m.gram.dense(), {&m.creep_gram})) : m.gram;
}

void Modes::set_value(std::size_t s, std::int32_t value) {
  if (values_[s] == value) return;
  values_[s] = value;
  slots_[system_.switches[s].slot] = value;
  stale_ = true;
}

void Modes::set_edge(std::size_t s, Edge edge) {
  const std::uint32_t slot = system_.switches[s].edge_slot;
  const auto value = static_cast<double>(edge);
  if (slots_[slot] == value) return;
  slots_[slot] = value;
  stale_ = true;
}

void Modes::set_friction(std::size_t i, const FrictionState& state) {
  if (frictions_[i] == state) return;
  frictions_[i] = state;
  if (!settles(i)) changed_[island_of_[i]] = 1;
  stale_ = true;
}

bool Modes::is_indeterminate(std::size_t i) const {
  const Friction& friction = system_.frictions[i];
  if (friction.is_shared && slots_[friction.moving_slot] == 0) return true;
  return friction.indeterminate_slot != kNoIndex && slots_[friction.indeterminate_slot] != 0;
}

bool Modes::is_massless(std::size_t i) const { return settles(i) || system_.frictions[i].creep; }

bool Modes::apply() {
  if (!stale_) return false;
  for (std::size_t i = 0; i < changed_.size(); ++i) {
    if (changed_[i] == 0) continue;
    write_island(i);
    changed_[i] = 0;
  }
  system_.prepare_mode(constants_.data(), slots_.data(),
                       constants_.data() + system_.mode_constants);
  stale_ = false;
  return true;
}

void Modes::write_island(std::size_t index) {
  write_forces(index);
  for (const SnappingBody& body : system_.islands[index].snapping) write_shares(index, body);
}

// The forces of the island as an affine map: given ones on the diagonal, held ones from R9.
void Modes::write_forces(std::size_t index) {
  const FrictionIsland& island = system_.islands[index];
  const std::size_t n = island.count;
  double* hold = slots_.data() + island.hold_slot;
  double* kinetic = slots_.data() + island.kinetic_slot;
  double* bound = slots_.data() + island.static_slot;
  const std::size_t diagonal = island.is_solved ? 1 : n + 1;
  if (n == 1) {
    *hold = *kinetic = *bound = 0;
  } else {
    for (double* matrix : {hold, kinetic, bound}) {
      std::fill_n(matrix, island.is_solved ? n : n * n, 0.0);
    }
  }
  if (island.rate_hold_slot != kNoIndex) {
    std::fill_n(slots_.data() + island.rate_hold_slot, n * n, 0.0);
  }
  std::vector<Eigen::Index> held, others;
  for (std::size_t i = 0; i < n; ++i) {
    const Friction& friction = system_.frictions[island.first + i];
    const FrictionState& state = frictions_[island.first + i];
    const bool at_rest = state.direction == 0 && !state.free;
    slots_[friction.direction_slot] = friction.stop == kNoIndex ? state.direction : state.contact;
    slots_[friction.moving_slot] = at_rest ? 0.0 : 1.0;
    const bool holds = at_rest && state.at_bound == 0;
    (holds ? held : others).push_back(static_cast<Eigen::Index>(i));
    kinetic[i * diagonal] = state.direction;
    bound[i * diagonal] = at_rest ? state.at_bound : 0.0;
    if (friction.holder_slot != kNoIndex) {
      slots_[friction.holder_slot] = holder(island.first + i) == island.first + i ? 1.0 : 0.0;
    }
    const std::vector<std::uint32_t>& lines = line_slots_[island.first + i];
    for (std::size_t k = 0; k < lines.size(); ++k) slots_[lines[k]] = k < state.ahead ? 1.0 : 0.0;
  }
  mark_indeterminate(index);
  if (island.is_solved) return write_basis(index, held);
  if (island.stresses.count > 0) return write_held_in_series(index, held, others);
  if (held.empty()) return;
  if (n == 1) {
    const double g = matrices_[index].gram(0, 0);
    hold[0] = g > 0 ? 1 / g : 0.0;
    return;
  }
  write_held(index, held, others);
}

// Held forces by what acts on their slips, and by the forces of the others.
void Modes::write_held(std::size_t index, std::span<const Eigen::Index> held,
                       std::span<const Eigen::Index> others) {
  const FrictionIsland& island = system_.islands[index];
  const IslandMatrices& matrices = matrices_[index];
  LexicographicHoldMap map;
  if (island.bound) {
    map = lexicographic_hold_map(matrices.creep_gram, matrices.gram.dense(), matrices.drag, held,
                                 others);
  } else {
    HoldMap one = hold_map(matrices.gram, held, others);
    map.first = std::move(one.from_residual);
    map.from_forces = std::move(one.from_forces);
  }
  write_tables(index, held, others, map);
}

// Entries of the tables for the held ones.
void Modes::write_tables(std::size_t index, std::span<const Eigen::Index> held,
                         std::span<const Eigen::Index> others, const LexicographicHoldMap& map) {
  const FrictionIsland& island = system_.islands[index];
  const std::size_t n = island.count;
  const bool by_rates = island.rate_hold_slot != kNoIndex;
  double* hold = slots_.data() + island.hold_slot;
  double* rate_hold = by_rates ? slots_.data() + island.rate_hold_slot : nullptr;
  double* kinetic = slots_.data() + island.kinetic_slot;
  double* bound = slots_.data() + island.static_slot;
  for (std::size_t r = 0; r < held.size(); ++r) {
    const auto i = static_cast<std::size_t>(held[r]);
    const auto row = static_cast<Eigen::Index>(r);
    for (std::size_t c = 0; c < held.size(); ++c) {
      const std::size_t entry = i * n + static_cast<std::size_t>(held[c]);
      hold[entry] = map.first(row, static_cast<Eigen::Index>(c));
      if (rate_hold) rate_hold[entry] = map.second(row, static_cast<Eigen::Index>(c));
    }
    for (std::size_t c = 0; c < others.size(); ++c) {
      const auto j = static_cast<std::size_t>(others[c]);
      const double factor = map.from_forces(row, static_cast<Eigen::Index>(c));
      kinetic[i * n + j] = factor * kinetic[j * n + j];
      bound[i * n + j] = factor * bound[j * n + j];
    }
  }
}

Eigen::VectorXd Modes::rest_impulse(std::size_t index, std::span<const Eigen::Index> resting,
                                    const Eigen::VectorXd& slips) const {
  const IslandMatrices& m = matrices_[index];
  if (!m.is_bound()) return HeldForces(m.gram, resting).forces(slips);
  return lexicographic_hold_map(m.creep_gram, m.gram.dense(), m.drag, resting, {}).second * slips;
}

void Modes::decide(std::size_t index, Coefficients& J, std::span<const FrictionHint> hints,
                   std::span<std::uint32_t> zeros) {
  using Rest = IslandDecision::Rest;
  const FrictionIsland& island = system_.islands[index];
  IslandDecision& decision = decisions_[index];
  decision.run(matrices_[index], J, hints.subspan(island.first, island.count),
               std::span(frictions_).subspan(island.first, island.count),
               zeros.subspan(island.first, island.count));
  for (std::size_t i = 0; i < island.count; ++i) {
    const std::size_t id = island.first + i;
    const IslandDecision::Member& m = decision.members()[i];
    const bool at_bound = m.is_at_bound();
    FrictionState state;
    if (system_.frictions[id].stop != kNoIndex) {
      state.free = m.contact == 0 || m.rest == Rest::kSlips;
      state.contact = state.free ? std::int8_t{0} : m.contact;
      // Without force of its own: others hold the body, or nothing pushes.
      if (at_bound) state.at_bound = state.contact;
      set_friction(id, state);
      // Of the gap, or of a force that only just pushes.
      if (hints[id].at_rest) zeros[id] = state.free ? m.zeros + 1 : at_bound ? 0 : m.zeros;
      continue;
    }
    state.free = decision.is_free(i);
    if (m.rest == Rest::kSlips && !state.free) state.direction = m.side;
    state.ahead = m.ahead;
    if (at_bound && !state.free) state.at_bound = m.side;
    undecided_[id] = m.rest == Rest::kCritical ? 1 : 0;
    const std::int8_t slid = hints[id].slid != 0 ? hints[id].slid : frictions_[id].direction;
    if (!state.free && decision.tends_to_rest(i, slid)) state.direction = m.side;
    turned_[id] = m.rest == Rest::kHeld && slid != 0 && m.side == -slid ? 1 : 0;
    set_friction(id, state);
    zeros[id] = at_bound ? 0 : m.zeros;
  }
  for (const SnappingBody& body : island.snapping) {
    write_shares(index, body);
    if (!is_body_held(island.first + body.frictions.front())) continue;
    for (std::uint32_t c = 0; c < body.own; ++c) {
      const std::uint32_t k = body.frictions[c];
      FrictionState state = frictions_[island.first + k];
      state.ahead = 0;
      set_friction(island.first + k, state);
    }
  }
}

void Modes::forget_decisions() {
  for (IslandDecision& decision : decisions_) decision.forget();
}

}  // namespace luztar
