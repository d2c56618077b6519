#include "runtime/jets/coefficients.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

namespace luztar {
namespace {

/// Far above rounding, far below what would bend a coefficient.
constexpr double kChange = 0x1p-36;

/// Values times factors 1 + kChange `change()`, of [-1, 1]: what cancels does no longer.
template <class Change>
void move_aside(std::vector<double>& values, Change change) {
  for (double& value : values) value *= 1 + kChange * change();
}

/// Spread evenly: no two states are moved alike, which differences are often made of.
struct EvenChange {
  double phase = 0;

  double operator()() {
    constexpr double kGoldenRatio = 0.6180339887498949;
    phase += kGoldenRatio;
    phase -= std::floor(phase);
    return 2 * phase - 1;
  }
};

/// Without rule: products with constants move by sums, which evenly spread changes would cancel.
struct RandomChange {
  std::minstd_rand engine{67867967};

  double operator()() {
    constexpr double kMiddle = std::minstd_rand::max() / 2.0;
    return static_cast<double>(engine()) / kMiddle - 1;
  }
};

}  // namespace

Coefficients::Coefficients(const System& system, std::int64_t highest)
    : system_(&system),
      highest_(highest),
      rows_(system.row_count),
      J_((static_cast<std::size_t>(highest) + 2) * system.row_count),
      idle_(system.frictions.size(), 0) {
  if (highest > kMostOrder) throw std::out_of_range("Taylor coefficients of too high an order");
}

void Coefficients::begin(double t, std::span<const double> x, const double* c,
                         std::span<const KnownZeros> zeros, std::int64_t order) {
  t_ = t;
  c_ = c;
  zeros_ = zeros;
  greatest_zeros_ = 0;
  for (const KnownZeros& known : zeros) {
    greatest_zeros_ = std::max<std::int64_t>(greatest_zeros_, known.count);
  }
  known_ = -1;
  beside_known_ = false;
  std::copy(x.begin(), x.end(), J_.begin());
  clear_zeros(0);
  extend(std::min(order, highest_));
}

void Coefficients::extend(std::int64_t order) {
  // One by one as long as zeros of one order are in what the next is computed from.
  while (known_ < order && known_ + 2 < greatest_zeros_) {
    ++known_;
    system_->jets(t_, c_, known_, known_, J_.data(), idle_.data());
    clear_zeros(known_ + 1);
  }
  if (order <= known_) return;
  system_->jets(t_, c_, known_ + 1, order, J_.data(), idle_.data());
  known_ = order;
}

void Coefficients::clear_zeros(std::int64_t k) {
  for (const KnownZeros& known : zeros_) {
    if (k < known.count) order(k)[known.state] = 0;
  }
}

// Who asks for one order more asks for the next one soon: twice as many each time.
void Coefficients::extend_to_see(std::int64_t order) {
  extend(std::min(highest_, std::max(order, 2 * known_ + 1)));
}

double Coefficients::reach(std::size_t row, std::int64_t last, double h) const {
  double result = 0, power = 1;
  for (std::int64_t k = 0; k <= last; ++k, power *= h) {
    result = std::max(result, std::fabs(order(k)[row]) * power);
  }
  return result;
}

double Coefficients::size(std::int64_t k, std::size_t row) {
  return std::fabs(at(k, row)) + std::fabs(shift(k, row));
}

double Coefficients::shift(std::int64_t k, std::size_t row) {
  const double value = at(k, row);
  if (!beside_known_) {
    if (!beside_) beside_ = std::make_unique<Coefficients>(*system_, highest_);
    const auto states = static_cast<std::ptrdiff_t>(system_->state_count);
    states_beside_.assign(J_.begin(), J_.begin() + states);
    constants_beside_.assign(c_, c_ + system_->constant_count);
    move_aside(states_beside_, EvenChange{});
    move_aside(constants_beside_, RandomChange{});
    beside_->begin(t_, states_beside_, constants_beside_.data(), zeros_);
    beside_known_ = true;
  }
  const double moved = (beside_->at(k, row) - value) / kChange;
  return std::isfinite(moved) ? moved : 0.0;
}

double Coefficients::rounding_of_instant(std::int64_t k, std::size_t row) {
  if (k >= highest_) return 0;
  return rounding_of_instant(static_cast<double>(k + 1) * at(k + 1, row));
}

double Coefficients::rounding_of_instant(double rate) const {
  return kRoundingOfInstant * std::fabs(t_ * rate);
}

}  // namespace luztar
