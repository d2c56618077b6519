// Calls of functions written in the language: they are inlined.
#pragma once

#include <vector>

#include "compiler/semantics/functions.h"

namespace luztar {

/// The function visible under a name; invalid, without a report, when there is none.
[[nodiscard]] ClassId find_function(Elaboration& elaboration, const Scope& scope,
                                    const AstName& name);

/// The output of a function for these arguments; `names` is empty or parallel to the arguments,
/// with empty texts for positional ones.
///   errors: LT1006, LT2006 (it calls itself), LT2015, LT2016 (arguments), LT2026, LT2028 (the body
///   assigns no output or something else) and those of the expressions in it
[[nodiscard]] Value inline_call(Elaboration& elaboration, ClassId function, const Call& call,
                                const std::vector<AstIdentifier>& names);

}  // namespace luztar
