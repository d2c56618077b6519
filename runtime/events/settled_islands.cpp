// Settle islands of a mode: where their points are, and the maps of their forces.
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "runtime/events/capacity.h"
#include "runtime/events/modes.h"
#include "runtime/events/series_map.h"
#include "runtime/pwl/first_crossing.h"

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

/// The errors of steps alone.
bool is_dropped(Coefficients& J, Eigen::Index k, std::uint32_t row) {
  const double value = std::fabs(J.at(k, row));
  return value <= kNothing || value <= kErrorOfSteps * J.size(k, row);
}

/// What the rounding of the drives at order k, that of the instant, and what is dropped of them may
/// move a point by.
double rounding_of_position(const System& system, const SettleIsland& island,
                            const SettleNumbers& numbers, Coefficients& J, Eigen::Index k) {
  const auto doubt = [&](std::uint32_t row) {
    const double dropped = is_dropped(J, k, row) ? std::fabs(J.at(k, row)) : 0;
    return kRoundingOfRate * J.size(k, row) + J.rounding_of_instant(k, row) + dropped;
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

/// What the rounding of forces in balance moves a point by, even where all ways are zero.
double rounding_of_balance(const SettleNumbers& numbers, const SettleDrives& drives,
                           const SettleState& state) {
  constexpr double kRounding = 1e-13;
  const Vector forces = numbers.directions.bottomRows(numbers.frictions()).cwiseAbs().transpose() *
                            state.force.cwiseAbs() +
                        drives.load.col(0).cwiseAbs();
  return kRounding * forces.cwiseQuotient(numbers.weight).maxCoeff();
}

/// The terms of a slip. What is left of one that turns back in this instant is the rounding of
/// that, however small its terms: also where the mode so far holds it, and its rate has cancelled.
double size_of_slip(Coefficients& J, Eigen::Index k, std::uint32_t row) {
  const double rate = k < J.highest() ? static_cast<double>(k + 1) * J.size(k + 1, row) : 0;
  return J.size(k, row) + J.rounding_of_instant(rate) / kRoundingOfRate;
}

// The slip of friction i of the island by its parts.
void add_creep(const Friction& f, Eigen::Index i, Coefficients& J, SettleDrives& out) {
  for (Eigen::Index k = 0; k <= J.highest(); ++k) {
    out.creep(i, k) = J.at(k, f.creep_slip_row);
    out.creep_size(i, k) = std::max(std::fabs(out.creep(i, k)), J.size(k, f.creep_slip_row));
  }
  out.travel(i, 1) = J[f.creep_slip_row + 1];
  out.velocity_size[i] = size_of_slip(J, 0, f.creep_slip_row + 1);
}

/// Leading coefficients of the rate of a drive that turns back like t^2 or a higher power: the next
/// one is the first that tells. The root is found late, or early, by what its slip loses in
/// rounding and in steps, and they are what that makes of the next one.
Eigen::Index zeros_at_turn(Coefficients& J, std::uint32_t row) {
  constexpr std::size_t kMost = 7;  // multiplicity
  constexpr Eigen::Index kOrders = 11;
  const std::vector<double> slip = slip_by_rates(J, row, std::min(kOrders, J.highest() + 1));
  const std::size_t zeros = zeros_near_root(slip, kMost, 0);
  return zeros > 0 ? static_cast<Eigen::Index>(zeros) - 1 : 0;
}

/// What the error of such a root leaves of the velocity there: less than rate^2/bend, as it is a
/// power of the time.
double velocity_at_turn(Coefficients& J, std::uint32_t row) {
  const double rate = J.at(0, row), bend = J.at(1, row);
  return bend != 0 ? 2 * rate * rate / std::fabs(bend) : 0.0;
}

// What frictions in series hold together is decided by.
void add_rates(const System& system, const SettleIsland& island, const SettleNumbers& numbers,
               Coefficients& J, SettleDrives& out) {
  const Eigen::Index orders = J.highest();
  out.rate.resize(island.frictions, orders + 1);
  out.rate_size.resize(island.frictions, orders + 1);
  if (numbers.creeps()) {
    out.creep = out.creep_size = Eigen::MatrixXd::Zero(island.frictions, orders + 1);
  }
  out.velocity_size.resize(island.frictions);
  out.velocity_at_turn = Vector::Zero(island.frictions);
  out.driven.resize(island.frictions);
  for (std::uint32_t i = 0; i < island.frictions; ++i) {
    const Friction& f = system.frictions[island.first_friction + i];
    const Eigen::Index zeros = f.driven ? zeros_at_turn(J, f.rate_row) : 0;
    for (Eigen::Index k = 0; k <= orders; ++k) {
      const double rate = J.at(k, f.rate_row);
      out.rate(i, k) = k < zeros || std::fabs(rate) <= kNothing ? 0 : rate;
      out.rate_size(i, k) = std::max(std::fabs(out.rate(i, k)), J.size(k, f.rate_row));
    }
    out.driven[i] = f.driven ? 1 : 0;
    if (orders == 0) continue;
    if (f.creep_slip_row != kNoIndex) {
      add_creep(f, i, J, out);
    } else {
      // One on no point travels with its slip.
      const bool points = !numbers.directions.row(numbers.springs() + i).isZero(0.0);
      if (!points) out.travel(i, 1) = J[f.slip_row];
      out.velocity_size[i] =
          points ? size_of_slip(J, 1, f.free_row) : size_of_slip(J, 0, f.slip_row);
    }
    // Beside the slips of damped bodies nobody could tell which way it goes.
    if (zeros > 0 && numbers.creeps()) out.velocity_at_turn[i] = velocity_at_turn(J, f.rate_row);
  }
}

void add_varying(const SettleIsland& island, Coefficients& J, SettleDrives& out) {
  const Eigen::MatrixXd none = Eigen::MatrixXd::Zero(island.frictions, island.frictions);
  for (Eigen::Index k = 0; k <= J.highest(); ++k) {
    Eigen::MatrixXd& value = out.slow.emplace_back(none);
    Eigen::MatrixXd& size = out.slow_size.emplace_back(none);
    for (const VaryingGramEntry& entry : island.varying_gram) {
      value(entry.i, entry.j) = value(entry.j, entry.i) = J.at(k, entry.row);
      size(entry.i, entry.j) = size(entry.j, entry.i) = J.size(k, entry.row);
    }
    for (const VaryingGramEntry& entry : island.varying_drag) {
      value(entry.i, entry.j) -= J.at(k, entry.row);
      size(entry.i, entry.j) += J.size(k, entry.row);
    }
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
  for (Eigen::MatrixXd* m : {&out.travel, &out.kinetic, &out.bound, &out.at_rest}) {
    m->setZero(island.frictions, orders + 1);
  }
  out.load.resize(island.count, orders + 1);
  out.half_gap = Vector::Zero(island.frictions);
  for (const Eigen::Index i : numbers.contacts) {
    const Friction& f = system.frictions[island.first_friction + static_cast<std::size_t>(i)];
    const std::uint32_t gap = system.stops[f.stop].gap_row;
    out.half_gap[i] = (J[gap] + J[gap + 1]) / 2;
  }
  out.rounding = Vector::Zero(orders + 1);
  for (Eigen::Index k = 0; k <= orders; ++k) {
    for (std::uint32_t i = 0; i < island.springs; ++i) {
      out.spring(i, k) = row(system.settle_springs[island.first_spring + i].drive_row, k);
    }
    for (std::uint32_t i = 0; i < island.frictions; ++i) {
      const Friction& f = system.frictions[island.first_friction + i];
      out.travel(i, k) = row(f.free_row, k);
      out.kinetic(i, k) = row(f.kinetic_row, k);
      if (f.at_rest_row != kNoIndex) out.at_rest(i, k) = row(f.at_rest_row, k);
      const double half_sum = (row(f.reserve_row, k) + row(f.reserve_row + 1, k)) / 2;
      const double capacity = capacity_at(J, f, k);
      out.bound(i, k) = k == 0 || capacity == 0 ? capacity : half_sum;
      if (capacity == 0 && capacity_at(J, f) == 0) out.kinetic(i, k) = out.at_rest(i, k) = 0;
    }
    for (std::uint32_t i = 0; i < island.count; ++i) out.load(i, k) = row(island.load_row + i, k);
    if (k > 0) out.rounding[k] = rounding_of_position(system, island, numbers, J, k);
  }
  out.load_rounding.resize(island.count);
  for (std::uint32_t i = 0; i < island.count; ++i) {
    out.load_rounding[i] = J.rounding_of_instant(0, island.load_row + i);
  }
  if (island.bound) add_rates(system, island, numbers, J, out);
  if (numbers.varies) add_varying(island, J, out);
  return out;
}

/// Of an island that is nowhere at an edge or a bound.
SettleZeros zeros_within(const SettleIsland& island, const SettleHints& hints) {
  SettleZeros zeros;
  zeros.edge.assign(island.springs, 0);
  zeros.side.assign(island.springs, 0);
  zeros.friction.assign(island.frictions, 0);
  zeros.contact.assign(island.frictions, 0);
  zeros.slid = hints.slid;
  return zeros;
}

}  // namespace

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
      if (spring.one_sided) numbers.one_sided.insert(i);
      numbers.half_freeplay[i] =
          spring.edge_row == kNoIndex ? -1.0 : std::max(constant(spring.half_freeplay), 0.0);
    }
    for (const SpringLaw& law : laws_of(system_, island, constants_)) join_in_turn(numbers, law);
    for (std::uint32_t i = 0; i < island.frictions; ++i) {
      const std::uint32_t rest = system_.frictions[island.first_friction + i].rest_speed;
      if (rest != kNoIndex && constant(rest) > 0) numbers.rest_speed.emplace(i, constant(rest));
      if (is_contact_of_points(island.first_friction + i)) numbers.contacts.insert(i);
    }
    numbers.weight = settle_weight(numbers.directions, numbers.stiffness);
    if (island.bound) numbers.gram = Eigen::MatrixXd::Zero(island.frictions, island.frictions);
    for (const GramEntry& entry : island.gram) {
      numbers.gram(entry.i, entry.j) = numbers.gram(entry.j, entry.i) = constant(entry.constant);
    }
    numbers.creep_gram = square(island.creep_gram, island.frictions);
    numbers.drag = square(island.drag, island.frictions);
    numbers.varies = island.bound && island.hold_slot == kNoIndex;
    SettleState& state = settled_.emplace_back();
    state.position.resize(points);
    for (std::uint32_t k = 0; k < island.count; ++k) {
      state.position[k] = slots_[island.offset_slot + k] = constant(island.starts[k]);
    }
    state.force = Vector::Zero(island.frictions);
    state.zone.resize(island.springs);
    state.riding.resize(island.springs);
    state.friction.resize(island.frictions);
    maps_.emplace_back();
    known_maps_.emplace_back();
    kept_.push_back(0);
    held_.push_back(0);
  }
}

