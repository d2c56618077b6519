#include "runtime/solvers/exponent_step.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace luztar {
namespace {

/// How often z is in the exponents of such a function.
double growth(Exponent::Of of) { return of == Exponent::Of::kTanh ? 2 : 1; }

/// The change of z that leaves the function as it is in floating point; below zero: none does.
double idle_change(Exponent::Of of, double z) {
  constexpr double kUnderflow = 745, kSaturation = 20;  // exp(-745) = 0, tanh 20 = 1
  switch (of) {
    case Exponent::Of::kExp:
      return -z - kUnderflow;
    case Exponent::Of::kDecay:
      return z - kUnderflow;
    case Exponent::Of::kTanh:
      return std::fabs(z) - kSaturation;
    case Exponent::Of::kHyperbolic:
    case Exponent::Of::kDivisor:
      break;
  }
  return 0;
}

/// For z = z(0) (1 + u) the sum of log z is not above that of -log(1 - U), where U has the absolute
/// values of the coefficients of u: h U'(h)/(1 - U(h)).
bool hardly_changes(const Coefficients& J, std::size_t row, std::int64_t order, double change,
                    double h) {
  double u = 0, rate = 0, power = h;
  for (std::int64_t k = 1; k <= order; ++k, power *= h) {
    const double term = std::fabs(J.order(k)[row]) * power;
    u += term;
    rate += static_cast<double>(k) * term;
  }
  return rate <= change * (std::fabs(J[row]) - u);
}

using Series = std::array<double, kMostOrder + 1>;

/// Sizes of k z_k; those of log z by z (log z)' = z'.
Series rates_of(const Exponent& exponent, const Coefficients& J, std::int64_t order) {
  const auto z = [&](std::int64_t k) { return J.order(k)[exponent.row]; };
  Series rates{};
  for (std::int64_t k = 1; k <= order; ++k) {
    double& rate = rates[static_cast<std::size_t>(k)];
    rate = static_cast<double>(k) * z(k);
    if (exponent.of != Exponent::Of::kDivisor) continue;
    for (std::int64_t j = 1; j < k; ++j) rate -= rates[static_cast<std::size_t>(j)] * z(k - j);
    rate /= z(0);
  }
  for (double& rate : rates) rate = std::fabs(rate);
  return rates;
}

}  // namespace

double step_of_exponent(const Exponent& exponent, const Coefficients& J, std::int64_t order,
                        double most, double h) {
  const double value = J[exponent.row];
  const double change = std::max(most / growth(exponent.of), idle_change(exponent.of, value));
  if (exponent.of == Exponent::Of::kDivisor && hardly_changes(J, exponent.row, order, change, h)) {
    return h;
  }
  const Series rates = rates_of(exponent, J, order);
  const auto sum = [&](double step) {
    double result = 0, power = step;
    for (std::size_t k = 1; k <= static_cast<std::size_t>(order); ++k, power *= step) {
      result += rates[k] * power;
    }
    return result;
  };
  if (sum(0) != 0) return h;  // of a logarithm of zero there are no coefficients
  while (!(sum(h) <= change)) h /= 2;
  return h;
}

}  // namespace luztar
