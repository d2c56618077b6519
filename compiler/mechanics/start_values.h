// Start values of coordinates.
#pragma once

#include <vector>

#include "compiler/mechanics/constraints.h"
#include "compiler/mechanics/mechanism.h"
#include "compiler/mechanics/variable_classes.h"

namespace luztar {

struct GivenStart {
  Expr value;  // over parameters; zero where none is given
  StartGiven given = StartGiven::kNo;
  VariableId variable;  // of which it is given
};

/// Of a class of equal variables: what holds goes before a guess, the first before others.
[[nodiscard]] GivenStart given_start(ExprPool& pool, const FlatModel& flat,
                                     const std::vector<VariableId>& members);

/// The same.
///   errors: LT5001 two that hold are different
[[nodiscard]] GivenStart start_of_class(ExprPool& pool, const FlatModel& flat,
                                        const std::vector<VariableId>& members,
                                        Diagnostics& diagnostics);

/// What is given at the start of positions and velocities that are sums of coordinates determines
/// coordinates that have a guess, or nothing, of their own: start values that hold first, then
/// guesses those of which nothing is known. What they leave over is for `start_checks`.
///   pre:    coordinates have the start values of their own classes
///   errors: as start_of_class
///   cost:   linear in the nonzeros of the sums, where few of them share such coordinates
void solve_starts(ExprPool& pool, const FlatModel& flat, const VariableClasses& classes,
                  const PositionSolution& positions, Diagnostics& diagnostics,
                  Mechanism& mechanism);

}  // namespace luztar
