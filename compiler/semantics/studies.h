// Studies: what they vary and measure is checked with the model they are of.
#pragma once

#include <string>

#include "compiler/semantics/functions.h"

namespace luztar {

/// Checks the studies of the user's file: that there is a model, and for those of `model` that they
/// vary parameters, with values that make sense, and measure numbers.
///   pre:    parameters have values, equations are built
///   errors: LT2001, LT7004, LT7005 and those of expressions
void check_studies(Elaboration& elaboration, const Ast& file, ClassId model);

/// True for final, mean, rms, integral, at, every, crossing, count and nominal. min and max of one
/// number are measures within a study as well.
[[nodiscard]] bool is_measure_function(const std::string& name);

/// Such a call in a measure: stands for the number that a run gives, or, for nominal(x), for the
/// course of x in the nominal run.
///   errors: LT7005
[[nodiscard]] Value build_measure(Elaboration& elaboration, const Call& call);

}  // namespace luztar
