#include "compiler/semantics/units.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <utility>

#include "compiler/base/letters.h"

namespace luztar {
namespace {

struct UnitSymbol {
  std::string_view name;
  double factor;
  std::array<std::int8_t, Unit::kBases> exponents;  // kg m s A K mol cd rad
  bool prefixed = true;                             // takes SI prefixes
};

// The SI Brochure, 9th edition, tables 2, 4, 7 and 8.
constexpr double kDegree = std::numbers::pi / 180;
constexpr UnitSymbol kSymbols[] = {
    {"g", 1e-3, {1}},
    {"m", 1, {0, 1}},
    {"s", 1, {0, 0, 1}},
    {"A", 1, {0, 0, 0, 1}},
    {"K", 1, {0, 0, 0, 0, 1}},
    {"mol", 1, {0, 0, 0, 0, 0, 1}},
    {"cd", 1, {0, 0, 0, 0, 0, 0, 1}},
    {"rad", 1, {0, 0, 0, 0, 0, 0, 0, 1}},
    {"sr", 1, {}},
    {"Hz", 1, {0, 0, -1}},
    {"N", 1, {1, 1, -2}},
    {"Pa", 1, {1, -1, -2}},
    {"J", 1, {1, 2, -2}},
    {"W", 1, {1, 2, -3}},
    {"C", 1, {0, 0, 1, 1}},
    {"V", 1, {1, 2, -3, -1}},
    {"F", 1, {-1, -2, 4, 2}},
    {"Ohm", 1, {1, 2, -3, -2}},
    {"S", 1, {-1, -2, 3, 2}},
    {"Wb", 1, {1, 2, -2, -1}},
    {"T", 1, {1, 0, -2, -1}},
    {"H", 1, {1, 2, -2, -2}},
    {"lm", 1, {0, 0, 0, 0, 0, 0, 1}},
    {"lx", 1, {0, -2, 0, 0, 0, 0, 1}},
    {"l", 1e-3, {0, 3}},
    {"bar", 1e5, {1, -1, -2}},
    {"t", 1e3, {1}},
    {"deg", kDegree, {0, 0, 0, 0, 0, 0, 0, 1}, false},
    {"rev", 2 * std::numbers::pi, {0, 0, 0, 0, 0, 0, 0, 1}, false},
    {"rpm", 2 * std::numbers::pi / 60, {0, 0, -1, 0, 0, 0, 0, 1}, false},
    {"min", 60, {0, 0, 1}, false},
    {"h", 3600, {0, 0, 1}, false},
    {"d", 86400, {0, 0, 1}, false},
};

constexpr std::pair<std::string_view, double> kPrefixes[] = {
    {"Y", 1e24}, {"Z", 1e21},  {"E", 1e18},  {"P", 1e15},  {"T", 1e12},  {"G", 1e9},  {"M", 1e6},
    {"k", 1e3},  {"h", 1e2},   {"da", 1e1},  {"d", 1e-1},  {"c", 1e-2},  {"m", 1e-3}, {"u", 1e-6},
    {"n", 1e-9}, {"p", 1e-12}, {"f", 1e-15}, {"a", 1e-18}, {"z", 1e-21}, {"y", 1e-24}};

std::optional<Unit> symbol_unit(std::string_view name) {
  const auto unit = [](const UnitSymbol& symbol, double prefix) {
    Unit result{prefix * symbol.factor, {}};
    for (std::size_t i = 0; i < Unit::kBases; ++i) {
      result.exponents[i] = symbol.exponents[i] * Unit::kWhole;
    }
    if (symbol.name == "g" && prefix == 1e3) result.factor = 1;  // without rounding
    return result;
  };
  for (const UnitSymbol& symbol : kSymbols) {
    if (symbol.name == name) return unit(symbol, 1);
  }
  for (const UnitSymbol& symbol : kSymbols) {
    if (!symbol.prefixed || name.size() <= symbol.name.size() || !name.ends_with(symbol.name)) {
      continue;
    }
    const std::string_view given = name.substr(0, name.size() - symbol.name.size());
    for (const auto& [prefix, value] : kPrefixes) {
      if (prefix == given) return unit(symbol, value);
    }
  }
  return std::nullopt;
}

/// Recursive descent over  product [ "/" ( factor | "(" product ")" ) ].
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::optional<Unit> parse() {
    std::optional<Unit> unit = product();
    while (unit && accept('/')) {
      const bool several = accept('(');
      const std::optional<Unit> below = several ? product() : factor();
      if (!below || (several && !accept(')'))) return std::nullopt;
      unit = *unit / *below;
    }
    if (at_ != text_.size()) return std::nullopt;
    return unit;
  }

