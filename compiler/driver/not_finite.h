// Which variable of a model is to blame when a run meets a value that is not finite.
#pragma once

#include <string>

#include "compiler/lowering/explicit_system.h"
#include "compiler/semantics/flat_model.h"
#include "compiler/symbolic/expr.h"
#include "runtime/solvers/run.h"

namespace luztar {

struct NotFinite {
  std::string name;
  bool is_made = false;  // infinite or not a number where the states it depends on are finite
};

/// The variable that became infinite or not a number when `report`, of kNotFinite, ended a run: of
/// those that are so where the states they depend on are finite, the one with the shortest
/// expression; where there is none, the state that the solver names.
///   a pole lies between two numbers: a value that changes all at once in time counts, too
///   cost: O(size of the system)
[[nodiscard]] NotFinite not_finite_variable(const ExprPool& pool, const FlatModel& flat,
                                            const ExplicitSystem& system, const RunReport& report);

}  // namespace luztar
