#include "runtime/events/modes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "runtime/events/series_map.h"
#include "runtime/pwl/held_forces.h"
#include "runtime/pwl/lexicographic_minimum.h"

namespace luztar {
namespace {

using Vector = Eigen::VectorXd;

std::vector<SpringLaw> laws_of(const System& system, const SettleIsland& island,
                               std::span<const double> constants) {
  std::map<std::uint32_t, SpringLaw> laws;  // by the first spring
  for (std::uint32_t i = 0; i < island.springs; ++i) {
    const SettleSpring& spring = system.settle_springs[island.first_spring + i];
    if (spring.law == kNoIndex) continue;
    laws[spring.law].springs.push_back(i);
    laws[spring.law].ratios.push_back(constants[spring.ratio]);
  }
  std::vector<SpringLaw> out;
  for (auto& [first, law] : laws) out.push_back(std::move(law));
  return out;
}

}  // namespace

Modes::Modes(const System& system, std::span<const double> parameters, std::span<double> x0)
    : system_(system),
      constants_(system.constant_count),
      slots_(system.slot_count, 0.0),
      values_(system.switches.size(), 0),
      frictions_(system.frictions.size()),
      changed_(system.islands.size(), 1) {
  system.prepare(parameters.data(), constants_.data(), x0.data());
  for (std::size_t i = 0; i < system.islands.size(); ++i) {
    const FrictionIsland& island = system.islands[i];
    const auto n = static_cast<Eigen::Index>(island.count);
    const auto fill = [&](Eigen::MatrixXd& matrix, const std::vector<std::uint32_t>& from) {
      matrix.resize(n, n);
      for (Eigen::Index k = 0; k < n * n; ++k) {
        matrix(k / n, k % n) = constants_[from[static_cast<std::size_t>(k)]];
      }
    };
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
      matrices.falling.push_back(falling(island.first + k));
    }
    if (island.bound) {
      fill(matrices.creep_gram, island.creep_gram);
      fill(matrices.drag, island.drag);
    }
    decisions_.emplace_back(system, island);
    island_of_.resize(island.first + island.count, i);
  }
  number_settle_islands();
}

FallingFriction Modes::falling(std::size_t i) const {
  const Friction& f = system_.frictions[i];
  if (f.rest_speed == kNoIndex) return {};
  return {constants_[f.rest_speed], constants_[f.fall]};
}

double Modes::compliance(std::size_t i) const {
  const auto k = static_cast<Eigen::Index>(i - system_.islands[island_of_[i]].first);
  return matrices_[island_of_[i]].gram(k, k);
}

bool Modes::rests_with(std::size_t i, std::span<const char> rests) const {
  if (is_massless(i)) return false;
  const FrictionIsland& island = system_.islands[island_of_[i]];
  std::vector<Eigen::Index> resting;
  for (std::uint32_t k = 0; k < island.count; ++k) {
    if (rests[island.first + k] != 0) resting.push_back(k);
  }
  if (resting.empty()) return false;
  // Forces that move neither bodies with inertia nor massless ones belong to slips that depend on
  // each other.
  const IslandMatrices& matrices = matrices_[island_of_[i]];
  std::optional<Gram> both;
  if (matrices.is_bound()) {
    Eigen::MatrixXd gram = matrices.gram.dense();
    const Eigen::MatrixXd& creep = matrices.creep_gram;
    const double fast = creep.diagonal().maxCoeff(), slow = gram.diagonal().maxCoeff();
    if (fast > 0 && slow > 0) gram += creep * (slow / fast);
    both = gram;
  }
  const Gram& gram = both ? *both : matrices.gram;
  if (rests[i] != 0) return true;
  const auto own = static_cast<Eigen::Index>(i - island.first);
  resting.push_back(own);  // the last: it is in the basis unless it depends on the others
  const std::vector<Eigen::Index> basis = dependence_of(gram, resting).basis;
  return basis.empty() || basis.back() != own;
}

