// Unknowns that wait for each other in a circle.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/mechanics/matching.h"
#include "compiler/mechanics/variable_classes.h"

namespace luztar {

/// The circles among equations that each determine one of the unknowns accepted by `is_unknown`.
///   cost: linear in the size of the equations in practice
class SignalLoops {
 public:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  SignalLoops(const ExprPool& pool, const std::vector<WorkEquation>& equations,
              const std::function<bool(Symbol)>& is_unknown);

  /// The circle that equation i is in, or kNone.
  [[nodiscard]] std::size_t circle_of(std::size_t i) const { return circle_of_[i]; }
  [[nodiscard]] const std::vector<std::uint32_t>& equations(std::size_t circle) const {
    return circles_[circle];
  }
  /// What the equations of a circle determine, each after one that it follows from.
  [[nodiscard]] std::vector<VariableId> unknowns(std::size_t circle) const;

 private:
  std::vector<VariableId> names_;  // by column
  Incidence incidence_;
  Matching matching_;
  std::vector<std::vector<std::uint32_t>> circles_;
  std::vector<std::size_t> circle_of_;  // by equation
};

}  // namespace luztar
