// Values of parameters.
#pragma once

#include <optional>

#include "compiler/semantics/elaboration.h"

namespace luztar {

/// Converts the bindings of parameters and the attributes of parameters and variables; also those
/// of constants that come into use meanwhile. May be called again for later ones.
///   errors: LT2010 (no value), LT2014 (depends on a variable), LT2015 and those of expressions
void build_parameters(Elaboration& elaboration);

/// Evaluates all parameters in the order of their dependence and checks min, max and NaN.
///   errors: LT2011, LT2012, LT2013, LT2015      cost: O(size of the bindings)
void evaluate_parameters(Elaboration& elaboration);

/// The value of an expression of parameters, at any time: sizes and conditions need theirs while
/// instances are created. Nothing when a parameter has no value; that has been reported.
[[nodiscard]] std::optional<double> known_value(Elaboration& elaboration, Expr e);

/// The same for what the structure of the model follows from: marks the parameters in it.
[[nodiscard]] std::optional<double> structural_value(Elaboration& elaboration, Expr e);

/// True when all parameters in `e` have values.
[[nodiscard]] bool has_value(const Elaboration& elaboration, Expr e);

/// Settings that name no parameter: LT2022.
void check_settings(Elaboration& elaboration);

}  // namespace luztar
