// The functions of the language.
#pragma once

#include <string>
#include <vector>

#include "compiler/semantics/expressions.h"

namespace luztar {

/// A call with its arguments converted; each is valid.
struct Call {
  const std::string& name;
  Span span;
  const std::vector<Value>& arguments;
  const std::vector<Span>& argument_spans;
};

/// True for a function whose arguments are all scalars.
[[nodiscard]] bool is_scalar_function(const std::string& name);

/// The value of a call of a scalar function.
///   errors: LT2015, LT2016 (number of arguments, a negative half width)
[[nodiscard]] Value build_call(Elaboration& elaboration, const Call& call);

/// table(x, {x1, ..}, {y1, ..})
///   errors: LT2016 for lengths, LT2014 for knots that are not constant in time
[[nodiscard]] Value build_table(Elaboration& elaboration, const Call& call, std::size_t knots);

/// LT2023, LT2024, LT1009: a function that does not exist, or not yet.
void report_unknown_function(Elaboration& elaboration, const Scope& scope, const AstName& name);

}  // namespace luztar
