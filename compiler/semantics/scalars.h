// Scalar components: parameters and variables of the flat model.
#pragma once

#include "compiler/semantics/elaboration.h"

namespace luztar {

/// Gives the instance `id` its parameter or variable, with what its merged modifications say; a
/// --set value takes the place of a parameter's binding.
///   errors: LT2003 (unit of a setting), LT2015, LT2020, LT2024 (flow outside a connector)
void add_scalar(Elaboration& elaboration, InstanceId id, const AstComponent& declaration,
                const ScalarAlias& type, const ScalarModification& merged);

}  // namespace luztar
