// Frictions in series on massless points: what they hold together has inertia, and decides the
// forces that the balance of the points leaves open (kernels B and G together).
#pragma once

#include <Eigen/Core>
#include <utility>
#include <vector>

#include "runtime/events/island_decision.h"
#include "runtime/events/settling.h"

namespace luztar {

/// While the points are in balance, forces of frictions are free in the self-stresses Z: D_y' Z = 0
/// for the rows D_y of their travels on the points. At every instant the forces t are those that
///   1. balance the points within the bounds,
///   2. of these have the greatest power  t.(D_x v),  v the velocities of the bodies beyond: the
///      rates of the points minimise  V'.y' + sum T |D_y y' + D_x v|  (a sweeping process; Moreau,
///      J. Differential Equations 26, 1977). With damped bodies without inertia, of velocities u',
///      y' and u' minimise  V'.y' + u'.C u'/2 - r.u' + sum T |D_y y' + D_u u' + D_x v|  (theory
///      sec. 3, kernel A); the dual is a quadratic: t have the least
///      t.(D_u C^-1 D_u') t/2 - t.(D_u C^-1 r + D_x v),
///   3. of these give the least acceleration of the bodies beyond (Gauss; P2 sec. 4),
/// which is the limit of small inertia on the points and on the damped bodies, and
///   4. of these, which give the same motion, are the shortest.
/// The same holds order by order of the Taylor coefficients, for those that lower orders leave
/// within their bounds or at them.
class SeriesForces {
 public:
  using Index = Eigen::Index;
  using Vector = Eigen::VectorXd;

  /// Both outlive this.
  ///   rests   by friction: 1 when its slip is zero at this instant, whatever rounding left
  SeriesForces(const SettleNumbers& numbers, const SettleDrives& drives,
               const std::vector<std::int8_t>& rests);

  /// Forces of order k; orders come one after the other.
  struct Order {
    std::vector<Index> members;  // frictions that do not slip at an order up to k
    Vector lower, upper;         // by member: bounds of the force, may be infinite
    Vector force;                // by member: in balance with the points, replaced by the result
    Vector given;                // by friction: forces of those that are no members, else zero
    double rounding = 0;         // of the forces that balance the points
  };
  void distribute(Index k, Order& order);

  /// Of the last order k, by member: the slip at order k + 2 that the forces leave; exactly 0 where
  /// the others hold it.
  [[nodiscard]] const Vector& slip() const { return slip_; }
  /// The force of member m is at its bound whatever 3. makes of the others: it may slip at k + 1.
  [[nodiscard]] bool is_exhausted(std::size_t m) const { return exhausted_[m] != 0; }

  /// Coefficient k >= 1 of the part of a travel that is not the points', and what rounding makes of
  /// such coefficients.
  [[nodiscard]] double travel(Index friction, Index k) const;
  [[nodiscard]] double rounding(Index friction, Index k) const;
  /// Such coefficients of frictions on the same points and damped bodies, where all of them are
  /// rounding: exactly 0. What damped bodies add is taken out also where that alone is.
  ///   rounding   of what is left, where that is more than nothing
  ///   returns    whether there was nothing but rounding to take out
  [[nodiscard]] bool take_out_rounding(const std::vector<Index>& frictions, Index k, Vector& travel,
                                       Vector& rounding) const;
  /// Of forces of order k.
  [[nodiscard]] double rounding_of_force(Index k) const;

 private:
  /// What a projection leaves of the greatest where there should be nothing.
  static constexpr double kProjected = 1e-14;
  /// What is hardly more than nothing against the rounding of what damped bodies add.
  static constexpr double kOfCreep = 1e-7;
  /// Of coefficient k of a slip that creeps, against its terms.
  [[nodiscard]] static double rounding_of_creep(Index k) {
    return k > 0 ? kRoundingOfCreep : kRoundingOfRate;
  }

  void find_velocities(const std::vector<std::int8_t>& rests);
  [[nodiscard]] double body_slip(Index friction, Index k) const;
  [[nodiscard]] double body_slip_size(Index friction, Index k) const;
  [[nodiscard]] double rounding_of_terms(Index friction, Index k) const;
  [[nodiscard]] double rounding_of_bodies(Index friction, Index k) const;
  template <class Own, class Length>
  [[nodiscard]] double carried(Index friction, Own own, Length length) const;
  /// 2. on a group: the least of t.gram t/2 - t.slip.
  struct Fastest {
    Eigen::MatrixXd gram;
    Vector slip, rounding;
    Vector of_bodies;  // without what damped bodies add, which has ...
    Vector rounding_of_bodies;
    Eigen::MatrixXd N;  // ... no part along these
  };
  [[nodiscard]] Fastest pose_fastest(Index k, const std::vector<Index>& frictions,
                                     const Eigen::MatrixXd& own) const;
  [[nodiscard]] double rounding_of_creeping_force(Index k) const;
  void begin_creep(Index k, const Order& order);
  Vector find_fastest(Index k, const Eigen::MatrixXd& Z, bool parting, Order& order,
                      std::vector<Index>& held) const;
  static std::vector<char> take_fastest(Fastest problem, const std::vector<Index>& part,
                                        const Eigen::MatrixXd& own, Order& order);
  Vector find_least(Index k, const Eigen::MatrixXd& N, const Eigen::MatrixXd& same, Order& order);
  [[nodiscard]] Vector turned(Index k, const Eigen::MatrixXd& open, const Eigen::MatrixXd& hold,
                              const Order& order) const;
  void find_shortest(Index k, const Eigen::MatrixXd& N, Eigen::MatrixXd same, const Vector& lower,
                     const Vector& upper, Order& order);
  [[nodiscard]] bool is_driven(const Order& order) const;
  void end_creep(Index k, const Order& order, const std::vector<Index>& held);
  void find_exhausted(Index k, const Eigen::MatrixXd& Z, const Order& order);
  void note_rates(Index k, const Order& order);
  void fit_rates(const Order& order, double rounding);
  [[nodiscard]] std::pair<Vector, Vector> free_rate(Index k) const;

  const SettleNumbers& n_;
  const SettleDrives& d_;
  Vector velocity_, velocity_size_;         // by friction
  std::vector<char> fits_;                  // those whose velocities the points can follow together
  std::vector<Vector> rate_, rate_size_;    // by order: of the slip, with the forces of that order
  std::vector<Vector> creep_, creep_size_;  // likewise: the part of the slip that creeps
  std::vector<Vector> forces_;              // likewise: of all frictions, where G varies
  // By order and friction: multipliers of 4.; what the bound of a force keeps it from, beside the
  // others that give the same motion.
  std::vector<Vector> pull_;
  Vector slip_;
  std::vector<char> exhausted_;
};

}  // namespace luztar
