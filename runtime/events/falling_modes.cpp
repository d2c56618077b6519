// What a mode says of frictions of damped bodies without inertia that fall with speed: what holds
// these bodies, and how far a slip stays on its line.
#include <algorithm>

#include "runtime/events/modes.h"
#include "runtime/pwl/held_forces.h"

namespace luztar {

double Modes::rest_speed(std::size_t i) const {
  const Friction& f = system_.frictions[i];
  return settles(i) && f.rest_speed != kNoIndex ? constants_[f.rest_speed] : 0.0;
}

Modes::FallRange Modes::fall_range(std::size_t i, const Coefficients& J) const {
  const Friction& f = system_.frictions[i];
  if (settles(i) || (f.decay == kNoIndex && f.falls.empty())) return {};
  if (is_body_held(i)) return {};
  const FrictionIsland& island = system_.islands[island_of_[i]];
  const auto own = static_cast<Eigen::Index>(i - island.first);
  const IslandMatrices& matrices = matrices_[island_of_[i]];
  FallRange range;
  if (f.decay != kNoIndex) {
    if (frictions_[i].direction == 0) return range;
    range.begin = end_of_fall(J[f.ahead_row + 1], constants_[f.decay]);
    return range;
  }
  const std::vector<FallingPart>& parts = matrices.falls[static_cast<std::size_t>(own)];
  const std::size_t ahead = frictions_[i].ahead;
  if (ahead < parts.size()) range.begin = parts[ahead].speed;
  if (ahead > 0) range.end = parts[ahead - 1].speed;
  return range;
}

bool Modes::decays_alone(std::size_t i) const {
  return system_.frictions[i].decay != kNoIndex && !is_body_held(i);
}

// The massless body on which friction `own` falls with speed moves with the one that this friction
// holds it to; none follow it.
std::uint32_t Modes::holder(std::size_t own) const {
  if (!snapping_[own]) return kNoIndex;
  const std::uint32_t first = system_.islands[island_of_[own]].first;
  std::uint32_t holder = kNoIndex;
  for (const std::uint32_t k : snapping_[own]->frictions) {
    const std::uint32_t i = first + k;
    const FrictionState& state = frictions_[i];
    const Friction& f = system_.frictions[i];
    const bool open = f.stop != kNoIndex && state.free;
    if (f.holder_slot == kNoIndex || state.direction != 0 || open) continue;
    if (state.at_bound == 0) return i;
    if (holder == kNoIndex) holder = i;
  }
  return holder;
}

// Frictions hold the massless body on which friction i falls with speed.
bool Modes::is_body_held(std::size_t i) const {
  const SnappingBody* body = snapping_[i];
  if (!body) return false;
  return body->share_slot == kNoIndex ? holder(i) != kNoIndex : slots_[body->held_slot()] != 0;
}

// What the frictions add to the slip of the first one of a massless body that others follow: where
// they hold it, by its own theirs; else by their forces.
void Modes::write_shares(std::size_t index, const SnappingBody& body) {
  if (body.share_slot == kNoIndex) return;
  const FrictionIsland& island = system_.islands[index];
  const IslandMatrices& matrices = matrices_[index];
  const std::size_t n = island.count, count = body.frictions.size();
  double* by_slip = slots_.data() + body.share_slot;
  double* by_kinetic = by_slip + count;
  double* by_static = by_kinetic + count;
  std::fill_n(by_slip, 3 * count + 1, 0.0);
  std::vector<std::size_t> places;
  std::vector<Eigen::Index> resting;
  for (std::size_t c = 0; c < count; ++c) {
    const FrictionState& state = frictions_[island.first + body.frictions[c]];
    if (state.direction != 0 || state.free) continue;
    places.push_back(c);
    resting.push_back(body.frictions[c]);
  }
  const auto first = static_cast<Eigen::Index>(body.frictions.front());
  const Gram gram = matrices.creep_entries();
  const bool own = std::find(resting.begin(), resting.end(), first) != resting.end();
  if (own || (!resting.empty() && depends_on_others(gram, resting, first))) {
    Eigen::VectorXd row(static_cast<Eigen::Index>(resting.size()));
    for (Eigen::Index r = 0; r < row.size(); ++r) row[r] = gram(first, resting[r]);
    row = HeldForces(gram, resting).forces(row);
    for (std::size_t r = 0; r < places.size(); ++r) by_slip[places[r]] = -row[r];
    slots_[body.held_slot()] = 1;
    return;
  }
  for (const std::uint32_t j : body.frictions) {
    const double weight = matrices.creep_entry(first, j);
    for (std::size_t c = 0; c < count; ++c) {
      const std::size_t entry = j * n + body.frictions[c];
      by_slip[c] -= weight * slots_[island.hold_slot + entry];
      by_kinetic[c] -= weight * slots_[island.kinetic_slot + entry];
      by_static[c] -= weight * slots_[island.static_slot + entry];
    }
  }
}

}  // namespace luztar
