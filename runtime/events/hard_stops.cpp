// Impacts and contacts at hard stops.
#include <algorithm>
#include <cmath>
#include <set>

#include "runtime/events/events.h"
#include "runtime/events/impact.h"
#include "runtime/events/impact_paths.h"
#include "runtime/events/series_map.h"
#include "runtime/numbers.h"
#include "runtime/pwl/box_minimum.h"

namespace luztar {
namespace {

/// How impulses of members and of paths act on the slips of both.
Eigen::MatrixXd with_paths(const Gram& gram, const Eigen::MatrixXd& paths) {
  const Eigen::Index n = gram.size(), m = paths.rows();
  const Eigen::MatrixXd own = gram.dense(), beside = paths * own;
  Eigen::MatrixXd out(n + m, n + m);
  out << own, beside.transpose(), beside, beside * paths.transpose();
  return out;
}

/// The slips of closed contacts towards the sides at which they are not, by member.
Eigen::MatrixXd other_sides(const std::vector<Eigen::Index>& closed,
                            const std::vector<std::int8_t>& side) {
  Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(closed.size()),
                                               static_cast<Eigen::Index>(side.size()));
  for (std::size_t r = 0; r < closed.size(); ++r) {
    const int other = -side[static_cast<std::size_t>(closed[r])];
    rows(static_cast<Eigen::Index>(r), closed[r]) = other;
  }
  return rows;
}

}  // namespace

void EventEngine::start_stop(std::uint32_t i) {
  const Friction& f = system_.frictions[i];
  const std::uint32_t row = system_.stops[f.stop].gap_row;
  const double below = J_[row], above = J_[row + 1], slip = J_[f.slip_row];
  const double touching = 1e-12 * std::max(std::fabs(below), std::fabs(above));
  std::int8_t side = 0;
  if (above <= touching) side = 1;
  if (below <= touching && !(side == 1 && slip > 0)) side = -1;
  hints_[i].at_rest = false;
  modes_.set_friction(i, {0, 0, true, 0});
  if (side == 0 || modes_.is_contact_of_points(i)) return;
  hit_[i] = side;
  if (slip != 0 || creeps(f)) return;
  close_contact(i, side);
}

// Newton's law at the contacts hit in this instant, with all contacts that are closed. Those of
// massless bodies close without, unless others are closed in series with them. False when
// prescribed motions close in on the contacts.
bool EventEngine::impact(double t, std::span<double> x) {
  for (FrictionHint& hint : hints_) hint.stopped = false;
  if (std::all_of(hit_.begin(), hit_.end(), [](std::int8_t side) { return side == 0; }))
    return true;
  note_approaches(t, x);
  note_stopped(t, x);
  for (std::uint32_t i = 0; i < system_.frictions.size(); ++i) {
    if (hit_[i] != 0 && is_massless_contact(i)) hit_massless(i, hit_[i]);
  }
  bool any = false;
  const auto evaluate_once = [&] {
    if (!any) evaluate(t, x);
    any = true;
  };
  const auto supply = [&](std::uint32_t first, std::uint32_t count,
                          const Eigen::VectorXd& impulse) {
    if (!is_driven(system_, first, count)) return;
    impulse_work_ += work_of_motions(t, first, impulse, x);
    any = false;
  };
  for (std::size_t k = 0; k < system_.islands.size(); ++k) {
    const FrictionIsland& island = system_.islands[k];
    if (!is_hit(island.first, island.count, island.bound)) continue;
    evaluate_once();
    const Struck struck = strike(island.first, modes_.gram(k), modes_.creep_gram(k), x);
    if (struck.blocked) return false;
    supply(island.first, island.count, struck.impulse);
    if (rest_on_contacts(t, k, x)) any = false;
    if (struck.closed.empty()) continue;
    evaluate(t, x);
    any = false;
    hold_together(t, k, struck.closed, x);
  }
  for (std::size_t k = 0; k < system_.settle_islands.size(); ++k) {
    const SettleIsland& island = system_.settle_islands[k];
    if (!is_hit(island.first_friction, island.frictions, island.bound)) continue;
    evaluate_once();
    const SettleNumbers& n = modes_.settle_numbers(k);
    const Struck struck = strike(island.first_friction, Gram(n.gram), slips_by_massless(n), x);
    if (struck.blocked) return false;
    supply(island.first_friction, island.frictions, struck.impulse);
    if (rest_points_on_contacts(t, k, x)) any = false;
    if (struck.closed.empty()) continue;
    hold_on_points(t, k, struck.closed, x);
    any = false;
  }
  return true;
}

