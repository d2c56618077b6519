// Where the margins of a mode cross zero in a step, and what ends it there.
#include <algorithm>
#include <cmath>
#include <optional>

#include "runtime/jets/row_sums.h"
#include "runtime/numbers.h"
#include "runtime/solvers/expansion.h"
#include "runtime/solvers/power_of.h"
#include "runtime/wide/wide.h"

namespace luztar {
namespace {

/// What steps leave of a speed that is zero, against its peak.
constexpr double kNoiseOfSteps = 128 * kEpsilon;

/// The rate at the crossing of a polynomial of `size` terms, found in [0, reach]; 0 where it is so
/// small that rounding might decide its sign: against what it may be there, or what would take the
/// polynomial to `peak` in a step h.
double certain_rate(const Crossing& crossing, std::size_t size, double reach, double h,
                    double peak) {
  constexpr double kClear = 1e-8;
  const double rate = std::fabs(crossing.slope), most = static_cast<double>(size) * crossing.size;
  return rate * reach > kClear * most && rate * h > kClear * peak ? crossing.slope : 0;
}

}  // namespace

// By the range of its row to `reach`, divided by the zeros it begins with.
bool Expansion::stays_positive_to(double reach, const Margin& margin) const {
  const std::size_t i = margin.row - first_row_;
  double least = row_least_[i], greatest = row_greatest_[i];
  bool known = ranges_known_;
  if (margin.zeros > order_) return true;
  if (margin.zeros > 0) {
    known = range_rows(J_.order(margin.zeros), J_.rows(), order_ - margin.zeros, margin.row, reach,
                       {&least, 1}, {&greatest, 1});
  }
  const double offset = margin.zeros > 0 ? 0.0 : margin.offset;
  const double lowest = (margin.sign > 0 ? least : -greatest) + offset;
  const double least_of_slip = margin.may_touch ? depth_of_touch(margin) : 0.0;
  return known && lowest > std::max(4 * kEpsilon * std::fabs(offset), least_of_slip) &&
         std::isfinite(lowest);
}

// Coefficients of a margin from the order `first` on, where those before it are zero.
std::span<double> Expansion::polynomial_of(const Margin& margin, std::size_t first) {
  const std::size_t terms = static_cast<std::size_t>(order_) + 1 - first;
  kWide.take_row(J_.order(static_cast<std::int64_t>(first)) + margin.row, J_.rows(), terms,
                 margin.sign, first == 0 ? margin.offset : 0.0, polynomial_.data());
  return std::span(polynomial_).first(terms);
}

// What prescribed motions alone make has roots of any multiplicity; that of states has them by
// chance.
bool Expansion::may_follow_motion(const Margin& margin) const {
  if (margin.kind == MarginKind::kSlip) return follows_motion_[margin.index] != 0;
  return margin.kind == MarginKind::kSwitch &&
         system_.switches[margin.index].kind == SwitchKind::kSide;
}

// First crossing of one margin in [0, reach], in a step h.
void Expansion::find_crossing(const Margin& margin, double reach, double h,
                              MarginCrossing& result) {
  const std::size_t zeros = std::min<std::size_t>(margin.zeros, static_cast<std::size_t>(order_));
  if (margin.zeros > zeros) return;  // along rates: it stays at zero
  const std::span<double> polynomial = polynomial_of(margin, zeros);
  if (!std::isfinite(polynomial.back())) return;  // along rates: a force that has none there
  // A margin that rounding made negative and that recovers is at zero.
  if (zeros == 0 && polynomial[0] < 0 && polynomial[1] > 0) {
    const double rounding = std::fabs(t_) * polynomial[1] + std::fabs(margin.offset);
    if (-polynomial[0] <= 64 * kEpsilon * rounding) polynomial[0] = 0;
  }
  const Crossing first = first_crossing(polynomial, reach, zeros);
  result.at = first.at;
  if (first.at == kNoCrossing) {
    if (margin.may_touch && zeros == 0) find_touch(margin, polynomial, h, result);
    return;
  }
  result.exact = zeros > 0 || polynomial[0] >= 0;
  const double peak = peak_[margin.row];
  result.rate = certain_rate(first, polynomial.size() + zeros, reach, h, peak);
  if (const double before = place_before_error(polynomial, first.at); before != kNoCrossing) {
    result = {before, true, 0, false};
    return;
  }
  const bool is_reserve = margin.kind == MarginKind::kReserve;
  if (!is_reserve && !may_follow_motion(margin)) return;
  if (zeros == 0) {
    if (const double before = place_to_look_closer(margin, first, h); before != kNoCrossing) {
      result = {before, true, 0, false};
      return;
    }
  }
  if (is_reserve) {
    if (const double end = end_of_touch(margin, first, h); end != kNoCrossing) {
      result = {end, true, 0, false};
      return;
    }
  }
  if (zeros > 0) return;
  result.at = place_of_multiple(margin, polynomial, first, h);
  if (result.at != first.at) result.rate = 0;
}

// That of a multiple root which errors have displaced; of a simple one its own.
double Expansion::place_of_multiple(const Margin& margin, std::span<const double> polynomial,
                                    const Crossing& crossing, double h) const {
  // By the least noise that leaves one: the greater that is, the farther away another may be.
  constexpr double kMore = 8;
  const double peak = peak_[margin.row], least = kNoiseOfSteps * peak;
  const double most = margin.may_touch ? depth_of_touch(margin) : least;
  const double slowest = std::sqrt(2 * most * peak);  // at which a parabola is zero that deep
  if (std::fabs(crossing.slope) * h > slowest) return crossing.at;
  // Steps by Taylor polynomials of any order would go about so far.
  constexpr double kShare = 0.3;  // of the radius of convergence
  const double radius = converged_ * std::pow(tolerance_, -1 / static_cast<double>(order_));
  const double time = std::max(h, kShare * radius);
  double noise = least;
  do {
    const double at = multiple_root(polynomial, crossing.at, time, noise);
    if (at != crossing.at && at <= h) return at;
    noise *= kMore;
  } while (noise > 0 && noise <= most);
  return crossing.at;
}

// A slip that comes nearer to zero than the errors of steps, and grows again, touches it: where the
// friction holds with more than it slides with, it holds from there on.
double Expansion::depth_of_touch(const Margin& margin) const {
  constexpr double kSteps = 10;  // whose errors add up
  return std::max(kSteps * tolerance_, kNoiseOfSteps) * peak_[margin.row];
}

// Where this step does not tell, one that begins nearer does. One that has touched, and slips on,
// begins at the bottom.
void Expansion::find_touch(const Margin& margin, std::span<double> polynomial, double h,
                           MarginCrossing& result) {
  constexpr double kBottom = 1e-3, kFalls = 0.1, kShort = 1e-6;
  const double depth = depth_of_touch(margin), now = polynomial[0];
  const bool is_near = now <= (1 + kBottom) * depth;  // as where the last step came near
  if (is_near && !(polynomial[1] < 0 && now > kBottom * depth)) return;
  polynomial[0] -= depth;
  const double begin = is_near ? 0 : first_crossing(polynomial, h, 0).at;
  if (begin == kNoCrossing) return;
  const Touch touch = touch_from(polynomial, begin, h);
  if (touch.kind == TouchKind::kUnknown) {
    const double nearer = is_near ? now / -polynomial[1] : begin;
    if (nearer > kShort * h && nearer < h) result = {nearer, true, 0, false};
  } else if (touch.kind == TouchKind::kTouch) {
    const bool falls = !is_near || -polynomial[1] * touch.at / 2 > kFalls * now;
    if (falls) result = {touch.at, true, 0, true};
  }
}

// What has decayed to less than the error of a step crosses zero by that: where it does so by its
// last terms, one that ends before they count tells.
double Expansion::place_before_error(std::span<const double> polynomial, double at) {
  constexpr double kCounts = 1e-2;
  const std::size_t last = polynomial.size() - 1;
  if (last < 2 || !(polynomial[0] > 0)) return kNoCrossing;
  const double before = power_of(at, static_cast<std::int64_t>(last) - 1);
  const double term = std::max(std::fabs(polynomial[last - 1]), std::fabs(polynomial[last]) * at);
  const double share = kCounts * polynomial[0] / (term * before);
  return share < 1 ? at * std::pow(share, 1 / static_cast<double>(last - 1)) : kNoCrossing;
}

// A multiple root is where the error of a step leaves it, the farther away the higher its order, or
// parted into simple ones: a step that begins near by tells.
double Expansion::place_to_look_closer(const Margin& margin, const Crossing& crossing,
                                       double h) const {
  constexpr double kCloser = 1.0 / 64;
  constexpr double kSlow = 10;  // rate at a root that the error has parted, by that of a parabola
  if (looks_closer_) return kNoCrossing;
  const double most = kSlow * std::sqrt(tolerance_) * peak_[margin.row];
  return std::fabs(crossing.slope) * h <= most ? (1 - kCloser) * crossing.at : kNoCrossing;
}

// Where the dip that begins with a crossing is over, if it is no deeper than the errors that steps
// have added up to, against the peak. What begins late in the step is left to the next one to tell.
double Expansion::end_of_touch(const Margin& margin, const Crossing& crossing, double h) {
  constexpr double kSteps = 100;  // whose errors add up
  constexpr double kSlow = 100;   // squared rate of a dip against its depth, for any polynomial
  const double size = peak_[margin.row], most = kSteps * tolerance_ * size;
  const double rate = crossing.slope * h;
  if (rate * rate > kSlow * most * size) return kNoCrossing;
  const std::span<double> polynomial = polynomial_of(margin, 0);
  std::fill_n(polynomial.begin(), std::min<std::size_t>(margin.zeros, polynomial.size()), 0.0);
  const std::optional<Dip> dip = dip_from(polynomial, crossing.at, h);
  if (dip) return dip->depth <= most ? dip->end : kNoCrossing;
  return crossing.at > h / 2 ? crossing.at : kNoCrossing;
}

double Expansion::step_to_event(double h, const std::vector<Margin>& margins,
                                std::vector<FiredMargin>& fired) {
  const double together = 4 * kEpsilon * std::max(std::fabs(t_), std::fabs(h));
  crossings_.assign(margins.size(), {});
  fired.clear();
  double first = kNoCrossing, reach = h;
  const auto look_at = [&](std::uint32_t m) {
    find_crossing(margins[m], reach, h, crossings_[m]);
    first = std::min(first, crossings_[m].at);
    if (first != kNoCrossing) reach = std::min(h, first + together);
  };
  // What lies beyond the first crossing costs no more than a bound.
  if (negative_ != kNoIndex || leaves_mode(h, margins)) look_at(negative_);
  ranges_known_ =
      range_rows(J_.order(0), J_.rows(), order_, first_row_, reach, row_least_, row_greatest_);
  for (std::uint32_t m = 0; m < margins.size(); ++m) {
    if (m != negative_ && !stays_positive_to(reach, margins[m])) look_at(m);
  }
  looks_closer_ = false;
  if (first == kNoCrossing) return h;
  for (std::uint32_t m = 0; m < margins.size(); ++m) {
    const MarginCrossing& c = crossings_[m];
    if (c.fires && c.at <= first + together) fired.push_back({m, c.exact, c.rate});
  }
  looks_closer_ = fired.empty();
  return first;
}

}  // namespace luztar
