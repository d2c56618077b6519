// Equations and assertions of all parts.
#pragma once

#include "compiler/semantics/elaboration.h"

namespace luztar {

/// Converts the equations of every part in id order: declaration equations, equalities, connect
/// clauses (recorded, not expanded) and assertions.
///   errors: LT1009, LT2008, LT2009, LT2015 and those of expressions
void build_equations(Elaboration& elaboration);

/// Decides assertions that depend on parameters only: they leave FlatModel::assertions.
///   pre:    parameters have values
///   errors: LT2021 with the user's text and the values
void check_assertions(Elaboration& elaboration);

}  // namespace luztar
