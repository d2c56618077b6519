// The balances of the forces on a body without inertia, as a curve over its speed x, along which
// the frictions that hold take what forces they must.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/pwl/box_minimum.h"
#include "runtime/pwl/friction_law.h"
#include "runtime/pwl/gram.h"
#include "runtime/pwl/principal_cholesky.h"

namespace luztar {

/// A friction whose slip is  w_i = offset_i + ratio_i x - sum_j coupling_ij s_j  at the speed x of
/// the body. What falls acts on the body alone, and has no coupling.
struct SlipOnLine : FrictionLaw {
  double offset = 0, ratio = 0;
  double weight = 0;  ///< what its force takes from the speed, of the sign of `ratio`

  /// By what it falls on the lines of the first parts F rises against x.
  [[nodiscard]] double fall(std::size_t parts) const { return weight * ratio * slope(parts); }
  /// By what it does so where its slip begins.
  [[nodiscard]] double fall_at_rest() const { return weight * ratio * slope_at_rest(); }
};

/// The frictions of such a body, and those of other bodies without inertia that dampers and
/// frictions connect with it, which follow it at once.
struct BodyBalance {
  std::vector<SlipOnLine> frictions;
  Gram coupling;  ///< D C^-1 D' while the body is held; zero rows: of frictions of the body alone
};

/// What a friction does at a speed x.
struct BalanceMember {
  enum class Rest : std::uint8_t {
    kSlips,
    kHeld,
    kAtBound,  ///< its force is at a bound, and others hold it
  };
  Rest rest = Rest::kSlips;
  std::int8_t side = 0;  ///< of the slip, or of the bound
  double force = 0;      ///< at rest
};

/// How the forces of those that hold change along the curve of balances.
struct BalanceCurve {
  Eigen::VectorXd change;  ///< by x; where x is held, in the direction in which they hold it longer
  bool holds_x = false;
};

/// A basis of the rows of those that hold, and the way of their forces that holds x, if any. The
/// forces of other rows stay.
///   direction   of x
[[nodiscard]] BalanceCurve balance_curve(const BodyBalance& body,
                                         std::span<const BalanceMember> members, double direction,
                                         PrincipalCholesky<Eigen::Dynamic>& factor);

/// By what F falls with x along it, but for what slips.
[[nodiscard]] double stiffness_of(const BodyBalance& body, const BalanceCurve& curve);

/// The frictions of the bodies that follow, and what these take at one speed after the other.
class Following {
 public:
  using Index = Eigen::Index;
  Following(const BodyBalance& body, std::span<const char> resting);

  /// At this speed. Where hard stops hold them, and they the body, x becomes the nearest speed that
  /// is possible.
  ///   errors  UnboundedMinimum where stops close in
  void take(double& x, std::vector<BalanceMember>& members);

 private:
  [[nodiscard]] Index place(Index r) const { return places_[static_cast<std::size_t>(r)]; }
  [[nodiscard]] const SlipOnLine& friction(Index r) const {
    return body_.frictions[static_cast<std::size_t>(place(r))];
  }

  // Solves for the forces, unless x is beyond what stops leave.
  bool is_stopped(double& x);
  // Those that break away drop to T_K, and others may, then.
  bool any_drops();

  const BodyBalance& body_;
  std::vector<Index> places_;
  Gram gram_;
  Eigen::VectorXd b_, size_, lower_, upper_;
  BoxMinimum box_;
  std::size_t stops_ = 0;  // that x has been put at
};

}  // namespace luztar
