// Equations and unknowns by incidence: what no values of parameters could mend.
#pragma once

#include <vector>

#include "compiler/mechanics/equation_names.h"
#include "compiler/mechanics/part_names.h"

namespace luztar {

/// Equations of a part that are more than its unknowns.
struct Surplus {
  PartId part;                           // that has them
  std::vector<EquationPlace> equations;  // its own in the smallest over-determined set
  bool reaches_out = false;              // they hold variables of other parts
};

/// A part that has fewer equations than unknowns.
struct Deficit {
  PartId part;
  std::size_t missing = 1;               // equations
  std::vector<VariableId> unknowns;      // each is in no other equations than these
  std::vector<EquationPlace> equations;  // fewer than the unknowns
};

struct Structure {
  std::vector<Surplus> surplus;
  std::vector<Deficit> deficits;
};

/// Matches the equations of parts with their variables. What a connector is joined to gives one of
/// its two variables, potential or flow, so the question falls apart into parts, unless equations
/// of a part reach into others. A variable and its derivative count as one, as structure does not
/// see orders.
///   A deficit is an error. A surplus may be consistent (a motion and its rates): whoever finds a
///   contradiction looks here for the cause.
///   cost: linear in the size of the equations in practice
[[nodiscard]] Structure analyze_structure(const ExprPool& pool, const FlatModel& flat);

/// LT3005 for every deficit, with its smallest set of unknowns and equations.
void report_deficits(const ExprPool& pool, const FlatModel& flat, const Structure& structure,
                     PartErrors& errors);

/// LT3006 for a surplus.
void report_surplus(const ExprPool& pool, const FlatModel& flat, const Surplus& surplus,
                    PartErrors& errors);

}  // namespace luztar
