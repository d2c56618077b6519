// What the ends of a step tell of its inside.
#pragma once

#include <cmath>
#include <optional>

namespace luztar {

/// A quantity and its rate at one time.
struct ValueAndRate {
  double value = 0, rate = 0;
};

struct CubicMinimum {
  double at = 0;  ///< from the beginning of the step, 0 < at < h
  double value = 0;
};

/// The least value inside a step of length h > 0 of the cubic that has these values and rates at
/// its ends, where it falls at the first and rises at the second (Hermite); else nothing. Of a
/// smooth quantity it has an error of the order h^4.
[[nodiscard]] inline std::optional<CubicMinimum> minimum_inside(const ValueAndRate& begin,
                                                                const ValueAndRate& end, double h) {
  const double fall = begin.rate * h, rise = end.rate * h, way = end.value - begin.value;
  if (!(fall < 0 && rise > 0)) return std::nullopt;
  // value + fall s + square s^2 + cube s^3, 0 < s < 1
  const double square = 3 * way - 2 * fall - rise, cube = fall + rise - 2 * way;
  const double s = -fall / (square + std::sqrt(square * square - 3 * fall * cube));
  return CubicMinimum{s * h, begin.value + s * (fall + s * (square + s * cube))};
}

}  // namespace luztar
