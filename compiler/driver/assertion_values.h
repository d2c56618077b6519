// What the quantities in a failed assertion were.
#pragma once

#include "compiler/base/diagnostics.h"
#include "compiler/lowering/explicit_system.h"
#include "compiler/semantics/flat_model.h"
#include "compiler/symbolic/expr.h"
#include "runtime/solvers/run.h"

namespace luztar {

/// Adds a note with value, unit and declaration of each operand of the assertion.
///   pre: the report is of a run that this assertion has stopped
void note_operands(Diagnostic& error, const ExprPool& pool, const FlatModel& flat,
                   const ExplicitAssertion& assertion, const RunReport& report);

}  // namespace luztar