bool Modes::begin_settled(Coefficients& J) {
  for (std::size_t k = 0; k < settled_.size(); ++k) {
    const SettleIsland& island = system_.settle_islands[k];
    const SettleNumbers& numbers = numbers_[k];
    for (std::uint32_t i = 0; i < island.springs; ++i) {
      const SettleSpring& spring = system_.settle_springs[island.first_spring + i];
      if (spring.zone_slot == kNoIndex) continue;
      const double x = numbers.directions.row(i).dot(settled_[k].position) + J[spring.drive_row];
      const std::int8_t side = x < 0 ? -1 : 1;
      const bool acts = side > 0 || !numbers.one_sided.contains(i);
      const bool beyond = acts && std::fabs(x) > numbers.half_freeplay[i];
      slots_[spring.zone_slot] = settled_[k].zone[i] = beyond ? side : std::int8_t{0};
    }
  }
  if (settled_.empty()) return false;
  stale_ = true;
  return true;
}

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

// Nothing of the island is near a change, and its points have not jumped: the mode stays what it
// is, as the decision would say. Without that each event would cost as much as all islands
// together.
bool Modes::is_well_within(std::size_t index, Coefficients& J, const SettleHints& hints) const {
  constexpr double kWithin = 1e-6;  // of the terms: far above what the decision takes for zero
  const SettleIsland& island = system_.settle_islands[index];
  const SettleNumbers& numbers = numbers_[index];
  const SettleState& state = settled_[index];
  if (island.bound || kept_[index] != 0 || held_[index] == 0) return false;
  if (!numbers.rest_speed.empty() || !numbers.contacts.empty()) return false;
  for (std::uint32_t i = 0; i < island.springs; ++i) {
    const SettleSpring& spring = system_.settle_springs[island.first_spring + i];
    if (spring.edge_row == kNoIndex) continue;
    if (hints.edge[i] != 0 || state.riding[i] != 0) return false;
    const double below = J[spring.edge_row], above = J[spring.edge_row + 1];
    const double size = std::fabs(J[spring.drive_row]) + std::fabs(below) + std::fabs(above);
    if (std::min(std::fabs(below), std::fabs(above)) <= kWithin * size) return false;
    const int side = above > 0 ? 1 : below < 0 && !numbers.one_sided.contains(i) ? -1 : 0;
    if (state.zone[i] != side) return false;
  }
  for (std::uint32_t i = 0; i < island.frictions; ++i) {
    const Friction& f = system_.frictions[island.first_friction + i];
    const FrictionState& now = state.friction[i];
    if (now.free || now.at_bound != 0 || now != frictions_[island.first_friction + i]) return false;
    if (hints.bound[i] != 0 || hints.rests[i] != 0 || hints.slid[i] != now.direction) return false;
    if (now.direction != 0) {
      if (now.direction * J[f.slip_row] <= kWithin * size_of_slip(J, 0, f.slip_row)) return false;
    } else {
      const double below = J[f.reserve_row], above = J[f.reserve_row + 1];
      if (std::min(below, above) <= kWithin * (below + above)) return false;
    }
  }
  return true;
}

