// connect clauses and the sources of signals.
#pragma once

#include "compiler/semantics/elaboration.h"

namespace luztar {

/// Records connect(a, b), written in the class of a part; arrays of connectors are connected
/// element by element, and a component that its condition removes takes its connections along.
///   errors: LT2002, LT2008 (types differ), LT2009 (not connectors), LT2026
void build_connection(Elaboration& elaboration, const Scope& scope, const AstEquation& equation);

/// Every input needs exactly one source: an output, an equation or a binding.
///   pre:    all equations and connections are built
///   errors: LT2017, LT2018      cost: O(signals + size of the equations)
void check_signals(Elaboration& elaboration);

}  // namespace luztar
