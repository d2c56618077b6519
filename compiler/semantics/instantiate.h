// Classes to the tree of instances.
#pragma once

#include "compiler/semantics/elaboration.h"

namespace luztar {

/// Builds the tree below a model with its parts, parameters, variables and connectors; expressions
/// stay as written.
///   post:   elaboration.root is the model; parameters, bindings and attributes hold what is still
///           to be converted to expressions
///   errors: LT1009, LT2001, LT2004-LT2007, LT2020, LT2024      cost: O(components)
void instantiate(Elaboration& elaboration, ClassId model);

/// A constant of a class that is not instantiated, `Constants.g`; created when first used.
[[nodiscard]] InstanceId constant_instance(Elaboration& elaboration, ClassId cls,
                                           std::uint32_t member);

}  // namespace luztar
