#include "runtime/solvers/expansion.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "runtime/events/driven_islands.h"
#include "runtime/jets/row_sums.h"
#include "runtime/numbers.h"
#include "runtime/solvers/exponent_step.h"
#include "runtime/solvers/power_of.h"

namespace luztar {
namespace {

/// Where a lower order would do, not below this one: fewer terms say too little about the others.
constexpr std::int64_t kLeastOrder = 12;

/// 1/k for k > 0.
constexpr std::array<double, kMostOrder + 1> kInverses = [] {
  std::array<double, kMostOrder + 1> inverses{};
  for (std::size_t k = 1; k < inverses.size(); ++k) inverses[k] = 1 / static_cast<double>(k);
  return inverses;
}();

/// log2(x) to 0.01, for steps; x >= 0.
double rough_log2(double x) {
  if (!(x >= std::numeric_limits<double>::min())) return -kInfinity;
  if (x > std::numeric_limits<double>::max()) return kInfinity;
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const double exponent = static_cast<double>(static_cast<std::int64_t>(bits >> 52) - 1023);
  const double part = std::bit_cast<double>((bits & 0x000fffffffffffff) | 0x3ff0000000000000) - 1;
  return exponent + part * (1.34 - 0.34 * part);
}

/// 2^x to 0.01, for steps; |x| < 1000.
double rough_exp2(double x) {
  const double biased = x + 1023;
  const auto exponent = static_cast<std::uint64_t>(biased);
  const double part = biased - static_cast<double>(exponent);
  return std::bit_cast<double>(exponent << 52) * (1 + part * (0.65 + 0.35 * part));
}

}  // namespace

Expansion::Expansion(const System& system, std::int64_t order)
    : system_(system),
      highest_(order),
      order_(order),
      J_(system, order),
      defect_check_(system),
      peak_(system.row_count, 0.0),
      weight_(system.row_count, 0.0),
      polynomial_((static_cast<std::size_t>(order) + 4) / 4 * 4),
      follows_motion_(system.frictions.size()) {
  for (const Switch& s : system.switches) {
    if (s.kind == SwitchKind::kRoot) roots_.push_back(s.row);
  }
  for_each_driven_island(system, [&](std::uint32_t first, std::uint32_t count) {
    std::fill_n(follows_motion_.begin() + first, count, 1);
  });
}

void Expansion::expand(double t, std::span<const double> x, const double* constants,
                       const std::vector<Margin>& margins, const std::vector<Pull>& pulls) {
  t_ = t;
  converged_ = 0;
  slip_zeros_.clear();
  std::fill(J_.idle().begin(), J_.idle().end(), 1);
  for (const Margin& margin : margins) {
    if (margin.kind == MarginKind::kReserve) J_.idle()[margin.index] = 0;
    if (margin.zeros == 0 || margin.kind != MarginKind::kSlip) continue;
    const std::uint32_t state = system_.frictions[margin.index].state();
    if (state != kNoIndex) slip_zeros_.push_back({state, margin.zeros});
  }
  for (const Pull& pull : pulls) {
    for (const std::uint32_t friction : pull.frictions) J_.idle()[friction] = 0;
  }
  order_ = std::min(highest_, std::max(kLeastOrder, highest_ / 4 * 2));
  J_.begin(t, x, constants, slip_zeros_, order_);
  std::size_t first = J_.rows(), end = 0;
  for (const Margin& margin : margins) {
    if (margin.kind != MarginKind::kHeld) raise_peak(margin.row, J_[margin.row]);
    first = std::min<std::size_t>(first, margin.row);
    end = std::max<std::size_t>(end, margin.row + 1);
  }
  first_row_ = first;
  row_values_.resize(end > first ? end - first : 0);
  row_least_.resize(row_values_.size());
  row_greatest_.resize(row_values_.size());
}

// To the same order as the margins, so that what the margins say at the end of a step is what the
// next one begins with.
void Expansion::evaluate_states(double elapsed, std::span<double> x) const {
  evaluate_rows(J_.order(0), J_.rows(), order_, 0, elapsed, x);
}

void Expansion::raise_peak(std::size_t row, double value) {
  const double size = std::fabs(value);
  if (!(size > peak_[row]) || size < std::numeric_limits<double>::min()) return;  // 1/size exists
  peak_[row] = size;
  weight_[row] = 1 / size;
}

void Expansion::note_peaks(std::span<const double> x) {
  for (std::size_t i = 0; i < x.size(); ++i) raise_peak(i, x[i]);
}

// Most steps that an event ends would go far beyond it: half the order often takes them there.
double Expansion::step_size(double tolerance, double longest, const std::vector<Margin>& margins) {
  tolerance_ = tolerance;
  negative_ = kNoIndex;
  const double h = step_at_order(tolerance, longest, margins);
  if (order_ == highest_ || !(h < longest) || leaves_mode(h, margins)) return h;
  const std::int64_t lower = std::exchange(order_, highest_);
  J_.extend(order_);
  const double longer = step_at_order(tolerance, longest, margins);
  if (!std::isnan(longer)) return longer;
  order_ = lower;  // next to where a power has no series, high orders overflow
  return h;
}

double Expansion::checked_step(double h, double longest, const std::vector<Margin>& margins) {
  if (system_.recurrences == 0) return h;
  return defect_check_.step({J_, order_, peak_, margins}, tolerance_, h, longest);
}

bool Expansion::keep_rates() {
  order_ = 1;
  negative_ = kNoIndex;
  const double *value = J_.order(0), *rate = J_.order(1);
  return std::all_of(value, value + system_.state_count,
                     [](double x) { return std::isfinite(x); }) &&
         std::all_of(rate, rate + system_.state_count, [](double x) { return std::isfinite(x); });
}

bool Expansion::keeps_rates(std::span<const double> before, double h) const {
  const double* rate = J_.order(1);
  for (std::size_t i = 0; i < system_.state_count; ++i) {
    if (std::fabs(rate[i] - before[i]) * h > kEpsilon * peak_[i]) return false;
  }
  return true;
}

// What a bound keeps from growing has rates that hardly change, or are small where they do.
bool Expansion::is_near_pole(double h, double elapsed) const {
  constexpr double kSome = 16, kGrown = 1e3;
  const double *value = J_.order(0), *rate = J_.order(1), *bend = J_.order(2);
  const auto is_near = [&](const Exponent& exponent) {
    return exponent.of == Exponent::Of::kDivisor &&
           std::fabs(value[exponent.row]) <= kSome * h * std::fabs(rate[exponent.row]);
  };
  if (std::none_of(system_.exponents.begin(), system_.exponents.end(), is_near)) return false;
  for (std::size_t i = 0; i < system_.state_count; ++i) {
    const bool is_great = std::fabs(rate[i]) * elapsed > kGrown * peak_[i];
    if (is_great && 2 * kSome * h * std::fabs(bend[i]) >= std::fabs(rate[i])) return true;
  }
  return false;
}

bool Expansion::leaves_mode(double h, const std::vector<Margin>& margins) {
  evaluate_rows(J_.order(0), J_.rows(), order_, first_row_, h, row_values_);
  for (std::uint32_t m = 0; m < margins.size(); ++m) {
    const double value = row_values_[margins[m].row - first_row_];
    if (margins[m].sign * value + margins[m].offset >= 0) continue;
    negative_ = m;
    return true;
  }
  return false;
}

double Expansion::step_at_order(double tolerance, double longest,
                                const std::vector<Margin>& margins) {
  const std::size_t n = system_.state_count - system_.slip_state_count;
  const double *rate = J_.order(1), *last = J_.order(order_), *before = J_.order(order_ - 1);
  double worst = 0, worst_before = 0;
  const auto look_at = [&](std::size_t row, double weight) {
    worst = std::max(worst, std::fabs(last[row]) * weight);
    worst_before = std::max(worst_before, std::fabs(before[row]) * weight);
  };
  double greatest = 0;
  for (std::size_t i = 0; i < n; ++i) greatest = std::max(greatest, peak_[i]);
  const double dust = kDust * greatest;
  bool fresh = false;  // some state has been zero so far
  double finite = 0;   // no longer, when a coefficient is not
  for (std::size_t i = 0; i < n; ++i) {
    // A function without a value may have derivatives: log of a negative number.
    finite += 0 * (rate[i] + last[i]);
    if (peak_[i] > dust) {
      look_at(i, weight_[i]);
    } else {
      fresh = fresh || last[i] != 0 || before[i] != 0;
    }
  }
  for (const Margin& margin : margins) {
    const std::size_t row = margin.row;
    finite += 0 * (before[row] + last[row]);
    const double weight = weight_of(margin);
    fresh = fresh || (weight == 0 && (last[row] != 0 || before[row] != 0));
    look_at(row, weight);
  }
  if (finite != 0) return std::numeric_limits<double>::quiet_NaN();
  // The k-th roots of tolerance / worst; infinite where that is zero.
  const auto order = static_cast<std::size_t>(order_);
  const double most = rough_log2(tolerance);
  const double power = std::min((most - rough_log2(worst)) * kInverses[order],
                                (most - rough_log2(worst_before)) * kInverses[order - 1]);
  converged_ = rough_exp2(std::clamp(power, -1000.0, 1000.0));
  const double tells = std::min(longest, converged_);
  const double h = step_of_exponents(static_cast<double>(order_) / 2, tells);
  return fresh ? fresh_step(tolerance, h, margins) : h;
}

double Expansion::step_of_exponents(double most, double h) const {
  for (const Exponent& exponent : system_.exponents) {
    h = step_of_exponent(exponent, J_, order_, most, h);
  }
  return h;
}

// The last two terms of a row in a step h are below the tolerance of what it reaches in it.
bool Expansion::converges(std::size_t row, double tolerance, double h) const {
  const double power = power_of(h, order_ - 1);
  const double limit = tolerance * J_.reach(row, order_ - 2, h);
  return std::fabs(J_.order(order_ - 1)[row]) * power <= limit &&
         std::fabs(J_.order(order_)[row]) * power * h <= limit;
}

// All that forces which balance leave of a row is rounding at the last orders: it never converges.
// What has lower orders, too, may have a rate of decay that limits the step.
bool Expansion::is_rounding(std::size_t row) {
  constexpr double kNoiseOfRow = 1e-10;
  for (std::int64_t k = 0; k <= order_; ++k) {
    const double rounding = k < order_ - 1 ? 0.0 : kNoiseOfRow * J_.size(k, row);
    if (std::fabs(J_.at(k, row)) > rounding) return false;
  }
  return true;
}

// States and margins that have been zero so far: their scale is what they reach in this step.
double Expansion::fresh_step(double tolerance, double h, const std::vector<Margin>& margins) {
  const std::size_t n = system_.state_count - system_.slip_state_count;
  for (int halvings = 0; halvings < 100; ++halvings, h /= 2) {
    double greatest = 0;
    for (std::size_t i = 0; i < n; ++i) {
      greatest = std::max({greatest, peak_[i], J_.reach(i, order_, h)});
    }
    bool good = true;
    for (std::size_t i = 0; good && i < n; ++i) {
      if (peak_[i] > kDust * greatest || J_.reach(i, order_, h) <= kDust * greatest) continue;
      good = converges(i, tolerance, h) || is_rounding(i);
    }
    for (std::size_t m = 0; good && m < margins.size(); ++m) {
      const std::size_t row = margins[m].row;
      good = weight_of(margins[m]) != 0 || converges(row, tolerance, h) || is_rounding(row);
    }
    if (good) break;
  }
  return h;
}

double Expansion::step_to_root(double h) {
  if (std::isnan(h)) return h;
  for (const std::uint32_t row : roots_) {
    if (!(J_[row] > 0)) continue;  // at zero: its base has an edge; or not in this mode
    const std::span<double> polynomial = polynomial_of({.row = row}, 0);
    if (std::isfinite(polynomial.back())) h = std::min(h, first_crossing(polynomial, h, 0).at);
  }
  return h;
}

double Expansion::step_to_pull(double h, const std::vector<Pull>& pulls, double errors) {
  for (const Pull& pull : pulls) {
    const std::size_t terms = static_cast<std::size_t>(order_) + 1 - pull.order;
    for (std::size_t k = 0; k < terms; ++k) {
      polynomial_[k] = pull.coefficient(static_cast<std::int64_t>(k),
                                        [this](std::int64_t order) { return J_.order(order); });
    }
    polynomial_[0] += std::max(pull.slack, errors * pull.size);
    h = std::min(h, first_crossing(std::span(polynomial_).first(terms), h).at);
  }
  return h;
}

void Expansion::list_touched(double h, const std::vector<Margin>& margins,
                             std::vector<FiredMargin>& fired) {
  constexpr double kTouches = 64 * kEpsilon;
  evaluate_rows(J_.order(0), J_.rows(), order_, first_row_, h, row_values_);
  for (std::uint32_t m = 0; m < margins.size(); ++m) {
    const Margin& margin = margins[m];
    if (margin.kind != MarginKind::kSwitch ||
        system_.switches[margin.index].edge_slot == kNoIndex) {
      continue;
    }
    const double value = margin.sign * row_values_[margin.row - first_row_] + margin.offset;
    if (std::fabs(value) <= kTouches * peak_[margin.row]) fired.push_back({m, true, 0, true});
  }
}

// The last terms are those of a exp(-z), z = |l| h > 1, whose a is next to nothing: what steps are
// checked against, where forces are not linear, may keep them too short for terms that rise.
bool Expansion::ends_in_decay(std::uint32_t state, double h) const {
  constexpr std::int64_t kTerms = 5;
  constexpr double kAlike = 0.7, kSmall = 1e-3, kFast = 2;
  if (order_ <= kTerms) return false;
  double least = std::numeric_limits<double>::infinity(), greatest = 0;
  for (std::int64_t k = order_ - kTerms; k < order_; ++k) {
    const double here = J_.order(k)[state], next = J_.order(k + 1)[state];
    if (!(here * next < 0)) return false;
    const double z = -static_cast<double>(k + 1) * h * next / here;
    least = std::min(least, z);
    greatest = std::max(greatest, z);
  }
  const double z = std::sqrt(least * greatest);
  if (least < kAlike * greatest || z < kFast) return false;
  double a = std::fabs(J_.order(order_)[state]) * weight_[state];
  for (std::int64_t k = order_; k > 0; --k) a *= static_cast<double>(k) * h / z;
  return a < kSmall;
}

std::uint32_t Expansion::stiff_state(double h) const {
  constexpr double kRise = 0.3, kSmall = 1e-2;  // the latter relative to the state's peak
  const std::size_t n = system_.state_count - system_.slip_state_count;
  const double before = power_of(h, order_ - 1);
  const auto term = [&](std::int64_t k, double power, std::size_t state) {
    return std::fabs(J_.order(k)[state]) * power * weight_[state];
  };
  double greatest = 0;
  std::uint32_t state = kNoIndex;
  for (std::uint32_t i = 0; i < n; ++i) {
    const double last = std::max(term(order_, before * h, i), term(order_ - 1, before, i));
    if (last <= greatest) continue;
    greatest = last;
    state = i;
  }
  if (state == kNoIndex) return kNoIndex;
  if (ends_in_decay(state, h)) return state;
  // Terms that rise first, single ones apart (every other one of a sine is zero), are those of a
  // motion that is faster than the step; that it is small says that it is nothing but a reaction.
  double later = 0, power = before, above = term(order_, before * h, state);
  const double inverse = 1 / h;
  for (std::int64_t k = order_ - 1; k >= 2; --k, power *= inverse) {
    const double here = term(k, power, state);
    const double pair = std::max(here, above);
    if (pair < kRise * later && later < kSmall) return state;
    later = std::max(later, pair);
    if (later >= kSmall) return kNoIndex;
    above = here;
  }
  return kNoIndex;
}

std::size_t Expansion::fastest_state(std::span<const double> x) const {
  double fastest = -1;
  std::size_t result = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double value = std::fabs(J_.order(1)[i]) / std::max(peak_[i], 1e-300);
    if (!std::isfinite(x[i]) || !std::isfinite(value)) return i;
    if (value <= fastest) continue;
    fastest = value;
    result = i;
  }
  return result;
}

}  // namespace luztar
