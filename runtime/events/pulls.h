// What keeps a force at its bound, or points at an edge, and is no row of its own.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/jets/coefficients.h"

namespace luztar {

/// A multiplier, linear in rows, that is not negative as long as the mode is what it is. Either
///   of the forces that give the same motion, of which the shortest are taken, one at its bound
///   would be beyond it without that. The pull is by how much, the multiplier of the bound in
///     min |t|^2/2  over t + Z tau within the bounds  (Z: forces without effect),
///   linear in the forces of those at rest [N, N.m];
/// or
///   a spring at its edge or a contact takes massless points along that nothing else moves: without
///   it these would stay. The pull is by how much it does, its multiplier in
///     min v'W v/2  over what holds the points at the edge (W: see settle_weight),
///   linear in the rates of what acts there. It has no force that could tell: where the edge turns
///   back, the points stay.
struct Pull {
  struct Term {
    std::uint32_t row = 0;
    double weight = 0;
  };

  std::uint32_t of = 0;  // the friction, or the spring of a settle island
  bool is_spring = false;
  bool varies = false;      // the weights do, with the state
  std::uint32_t order = 0;  // 0: of rows; 1: of their rates
  std::vector<Term> terms;
  std::vector<std::uint32_t> frictions;  // of which there are rows
  double size = 0;                       // of what it is the sum of, when it was listed
  double slack = 0;                      // this far below zero it still is zero

  /// `weight` times the force of a friction, half the difference of its reserves: T_S + s in `row`,
  /// T_S - s in the next one.
  void add_force(std::uint32_t row, double weight) {
    terms.push_back({row, weight / 2});
    terms.push_back({row + 1, -weight / 2});
  }
  /// The sum over the coefficients of one order.
  [[nodiscard]] double sum(const double* rows) const {
    double sum = 0;
    for (const Term& t : terms) sum += t.weight * rows[t.row];
    return sum;
  }
  /// Coefficient k of the pull.
  ///   coefficient(order)   those of all rows
  template <class Order>
  [[nodiscard]] double coefficient(std::int64_t k, Order coefficients) const {
    return order == 0 ? sum(coefficients(k))
                      : static_cast<double>(k + 1) * sum(coefficients(k + 1));
  }
};

/// A pull that begins at zero or stays there may be so far below it, against its size: rounding, or
/// what different formulas of decision and mode make of it.
inline constexpr double kRoundingOfPull = 1e-12, kMostRoundingOfPull = 1e-9;

}  // namespace luztar
