// What ends a mode where it falls to zero.
#pragma once

#include <cstdint>

namespace luztar {

enum class MarginKind : std::uint8_t {
  kSwitch,
  kSlip,
  kFall,  // of a slip, to where its friction's fall with speed bends or ends
  kReserve,
  kHeld,  // of a friction that is held beside a prescribed motion, or tends to rest: its slip is
          // zero
  kGap,   // of a hard stop
  kEdge,  // of a spring in a settle island
};

/// A slip beyond this part of the greatest so far is none of what is held.
inline constexpr double kHeldSlip = 1e-9;

/// A quantity that is not negative in the present mode: sign * row + offset.
struct Margin {
  MarginKind kind = MarginKind::kSwitch;
  std::uint32_t row = 0;
  double sign = 1, offset = 0;
  std::uint32_t index = 0;  // of the switch, friction or spring
  std::int32_t next = 0;    // value of the switch beyond, bound that the force reaches, or side
  std::uint32_t zeros = 0;  // leading coefficients that are exactly zero since the last event
  bool may_touch = false;   // of a slip: the motion depends on whether it comes to zero and rises
};

/// What errors of the margin are measured by.
///   peak: of its row so far
[[nodiscard]] inline double scale_of(const Margin& margin, double peak) {
  return margin.kind == MarginKind::kHeld ? margin.offset / kHeldSlip : peak;
}

struct FiredMargin {
  std::uint32_t margin = 0;
  bool at_zero = true;   // false: it is below zero, by the error of a step
  double rate = 0;       // there; 0 where rounding might decide its sign
  bool touches = false;  // its rate is zero, too
  /// It has the sign beyond for certain.
  [[nodiscard]] bool crosses() const { return rate != 0; }
};

}  // namespace luztar
