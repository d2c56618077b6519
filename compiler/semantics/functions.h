// The functions of the language.
#pragma once

#include <array>
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

/// True for a function whose arguments are all scalars; of arrays it is taken element by element.
[[nodiscard]] bool is_scalar_function(const std::string& name);

/// The value of a call of a scalar function.
///   errors: LT2003, LT2015, LT2016 (number of arguments, a negative half width), LT2026
[[nodiscard]] Value build_call(Elaboration& elaboration, const Call& call);

/// table(x, xs, ys); `columns` tells where the elements of xs and ys stand, empty when they are not
/// written out.
///   errors: LT2003, LT2016 for the arguments and for knots that decrease, LT2014 for knots that
///   are not constant in time
[[nodiscard]] Value build_table(Elaboration& elaboration, const Call& call,
                                const std::array<std::vector<Span>, 2>& columns);

/// spline(x, xs, ys): the natural cubic spline through the points; spline(x, xs, ys, n): its
/// derivative of order n. Errors as of build_table, but the knots must increase.
[[nodiscard]] Value build_spline(Elaboration& elaboration, const Call& call,
                                 const std::array<std::vector<Span>, 2>& columns);

/// slope(y, x): the partial derivative of the expression y with respect to the variable x.
///   errors: LT2016
[[nodiscard]] Value build_slope(Elaboration& elaboration, const Call& call);

/// LT2023, LT2024, LT1008: a function that does not exist, or only in Modelica.
void report_unknown_function(Elaboration& elaboration, const Scope& scope, const AstName& name);

}  // namespace luztar