void Modes::set_value(std::size_t s, std::int32_t value) {
  if (values_[s] == value) return;
  values_[s] = value;
  slots_[system_.switches[s].slot] = value;
  stale_ = true;
}

void Modes::set_friction(std::size_t i, const FrictionState& state) {
  if (frictions_[i] == state) return;
  frictions_[i] = state;
  if (!settles(i)) changed_[island_of_[i]] = 1;
  stale_ = true;
}

bool Modes::is_indeterminate(std::size_t i) const {
  const std::uint32_t slot = system_.frictions[i].indeterminate_slot;
  return slot != kNoIndex && slots_[slot] != 0;
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

// The forces of the island as an affine map: given ones on the diagonal, held ones from R9.
void Modes::write_island(std::size_t index) {
  const FrictionIsland& island = system_.islands[index];
  const std::size_t n = island.count;
  double* hold = slots_.data() + island.hold_slot;
  double* kinetic = slots_.data() + island.kinetic_slot;
  double* bound = slots_.data() + island.static_slot;
  const std::size_t diagonal = island.is_solved ? 1 : n + 1;
  for (double* matrix : {hold, kinetic, bound}) {
    std::fill_n(matrix, island.is_solved ? n : n * n, 0.0);
  }
  if (island.bound) std::fill_n(slots_.data() + island.rate_hold_slot, n * n, 0.0);
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
    if (friction.indeterminate_slot != kNoIndex) {
      const bool saturated = at_rest && state.at_bound != 0 && friction.stop == kNoIndex;
      slots_[friction.indeterminate_slot] = saturated ? 1.0 : 0.0;
    }
    bound[i * diagonal] = at_rest ? state.at_bound : 0.0;
  }
  if (island.is_solved) return write_basis(index, held);
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
  const std::size_t n = island.count;
  double* hold = slots_.data() + island.hold_slot;
  double* rate_hold = island.bound ? slots_.data() + island.rate_hold_slot : nullptr;
  double* kinetic = slots_.data() + island.kinetic_slot;
  double* bound = slots_.data() + island.static_slot;
  LexicographicHoldMap map;
  const IslandMatrices& matrices = matrices_[index];
  const Eigen::MatrixXd gram = matrices.gram.principal(held).dense();
  if (island.bound) {
    map = lexicographic_hold_map(matrices.creep_gram, matrices.gram.dense(), matrices.drag, held,
                                 others);
    mark_indeterminate(index, held,
                       map.first * matrices.creep_gram(held, held) + map.second * gram);
  } else {
    HoldMap one = hold_map(matrices.gram, held, others);
    mark_indeterminate(index, held, one.from_residual * gram);
    map.first = std::move(one.from_residual);
    map.from_forces = std::move(one.from_forces);
  }
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

// Forces that give the same motion as s are `projection` s: a held force is unique when it is its
// own projection, whatever the others are.
void Modes::mark_indeterminate(std::size_t index, std::span<const Eigen::Index> held,
                               const Eigen::MatrixXd& projection) {
  constexpr double kPart = 1e-9;
  for (std::size_t r = 0; r < held.size(); ++r) {
    const std::uint32_t slot =
        system_.frictions[system_.islands[index].first + static_cast<std::size_t>(held[r])]
            .indeterminate_slot;
    const auto k = static_cast<Eigen::Index>(r);
    if (slot != kNoIndex && 1 - projection(k, k) > kPart) slots_[slot] = 1;
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
    const bool at_bound = m.rest == Rest::kCritical || m.rest == Rest::kSaturated;
    FrictionState state;
    if (system_.frictions[id].stop != kNoIndex) {
      state.free = m.contact == 0 || m.rest == Rest::kSlips;
      state.contact = state.free ? std::int8_t{0} : m.contact;
      // Without force of its own: others hold the body, or nothing pushes.
      if (at_bound) state.at_bound = state.contact;
      set_friction(id, state);
      if (hints[id].at_rest) zeros[id] = state.free ? m.zeros + 1 : 0;  // of the gap
      continue;
    }
    state.free = decision.is_free(i);
    if (m.rest == Rest::kSlips && !state.free) state.direction = m.side;
    if (at_bound && !state.free) state.at_bound = m.side;
    const std::int8_t slid = hints[id].slid != 0 ? hints[id].slid : frictions_[id].direction;
    if (!state.free && decision.tends_to_rest(i, slid)) state.direction = m.side;
    set_friction(id, state);
    zeros[id] = at_bound ? 0 : m.zeros;
  }
}

void Modes::forget_decisions() {
  for (IslandDecision& decision : decisions_) decision.forget();
}

// --- settle islands

void Modes::number_settle_islands() {
  const auto constant = [this](std::uint32_t index) { return constants_[index]; };
  for (const SettleIsland& island : system_.settle_islands) {
    const auto points = static_cast<Eigen::Index>(island.count);
    SettleNumbers& numbers = numbers_.emplace_back();
    const auto rows = static_cast<Eigen::Index>(island.springs + island.frictions);
    numbers.directions.resize(rows, points);
    for (Eigen::Index k = 0; k < rows * points; ++k) {
      numbers.directions(k / points, k % points) = constant(island.directions[k]);
    }
    numbers.stiffness.resize(island.springs);
    numbers.half_freeplay.resize(island.springs);
    for (std::uint32_t i = 0; i < island.springs; ++i) {
      const SettleSpring& spring = system_.settle_springs[island.first_spring + i];
      numbers.stiffness[i] = constant(spring.stiffness);
      numbers.half_freeplay[i] =
          spring.edge_row == kNoIndex ? -1.0 : std::max(constant(spring.half_freeplay), 0.0);
    }
    for (const SpringLaw& law : laws_of(system_, island, constants_)) join_in_turn(numbers, law);
    for (std::uint32_t i = 0; i < island.frictions; ++i) {
      const FallingFriction f = falling(island.first_friction + i);
      if (f.speed > 0) numbers.falling.emplace(i, f);
    }
    numbers.weight = settle_weight(numbers.directions, numbers.stiffness);
    if (island.bound) numbers.gram = Eigen::MatrixXd::Zero(island.frictions, island.frictions);
    for (const GramEntry& entry : island.gram) {
      numbers.gram(entry.i, entry.j) = numbers.gram(entry.j, entry.i) = constant(entry.constant);
    }
    SettleState& state = settled_.emplace_back();
    state.position.resize(points);
    for (Eigen::Index k = 0; k < points; ++k) state.position[k] = constant(island.starts[k]);
    state.force = Vector::Zero(island.frictions);
    state.zone.resize(island.springs);
    state.riding.resize(island.springs);
    state.friction.resize(island.frictions);
    maps_.emplace_back();
    kept_.push_back(0);
  }
}

namespace {

/// The errors of steps alone.
bool is_dropped(Coefficients& J, Eigen::Index k, std::uint32_t row) {
  const double value = std::fabs(J.at(k, row));
  return value == 0 || value <= kErrorOfSteps * J.size(k, row);
}

/// What the rounding of the drives at order k, and what is dropped of them, may move a point by.
double rounding_of_position(const System& system, const SettleIsland& island,
                            const SettleNumbers& numbers, Coefficients& J, Eigen::Index k) {
  const auto doubt = [&](std::uint32_t row) {
    const double dropped = is_dropped(J, k, row) ? std::fabs(J.at(k, row)) : 0;
    return kRoundingOfRate * J.size(k, row) + dropped;
  };
  double sum = 0;
  for (std::uint32_t i = 0; i < island.springs + island.frictions; ++i) {
    const double length = numbers.directions.row(i).norm();
    const bool spring = i < island.springs;
    const std::uint32_t row =
        spring ? system.settle_springs[island.first_spring + i].drive_row
               : system.frictions[island.first_friction + i - island.springs].free_row;
    if (length > 0) sum += doubt(row) / length;
  }
  for (std::uint32_t i = 0; i < island.count; ++i) {
    sum += doubt(island.load_row + i) / numbers.weight[i];
  }
  return sum;
}

// What frictions in series hold together is decided by.
void add_rates(const System& system, const SettleIsland& island, const SettleNumbers& numbers,
               Coefficients& J, SettleDrives& out) {
  const Eigen::Index orders = J.highest();
  out.rate.resize(island.frictions, orders + 1);
  out.rate_size.resize(island.frictions, orders + 1);
  out.velocity_size.resize(island.frictions);
  out.driven.resize(island.frictions);
  for (std::uint32_t i = 0; i < island.frictions; ++i) {
    const Friction& f = system.frictions[island.first_friction + i];
    for (Eigen::Index k = 0; k <= orders; ++k) {
      out.rate(i, k) = J.at(k, f.rate_row);
      out.rate_size(i, k) = std::max(std::fabs(out.rate(i, k)), J.size(k, f.rate_row));
    }
    out.driven[i] = f.driven ? 1 : 0;
    if (orders == 0) continue;
    // One on no point travels with its slip.
    const bool points = !numbers.directions.row(numbers.springs() + i).isZero(0.0);
    if (!points) out.travel(i, 1) = J[f.slip_row];
    out.velocity_size[i] = points ? J.size(1, f.free_row) : J.size(0, f.slip_row);
  }
}

SettleDrives drives_of(const System& system, const SettleIsland& island,
                       const SettleNumbers& numbers, Coefficients& J) {
  const Eigen::Index orders = J.highest();
  // The speed of a point that turns back in this instant is zero but for rounding, and that of one
  // that tends to rest but for the errors of steps.
  const auto row = [&](std::uint32_t r, Eigen::Index k) {
    return k > 0 && is_dropped(J, k, r) ? 0.0 : J.at(k, r);
  };
  SettleDrives out;
  out.spring.resize(island.springs, orders + 1);
  for (Eigen::MatrixXd* m : {&out.travel, &out.kinetic, &out.bound}) {
    m->resize(island.frictions, orders + 1);
  }
  out.load.resize(island.count, orders + 1);
  out.rounding = Vector::Zero(orders + 1);
  for (Eigen::Index k = 0; k <= orders; ++k) {
    for (std::uint32_t i = 0; i < island.springs; ++i) {
      out.spring(i, k) = row(system.settle_springs[island.first_spring + i].drive_row, k);
    }
    for (std::uint32_t i = 0; i < island.frictions; ++i) {
      const Friction& f = system.frictions[island.first_friction + i];
      out.travel(i, k) = row(f.free_row, k);
      out.kinetic(i, k) = row(f.kinetic_row, k);
      out.bound(i, k) = (row(f.reserve_row, k) + row(f.reserve_row + 1, k)) / 2;
    }
    for (std::uint32_t i = 0; i < island.count; ++i) out.load(i, k) = row(island.load_row + i, k);
    if (k > 0) out.rounding[k] = rounding_of_position(system, island, numbers, J, k);
  }
  if (island.bound) add_rates(system, island, numbers, J, out);
  return out;
}

}  // namespace

void Modes::keep_settled(Coefficients& J) {
  for (std::size_t k = 0; k < settled_.size(); ++k) {
    if (maps_[k].size() == 0) continue;
    const SettleDrives drives = drives_of(system_, system_.settle_islands[k], numbers_[k], J);
    settled_[k].position = followed_position(k, drives);
    settled_[k].travel = drives.travel.col(0);
    kept_[k] = 1;
  }
}

// Where the mode has points for these drives.
Vector Modes::followed_position(std::size_t index, const SettleDrives& drives) const {
  const SettleIsland& island = system_.settle_islands[index];
  Vector position = (maps_[index] * drives.values()).head(island.count);
  for (std::uint32_t i = 0; i < island.count; ++i) position[i] += slots_[island.offset_slot + i];
  return position;
}

bool Modes::settle(std::size_t index, Coefficients& J, bool followed, const SettleHints& hints,
                   SettleZeros& zeros) {
  constexpr double kJump = 1e-10;  // relative to where a point has been
  const SettleIsland& island = system_.settle_islands[index];
  const SettleNumbers& numbers = numbers_[index];
  const SettleDrives drives = drives_of(system_, island, numbers, J);
  SettleState next = settled_[index];
  followed = followed && maps_[index].size() > 0;
  const bool kept = std::exchange(kept_[index], char{0}) != 0;
  if ((followed && !kept) || maps_[index].size() == 0) next.travel = drives.travel.col(0);
  if (followed && !kept) next.position = followed_position(index, drives);
  const Vector before = next.position;
  if (!decide_settling(numbers, drives, hints, next, zeros)) return false;
  SettleState& state = settled_[index];
  const double jump = (next.position - before).cwiseAbs().maxCoeff();
  const double scale = before.cwiseAbs().maxCoeff() + drives.spring.col(0).cwiseAbs().sum() +
                       drives.travel.col(0).cwiseAbs().sum();
  const bool same = followed && jump <= kJump * scale && next.zone == state.zone &&
                    next.riding == state.riding &&
                    std::equal(next.friction.begin(), next.friction.end(),
                               frictions_.begin() + island.first_friction);
  if (same) return true;
  state = std::move(next);
  write_settled(index, drives);
  return true;
}

void Modes::end_settled_slip(std::size_t i) {
  for (std::size_t k = 0; k < settled_.size(); ++k) {
    const SettleIsland& island = system_.settle_islands[k];
    const std::size_t own = i - island.first_friction;
    if (i >= island.first_friction && own < island.frictions) settled_[k].friction[own] = {};
  }
}

void Modes::write_series(std::size_t index) {
  const SettleIsland& island = system_.settle_islands[index];
  const SeriesMap map = series_map(numbers_[index], settled_[index]);
  const Eigen::Index n = island.frictions;
  const auto write = [&](std::uint32_t slot, const Eigen::MatrixXd& matrix) {
    for (Eigen::Index k = 0; k < n * n; ++k) slots_[slot + k] = matrix(k / n, k % n);
  };
  write(island.given_slot, map.given);
  write(island.hold_slot, map.hold);
  write(island.static_slot, map.bound);
  for (std::uint32_t i = 0; i < island.frictions; ++i) {
    const std::uint32_t slot = system_.frictions[island.first_friction + i].indeterminate_slot;
    if (slot != kNoIndex) slots_[slot] = map.shared[i];
  }
}

// The map of the mode through the present point.
void Modes::write_settled(std::size_t index, const SettleDrives& drives) {
  const SettleIsland& island = system_.settle_islands[index];
  const SettleState& state = settled_[index];
  Eigen::MatrixXd& map = maps_[index];
  map = settling_map(numbers_[index], state);
  Vector offset(island.results());
  offset << state.position, state.force;
  offset -= map * drives.values();
  for (std::uint32_t i = 0; i < island.frictions; ++i) {
    if (state.friction[i].direction != 0) offset[island.count + i] = 0;
  }
  for (Eigen::Index i = 0; i < map.rows(); ++i) {
    slots_[island.offset_slot + i] = offset[i];
    for (Eigen::Index k = 0; k < map.cols(); ++k) {
      slots_[island.map_slot + i * map.cols() + k] = map(i, k);
    }
  }
  if (island.bound) write_series(index);
  for (std::uint32_t i = 0; i < island.springs; ++i) {
    const std::uint32_t slot = system_.settle_springs[island.first_spring + i].zone_slot;
    if (slot != kNoIndex) slots_[slot] = state.zone[i];
  }
  for (std::uint32_t i = 0; i < island.frictions; ++i) {
    const Friction& friction = system_.frictions[island.first_friction + i];
    const FrictionState& now = state.friction[i];
    slots_[friction.direction_slot] = now.direction;
    slots_[friction.moving_slot] = now.direction == 0 && !now.free ? 0.0 : 1.0;
    set_friction(island.first_friction + i, now);
  }
  stale_ = true;
}

}  // namespace luztar