// Slips that follow from those of contacts which are at rest by now are zero but for rounding; what
// has broken away at the top of a rebound that this ends has not come to slip. True when there are
// some.
bool EventEngine::rest_on_contacts(double t, std::size_t index, std::span<double> x) {
  const FrictionIsland& island = system_.islands[index];
  const auto count = [&](bool stops, bool at_rest) {
    int found = 0;
    for (std::uint32_t i = island.first; i < island.first + island.count; ++i) {
      if (modes_.is_massless(i) || (system_.frictions[i].stop != kNoIndex) != stops) continue;
      if (hints_[i].at_rest == at_rest && !modes_.friction(i).free) ++found;
    }
    return found;
  };
  const int slides = count(false, false);
  if (slides == 0 || count(true, true) == 0) return false;
  std::fill(rests_.begin(), rests_.end(), 0);
  evaluate(t, x);
  find_resting(island, x, true);
  if (count(false, false) == slides) return false;
  rest_together(t, index, x);
  return true;
}

// The same of frictions in series on massless points: these hold with T_S, whatever was to slide.
bool EventEngine::rest_points_on_contacts(double t, std::size_t index, std::span<double> x) {
  const SettleIsland& island = system_.settle_islands[index];
  bool any_rests = false, any_slides = false;
  for (std::uint32_t i = island.first_friction; i < island.first_friction + island.frictions; ++i) {
    const bool is_stop = system_.frictions[i].stop != kNoIndex;
    if (is_stop && hints_[i].ended && !modes_.friction(i).free) any_rests = true;
    if (!is_stop && !hints_[i].ended) any_slides = true;
  }
  if (!any_rests || !any_slides) return false;
  rest_on_points(t, index, x);
  return true;
}

// By the impulses of members from `first` on: these times what prescribed motions are of the slips,
// which is left of them without the speeds of bodies with inertia. Those of massless bodies cancel,
// as impulses on them do. J is of other states afterwards.
double EventEngine::work_of_motions(double t, std::uint32_t first, const Eigen::VectorXd& impulse,
                                    std::span<const double> x) {
  std::vector<double> motions(x.begin(), x.end());
  for (const Friction& f : system_.frictions) {
    for (const ResponseEntry& entry : f.response) motions[entry.state] = 0;
  }
  evaluate(t, motions);
  double work = 0;
  for (Eigen::Index k = 0; k < impulse.size(); ++k) {
    work += impulse[k] * J_[system_.frictions[first + static_cast<std::uint32_t>(k)].slip_row];
  }
  return work;
}

// Of contacts at massless bodies that are open, before some close and these go with others; zero
// where rounding of a gap has one close that is at rest.
void EventEngine::note_approaches(double t, std::span<const double> x) {
  bool evaluated = false;
  for (const Stop& stop : system_.stops) {
    const std::uint32_t i = stop.friction;
    const Friction& f = system_.frictions[i];
    approach_[i] = 0;
    if (!is_massless_contact(i) || !modes_.friction(i).free) continue;
    if (!evaluated) evaluate(t, x);
    evaluated = true;
    const double slip = J_[f.slip_row], instant = J_.rounding_of_instant(0, f.slip_row);
    if (std::fabs(slip) > instant && !is_rounding_of_slip(f, slip)) approach_[i] = slip;
  }
}

