#include "runtime/solvers/expansion.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "runtime/pwl/first_crossing.h"

namespace luztar {
namespace {

constexpr double kRounding = std::numeric_limits<double>::epsilon();
/// A state this small against others is rounding.
constexpr double kDust = 1e-14;

/// The rate of the polynomial at t is not so small, against what it may be in [0, h] or what would
/// take it to `peak` in this time, that rounding might decide its sign.
bool has_slope(std::span<const double> c, double t, double h, double peak) {
  constexpr double kClear = 1e-8;
  double rate = 0, size = 0;
  for (std::size_t k = c.size() - 1; k > 0; --k) {
    const double term = static_cast<double>(k) * c[k];
    rate = rate * t + term;
    size = size * h + std::fabs(term);
  }
  return std::fabs(rate) > kClear * size && std::fabs(rate) * h > kClear * peak;
}

}  // namespace

struct Expansion::Crossing {
  double at = kNoCrossing;
  bool exact = true;   // false: negative already, by the error of the last step
  bool slope = false;  // the rate is not zero there
};

Expansion::Expansion(const System& system, std::int64_t order)
    : system_(system),
      order_(order),
      J_(system, order),
      peak_(system.row_count, 0.0),
      weight_(system.row_count, 0.0),
      polynomial_(static_cast<std::size_t>(order) + 1) {}

void Expansion::expand(double t, std::span<const double> x, const double* constants,
                       const std::vector<Margin>& margins) {
  t_ = t;
  slip_zeros_.clear();
  for (const Margin& margin : margins) {
    if (margin.zeros == 0 || margin.kind != MarginKind::kSlip) continue;
    const std::uint32_t state = system_.frictions[margin.index].state();
    if (state != kNoIndex) slip_zeros_.push_back({state, margin.zeros});
  }
  J_.begin(t, x, constants, slip_zeros_);
  J_.extend(order_);
  for (const Margin& margin : margins) raise_peak(margin.row, J_[margin.row]);
}

// To the same order as the margins, so that what the margins say at the end of a step is what the
// next one begins with.
void Expansion::evaluate_states(double elapsed, std::span<double> x) const {
  constexpr std::size_t kBlock = 4;
  std::size_t i = 0;
  for (; i + kBlock <= x.size(); i += kBlock) evaluate_rows<kBlock>(i, elapsed, x.data() + i);
  for (; i < x.size(); ++i) evaluate_rows<1>(i, elapsed, x.data() + i);
}

// Horner's rule in t^4 on four interleaved polynomials, as in first_crossing: short chains.
template <std::size_t kCount>
void Expansion::evaluate_rows(std::size_t first, double t, double* values) const {
  const double t2 = t * t, t4 = t2 * t2;
  std::array<std::array<double, kCount>, 4> sum{};
  const auto take = [&](std::int64_t k, std::array<double, kCount>& part) {
    const double* c = J_.order(k) + first;
    for (std::size_t i = 0; i < kCount; ++i) part[i] = part[i] * t4 + c[i];
  };
  std::int64_t k = (order_ + 1) & ~std::int64_t{3};
  for (std::int64_t j = k; j <= order_; ++j) take(j, sum[static_cast<std::size_t>(j - k)]);
  while (k > 0) {
    k -= 4;
    for (std::int64_t j = 0; j < 4; ++j) take(k + j, sum[static_cast<std::size_t>(j)]);
  }
  for (std::size_t i = 0; i < kCount; ++i) {
    values[i] = (sum[0][i] + t * sum[1][i]) + t2 * (sum[2][i] + t * sum[3][i]);
  }
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

double Expansion::step_size(double tolerance, double longest,
                            const std::vector<Margin>& margins) const {
  const std::size_t n = system_.state_count - system_.slip_state_count;
  const double *rate = J_.order(1), *last = J_.order(order_), *before = J_.order(order_ - 1);
  double worst = 0, worst_before = 0;
  bool fresh = false;  // some state has been zero so far
  double greatest = 0;
  for (std::size_t i = 0; i < n; ++i) greatest = std::max(greatest, peak_[i]);
  const double dust = kDust * greatest;
  for (std::size_t i = 0; i < n; ++i) {
    // A function without a value may have derivatives: log of a negative number.
    if (!std::isfinite(rate[i] + last[i])) return std::numeric_limits<double>::quiet_NaN();
    if (peak_[i] <= dust) {
      fresh = fresh || last[i] != 0 || before[i] != 0;
      continue;
    }
    worst = std::max(worst, std::fabs(last[i]) * weight_[i]);
    worst_before = std::max(worst_before, std::fabs(before[i]) * weight_[i]);
  }
  for (const Margin& margin : margins) {
    const double weight = weight_[margin.row];
    worst = std::max(worst, std::fabs(last[margin.row]) * weight);
    worst_before = std::max(worst_before, std::fabs(before[margin.row]) * weight);
  }
  // The k-th roots of tolerance / worst; infinite where that is zero.
  const auto order = static_cast<double>(order_);
  const double power = std::min(std::log2(tolerance / worst) / order,
                                std::log2(tolerance / worst_before) / (order - 1));
  const double h = std::min(longest, std::exp2(power));
  return fresh ? fresh_step(tolerance, h) : h;
}

// Greatest term of a state's polynomial up to order `last` in a step h.
double Expansion::reach(std::size_t state, std::int64_t last, double h) const {
  double result = 0, power = 1;
  for (std::int64_t k = 0; k <= last; ++k, power *= h) {
    result = std::max(result, std::fabs(J_.order(k)[state]) * power);
  }
  return result;
}

// States that have been zero so far: their scale is what they reach in this step.
double Expansion::fresh_step(double tolerance, double h) const {
  const std::size_t n = system_.state_count - system_.slip_state_count;
  for (int halvings = 0; halvings < 100; ++halvings, h /= 2) {
    double greatest = 0;
    for (std::size_t i = 0; i < n; ++i) {
      greatest = std::max({greatest, peak_[i], reach(i, order_, h)});
    }
    bool good = true;
    for (std::size_t i = 0; good && i < n; ++i) {
      if (peak_[i] > kDust * greatest || reach(i, order_, h) <= kDust * greatest) continue;
      const double power = std::pow(h, static_cast<double>(order_ - 1));
      const double limit = tolerance * reach(i, order_ - 2, h);
      good = std::fabs(J_.order(order_ - 1)[i]) * power <= limit &&
             std::fabs(J_.order(order_)[i]) * power * h <= limit;
    }
    if (good) break;
  }
  return h;
}

// First crossing of one margin in [0, reach], in a step h.
Expansion::Crossing Expansion::crossing(const Margin& margin, double reach, double h) {
  const double* c = J_.order(0) + margin.row;
  for (double& coefficient : polynomial_) {
    coefficient = margin.sign * *c;
    c += J_.rows();
  }
  polynomial_[0] += margin.offset;
  for (std::uint32_t k = 0; k < margin.zeros; ++k) polynomial_[k] = 0;
  // A margin that rounding made negative and that recovers is at zero.
  if (polynomial_[0] < 0 && polynomial_[1] > 0) {
    const double* p = polynomial_.data();
    if (-p[0] <= 64 * kRounding * (std::fabs(t_) * p[1] + std::fabs(margin.offset))) {
      polynomial_[0] = 0;
    }
  }
  const double at = first_crossing(polynomial_, reach);
  return {at, polynomial_[0] >= 0,
          at != kNoCrossing && has_slope(polynomial_, at, h, peak_[margin.row])};
}

double Expansion::step_to_event(double h, const std::vector<Margin>& margins,
                                std::vector<FiredMargin>& fired) {
  const double together = 4 * kRounding * std::max(std::fabs(t_), std::fabs(h));
  crossings_.clear();
  fired.clear();
  double first = kNoCrossing;
  for (std::uint32_t m = 0; m < margins.size(); ++m) {
    const double reach = first == kNoCrossing ? h : std::min(h, first + together);
    const Crossing c = crossing(margins[m], reach, h);
    if (c.at == kNoCrossing) continue;
    crossings_.push_back({c.at, {m, c.exact, c.slope}});
    first = std::min(first, c.at);
  }
  if (first == kNoCrossing) return h;
  for (const auto& [at, margin] : crossings_) {
    if (at <= first + together) fired.push_back(margin);
  }
  return first;
}

std::uint32_t Expansion::stiff_state(double h) const {
  constexpr double kRise = 0.3, kSmall = 1e-2;  // the latter relative to the state's peak
  const std::size_t n = system_.state_count - system_.slip_state_count;
  const auto term = [&](std::int64_t k, std::size_t state) {
    return std::fabs(J_.order(k)[state]) * std::pow(h, static_cast<double>(k)) * weight_[state];
  };
  double greatest = 0;
  std::uint32_t state = kNoIndex;
  for (std::uint32_t i = 0; i < n; ++i) {
    const double last = std::max(term(order_, i), term(order_ - 1, i));
    if (last <= greatest) continue;
    greatest = last;
    state = i;
  }
  if (state == kNoIndex) return kNoIndex;
  // Terms that rise first, single ones apart (every other one of a sine is zero), are those of a
  // motion that is faster than the step; that it is small says that it is nothing but a reaction.
  double later = 0;
  for (std::int64_t k = order_ - 1; k >= 2; --k) {
    const double pair = std::max(term(k, state), term(k + 1, state));
    if (pair < kRise * later && later < kSmall) return state;
    later = std::max(later, pair);
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
