#include "runtime/solvers/expansion.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/pwl/first_crossing.h"

namespace luztar {
namespace {

constexpr double kRounding = std::numeric_limits<double>::epsilon();
/// A state this small against others is rounding.
constexpr double kDust = 1e-14;

}  // namespace

struct Expansion::Crossing {
  double at = kNoCrossing;
  bool exact = true;  // false: negative already, by the error of the last step
};

Expansion::Expansion(const System& system, std::int64_t order)
    : system_(system),
      order_(order),
      rows_(system.row_count),
      J_((static_cast<std::size_t>(order) + 2) * system.row_count),
      peak_(system.row_count, 0.0),
      polynomial_(static_cast<std::size_t>(order) + 1) {}

void Expansion::expand(double t, std::span<const double> x, const double* constants,
                       const std::vector<Margin>& margins) {
  t_ = t;
  std::copy(x.begin(), x.end(), J_.begin());
  system_.jets(t, constants, order_, J_.data());
  clear_zeros(margins);
}

// Slips that begin to move have coefficients that are zero up to rounding: zero they are.
void Expansion::clear_zeros(const std::vector<Margin>& margins) {
  for (const Margin& margin : margins) {
    if (margin.zeros == 0 || margin.kind != MarginKind::kSlip) continue;
    const Friction& f = system_.frictions[margin.index];
    const std::uint32_t state = f.slip_state != kNoIndex ? f.slip_state : f.velocity_state;
    if (state == kNoIndex) continue;  // creep has none
    for (std::uint32_t k = 0; k < margin.zeros; ++k) J_[k * rows_ + state] = 0;
  }
}

// To the same order as the margins, so that what the margins say at the end of a step is what the
// next one begins with.
void Expansion::evaluate_states(double elapsed, std::span<double> x) const {
  const std::size_t n = x.size();
  const double* top = coefficients(order_);
  std::copy(top, top + n, x.begin());
  for (std::int64_t k = order_ - 1; k >= 0; --k) {
    const double* c = coefficients(k);
    for (std::size_t i = 0; i < n; ++i) x[i] = x[i] * elapsed + c[i];
  }
}

void Expansion::note_peaks(std::span<const double> x, const std::vector<Margin>& margins) {
  for (const Margin& margin : margins) {
    peak_[margin.row] = std::max(peak_[margin.row], std::fabs(J_[margin.row]));
  }
  for (std::size_t i = 0; i < x.size(); ++i) peak_[i] = std::max(peak_[i], std::fabs(x[i]));
}

double Expansion::step_size(double tolerance, double longest,
                            const std::vector<Margin>& margins) const {
  const std::size_t n = system_.state_count - system_.slip_state_count;
  const double *last = coefficients(order_), *before = coefficients(order_ - 1);
  double worst = 0, worst_before = 0;
  bool fresh = false;  // some state has been zero so far
  double greatest = 0;
  for (std::size_t i = 0; i < n; ++i) greatest = std::max(greatest, peak_[i]);
  const double dust = kDust * greatest;
  for (std::size_t i = 0; i < n; ++i) {
    if (!std::isfinite(last[i])) return std::numeric_limits<double>::quiet_NaN();
    if (peak_[i] <= dust) {
      fresh = fresh || last[i] != 0 || before[i] != 0;
      continue;
    }
    worst = std::max(worst, std::fabs(last[i]) / peak_[i]);
    worst_before = std::max(worst_before, std::fabs(before[i]) / peak_[i]);
  }
  for (const Margin& margin : margins) {
    const double scale = std::max(peak_[margin.row], std::fabs(J_[margin.row]));
    if (scale == 0) continue;
    worst = std::max(worst, std::fabs(last[margin.row]) / scale);
    worst_before = std::max(worst_before, std::fabs(before[margin.row]) / scale);
  }
  double h = longest;
  const auto limit = [&](double ratio, std::int64_t k) {
    if (ratio > 0) h = std::min(h, std::pow(tolerance / ratio, 1.0 / static_cast<double>(k)));
  };
  limit(worst, order_);
  limit(worst_before, order_ - 1);
  return fresh ? fresh_step(tolerance, h) : h;
}

// Greatest term of a state's polynomial up to order `last` in a step h.
double Expansion::reach(std::size_t state, std::int64_t last, double h) const {
  double result = 0, power = 1;
  for (std::int64_t k = 0; k <= last; ++k, power *= h) {
    result = std::max(result, std::fabs(coefficients(k)[state]) * power);
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
      good = std::fabs(coefficients(order_ - 1)[i]) * power <= limit &&
             std::fabs(coefficients(order_)[i]) * power * h <= limit;
    }
    if (good) break;
  }
  return h;
}

// First crossing of one margin in [0, h].
Expansion::Crossing Expansion::crossing(const Margin& margin, double h) {
  const double* c = J_.data() + margin.row;
  for (std::size_t k = 0; k < polynomial_.size(); ++k) polynomial_[k] = margin.sign * c[k * rows_];
  polynomial_[0] += margin.offset;
  for (std::uint32_t k = 0; k < margin.zeros; ++k) polynomial_[k] = 0;
  if (stays_positive(polynomial_, h)) return {};
  // A margin that rounding made negative and that recovers is at zero.
  if (polynomial_[0] < 0 && polynomial_[1] > 0) {
    const double* p = polynomial_.data();
    if (-p[0] <= 64 * kRounding * (std::fabs(t_) * p[1] + std::fabs(margin.offset))) {
      polynomial_[0] = 0;
    }
  }
  return {first_crossing(polynomial_, h), polynomial_[0] >= 0};
}

double Expansion::step_to_event(double h, const std::vector<Margin>& margins,
                                std::vector<FiredMargin>& fired) {
  const double together = 4 * kRounding * std::max(std::fabs(t_), std::fabs(h));
  crossings_.clear();
  fired.clear();
  double first = kNoCrossing;
  for (std::uint32_t m = 0; m < margins.size(); ++m) {
    const double reach = first == kNoCrossing ? h : std::min(h, first + together);
    const Crossing c = crossing(margins[m], reach);
    if (c.at == kNoCrossing) continue;
    crossings_.push_back({c.at, {m, c.exact}});
    first = std::min(first, c.at);
  }
  if (first == kNoCrossing) return h;
  for (const auto& [at, margin] : crossings_) {
    if (at <= first + together) fired.push_back(margin);
  }
  return first;
}

std::size_t Expansion::fastest_state(std::span<const double> x) const {
  double fastest = -1;
  std::size_t result = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double value = std::fabs(coefficients(1)[i]) / std::max(peak_[i], 1e-300);
    if (!std::isfinite(x[i]) || !std::isfinite(value)) return i;
    if (value <= fastest) continue;
    fastest = value;
    result = i;
  }
  return result;
}

}  // namespace luztar
