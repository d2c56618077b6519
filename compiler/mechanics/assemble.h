// Newton assembly: flat model to primary model.
#pragma once

#include <optional>

#include "compiler/base/diagnostics.h"
#include "compiler/mechanics/mechanism.h"

namespace luztar {

/// Assembles the primary model from any acausal equations.
///   0. incidence alone tells which parts lack equations, or have too many; the rest is looked at
///   without these;
///   1. connection sets give equal potentials and flow balances;
///   2. equal variables and der-chains merge;
///   3. variables that follow from positions, velocities, time and signals get explicit
///   definitions;
///   4. what is left between positions are constraints: q_all = S q + e(t), solved symbolically;
///   5. flow laws are solved part by part; virtual work with S gives one balance per coordinate,
///   free of constraint
///      forces (or the constraint does work: LT3003);
///   6. every law is split into springs, dampers, frictions and loads.
/// Every step reports all it finds and goes on with the rest; see PartErrors.
///   errors: LT3001-LT3016
///   cost: proportional to the number of variables and the nonzeros of S
[[nodiscard]] std::optional<Mechanism> assemble(ExprPool& pool, const FlatModel& flat,
                                                Diagnostics& diagnostics);

}  // namespace luztar
