// Why a run stopped before its end, or is not to be trusted, for the user.
#pragma once

#include "compiler/base/diagnostics.h"
#include "compiler/lowering/explicit_system.h"
#include "compiler/semantics/flat_model.h"
#include "compiler/symbolic/expr.h"
#include "runtime/solvers/run.h"

namespace luztar {

/// Adds the error that says what stopped the run at report.time, where and what to do; nothing
/// when it is done.
///   start: time at which the run began [s]
///   euler: by the solver of that name, which has a step and no tolerance
void report_run_stop(Diagnostics& diagnostics, const ExprPool& pool, const FlatModel& flat,
                     const RunReport& report, double start, const ExplicitSystem& system,
                     bool euler);

/// Adds a warning where the residual of the energy is more than errors of steps leave.
///   tolerance: that of the run
void report_energy(Diagnostics& diagnostics, const RunReport& report, double tolerance);

}  // namespace luztar
