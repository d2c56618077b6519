// What a dry friction or a hard stop does in a mode.
#pragma once

#include <cstdint>

namespace luztar {

struct FrictionState {
  std::int8_t direction = 0;  // of the slip, -1 or 1; 0: held, or free
  // Held by others while its own force is at this bound; with a direction: it slides with a slip
  // that tends to zero.
  std::int8_t at_bound = 0;
  bool free = false;        // no capacity: neither holds nor resists; of a stop: no contact
  std::int8_t contact = 0;  // of a stop: the side of the contact
  // Of one that slips on lines on which it falls, and nothing holds its massless body: how many of
  // their speeds, of the greatest, are ahead.
  std::uint8_t ahead = 0;
  bool operator==(const FrictionState&) const = default;
};

/// -1, 0 or 1: the sign of a slip velocity.
[[nodiscard]] inline std::int8_t direction_of(double slip) {
  return static_cast<std::int8_t>((slip > 0) - (slip < 0));
}

/// A force that an event says is at its bound is, within this of it: mode and decision follow it by
/// formulas of their own, of which gears of almost equal ratios make differences.
inline constexpr double kReachesBound = 1e-7;

/// What an event tells about a friction.
struct FrictionHint {
  bool at_rest = false;       // its slip velocity is zero
  std::int8_t at_bound = 0;   // its force has just reached this bound
  std::int8_t direction = 0;  // of its slip before the event
  // Of massless bodies: its direction before the event, or in a jump at the event, and whether its
  // slip has come to an end; one that only tends to rest has not.
  std::int8_t slid = 0;
  bool ended = false;
  bool stopped = false;     // it slipped until a contact of massless bodies closed in this instant
  bool slides_on = false;   // after that it has broken away again, earlier in this event
  double reserve_rate = 0;  // of that to at_bound, in the mode before; 0: it may be rounding
  // The slip has come to a speed at which its fall with speed bends: 1 growing, -1 on its way back.
  std::int8_t fall = 0;
};

/// The slip at which one that falls exponentially does so no longer; 0 where that is at rest.
///   end   as of ExplicitFriction
inline double end_of_fall(double end, double decay) {
  constexpr double kAtRest = 1e-9;  // rounding of its terms
  return end > kAtRest ? end * decay : 0;
}

}  // namespace luztar
