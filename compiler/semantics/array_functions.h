// Functions whose arguments or values are arrays: linspace, sum, transpose and so on.
#pragma once

#include <string>

#include "compiler/semantics/functions.h"
#include "compiler/semantics/operators.h"

namespace luztar {

/// True for a function that takes or gives arrays, also when it takes scalars as well (min, max).
[[nodiscard]] bool is_array_function(const std::string& name);
/// True when a call with these arguments is one of such a function: min(a) is, min(a, b) is not.
[[nodiscard]] bool is_array_call(const std::string& name, const std::vector<Value>& arguments);

/// The value of such a call.
///   errors: LT2003, LT2015, LT2016, LT2026, LT2027, LT2030
[[nodiscard]] Value build_array_call(Elaboration& elaboration, const Call& call);

/// a:b or a:step:b, for numbers known at compile time.
///   errors: LT2015, LT2016, LT2027, LT2030
[[nodiscard]] Value build_range(Elaboration& elaboration, const Operands& bounds, Span span);

}  // namespace luztar