// Frictions of massless bodies that slip as contacts of such bodies close.
void EventEngine::note_stopped(double t, std::span<const double> x) {
  bool any = false;
  for (std::uint32_t i = 0; i < hit_.size(); ++i) {
    any = any || (hit_[i] != 0 && is_massless_contact(i) && creeps(system_.frictions[i]));
  }
  if (!any) return;
  evaluate(t, x);
  for (std::uint32_t i = 0; i < system_.frictions.size(); ++i) {
    const Friction& f = system_.frictions[i];
    if (!creeps(f) || f.stop != kNoIndex || modes_.friction(i).direction == 0) continue;
    hints_[i].stopped = !is_rounding_of_slip(f, J_[f.slip_row]);
  }
}

// It closes without impact of its own. A light body bounces on it, but where the stop takes all.
void EventEngine::hit_massless(std::uint32_t i, std::int8_t side) {
  hit_[i] = side;
  const double e = modes_.constants()[system_.stops[system_.frictions[i].stop].restitution];
  if (side * approach_[i] > 0) settled_[i] = e == 0 ? 1 : 0;
  if (creeps(system_.frictions[i])) close_contact(i, side);
}

void EventEngine::close_contact(std::uint32_t i, std::int8_t side) {
  hints_[i].at_rest = true;
  modes_.set_friction(i, {0, 0, false, side});
  contact_before_[i] = side;
}

// bound: contacts of massless bodies may be in series.
bool EventEngine::is_hit(std::uint32_t first, std::uint32_t count, bool bound) const {
  for (std::uint32_t i = first; i < first + count; ++i) {
    if (hit_[i] == 0) continue;
    if (is_massless_contact(i) ? bound : modes_.friction(i).free) return true;
  }
  return false;
}

void EventEngine::name_blocked(std::uint32_t first, std::size_t count) {
  for (std::uint32_t i = first; i < first + count; ++i) {
    const Friction& f = system_.frictions[i];
    if (f.stop == kNoIndex || (hit_[i] == 0 && modes_.friction(i).free)) continue;
    blocked_.push_back(f.name);
  }
}