 private:
  bool accept(char c) {
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  std::optional<Unit> product() {
    std::optional<Unit> unit = factor();
    while (unit && (accept('.') || accept('*'))) {
      const std::optional<Unit> next = factor();
      if (!next) return std::nullopt;
      unit = *unit * *next;
    }
    return unit;
  }

  std::optional<Unit> factor() {
    if (accept('1')) return Unit{};
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_letter(text_[at_])) ++at_;
    const std::optional<Unit> unit = symbol_unit(text_.substr(begin, at_ - begin));
    if (!unit) return std::nullopt;
    const bool marked = accept('^');
    const bool negative = accept('-');
    if (!negative) accept('+');
    const std::size_t digits = at_;
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    if (digits == at_) return marked || negative ? std::nullopt : unit;
    if (at_ - digits > 2) return std::nullopt;
    const std::int32_t exponent =
        std::atoi(std::string(text_.substr(digits, at_ - digits)).c_str());
    return power(*unit, negative ? -exponent : exponent);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

/// Names to show for what combinations of units give.
constexpr std::string_view kCommon[] = {
    "1",    "N",   "N.m",  "N/m",  "N.s/m", "N.m.s", "N.s",   "W",    "Pa",    "m/s",
    "m/s2", "1/s", "1/s2", "kg",   "m",     "s",     "kg.m2", "kg/m", "kg/s",  "N.m.s2",
    "m2",   "m3",  "1/m",  "N/m2", "V",     "Ohm",   "A",     "K",    "N.m/K", "s2"};

std::string power_text(std::string_view base, std::int32_t sixtieths) {
  std::string text(base);
  if (sixtieths == Unit::kWhole) return text;
  if (sixtieths % Unit::kWhole == 0) return text + std::to_string(sixtieths / Unit::kWhole);
  std::int32_t denominator = Unit::kWhole;
  for (const std::int32_t divisor : {2, 2, 3, 5}) {
    if (sixtieths % divisor != 0 || denominator % divisor != 0) continue;
    sixtieths /= divisor;
    denominator /= divisor;
  }
  return text + "^(" + std::to_string(sixtieths) + "/" + std::to_string(denominator) + ")";
}

std::string base_text(const Unit& unit) {
  constexpr std::string_view kNames[Unit::kDimensions] = {"kg", "m", "s", "A", "K", "mol", "cd"};
  std::string above, below;
  int factors_below = 0;
  for (std::size_t i = 0; i < Unit::kDimensions; ++i) {
    const std::int32_t exponent = unit.exponents[i];
    if (exponent > 0) above += (above.empty() ? "" : ".") + power_text(kNames[i], exponent);
    if (exponent < 0) below += (below.empty() ? "" : ".") + power_text(kNames[i], -exponent);
    if (exponent < 0) ++factors_below;
  }
  if (above.empty()) above = "1";
  if (below.empty()) return above;
  return above + "/" + (factors_below > 1 ? "(" + below + ")" : below);
}

bool nearly(double a, double b) { return std::fabs(a - b) <= 1e-12 * std::fabs(b); }

}  // namespace

std::optional<Unit> parse_unit(std::string_view text) { return Parser(text).parse(); }

Unit operator*(const Unit& a, const Unit& b) {
  Unit result{a.factor * b.factor, a.exponents};
  for (std::size_t i = 0; i < Unit::kBases; ++i) result.exponents[i] += b.exponents[i];
  return result;
}

Unit operator/(const Unit& a, const Unit& b) {
  Unit result{a.factor / b.factor, a.exponents};
  for (std::size_t i = 0; i < Unit::kBases; ++i) result.exponents[i] -= b.exponents[i];
  return result;
}

std::optional<Unit> power(const Unit& unit, std::int32_t numerator, std::int32_t denominator) {
  Unit result;
  for (std::size_t i = 0; i < Unit::kBases; ++i) {
    const std::int64_t exponent = std::int64_t{unit.exponents[i]} * numerator;
    if (exponent % denominator != 0 || std::abs(exponent) > (1 << 20)) return std::nullopt;
    result.exponents[i] = static_cast<std::int32_t>(exponent / denominator);
  }
  result.factor = unit.factor == 1 ? 1 : std::pow(unit.factor, double(numerator) / denominator);
  return result;
}

bool same_dimension(const Unit& a, const Unit& b) {
  return std::equal(a.exponents.begin(), a.exponents.begin() + Unit::kDimensions,
                    b.exponents.begin());
}

bool same_unit(const Unit& a, const Unit& b) {
  return same_dimension(a, b) && nearly(a.factor, b.factor);
}

std::string to_text(const Unit& unit) {
  for (const std::string_view name : kCommon) {
    const std::optional<Unit> common = parse_unit(name);
    if (common && same_unit(unit, *common)) return std::string(name);
  }
  for (const UnitSymbol& symbol : kSymbols) {
    if (symbol.factor == 1) continue;
    const std::optional<Unit> named = symbol_unit(symbol.name);
    if (named && same_unit(unit, *named)) return std::string(symbol.name);
  }
  if (nearly(unit.factor, 1)) return base_text(unit);
  char factor[32];
  std::snprintf(factor, sizeof factor, "%.6g", unit.factor);
  return std::string(factor) + " " + base_text({1, unit.exponents});
}

std::vector<std::string> common_units() {
  std::vector<std::string> names(std::begin(kCommon), std::end(kCommon));
  names.insert(names.end(), {"rad", "rad/s", "rad/s2", "rad/m", "N.m/rad", "N.m.s/rad", "deg",
                             "rpm", "Hz", "kN", "mm"});
  return names;
}

std::optional<double> unit_factor(std::string_view given, std::string_view wanted) {
  const std::optional<Unit> a = parse_unit(given);
  const std::optional<Unit> b = parse_unit(wanted);
  if (!a || !b || a->exponents != b->exponents) return std::nullopt;
  return given == wanted ? 1 : a->factor / b->factor;
}

}  // namespace luztar
