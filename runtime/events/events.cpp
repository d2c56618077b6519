#include "runtime/events/events.h"

#include <algorithm>
#include <cmath>

#include "runtime/events/driven_islands.h"
#include "runtime/events/switch_value.h"

namespace luztar {

EventEngine::EventEngine(const System& system, Modes& modes, std::int64_t order,
                         const std::vector<double>& peaks)
    : system_(system),
      modes_(modes),
      peaks_(peaks),
      J_(system, order),
      row_zeros_(system.row_count, 0),
      row_tends_(system.row_count, 0),
      tending_size_(system.row_count, 0),
      hints_(system.frictions.size()),
      zeros_(system.frictions.size()),
      hit_(system.frictions.size()),
      touching_(system.frictions.size()),
      gap_zeros_(system.frictions.size()),
      bounced_(system.frictions.size()),
      idle_(system.frictions.size()),
      pushed_(system.frictions.size()),
      approach_(system.frictions.size()),
      settled_(system.frictions.size(), 1),
      rebound_(system.frictions.size()),
      contact_before_(system.frictions.size()),
      rests_(system.frictions.size()),
      impacts_(system.frictions.size()),
      inside_(system.switches.size()),
      edge_reached_(system.settle_springs.size()),
      edge_left_(system.settle_springs.size()),
      edge_zeros_(system.settle_springs.size()),
      dust_(system.switches.size()),
      held_switches_(system.switches.size()),
      waits_(system.switches.size()),
      motion_switches_(system.switches.size() - system.result_switches),
      creeps_(std::any_of(system.frictions.begin(), system.frictions.end(),
                          [](const Friction& f) { return f.creep; })),
      snaps_(std::any_of(system.islands.begin(), system.islands.end(),
                         [](const FrictionIsland& i) { return !i.snapping.empty(); })) {
  for_each_driven_island(system, [&](std::uint32_t first, std::uint32_t count) {
    if (count > 1) driven_.push_back({first, count, 0});
  });
  for (std::uint32_t i = 0; i < motion_switches_; ++i) {
    if (system.switches[i].edge_slot != kNoIndex) base_switches_.push_back(i);
  }
}

std::string EventEngine::name(const Margin& margin) const {
  switch (margin.kind) {
    case MarginKind::kSwitch:
      return system_.switches[margin.index].name;
    case MarginKind::kEdge:
      return system_.settle_springs[margin.index].name;
    default:
      return system_.frictions[margin.index].name;
  }
}

void EventEngine::forget_zeros() {
  if (!any_zeros_) return;
  for (const std::uint32_t i : leaving_) modes_.set_edge(i, Edge::kAway);
  if (!leaving_.empty()) modes_.apply();
  leaving_.clear();
  for (Margin& margin : margins_) margin.zeros = 0;
  any_zeros_ = false;
}

void EventEngine::evaluate(double t, std::span<const double> x) {
  slip_zeros_.clear();
  for (std::uint32_t i = 0; i < zeros_.size(); ++i) {
    const Friction& f = system_.frictions[i];
    if (zeros_[i] == 0 || modes_.friction(i).direction == 0 || f.state() == kNoIndex) continue;
    slip_zeros_.push_back({f.state(), zeros_[i]});
  }
  modes_.expand(t, x, J_, slip_zeros_);
}

void EventEngine::begin_instant(double t) {
  if (!system_.stops.empty()) {
    if (t != instant_) std::fill(touching_.begin(), touching_.end(), 0);
    std::fill(hit_.begin(), hit_.end(), 0);
    std::fill(bounced_.begin(), bounced_.end(), 0);
    std::fill(pushed_.begin(), pushed_.end(), 0);
  }
  instant_ = t;
  contradicts_ = false;
  J_.note_error_of_instant(0);
  impulse_work_ = 0;
  std::fill(row_zeros_.begin(), row_zeros_.end(), 0);
  for (std::vector<double>& inside : inside_) inside.clear();
  std::fill(edge_reached_.begin(), edge_reached_.end(), 0);
  std::fill(zeros_.begin(), zeros_.end(), 0);
}

bool EventEngine::start(double t, std::span<double> x) {
  const bool good = start_motion(t, x);
  follow_results(t, x);
  return good;
}

bool EventEngine::start_motion(double t, std::span<double> x) {
  begin_instant(t);
  begin_switches(t, x);
  keep_rows();
  for (std::uint32_t i = 0; i < system_.frictions.size(); ++i) {
    const Friction& friction = system_.frictions[i];
    const double slip = J_[friction.slip_row];
    if (friction.slip_state != kNoIndex) x[friction.slip_state] = slip;
    hints_[i] = {slip == 0 || modes_.is_massless(i), 0, direction_of(slip)};
    if (friction.stop != kNoIndex) start_stop(i);
  }
  if (!impact(t, x)) return false;
  if (!settle(t, x)) return false;
  if (!end_bounces(t, x)) return false;
  list_margins();
  return true;
}

// Where two modes follow from themselves, as next to a jump that drives away from it, the run
// begins in that of the values at the start: signs of slips are those of their frictions.
void EventEngine::begin_switches(double t, std::span<const double> x) {
  evaluate(t, x);
  if (modes_.begin_settled(J_)) {
    modes_.apply();
    evaluate(t, x);
  }
  for (int round = 0; round < kRounds; ++round) {
    if (round > 0) evaluate(t, x);
    for (std::uint32_t i = 0; i < motion_switches_; ++i) {
      modes_.set_value(i, value_at(system_.switches[i], J_));
    }
    for (std::uint32_t i = 0; i < system_.frictions.size(); ++i) {
      const Friction& f = system_.frictions[i];
      if (f.stop != kNoIndex || modes_.is_massless(i)) continue;
      modes_.set_friction(i, {direction_of(J_[f.slip_row]), 0, false, 0});
    }
    if (!modes_.apply()) return;
  }
}

bool EventEngine::resolve(double t, std::span<double> x, std::span<const FiredMargin> fired) {
  const bool good = resolve_motion(t, x, fired);
  follow_results(t, x);
  return good;
}

bool EventEngine::resolve_motion(double t, std::span<double> x,
                                 std::span<const FiredMargin> fired) {
  if (is_mere_edge(t, fired)) {
    pass_edge(t, fired.front());
    return true;
  }
  begin_instant(t);
  fired = add_ending_slips(t, x, fired);
  // A relay that what slips sets may have no mode that fits.
  if (!any_jumps(fired)) repeated_.note(t, margins_, fired);
  note_speeds(t, x);
  note_settled(t, x);
  bool evaluated = false;
  for (std::uint32_t i = 0; i < hints_.size(); ++i) {
    const FrictionState& state = modes_.friction(i);
    bool at_rest = state.direction == 0 && !state.free;
    std::int8_t direction = state.direction;  // that of one without capacity is its slip's
    const Friction& f = system_.frictions[i];
    if (f.stop != kNoIndex) {
      // closed, or open
    } else if (modes_.is_massless(i)) {
      at_rest = true;
    } else if (state.free) {
      at_rest = x[f.state()] == 0;
      if (!evaluated) evaluate(t, x);
      evaluated = true;
      at_rest = at_rest || (!fired.empty() && passes_rest(i, x)) || is_held_by_others(t, i, x);
      if (!at_rest) direction = direction_of(J_[f.slip_row]);  // its state is a multiple of it
    }
    // One that has not resisted so far has slid in no direction that anything depends on.
    hints_[i] = {at_rest, 0, direction, idle_[i] != 0 ? std::int8_t{0} : state.direction};
    contact_before_[i] = state.contact;
  }
  const bool any_held = std::any_of(fired.begin(), fired.end(), [&](const FiredMargin& f) {
    return margins_[f.margin].kind == MarginKind::kHeld;
  });
  const std::vector<FrictionState> before =
      any_held ? modes_.frictions() : std::vector<FrictionState>();
  keep_before_jump(t, x, fired);
  find_tending(t, x, fired);
  for (const FiredMargin& f : fired) fire(f);
  wait_for_slips(fired);
  slide_at_jumps(t, x);
  stop_together(t, x, fired);
  rest_in_series(t, x, fired);
  if (!impact(t, x)) return false;
  if (!settle(t, x)) return false;
  if (!end_bounces(t, x)) return false;
  holds_all_the_same_ = any_held && modes_.frictions() == before;
  list_margins();
  return true;
}

// A load or a drive that jumps finds massless bodies at the speed that they have: where their
// frictions fall with it, or hold with more than they slide with, that tells where they go.
void EventEngine::note_speeds(double t, std::span<const double> x) {
  if (!snaps_) return;
  evaluate(t, x);
  modes_.note_speeds(J_);
}

// Of a switch whose law may have a jump, which that of a zone has not.
bool EventEngine::any_jumps(std::span<const FiredMargin> fired) const {
  return std::any_of(fired.begin(), fired.end(), [&](const FiredMargin& f) {
    const Margin& margin = margins_[f.margin];
    return margin.kind == MarginKind::kSwitch && !is_zone(margin.index);
  });
}

// A signal that jumps finds massless points where they are: dry friction is against the way from
// there. What other switches watch may jump with it.
void EventEngine::keep_before_jump(double t, std::span<const double> x,
                                   std::span<const FiredMargin> fired) {
  before_jump_.clear();
  slip_before_jump_.clear();
  travel_before_jump_.clear();
  drive_before_jump_.clear();
  if (!any_jumps(fired)) return;
  evaluate(t, x);
  modes_.keep_settled(J_);
  for (std::uint32_t i = 0; i < system_.frictions.size(); ++i) {
    const Friction& f = system_.frictions[i];
    slip_before_jump_.push_back(J_[f.slip_row]);
    travel_before_jump_.push_back(modes_.settles(i) ? J_.at(1, f.free_row) : 0.0);
    drive_before_jump_.push_back(f.drive_row != kNoIndex ? J_[f.drive_row] : 0.0);
  }
  keep_rows();
  keep_rows_of_results();
  note_error_of_instant(t, fired);
}

// What the fired switches have left of the values that were to be zero, in time.
void EventEngine::note_error_of_instant(double t, std::span<const FiredMargin> fired) {
  double error = 0;
  for (const FiredMargin& f : fired) {
    const Margin& margin = margins_[f.margin];
    if (margin.kind != MarginKind::kSwitch || !f.crosses()) continue;
    const double left = std::fabs(margin.sign * J_[margin.row] + margin.offset);
    error = std::max(error, left / std::fabs(J_.at(1, margin.row)));
  }
  if (error <= greatest_error_of(t)) J_.note_error_of_instant(error);
}

void EventEngine::keep_rows() {
  if (motion_switches_ == 0) return;
  const std::uint32_t rows = rows_of(system_.switches[motion_switches_ - 1]).second;
  before_jump_.assign(J_.order(0), J_.order(0) + rows);
}

// Of one that is no zone, by more than what the error of an event makes: what it watches jumps in
// this instant, also inside noEvent. At the base of a power that error is great.
bool EventEngine::is_off_edge(const Switch& s) {
  if (s.edge_slot != kNoIndex) return false;
  const double x = J_[s.row];
  const double distance = std::fabs(s.kind == SwitchKind::kFloor ? x - std::round(x) : x);
  if (distance <= kJump * std::max(J_.size(0, s.row), std::fabs(x))) return false;
  return distance > greatest_error_of(J_.time()) * std::fabs(J_.at(1, s.row));
}

void EventEngine::fire(const FiredMargin& fired) {
  const Margin& margin = margins_[fired.margin];
  row_zeros_[margin.row] = fired.at_zero ? (fired.touches ? 2 : 1) : 0;
  switch (margin.kind) {
    case MarginKind::kSwitch:
      if (row_tends_[margin.row] != 0 || margin.index >= motion_switches_) break;
      // At its edge a zone is left to what follows from inside, where the rounding of the margin is
      // no force.
      modes_.set_value(margin.index, fired.crosses() || !is_zone(margin.index) ? margin.next : 0);
      break;
    case MarginKind::kSlip:
      hints_[margin.index].at_rest = true;
      // Where it holds with more than it slides with, it does so from here on.
      if (modes_.rest_speed(margin.index) > 0 ||
          (margin.may_touch && modes_.settles(margin.index))) {
        modes_.end_settled_slip(margin.index);
        hints_[margin.index].slid = 0;
      }
      break;
    case MarginKind::kFall:
      hints_[margin.index].fall = static_cast<std::int8_t>(margin.next);
      break;
    case MarginKind::kReserve:
      hints_[margin.index].at_bound = static_cast<std::int8_t>(margin.next);
      hints_[margin.index].reserve_rate = fired.rate;
      break;
    case MarginKind::kHeld:
      break;
    case MarginKind::kGap:
      hit_[margin.index] = static_cast<std::int8_t>(margin.next);
      break;
    case MarginKind::kEdge:
      edge_reached_[margin.index] = static_cast<std::int8_t>(margin.next);
      break;
  }
}

}  // namespace luztar
