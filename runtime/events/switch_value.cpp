#include "runtime/events/switch_value.h"

#include <algorithm>
#include <cmath>

namespace luztar {

namespace {

/// From order `known` on.
std::uint32_t leading_zeros(std::uint32_t row, Coefficients& J, std::uint32_t known) {
  std::int64_t k = known;
  const auto is_zero = [&](std::int64_t order) {
    const double value = J.at(order, row);
    if (value == 0 || order == 0) return value == 0;  // not known to be zero: what it is
    // What follows a zero has its rounding, and next to a root of more than one that of the
    // instant.
    return std::fabs(value) <= kRoundingOfRow * J.size(order, row) ||
           std::fabs(value) <= J.rounding_of_instant(order, row);
  };
  while (k <= J.highest() && is_zero(k)) ++k;
  return static_cast<std::uint32_t>(k);
}

}  // namespace

std::uint32_t leading_zeros(std::uint32_t row, Coefficients& J,
                            std::span<const std::uint32_t> zeros) {
  return leading_zeros(row, J, zeros.empty() ? 0 : zeros[row]);
}

namespace {

/// Sign of the first coefficient that is not zero; 0 when all are.
int sign_after(std::uint32_t row, Coefficients& J, std::span<const std::uint32_t> zeros) {
  const auto k = static_cast<std::int64_t>(leading_zeros(row, J, zeros));
  if (k > J.highest()) return 0;
  return J.at(k, row) > 0 ? 1 : -1;
}

}  // namespace

bool is_at_edge(const Switch& s, std::uint32_t row, Coefficients& J) {
  const double x = J[row];
  const double distance = std::fabs(s.kind == SwitchKind::kFloor ? x - std::round(x) : x);
  return distance == 0 || distance <= J.rounding_of_instant(0, row) ||
         distance <= kRoundingOfRow * J.size(0, row);
}

std::int32_t value_at(const Switch& s, const Coefficients& J) {
  const double x = J[s.row];
  switch (s.kind) {
    case SwitchKind::kZone:
      return J[s.row + 1] > 0 ? 1 : x < 0 ? -1 : 0;
    case SwitchKind::kSide:
      return (x > 0 ? 1 : 0) - (x < 0 ? 1 : 0);
    case SwitchKind::kPositive:
      return x > 0 ? 1 : 0;
    case SwitchKind::kNotNegative:
      return x >= 0 ? 1 : 0;
    case SwitchKind::kRoot:
      return 0;
    case SwitchKind::kFloor:
      break;
  }
  return static_cast<std::int32_t>(std::floor(x));
}

std::int32_t value_after(const Switch& s, Coefficients& J, std::span<const std::uint32_t> zeros) {
  switch (s.kind) {
    case SwitchKind::kZone:
      if (sign_after(s.row + 1, J, zeros) > 0) return 1;
      return sign_after(s.row, J, zeros) < 0 ? -1 : 0;
    case SwitchKind::kSide:
      return sign_after(s.row, J, zeros);
    case SwitchKind::kPositive:
      return sign_after(s.row, J, zeros) > 0 ? 1 : 0;
    case SwitchKind::kNotNegative:
      return sign_after(s.row, J, zeros) >= 0 ? 1 : 0;
    case SwitchKind::kRoot:
      return 0;
    case SwitchKind::kFloor:
      break;
  }
  const double x = J[s.row];
  const bool skip = !zeros.empty() && zeros[s.row] != 0;
  const double whole = skip ? std::round(x) : std::floor(x);
  if (x == whole || skip) {  // at an integer: where does it go?
    const auto k = static_cast<std::int64_t>(
        leading_zeros(s.row, J, std::max(1U, zeros.empty() ? 0 : zeros[s.row])));
    if (k <= J.highest() && J.at(k, s.row) < 0) return static_cast<std::int32_t>(whole) - 1;
  }
  return static_cast<std::int32_t>(whole);
}

}  // namespace luztar
