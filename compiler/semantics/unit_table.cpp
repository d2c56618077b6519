#include "compiler/semantics/unit_table.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>

namespace luztar {
namespace {

/// No quantity of mechanics has a higher power of a base unit.
constexpr std::int32_t kHighest = 100;

}  // namespace

std::size_t UnitTable::Hash::operator()(const Unit& unit) const {
  std::size_t hash = std::hash<double>{}(unit.factor);
  for (const std::int32_t x : unit.exponents) {
    hash = hash * 1'000'003 + static_cast<std::size_t>(x);
  }
  return hash;
}

std::optional<UnitId> UnitTable::declared(const std::string& text) {
  if (trusted_) return UnitId{};
  if (text.empty()) return UnitId{};
  const auto known = by_text_.find(text);
  if (known != by_text_.end()) return known->second;
  const std::optional<Unit> unit = parse_unit(text);
  const std::optional<UnitId> id = unit ? std::optional(intern(*unit)) : std::nullopt;
  return by_text_.emplace(text, id).first->second;
}

UnitId UnitTable::power(UnitId base, double exponent) {
  if (!base.valid()) return {};
  const double sixtieths = exponent * Unit::kWhole;
  const double rounded = std::round(sixtieths);
  if (!(std::fabs(rounded) <= kHighest * Unit::kWhole) || std::fabs(sixtieths - rounded) > 1e-9) {
    return {};
  }
  const auto unit = luztar::power(units_[base], static_cast<std::int32_t>(rounded), Unit::kWhole);
  return unit ? intern(*unit) : UnitId{};
}

bool UnitTable::fit(UnitId a, UnitId b) const {
  return !a.valid() || !b.valid() || a == b || same_unit(units_[a], units_[b]);
}

UnitId UnitTable::intern(Unit unit) {
  unit.exponents.back() = 0;  // the radians
  // Powers of powers without end are no quantities, and their exponents would overflow.
  const auto too_high = [](std::int32_t x) { return std::abs(x) > kHighest * Unit::kWhole; };
  if (std::any_of(unit.exponents.begin(), unit.exponents.end(), too_high)) return {};
  const auto [known, fresh] = by_unit_.emplace(unit, UnitId{units_.size()});
  if (fresh) units_.push_back(unit);
  return known->second;
}

UnitId UnitTable::combined(UnitId a, UnitId b, char op) {
  if (!a.valid() || !b.valid()) return {};
  auto& cache = op == '*' ? products_ : quotients_;
  const std::uint64_t key = std::uint64_t{a.value} << 32 | b.value;
  const auto known = cache.find(key);
  if (known != cache.end()) return known->second;
  const UnitId id = intern(op == '*' ? units_[a] * units_[b] : units_[a] / units_[b]);
  cache.emplace(key, id);
  return id;
}

}  // namespace luztar
