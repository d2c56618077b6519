// The force of a dry friction that falls with speed, or of a contact.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/numbers.h"

namespace luztar {

/// A part of what a friction falls by up to a speed; the parts of one friction add up to 1.
struct FallingPart {
  double speed = 0, share = 0;
};

/// While it slips by w its force is sgn(w) T(|w|) with
///   T(|w|) = at_rest - (at_rest - beyond) * sum of share * min(|w|/speed, 1),
/// or, where `decay` is not 0,
///   T(|w|) = beyond + (at_rest - beyond) exp(-|w|/decay).
struct FrictionLaw {
  double at_rest = 0, beyond = 0;
  double holds = 0;                    ///< at most while it is at rest, not less than at_rest
  std::span<const FallingPart> falls;  ///< the greatest speed first
  double decay = 0;
  std::int8_t pushes = 0;  ///< a closed contact: it takes any force against slip on this side alone
  std::uint8_t ahead = 0;  ///< parts up to whose speed it has not come so far: these are the first

  /// It falls with speed, along lines or exponentially.
  [[nodiscard]] bool varies() const { return decay > 0 || !falls.empty(); }
  /// At rest its force is between these.
  [[nodiscard]] double lower() const {
    return pushes == 0 ? -holds : pushes > 0 ? 0.0 : -kInfinity;
  }
  [[nodiscard]] double upper() const { return pushes == 0 ? holds : pushes > 0 ? kInfinity : 0.0; }
  /// T of a slip with this speed.
  [[nodiscard]] double force_at(double speed) const;
  /// By what T falls with the speed on the lines of the first parts.
  [[nodiscard]] double slope(std::size_t parts) const;
  /// By what it falls where its slip begins.
  [[nodiscard]] double slope_at_rest() const {
    return decay > 0 ? (at_rest - beyond) / decay : slope(falls.size());
  }
  /// Parts up to greater speeds than this one.
  [[nodiscard]] std::uint8_t parts_above(double speed) const;
};

}  // namespace luztar
