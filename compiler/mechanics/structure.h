// Equations and unknowns by incidence: what no values of parameters could mend.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/mechanics/equation_names.h"

namespace luztar {

/// How the equations of a surplus go together, as far as numbers tell.
enum class SurplusKind : std::uint8_t {
  kIncidence,   // they hold too few unknowns
  kTwice,       // one of them is another one
  kFollows,     // one says what the others say together
  kContradicts  // one says something else than the others together
};

/// The smallest set of equations that are one more than their unknowns. Those of a part that hold
/// nothing but variables of other parts are alone.
struct Surplus {
  EquationPlace equation;             // to be taken away: the last of the part that has too many
  std::vector<EquationPlace> others;  // of the set
  std::vector<VariableId> unknowns;   // that they hold: positions apart, which connect may give
  SurplusKind kind = SurplusKind::kIncidence;
};

/// A part that has fewer equations than unknowns.
struct Deficit {
  PartId part;
  std::size_t missing = 1;               // equations
  std::vector<VariableId> unknowns;      // each is in no other equations than these
  std::vector<EquationPlace> equations;  // fewer than the unknowns
  std::vector<VariableId> open;          // unknowns that values would make up for what is missing;
                                         // none where forces are among them
};

struct Structure {
  std::vector<Surplus> surplus;
  std::vector<Deficit> deficits;
};

/// Matches the equations of parts with their variables. What a connector is joined to gives one of
/// its two variables, potential or flow, so the question falls apart into parts, unless equations
/// of a part reach into others. A variable and its derivative count as one, as structure does not
/// see orders; an equation that gives the rate of a motion besides the motion is no surplus. Of
/// more large surpluses than there may be errors the others are left out.
///   cost: linear in the size of the equations in practice
[[nodiscard]] Structure analyze_structure(ExprPool& pool, const FlatModel& flat);

/// The model without the equations that are too many, and with values for signals that have none:
/// what is wrong besides shows there.
[[nodiscard]] FlatModel balanced(ExprPool& pool, const FlatModel& flat, const Structure& structure);

}  // namespace luztar