bool Modes::settle(std::size_t index, Coefficients& J, bool followed, const SettleHints& hints,
                   SettleZeros& zeros) {
  constexpr double kJump = 1e-10;  // relative to where a point has been
  const SettleIsland& island = system_.settle_islands[index];
  const SettleNumbers& numbers = numbers_[index];
  if (followed && is_well_within(index, J, hints)) {
    zeros = zeros_within(island, hints);
    return true;
  }
  const SettleDrives drives = drives_of(system_, island, numbers, J);
  SettleState next = settled_[index];
  followed = followed && maps_[index].size() > 0;
  const bool kept = std::exchange(kept_[index], char{0}) != 0;
  if ((followed && !kept) || maps_[index].size() == 0) next.travel = drives.travel.col(0);
  if (followed && !kept) next.position = followed_position(index, drives);
  const Vector before = next.position;
  if (!decide_settling(numbers, drives, hints, known_maps_[index], next, zeros)) return false;
  SettleState& state = settled_[index];
  const double jump = (next.position - before).cwiseAbs().maxCoeff();
  const double scale = before.cwiseAbs().maxCoeff() + drives.spring.col(0).cwiseAbs().sum() +
                       drives.travel.col(0).cwiseAbs().sum();
  const double least = std::max(kJump * scale, rounding_of_balance(numbers, drives, next));
  const bool same = followed && jump <= least && next.zone == state.zone &&
                    next.riding == state.riding && next.friction == state.friction &&
                    std::equal(next.friction.begin(), next.friction.end(),
                               frictions_.begin() + island.first_friction);
  if (same) return true;
  state = std::move(next);
  write_settled(index, drives);
  return true;
}

bool Modes::moves_beside(std::size_t island, Eigen::Index own,
                         const std::vector<Eigen::Index>& resting, Coefficients& J) const {
  const Vector weight = weights_of_resting(numbers_[island], resting, own);
  return is_apart(system_.settle_islands[island].first_friction, own, resting, weight, J);
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
  if (island.hold_slot != kNoIndex) write(island.hold_slot, map.hold);
  write(island.static_slot, map.bound);
  if (island.creep_hold_slot != kNoIndex) write(island.creep_hold_slot, map.creep_hold);
  if (numbers_[index].varies) {
    write_stresses(island.stresses, island.frictions, map.stuck, map.regular, map.open);
  }
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
  map = settling_map(numbers_[index], known_maps_[index], state);
  held_[index] = are_held(numbers_[index], state) ? 1 : 0;
  const Vector offset = settling_offset(numbers_[index], state, map, drives);
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
    slots_[friction.direction_slot] = friction.stop == kNoIndex ? now.direction : now.contact;
    slots_[friction.moving_slot] = now.direction == 0 && !now.free ? 0.0 : 1.0;
    set_friction(island.first_friction + i, now);
  }
  stale_ = true;
}

}  // namespace luztar
