// Units of measurement: Modelica's unit strings as a factor and exponents of the SI base units.
//   The radian counts as 1 in equations: rad/s and 1/s are the same unit there, and so are N.m/rad,
//   N.m and J. A number that is given with its unit has to have the radians, too: whether 2 Hz are
//   2 rad/s or 2*2*pi rad/s nobody can know.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace luztar {

/// A multiple of a product of powers of kg, m, s, A, K, mol, cd; and, besides, of rad.
struct Unit {
  static constexpr std::size_t kBases = 8;
  static constexpr std::size_t kDimensions = 7;  // the first of them: without rad
  /// Exponents are kept in sixtieths, so that roots up to the sixth are exact.
  static constexpr std::int32_t kWhole = 60;

  double factor = 1;  // of the SI unit: 1000 for km
  std::array<std::int32_t, kBases> exponents{};

  friend bool operator==(const Unit&, const Unit&) = default;
};

/// Reads a unit string of Modelica 3.6, chapter 19: "kg.m2", "N.m/rad", "kN/(m.s)", "s-1", "1".
/// Also
/// '*' for '.', '^' before an exponent, "deg", "rpm", "min", "h" and "l". Nothing for anything
/// else.
[[nodiscard]] std::optional<Unit> parse_unit(std::string_view text);

[[nodiscard]] Unit operator*(const Unit& a, const Unit& b);
[[nodiscard]] Unit operator/(const Unit& a, const Unit& b);
/// unit^(numerator/denominator); nothing when an exponent is no multiple of 1/60.
[[nodiscard]] std::optional<Unit> power(const Unit& unit, std::int32_t numerator,
                                        std::int32_t denominator = 1);

/// Whether quantities in both can be compared, perhaps after a conversion.
[[nodiscard]] bool same_dimension(const Unit& a, const Unit& b);
/// Whether numbers in both can be added: the same dimension, and the same factor up to rounding.
[[nodiscard]] bool same_unit(const Unit& a, const Unit& b);

/// "N.m", "kg.m2/s3", "1": a common name where there is one.
[[nodiscard]] std::string to_text(const Unit& unit);

/// Units as they are usually written, to suggest one.
[[nodiscard]] std::vector<std::string> common_units();

/// The factor that turns a number in `given` into one in `wanted`. Nothing when one of them is no
/// unit, or they have different dimensions or powers of rad.
[[nodiscard]] std::optional<double> unit_factor(std::string_view given, std::string_view wanted);

}  // namespace luztar
