// Equations and assertions of all parts.
#pragma once

#include "compiler/semantics/elaboration.h"

namespace luztar {

/// Converts the equations of every part in id order: declaration equations, equalities (element by
/// element), loops, conditions on parameters, connect clauses (recorded, not expanded) and
/// assertions.
///   errors: LT2008, LT2009, LT2015, LT2026, LT2027, LT2030 and those of expressions
void build_equations(Elaboration& elaboration);

/// Decides assertions that depend on parameters only: they leave FlatModel::assertions.
///   pre:    parameters have values
///   errors: LT2021 with the user's text and the values
void check_assertions(Elaboration& elaboration);

}  // namespace luztar
