#include "runtime/pwl/friction_law.h"

#include <algorithm>
#include <cmath>

namespace luztar {

double FrictionLaw::force_at(double speed) const {
  if (decay > 0) return beyond + (at_rest - beyond) * std::exp(-speed / decay);
  double fallen = 0;
  for (const FallingPart& part : falls) fallen += part.share * std::min(speed / part.speed, 1.0);
  return at_rest - (at_rest - beyond) * fallen;
}

double FrictionLaw::slope(std::size_t parts) const {
  double slope = 0;
  for (const FallingPart& part : falls.first(parts)) slope += part.share / part.speed;
  return (at_rest - beyond) * slope;
}

std::uint8_t FrictionLaw::parts_above(double speed) const {
  const auto passed = std::find_if(falls.begin(), falls.end(),
                                   [&](const FallingPart& part) { return part.speed <= speed; });
  return static_cast<std::uint8_t>(passed - falls.begin());
}

}  // namespace luztar
