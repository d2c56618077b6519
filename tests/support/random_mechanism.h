// Random trees of rotational bodies, as model text: for properties that hold of every mechanism.
#pragma once

#include <rapidcheck.h>

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace luztar::test {

/// Viscous and dry friction; absent when all of it is 0. Several values in one place make one
/// mechanism differ from the next in kind, so the greatest static friction is a difference.
struct RandomFriction {
  double d = 0;       // [N.m.s/rad]
  double tau0 = 0;    // [N.m]
  double excess = 0;  // [N.m] of the static over the kinetic friction, where there is any

  [[nodiscard]] bool absent() const { return d == 0 && tau0 == 0; }
};

enum class LinkKind : std::uint8_t {
  kSpring,
  kSpringDamper,
  kFreeplaySpring,
  kGearPair,
  kIdealGear,
  kNone,  // the friction of the link at most
};

/// What joins a body to one before it, or the first body to the ground.
struct RandomLink {
  LinkKind kind = LinkKind::kSpring;
  double k = 0, half_freeplay = 0, d = 0;  // [N.m/rad], [rad], [N.m.s/rad]: where the kind has them
  double ratio = 1;
  RandomFriction friction;  // a CrossFriction beside it
  std::uint32_t reach = 0;  // 0: to the body before; else farther back, around
};

enum class LoadKind : std::uint8_t { kNone, kStep, kRamp, kSine };

struct RandomLoad {
  LoadKind kind = LoadKind::kNone;
  double size = 1;  // [N.m]
  double time = 1;  // [s]: start of a step, duration of a ramp, period of a sine
};

struct RandomBody {
  bool massless = false;
  double J = 1, phi = 0, w = 0;  // [kg.m2], [rad], [rad/s]
  RandomLink link;
  RandomFriction bearing;
  RandomLoad load;
};

/// A tree of bodies; every value of it is a model.
struct RandomMechanism {
  std::vector<RandomBody> bodies;

  /// The model. Other orders than 0 permute declarations and connections, and the ends of the
  /// latter: the same mechanism.
  [[nodiscard]] std::string text(std::uint32_t order = 0) const;
};

/// Shows the model, ready to be saved and run.
void showValue(const RandomMechanism& mechanism, std::ostream& os);

struct RandomMechanismOptions {
  /// Also massless bodies without damping between several freeplay springs or under a load, with
  /// dry friction alone, and between frictions in series, which the compiler refuses today when
  /// one of these has damping.
  bool all_massless = false;
};

/// Mechanisms of 1 to 8 bodies. Shrinks to fewer bodies, fewer parts and numbers of 1.
[[nodiscard]] rc::Gen<RandomMechanism> random_mechanism(const RandomMechanismOptions& options = {});

}  // namespace luztar::test
