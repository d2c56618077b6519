// What symbols of the mechanism stand for.
#pragma once

#include "compiler/lowering/lowering.h"

namespace luztar {

/// For the resolver: a symbol in terms of others, down to those of the explicit system.
[[nodiscard]] SymbolDefinition define_symbol(Lowering& l, Symbol s, const Resolver& resolver);
/// LT3009: the symbols need each other.
void report_circle(Lowering& l, const std::vector<Symbol>& circle);

/// A rate of q, or of its velocity, that is exactly zero while a friction holds q.
[[nodiscard]] Expr held(Lowering& l, CoordinateId q, Expr rate);
[[nodiscard]] Expr force_of(Lowering& l, ForceTermId id);
[[nodiscard]] Expr value_of_variable(Lowering& l, VariableId v);
/// The derivative of a state, over symbols of the mechanism.
[[nodiscard]] Expr rate_of_state(Lowering& l, std::uint32_t index);
/// The derivative of a signal state.
[[nodiscard]] Expr signal_rate(Lowering& l, VariableId z);

}  // namespace luztar
