// Margins that fire again and again in one instant.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/events/margin.h"
#include "runtime/jets/coefficients.h"
#include "runtime/system.h"

namespace luztar {

/// A decision and its mode follow forces and slips by formulas of their own. Where these are zero
/// but for rounding, the one may hold what the other sees leave at once: a margin that fires time
/// and again in an instant, at no rate that is more than rounding, tells nothing. It is watched
/// from beyond zero then, by as much as its terms may make of zero, and ever more until the motion
/// goes on.
class RepeatedMargins {
 public:
  /// Those that fire at t; none: the motion has gone on without an event.
  void note(double t, std::span<const Margin> margins, std::span<const FiredMargin> fired);
  /// Some margin is watched from beyond zero.
  [[nodiscard]] bool any() const;
  /// Gives those of the new mode their offsets, from the values in J.
  void put_off(const System& system, Coefficients& J, std::span<Margin> margins) const;

 private:
  struct Repeated {
    MarginKind kind;
    std::uint32_t index;
    std::int32_t next;
    double sign;
    int times;  // that it has fired
    [[nodiscard]] bool is(const Margin& m) const {
      return kind == m.kind && index == m.index && next == m.next;
    }
  };
  std::vector<Repeated> repeated_;
  double instant_ = 0;  // [s]
};

}  // namespace luztar