// gram, massless: of the frictions and stops from `first` on; the latter, how forces move bodies
// without inertia. An impulse passes through these on paths of contacts, which are members of the
// impact of their own, after those of the island.
EventEngine::Struck EventEngine::strike(std::uint32_t first, const Gram& gram,
                                        const Eigen::MatrixXd& massless, std::span<double> x) {
  const Eigen::Index n = gram.size();
  std::vector<std::int8_t> contacts(static_cast<std::size_t>(n)), passing = contacts;
  std::vector<std::uint8_t> opens(contacts.size());
  std::vector<Eigen::Index> joints;  // closed contacts without play, which also pull
  Eigen::VectorXd slip(n), restitution = Eigen::VectorXd::Zero(n);
  double fastest = 0;
  for (std::uint32_t k = 0; k < contacts.size(); ++k) {
    const Friction& f = system_.frictions[first + k];
    slip[k] = f.slip_state != kNoIndex ? x[f.slip_state] : J_[f.slip_row];
    if (hit_[first + k] != 0) fastest = std::max(fastest, std::fabs(slip[k]));
  }
  for (std::uint32_t k = 0; k < contacts.size(); ++k) {
    const std::uint32_t i = first + k;
    const Friction& f = system_.frictions[i];
    const FrictionState& state = modes_.friction(i);
    if (f.stop == kNoIndex) continue;
    restitution[k] = modes_.constants()[system_.stops[f.stop].restitution];
    std::int8_t& side = is_massless_contact(i) ? passing[k] : contacts[k];
    side = hit_[i] != 0 ? hit_[i] : state.contact;
    if (side == 0) side = side_that_touches(i);
    // What rounding makes of the slip of a closed contact is no approach, and does not part it from
    // what hits the bodies that it joins.
    const bool closed = !is_massless_contact(i) && !state.free;
    const bool is_slow = std::fabs(slip[k]) <= kSpeedRounding * fastest;
    if (closed && (is_slow || is_rounding_of_slip(f, slip[k]))) slip[k] = 0;
    if (closed && hit_[i] == 0 && slip[k] == 0 && has_no_play(f)) joints.push_back(k);
    opens[k] = !closed && contacts[k] * J_.at(1, f.slip_row) < 0 ? 1 : 0;
  }
  Struck struck;
  const Eigen::MatrixXd paths =
      massless.size() > 0 ? impulse_paths(massless, passing) : Eigen::MatrixXd(0, n);
  const Eigen::Index m = paths.rows(), joined = static_cast<Eigen::Index>(joints.size());
  Eigen::MatrixXd beside(m + joined, n);
  beside << paths, other_sides(joints, contacts);
  Eigen::VectorXd slips(n + beside.rows()), losses = Eigen::VectorXd::Zero(n + beside.rows());
  slips << slip, beside * slip;
  losses.head(n) = restitution;
  for (Eigen::Index p = 0; p < m; ++p) {
    losses[n + p] = restitution_of_path(first, paths.row(p), restitution, slips[n + p]);
    const bool is_slow = std::fabs(slips[n + p]) <= kSpeedRounding * fastest;
    if (is_slow || is_rounding_of_path(first, paths.row(p), slips[n + p])) slips[n + p] = 0;
  }
  contacts.resize(contacts.size() + static_cast<std::size_t>(beside.rows()), 1);
  opens.resize(contacts.size(), 0);
  ImpactResult result;
  try {
    const bool alone = beside.rows() == 0;
    result =
        solve_impact(alone ? gram : Gram(with_paths(gram, beside)), contacts, opens, slips, losses);
  } catch (const UnboundedMinimum&) {
    name_blocked(first, static_cast<std::size_t>(n));
    struck.blocked = true;
    return struck;
  }
  const Eigen::VectorXd impulse =
      result.impulse.head(n) + beside.transpose() * result.impulse.tail(beside.rows());
  for (const Eigen::Index k : joints) result.after[k] = 0;
  for (std::uint32_t k = 0; k < passing.size(); ++k) {
    if (impulse[k] != 0) apply_impulse(first + k, impulse[k], x);
  }
  for (std::uint32_t k = 0; k < passing.size(); ++k) {
    follow_impact(first + k, slip[k], contacts[k], result.after[k], x);
  }
  std::set<Eigen::Index> closed;
  for (Eigen::Index p = 0; p < m; ++p) {
    const double before = slips[n + p], after = result.after[n + p];
    for (Eigen::Index k = 0; k < n; ++k) {
      if (paths(p, k) == 0) continue;
      const std::uint32_t i = first + static_cast<std::uint32_t>(k);
      const std::int8_t side = passing[static_cast<std::size_t>(k)];
      const bool joins = hit_[i] == 0 && modes_.friction(i).free;
      if (joins && result.impulse[n + p] != 0) hit_massless(i, side);
      if (after == 0) {
        closed.insert(k);
        settled_[i] = 1;
      }
      if (hit_[i] == 0 || !(before > 0)) continue;
      ++impacts_[i];
      bounced_[i] = after != 0 ? 1 : 0;
    }
  }
  struck.closed.assign(closed.begin(), closed.end());
  struck.impulse = impulse;
  return struck;
}

// That of the contact which closes last, where light bodies have come to rest on the others. Where
// one rattles on, and the others take all, they catch it, and that contact closes last; else it
// rattles between them until they have taken all, if any does.
double EventEngine::restitution_of_path(std::uint32_t first, const Eigen::VectorXd& path,
                                        const Eigen::VectorXd& restitution, double speed) const {
  constexpr double kRounding = 1e-9;
  double least = 1, least_closing = 1, rattling = 1, greatest_beside = 0;
  bool any_closing = false;
  int rattle = 0;
  for (Eigen::Index k = 0; k < path.size(); ++k) {
    if (path[k] == 0) continue;
    const double e = restitution[k];
    const std::uint32_t i = first + static_cast<std::uint32_t>(k);
    const bool closing = path[k] * approach_[i] > kRounding * std::fabs(speed);
    least = std::min(least, e);
    if (!closing && settled_[i] == 0) {
      ++rattle;
      rattling = e;
      continue;
    }
    greatest_beside = std::max(greatest_beside, e);
    if (!closing) continue;
    any_closing = true;
    least_closing = std::min(least_closing, e);
  }
  if (rattle == 1 && greatest_beside == 0) return rattling;
  if (rattle > 0) return least < 1 ? 0 : 1;
  return any_closing ? least_closing : least;
}

