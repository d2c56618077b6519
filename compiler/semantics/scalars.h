// Scalar components: parameters and variables of the flat model.
#pragma once

#include "compiler/semantics/elaboration.h"

namespace luztar {

/// Gives the instance `id` its parameter or variable, with what its merged modifications say; a
/// --set value takes the place of a parameter's binding.
///   errors: LT2003 (unit of a setting, displayUnit), LT2015, LT2020, LT2024 (flow outside a
///   connector), LT2031
void add_scalar(Elaboration& elaboration, InstanceId id, const AstComponent& declaration,
                const ScalarAlias& type, const ScalarModification& merged);

/// The text of `unit` or `displayUnit`; empty when there is none or it is wrong.
///   errors: LT2015, LT2031
[[nodiscard]] std::string unit_text(Elaboration& elaboration, const ScalarModification& merged,
                                    Attribute which);

}  // namespace luztar
