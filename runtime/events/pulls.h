// Forces that are not unique: what keeps one at its bound.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/jets/coefficients.h"

namespace luztar {

/// Of the forces that give the same motion the shortest are taken, and one at its bound would be
/// beyond it without that. The pull is by how much, the multiplier of the bound in
///   min |t|^2/2  over t + Z tau within the bounds  (Z: forces without effect):
/// linear in the forces of those at rest. It is not negative as long as the bound is needed.
struct Pull {
  /// `weight` times the force of a friction, half the difference of its reserves: T_S + s in `row`,
  /// T_S - s in the next one.
  struct Term {
    std::uint32_t friction = 0, row = 0;
    double weight = 0;
  };

  std::uint32_t friction = 0;
  bool varies = false;  // the weights do, with the state
  std::vector<Term> terms;
  double size = 0;   // of the forces that it is the sum of, when it was listed [N, N.m]
  double slack = 0;  // this far below zero it still is zero [N, N.m]

  /// The pull [N, N.m] by its rows.
  [[nodiscard]] double value(const double* rows) const {
    double sum = 0;
    for (const Term& t : terms) sum += t.weight * (rows[t.row] - rows[t.row + 1]) / 2;
    return sum;
  }
};

/// A pull that begins at zero or stays there may be so far below it, against its size: rounding, or
/// what different formulas of decision and mode make of the forces.
inline constexpr double kRoundingOfPull = 1e-12, kMostRoundingOfPull = 1e-9;

}  // namespace luztar
