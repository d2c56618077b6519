#include "runtime/events/switch_value.h"

#include <cmath>

namespace luztar {

int sign_after(std::uint32_t row, Coefficients& J, std::span<const char> at_zero) {
  const bool skip = !at_zero.empty() && at_zero[row] != 0;
  for (std::int64_t k = skip ? 1 : 0; k <= J.highest(); ++k) {
    const double value = J.at(k, row);
    if (value != 0) return value > 0 ? 1 : -1;
  }
  return 0;
}

std::int32_t value_after(const Switch& s, Coefficients& J, std::span<const char> at_zero) {
  switch (s.kind) {
    case SwitchKind::kZone:
      if (sign_after(s.row + 1, J, at_zero) > 0) return 1;
      return sign_after(s.row, J, at_zero) < 0 ? -1 : 0;
    case SwitchKind::kSide:
      return sign_after(s.row, J, at_zero);
    case SwitchKind::kPositive:
      return sign_after(s.row, J, at_zero) > 0 ? 1 : 0;
    case SwitchKind::kNotNegative:
      return sign_after(s.row, J, at_zero) >= 0 ? 1 : 0;
    case SwitchKind::kFloor:
      break;
  }
  const double x = J[s.row];
  const bool skip = !at_zero.empty() && at_zero[s.row] != 0;
  const double whole = skip ? std::round(x) : std::floor(x);
  if (x == whole || skip) {  // at an integer: where does it go?
    for (std::int64_t k = 1; k <= J.highest(); ++k) {
      const double value = J.at(k, s.row);
      if (value != 0) return static_cast<std::int32_t>(whole) - (value < 0 ? 1 : 0);
    }
  }
  return static_cast<std::int32_t>(whole);
}

}  // namespace luztar
