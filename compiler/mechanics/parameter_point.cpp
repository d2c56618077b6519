#include "compiler/mechanics/parameter_point.h"

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "compiler/symbolic/operations.h"

namespace luztar {
namespace {

// SplitMix64: a well-mixed value per (seed, symbol), the same on every machine.
double hashed_unit(std::uint64_t seed, std::uint64_t key) {
  std::uint64_t z =
      seed * 0x9e3779b97f4a7c15ULL + key * 0xbf58476d1ce4e5b9ULL + 0x94d049bb133111ebULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  z ^= z >> 31;
  return static_cast<double>(z >> 11) * 0x1.0p-53;
}

enum class Scale { kNominal, kOne, kPositiveOne };

double moved(const FlatParameter& parameter, Scale scale, double factor) {
  if (parameter.type != ScalarType::kReal) return parameter.value;
  if (scale == Scale::kPositiveOne) return factor;
  if (scale == Scale::kOne) return std::copysign(factor, parameter.value);
  if (parameter.value == 0 || !std::isfinite(parameter.value)) return factor;
  return parameter.value * factor;
}

std::vector<double> generic_parameters(const ExprPool& pool, const FlatModel& flat, Scale scale,
                                       std::uint64_t seed) {
  const std::size_t count = flat.parameters.size();
  std::vector<double> values(count);
  std::vector<char> state(count, 0);  // 0 untouched, 1 waiting for others, 2 done
  const SymbolValues known = [&](Symbol s) { return values[s.index]; };
  std::vector<std::size_t> stack;
  for (std::size_t root = 0; root < count; ++root) {
    stack.push_back(root);
    while (!stack.empty()) {
      const std::size_t i = stack.back();
      if (state[i] == 2) {
        stack.pop_back();
        continue;
      }
      const FlatParameter& parameter = flat.parameters[ParameterId{i}];
      const bool free = !parameter.binding.valid() || pool.is_constant(parameter.binding);
      bool ready = true;
      if (!free && state[i] == 0) {
        state[i] = 1;
        for (const Symbol s : symbols_of(pool, parameter.binding)) {
          if (s.kind == SymbolKind::kParameter && state[s.index] == 0) {
            stack.push_back(s.index);
            ready = false;
          }
        }
      }
      if (!ready) continue;
      const double factor = 0.5 + hashed_unit(seed, i);
      values[i] = free ? moved(parameter, scale, factor) : evaluate(pool, parameter.binding, known);
      if (!std::isfinite(values[i])) values[i] = factor;
      state[i] = 2;
      stack.pop_back();
    }
  }
  return values;
}

SymbolValues values_of(std::vector<double> parameters, std::uint64_t seed) {
  auto shared = std::make_shared<const std::vector<double>>(std::move(parameters));
  return [shared, seed](Symbol s) {
    if (s.kind == SymbolKind::kParameter) return (*shared)[s.index];
    const auto key = (static_cast<std::uint64_t>(s.kind) + 1) << 32 | s.index;
    return 2 * hashed_unit(seed, key) - 1;
  };
}

}  // namespace

SymbolValues generic_values(const ExprPool& pool, const FlatModel& flat, std::uint64_t seed) {
  return values_of(generic_parameters(pool, flat, Scale::kNominal, seed), seed);
}

SymbolValues values_at_parameters(const ExprPool& pool, const FlatModel& flat) {
  return [parameters = flat.parameter_values(), others = generic_values(pool, flat, 1)](Symbol s) {
    return s.kind == SymbolKind::kParameter ? parameters(s) : others(s);
  };
}

NominalPoint::NominalPoint(const ExprPool& pool, const FlatModel& flat)
    : value_(pool, flat.parameter_values()),
      varies_(pool, [](Symbol s) { return s.kind != SymbolKind::kParameter; }) {}

IdentityTest::IdentityTest(const ExprPool& pool, const FlatModel& flat)
    : pool_(pool),
      flat_(flat),
      nominal_(pool, flat),
      sizes_(pool, flat.parameter_values()),
      first_sizes_(pool, generic_values(pool, flat, 1)),
      second_sizes_(pool, generic_values(pool, flat, 2)),
      sizes_at_one_(pool, values_of(generic_parameters(pool, flat, Scale::kOne, 3), 3)),
      sizes_at_positive_(pool,
                         values_of(generic_parameters(pool, flat, Scale::kPositiveOne, 4), 4)),
      first_(pool, generic_values(pool, flat, 1)),
      second_(pool, generic_values(pool, flat, 2)) {}

bool IdentityTest::is_zero(Expr e) const {
  if (pool_.is_constant(e)) return pool_.is_zero(e);  // sums of numbers show no terms
  constexpr double kRounding = 1e-13;                 // of values that are extended
  if (!first_sizes_.cancels(e, kRounding) || !second_sizes_.cancels(e, kRounding)) return false;
  // Where parameters are far apart, terms of inverses cancel to less: there all are of order one.
  // Of negative ratios sizes of divisors, as 1 + i, say little: there all are positive.
  for (SizedPoint* point : {&sizes_at_one_, &sizes_at_positive_}) {
    const auto [value, size] = (*point)(e);
    if (std::abs(value) > kRounding * size) return false;  // not where it has no value
  }
  return true;
}

bool IdentityTest::vanishes(Expr e) const {
  if (is_zero(e)) return true;
  // Nominal values decide, too: two gears in parallel agree although their ratios are different
  // parameters.
  if (!nominal_.is_parametric(e) || !sizes_.cancels(e, 1e-12)) return false;
  return !holds_infinity(pool_, flat_, e);
}

bool IdentityTest::equal(Expr a, Expr b) const {
  if (a == b) return true;
  for (PointEvaluator* evaluator : {&first_, &second_}) {
    const double x = (*evaluator)(a);
    const double y = (*evaluator)(b);
    // 1e-9: coefficients are products of a few parameters; a false identity misses by parts in one.
    if (!(std::abs(x - y) <= 1e-9 * std::max({1.0, std::abs(x), std::abs(y)}))) return false;
  }
  return true;
}

double IdentityTest::sample(Expr e) const { return first_(e); }

double nominal_value(const ExprPool& pool, const FlatModel& flat, Expr e) {
  return evaluate(pool, e, flat.parameter_values());
}

bool holds_infinity(const ExprPool& pool, const FlatModel& flat, Expr e) {
  return depends_on(pool, e, [&](Symbol s) {
    return s.kind == SymbolKind::kParameter &&
           std::isinf(flat.parameters[ParameterId{s.index}].value);
  });
}

bool is_parametric(const ExprPool& pool, Expr e) {
  return !depends_on(pool, e, [](Symbol s) { return s.kind != SymbolKind::kParameter; });
}

}  // namespace luztar
