// Steps from an instant at which the motion has no Taylor series.
#pragma once

#include <vector>

#include "runtime/solvers/expansion.h"

namespace luztar {

/// As at a root of zero: the motion has rates there, and follows them in steps whose error is one
/// of rounding until it has a series. They grow while the rates stay what they are: what these lead
/// away from may be rounding beside the motion for long.
class StepsAlongRates {
 public:
  /// Length of the next step, `shortest` to begin with, and not above `rest`; not a number where
  /// the motion has no rates, or no series after many of these steps.
  [[nodiscard]] double next(Expansion& expansion, double shortest, double rest);
  /// The step being taken is one of these.
  [[nodiscard]] bool any() const { return count_ > 0; }
  void end() { count_ = 0; }
  /// There have been too many.
  [[nodiscard]] bool exhausted() const { return count_ > kMost; }

 private:
  static constexpr int kMost = 32;
  int count_ = 0;  // in a row
  double length_ = 0;
  std::vector<double> rates_;  // in the last one
};

}  // namespace luztar
