// Which variables follow explicitly from motion, time and signals.
#pragma once

#include <vector>

#include "compiler/mechanics/variable_classes.h"

namespace luztar {

/// Outcome of the causal closure. Everything resolved is expressed in base symbols: kVariable(p),
/// kVelocity(p) and kAcceleration(p) with the id of a potential p for its position and rates,
/// kVariable(z) for signal states z, time and parameters; flows and variables that depend on forces
/// stay as kVariable.
struct Definitions {
  static constexpr std::size_t kNoSource = static_cast<std::size_t>(-1);
  std::vector<Expr> value;  // by variable: resolved value of a known representative, else invalid
  std::vector<std::size_t> source;  // by variable: the equation of VariableClasses that gave the
                                    // value, or kNoSource
  std::vector<VariableId> signal_states;  // z, in id order
  std::vector<WorkEquation>
      constraints;  // resolved, free of unknowns: between positions (or velocities)
  std::vector<WorkEquation> force_equations;  // resolved, with at least one flow or unknown
};

/// Solves, one at a time, every equation with a single unknown that is linear in it and not a
/// signal that the equation's part receives; then takes variables that have a derivative but no
/// definition as states, one at a time, and goes on. Equations between positions go first, so that
/// a relative angle is defined by the angles and not by an integral. Rates of forces and of what
/// depends on them are defined where the laws alone give them: not where they hold accelerations,
/// dry friction or forces of constraints.
///   cost: linear in the size of the equations
[[nodiscard]] Definitions define_variables(ExprPool& pool, const FlatModel& flat,
                                           const VariableClasses& classes);

}  // namespace luztar
