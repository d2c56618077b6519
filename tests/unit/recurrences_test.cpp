// Every recurrence against exact Taylor coefficients: closed forms, compositions of known series,
// and functions undone by their inverses.
#include "runtime/jets/recurrences.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <numbers>
#include <numeric>
#include <vector>

namespace luztar {
namespace {

constexpr std::size_t kLastOrder = 20, kSize = kLastOrder + 1;
using Exact = long double;
/// Coefficients 0 ... kLastOrder.
using Series = std::vector<Exact>;

Series series(const std::function<Exact(std::size_t)>& coefficient) {
  Series s(kSize);
  for (std::size_t n = 0; n < kSize; ++n) s[n] = coefficient(n);
  return s;
}
Series polynomial(std::vector<Exact> coefficients) {
  coefficients.resize(kSize);
  return coefficients;
}
Series product(const Series& x, const Series& y) {
  return series([&](std::size_t n) {
    Exact sum = 0;
    for (std::size_t j = 0; j <= n; ++j) sum += x[j] * y[n - j];
    return sum;
  });
}
Series sum(const Series& x, const Series& y) {
  return series([&](std::size_t n) { return x[n] + y[n]; });
}
/// f(x(t)) from the coefficients of f at x(0).
Series compose(const Series& f, Series x) {
  x[0] = 0;
  Series result = polynomial({f[kLastOrder]});
  for (std::size_t n = kLastOrder; n-- > 0;) {
    result = product(result, x);
    result[0] += f[n];
  }
  return result;
}
/// As the recurrences see it: rounded.
Series rounded(const Series& x) {
  return series([&](std::size_t n) { return Exact(static_cast<double>(x[n])); });
}

// --- series in h of f(x + h)

Exact factorial(std::size_t n) { return n == 0 ? 1 : Exact(n) * factorial(n - 1); }
Series exp_at(Exact x) {
  return series([=](std::size_t n) { return std::exp(x) / factorial(n); });
}
Series log_at(Exact x) {
  return series([=](std::size_t n) {
    if (n == 0) return std::log(x);
    return (n % 2 == 1 ? 1 : -1) / (Exact(n) * std::pow(x, Exact(n)));
  });
}
Series power_at(Exact x, Exact exponent) {
  return series([=](std::size_t n) {
    Exact result = std::pow(x, exponent - Exact(n));
    for (std::size_t j = 0; j < n; ++j) result *= (exponent - Exact(j)) / Exact(j + 1);
    return result;
  });
}
Series sin_at(Exact x) {
  return series([=](std::size_t n) {
    const Exact value = n % 2 == 0 ? std::sin(x) : std::cos(x);
    return (n % 4 < 2 ? value : -value) / factorial(n);
  });
}
Series cos_at(Exact x) {
  return series([=](std::size_t n) {
    const Exact value = n % 2 == 0 ? std::cos(x) : -std::sin(x);
    return (n % 4 < 2 ? value : -value) / factorial(n);
  });
}
Series sinh_at(Exact x) {
  return series(
      [=](std::size_t n) { return (n % 2 == 0 ? std::sinh(x) : std::cosh(x)) / factorial(n); });
}
Series cosh_at(Exact x) {
  return series(
      [=](std::size_t n) { return (n % 2 == 0 ? std::cosh(x) : std::sinh(x)) / factorial(n); });
}
/// Imaginary part of log(1 + ix).
Series atan_at(Exact x) {
  return series([=](std::size_t n) {
    if (n == 0) return std::atan(x);
    using Complex = std::complex<Exact>;
    const Complex ratio = Complex(0, 1) / Complex(1, x);
    Complex power = 1;
    for (std::size_t j = 0; j < n; ++j) power *= ratio;
    return (n % 2 == 1 ? 1 : -1) * power.imag() / Exact(n);
  });
}
Series atanh_at(Exact x) {
  const Series above = log_at(1 + x), below = log_at(1 - x);
  return series(
      [&](std::size_t n) { return (above[n] - (n % 2 == 0 ? below[n] : -below[n])) / 2; });
}

/// Coefficients that a recurrence finds for operands with these coefficients.
std::vector<double> run(Recurrence recurrence, const Series& a, const Series& b = Series(kSize)) {
  constexpr std::int64_t kRows = 5;  // a, b, the result and what it carries along
  std::vector<double> J(kSize * kRows), result;
  for (std::size_t k = 0; k < kSize; ++k) {
    J[k * kRows] = static_cast<double>(a[k]);
    J[k * kRows + 1] = static_cast<double>(b[k]);
    recurrence(J.data(), kRows, static_cast<std::int64_t>(k), 2, 0, 1);
    result.push_back(J[k * kRows + 2]);
  }
  return result;
}

void check_series(const std::vector<double>& actual, const Series& expected) {
  REQUIRE(actual.size() == expected.size());
  for (std::size_t k = 0; k < actual.size(); ++k) {
    const auto exact = static_cast<double>(expected[k]);
    INFO("order ", k, ": ", actual[k], " instead of ", exact);
    CHECK(std::fabs(actual[k] - exact) <= 1e-13 * std::max(1.0, std::fabs(exact)));
  }
}

/// Operands: a line, a wave and a polynomial through the value x.
std::vector<Series> curves_at(Exact x) {
  Series wave = sin_at(0);
  wave[0] = x;
  return {rounded(polynomial({x, 1})), rounded(polynomial({x, -0.5L})), rounded(wave),
          rounded(polynomial({x, 0, 0.25L, -0.125L}))};
}

void check_composition(Recurrence recurrence, const std::function<Series(Exact)>& at,
                       const std::vector<Exact>& values) {
  for (const Exact value : values) {
    for (const Series& x : curves_at(value)) {
      INFO("at ", static_cast<double>(value), " with slope ", static_cast<double>(x[1]));
      check_series(run(recurrence, x), compose(at(x[0]), x));
    }
  }
}

TEST_CASE("recurrences: products") {
  const auto next = [](std::size_t n) { return Exact(n + 1); };
  const Series geometric = series([](std::size_t) { return 1.0L; });
  check_series(run(jet_multiply, geometric, geometric), series(next));  // 1/(1 - t)^2
  // sin t cos t = sin(2t)/2
  const Series doubled = polynomial({0, 2});
  check_series(run(jet_multiply, sin_at(0), cos_at(0)),
               product(polynomial({0.5L}), compose(sin_at(0), doubled)));
  check_series(run(jet_multiply, exp_at(1), exp_at(-1)), compose(exp_at(0), doubled));
}

TEST_CASE("recurrences: quotients") {
  const Series one = polynomial({1}), geometric = series([](std::size_t) { return 1.0L; });
  check_series(run(jet_divide, one, polynomial({1, -1})), geometric);
  check_series(run(jet_divide, one, polynomial({-2, -2})),
               series([](std::size_t n) { return n % 2 == 0 ? -0.5L : 0.5L; }));
  check_series(run(jet_divide, sin_at(0.5L), exp_at(0.25L)),
               product(sin_at(0.5L), compose(exp_at(-0.25L), polynomial({0, -1}))));
}

TEST_CASE("recurrences: roots and powers") {
  check_composition(jet_sqrt, [](Exact x) { return power_at(x, 0.5L); }, {1, 1.5L, 4});
  for (const double exponent : {2.5, -1.0, 0.25, 3.0, 1.0}) {
    const Series steady = polynomial({exponent});
    for (const Exact value : {1.0L, 1.75L, 3.0L}) {
      for (const Series& x : curves_at(value)) {
        INFO("exponent ", exponent, " at ", static_cast<double>(value));
        check_series(run(jet_pow, x, steady), compose(power_at(x[0], exponent), x));
      }
    }
  }
  // An integer power of a negative value.
  for (const Series& x : curves_at(-1.5L)) {
    check_series(run(jet_pow, x, polynomial({3})), product(x, product(x, x)));
  }
}

/// Operands of a balance of falling forces.
struct ForceSeries {
  Series weight, exponent;
  Exact rate;
};

/// weight * exp(-(exponent + rate x))
Series force_of(const ForceSeries& f, const Series& x) {
  Series minus = sum(f.exponent, product(polynomial({f.rate}), x));
  for (Exact& c : minus) c = -c;
  return product(f.weight, compose(exp_at(minus[0]), minus));
}

/// Coefficients of the result of a recurrence whose operands are these.
std::vector<double> run_list(ListRecurrence recurrence, std::vector<Series> operands) {
  const auto count = static_cast<std::int64_t>(operands.size());
  const std::int64_t rows = 2 * count + 3;  // the result and its companions after the operands
  std::vector<std::int64_t> places(operands.size());
  std::iota(places.begin(), places.end(), 0);
  std::vector<double> J(kSize * static_cast<std::size_t>(rows)), result;
  for (std::size_t k = 0; k < kSize; ++k) {
    double* order = J.data() + k * static_cast<std::size_t>(rows);
    for (std::size_t i = 0; i < operands.size(); ++i) {
      order[i] = static_cast<double>(operands[i][k]);
    }
    recurrence(J.data(), rows, static_cast<std::int64_t>(k), count, places.data(), count);
    result.push_back(order[count]);
  }
  return result;
}

std::vector<Series> operands_of(const std::vector<ForceSeries>& forces) {
  std::vector<Series> operands;
  for (const ForceSeries& f : forces) {
    operands.insert(operands.end(), {f.weight, f.exponent, polynomial({f.rate})});
  }
  return operands;
}

// Forces that fall with the slip on either side of x, one that does not vary, and one alone that
// rises; of a known x.
TEST_CASE("recurrences: balances of forces that fall exponentially") {
  const Series bent = polynomial({0.7L, -0.3L, 0.2L, 0.05L});
  const ForceSeries ahead{polynomial({1.25L, 0.25L, -0.5L}), polynomial({0.25L, 0.125L}), 1.5L};
  const ForceSeries behind{polynomial({-0.5L, 0.125L}), polynomial({6, 0, 0.25L}), -1};
  const ForceSeries steady{polynomial({0.5L}), polynomial({}), 1};
  const ForceSeries rising{polynomial({-2}), polynomial({}), 1};
  const std::vector<std::vector<ForceSeries>> sets{{steady},
                                                   {ahead},
                                                   {behind},
                                                   {rising},
                                                   {ahead, steady},
                                                   {ahead, behind},
                                                   {behind, steady, ahead}};
  for (const Exact value : {0.5L, 1.75L, 3.0L}) {
    for (const std::vector<ForceSeries>& forces : sets) {
      const Series x = sum(polynomial({value}), bent);
      Series y = x;
      for (const ForceSeries& f : forces) y = sum(y, force_of(f, x));
      std::vector<Series> operands = operands_of(forces);
      operands.insert(operands.begin(), y);
      INFO(forces.size(), " forces at ", static_cast<double>(x[0]));
      check_series(run_list(jet_falling_balance, operands), x);
    }
  }
  // Where there is none it stays: at log 2.
  const auto none = run_list(jet_falling_balance, {polynomial({1.5L, 1}), polynomial({2}),
                                                   polynomial({}), polynomial({1})});
  CHECK(none[0] == doctest::Approx(std::log(2.0)));
  CHECK(none[1] == 0);
}

// At a fold the sum of rate * force is 1: of two forces with the same factor that is a known one.
TEST_CASE("recurrences: ends of a fall") {
  const Series x = polynomial({0.5L, -0.25L, 0.125L, 0.25L});
  ForceSeries ahead{polynomial({1}), polynomial({0.25L, 0.125L}), 1.5L};
  ForceSeries behind{polynomial({-1}), polynomial({3, 0, 0.25L}), -1};
  Series falls = product(polynomial({1.5L}), force_of(ahead, x));
  falls = sum(falls, force_of({polynomial({1}), behind.exponent, -1}, x));
  // 1/falls by g g' ...: from its logarithm's series
  const Series log_falls = compose(log_at(falls[0]), falls);
  Series minus = log_falls;
  for (Exact& c : minus) c = -c;
  const Series factor = compose(exp_at(minus[0]), minus);
  ahead.weight = factor;
  behind.weight = product(polynomial({-1}), factor);
  check_series(run_list(jet_falling_end, operands_of({ahead, behind})), x);
  // Of a force that does not fall by so much it is where the slip is zero.
  const ForceSeries weak{polynomial({0.25L}), polynomial({0.5L, 2, 1}), 2};
  check_series(run_list(jet_falling_end, operands_of({weak})), polynomial({-0.25L, -1, -0.5L}));
}

TEST_CASE("recurrences: powers of what begins with zero") {
  const Series x = polynomial({0, 2, -1, 0.5L, 3}), square = product(x, x);
  check_series(run(jet_pow, x, polynomial({2})), square);
  check_series(run(jet_pow, x, polynomial({3})), product(x, square));
  check_series(run(jet_pow, square, polynomial({1.5L})), product(x, square));
  check_series(run(jet_pow, x, polynomial({1})), x);
  // t^1.5 has no third derivative at 0, and a root no first one, unless it is one of zero.
  const std::vector<double> rough = run(jet_pow, x, polynomial({1.5L}));
  CHECK((rough[0] == 0 && rough[1] == 0 && std::isinf(rough[2])));
  CHECK(std::isinf(run(jet_sqrt, x)[1]));
  CHECK(std::isinf(run(jet_pow, x, polynomial({0.75L}))[1]));
  check_series(run(jet_sqrt, polynomial({0})), polynomial({0}));
  check_series(run(jet_pow, polynomial({0}), polynomial({0.75L})), polynomial({0}));
}

TEST_CASE("recurrences: powers with an exponent that varies") {
  // (e^t)^t = e^(t^2)
  check_series(run(jet_pow, exp_at(0), polynomial({0, 1})),
               compose(exp_at(0), polynomial({0, 0, 1})));
  // (e^(0.5 + t/2))^(1 + t) = e^(0.5 + t + t^2/2)
  check_series(run(jet_pow, compose(exp_at(0.5L), polynomial({0, 0.5L})), polynomial({1, 1})),
               compose(exp_at(0.5L), polynomial({0, 1, 0.5L})));
  // 2^t
  check_series(run(jet_pow, polynomial({2}), polynomial({0, 1})),
               compose(exp_at(0), polynomial({0, std::log(2.0L)})));
  // An exponent that begins to vary at order 2: (e^t)^(1 + t^2)
  check_series(run(jet_pow, exp_at(0), polynomial({1, 0, 1})),
               compose(exp_at(0), polynomial({0, 1, 0, 1})));
}

TEST_CASE("recurrences: exponentials and logarithms") {
  check_composition(jet_exp, exp_at, {0, -2, 0.75L});
  check_composition(jet_log, log_at, {1, 1.25L, 8});
  check_series(run(jet_log, polynomial({1, 0.5L})), compose(log_at(1), polynomial({0, 0.5L})));
  const auto log10_at = [](Exact x) {
    Series result = log_at(x);
    for (Exact& c : result) c /= std::log(10.0L);
    return result;
  };
  check_composition(jet_log10, log10_at, {1, 1.25L, 8});
}

TEST_CASE("recurrences: exp(sin t)") {
  // A002017
  const Series first{1, 1, 1, 0, -3, -8, -3, 56, 217, 64, -2951, -12672};
  const std::vector<double> actual = run(jet_exp, sin_at(0));
  for (std::size_t n = 0; n < first.size(); ++n) {
    CHECK(std::fabs(actual[n] - static_cast<double>(first[n] / factorial(n))) < 1e-15);
  }
}

TEST_CASE("recurrences: sines and cosines") {
  const std::vector<Exact> values{0, 0.5L, -2.75L, 100};
  check_composition(jet_sin, sin_at, values);
  check_composition(jet_cos, cos_at, values);
  check_composition(jet_sinh, sinh_at, {0, 0.5L, -1.25L});
  check_composition(jet_cosh, cosh_at, {0, 0.5L, -1.25L});
}

TEST_CASE("recurrences: the hyperbolic tangent") {
  const Series tangent = polynomial(
      {0, 1, 0, 1 / 3.0L, 0, 2 / 15.0L, 0, 17 / 315.0L, 0, 62 / 2835.0L, 0, 1382 / 155925.0L});
  const Series line = polynomial({0, 1});
  const std::vector<double> tanh = run(jet_tanh, line);
  for (std::size_t n = 0; n < 12; ++n) {
    const auto exact = static_cast<double>(tangent[n]);
    CHECK(std::fabs(tanh[n] - (n % 4 == 3 ? -exact : exact)) < 1e-15);
  }
  for (const Exact value : {0.0L, 0.25L, -0.75L}) {
    for (const Exact slope : {0.5L, -0.25L}) {
      const Series slow = polynomial({value, slope / 4});
      check_series(run(jet_tanh, compose(atanh_at(value), slow)), slow);
    }
  }
}

TEST_CASE("recurrences: inverse sine, cosine and tangent") {
  const Series line = polynomial({0, 1});
  // asin t = sum (2n)!/(4^n n!^2 (2n + 1)) t^(2n + 1)
  const Series arc = series([](std::size_t n) {
    if (n % 2 == 0) return 0.0L;
    Exact c = 1;
    for (std::size_t j = 1; j <= n / 2; ++j) c *= Exact(2 * j - 1) / Exact(2 * j);
    return c / Exact(n);
  });
  check_series(run(jet_asin, line), arc);
  Series rest = arc;
  for (Exact& c : rest) c = -c;
  rest[0] = std::numbers::pi_v<Exact> / 2;
  check_series(run(jet_acos, line), rest);
  for (const Exact value : {0.25L, -1.0L}) {
    check_series(run(jet_asin, sin_at(value)), polynomial({value, 1}));
    check_series(run(jet_asin, compose(sin_at(value), polynomial({0, -0.5L}))),
                 polynomial({value, -0.5L}));
  }
  for (const Exact value : {0.75L, 2.0L}) {
    check_series(run(jet_acos, cos_at(value)), polynomial({value, 1}));
  }
  check_composition(jet_atan, atan_at, {0, 0.5L, -3});
}

TEST_CASE("recurrences: the angle of a point") {
  for (const Exact angle : {0.0L, 0.5L, 2.5L, -3.0L}) {
    check_series(run(jet_atan2, sin_at(angle), cos_at(angle)), polynomial({angle, 1}));
    // The distance does not matter.
    const Series distance = exp_at(0);
    check_series(run(jet_atan2, product(distance, sin_at(angle)), product(distance, cos_at(angle))),
                 polynomial({angle, 1}));
  }
}

TEST_CASE("recurrences: branches are those of order 0") {
  const Series below = polynomial({-1.5L, 3, 1}), above = polynomial({2, -1, 0, 5});
  const Series zero = polynomial({0, 1}), one = polynomial({1});
  Series negated = below;
  for (Exact& c : negated) c = -c;
  check_series(run(jet_abs, below), negated);
  check_series(run(jet_abs, above), above);
  const Series at = polynomial({1}), stays = polynomial({2}), away = polynomial({});
  check_series(run(jet_above_edge, above, away), above);
  check_series(run(jet_above_edge, below, away), polynomial({0, 3, 1}));
  check_series(run(jet_above_edge, above, at), polynomial({0, -1, 0, 5}));
  check_series(run(jet_above_edge, above, stays), polynomial({}));
  check_series(run(jet_sign, below), polynomial({-1}));
  check_series(run(jet_sign, above), one);
  check_series(run(jet_sign, zero), polynomial({}));
  check_series(run(jet_floor, below), polynomial({-2}));
  check_series(run(jet_ceil, below), polynomial({-1}));
  check_series(run(jet_min, below, above), below);
  check_series(run(jet_min, above, below), below);
  check_series(run(jet_max, below, above), above);
  check_series(run(jet_max, above, below), above);
  check_series(run(jet_less, below, above), one);
  check_series(run(jet_less, above, below), polynomial({}));
  check_series(run(jet_less, above, above), polynomial({}));
  check_series(run(jet_less_equal, above, above), one);
  check_series(run(jet_less_equal, above, below), polynomial({}));
  check_series(run(jet_and, above, below), one);
  check_series(run(jet_and, above, zero), polynomial({}));
  check_series(run(jet_or, zero, below), one);
  check_series(run(jet_or, zero, zero), polynomial({}));
  check_series(run(jet_not, zero), one);
  check_series(run(jet_not, below), polynomial({}));
  // The condition is an operand before the two that `run` gives.
  const Recurrence select = [](double* J, std::int64_t rows, std::int64_t k, std::int64_t result,
                               std::int64_t a,
                               std::int64_t b) { jet_select(J, rows, k, result, a, a, b); };
  check_series(run(select, above, below), above);
  check_series(run(select, zero, below), below);
}

}  // namespace
}  // namespace luztar