// Of what the slips on the path are made of, with the speeds of massless bodies that it leaves out.
bool EventEngine::is_rounding_of_path(std::uint32_t first, const Eigen::VectorXd& path,
                                      double slip) {
  constexpr double kRounding = 1e-12;
  double size = 0;
  for (Eigen::Index k = 0; k < path.size(); ++k) {
    const std::uint32_t i = first + static_cast<std::uint32_t>(k);
    if (path[k] != 0) size += std::fabs(path[k]) * J_.size(0, system_.frictions[i].slip_row);
  }
  return std::fabs(slip) <= kRounding * size;
}

void EventEngine::apply_impulse(std::uint32_t i, double impulse, std::span<double> x) {
  for (const ResponseEntry& entry : system_.frictions[i].response) {
    x[entry.state] -= impulse * modes_.response(entry, J_);
  }
}

// `side`: of a contact that takes part, else 0.
void EventEngine::follow_impact(std::uint32_t i, double slip, std::int8_t side, double after,
                                std::span<double> x) {
  const Friction& f = system_.frictions[i];
  if (after != slip) pushed_[i] = 1;
  // Points follow at once, where bodies let them.
  if (modes_.settles(i) && (f.stop == kNoIndex || modes_.is_contact_of_points(i))) {
    if (after == slip) return;
    hints_[i].ended = after == 0;
    if (after == 0) hints_[i].slid = 0;
    return;
  }
  if (f.slip_state != kNoIndex) x[f.slip_state] = after;
  if (after == 0 && f.velocity_state != kNoIndex) x[f.velocity_state] = 0;
  if (f.stop == kNoIndex) {
    if (f.creep) return;  // follows at once
    if (after == slip || (after == 0) == hints_[i].at_rest) {
      if (after == 0 || direction_of(after) == modes_.friction(i).direction) return;
    }
    hints_[i].at_rest = after == 0;
    hints_[i].direction = direction_of(after);
    if (after != 0) modes_.set_friction(i, {direction_of(after), 0, false, 0});
    return;
  }
  if (side == 0) return;
  if (hit_[i] != 0 && modes_.friction(i).free && side * slip > 0) ++impacts_[i];
  hit_[i] = side;
  hints_[i].at_rest = after == 0;
  if (modes_.settles(i)) hints_[i].ended = after == 0;
  // One that stays closed may do so without a force.
  if (after != 0 || modes_.friction(i).contact != side) {
    modes_.set_friction(i, {0, 0, after != 0, after == 0 ? side : std::int8_t{0}});
  }
  contact_before_[i] = modes_.friction(i).contact;
  bounced_[i] = after != 0 ? 1 : 0;
}

// One that opens in this instant is at its gap.
void EventEngine::leave_stop(std::uint32_t i) {
  const FrictionState& state = modes_.friction(i);
  if (hints_[i].at_rest && state.free && hit_[i] == 0) hit_[i] = contact_before_[i];
  hints_[i].at_rest = !state.free;
  contact_before_[i] = state.contact;
}

// One of points: `opens` is the side that opens in this instant, or 0.
void EventEngine::follow_contact(std::uint32_t i, std::int8_t opens, std::uint32_t zeros) {
  hit_[i] = opens;
  zeros_[i] = opens != 0 ? zeros + 1 : zeros;  // the gap has one more than the slip
  hints_[i].at_rest = !modes_.friction(i).free;
}

}  // namespace luztar
