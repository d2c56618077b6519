// Kernel B: where massless points come to rest between springs, dry frictions and loads (theory
// sec. 3; P1 simplification 2, P4 (40)-(45)).
#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

namespace luztar {

/// Elements act on n points: element j has the argument x_j = rows_j.w + offset_j and a force f_j
/// between its bounds with  x_j in compliance_j f_j + N(f_j),  N the normal cone of the bounds. So
///   a spring of stiffness k        compliance 1/k, no bounds
///   one side of a freeplay spring  compliance 1/k, lower 0 (offset u - b) or upper 0 (u + b)
///   a dry friction                 compliance 0, bounds -T and T, x the way it has slipped
///   a friction that holds          compliance 0, no bounds
struct SettleProblem {
  Eigen::MatrixXd rows;          // m x n
  Eigen::VectorXd compliance;    // m [m/N, rad/(N.m)]
  Eigen::VectorXd lower, upper;  // m [N, N.m]
  Eigen::VectorXd offset;        // m [m, rad]
  Eigen::VectorXd load;          // n [N, N.m]: rows' f = load
  Eigen::VectorXd start;         // n [m, rad]
  Eigen::VectorXd weight;        // n, > 0: metric in which the points move as little as possible
  // Sizes of the terms that offsets (m) and loads (n) are sums of, which their rounding is relative
  // to; empty: they are no sums.
  Eigen::VectorXd offset_size, load_size;
};

struct Settled {
  Eigen::VectorXd position;  // w, n
  Eigen::VectorXd force;     // f, m
  Eigen::VectorXd excess;    // x - compliance f, m: >= 0 at an upper bound, <= 0 at a lower one
  Eigen::VectorXd size;      // m: of the terms that make up x, which rounding is relative to
};

/// The linear map of one active set, (-offset of the free elements, load less the forces at bounds)
/// to (change of w, forces of the free elements): the solution of least norm of
///   rows_F w - compliance_F f_F = -offset_F,   rows_F' f_F = load - rows_B' f_B.
[[nodiscard]] Eigen::MatrixXd settle_map(const Eigen::MatrixXd& rows,
                                         const Eigen::VectorXd& compliance,
                                         const Eigen::VectorXd& weight);

/// These maps for the points of one weight, of which the last ones are kept: the orders of one
/// instant have one active set mostly, and a motion that repeats itself comes back to those of
/// former instants.
class SettleMaps {
 public:
  [[nodiscard]] const Eigen::MatrixXd& operator()(const Eigen::MatrixXd& rows,
                                                  const Eigen::VectorXd& compliance,
                                                  const Eigen::VectorXd& weight);

 private:
  struct Entry {
    Eigen::MatrixXd rows;
    Eigen::VectorXd compliance;
    Eigen::MatrixXd map;
  };
  std::vector<Entry> entries_;  // the last one used first
};

/// The minimum of the potential  V(w) - load.w  that is reached from `start`. Forces of springs are
/// unique; points that nothing holds stay where they are, or are moved no further than needed.
///   method  proximal points, each a box problem (Rockafellar 1976), until the active set gives a
///           solution of all conditions, to rounding: the result is exact and certified
///           What contradicts itself by no more than the rounding of its terms is met as nearly as
///           can be.
///   errors  nullopt: no equilibrium, the loads exceed what the frictions can hold
///   cost    O((m + n)^3) per active set that `maps` does not have, else O((m + n)^2)
[[nodiscard]] std::optional<Settled> settle(SettleProblem problem, SettleMaps& maps);

}  // namespace luztar
