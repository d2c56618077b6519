// Numbers of the arithmetic itself.
#pragma once

#include <limits>

namespace luztar {

inline constexpr double kEpsilon = std::numeric_limits<double>::epsilon();  // one ulp of 1
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace luztar
