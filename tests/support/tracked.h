// Numbers that know how large the terms were that they were computed from.
//
// A sum of large terms that nearly cancel has a large relative rounding error whatever the order of
// evaluation. A comparison "to 1e-12 relative" is therefore relative to `size`, what the sum would
// be had all terms the same sign.
#pragma once

#include <algorithm>
#include <cmath>

namespace luztar::test {

struct Tracked {
  double value = 0;
  double size = 0;

  Tracked() = default;
  Tracked(double number)
      : value(number), size(std::abs(number)) {}  // NOLINT(google-explicit-constructor): a number
  Tracked(double number, double magnitude) : value(number), size(magnitude) {}
};

inline Tracked operator+(Tracked a, Tracked b) { return {a.value + b.value, a.size + b.size}; }
inline Tracked operator-(Tracked a, Tracked b) { return {a.value - b.value, a.size + b.size}; }
inline Tracked operator-(Tracked a) { return {-a.value, a.size}; }
inline Tracked operator*(Tracked a, Tracked b) { return {a.value * b.value, a.size * b.size}; }
inline Tracked operator/(Tracked a, Tracked b) {
  return {a.value / b.value, a.size * b.size / (b.value * b.value)};
}

/// Dead zone: exactly zero within |x| <= a.
inline Tracked luz(Tracked x, Tracked a) {
  return {x.value - std::clamp(x.value, -a.value, a.value), x.size + a.size};
}

/// Agreement of a computed value with a reference to `tolerance`, relative to the size of the
/// reference's terms.
inline bool agrees(double computed, Tracked reference, double tolerance = 1e-12) {
  return std::abs(computed - reference.value) <= tolerance * reference.size;
}

}  // namespace luztar::test
